//! `windlass policy …`: stored rules, from the command that stores them to the call that obeys them.

use std::fs;

use serde_json::json;

use crate::place::Place;

/// A read that needs asking: the default profile lets it be free.
const READ: [&str; 6] = ["tools", "call", "read_file", "{\"path\":\"a.txt\"}", "--profile", "zodo"];

fn place() -> Place {
    Place::with(&[("a.txt", "hello\n"), ("src/b.txt", "b\n"), ("srcx/c.txt", "c\n")])
}

#[test]
fn z_15_rules_are_stored_obeyed_listed_and_removed() {
    let place = place();
    let root = place.path("").canonicalize().unwrap();
    let root = root.display().to_string().trim_end_matches('/').to_owned();
    place.windlass(&READ).exits(1);
    let said = place.windlass(&["policy", "allow", "read_file(a.txt)"]).exits(0);
    assert_eq!(
        said.out,
        format!("r1  allow  read_file(a.txt)  (in {root}; --everywhere stores it for all folders)\n")
    );
    place.windlass(&READ).exits(0);
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert_eq!(said.out, "r1  allow  read_file(a.txt)  user  in this folder\n");
    let said = place.windlass(&["policy", "deny", "read_file"]).exits(0);
    assert!(said.out.starts_with("r2  deny  read_file  (in "), "{}", said.out);
    let denied = place.windlass(&READ[..4]).exits(1);
    assert_eq!(denied.json()["error"]["kind"], "permission_denied", "deny wins");
    assert!(denied.out.contains("windlass policy remove r2"), "{}", denied.out);
    let said = place.windlass(&["policy", "remove", "r2"]).exits(0);
    assert_eq!(said.out, "removed r2  deny  read_file\n");
    place.windlass(&READ).exits(0);
    let rules = place.windlass(&["policy", "list", "--json"]).exits(0).json();
    assert_eq!(rules[0]["rule"], "read_file(a.txt)");
    assert!(rules[0]["created_ms"].as_u64().unwrap() > 1_600_000_000_000);
    assert_eq!(rules.as_array().unwrap().len(), 1);
}

#[test]
fn r_50_a_rule_for_a_folder_stops_at_its_edge() {
    let place = place();
    place.windlass(&["policy", "allow", "read_file(src/**)"]).exits(0);
    place.windlass(&["tools", "call", "read_file", "{\"path\":\"src/b.txt\"}", "--profile", "zodo"]).exits(0);
    place
        .windlass(&["tools", "call", "read_file", "{\"path\":\"srcx/c.txt\"}", "--profile", "zodo"])
        .exits(1);
}

#[test]
fn wrong_rules_and_ids_are_refused_with_a_cure() {
    let place = place();
    place.windlass(&["policy", "allow", "read_file("]).complains(2, &["')'", "read_file(src/**)"]);
    place.windlass(&["policy", "deny", ""]).complains(2, &["empty"]);
    place.windlass(&["policy", "allow", "scope:read_file"]).complains(2, &["read_files"]);
    place.windlass(&["policy", "remove", "r9"]).complains(2, &["no stored rule 'r9'", "policy list"]);
    assert!(!place.policies_file().exists());
    let said = place.windlass(&["policy", "allow", "read_fil(a.txt)"]).exits(0);
    assert!(said.err.contains("there is no tool read_fil; did you mean read_file?"), "{}", said.err);
    let said = place.windlass(&["policy", "allow", "search_web"]).exits(0);
    assert!(said.err.contains("another name of web_search"), "{}", said.err);
}

#[test]
fn explain_names_the_gate_that_decides() {
    let place = place();
    let explain = |args: &[&str]| {
        let mut all = vec!["policy", "explain", "read_file", "{\"path\":\"a.txt\"}", "--profile", "zodo"];
        all.extend(args);
        place.windlass(&all).exits(0)
    };
    let said = explain(&["--approve", "never", "--json"]).json();
    assert_eq!((&said["decides"], &said["stance"]), (&json!("mode"), &json!("denies")));
    assert_eq!(said["rule"], "read_file(a.txt)");
    assert_eq!(said["targets"], json!([{"path": "a.txt"}]));
    let said = explain(&["--allow", "read_file", "--json"]).json();
    assert_eq!((&said["decides"], &said["stance"]), (&json!("allow_rule"), &json!("allows")));
    let said = explain(&["--allow", "read_file", "--deny", "*", "--json"]).json();
    assert_eq!((&said["decides"], &said["stance"]), (&json!("deny_rule"), &json!("denies")));
    let said = explain(&["--allow", "read_file"]);
    assert!(said.out.contains("risk MEDIUM  touches path a.txt"), "{}", said.out);
    assert!(said.out.contains("→ allow_rule     allows"), "{}", said.out);
    assert_eq!(fs::read_to_string(place.path("a.txt")).unwrap(), "hello\n");
}

#[test]
fn explain_says_what_is_refused_before_any_rule() {
    let place = place();
    let said =
        place.windlass(&["policy", "explain", "read_file", "{\"path\":\"../x\"}", "--json"]).exits(0).json();
    assert_eq!((&said["decides"], &said["stance"]), (&json!("targets"), &json!("denies")));
    let said = place.windlass(&["policy", "explain", "read_file", "{\"path\":3}"]).exits(0);
    assert!(said.out.starts_with("denied by schema: path must be string"), "{}", said.out);
    let said = place.windlass(&["policy", "explain", "read_file", "{bad"]).exits(0);
    assert!(said.out.starts_with("denied by schema: Invalid JSON"), "{}", said.out);
    place.windlass(&["policy", "explain", "read_fil", "{}"]).complains(2, &["did you mean 'read_file'?"]);
}

#[test]
fn rules_are_kept_beside_the_configuration_in_use_and_none_is_lost() {
    let place = place();
    place.write("other/windlass.toml", "");
    let with = |args: &[&'static str]| -> Vec<&'static str> {
        args.iter().copied().chain(["--config", "other/windlass.toml"]).collect()
    };
    place.windlass(&["policy", "deny", "read_file(src/**)"]).exits(0);
    let said = place.windlass(&with(&["policy", "list"])).exits(0);
    assert!(said.out.contains("read_file(src/**)"), "{}", said.out);
    assert!(said.err.contains("were copied to"), "what the user stored before still holds: {}", said.err);
    let said = place.windlass(&with(&["policy", "allow", "read_file"])).exits(0);
    assert!(!said.err.contains("were copied"), "once is enough: {}", said.err);
    place.windlass(&with(&READ)).exits(0);
    place.windlass(&READ).exits(1);
    assert!(place.read("other/policies.json").contains("read_file"));
    let paths = place.windlass(&with(&["config", "path", "--json"])).exits(0).json();
    assert!(paths["policies"].as_str().unwrap().ends_with("other/policies.json"), "{paths}");
}

#[test]
fn r_61_a_corrupt_policy_file_is_kept_and_everything_is_asked() {
    let place = place();
    place.windlass(&["policy", "allow", "read_file"]).exits(0);
    fs::write(place.policies_file(), "{ this is not JSON").unwrap();
    let said = place.windlass(&READ).exits(1);
    assert_eq!(said.json()["error_type"], "permission_denied", "what would need asking is denied");
    assert!(said.err.contains("warning: ") && said.err.contains("policies.json"), "{}", said.err);
    let said = place.windlass(&["tools", "call", "calculate", "{\"expression\":\"1+1\"}"]).exits(1);
    assert_eq!(said.json()["error"]["kind"], "permission_denied", "even a safe call is asked about");
    let all = ["tools", "call", "calculate", "{\"expression\":\"1+1\"}", "--approve", "all"];
    let said = place.windlass(&all).exits(1);
    assert!(said.err.contains("--approve all is ignored"), "{}", said.err);
    assert_eq!(fs::read_to_string(place.policies_file()).unwrap(), "{ this is not JSON");

    let said = place.windlass(&["policy", "allow", "read_file"]).exits(0);
    assert!(said.err.contains("warning: "), "{}", said.err);
    place.windlass(&READ).exits(0);
    let kept = place.policies_file().with_file_name("policies.json.corrupt-1");
    assert_eq!(fs::read_to_string(kept).unwrap(), "{ this is not JSON");
}

#[test]
fn both_older_shapes_of_the_file_are_understood() {
    let place = place();
    let write = |text: &str| {
        fs::create_dir_all(place.policies_file().parent().unwrap()).unwrap();
        fs::write(place.policies_file(), text).unwrap();
    };
    write(
        r#"[{"scope":"read_files","mode":"always_allow","path_patterns":["*"],"deny_patterns":["src/**"]}]"#,
    );
    place.windlass(&READ).exits(0);
    place.windlass(&["tools", "call", "read_file", "{\"path\":\"src/b.txt\"}", "--profile", "zodo"]).exits(1);
    write(r#"{"policies":[{"tool_name":"read_file","decision":"always_allow","created_at":1705680000000}]}"#);
    place.windlass(&["tools", "call", "read_file", "{\"path\":\"src/b.txt\"}", "--profile", "zodo"]).exits(0);
}

#[test]
fn rules_of_flags_hold_for_one_time() {
    let place = place();
    let allowed: Vec<&str> = READ.into_iter().chain(["--allow", "read_file(a.txt)"]).collect();
    place.windlass(&allowed).exits(0);
    place.windlass(&READ).exits(1);
    assert!(!place.policies_file().exists());
    let wrong: Vec<&str> = READ.into_iter().chain(["--allow", "read_file("]).collect();
    place.windlass(&wrong).complains(2, &["--allow: 'read_file('"]);
}

#[test]
fn every_decision_is_in_the_audit_log() {
    let place = place();
    place.windlass(&READ).exits(1);
    let allowed: Vec<&str> = READ.into_iter().chain(["--allow", "read_file"]).collect();
    place.windlass(&allowed).exits(0);
    place.windlass(&["tools", "call", "read_file", "{}"]).exits(1);
    let log = fs::read_to_string(place.audit_file()).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 3, "{log}");
    for (line, word) in lines.iter().zip(["denied_by_policy", "auto_approved", "failed_validation"]) {
        assert!(line.contains(word) && line.contains("read_file"), "{line}");
    }
}
