//! Staged edits: a change of files that would have to be asked about and is put off instead. Nothing is written;
//! the model is told that it awaits approval, and the user applies it when they have looked at it.

use serde_json::Value;

use super::approved::PendingQuestion;
use super::audit::{AuditDecision, AuditEntry};
use super::gate::{Gate, Refusal};
use super::question::{Inspection, Preview, Question};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::tool::{CheckedCall, ErrorKind, ToolFailure, ToolOutcome};

/// What a model does about an edit that waits.
const LEAVE: &str =
    "Leave this file alone until you are told that the edit was applied; other files can be edited";

/// An edit that was put off.
#[derive(Debug, PartialEq)]
pub struct StagedCall {
    call: CheckedCall,
    proposal: Box<Question>,
}

impl Inspection {
    /// Whether the call would change files: what it would do is shown as a diff.
    pub fn is_edit(&self) -> bool {
        matches!(self.preview, Some(Preview::Diff(_)))
    }

    /// What was looked at when this was proposed.
    pub(crate) fn of_proposal(proposal: &Question) -> Self {
        // All its arguments, pins among them: put off once more, the call has the same ones.
        let pins = match serde_json::from_str(&proposal.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) | Err(_) => serde_json::Map::new(),
        };
        Self { pins, ..Self::of_question(proposal) }
    }

    /// What a question on record says was looked at.
    pub(crate) fn of_question(question: &Question) -> Self {
        let Question { targets, preview, folder, caution, risk, .. } = question.clone();
        Self { targets, preview, folder, caution, risk: Some(risk), ..Self::default() }
    }
}

impl PendingQuestion {
    /// Puts the question off. Whoever takes it up calls the tool with the arguments of the proposal: they hold
    /// the call to what was looked at now.
    pub fn put_off(self) -> StagedCall {
        let (call, inspection, mut proposal) = self.into_parts();
        let mut arguments = call.args.clone();
        arguments.extend(inspection.pins);
        proposal.arguments = Value::Object(arguments).to_string();
        proposal.digest = proposal.digest_by_hand();
        StagedCall { call, proposal }
    }
}

impl StagedCall {
    /// The line for the audit log.
    pub fn audit(&self, ts_ms: Millis) -> AuditEntry {
        let reason = format!("{}: staged, awaits approval", Gate::Mode.word());
        AuditEntry::new(ts_ms, AuditDecision::DeniedByPolicy, &self.call.spec.name, reason, &self.call.args)
    }

    /// What the call gave: it did not run, and this is what waits.
    pub fn into_outcome(self) -> ToolOutcome {
        let message = format!(
            "The edit is staged as proposal {} and awaits the user's approval; nothing was written. {LEAVE}",
            self.proposal.call_id
        );
        let failure = ToolFailure::new(ErrorKind::PermissionDenied, message)
            .hint("Say in your answer which edits await approval.");
        let mut outcome = ToolOutcome::failed(failure);
        outcome.meta.proposal = Some(self.proposal);
        outcome
    }
}

impl Refusal {
    /// An edit of the same file awaits approval: no other is made behind it.
    pub(crate) fn behind_staged(staged: &CallId) -> Self {
        let message = format!(
            "Edit {staged} of this file awaits the user's approval already; this edit was neither made nor staged. {LEAVE}"
        );
        Self::new(Gate::Mode, message, format!("Say in your answer what comes after edit {staged}."))
    }
}

#[cfg(test)]
#[path = "staged_tests.rs"]
mod tests;
