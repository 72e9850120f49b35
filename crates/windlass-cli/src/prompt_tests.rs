use windlass_core::ids::CallId;

use super::*;

fn question(risk: Risk) -> Question {
    Question {
        call_id: CallId::numbered(1),
        tool: "read_file".into(),
        arguments: r#"{"path":"README.md","lines":[1,2]}"#.into(),
        risk,
        targets: Vec::new(),
        preview: None,
        rule: "read_file(README.md)".into(),
        confirm_word: (risk == Risk::Critical).then(|| "read_file".into()),
        digest: String::new(),
        position: 1,
        total: 1,
        hidden_chars: 0,
    }
}

fn answer(decision: Decision) -> Reply {
    Reply::Answer(PermissionAnswer::new(decision))
}

#[test]
fn z_14_the_question_shows_tool_arguments_risk_and_four_keys() {
    let text = Prompt::new(question(Risk::Medium)).text();
    let expected = "\n⚠️  Permission Request\nTool: read_file\nArguments: {\n  \"path\": \"README.md\",\n  \"lines\": [\n    1,\n    2\n  ]\n}\n\
                    Risk: MEDIUM\nRule for Remember: read_file(README.md)\n\
                    [1] Allow Once  [2] Session  [3] Remember  [4] Deny\n> ";
    assert_eq!(console::strip_ansi_codes(&text), expected);
}

#[test]
fn r_51_long_arguments_and_a_diff_are_shown_whole() {
    let long = "x".repeat(50_000);
    let mut asked = question(Risk::High);
    asked.arguments = format!(r#"{{"content":"{long}"}}"#);
    asked.preview = Some(Preview::Diff("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n".into()));
    let text = Prompt::new(asked).text();
    let text = console::strip_ansi_codes(&text);
    assert!(text.contains(&long));
    assert!(text.contains("Risk: HIGH\nChanges:\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"));
}

#[test]
fn a_command_is_shown_as_it_will_run() {
    let mut asked = question(Risk::High);
    asked.preview = Some(Preview::Command("rm -rf build  (in src)\n".into()));
    let text = Prompt::new(asked).text();
    assert!(console::strip_ansi_codes(&text).contains("Command:\nrm -rf build  (in src)\nRule"));
}

#[test]
fn a_tool_cannot_paint_over_the_question() {
    let mut asked = question(Risk::Medium);
    asked.arguments = "{\"path\":\"a\u{9b}2J\\u001b[2J\u{202e}\"}".into();
    asked.preview = Some(Preview::Text("\u{1b}[1A\rRisk: SAFE".into()));
    asked.rule = "read_file(a\u{1b}[2J)".into();
    let text = Prompt::new(asked).text();
    let text = console::strip_ansi_codes(&text);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.contains("\\u{9b}") && text.contains("\\u{202e}") && text.contains("\\u{1b}[1A\\u{d}Risk"));
}

#[test]
fn z_13_each_key_and_word_is_its_decision() {
    for (typed, decision) in [
        ("1", Decision::Once),
        (" once ", Decision::Once),
        ("2", Decision::Session),
        ("4", Decision::Deny),
        ("Deny", Decision::Deny),
    ] {
        assert_eq!(Prompt::new(question(Risk::Medium)).hear(Some(typed)), answer(decision), "{typed}");
    }
}

#[test]
fn wrong_input_is_asked_again_and_the_end_of_input_denies() {
    let mut prompt = Prompt::new(question(Risk::Medium));
    for typed in ["", "5", "yes", "12"] {
        let Reply::Say(text) = prompt.hear(Some(typed)) else { panic!("{typed} was taken for an answer") };
        assert_eq!(
            text,
            "Please type 1, 2, 3 or 4.\n[1] Allow Once  [2] Session  [3] Remember  [4] Deny\n> "
        );
    }
    assert_eq!(prompt.hear(None), answer(Decision::Deny));
}

#[test]
fn remember_shows_its_rule_and_lets_it_be_edited() {
    let mut prompt = Prompt::new(question(Risk::Medium));
    let Reply::Say(text) = prompt.hear(Some("3")) else { panic!("nothing was shown") };
    assert!(text.starts_with("This rule will be stored: read_file(README.md)\n"), "{text}");
    assert_eq!(prompt.hear(Some("")), answer(Decision::Remember));

    let mut prompt = Prompt::new(question(Risk::Medium));
    prompt.hear(Some("3"));
    let Reply::Say(text) = prompt.hear(Some("read_file(")) else { panic!("a broken rule was taken") };
    assert!(text.contains("')'"), "{text}");
    let Reply::Answer(answer) = prompt.hear(Some("read_file(*.md)")) else {
        panic!("the rule was not taken")
    };
    assert_eq!((answer.decision, answer.rule.as_deref()), (Decision::Remember, Some("read_file(*.md)")));
}

#[test]
fn a_critical_call_needs_its_name_typed() {
    let mut prompt = Prompt::new(question(Risk::Critical));
    let Reply::Say(text) = prompt.hear(Some("1")) else { panic!("a critical call was allowed by a key") };
    assert_eq!(text, "This call is critical. Type read_file to let it run: ");
    let Reply::Say(text) = prompt.hear(Some("y")) else { panic!("a wrong word was taken") };
    assert!(text.starts_with("That was another word"), "{text}");
    prompt.hear(Some("3"));
    prompt.hear(Some(""));
    let Reply::Answer(answer) = prompt.hear(Some("read_file")) else { panic!("the word was not taken") };
    assert_eq!((answer.decision, answer.confirmation.as_deref()), (Decision::Remember, Some("read_file")));
    assert_eq!(prompt.hear(Some("4")), super::Reply::Answer(PermissionAnswer::new(Decision::Deny)));
}
