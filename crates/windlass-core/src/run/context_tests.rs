use serde_json::json;

use super::*;
use crate::ids::CallId;
use crate::message::{Reasoning, ToolMessage};
use crate::tool::ToolCall;

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
fn window(history: Vec<Arc<Message>>, own: Arc<Message>) -> (Window, Transcript) {
    let history: Transcript = Arc::new(history);
    let mut window = Window::of(&history);
    window.grow(&own);
    let transcript = history.iter().cloned().chain([own]).collect();
    (window, Arc::new(transcript))
}

#[test]
fn a_history_within_the_budget_is_shown_as_it_is() {
    let (mut window, transcript) = window(vec![user(50), assistant(40)], user(10));
    window.fit(&transcript, 100);
    assert!(Arc::ptr_eq(&window.view(&transcript), &transcript), "exactly at the budget, not even copied");
}

#[test]
fn above_the_budget_the_oldest_groups_are_left_out_far_enough_to_last() {
    let history = vec![user(20), assistant(20), user(20), assistant(20), user(10), assistant(1 + 4)];
    let (mut window, transcript) = window(history, user(6));
    // 101 tokens: without the first group they are 61, and that is under 70.
    window.fit(&transcript, 100);
    let shown = window.view(&transcript);
    assert_eq!(shown[0].text(), "2 earlier messages were left out to fit the context");
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

#[test]
fn sentences_begin_with_a_capital() {
    assert_eq!(capitalised("the end"), "The end");
    assert_eq!(capitalised("éa"), "Éa");
    assert_eq!(capitalised(""), "");
}

fn lines(messages: &[Message]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut number = 0;
    for message in messages {
        write_line(&mut lines, &mut number, message);
    }
    lines
}

#[test]
fn e_34_outcomes_are_numbered_from_one_and_bad_calls_are_not_written() {
    let bad = Message::Tool(ToolMessage {
        call_id: CallId::numbered(2),
        provider_id: None,
        name: "nope".into(),
        content: "nope failed".into(),
        is_ok: false,
        is_valid_call: false,
    });
    let written = lines(&[
        Message::user("Hi"),
        Message::note("Context: x"),
        Message::assistant("  "),
        tool("seen"),
        bad,
        Message::assistant("Well."),
        tool("seen again"),
    ]);
    assert_eq!(
        written,
        ["User: Hi", "Context: x", "Tool 1 [look]: seen", "Assistant: Well.", "Tool 2 [look]: seen again"]
    );
}
