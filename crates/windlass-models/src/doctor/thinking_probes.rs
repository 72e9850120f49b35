//! Probes of thinking: whether it is shown, and whether it may come back.

use serde_json::json;

use super::report::ProbeResult;
use super::visit::{Patch, ProbeQuestion, ProbeReply, Visit, WEATHER};
use crate::quirks::ReasoningAsk;
use crate::target::WireKind;

/// How to ask an endpoint of which nothing is known.
fn ask_of(visit: &Visit<'_>) -> Patch {
    let word = match (visit.quirks.ask, visit.target.wire) {
        (ReasoningAsk::Absent, WireKind::Chat) => "effort",
        (ReasoningAsk::Absent, WireKind::Responses | WireKind::Gemini) => "object",
        (ReasoningAsk::Absent, WireKind::Messages) => "thinking_type",
        (ReasoningAsk::Absent, WireKind::Ollama) => "think",
        (
            ReasoningAsk::Effort
            | ReasoningAsk::Object
            | ReasoningAsk::EnableThinking
            | ReasoningAsk::TemplateArgs
            | ReasoningAsk::ThinkingType
            | ReasoningAsk::Think,
            _,
        ) => return Patch::new(),
    };
    vec![("ask", json!(word))]
}

pub(super) async fn reasoning(visit: &mut Visit<'_>) -> ProbeResult {
    let question = ProbeQuestion::new("Is 391 a prime number? Think, then answer yes or no.").thinking();
    let patch = ask_of(visit);
    match visit.ask_with(&question, &patch).await {
        ProbeReply::Answered(answer) if answer.thinks() => {
            visit.learn(&patch);
            visit.thinks = true;
            ProbeResult::pass("thinking is shown")
        }
        ProbeReply::Answered(_) => {
            ProbeResult::unsure("no thinking was shown: the model has none, or hides it")
        }
        ProbeReply::Refused(failure) => {
            visit.learn(&vec![("ask", json!("absent"))]);
            ProbeResult::fail("it cannot be asked to think: the wish is left out").saying(&failure.message)
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn reasoning_echo(visit: &mut Visit<'_>) -> ProbeResult {
    if !visit.thinks {
        return ProbeResult::skipped("no thinking was seen");
    }
    let mut question = ProbeQuestion::new("What is the weather in Oslo now? Think, then use the tool.")
        .with_tools()
        .thinking();
    match visit.ask(&question).await {
        ProbeReply::Answered(answer) if answer.thinks() && !answer.calls().is_empty() => {
            question.messages.extend(answer.to_messages(WEATHER));
        }
        ProbeReply::Answered(_) => return ProbeResult::unsure("no call with thinking came this time"),
        ProbeReply::Refused(failure) | ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
    }
    match visit.ask(&question).await {
        ProbeReply::Answered(_) => ProbeResult::pass("thinking may come back with its calls"),
        ProbeReply::Refused(failure) => {
            let forms = ["always", "text", "state", "never"].map(|form| vec![("echo", json!(form))]);
            match visit.find_patch(&question, forms.into()).await {
                Some(patch) => {
                    visit.learn(&patch);
                    ProbeResult::pass("thinking may come back, written differently")
                }
                None => {
                    ProbeResult::fail("calls made while thinking are not taken back: ask it not to think")
                        .saying(&failure.message)
                }
            }
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}
