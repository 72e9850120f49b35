use serde_json::json;

use super::lay_out;
use crate::theme::Theme;

fn shown(arguments: &str, columns: usize) -> Vec<String> {
    lay_out(arguments, columns, Theme::default()).iter().map(ToString::to_string).collect()
}

#[test]
fn r_51_each_argument_stands_on_lines_of_its_own_with_real_line_breaks() {
    let arguments = json!({"a_path": "docs/a", "content": "one\n\n  two\n", "lines": [1, 2], "mode": null});
    assert_eq!(
        shown(&arguments.to_string(), 40),
        [
            "│ a_path  docs/a",
            "│ content",
            "│   │ one",
            "│   │ ",
            "│   │   two",
            "│ lines  [1,2]",
            "│ mode  null"
        ]
    );
}

#[test]
fn r_51_a_text_is_not_taken_for_something_else() {
    let arguments = json!({"a": "42", "b": 42, "c": "", "d": " x", "e": "\"x\"", "f": "null", "g": "x"});
    assert_eq!(
        shown(&arguments.to_string(), 40),
        [
            r#"│ a  "42""#,
            "│ b  42",
            r#"│ c  """#,
            r#"│ d  " x""#,
            r#"│ e  "\"x\"""#,
            r#"│ f  "null""#,
            "│ g  x"
        ]
    );
}

#[test]
fn r_51_values_in_values_are_complete_too() {
    let arguments = json!({"edits": [{"new": "b\nc", "old": "a"}, {"old": {"deep": {}}}]});
    assert_eq!(
        shown(&arguments.to_string(), 60),
        [
            "│ edits",
            "│   1",
            "│     new",
            "│       │ b",
            "│       │ c",
            "│       no line break at its end",
            "│     old  a",
            "│   2",
            "│     old",
            "│       deep  {}"
        ]
    );
}

#[test]
fn r_51_a_long_line_is_broken_and_never_cut() {
    let command = "x".repeat(95);
    let lines = shown(&json!({ "command": command }).to_string(), 20);
    assert!(lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
    assert!(lines.iter().skip(1).all(|line| line.starts_with("┊ ")), "{lines:?}");
    assert_eq!(lines.iter().map(|line| line.matches('x').count()).sum::<usize>(), 95);
}

#[test]
fn arguments_that_are_no_object_are_shown_as_they_are() {
    assert_eq!(shown("not {json\nTool: x", 20), ["│ not {json", "│ Tool: x"]);
    assert_eq!(shown("{}", 20), ["none"]);
}

#[test]
fn a_character_that_cannot_be_seen_is_told_from_its_spelling() {
    let shown = |text: &str| shown(&json!({ "a": text }).to_string(), 80);
    assert_eq!(shown("x\u{202e}y"), [r#"│ a  "x\u{202e}y""#]);
    assert_eq!(shown(r"x\u{202e}y"), [r"│ a  x\u{202e}y"]);
    assert_eq!(shown("x\ty"), [r#"│ a  "x\ty""#]);
    let note = r"│   \u{…} stands for a character that cannot be seen";
    assert_eq!(shown("x\u{1b}\n\ty\n"), ["│ a", r"│   │ x\u{1b}", "│   │ ␉   y", note]);
    assert_eq!(shown("x\\u{1b}\ny\n"), ["│ a", r"│   │ x\u{1b}", "│   │ y"]);
    assert_eq!(shown("x\u{1b}\n\\u{1b}"), [r#"│ a  "x\u001b\n\\u{1b}""#]);
}
