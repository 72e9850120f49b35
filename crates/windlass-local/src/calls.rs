//! Splits what a model writes into text, thinking and calls, while it writes.
//!
//! A pure reader: text in, deltas out. It believes nothing it cannot read: what begins as a call and is none is text.
//! Knows no tokens and no tools.

use windlass_core::protocol::model::{CallDelta, ModelDelta};

use crate::grammar::CallSyntax;

const THINK: &str = "<think>";
const THINK_END: &str = "</think>";

#[derive(Debug)]
pub(crate) struct CallReader {
    syntax: CallSyntax,
    state: CallReadState,
    /// What was not decided yet.
    rest: String,
    /// Whether anything but blanks was written.
    is_begun: bool,
    calls: u32,
}

#[derive(Debug)]
enum CallReadState {
    Text,
    Thinking,
    /// Between the calls of a list, or before the first letter of a call.
    BetweenCalls,
    Call(Box<ObjectReader>),
    /// Behind a call, before what ends it.
    CallEnd,
}

impl CallReader {
    pub(crate) fn new(syntax: CallSyntax, is_thinking: bool) -> Self {
        let state = if is_thinking { CallReadState::Thinking } else { CallReadState::Text };
        Self { syntax, state, rest: String::new(), is_begun: false, calls: 0 }
    }

    /// How many calls were begun.
    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }

    pub(crate) fn push(&mut self, text: &str) -> Vec<ModelDelta> {
        self.rest.push_str(text);
        let mut deltas = Vec::new();
        while self.advance(&mut deltas) {}
        deltas
    }

    /// Reads the end: nothing more can decide anything.
    pub(crate) fn finish(&mut self) -> Vec<ModelDelta> {
        let rest = std::mem::take(&mut self.rest);
        let state = std::mem::replace(&mut self.state, CallReadState::Text);
        match state {
            CallReadState::Text if self.calls > 0 => some(text(rest.trim_matches([' ', '\n', '\t', ';']))),
            CallReadState::Text => some(text(rest.trim_end())),
            CallReadState::Thinking => some(reasoning(&rest)),
            // A call that broke off is what was sent of it; before its name, nothing was.
            CallReadState::Call(object) if object.name.is_none() => {
                some(text(&format!("{}{rest}", object.raw)))
            }
            CallReadState::Call(_) | CallReadState::BetweenCalls | CallReadState::CallEnd => Vec::new(),
        }
    }

    /// Does one thing; false when more text is needed.
    fn advance(&mut self, deltas: &mut Vec<ModelDelta>) -> bool {
        match &self.state {
            CallReadState::Text => self.advance_text(deltas),
            CallReadState::Thinking => self.advance_thinking(deltas),
            CallReadState::BetweenCalls => self.advance_between(),
            CallReadState::Call(_) => self.advance_call(deltas),
            CallReadState::CallEnd => self.advance_end(),
        }
    }

    fn advance_text(&mut self, deltas: &mut Vec<ModelDelta>) -> bool {
        if !self.is_begun {
            self.rest = self.rest.trim_start().to_owned();
            if self.rest.is_empty() {
                return false;
            }
            if let Some(rest) = self.rest.strip_prefix(THINK) {
                (self.rest, self.state) = (rest.to_owned(), CallReadState::Thinking);
                return true;
            }
            if THINK.starts_with(self.rest.as_str()) {
                return false;
            }
        }
        let begin = match &self.syntax {
            CallSyntax::Tags { begin, .. } | CallSyntax::List { begin } => begin.clone(),
            CallSyntax::BareObject => return self.advance_bare(deltas),
        };
        if let Some((before, after)) = self.rest.split_once(begin.as_str()) {
            deltas.extend(text(before.trim_end()));
            (self.rest, self.state, self.is_begun) = (after.to_owned(), CallReadState::BetweenCalls, true);
            return true;
        }
        self.give_text(&begin, deltas)
    }

    /// An object that begins an answer, or follows another, may be a call.
    fn advance_bare(&mut self, deltas: &mut Vec<ModelDelta>) -> bool {
        if !self.is_begun || self.calls > 0 {
            let rest = self.rest.strip_prefix("<|python_tag|>").unwrap_or(&self.rest);
            let rest = rest.trim_start_matches([' ', '\n', '\t', ';']);
            if rest.is_empty() {
                return false;
            }
            if rest.starts_with('{') {
                self.rest = rest.to_owned();
                self.state = CallReadState::Call(Box::default());
                return true;
            }
        }
        if !self.is_begun && "<|python_tag|>".starts_with(self.rest.as_str()) {
            return false;
        }
        self.give_text("\u{0}", deltas)
    }

    /// Gives all text but what may be the beginning of `mark`, and blanks that a call may follow.
    fn give_text(&mut self, mark: &str, deltas: &mut Vec<ModelDelta>) -> bool {
        let held = held_back(&self.rest, mark);
        let sure = self.rest.len().saturating_sub(held);
        let (given, _) = self.rest.split_at_checked(sure).unwrap_or((&self.rest, ""));
        let given = given.trim_end().to_owned();
        if given.is_empty() {
            return false;
        }
        self.rest = self.rest.get(given.len()..).unwrap_or_default().to_owned();
        self.is_begun = true;
        deltas.extend(text(&given));
        false
    }

    fn advance_thinking(&mut self, deltas: &mut Vec<ModelDelta>) -> bool {
        if let Some((before, after)) = self.rest.split_once(THINK_END) {
            deltas.extend(reasoning(before));
            (self.rest, self.state) = (after.to_owned(), CallReadState::Text);
            return true;
        }
        let sure = self.rest.len().saturating_sub(held_back(&self.rest, THINK_END));
        let given = self.rest.get(..sure).unwrap_or_default().to_owned();
        self.rest = self.rest.get(sure..).unwrap_or_default().to_owned();
        deltas.extend(reasoning(&given));
        false
    }

    fn advance_between(&mut self) -> bool {
        let blanks: &[char] = match self.syntax {
            CallSyntax::List { .. } => &[' ', '\n', '\t', '\r', ',', '['],
            CallSyntax::Tags { .. } | CallSyntax::BareObject => &[' ', '\n', '\t', '\r'],
        };
        self.rest = self.rest.trim_start_matches(blanks).to_owned();
        if self.rest.is_empty() {
            return false;
        }
        self.state = match self.rest.strip_prefix(']') {
            Some(rest) if matches!(self.syntax, CallSyntax::List { .. }) => {
                self.rest = rest.to_owned();
                CallReadState::Text
            }
            _ => CallReadState::Call(Box::default()),
        };
        true
    }

    fn advance_call(&mut self, deltas: &mut Vec<ModelDelta>) -> bool {
        let CallReadState::Call(object) = &mut self.state else { return false };
        let was_named = object.name.is_some();
        let rest = std::mem::take(&mut self.rest);
        let (mut args_text, mut end) = (String::new(), None);
        for (at, letter) in rest.char_indices() {
            end = object.push(letter, &mut args_text);
            if end.is_some() {
                self.rest = rest.get(at + letter.len_utf8()..).unwrap_or_default().to_owned();
                break;
            }
        }
        // Arguments that come before the name wait for it: a call without a name is none.
        object.waiting.push_str(&args_text);
        let index = if was_named { self.calls.saturating_sub(1) } else { self.calls };
        if let Some(name) = &object.name {
            let name = (!was_named).then(|| name.clone());
            let args_text = Some(std::mem::take(&mut object.waiting)).filter(|text| !text.is_empty());
            if name.is_some() || args_text.is_some() {
                deltas.push(ModelDelta::Call(CallDelta {
                    index: Some(index),
                    name,
                    args_text,
                    ..CallDelta::default()
                }));
            }
            self.calls = index + 1;
        }
        match end {
            None => false,
            Some(ObjectEnd::Whole) if object.name.is_some() => {
                self.is_begun = true;
                self.state = match self.syntax {
                    CallSyntax::Tags { .. } => CallReadState::CallEnd,
                    CallSyntax::List { .. } => CallReadState::BetweenCalls,
                    CallSyntax::BareObject => CallReadState::Text,
                };
                true
            }
            Some(ObjectEnd::Whole | ObjectEnd::Broken) => {
                let raw = std::mem::take(&mut object.raw);
                if object.name.is_none() {
                    deltas.extend(text(&raw));
                }
                (self.state, self.is_begun) = (CallReadState::Text, true);
                true
            }
        }
    }

    fn advance_end(&mut self) -> bool {
        let CallSyntax::Tags { end, .. } = &self.syntax else {
            self.state = CallReadState::Text;
            return true;
        };
        self.rest = self.rest.trim_start().to_owned();
        if self.rest.len() < end.len() && end.starts_with(self.rest.as_str()) {
            return false;
        }
        let rest = self.rest.strip_prefix(end.as_str()).unwrap_or(&self.rest);
        (self.rest, self.state) = (rest.trim_start().to_owned(), CallReadState::Text);
        true
    }
}

fn some(delta: Option<ModelDelta>) -> Vec<ModelDelta> {
    delta.into_iter().collect()
}

fn text(text: &str) -> Option<ModelDelta> {
    (!text.is_empty()).then(|| ModelDelta::Text(text.to_owned()))
}

fn reasoning(text: &str) -> Option<ModelDelta> {
    (!text.is_empty()).then(|| ModelDelta::Reasoning(text.to_owned()))
}

/// Bytes at the end of a text that may be the beginning of a mark.
fn held_back(text: &str, mark: &str) -> usize {
    let cuts = (1..mark.len()).rev().filter_map(|cut| mark.get(..cut));
    cuts.filter(|part| text.ends_with(part)).map(str::len).next().unwrap_or(0)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectEnd {
    Whole,
    Broken,
}

/// Reads the object of a call, letter by letter.
#[derive(Debug, Default)]
struct ObjectReader {
    raw: String,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    is_value: bool,
    is_args: bool,
    key: String,
    string: String,
    name: Option<String>,
    waiting: String,
}

impl ObjectReader {
    fn push(&mut self, letter: char, args: &mut String) -> Option<ObjectEnd> {
        if self.name.is_none() {
            self.raw.push(letter);
        }
        if self.is_args {
            args.push(letter);
        }
        if self.is_string {
            self.push_string(letter);
            return None;
        }
        match (self.depth, letter) {
            (0, '{') => self.depth = 1,
            (0, _) => return Some(ObjectEnd::Broken),
            (1, '}') => {
                if self.is_args {
                    args.pop();
                }
                return Some(ObjectEnd::Whole);
            }
            (1, ':') => self.is_value = true,
            (1, ',') => {
                if self.is_args {
                    args.pop();
                }
                (self.is_value, self.is_args) = (false, false);
            }
            (1, ' ' | '\n' | '\t' | '\r') => {}
            (_, letter) => {
                if self.depth == 1 && self.is_value && !self.is_args && self.is_args_key() {
                    self.is_args = true;
                    args.push(letter);
                }
                self.push_value(letter);
            }
        }
        None
    }

    fn is_args_key(&self) -> bool {
        matches!(self.key.as_str(), "arguments" | "parameters")
    }

    fn push_value(&mut self, letter: char) {
        match letter {
            '"' => {
                self.is_string = true;
                self.string.clear();
            }
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 1 {
                    self.is_args = false;
                }
            }
            _ => {}
        }
    }

    fn push_string(&mut self, letter: char) {
        match (self.is_escaped, letter) {
            (false, '"') => {
                self.is_string = false;
                self.end_string();
                return;
            }
            (false, '\\') => self.is_escaped = true,
            _ => self.is_escaped = false,
        }
        if self.depth == 1 {
            self.string.push(letter);
        }
    }

    fn end_string(&mut self) {
        if self.depth != 1 {
            return;
        }
        let string = serde_json::from_str(&format!("\"{}\"", self.string)).unwrap_or_default();
        if !self.is_value {
            self.key = string;
        } else if self.key == "name" && self.name.is_none() {
            self.name = Some(string);
        }
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
