//! The scripted model: plays the model lines of a script, one step a request.
//!
//! Knows no tools and no session. One model serves any number of sessions, each at its own place (`place`).

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::time::{Sleep, sleep};
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelFailureKind, ModelRequest};

use crate::place::ServedRuns;
use crate::request::request_text;
use crate::script::Script;
use crate::step::{ScriptedStep, StepEnding, StepPiece};

/// A model that plays a script.
///
/// Each run is served from its own `user` section: a run that was cancelled early leaves its other
/// steps unplayed, and the next run begins at the next `user` line. Sessions do not disturb each other, and
/// one that was begun in another process goes on where its history ends.
pub struct ScriptedModel {
    name: String,
    script: String,
    runs: Vec<Vec<Arc<ScriptedStep>>>,
    places: Mutex<ServedRuns>,
    /// Whether requests are compared with those before them, so that these must be kept.
    compares: bool,
}

impl ScriptedModel {
    /// A model that plays this script.
    pub fn new(script: &Script) -> Self {
        let runs = script.runs();
        let compares = runs.iter().flatten().any(|step| step.compares_requests());
        Self {
            name: format!("scripted/{}", script.name),
            script: script.name.clone(),
            runs,
            places: Mutex::default(),
            compares,
        }
    }

    /// A model that plays this script to sessions of one run each, as a module engine has them: every session that
    /// begins gets the next `user` section.
    pub fn in_turn(script: &Script) -> Self {
        Self { places: Mutex::new(ServedRuns::in_turn()), ..Self::new(script) }
    }

    /// The step that answers a request.
    fn serve(&self, request: ModelRequest) -> Result<Arc<ScriptedStep>, ModelFailure> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.of(&request, &self.runs);
        let Some(steps) = self.runs.get(place.run) else { return Err(self.no_run(place.run)) };
        let Some(step) = steps.get(place.next) else { return Err(self.no_step(place.run, place.next)) };
        place.next = place.next.saturating_add(1);
        // Nobody knows how the request before a restart began: this one is taken for the same.
        let unseen = std::mem::take(&mut place.is_recalled).then_some(&request);
        let checked = step.check_request(&self.script, &request, place.last.as_ref().or(unseen));
        let checked = checked.map_err(|mismatch| {
            let mut failure = ModelFailure::fatal(ModelFailureKind::Script, mismatch.to_string());
            failure.detail = Some(request_text(&request));
            failure
        });
        if self.compares {
            place.last = Some(request);
        }
        checked.map(|()| Arc::clone(step))
    }

    fn no_run(&self, run: usize) -> ModelFailure {
        let (asked, known) = (run.saturating_add(1), self.runs.len());
        let message = format!(
            "script ended: the script {} has {known} 'user' lines and this is run {asked}; add a 'user' line and \
             'model …' lines",
            self.script
        );
        ModelFailure::fatal(ModelFailureKind::Script, message)
    }

    fn no_step(&self, run: usize, step: usize) -> ModelFailure {
        let (run, step) = (run.saturating_add(1), step.saturating_add(1));
        let message = format!(
            "script ended: the script {} has no step {step} in run {run}; add 'model …' lines",
            self.script
        );
        ModelFailure::fatal(ModelFailureKind::Script, message)
    }
}

impl ModelPort for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let playback = match self.serve(request) {
            Ok(step) => Playback::new(&step),
            Err(failure) => {
                Playback { pieces: VecDeque::new(), sleep: None, ending: StreamEnd::Fail(failure) }
            }
        };
        Box::pin(playback)
    }
}

/// One step being played.
struct Playback {
    pieces: VecDeque<StepPiece>,
    sleep: Option<Pin<Box<Sleep>>>,
    ending: StreamEnd,
}

/// What comes after the last piece.
enum StreamEnd {
    Fail(ModelFailure),
    Hang,
    Close,
}

impl Playback {
    fn new(step: &ScriptedStep) -> Self {
        let ending = match &step.ending {
            // A cut is a stream that just ends: whoever reads it must notice.
            StepEnding::Finish(_) | StepEnding::Cut => StreamEnd::Close,
            StepEnding::Hang => StreamEnd::Hang,
            StepEnding::Fail(failure) => StreamEnd::Fail(failure.clone()),
        };
        Self { pieces: step.pieces().into(), sleep: None, ending }
    }
}

impl Stream for Playback {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                match sleep.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.sleep = None,
                }
            }
            match self.pieces.pop_front() {
                Some(StepPiece::Delta(delta)) => return Poll::Ready(Some(Ok(delta))),
                Some(StepPiece::Delay { delay_ms }) => {
                    self.sleep = Some(Box::pin(sleep(Duration::from_millis(delay_ms))));
                }
                None => break,
            }
        }
        match std::mem::replace(&mut self.ending, StreamEnd::Close) {
            StreamEnd::Close => Poll::Ready(None),
            StreamEnd::Fail(failure) => Poll::Ready(Some(Err(failure))),
            StreamEnd::Hang => {
                // Nobody will wake this stream: it ends by being dropped.
                self.ending = StreamEnd::Hang;
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
