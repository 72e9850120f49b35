//! Probes of thinking: whether it is shown, and whether it may come back.

use serde_json::json;

use super::report::Found;
use super::visit::{Patch, Question, Reply, Visit, WEATHER};
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

pub(super) async fn reasoning(visit: &mut Visit<'_>) -> Found {
    let question = Question::new("Is 391 a prime number? Think, then answer yes or no.").thinking();
    let patch = ask_of(visit);
    match visit.ask_with(&question, &patch).await {
        Reply::Answered(answer) if answer.thinks() => {
            visit.learn(&patch);
            visit.thinks = true;
            Found::pass("thinking is shown")
        }
        Reply::Answered(_) => Found::unsure("no thinking was shown: the model has none, or hides it"),
        Reply::Refused(failure) => {
            visit.learn(&vec![("ask", json!("absent"))]);
            Found::fail("it cannot be asked to think: the wish is left out").saying(&failure.message)
        }
        Reply::Lost(failure) => Found::lost(&failure),
    }
}

pub(super) async fn reasoning_echo(visit: &mut Visit<'_>) -> Found {
    if !visit.thinks {
        return Found::skipped("no thinking was seen");
    }
    let mut question =
        Question::new("What is the weather in Oslo now? Think, then use the tool.").with_tools().thinking();
    match visit.ask(&question).await {
        Reply::Answered(answer) if answer.thinks() && !answer.calls().is_empty() => {
            question.messages.extend(answer.to_messages(WEATHER));
        }
        Reply::Answered(_) => return Found::unsure("no call with thinking came this time"),
        Reply::Refused(failure) | Reply::Lost(failure) => return Found::lost(&failure),
    }
    match visit.ask(&question).await {
        Reply::Answered(_) => Found::pass("thinking may come back with its calls"),
        Reply::Refused(failure) => {
            let forms = ["always", "text", "state", "never"].map(|form| vec![("echo", json!(form))]);
            match visit.find_patch(&question, forms.into()).await {
                Some(patch) => {
                    visit.learn(&patch);
                    Found::pass("thinking may come back, written differently")
                }
                None => Found::fail("calls made while thinking are not taken back: ask it not to think")
                    .saying(&failure.message),
            }
        }
        Reply::Lost(failure) => Found::lost(&failure),
    }
}
