use super::*;

fn tags() -> CallSyntax {
    CallSyntax::Tags { begin: "<tool_call>".into(), end: "</tool_call>".into() }
}

fn list() -> CallSyntax {
    CallSyntax::List { begin: "[TOOL_CALLS]".into() }
}

/// What an answer is: text, thinking, calls with their arguments.
fn read(syntax: &CallSyntax, answer: &str, piece: usize) -> (String, String, Vec<(String, String)>) {
    let mut reader = CallReader::new(syntax.clone(), false);
    let letters: Vec<char> = answer.chars().collect();
    let mut deltas: Vec<ModelDelta> =
        letters.chunks(piece).flat_map(|piece| reader.push(&piece.iter().collect::<String>())).collect();
    deltas.extend(reader.finish());
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::<(String, String)>::new());
    for delta in deltas {
        match delta {
            ModelDelta::Text(piece) => text.push_str(&piece),
            ModelDelta::Reasoning(piece) => thought.push_str(&piece),
            ModelDelta::Call(call) => {
                let at = usize::try_from(call.index.unwrap()).unwrap();
                if let Some(name) = call.name {
                    assert_eq!(at, calls.len(), "calls come in order");
                    calls.push((name, String::new()));
                }
                calls[at].1.push_str(&call.args_text.unwrap_or_default());
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(usize::try_from(reader.calls()).unwrap(), calls.len());
    (text, thought, calls)
}

fn always(syntax: &CallSyntax, answer: &str, text: &str, calls: &[(&str, &str)]) {
    for piece in [1, 2, 3, 7, 1_000] {
        let (found, _, found_calls) = read(syntax, answer, piece);
        assert_eq!(found, text, "in pieces of {piece}");
        let expected: Vec<(String, String)> =
            calls.iter().map(|(name, args)| ((*name).into(), (*args).into())).collect();
        assert_eq!(found_calls, expected, "in pieces of {piece}");
    }
}

#[test]
fn text_is_text() {
    for syntax in [tags(), list(), CallSyntax::BareObject] {
        always(&syntax, "Hello, <b>world</b>! [x] {y}", "Hello, <b>world</b>! [x] {y}", &[]);
        always(&syntax, "a\n\n  b < c\n", "a\n\n  b < c", &[]);
    }
}

#[test]
fn r_21_calls_in_tags_are_read_with_their_text() {
    let answer = "Let me look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a}\\\"b\"}}\n</tool_call>\n\
                  <tool_call>{\"name\":\"list_tasks\",\"arguments\":{}}</tool_call>";
    let calls = [("read_file", "{\"path\": \"a}\\\"b\"}"), ("list_tasks", "{}")];
    always(&tags(), answer, "Let me look.", &calls);
}

#[test]
fn calls_in_a_list_are_read() {
    let answer = "[TOOL_CALLS] [{\"name\": \"add\", \"arguments\": {\"a\": [1, {\"b\": 2}]}}, {\"name\": \"sub\", \"arguments\": {}}]";
    always(&list(), answer, "", &[("add", "{\"a\": [1, {\"b\": 2}]}"), ("sub", "{}")]);
}

#[test]
fn a_bare_object_with_a_name_is_a_call_and_without_it_is_text() {
    let bare = CallSyntax::BareObject;
    always(&bare, "{\"name\": \"add\", \"parameters\": {\"a\": 1}}", "", &[("add", "{\"a\": 1}")]);
    always(&bare, "<|python_tag|>{\"name\": \"add\", \"parameters\": {}}", "", &[("add", "{}")]);
    always(&bare, "{\"total\": 4}", "{\"total\": 4}", &[]);
    always(&bare, "The object {\"name\": \"add\"} is none.", "The object {\"name\": \"add\"} is none.", &[]);
    let two = "{\"name\": \"a\", \"parameters\": {}}; {\"name\": \"b\", \"parameters\": {}}";
    always(&bare, two, "", &[("a", "{}"), ("b", "{}")]);
}

#[test]
fn arguments_before_the_name_wait_for_it() {
    let answer = "<tool_call>{\"arguments\": {\"a\": 1}, \"name\": \"add\"}</tool_call>";
    always(&tags(), answer, "", &[("add", "{\"a\": 1}")]);
}

#[test]
fn a_call_without_arguments_has_none() {
    always(&tags(), "<tool_call>{\"name\": \"now\"}</tool_call>", "", &[("now", "")]);
}

#[test]
fn thinking_is_kept_apart() {
    for piece in [1, 4, 100] {
        let (text, thought, _) = read(&tags(), "<think>\nhm, <tool_call>?\n</think>\n\nYes.", piece);
        assert_eq!((text.as_str(), thought.as_str()), ("Yes.", "\nhm, <tool_call>?\n"));
    }
    let mut reader = CallReader::new(tags(), true);
    assert_eq!(reader.push("so"), [ModelDelta::Reasoning("so".into())]);
    assert_eq!(reader.push("</think>Yes"), [ModelDelta::Text("Yes".into())]);
}

#[test]
fn what_begins_as_a_call_and_is_none_is_text() {
    always(&tags(), "<tool_call>no object", "no object", &[]);
    always(&tags(), "<tool_call>{\"x\": 1}</tool_call> ok", "{\"x\": 1}</tool_call> ok", &[]);
    always(&tags(), "<tool_call>{\"na", "{\"na", &[]);
}

#[test]
fn a_name_is_told_before_its_arguments_are_whole() {
    let mut reader = CallReader::new(tags(), false);
    let deltas = reader.push("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"pa");
    let [ModelDelta::Call(call)] = deltas.as_slice() else { panic!("{deltas:?}") };
    assert_eq!((call.name.as_deref(), call.args_text.as_deref()), (Some("read_file"), Some("{\"pa")));
    let deltas = reader.push("th\": 1");
    let [ModelDelta::Call(call)] = deltas.as_slice() else { panic!("{deltas:?}") };
    assert_eq!((call.name.as_deref(), call.args_text.as_deref()), (None, Some("th\": 1")));
}

proptest::proptest! {
    #[test]
    fn no_answer_breaks_the_reader(answer in ".{0,60}", cut in 1..9_usize, kind in 0..3) {
        let syntax = match kind { 0 => tags(), 1 => list(), _ => CallSyntax::BareObject };
        let wrapped = format!("<tool_call>{{\"name\": \"x\", \"arguments\": {answer}</tool_call>");
        read(&syntax, &answer, cut);
        read(&syntax, &wrapped, cut);
    }
}
