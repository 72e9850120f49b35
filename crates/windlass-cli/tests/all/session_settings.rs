//! What is set for the runs of a session: kept with it, sent on every wire, named where a provider does not take it.

use serde_json::{Value, json};

use crate::hostile_provider::{Hostile, WIRES, done, streamed};
use crate::place::Place;
use crate::providers_stage::with_keys;
use crate::serve::Served;

fn serve(stage: &Hostile, wire: &str) -> Served {
    let model = format!("{wire}/some-model");
    let mut command = stage.place.command(&["serve", "--addr", "127.0.0.1:0", "--model", &model]);
    with_keys(&mut command);
    Served::spawn(command)
}

fn settings() -> Value {
    let schema = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    json!({
        "system": "Speak like a pirate.", "temperature": 0.3, "top_p": 0.9, "output_tokens_max": 123, "seed": 7,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        "tool_choice": "required",
    })
}

fn say(served: &Served, session: &str, wish: Value) -> Vec<Value> {
    let started = served.json(&format!("POST /api/sessions/{session}/runs"), &wish.to_string());
    let run = started["run_id"].as_str().unwrap().to_owned();
    served.wait_for(&run, "done");
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    events.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

/// Where each wire has them; what it does not take is told instead, by the rule that took it out.
fn places(wire: &str) -> [(&'static str, Option<&'static str>, Value); 5] {
    let [temperature, top_p, length, seed, choice] = match wire {
        "openai-chat" => ["/temperature", "/top_p", "/max_completion_tokens", "/seed", "/tool_choice"],
        "openai" => ["/temperature", "/top_p", "/max_output_tokens", "", "/tool_choice"],
        // Its newer models refuse both ways of sampling at once.
        "anthropic" => ["/temperature", "", "/max_tokens", "", "/tool_choice/type"],
        "gemini" => [
            "/generationConfig/temperature",
            "/generationConfig/topP",
            "/generationConfig/maxOutputTokens",
            "/generationConfig/seed",
            "/toolConfig/functionCallingConfig/mode",
        ],
        "ollama" => ["/options/temperature", "/options/top_p", "/options/num_predict", "/options/seed", ""],
        other => panic!("no wire {other}"),
    };
    let required = match wire {
        "gemini" => json!("ANY"),
        "anthropic" => json!("any"),
        _ => json!("required"),
    };
    [
        ("temperature", Some(temperature), json!(0.3)),
        ("top_p", Some(top_p), json!(0.9)),
        ("length", Some(length), json!(123)),
        ("seed", Some(seed), json!(7)),
        ("tool_choice", Some(choice), required),
    ]
    .map(|(name, place, value)| (name, place.filter(|place| !place.is_empty()), value))
}

#[test]
fn settings_of_a_session_reach_every_wire_or_are_told_to_be_left_out() {
    for wire in WIRES {
        let stage = Hostile::saying(vec![streamed(wire, &done(wire))]);
        let served = serve(&stage, wire);
        let begun = served.json("POST /api/sessions", &json!({"settings": settings()}).to_string());
        assert_eq!(begun["settings"], settings());
        let frames = say(&served, begun["session_id"].as_str().unwrap(), json!({"message": "Go."}));
        let body = stage.bodies()[0].clone();
        let told = frames.iter().filter(|frame| frame["type"] == "request_adjusted");
        let rules: Vec<&str> = told.filter_map(|frame| frame["rule"].as_str()).collect();
        for (name, place, value) in places(wire) {
            match place {
                Some(place) => assert_eq!(body.pointer(place), Some(&value), "{wire} {name}: {body}"),
                None => assert!(rules.iter().any(|rule| rule.starts_with(name)), "{wire} {name}: {rules:?}"),
            }
        }
        // No tool may be called: none is sent.
        let at = format!("PATCH /api/sessions/{}", begun["session_id"].as_str().unwrap());
        served.json(&at, r#"{"settings":{"tool_choice":"none"}}"#);
        say(&served, begun["session_id"].as_str().unwrap(), json!({"message": "Go on."}));
        assert_eq!(stage.bodies()[1].get("tools"), None, "{wire}");
        let text = body.to_string();
        assert!(text.contains("Speak like a pirate."), "{wire}: {text}");
        assert!(text.contains("\"sum\""), "{wire}: {text}");
    }
}

#[test]
fn settings_are_kept_changed_and_reset_and_a_wish_for_one_run_stands_over_them() {
    let wire = "openai-chat";
    let stage = Hostile::saying(vec![streamed(wire, &done(wire))]);
    let served = serve(&stage, wire);
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let at = format!("PATCH /api/sessions/{session}");
    let set = json!({"temperature": 0.2, "seed": 5, "tool_choice": {"name": "calculate"}});
    assert_eq!(served.json(&at, &json!({"settings": set}).to_string())["settings"], set);
    drop(served);
    // A server that was killed finds them again.
    let served = serve(&stage, wire);
    assert_eq!(served.json(&format!("GET /api/sessions/{session}"), "")["settings"], set);
    say(&served, &session, json!({"message": "One."}));
    say(&served, &session, json!({"message": "Two.", "temperature": 1.5, "tool_choice": "auto"}));
    assert_eq!(served.json(&at, &json!({"settings": {}}).to_string()).get("settings"), None);
    say(&served, &session, json!({"message": "Three."}));
    let bodies = stage.bodies();
    let sent = |n: usize| (bodies[n]["temperature"].clone(), bodies[n]["seed"].clone());
    assert_eq!(sent(0), (json!(0.2), json!(5)));
    assert_eq!(bodies[0]["tool_choice"]["function"]["name"], "calculate", "{}", bodies[0]);
    assert_eq!(sent(1), (json!(1.5), json!(5)));
    assert_ne!(bodies[1]["tool_choice"]["function"]["name"], "calculate");
    assert_eq!(sent(2), (Value::Null, Value::Null));
    for (wrong, field) in [
        (json!({"temperature": 3}), "temperature"),
        (json!({"top_p": -1}), "top_p"),
        (json!({"output_tokens_max": 0}), "output_tokens_max"),
        (json!({"tool_choice": "maybe"}), "tool_choice"),
    ] {
        let (status, answer) = served.ask(&at, &json!({"settings": wrong}).to_string());
        assert!(status == 400 && answer.contains(&format!("\"field\":\"{field}\"")), "{answer}");
    }
}

/// What is configured is the default of every front end, and named as such.
#[test]
fn the_configuration_is_the_default_of_a_server_too_and_is_named() {
    let wire = "openai-chat";
    let stage = Hostile::saying(vec![streamed(wire, &done(wire))]);
    let config = std::fs::read_to_string(stage.place.config_file()).unwrap();
    stage.place.configure(&format!("temperature = 0.7\n{config}"));
    let served = serve(&stage, wire);
    assert_eq!(served.json("GET /api/about", "")["settings"], json!({"temperature": 0.7}));
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    say(&served, &session, json!({"message": "One."}));
    assert_eq!(stage.bodies()[0]["temperature"], 0.7);
}

#[test]
fn a_required_tool_is_called_once_and_then_the_model_may_answer() {
    let script = "user Go.\nexpect-request tool-choice required\nmodel call 1 calculate {\"expression\":\"1+1\"}\nmodel end\n\
        expect-request tool-choice auto\nmodel text Two.\n";
    let place = Place::with(&[("a.script", script)]);
    let ran =
        place.windlass(&["run", "--model", "scripted/a.script", "--tool-choice", "required", "Go."]).exits(0);
    assert_eq!(ran.out.trim(), "Two.");
}

#[test]
fn the_flags_of_a_run_say_the_same_and_stand_over_the_session() {
    let wire = "openai-chat";
    let stage = Hostile::saying(vec![streamed(wire, &done(wire))]);
    stage.place.write("schema.json", "{\"type\":\"object\"}");
    let run = |args: &[&str]| {
        let mut command =
            stage.place.command(&["run", "--model", "openai-chat/some-model", "-q", "--session", "mine"]);
        command.args(args).arg("Go.");
        with_keys(&mut command);
        assert_eq!(command.output().unwrap().status.code(), Some(0));
        stage.bodies().pop().unwrap()
    };
    let body = run(&[
        "--system",
        "Be brief.",
        "--top-p",
        "0.4",
        "--seed",
        "9",
        "--format",
        "schema.json",
        "--tool-choice",
        "none",
    ]);
    assert_eq!((&body["top_p"], &body["seed"], body.get("tools")), (&json!(0.4), &json!(9), None));
    assert_eq!(body["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("Be brief."), "{body}");
    assert_eq!(run(&["--format", "json"])["response_format"], json!({"type": "json_object"}));
    stage
        .place
        .windlass(&["run", "--format", "nowhere.json", "Go."])
        .complains(2, &["'nowhere.json' is no form of an answer", "--format json"]);
}
