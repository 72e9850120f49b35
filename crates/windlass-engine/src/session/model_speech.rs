//! One model step being heard: the stream and what was assembled of it.
//!
//! Text that may be a call is shown to nobody before it is known to be none; a call that was cut off is none and no answer.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use windlass_core::calls::assemble::{Assembled, Assembler};
use windlass_core::calls::dialect::is_written_call;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::event::{DeltaEvent, Event};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{
    ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, ReadingProgress,
};
use windlass_core::protocol::tool::RawCall;
use windlass_core::run::Input;
use windlass_core::text::redact::{Pieces, Redactor};

/// A stream and its assembler. Dropping it stops the model.
pub(crate) struct ModelSpeech {
    stream: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
    assembler: Assembler,
    /// When a new try may begin; a time, so that whatever else happens meanwhile does not put it off.
    begins_at: Option<Instant>,
    /// The step's span: what the model's adapter says stands in it.
    span: Span,
    /// What is shown of it is parted so that no secret stands over two pieces.
    shown: ShownPieces,
    dialect: Dialect,
    /// Text from the beginning that may be a call, where calls are written as text.
    held: Option<String>,
}

/// The two texts of a step on their way to those who listen.
#[derive(Default)]
struct ShownPieces {
    redactor: Redactor,
    text: Pieces,
    reasoning: Pieces,
}

/// The events that show a delta: mostly one.
pub(crate) type ShownEvents = [Option<Event>; 2];

impl ModelSpeech {
    pub(crate) fn start(
        model: &dyn ModelPort,
        request: ModelRequest,
        delay_ms: u64,
        span: &Span,
        redactor: &Redactor,
        profile: &Profile,
    ) -> Self {
        let assembler = Assembler::new(model.name());
        let begins_at = (delay_ms > 0).then(|| Instant::now() + Duration::from_millis(delay_ms));
        let stream = span.in_scope(|| model.stream(request));
        let shown = ShownPieces { redactor: redactor.clone(), ..ShownPieces::default() };
        let held = profile.has_text_calls().then(String::new);
        Self { stream, assembler, begins_at, span: span.clone(), shown, dialect: profile.dialect, held }
    }

    pub(crate) async fn next(&mut self) -> Option<Result<ModelDelta, ModelFailure>> {
        if let Some(begins_at) = self.begins_at {
            tokio::time::sleep_until(begins_at).await;
            // Only after the wait: whoever waits for several things drops this future and asks again.
            self.begins_at = None;
        }
        // A delta is a matter of nanoseconds: a span that nobody sees is not entered.
        if self.span.is_disabled() {
            return self.stream.next().await;
        }
        self.stream.next().instrument(self.span.clone()).await
    }

    /// Takes in a delta; gives the events that show it. The end of a text that may be the beginning of a secret
    /// waits for what follows.
    pub(crate) fn take(&mut self, delta: ModelDelta, phase: u32) -> ShownEvents {
        if let ModelDelta::Progress(ReadingProgress { tokens_read, tokens_total, remaining_ms }) = delta {
            return [
                Some(Event::Delta(DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms })),
                None,
            ];
        }
        let ShownPieces { redactor, text, reasoning } = &mut self.shown;
        match self.assembler.push(delta) {
            Some(Assembled::Text(piece)) => match hold(&mut self.held, piece) {
                Some(piece) => text.push(redactor, piece).map(said),
                None => [None, None],
            },
            Some(Assembled::Reasoning(piece)) => {
                reasoning.push(redactor, piece).map(|piece| thought(piece, phase))
            }
            Some(Assembled::CallGrew { index, name, chars }) => {
                [Some(Event::Delta(DeltaEvent::CallDelta { index, name, chars })), None]
            }
            None => [None, None],
        }
    }

    /// What waited to be shown: nothing follows.
    pub(crate) fn take_rest(&mut self, phase: u32) -> impl Iterator<Item = Event> + use<> {
        let is_whole = self.assembler.is_finished();
        let is_answer = |text: &String| is_whole && !is_written_call(self.dialect, text);
        let released = self.held.take_if(|text| is_answer(text));
        let ShownPieces { redactor, text, reasoning } = &mut self.shown;
        let thoughts = reasoning.finish(redactor).map(|piece| thought(piece, phase));
        let late = released.map(|released| text.push(redactor, released).map(said));
        let rest = text.finish(redactor).map(said);
        thoughts.into_iter().chain(late.into_iter().flatten()).chain(rest).flatten()
    }

    pub(crate) fn take_ready(&mut self) -> Vec<RawCall> {
        self.assembler.take_ready()
    }

    /// What was said so far; the beginning of a call is nothing that was said.
    pub(crate) fn partial_text(&self) -> String {
        if self.held.is_some() { String::new() } else { self.assembler.partial_text() }
    }

    /// The stream is at its end. Without a finish it was cut: no call of it may run.
    pub(crate) fn finish(self) -> Input {
        if self.assembler.is_finished() {
            return Input::ModelEnded(self.assembler.finish());
        }
        let message = "the connection to the model was lost in the middle of its answer";
        self.fail(ModelFailure::passing(ModelFailureKind::Cut, message))
    }

    /// The stream failed; what was said before goes along.
    pub(crate) fn fail(self, failure: ModelFailure) -> Input {
        let mut partial = self.assembler.into_parts();
        // What may be the beginning of a call is no text for readers (U-34).
        if self.held.is_some() {
            partial.retain(|part| !matches!(part, Part::Text { .. }));
        }
        Input::ModelFailed { failure, partial }
    }
}

/// What of the text may be shown: nothing while it may be a call, then all of it.
fn hold(held: &mut Option<String>, piece: String) -> Option<String> {
    let Some(begun) = held else { return Some(piece) };
    begun.push_str(&piece);
    let text = begun.trim_start();
    // A call in text is an object, alone or in one fence (E-32): nothing else can still become one.
    if text.is_empty() || text.starts_with(['{', '`']) {
        return None;
    }
    held.take()
}

fn said(piece: Option<String>) -> Option<Event> {
    piece.map(|text| Event::Delta(DeltaEvent::TextDelta { text }))
}

fn thought(piece: Option<String>, phase: u32) -> Option<Event> {
    piece.map(|text| Event::Delta(DeltaEvent::ReasoningDelta { phase, text }))
}
