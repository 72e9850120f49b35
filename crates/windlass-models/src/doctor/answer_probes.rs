//! Probes of answers: whether they come, how they come, and what may stand in a prompt.

use serde_json::{Value, json};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{ModelDelta, ModelFailureKind, Usage};

use super::report::ProbeResult;
use super::visit::{Patch, ProbeAnswer, ProbeQuestion, ProbeReply, Visit};
use crate::quirks::AnswerForms;
use crate::target::WireKind;

/// A red square of 32 by 32; some models refuse smaller ones.
const RED_SQUARE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC";

/// The long prompt: above the default context of small servers, below the context of any model worth its
/// tools.
const LONG_PROMPT_CHARS: u64 = 24_000;
/// Characters of a token at the most, averaged over numbered lines.
const TOKEN_CHARS_MAX: u64 = 6;
/// Context to ask of a server that takes wishes and used less.
const CONTEXT_TOKENS_ASKED: u64 = 16_384;

fn words(patch: &Patch) -> String {
    let words: Vec<String> = patch.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    words.join(", ")
}

/// An endpoint that refuses the plainest request may take it in another form.
pub(super) async fn plain_answer(visit: &mut Visit<'_>) -> ProbeResult {
    let question = ProbeQuestion::new("Answer with the single word: pong");
    let failure = match visit.ask(&question).await {
        ProbeReply::Answered(answer) if answer.text().trim().is_empty() => {
            return ProbeResult::fail("it answers nothing: the model may not be made for conversation");
        }
        ProbeReply::Answered(_) => return ProbeResult::pass("the endpoint answers"),
        ProbeReply::Lost(failure) => {
            return ProbeResult::fail("the endpoint does not answer: nothing else can be found out")
                .saying(&failure.message);
        }
        ProbeReply::Refused(failure) => failure,
    };
    let tokens = ("has_completion_tokens", json!(!visit.quirks.has_completion_tokens));
    let usage = ("has_stream_usage", json!(false));
    let patches = vec![
        vec![usage.clone()],
        vec![tokens.clone()],
        vec![usage.clone(), tokens.clone()],
        vec![("streams", json!(false))],
        vec![("streams", json!(false)), tokens],
    ];
    match visit.find_patch(&question, patches).await {
        Some(patch) => {
            visit.learn(&patch);
            ProbeResult::pass("the endpoint answers, asked a little differently").saying(&words(&patch))
        }
        None => ProbeResult::fail("the endpoint refuses a plain question: nothing else can be found out")
            .saying(&failure.message),
    }
}

pub(super) async fn streaming(visit: &mut Visit<'_>) -> ProbeResult {
    let question = ProbeQuestion::new("Count from 1 to 20, separated by commas. Nothing else.");
    let streams = vec![("streams", json!(true))];
    match visit.ask_with(&question, &streams).await {
        ProbeReply::Answered(answer) => {
            let pieces = answer.text_pieces();
            visit.learn(&streams);
            visit.streamed = Some(answer);
            if pieces > 1 {
                return ProbeResult::pass("answers are seen while they are written")
                    .saying(&format!("{pieces} pieces"));
            }
            ProbeResult::fail("the answer comes in one piece: it works, but nothing is seen until it is done")
        }
        ProbeReply::Refused(failure) => {
            visit.learn(&vec![("streams", json!(false))]);
            ProbeResult::fail("it does not stream: answers are asked for whole").saying(&failure.message)
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

fn usage_of(answer: &ProbeAnswer) -> Option<Usage> {
    let counts = |delta: &ModelDelta| match delta {
        ModelDelta::Usage(usage) if usage.input > 0 => Some(*usage),
        _ => None,
    };
    answer.deltas.iter().filter_map(counts).next_back()
}

pub(super) async fn stream_usage(visit: &mut Visit<'_>) -> ProbeResult {
    let counted = |usage: Usage| {
        ProbeResult::pass("tokens are counted by the provider")
            .saying(&format!("{} read, {} written", usage.input, usage.output))
    };
    if let Some(usage) = visit.streamed.as_deref().and_then(usage_of) {
        return counted(usage);
    }
    let question = ProbeQuestion::new("Answer with the single word: pong");
    let asked = vec![("has_stream_usage", json!(true))];
    match visit.ask_with(&question, &asked).await {
        ProbeReply::Answered(answer) => match usage_of(&answer) {
            Some(usage) => {
                visit.learn(&asked);
                counted(usage)
            }
            None => ProbeResult::fail("tokens are not counted: budgets and costs are estimates"),
        },
        ProbeReply::Refused(failure) => {
            visit.learn(&vec![("has_stream_usage", json!(false))]);
            ProbeResult::fail("tokens cannot be asked for: budgets and costs are estimates")
                .saying(&failure.message)
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn system_text(visit: &mut Visit<'_>) -> ProbeResult {
    let mut question = ProbeQuestion::new("Say hello.");
    question.system = "End every answer with the word WINDLASS.";
    match visit.ask(&question).await {
        ProbeReply::Answered(answer) if answer.says("windlass") => {
            ProbeResult::pass("instructions reach the model")
        }
        ProbeReply::Answered(answer) => {
            ProbeResult::unsure("the instruction was not obeyed: the model is small, or never saw it")
                .saying(&answer.text())
        }
        ProbeReply::Refused(failure) => {
            let roles = ["system", "developer", "user"].map(|role| vec![("system_role", json!(role))]);
            match visit.find_patch(&question, roles.into()).await {
                Some(patch) => {
                    visit.learn(&patch);
                    ProbeResult::pass("instructions are taken in another role").saying(&words(&patch))
                }
                None => ProbeResult::fail("system text is refused in every role").saying(&failure.message),
            }
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn note(visit: &mut Visit<'_>) -> ProbeResult {
    let history = vec![
        Message::user("Hello."),
        Message::assistant("Hello! What can I do?"),
        Message::note("The user is in a hurry: answer in one word."),
    ];
    let question = ProbeQuestion::after(history, "What is the capital of France?");
    let with_notes = vec![("has_notes", json!(true))];
    match visit.ask_with(&question, &with_notes).await {
        ProbeReply::Answered(_) => {
            // Two protocols have no such message at all: there it went as the user's, whatever was asked.
            match visit.target.wire {
                WireKind::Chat | WireKind::Responses | WireKind::Ollama => visit.learn(&with_notes),
                WireKind::Messages | WireKind::Gemini => {}
            }
            ProbeResult::pass("remarks of the runtime are taken in the middle")
        }
        ProbeReply::Refused(failure) => {
            visit.learn(&vec![("has_notes", json!(false))]);
            ProbeResult::fail("system messages in the middle are refused: remarks go as user messages")
                .saying(&failure.message)
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn picture(visit: &mut Visit<'_>) -> ProbeResult {
    let mut question = ProbeQuestion::new("What colour is this picture? Answer with one word.");
    if let Some(Message::User { parts }) = question.messages.last_mut() {
        parts.push(Part::Image { media_type: "image/png".to_owned(), url: RED_SQUARE.to_owned() });
    }
    let with_images = vec![("has_images", json!(true))];
    match visit.ask_with(&question, &with_images).await {
        ProbeReply::Answered(answer) if answer.says("red") => {
            visit.learn(&with_images);
            ProbeResult::pass("pictures are seen")
        }
        ProbeReply::Answered(answer) => {
            ProbeResult::unsure("pictures are taken, but this one was not seen").saying(&answer.text())
        }
        ProbeReply::Refused(failure) => {
            visit.learn(&vec![("has_images", json!(false))]);
            ProbeResult::fail("pictures are refused: they are left out, with a remark")
                .saying(&failure.message)
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn response_format(visit: &mut Visit<'_>) -> ProbeResult {
    let schema = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": false,
    });
    let by_schema =
        json!({"type": "json_schema", "json_schema": {"name": "place", "strict": true, "schema": schema}});
    let mut refusal = None;
    for (form, forms, meaning) in [
        (by_schema, "full", "answers can be made to fit a schema"),
        (
            json!({"type": "json_object"}),
            "object_only",
            "answers can be made JSON; a schema is only asked for in words",
        ),
    ] {
        // Anthropic's protocol has no word for the second: there it would only be a remark.
        if forms == "object_only" && visit.target.wire == WireKind::Messages {
            break;
        }
        let taken = vec![("response_format", json!(forms))];
        let mut question =
            ProbeQuestion::new("Name the capital of France as a JSON object with the one field \"city\".");
        question.sampling.response_format = Some(form);
        match visit.ask_with(&question, &taken).await {
            ProbeReply::Answered(answer) => {
                let value = serde_json::from_str::<Value>(&answer.text());
                if value.is_ok_and(|value| value.get("city").is_some()) {
                    // What the catalogue withholds is not given back.
                    if forms == "object_only" && visit.quirks.response_format == AnswerForms::Full {
                        visit.learn(&taken);
                    }
                    return ProbeResult::pass(meaning);
                }
                return ProbeResult::unsure("the form of an answer is taken, but not kept")
                    .saying(&answer.text());
            }
            ProbeReply::Refused(failure) => refusal = Some(failure),
            ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
        }
    }
    visit.learn(&vec![("response_format", json!("absent"))]);
    let found = ProbeResult::fail("the form of an answer cannot be prescribed: response_format is left out");
    refusal.iter().fold(found, |found, failure| found.saying(&failure.message))
}

/// A password in the first line, and many lines after it.
fn long_text(chars_max: u64) -> String {
    let mut text = String::from("The password is WALNUT.\n");
    let mut number = 0u32;
    while (text.len() as u64) < chars_max {
        number = number.saturating_add(1);
        let line = format!("Line {number}: entry {} was filed under {}.\n", number * 7919, number * 31);
        text.push_str(&line);
    }
    text
}

pub(super) async fn long_prompt(visit: &mut Visit<'_>) -> ProbeResult {
    let room =
        visit.target.abilities.context_tokens.map_or(LONG_PROMPT_CHARS, |tokens| tokens.saturating_mul(2));
    let mut text = long_text(LONG_PROMPT_CHARS.min(room));
    let chars = text.len() as u64;
    text.push_str("\nWhich password stands in the first line? Answer with one word.");
    let answer = match visit.ask(&ProbeQuestion::new(text)).await {
        ProbeReply::Answered(answer) => answer,
        ProbeReply::Refused(failure) if failure.kind == ModelFailureKind::ContextOverflow => {
            return ProbeResult::pass("a prompt that is too long is refused, not cut")
                .saying(&failure.message);
        }
        ProbeReply::Refused(failure) | ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
    };
    if answer.says("walnut") {
        return ProbeResult::pass("a long prompt is read whole");
    }
    let Some(usage) = usage_of(&answer) else {
        return ProbeResult::unsure("the beginning was not found again, and tokens are not counted");
    };
    if usage.input >= chars / TOKEN_CHARS_MAX {
        return ProbeResult::unsure("a long prompt is read, but its beginning was not found again");
    }
    let asked = visit.quirks.context_tokens_asked;
    if visit.target.wire == WireKind::Ollama && asked.is_none_or(|asked| asked < CONTEXT_TOKENS_ASKED) {
        visit.learn(&vec![("context_tokens_asked", json!(CONTEXT_TOKENS_ASKED))]);
    }
    ProbeResult::fail(
        "the beginning of a long prompt is dropped silently: give the server more context (num_ctx, \
         --ctx-size, --max-model-len)",
    )
    .saying(&format!("{} tokens of {chars} characters were read", usage.input))
}
