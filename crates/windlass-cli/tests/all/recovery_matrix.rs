//! Runs of a server that is killed and started again under another configuration: what was asked of them holds, and
//! every request after the restart is, byte for byte, the one that would have been sent without it.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::server::Server;

/// Steps with a call before the answer: more than any profile allows by itself.
const CALLS: usize = 12;

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");

const MANIFEST: &str = r#"{"version": "1.0", "modules": {"count.all": {"path": "count.json"}}}"#;

const COUNT: &str = r#"{
  "module_id": "count.all",
  "predictor_type": "react",
  "signature": {
    "inputs": [{"name": "query", "description": "What is asked"}],
    "outputs": [{"name": "response", "description": "What is told"}]
  },
  "instruction": "Count everything.",
  "tool_enabled": true,
  "metadata": {"version": "1.0.0"}
}"#;

/// A provider that asks for one sum after another, and then answers.
fn provider() -> Server {
    Server::answering(|request| {
        let done = request.matches("\"role\":\"tool\"").count();
        let delta = if done < CALLS {
            let arguments = json!({"expression": format!("{done} + 1")}).to_string();
            let function = json!({"name": "calculate", "arguments": arguments});
            json!({"tool_calls": [{"index": 0, "id": format!("sum_{done}"), "type": "function", "function": function}]})
        } else {
            json!({"content": "{\"response\":\"All is counted.\"}"})
        };
        let finish = if done < CALLS { "tool_calls" } else { "stop" };
        let piece = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            format!(
                "data: {}\n\n",
                json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]})
            )
        };
        let body =
            [piece(delta, Value::Null), piece(json!({}), finish.into()), "data: [DONE]\n\n".into()].concat();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        format!("{head}{body}").into_bytes()
    })
}

/// What one run is asked for, and how the server is configured before and after it was killed.
struct Case {
    wishes: Value,
    profile: &'static str,
}

impl Case {
    fn plain() -> Self {
        let tools = ["calculate", "read_file", "get_file_tree"];
        let wishes =
            json!({"steps_max": 15, "system": "Count with care.", "tools": tools, "temperature": 0.25});
        Self { wishes, profile: "studio" }
    }

    fn module() -> Self {
        let wishes = json!({"steps_max": 15, "system": "Count with care.", "model": "module/count.all"});
        Self { wishes, profile: "studio" }
    }

    /// Lets the run happen in a server that dies there, if it does, and in another one then; gives the bodies of all
    /// requests and how the run ended.
    fn play(&self, death: Option<(&str, &str)>) -> (Vec<String>, Value) {
        let server = provider();
        let place = Place::with(&[
            (".windlass/modules/manifest.json", MANIFEST),
            (".windlass/modules/count.json", COUNT),
            ("a.txt", "hello\n"),
        ]);
        let providers = format!("[providers.openai-chat]\nbase_url = \"{}\"\n", server.address(""));
        place.configure(&format!("system = \"The first system text.\"\n{providers}"));
        let args = ["--model", "openai-chat/first", "--profile", self.profile];
        let mut served = Served::start_with(&place, &args, &[&[KEY], death.as_slice()].concat());
        let mut body = self.wishes.clone();
        body["message"] = "Count all of it".into();
        if let Some(session) = post(&served, "/api/sessions", &json!({}))
            && let Some(id) = session["session_id"].as_str()
            && let Some(run) = post(&served, &format!("/api/sessions/{id}/runs"), &body)
            && death.is_none()
        {
            served.wait_for(run["run_id"].as_str().unwrap(), "done");
        }
        if death.is_some() {
            served.wait_for_death();
            // Everything that a configuration can say is another thing now.
            place.configure(&format!(
                "system = \"Another system text.\"\n[limits]\nsteps_max = 2\n{providers}"
            ));
            drop(served);
            let args = ["--model", "openai-chat/second", "--profile", "default"];
            let again = Served::start_with(&place, &args, &[KEY]);
            let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
            let Some(run) = rows[0]["run_id"].as_str() else { return (Vec::new(), Value::Null) };
            again.wait_for(run, "done");
        }
        let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
        (server.bodies(), rows[0].clone())
    }

    /// Kills the run at each of these places, and compares.
    fn compare(&self, deaths: &[(&str, &str)]) {
        let (whole, ended) = self.play(None);
        assert_eq!((whole.len(), &ended["outcome"]), (CALLS + 1, &json!("completed")), "{ended}");
        for death in deaths {
            let (mut seen, ended) = self.play(Some(*death));
            if seen.is_empty() {
                continue;
            }
            // A step that was cut off is asked for again, with the same words.
            seen.dedup();
            for (at, (seen, whole)) in seen.iter().zip(&whole).enumerate() {
                assert_eq!(seen, whole, "{death:?}: request {at}");
            }
            assert_eq!(
                (seen.len(), &ended["outcome"]),
                (whole.len(), &json!("completed")),
                "{death:?}: {ended}"
            );
        }
    }
}

/// One request to a server that may die of it.
fn post(served: &Served, path: &str, body: &Value) -> Option<Value> {
    let mut stream = TcpStream::connect(served.address()).ok()?;
    let (body, host) = (body.to_string(), served.address());
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

#[test]
fn u_25_steps_system_tools_profile_and_sampling_of_a_run_hold_after_a_kill_and_requests_stay_the_same() {
    Case::plain().compare(&[
        ("CRASH_IN", "call_3:before"),
        ("CRASH_IN", "call_8:after"),
        ("CRASH_IN", "call_11:before"),
        ("CRASH_AT", "4:after"),
        ("CRASH_AT", "7:before"),
        ("CRASH_AT", "16:after"),
        ("CRASH_AT", "27:before"),
    ]);
}

#[test]
fn u_25_a_module_and_the_model_below_it_hold_after_a_kill_and_requests_stay_the_same() {
    Case::module().compare(&[
        ("CRASH_IN", "call_3:after"),
        ("CRASH_IN", "call_11:before"),
        ("CRASH_AT", "6:after"),
        ("CRASH_AT", "21:before"),
    ]);
}

/// Calls of a tool that is gone after the restart stay what they were; a new one is told to the model.
#[test]
fn u_26_a_run_whose_tool_is_gone_goes_on_and_only_a_new_call_of_it_fails() {
    let script = "approve all\nuser Go\nmodel call 1 append_line {\"file\":\"keys\"}\nmodel end\n\
                  model call 2 calculate {\"expression\":\"1 + 1\"}\nmodel end\n\
                  model call 3 append_line {\"file\":\"keys\"}\nmodel end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    let run = ["run", "--model", "scripted/a.script", "--session", "s", "-q"];
    let vars = [("CRASH_TOOLS", "1"), ("CRASH_IN", "call_2:before")];
    assert_eq!(place.windlass_with(&run, &vars).code, -1);
    let said = place.windlass(&["runs", "resume", "-q"]).exits(0);
    assert_eq!(said.out, "Done.\n");
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    assert_eq!(rows[0]["outcome"], "completed", "{rows}");
    let id = rows[0]["run_id"].as_str().unwrap();
    let story = place.windlass(&["runs", "show", id, "--json"]).exits(0).json()["story"].take();
    let states: Vec<(&Value, &Value)> = story["steps"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|step| step["calls"].as_array().unwrap())
        .map(|call| (&call["id"], &call["state"]))
        .collect();
    let (done, failed) = (json!("ok"), json!("failed"));
    assert_eq!(
        states,
        [(&json!("call_1"), &done), (&json!("call_2"), &done), (&json!("call_3"), &failed)],
        "{story}"
    );
    assert_eq!(place.read("keys").lines().count(), 1, "what happened did not happen again");
}
