//! `edit_file`.

use serde_json::json;
use windlass_core::permission::{Preview, Target};
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk};

use crate::project::Project;

#[tokio::test]
async fn exact_and_line_edits_are_made_together() {
    let project = Project::with(&[("a", "one\ntwo\nthree\nfour\n")]);
    project.read("a").await;
    let args = json!({"path": "a", "edits": [
        {"start_line": 4, "end_line": 4, "new": "4\n5"},
        {"old": "one", "new": "1"},
    ]});
    let inspection = project.inspect("edit_file", args.clone()).await.unwrap();
    assert_eq!(inspection.targets, [Target::Path("a".into())]);
    assert_eq!(project.content("a"), "one\ntwo\nthree\nfour\n");
    let output = project.ok("edit_file", args).await;
    assert_eq!(project.content("a"), "1\ntwo\nthree\n4\n5\n");
    assert_eq!(Some(Preview::Diff(output.json["diff"].as_str().unwrap().into())), inspection.preview);
    assert_eq!(output.json["written"], true);
    assert_eq!(output.summary.as_deref(), Some("Edit file results: Written: a (16 bytes)."));
    let tool = project.tool("edit_file");
    assert_eq!((tool.spec().effects, tool.spec().risk), (Effects::Write, Risk::High));
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let project = Project::with(&[("a", "one\ntwo\n")]);
    project.read("a").await;
    let args = json!({"path": "a", "edits": [{"old": "one", "new": "1"}, {"old": "three", "new": "3"}]});
    let failure = project.refused("edit_file", args.clone(), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "Edit 2: 'old' was not found in 'a'");
    assert_eq!(failure.field.as_deref(), Some("edits[1]"));
    assert!(project.inspect("edit_file", args).await.is_err());
    assert_eq!(project.content("a"), "one\ntwo\n");
}

#[tokio::test]
async fn a_file_must_be_read_before_it_is_edited_and_edits_may_follow_each_other() {
    let project = Project::with(&[("a", "1\n")]);
    let edit = |old: &str, new: &str| json!({"path": "a", "edits": [{"old": old, "new": new}]});
    project.refused("edit_file", edit("1", "2"), ErrorKind::InvalidArgs).await;
    project.ok("read_file", json!({"path": "a", "start_line": 1, "end_line": 1})).await;
    project.ok("edit_file", edit("1", "2")).await;
    project.ok("edit_file", edit("2", "3")).await;
    project.put("a", b"4\n");
    let failure = project.refused("edit_file", edit("4", "5"), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'a' has changed since it was read");
    assert_eq!(project.content("a"), "4\n");
}

#[tokio::test]
async fn the_hash_that_read_file_gives_is_the_hash_that_edit_file_expects() {
    let project = Project::with(&[("a", "1\n")]);
    let hash = project.read("a").await.json["sha256"].clone();
    let args = json!({"path": "a", "edits": [{"old": "1", "new": "2"}], "expected_sha256": hash});
    let output = project.ok("edit_file", args.clone()).await;
    let failure = project.refused("edit_file", args.clone(), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "This very edit of 'a' was made already; nothing was written again");
    assert_eq!(project.read("a").await.json["sha256"], output.json["sha256"]);
    project.put("a", b"1 or 3\n");
    let failure = project.refused("edit_file", args, ErrorKind::InvalidArgs).await;
    assert_eq!(failure.field.as_deref(), Some("expected_sha256"), "{failure:?}");
}

#[tokio::test]
async fn r_39_what_is_looked_at_is_pinned_so_that_a_later_call_holds_for_it_alone() {
    let project = Project::with(&[("a", "1\n")]);
    project.read("a").await;
    let pinned = async |tool: &str, mut args: serde_json::Value| {
        let pins = project.inspect(tool, args.clone()).await.unwrap().pins;
        args.as_object_mut().unwrap().extend(pins);
        args
    };
    let edit = pinned("edit_file", json!({"path": "a", "edits": [{"old": "1", "new": "2"}]})).await;
    let write = pinned("write_file", json!({"path": "a", "content": "3\n"})).await;
    let make = pinned("write_file", json!({"path": "b", "content": "new\n"})).await;
    assert_eq!(make["create_new"], true);
    project.ok("edit_file", edit).await;
    let undo = pinned("undo_edit", json!({"path": "a"})).await;
    let failure = project.refused("write_file", write, ErrorKind::InvalidArgs).await;
    assert_eq!(failure.field.as_deref(), Some("expected_sha256"), "a is not what was looked at");
    project.ok("undo_edit", undo.clone()).await;
    project.read("a").await;
    project.ok("edit_file", json!({"path": "a", "edits": [{"old": "1", "new": "5"}]})).await;
    project.refused("undo_edit", undo, ErrorKind::InvalidArgs).await;
    assert_eq!(project.content("a"), "5\n");
    project.ok("write_file", make.clone()).await;
    let failure = project.refused("write_file", make.clone(), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'b' exists already, with just this content; nothing was written");
    project.put("b", b"other\n");
    let failure = project.refused("write_file", make, ErrorKind::InvalidArgs).await;
    assert_eq!(failure.field.as_deref(), Some("create_new"));
}

#[tokio::test]
async fn encoding_and_line_ends_of_an_edited_file_are_kept() {
    let project = Project::with(&[("dos", "a\r\nb\r\n")]);
    project.put("western", b"Gr\xF6\xDFe\n");
    let wide = |text: &str| {
        b"\xFE\xFF".iter().copied().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect::<Vec<u8>>()
    };
    project.put("wide", &wide("a\nb\n"));
    for (path, old, new) in [("dos", "a\nb", "x\ny"), ("western", "Größe", "Maße"), ("wide", "b", "日本")]
    {
        project.read(path).await;
        project.ok("edit_file", json!({"path": path, "edits": [{"old": old, "new": new}]})).await;
    }
    assert_eq!(project.content("dos"), "x\r\ny\r\n");
    assert_eq!(std::fs::read(project.path("western")).unwrap(), b"Ma\xDFe\n");
    assert_eq!(std::fs::read(project.path("wide")).unwrap(), wide("a\n日本\n"));
    let args = json!({"path": "western", "edits": [{"old": "Maße", "new": "日本"}]});
    let failure = project.refused("edit_file", args, ErrorKind::InvalidArgs).await;
    assert!(failure.message.contains("windows-1252"), "{}", failure.message);
}

#[tokio::test]
async fn what_cannot_be_edited_is_refused() {
    let project = Project::with(&[("a", "x")]);
    project.put("binary", b"\0\0");
    let edits = json!([{"start_line": 1, "new": "y"}]);
    for (path, kind) in [("none", ErrorKind::NotFound), (".", ErrorKind::InvalidArgs)] {
        project.refused("edit_file", json!({"path": path, "edits": edits}), kind).await;
    }
    let hash = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
    let args = json!({"path": "binary", "edits": edits, "expected_sha256": hash});
    let failure = project.refused("edit_file", args, ErrorKind::InvalidArgs).await;
    assert!(failure.message.contains("binary"), "{}", failure.message);
    project.read("a").await;
    for edits in
        [json!([]), json!([{"old": "x"}]), json!([{"old": "x", "new": "y", "bold": true}]), json!("x")]
    {
        project.refused("edit_file", json!({"path": "a", "edits": edits}), ErrorKind::InvalidArgs).await;
    }
}
