//! From the user's message to the answer: the order of things, the transcript, identities.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Reasoning, Transcript};
use windlass_core::protocol::model::{
    Finish, ModelFailure, ModelStep, Notice, NoticeKind, Sampling, StepPurpose, ToolChoice, Usage,
};
use windlass_core::protocol::tool::{RawCall, ToolCall, ToolOutcome, ToolOutput};
use windlass_core::run::{Deadline, Input, Start};

use crate::sim::{Done, Sim, call, named_call, text_call};

#[test]
fn a_message_without_calls_is_one_step() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    assert_eq!(sim.story(), "run-started step-started");
    let work = Done::Timer { deadline: Deadline::Work, at_ms: 1_001 + 600_000 - 30_000 };
    assert_eq!(sim.done, [work, Done::CallModel { delay_ms: 0, is_exact: false }]);
    let started = Event::Durable(DurableEvent::RunStarted {
        model: "scripted/test".into(),
        profile: "default".into(),
        message: Message::user("Hi").into(),
        wishes: Default::default(),
    });
    assert_eq!(sim.events[0], started);
    assert_eq!(
        sim.events[1],
        Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt: 1 })
    );
    assert!(!sim.run.is_ended());

    sim.say("Hello.");
    assert_eq!(sim.story(), "run-started step-started step-ended run-ended");
    let ended = Event::Durable(DurableEvent::StepEnded {
        step: 1,
        message: Message::assistant("Hello.").into(),
        finish: Finish::Stop,
        usage: None,
    });
    assert_eq!(sim.events[2], ended);
    assert_eq!(sim.done.last(), Some(&Done::Finish));
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Completed, &StopReason::Answered));
    assert_eq!((finished.answer.as_str(), &finished.error), ("Hello.", &None));
    assert_eq!(Sim::roles(&finished.transcript), "user assistant");
    assert_eq!(finished.next_call_number, 1);
}

#[test]
fn the_request_carries_everything_the_model_needs_and_the_wishes_of_the_user() {
    let mut sim = Sim::of(Profile::default());
    let mut send = MessageSend::text("run_9".into(), "message_9".into(), "Hi");
    send.wishes.tool_choice = Some(ToolChoice::Required);
    send.wishes.sampling = Sampling { seed: Some(7), ..Sampling::default() };
    send.wishes.context = Some("The page says 4.".into());
    sim.send(send, Transcript::default(), 1);
    assert_eq!(sim.story(), "run-started note-added step-started");
    assert_eq!(
        sim.events[1],
        Event::Durable(DurableEvent::NoteAdded { text: "Context: The page says 4.".into() })
    );
    let request = sim.request();
    assert_eq!((request.run_id.as_str(), request.step, request.purpose), ("run_9", 1, StepPurpose::Work));
    // Beside what the user says, one line about what calls can do.
    assert!(request.system.starts_with("Be good.\n\nAbout calls: "), "{}", request.system);
    assert_eq!(Sim::roles(&request.messages), "user note");
    assert_eq!(request.messages[1].text(), "Context: The page says 4.");
    assert_eq!(request.trailer, Vec::<String>::new());
    let names: Vec<_> = request.tools.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["add", "launch", "look", "read_file", "touch", "web_search", "write_file"]);
    assert_eq!(request.tool_choice, ToolChoice::Required);
    assert_eq!(request.sampling.seed, Some(7));
}

#[test]
fn r_23_search_then_read_then_answer_over_several_steps() {
    let mut sim = Sim::of(Profile::default());
    sim.start("What does it say?");
    sim.want(vec![call("web_search", json!({"query": "windlass"}))]);
    sim.ended(1, json!([{"title": "A"}]));
    sim.want(vec![call("read_file", json!({"path": "a.txt"}))]);
    sim.ended(2, json!("haul"));
    sim.say("It says haul.");
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-started call-ended \
         step-started step-ended call-requested call-started call-ended \
         step-started step-ended run-ended"
    );
    assert_eq!(sim.requests.len(), 3);
    assert_eq!(Sim::roles(&sim.requests[1].messages), "user assistant+1 tool");
    assert_eq!(Sim::roles(&sim.requests[2].messages), "user assistant+1 tool assistant+1 tool");
    assert_eq!(sim.requests[2].messages[4].text(), r#"{"ok":true,"output":"haul"}"#);
    assert_eq!(Sim::roles(&sim.finished().transcript), "user assistant+1 tool assistant+1 tool assistant");
    assert_eq!(sim.requests.iter().map(|request| request.step).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn r_26_text_before_a_call_stays_in_the_assistant_message() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    let thought = Part::Reasoning(Reasoning { text: "hm".into(), ..Reasoning::default() });
    sim.input(Input::ModelEnded(ModelStep {
        parts: vec![thought.clone(), Part::text("I will look.")],
        calls: vec![RawCall { after_parts: 2, ..call("look", json!({})) }],
        usage: None,
        finish: Finish::Calls,
    }));
    sim.ended(1, json!(1));
    let message = &sim.request().messages[1];
    assert_eq!(message.text(), "I will look.");
    let Message::Assistant { parts } = message.as_ref() else { panic!("no assistant message") };
    let own = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "look".into(),
        arguments: "{}".into(),
        state: None,
    };
    assert_eq!(*parts, [thought, Part::text("I will look."), Part::Call(own)]);
}

#[test]
fn s_32_each_batch_of_calls_begins_a_new_phase_of_reasoning() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    assert_eq!(sim.run.reasoning_phase(), 0);
    sim.want(vec![call("add", json!({"a": 1})), call("add", json!({"a": 2}))]);
    sim.ended(1, json!(1));
    assert_eq!(sim.run.reasoning_phase(), 0, "one call of the batch still runs");
    sim.ended(2, json!(1));
    assert_eq!(sim.run.reasoning_phase(), 1);
    sim.want(vec![call("look", json!({}))]);
    sim.deadline(Deadline::Work);
    assert_eq!(sim.run.reasoning_phase(), 2, "also when the calls were stopped");
}

#[test]
fn r_54_call_ids_are_unique_across_steps_and_runs() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("Hi", Transcript::default(), 7);
    sim.want(vec![call("add", json!({"a": 1})), call("add", json!({"a": 2}))]);
    assert_eq!(sim.running(), [7, 8]);
    sim.ended(8, json!(2));
    sim.ended(7, json!(1));
    sim.want(vec![call("add", json!({"a": 3}))]);
    assert_eq!(sim.running(), [9]);
    sim.ended(9, json!(3));
    sim.say("6");
    let finished = sim.finished();
    assert_eq!(finished.next_call_number, 10);
    let calls: Vec<_> = finished.transcript.iter().flat_map(|message| message.calls().cloned()).collect();
    let places: Vec<_> = calls.iter().map(|call| (call.id.as_str(), call.step, call.index)).collect();
    assert_eq!(places, [("call_7", 1, 0), ("call_8", 1, 1), ("call_9", 2, 0)]);
}

#[test]
fn r_36_a_provider_id_that_came_before_is_not_used_again() {
    let mut history = Sim::of(Profile::default());
    history.start("Hi");
    history.want(vec![named_call("old", "add", json!({"a": 1}))]);
    history.ended(1, json!(1));
    history.say("1");
    let earlier = history.finished().clone();

    let mut sim = Sim::of(Profile::default());
    sim.start_from("And?", earlier.transcript, earlier.next_call_number);
    sim.want(vec![
        named_call("dup", "add", json!({"a": 2})),
        named_call("dup", "add", json!({"a": 3})),
        named_call("old", "add", json!({"a": 4})),
        named_call("", "add", json!({"a": 5})),
    ]);
    for number in 2..=5 {
        sim.ended(number, json!(number));
    }
    sim.want(vec![named_call("dup", "add", json!({"a": 6})), named_call("new", "add", json!({"a": 7}))]);
    sim.ended(6, json!(6));
    sim.ended(7, json!(7));
    sim.say("Done");
    let calls: Vec<_> = sim.finished().transcript.iter().flat_map(|m| m.calls().cloned()).collect();
    let ids: Vec<_> = calls.iter().map(|call| call.provider_id.as_deref()).collect();
    assert_eq!(ids, [Some("old"), Some("dup"), None, None, None, None, Some("new")]);
    // Every one of them ran, and its outcome is its own.
    let contents: Vec<_> = (2..=7).map(|number| sim.content_json(number)["output"].clone()).collect();
    assert_eq!(contents, [json!(2), json!(3), json!(4), json!(5), json!(6), json!(7)]);
}

#[test]
fn z_23_z_24_arguments_come_as_an_object_or_as_text_and_ids_are_given_where_none_came() {
    let mut sim = Sim::of(Profile::zodo());
    sim.start("Hi");
    sim.want(vec![call("add", json!({"a": 1, "b": 2})), text_call("add", r#"{"a": 3, "b": 4}"#)]);
    assert_eq!(sim.args[&CallId::numbered(1)], json!({"a": 1, "b": 2}));
    assert_eq!(sim.args[&CallId::numbered(2)], json!({"a": 3, "b": 4}));
    let arguments: Vec<_> = sim.run.transcript()[1].calls().map(|call| call.arguments.clone()).collect();
    assert_eq!(
        arguments,
        [r#"{"a":1,"b":2}"#, r#"{"a": 3, "b": 4}"#],
        "text stays text, objects become text"
    );
    let ids: Vec<_> = sim.run.transcript()[1].calls().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["call_1", "call_2"]);
}

#[test]
fn r_53_numbers_booleans_objects_and_arrays_reach_the_tool_as_they_were() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "yes": {"type": "boolean"}, "inner": {"type": "object"}, "list": {"type": "array"},
    }});
    let spec = windlass_core::protocol::tool::ToolSpec::new("edit", "Edits").with_schema(schema);
    let args = json!({"n": 9_007_199_254_740_993_i64, "yes": false, "inner": {"a": [1, {"b": null}]}, "list": [1.5, "x", []]});
    for given in [call("edit", args.clone()), text_call("edit", &args.to_string())] {
        let mut sim = Sim::of(Profile::default()).with_tools(vec![spec.clone()]);
        sim.start("Hi");
        sim.want(vec![given]);
        assert_eq!(sim.args[&CallId::numbered(1)], args);
    }
}

#[test]
fn r_22_a_call_with_empty_arguments_runs_with_an_empty_object() {
    for args in ["", "  ", "{}", "null"] {
        let mut sim = Sim::of(Profile::default());
        sim.start("Hi");
        sim.want(vec![text_call("look", args)]);
        assert_eq!(sim.args.get(&CallId::numbered(1)), Some(&json!({})), "{args:?}");
    }
}

#[test]
fn r_60_a_new_message_resets_both_counters() {
    let mut profile = Profile::default();
    profile.limits.steps_max = 2;
    profile.limits.calls_per_run_max = 2;
    let mut transcript = Transcript::default();
    let mut number = 1;
    for _ in 0..2 {
        let mut sim = Sim::of(profile.clone());
        sim.start_from("Again", transcript, number);
        sim.want(vec![call("add", json!({"a": 1}))]);
        sim.ended(number, json!(1));
        sim.want(vec![call("add", json!({"a": 2}))]);
        assert_eq!(sim.running(), [number + 1], "the second call of each run still runs");
        sim.ended(number + 1, json!(2));
        assert_eq!(sim.request().purpose, StepPurpose::Finalise, "the second step was the last");
        sim.say("Done");
        transcript = sim.finished().transcript.clone();
        number = sim.finished().next_call_number;
    }
}

#[test]
fn r_60_counters_survive_the_wait_for_a_permission() {
    let mut profile = Profile::default();
    profile.limits.steps_max = 2;
    profile.limits.calls_per_run_max = 2;
    let mut sim = Sim::new(profile, ApproveMode::Ask);
    sim.start("Read");
    sim.want(vec![call("read_file", json!({"path": "a"})), call("read_file", json!({"path": "b"}))]);
    sim.decide(1, Decision::Once);
    sim.decide(2, Decision::Once);
    sim.ended(1, json!("A"));
    sim.ended(2, json!("B"));
    sim.want(vec![call("read_file", json!({"path": "c"}))]);
    assert_eq!(sim.failure(3).1, "Reached the limit of 2 calls in one run");
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
}

#[test]
fn usage_is_added_up_over_steps() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    let usage = Usage { input: 10, output: 3, cached: 4, reasoning: 1, cost_usd: Some(0.5) };
    sim.input(Input::ModelEnded(ModelStep {
        usage: Some(usage),
        ..ModelStep::calls(vec![call("look", json!({}))])
    }));
    assert!(
        matches!(&sim.events[2], Event::Durable(DurableEvent::StepEnded { usage: Some(seen), finish: Finish::Calls, .. }) if *seen == usage)
    );
    sim.ended(1, json!(1));
    sim.input(Input::ModelEnded(ModelStep { usage: Some(usage), ..ModelStep::text("Hello") }));
    let total = Usage { input: 20, output: 6, cached: 8, reasoning: 2, cost_usd: Some(1.0) };
    assert_eq!(sim.finished().usage, total);
    let Some(Event::Durable(DurableEvent::RunEnded { usage, answer, .. })) = sim.events.last() else {
        panic!("no end")
    };
    assert_eq!((*usage, answer.as_str()), (total, "Hello"));
}

/// Every input that nobody waits for.
fn stray_inputs() -> Vec<Input> {
    let call_id = CallId::numbered(99);
    let answer = PermissionAnswer::new(Decision::Once);
    vec![
        Input::CallEnded { call_id: call_id.clone(), outcome: ToolOutcome::ok(ToolOutput::text("x")) },
        Input::CallInspected { call_id: call_id.clone(), result: Ok(Default::default()) },
        Input::PermissionAnswered { call_id, answer },
        Input::DeadlinePassed(Deadline::Final),
    ]
}

fn user_message() -> Input {
    let send = MessageSend::text("run_2".into(), "message_2".into(), "Again");
    Input::UserMessage(Box::new(Start { send, transcript: Arc::default(), next_call_number: 1, outer: None }))
}

fn ignores(sim: &mut Sim, inputs: Vec<Input>) {
    let before = (sim.events.len(), sim.done.len(), sim.is_thinking);
    for input in inputs {
        let text = format!("{input:?}");
        sim.input(input);
        assert_eq!((sim.events.len(), sim.done.len(), sim.is_thinking), before, "{text}");
    }
}

#[test]
fn inputs_that_nobody_waits_for_change_nothing() {
    let speech = || {
        vec![
            Input::ModelEnded(ModelStep::text("x")),
            Input::ModelFailed { failure: ModelFailure::fatal("auth", "no"), partial: Vec::new() },
            Input::ModelNoticed(Notice { kind: NoticeKind::Emulated, rule: "r".into(), message: "m".into() }),
            Input::CallReady(call("look", json!({}))),
        ]
    };
    let stops = || {
        vec![
            Input::DeadlinePassed(Deadline::Work),
            Input::Cancel { partial: "x".into() },
            Input::JournalFailed { message: "x".into() },
        ]
    };
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    ignores(&mut sim, stray_inputs().into_iter().chain(speech()).chain(stops()).collect());
    sim.start("Hi");
    ignores(&mut sim, stray_inputs());
    ignores(&mut sim, vec![user_message()]);
    sim.want(vec![call("read_file", json!({"path": "a"})), call("look", json!({}))]);
    ignores(&mut sim, stray_inputs().into_iter().chain(speech()).chain([user_message()]).collect());
    // Outcomes of a call that waits for the user, and answers about one that runs.
    let early = ToolOutcome::ok(ToolOutput::text("x"));
    let answer = PermissionAnswer::new(Decision::Deny);
    sim.input(Input::CallEnded { call_id: CallId::numbered(1), outcome: early });
    sim.input(Input::CallInspected { call_id: CallId::numbered(2), result: Ok(Default::default()) });
    sim.input(Input::PermissionAnswered { call_id: CallId::numbered(2), answer });
    assert!(!sim.story().contains("call-ended") && !sim.story().contains("permission-decided"));
    sim.ended(2, json!(1));
    sim.decide(1, Decision::Once);
    sim.ended(1, json!(1));
    sim.say("Done");
    ignores(
        &mut sim,
        stray_inputs().into_iter().chain(speech()).chain(stops()).chain([user_message()]).collect(),
    );
}

#[test]
fn r_56_the_beginning_of_a_request_is_the_same_in_every_step() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    for number in 1..=10 {
        sim.want(vec![call("add", json!({"a": number}))]);
        sim.ended(number, json!(number));
    }
    sim.say("Done");
    assert_eq!(sim.requests.len(), 11);
    for pair in sim.requests.windows(2) {
        let [earlier, later] = pair else { panic!("pairs") };
        assert_eq!(earlier.system, later.system);
        assert_eq!(earlier.tools, later.tools, "also in the final step");
        let prefix = &later.messages[..earlier.messages.len()];
        assert_eq!(prefix, &earlier.messages[..]);
    }
}

#[test]
fn a_history_beyond_the_budget_is_shown_from_a_later_message_on() {
    let mut profile = Profile::default();
    profile.limits.history_tokens_max = 100;
    let history: Vec<Arc<Message>> = (0..10)
        .flat_map(|_| [Arc::new(Message::user("q".repeat(40))), Arc::new(Message::assistant("a".repeat(40)))])
        .collect();
    let mut sim = Sim::of(profile);
    sim.start_from("And now?", Arc::new(history.clone()), 1);
    let shown = &sim.request().messages;
    // 20 messages of 14 tokens and this one of 6 against 100, aimed at 70.
    let note = shown[0].text();
    assert!(
        note.starts_with("16 earlier messages were left out to fit the context. In short:\n- user: qqq"),
        "{note}"
    );
    let told = "left out 8 earlier exchanges (16 messages), about 224 tokens, to fit the context";
    assert_eq!(sim.adjustments(), [(NoticeKind::Trimmed, "history_budget", told)]);
    assert_eq!(Sim::roles(shown), "note user assistant user assistant user");
    assert_eq!(sim.run.transcript().len(), 21, "the transcript itself is whole");
}
