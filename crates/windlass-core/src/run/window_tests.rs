use serde_json::json;

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::message::{Reasoning, ToolMessage};
use crate::protocol::tool::ToolCall;

/// A message of as many estimated tokens.
fn user(tokens: usize) -> Arc<Message> {
    Arc::new(Message::user("u".repeat((tokens - 4) * 4)))
}

fn assistant(tokens: usize) -> Arc<Message> {
    Arc::new(Message::assistant("a".repeat((tokens - 4) * 4)))
}

fn call(name: &str, arguments: &str) -> Part {
    Part::Call(ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: name.into(),
        arguments: arguments.into(),
        state: None,
    })
}

fn tool(content: &str) -> Message {
    Message::Tool(ToolMessage {
        call_id: CallId::numbered(1),
        provider_id: None,
        name: "look".into(),
        content: content.into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    })
}

#[test]
fn four_characters_are_a_token_and_every_message_costs_four_more() {
    assert_eq!(estimate_tokens(&Message::user("")), 4);
    assert_eq!(estimate_tokens(&Message::user("1234")), 5);
    assert_eq!(estimate_tokens(&Message::user("12345")), 6);
    assert_eq!(estimate_tokens(&Message::note("12345678")), 6);
    assert_eq!(estimate_tokens(&tool("12345678")), 6);
    let thought = Part::Reasoning(Reasoning { text: "1234".into(), opaque: Some(json!("x")), model: None });
    let parts = vec![Part::text("1234"), thought, call("look", "{\"a\":1}5")];
    assert_eq!(estimate_tokens(&Message::Assistant { parts }), 4 + 5);
    let image = Part::Image { media_type: "image/png".into(), url: "data:".into() };
    assert_eq!(estimate_tokens(&Message::User { parts: vec![image] }), 1_004);
}

/// A window over a history and this run's own user message.
fn window(history: Vec<Arc<Message>>, own: Arc<Message>) -> (HistoryWindow, Transcript) {
    let history: Transcript = Arc::new(history);
    let mut window = HistoryWindow::of(&history);
    window.grow(&own);
    let transcript = history.iter().cloned().chain([own]).collect();
    (window, Arc::new(transcript))
}

#[test]
fn a_history_within_the_budget_is_shown_as_it_is() {
    let (mut window, transcript) = window(vec![user(50), assistant(40)], user(10));
    assert_eq!(window.fit(&transcript, 100), None);
    assert!(Arc::ptr_eq(&window.view(&transcript), &transcript), "exactly at the budget, not even copied");
}

#[test]
fn above_the_budget_the_oldest_groups_are_left_out_far_enough_to_last() {
    let history = vec![user(20), assistant(20), user(20), assistant(20), user(10), assistant(1 + 4)];
    let (mut window, transcript) = window(history, user(6));
    // 101 tokens: without the first group they are 61, and that is under 70.
    let trimmed = window.fit(&transcript, 100).unwrap();
    assert_eq!(trimmed, Trimmed { exchanges: 1, messages: 2, outcomes: 0, tokens: 40 });
    let shown = window.view(&transcript);
    let note = shown[0].text();
    assert!(
        note.starts_with("2 earlier messages were left out to fit the context. In short:\n- user: uuu"),
        "{note}"
    );
    assert_eq!(window.start, 2);
    assert_eq!(shown.len(), 1 + 5);
    assert!(Arc::ptr_eq(&shown[1], &transcript[2]));
    // As long as it fits, the beginning stays where it is.
    window.grow(&user(39));
    let mut longer: Vec<_> = transcript.iter().cloned().collect();
    longer.push(user(39));
    let longer = Arc::new(longer);
    window.fit(&longer, 100);
    assert_eq!(window.start, 2, "exactly at the budget");
    window.grow(&user(5));
    window.fit(&longer, 100);
    assert_eq!(window.start, 4, "one more group");
}

#[test]
fn the_window_is_moved_to_seventy_percent() {
    for (second, start) in [(60, 2), (61, 4)] {
        let history = vec![user(40), assistant(10), user(second / 2), assistant(second - second / 2)];
        let (mut window, transcript) = window(history, user(10));
        window.fit(&transcript, 100);
        assert_eq!(window.start, start, "{second} and 10 against 70");
    }
}

#[test]
fn the_history_never_begins_with_an_outcome_or_an_answer() {
    let calls = Arc::new(Message::Assistant { parts: vec![call("look", "{}")] });
    let big = Arc::new(tool(&"x".repeat(400)));
    let note = Arc::new(Message::note("n"));
    let history = vec![user(40), calls, big, note, assistant(5), user(5), assistant(5)];
    let (mut window, transcript) = window(history, user(5));
    // Leaving out the first message alone would be enough; its group goes as a whole.
    window.fit(&transcript, 130);
    assert_eq!(window.start, 5);
    let roles = window.view(&transcript);
    assert!(matches!(roles[1].as_ref(), Message::User { .. }));
}

#[test]
fn this_runs_own_messages_are_never_left_out() {
    let (mut window, transcript) = window(vec![user(20), assistant(20)], user(500));
    window.fit(&transcript, 100);
    assert_eq!(window.start, 2);
    assert_eq!(window.total, 500);
    window.fit(&transcript, 1);
    assert_eq!(window.start, 2);
}

/// A run of calls and outcomes of as many bytes each.
fn working_run(outcomes: usize, bytes: usize) -> (HistoryWindow, Transcript) {
    let (mut window, transcript) = window(vec![user(20), assistant(20)], user(10));
    let mut messages: Vec<_> = transcript.iter().cloned().collect();
    for _ in 0..outcomes {
        let calls = Message::Assistant { parts: vec![call("look", "{}")] };
        for message in [calls, tool(&"x".repeat(bytes))] {
            window.grow(&message);
            messages.push(Arc::new(message));
        }
    }
    (window, Arc::new(messages))
}

fn stubbed(shown: &Transcript) -> Vec<bool> {
    let outcome = |message: &Arc<Message>| match message.as_ref() {
        Message::Tool(tool) => {
            Some(tool.content.starts_with("[left out to fit the context; read_result with ref \"call_1\""))
        }
        _ => None,
    };
    shown.iter().filter_map(outcome).collect()
}

#[test]
fn when_the_run_itself_is_too_much_its_oldest_outcomes_lose_their_contents() {
    // 40 of history, 10 of the user, 4 times 6 for the call and 1,004 for its outcome.
    let (mut window, transcript) = working_run(4, 4_000);
    assert_eq!(window.total, 40 + 10 + 4 * (6 + 1_004));
    let trimmed = window.fit(&transcript, 3_500).unwrap();
    assert_eq!((trimmed.exchanges, trimmed.messages, trimmed.outcomes), (1, 2, 2));
    let shown = window.view(&transcript);
    assert_eq!(stubbed(&shown), [true, true, false, false]);
    assert_eq!(shown.len(), 1 + transcript.len() - 2, "calls and outcomes stay paired");
    let sizes: u64 = shown[1..].iter().map(|message| estimate_tokens(message)).sum();
    assert_eq!(window.total, sizes);
    assert_eq!(window.fit(&transcript, 3_500), None, "as long as it fits, nothing moves (R-56)");
    assert_eq!(window.view(&transcript), shown);
}

#[test]
fn outcomes_that_the_model_has_not_seen_are_only_left_out_when_the_provider_refuses_them() {
    let (mut window, transcript) = working_run(2, 4_000);
    window.fit(&transcript, 100).unwrap();
    assert_eq!(stubbed(&window.view(&transcript)), [true, false]);
    assert_eq!(window.fit(&transcript, 100), None, "there is nothing more to leave out");
    let trimmed = window.shrink(&transcript, 100_000).unwrap();
    assert_eq!((trimmed.messages, trimmed.outcomes), (0, 1));
    assert_eq!(stubbed(&window.view(&transcript)), [true, true]);
    assert_eq!(window.shrink(&transcript, 100_000), None);
}

#[test]
fn a_refused_request_halves_the_budget_of_the_run() {
    let history: Vec<_> = (0..20).flat_map(|_| [user(25), assistant(25)]).collect();
    let (mut window, transcript) = window(history, user(10));
    assert_eq!(window.total, 1_010);
    // Half of what was sent, not of a budget that was never used; then to 70 percent of that.
    let trimmed = window.shrink(&transcript, 100_000).unwrap();
    assert_eq!(trimmed, Trimmed { exchanges: 14, messages: 28, outcomes: 0, tokens: 700 });
    assert_eq!((window.total, window.ceiling), (310, Some(505)));
    // It holds for the rest of the run.
    window.grow(&user(200));
    assert!(window.fit(&transcript, 100_000).is_some());
    assert_eq!(
        trimmed.to_string(),
        "left out 14 earlier exchanges (28 messages), about 700 tokens, to fit the context"
    );
}

#[test]
fn what_was_left_out_is_said_in_words() {
    let said =
        |exchanges, messages, outcomes| Trimmed { exchanges, messages, outcomes, tokens: 7 }.to_string();
    assert_eq!(said(1, 1, 0), "left out 1 earlier exchange (1 message), about 7 tokens, to fit the context");
    assert_eq!(
        said(0, 0, 1),
        "left out the contents of 1 outcome of this run, about 7 tokens, to fit the context"
    );
    assert_eq!(
        said(2, 4, 3),
        "left out 2 earlier exchanges (4 messages) and the contents of 3 outcomes of this run, about 7 tokens, \
         to fit the context"
    );
}

#[test]
fn a_request_that_was_larger_than_estimated_makes_all_estimates_larger() {
    let (mut window, transcript) = window(vec![user(500), assistant(300)], user(200));
    window.calibrate(999, 0);
    window.calibrate(1_000, 500);
    assert_eq!(window.scale_percent, 100, "the estimate was high enough");
    assert_eq!(window.fit(&transcript, 1_100), None);
    window.calibrate(1_800, 200);
    assert_eq!((window.scale_percent, window.scaled(1_000)), (150, 1_500));
    window.calibrate(1_300, 200);
    assert_eq!(window.scale_percent, 150, "it only grows");
    assert!(
        window.fit(&transcript, 1_100).is_some(),
        "a thousand estimated are more than eleven hundred now"
    );
    window.calibrate(1_000_000, 1_000);
    assert_eq!(window.scale_percent, 400);
}

#[test]
fn small_requests_teach_nothing() {
    let (mut window, _) = window(vec![], user(500));
    window.calibrate(10_000, 499);
    assert_eq!(window.scale_percent, 100);
    window.calibrate(1_001, 500);
    assert_eq!(window.scale_percent, 101);
}
