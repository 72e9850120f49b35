//! The built-in model does what the request's words ask for and no more: on the binary, with everything allowed.

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;

const INDEX: &str = "Index\n=====\n\nwant_bytes is explained here.\n";
const NOTES: &str = "one red\ntwo red\nthree blue\n";

fn place() -> Place {
    Place::with(&[
        ("docs/index.rst", INDEX),
        ("README.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"),
        ("notes.txt", NOTES),
    ])
}

/// The calls of a request, with their arguments, and the answer.
fn ask(place: &Place, request: &str) -> (Vec<(String, Value)>, String) {
    let said = place.windlass(&["run", "--model", "builtin", "--approve", "all", "--json", request]).exits(0);
    let events = said.lines();
    let calls = events.iter().filter(|event| event["type"] == "tool_calls");
    let calls = calls.flat_map(|event| event["calls"].as_array().unwrap().clone()).map(|call| {
        let arguments = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
        (call["name"].as_str().unwrap().to_owned(), arguments)
    });
    let text = events
        .iter()
        .filter(|event| event["type"] == "content")
        .filter_map(|event| event["content"].as_str());
    (calls.collect(), text.collect())
}

fn names(calls: &[(String, Value)]) -> Vec<&str> {
    calls.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn u_50_reading_and_searching_never_write() {
    let place = place();
    let (calls, _) = ask(&place, "read docs/index.rst");
    assert_eq!(calls, [("read_file".to_owned(), json!({"path": "docs/index.rst"}))]);
    let (calls, _) = ask(&place, "search for want_bytes");
    assert_eq!(names(&calls), ["search_text"], "{calls:?}");
    let (calls, _) = ask(&place, "read README.md lines 5 to 10");
    assert_eq!(names(&calls), ["read_file"], "{calls:?}");
    assert_eq!((place.read("docs/index.rst").as_str(), place.read("notes.txt").as_str()), (INDEX, NOTES));
}

#[test]
fn u_50_one_thing_asked_is_one_call() {
    let place = place();
    assert_eq!(names(&ask(&place, "how much memory").0), ["system_stats"]);
    assert_eq!(names(&ask(&place, "what is 12 * 12").0), ["calculate"]);
    let (calls, _) = ask(&place, "read notes.txt and then list the project files");
    assert_eq!(names(&calls), ["read_file", "get_file_tree"], "two things are two");
}

#[test]
fn u_50_what_is_asked_for_still_happens() {
    let place = place();
    let (calls, _) = ask(&place, "write \"hello there\" to new/a.txt");
    assert_eq!(calls, [("write_file".to_owned(), json!({"path": "new/a.txt", "content": "hello there"}))]);
    assert_eq!(place.read("new/a.txt"), "hello there");
    let (calls, _) = ask(&place, "run ls -a");
    assert_eq!(calls, [("execute_command".to_owned(), json!({"command": "ls -a"}))]);
    assert_eq!(names(&ask(&place, "add buy rope to my list").0), ["add_task"]);
}

#[test]
fn u_51_append_and_replace_change_what_was_named_and_nothing_else() {
    let place = place();
    let (calls, answer) = ask(&place, "append \"four green\" to notes.txt");
    assert_eq!(names(&calls), ["read_file", "edit_file"], "{answer}");
    assert_eq!(place.read("notes.txt"), "one red\ntwo red\nthree blue\nfour green\n");
    let (calls, answer) = ask(&place, "replace blue with violet in notes.txt");
    assert_eq!(names(&calls), ["read_file", "edit_file"], "{answer}");
    assert_eq!(place.read("notes.txt"), "one red\ntwo red\nthree violet\nfour green\n");
    // Twice there: one is not chosen for the user.
    let (_, answer) = ask(&place, "replace red with grey in notes.txt");
    assert!(answer.contains("edit_file") && answer.contains("matches 2 times"), "{answer}");
    assert_eq!(place.read("notes.txt"), "one red\ntwo red\nthree violet\nfour green\n");
    ask(&place, "replace all occurrences of red with grey in notes.txt");
    assert_eq!(place.read("notes.txt"), "one grey\ntwo grey\nthree violet\nfour green\n");
    ask(&place, "prepend \"zero\" to notes.txt");
    assert_eq!(place.read("notes.txt"), "zero\none grey\ntwo grey\nthree violet\nfour green\n");
    assert_eq!(place.read("docs/index.rst"), INDEX);
}

#[test]
fn u_51_a_file_is_overwritten_where_that_is_said() {
    let place = place();
    let (calls, _) = ask(&place, "overwrite notes.txt with \"all new\"");
    assert_eq!(names(&calls), ["write_file", "read_file", "write_file"]);
    assert_eq!(place.read("notes.txt"), "all new");
    // What is to be made does not replace what is there.
    let (_, answer) = ask(&place, "create a file docs/index.rst with hello");
    assert!(answer.contains("did not work"), "{answer}");
    assert_eq!(place.read("docs/index.rst"), INDEX);
}

#[test]
fn u_51_a_change_that_is_not_spelled_out_is_not_made() {
    let place = place();
    for request in [
        "add error handling to docs/index.rst",
        "append a section about testing to README.md",
        "delete notes.txt",
        "remove the second line from notes.txt",
        "append \"x\" to notes.txt and then list the files",
    ] {
        let (calls, answer) = ask(&place, request);
        assert!(
            calls.is_empty() && answer.starts_with("I did not change anything"),
            "{request}: {calls:?} {answer}"
        );
    }
    assert_eq!((place.read("docs/index.rst").as_str(), place.read("notes.txt").as_str()), (INDEX, NOTES));
}

fn serve(place: &Place) -> Served {
    Served::spawn(place.command(&["serve", "--addr", "127.0.0.1:0", "--model", "builtin"]))
}

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}})
}

#[test]
fn u_17_a_form_of_answer_that_it_cannot_give_is_refused() {
    let place = place();
    let served = serve(&place);
    let form = json!({"type": "json_object"});
    let schema = json!({"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}});
    for form in [&form, &schema] {
        let body = json!({"model": "builtin", "messages": [{"role": "user", "content": "hello"}], "response_format": form});
        let (status, said) = served.ask("POST /v1/chat/completions", &body.to_string());
        assert_eq!(status, 400, "{said}");
        assert!(
            said.contains("invalid_request_error") && said.contains("writes no JSON of its own"),
            "{said}"
        );
        let with_tools = json!({
            "model": "builtin", "messages": [{"role": "user", "content": "hello"}], "response_format": form, "tools": [tool("x")],
        });
        let (status, said) = served.ask("POST /v1/chat/completions", &with_tools.to_string());
        assert_eq!(status, 400, "{said}");
        let session = served.json("POST /api/sessions", "{}");
        let path = format!("POST /api/sessions/{}/runs", session["session_id"].as_str().unwrap());
        let (status, said) =
            served.ask(&path, &json!({"message": "hello", "response_format": form}).to_string());
        assert_eq!(status, 400, "{said}");
        assert!(said.contains("\"field\":\"response_format\""), "{said}");
    }
}

#[test]
fn u_17_a_tool_that_must_be_called_is_called_or_the_request_is_refused() {
    let place = place();
    let served = serve(&place);
    let ask = |words: &str, tools: &[Value], choice: Value| {
        let messages = json!([{"role": "user", "content": words}]);
        let body = json!({"model": "builtin", "messages": messages, "tools": tools, "tool_choice": choice});
        let (status, said) = served.ask("POST /v1/chat/completions", &body.to_string());
        let (from, to) = (said.find('{').unwrap(), said.rfind('}').unwrap());
        (status, serde_json::from_str::<Value>(&said[from..=to]).unwrap())
    };
    let known = [tool("read_file"), tool("write_file"), tool("get_file_tree")];
    let called =
        |answer: &Value| answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"].clone();
    // It would rather greet: it must not.
    let (status, answer) = ask("hello", &known, json!("required"));
    assert_eq!((status, called(&answer).is_string()), (200, true), "{answer}");
    let (_, answer) = ask("what is in notes.txt", &known, tool("read_file"));
    assert_eq!(called(&answer), "read_file", "{answer}");
    let (_, answer) = ask("read notes.txt", &known, json!("none"));
    assert!(called(&answer).is_null() && answer["choices"][0]["message"]["content"].is_string(), "{answer}");
    for (words, tools, choice) in [
        ("read notes.txt", &known[..], tool("write_file")),
        ("what is the weather", &[tool("get_weather")][..], json!("required")),
        ("what is the weather", &[tool("get_weather")][..], tool("get_weather")),
    ] {
        let (status, answer) = ask(words, tools, choice);
        assert_eq!((status, &answer["error"]["type"]), (400, &json!("invalid_request_error")), "{answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("the built-in model cannot call"),
            "{answer}"
        );
    }
    let session = served.json("POST /api/sessions", "{}");
    let path = format!("POST /api/sessions/{}/runs", session["session_id"].as_str().unwrap());
    let (status, said) =
        served.ask(&path, &json!({"message": "hello", "tool_choice": {"name": "edit_file"}}).to_string());
    assert_eq!(status, 400, "{said}");
    assert!(said.contains("\"field\":\"tool_choice\""), "{said}");
}
