//! Records in other words: whoever reads a journal may not hang on how anything in it is worded.

use std::sync::Arc;

use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::message::Message;

/// Other words of the same length: how much history fits is decided by it.
pub fn other_words(text: &mut String) {
    *text = text.chars().map(|letter| if letter.is_ascii_alphanumeric() { 'x' } else { letter }).collect();
}

/// The same record with other words wherever a person or the model is told something by the program.
pub fn reworded(record: &Record) -> Record {
    let mut record = record.clone();
    match &mut record.event {
        Event::Durable(DurableEvent::StepDelayed { message, .. })
        | Event::Durable(DurableEvent::RequestAdjusted { message, .. })
        | Event::Durable(DurableEvent::WarningRaised { message, .. })
        | Event::Durable(DurableEvent::ErrorRaised { message, .. }) => other_words(message),
        Event::Durable(DurableEvent::NoteAdded { text }) => other_words(text),
        Event::Durable(DurableEvent::InnerCallEnded { said, .. }) => other_words(said),
        Event::Durable(DurableEvent::CallEnded { outcome, message, .. }) => {
            if let Err(failure) = &mut Arc::make_mut(outcome).body {
                other_words(&mut failure.message);
                failure.hint.iter_mut().for_each(other_words);
            }
            if let Message::Tool(tool) = Arc::make_mut(message) {
                other_words(&mut tool.content);
            }
        }
        Event::Durable(DurableEvent::PermissionDecided { problem, .. }) => {
            problem.iter_mut().for_each(other_words)
        }
        Event::Durable(DurableEvent::RunEnded { outcome, answer, .. })
            if *outcome != RunOutcome::Completed =>
        {
            other_words(answer)
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => {}
    }
    record
}
