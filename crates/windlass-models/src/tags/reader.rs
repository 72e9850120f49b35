//! Finds calls in streamed text.
//!
//! ```text
//!             tag, fence                    `{` or `[`              value ends
//!   Text ───────────────────────▶ Lead ───────────────▶ Value ───────────────────▶ Behind ──▶ Text
//!                                   │ anything else       │ a tag outside a string     │ `{`
//!                                   └──────▶ Plain ◀──────┘                            └──▶ Value
//! ```
//!
//! Where `<function=` stands instead of a brace, an `Element` stands for the value.
//!
//! Text goes through as it comes and is held back only where a tag may begin. A call is given as soon as its
//! JSON is complete. What was meant as a call and cannot be read is given as a call that will fail, never
//! as half of one; a tag that is only spoken of (in ticks, in a block of code) stays text, and so does every tag that
//! is not the run's own.

use std::sync::Arc;

use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta};
use windlass_core::protocol::tool::ToolSpec;

use super::call::{broken_call, read_calls};
use super::element::{Element, FUNCTION};
use super::extent::{Extent, ValueEnd};
use super::opener::{FENCE_BYTES_MAX, OpenerSight, RunTag, TextSpot, begins, look};
use crate::think::held_bytes;

/// Places of calls are counted from here, apart from those of calls that the wire knows by itself.
const INDEX_FIRST: u32 = 1_000;
#[derive(Debug, Clone)]
enum TagState {
    Text,
    /// Behind the opening; what is said is kept for the case that it opened nothing.
    Lead(String),
    Value(Extent),
    /// A call written as an element; what opened it is kept for the case that it opened nothing.
    Element(String, Element),
    /// A block that is no JSON, up to its closing tag. `Some` is the opening of one that was never begun as
    /// JSON and may be text.
    Plain {
        said: Option<String>,
        scanned: usize,
    },
    Behind,
}

/// What a state made of the text that is there.
enum StateProgress {
    /// Look again, in the state that it left.
    Again,
    Wait,
}

#[derive(Debug)]
pub struct TagReader {
    state: TagState,
    /// Text that is not dealt with yet, from `start` on.
    buffer: String,
    start: usize,
    /// Blanks that are dropped if a call follows.
    blanks: String,
    /// Whether no text came since the beginning or the last call.
    is_fresh: bool,
    is_line_start: bool,
    is_in_code: bool,
    /// Whether a fence that was opened for a call is still open.
    is_in_fence: bool,
    calls: u32,
    has_calls: bool,
    tag: RunTag,
    tools: Arc<[Arc<ToolSpec>]>,
}

impl TagReader {
    /// A reader for one answer of a model whose tools are not known.
    pub fn new(tag: RunTag) -> Self {
        Self::knowing(tag, Arc::new([]))
    }

    /// A reader for one answer of a model with these tools.
    pub fn knowing(tag: RunTag, tools: Arc<[Arc<ToolSpec>]>) -> Self {
        Self {
            state: TagState::Text,
            buffer: String::new(),
            start: 0,
            blanks: String::new(),
            is_fresh: true,
            is_line_start: true,
            is_in_code: false,
            is_in_fence: false,
            calls: 0,
            has_calls: false,
            tag,
            tools,
        }
    }

    /// Takes in a delta and gives what it means.
    pub fn push(&mut self, delta: ModelDelta, out: &mut Vec<ModelDelta>) {
        match delta {
            ModelDelta::Text(text) => {
                self.buffer.push_str(&text);
                self.work(out);
            }
            ModelDelta::Finish(finish) => {
                self.end(out);
                out.push(ModelDelta::Finish(match finish {
                    Finish::Length => Finish::Length,
                    Finish::Stop | Finish::Calls | Finish::Paused | Finish::Filtered | Finish::Other(_)
                        if self.has_calls =>
                    {
                        Finish::Calls
                    }
                    other => other,
                }));
            }
            ModelDelta::Call(call) => {
                self.has_calls = true;
                out.push(ModelDelta::Call(call));
            }
            ModelDelta::Reasoning(_)
            | ModelDelta::ReasoningState(_)
            | ModelDelta::Usage(_)
            | ModelDelta::Progress(_)
            | ModelDelta::Notice(_) => out.push(delta),
        }
    }

    /// Gives what was held back: no more text comes.
    pub fn end(&mut self, out: &mut Vec<ModelDelta>) {
        loop {
            match std::mem::replace(&mut self.state, TagState::Text) {
                TagState::Text => {
                    let rest = self.take(usize::MAX);
                    let is_fence = self.is_in_fence && rest.len() >= 3 && rest.chars().all(|c| c == '`');
                    if !is_fence {
                        self.give_text(&rest, out);
                    }
                    break;
                }
                TagState::Element(said, element) if !element.has_begun() => {
                    self.give_text(&said, out);
                    let rest = self.take(usize::MAX);
                    self.give_text(&rest, out);
                    break;
                }
                TagState::Lead(said) | TagState::Plain { said: Some(said), .. } => {
                    self.give_text(&said, out);
                    let rest = self.take(usize::MAX);
                    self.give_text(&rest, out);
                    break;
                }
                TagState::Value(_) | TagState::Element(..) | TagState::Plain { said: None, .. } => {
                    self.give_broken(usize::MAX, out);
                }
                // Waiting there means that only the beginning of a tag has come; a closing one is not missed.
                TagState::Behind => {
                    let rest = self.take(usize::MAX);
                    if !self.tag.close.starts_with(&rest) && FUNCTION.starts_with(&rest) {
                        self.give_text(&rest, out);
                    }
                }
            }
            self.work(out);
        }
        let blanks = std::mem::take(&mut self.blanks);
        if !blanks.is_empty() && !self.has_calls {
            out.push(ModelDelta::Text(blanks));
        }
    }

    fn work(&mut self, out: &mut Vec<ModelDelta>) {
        loop {
            let progress = match std::mem::replace(&mut self.state, TagState::Text) {
                TagState::Text => self.take_text(out),
                TagState::Lead(said) => self.take_lead(said),
                TagState::Value(extent) => self.take_value(extent, out),
                TagState::Element(said, element) => self.take_element(said, element, out),
                TagState::Plain { said, scanned } => self.take_plain(said, scanned, out),
                TagState::Behind => self.take_behind(out),
            };
            match progress {
                StateProgress::Again => {}
                StateProgress::Wait => break,
            }
        }
        self.buffer.drain(..self.start);
        self.start = 0;
    }

    fn wait(&mut self, state: TagState) -> StateProgress {
        self.state = state;
        StateProgress::Wait
    }

    fn go_on(&mut self, state: TagState) -> StateProgress {
        self.state = state;
        StateProgress::Again
    }

    fn rest(&self) -> &str {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Takes so many bytes of what is there.
    fn take(&mut self, bytes: usize) -> String {
        let rest = self.rest();
        let end = rest.floor_char_boundary(bytes);
        let taken = rest.get(..end).unwrap_or_default().to_owned();
        self.start += taken.len();
        taken
    }

    fn take_text(&mut self, out: &mut Vec<ModelDelta>) -> StateProgress {
        let Some(at) = self.rest().find(['<', '`']) else {
            let text = self.take(usize::MAX);
            self.give_text(&text, out);
            return StateProgress::Wait;
        };
        let before = self.take(at);
        self.give_text(&before, out);
        let spot = TextSpot {
            is_line_start: self.is_line_start,
            is_in_code: self.is_in_code,
            is_in_fence: self.is_in_fence,
        };
        match look(self.rest(), spot, &self.tag) {
            OpenerSight::Perhaps => StateProgress::Wait,
            OpenerSight::Plain(bytes) => {
                let text = self.take(bytes);
                self.give_text(&text, out);
                StateProgress::Again
            }
            OpenerSight::Fence(bytes) => {
                let fence = self.take(bytes);
                if self.is_in_fence {
                    // Closes what was opened for a call.
                    self.is_in_fence = false;
                } else {
                    self.is_in_code = !self.is_in_code;
                    self.give_text(&fence, out);
                }
                StateProgress::Again
            }
            OpenerSight::Tag { bytes, is_fenced } => {
                let said = self.take(bytes);
                self.is_in_fence |= is_fenced;
                self.go_on(TagState::Lead(said))
            }
        }
    }

    /// Before the JSON of a block: blanks, perhaps a fence.
    fn take_lead(&mut self, mut said: String) -> StateProgress {
        said.push_str(&self.take_blanks());
        let body = self.rest();
        if body.starts_with(['{', '[']) {
            return self.go_on(TagState::Value(Extent::default()));
        }
        match begins(body, FUNCTION) {
            Some(true) => return self.go_on(TagState::Element(said, Element::default())),
            Some(false) => return self.wait(TagState::Lead(said)),
            None => {}
        }
        match begins(body, "```") {
            Some(true) => match body.find('\n') {
                Some(line) if line <= FENCE_BYTES_MAX => {
                    said.push_str(&self.take(line));
                    self.go_on(TagState::Lead(said))
                }
                // However the text comes, a line that is too long for a fence is none.
                Some(_) => self.go_on_plain(Some(said)),
                None if body.len() > FENCE_BYTES_MAX => self.go_on_plain(Some(said)),
                None => self.wait(TagState::Lead(said)),
            },
            Some(false) => self.wait(TagState::Lead(said)),
            None => self.go_on_plain(Some(said)),
        }
    }

    fn take_value(&mut self, mut extent: Extent, out: &mut Vec<ModelDelta>) -> StateProgress {
        let end = match extent.advance(self.rest()) {
            ValueEnd::Open => return self.wait(TagState::Value(extent)),
            ValueEnd::Ended(end) => end,
            ValueEnd::Broken(at) => {
                let rest = self.rest().get(at..).unwrap_or_default();
                return match (begins(rest, &self.tag.close), begins(rest, "```")) {
                    (Some(true), _) | (_, Some(true)) => {
                        self.give_broken(at, out);
                        StateProgress::Again
                    }
                    (Some(false), _) | (_, Some(false)) => self.wait(TagState::Value(extent)),
                    (None, None) => self.go_on_plain(None),
                };
            }
        };
        let Some(calls) = read_calls(self.rest().get(..end).unwrap_or_default()) else {
            self.give_broken(end, out);
            return StateProgress::Again;
        };
        self.take(end);
        calls.into_iter().for_each(|call| self.give_call(call, out));
        self.go_on(TagState::Behind)
    }

    fn take_element(
        &mut self,
        said: String,
        mut element: Element,
        out: &mut Vec<ModelDelta>,
    ) -> StateProgress {
        match element.advance(self.rest()) {
            ValueEnd::Open => self.wait(TagState::Element(said, element)),
            ValueEnd::Ended(end) => {
                self.take(end);
                let tools = Arc::clone(&self.tools);
                self.give_call(element.into_call(tools.iter().map(AsRef::as_ref)), out);
                self.go_on(TagState::Behind)
            }
            ValueEnd::Broken(_) => self.go_on_plain((!element.has_begun()).then_some(said)),
        }
    }

    fn go_on_plain(&mut self, said: Option<String>) -> StateProgress {
        self.go_on(TagState::Plain { said, scanned: 0 })
    }

    /// A block that is no JSON. If it never began as JSON and another one opens in it, its tag was text.
    fn take_plain(
        &mut self,
        said: Option<String>,
        scanned: usize,
        out: &mut Vec<ModelDelta>,
    ) -> StateProgress {
        let rest = self.rest();
        let scanned = rest.floor_char_boundary(scanned);
        let find = |word: &str| rest.get(scanned..).and_then(|fresh| fresh.find(word)).map(|at| scanned + at);
        match (find(&self.tag.close), find(&self.tag.open).zip(said.as_ref())) {
            (close, Some((open, said))) if close.is_none_or(|close| open < close) => {
                let text = [said.as_str(), &self.take(open)].concat();
                self.give_text(&text, out);
                StateProgress::Again
            }
            (Some(close), _) => {
                self.give_broken(close, out);
                StateProgress::Again
            }
            (None, _) => {
                let scanned = rest.len().saturating_sub(self.tag.close.len());
                self.wait(TagState::Plain { said, scanned })
            }
        }
    }

    /// Behind a value: its closing tag, a fence, another value, or text again where nothing was closed.
    fn take_behind(&mut self, out: &mut Vec<ModelDelta>) -> StateProgress {
        let blanks = self.take_blanks();
        self.give_text(&blanks, out);
        let body = self.rest();
        let ticks = body.len() - body.trim_start_matches('`').len();
        if ticks == body.len() && ticks <= FENCE_BYTES_MAX {
            return self.wait(TagState::Behind);
        }
        match begins(body, &self.tag.close) {
            Some(true) => {
                self.blanks.clear();
                self.take(self.tag.close.len());
                StateProgress::Again
            }
            Some(false) => self.wait(TagState::Behind),
            None if ticks >= 3 => {
                self.blanks.clear();
                self.is_in_fence = false;
                self.take(ticks.min(FENCE_BYTES_MAX + 1));
                self.go_on(TagState::Behind)
            }
            None if body.starts_with('{') => self.go_on(TagState::Value(Extent::default())),
            None => match begins(body, FUNCTION) {
                Some(true) => self.go_on(TagState::Element(String::new(), Element::default())),
                Some(false) => self.wait(TagState::Behind),
                None => StateProgress::Again,
            },
        }
    }

    fn take_blanks(&mut self) -> String {
        let rest = self.rest();
        self.take(rest.len() - rest.trim_start().len())
    }

    /// Gives a block that ends before `end` as a call that will fail. A string that was never closed may
    /// have swallowed what comes behind the block: then it ends at its closing tag.
    fn give_broken(&mut self, end: usize, out: &mut Vec<ModelDelta>) {
        let rest = self.rest();
        let block = rest.get(..end).unwrap_or(rest);
        let close = &self.tag.close;
        let end = block.find(close.as_str()).unwrap_or(block.len() - held_bytes(block, close));
        let text = self.take(end);
        self.give_call(broken_call(&text), out);
        self.state = TagState::Behind;
    }

    fn give_call(&mut self, call: CallDelta, out: &mut Vec<ModelDelta>) {
        let index = INDEX_FIRST.checked_add(self.calls);
        self.calls = self.calls.saturating_add(1);
        self.has_calls = true;
        self.is_fresh = true;
        self.is_line_start = true;
        self.blanks.clear();
        out.push(ModelDelta::Call(CallDelta { index, ..call }));
    }

    fn give_text(&mut self, text: &str, out: &mut Vec<ModelDelta>) {
        if text.is_empty() {
            return;
        }
        self.is_line_start = match text.rsplit_once('\n') {
            Some((_, line)) => line.trim().is_empty(),
            None => self.is_line_start && text.trim().is_empty(),
        };
        if self.is_fresh && text.trim().is_empty() {
            self.blanks.push_str(text);
            return;
        }
        self.is_fresh = false;
        self.is_in_fence = false;
        let mut given = std::mem::take(&mut self.blanks);
        given.push_str(text);
        match out.last_mut() {
            Some(ModelDelta::Text(last)) => last.push_str(&given),
            Some(_) | None => out.push(ModelDelta::Text(given)),
        }
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
