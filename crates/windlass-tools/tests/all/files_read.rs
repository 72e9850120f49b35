//! `read_file`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use windlass_core::permission::Target;
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, ToolOutcome};

use crate::project::Project;

#[tokio::test]
async fn z_4_a_file_is_read_whole_and_asks_for_approval() {
    let project = Project::with(&[("src/a.txt", "one\ntwo\n")]);
    let output = project.ok("read_file", json!({"path": "src/a.txt"})).await;
    assert_eq!(output.readable(), "one\ntwo\n");
    assert_eq!(output.json["path"], "src/a.txt");
    assert_eq!(output.json["content"], "one\ntwo\n");
    assert_eq!((&output.json["start_line"], &output.json["end_line"]), (&json!(1), &json!(2)));
    assert_eq!((&output.json["total_lines"], &output.json["bytes"]), (&json!(2), &json!(8)));
    let hash = "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8";
    assert_eq!(output.json["sha256"], hash);
    let tool = project.tool("read_file");
    assert_eq!((tool.spec().effects, tool.spec().risk), (Effects::Read, Risk::Medium));
}

#[tokio::test]
async fn z_4_errors_tell_what_happened_each_with_its_own_kind() {
    let project = Project::with(&[("file", "x"), ("folder/x", "")]);
    let failure = project.refused("read_file", json!({"path": "config.txt"}), ErrorKind::NotFound).await;
    assert_eq!(failure.message, "File not found: config.txt");
    let failure = project.refused("read_file", json!({}), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "read_file requires a 'path' argument");
    let failure = project.refused("read_file", json!({"path": "folder"}), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'folder' is a folder, not a file");
    project.refused("read_file", json!({"path": "file/x"}), ErrorKind::InvalidArgs).await;
    project.refused("read_file", json!({"path": "."}), ErrorKind::InvalidArgs).await;
    project.refused("read_file", json!({"path": ""}), ErrorKind::InvalidArgs).await;
    project.refused("read_file", json!({"path": 7}), ErrorKind::InvalidArgs).await;
}

#[tokio::test]
async fn z_4_a_file_that_the_system_refuses_is_an_io_error_and_not_missing() {
    let project = Project::with(&[("locked", "x")]);
    project.link("loop", "loop");
    project.refused("read_file", json!({"path": "loop"}), ErrorKind::IoError).await;
    fs::set_permissions(project.path("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    if fs::File::open(project.path("locked")).is_err() {
        project.refused("read_file", json!({"path": "locked"}), ErrorKind::IoError).await;
    }
}

#[tokio::test]
async fn a_line_range_comes_numbered_and_is_exact_in_json() {
    let text: String = (1..=120).map(|n| format!("line {n}\n")).collect();
    let project = Project::with(&[("a", &text)]);
    let output = project.ok("read_file", json!({"path": "a", "start_line": 99, "end_line": 101})).await;
    assert_eq!(output.readable(), " 99\tline 99\n100\tline 100\n101\tline 101\n");
    assert_eq!(output.json["content"], "line 99\nline 100\nline 101\n");
    assert_eq!((&output.json["start_line"], &output.json["end_line"]), (&json!(99), &json!(101)));
    assert_eq!(output.json["total_lines"], 120);
    let output = project.ok("read_file", json!({"path": "a", "start_line": 120, "end_line": 999})).await;
    assert_eq!(output.json["content"], "line 120\n");
    for (start, end) in [(0, 3), (121, 130), (5, 4)] {
        let args = json!({"path": "a", "start_line": start, "end_line": end});
        project.refused("read_file", args, ErrorKind::InvalidArgs).await;
    }
}

#[tokio::test]
async fn an_empty_file_is_read() {
    let project = Project::with(&[("empty", "")]);
    let output = project.ok("read_file", json!({"path": "empty"})).await;
    assert_eq!((output.readable().as_ref(), &output.json["total_lines"]), ("", &json!(0)));
}

#[tokio::test]
async fn r_58_a_file_over_ten_megabytes_is_refused_with_size_limit_and_cure() {
    let project = Project::with(&[]);
    let mut file = fs::File::create(project.path("big.log")).unwrap();
    let line = format!("{}\n", "x".repeat(99));
    for _ in 0..(50 * 1024 * 1024 / 100) {
        file.write_all(line.as_bytes()).unwrap();
    }
    file.write_all(b"the end\n").unwrap();
    let failure = project.refused("read_file", json!({"path": "big.log"}), ErrorKind::InvalidArgs).await;
    assert_eq!(failure.message, "'big.log' is too large: 50.0 MB (52428808 bytes), the limit is 10.0 MB");
    assert!(failure.hint.unwrap().contains("start_line"));
    let args = json!({"path": "big.log", "start_line": 524_289});
    let output = project.ok("read_file", args).await;
    assert_eq!(output.json["content"], "the end\n");
    let args = json!({"path": "big.log", "start_line": 1});
    let output = project.ok("read_file", args).await;
    assert!(output.is_truncated && output.readable().len() < 2 * 1024 * 1024);
    let args = json!({"path": "big.log", "start_line": 600_000});
    project.refused("read_file", args, ErrorKind::InvalidArgs).await;
}

#[tokio::test]
async fn r_58_a_file_at_the_limit_is_read_and_one_byte_more_is_not() {
    let project = Project::with(&[]);
    project.put("at", &vec![b'x'; 10 * 1024 * 1024]);
    project.put("over", &vec![b'x'; 10 * 1024 * 1024 + 1]);
    assert_eq!(project.read("at").await.json["bytes"], 10 * 1024 * 1024);
    project.refused("read_file", json!({"path": "over"}), ErrorKind::InvalidArgs).await;
}

#[tokio::test]
async fn r_58_a_large_file_comes_with_the_hint_to_read_a_range() {
    let project = Project::with(&[("large", &"word\n".repeat(20_000)), ("small", "word\n")]);
    let output = project.read("large").await;
    assert!(output.readable().ends_with(
        "[This file is large (100000 bytes, 20000 lines): read a part of it with start_line and end_line.]"
    ));
    assert_eq!(output.json["content"].as_str().unwrap().len(), 100_000);
    assert_eq!(project.read("small").await.json.get("hint"), None);
}

#[tokio::test]
async fn binary_data_is_refused_and_said_to_be_binary() {
    let project = Project::with(&[]);
    project.put("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    project.put("noise", &(0..=255).cycle().take(4096).collect::<Vec<u8>>());
    for path in ["a.png", "noise"] {
        let failure = project.refused("read_file", json!({"path": path}), ErrorKind::InvalidArgs).await;
        assert!(failure.message.contains("is a binary file"), "{}", failure.message);
    }
}

#[tokio::test]
async fn other_encodings_are_decoded() {
    let project = Project::with(&[]);
    let utf16: Vec<u8> =
        b"\xFF\xFE".iter().copied().chain("Größe\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    project.put("utf16", &utf16);
    project.put("marked", b"\xEF\xBB\xBFGr\xC3\xB6\xC3\x9Fe\n");
    project.put("western", b"Gr\xF6\xDFe\n");
    for (path, encoding) in [("utf16", "utf-16le"), ("marked", "utf-8"), ("western", "windows-1252")] {
        let output = project.read(path).await;
        assert_eq!((output.readable().as_ref(), &output.json["encoding"]), ("Größe\n", &json!(encoding)));
    }
}

#[tokio::test]
async fn r_52_control_characters_in_a_file_give_valid_json() {
    let project = Project::with(&[]);
    let bytes: Vec<u8> = (1..128).collect();
    project.put("controls", &bytes);
    let outcome = ToolOutcome::ok(project.read("controls").await);
    let wire = serde_json::to_string(&outcome).unwrap();
    let back: Value = serde_json::from_str(&wire).unwrap();
    assert_eq!(back["body"]["Ok"]["json"]["content"].as_str().unwrap().as_bytes(), bytes);
}

#[tokio::test]
async fn pipes_and_devices_are_refused_without_waiting() {
    let project = Project::with(&[]);
    let made = std::process::Command::new("mkfifo").arg(project.path("pipe")).status().unwrap();
    assert!(made.success());
    let failure = project.refused("read_file", json!({"path": "pipe"}), ErrorKind::InvalidArgs).await;
    assert!(failure.message.contains("not a regular file"), "{}", failure.message);
}

#[tokio::test]
async fn the_target_of_a_question_is_the_real_file() {
    let project = Project::with(&[("a/b.txt", "x")]);
    project.link("link", "a/b.txt");
    project.link("folder", "a");
    let absolute = project.path("a/b.txt");
    for asked in ["a/b.txt", "./a//b.txt", "link", "folder/b.txt", "a/../a/b.txt", absolute.to_str().unwrap()]
    {
        let inspection = project.inspect("read_file", json!({"path": asked})).await.unwrap();
        assert_eq!(inspection.targets, [Target::Path("a/b.txt".into())], "{asked}");
        assert_eq!(project.read(asked).await.json["path"], "a/b.txt");
    }
}

#[tokio::test]
async fn e_28_the_summary_says_what_was_read() {
    let project = Project::with(&[("a.txt", "first\nsecond\n")]);
    let summary = project.read("a.txt").await.summary.unwrap();
    assert_eq!(summary, "Read file results: a.txt | lines 1 to 2 of 2 | first second");
}
