//! Probes of calls: whether they come, in which form, whether they can be steered and are taken back.

use std::collections::HashSet;

use serde_json::json;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::ToolChoice;
use windlass_core::protocol::tool::RawArgs;

use super::report::ProbeResult;
use super::visit::{ProbeAnswer, ProbeQuestion, ProbeReply, Visit, WEATHER, has_text_arg};
use crate::quirks::{ChoiceForm, ParallelCalls};

const WEATHER_QUESTION: &str = "What is the weather in Oslo now? Use the tool.";

fn weather_question() -> ProbeQuestion {
    ProbeQuestion::new(WEATHER_QUESTION).with_tools()
}

/// Native calls first, forced ones next, and at last calls written as tags.
pub(super) async fn one_call(visit: &mut Visit<'_>) -> ProbeResult {
    let native = vec![("calls", json!("native"))];
    let forced = vec![("calls", json!("native")), ("choice", json!("full"))];
    let mut refusal = None;
    for (patch, choice, meaning) in [
        (&native, ToolChoice::Auto, "tools are called"),
        (&forced, ToolChoice::Required, "tools are called, but only when the model must"),
    ] {
        match visit.ask_with(&weather_question().choosing(choice), patch).await {
            ProbeReply::Answered(answer) if !answer.calls().is_empty() => {
                visit.learn(&native);
                return remember(visit, answer, ProbeResult::pass(meaning));
            }
            ProbeReply::Answered(_) => {}
            ProbeReply::Refused(failure) => refusal = Some(failure),
            ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
        }
    }
    let tags = vec![("calls", json!("tags"))];
    let reply = visit.ask_with(&weather_question(), &tags).await;
    if !matches!(reply, ProbeReply::Lost(_)) {
        visit.learn(&tags);
    }
    let found = match reply {
        ProbeReply::Answered(answer) if !answer.calls().is_empty() => {
            let found =
                ProbeResult::fail("there are no calls of its own: written as tags in the text they work");
            remember(visit, answer, found)
        }
        ProbeReply::Answered(_) | ProbeReply::Refused(_) => {
            visit.can_call = Some(false);
            ProbeResult::fail("it calls no tools, not even as tags in the text: choose a model that does")
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    };
    refusal.iter().fold(found, |found, failure| found.saying(&failure.message))
}

fn remember(visit: &mut Visit<'_>, answer: Box<ProbeAnswer>, found: ProbeResult) -> ProbeResult {
    visit.can_call = Some(true);
    visit.called = Some(answer);
    found
}

pub(super) fn args_form(visit: &Visit<'_>) -> ProbeResult {
    let call = visit.called.as_deref().and_then(|answer| answer.calls().first());
    let Some(call) = call else { return ProbeResult::skipped("no call was seen") };
    if !has_text_arg(call, "city") {
        return ProbeResult::fail("arguments cannot be read as they come: they are repaired or sent back")
            .saying(&call.args.to_text());
    }
    match call.args {
        RawArgs::Text(_) => ProbeResult::pass("arguments come as JSON text"),
        RawArgs::Value(_) => ProbeResult::pass("arguments come as an object"),
    }
}

pub(super) async fn args_streamed(visit: &mut Visit<'_>) -> ProbeResult {
    let text = "Use write_note to keep a note of six lines about the sea.";
    match visit.ask(&ProbeQuestion::new(text).with_tools()).await {
        ProbeReply::Answered(answer) if answer.calls().is_empty() => {
            ProbeResult::unsure("no call came this time")
        }
        ProbeReply::Answered(answer) if answer.args_pieces() > answer.calls().len() => {
            ProbeResult::pass("arguments are seen while they are written")
        }
        ProbeReply::Answered(_) => {
            ProbeResult::fail("arguments come whole: it works, but a long one is not seen growing")
        }
        ProbeReply::Refused(failure) | ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn parallel_calls(visit: &mut Visit<'_>) -> ProbeResult {
    let text = "What is the weather in Oslo, in Rome and in Paris? Call get_weather three times at once, \
                before you read any result.";
    let question = ProbeQuestion::new(text).with_tools();
    let unsaid = vec![("parallel", json!("unsaid"))];
    let on = vec![("parallel", json!("on"))];
    let mut most = 0;
    for patch in [unsaid, on] {
        match visit.ask_with(&question, &patch).await {
            ProbeReply::Answered(answer) if answer.calls().len() > 1 => {
                // Where parallel calls are off on purpose they stay off.
                if visit.quirks.parallel != ParallelCalls::Off {
                    visit.learn(&patch);
                }
                return ProbeResult::pass("several calls come in one step")
                    .saying(&format!("{} calls", answer.calls().len()));
            }
            ProbeReply::Answered(answer) => most = most.max(answer.calls().len()),
            ProbeReply::Refused(_) => {}
            ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
        }
    }
    match most {
        0 => ProbeResult::unsure("no call came this time"),
        _ => ProbeResult::fail("one call a step: it works, with more steps"),
    }
}

/// Fewer forms of choice than were assumed. More are never learned: where the catalogue says less than an
/// endpoint takes, it has its reason.
fn narrow_choice(visit: &mut Visit<'_>, form: ChoiceForm) {
    let rank = |form: ChoiceForm| match form {
        ChoiceForm::Full => 3,
        ChoiceForm::Words => 2,
        ChoiceForm::AutoOrNone => 1,
        ChoiceForm::Absent => 0,
    };
    if rank(form) < rank(visit.quirks.choice) {
        visit.learn(&vec![("choice", json!(form))]);
    }
}

pub(super) async fn required_choice(visit: &mut Visit<'_>) -> ProbeResult {
    let question = ProbeQuestion::new("Hello.").with_tools().choosing(ToolChoice::Required);
    let found = match visit.ask_with(&question, &vec![("choice", json!("full"))]).await {
        ProbeReply::Answered(answer) if !answer.calls().is_empty() => {
            visit.can_force = Some(true);
            return ProbeResult::pass("a call can be forced");
        }
        ProbeReply::Answered(answer) => {
            ProbeResult::fail("forcing a call is ignored: it is asked for in words").saying(&answer.text())
        }
        ProbeReply::Refused(failure) => {
            ProbeResult::fail("forcing a call is refused: it is asked for in words").saying(&failure.message)
        }
        ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
    };
    visit.can_force = Some(false);
    narrow_choice(visit, ChoiceForm::AutoOrNone);
    found
}

pub(super) async fn named_choice(visit: &mut Visit<'_>) -> ProbeResult {
    let choice = ToolChoice::Named("get_time".to_owned());
    let question = ProbeQuestion::new("Hello. I am in Oslo.").with_tools().choosing(choice);
    let found = match visit.ask_with(&question, &vec![("choice", json!("full"))]).await {
        ProbeReply::Answered(answer) if answer.calls().iter().any(|call| call.name == "get_time") => {
            return ProbeResult::pass("a certain call can be forced");
        }
        ProbeReply::Answered(answer) => {
            ProbeResult::fail("naming the tool is ignored: only that tool is shown instead")
                .saying(&answer.text())
        }
        ProbeReply::Refused(failure) => {
            ProbeResult::fail("naming the tool is refused: only that tool is shown instead")
                .saying(&failure.message)
        }
        ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
    };
    if visit.can_force == Some(true) {
        narrow_choice(visit, ChoiceForm::Words);
    }
    found
}

pub(super) async fn forbidden_choice(visit: &mut Visit<'_>) -> ProbeResult {
    let question = weather_question().choosing(ToolChoice::Forbidden);
    let shown = vec![("has_none_with_tools", json!(true))];
    let found = match visit.ask_with(&question, &shown).await {
        ProbeReply::Answered(answer) if answer.calls().is_empty() && !answer.text().trim().is_empty() => {
            return ProbeResult::pass("calls can be forbidden");
        }
        ProbeReply::Answered(_) => {
            ProbeResult::fail("forbidding calls is ignored: tools are left out when none may be called")
        }
        ProbeReply::Refused(failure) => {
            // An endpoint that takes no word at all is told none.
            if visit.can_force == Some(false) {
                narrow_choice(visit, ChoiceForm::Absent);
            }
            ProbeResult::fail("forbidding calls is refused: tools are left out when none may be called")
                .saying(&failure.message)
        }
        ProbeReply::Lost(failure) => return ProbeResult::lost(&failure),
    };
    visit.learn(&vec![("has_none_with_tools", json!(false))]);
    found
}

/// The history of a call that was answered, as far as there is one.
fn answered_history(visit: &Visit<'_>) -> Option<Vec<Message>> {
    let answer = visit.called.as_deref()?;
    let asked = std::iter::once(Message::user(WEATHER_QUESTION));
    Some(asked.chain(answer.to_messages(WEATHER)).collect())
}

pub(super) async fn pairing(visit: &mut Visit<'_>) -> ProbeResult {
    let Some(history) = answered_history(visit) else { return ProbeResult::skipped("no call was seen") };
    let mut question = weather_question();
    question.messages = history;
    match visit.ask(&question).await {
        ProbeReply::Answered(answer) if answer.says("17") => {
            ProbeResult::pass("the outcome of a call is used")
        }
        ProbeReply::Answered(answer) => {
            ProbeResult::unsure("the outcome was taken, but not used in the answer").saying(&answer.text())
        }
        ProbeReply::Refused(failure) => {
            let empty = ("empty_content", json!("empty"));
            let names = ("names_outcomes", json!(true));
            let index = ("echoes_index", json!(true));
            let patches = vec![
                vec![empty.clone()],
                vec![names.clone()],
                vec![("ids", json!("nine"))],
                vec![("echo", json!("always"))],
                vec![empty, names, index],
            ];
            match visit.find_patch(&question, patches).await {
                Some(patch) => {
                    visit.learn(&patch);
                    ProbeResult::pass("a call and its outcome are taken back, written a little differently")
                }
                None => ProbeResult::fail("a call and its outcome are not taken back: tools cannot be used")
                    .saying(&failure.message),
            }
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) async fn user_after_outcome(visit: &mut Visit<'_>) -> ProbeResult {
    let Some(history) = answered_history(visit) else { return ProbeResult::skipped("no call was seen") };
    let question = ProbeQuestion::after(history, "Say it in three words.").with_tools();
    match visit.ask(&question).await {
        ProbeReply::Answered(_) => ProbeResult::pass("a user message may follow an outcome"),
        ProbeReply::Refused(failure) => {
            let bridged = vec![vec![("bridges_outcomes", json!(true))]];
            let found = ProbeResult::fail("no user message may follow an outcome");
            match visit.find_patch(&question, bridged).await {
                Some(patch) => {
                    visit.learn(&patch);
                    ProbeResult::fail(
                        "an answer must stand between an outcome and a user message: one is put there",
                    )
                    .saying(&failure.message)
                }
                None => found.saying(&failure.message),
            }
        }
        ProbeReply::Lost(failure) => ProbeResult::lost(&failure),
    }
}

pub(super) fn call_ids(visit: &Visit<'_>) -> ProbeResult {
    let ids: Vec<&str> = visit.call_ids.iter().flatten().map(String::as_str).collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    match (visit.call_ids.len(), ids.len(), unique.len()) {
        (0, _, _) => ProbeResult::skipped("no call was seen"),
        (all, some, _) if some < all => {
            ProbeResult::fail("calls have no ids: Windlass makes its own").saying(&format!("{some} of {all}"))
        }
        (all, _, unique) if unique < all => {
            ProbeResult::fail("ids come back for other calls: Windlass makes its own")
                .saying(&format!("{unique} for {all} calls"))
        }
        (all, _, _) => ProbeResult::pass("every call has its own id").saying(&format!("{all} calls")),
    }
}
