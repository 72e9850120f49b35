use windlass_core::protocol::ids::CallId;

use super::*;

fn question(risk: Risk) -> Question {
    Question {
        call_id: CallId::numbered(1),
        tool: "read_file".into(),
        arguments: r#"{"path":"README.md","lines":[1,2]}"#.into(),
        risk,
        targets: Vec::new(),
        preview: None,
        folder: None,
        caution: None,
        sandbox: None,
        rule: "read_file(README.md)".into(),
        confirm_word: (risk == Risk::Critical).then(|| "read_file".into()),
        digest: String::new(),
        position: 1,
        total: 1,
        hidden_chars: 0,
    }
}

fn answer(decision: Decision) -> PromptReply {
    PromptReply::Answer(PermissionAnswer::new(decision))
}

const ROOM: TerminalSize = TerminalSize { rows: 40, columns: 80 };

const FOOT: &str = "Tool: read_file\nRisk: MEDIUM\n[1] Allow Once  [2] Session  [3] Remember  [4] Deny\n\
                    [5] Deny and say why  [v] View all\n> ";

fn text_of(question: Question, room: TerminalSize) -> String {
    console::strip_ansi_codes(&PermissionPrompt::new(question).text(room)).into_owned()
}

/// What a line leads to, on the usual screen.
fn hear(prompt: &mut PermissionPrompt, line: &str) -> PromptReply {
    prompt.hear(Some(line), ROOM)
}

#[test]
fn z_14_the_question_shows_tool_arguments_risk_and_four_keys() {
    let mut asked = question(Risk::Medium);
    asked.targets = vec![Target::Path("README.md".into())];
    let quoted = "Arguments:\n│ {\n│   \"path\": \"README.md\",\n│   \"lines\": [\n│     1,\n│     2\n│   ]\n│ }\n\
                  Touches:\n│ path README.md\nRule for Remember:\n│ read_file(README.md)\n";
    assert_eq!(text_of(asked.clone(), ROOM), format!("\n⚠️  Permission Request\n{quoted}{FOOT}"));
    (asked.position, asked.total) = (2, 4);
    let text = text_of(asked, ROOM);
    assert!(text.starts_with("\n⚠️  Permission Request · Question 2 of 4\nArguments:"), "{text}");
}

#[test]
fn numbers_and_texts_of_arguments_are_shown_as_they_are_spelled() {
    let laid = laid_out(r#"{"a":100000000000000000000,"b":-0,"c":"{\"x\": [1,2]}","d":{},"e":[ ],"f":1.0}"#);
    let expected = "{\n  \"a\": 100000000000000000000,\n  \"b\": -0,\n  \"c\": \"{\\\"x\\\": [1,2]}\",\n  \
                    \"d\": {},\n  \"e\": [],\n  \"f\": 1.0\n}";
    assert_eq!(laid, expected);
    assert_eq!(laid_out("no {json"), "no {json");
}

#[test]
fn r_51_what_is_longer_than_the_screen_shows_head_and_tail_and_all_of_it_on_demand() {
    let mut asked = question(Risk::High);
    let lines: String = (1..=100).map(|at| format!("+line {at}\n")).collect();
    asked.preview = Some(Preview::Diff(lines));
    for rows in [20, 24, 40, 60] {
        let text = text_of(asked.clone(), TerminalSize { rows, columns: 80 });
        assert!(text.lines().count() <= rows, "{rows}: {text}");
        assert!(text.contains("│ +line 1\n") && text.contains("│ +line 100\n"), "{text}");
        let changes = text.split("Changes:\n").nth(1).unwrap();
        let hidden =
            changes.lines().find_map(|line| line.strip_prefix("… ")?.split(' ').next()?.parse().ok());
        let shown = text.matches("│ +line").count();
        assert_eq!(hidden.unwrap_or(0) + shown, 100, "{text}");
    }
    let mut prompt = PermissionPrompt::new(asked);
    let PromptReply::Say(whole) = hear(&mut prompt, "v") else { panic!("nothing was shown") };
    let whole = console::strip_ansi_codes(&whole).into_owned();
    assert!((1..=100).all(|at| whole.contains(&format!("│ +line {at}\n"))), "{whole}");
    assert!(whole.ends_with(&FOOT.replace("MEDIUM", "HIGH")), "{whole}");
    assert_eq!(hear(&mut prompt, "1"), answer(Decision::Once));
}

#[test]
fn a_line_that_is_wider_than_the_screen_goes_on_in_the_gutter() {
    let mut asked = question(Risk::High);
    asked.preview = Some(Preview::Command("x".repeat(100)));
    asked.rule = format!("execute_command({})", "y".repeat(100));
    let text = text_of(asked, TerminalSize { rows: 60, columns: 30 });
    let is_ours = |line: &str| !line.contains("xx") && !line.contains("yy");
    assert!(text.lines().all(|line| is_ours(line) || line.starts_with(['│', '┊'])), "{text}");
    assert!(text.contains(&format!("Command:\n│ {}\n┊ xxx", "x".repeat(27))), "{text}");
}

#[test]
fn a_tool_cannot_paint_over_the_question() {
    let mut asked = question(Risk::Medium);
    asked.arguments = "{\"path\":\"a\u{9b}2J\\u001b[2J\u{202e}\"}".into();
    asked.preview = Some(Preview::Text("\u{1b}[1A\rRisk: SAFE\n> ".into()));
    asked.rule = "read_file(a\u{1b}[2J\nRisk: SAFE)".into();
    let text = text_of(asked, ROOM);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.contains("\\u{9b}") && text.contains("\\u{202e}") && text.contains("\\u{1b}[1A\\u{d}Risk"));
    assert!(text.contains("│ read_file(a\\u{1b}[2J␊Risk: SAFE)\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Risk") || line.starts_with('>')).count(), 2);
}

#[test]
fn each_key_and_word_is_its_decision() {
    for (typed, decision) in [
        ("1", Decision::Once),
        (" once ", Decision::Once),
        ("2", Decision::Session),
        ("4", Decision::Deny),
        ("Deny", Decision::Deny),
    ] {
        assert_eq!(
            hear(&mut PermissionPrompt::new(question(Risk::Medium)), typed),
            answer(decision),
            "{typed}"
        );
    }
}

#[test]
fn a_call_is_denied_with_words() {
    for (typed, message) in [(" Use the other file. ", Some("Use the other file.")), ("", None)] {
        let mut prompt = PermissionPrompt::new(question(Risk::Critical));
        assert!(matches!(hear(&mut prompt, "5"), PromptReply::Say(_)));
        let denied =
            PermissionAnswer { message: message.map(str::to_owned), ..PermissionAnswer::new(Decision::Deny) };
        assert_eq!(hear(&mut prompt, typed), PromptReply::Answer(denied));
    }
}

#[test]
fn wrong_input_is_asked_again_and_the_end_of_input_denies() {
    let mut prompt = PermissionPrompt::new(question(Risk::Medium));
    for typed in ["", "6", "yes", "12"] {
        let PromptReply::Say(text) = hear(&mut prompt, typed) else {
            panic!("{typed} was taken for an answer")
        };
        let expected = format!("Please type 1, 2, 3, 4, 5 or v.\n{FOOT}");
        assert_eq!(console::strip_ansi_codes(&text), expected);
    }
    assert_eq!(prompt.hear(None, ROOM), PromptReply::Answer(PermissionAnswer::by_nobody()));
}

#[test]
fn remember_shows_its_rule_and_lets_it_be_edited() {
    let mut prompt = PermissionPrompt::new(question(Risk::Medium));
    let PromptReply::Say(text) = hear(&mut prompt, "3") else { panic!("nothing was shown") };
    assert!(
        text.starts_with("This rule will be stored for this folder:\n│ read_file(README.md)\n"),
        "{text}"
    );
    assert_eq!(hear(&mut prompt, ""), answer(Decision::Remember));

    let mut prompt = PermissionPrompt::new(question(Risk::Medium));
    hear(&mut prompt, "3");
    let PromptReply::Say(text) = hear(&mut prompt, "read_file(") else { panic!("a broken rule was taken") };
    assert!(text.contains("')'"), "{text}");
    let PromptReply::Answer(answer) = hear(&mut prompt, "read_file(*.md)") else {
        panic!("the rule was not taken")
    };
    assert_eq!((answer.decision, answer.rule.as_deref()), (Decision::Remember, Some("read_file(*.md)")));
}

#[test]
fn a_critical_call_needs_its_name_typed() {
    let mut prompt = PermissionPrompt::new(question(Risk::Critical));
    let PromptReply::Say(text) = hear(&mut prompt, "1") else {
        panic!("a critical call was allowed by a key")
    };
    assert_eq!(text, "This call is critical. Type read_file to let it run: ");
    let PromptReply::Say(text) = hear(&mut prompt, "y") else { panic!("a wrong word was taken") };
    assert!(text.starts_with("That was another word"), "{text}");
    hear(&mut prompt, "3");
    hear(&mut prompt, "");
    let PromptReply::Answer(answer) = hear(&mut prompt, "read_file") else {
        panic!("the word was not taken")
    };
    assert_eq!((answer.decision, answer.confirmation.as_deref()), (Decision::Remember, Some("read_file")));
    assert_eq!(hear(&mut prompt, "4"), super::PromptReply::Answer(PermissionAnswer::new(Decision::Deny)));
}
