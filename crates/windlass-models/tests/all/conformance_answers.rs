//! Scenarios of answers: what a provider says comes out as it was said, on whatever wire.

use serde_json::{Value, json};
use windlass_core::protocol::message::{Message, Part, Reasoning};
use windlass_core::protocol::model::{Finish, ModelStep};
use windlass_testkit::provider::{VendorFault, VendorScript, VendorTool};

use crate::conformance_cell::*;

const THOUGHT: &str = "Step 0: «żółw» \\ \"look\"\n twice. 🦀";

fn user() -> Vec<Message> {
    vec![Message::user("Go on.")]
}

pub(crate) async fn text(cell: &Cell) -> Verdict {
    let script = VendorScript::default();
    let step = cell.answer(&script, user()).await?;
    same("text", said(&step), script.answer())?;
    same("calls", calls_of(&step), Vec::new())?;
    same("finish", step.finish, Finish::Stop)
}

pub(crate) async fn text_in_many_pieces(cell: &Cell) -> Verdict {
    let script = VendorScript { words: 300, ..VendorScript::default() };
    let heard = cell.ask(&script).await;
    same("text", heard.texts().concat(), script.answer())?;
    // Word by word as it was sent, and not in fewer pieces later.
    same("pieces", heard.texts().len(), 300)
}

pub(crate) async fn text_however_it_is_framed(cell: &Cell) -> Verdict {
    for fault in [VendorFault::OddFraming, VendorFault::SplitCharacters, VendorFault::ByteByByte] {
        for steps in [0, 1] {
            let script = VendorScript {
                steps,
                parallel: 2,
                fault: Some(fault),
                speaks_first: true,
                ..VendorScript::default()
            };
            let whole = VendorScript { fault: None, ..script.clone() };
            let (odd, plain) = (cell.answer(&script, user()).await?, cell.answer(&whole, user()).await?);
            same(&format!("{fault:?}"), nameless(&odd, &script), nameless(&plain, &whole))?;
        }
    }
    Ok(())
}

pub(crate) async fn reasoning(cell: &Cell) -> Verdict {
    let script = VendorScript { thinks: true, ..VendorScript::default() };
    let step = cell.answer(&script, user()).await?;
    same("thinking", thinking(&step), THOUGHT.to_owned())?;
    same("text", said(&step), script.answer())?;
    let is_first = matches!(step.parts.first(), Some(Part::Reasoning(_)));
    holds(is_first, "thinking comes before what was thought of")
}

fn thinking(step: &ModelStep) -> String {
    let thoughts = step.parts.iter().filter_map(|part| match part {
        Part::Reasoning(Reasoning { text, .. }) => Some(text.as_str()),
        Part::Text { .. } | Part::Call(_) | Part::Image { .. } => None,
    });
    thoughts.collect()
}

pub(crate) async fn reasoning_state_goes_back_to_its_own_model_alone(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, thinks: true, speaks_first: true, ..VendorScript::default() };
    let mut history = user();
    let step = cell.answer(&script, history.clone()).await?;
    let seals = seals_of(&step);
    holds(!seals.is_empty(), "no state came")?;
    append(&mut history, &step);
    // The provider refuses state that is not byte for byte what it gave.
    let answer = cell.answer(&script, history.clone()).await?;
    same("answer", said(&answer), script.answer())?;
    let body = cell.last_body();
    holds(seals.iter().all(|seal| body.contains(seal)), format!("{seals:?} did not go back: {body}"))?;
    let mut stranger = cell.target(&script);
    stranger.name = "another/model".to_owned();
    hear(stranger, calm(), request(history)).await;
    let body = cell.last_body();
    holds(body.contains("Let me look."), "the history went to the other model")?;
    holds(!seals.iter().any(|seal| body.contains(seal)), format!("{seals:?} went to another model: {body}"))
}

/// The signed and sealed texts in all state of a step; the provider's all end alike.
fn seals_of(step: &ModelStep) -> Vec<String> {
    fn find(value: &Value, seals: &mut Vec<String>) {
        match value {
            Value::String(text) if text.ends_with("w==") => seals.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| find(item, seals)),
            Value::Object(fields) => fields.values().for_each(|field| find(field, seals)),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut seals = Vec::new();
    find(&serde_json::to_value(&step.parts).unwrap(), &mut seals);
    find(&serde_json::to_value(&step.calls).unwrap(), &mut seals);
    seals
}

pub(crate) async fn one_call(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, ..VendorScript::default() };
    let step = cell.answer(&script, user()).await?;
    same("calls", calls_of(&step), vec![command(0, 0)])?;
    same("text", said(&step), String::new())?;
    same("finish", step.finish, Finish::Calls)
}

pub(crate) async fn r_22_a_call_without_arguments(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, tool: VendorTool::Tree, ..VendorScript::default() };
    let mut history = user();
    let step = cell.answer(&script, history.clone()).await?;
    same("calls", calls_of(&step), vec![("get_file_tree".to_owned(), json!({}))])?;
    append(&mut history, &step);
    same("answer", said(&cell.answer(&script, history).await?), script.answer())
}

pub(crate) async fn r_21_parallel_calls(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, parallel: 3, ..VendorScript::default() };
    let mut history = user();
    let step = cell.answer(&script, history.clone()).await?;
    same("calls", calls_of(&step), vec![command(0, 0), command(0, 1), command(0, 2)])?;
    append(&mut history, &step);
    same("answer", said(&cell.answer(&script, history).await?), script.answer())
}

pub(crate) async fn call_after_call(cell: &Cell) -> Verdict {
    let script =
        VendorScript { steps: 2, parallel: 2, thinks: true, speaks_first: true, ..VendorScript::default() };
    let mut history = user();
    for number in 0..2 {
        let step = cell.answer(&script, history.clone()).await?;
        same("calls", calls_of(&step), vec![command(number, 0), command(number, 1)])?;
        append(&mut history, &step);
    }
    same("answer", said(&cell.answer(&script, history).await?), script.answer())?;
    same("requests", cell.ledger().requests.len(), 3)
}

pub(crate) async fn r_26_text_before_a_call_is_kept(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, speaks_first: true, ..VendorScript::default() };
    let mut history = user();
    let step = cell.answer(&script, history.clone()).await?;
    same("text", said(&step), VendorScript::PREAMBLE.to_owned())?;
    same("calls", calls_of(&step), vec![command(0, 0)])?;
    same(
        "place of the call",
        step.calls.iter().map(|call| call.after_parts).collect(),
        vec![step.parts.len()],
    )?;
    append(&mut history, &step);
    cell.answer(&script, history).await?;
    holds(cell.last_body().contains(VendorScript::PREAMBLE), "the provider is told what it said")
}

pub(crate) async fn usage_in_normal_form(cell: &Cell) -> Verdict {
    let usage = cell.ask(&VendorScript::default()).await.usage();
    same("read and written", (usage.input, usage.output), (50, 12))
}

pub(crate) async fn usage_knows_cached_tokens(cell: &Cell) -> Verdict {
    same("cached", cell.ask(&VendorScript::default()).await.usage().cached, 20)
}

pub(crate) async fn usage_knows_reasoning_tokens(cell: &Cell) -> Verdict {
    same("reasoning", cell.ask(&VendorScript::default()).await.usage().reasoning, 5)
}

pub(crate) async fn an_answer_that_was_too_long(cell: &Cell) -> Verdict {
    let script = VendorScript { words: 6, fault: Some(VendorFault::Length), ..VendorScript::default() };
    let step = cell.answer(&script, user()).await?;
    let half = VendorScript { words: 3, ..VendorScript::default() };
    same("text", said(&step), half.answer())?;
    same("finish", step.finish, Finish::Length)
}

/// Asked for or not: a server may answer in one piece, and one that cannot stream is not asked to.
pub(crate) async fn s_24_a_whole_answer_is_the_same_answer(cell: &Cell) -> Verdict {
    for steps in [0, 1] {
        let streamed =
            VendorScript { steps, parallel: 2, thinks: true, speaks_first: true, ..VendorScript::default() };
        let script = VendorScript { fault: Some(VendorFault::Whole), ..streamed.clone() };
        let plain = cell.answer(&streamed, user()).await?;
        let plain = nameless(&plain, &streamed);
        let whole = cell.ask_with(&script, request(user())).await;
        same("pieces of text", whole.texts().len(), 1)?;
        same("unasked", nameless(&whole.into_step()?, &script), plain.clone())?;
        let mut target = cell.target(&streamed);
        target.quirks.streams = false;
        let asked = hear(target, calm(), request(user())).await;
        same("asked", nameless(&asked.into_step()?, &streamed), plain)?;
    }
    same("refusals", cell.ledger().refusals(), Vec::new())
}

/// A step as it can be compared between parts: state belongs to a model, and the model's name holds the part.
fn nameless(step: &ModelStep, script: &VendorScript) -> Value {
    let essence =
        json!({"parts": step.parts, "calls": calls_of(step), "finish": step.finish, "usage": step.usage});
    serde_json::from_str(&essence.to_string().replace(&script.to_string(), "")).unwrap()
}
