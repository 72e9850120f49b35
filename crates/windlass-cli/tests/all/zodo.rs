//! What people who come from ZodoLlama meet: the block of a call, its limit, and their rules.

use std::fs;

use crate::pane::Pane;
use crate::place::Place;

const READ: &str = "user Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                    model call 2 read_file {\"path\":\"none.txt\"}\nmodel end\nmodel text Read.\n";

/// Seven hundred bytes in one line: more than the 500 that a block shows.
fn place() -> Place {
    Place::with(&[("r.script", READ), ("a.txt", &"x".repeat(700))])
}

#[test]
fn u_42_z_17_z_2_the_terminal_shows_the_block_of_a_call_and_the_model_its_envelope() {
    let place = place();
    let args = ["run", "--model", "scripted/r.script", "--profile", "zodo", "--approve", "all", "Read"];
    let said = place.windlass(&args).exits(0);
    assert_eq!(said.out, "Read.\n");
    for line in [
        "[Tool: read_file]\nStatus: ✅ SUCCESS\nResult: ",
        "... (",
        "\nExecution Time: ",
        "ms\nData Size: ",
        "\nArguments: {\"path\":\"a.txt\"}\n",
        "[Tool: read_file]\nStatus: ❌ FAILED\nError Type: not_found\nError: File not found",
    ] {
        assert!(said.err.contains(line), "no '{line}' in {}", said.err);
    }
    assert_eq!(said.err.matches('x').count() / 100, 5, "500 bytes of the result are shown: {}", said.err);
    let told = place.windlass(&[&args[..], &["--json"]].concat()).exits(0).out;
    assert!(told.contains("execution_time_ms") && !told.contains("[Tool: "), "the model gets JSON: {told}");

    place.configure("[limits]\ndisplay_bytes_max = 40\n");
    let said = place.windlass(&args).exits(0);
    assert!(said.err.matches('x').count() < 100, "the limit holds: {}", said.err);
    let usual = place.windlass(&["run", "--model", "scripted/r.script", "--approve", "all", "Read"]).exits(0);
    assert!(!usual.err.contains("[Tool: "), "other profiles have a line: {}", usual.err);
}

#[test]
fn u_42_z_17_the_terminal_app_shows_the_block_of_a_call() {
    let place = place();
    let pane = Pane::start(&place, 100, 40, "--model scripted/r.script --profile zodo --approve all");
    pane.type_text("Read");
    pane.press("Enter");
    pane.wait_for("Status: ✅ SUCCESS");
    pane.wait_for("Status: ❌ FAILED");
    let screen = pane.wait_for("Arguments: {\"path\":\"none.txt\"}");
    for line in ["[Tool: read_file]", "Result: ", "Execution Time: ", "Data Size: ", "Error Type: not_found"]
    {
        assert!(screen.contains(line), "no '{line}' on\n{screen}");
    }
}

#[test]
fn u_42_p_5_a_requested_call_names_the_vendor_of_its_model() {
    let place = place();
    place.windlass(&[
        "run",
        "--model",
        "scripted/r.script",
        "--profile",
        "ploke",
        "--approve",
        "all",
        "Read",
    ]);
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).out;
    let records: Vec<serde_json::Value> =
        records.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let requested: Vec<_> =
        records.iter().filter(|record| record["event"]["type"] == "call_requested").collect();
    assert_eq!(requested.len(), 2, "{records:?}");
    for record in requested {
        assert_eq!(record["event"]["vendor"], "scripted", "{record}");
        assert_eq!(record["event"]["call"]["name"], "read_file");
        assert!(record["run_id"].is_string() && record["parent_id"].is_string(), "{record}");
    }
}

#[test]
fn u_45_z_13_the_rules_of_zodollama_are_found_and_offered_for_import() {
    let place = Place::with(&[("a.txt", "hello\n")]);
    place.windlass(&["policy", "import"]).complains(2, &["left no rules", "policy import FILE"]);
    let old = place.config_file().with_file_name("../zodollama/policies.json");
    fs::create_dir_all(old.parent().unwrap().parent().unwrap().join("zodollama")).unwrap();
    fs::create_dir_all(place.config_file().parent().unwrap()).unwrap();
    let shape = r#"[{"scope":"read_files","mode":"always_allow","path_patterns":["*"],"deny_patterns":["secret/**"]}]"#;
    fs::write(&old, shape).unwrap();
    let read = ["tools", "call", "read_file", "{\"path\":\"a.txt\"}", "--profile", "zodo"];
    let said = place.windlass(&read).exits(1);
    assert!(
        said.err.contains("ZodoLlama's rules in") && said.err.contains("windlass policy import"),
        "{}",
        said.err
    );
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert!(said.err.contains("windlass policy import"), "{}", said.err);
    let said = place.windlass(&["policy", "import"]).exits(0);
    assert_eq!(said.out, "r1  allow  scope:read_files\nr2  deny   scope:read_files(secret/**)\n");
    let said = place.windlass(&read).exits(0);
    assert!(!said.err.contains("ZodoLlama"), "it is offered no more: {}", said.err);
    assert!(!place.windlass(&["policy", "list"]).exits(0).err.contains("ZodoLlama"));
    let said = place.windlass(&["policy", "import"]).exits(0);
    assert!(said.out.contains("are stored already"), "{}", said.out);
    assert_eq!(fs::read_to_string(&old).unwrap(), shape, "the old file stays as it is");
    place.write("broken.json", "[{]");
    place.windlass(&["policy", "import", "broken.json"]).complains(1, &["not valid JSON"]);
}
