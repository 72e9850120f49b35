//! `undo_edit`.

use serde_json::json;
use windlass_core::permission::Preview;
use windlass_core::protocol::tool::ErrorKind;
use windlass_tools::ToolsConfig;

use crate::project::Project;

async fn change_twice(project: &Project) {
    project.ok("write_file", json!({"path": "new", "content": "1\n"})).await;
    project.ok("edit_file", json!({"path": "new", "edits": [{"old": "1", "new": "2"}]})).await;
}

async fn undo_both(project: &Project) {
    let args = json!({"path": "new"});
    let inspection = project.inspect("undo_edit", args.clone()).await.unwrap();
    let diff = "--- a/new\n+++ b/new\n@@ -1 +1 @@\n-2\n+1\n";
    assert_eq!(inspection.preview, Some(Preview::Diff(diff.into())));
    let output = project.ok("undo_edit", args.clone()).await;
    assert_eq!(output.json["written"], true);
    assert_eq!(project.content("new"), "1\n");
    let output = project.ok("undo_edit", args.clone()).await;
    assert_eq!(output.json["removed"], true);
    assert!(!project.path("new").exists(), "it did not exist before");
    project.refused("undo_edit", args, ErrorKind::NotFound).await;
}

#[tokio::test]
async fn changes_are_taken_back_one_by_one() {
    let project = Project::with(&[]);
    change_twice(&project).await;
    undo_both(&project).await;
}

#[tokio::test]
async fn undo_copies_on_disk_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let config = ToolsConfig { undo_dir: Some(folder.path().join("undo")), ..ToolsConfig::default() };
    let project = Project::configured(&[], &config);
    change_twice(&project).await;
    let mut later = Project::configured(&[], &config);
    later.context.root = project.context.root.clone();
    undo_both(&later).await;
    assert_eq!(std::fs::read_dir(folder.path().join("undo")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_later_change_by_somebody_else_is_not_destroyed() {
    let project = Project::with(&[]);
    change_twice(&project).await;
    project.put("new", b"work of a person");
    let failure = project.refused("undo_edit", json!({"path": "new"}), ErrorKind::InvalidArgs).await;
    assert!(failure.message.contains("changed by somebody else"), "{}", failure.message);
    assert_eq!(project.content("new"), "work of a person");
}

#[tokio::test]
async fn without_an_undo_copy_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("undo"), "a file where the folder should be").unwrap();
    let config = ToolsConfig { undo_dir: Some(folder.path().join("undo")), ..ToolsConfig::default() };
    let project = Project::configured(&[], &config);
    let args = json!({"path": "new", "content": "x"});
    let failure = project.refused("write_file", args, ErrorKind::IoError).await;
    assert_eq!(failure.message, "No undo copy could be kept, so nothing was written.");
    assert!(!project.path("new").exists());
}
