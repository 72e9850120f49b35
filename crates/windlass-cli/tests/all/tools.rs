//! `windlass tools …`.

use serde_json::{Value, json};

use crate::place::Place;

#[test]
fn list_shows_every_tool_with_its_risk() {
    let place = Place::new();
    let said = place.windlass(&["tools", "list"]).exits(0);
    let row = |name: &str| {
        said.out.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}"))
    };
    assert!(row("read_file ").contains("medium"));
    assert!(row("execute_command ").contains("high"));
    assert!(row("calculate ").contains("safe"));
    let names: Vec<&str> = said.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.is_sorted());
    let specs = place.windlass(&["tools", "list", "--json"]).exits(0).json();
    let in_json: Vec<&str> =
        specs.as_array().unwrap().iter().map(|spec| spec["name"].as_str().unwrap()).collect();
    assert_eq!(in_json, names);
}

#[test]
fn e_2_the_edison_profile_offers_its_four_tools_and_no_others() {
    let said = Place::new().windlass(&["tools", "list", "--profile", "edison"]).exits(0);
    let names: Vec<&str> = said.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["generate_image", "rag_search", "system_stats", "web_search"]);
}

#[test]
fn show_describes_a_tool_by_name_or_alias() {
    let place = Place::new();
    let said = place.windlass(&["tools", "show", "read_file"]).exits(0);
    for text in ["read_file(path:str", "required", "start_line", "risk", "medium", "read_files"] {
        assert!(said.out.contains(text), "{text}: {}", said.out);
    }
    let spec = place.windlass(&["tools", "show", "search_web", "--json"]).exits(0).json();
    assert_eq!((&spec["name"], &spec["schema"]["type"]), (&json!("web_search"), &json!("object")));
    place
        .windlass(&["tools", "show", "readfile"])
        .complains(2, &["no tool 'readfile'", "did you mean 'read_file'?"]);
    place.windlass(&["tools", "show", "zzz"]).complains(2, &["windlass tools list"]);
}

#[test]
fn call_prints_the_outcome_in_the_envelope_of_the_profile() {
    let place = Place::new();
    let call = |profile: &str, expression: &str| {
        let arguments = json!({"expression": expression}).to_string();
        let said = place.windlass(&["tools", "call", "calculate", &arguments, "--profile", profile]);
        let code = if expression == "1/0" { 1 } else { 0 };
        said.exits(code).json()
    };
    assert_eq!(call("default", "25 * 17 + 89"), json!({"ok": true, "output": "514"}));
    let stats =
        place.windlass(&["tools", "call", "system_stats", "{}", "--profile", "edison"]).exits(0).json();
    assert_eq!((&stats["ok"], &stats["error"]), (&json!(true), &json!(null)));
    assert_eq!(call("studio", "1+1")["success"], true);
    let value = call("dspy", "1+1");
    assert!(value.get("ok").is_none(), "{value}");
    let zodo = call("zodo", "1+1");
    let keys: Vec<&String> = zodo.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["success", "data", "error_message", "error_type", "metadata"]);
    assert_eq!((&zodo["success"], &zodo["error_type"]), (&json!(true), &json!("none")));

    assert_eq!(call("default", "1/0")["ok"], false);
    let search =
        ["tools", "call", "web_search", "{\"query\":\"q\"}", "--profile", "edison", "--approve", "all"];
    let failed = place.windlass(&search).exits(1).json();
    assert_eq!((&failed["ok"], &failed["data"]), (&json!(false), &json!(null)));
    for profile in ["studio", "zodo"] {
        assert_eq!(call(profile, "1/0")["success"], false, "{profile}");
    }
    assert!(call("dspy", "1/0")["error"].is_string());
}

#[test]
fn arguments_come_from_the_line_stdin_or_a_file() {
    let place = Place::with(&[("args.json", "{\"expression\":\"2+2\"}")]);
    let call = ["tools", "call", "calculate"];
    let of = |arguments: &'static str| call.into_iter().chain([arguments]).collect::<Vec<_>>();
    assert_eq!(place.windlass(&of("{\"expression\":\"2+2\"}")).exits(0).json()["output"], "4");
    assert_eq!(place.windlass_reading(&of("-"), "{\"expression\":\"2+2\"}").exits(0).json()["output"], "4");
    assert_eq!(place.windlass(&of("@args.json")).exits(0).json()["output"], "4");
    place.windlass(&of("@nowhere.json")).complains(2, &["nowhere.json"]);
    assert_eq!(place.windlass(&["tools", "call", "list_tasks"]).exits(0).json()["ok"], true);
}

#[test]
fn a_call_goes_through_validation_aliases_and_defaults() {
    let place = Place::new();
    let said =
        place.windlass(&["tools", "call", "calculate", "{\"expression\":\"1+1\",\"extra\":1}"]).exits(0);
    assert_eq!(said.json()["dropped_args"], json!(["extra"]));
    let said =
        place.windlass(&["tools", "call", "search_web", "{\"query\":\"x\"}", "--approve", "all"]).exits(1);
    assert_eq!(said.json()["error"]["kind"], "unavailable", "{}", said.out);
    assert!(said.out.contains("web_search.backend"), "the cure names the setting: {}", said.out);
}

#[test]
fn a_call_without_a_terminal_is_denied_with_the_way_to_allow_it() {
    let place = Place::with(&[("a.txt", "hello\n")]);
    let arguments = json!({"path": "b.txt", "content": "new"}).to_string();
    let said = place.windlass(&["tools", "call", "write_file", &arguments]).exits(1);
    let error = said.json()["error"].clone();
    assert_eq!(error["kind"], "permission_denied");
    let text = error.to_string();
    assert!(text.contains("nobody is asked") && text.contains("write_file(b.txt)"), "{text}");
}

#[test]
fn writes_are_real_and_stay_inside_the_root() {
    let place = Place::with(&[("inner/a.txt", "old\n")]);
    let arguments = json!({"path": "b.txt", "content": "new\n"}).to_string();
    let args = ["tools", "call", "write_file", &arguments, "--root", "inner", "--approve", "all"];
    place.windlass(&args).exits(0);
    assert_eq!(place.read("inner/b.txt"), "new\n");
}

#[test]
fn verbose_tells_the_way_of_the_call_on_stderr() {
    let place = Place::new();
    let args = ["tools", "call", "calculate", "{\"expression\":\"1+1\"}"];
    assert_eq!(place.windlass(&args).exits(0).err, "");
    let said = place.windlass(&[&args[..], &["-v"]].concat()).exits(0);
    assert!(said.err.contains("✓ calculate 1+1"), "{}", said.err);
    assert_eq!(said.json()["ok"], Value::Bool(true));
}

#[test]
fn commands_inherit_what_every_program_needs_and_what_the_user_names() {
    let place = Place::new();
    let args = ["tools", "call", "execute_command", "{\"command\":\"env\"}", "--approve", "all"];
    let vars = [("OPENAI_API_KEY", "s3cret"), ("COLOUR", "green")];
    let said = place.windlass_with(&args, &vars).exits(0);
    assert!(!said.out.contains("COLOUR=") && said.out.contains("PATH="), "{}", said.out);
    assert!(!said.out.contains("s3cret"), "{}", said.out);
    place.configure("tools.command.env = [\"COLOUR\"]\n");
    let said = place.windlass_with(&args, &vars).exits(0);
    assert!(said.out.contains("COLOUR=green") && !said.out.contains("s3cret"), "{}", said.out);
}
