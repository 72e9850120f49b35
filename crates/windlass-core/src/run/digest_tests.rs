use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::message::Part;
use crate::protocol::tool::ToolCall;

fn called(names: &[&str]) -> Arc<Message> {
    let call = |name: &&str| {
        Part::Call(ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: (*name).to_owned(),
            arguments: "{}".into(),
            state: None,
        })
    };
    Arc::new(Message::Assistant { parts: names.iter().map(call).collect() })
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text))
}

fn assistant(text: &str) -> Arc<Message> {
    Arc::new(Message::assistant(text))
}

#[test]
fn an_exchange_is_told_by_what_was_asked_called_and_answered() {
    let long = "word ".repeat(1_000);
    let history = [
        user("  Fix\n the   build "),
        called(&["read_file", "search_text", "read_file"]),
        called(&["edit_file"]),
        assistant(" "),
        assistant("Done.\nIt builds."),
        user(&long),
        assistant(&long),
        user("And?"),
    ];
    let clipped = |chars: usize| format!("{}…", cut_chars(&long, chars - 1));
    assert_eq!(
        digest(&history).lines().collect::<Vec<_>>(),
        [
            "8 earlier messages were left out to fit the context. In short:".to_owned(),
            "- user: Fix the build; tools: read_file ×2, search_text, edit_file; answer: Done. It builds."
                .to_owned(),
            format!("- user: {}; answer: {}", clipped(80), clipped(120)),
            "- user: And?".to_owned(),
        ]
    );
}

#[test]
fn a_digest_is_bounded_and_tells_the_newest_exchanges() {
    let history: Vec<_> = (0..500)
        .flat_map(|number| {
            [user(&format!("question {number} {}", "é".repeat(100))), assistant(&"ü".repeat(300))]
        })
        .collect();
    let digest = digest(&history);
    assert!(digest.chars().count() <= DIGEST_CHARS_MAX, "{}", digest.chars().count());
    assert!(digest.contains("question 499") && !digest.contains("question 0 "), "{digest}");
    let told = digest.lines().count() - 1;
    assert!(told >= 8, "{told}");
    let first = format!(
        "1000 earlier messages were left out to fit the context. In short, without the oldest {}:",
        500 - told
    );
    assert_eq!(digest.lines().next(), Some(first.as_str()));
}

#[test]
fn many_tools_are_not_all_named() {
    let names: Vec<String> = (0..20).map(|number| format!("tool_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let line = exchange_line(&[user("x"), called(&names)]);
    assert!(line.ends_with("tool_6, tool_7, …"), "{line}");
}
