//! EDISON's routing: which mode a message gets, whether its run may use tools, and the old keyword search that
//! stands in for tools where they are not allowed (E-40…E-42). Pure.

use windlass_core::calls::json::clip::clip_chars;

/// Characters of a query that was taken out of a message.
const QUERY_CHARS_MAX: usize = 200;

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EdisonRoute {
    /// The mode that is used.
    pub(super) mode: String,
    /// Whether the run may use tools.
    pub(super) tools_allowed: bool,
    /// Whether the old heuristic search is used instead.
    pub(super) has_heuristic: bool,
}

/// Words by which a message wants something done rather than said.
const AGENT_PHRASES: [&str; 14] = [
    "search",
    "look up",
    "lookup",
    "google",
    "browse",
    "find out",
    "on the web",
    "on the internet",
    "online",
    "latest",
    "news",
    "generate an image",
    "draw",
    "system stats",
];

/// Words by which the old heuristic searched.
const SEARCH_PHRASES: [&str; 9] =
    ["search", "internet", "web", "look up", "lookup", "google", "online", "latest", "news"];

/// What stands before the query in a message that asks for a search; longer ones first.
const QUERY_LEADS: [&str; 12] = [
    "search the internet for",
    "search the web for",
    "search the internet",
    "search the web",
    "search online for",
    "search for",
    "search up",
    "look up",
    "lookup",
    "google",
    "search",
    "find online",
];

/// Routes a message. `auto`, or no mode, becomes `agent` when the message has agent intent, which allows tools
/// unless the caller says otherwise (E-42).
pub(super) fn route(mode: Option<&str>, message: &str, tools_wished: Option<bool>) -> EdisonRoute {
    let mode = match mode.map(str::trim).filter(|mode| !mode.is_empty()) {
        None | Some("auto") => {
            if AGENT_PHRASES.iter().any(|phrase| has_phrase(message, phrase)) {
                "agent"
            } else {
                "chat"
            }
        }
        Some(mode) => mode,
    };
    let is_agent = matches!(mode, "agent" | "work");
    let tools_allowed = is_agent && tools_wished.unwrap_or(true);
    EdisonRoute { mode: mode.to_owned(), tools_allowed, has_heuristic: is_agent && !tools_allowed }
}

/// The query of the old heuristic: nothing when no word of the message asks for a search (E-41).
pub(super) fn search_query(message: &str) -> Option<String> {
    if !SEARCH_PHRASES.iter().any(|phrase| has_phrase(message, phrase)) {
        return None;
    }
    let after = QUERY_LEADS.iter().find_map(|lead| after_phrase(message, lead));
    let query = after.filter(|rest| !rest.is_empty()).unwrap_or(message);
    let query = query.trim_matches(|c: char| c.is_whitespace() || "?!.\"'".contains(c));
    Some(clip_chars(query, QUERY_CHARS_MAX).into_owned()).filter(|query| !query.is_empty())
}

/// Whether a phrase stands in a text as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    after_phrase(text, phrase).is_some()
}

/// What follows a phrase that stands in a text as whole words.
fn after_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.char_indices().find_map(|(at, _)| {
        let (head, tail) = text.split_at_checked(at)?;
        let (begin, rest) = tail.split_at_checked(phrase.len())?;
        let stands = begin.eq_ignore_ascii_case(phrase)
            && !is_word(head.chars().next_back())
            && !is_word(rest.chars().next());
        stands.then(|| rest.trim())
    })
}

#[cfg(test)]
#[path = "routing_tests.rs"]
mod tests;
