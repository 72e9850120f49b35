//! What `windlass tools call` refuses: each with the right kind of error and a text that helps.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::Instant;

use serde_json::Value;

use crate::lifeline::{Lifeline, PATIENCE};
use crate::place::Place;

/// Calls a tool with everything allowed; the error of its outcome.
#[track_caller]
fn refused(place: &Place, tool: &str, arguments: &str, kind: &str) -> Value {
    let said = place.windlass(&["tools", "call", tool, arguments, "--approve", "all"]).exits(1);
    let outcome = said.json();
    assert_eq!(outcome["ok"], false);
    let error = outcome["error"].clone();
    assert_eq!(error["kind"], kind, "{error}");
    // The words of a profile that has an `error_type` of its own.
    let zodo =
        place.windlass(&["tools", "call", tool, arguments, "--approve", "all", "--profile", "zodo"]).exits(1);
    let zodo = zodo.json();
    let error_type = match kind {
        "unknown_tool" | "not_found" => "not_found",
        "invalid_args" | "limit_exceeded" => "validation_failed",
        "timeout" => "internal_error",
        same => same,
    };
    assert_eq!(
        (&zodo["success"], &zodo["error_type"]),
        (&Value::Bool(false), &Value::String(error_type.into())),
        "{zodo}"
    );
    error
}

#[track_caller]
fn helps(error: &Value, texts: &[&str]) {
    let text = error.to_string();
    for part in texts {
        assert!(text.contains(part), "no '{part}' in {text}");
    }
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "no hint: {text}");
}

#[test]
fn an_unknown_tool_suggests_the_nearest() {
    let error = refused(&Place::new(), "read_fil", "{}", "unknown_tool");
    helps(&error, &["Unknown tool 'read_fil'", "Did you mean 'read_file'?"]);
}

#[test]
fn a_wrong_type_names_the_field_and_what_came() {
    let error = refused(&Place::new(), "read_file", r#"{"path":3}"#, "invalid_args");
    assert_eq!(
        (&error["field"], &error["expected"], &error["received"]),
        (&"path".into(), &"string".into(), &"3".into())
    );
    helps(&error, &["path must be string"]);
    helps(
        &refused(&Place::new(), "calculate", r#"{"expression":true}"#, "invalid_args"),
        &["expression must be string"],
    );
}

#[test]
fn a_missing_argument_is_named() {
    let error = refused(&Place::new(), "read_file", "{}", "invalid_args");
    helps(&error, &["Missing required arg 'path'"]);
}

#[test]
fn what_is_no_json_is_a_parse_error_and_never_empty_arguments() {
    for arguments in ["{bad", "[1", "nonsense"] {
        helps(
            &refused(&Place::new(), "get_file_tree", arguments, "parse_error"),
            &["Invalid JSON arguments"],
        );
    }
    refused(&Place::new(), "get_file_tree", "[1]", "invalid_args");
}

#[test]
fn paths_that_lead_out_of_the_root_are_refused() {
    let place = Place::with(&[("src/a.txt", "a")]);
    fs::write(place.path("../outside.txt"), "outside").unwrap();
    for path in ["../outside.txt", "src/../../outside.txt", "/etc/passwd"] {
        let arguments = format!(r#"{{"path":"{path}"}}"#);
        helps(
            &refused(&place, "read_file", &arguments, "permission_denied"),
            &["leads outside the project root"],
        );
        let arguments = format!(r#"{{"path":"{path}","content":"x"}}"#);
        refused(&place, "write_file", &arguments, "permission_denied");
    }
    assert_eq!(place.read("../outside.txt"), "outside");
}

#[cfg(unix)]
#[test]
fn r_50_links_that_lead_out_of_the_root_are_refused() {
    let place = Place::new();
    fs::write(place.path("../outside.txt"), "outside").unwrap();
    std::os::unix::fs::symlink("../outside.txt", place.path("file")).unwrap();
    std::os::unix::fs::symlink("..", place.path("folder")).unwrap();
    for path in ["file", "folder/outside.txt"] {
        let arguments = format!(r#"{{"path":"{path}"}}"#);
        helps(
            &refused(&place, "read_file", &arguments, "permission_denied"),
            &["leads outside the project root"],
        );
        let arguments = format!(r#"{{"path":"{path}","content":"x"}}"#);
        refused(&place, "write_file", &arguments, "permission_denied");
    }
    assert_eq!(place.read("../outside.txt"), "outside");
}

#[test]
fn r_58_a_file_of_50_mb_is_refused_with_a_way_to_read_a_part() {
    let place = Place::new();
    fs::write(place.path("big.txt"), "0123456789abcde\n".repeat(50 << 16)).unwrap();
    let error = refused(&place, "read_file", r#"{"path":"big.txt"}"#, "invalid_args");
    helps(&error, &["50.0 MB", "the limit is 10.0 MB", "start_line"]);
    let said = place.windlass(&[
        "tools",
        "call",
        "read_file",
        r#"{"path":"big.txt","start_line":2,"end_line":3}"#,
        "--allow",
        "read_file",
    ]);
    assert!(said.exits(0).out.contains("0123456789abcde"));
}

#[test]
fn binary_data_is_refused() {
    let place = Place::new();
    fs::write(place.path("image.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff").unwrap();
    helps(&refused(&place, "read_file", r#"{"path":"image.png"}"#, "invalid_args"), &["binary"]);
}

#[test]
fn addresses_of_this_machine_and_its_networks_are_refused_in_any_spelling() {
    let place = Place::new();
    for url in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.1/",
    ] {
        let error = refused(&place, "fetch_url", &format!(r#"{{"url":"{url}"}}"#), "permission_denied");
        helps(&error, &["Only public web pages"]);
    }
}

/// Answers one request on loopback with a redirect.
fn redirect_to(location: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let mut stream = stream;
            let answer = format!(
                "HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn a_redirect_to_loopback_is_refused() {
    let forbidden = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("http://{}/secret", forbidden.local_addr().unwrap());
    let port = redirect_to(target);
    let place = Place::new();
    place.configure(&format!("fetch.allow_hosts = [\"127.0.0.1:{port}\"]\n"));
    let error = refused(
        &place,
        "fetch_url",
        &format!(r#"{{"url":"http://127.0.0.1:{port}/"}}"#),
        "permission_denied",
    );
    helps(&error, &["127.0.0.1", "loopback"]);
    forbidden.set_nonblocking(true).unwrap();
    assert!(forbidden.accept().is_err(), "nobody may even have knocked");
}

#[test]
fn a_command_that_prints_for_ever_is_stopped() {
    let started = Instant::now();
    let error = refused(&Place::new(), "execute_command", r#"{"command":"yes"}"#, "limit_exceeded");
    helps(&error, &["was stopped after printing", "head"]);
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn a_command_that_forks_and_sleeps_leaves_nobody_behind() {
    let place = Place::new();
    let lifeline = Lifeline::new(&place);
    Lifeline::make(&place, "ready");
    // The grandchild sleeps in the background; the command itself ends as soon as it is there.
    let command = "(exec 3>lifeline; echo go >ready; sleep 1000) & read word <ready";
    let arguments = serde_json::json!({"command": command}).to_string();
    place.windlass(&["tools", "call", "execute_command", &arguments, "--approve", "all"]).exits(0);
    lifeline.assert_cut();
}

#[test]
fn a_command_that_waits_for_its_forks_is_stopped_with_them() {
    let place = Place::new();
    let lifeline = Lifeline::new(&place);
    let arguments = serde_json::json!({"command": "(exec 3>lifeline; sleep 1000) & sleep 1000"}).to_string();
    let args = ["tools", "call", "execute_command", &arguments, "--approve", "all", "--timeout", "3s"];
    let said = place.windlass(&args).exits(1);
    assert_eq!(said.json()["error"]["kind"], "timeout", "{}", said.out);
    lifeline.assert_cut();
}
