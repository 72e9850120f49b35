//! The taint of a run: what its context has from outside, folded over its messages, so that recovery, forks, replay and a
//! shortened history come to the same.
//!
//! Owns who wrote what the model has seen, and whether the user named where a call leads. What follows from it is
//! `permission`'s business.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::permission::{Inspection, LeakFinding, Sandbox, TaintFinding, TaintSource, Target, find_leak};
use crate::protocol::message::{Message, ToolMessage};
use crate::protocol::tool::{CheckedCall, Effects, Label, SINK_KEYWORD, ToolSpec};

/// How the note begins that gives a message its background; notes are the runtime's own.
pub(super) const CONTEXT_NOTE: &str = "Context: ";

/// Characters of a destination: fewer stand in any text.
const DESTINATION_CHARS_MIN: usize = 3;

/// What a context has from outside, and what the user said in it.
#[derive(Debug, Clone, Default)]
pub struct Taint {
    marks: Vec<TaintMark>,
    said: Vec<Arc<Message>>,
}

/// A message that others wrote.
#[derive(Debug, Clone)]
struct TaintMark {
    label: Label,
    /// The step that it came in; nothing if it was there before the run.
    step: Option<u32>,
    message: Arc<Message>,
}

impl Taint {
    /// Takes in what was said before the run.
    pub(super) fn take_past(&mut self, transcript: &[Arc<Message>]) {
        transcript.iter().for_each(|message| self.take(message, None));
    }

    /// Takes in a message.
    pub(super) fn take(&mut self, message: &Arc<Message>, step: Option<u32>) {
        let label = match message.as_ref() {
            Message::User { .. } => return self.said.push(Arc::clone(message)),
            Message::Tool(ToolMessage { label, .. }) => label.clone(),
            Message::Note { text } if text.starts_with(CONTEXT_NOTE) => Some(Label::untrusted("context")),
            // What the model wrote is no better than what it had read, which is here already.
            Message::Assistant { .. } | Message::Note { .. } => None,
        };
        if let Some(label) = label {
            self.marks.push(TaintMark { label, step, message: Arc::clone(message) });
        }
    }

    /// What it says of a call.
    pub(super) fn look_at(&self, call: &CheckedCall, inspection: &Inspection) -> Option<TaintFinding> {
        let reaches = reaches_out(&call.spec, &inspection.targets, inspection.sandbox.as_ref());
        if self.marks.is_empty() || (!reaches && call.spec.effects.is_read_only()) {
            return None;
        }
        let untrusted: Vec<&TaintMark> = self.marks.iter().filter(|mark| mark.label.is_untrusted()).collect();
        let mut sources: Vec<&str> = untrusted.iter().map(|mark| mark.label.source.as_str()).collect();
        sources.sort_unstable();
        sources.dedup();
        let finding = TaintFinding {
            source: untrusted.first().map(|mark| mark.source()),
            others: sources.len().saturating_sub(1),
            is_named: reaches && self.is_named(call, &inspection.targets),
            leak: if reaches { self.leak_in(call) } else { None },
        };
        (!finding.is_clean()).then_some(finding)
    }

    fn leak_in(&self, call: &CheckedCall) -> Option<LeakFinding> {
        let private: Vec<&TaintMark> = self.marks.iter().filter(|mark| mark.label.is_private()).collect();
        let texts = private.iter().map(|mark| text_of(&mark.message));
        let (argument, place) = find_leak(&call.args, self.said.iter().map(|said| text_of(said)), texts)?;
        let source = private.get(place)?.source();
        Some(LeakFinding { argument, source })
    }

    /// Whether the user named every place that a call leads to, and it carries no address but theirs.
    fn is_named(&self, call: &CheckedCall, targets: &[Target]) -> bool {
        let mut places: Vec<String> = targets.iter().filter_map(destination).map(str::to_owned).collect();
        let properties = call.spec.properties().into_iter().flatten();
        for (name, _) in properties.filter(|(_, schema)| schema.get(SINK_KEYWORD) == Some(&Value::Bool(true)))
        {
            call.args.get(name).into_iter().for_each(|value| leaves(value, &mut places));
        }
        if places.is_empty() {
            return false;
        }
        let mut texts = Vec::new();
        call.args.values().for_each(|value| leaves(value, &mut texts));
        let addresses = texts.iter().flat_map(|text| addresses_in(text));
        let said: Vec<String> = self.said.iter().map(|said| text_of(said).to_lowercase()).collect();
        let is_said = |place: &str| {
            let place = bare(place).to_lowercase();
            place.chars().count() >= DESTINATION_CHARS_MIN && said.iter().any(|text| stands_in(&place, text))
        };
        places.iter().map(String::as_str).chain(addresses).all(is_said)
    }
}

impl TaintMark {
    fn source(&self) -> TaintSource {
        TaintSource { words: self.label.source_words(), step: self.step }
    }
}

/// Whether a call may tell somebody something: by its effects, a host, or a command, which can do anything.
pub(crate) fn reaches_out(spec: &ToolSpec, targets: &[Target], sandbox: Option<&Sandbox>) -> bool {
    // A command without a network tells nobody anything; what it writes stays in the project.
    if sandbox.is_some_and(Sandbox::is_cut_off) {
        return false;
    }
    spec.effects == Effects::External || targets.iter().any(|target| destination(target).is_some())
}

/// Where a target leads beyond the project.
fn destination(target: &Target) -> Option<&str> {
    match target {
        Target::Host(text) | Target::Command(text) => Some(text),
        Target::Path(_) => None,
    }
}

fn text_of(message: &Message) -> Cow<'_, str> {
    match message {
        Message::Tool(tool) => Cow::Borrowed(&tool.content),
        Message::User { .. } | Message::Assistant { .. } | Message::Note { .. } => Cow::Owned(message.text()),
    }
}

/// The texts and numbers in a value.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => found.push(number.to_string()),
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| leaves(value, found)),
    }
}

/// The addresses in a text: what has a scheme, and what begins as hosts of pages do.
fn addresses_in(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | '`');
    let is_address = |word: &&str| {
        let lower = word.to_lowercase();
        lower.contains("://") || lower.starts_with("www.")
    };
    text.split(is_edge).map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?'])).filter(is_address)
}

/// A place without what makes no difference to where it is.
fn bare(place: &str) -> &str {
    let place = place.trim();
    let place = place.strip_prefix("https://").or_else(|| place.strip_prefix("http://")).unwrap_or(place);
    place.strip_suffix('/').unwrap_or(place)
}

/// Whether a text has a place as a whole: `example.com` does not stand in `example.com.evil.org`.
fn stands_in(place: &str, text: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '@');
    text.match_indices(place).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let mut after = text.get(at.saturating_add(found.len())..).unwrap_or_default().chars();
        let (next, second) = (after.next(), after.next());
        let goes_on = match next {
            Some('.' | '/' | ':' | '?') => second.is_some_and(|c| is_inner(c) || c == '/'),
            Some(c) => is_inner(c),
            None => false,
        };
        !before.is_some_and(|c| is_inner(c) || c == '.') && (!goes_on || is_path_of(place, next))
    })
}

/// A host that a longer address of the user's begins with is named by it.
fn is_path_of(place: &str, next: Option<char>) -> bool {
    matches!(next, Some('/' | '?')) && !place.contains(['/', '?'])
}

#[cfg(test)]
#[path = "taint_tests.rs"]
mod tests;
