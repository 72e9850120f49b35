//! Calls on their way: side by side or alone, early or late, chained, and each with one outcome.

use serde_json::json;
use windlass_core::calls::assemble::Assembler;
use windlass_core::permission::ApproveMode;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, WarningCode};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelStep, StepPurpose};
use windlass_core::protocol::tool::{ErrorKind, RawCall, ToolFailure, ToolSpec};
use windlass_core::run::Input;

use crate::sim::{Done, Sim, call, named_call, text_call};

fn begun(calls: Vec<RawCall>) -> Sim {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.want(calls);
    sim
}

#[test]
fn reads_run_side_by_side_four_at_a_time() {
    let mut sim = begun((0..6).map(|a| call("add", json!({"a": a}))).collect());
    assert_eq!(sim.running(), [1, 2, 3, 4]);
    sim.ended(3, json!(3));
    assert_eq!(sim.running(), [1, 2, 4, 5]);
    sim.ended(1, json!(1));
    sim.ended(2, json!(2));
    assert_eq!(sim.running(), [4, 5, 6]);
}

#[test]
fn effects_run_alone_and_in_order_and_no_read_passes_them() {
    let mut sim = begun(vec![
        call("add", json!({"a": 1})),
        call("touch", json!({"path": "a"})),
        call("touch", json!({"path": "b"})),
        call("add", json!({"a": 2})),
        call("add", json!({"a": 3})),
    ]);
    for expected in [vec![1], vec![2], vec![3]] {
        assert_eq!(sim.running(), expected);
        sim.ended(expected[0], json!(0));
    }
    assert_eq!(sim.running(), [4, 5]);
}

#[test]
fn r_33_outcomes_stand_in_call_order_whatever_the_order_in_which_they_came() {
    let mut sim = begun(vec![
        named_call("x", "add", json!({"a": 1})),
        call("nope", json!({})),
        call("add", json!({"a": "one"})),
        named_call("y", "add", json!({"a": 2})),
    ]);
    sim.ended(4, json!("second"));
    sim.failed(1, ToolFailure::internal("broke"));
    let told: Vec<_> = sim
        .request()
        .messages
        .iter()
        .filter_map(|message| match message.as_ref() {
            Message::Tool(tool) => {
                Some((tool.call_id.as_str(), tool.provider_id.as_deref(), tool.name.as_str(), tool.is_ok))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            ("call_1", Some("x"), "add", false),
            ("call_2", None, "nope", false),
            ("call_3", None, "add", false),
            ("call_4", Some("y"), "add", true),
        ]
    );
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+4 tool tool tool tool");
}

#[test]
fn r_44_an_unknown_tool_fails_its_own_call_only() {
    let mut sim = begun(vec![call("add", json!({"a": 1})), call("nope", json!({})), call("look", json!({}))]);
    assert_eq!(sim.running(), [1, 3]);
    assert_eq!(sim.failure(2), (ErrorKind::UnknownTool, "Unknown tool 'nope'"));
    sim.ended(1, json!(1));
    sim.ended(3, json!(2));
    assert!(sim.outcome(1).is_ok() && sim.outcome(3).is_ok());
    assert!(sim.is_thinking, "the run goes on");
}

#[test]
fn r_1_r_34_a_call_that_times_out_fails_and_the_others_are_delivered() {
    let mut sim = begun((1..=3).map(|a| call("add", json!({"a": a}))).collect());
    assert_eq!(sim.ran(), [("call_1", 30_000), ("call_2", 30_000), ("call_3", 30_000)]);
    sim.ended(1, json!(1));
    sim.failed(2, ToolFailure::new(ErrorKind::Timeout, "Tool 'add' timed out after 30 seconds"));
    assert!(!sim.is_thinking, "the third is waited for");
    sim.ended(3, json!(3));
    let told: Vec<_> = sim.request().messages[2..].iter().map(|message| message.text()).collect();
    assert_eq!(
        told,
        [
            r#"{"ok":true,"output":1}"#,
            r#"{"ok":false,"error":{"kind":"timeout","message":"Tool 'add' timed out after 30 seconds"}}"#,
            r#"{"ok":true,"output":3}"#,
        ]
    );
    assert_eq!(sim.request().purpose, StepPurpose::Work);
    sim.say("4, and one is missing.");
    assert_eq!(sim.finished().outcome, windlass_core::protocol::event::RunOutcome::Completed);
}

#[test]
fn r_38_a_call_has_one_terminal_event_though_its_outcome_comes_twice() {
    let mut sim = begun(vec![call("add", json!({"a": 1})), call("add", json!({"a": 2}))]);
    sim.ended(1, json!(1));
    for outcome in [json!("again"), json!("and again")] {
        let outcome = windlass_core::protocol::tool::ToolOutcome::ok(
            windlass_core::protocol::tool::ToolOutput::json(outcome),
        );
        sim.input(Input::CallEnded { call_id: CallId::numbered(1), outcome });
    }
    sim.ended(2, json!(2));
    assert_eq!(sim.story().matches("call-ended").count(), 2);
    assert_eq!(sim.content_json(1)["output"], 1);
}

#[test]
fn r_12_arguments_that_are_no_object_fail_and_nothing_panics() {
    for args in [json!([1, 2]), json!(7), json!(true), json!("[1,2]"), json!("3")] {
        let sim = begun(vec![call("look", args.clone())]);
        assert_eq!(sim.failure(1), (ErrorKind::InvalidArgs, "'args' must be an object"), "{args}");
        assert_eq!(sim.ran(), []);
    }
}

#[test]
fn arguments_that_are_no_json_are_never_guessed() {
    let sim = begun(vec![text_call("read_file", "{\"path\": \"a\", oops")]);
    let failure = sim.outcome(1).failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::ParseError);
    assert!(failure.message.starts_with("Invalid JSON arguments: "), "{}", failure.message);
    assert_eq!(failure.received.as_deref(), Some("{\"path\": \"a\", oops"));
    assert_eq!(sim.ran(), []);
}

#[test]
fn e_16_dropped_arguments_are_listed_in_the_outcome_and_in_one_warning() {
    let mut sim = begun(vec![
        call("add", json!({"a": 1, "why": "x", "how": 2})),
        call("add", json!({"a": 2, "who": "y"})),
        call("add", json!({"a": 3})),
    ]);
    assert_eq!(sim.args[&CallId::numbered(1)], json!({"a": 1, "b": 1}));
    for number in 1..=3 {
        sim.ended(number, json!(number));
    }
    assert_eq!(sim.outcome(1).meta.dropped_args, ["why", "how"]);
    assert_eq!(sim.outcome(2).meta.dropped_args, ["who"]);
    assert_eq!(sim.outcome(3).meta.dropped_args, Vec::<String>::new());
    assert_eq!(sim.content_json(1)["dropped_args"], json!(["why", "how"]));
    let message = "add does not have these arguments, they were dropped: why, how";
    assert_eq!(sim.warnings(), [(WarningCode::DroppedArgs, message)]);
}

#[test]
fn an_alias_is_the_tool_it_stands_for_from_the_first_event_on() {
    let mut sim = begun(vec![call("search_web", json!({"query": "q"}))]);
    let Event::Durable(DurableEvent::CallRequested { call, .. }) = &sim.events[3] else {
        panic!("no request")
    };
    assert_eq!(call.name, "web_search");
    sim.ended(1, json!([]));
    let Message::Tool(tool) = sim.request().messages[2].as_ref() else { panic!("no outcome") };
    assert_eq!(tool.name, "web_search");
}

#[test]
fn e_46_an_argument_may_be_an_earlier_outcome() {
    let mut sim = begun(vec![named_call("p1", "look", json!({}))]);
    sim.ended(1, json!({"sum": {"value": 40}}));
    sim.want(vec![
        call("add", json!({"a": {"$ref": "call_1", "path": "/sum/value"}, "b": 2})),
        call("add", json!({"a": {"$ref": "p1", "path": "/sum/value"}, "b": 3})),
    ]);
    assert_eq!(sim.args[&CallId::numbered(2)], json!({"a": 40, "b": 2}));
    assert_eq!(sim.args[&CallId::numbered(3)], json!({"a": 40, "b": 3}), "also by the provider's id");
}

#[test]
fn e_46_a_call_waits_for_the_outcome_it_refers_to_in_the_same_step() {
    let mut sim = begun(vec![
        call("look", json!({})),
        call("add", json!({"a": {"$ref": "call_1", "path": ""}})),
        call("add", json!({"a": {"$ref": "call_2", "path": ""}, "b": 7})),
        call("add", json!({"a": 9})),
    ]);
    assert_eq!(sim.running(), [1, 4]);
    sim.ended(1, json!(5));
    assert_eq!(sim.running(), [2, 4]);
    assert_eq!(sim.args[&CallId::numbered(2)], json!({"a": 5, "b": 1}));
    sim.ended(2, json!(6));
    assert_eq!(sim.args[&CallId::numbered(3)], json!({"a": 6, "b": 7}));
}

#[test]
fn a_reference_to_nothing_or_to_a_failure_is_a_bad_call() {
    let hint =
        "a reference is {\"$ref\":\"call_N\",\"path\":\"/json/pointer\"} to an earlier call that worked";
    // To itself, to a later call, to no call at all.
    for reference in ["call_1", "call_2", "call_77"] {
        let sim =
            begun(vec![call("add", json!({"a": {"$ref": reference, "path": ""}})), call("look", json!({}))]);
        let failure = sim.outcome(1).failure().unwrap();
        assert_eq!(
            (failure.kind, failure.hint.as_deref()),
            (ErrorKind::InvalidArgs, Some(hint)),
            "{reference}"
        );
    }
    let mut sim =
        begun(vec![call("look", json!({})), call("add", json!({"a": {"$ref": "call_1", "path": ""}}))]);
    sim.failed(1, ToolFailure::not_found("nothing there"));
    assert_eq!(sim.outcome(2).failure().unwrap().kind, ErrorKind::InvalidArgs);
    assert_eq!(sim.ran(), [("call_1", 30_000)]);
}

#[test]
fn what_was_resolved_is_validated_and_asked_about() {
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Go");
    sim.want(vec![call("look", json!({}))]);
    sim.ended(1, json!({"path": "secret.txt", "n": 7}));
    sim.want(vec![
        call("read_file", json!({"path": {"$ref": "call_1", "path": "/path"}})),
        call("read_file", json!({"path": {"$ref": "call_1", "path": "/n"}})),
    ]);
    let Some(Event::Durable(DurableEvent::PermissionRequested { question })) =
        sim.events.iter().find(|event| event.name() == "permission-requested")
    else {
        panic!("nobody was asked")
    };
    assert_eq!(question.arguments, r#"{"path":"secret.txt"}"#);
    assert_eq!(sim.failure(3), (ErrorKind::InvalidArgs, "path must be string"));
}

#[test]
fn e_46_tools_may_come_and_go_while_a_run_goes_on() {
    let mut sim = begun(vec![call("shout", json!({}))]);
    assert_eq!(sim.failure(1).0, ErrorKind::UnknownTool);
    let mut specs = crate::sim::specs();
    specs.retain(|spec| spec.name != "look");
    specs.push(ToolSpec::new("shout", "Shouts"));
    sim.tools = crate::sim::toolset(specs);
    sim.want(vec![call("shout", json!({})), call("look", json!({}))]);
    assert_eq!(sim.running(), [2]);
    assert_eq!(sim.failure(3).0, ErrorKind::UnknownTool);
}

fn streaming() -> Sim {
    let mut sim = Sim::of(Profile { executes_while_streaming: true, ..Profile::default() });
    sim.start("Go");
    sim
}

#[test]
fn s_17_a_complete_call_starts_before_the_model_has_finished() {
    let mut sim = streaming();
    sim.input(Input::CallReady(named_call("p", "add", json!({"a": 1}))));
    assert_eq!(sim.story(), "run-started step-started call-requested call-started");
    assert_eq!(sim.running(), [1]);
    sim.input(Input::CallReady(call("touch", json!({"path": "x"}))));
    assert_eq!(sim.running(), [1], "what changes the world waits until the model is done");
    sim.ended(1, json!(2));
    assert_eq!(sim.running(), Vec::<u64>::new());
    sim.want(vec![
        named_call("p", "add", json!({"a": 1})),
        call("touch", json!({"path": "x"})),
        call("add", json!({"a": 3})),
    ]);
    assert_eq!(sim.running(), [2]);
    sim.ended(2, json!(0));
    sim.ended(3, json!(4));
    assert_eq!(
        sim.story(),
        "run-started step-started call-requested call-started call-requested call-ended \
         step-ended call-requested call-started call-ended call-started call-ended step-started"
    );
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+3 tool tool tool");
    let calls: Vec<_> =
        sim.request().messages[1].calls().map(|call| (call.id.as_str(), call.index)).collect();
    assert_eq!(calls, [("call_1", 0), ("call_2", 1), ("call_3", 2)]);
}

#[test]
fn without_the_flag_a_complete_call_waits_for_the_end_of_the_step() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.input(Input::CallReady(call("add", json!({"a": 1}))));
    assert_eq!(sim.story(), "run-started step-started");
    sim.want(vec![call("add", json!({"a": 1}))]);
    assert_eq!(sim.running(), [1]);
}

#[test]
fn calls_of_a_step_that_came_to_nothing_are_stopped_and_leave_no_trace_in_the_transcript() {
    let stopped = "The model's step came to nothing; the call was stopped";
    let mut sim = streaming();
    sim.input(Input::CallReady(call("touch", json!({"path": "x"}))));
    sim.model_fails(ModelFailure::passing("cut", "gone"));
    assert_eq!(sim.failure(1), (ErrorKind::Cancelled, stopped));
    assert!(!sim.done.contains(&Done::StopCall("call_1".into())), "it did not run");
    assert_eq!(Sim::roles(&sim.request().messages), "user");
    sim.input(Input::CallReady(call("add", json!({"a": 1}))));
    assert_eq!(sim.running(), [2]);
    // An answer without calls after all.
    sim.say("Never mind.");
    assert_eq!(sim.failure(2), (ErrorKind::Cancelled, stopped));
    assert_eq!(Sim::roles(&sim.finished().transcript), "user assistant");
    assert_eq!(sim.answer(), "Never mind.");
}

#[test]
fn an_early_call_may_be_asked_about_and_inspected() {
    let mut sim =
        Sim::new(Profile { executes_while_streaming: true, ..Profile::default() }, ApproveMode::Ask);
    sim.start("Go");
    sim.input(Input::CallReady(call("read_file", json!({"path": "a"}))));
    sim.input(Input::CallReady(call("read_file", json!({"path": "b"}))));
    sim.decide(2, windlass_core::permission::Decision::Once);
    assert_eq!(sim.running(), [2]);
    sim.cancel("");
    assert!(sim.done.contains(&Done::Withdraw("call_1".into())));
    assert!(sim.done.contains(&Done::StopCall("call_2".into())));
}

#[test]
fn no_call_starts_early_in_the_final_step() {
    let mut sim = streaming();
    sim.deadline(windlass_core::run::Deadline::Work);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.input(Input::CallReady(call("add", json!({"a": 1}))));
    assert_eq!(sim.story(), "run-started step-started step-started");
}

fn piece(index: u32, id: Option<&str>, name: Option<&str>, text: &str) -> ModelDelta {
    ModelDelta::Call(CallDelta {
        index: Some(index),
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        args_text: Some(text.into()),
        ..CallDelta::default()
    })
}

#[test]
fn r_21_two_calls_whose_pieces_come_interleaved_both_run() {
    for executes_while_streaming in [false, true] {
        let mut sim = Sim::of(Profile { executes_while_streaming, ..Profile::default() });
        sim.start("Go");
        let mut assembler = Assembler::new("scripted/test");
        let deltas = [
            piece(0, Some("x"), Some("add"), "{\"a\""),
            piece(1, Some("y"), Some("add"), "{\"a\": 2"),
            piece(0, None, None, ": 1}"),
            piece(1, None, None, "}"),
            ModelDelta::Finish(Finish::Calls),
        ];
        for delta in deltas {
            assembler.push(delta);
            for ready in assembler.take_ready() {
                sim.input(Input::CallReady(ready));
            }
        }
        assert_eq!(sim.running().len(), if executes_while_streaming { 2 } else { 0 });
        sim.input(Input::ModelEnded(assembler.finish()));
        assert_eq!(sim.running(), [1, 2]);
        assert_eq!(sim.args[&CallId::numbered(1)], json!({"a": 1, "b": 1}));
        assert_eq!(sim.args[&CallId::numbered(2)], json!({"a": 2, "b": 1}));
    }
}

#[test]
fn the_requested_event_carries_where_front_ends_file_a_call() {
    use windlass_core::protocol::tool::{Category, Visibility};
    let sim = begun(vec![call("web_search", json!({"query": "q"})), call("nope", json!({}))]);
    let places: Vec<_> = sim
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Durable(DurableEvent::CallRequested { category, visibility, .. }) => {
                Some((*category, *visibility))
            }
            _ => None,
        })
        .collect();
    assert_eq!(places, [(Category::Search, Visibility::Primary), (Category::Other, Visibility::Secondary)]);
}

#[test]
fn a_step_may_have_text_and_calls_and_a_finish_that_lies() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.input(Input::ModelEnded(ModelStep {
        calls: vec![call("look", json!({}))],
        finish: Finish::Stop,
        ..ModelStep::text("Looking.")
    }));
    assert_eq!(sim.running(), [1], "calls present are calls, whatever the finish says");
}
