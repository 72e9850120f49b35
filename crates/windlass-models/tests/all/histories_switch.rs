//! Switching models: between any two wires nothing is lost that can be kept, and a model that comes back
//! finds its own thinking as it left it.

use serde_json::Value;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::ToolChoice;
use windlass_models::{ModelTarget, WireKind};

use crate::histories::{Row, rows};
use crate::histories_maker::{Maker, shared};
use crate::validators::{Said, said};

/// What a history says that every model can be told.
fn said_by(history: &[Message], row: &Row) -> Said {
    let mut all = Said::default();
    for message in history {
        match message {
            Message::User { parts } => parts.iter().for_each(|part| match part {
                Part::Text { text } => all.add_user(text),
                Part::Image { .. } if row.target.quirks.has_images => all.pictures += 1,
                Part::Image { media_type, .. } => {
                    all.add_user(&format!("[picture: {media_type}, not shown to this model]"));
                }
                Part::Reasoning(_) | Part::Call(_) => {}
            }),
            Message::Note { text } => all.add_user(text),
            Message::Tool(tool) => all.add_outcome(&tool.content),
            Message::Assistant { parts } => parts.iter().for_each(|part| match part {
                Part::Text { text } => all.add_answer(text),
                Part::Call(call) => {
                    let name = row.tools.wire_name(&call.name).unwrap_or(&call.name);
                    all.add_call(name, &call.arguments);
                }
                Part::Reasoning(_) | Part::Image { .. } => {}
            }),
        }
    }
    all
}

/// The marks in what a model keeps with its thinking and its calls.
fn marks_of(history: &[Message], model: &ModelTarget) -> Vec<String> {
    let mut marks = Vec::new();
    let mut take = |text: &str| {
        marks.extend(text.split("mark").skip(1).map(|rest| format!("mark{}", &rest[..16])));
    };
    let parts = history.iter().flat_map(|message| match message {
        Message::Assistant { parts } => parts.as_slice(),
        Message::User { .. } | Message::Tool(_) | Message::Note { .. } => &[],
    });
    for part in parts {
        match part {
            Part::Reasoning(reasoning) if reasoning.model.as_deref() == Some(&model.name) => {
                take(&reasoning.opaque.as_ref().map(Value::to_string).unwrap_or_default());
                if matches!(model.wire, WireKind::Messages | WireKind::Gemini | WireKind::Ollama) {
                    take(&reasoning.text);
                }
            }
            Part::Call(call) => {
                let own = call.state.as_deref().filter(|state| state.model == model.name);
                take(&own.map(|state| state.value.to_string()).unwrap_or_default());
            }
            Part::Reasoning(_) | Part::Text { .. } | Part::Image { .. } => {}
        }
    }
    marks
}

#[test]
fn a_switch_between_any_two_wires_loses_nothing_that_can_be_kept() {
    let rows = rows();
    for one in &rows {
        for other in &rows {
            let cast = [one.target.clone(), other.target.clone()];
            for seed in 0..60 {
                let history = Maker::new(seed, &cast).history();
                let messages = shared(history.clone());
                for row in [one, other] {
                    let body = row.body(&messages, ToolChoice::Auto, &mut Vec::new());
                    let request: Value = serde_json::from_slice(&body).unwrap();
                    let place = format!("{} → {}, seed {seed}", one.target.name, other.target.name);
                    assert_eq!(said(row.target.wire, &request), said_by(&history, row), "{place}");
                }
            }
        }
    }
}

#[test]
fn a_model_that_comes_back_finds_its_own_thinking_and_none_of_another() {
    let rows = rows();
    let cast: Vec<ModelTarget> = rows.iter().map(|row| row.target.clone()).collect();
    let mut seen = [0; 5];
    for seed in 0..200 {
        let history = Maker::new(seed, &cast).history();
        let messages = shared(history.clone());
        for (row, seen) in rows.iter().zip(&mut seen) {
            let body = String::from_utf8(row.body(&messages, ToolChoice::Auto, &mut Vec::new())).unwrap();
            for model in &cast {
                for mark in marks_of(&history, model) {
                    let is_own = model.name == row.target.name;
                    let times = body.matches(&mark).count();
                    assert_eq!(times, usize::from(is_own), "{mark} of {} in {body}", model.name);
                    *seen += usize::from(is_own);
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}
