//! The doctor: small probes of a live endpoint, and what the adapter should know of it.
//!
//! Owns the order of the probes, their limits and the diagnosis. A probe asks something harmless and looks
//! at what comes back; what an endpoint refuses is told apart from what only went wrong. Findings change
//! quirks, as a patch that is stored and laid over the catalogue. Knows no wire and no HTTP: it asks a
//! [`Patient`].

mod answer_probes;
mod call_probes;
mod report;
mod thinking_probes;
mod visit;

use std::time::Duration;

use windlass_core::ports::BoxFuture;
use windlass_core::protocol::ids::Millis;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};

pub use report::{Diagnosis, Probe, ProbeFinding, ProbeVerdict};

use crate::quirks::Quirks;
use crate::target::ModelTarget;
use report::ProbeResult;
use visit::Visit;

/// An endpoint that can be asked with any quirks. Dropping the future must close the connection.
pub trait Patient: Send + Sync {
    /// One whole answer, delta by delta.
    fn ask<'a>(
        &'a self,
        request: ModelRequest,
        quirks: &'a Quirks,
    ) -> BoxFuture<'a, Result<Vec<ModelDelta>, ModelFailure>>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminationLimits {
    /// One probe with all its tries: a model on a small machine loads for a while before its first word.
    pub probe_timeout_ms: u64,
    /// The whole examination: a user waits for it.
    pub total_timeout_ms: u64,
}

impl Default for ExaminationLimits {
    fn default() -> Self {
        Self { probe_timeout_ms: 90_000, total_timeout_ms: 600_000 }
    }
}

/// How far an examination is.
#[derive(Debug, Clone, Copy)]
pub enum DoctorProgress<'a> {
    Begun(Probe),
    /// A probe found something.
    Found(&'a ProbeFinding),
}

/// Examines an endpoint, one probe after the other. `at_ms` is the time that the diagnosis bears. Dropping
/// the future stops the examination at once.
pub async fn examine(
    patient: &dyn Patient,
    target: &ModelTarget,
    limits: &ExaminationLimits,
    at_ms: Millis,
    progress: &mut (dyn FnMut(DoctorProgress<'_>) + Send),
) -> Diagnosis {
    let end = tokio::time::Instant::now() + Duration::from_millis(limits.total_timeout_ms);
    let mut visit = Visit::new(patient, target);
    let mut findings = Vec::new();
    for probe in Probe::ALL {
        // A probe that is left out takes no time, and nobody waits for it.
        if visit.reason_to_skip(probe).is_none() {
            progress(DoctorProgress::Begun(probe));
        }
        let limit = tokio::time::Instant::now() + Duration::from_millis(limits.probe_timeout_ms);
        let found = if end <= tokio::time::Instant::now() {
            ProbeResult::skipped("there was no time left")
        } else {
            match tokio::time::timeout_at(limit.min(end), run(probe, &mut visit)).await {
                Ok(found) => found,
                Err(_) => {
                    ProbeResult::unsure("no answer came in time; ask again when the endpoint is less busy")
                }
            }
        };
        // Without a plain answer nothing else means anything.
        if probe == Probe::PlainAnswer && found.verdict != ProbeVerdict::Pass {
            visit.give_up();
        }
        let finding = found.of(probe);
        progress(DoctorProgress::Found(&finding));
        findings.push(finding);
    }
    Diagnosis { target: target.name.clone(), at_ms, findings, patch: visit.into_patch() }
}

async fn run(probe: Probe, visit: &mut Visit<'_>) -> ProbeResult {
    if let Some(reason) = visit.reason_to_skip(probe) {
        return ProbeResult::skipped(reason);
    }
    match probe {
        Probe::PlainAnswer => answer_probes::plain_answer(visit).await,
        Probe::Streaming => answer_probes::streaming(visit).await,
        Probe::StreamUsage => answer_probes::stream_usage(visit).await,
        Probe::SystemText => answer_probes::system_text(visit).await,
        Probe::Note => answer_probes::note(visit).await,
        Probe::OneCall => call_probes::one_call(visit).await,
        Probe::ArgsForm => call_probes::args_form(visit),
        Probe::ArgsStreamed => call_probes::args_streamed(visit).await,
        Probe::ParallelCalls => call_probes::parallel_calls(visit).await,
        Probe::RequiredChoice => call_probes::required_choice(visit).await,
        Probe::NamedChoice => call_probes::named_choice(visit).await,
        Probe::ForbiddenChoice => call_probes::forbidden_choice(visit).await,
        Probe::Pairing => call_probes::pairing(visit).await,
        Probe::UserAfterOutcome => call_probes::user_after_outcome(visit).await,
        Probe::CallIds => call_probes::call_ids(visit),
        Probe::Reasoning => thinking_probes::reasoning(visit).await,
        Probe::ReasoningEcho => thinking_probes::reasoning_echo(visit).await,
        Probe::Picture => answer_probes::picture(visit).await,
        Probe::ResponseFormat => answer_probes::response_format(visit).await,
        Probe::LongPrompt => answer_probes::long_prompt(visit).await,
    }
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
