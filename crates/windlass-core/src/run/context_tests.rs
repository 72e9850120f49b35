use super::super::RunSettings;
use super::*;
use crate::protocol::command::RunWishes;
use crate::protocol::ids::CallId;
use crate::protocol::message::ToolMessage;

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

#[test]
fn a_callers_system_text_and_step_limit_hold_for_its_run() {
    let settings = |system: &str| {
        Arc::new(RunSettings {
            profile: crate::profile::Profile::default(),
            model: "m".into(),
            system: system.into(),
            context_tokens: None,
            form: None,
        })
    };
    let wishes = |system: &str, steps_max: u32| RunWishes {
        system: Some(system.into()),
        steps_max: Some(steps_max),
        ..RunWishes::default()
    };
    let usual = settings("Ours.");
    assert!(Arc::ptr_eq(&usual, &usual.wished(&RunWishes::default())));
    let own = usual.wished(&wishes("Theirs.", 3));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Ours.\n\nTheirs.", 3));
    assert_eq!(usual.system.as_ref(), "Ours.");
    let own = settings("").wished(&wishes("Theirs.", 0));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Theirs.", 1));
    let own = usual.wished(&wishes("  ", 1_000));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Ours.", 20));
}
