//! A request with tools of the caller: one step of the model, whose calls are handed back. Nothing runs here.

use std::convert::Infallible;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use windlass_core::calls::assemble::{Assembled, Assembler, readable_parts};
use windlass_core::calls::json::NOT_UTF8;
use windlass_core::ports::BoxStream;
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::{Part, text_of};
use windlass_core::protocol::model::{
    Kept, ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, StepPurpose, ToolChoice, Usage,
};
use windlass_core::protocol::tool::RawCall;
use windlass_core::text::redact::{Pieces, Redactor};

use super::chunk::{CompletionHead, HandedCall, OpenaiCompletion, WholeCompletion, finish_of_step};
use super::error::{of_failure, of_host};
use super::request::{ChatWishes, OWN_MODEL};
use super::stop::StopCut;
use crate::answer::{EventStream, Shown};
use crate::error::RouteResult;
use crate::shown::show_exact;
use crate::state::{ServerApp, now_ms};
use crate::stream::stream_response;

/// Deltas that are written at once when they are there already.
const DELTAS_AT_ONCE_MAX: usize = 32;

type DeltaStream = BoxStream<'static, Result<ModelDelta, ModelFailure>>;

/// Numbers the steps of this process, so that two in one millisecond have two names.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// Part of every name: what is made of a name (the tag between which a model writes its calls) cannot be guessed by
/// whoever knows the time.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish() >> 32);

/// Asks the model; what fails before its first word is a problem with its own status.
async fn open(app: &ServerApp, asked: &ChatWishes) -> RouteResult<(Relay, DeltaStream)> {
    let number = STEPS.fetch_add(1, Ordering::Relaxed);
    let name = format!("step-{:x}-{number:x}-{:08x}", now_ms(), *SEED);
    let request = ModelRequest {
        run_id: RunId::new(name.as_str()),
        step: 1,
        purpose: StepPurpose::Work,
        system: asked.conversation.system.as_str().into(),
        examples: 0,
        messages: Arc::new(asked.conversation.history.clone()),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: asked.tools.clone().into(),
        tool_choice: asked.tool_choice.clone(),
        sampling: asked.sampling.clone(),
        kept: Kept::default(),
    };
    let mut deltas = app.host.step(asked.model.as_deref(), request).await.map_err(of_host)?;
    let mut early = Vec::new();
    while let Some(delta) = deltas.next().await {
        let delta = delta.map_err(|failure| of_failure(&failure))?;
        let is_notice = matches!(delta, ModelDelta::Notice(_) | ModelDelta::Progress(_));
        early.push(Ok(delta));
        if !is_notice {
            break;
        }
    }
    let deltas = Box::pin(stream::iter(early).chain(deltas));
    Ok((Relay::new(name, asked, app.redactor.clone()), deltas))
}

/// One step, in one piece.
pub(super) async fn answer(app: &ServerApp, asked: &ChatWishes) -> RouteResult<Shown<OpenaiCompletion>> {
    let (mut relay, mut deltas) = open(app, asked).await?;
    while let Some(delta) = deltas.next().await {
        relay.take(delta.map_err(|failure| of_failure(&failure))?);
        if relay.stop.is_cut() {
            break;
        }
    }
    let head = relay.head.clone();
    let mut whole = relay.into_whole().map_err(|failure| of_failure(&failure))?;
    // Words are shown without secrets. Arguments are not shown but run, and go out as the model wrote them.
    for words in [&mut whole.text, &mut whole.reasoning] {
        *words = app.redactor.clean(words).into_owned();
    }
    show_exact(&head.completion(whole))
}

/// One step, as it comes.
pub(super) async fn stream(app: &ServerApp, asked: &ChatWishes) -> RouteResult<EventStream> {
    let place = app.enter_stream()?;
    let (relay, deltas) = open(app, asked).await?;
    let begun = relay.head.role();
    let pieces = stream::unfold(Some((relay, deltas.ready_chunks(DELTAS_AT_ONCE_MAX))), |going| async move {
        let (mut relay, mut deltas) = going?;
        let Some(ready) = deltas.next().await else {
            return Some((relay.end(), None));
        };
        let mut written = String::new();
        for delta in ready {
            match delta {
                Ok(delta) => written.push_str(&relay.take(delta)),
                Err(failure) => {
                    written.push_str(&CompletionHead::failure(&of_failure(&failure)));
                    return Some((written, None));
                }
            }
            if relay.stop.is_cut() {
                written.push_str(&relay.say_rest());
                written.push_str(&relay.head.end("stop", &relay.usage));
                return Some((written, None));
            }
        }
        Some((written, Some((relay, deltas))))
    });
    let chunks = stream::once(async move { begun }).chain(pieces).filter_map(move |text| {
        // The stream keeps its place until its end.
        let _ = &place;
        let chunk = (!text.is_empty()).then(|| Ok::<Bytes, Infallible>(Bytes::from(text)));
        async move { chunk }
    });
    Ok(stream_response(Body::from_stream(chunks)))
}

/// A call on its way to the caller.
#[derive(Debug, Default)]
struct Handing {
    id: Option<String>,
    has_begun: bool,
    /// Arguments that wait for the call's name.
    waiting: String,
    sent: String,
}

/// Hands the deltas of one step on, as chunks.
struct Relay {
    head: CompletionHead,
    name: String,
    assembler: Assembler,
    stop: StopCut,
    text: String,
    calls: Vec<Handing>,
    /// Calls that the caller lets the model make.
    calls_max: usize,
    usage: Usage,
    redactor: Redactor,
    said: Pieces,
    thought: Pieces,
}

impl Relay {
    fn new(name: String, asked: &ChatWishes, redactor: Redactor) -> Self {
        let model = asked.model.clone().unwrap_or_else(|| OWN_MODEL.to_owned());
        let calls_max = match (&asked.tool_choice, asked.tools.is_empty(), asked.is_parallel) {
            (ToolChoice::Forbidden, _, _) | (_, true, _) => 0,
            (ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_), false, false) => 1,
            (ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_), false, true) => usize::MAX,
        };
        Self {
            head: CompletionHead {
                id: format!("chatcmpl-{name}"),
                created_s: now_ms() / 1_000,
                model: model.clone(),
                has_usage_chunk: asked.has_usage_chunk,
            },
            name,
            assembler: Assembler::new(model),
            stop: StopCut::new(&asked.stop),
            text: String::new(),
            calls: Vec::new(),
            calls_max,
            usage: Usage::default(),
            redactor,
            said: Pieces::default(),
            thought: Pieces::default(),
        }
    }

    /// Takes in a delta; gives what the caller sees of it.
    fn take(&mut self, delta: ModelDelta) -> String {
        let (id, piece) = match &delta {
            ModelDelta::Call(call) => (call.id.clone(), call.args_text.clone()),
            ModelDelta::Usage(usage) => {
                self.usage = *usage;
                (None, None)
            }
            ModelDelta::Text(_)
            | ModelDelta::Reasoning(_)
            | ModelDelta::ReasoningState(_)
            | ModelDelta::Finish(_)
            | ModelDelta::Progress(_)
            | ModelDelta::Notice(_) => (None, None),
        };
        match self.assembler.push(delta) {
            Some(Assembled::Text(text)) => {
                let text = self.stop.push(&text);
                self.say(text)
            }
            Some(Assembled::Reasoning(text)) => {
                let pieces = self.thought.push(&self.redactor, text);
                self.write(pieces, |head, text| head.reasoning(text))
            }
            Some(Assembled::CallGrew { index, name, .. }) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                self.grow(index, id, name.as_deref(), piece.as_deref().unwrap_or_default())
            }
            None => String::new(),
        }
    }

    fn say(&mut self, text: String) -> String {
        self.text.push_str(&text);
        let pieces = self.said.push(&self.redactor, text);
        self.write(pieces, |head, text| head.text(text))
    }

    /// Pieces that no secret stands over, without secrets.
    fn write(&self, pieces: [Option<String>; 2], form: impl Fn(&CompletionHead, &str) -> String) -> String {
        pieces.iter().flatten().map(|piece| form(&self.head, &self.redactor.clean(piece))).collect()
    }

    /// What waited for more: there is none.
    fn say_rest(&mut self) -> String {
        let thought = self.thought.finish(&self.redactor);
        let mut written = self.write(thought, |head, text| head.reasoning(text));
        let said = self.said.finish(&self.redactor);
        written.push_str(&self.write(said, |head, text| head.text(text)));
        written
    }

    fn grow(&mut self, index: usize, id: Option<String>, name: Option<&str>, piece: &str) -> String {
        if index >= self.calls_max {
            return String::new();
        }
        while self.calls.len() <= index {
            self.calls.push(Handing::default());
        }
        // Providers repeat ids: the second call gets one of ours.
        let id =
            id.filter(|id| !id.is_empty() && !self.calls.iter().any(|call| call.id.as_ref() == Some(id)));
        let made = format!("call_{}_{index}", self.name.trim_start_matches("step-"));
        let Some(call) = self.calls.get_mut(index) else { return String::new() };
        call.waiting.push_str(piece);
        let mut written = String::new();
        if !call.has_begun {
            call.id = call.id.take().or(id);
            let Some(name) = name else { return written };
            call.has_begun = true;
            written.push_str(&self.head.call_begin(index, call.id.get_or_insert(made), name));
        }
        if !call.waiting.is_empty() {
            let piece = std::mem::take(&mut call.waiting);
            call.sent.push_str(&piece);
            written.push_str(&self.head.call_more(index, &piece));
        }
        written
    }

    /// The end of the stream: what was not sent yet, why it ended, the token counts.
    fn end(&mut self) -> String {
        if !self.assembler.is_finished() {
            return CompletionHead::failure(&of_failure(&cut_off()));
        }
        let rest = self.stop.finish();
        let mut written = self.say(rest);
        let step = std::mem::take(&mut self.assembler).finish();
        if let Some(failure) = spoilt(&step.calls) {
            return CompletionHead::failure(&of_failure(&failure));
        }
        for (index, raw) in step.calls.iter().enumerate().take(self.calls_max) {
            written.push_str(&self.grow(index, raw.provider_id.clone(), Some(&raw.name), ""));
            written.push_str(&self.complete(index, raw));
        }
        written.push_str(&self.say_rest());
        written.push_str(&self.head.end(finish_of_step(&step.finish, !self.calls.is_empty()), &self.usage));
        written
    }

    /// Arguments that did not come as text, or not at all.
    fn complete(&mut self, index: usize, raw: &RawCall) -> String {
        let arguments = raw.args.to_text();
        let Some(call) = self.calls.get_mut(index) else { return String::new() };
        match arguments.strip_prefix(call.sent.as_str()) {
            Some(rest) if !rest.is_empty() => {
                call.sent.push_str(rest);
                self.head.call_more(index, rest)
            }
            Some(_) | None => String::new(),
        }
    }

    fn into_whole(mut self) -> Result<WholeCompletion, ModelFailure> {
        if !self.stop.is_cut() && !self.assembler.is_finished() {
            return Err(cut_off());
        }
        let rest = self.stop.finish();
        self.text.push_str(&rest);
        let is_cut = self.stop.is_cut();
        let mut step = std::mem::take(&mut self.assembler).finish();
        if let Some(failure) = spoilt(&step.calls) {
            return Err(failure);
        }
        step.parts = readable_parts(step.parts);
        // What stands behind a stop word was not said, calls included.
        let taken = if is_cut { 0 } else { self.calls_max };
        let mut calls = Vec::new();
        for (index, raw) in step.calls.iter().enumerate().take(taken) {
            self.grow(index, raw.provider_id.clone(), Some(&raw.name), "");
            let id = self.calls.get(index).and_then(|call| call.id.clone()).unwrap_or_default();
            calls.push(HandedCall { id, name: raw.name.clone(), arguments: raw.args.to_text() });
        }
        let reasoning = step.parts.iter().filter_map(|part| match part {
            Part::Reasoning(reasoning) => Some(reasoning.text.as_str()),
            Part::Text { .. } | Part::Call(_) | Part::Image { .. } => None,
        });
        Ok(WholeCompletion {
            reasoning: reasoning.collect(),
            finish: if is_cut { "stop" } else { finish_of_step(&step.finish, !calls.is_empty()) },
            text: if self.stop.is_cut() { self.text } else { text_of(&step.parts) },
            calls,
            usage: self.usage,
        })
    }
}

/// A call with bytes that were no UTF-8 cannot be handed on as it was meant, and is not handed on as anything else.
fn spoilt(calls: &[RawCall]) -> Option<ModelFailure> {
    let is_spoilt = |call: &RawCall| call.args.to_text().contains(NOT_UTF8);
    let call = calls.iter().find(|call| is_spoilt(call))?;
    let message =
        format!("the arguments of the call of '{}' have bytes that are not UTF-8; ask again", call.name);
    Some(ModelFailure::passing(ModelFailureKind::Malformed, message))
}

fn cut_off() -> ModelFailure {
    ModelFailure::passing(
        ModelFailureKind::Cut,
        "the connection to the model was lost in the middle of its answer; ask again",
    )
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
