//! The assembler: makes one model step of streamed deltas, whatever order and shape they come in.
//!
//! Providers differ in how they say which call a fragment belongs to (a non-empty id, else a slot
//! number, else the latest open call), repeat names, reuse numbers, send ids late, send arguments as
//! text, as an object or as several objects. All of that ends here. What comes after the end of an answer does not
//! count, and a call that is said again under its own id is one call. Knows nothing of wires.

use serde_json::Value;

use crate::calls::json::growing::GrowingObject;
use crate::calls::json::parse::parse_value;
use crate::calls::json::skim::is_value;
use crate::calls::json::{NOT_UTF8, readable};
use crate::protocol::message::{Part, Reasoning};
use crate::protocol::model::{CallDelta, Finish, ModelDelta, ModelStep, Usage};
use crate::protocol::tool::{ProviderState, RawArgs, RawCall};
use crate::text::json_bytes;

/// Calls of one step that are put together: far more than any run takes in, few enough that a flood of them
/// cannot make every fragment search a long list.
const CALLS_OPEN_MAX: usize = 1_024;

/// What a delta meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Assembled {
    Text(String),
    Reasoning(String),
    CallGrew {
        /// Its place among the calls of the step.
        index: u32,
        /// Its name, once known.
        name: Option<String>,
        /// Characters of arguments so far.
        chars: u64,
    },
}

/// A step in the making.
#[derive(Debug, Default)]
pub struct Assembler {
    parts: Vec<Part>,
    calls: Vec<OpenCall>,
    /// Calls that were already handed out as ready.
    ready: usize,
    usage: Option<Usage>,
    finish: Option<Finish>,
    model: Option<String>,
}

#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    text: String,
    /// How far `text` is.
    object: GrowingObject,
    value: Option<Value>,
    /// Characters of `value` as compact JSON.
    value_chars: u64,
    state: Option<Value>,
    after_parts: usize,
    /// An earlier call has the same id: it says that one again, or is another one under a used id. Which of the two
    /// is known at the end.
    is_doubled: bool,
    /// It comes from a field that may only repeat what another one says.
    is_echo: bool,
}

impl OpenCall {
    /// Whether the arguments are one whole JSON object, so that more can only belong to another call.
    fn is_whole(&self) -> bool {
        match &self.value {
            Some(value) => value.is_object(),
            None => self.object.is_closed(),
        }
    }

    fn chars(&self) -> u64 {
        match &self.value {
            Some(_) => self.value_chars,
            None => self.text.len() as u64,
        }
    }

    fn push_text(&mut self, piece: &str) {
        let was_closed = self.object.is_closed();
        self.text.push_str(piece);
        self.object.push(piece);
        // Brackets that match are not yet JSON. An object closes once, so it is read once.
        if !was_closed && self.object.is_closed() && !is_value(&self.text) {
            self.object.give_up();
        }
    }

    /// Objects in several pieces merge; anything else replaces.
    fn push_value(&mut self, more: Value) {
        match (self.value.as_mut(), more) {
            (Some(Value::Object(fields)), Value::Object(more)) => {
                for (name, value) in more {
                    // Counted along: writing the whole object out for every piece would be quadratic.
                    let comma = u64::from(!fields.is_empty());
                    let added = json_bytes(&value);
                    let name_chars =
                        json_bytes(&Value::from(name.as_str())).saturating_add(comma).saturating_add(1);
                    let freed = match fields.insert(name, value) {
                        Some(earlier) => json_bytes(&earlier).saturating_add(name_chars),
                        None => 0,
                    };
                    let grown = self.value_chars.saturating_add(name_chars).saturating_add(added);
                    self.value_chars = grown.saturating_sub(freed);
                }
            }
            (_, more) => {
                self.value_chars = json_bytes(&more);
                self.value = Some(more);
            }
        }
    }

    fn to_raw(&self, model: Option<&String>) -> RawCall {
        let state = self
            .state
            .clone()
            .zip(model)
            .map(|(value, model)| Box::new(ProviderState { model: model.clone(), value }));
        let args = match &self.value {
            // Only text can be refused for what stands in it.
            Some(value) if has_not_utf8(value) => RawArgs::Text(value.to_string()),
            Some(value) => RawArgs::Value(value.clone()),
            None => RawArgs::Text(self.text.clone()),
        };
        RawCall {
            provider_id: self.id.clone(),
            name: self.name.clone(),
            args,
            state,
            after_parts: self.after_parts,
        }
    }
}

impl Assembler {
    /// An empty step of the named model; its reasoning state is only good for that model.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..Self::default() }
    }

    /// Takes in a delta; says what it meant for a reader. After the end only counts are news.
    pub fn push(&mut self, delta: ModelDelta) -> Option<Assembled> {
        if self.is_finished() && !matches!(delta, ModelDelta::Usage(_)) {
            return None;
        }
        match delta {
            ModelDelta::Text(text) => self.push_text(text),
            ModelDelta::Reasoning(text) => self.push_reasoning(text),
            ModelDelta::ReasoningState(state) => {
                self.close_reasoning(state);
                None
            }
            ModelDelta::Call(delta) => self.push_call(delta),
            ModelDelta::Usage(usage) => {
                self.usage = Some(usage);
                None
            }
            ModelDelta::Finish(finish) => {
                self.finish = Some(finish);
                None
            }
            ModelDelta::Progress(_) | ModelDelta::Notice(_) => None,
        }
    }

    fn push_text(&mut self, text: String) -> Option<Assembled> {
        if text.is_empty() {
            return None;
        }
        match self.open_part() {
            Some(Part::Text { text: last }) => last.push_str(&text),
            Some(Part::Reasoning(_) | Part::Call(_) | Part::Image { .. }) | None => {
                self.parts.push(Part::text(text.clone()));
            }
        }
        Some(Assembled::Text(readable(text)))
    }

    fn push_reasoning(&mut self, text: String) -> Option<Assembled> {
        if text.is_empty() {
            return None;
        }
        match self.open_part() {
            Some(Part::Reasoning(Reasoning { text: last, opaque: None, .. })) => last.push_str(&text),
            Some(Part::Text { .. } | Part::Reasoning(_) | Part::Call(_) | Part::Image { .. }) | None => {
                let model = self.model.clone();
                self.parts.push(Part::Reasoning(Reasoning { text: text.clone(), opaque: None, model }));
            }
        }
        Some(Assembled::Reasoning(readable(text)))
    }

    /// The part that may still grow: what comes after a call is a part of its own, so that the order of the
    /// whole step stays known.
    fn open_part(&mut self) -> Option<&mut Part> {
        let is_behind_call = self.calls.last().is_some_and(|call| call.after_parts == self.parts.len());
        if is_behind_call { None } else { self.parts.last_mut() }
    }

    /// State closes the block it belongs to; state without a block is a block without text.
    fn close_reasoning(&mut self, state: Value) {
        if let Some(Part::Reasoning(Reasoning { opaque: opaque @ None, .. })) = self.open_part() {
            *opaque = Some(state);
            return;
        }
        let model = self.model.clone();
        self.parts.push(Part::Reasoning(Reasoning { text: String::new(), opaque: Some(state), model }));
    }

    fn push_call(&mut self, delta: CallDelta) -> Option<Assembled> {
        let place = self.place_of(&delta);
        let id = delta.id.as_deref().filter(|id| !id.is_empty());
        let is_used = id.is_some_and(|id| self.calls.iter().any(|call| call.id.as_deref() == Some(id)));
        let call = match place {
            Some(place) => self.calls.get_mut(place)?,
            None if self.calls.len() >= CALLS_OPEN_MAX => return None,
            None => {
                let after_parts = self.parts.len();
                let (index, is_echo) = (delta.index, delta.is_echo);
                // Until the end shows that it says something new.
                let is_doubled = is_echo;
                self.calls.push(OpenCall { index, after_parts, is_doubled, is_echo, ..OpenCall::default() });
                self.calls.last_mut()?
            }
        };
        let id = delta.id.filter(|id| !id.is_empty());
        if let Some(id) = id.filter(|id| call.id.as_ref() != Some(id)) {
            call.id = Some(id);
            call.is_doubled = is_used;
        }
        if let Some(name) = delta.name.filter(|name| !name.is_empty()) {
            // Replaced and never put together: names come whole, from some providers with every fragment.
            call.name = name;
        }
        if let Some(text) = delta.args_text {
            call.push_text(&text);
        }
        if let Some(value) = delta.args_value {
            call.push_value(*value);
        }
        if let Some(state) = delta.state {
            call.state = Some(*state);
        }
        // Nobody is told of it yet: it may be a call that was told already.
        if call.is_doubled {
            return None;
        }
        let (name, chars) = ((!call.name.is_empty()).then(|| call.name.clone()), call.chars());
        let place = place.unwrap_or(self.calls.len().saturating_sub(1));
        // Doubled calls come last in the step (see `finish`) and take no number here.
        let index = self.calls.iter().take(place).filter(|call| !call.is_doubled).count();
        Some(Assembled::CallGrew { index: u32::try_from(index).unwrap_or(u32::MAX), name, chars })
    }

    /// Which call a fragment belongs to; `None` is a new one.
    fn place_of(&self, delta: &CallDelta) -> Option<usize> {
        if delta.is_echo {
            return None;
        }
        let id = delta.id.as_deref().filter(|id| !id.is_empty());
        if let Some(id) = id {
            if let Some(place) = self.calls.iter().rposition(|call| call.id.as_deref() == Some(id)) {
                // A number that moved on under the same id is a duplicated id; so is more after the end
                // of the arguments.
                let call = self.calls.get(place)?;
                let moved = delta.index.is_some() && call.index != delta.index;
                let has_more = delta.args_text.as_deref().is_some_and(|text| !text.trim().is_empty());
                let is_another = moved || (has_more && call.is_whole());
                return (!is_another).then_some(place);
            }
            // An id that comes late belongs to the open call of that number, if that one has none yet.
            let place = self.find_open(delta)?;
            let call = self.calls.get(place)?;
            let is_same = call.id.is_none() && !self.starts_anew(call, delta);
            return is_same.then_some(place);
        }
        let place = self.find_open(delta)?;
        let call = self.calls.get(place)?;
        (!self.starts_anew(call, delta)).then_some(place)
    }

    fn find_open(&self, delta: &CallDelta) -> Option<usize> {
        match delta.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None => self.calls.len().checked_sub(1),
        }
    }

    /// Another name, or a whole call followed by more, is the next call at a reused number.
    fn starts_anew(&self, call: &OpenCall, delta: &CallDelta) -> bool {
        let has_more = delta.args_text.as_deref().is_some_and(|text| !text.trim().is_empty());
        let has_name = delta.name.as_deref().is_some_and(|name| !name.is_empty());
        if has_name && !call.name.is_empty() && delta.name.as_deref() != Some(call.name.as_str()) {
            return true;
        }
        match (&call.value, &delta.args_value) {
            // Without a number every named object is a call of its own: some providers never stream
            // pieces, and may send the same tool twice.
            (Some(_), Some(_)) => has_name && delta.index.is_none(),
            (None, _) => (has_more || has_name) && call.is_whole(),
            (Some(_), None) => has_more,
        }
    }

    /// Calls that are complete for certain although the model still speaks: named, with a whole object
    /// as arguments, and nothing open before them. Fragments may be interleaved, so a later call
    /// says nothing about an earlier one. Each is given once.
    pub fn take_ready(&mut self) -> Vec<RawCall> {
        let mut ready = Vec::new();
        while let Some(call) = self.calls.get(self.ready) {
            // What came under a used id waits for the end.
            if !call.is_doubled {
                if call.name.is_empty() || !call.is_whole() {
                    break;
                }
                ready.push(call.to_raw(self.model.as_ref()));
            }
            self.ready = self.ready.saturating_add(1);
        }
        ready
    }

    /// The answer text so far: what is kept when the run is cancelled.
    pub fn partial_text(&self) -> String {
        readable(crate::protocol::message::text_of(&self.parts))
    }

    /// What was said and thought so far: what is left of a step that failed.
    pub fn into_parts(self) -> Vec<Part> {
        readable_parts(self.parts)
    }

    /// Whether the provider said that it was done.
    pub fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The step. A fragment that never got a name is still a call: it fails, loudly, as an unknown tool. A call that
    /// came under a used id, or from a field that repeats others, is left out if it says the same again; if not, it is one
    /// more call, behind the others. Where such a field says other arguments of a call, nobody knows which are meant.
    pub fn finish(self) -> ModelStep {
        let (doubled, single): (Vec<&OpenCall>, Vec<&OpenCall>) =
            self.calls.iter().partition(|call| call.is_doubled);
        let mut calls: Vec<RawCall> = Vec::new();
        for call in single.into_iter().chain(doubled) {
            let mut raw = call.to_raw(self.model.as_ref());
            if call.is_doubled && calls.iter().any(|earlier| says_again(&raw, earlier, call.is_echo)) {
                continue;
            }
            let namesake = calls.iter().find(|earlier| call.is_echo && earlier.name == raw.name);
            if let Some(namesake) = namesake {
                // Two objects are no arguments: the call is refused, and the model sees why.
                raw.args = RawArgs::Text(format!("{}\n{}", namesake.args.to_text(), raw.args.to_text()));
            }
            calls.push(raw);
        }
        let finish = self.finish.unwrap_or_else(|| Finish::Other("none".to_owned()));
        ModelStep { parts: self.parts, calls, usage: self.usage, finish }
    }
}

/// Whether a call is an earlier one, said again: under its id, or in a field that has none.
fn says_again(call: &RawCall, earlier: &RawCall, is_echo: bool) -> bool {
    let read = |args: &RawArgs| match args {
        RawArgs::Value(value) => Some(value.clone()),
        RawArgs::Text(text) => parse_value(text).ok(),
    };
    (is_echo || call.provider_id == earlier.provider_id)
        && (call.name == earlier.name || call.name.is_empty())
        && (call.args == earlier.args || read(&call.args).is_some_and(|own| read(&earlier.args) == Some(own)))
}

/// Text and thinking as a person may read them.
pub fn readable_parts(parts: Vec<Part>) -> Vec<Part> {
    let made_readable = |part: Part| match part {
        Part::Text { text } => Part::text(readable(text)),
        Part::Reasoning(thought) => Part::Reasoning(Reasoning { text: readable(thought.text), ..thought }),
        other @ (Part::Call(_) | Part::Image { .. }) => other,
    };
    parts.into_iter().map(made_readable).collect()
}

fn has_not_utf8(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(NOT_UTF8),
        Value::Array(items) => items.iter().any(has_not_utf8),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains(NOT_UTF8) || has_not_utf8(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
