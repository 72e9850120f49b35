//! Models as Prompt Studio's users name them, and what travels to them: parameters, what they are told of calls, and
//! calls that come whole, without ids or with impossible names.

use serde_json::{Value, json};

use crate::hostile_provider::{Hostile, Sent, WIRES, calls, done as last, on_every_wire, reply, streamed};
use crate::place::Place;
use crate::serve::Served;
use crate::server::{Server, whole};
use crate::studio_stage::{Studio, done, of_type, said, search_server, types};

const KEY: &str = "sk-windlass-test-0123456789abcdef";

/// Names as people type them, and the same names as OpenRouter knows them.
const TYPED: [(&str, &str); 6] = [
    ("openai/gpt-4o", "openai/gpt-4o"),
    ("anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4"),
    ("google/gemini-2.5-pro", "google/gemini-2.5-pro"),
    ("x-ai/grok-4", "x-ai/grok-4"),
    ("deepseek/deepseek-chat-v3.1", "deepseek/deepseek-chat-v3.1"),
    ("meta-llama/llama-4-maverick", "meta-llama/llama-4-maverick"),
];

/// A provider that refuses everything, once it has heard it.
fn deaf() -> Server {
    Server::answering(|_| whole("400 Bad Request", r#"{"error":{"message":"not today"}}"#))
}

/// A server whose only provider is this one, under this name.
fn studio_over(provider: &str, model: Server, vars: &[(&str, &str)]) -> (Studio, Server) {
    let place = Place::with(&[("a.script", "user Go.\nmodel text Hi.\n")]);
    place.configure(&format!("[providers.{provider}]\nbase_url = \"{}\"\n", model.address("")));
    let served = Served::start_with(&place, &["--model", "scripted/a.script"], vars);
    (Studio { place, search: search_server(), served }, model)
}

fn last_body(server: &Server) -> Value {
    let heard = server.heard();
    let body = heard.rsplit("\r\n\r\n").next().unwrap();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("no request: {heard}"))
}

#[test]
fn u_37_with_a_key_of_openrouter_alone_models_are_what_their_users_type() {
    let (studio, server) = studio_over("openrouter", deaf(), &[("OPENROUTER_API_KEY", KEY)]);
    for (typed, sent) in TYPED {
        let frames = studio.frames(&[("prompt", "Go."), ("model", typed)]);
        assert_eq!(last_body(&server)["model"], sent, "{frames:#?}");
        assert_eq!(frames[0]["model"], format!("openrouter/{sent}"));
    }
    // The command line knows the same names.
    for (typed, sent) in TYPED {
        let args = ["run", "--model", typed, "-q", "--ephemeral", "Go."];
        studio.place.windlass_with(&args, &[("OPENROUTER_API_KEY", KEY)]);
        assert_eq!(last_body(&server)["model"], sent);
    }
    // A slip of the pen is no vendor.
    let args = ["run", "--model", "opneai/gpt-4o", "-q", "--ephemeral", "Go."];
    let said = studio.place.windlass_with(&args, &[("OPENROUTER_API_KEY", KEY)]);
    said.complains(2, &["there is no provider 'opneai' (did you mean 'openai'?)"]);
}

#[test]
fn u_37_a_vendor_with_a_key_of_its_own_is_asked_itself() {
    let keys = [("OPENROUTER_API_KEY", KEY), ("XAI_API_KEY", KEY)];
    let (studio, server) = studio_over("xai", deaf(), &keys);
    let frames = studio.frames(&[("prompt", "Go."), ("model", "x-ai/grok-4")]);
    assert_eq!((&frames[0]["model"], &last_body(&server)["model"]), (&json!("xai/grok-4"), &json!("grok-4")));
}

#[test]
fn u_37_r_25_a_missing_key_is_the_same_kind_of_event_for_every_model() {
    let (studio, _) = studio_over("nobody", deaf(), &[]);
    let mut messages = Vec::new();
    for model in
        ["openrouter/some-model", "openai/gpt-4o", "google/gemini-2.5-pro", "x-ai/grok-4", "mistral/any"]
    {
        let frames = studio.frames(&[("prompt", "Go."), ("model", model)]);
        assert_eq!(types(&frames), ["warning", "done"], "{model}: {frames:#?}");
        assert_eq!(
            (&frames[0]["code"], done(&frames)["outcome"].as_str()),
            (&json!("NO_KEY"), Some("failed"))
        );
        messages.push(frames[0]["message"].as_str().unwrap().to_owned());
    }
    assert_eq!(messages[0], "Set OPENROUTER_API_KEY to enable streaming.");
    assert_eq!(messages[1], "Set OPENAI_API_KEY or OPENROUTER_API_KEY to enable streaming.");
    assert_eq!(messages[3], "Set XAI_API_KEY or OPENROUTER_API_KEY to enable streaming.");
    assert_eq!(studio.runs(), 0);
    // Over the native route it has a code of its own.
    let (status, answer) = studio.served.ask("POST /api/sessions", r#"{"model":"openai/gpt-4o"}"#);
    assert!(status == 400 && answer.contains("\"code\":\"model_key_missing\""), "{answer}");
}

#[test]
fn s_14_the_parameters_reach_the_model() {
    let vars = [("OPENAI_API_KEY", KEY)];
    let (studio, server) = studio_over("openai-chat", deaf(), &vars);
    let params = [
        ("prompt", "Go."),
        ("model", "openai-chat/some-model"),
        ("system", "Speak like a pirate."),
        ("temperature", "0.3"),
        ("top_p", "0.9"),
        ("max_tokens", "100"),
        ("seed", "7"),
        ("tools", "[\"search_web\",{\"type\":\"function\",\"function\":{\"name\":\"calculate\"}}]"),
        ("tool_choice", "required"),
        ("max_tool_calls", "3"),
        ("response_format", "json_object"),
        ("logit_bias", "{}"),
    ];
    let frames = studio.frames(&params);
    let body = last_body(&server);
    let (system, user) = (&body["messages"][0], &body["messages"][1]);
    assert!(system["content"].as_str().unwrap().contains("Speak like a pirate."), "{body}");
    assert_eq!((&user["role"], &user["content"]), (&json!("user"), &json!("Go.")));
    assert_eq!((&body["model"], &body["stream"]), (&json!("some-model"), &json!(true)));
    assert_eq!((&body["temperature"], &body["top_p"], &body["seed"]), (&json!(0.3), &json!(0.9), &json!(7)));
    let length = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    assert_eq!((length, &body["tool_choice"]), (Some(&json!(100)), &json!("required")));
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    let names: Vec<&str> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["calculate", "web_search"]);
    // The rest of the context is on record with the run.
    assert_eq!(
        (&frames[0]["profile"], &frames[0]["model"]),
        (&json!("studio"), &json!("openai-chat/some-model"))
    );
    let session = frames[0]["session_id"].as_str().unwrap();
    let records = studio.served.json(&format!("GET /api/sessions/{session}/records"), "");
    assert_eq!(records["records"][0]["event"]["wishes"]["steps_max"], 3, "{records}");
}

#[test]
fn u_38_models_are_told_of_references_fresh_reads_and_read_result_on_every_wire() {
    for wire in WIRES {
        let stage = Hostile::saying(vec![streamed(wire, &last(wire))]);
        stage.run(wire).exits(0);
        let body = stage.bodies()[0].to_string();
        for words in ["$ref", "call_2", "fresh", "read_result reads the rest", "do it again, although"] {
            assert!(body.contains(words), "{wire}: no '{words}' in {body}");
        }
        // A search that can be made anew says so in its schema; a command has nothing of the kind.
        assert_eq!(
            body.matches("do it again, although").count(),
            body.matches("\"fresh\":").count(),
            "{wire}"
        );
    }
}

/// A provider that streams no deltas: a whole message, as JSON or as one event, with calls in it.
#[test]
fn s_24_calls_of_a_provider_without_deltas_come_whole_and_calls_without_ids_keep_theirs_apart() {
    let call = |id: &str, sum: &str| {
        let function = json!({"name": "calculate", "arguments": json!({"expression": sum}).to_string()});
        match id {
            "" => json!({"type": "function", "function": function}),
            id => json!({"id": id, "type": "function", "function": function}),
        }
    };
    for (first, second) in [("one", "two"), ("", "")] {
        for is_event in [false, true] {
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call(first, "1+1"), call(second, "2+2")]});
            let answer =
                json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
            let whole = match is_event {
                true => streamed("openai-chat", format!("data: {answer}\n\ndata: [DONE]\n\n").as_bytes()),
                false => reply("200 OK", "application/json", "", answer.to_string().as_bytes()),
            };
            let stage = Hostile::saying(vec![whole, streamed("openai-chat", &last("openai-chat"))]);
            let args = ["--model", "openai-chat/some-model"];
            let served = Served::start_with(&stage.place, &args, &[("OPENAI_API_KEY", KEY)]);
            let studio = Studio { place: stage.place, search: search_server(), served };
            let frames = studio.frames(&[("prompt", "Go.")]);
            let asked: Vec<&Value> =
                of_type(&frames, "tool_calls").iter().map(|frame| &frame["calls"][0]).collect();
            let results = of_type(&frames, "tool_result");
            assert_eq!(
                (asked.len(), results.len(), said(&frames).as_str()),
                (2, 2, "All done."),
                "{frames:#?}"
            );
            // They run side by side and end in any order; which result is whose, the id says.
            assert_ne!(asked[0]["id"], asked[1]["id"]);
            for (asked, sum) in asked.iter().zip(['2', '4']) {
                let result = results.iter().find(|result| result["id"] == asked["id"]).unwrap();
                assert_eq!(asked["name"], result["name"]);
                assert!(result["result"].to_string().contains(sum), "{result}");
            }
        }
    }
}

/// A name that no provider would take again fails its own call, and goes back in a legal form with its outcome.
#[test]
fn r_44_an_impossible_name_fails_its_own_call_only_and_goes_back_legal_on_every_wire() {
    let broken = |wire: &str| {
        let unknown = Sent::new("Read File?", "{}").with_id("call_a");
        calls(wire, &[unknown, Sent::leaving("ran").at(1).with_id("call_b")])
    };
    on_every_wire(broken, |wire, stage, ran| {
        assert_eq!((ran.code, stage.ran()), (0, vec!["ran".to_owned()]), "{wire}: {}", ran.out);
        let failed: Vec<Value> = ran
            .of_type("tool_result")
            .into_iter()
            .filter(|frame| frame["result"]["success"] == false)
            .collect();
        assert_eq!((failed.len(), &failed[0]["name"]), (1, &json!("Read File?")), "{wire}: {}", ran.out);
        let again = stage.bodies()[1].to_string();
        assert!(!again.contains("\"name\":\"Read File?\""), "{wire}: {again}");
        assert!(
            again.contains("\"name\":\"Read_File__") || again.contains("\"tool_name\":\"Read_File__"),
            "{wire}: {again}"
        );
    });
}
