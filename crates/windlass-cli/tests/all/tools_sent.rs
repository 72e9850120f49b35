//! Which tools travel in a request: those that may be called, and no others. A provider on loopback hears what is sent.

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::server::{Server, whole};

/// Wires, by a provider that speaks each: its name, the variable of its key, and where names of tools stand.
const WIRES: [(&str, &str, &str); 5] = [
    ("openai-chat", "OPENAI_API_KEY", "/function/name"),
    ("openai", "OPENAI_API_KEY", "/name"),
    ("anthropic", "ANTHROPIC_API_KEY", "/name"),
    ("gemini", "GEMINI_API_KEY", "/functionDeclarations/0/name"),
    ("ollama", "OLLAMA_API_KEY", "/function/name"),
];

/// A provider that refuses everything, once it has heard it.
fn deaf() -> Server {
    Server::answering(|_| whole("400 Bad Request", r#"{"error":{"message":"not today"}}"#))
}

fn configured(server: &Server, lines: &str) -> Place {
    let place = Place::new();
    let mut config = String::from(lines);
    for (vendor, _, _) in WIRES {
        config.push_str(&format!("[providers.{vendor}]\nbase_url = \"{}\"\n", server.address("")));
    }
    place.configure(&config);
    place
}

/// The names of the tools of the last request.
fn sent(server: &Server, pointer: &str) -> Vec<String> {
    let heard = server.heard();
    let body = heard.rsplit("\r\n\r\n").next().unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("no request: {heard}"));
    let tools = body.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let declared = tools.iter().flat_map(|tool| match tool.get("functionDeclarations") {
        Some(Value::Array(all)) => all.iter().map(|one| json!({"functionDeclarations": [one]})).collect(),
        _ => vec![tool.clone()],
    });
    declared.map(|tool| tool.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect()
}

#[test]
fn u_16_a_run_without_tools_sends_none_on_any_wire() {
    for (vendor, variable, pointer) in WIRES {
        for (args, count) in [(&["--no-tools"][..], 0), (&[], 1)] {
            let server = deaf();
            let place = configured(&server, "");
            let model = format!("{vendor}/some-model");
            let mut run = place.command(&["run", "--model", &model, "-q", "--ephemeral"]);
            run.args(args).arg("Hello").env(variable, "sk-windlass-test-0123456789abcdef");
            assert_ne!(run.output().unwrap().status.code(), Some(0));
            let names = sent(&server, pointer);
            assert_eq!(names.len().min(1), count, "{vendor} {args:?}: {names:?}");
        }
    }
}

#[test]
fn u_16_the_tools_of_a_flag_are_sent_and_no_others() {
    let server = deaf();
    let place = configured(&server, "");
    let run = ["run", "--model", "openai-chat/some-model", "-q", "--ephemeral", "--tools"];
    let key = [("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef")];
    place.windlass_with(&[&run[..], &["search_web,read_file", "Hello"]].concat(), &key);
    assert_eq!(sent(&server, "/function/name"), ["read_file", "web_search"]);
    place
        .windlass_with(&[&run[..], &["read_fil", "Hello"]].concat(), &key)
        .complains(2, &["there is no tool 'read_fil'", "did you mean 'read_file'?"]);
}

#[test]
fn u_16_a_tool_that_is_denied_whole_is_not_sent_and_one_that_is_only_asked_about_is() {
    let server = deaf();
    let place = configured(&server, "");
    let mut run = place.command(&["run", "--model", "openai-chat/some-model", "-q", "--ephemeral"]);
    run.args(["--deny", "execute_command", "--deny", "read_file(secret/**)", "Hello"]);
    run.env("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef").output().unwrap();
    let names = sent(&server, "/function/name");
    assert!(!names.contains(&"execute_command".to_owned()), "{names:?}");
    assert!(names.contains(&"read_file".to_owned()) && names.contains(&"write_file".to_owned()), "{names:?}");
}

#[test]
fn u_16_a_run_that_is_restricted_to_three_tools_sends_those_three_on_every_wire() {
    let wanted = ["calculate", "get_file_tree", "read_file"];
    for (vendor, variable, pointer) in WIRES {
        let server = deaf();
        let place = configured(&server, "");
        let model = format!("{vendor}/some-model");
        let vars = [(variable, "sk-windlass-test-0123456789abcdef")];
        let served = Served::start_with(&place, &["--model", &model], &vars);
        let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
        let wish = json!({"message": "Hello", "tools": wanted}).to_string();
        let run = served.json(&format!("POST /api/sessions/{session}/runs"), &wish);
        served.wait_for(run["run_id"].as_str().unwrap(), "done");
        let mut names = sent(&server, pointer);
        names.sort();
        assert_eq!(names, wanted, "{vendor}");
    }
}

/// `quirks.calls = "none"`: a run with tools is refused before anything is sent, one without them sends none.
#[test]
fn u_16_a_model_that_calls_nothing_gets_no_tools() {
    let server = deaf();
    let place = configured(&server, "");
    place.configure(&format!(
        "[providers.openai-chat]\nbase_url = \"{}\"\n[providers.openai-chat.quirks]\ncalls = \"none\"\n",
        server.address("")
    ));
    let run = |args: &[&str]| {
        let mut run = place.command(&["run", "--model", "openai-chat/some-model", "-q", "--ephemeral"]);
        run.args(args).arg("Hello").env("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
        String::from_utf8(run.output().unwrap().stderr).unwrap()
    };
    let refused = run(&[]);
    assert!(refused.contains("calls no tools") && refused.contains("--no-tools"), "{refused}");
    assert_eq!(server.heard(), "");
    run(&["--no-tools"]);
    assert!(sent(&server, "/function/name").is_empty());
}
