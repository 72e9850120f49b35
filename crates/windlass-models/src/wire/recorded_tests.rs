//! Recorded exchanges and requests as tests of wires want them.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{
    Finish, ModelDelta, ModelFailure, ModelStep, Sampling, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::ToolSpec;

use super::{Decode, Encode, RequestPlan, TurnBefore, TurnPosition};
use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::lower::{LoweredTool, LoweredTools};
use crate::quirks::Quirks;
use crate::target::{Abilities, AuthForm, ModelTarget, WireKind};

/// A target on a wire, with the quirks of a well-behaved endpoint.
pub(super) fn target(wire: WireKind, quirks: Quirks) -> ModelTarget {
    ModelTarget {
        name: "lab/model".to_owned(),
        provider: "lab".to_owned(),
        model: "model".to_owned(),
        wire,
        base_url: "http://127.0.0.1:1".to_owned(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks,
        abilities: Abilities::default(),
    }
}

/// The text of a recorded exchange.
pub(super) fn recorded(name: &str) -> String {
    let path = format!("{}/../../fixtures/wires/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a decoder made of a recorded exchange.
pub(super) struct Played {
    pub(super) deltas: Vec<ModelDelta>,
    pub(super) failure: Option<ModelFailure>,
    pub(super) is_over: bool,
}

/// Plays a recorded exchange frame by frame, or whole if it is a `.json`, and closes the connection.
pub(super) fn play(mut decoder: Box<dyn Decode>, name: &str) -> Played {
    let text = recorded(name);
    let mut deltas = Vec::new();
    let result = if name.ends_with(".json") {
        decoder.whole(&text, &mut deltas)
    } else {
        frames(name, &text)
            .try_for_each(|(event, data)| decoder.frame(event, data, &mut deltas))
            .and_then(|()| decoder.end(&mut deltas))
    };
    Played { deltas, failure: result.err(), is_over: decoder.is_over() }
}

fn frames<'a>(name: &str, text: &'a str) -> Box<dyn Iterator<Item = (Option<&'a str>, &'a str)> + 'a> {
    if name.ends_with(".ndjson") {
        return Box::new(text.lines().filter(|line| !line.is_empty()).map(|line| (None, line)));
    }
    Box::new(text.split("\n\n").filter(|event| !event.trim().is_empty()).map(|event| {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
        (field("event: "), field("data: ").expect("every recorded event has its data on one line"))
    }))
}

impl Played {
    /// The step that the assembler makes of it.
    pub(super) fn step(&self) -> ModelStep {
        assert_eq!(self.failure, None);
        let mut assembler = Assembler::new("lab/model");
        for delta in &self.deltas {
            assembler.push(delta.clone());
        }
        assembler.finish()
    }

    pub(super) fn finish(&self) -> Option<&Finish> {
        self.deltas.iter().find_map(|delta| match delta {
            ModelDelta::Finish(finish) => Some(finish),
            _ => None,
        })
    }

    pub(super) fn text(&self) -> String {
        let texts = self.deltas.iter().filter_map(|delta| match delta {
            ModelDelta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// All recorded streams of a wire, by name.
pub(super) fn streams(wire: &str) -> Vec<String> {
    let folder = format!("{}/../../fixtures/wires/{wire}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the recorded exchanges are there");
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter(|name| !name.ends_with(".json")).map(|name| format!("{wire}/{name}")).collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Every recorded stream, cut after each of its frames and in the middle of it: an answer is only finished
/// by its own last words.
pub(super) fn assert_cuts_never_finish(wire: &str, decoder: impl Fn() -> Box<dyn Decode>) {
    for name in streams(wire) {
        let text = recorded(&name);
        let all: Vec<_> = frames(&name, &text).collect();
        for kept in 0..all.len().saturating_sub(1) {
            let mut decoder = decoder();
            let mut deltas = Vec::new();
            let mut result =
                all.iter().take(kept).try_for_each(|(event, line)| decoder.frame(*event, line, &mut deltas));
            if result.is_ok() {
                let (event, line) = all[kept];
                let half = line.floor_char_boundary(line.len() / 2);
                result = decoder.frame(event, &line[..half], &mut deltas);
                assert!(result.is_err(), "{name}: half a frame was taken");
            }
            let is_finished = deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_)));
            assert!(!is_finished && !decoder.is_over(), "{name}: finished after {kept} frames");
        }
    }
}

/// Frames of recorded streams with some bytes changed, in any order: whatever comes, nothing breaks and at
/// most one finish is given.
pub(super) fn assert_damage_is_survived(
    wire: &str,
    decoder: impl Fn() -> Box<dyn Decode>,
    picks: &[(u16, u16, char)],
) {
    let texts: Vec<_> = streams(wire).iter().map(|name| (name.clone(), recorded(name))).collect();
    let all: Vec<_> = texts.iter().flat_map(|(name, text)| frames(name, text)).collect();
    let mut decoder = decoder();
    let mut deltas = Vec::new();
    for (frame, place, mark) in picks {
        let (event, line) = all[usize::from(*frame) % all.len()];
        let cut = line.floor_char_boundary(usize::from(*place) % (line.len() * 2));
        let next = line.ceil_char_boundary(cut + 1);
        let damaged = format!("{}{mark}{}", &line[..cut], &line[next..]);
        let _ = decoder.frame(event, if cut == line.len() { line } else { &damaged }, &mut deltas);
    }
    let _ = decoder.end(&mut deltas);
    let finishes = deltas.iter().filter(|delta| matches!(delta, ModelDelta::Finish(_))).count();
    assert!(finishes <= 1);
}

/// `name(arguments)` of every call of a step.
pub(super) fn calls(step: &ModelStep) -> Vec<String> {
    step.calls.iter().map(|call| format!("{}({})", call.name, call.args.to_text())).collect()
}

/// A step as it stands in the history, each call answered by `ok`.
pub(super) fn exchange(step: &ModelStep) -> CallExchange<'_> {
    let mut exchange = CallExchange::default();
    let mut calls = step.calls.iter().peekable();
    for place in 0..=step.parts.len() {
        while let Some(call) = calls.next_if(|call| call.after_parts <= place) {
            let id = Cow::Borrowed(call.provider_id.as_deref().unwrap_or("call_1"));
            let name = Cow::Borrowed(call.name.as_str());
            exchange.outcomes.push(OutcomeItem {
                id: id.clone(),
                name: name.clone(),
                content: "ok".into(),
                is_ok: true,
            });
            let args = Cow::Owned(call.args.to_text());
            exchange.items.push(TurnItem::Call(CallItem { id, name, args, state: None }));
        }
        match step.parts.get(place) {
            Some(Part::Text { text }) => exchange.items.push(TurnItem::Text(text.into())),
            Some(Part::Reasoning(reasoning)) => exchange
                .items
                .push(TurnItem::Reasoning { text: &reasoning.text, state: reasoning.opaque.as_ref() }),
            Some(Part::Call(_) | Part::Image { .. }) | None => {}
        }
    }
    exchange
}

/// A request in the making.
pub(super) struct Request {
    pub(super) target: ModelTarget,
    pub(super) system: &'static str,
    pub(super) tools: LoweredTools,
    pub(super) choice: ToolChoice,
    pub(super) sampling: Sampling,
    pub(super) trailer: Vec<String>,
    pub(super) purpose: StepPurpose,
}

impl Request {
    pub(super) fn to(target: ModelTarget) -> Self {
        Self {
            target,
            system: "Be brief.",
            tools: LoweredTools::default(),
            choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            trailer: Vec::new(),
            purpose: StepPurpose::Work,
        }
    }

    pub(super) fn with_tools(mut self, names: &[&str]) -> Self {
        let lowered = |name: &&str| {
            let spec = ToolSpec::new(*name, format!("Does {name}."));
            let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
            LoweredTool { spec: Arc::new(spec), name: format!("w_{name}"), schema, is_strict: false }
        };
        self.tools.tools = names.iter().map(lowered).collect();
        self
    }

    pub(super) fn text(&self, wire: &dyn Encode, turns: &[Turn<'_>]) -> String {
        let plan = RequestPlan {
            target: &self.target,
            system: self.system,
            tools: &self.tools,
            choice: &self.choice,
            sampling: &self.sampling,
            purpose: self.purpose,
            trailer: &self.trailer,
        };
        let mut out = Vec::new();
        wire.head(&plan, &mut out);
        let mut before = TurnBefore::Nothing;
        for (index, turn) in turns.iter().enumerate() {
            let place = TurnPosition { before, is_last: index + 1 == turns.len() };
            wire.turn(&plan, turn, place, &mut out);
            before = turn.leaves();
        }
        wire.tail(&plan, before, &mut out);
        String::from_utf8(out).expect("requests are text")
    }

    pub(super) fn body(&self, wire: &dyn Encode, turns: &[Turn<'_>]) -> Value {
        let text = self.text(wire, turns);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// A user turn of one text.
pub(super) fn user(text: &str) -> Turn<'static> {
    Turn::User(vec![Cow::Owned(Part::text(text))])
}
