//! The port of models: a request in, a stream of deltas out. Knows no provider and no tool.

use std::fmt;
use std::sync::Arc;

use super::BoxStream;
use crate::profile::Dialect;
use crate::protocol::model::{ModelDelta, ModelFailure, ModelRequest, Sampling, ToolChoice};
use crate::protocol::step::WrittenRequest;

/// What an answer must be. The machine asks before it believes that a run has its answer.
pub trait AnswerForm: fmt::Debug + Send + Sync {
    /// What is wrong with an answer and how it should be, for the model that gave it.
    fn check(&self, answer: &str) -> Result<(), String>;
}

/// A model: a request in, a stream of deltas out. Dropping the stream stops the model.
pub trait ModelPort: Send + Sync {
    /// `provider/model`.
    fn name(&self) -> &str;
    /// The model that it stands before, if it stands before one: that of a module.
    fn below(&self) -> Option<&str> {
        None
    }
    /// Asks for one step.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>>;
    /// The request as it goes over the wire, without key and headers; nothing is sent, and nothing of the run
    /// changes. A model that is behind no wire writes none.
    fn written(&self, _request: &ModelRequest) -> Option<WrittenRequest> {
        None
    }
    /// Whether it can be held to values that exist now (`ModelRequest::live`). They are gathered for no other.
    fn uses_live_values(&self) -> bool {
        false
    }
    /// Which field of a wish it cannot fulfil and why, before it is asked: the caller is told so at once.
    fn refusal(&self, _choice: &ToolChoice, _sampling: &Sampling) -> Option<(&'static str, String)> {
        None
    }
    /// The one manner of calling that it understands; any, where it does not say.
    fn dialect(&self) -> Option<Dialect> {
        None
    }
    /// What its answers must be, where that is more than text.
    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        None
    }
}

/// A shared model is a model.
impl<M: ModelPort + ?Sized> ModelPort for Arc<M> {
    fn name(&self) -> &str {
        self.as_ref().name()
    }
    fn below(&self) -> Option<&str> {
        self.as_ref().below()
    }
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.as_ref().stream(request)
    }
    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        self.as_ref().written(request)
    }
    fn uses_live_values(&self) -> bool {
        self.as_ref().uses_live_values()
    }
    fn refusal(&self, choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
        self.as_ref().refusal(choice, sampling)
    }
    fn dialect(&self) -> Option<Dialect> {
        self.as_ref().dialect()
    }
    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        self.as_ref().form()
    }
}
