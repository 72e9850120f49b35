//! `web_search`: pages of the web for a question (E-3, E-21, S-22).
//!
//! Owns the arguments, the key by which equal searches are known, and the outcome; the servers' wires are
//! in `search_backend`. Without a server it says so with the cure; a server that is down is a failure.

use jiff::Zoned;
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{
    Category, Effects, Link, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};

use crate::argument;
use crate::http::HttpClient;
use crate::search_backend::{Freshness, Hit, Quest, SearchBackend, Window, read_date, search};
use crate::summary::{cut, summarized};
use crate::time_constraint::{TIME_WORDS, TimeConstraint};

/// The tool's name.
const NAME: &str = "web_search";

const ABOUT: &str = "Search the web; gives title, url and snippet of each page found. A snippet is not the page: read \
                     it with fetch_url before you rely on it.";
/// Most results that any of the servers gives.
const RESULTS_MAX: i64 = 20;
/// Longest question; Brave takes no longer one.
const QUERY_CHARS_MAX: usize = 400;

/// Where the web is searched.
#[derive(Debug, Clone, Default)]
pub struct WebSearchConfig {
    /// The server to ask; none means that the tool is not available.
    pub backend: Option<SearchBackend>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct WebSearch {
    spec: ToolSpec,
    config: WebSearchConfig,
    http: HttpClient,
}

impl WebSearch {
    pub(crate) fn new(config: WebSearchConfig) -> Self {
        let mut spec = ToolSpec::new(NAME, ABOUT)
            .with_schema(schema())
            .with_effects(Effects::Read, Risk::Low)
            .with_scopes([Scope::NetworkAccess])
            .with_place(Category::Search, Visibility::Primary)
            .with_alias("search_web")
            .with_arg_alias("num_results", "max_results");
        spec.idempotent = true;
        spec.untrusted_output = true;
        spec.examples = vec![
            json!({"query": "rust async cancellation"}),
            json!({"query": "rust release", "time_hint": "last month", "max_results": 3}),
        ];
        Self { spec, config, http: HttpClient::new() }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for", "maxLength": QUERY_CHARS_MAX},
            "max_results": {
                "type": "integer", "description": "How many pages",
                "default": 5, "minimum": 1, "maximum": RESULTS_MAX
            },
            "time_hint": {
                "type": "string",
                "description": format!("Only pages from then: {TIME_WORDS}. Leave out unless age matters.")
            },
            "after": {"type": "string", "description": "Only pages from this day on, YYYY-MM-DD"},
            "before": {"type": "string", "description": "Only pages up to this day, YYYY-MM-DD"}
        },
        "required": ["query"],
        "additionalProperties": false
    })
}

impl ToolPort for WebSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let today = Zoned::now().date();
            let quest = read_quest(args, today)?;
            let Some(backend) = &self.config.backend else {
                return Err(ToolFailure::unavailable("web_search unavailable").hint(
                    "No search server is configured. Set BRAVE_API_KEY or TAVILY_API_KEY, or web_search.backend to \
                     searxng (with base_url), brave or tavily (with api_key).",
                ));
            };
            let hits = search(&self.http, backend, &quest, today).await?;
            Ok(summarized(NAME, output(quest.query, hits)))
        })
    }
}

/// The key by which equal searches of one run are known (S-22): spelling that does not change the answer
/// does not change the key.
pub fn search_key(args: &Map<String, Value>) -> String {
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    json!({
        "q": text("query").map(|query| query.trim().to_lowercase()).unwrap_or_default(),
        "after": text("after"),
        "before": text("before"),
        "hint": text("time_hint").map(str::to_lowercase),
    })
    .to_string()
}

fn read_quest<'a>(args: &'a Map<String, Value>, today: Date) -> Result<Quest<'a>, ToolFailure> {
    let query = argument::text(args, "query")?.trim();
    if query.is_empty() || query.chars().nth(QUERY_CHARS_MAX).is_some() {
        let expected = format!("1 to {QUERY_CHARS_MAX} characters");
        return Err(ToolFailure::invalid_args(format!("query must be {expected}")).at(
            "query",
            expected,
            cut(query, 80),
        ));
    }
    let results_max = argument::count(args, "max_results", 5, 1..=RESULTS_MAX)?;
    Ok(Quest { query, results_max, window: read_window(args, today)? })
}

/// Days that are named win over words.
fn read_window(args: &Map<String, Value>, today: Date) -> Result<Window, ToolFailure> {
    let (after, before) = (day(args, "after")?, day(args, "before")?);
    if let (Some(after), Some(before)) = (after, before)
        && after > before
    {
        return Err(ToolFailure::invalid_args(format!(
            "after ({after}) must not be later than before ({before})"
        ))
        .at("after", format!("a day up to {before}"), after.to_string()));
    }
    let words = argument::optional_text(args, "time_hint")?.filter(|words| !words.trim().is_empty());
    if after.is_some() || before.is_some() {
        return Ok(Window { freshness: None, after, before });
    }
    let Some(words) = words else { return Ok(Window::default()) };
    let Some(constraint) = TimeConstraint::parse(words, today) else {
        let shown = cut(words, 60);
        return Err(ToolFailure::invalid_args(format!("time_hint '{shown}' is not understood"))
            .at("time_hint", TIME_WORDS, shown)
            .hint("Leave time_hint out, or use one of the words expected."));
    };
    Ok(match Freshness::covering(constraint.days_ago) {
        Some(freshness) => Window { freshness: Some(freshness), after: None, before: None },
        None => Window { freshness: None, after: Some(constraint.after), before: None },
    })
}

fn day(args: &Map<String, Value>, name: &str) -> Result<Option<Date>, ToolFailure> {
    let Some(text) = argument::optional_text(args, name)?.filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let wrong = || {
        let shown = cut(text, 40);
        ToolFailure::invalid_args(format!("{name} '{shown}' is not a day")).at(name, "YYYY-MM-DD", shown)
    };
    read_date(text).map(Some).ok_or_else(wrong)
}

fn output(query: &str, hits: Vec<Hit>) -> ToolOutput {
    let json = hits.iter().map(|hit| json!({"title": hit.title, "url": hit.url, "snippet": hit.snippet}));
    let mut text = String::new();
    for (index, hit) in hits.iter().enumerate() {
        text.push_str(&format!("{}. {}\n   {}\n   {}\n", index + 1, hit.title, hit.url, hit.snippet));
    }
    if hits.is_empty() {
        text = format!("No pages found for '{}'.", cut(query, 100));
    }
    let mut output = ToolOutput::json(json.collect()).with_text(text.trim_end());
    output.links = hits.into_iter().map(|Hit { title, url, snippet }| Link { title, url, snippet }).collect();
    output
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
