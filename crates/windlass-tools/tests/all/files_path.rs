//! Paths: what is legal, what is refused, and how.

use serde_json::json;
use windlass_core::protocol::tool::ErrorKind;

use crate::project::{OUTSIDE, Project};

#[tokio::test]
async fn r_50_two_dots_within_a_name_are_legal() {
    let project = Project::with(&[("a..b", "x"), ("..hidden", "x"), ("dots../file", "x"), ("...", "x")]);
    for path in ["a..b", "..hidden", "dots../file", "..."] {
        assert_eq!(project.read(path).await.json["path"], path);
    }
}

#[tokio::test]
async fn r_50_a_symbolic_link_out_of_the_root_is_refused() {
    let project = Project::with(&[]);
    project.link("file", "../outside/hidden.txt");
    project.link("folder", "../outside");
    project.link("absolute", project.above().join("outside").to_str().unwrap());
    project.link("system", "/etc/passwd");
    for path in ["file", "folder/hidden.txt", "absolute/hidden.txt", "system"] {
        for (tool, args) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "edits": [{"start_line": 1, "new": "x"}]})),
            ("search_text", json!({"path": path, "pattern": "."})),
            ("undo_edit", json!({"path": path})),
        ] {
            let failure = project.refused(tool, args.clone(), ErrorKind::PermissionDenied).await;
            assert!(failure.message.ends_with("leads outside the project root"), "{}", failure.message);
            let looked_at = project.inspect(tool, args).await.unwrap_err();
            assert_eq!(looked_at.kind, ErrorKind::PermissionDenied);
        }
    }
    for tool in ["get_file_tree", "execute_command"] {
        let args = json!({"path": "folder", "cwd": "folder", "command": "pwd"});
        project.refused(tool, args, ErrorKind::PermissionDenied).await;
    }
}

#[tokio::test]
async fn absolute_paths_are_taken_below_the_root_and_refused_elsewhere() {
    let project = Project::with(&[("a", "x")]);
    project.read(project.path("a").to_str().unwrap()).await;
    for path in [
        project.above().join("outside/hidden.txt").to_str().unwrap(),
        project.path("../outside/hidden.txt").to_str().unwrap(),
        &format!("{}x/a", project.context.root.display()),
        "/etc/passwd",
        "//etc/passwd",
    ] {
        project.refused("read_file", json!({"path": path}), ErrorKind::PermissionDenied).await;
    }
}

#[tokio::test]
async fn a_root_that_is_itself_a_link_is_one_root() {
    let mut project = Project::with(&[("a", "x")]);
    let link = project.above().join("root-link");
    std::os::unix::fs::symlink(&project.context.root, &link).unwrap();
    let real = project.path("a");
    project.context.root = link;
    for path in [real, project.path("a")] {
        assert_eq!(project.read(path.to_str().unwrap()).await.json["path"], "a");
    }
}

#[tokio::test]
async fn names_that_no_file_can_have_are_the_callers_fault() {
    let project = Project::with(&[]);
    for path in ["a\0b", "\0", &"x".repeat(256), &"x/".repeat(3000), &format!("a/{}", "ü".repeat(200))] {
        let failure = project.refused("read_file", json!({"path": path}), ErrorKind::InvalidArgs).await;
        assert!(failure.message.chars().count() < 400);
        let args = json!({"path": path, "content": "x"});
        project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    }
}

#[tokio::test]
async fn r_43_a_long_path_is_cut_between_characters_in_messages() {
    let project = Project::with(&[]);
    for shift in 0..4 {
        let path = format!("{}{}", "a".repeat(shift), "€/🦀/".repeat(60));
        let failure = project.call("read_file", json!({"path": path})).await.unwrap_err();
        assert!(failure.message.contains('…'));
    }
}

#[tokio::test]
async fn secrets_are_refused_in_every_spelling_and_by_every_tool() {
    let project = Project::with(&[
        (".env", OUTSIDE),
        (".env.local", OUTSIDE),
        ("deploy/.ENV", OUTSIDE),
        ("server.pem", OUTSIDE),
        ("tls/server.KEY", OUTSIDE),
        ("id_rsa", OUTSIDE),
        ("id_rsa.pub", OUTSIDE),
        ("Id_Ed25519", OUTSIDE),
        (".ssh/config", OUTSIDE),
        (".SSH/known", OUTSIDE),
        (".aws/config", OUTSIDE),
        ("credentials.json", OUTSIDE),
        (".netrc", OUTSIDE),
        (".npmrc", OUTSIDE),
        (".pypirc", OUTSIDE),
        (".git-credentials", OUTSIDE),
        ("ok.txt", "ok"),
        (".env.example", "ok"),
        (".env.sample", "ok"),
        ("environment.md", "ok"),
        ("monkey", "ok"),
    ]);
    project.link("innocent", ".env");
    project.link("folder", ".ssh");
    for path in [
        ".env",
        "./.env",
        "deploy/../.env",
        ".env.local",
        "deploy/.ENV",
        "server.pem",
        "tls/server.KEY",
        "id_rsa",
        "id_rsa.pub",
        "Id_Ed25519",
        ".ssh/config",
        ".SSH/known",
        ".aws/config",
        "credentials.json",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        "innocent",
        "folder/config",
    ] {
        for (tool, args) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "edits": [{"start_line": 1, "new": "x"}]})),
            ("search_text", json!({"path": path, "pattern": "."})),
        ] {
            let failure = project.refused(tool, args, ErrorKind::PermissionDenied).await;
            assert!(failure.message.contains("looks like a secret"), "{path}: {}", failure.message);
            assert!(failure.hint.is_some());
        }
    }
    for path in ["ok.txt", ".env.example", ".env.sample", "environment.md", "monkey"] {
        project.read(path).await;
    }
    let found = project.ok("search_text", json!({"pattern": OUTSIDE})).await;
    assert_eq!(found.json["count"], 0);
}

#[tokio::test]
async fn a_root_that_cannot_be_opened_is_not_a_missing_file() {
    let mut project = Project::with(&[]);
    project.context.root = project.above().join("nowhere");
    let failure = project.refused("read_file", json!({"path": "a"}), ErrorKind::IoError).await;
    assert!(failure.message.starts_with("The project root "), "{}", failure.message);
}
