//! What people read of outcomes (`ToolPort::display`): in the words of each tool, with nothing that becomes markup.

use serde_json::{Value, json};
use windlass_tools::{ToolsConfig, builtin};

fn shown(tool: &str, args: Value, value: Value) -> String {
    let tools = builtin(&ToolsConfig::default());
    let tool = tools.iter().find(|known| known.spec().name == tool).unwrap();
    tool.display(args.as_object().unwrap(), &value).unwrap()
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
