use serde_json::json;

use super::*;

fn answered(tool: &str, args: Value, result: Result<Value, Complaint>) -> Answered {
    let Value::Object(args) = args else { unreachable!() };
    Answered { tool: tool.into(), args, result }
}

fn shown(tool: &str, args: Value, value: Value) -> String {
    render(&[answered(tool, args, Ok(value))])
}

#[test]
fn every_tool_has_words_of_its_own() {
    assert_eq!(shown("calculate", json!({"expression": "2*3"}), json!("6")), "`2*3` = **6**");
    assert_eq!(
        shown("get_current_time", json!({"timezone": "Asia/Tokyo"}), json!("2026-11-16T06:32:44+09:00")),
        "It is **06:32** on 2026-11-16 (Asia/Tokyo)."
    );
    assert_eq!(
        shown("add_task", json!({"content": "call Ada"}), json!({"task_id": "task_1"})),
        "Added `task_1`: call Ada"
    );
    assert_eq!(shown("list_tasks", json!({}), json!([])), "There are no tasks.");
    assert_eq!(
        shown("get_file_tree", json!({}), json!(["a.rs", "b.rs"])),
        "There are 2 files in this project:\n\n```\na.rs\nb.rs\n```"
    );
    assert_eq!(
        shown("read_file", json!({"path": "a.rs"}), json!("fn a() {}\n")),
        "`a.rs`:\n\n```rust\nfn a() {}\n```"
    );
    assert_eq!(shown("search_text", json!({"pattern": "x"}), json!("")), "Nothing matches `x`.");
}

#[test]
fn outcomes_follow_each_other_and_failures_say_what_would_help() {
    let refused =
        Complaint { message: "it exists".into(), hint: Some("Read it first.".into()), is_denied: false };
    let text = render(&[
        answered("calculate", json!({"expression": "1+1"}), Ok(json!("2"))),
        answered("write_file", json!({"path": "a"}), Err(refused)),
    ]);
    assert_eq!(text, "`1+1` = **2**\n\n`write_file` did not work: it exists\n\nRead it first.");
}

#[test]
fn a_denial_tells_the_user_what_to_do_and_not_what_the_model_should() {
    let hint =
        format!("{NO_REPEAT}. The user can allow it for good with `windlass policy allow 'read_file(a*)'`.");
    let denied = |hint: &str| Complaint { message: "no".into(), hint: Some(hint.into()), is_denied: true };
    assert_eq!(
        render(&[answered("read_file", json!({"path": "a"}), Err(denied(&hint)))]),
        "`read_file` was not allowed: no\n\nYou can allow it for good with `windlass policy allow 'read_file(a*)'`."
    );
    let bare = render(&[answered("read_file", json!({}), Err(denied(&format!("{NO_REPEAT}."))))]);
    assert_eq!(bare, "`read_file` was not allowed: no");
}

#[test]
fn text_of_files_never_becomes_markup() {
    let hostile = "```\n# heading\n````\n<script>alert(1)</script>";
    let text = shown("read_file", json!({"path": "a`b.md"}), json!(hostile));
    assert!(text.starts_with("`` a`b.md ``:\n\n`````markdown\n"), "{text}");
    assert!(text.ends_with("\n`````"), "{text}");
    let task =
        shown("add_task", json!({"content": "[x](javascript:1) <b>\n# h"}), json!({"task_id": "task_1"}));
    assert_eq!(task, "Added `task_1`: \\[x\\](javascript:1) \\<b\\> # h");
}

#[test]
fn long_outcomes_are_cut_and_say_so() {
    let lines: Vec<String> = (0..500).map(|number| format!("line {number}")).collect();
    let text = shown("read_file", json!({"path": "a"}), json!(lines.join("\n")));
    assert!(text.ends_with("… and 380 more lines."), "{text}");
    let one = shown("read_file", json!({"path": "a"}), json!("é".repeat(20_000)));
    assert!(one.ends_with("… and more."));
    let paths: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
    assert!(shown("get_file_tree", json!({}), json!(paths)).ends_with("… and 40 more."));
}

#[test]
fn a_list_that_was_cut_shows_its_first_paths() {
    let paths: Vec<String> = (0..200).map(|number| format!("f{number}")).collect();
    let text = serde_json::to_string(&paths).unwrap();
    let cut = format!("{}\n[… 900 characters were left out …]\n{}", &text[..700], &text[1_200..]);
    let shown = shown("get_file_tree", json!({}), json!(cut));
    assert!(
        shown.starts_with(
            "There are more files in this project than fit here. The first are:\n\n```\nf0\nf1\n"
        ),
        "{shown}"
    );
    assert!(shown.contains("\nf59\n```") && !shown.contains("f60") && !shown.contains("left out"), "{shown}");
}
