//! Makes histories as a session has them: users, thinking, calls with their outcomes, notes, pictures, several
//! models after one another. What is made here is legal; `histories_harm` breaks it.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::tool::{ToolCall, ToolSpec};
use windlass_models::ModelTarget;

use crate::histories_cast::{behind_text, call_state, provider_id, thinking};
use crate::histories_dice::Dice;

pub(crate) const PICTURE: &str = "data:image/png;base64,iVBORw0KGgo=";

const WORDS: [&str; 8] = [
    "Look at the file.",
    "größer als 3 € 👩‍👩‍👧",
    "line one\nline two\ttab",
    "\"quotes\" and \\backslashes\\",
    "{\"json\": [1, 2]}",
    "日本語のテキスト",
    "\u{1}\u{1f} control \u{7f}",
    "  spaces around  ",
];

/// The tools of every request: plain ones, and some that no provider takes as they are.
pub(crate) fn specs() -> Vec<Arc<ToolSpec>> {
    let schemas = [
        (
            "read_file",
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false}),
        ),
        ("list_files", json!({"type": "object", "properties": {}})),
        (
            "files.write",
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "properties": {
                "mode": {"enum": ["a", "w", null]},
                "count": {"type": ["integer", "null"], "enum": [1, 2, null]},
                "tree": {"$ref": "#/$defs/node", "description": "a tree"},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
                "any": {},
                "list": {"type": "array"},
                "when": {"type": "string", "format": "date"},
            },
            "required": ["mode", "gone"],
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
            "additionalProperties": {"type": "string"}}),
        ),
        (
            "search the web!",
            json!({"oneOf": [
            {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
            {"type": "object", "properties": {"url": {"type": "string", "format": "uri"}}, "required": ["url"]}]}),
        ),
        ("broken", json!("no schema at all")),
    ];
    schemas
        .map(|(name, schema)| Arc::new(ToolSpec::new(name, "Does something.").with_schema(schema)))
        .to_vec()
}

pub(crate) struct Maker<'c> {
    pub(crate) dice: Dice,
    cast: &'c [ModelTarget],
    calls: u64,
}

impl<'c> Maker<'c> {
    pub(crate) fn new(seed: u64, cast: &'c [ModelTarget]) -> Self {
        Self { dice: Dice::new(seed), cast, calls: 0 }
    }

    /// A legal history that begins and ends with the user, or ends with outcomes.
    pub(crate) fn history(&mut self) -> Vec<Message> {
        let mut history = Vec::new();
        for _ in 0..=self.dice.below(3) {
            history.push(self.user());
            let model = self.dice.pick(self.cast);
            for _ in 0..self.dice.below(4) {
                self.step(model, &mut history);
                if self.dice.often(15) {
                    history.push(Message::note(self.text()));
                }
            }
            if self.dice.often(80) {
                history.push(self.answer(model));
            }
        }
        history.push(self.user());
        if self.dice.often(40) {
            let model = self.dice.pick(self.cast);
            self.step(model, &mut history);
        }
        history
    }

    pub(crate) fn text(&mut self) -> String {
        let words = *self.dice.pick(&WORDS);
        format!("{words} {}", self.dice.below(1000))
    }

    fn user(&mut self) -> Message {
        let mut parts = vec![Part::text(self.text())];
        if self.dice.often(15) {
            parts.push(Part::Image { media_type: "image/png".into(), url: PICTURE.into() });
        }
        if self.dice.often(10) {
            parts.push(Part::text(self.text()));
        }
        Message::User { parts }
    }

    fn answer(&mut self, model: &ModelTarget) -> Message {
        let mut parts = Vec::new();
        if self.dice.often(60) {
            parts.extend(thinking(&mut self.dice, model));
        }
        let text = self.text();
        let behind = behind_text(&mut self.dice, model, &text);
        parts.push(Part::text(text));
        parts.extend(behind);
        Message::Assistant { parts }
    }

    /// An assistant message with calls, and their outcomes.
    fn step(&mut self, model: &ModelTarget, history: &mut Vec<Message>) {
        let mut parts = thinking(&mut self.dice, model);
        if self.dice.often(50) {
            let text = self.text();
            let behind = behind_text(&mut self.dice, model, &text);
            parts.push(Part::text(text));
            parts.extend(behind);
        }
        let calls: Vec<ToolCall> = (0..=self.dice.below(3)).map(|index| self.call(model, index)).collect();
        let outcomes: Vec<Message> = calls.iter().map(|call| self.outcome(call)).collect();
        parts.extend(calls.into_iter().map(Part::Call));
        history.push(Message::Assistant { parts });
        history.extend(outcomes);
    }

    pub(crate) fn call(&mut self, model: &ModelTarget, index: usize) -> ToolCall {
        self.calls += 1;
        let name =
            *self.dice.pick(&["read_file", "list_files", "files.write", "search the web!", "unknown_tool"]);
        ToolCall {
            id: CallId::numbered(self.calls),
            provider_id: provider_id(&mut self.dice, model),
            step: 1,
            index: u32::try_from(index).unwrap(),
            name: name.to_owned(),
            arguments: self.args().to_string(),
            state: call_state(&mut self.dice, model, index),
        }
    }

    fn args(&mut self) -> Value {
        match self.dice.below(4) {
            0 => json!({}),
            1 => json!({"path": self.text(), "deep": {"list": [1, 2.5, null, {"x": true}]}}),
            2 => json!({"text": "x".repeat(self.dice.below(300))}),
            _ => json!({"path": self.text()}),
        }
    }

    pub(crate) fn outcome(&mut self, call: &ToolCall) -> Message {
        let content = match self.dice.below(3) {
            0 => json!({"ok": true, "data": self.text()}).to_string(),
            1 => json!(self.text()).to_string(),
            _ => self.text(),
        };
        Message::Tool(ToolMessage {
            call_id: call.id.clone(),
            provider_id: call.provider_id.clone(),
            name: call.name.clone(),
            content,
            is_ok: self.dice.often(80),
            is_valid_call: true,
            label: None,
        })
    }
}

/// Messages as a session holds them.
pub(crate) fn shared(history: Vec<Message>) -> Vec<Arc<Message>> {
    history.into_iter().map(Arc::new).collect()
}
