//! The end of a run that stopped in the middle and cannot be taken up again: every open call gets its outcome,
//! the user is told why, and the run has failed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::calls::envelope::render_for_model;
use crate::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::message::{Message, ToolMessage};
use crate::protocol::model::Usage;
use crate::protocol::tool::{
    Category, ErrorKind, InnerCall, ToolCall, ToolFailure, ToolOutcome, Visibility, inside_of, tell_inside,
};
use crate::run::RunSettings;

/// The outcome of a call of which nobody knows whether it happened, or how much of it: with the calls that it had made.
pub fn interrupted_outcome(tool: &str, inside: &[InnerCall], now: Millis) -> ToolOutcome {
    let mut message = format!(
        "The program stopped while {tool} ran; it may or may not have happened, and it was not run again"
    );
    if !inside.is_empty() {
        message = format!("{message}. {}", tell_inside(inside));
    }
    let failure = ToolFailure::new(ErrorKind::Interrupted, message)
        .hint("Look whether it happened before you repeat the call.");
    ToolOutcome::failed(failure).timed(now, now)
}

/// The events that end a run of which these are the records.
pub fn abandon(settings: &RunSettings, records: &[Arc<Record>], why: &str, now: Millis) -> Vec<Event> {
    let mut open: BTreeMap<(u64, CallId), (&ToolCall, Category, Visibility)> = BTreeMap::new();
    let mut usage = Usage::default();
    for record in records {
        let Event::Durable(event) = &record.event else { continue };
        match event {
            DurableEvent::CallRequested { call, category, visibility, .. } => {
                // By number, because `call_10` comes behind `call_9`: outcomes stand in call order.
                let key = (call.id.number().unwrap_or(u64::MAX), call.id.clone());
                open.insert(key, (call, *category, *visibility));
            }
            DurableEvent::CallEnded { call_id, .. } => {
                open.remove(&(call_id.number().unwrap_or(u64::MAX), call_id.clone()));
            }
            DurableEvent::StepEnded { usage: Some(step), .. } => usage.add(step),
            other => other.ignored(),
        }
    }
    let mut events: Vec<Event> = open
        .into_values()
        .map(|(call, category, visibility)| {
            let inside = inside_of(records.iter().map(AsRef::as_ref), &call.id);
            end_call(settings, call, &inside, (category, visibility), now)
        })
        .collect();
    let message = format!(
        "The program stopped in the middle of this run, and the run cannot be taken up again: {why}. What was \
         done is kept; send the message again to go on"
    );
    events.push(Event::Durable(DurableEvent::ErrorRaised {
        code: "interrupted".to_owned(),
        message: message.clone(),
    }));
    events.push(Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Failed,
        reason: StopReason::Interrupted,
        answer: message,
        usage,
    }));
    events
}

fn end_call(
    settings: &RunSettings,
    call: &ToolCall,
    inside: &[InnerCall],
    (category, visibility): (Category, Visibility),
    now: Millis,
) -> Event {
    let outcome = interrupted_outcome(&call.name, inside, now);
    let chars_max = settings.profile.limits.result_chars_max;
    let rendered = render_for_model(&settings.profile, &call.id, &call.name, &outcome, chars_max);
    let message = Message::Tool(ToolMessage {
        call_id: call.id.clone(),
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        content: rendered.content,
        is_ok: false,
        is_valid_call: true,
        label: None,
    });
    Event::Durable(DurableEvent::CallEnded {
        call_id: call.id.clone(),
        name: call.name.clone(),
        outcome: Arc::new(outcome),
        message: Arc::new(message),
        category,
        visibility,
    })
}
