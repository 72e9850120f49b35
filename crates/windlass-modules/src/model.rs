//! A module as a model: it stands before another model, writes the module's prompt and reads its outputs.
//!
//! Knows one step at a time. Calls, corrections and limits are the run machine's, which is told by the form of the
//! answer and by the profile what a module needs.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use serde_json::Value;
use windlass_core::ports::{AnswerForm, BoxStream, ModelPort};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::message::{Message, Part, Transcript};
use windlass_core::protocol::model::{Finish, ModelDelta, ModelFailure, ModelRequest, StepPurpose};
use windlass_core::protocol::step::WrittenRequest;

use crate::form::ModuleForm;
use crate::module::{Module, Predictor};
use crate::outputs::read_outputs;
use crate::prompt::FixedPrompt;
use crate::signature::CONTEXT_FIELD;

/// How a module uses tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolUse {
    Plain,
    /// By the field `tool_call` of its output; outcomes are appended to an input.
    Fields {
        context_field: String,
    },
    /// By the model's own calls.
    Native,
}

impl ToolUse {
    /// How a module wants to use them.
    pub fn of(module: &Module) -> Self {
        match (module.predictor, module.tool_enabled) {
            (Predictor::React, _) => ToolUse::Native,
            (Predictor::Predict | Predictor::ChainOfThought, true) => {
                ToolUse::Fields { context_field: CONTEXT_FIELD.to_owned() }
            }
            (Predictor::Predict | Predictor::ChainOfThought, false) => ToolUse::Plain,
        }
    }
}

/// Makes a profile fit a module. Calls by field are a manner of working of their own, the profile `dspy`, which is given as
/// the configuration has it and taken whole; a run on record that began with it keeps what it began with.
pub fn fit_profile(module: &Module, profile: &mut Profile, dspy: Profile) {
    match ToolUse::of(module) {
        ToolUse::Plain | ToolUse::Native => profile.dialect = Dialect::Native,
        ToolUse::Fields { .. } if profile.answers_in_fields => {}
        ToolUse::Fields { .. } => *profile = Profile { answers_in_fields: true, ..dspy },
    }
}

/// A module before a model. Holds its version for as long as it lives.
pub struct ModuleModel {
    name: String,
    module: Arc<Module>,
    mode: ToolUse,
    prompt: FixedPrompt,
    inner: Arc<dyn ModelPort>,
}

impl ModuleModel {
    /// Puts a module before a model.
    pub fn new(module: Arc<Module>, inner: Arc<dyn ModelPort>, mode: ToolUse) -> Self {
        let prompt = FixedPrompt::of(&module, &mode);
        Self { name: format!("module/{}", module.module_id), module, mode, prompt, inner }
    }

    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The request that the inner model gets.
    fn rewrite(&self, mut request: ModelRequest) -> Result<ModelRequest, ModelFailure> {
        if self.mode == ToolUse::Native {
            request.messages = self.readdress(request.messages);
        }
        self.prompt.write(&self.module, &self.mode, request)
    }

    /// State that the inner model wants to see again is kept under the module's name: it is the inner model's.
    fn readdress(&self, messages: Transcript) -> Transcript {
        let is_own = |part: &Part| match part {
            Part::Reasoning(reasoning) => reasoning.model.as_ref() == Some(&self.name),
            Part::Call(call) => call.state.as_ref().is_some_and(|state| state.model == self.name),
            Part::Text { .. } | Part::Image { .. } => false,
        };
        let has_own = |message: &Message| match message {
            Message::Assistant { parts } => parts.iter().any(is_own),
            Message::User { .. } | Message::Tool(_) | Message::Note { .. } => false,
        };
        if !messages.iter().any(|message| has_own(message)) {
            return messages;
        }
        let readdressed = messages.iter().map(|message| match message.as_ref() {
            Message::Assistant { parts } if has_own(message) => {
                let parts = parts.iter().map(|part| self.readdress_part(part)).collect();
                Arc::new(Message::Assistant { parts })
            }
            _ => Arc::clone(message),
        });
        Arc::new(readdressed.collect())
    }

    fn readdress_part(&self, part: &Part) -> Part {
        let mut part = part.clone();
        match &mut part {
            Part::Reasoning(reasoning) if reasoning.model.as_ref() == Some(&self.name) => {
                reasoning.model = Some(self.inner.name().to_owned());
            }
            Part::Call(call) => {
                if let Some(state) = call.state.as_mut().filter(|state| state.model == self.name) {
                    self.inner.name().clone_into(&mut state.model);
                }
            }
            Part::Reasoning(_) | Part::Text { .. } | Part::Image { .. } => {}
        }
        part
    }
}

impl ModelPort for ModuleModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn below(&self) -> Option<&str> {
        Some(self.inner.name())
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let is_piece = request.purpose == StepPurpose::Continuation;
        let request = match self.rewrite(request) {
            Ok(request) => request,
            Err(failure) => return Box::pin(stream::iter([Err(failure)])),
        };
        let inner = self.inner.stream(request);
        let drops_calls = match self.mode {
            ToolUse::Native => return inner,
            ToolUse::Plain => true,
            ToolUse::Fields { .. } => false,
        };
        let module = Arc::clone(&self.module);
        let ready = VecDeque::new();
        let collecting = CollectedAnswer {
            inner,
            module,
            drops_calls,
            is_piece,
            text: String::new(),
            ready,
            is_over: false,
        };
        Box::pin(stream::unfold(collecting, CollectedAnswer::next))
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        self.inner.written(&self.rewrite(request.clone()).ok()?)
    }

    fn uses_live_values(&self) -> bool {
        self.inner.uses_live_values()
    }

    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        Some(Arc::new(ModuleForm(Arc::clone(&self.module))))
    }
}

type DeltaResult = Result<ModelDelta, ModelFailure>;

/// An answer that is collected until it can be read.
struct CollectedAnswer {
    inner: BoxStream<'static, DeltaResult>,
    module: Arc<Module>,
    drops_calls: bool,
    /// Whether it is only a piece of an answer.
    is_piece: bool,
    text: String,
    ready: VecDeque<DeltaResult>,
    is_over: bool,
}

impl CollectedAnswer {
    async fn next(mut self) -> Option<(DeltaResult, Self)> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Some((delta, self));
            }
            if self.is_over {
                return None;
            }
            match self.inner.next().await {
                Some(delta) => self.take(delta),
                None => {
                    self.is_over = true;
                    self.tell_raw();
                }
            }
        }
    }

    fn take(&mut self, delta: DeltaResult) {
        match delta {
            Ok(ModelDelta::Text(piece)) => self.text.push_str(&piece),
            Ok(ModelDelta::Call(_)) if self.drops_calls => {}
            Ok(ModelDelta::Finish(finish)) => {
                self.tell(&finish);
                self.ready.push_back(Ok(ModelDelta::Finish(finish)));
            }
            other => self.ready.push_back(other),
        }
    }

    /// The answer is over: its outputs as one JSON text. What cannot be read goes on as it is, for the machine to
    /// ask again.
    fn tell(&mut self, finish: &Finish) {
        let is_whole = match finish {
            Finish::Length | Finish::Paused => false,
            Finish::Stop | Finish::Calls | Finish::Filtered | Finish::Other(_) => !self.is_piece,
        };
        match read_outputs(&self.module, &self.text) {
            Ok(outputs) if is_whole => {
                self.text.clear();
                self.ready.push_back(Ok(ModelDelta::Text(Value::Object(outputs).to_string())));
            }
            Ok(_) | Err(_) => self.tell_raw(),
        }
    }

    fn tell_raw(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.ready.push_back(Ok(ModelDelta::Text(text)));
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
