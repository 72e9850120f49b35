//! One model step being heard: the stream and what was assembled of it.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use windlass_core::assemble::{Assembled, Assembler};
use windlass_core::event::Event;
use windlass_core::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::port::{BoxStream, ModelPort};
use windlass_core::run::Input;
use windlass_core::tool::RawCall;

/// A stream and its assembler. Dropping it stops the model.
pub(crate) struct ModelSpeech {
    stream: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
    assembler: Assembler,
    /// When a new try may begin; a time, so that whatever else happens meanwhile does not put it off.
    begins_at: Option<Instant>,
    /// The step's span: what the model's adapter says stands in it.
    span: Span,
}

impl ModelSpeech {
    pub(crate) fn start(model: &dyn ModelPort, request: ModelRequest, delay_ms: u64, span: &Span) -> Self {
        let assembler = Assembler::new(model.name());
        let begins_at = (delay_ms > 0).then(|| Instant::now() + Duration::from_millis(delay_ms));
        let stream = span.in_scope(|| model.stream(request));
        Self { stream, assembler, begins_at, span: span.clone() }
    }

    pub(crate) async fn next(&mut self) -> Option<Result<ModelDelta, ModelFailure>> {
        if let Some(begins_at) = self.begins_at {
            tokio::time::sleep_until(begins_at).await;
            self.begins_at = None;
        }
        // A delta is a matter of nanoseconds: a span that nobody sees is not entered.
        if self.span.is_disabled() {
            return self.stream.next().await;
        }
        self.stream.next().instrument(self.span.clone()).await
    }

    /// Takes in a delta; gives the event that shows it.
    pub(crate) fn take(&mut self, delta: ModelDelta, phase: u32) -> Option<Event> {
        self.assembler.push(delta).map(|assembled| match assembled {
            Assembled::Text(text) => Event::TextDelta { text },
            Assembled::Reasoning(text) => Event::ReasoningDelta { phase, text },
            Assembled::CallGrew { index, name, chars } => Event::CallDelta { index, name, chars },
        })
    }

    pub(crate) fn take_ready(&mut self) -> Vec<RawCall> {
        self.assembler.take_ready()
    }

    pub(crate) fn partial_text(&self) -> String {
        self.assembler.partial_text()
    }

    /// The stream is at its end. Without a finish it was cut: no call of it may run.
    pub(crate) fn finish(self) -> Input {
        if self.assembler.is_finished() {
            return Input::ModelEnded(self.assembler.finish());
        }
        let message = "the connection to the model was lost in the middle of its answer";
        self.fail(ModelFailure::passing("cut", message))
    }

    /// The stream failed; what was said before goes along.
    pub(crate) fn fail(self, failure: ModelFailure) -> Input {
        Input::ModelFailed { failure, partial: self.assembler.into_parts() }
    }
}
