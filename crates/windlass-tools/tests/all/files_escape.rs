//! Hundreds of ways to ask for what lies outside the root, and links swapped while tools run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};

use crate::project::{OUTSIDE, Project, block_on};

/// Ways of saying "one up", "the top" or "out".
const STEPS: [&str; 34] = [
    "..",
    "../..",
    "../../..",
    "./..",
    ".//..",
    "a/..",
    "a/../..",
    "a/b/../../..",
    "none/../..",
    "..//",
    "../.",
    "../project/..",
    "%2e%2e",
    "%2e%2e%2f..",
    "..%2f",
    "%252e%252e",
    "..%00",
    "..\\..",
    "..\\",
    "....//",
    "..;",
    "..\u{200b}",
    "\u{2025}",
    "\u{ff0e}\u{ff0e}",
    "．．",
    "..\u{2215}",
    "~",
    "~/..",
    "$HOME/..",
    "/",
    "//",
    "/..",
    "file:///",
    "out",
];

/// What is asked for from there.
const GOALS: [&str; 8] = [
    "outside/hidden.txt",
    "../outside/hidden.txt",
    "etc/passwd",
    "outside",
    "out/hidden.txt",
    "hidden.txt",
    "",
    "OUTSIDE/hidden.txt",
];

/// Spellings of the whole.
const DRESSES: [fn(&str) -> String; 6] = [
    |path| path.to_owned(),
    |path| format!("./{path}"),
    |path| format!("a/../{path}"),
    |path| format!("{path}/"),
    |path| format!("{path}\0.txt"),
    |path| path.replace('/', "//"),
];

fn patterns(above: &Path) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for step in STEPS {
        for goal in GOALS {
            patterns.extend(DRESSES.iter().map(|dress| dress(&format!("{step}/{goal}"))));
        }
    }
    let hidden = above.join("outside/hidden.txt").to_str().unwrap().to_owned();
    let links = ["out", "absolute", "file", "chain", "top", "around", "a/up", "proc"];
    patterns.extend(links.iter().flat_map(|link| GOALS.iter().map(move |goal| format!("{link}/{goal}"))));
    patterns.extend(links.map(str::to_owned));
    patterns.extend(["x".repeat(5000), "../".repeat(1000), "a/".repeat(1500) + "../".repeat(1600).as_str()]);
    patterns.extend([format!("..{hidden}"), hidden.to_uppercase(), format!("file://{hidden}"), hidden]);
    patterns
}

fn hostile_project() -> Project {
    let project = Project::with(&[("a/b/inside.txt", "inside")]);
    project.link("out", "../outside");
    project.link("absolute", project.above().join("outside").to_str().unwrap());
    project.link("file", "../outside/hidden.txt");
    project.link("chain", "out");
    project.link("top", "/");
    project.link("around", "../project/../outside");
    project.link("a/up", "../..");
    project.link("proc", "/proc/self/root");
    project
}

fn calls(path: &str) -> [(&'static str, Value); 7] {
    [
        ("read_file", json!({"path": path})),
        ("read_file", json!({"path": path, "start_line": 1})),
        ("get_file_tree", json!({"path": path})),
        ("search_text", json!({"path": path, "pattern": "."})),
        ("write_file", json!({"path": path, "content": "written"})),
        (
            "edit_file",
            json!({"path": path, "edits": [{"start_line": 1, "new": "edited"}],
            "expected_sha256": "0".repeat(64)}),
        ),
        ("execute_command", json!({"argv": ["pwd", "-P"], "cwd": path})),
    ]
}

/// Whether an outcome shows anything from outside.
fn is_escape(root: &Path, tool: &str, outcome: &Result<ToolOutput, ToolFailure>) -> bool {
    let Ok(output) = outcome else { return false };
    if tool == "execute_command" {
        return !output.json["stdout"].as_str().unwrap().starts_with(root.to_str().unwrap());
    }
    let text = format!("{} {}", output.json, output.readable());
    text.contains(OUTSIDE) || text.contains("root:x:") || text.contains("etc/hostname")
}

fn assert_outside_untouched(project: &Project) {
    let outside = project.above().join("outside");
    assert_eq!(fs::read_to_string(outside.join("hidden.txt")).unwrap(), OUTSIDE);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2, "something was made outside");
    assert_eq!(fs::read_dir(project.above()).unwrap().count(), 2, "something was made above the root");
}

#[tokio::test]
async fn r_50_of_more_than_five_hundred_hostile_paths_none_escapes() {
    let project = hostile_project();
    let root = project.context.root.canonicalize().unwrap();
    let patterns = patterns(&project.above());
    assert!(patterns.len() > 500, "{}", patterns.len());
    let mut escapes = Vec::new();
    for path in &patterns {
        for (tool, args) in calls(path) {
            let outcome = project.call(tool, args.clone()).await;
            if is_escape(&root, tool, &outcome) {
                escapes.push(format!("{tool} {path:?}: {outcome:?}"));
            }
            if let Err(failure) = outcome {
                assert_ne!(failure.kind, ErrorKind::Internal, "{tool} {path:?}: {failure:?}");
            }
        }
    }
    assert!(escapes.is_empty(), "{} escapes, first: {}", escapes.len(), escapes[0]);
    assert_outside_untouched(&project);
}

/// Ends the swapping, also when the work panics.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps an entry of the project back and forth, by `put`, while the work goes on.
fn swapping(put: impl Fn(usize) + Send + Sync, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                put(turn);
            }
        });
        let _done = Done(&done);
        work();
    });
}

/// A folder of the project, or a link out of it.
fn turn_door(project: &Project, turn: usize) {
    let (door, parked) = (project.path("door"), project.path("parked"));
    if turn.is_multiple_of(2) {
        fs::rename(&door, &parked).unwrap();
        symlink("../outside", &door).unwrap();
    } else {
        fs::remove_file(&door).unwrap();
        fs::rename(&parked, &door).unwrap();
    }
}

#[test]
fn a_command_runs_in_the_folder_that_was_looked_at_whatever_is_put_in_its_place() {
    let project = Project::with(&[("door/hidden.txt", "inside")]);
    let mut ran = 0;
    swapping(
        |turn| turn_door(&project, turn),
        || {
            block_on(async {
                for turn in 0.. {
                    // A busy machine may run one side alone for long.
                    if turn >= 300 && ran > 0 || turn >= 20_000 {
                        break;
                    }
                    let args = json!({"command": "cat hidden.txt", "cwd": "door"});
                    if let Ok(output) = project.call("execute_command", args).await {
                        assert_eq!(output.json["stdout"], "inside", "{}", output.json);
                        ran += 1;
                    }
                }
            });
        },
    );
    assert!(ran > 0);
    assert_outside_untouched(&project);
}

#[test]
fn r_50_a_folder_swapped_for_a_link_while_tools_run_never_leads_out() {
    let project = Project::with(&[("door/hidden.txt", "inside")]);
    let (mut inside, mut refused) = (0, 0);
    swapping(
        |turn| turn_door(&project, turn),
        || {
            block_on(async {
                for turn in 0.. {
                    // A busy machine may run one side alone for long.
                    if turn >= 3000 && inside > 0 && refused > 0 || turn >= 60_000 {
                        break;
                    }
                    let read = project.call("read_file", json!({"path": "door/hidden.txt"})).await;
                    inside += usize::from(read.is_ok());
                    refused += usize::from(read.is_err());
                    assert!(read.is_err() || read.unwrap().readable() == "inside");
                    let content = refused.to_string();
                    let args = json!({"path": "door/new.txt", "content": content, "create_parents": false});
                    let _ = project.call("write_file", args).await;
                    let tree = project.call("get_file_tree", json!({"path": "door"})).await;
                    assert!(tree.is_err() || !tree.unwrap().json.to_string().contains(OUTSIDE));
                }
            });
        },
    );
    assert!(inside > 0 && refused > 0, "both sides of the race must have won: {inside}, {refused}");
    assert_outside_untouched(&project);
}

#[test]
fn a_file_swapped_for_a_link_to_a_secret_while_tools_run_is_never_read() {
    let project = Project::with(&[(".env", "SECRET")]);
    let (note, aside) = (project.path("note"), project.path("aside"));
    let put = |turn: usize| {
        if turn.is_multiple_of(2) {
            symlink(".env", &aside).unwrap();
        } else {
            fs::write(&aside, "plain").unwrap();
        }
        fs::rename(&aside, &note).unwrap();
    };
    put(1);
    swapping(put, || {
        block_on(async {
            for _ in 0..3000 {
                let read = project.call("read_file", json!({"path": "note"})).await;
                assert!(read.is_err() || read.unwrap().readable() == "plain");
            }
        });
    });
}
