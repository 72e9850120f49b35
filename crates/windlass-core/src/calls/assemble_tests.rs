use serde_json::json;

use super::*;

fn delta() -> CallDelta {
    CallDelta::default()
}

fn at(index: u32) -> CallDelta {
    CallDelta { index: Some(index), ..delta() }
}

impl CallDelta {
    fn id(self, id: &str) -> Self {
        Self { id: Some(id.into()), ..self }
    }
    fn name(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }
    fn text(self, text: &str) -> Self {
        Self { args_text: Some(text.into()), ..self }
    }
    fn value(self, value: Value) -> Self {
        Self { args_value: Some(Box::new(value)), ..self }
    }
}

/// Calls as `id name args`.
fn calls(deltas: impl IntoIterator<Item = CallDelta>) -> Vec<String> {
    let mut assembler = Assembler::new("m");
    for delta in deltas {
        assembler.push(ModelDelta::Call(delta));
    }
    let step = assembler.finish();
    let shown = |call: &RawCall| {
        let args = match &call.args {
            RawArgs::Text(text) => text.clone(),
            RawArgs::Value(value) => value.to_string(),
        };
        format!("{} {} {args}", call.provider_id.as_deref().unwrap_or("-"), call.name)
    };
    step.calls.iter().map(shown).collect()
}

#[test]
fn r_21_fragments_are_put_together_by_their_number() {
    let made = calls([
        at(0).id("x").name("add").text("{\"a\""),
        at(1).id("y").name("look").text(""),
        at(0).text(":1}"),
        at(1).text("{}"),
    ]);
    assert_eq!(made, ["x add {\"a\":1}", "y look {}"]);
}

#[test]
fn fragments_are_put_together_by_their_id_when_there_is_no_number() {
    let made = calls([
        delta().id("x").name("add").text("{"),
        delta().id("y").name("add").text("{"),
        delta().id("x").text("\"a\":1}"),
        delta().id("y").text("\"a\":2}"),
    ]);
    assert_eq!(made, ["x add {\"a\":1}", "y add {\"a\":2}"]);
}

#[test]
fn fragments_without_any_mark_belong_to_the_latest_call() {
    let made = calls([
        delta().name("add").text("{\"a\""),
        delta().text(":1}"),
        delta().name("add").text("{\"a\":2}"),
        delta().text("  "),
    ]);
    assert_eq!(made, ["- add {\"a\":1}", "- add {\"a\":2}  "]);
}

#[test]
fn names_are_repeated_and_never_put_together() {
    let made = calls([at(0).id("x").name("add").text("{"), at(0).name("add").text("}"), at(0).name("")]);
    assert_eq!(made, ["x add {}"]);
}

#[test]
fn an_id_that_comes_late_belongs_to_the_open_call_of_its_number() {
    let made = calls([at(0).name("add").text("{\"a\""), at(0).id("late").text(":1}")]);
    assert_eq!(made, ["late add {\"a\":1}"]);
    // An id beside a call that has another one is the next call.
    let made =
        calls([at(0).id("x").name("add").text("{\"a\":1}"), at(0).id("y").name("add").text("{\"a\":2}")]);
    assert_eq!(made, ["x add {\"a\":1}", "y add {\"a\":2}"]);
    // Beside a whole call it is the next call too.
    let made = calls([at(0).name("add").text("{}"), at(0).id("y").name("add").text("{}")]);
    assert_eq!(made, ["- add {}", "y add {}"]);
}

#[test]
fn r_36_one_id_at_two_numbers_is_two_calls() {
    let made = calls([
        at(0).id("dup").name("add").text("{\"a\":1}"),
        at(1).id("dup").name("add").text("{\"a\":2}"),
        at(1).id("dup").text(" "),
    ]);
    assert_eq!(made, ["dup add {\"a\":1}", "dup add {\"a\":2} "]);
}

#[test]
fn a_reused_number_begins_the_next_call_once_the_first_is_whole() {
    let made = calls([at(0).name("add").text("{\"a\":1}"), at(0).name("add").text("{\"a\":2}")]);
    assert_eq!(made, ["- add {\"a\":1}", "- add {\"a\":2}"]);
    let made = calls([at(0).name("add").text("{\"a\":1}"), at(0).text("{\"a\":2}")]);
    assert_eq!(made, ["- add {\"a\":1}", "-  {\"a\":2}"], "more after a whole object is no part of it");
    let made = calls([at(0).name("add").text("{\"a\":1}"), at(0).name("look")]);
    assert_eq!(made, ["- add {\"a\":1}", "- look "]);
}

#[test]
fn another_name_is_another_call_even_when_the_first_has_no_arguments() {
    assert_eq!(
        calls([delta().name("look"), delta().name("add").text("{\"a\":1}")]),
        ["- look ", "- add {\"a\":1}"]
    );
    assert_eq!(calls([at(0).name("look").text(""), at(0).name("add").text("{}")]), ["- look ", "- add {}"]);
}

#[test]
fn r_22_a_call_without_arguments_is_a_call() {
    assert_eq!(calls([at(0).id("x").name("look")]), ["x look "]);
}

#[test]
fn a_fragment_that_never_got_a_name_is_still_a_call() {
    assert_eq!(calls([at(0).id("x").text("{}")]), ["x  {}"]);
    assert_eq!(calls([at(0).id("").name("look").text("{}")]), ["- look {}"], "an empty id is none");
}

#[test]
fn s_24_whole_calls_of_a_provider_without_deltas_all_arrive() {
    let made = calls([
        delta().name("add").value(json!({"a": 1})),
        delta().name("add").value(json!({"a": 2})),
        delta().name("look").value(json!({})),
    ]);
    assert_eq!(made, ["- add {\"a\":1}", "- add {\"a\":2}", "- look {}"]);
    let made = calls([at(0).name("add").value(json!({"a": 1})), at(1).name("add").value(json!({"a": 2}))]);
    assert_eq!(made, ["- add {\"a\":1}", "- add {\"a\":2}"]);
}

#[test]
fn objects_in_several_pieces_merge_and_other_values_replace() {
    let made = calls([
        at(0).name("add").value(json!({"a": 1})),
        at(0).value(json!({"b": 2})),
        at(0).name("add").value(json!({"c": 3})),
    ]);
    assert_eq!(made, ["- add {\"a\":1,\"b\":2,\"c\":3}"]);
    assert_eq!(
        calls([at(0).name("add").value(json!(null)), at(0).value(json!({"b": 2}))]),
        ["- add {\"b\":2}"]
    );
    assert_eq!(calls([at(0).name("add").value(json!({"a": 1})), at(0).value(json!(7))]), ["- add 7"]);
    // Text after a value belongs to the next call.
    assert_eq!(
        calls([at(0).name("add").value(json!({"a": 1})), at(0).text("{}")]),
        ["- add {\"a\":1}", "-  {}"]
    );
}

#[test]
fn s_16_each_delta_says_what_it_meant() {
    let mut assembler = Assembler::new("m");
    let said = [
        ModelDelta::Reasoning("hm".into()),
        ModelDelta::Text("Hel".into()),
        ModelDelta::Text(String::new()),
        ModelDelta::Reasoning(String::new()),
        ModelDelta::Call(at(3).text("{\"é\"")),
        ModelDelta::Call(at(3).name("add")),
        ModelDelta::Call(at(5).name("look").value(json!({"a": 1}))),
        ModelDelta::Usage(Usage::default()),
        ModelDelta::Finish(Finish::Stop),
        ModelDelta::ReasoningState(json!("sig")),
    ]
    .map(|delta| assembler.push(delta));
    let grew = |index, name: Option<&str>, chars| {
        Some(Assembled::CallGrew { index, name: name.map(str::to_owned), chars })
    };
    assert_eq!(
        said,
        [
            Some(Assembled::Reasoning("hm".into())),
            Some(Assembled::Text("Hel".into())),
            None,
            None,
            grew(0, None, 5),
            grew(0, Some("add"), 5),
            grew(1, Some("look"), 7),
            None,
            None,
            None,
        ]
    );
}

#[test]
fn text_and_thinking_are_joined_to_parts_in_their_order() {
    let mut assembler = Assembler::new("m");
    for delta in [
        ModelDelta::Reasoning("a".into()),
        ModelDelta::Reasoning("b".into()),
        ModelDelta::ReasoningState(json!("sig")),
        ModelDelta::Reasoning("c".into()),
        ModelDelta::Text("x".into()),
        ModelDelta::Text("y".into()),
        ModelDelta::ReasoningState(json!("alone")),
        ModelDelta::ReasoningState(json!("again")),
        ModelDelta::Text("z".into()),
    ] {
        assembler.push(delta);
    }
    assert_eq!(assembler.partial_text(), "xyz");
    let thought = |text: &str, opaque: Option<Value>| {
        Part::Reasoning(Reasoning { text: text.into(), opaque, model: Some("m".into()) })
    };
    assert_eq!(
        assembler.finish().parts,
        [
            thought("ab", Some(json!("sig"))),
            thought("c", None),
            Part::text("xy"),
            thought("", Some(json!("alone"))),
            thought("", Some(json!("again"))),
            Part::text("z"),
        ]
    );
}

#[test]
fn usage_and_finish_are_kept_and_a_missing_finish_is_said() {
    let mut assembler = Assembler::new("m");
    assert!(!assembler.is_finished());
    assembler.push(ModelDelta::Usage(Usage { input: 1, ..Usage::default() }));
    assembler.push(ModelDelta::Usage(Usage { input: 2, ..Usage::default() }));
    assembler.push(ModelDelta::Finish(Finish::Length));
    assert!(assembler.is_finished());
    let step = assembler.finish();
    assert_eq!((step.usage.unwrap().input, step.finish), (2, Finish::Length));
    assert_eq!(Assembler::new("m").finish().finish, Finish::Other("none".into()));
}

fn ready(assembler: &mut Assembler, delta: CallDelta) -> Vec<String> {
    assembler.push(ModelDelta::Call(delta));
    assembler.take_ready().into_iter().map(|call| call.name).collect()
}

#[test]
fn s_17_a_call_is_ready_when_its_name_and_a_whole_object_are_there_each_once() {
    let mut assembler = Assembler::new("m");
    assert_eq!(ready(&mut assembler, at(0).name("add").text("{\"a\":")), Vec::<String>::new());
    assert_eq!(ready(&mut assembler, at(0).text("1}")), ["add"]);
    assert_eq!(ready(&mut assembler, at(0).text(" ")), Vec::<String>::new(), "not twice");
    assert_eq!(ready(&mut assembler, at(1).name("look").value(json!({}))), ["look"]);
}

#[test]
fn r_21_a_call_is_not_taken_for_whole_because_another_one_began() {
    let mut assembler = Assembler::new("m");
    assert_eq!(ready(&mut assembler, at(0).name("add").text("{\"a\"")), Vec::<String>::new());
    assert_eq!(
        ready(&mut assembler, at(1).name("look").text("{}")),
        Vec::<String>::new(),
        "the first is open"
    );
    assert_eq!(ready(&mut assembler, at(0).text(":1}")), ["add", "look"]);
}

#[test]
fn what_is_not_a_whole_object_is_not_ready() {
    for text in ["", "1", "[]", "\"x\"", "{", "{}}", "{\"a\":1} x"] {
        let mut assembler = Assembler::new("m");
        assert_eq!(ready(&mut assembler, at(0).name("add").text(text)), Vec::<String>::new(), "{text}");
    }
    let mut assembler = Assembler::new("m");
    assert_eq!(ready(&mut assembler, at(0).text("{}")), Vec::<String>::new(), "nobody knows its name yet");
    assert_eq!(ready(&mut assembler, at(0).value(json!(7))), Vec::<String>::new());
}

#[test]
fn a_late_id_belongs_to_the_call_that_waits_for_it() {
    // Qwen: the id comes after the name, or after some arguments.
    let made = calls([
        at(0).name("add"),
        at(0).id("call_q").text("{\"a\""),
        at(0).text(":1}"),
        at(1).name("look").text("{"),
        at(1).id("call_r"),
        at(1).text("}"),
    ]);
    assert_eq!(made, ["call_q add {\"a\":1}", "call_r look {}"]);
}

#[test]
fn a_name_that_is_repeated_with_every_fragment_is_one_name() {
    let made = calls([
        at(0).id("x").name("add").text("{\"a\""),
        at(0).id("x").name("add").text(":"),
        at(0).id("x").name("add").text("1}"),
    ]);
    assert_eq!(made, ["x add {\"a\":1}"]);
}

#[test]
fn the_same_number_with_a_new_id_is_a_new_call() {
    let made = calls([
        at(0).id("x").name("add").text("{\"a\":1"),
        at(0).id("y").name("add").text("{\"a\":2}"),
        at(0).id("x").text("}"),
    ]);
    assert_eq!(
        made,
        ["x add {\"a\":1}", "y add {\"a\":2}"],
        "each id keeps its own, also when it comes back"
    );
}

#[test]
fn without_ids_a_whole_object_followed_by_more_is_two_calls_in_pieces_too() {
    let pieces = ["{\"a\"", ":1", "}", " ", "{", "\"a\":", "2}"];
    let mut deltas: Vec<CallDelta> = pieces.iter().map(|piece| at(0).text(piece)).collect();
    deltas[0] = at(0).name("add").text(pieces[0]);
    deltas[4] = at(0).name("add").text(pieces[4]);
    assert_eq!(calls(deltas), ["- add {\"a\":1} ", "- add {\"a\":2}"]);
}

#[test]
fn objects_in_several_chunks_are_merged_and_counted_without_writing_them_out() {
    // MiniMax: arguments as an object, in several chunks, some of them repeated.
    let chunks =
        [json!({"a": 1}), json!({"bé": "x\"y"}), json!({"a": "longer"}), json!({}), json!({"c": []})];
    let mut assembler = Assembler::new("m");
    let mut merged = serde_json::Map::new();
    for chunk in chunks {
        merged.extend(chunk.as_object().unwrap().clone());
        let grown = assembler.push(ModelDelta::Call(at(0).name("add").value(chunk)));
        let chars = Value::Object(merged.clone()).to_string().len() as u64;
        assert_eq!(grown, Some(Assembled::CallGrew { index: 0, name: Some("add".into()), chars }));
    }
    assert_eq!(assembler.finish().calls[0].args, RawArgs::Value(Value::Object(merged)));
}

#[test]
fn a_bare_value_is_never_taken_for_whole_before_the_step_ends() {
    for text in ["1", "tr", "true", "null", "\"x\"", "[]", "[1]"] {
        let mut assembler = Assembler::new("m");
        assert_eq!(ready(&mut assembler, at(0).name("add").text(text)), Vec::<String>::new(), "{text}");
        assembler.push(ModelDelta::Call(at(0).name("add").text("2")));
        let step = assembler.finish();
        assert_eq!(step.calls.len(), 1, "{text}: more of it may have been to come");
    }
}

#[test]
fn matching_brackets_that_are_no_json_are_not_whole() {
    for text in ["{\"a\" 1}", "{a:1}", "{,}", "{\"a\":\"\n\"}"] {
        let mut assembler = Assembler::new("m");
        assert_eq!(ready(&mut assembler, at(0).name("add").text(text)), Vec::<String>::new(), "{text}");
        assembler.push(ModelDelta::Call(at(0).text("}")));
        assert_eq!(assembler.finish().calls.len(), 1, "{text}");
    }
}

#[test]
fn every_byte_of_arguments_is_looked_at_once_however_small_the_pieces() {
    // Every second character closes a bracket: what was parsed again at each of them would be quadratic.
    let hostile = "{\"a\":[".to_owned() + &"{},".repeat((1 << 20) / 3) + "{}]}";
    for text in [hostile, " ".repeat(1 << 20)] {
        let mut assembler = Assembler::new("m");
        assembler.push(ModelDelta::Call(at(0).name("add")));
        for piece in text.split_inclusive(|_| true) {
            assembler.push(ModelDelta::Call(at(0).text(piece)));
            assembler.take_ready();
        }
        assert_eq!(assembler.calls[0].object.looked, text.len());
        assert_eq!(assembler.calls.len(), 1);
    }
}

#[test]
fn a_flood_of_calls_is_bounded() {
    let mut assembler = Assembler::new("m");
    for number in 0..(CALLS_OPEN_MAX as u32 + 10) {
        assembler.push(ModelDelta::Call(at(number).id(&format!("id{number}")).name("add").text("{}")));
    }
    assert_eq!(assembler.finish().calls.len(), CALLS_OPEN_MAX);
}

#[test]
fn what_is_said_after_a_call_is_a_part_of_its_own_and_the_call_knows_its_place() {
    let mut assembler = Assembler::new("m");
    for delta in [
        ModelDelta::Text("a".into()),
        ModelDelta::Call(at(0).name("add").text("{")),
        ModelDelta::Call(at(0).text("}")),
        ModelDelta::Text("b".into()),
        ModelDelta::Text("c".into()),
        ModelDelta::Reasoning("d".into()),
        ModelDelta::Call(at(1).name("look").text("{}")),
        ModelDelta::Call(at(2).name("look").text("{}")),
        ModelDelta::Reasoning("e".into()),
        ModelDelta::ReasoningState(json!("sig")),
        ModelDelta::Call(at(3).name("look").text("{}")),
        ModelDelta::ReasoningState(json!("alone")),
    ] {
        assembler.push(delta);
    }
    let step = assembler.finish();
    let thought = |text: &str, opaque: Option<Value>| {
        Part::Reasoning(Reasoning { text: text.into(), opaque, model: Some("m".into()) })
    };
    assert_eq!(
        step.parts,
        [
            Part::text("a"),
            Part::text("bc"),
            thought("d", None),
            thought("e", Some(json!("sig"))),
            thought("", Some(json!("alone"))),
        ]
    );
    let places: Vec<usize> = step.calls.iter().map(|call| call.after_parts).collect();
    assert_eq!(places, [1, 3, 3, 4]);
}

#[test]
fn nothing_after_the_end_counts_but_the_token_counts() {
    let mut assembler = Assembler::new("m");
    assembler.push(ModelDelta::Text("a".into()));
    assembler.push(ModelDelta::Call(at(0).id("x").name("add").text("{}")));
    assembler.push(ModelDelta::Finish(Finish::Calls));
    for late in [
        ModelDelta::Text("b".into()),
        ModelDelta::Reasoning("c".into()),
        ModelDelta::Call(at(1).id("y").name("add").text("{}")),
        ModelDelta::Finish(Finish::Stop),
    ] {
        assert_eq!(assembler.push(late), None);
    }
    assembler.push(ModelDelta::Usage(Usage { input: 7, ..Usage::default() }));
    let step = assembler.finish();
    assert_eq!((step.parts.len(), step.calls.len(), step.finish), (1, 1, Finish::Calls));
    assert_eq!(step.usage.map(|usage| usage.input), Some(7));
}

#[test]
fn a_call_that_is_said_again_under_its_id_is_one_call() {
    let once = ["x add {\"a\":1}"];
    // In the same slot, in another one, in pieces, spelled differently, as a value.
    assert_eq!(
        calls([at(0).id("x").name("add").text("{\"a\":1}"), at(0).id("x").name("add").text("{\"a\":1}")]),
        once
    );
    assert_eq!(
        calls([at(0).id("x").name("add").text("{\"a\":1}"), at(1).id("x").name("add").text("{ \"a\": 1 }")]),
        once
    );
    let pieces = [at(0).id("x").name("add").text("{\"a\""), at(0).text(":1}")];
    assert_eq!(calls(pieces.clone().into_iter().chain(pieces)), once);
    assert_eq!(
        calls([
            at(0).id("x").name("add").text("{\"a\":1}"),
            at(1).id("x").name("add").value(json!({"a": 1}))
        ]),
        once
    );
    // What says something else is another call, and stands behind those with ids of their own.
    let made = calls([
        at(0).id("x").name("add").text("{\"a\":1}"),
        at(1).id("x").name("add").text("{\"a\":2}"),
        at(2).id("y").name("add").text("{\"a\":1}"),
    ]);
    assert_eq!(made, ["x add {\"a\":1}", "y add {\"a\":1}", "x add {\"a\":2}"]);
}

#[test]
fn what_comes_under_a_used_id_is_not_ready_before_the_end() {
    let mut assembler = Assembler::new("m");
    assert_eq!(ready(&mut assembler, at(0).id("x").name("add").text("{}")).len(), 1);
    assert_eq!(ready(&mut assembler, at(1).id("x").name("add").text("{}")), [""; 0]);
    assert_eq!(ready(&mut assembler, at(2).id("y").name("add").text("{}")).len(), 1);
    assert_eq!(assembler.finish().calls.len(), 2);
}

#[test]
fn bytes_that_are_no_utf_8_are_shown_as_such_and_stay_known_in_calls() {
    let mut assembler = Assembler::new("m");
    let said = assembler.push(ModelDelta::Text(format!("a{NOT_UTF8}")));
    assert_eq!(said, Some(Assembled::Text("a\u{fffd}".into())));
    assembler.push(ModelDelta::Call(at(0).name("add").value(json!({"a": [NOT_UTF8.to_string()]}))));
    assert_eq!(assembler.partial_text(), "a\u{fffd}");
    let step = assembler.finish();
    assert!(matches!(&step.calls[0].args, RawArgs::Text(text) if text.contains(NOT_UTF8)));
    assert_eq!(readable_parts(step.parts), [Part::text("a\u{fffd}")]);
}
