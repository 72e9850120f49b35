//! `web_search`: pages of the web for a question (E-3, E-21, S-22).
//!
//! Owns the arguments, the key by which equal searches are known, and the outcome; the servers' wires are
//! in `search_backend`. Without a server it says so with the cure; a server that is down is a failure.

use jiff::Zoned;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, Link, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, quoted, readable};

use super::http::HttpClient;
use super::search_backend::{Freshness, Quest, SearchBackend, SearchHit, SearchWindow, read_date, search};
use super::time_constraint::{TIME_WORDS, TimeConstraint};
use crate::summary::{cut, list_items};
use crate::typed::{TypedTool, count, text_arg};

/// Most results that any of the servers gives.
const RESULTS_MAX: usize = 20;
/// Longest question; Brave takes no longer one.
const QUERY_CHARS_MAX: usize = 400;

/// Where the web is searched.
#[derive(Debug, Clone, Default)]
pub struct WebSearchConfig {
    /// The server to ask; none means that the tool is not available.
    pub backend: Option<SearchBackend>,
}

#[derive(Debug)]
pub(crate) struct WebSearch {
    config: WebSearchConfig,
    http: HttpClient,
}

#[derive(Default, Deserialize, JsonSchema)]
pub(crate) struct WebSearchArgs {
    /// What to look for
    #[schemars(length(max = QUERY_CHARS_MAX))]
    query: String,
    /// How many pages
    #[serde(default = "count::<5>")]
    #[schemars(range(min = 1, max = RESULTS_MAX))]
    max_results: usize,
    #[schemars(extend(
        "description" = format!("Only pages from then: {TIME_WORDS}. Leave out unless age matters.")
    ))]
    time_hint: Option<String>,
    /// Only pages from this day on, YYYY-MM-DD
    after: Option<String>,
    /// Only pages up to this day, YYYY-MM-DD
    before: Option<String>,
}

impl WebSearch {
    pub(crate) fn new(config: WebSearchConfig) -> Self {
        Self { config, http: HttpClient::new() }
    }
}

impl TypedTool for WebSearch {
    const NAME: &'static str = "web_search";
    const ABOUT: &'static str = "Search the web; gives title, url and snippet of each page found. A snippet is not the page: \
                                 read it with fetch_url before you rely on it.";
    type Args = WebSearchArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Read, Risk::Low)
            .with_scopes([Scope::NetworkAccess])
            .with_place(Category::Search, Visibility::Primary)
            .with_alias("search_web")
            .with_arg_alias("num_results", "max_results");
        let examples = vec![
            json!({"query": "rust async cancellation"}),
            json!({"query": "rust release", "time_hint": "last month", "max_results": 3}),
        ];
        ToolSpec { idempotent: true, untrusted_output: true, examples, ..spec }
    }

    async fn run(&self, args: WebSearchArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let today = Zoned::now().date();
        let quest = read_quest(&args, today)?;
        let Some(backend) = &self.config.backend else {
            return Err(ToolFailure::unavailable("web_search unavailable").hint(
                "No search server is configured. Set BRAVE_API_KEY or TAVILY_API_KEY, or web_search.backend to \
                 searxng (with base_url), brave or tavily (with api_key).",
            ));
        };
        let hits = search(&self.http, backend, &quest, today, &context.reached).await?;
        Ok(output(quest.query, hits))
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        let item = |hit: &Value| {
            let told = ["title", "url", "snippet"].iter().filter_map(|name| hit.get(*name)?.as_str());
            told.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(" ")
        };
        let items = output.json.as_array()?.iter().map(item);
        Some(list_items("Web search", items, "Web search returned no details"))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let about = quoted(text_arg(args, "query"));
        Some(format!("From the web on {about}:\n\n{}", code_block("", &readable(value))))
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

fn read_quest(args: &WebSearchArgs, today: Date) -> Result<Quest<'_>, ToolFailure> {
    let query = args.query.trim();
    if query.is_empty() || query.chars().nth(QUERY_CHARS_MAX).is_some() {
        let expected = format!("1 to {QUERY_CHARS_MAX} characters");
        return Err(ToolFailure::invalid_args(format!("query must be {expected}")).at(
            "query",
            expected,
            cut(query, 80),
        ));
    }
    Ok(Quest { query, results_max: args.max_results, window: read_window(args, today)? })
}

/// Days that are named win over words.
fn read_window(args: &WebSearchArgs, today: Date) -> Result<SearchWindow, ToolFailure> {
    let (after, before) = (day("after", args.after.as_deref())?, day("before", args.before.as_deref())?);
    if let (Some(after), Some(before)) = (after, before)
        && after > before
    {
        return Err(ToolFailure::invalid_args(format!(
            "after ({after}) must not be later than before ({before})"
        ))
        .at("after", format!("a day up to {before}"), after.to_string()));
    }
    let words = args.time_hint.as_deref().filter(|words| !words.trim().is_empty());
    if after.is_some() || before.is_some() {
        return Ok(SearchWindow { freshness: None, after, before });
    }
    let Some(words) = words else { return Ok(SearchWindow::default()) };
    let Some(constraint) = TimeConstraint::parse(words, today) else {
        let shown = cut(words, 60);
        return Err(ToolFailure::invalid_args(format!("time_hint '{shown}' is not understood"))
            .at("time_hint", TIME_WORDS, shown)
            .hint("Leave time_hint out, or use one of the words expected."));
    };
    Ok(match Freshness::covering(constraint.days_ago) {
        Some(freshness) => SearchWindow { freshness: Some(freshness), after: None, before: None },
        None => SearchWindow { freshness: None, after: Some(constraint.after), before: None },
    })
}

fn day(name: &str, text: Option<&str>) -> Result<Option<Date>, ToolFailure> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let wrong = || {
        let shown = cut(text, 40);
        ToolFailure::invalid_args(format!("{name} '{shown}' is not a day")).at(name, "YYYY-MM-DD", shown)
    };
    read_date(text).map(Some).ok_or_else(wrong)
}

fn output(query: &str, hits: Vec<SearchHit>) -> ToolOutput {
    let json = hits.iter().map(|hit| json!({"title": hit.title, "url": hit.url, "snippet": hit.snippet}));
    let mut text = String::new();
    for (index, hit) in hits.iter().enumerate() {
        text.push_str(&format!("{}. {}\n   {}\n   {}\n", index + 1, hit.title, hit.url, hit.snippet));
    }
    if hits.is_empty() {
        text = format!("No pages found for '{}'.", cut(query, 100));
    }
    let mut output = ToolOutput::json(json.collect()).with_text(text.trim_end());
    output.links =
        hits.into_iter().map(|SearchHit { title, url, snippet }| Link { title, url, snippet }).collect();
    output
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
