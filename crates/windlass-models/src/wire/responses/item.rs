//! Items of an answer while they are being streamed: what was given of each, and what is still missing when
//! the provider says the whole of it.

use serde_json::{Map, Value, json};
use windlass_core::protocol::model::{CallDelta, ModelDelta};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Call,
    /// A call whose input is text and no object.
    CustomCall,
    Reasoning,
    /// Something that was never asked for; it is passed over.
    Other,
}

impl ItemKind {
    /// The kind that an item names.
    pub(super) fn of(item: &Value) -> Self {
        match text_at(item, "type").unwrap_or_default() {
            "message" => ItemKind::Message,
            "function_call" => ItemKind::Call,
            "custom_tool_call" => ItemKind::CustomCall,
            "reasoning" => ItemKind::Reasoning,
            _ => ItemKind::Other,
        }
    }

    pub(super) fn is_call(self) -> bool {
        match self {
            ItemKind::Call | ItemKind::CustomCall => true,
            ItemKind::Message | ItemKind::Reasoning | ItemKind::Other => false,
        }
    }
}

/// One item of an answer.
#[derive(Debug)]
pub(super) struct OpenItem {
    /// Its place in the answer: some servers give an item another id in every event, so this counts first.
    pub(super) output_index: Option<u64>,
    pub(super) item_id: Option<String>,
    pub(super) kind: ItemKind,
    /// Its slot as a call.
    pub(super) slot: u32,
    /// Bytes of text or thinking given so far.
    given_bytes: usize,
    /// The part of its thinking that came last.
    part_index: Option<u64>,
    args: String,
    /// Whether the call was named; until then its arguments wait.
    is_named: bool,
    /// Whether the provider said the whole of it.
    pub(super) is_done: bool,
}

impl OpenItem {
    pub(super) fn new(output_index: Option<u64>, item_id: Option<String>, kind: ItemKind, slot: u32) -> Self {
        Self {
            output_index,
            item_id,
            kind,
            slot,
            given_bytes: 0,
            part_index: None,
            args: String::new(),
            is_named: false,
            is_done: false,
        }
    }

    /// A piece of answer text.
    pub(super) fn grow_text(&mut self, delta: String, out: &mut Vec<ModelDelta>) {
        self.given_bytes = self.given_bytes.saturating_add(delta.len());
        out.push(ModelDelta::Text(delta));
    }

    /// A piece of thinking; parts are paragraphs.
    pub(super) fn grow_reasoning(
        &mut self,
        part_index: Option<u64>,
        delta: String,
        out: &mut Vec<ModelDelta>,
    ) {
        if self.given_bytes > 0 && part_index != self.part_index {
            out.push(ModelDelta::Reasoning("\n\n".to_owned()));
        }
        self.part_index = part_index;
        self.given_bytes = self.given_bytes.saturating_add(delta.len());
        out.push(ModelDelta::Reasoning(delta));
    }

    /// A piece of arguments.
    pub(super) fn grow_args(&mut self, delta: String, out: &mut Vec<ModelDelta>) {
        self.args.push_str(&delta);
        if self.is_named {
            out.push(self.call_delta(CallDelta { args_text: Some(delta), ..CallDelta::default() }));
        }
    }

    /// Names the call, once. Its state goes along: a call may run before its item is done. One that never
    /// gets a name is given without, so that it fails aloud.
    pub(super) fn name_call(&mut self, item: &Value, keeps_id: bool, out: &mut Vec<ModelDelta>) {
        if self.is_named {
            return;
        }
        self.is_named = true;
        let waiting = (!self.args.is_empty()).then(|| self.args.clone());
        out.push(self.call_delta(CallDelta {
            id: text_at(item, "call_id").map(str::to_owned),
            name: text_at(item, "name").map(str::to_owned),
            args_text: waiting,
            state: call_state(item, self.kind, keeps_id).map(Box::new),
            ..CallDelta::default()
        }));
    }

    /// The whole arguments: gives what is missing of them. `Err` is a contradiction.
    pub(super) fn settle_args(&mut self, whole: &str, out: &mut Vec<ModelDelta>) -> Result<(), ()> {
        if whole.is_empty() || whole == self.args {
            return Ok(());
        }
        match whole.strip_prefix(self.args.as_str()) {
            Some(missing) => {
                self.grow_args(missing.to_owned(), out);
                Ok(())
            }
            // Other blanks in the second telling are no contradiction.
            None if is_same_json(whole, &self.args) => Ok(()),
            None => Err(()),
        }
    }

    /// The whole input of a custom call.
    pub(super) fn settle_input(&mut self, item: &Value, out: &mut Vec<ModelDelta>) {
        let input = item.get("input").cloned().unwrap_or_default();
        let args_value = Some(Box::new(json!({ "input": input })));
        out.push(self.call_delta(CallDelta { args_value, ..CallDelta::default() }));
    }

    /// The whole message: gives what is missing of its text, and its state if it has any text.
    pub(super) fn settle_message(&mut self, item: &Value, keeps_id: bool, out: &mut Vec<ModelDelta>) {
        let whole = joined(item, "content", &["text", "refusal"], "");
        if let Some(missing) = whole.get(self.given_bytes..).filter(|missing| !missing.is_empty()) {
            self.grow_text(missing.to_owned(), out);
        }
        let id = text_at(item, "id").filter(|_| keeps_id);
        let phase = text_at(item, "phase");
        // The encoder finds a message's state behind its text: without text there is no place for it.
        if self.given_bytes == 0 || (id.is_none() && phase.is_none()) {
            return;
        }
        let mut state = Map::from_iter([("type".to_owned(), Value::from("message"))]);
        for (name, value) in [("id", id), ("phase", phase)] {
            if let Some(value) = value {
                state.insert(name.to_owned(), Value::from(value));
            }
        }
        out.push(ModelDelta::ReasoningState(Value::Object(state)));
    }

    /// The whole thinking: gives its text if none came, and its state if it can be sent again. Says whether
    /// it can.
    pub(super) fn settle_reasoning(&mut self, item: &Value, out: &mut Vec<ModelDelta>) -> bool {
        if self.given_bytes == 0 {
            let mut whole = joined(item, "summary", &["text"], "\n\n");
            if whole.is_empty() {
                whole = joined(item, "content", &["text"], "\n\n");
            }
            if !whole.is_empty() {
                self.grow_reasoning(None, whole, out);
            }
        }
        let is_kept = is_keepable(item);
        if is_kept {
            let mut state = item.clone();
            if let Some(fields) = state.as_object_mut() {
                fields.entry("summary").or_insert_with(|| json!([]));
            }
            out.push(ModelDelta::ReasoningState(state));
        }
        is_kept
    }

    fn call_delta(&self, delta: CallDelta) -> ModelDelta {
        ModelDelta::Call(CallDelta { index: Some(self.slot), ..delta })
    }
}

/// A member that is a text and not empty.
pub(super) fn text_at<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Thinking can be sent again if it carries itself: the provider stored nothing that its id could name.
fn is_keepable(item: &Value) -> bool {
    // Thinking is taken back complete or not at all.
    let is_cut = text_at(item, "status") == Some("incomplete");
    let is_encrypted = text_at(item, "encrypted_content").is_some();
    let is_open = !joined(item, "content", &["text"], "").is_empty();
    !is_cut && (is_encrypted || is_open)
}

fn call_state(item: &Value, kind: ItemKind, keeps_id: bool) -> Option<Value> {
    let word = match kind {
        ItemKind::CustomCall => "custom_tool_call",
        ItemKind::Call | ItemKind::Message | ItemKind::Reasoning | ItemKind::Other => "function_call",
    };
    let mut state = Map::from_iter([("type".to_owned(), Value::from(word))]);
    let kept = [("id", text_at(item, "id").filter(|_| keeps_id)), ("namespace", text_at(item, "namespace"))];
    for (name, value) in kept {
        if let Some(value) = value {
            state.insert(name.to_owned(), Value::from(value));
        }
    }
    let says_something = state.len() > 1 || kind == ItemKind::CustomCall;
    says_something.then_some(Value::Object(state))
}

/// The texts of a list of parts.
fn joined(item: &Value, list: &str, names: &[&str], between: &str) -> String {
    let parts = item.get(list).and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    let texts: Vec<&str> =
        parts.iter().filter_map(|part| names.iter().find_map(|name| text_at(part, name))).collect();
    texts.join(between)
}

fn is_same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|one| read(other) == Some(one))
}
