//! Known secrets are taken out of what comes to the machine: what it never hears stands in no event, no journal and no
//! request.
//!
//! Only values that are registered, no forms: a file that has something like a key in it must still be read as it is, or no
//! edit of it would fit. Arguments of calls stay as the model wrote them: they are what is approved and run, and the question
//! says how many characters of a secret it hides. Knows no model and no tool.

use std::borrow::Cow;

use crate::protocol::event::DeltaEvent;
use crate::protocol::message::{Message, Part};
use crate::protocol::model::{ModelFailure, ModelStep};
use crate::protocol::tool::{ToolFailure, ToolOutcome, ToolOutput};
use crate::run::input::Input;
use crate::text::redact::Redactor;

/// An input without the secrets that the redactor knows by their values.
pub fn clean_input(redactor: &Redactor, mut input: Input) -> Input {
    if !redactor.knows_values() {
        return input;
    }
    let known = &redactor.known_values();
    match &mut input {
        Input::UserMessage(start) => {
            if let Message::User { parts } = &mut start.send.message {
                clean_parts(known, parts);
            }
        }
        Input::ModelEnded(ModelStep { parts, .. }) => clean_parts(known, parts),
        Input::ModelFailed { failure, partial } => {
            let ModelFailure { message, .. } = failure;
            clean_text(known, message);
            clean_parts(known, partial);
        }
        Input::ModelNoticed(notice) => clean_text(known, &mut notice.message),
        Input::CallInspected { result: Err(failure), .. } => clean_failure(known, failure),
        Input::CallEnded { outcome, .. } => clean_outcome(known, outcome),
        Input::Cancel { partial } => clean_text(known, partial),
        Input::JournalFailed { message } => clean_text(known, message),
        Input::CallReady(_)
        | Input::CallInspected { result: Ok(_), .. }
        | Input::PermissionAnswered { .. }
        | Input::ModeChanged(_)
        | Input::DeadlinePassed(_) => {}
    }
    input
}

/// A piece of what is shown as it comes, cleaned alike. Texts of a model were parted before, so that no secret stands over
/// two pieces.
pub fn clean_delta(redactor: &Redactor, delta: &mut DeltaEvent) {
    if !redactor.knows_values() {
        return;
    }
    match delta {
        DeltaEvent::TextDelta { text } | DeltaEvent::ReasoningDelta { text, .. } => {
            clean_text(&redactor.known_values(), text);
        }
        DeltaEvent::CallProgressed { line, .. } => clean_text(&redactor.known_values(), line),
        DeltaEvent::StepProgressed { .. } | DeltaEvent::CallDelta { .. } => {}
    }
}

fn clean_parts(known: &Redactor, parts: &mut [Part]) {
    for part in parts {
        match part {
            Part::Text { text } => clean_text(known, text),
            // The provider's own state goes back to it byte for byte.
            Part::Reasoning(thinking) => clean_text(known, &mut thinking.text),
            Part::Call(_) | Part::Image { .. } => {}
        }
    }
}

fn clean_outcome(known: &Redactor, outcome: &mut ToolOutcome) {
    match &mut outcome.body {
        Err(failure) => clean_failure(known, failure),
        Ok(ToolOutput { json, text, links, summary, .. }) => {
            known.clean_value(json);
            text.iter_mut().chain(summary).for_each(|text| clean_text(known, text));
            for link in links {
                [&mut link.title, &mut link.url, &mut link.snippet]
                    .into_iter()
                    .for_each(|text| clean_text(known, text));
            }
        }
    }
}

fn clean_failure(known: &Redactor, failure: &mut ToolFailure) {
    let ToolFailure { message, expected, received, hint, detail, .. } = failure;
    let others = [expected, received, hint, detail];
    clean_text(known, message);
    others.into_iter().flatten().for_each(|text| clean_text(known, text));
}

fn clean_text(known: &Redactor, text: &mut String) {
    if let Cow::Owned(cleaned) = known.clean(text) {
        *text = cleaned;
    }
}
