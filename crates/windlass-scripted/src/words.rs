//! The words of scripts and what they mean.

use windlass_core::protocol::event::{RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::model::{Finish, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::OutcomeStatus;

/// Words that may begin a header line.
pub(crate) const HEADER: [&str; 11] = [
    "title",
    "profile",
    "root",
    "approve",
    "max-steps",
    "limit",
    "allow",
    "deny",
    "tools-allowed",
    "chunk",
    "interleave",
];

/// Words that may begin a happening.
pub(crate) const BODY: [&str; 13] = [
    "user",
    "model",
    "approve",
    "deny",
    "tool",
    "cancel",
    "deadline",
    "expect",
    "expect-request",
    "expect-outcome",
    "expect-answer",
    "expect-warning",
    "expect-call",
];

/// Words that may follow `model`.
pub(crate) const MODEL: [&str; 13] = [
    "text",
    "reasoning",
    "reasoning-state",
    "call",
    "raw-call",
    "value-call",
    "delay",
    "usage",
    "end",
    "cut",
    "hang",
    "fail",
    "fail!",
];

/// Words that may follow `tool N`.
pub(crate) const TOOL: [&str; 6] = ["ok", "text", "fill", "fail", "timeout", "hang"];

/// Words that may follow `expect-request`.
pub(crate) const REQUEST: [&str; 6] = ["contains", "lacks", "tools", "tool-choice", "purpose", "same-prefix"];

/// Names of the durable events, as `Event::name` gives them.
pub(crate) const EVENTS: [&str; 14] = [
    "run-started",
    "step-started",
    "step-delayed",
    "request-adjusted",
    "step-ended",
    "call-requested",
    "permission-requested",
    "permission-decided",
    "call-started",
    "call-ended",
    "note-added",
    "warning-raised",
    "error-raised",
    "run-ended",
];

/// Names of the events that are not durable: known, to say why they cannot be expected.
pub(crate) const DELTAS: [&str; 4] = ["reasoning-delta", "text-delta", "call-delta", "call-progressed"];

pub(crate) const OUTCOMES: [RunOutcome; 4] =
    [RunOutcome::Completed, RunOutcome::LimitReached, RunOutcome::Cancelled, RunOutcome::Failed];

pub(crate) const REASONS: [StopReason; 15] = [
    StopReason::Answered,
    StopReason::StepsMax,
    StopReason::CallsMax,
    StopReason::TokensMax,
    StopReason::CostMax,
    StopReason::BytesMax,
    StopReason::Deadline,
    StopReason::RepeatedCall,
    StopReason::CorrectionFailed,
    StopReason::AnswerCut,
    StopReason::Cancelled,
    StopReason::ModelFailed,
    StopReason::ToolFailed,
    StopReason::JournalFailed,
    StopReason::Interrupted,
];

/// What runs warn of.
pub(crate) const WARNINGS: [WarningCode; 10] = [
    WarningCode::ToolClamp,
    WarningCode::MaxSteps,
    WarningCode::MaxCalls,
    WarningCode::RepeatCall,
    WarningCode::Truncated,
    WarningCode::DroppedArgs,
    WarningCode::NoToolSupport,
    WarningCode::FinalizeRefusedCall,
    WarningCode::Emulated,
    WarningCode::CostUnknown,
];

/// Why steps are asked for.
pub(crate) const PURPOSES: [StepPurpose; 4] =
    [StepPurpose::Work, StepPurpose::Correction, StepPurpose::Continuation, StepPurpose::Finalise];

pub(crate) const STATUSES: [OutcomeStatus; 6] = [
    OutcomeStatus::Ok,
    OutcomeStatus::Failed,
    OutcomeStatus::Denied,
    OutcomeStatus::Staged,
    OutcomeStatus::Cancelled,
    OutcomeStatus::Interrupted,
];

pub(crate) fn reason_word(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Answered => "answered",
        StopReason::StepsMax => "steps_max",
        StopReason::CallsMax => "calls_max",
        StopReason::TokensMax => "tokens_max",
        StopReason::CostMax => "cost_max",
        StopReason::BytesMax => "bytes_max",
        StopReason::Deadline => "deadline",
        StopReason::RepeatedCall => "repeated_call",
        StopReason::CorrectionFailed => "correction_failed",
        StopReason::AnswerCut => "answer_cut",
        StopReason::Cancelled => "cancelled",
        StopReason::ModelFailed => "model_failed",
        StopReason::ToolFailed => "tool_failed",
        StopReason::JournalFailed => "journal_failed",
        StopReason::Interrupted => "interrupted",
    }
}

pub(crate) fn purpose_word(purpose: StepPurpose) -> &'static str {
    match purpose {
        StepPurpose::Work => "work",
        StepPurpose::Correction => "correction",
        StepPurpose::Continuation => "continuation",
        StepPurpose::Finalise => "finalise",
    }
}

/// The word of a finish; `other:` carries the provider's own.
pub(crate) fn finish_word(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stop".to_owned(),
        Finish::Calls => "calls".to_owned(),
        Finish::Length => "length".to_owned(),
        Finish::Paused => "paused".to_owned(),
        Finish::Filtered => "filtered".to_owned(),
        Finish::Other(word) => format!("other:{word}"),
    }
}

/// The word of a tool choice; `named:` carries the tool's name.
pub(crate) fn choice_word(choice: &ToolChoice) -> String {
    match choice {
        ToolChoice::Auto => "auto".to_owned(),
        ToolChoice::Required => "required".to_owned(),
        ToolChoice::Forbidden => "forbidden".to_owned(),
        ToolChoice::Named(name) => format!("named:{name}"),
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
