//! Recorded exchanges for the tests of wires: reads them, plays them to a decoder and puts the steps that
//! come of it back into a history.

use std::borrow::Cow;
use std::fs;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{
    ModelDelta, ModelFailure, ModelStep, Sampling, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::{RawCall, ToolSpec};

use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::lower::{LoweredTool, LoweredTools};
use crate::quirks::{IdRule, ReasoningAsk, ReasoningEcho};
use crate::wire::{Decode, Encode, RequestPlan, TurnBefore, TurnPosition};
use crate::{Abilities, AuthForm, ModelTarget, Quirks, WireKind};

pub(crate) fn target(wire: WireKind, provider: &str, model: &str) -> ModelTarget {
    ModelTarget {
        name: format!("{provider}/{model}"),
        provider: provider.to_owned(),
        model: model.to_owned(),
        wire,
        base_url: "http://localhost".to_owned(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks: Quirks {
            echo: ReasoningEcho::State,
            ask: ReasoningAsk::Object,
            ids: IdRule::Word,
            ..Quirks::default()
        },
        abilities: Abilities::default(),
    }
}

pub(crate) fn recorded(name: &str) -> String {
    let path = format!("{}/../../fixtures/wires/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The events of a stream: names and payloads.
pub(crate) fn events(stream: &str) -> Vec<(Option<String>, String)> {
    let stream = stream.replace("\r\n", "\n");
    let field = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim_start().to_owned())
    };
    stream
        .split("\n\n")
        .filter_map(|block| field(block, "data:").map(|payload| (field(block, "event:"), payload)))
        .collect()
}

/// What a decoder makes of a stream, up to its failure if it fails.
pub(crate) fn play(mut decoder: Box<dyn Decode>, stream: &str) -> (Vec<ModelDelta>, Option<ModelFailure>) {
    let mut deltas = Vec::new();
    for (event, payload) in events(stream) {
        if let Err(failure) = decoder.frame(event.as_deref(), &payload, &mut deltas) {
            return (deltas, Some(failure));
        }
    }
    let failure = decoder.end(&mut deltas).err();
    (deltas, failure)
}

/// The step that deltas make.
pub(crate) fn step(model: &str, deltas: Vec<ModelDelta>) -> ModelStep {
    let mut assembler = Assembler::new(model);
    for delta in deltas {
        assembler.push(delta);
    }
    assembler.finish()
}

/// A step as it stands in a history.
pub(crate) struct Spoken {
    step: ModelStep,
    outcomes: Vec<String>,
}

impl Spoken {
    /// A step and the outcomes of its calls.
    pub(crate) fn new(step: ModelStep, outcomes: &[&str]) -> Self {
        assert_eq!(step.calls.len(), outcomes.len(), "every call has its outcome");
        Self { step, outcomes: outcomes.iter().map(|outcome| (*outcome).to_owned()).collect() }
    }

    /// The step as a model sees it: what another model made of state is gone.
    pub(crate) fn turn(&self, reader: &str) -> Turn<'_> {
        let mut exchange = CallExchange::default();
        let mut calls = self.step.calls.iter().enumerate().peekable();
        for (place, part) in self.step.parts.iter().enumerate() {
            while let Some((number, call)) = calls.next_if(|(_, call)| call.after_parts <= place) {
                exchange.items.push(TurnItem::Call(call_item(number, call, reader)));
            }
            match part {
                Part::Text { text } => exchange.items.push(TurnItem::Text(Cow::Borrowed(text))),
                Part::Reasoning(reasoning) if reasoning.model.as_deref() == Some(reader) => {
                    let state = reasoning.opaque.as_ref();
                    exchange.items.push(TurnItem::Reasoning { text: &reasoning.text, state });
                }
                Part::Reasoning(_) | Part::Call(_) | Part::Image { .. } => {}
            }
        }
        exchange.items.extend(calls.map(|(number, call)| TurnItem::Call(call_item(number, call, reader))));
        let outcomes: Vec<OutcomeItem<'_>> = exchange
            .calls()
            .zip(&self.outcomes)
            .map(|(call, content)| OutcomeItem {
                id: call.id.clone(),
                name: call.name.clone(),
                content: Cow::Borrowed(content),
                is_ok: true,
            })
            .collect();
        exchange.outcomes = outcomes;
        Turn::Exchange(exchange)
    }
}

fn call_item<'a>(number: usize, call: &'a RawCall, reader: &str) -> CallItem<'a> {
    let minted = || Cow::Owned(format!("minted_{number}"));
    CallItem {
        id: call.provider_id.as_deref().map_or_else(minted, Cow::Borrowed),
        name: Cow::Borrowed(&call.name),
        args: Cow::Owned(call.args.to_text()),
        state: call.state.as_ref().filter(|state| state.model == reader).map(|state| &state.value),
    }
}

pub(crate) fn user(text: &str) -> Turn<'static> {
    Turn::User(vec![Cow::Owned(Part::text(text))])
}

/// Everything of a request but its history.
pub(crate) struct Asked {
    pub(crate) target: ModelTarget,
    pub(crate) system: String,
    pub(crate) tools: LoweredTools,
    pub(crate) choice: ToolChoice,
    pub(crate) sampling: Sampling,
    pub(crate) trailer: Vec<String>,
}

impl Asked {
    /// A request for an ordinary step, without tools.
    pub(crate) fn of(target: ModelTarget) -> Self {
        Self {
            target,
            system: String::new(),
            tools: LoweredTools::default(),
            choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            trailer: Vec::new(),
        }
    }

    /// With one more tool.
    pub(crate) fn with_tool(
        mut self,
        own_name: &str,
        wire_name: &str,
        schema: Value,
        is_strict: bool,
    ) -> Self {
        let spec = Arc::new(ToolSpec::new(own_name, format!("Does {own_name}.")));
        self.tools.tools.push(LoweredTool { spec, name: wire_name.to_owned(), schema, is_strict });
        self
    }

    pub(crate) fn plan(&self) -> RequestPlan<'_> {
        RequestPlan {
            target: &self.target,
            system: &self.system,
            tools: &self.tools,
            choice: &self.choice,
            sampling: &self.sampling,
            purpose: StepPurpose::Work,
            trailer: &self.trailer,
        }
    }

    /// The text of the body.
    pub(crate) fn text(&self, wire: &dyn Encode, turns: &[Turn<'_>]) -> String {
        let plan = self.plan();
        let mut body = Vec::new();
        wire.head(&plan, &mut body);
        let mut before = TurnBefore::Nothing;
        for (number, turn) in turns.iter().enumerate() {
            wire.turn(&plan, turn, TurnPosition { before, is_last: number + 1 == turns.len() }, &mut body);
            before = turn.leaves();
        }
        wire.tail(&plan, before, &mut body);
        String::from_utf8(body).unwrap()
    }

    pub(crate) fn body(&self, wire: &dyn Encode, turns: &[Turn<'_>]) -> Value {
        let text = self.text(wire, turns);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }
}
