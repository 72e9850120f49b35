//! What a model gets of its calls: one envelope for success and failure, the whole of what was cut, outcomes as arguments
//! of later calls, and nothing of what a screen shows. A provider on loopback hears every request.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::profiles::streamed;
use crate::server::Server;

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");

/// A place and a provider that reads one file that is there and one that is not, and then says so.
fn reading() -> (Place, Server) {
    let provider = Server::answering(|request| {
        if request
            .rsplit_once("\"role\":\"user\"")
            .is_some_and(|(_, after)| after.contains("\"role\":\"tool\""))
        {
            return streamed(&json!({"content": "Read."}), "stop");
        }
        let call = |index: usize, path: &str| {
            let function = json!({"name": "read_file", "arguments": json!({"path": path}).to_string()});
            json!({"index": index, "id": format!("c{index}"), "type": "function", "function": function})
        };
        streamed(&json!({"tool_calls": [call(0, "a.txt"), call(1, "none.txt")]}), "tool_calls")
    });
    let place = Place::with(&[("a.txt", "haul away\n")]);
    place.configure(&format!("[providers.openai-chat]\nbase_url = \"{}\"\n", provider.address("")));
    (place, provider)
}

fn ask(place: &Place, profile: &str, more: &[&str]) -> Said {
    let args = ["run", "--model", "openai-chat/m", "--approve", "all", "--profile", profile];
    place.windlass_with(&[&args[..], more].concat(), &[KEY]).exits(0)
}

/// The messages of each request that went out.
fn requests(provider: &Server) -> Vec<Vec<Value>> {
    let messages = |body: String| -> Vec<Value> {
        let body: Value = serde_json::from_str(&body).unwrap();
        body["messages"].as_array().unwrap().clone()
    };
    provider.bodies().into_iter().map(messages).collect()
}

fn of_role<'a>(messages: &'a [Value], role: &str) -> Vec<&'a Value> {
    messages.iter().filter(|message| message["role"] == role).collect()
}

/// the screen shows its blocks, the model reads one envelope, in this run and in the history of the next.
#[test]
fn r_55_success_and_failure_have_one_envelope_on_the_wire_and_the_screens_text_is_not_there() {
    let (place, provider) = reading();
    let first = ask(&place, "zodo", &["--session", "z", "Read"]);
    assert!(
        first.err.contains("Status: ✅ SUCCESS") && first.err.contains("Status: ❌ FAILED"),
        "{}",
        first.err
    );
    ask(&place, "zodo", &["--session", "z", "Again"]);
    let heard = requests(&provider);
    assert_eq!(
        heard.iter().map(|messages| of_role(messages, "tool").len()).collect::<Vec<_>>(),
        [0, 2, 2, 4]
    );
    let mut successes = Vec::new();
    for outcome in heard.iter().flat_map(|messages| of_role(messages, "tool")) {
        let content: Value = serde_json::from_str(outcome["content"].as_str().unwrap()).unwrap();
        let keys: BTreeSet<&str> = content.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys.into_iter().collect::<Vec<_>>(),
            ["data", "error_message", "error_type", "metadata", "success"]
        );
        successes.push(content["success"] == true);
    }
    assert_eq!(successes, [true, false, true, false, true, false, true, false]);
    for body in provider.bodies() {
        for shown in ["[Tool: ", "Status: ", "✅", "❌", "Execution Time", "Data Size"] {
            assert!(!body.contains(shown), "'{shown}' is for people: {body}");
        }
    }
}

/// P-4: what a call gave is the answer to that very function call, in the next request of the same run, whole; no piece of
/// it is told before.
#[test]
fn p_4_results_flow_back_into_the_running_loop_as_answers_to_function_calls() {
    let (place, provider) = reading();
    let said = ask(&place, "ploke", &["--json", "Read"]);
    let first: Value = serde_json::from_str(&provider.bodies()[0]).unwrap();
    let tools = first["tools"].as_array().unwrap();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool["type"] == "function"), "{first}");
    let heard = requests(&provider);
    assert_eq!(heard.len(), 2, "one loop");
    let (before, after) = heard[1].split_at(heard[0].len());
    assert_eq!(before, &heard[0][..], "it goes on where it was");
    let [made, read, missing, ..] = after else { panic!("{heard:?}") };
    assert_eq!((&made["role"], &made["tool_calls"][1]["id"]), (&json!("assistant"), &json!("c1")));
    assert_eq!((&read["role"], &read["tool_call_id"]), (&json!("tool"), &json!("c0")));
    assert_eq!((&missing["role"], &missing["tool_call_id"]), (&json!("tool"), &json!("c1")));
    let content =
        |message: &Value| -> Value { serde_json::from_str(message["content"].as_str().unwrap()).unwrap() };
    assert!(content(read)["ok"] == true && content(read).to_string().contains("haul away"), "{read}");
    assert_eq!(content(missing)["ok"], false);
    let frames = said.lines();
    let told: Vec<&Value> = frames.iter().filter(|frame| frame.to_string().contains("haul away")).collect();
    assert_eq!((told.len(), &told[0]["type"]), (1, &json!("tool_result")), "{}", said.out);
    assert_eq!(frames.iter().filter(|frame| frame["type"] == "run_started").count(), 1);
}

/// What EDISON lost above 900 characters is read on; what a call found is the argument of the next, without the model
/// writing it again.
#[test]
fn e_46_a_long_outcome_is_read_on_and_an_earlier_outcome_is_an_argument() {
    let script = "user Go\nmodel call 1 read_file {\"path\":\"long.txt\"}\nmodel end\n\
        expect-request contains pages or greps the whole\nexpect-request lacks the needle\n\
        model call 2 read_result {\"ref\":\"call_1\",\"pattern\":\"needle\"}\nmodel end\nexpect-request contains the needle\n\
        model call 3 search_text {\"pattern\":\"haul\"}\nmodel call 4 read_file {\"path\":{\"$ref\":\"call_3\",\"path\":\"/matches/0/path\"}}\n\
        model end\nexpect-request contains and belay\nmodel text Done.\n";
    let long = format!("{}the needle\n{}", "hay and straw\n".repeat(200), "hay and straw\n".repeat(200));
    let place = Place::with(&[("a.script", script), ("long.txt", &long), ("rope.txt", "haul\nand belay\n")]);
    place.configure("[limits]\nresult_chars_max = 600\n");
    let said = place.windlass(&["run", "--model", "scripted/a.script", "--json", "Go"]).exits(0);
    let results: Vec<Value> =
        said.lines().into_iter().filter(|frame| frame["type"] == "tool_result").collect();
    assert!(results.iter().all(|frame| frame["result"]["success"] == true), "{results:#?}");
    assert_eq!(results.len(), 4);
}

#[test]
fn e_46_a_run_has_three_corrections_unless_another_number_is_set() {
    let mut script = "user Go\n".to_owned();
    for number in 1..=3 {
        script.push_str(&format!(
            "model call {} calculate {{}}\nmodel end\nmodel call {} calculate {{\"expression\":\"{number}+1\"}}\nmodel end\n",
            2 * number - 1,
            2 * number
        ));
    }
    script.push_str("model text Done.\n");
    let place = Place::with(&[("a.script", &script)]);
    let args = ["run", "--model", "scripted/a.script", "--json", "Go"];
    let outcome = |said: &Said| said.lines().pop().unwrap()["outcome"].clone();
    let said = place.windlass(&args).exits(0);
    assert_eq!(outcome(&said), "completed", "{}", said.out);
    let said = place.windlass_with(&args, &[("WINDLASS_LIMITS_CORRECTIONS_PER_RUN_MAX", "1")]);
    assert_eq!(outcome(&said), "limit_reached", "{}", said.out);
}
