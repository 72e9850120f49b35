//! Probes of calls: whether they come, in which form, whether they can be steered and are taken back.

use std::collections::HashSet;

use serde_json::json;
use windlass_core::message::Message;
use windlass_core::model::ToolChoice;
use windlass_core::tool::RawArgs;

use super::report::Found;
use super::visit::{Answer, Question, Reply, Visit, WEATHER, has_text_arg};
use crate::quirks::{ChoiceForm, ParallelCalls};

const WEATHER_QUESTION: &str = "What is the weather in Oslo now? Use the tool.";

fn weather_question() -> Question {
    Question::new(WEATHER_QUESTION).with_tools()
}

/// Native calls first, forced ones next, and at last calls written as tags.
pub(super) async fn one_call(visit: &mut Visit<'_>) -> Found {
    let native = vec![("calls", json!("native"))];
    let forced = vec![("calls", json!("native")), ("choice", json!("full"))];
    let mut refusal = None;
    for (patch, choice, meaning) in [
        (&native, ToolChoice::Auto, "tools are called"),
        (&forced, ToolChoice::Required, "tools are called, but only when the model must"),
    ] {
        match visit.ask_with(&weather_question().choosing(choice), patch).await {
            Reply::Answered(answer) if !answer.calls().is_empty() => {
                visit.learn(&native);
                return remember(visit, answer, Found::pass(meaning));
            }
            Reply::Answered(_) => {}
            Reply::Refused(failure) => refusal = Some(failure),
            Reply::Lost(failure) => return Found::lost(&failure),
        }
    }
    let tags = vec![("calls", json!("tags"))];
    let reply = visit.ask_with(&weather_question(), &tags).await;
    if !matches!(reply, Reply::Lost(_)) {
        visit.learn(&tags);
    }
    let found = match reply {
        Reply::Answered(answer) if !answer.calls().is_empty() => {
            let found = Found::fail("there are no calls of its own: written as tags in the text they work");
            remember(visit, answer, found)
        }
        Reply::Answered(_) | Reply::Refused(_) => {
            visit.can_call = Some(false);
            Found::fail("it calls no tools, not even as tags in the text: choose a model that does")
        }
        Reply::Lost(failure) => Found::lost(&failure),
    };
    refusal.iter().fold(found, |found, failure| found.saying(&failure.message))
}

fn remember(visit: &mut Visit<'_>, answer: Box<Answer>, found: Found) -> Found {
    visit.can_call = Some(true);
    visit.called = Some(answer);
    found
}

pub(super) fn args_form(visit: &Visit<'_>) -> Found {
    let call = visit.called.as_deref().and_then(|answer| answer.calls().first());
    let Some(call) = call else { return Found::skipped("no call was seen") };
    if !has_text_arg(call, "city") {
        return Found::fail("arguments cannot be read as they come: they are repaired or sent back")
            .saying(&call.args.to_text());
    }
    match call.args {
        RawArgs::Text(_) => Found::pass("arguments come as JSON text"),
        RawArgs::Value(_) => Found::pass("arguments come as an object"),
    }
}

pub(super) async fn args_streamed(visit: &mut Visit<'_>) -> Found {
    let text = "Use write_note to keep a note of six lines about the sea.";
    match visit.ask(&Question::new(text).with_tools()).await {
        Reply::Answered(answer) if answer.calls().is_empty() => Found::unsure("no call came this time"),
        Reply::Answered(answer) if answer.args_pieces() > answer.calls().len() => {
            Found::pass("arguments are seen while they are written")
        }
        Reply::Answered(_) => {
            Found::fail("arguments come whole: it works, but a long one is not seen growing")
        }
        Reply::Refused(failure) | Reply::Lost(failure) => Found::lost(&failure),
    }
}

pub(super) async fn parallel_calls(visit: &mut Visit<'_>) -> Found {
    let text = "What is the weather in Oslo, in Rome and in Paris? Call get_weather three times at once, \
                before you read any result.";
    let question = Question::new(text).with_tools();
    let unsaid = vec![("parallel", json!("unsaid"))];
    let on = vec![("parallel", json!("on"))];
    let mut most = 0;
    for patch in [unsaid, on] {
        match visit.ask_with(&question, &patch).await {
            Reply::Answered(answer) if answer.calls().len() > 1 => {
                // Where parallel calls are off on purpose they stay off.
                if visit.quirks.parallel != ParallelCalls::Off {
                    visit.learn(&patch);
                }
                return Found::pass("several calls come in one step")
                    .saying(&format!("{} calls", answer.calls().len()));
            }
            Reply::Answered(answer) => most = most.max(answer.calls().len()),
            Reply::Refused(_) => {}
            Reply::Lost(failure) => return Found::lost(&failure),
        }
    }
    match most {
        0 => Found::unsure("no call came this time"),
        _ => Found::fail("one call a step: it works, with more steps"),
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

pub(super) async fn required_choice(visit: &mut Visit<'_>) -> Found {
    let question = Question::new("Hello.").with_tools().choosing(ToolChoice::Required);
    let found = match visit.ask_with(&question, &vec![("choice", json!("full"))]).await {
        Reply::Answered(answer) if !answer.calls().is_empty() => {
            visit.can_force = Some(true);
            return Found::pass("a call can be forced");
        }
        Reply::Answered(answer) => {
            Found::fail("forcing a call is ignored: it is asked for in words").saying(&answer.text())
        }
        Reply::Refused(failure) => {
            Found::fail("forcing a call is refused: it is asked for in words").saying(&failure.message)
        }
        Reply::Lost(failure) => return Found::lost(&failure),
    };
    visit.can_force = Some(false);
    narrow_choice(visit, ChoiceForm::AutoOrNone);
    found
}

pub(super) async fn named_choice(visit: &mut Visit<'_>) -> Found {
    let choice = ToolChoice::Named("get_time".to_owned());
    let question = Question::new("Hello. I am in Oslo.").with_tools().choosing(choice);
    let found = match visit.ask_with(&question, &vec![("choice", json!("full"))]).await {
        Reply::Answered(answer) if answer.calls().iter().any(|call| call.name == "get_time") => {
            return Found::pass("a certain call can be forced");
        }
        Reply::Answered(answer) => {
            Found::fail("naming the tool is ignored: only that tool is shown instead").saying(&answer.text())
        }
        Reply::Refused(failure) => Found::fail("naming the tool is refused: only that tool is shown instead")
            .saying(&failure.message),
        Reply::Lost(failure) => return Found::lost(&failure),
    };
    if visit.can_force == Some(true) {
        narrow_choice(visit, ChoiceForm::Words);
    }
    found
}

pub(super) async fn forbidden_choice(visit: &mut Visit<'_>) -> Found {
    let question = weather_question().choosing(ToolChoice::Forbidden);
    let shown = vec![("has_none_with_tools", json!(true))];
    let found = match visit.ask_with(&question, &shown).await {
        Reply::Answered(answer) if answer.calls().is_empty() && !answer.text().trim().is_empty() => {
            return Found::pass("calls can be forbidden");
        }
        Reply::Answered(_) => {
            Found::fail("forbidding calls is ignored: tools are left out when none may be called")
        }
        Reply::Refused(failure) => {
            // An endpoint that takes no word at all is told none.
            if visit.can_force == Some(false) {
                narrow_choice(visit, ChoiceForm::Absent);
            }
            Found::fail("forbidding calls is refused: tools are left out when none may be called")
                .saying(&failure.message)
        }
        Reply::Lost(failure) => return Found::lost(&failure),
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

pub(super) async fn pairing(visit: &mut Visit<'_>) -> Found {
    let Some(history) = answered_history(visit) else { return Found::skipped("no call was seen") };
    let mut question = weather_question();
    question.messages = history;
    match visit.ask(&question).await {
        Reply::Answered(answer) if answer.says("17") => Found::pass("the outcome of a call is used"),
        Reply::Answered(answer) => {
            Found::unsure("the outcome was taken, but not used in the answer").saying(&answer.text())
        }
        Reply::Refused(failure) => {
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
                    Found::pass("a call and its outcome are taken back, written a little differently")
                }
                None => Found::fail("a call and its outcome are not taken back: tools cannot be used")
                    .saying(&failure.message),
            }
        }
        Reply::Lost(failure) => Found::lost(&failure),
    }
}

pub(super) async fn user_after_outcome(visit: &mut Visit<'_>) -> Found {
    let Some(history) = answered_history(visit) else { return Found::skipped("no call was seen") };
    let question = Question::after(history, "Say it in three words.").with_tools();
    match visit.ask(&question).await {
        Reply::Answered(_) => Found::pass("a user message may follow an outcome"),
        Reply::Refused(failure) => {
            let bridged = vec![vec![("bridges_outcomes", json!(true))]];
            let found = Found::fail("no user message may follow an outcome");
            match visit.find_patch(&question, bridged).await {
                Some(patch) => {
                    visit.learn(&patch);
                    Found::fail(
                        "an answer must stand between an outcome and a user message: one is put there",
                    )
                    .saying(&failure.message)
                }
                None => found.saying(&failure.message),
            }
        }
        Reply::Lost(failure) => Found::lost(&failure),
    }
}

pub(super) fn call_ids(visit: &Visit<'_>) -> Found {
    let ids: Vec<&str> = visit.call_ids.iter().flatten().map(String::as_str).collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    match (visit.call_ids.len(), ids.len(), unique.len()) {
        (0, _, _) => Found::skipped("no call was seen"),
        (all, some, _) if some < all => {
            Found::fail("calls have no ids: Windlass makes its own").saying(&format!("{some} of {all}"))
        }
        (all, _, unique) if unique < all => {
            Found::fail("ids come back for other calls: Windlass makes its own")
                .saying(&format!("{unique} for {all} calls"))
        }
        (all, _, _) => Found::pass("every call has its own id").saying(&format!("{all} calls")),
    }
}
