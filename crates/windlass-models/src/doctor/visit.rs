//! A visit: what is asked of a patient, how it answered, and what was learned so far.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use windlass_core::calls::assemble::Assembler;
use windlass_core::calls::json::parse::parse_value;
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, Part, ToolMessage, text_of};
use windlass_core::protocol::model::{
    Effort, Kept, ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, ModelStep, Sampling, StepPurpose,
    ToolChoice,
};
use windlass_core::protocol::tool::{RawCall, ToolCall, ToolSpec};

use super::{Patient, Probe};
use crate::quirks::Quirks;
use crate::target::ModelTarget;

/// Enough for a model that thinks before it says one word, too little to cost anything.
const OUTPUT_TOKENS_MAX: u32 = 2_048;
/// The wait before the one second try when the endpoint names none.
const RETRY_DELAY_MS: u64 = 500;
/// The longest wait that an endpoint may ask for.
const RETRY_DELAY_MS_MAX: u64 = 5_000;

/// What the model is told that the tool said.
pub(super) const WEATHER: &str = r#"{"temperature_c": 17, "sky": "clear"}"#;

/// Quirks by name, to be tried or learned.
pub(super) type Patch = Vec<(&'static str, Value)>;

/// How a patient took a question.
#[derive(Debug)]
pub(super) enum ProbeReply {
    Answered(Box<ProbeAnswer>),
    /// It does not take such questions.
    Refused(ModelFailure),
    /// Something went wrong that has nothing to do with the question.
    Lost(ModelFailure),
}

#[derive(Debug, Clone)]
pub(super) struct ProbeAnswer {
    pub(super) deltas: Vec<ModelDelta>,
    pub(super) step: ModelStep,
}

impl ProbeAnswer {
    pub(super) fn text(&self) -> String {
        text_of(&self.step.parts)
    }

    pub(super) fn says(&self, word: &str) -> bool {
        self.text().to_lowercase().contains(word)
    }

    pub(super) fn calls(&self) -> &[RawCall] {
        &self.step.calls
    }

    pub(super) fn thinks(&self) -> bool {
        self.step.parts.iter().any(|part| matches!(part, Part::Reasoning(_)))
    }

    pub(super) fn text_pieces(&self) -> usize {
        self.deltas.iter().filter(|delta| matches!(delta, ModelDelta::Text(_))).count()
    }

    pub(super) fn args_pieces(&self) -> usize {
        let has_args = |delta: &&ModelDelta| {
            let ModelDelta::Call(call) = delta else { return false };
            call.args_value.is_some() || call.args_text.as_deref().is_some_and(|text| !text.is_empty())
        };
        self.deltas.iter().filter(has_args).count()
    }

    /// The answer as it stands in a history, each call answered by `outcome`.
    pub(super) fn to_messages(&self, outcome: &str) -> Vec<Message> {
        let mut parts = Vec::new();
        let mut outcomes = Vec::new();
        let mut calls = (0..).zip(&self.step.calls).peekable();
        for place in 0..=self.step.parts.len() {
            while let Some((index, raw)) = calls.next_if(|(_, raw)| raw.after_parts <= place) {
                let call = identify(index, raw);
                outcomes.push(Message::Tool(ToolMessage {
                    call_id: call.id.clone(),
                    provider_id: call.provider_id.clone(),
                    name: call.name.clone(),
                    content: outcome.to_owned(),
                    is_ok: true,
                    is_valid_call: true,
                    label: None,
                }));
                parts.push(Part::Call(call));
            }
            parts.extend(self.step.parts.get(place).cloned());
        }
        std::iter::once(Message::Assistant { parts }).chain(outcomes).collect()
    }
}

fn identify(index: u32, raw: &RawCall) -> ToolCall {
    ToolCall {
        id: CallId::numbered(u64::from(index) + 1),
        provider_id: raw.provider_id.clone(),
        step: 1,
        index,
        name: raw.name.clone(),
        arguments: raw.args.to_text(),
        state: raw.state.clone(),
    }
}

#[derive(Debug, Clone)]
pub(super) struct ProbeQuestion {
    pub(super) system: &'static str,
    pub(super) messages: Vec<Message>,
    pub(super) tools: Vec<ToolSpec>,
    pub(super) choice: ToolChoice,
    pub(super) sampling: Sampling,
}

impl ProbeQuestion {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::after(Vec::new(), text)
    }

    pub(super) fn after(mut messages: Vec<Message>, text: impl Into<String>) -> Self {
        messages.push(Message::user(text));
        let sampling = Sampling { output_tokens_max: Some(OUTPUT_TOKENS_MAX), ..Sampling::default() };
        Self { system: "", messages, tools: Vec::new(), choice: ToolChoice::Auto, sampling }
    }

    pub(super) fn with_tools(mut self) -> Self {
        self.tools = tools();
        self
    }

    pub(super) fn choosing(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    pub(super) fn thinking(mut self) -> Self {
        self.sampling.reasoning_effort = Some(Effort::Low);
        self
    }

    fn request(&self) -> ModelRequest {
        ModelRequest {
            run_id: RunId::new("doctor"),
            step: 1,
            purpose: StepPurpose::Work,
            system: self.system.into(),
            examples: 0,
            messages: Arc::new(self.messages.iter().cloned().map(Arc::new).collect()),
            trailer: Vec::new(),
            live: Arc::default(),
            tools: self.tools.iter().cloned().map(Arc::new).collect(),
            tool_choice: self.choice.clone(),
            sampling: self.sampling.clone(),
            kept: Kept::default(),
        }
    }
}

/// The tools of all questions, sorted by name.
fn tools() -> Vec<ToolSpec> {
    let one_text = |name: &str, description: &str| {
        let mut properties = Map::new();
        properties.insert(name.to_owned(), json!({"type": "string", "description": description}));
        json!({"type": "object", "properties": properties, "required": [name], "additionalProperties": false})
    };
    vec![
        ToolSpec::new("get_time", "Tells the time in a city")
            .with_schema(one_text("city", "The city's name")),
        ToolSpec::new("get_weather", "Tells the weather in a city")
            .with_schema(one_text("city", "The city's name")),
        ToolSpec::new("write_note", "Keeps a note").with_schema(one_text("text", "The whole note")),
    ]
}

/// Whether arguments are an object with a text under that name.
pub(super) fn has_text_arg(call: &RawCall, name: &str) -> bool {
    parse_value(&call.args.to_text()).is_ok_and(|args| args.get(name).is_some_and(Value::is_string))
}

/// A visit in progress.
pub(super) struct Visit<'a> {
    patient: &'a dyn Patient,
    pub(super) target: &'a ModelTarget,
    pub(super) quirks: Quirks,
    patch: Map<String, Value>,
    is_given_up: bool,
    /// Whether it calls tools, once that is known.
    pub(super) can_call: Option<bool>,
    /// Whether a call can be forced, once that is known.
    pub(super) can_force: Option<bool>,
    pub(super) streamed: Option<Box<ProbeAnswer>>,
    /// The first answer with a call.
    pub(super) called: Option<Box<ProbeAnswer>>,
    /// The provider's ids of all calls so far.
    pub(super) call_ids: Vec<Option<String>>,
    /// Whether it showed thinking.
    pub(super) thinks: bool,
}

impl<'a> Visit<'a> {
    pub(super) fn new(patient: &'a dyn Patient, target: &'a ModelTarget) -> Self {
        Self {
            patient,
            target,
            quirks: target.quirks.clone(),
            patch: Map::new(),
            is_given_up: false,
            can_call: None,
            can_force: None,
            streamed: None,
            called: None,
            call_ids: Vec::new(),
            thinks: false,
        }
    }

    /// The endpoint does not answer: nothing more is asked.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    pub(super) fn reason_to_skip(&self, probe: Probe) -> Option<&'static str> {
        if self.is_given_up {
            return Some("the endpoint does not answer");
        }
        (probe.needs_calls() && self.can_call == Some(false)).then_some("it calls no tools")
    }

    pub(super) fn into_patch(self) -> Map<String, Value> {
        self.patch
    }

    /// Keeps what was measured; what was assumed all along is no news.
    pub(super) fn learn(&mut self, patch: &Patch) {
        for (name, value) in patch {
            let known = serde_json::to_value(&self.quirks).ok();
            if known.as_ref().and_then(|quirks| quirks.get(*name)) == Some(value) {
                continue;
            }
            let one = Map::from_iter([((*name).to_owned(), value.clone())]);
            if let Ok(quirks) = self.quirks.patched(&one) {
                self.quirks = quirks;
                self.patch.extend(one);
            }
        }
    }

    /// Asks with what is known so far.
    pub(super) async fn ask(&mut self, question: &ProbeQuestion) -> ProbeReply {
        self.ask_with(question, &Patch::new()).await
    }

    /// Asks with some quirks changed.
    pub(super) async fn ask_with(&mut self, question: &ProbeQuestion, patch: &Patch) -> ProbeReply {
        let patch: Map<_, _> =
            patch.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let quirks = match self.quirks.patched(&patch) {
            Ok(quirks) => quirks,
            Err(wrong) => return ProbeReply::Lost(ModelFailure::fatal(ModelFailureKind::BadRequest, wrong)),
        };
        let mut reply = self.ask_once(question, &quirks).await;
        if let ProbeReply::Lost(failure) = &reply
            && failure.is_retryable
        {
            let delay_ms = failure.retry_after_ms.unwrap_or(RETRY_DELAY_MS).min(RETRY_DELAY_MS_MAX);
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            reply = self.ask_once(question, &quirks).await;
        }
        if let ProbeReply::Answered(answer) = &reply {
            self.call_ids.extend(answer.calls().iter().map(|call| call.provider_id.clone()));
        }
        reply
    }

    /// The first of some patches with which a question is answered.
    pub(super) async fn find_patch(
        &mut self,
        question: &ProbeQuestion,
        patches: Vec<Patch>,
    ) -> Option<Patch> {
        for patch in patches {
            if let ProbeReply::Answered(_) = self.ask_with(question, &patch).await {
                return Some(patch);
            }
        }
        None
    }

    async fn ask_once(&self, question: &ProbeQuestion, quirks: &Quirks) -> ProbeReply {
        let deltas = match self.patient.ask(question.request(), quirks).await {
            Ok(deltas) => deltas,
            Err(failure) if is_refusal(&failure) => return ProbeReply::Refused(failure),
            Err(failure) => return ProbeReply::Lost(failure),
        };
        let mut assembler = Assembler::new(self.target.name.clone());
        for delta in &deltas {
            assembler.push(delta.clone());
        }
        if !assembler.is_finished() {
            return ProbeReply::Lost(ModelFailure::passing(
                ModelFailureKind::Cut,
                "the answer ended before its end",
            ));
        }
        ProbeReply::Answered(Box::new(ProbeAnswer { deltas, step: assembler.finish() }))
    }
}

/// Whether the endpoint said no to what it was asked: a wrong key, a dead line or a full house are something
/// else.
fn is_refusal(failure: &ModelFailure) -> bool {
    !failure.is_retryable
        && !matches!(
            failure.kind,
            ModelFailureKind::Auth
                | ModelFailureKind::Network
                | ModelFailureKind::Timeout
                | ModelFailureKind::Cut
        )
}
