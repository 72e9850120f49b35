//! Edits that are staged by `windlass run --approve stage` and made by `windlass runs apply`.

use std::fs;

use crate::place::{Place, Said};
use crate::serve::Served;
use crate::tty::Terminal;

/// Reads a file, proposes an edit, tries another one of the same file, and answers only if the model was told.
const EDIT: &str = "\
user Edit it.
model call 1 read_file {\"path\":\"a.txt\"}
model end
model call 2 edit_file {\"path\":\"a.txt\",\"edits\":[{\"old\":\"one\",\"new\":\"two\"}]}
model call 3 write_file {\"path\":\"a.txt\",\"content\":\"more\"}
model end
expect-request contains staged as proposal call_2 and awaits the user's approval; nothing was written
expect-request contains Edit call_2 of this file awaits the user's approval already
model call 4 write_file {\"path\":\"a.txt\",\"content\":\"more\"}
model end
expect-request contains tool call_4 write_file: {\"ok\":false,\"error\":{\"kind\":\"permission_denied\",\"message\":\"Edit call_2 of this file awaits
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
        "⊘ write_file a.txt",
        &format!("what is staged awaits your approval: windlass runs apply {run_id}"),
    ] {
        assert!(said.err.contains(line), "no '{line}' in {}", said.err);
    }
    assert_eq!(place.read("a.txt"), "one\n");
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
    place.windlass(&["runs", "apply", &run_id, "--yes"]).complains(1, &["waits any more", "applied already"]);
    let story = place.windlass(&["runs", "show", &run_id]).exits(0).out;
    assert!(story.contains("◆ call_2 edit_file a.txt") && !story.contains("windlass runs apply"), "{story}");
    place.windlass(&["runs", "replay", &run_id]).exits(0);
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
    place.windlass(&["runs", "apply", &run_id, "--yes"]).complains(1, &["applied already"]);
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

/// Proposes three edits in two steps; when it is asked again, it must have been told what became of them.
const SEVERAL: &str = "\
user Go
model call 1 write_file {\"path\":\"one.txt\",\"content\":\"1\\n\"}
model call 2 write_file {\"path\":\"two.txt\",\"content\":\"2\\n\"}
model end
model call 3 write_file {\"path\":\"three.txt\",\"content\":\"3\\n\"}
model end
model text Three await your approval.
user And now?
expect-request contains The user applied the staged edit call_1 (write_file one.txt): Written: one.txt (new file, 2 bytes)
expect-request contains The user applied the staged edit call_3 (write_file three.txt)
model text Two of three.
user And now?
expect-request contains The user applied the staged edit call_2 (write_file two.txt)
model text All three.
";

#[test]
fn u_41_several_edits_of_a_run_are_approved_in_part_and_the_model_is_told() {
    for profile in ["default", "ploke"] {
        let place = Place::with(&[("s.script", SEVERAL)]);
        let ask = |text: &str| {
            let args = ["run", "--model", "scripted/s.script", "--session", "s", "--approve", "stage"];
            place.windlass(&[&args[..], &["--profile", profile, text]].concat()).exits(0)
        };
        let said = ask("Go");
        assert_eq!(said.out, "Three await your approval.\n", "{}", said.err);
        let exist = || ["one.txt", "two.txt", "three.txt"].map(|name| place.path(name).exists());
        assert_eq!(exist(), [false; 3], "{profile}");
        let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
        let run_id = rows[0]["run_id"].as_str().unwrap();
        place.windlass(&["runs", "apply", run_id, "call_9"]).complains(2, &["no staged edit", "call_1"]);
        let applied = place.windlass(&["runs", "apply", run_id, "call_3", "call_1", "--yes"]).exits(0);
        assert_eq!(
            applied.out,
            "Written: one.txt (new file, 2 bytes).\nWritten: three.txt (new file, 2 bytes).\n"
        );
        assert_eq!(exist(), [true, false, true]);
        assert_eq!(ask("And now?").out, "Two of three.\n");
        place.windlass(&["runs", "apply", run_id, "call_1", "--yes"]).complains(1, &["applied already"]);
        place.windlass(&["runs", "apply", run_id, "--yes"]).exits(0);
        assert_eq!(place.read("two.txt"), "2\n", "the one that still waited");
        assert_eq!(ask("And now?").out, "All three.\n");
        place.windlass(&["runs", "replay", run_id]).exits(0);
    }
}

#[test]
fn u_41_edits_are_asked_about_one_by_one_on_a_terminal() {
    let place = Place::with(&[("s.script", SEVERAL)]);
    place
        .windlass(&["run", "--model", "scripted/s.script", "--session", "s", "--approve", "stage", "Go"])
        .exits(0);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let args = format!("runs apply {}", rows[0]["run_id"].as_str().unwrap());
    let mut terminal = Terminal::start(&place, &args, &[]);
    for (call, word) in [("call_1", "y"), ("call_2", "n"), ("call_3", "y")] {
        terminal.wait_for(call).wait_for("Apply this edit? [y/N]").type_line(word);
    }
    let (code, said) = terminal.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("call_2 is not applied; it still waits"), "{said}");
    assert_eq!([place.read("one.txt"), place.read("three.txt")], ["1\n", "3\n"]);
    assert!(!place.path("two.txt").exists());
}

#[test]
fn u_41_edits_are_approved_over_http_as_they_were_shown() {
    let place = Place::with(&[("a.script", SEVERAL)]);
    let served = Served::start(&place, &["--approve", "stage"]);
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let ask = |text: &str| {
        let body = serde_json::json!({"message": text}).to_string();
        let started = served.json(&format!("POST /api/sessions/{session}/runs"), &body);
        let run = started["run_id"].as_str().unwrap().to_owned();
        let ended = served.first(&run, "done");
        (run, ended.to_string())
    };
    let (run, _) = ask("Go");
    let digest = |call: &str| {
        let frame = served.find(&run, |frame| frame["type"] == "tool_result" && frame["id"] == call);
        frame["staged"]["digest"].as_str().unwrap().to_owned()
    };
    let apply = |call: &str, digest: &str| {
        served.ask(&format!("POST /api/runs/{run}/edits/{call}"), &format!("{{\"digest\":\"{digest}\"}}")).0
    };
    assert_eq!(apply("call_1", &digest("call_2")), 409, "another edit was shown");
    assert_eq!(apply("call_9", &digest("call_1")), 404);
    assert!(!place.path("one.txt").exists());
    assert_eq!([apply("call_3", &digest("call_3")), apply("call_1", &digest("call_1"))], [200, 200]);
    assert_eq!(apply("call_1", &digest("call_1")), 409, "it was applied already");
    assert_eq!(place.read("one.txt"), "1\n");
    assert!(!place.path("two.txt").exists());
    assert!(ask("And now?").1.contains("\"completed\""), "the script goes on only if the model was told");
}
