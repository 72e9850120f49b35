//! Edits that are staged by `windlass run --approve stage` and made by `windlass runs apply`.

use std::fs;

use crate::place::{Place, Said};

/// Reads a file, proposes an edit, tries another one, and answers only if the model was told.
const EDIT: &str = "\
user Edit it.
model call 1 read_file {\"path\":\"a.txt\"}
model end
model call 2 edit_file {\"path\":\"a.txt\",\"edits\":[{\"old\":\"one\",\"new\":\"two\"}]}
model call 3 write_file {\"path\":\"b.txt\",\"content\":\"more\"}
model end
expect-request contains staged as proposal call_2 and awaits the user's approval; nothing was written
expect-request contains Edit call_2 awaits the user's approval already
model call 4 write_file {\"path\":\"b.txt\",\"content\":\"more\"}
model end
expect-request contains tool call_4 write_file: {\"ok\":false,\"error\":{\"kind\":\"permission_denied\",\"message\":\"Edit call_2 awaits
model text It awaits your approval.
";

const MAKE: &str = "user Make it.\nmodel call 1 write_file {\"path\":\"new/n.txt\",\"content\":\"n\\n\"}\nmodel end\n\
                    expect-request contains awaits the user's approval\nmodel text It waits.\n";

fn place() -> Place {
    Place::with(&[("a.script", EDIT), ("m.script", MAKE), ("a.txt", "one\n")])
}

fn stage(place: &Place, script: &str) -> (Said, String) {
    let model = format!("scripted/{script}.script");
    let args =
        ["run", "--model", &model, "--approve", "stage", "--allow", "read_file", "--session", script, "Go"];
    let said = place.windlass(&args).exits(0);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    (said, rows[0]["run_id"].as_str().unwrap().to_owned())
}

#[test]
fn r_39_a_staged_edit_is_written_by_runs_apply_and_by_nothing_before_it() {
    let place = place();
    let (said, run_id) = stage(&place, "a");
    assert_eq!(said.out, "It awaits your approval.\n");
    for line in [
        "◇ edit_file a.txt",
        "staged: awaits your approval, nothing was written",
        "⊘ write_file b.txt",
        &format!("an edit awaits your approval: windlass runs apply {run_id}"),
    ] {
        assert!(said.err.contains(line), "no '{line}' in {}", said.err);
    }
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(!place.path("b.txt").exists(), "no further edit was made");
    let story = place.windlass(&["runs", "show", &run_id]).exits(0).out;
    assert!(
        story.contains("◇ call_2 edit_file a.txt  staged") && story.contains("windlass runs apply"),
        "{story}"
    );

    place.windlass(&["runs", "replay", &run_id]).exits(0);
    let asked = place.windlass(&["runs", "apply", &run_id]).complains(2, &["terminal", "--yes"]);
    assert!(asked.err.contains("-one") && asked.err.contains("+two"), "the diff is shown: {}", asked.err);
    place.windlass(&["runs", "apply", &run_id, "call_3"]).complains(2, &["no staged edit", "call_2"]);
    assert_eq!(place.read("a.txt"), "one\n");

    let denied = ["runs", "apply", &run_id, "--yes", "--deny", "edit_file"];
    place.windlass(&denied).complains(1, &["not applied", "rule denies"]);
    assert_eq!(place.read("a.txt"), "one\n");
    let applied = place.windlass(&["runs", "apply", &run_id, "--yes"]).exits(0);
    assert_eq!(applied.out, "Written: a.txt (4 bytes).\n");
    assert_eq!(place.read("a.txt"), "two\n");
    place.windlass(&["runs", "apply", &run_id, "--yes"]).complains(1, &["was made already"]);
    let undo = ["tools", "call", "undo_edit", "{\"path\":\"a.txt\"}", "--allow", "undo_edit"];
    place.windlass(&undo).exits(0);
    assert_eq!(place.read("a.txt"), "one\n", "an applied edit is undone as any other");
    let audit = fs::read_to_string(place.audit_file()).unwrap();
    assert!(audit.contains("staged, awaits approval"), "{audit}");
}

#[test]
fn r_39_an_edit_is_not_applied_to_a_file_that_has_changed_since() {
    let place = place();
    let (_, run_id) = stage(&place, "a");
    place.write("a.txt", "one\nand mine\n");
    let said = place.windlass(&["runs", "apply", &run_id, "--yes"]);
    said.complains(
        1,
        &["the file has changed since the edit was staged, so nothing was written", "--session a"],
    );
    assert_eq!(place.read("a.txt"), "one\nand mine\n");
}

#[test]
fn r_39_a_new_file_is_staged_and_not_written_over_one_that_came_meanwhile() {
    let place = place();
    let (_, run_id) = stage(&place, "m");
    assert!(!place.path("new").exists());
    fs::create_dir(place.path("new")).unwrap();
    place.write("new/n.txt", "mine\n");
    place
        .windlass(&["runs", "apply", &run_id, "--yes"])
        .complains(1, &["has changed since", "exists already"]);
    assert_eq!(place.read("new/n.txt"), "mine\n");
    fs::remove_file(place.path("new/n.txt")).unwrap();
    let applied = place.windlass(&["runs", "apply", &run_id, "call_1", "--yes", "--json"]).exits(0).json();
    assert_eq!(applied["body"]["Ok"]["json"]["written"], true);
    assert_eq!(place.read("new/n.txt"), "n\n");
    place.windlass(&["runs", "apply", &run_id, "--yes"]).complains(1, &["with just this content"]);
}

#[test]
fn a_run_without_a_staged_edit_has_nothing_to_apply() {
    let place = Place::with(&[("p.script", "user Hi\nmodel text Ho.\n")]);
    place.windlass(&["run", "--model", "scripted/p.script", "Hi"]).exits(0);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let run_id = rows[0]["run_id"].as_str().unwrap();
    place.windlass(&["runs", "apply", run_id, "--yes"]).complains(2, &["no staged edit"]);
    place.write("m.script", MAKE);
    let args = ["run", "--ephemeral", "--model", "scripted/m.script", "--approve", "stage", "Go"];
    let said = place.windlass(&args).exits(0);
    assert!(said.err.contains("the session is not kept"), "{}", said.err);
}

#[test]
fn a_single_call_is_never_staged() {
    let place = Place::with(&[]);
    let args = ["tools", "call", "write_file", "{\"path\":\"a\",\"content\":\"x\"}", "--approve", "stage"];
    let said = place.windlass(&args);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("nobody is asked in this run") && !said.out.contains("staged"), "{}", said.out);
}
