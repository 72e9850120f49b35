//! `get_file_tree`.

use serde_json::{Value, json};
use windlass_core::permission::Target;
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk};

use crate::project::Project;

fn paths(json: &Value) -> Vec<&str> {
    json.as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect()
}

#[tokio::test]
async fn z_3_the_file_tree_is_a_sorted_json_array_of_relative_paths_without_arguments() {
    let project = Project::with(&[("b.txt", ""), ("src/main.rs", ""), ("src/a/deep.rs", ""), ("a.txt", "")]);
    let output = project.ok("get_file_tree", json!({})).await;
    assert_eq!(paths(&output.json), ["a.txt", "b.txt", "src/a/deep.rs", "src/main.rs"]);
    assert_eq!(output.readable(), r#"["a.txt","b.txt","src/a/deep.rs","src/main.rs"]"#);
    let summary = "File tree results: a.txt | b.txt | src/a/deep.rs";
    assert_eq!(output.summary.as_deref(), Some(summary));
    let tool = project.tool("get_file_tree");
    let spec = tool.spec();
    assert_eq!((spec.effects, spec.risk, spec.idempotent), (Effects::Read, Risk::Safe, true));
    assert!(spec.args().iter().all(|arg| !arg.required));
}

#[tokio::test]
async fn z_3_build_folders_binaries_secrets_and_gitignored_files_are_left_out() {
    let project = Project::with(&[
        ("keep.rs", ""),
        ("target/debug/x.rs", ""),
        ("node_modules/m/index.js", ""),
        (".git/config", ""),
        ("lib.so", ""),
        ("pack.ZIP", ""),
        (".env", ""),
        (".env.example", ""),
        ("deploy/server.pem", ""),
        (".ssh/config", ""),
        ("ID_RSA", ""),
        (".gitignore", "*.log\n/only_top\n!keep.log\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("only_top", ""),
        ("sub/only_top", ""),
        ("sub/.gitignore", "local/\n!b.log\n"),
        ("sub/local/x", ""),
        ("sub/b.log", ""),
        ("other/local/x", ""),
    ]);
    let output = project.ok("get_file_tree", json!({})).await;
    assert_eq!(
        paths(&output.json),
        [
            ".env.example",
            ".gitignore",
            "keep.log",
            "keep.rs",
            "other/local/x",
            "sub/.gitignore",
            "sub/b.log",
            "sub/only_top",
        ]
    );
    let sub = project.ok("get_file_tree", json!({"path": "sub"})).await;
    assert_eq!(paths(&sub.json), ["sub/.gitignore", "sub/b.log", "sub/only_top"]);
}

#[tokio::test]
async fn a_gitignore_can_ask_for_a_build_folder_back_but_not_for_secrets() {
    let project = Project::with(&[(".gitignore", "!build/\n!.env\n"), ("build/x", ""), (".env", "")]);
    let output = project.ok("get_file_tree", json!({})).await;
    assert_eq!(paths(&output.json), [".gitignore", "build/x"]);
}

#[tokio::test]
async fn a_long_tree_is_cut_with_a_note_and_shows_the_top_first() {
    let project = Project::with(&[("z.txt", "")]);
    for number in 0..50 {
        project.put(&format!("deep/er/{number:02}"), b"");
    }
    let output = project.ok("get_file_tree", json!({"entries_max": 3})).await;
    assert_eq!(paths(&output.json), ["deep/er/00", "deep/er/01", "z.txt"]);
    assert!(output.is_truncated);
    assert!(output.readable().contains("3 of 51 paths are shown"), "{}", output.readable());
}

#[tokio::test]
async fn depth_ends_in_folders_with_a_slash() {
    let project = Project::with(&[("a/b/c", ""), ("a/d", ""), ("e", "")]);
    let output = project.ok("get_file_tree", json!({"depth": 1})).await;
    assert_eq!(paths(&output.json), ["a/", "e"]);
    let output = project.ok("get_file_tree", json!({"depth": 2})).await;
    assert_eq!(paths(&output.json), ["a/b/", "a/d", "e"]);
}

#[tokio::test]
async fn links_are_listed_but_never_followed() {
    let project = Project::with(&[("a/file", "")]);
    project.link("out", "../outside");
    project.link("around", ".");
    let output = project.ok("get_file_tree", json!({})).await;
    assert_eq!(paths(&output.json), ["a/file", "around", "out"]);
}

#[tokio::test]
async fn the_target_of_a_question_is_the_real_folder() {
    let project = Project::with(&[("a/b/file", "")]);
    project.link("short", "a/b");
    for (asked, real) in [(".", "."), ("short", "a/b"), ("a/../a/b/", "a/b")] {
        let inspection = project.inspect("get_file_tree", json!({"path": asked})).await.unwrap();
        assert_eq!(inspection.targets, [Target::Path(real.into())]);
    }
}

#[tokio::test]
async fn a_folder_that_is_missing_or_secret_or_a_file_is_refused() {
    let project = Project::with(&[("file", ""), (".ssh/config", "")]);
    project.refused("get_file_tree", json!({"path": "none"}), ErrorKind::NotFound).await;
    project.refused("get_file_tree", json!({"path": ".ssh"}), ErrorKind::PermissionDenied).await;
    let failure = project.call("get_file_tree", json!({"path": "file"})).await.unwrap_err();
    assert_ne!(failure.kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn a_cancelled_walk_ends() {
    let project = Project::with(&[("a", "")]);
    project.context.cancel.cancel();
    project.refused("get_file_tree", json!({}), ErrorKind::Cancelled).await;
}
