//! `write_file`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use windlass_core::permission::{Preview, Target};
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk};

use crate::project::{Project, block_on};

fn names(project: &Project) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(&project.context.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn r_40_written_is_said_only_when_bytes_were_written() {
    let project = Project::with(&[]);
    let args = json!({"path": "a.txt", "content": "hello\n"});
    let output = project.ok("write_file", args.clone()).await;
    assert_eq!((&output.json["written"], &output.json["created"]), (&json!(true), &json!(true)));
    assert!(output.readable().starts_with("Written: a.txt (new file, 6 bytes)."));
    assert_eq!(project.content("a.txt"), "hello\n");
    let modified = fs::metadata(project.path("a.txt")).unwrap().modified().unwrap();
    let again = project.ok("write_file", args).await;
    assert_eq!(again.json["written"], false);
    assert_eq!(again.readable(), "a.txt already has this content: nothing was written.");
    assert_eq!(fs::metadata(project.path("a.txt")).unwrap().modified().unwrap(), modified);
    assert_eq!(names(&project), ["a.txt"], "temporary files are gone");
}

#[tokio::test]
async fn r_40_a_write_that_fails_says_so_and_leaves_nothing_behind() {
    let project = Project::with(&[("file", "x"), ("locked/x", "")]);
    let args = json!({"path": "file/below", "content": "x"});
    project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    let args = json!({"path": "locked", "content": "x"});
    project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    let args = json!({"path": "new/", "content": "x"});
    project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    fs::set_permissions(project.path("file"), fs::Permissions::from_mode(0o444)).unwrap();
    project.read("file").await;
    let args = json!({"path": "file", "content": "y"});
    let failure = project.refused("write_file", args, ErrorKind::PermissionDenied).await;
    assert_eq!(failure.message, "'file' is read-only; nothing was written");
    assert_eq!(project.content("file"), "x");
    assert_eq!(names(&project), ["file", "locked"]);
}

#[tokio::test]
async fn an_existing_file_must_have_been_read_as_it_is() {
    let mut project = Project::with(&[("a", "old")]);
    let args = json!({"path": "a", "content": "new"});
    let failure = project.refused("write_file", args.clone(), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'a' exists and was not read in this session");
    assert!(project.inspect("write_file", args.clone()).await.is_err(), "nobody is asked in vain");
    project.read("a").await;
    project.put("a", b"changed behind its back");
    let failure = project.refused("write_file", args.clone(), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'a' has changed since it was read");
    project.read("a").await;
    project.context.session_id = SessionId::from("another");
    project.refused("write_file", args.clone(), ErrorKind::InvalidArgs).await;
    project.context.session_id = SessionId::from("session");
    project.ok("write_file", args).await;
    assert_eq!(project.content("a"), "new");
    project.ok("write_file", json!({"path": "a", "content": "newer"})).await;
    assert_eq!(project.content("a"), "newer", "what a session wrote it has seen");
}

#[tokio::test]
async fn an_expected_hash_speaks_for_a_reading() {
    let project = Project::with(&[("a", "old")]);
    let hash = "3cc762f1b20a5f1a0a3bbc5d5ddf1b1bdbd3f9d20d4a8a8f9e3b1e8cf1dfb9a1";
    let args = json!({"path": "a", "content": "new", "expected_sha256": hash});
    let failure = project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    assert_eq!(failure.field.as_deref(), Some("expected_sha256"));
    let hash = failure.expected.unwrap();
    let args = json!({"path": "a", "content": "new", "expected_sha256": hash.to_uppercase()});
    project.ok("write_file", args).await;
    let args = json!({"path": "none", "content": "new", "expected_sha256": hash});
    project.refused("write_file", args, ErrorKind::NotFound).await;
}

#[tokio::test]
async fn create_new_never_overwrites() {
    let project = Project::with(&[("a", "old")]);
    project.read("a").await;
    let args = json!({"path": "a", "content": "new", "create_new": true});
    let failure = project.refused("write_file", args, ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'a' exists already");
    assert_eq!(project.content("a"), "old");
}

#[tokio::test]
async fn missing_folders_are_made_or_refused() {
    let project = Project::with(&[]);
    let args = json!({"path": "x/y/z.txt", "content": "1", "create_parents": false});
    project.refused("write_file", args, ErrorKind::NotFound).await;
    assert!(names(&project).is_empty());
    let inspection =
        project.inspect("write_file", json!({"path": "x/./y/z.txt", "content": "1"})).await.unwrap();
    assert_eq!(inspection.targets, [Target::Path("x/y/z.txt".into())]);
    assert!(names(&project).is_empty(), "looking at a call changes nothing");
    project.ok("write_file", json!({"path": "x/y/z.txt", "content": "1"})).await;
    assert_eq!(project.content("x/y/z.txt"), "1");
}

#[tokio::test]
async fn the_question_has_the_real_target_the_whole_diff_and_the_true_risk() {
    let project = Project::with(&[("real.txt", "one\ntwo\nthree\n")]);
    project.link("link.txt", "real.txt");
    project.read("link.txt").await;
    let args = json!({"path": "link.txt", "content": "one\n2\nthree\n"});
    let inspection = project.inspect("write_file", args.clone()).await.unwrap();
    assert_eq!(inspection.targets, [Target::Path("real.txt".into())]);
    let diff = "--- a/real.txt\n+++ b/real.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    assert_eq!(inspection.preview, Some(Preview::Diff(diff.into())));
    assert_eq!(inspection.risk, None);
    let output = project.ok("write_file", args).await;
    assert_eq!(output.json["diff"], diff);
    assert!(fs::symlink_metadata(project.path("link.txt")).unwrap().is_symlink(), "the link stays");
    assert_eq!(project.content("real.txt"), "one\n2\nthree\n");
    let tool = project.tool("write_file");
    assert_eq!((tool.spec().effects, tool.spec().risk), (Effects::Write, Risk::High));
}

#[tokio::test]
async fn files_that_other_programs_obey_are_critical() {
    let project = Project::with(&[(".git/HEAD", "")]);
    for path in [".git/hooks/pre-commit", ".windlass/config.toml", "sub/.GIT/HEAD"] {
        let inspection = project.inspect("write_file", json!({"path": path, "content": "x"})).await.unwrap();
        assert_eq!(inspection.risk, Some(Risk::Critical), "{path}");
    }
}

#[tokio::test]
async fn permissions_of_a_file_are_kept() {
    let project = Project::with(&[("run.sh", "old")]);
    fs::set_permissions(project.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    project.read("run.sh").await;
    project.ok("write_file", json!({"path": "run.sh", "content": "new"})).await;
    assert_eq!(fs::metadata(project.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn a_link_to_nowhere_is_not_written_through() {
    let project = Project::with(&[]);
    project.link("dangling", "nowhere");
    project.link("deep", "../outside/new.txt");
    for path in ["dangling", "deep", "dangling/x"] {
        let args = json!({"path": path, "content": "x"});
        project.refused("write_file", args, ErrorKind::PermissionDenied).await;
    }
    assert!(!project.path("nowhere").exists() && !project.above().join("outside/new.txt").exists());
}

#[tokio::test]
async fn a_cancelled_write_writes_nothing() {
    let project = Project::with(&[]);
    project.context.cancel.cancel();
    let args = json!({"path": "a", "content": "x"});
    project.refused("write_file", args, ErrorKind::Cancelled).await;
    assert!(names(&project).is_empty());
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let project = Project::with(&[("a", &"1".repeat(200_000))]);
    let path = project.path("a");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let content = fs::read(&path).unwrap();
                assert!(content.len() == 200_000 && content.iter().all(|byte| *byte == content[0]));
            }
        });
        block_on(async {
            project.read("a").await;
            for turn in 0..50 {
                let content = (turn % 10).to_string().repeat(200_000);
                project.ok("write_file", json!({"path": "a", "content": content})).await;
            }
        });
        done.store(true, Ordering::Relaxed);
    });
}
