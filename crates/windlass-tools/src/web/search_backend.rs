//! The wires of the search servers: SearXNG, Brave, Tavily.
//!
//! Owns how each is asked and how its answer is read. An answer that is not what the server promises is
//! a failure, never an empty list. Knows no tool arguments and no summary.

use jiff::civil::Date;
use serde_json::{Value, json};
use windlass_core::protocol::tool::{ReachLog, ToolFailure};

use crate::summary::{cut, one_line};
use crate::web::html_text::bare_text;
use crate::web::http::{HttpClient, HttpReply, Url};
use windlass_core::text::secret::Secret;

/// Largest answer that is read.
const ANSWER_BYTES_MAX: usize = 2 << 20;
/// Longest title and snippet that are kept.
const HIT_TITLE_CHARS_MAX: usize = 300;
const SNIPPET_CHARS_MAX: usize = 1_000;
/// Longest address that is kept.
const URL_BYTES_MAX: usize = 2_048;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchBackendKind {
    /// A SearXNG instance, with `json` among its `search.formats`; needs `base_url`.
    Searxng,
    /// The Brave Search API; needs `api_key`.
    Brave,
    /// The Tavily API; needs `api_key`.
    Tavily,
}

impl SearchBackendKind {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            SearchBackendKind::Searxng => "SearXNG",
            SearchBackendKind::Brave => "Brave Search",
            SearchBackendKind::Tavily => "Tavily",
        }
    }

    /// Reads the word of a configuration.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "searxng" => Some(SearchBackendKind::Searxng),
            "brave" => Some(SearchBackendKind::Brave),
            "tavily" => Some(SearchBackendKind::Tavily),
            _ => None,
        }
    }

    pub const ALL: [SearchBackendKind; 3] =
        [SearchBackendKind::Searxng, SearchBackendKind::Brave, SearchBackendKind::Tavily];

    /// The environment variable that usually holds its key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            SearchBackendKind::Searxng => None,
            SearchBackendKind::Brave => Some("BRAVE_API_KEY"),
            SearchBackendKind::Tavily => Some("TAVILY_API_KEY"),
        }
    }

    /// Whether searches are paid for.
    pub fn is_paid(self) -> bool {
        self.needs_key()
    }

    fn usual_address(self) -> Option<&'static str> {
        match self {
            SearchBackendKind::Searxng => None,
            SearchBackendKind::Brave => Some("https://api.search.brave.com"),
            SearchBackendKind::Tavily => Some("https://api.tavily.com"),
        }
    }

    fn path(self) -> &'static str {
        match self {
            SearchBackendKind::Searxng | SearchBackendKind::Tavily => "search",
            SearchBackendKind::Brave => "res/v1/web/search",
        }
    }

    fn needs_key(self) -> bool {
        match self {
            SearchBackendKind::Searxng => false,
            SearchBackendKind::Brave | SearchBackendKind::Tavily => true,
        }
    }
}

#[derive(Debug, Clone)]
pub struct SearchBackend {
    /// Which wire it speaks.
    pub kind: SearchBackendKind,
    /// Where it is; the vendor's own address otherwise.
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quest<'a> {
    pub(crate) query: &'a str,
    pub(crate) results_max: usize,
    pub(crate) window: SearchWindow,
}

/// From when the pages should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SearchWindow {
    /// A round stretch of time, from words.
    pub(crate) freshness: Option<Freshness>,
    pub(crate) after: Option<Date>,
    pub(crate) before: Option<Date>,
}

/// The stretches of time that search servers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    Day,
    Week,
    Month,
    Year,
}

impl Freshness {
    /// The shortest one that covers so many days.
    pub(crate) fn covering(days: i32) -> Option<Self> {
        match days {
            ..0 => None,
            0..=1 => Some(Freshness::Day),
            2..=7 => Some(Freshness::Week),
            8..=31 => Some(Freshness::Month),
            32..=366 => Some(Freshness::Year),
            367.. => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Freshness::Day => "day",
            Freshness::Week => "week",
            Freshness::Month => "month",
            Freshness::Year => "year",
        }
    }

    /// The code of Brave.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Freshness::Day => "pd",
            Freshness::Week => "pw",
            Freshness::Month => "pm",
            Freshness::Year => "py",
        }
    }
}

/// One page that was found (E-21).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchHit {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) snippet: String,
}

pub(crate) async fn search(
    http: &HttpClient,
    backend: &SearchBackend,
    quest: &Quest<'_>,
    today: Date,
    reached: &ReachLog,
) -> Result<Vec<SearchHit>, ToolFailure> {
    let kind = backend.kind;
    let mut url = address(backend)?;
    let keys = keys(backend)?;
    let reply = match kind {
        SearchBackendKind::Searxng => {
            put_searxng(&mut url, quest, today);
            http.get(&url, "application/json", &keys, reached).await
        }
        SearchBackendKind::Brave => {
            put_brave(&mut url, quest, today);
            http.get(&url, "application/json", &keys, reached).await
        }
        SearchBackendKind::Tavily => http.post_json(&url, &keys, &tavily_body(quest), reached).await,
    };
    let reply = reply.map_err(|failure| failure.of(kind.title()))?;
    read_reply(kind, reply, quest).await
}

fn unavailable(hint: impl Into<String>) -> ToolFailure {
    ToolFailure::unavailable("web_search unavailable").hint(hint)
}

fn address(backend: &SearchBackend) -> Result<Url, ToolFailure> {
    let base = backend
        .base_url
        .as_deref()
        .or(backend.kind.usual_address())
        .ok_or_else(|| unavailable("Set web_search.base_url to the address of the SearXNG instance."))?;
    let text = format!("{}/{}", base.trim_end_matches('/'), backend.kind.path());
    Url::parse(&text).map_err(|error| {
        unavailable("Set web_search.base_url to a URL such as https://search.example.org.")
            .detail(format!("'{base}' is not a URL: {error}"))
    })
}

fn keys(backend: &SearchBackend) -> Result<Vec<(&'static str, Secret)>, ToolFailure> {
    let kind = backend.kind;
    match &backend.api_key {
        None if kind.needs_key() => {
            let variable = kind.key_variable().unwrap_or_default();
            Err(unavailable(format!("Set {variable} or web_search.api_key to a key of {}.", kind.title())))
        }
        None => Ok(Vec::new()),
        Some(key) => Ok(vec![match kind {
            SearchBackendKind::Brave => ("x-subscription-token", key.clone()),
            SearchBackendKind::Searxng | SearchBackendKind::Tavily => ("authorization", key.bearer()),
        }]),
    }
}

/// SearXNG knows no dates, only stretches: the shortest that covers the first day is asked for, and what
/// is dated outside is dropped afterwards.
fn put_searxng(url: &mut Url, quest: &Quest<'_>, today: Date) {
    let mut pairs = url.query_pairs_mut();
    pairs.append_pair("q", quest.query).append_pair("format", "json");
    let since = quest.window.after.map(|after| (today - after).get_days());
    if let Some(freshness) = quest.window.freshness.or_else(|| Freshness::covering(since?)) {
        pairs.append_pair("time_range", freshness.word());
    }
}

fn put_brave(url: &mut Url, quest: &Quest<'_>, today: Date) {
    let mut pairs = url.query_pairs_mut();
    pairs.append_pair("q", quest.query).append_pair("count", &quest.results_max.to_string());
    let window = quest.window;
    if window.after.is_some() || window.before.is_some() {
        // Brave wants both ends; the web is younger than this.
        let after = window.after.map_or_else(|| "1990-01-01".to_owned(), |date| date.to_string());
        let before = window.before.unwrap_or(today);
        pairs.append_pair("freshness", &format!("{after}to{before}"));
    } else if let Some(freshness) = window.freshness {
        pairs.append_pair("freshness", freshness.code());
    }
}

fn tavily_body(quest: &Quest<'_>) -> Value {
    let mut body = json!({"query": quest.query, "max_results": quest.results_max});
    let mut put = |name: &str, value: String| {
        body.as_object_mut().map(|fields| fields.insert(name.into(), value.into()))
    };
    let window = quest.window;
    if window.after.is_some() || window.before.is_some() {
        window.after.map(|date| put("start_date", date.to_string()));
        window.before.map(|date| put("end_date", date.to_string()));
    } else if let Some(freshness) = window.freshness {
        put("time_range", freshness.word().to_owned());
    }
    body
}

async fn read_reply(
    kind: SearchBackendKind,
    reply: HttpReply,
    quest: &Quest<'_>,
) -> Result<Vec<SearchHit>, ToolFailure> {
    let name = kind.title();
    match reply.status() {
        200..=299 => {}
        401 | 403 => return Err(refused(kind, reply.status())),
        429 => {
            return Err(ToolFailure::io_error(format!("{name} refuses more searches for now (status 429)"))
                .hint("Wait before searching again, or answer with what is known."));
        }
        status => {
            return Err(ToolFailure::io_error(format!("{name} answered with status {status}"))
                .hint("The same search may work later."));
        }
    }
    let answer = reply.json(ANSWER_BYTES_MAX).await.map_err(|failure| failure.of(name))?;
    let mut hits = read_answer(kind, &answer, quest.window)
        .map_err(|reason| ToolFailure::io_error(format!("{name} could not search: {reason}")))?;
    hits.truncate(quest.results_max);
    Ok(hits)
}

fn refused(kind: SearchBackendKind, status: u16) -> ToolFailure {
    let cure = match kind {
        SearchBackendKind::Searxng => {
            "Put json among search.formats in the settings.yml of the SearXNG instance, or check its key."
        }
        SearchBackendKind::Brave | SearchBackendKind::Tavily => {
            "Check web_search.api_key in the configuration."
        }
    };
    ToolFailure::unavailable(format!("{} refused the request (status {status})", kind.title())).hint(cure)
}

fn read_answer(
    kind: SearchBackendKind,
    answer: &Value,
    window: SearchWindow,
) -> Result<Vec<SearchHit>, String> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(cut(&error.to_string(), 200));
    }
    let (list, snippet, date) = match kind {
        SearchBackendKind::Searxng => (answer.get("results"), "content", Some("publishedDate")),
        // Without pages Brave leaves `web` out, but still says what the answer is.
        SearchBackendKind::Brave if answer.get("web").is_none() && answer.get("type").is_some() => {
            return Ok(Vec::new());
        }
        SearchBackendKind::Brave => (answer.pointer("/web/results"), "description", None),
        SearchBackendKind::Tavily => (answer.get("results"), "content", None),
    };
    let list = list.and_then(Value::as_array).ok_or("its answer has no list of results")?;
    if let (true, Some(engines)) = (list.is_empty(), failed_engines(answer)) {
        return Err(format!("no engine answered ({engines})"));
    }
    let mut hits: Vec<SearchHit> = Vec::new();
    for found in list {
        let published = date.and_then(|name| read_date(found.get(name)?.as_str()?));
        let hit = read_hit(found, snippet, kind == SearchBackendKind::Brave);
        let Some(hit) = hit.filter(|_| published.is_none_or(|day| window_covers(window, day))) else {
            continue;
        };
        if hits.iter().all(|known| known.url != hit.url) {
            hits.push(hit);
        }
    }
    Ok(hits)
}

/// The engines behind a SearXNG instance that failed: with them down, an empty list means nothing.
fn failed_engines(answer: &Value) -> Option<String> {
    let engines = answer.get("unresponsive_engines")?.as_array().filter(|engines| !engines.is_empty())?;
    let told: Vec<String> = engines
        .iter()
        .take(5)
        .map(|engine| match engine.as_array() {
            Some(pair) => pair.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(": "),
            None => engine.to_string(),
        })
        .collect();
    Some(cut(&told.join(", "), 200))
}

fn read_hit(found: &Value, snippet: &str, is_marked_up: bool) -> Option<SearchHit> {
    let text = |name: &str| found.get(name).and_then(Value::as_str).unwrap_or_default();
    let plain = |name: &str, chars_max: usize| match is_marked_up {
        // Brave marks the words that matched and escapes the rest as HTML.
        true => one_line(&bare_text(text(name)), chars_max),
        false => one_line(text(name), chars_max),
    };
    let url = text("url").trim();
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !is_web || url.len() > URL_BYTES_MAX {
        return None;
    }
    Some(SearchHit {
        title: plain("title", HIT_TITLE_CHARS_MAX),
        url: url.to_owned(),
        snippet: plain(snippet, SNIPPET_CHARS_MAX),
    })
}

/// The day of a date or date-time.
pub(crate) fn read_date(text: &str) -> Option<Date> {
    text.trim().get(..10)?.parse().ok()
}

fn window_covers(window: SearchWindow, day: Date) -> bool {
    window.after.is_none_or(|after| day >= after) && window.before.is_none_or(|before| day <= before)
}

#[cfg(test)]
#[path = "search_backend_tests.rs"]
mod tests;
