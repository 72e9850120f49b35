//! Prompt Studio's loop, literally: searches once, six at most, frames of v1.1 (requirements §2, A.3).

use serde_json::{Value, json};
use windlass_core::calls::assemble::Assembler;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, WarningCode};
use windlass_core::protocol::frame;
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::{
    CallDelta, Finish, ModelDelta, ModelFailure, ModelStep, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, RawCall, Risk, ToolFailure, ToolSpec, Visibility,
};
use windlass_core::run::{Deadline, Input};

use crate::sim::{Sim, call};

fn specs() -> Vec<ToolSpec> {
    let search = json!({"type": "object", "properties": {
        "query": {"type": "string"}, "after": {"type": "string"}, "before": {"type": "string"}, "time_hint": {"type": "string"},
    }, "required": ["query"]});
    vec![
        ToolSpec::new("search_web", "Searches")
            .with_schema(search)
            .with_effects(Effects::Read, Risk::Safe)
            .with_place(Category::Search, Visibility::Primary),
        ToolSpec::new("get_current_time", "Tells the time").with_place(Category::Utility, Visibility::Hidden),
        ToolSpec::new("calculate", "Calculates")
            .with_schema(json!({"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}))
            .with_place(Category::Utility, Visibility::Hidden),
        ToolSpec::new("note", "Notes"),
    ]
}

fn studio() -> Sim {
    let mut sim = Sim::of(Profile::studio()).with_tools(specs());
    sim.start("Hi");
    sim
}

fn search(query: &str) -> RawCall {
    call("search_web", json!({"query": query}))
}

fn frames(sim: &Sim) -> Vec<Value> {
    sim.records().iter().filter_map(frame::payload).collect()
}

#[test]
fn s_22_the_same_search_is_done_once_whatever_its_case_and_spaces() {
    let mut sim = studio();
    sim.want(vec![call(
        "search_web",
        json!({"query": "Rust async", "time_hint": "Last Week", "after": "2024-01-01"}),
    )]);
    sim.ended(1, json!(["found"]));
    sim.want(vec![call(
        "search_web",
        json!({"query": "  rust ASYNC ", "time_hint": "last week", "after": "2024-01-01"}),
    )]);
    assert_eq!(sim.ran().len(), 1);
    assert!(sim.outcome(2).meta.is_cached, "the answer is marked");
    assert_eq!(sim.outcome(2).output().unwrap().json, json!(["found"]));
    // Other times are another search.
    sim.want(vec![call(
        "search_web",
        json!({"query": "rust async", "time_hint": "last week", "after": "2024-02-01"}),
    )]);
    assert_eq!(sim.running(), [3]);
    sim.ended(3, json!([]));
    // A fresh answer can be forced: a retry is never blocked.
    sim.want(vec![call(
        "search_web",
        json!({"query": "rust async", "time_hint": "last week", "after": "2024-02-01", "fresh": true}),
    )]);
    assert_eq!(sim.running(), [4]);
}

#[test]
fn case_matters_for_everything_but_searches() {
    let mut sim = studio();
    sim.want(vec![
        call("calculate", json!({"expression": "A"})),
        call("calculate", json!({"expression": "a"})),
    ]);
    assert_eq!(sim.running(), [1, 2]);
}

#[test]
fn s_23_r_28_the_seventh_search_is_refused_with_one_warning_and_repeats_do_not_count() {
    let mut sim = studio();
    sim.want((1..=3).map(|n| search(&format!("q{n}"))).collect());
    for number in 1..=3 {
        sim.ended(number, json!([number]));
    }
    // A repeat is answered from the cache and does not count.
    sim.want(vec![search("Q1"), search("q4"), search("q5"), search("q6")]);
    for number in 5..=7 {
        sim.ended(number, json!([number]));
    }
    assert!(sim.outcome(4).meta.is_cached);
    assert_eq!(
        sim.warnings().iter().filter(|(code, _)| *code == WarningCode::ToolClamp).count(),
        0,
        "six are fine"
    );
    sim.want(vec![search("q7"), search("q8"), call("get_current_time", json!({}))]);
    assert_eq!(sim.running(), [10], "only searches are limited");
    for number in 8..=9 {
        assert_eq!(sim.failure(number), (ErrorKind::LimitExceeded, "Search trimmed by clamp (6)"));
        assert_eq!(sim.content(number), r#"{"success":false,"error":"Search trimmed by clamp (6)"}"#);
    }
    let clamps: Vec<_> = frames(&sim).into_iter().filter(|frame| frame["code"] == "TOOL_CLAMP").collect();
    let [clamp] = &clamps[..] else { panic!("exactly one warning: {clamps:?}") };
    assert_eq!((&clamp["type"], &clamp["message"]), (&json!("warning"), &json!("Trimmed tool calls to 6")));
}

#[test]
fn s_21_category_and_visibility_are_on_both_tool_frames() {
    let mut sim = studio();
    sim.want(vec![search("q"), call("calculate", json!({"expression": "1"})), call("note", json!({}))]);
    for number in 1..=3 {
        sim.ended(number, json!(number));
    }
    for kind in ["tool_executing", "tool_result"] {
        let places: Vec<_> = frames(&sim)
            .into_iter()
            .filter(|frame| frame["type"] == kind)
            .map(|frame| format!("{} {} {}", frame["name"], frame["category"], frame["visibility"]))
            .collect();
        assert_eq!(
            places,
            [
                r#""search_web" "search" "primary""#,
                r#""calculate" "utility" "hidden""#,
                r#""note" "other" "secondary""#,
            ],
            "{kind}"
        );
    }
}

#[test]
fn the_frames_of_one_search_come_in_the_order_of_the_contract() {
    let mut sim = studio();
    sim.want(vec![search("q")]);
    sim.ended(1, json!({"results": []}));
    sim.say("Nothing.");
    let kinds: Vec<_> = frames(&sim).iter().map(|frame| frame["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["run_started", "tool_calls", "tool_executing", "tool_result", "done"]);
    assert_eq!(frames(&sim)[3]["result"], json!({"success": true, "result": {"results": []}}));
}

#[test]
fn failures_are_told_in_the_documented_words() {
    let mut sim = studio();
    sim.want(vec![call("nope", json!({})), call("search_web", json!({})), search("q")]);
    assert_eq!(sim.ran(), [("call_3", 7_500)]);
    sim.failed(3, ToolFailure::new(ErrorKind::Timeout, "Tool 'search_web' timed out after 7.5 seconds"));
    let errors: Vec<_> =
        (1..=3).map(|number| sim.content_json(number)["error"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        errors,
        [
            "Unknown tool: nope. Available tools: calculate, get_current_time, note, search_web",
            "Invalid arguments for 'search_web': Missing required arg 'query'",
            "Tool 'search_web' timed out after 7.5 seconds",
        ]
    );
    assert_eq!(sim.request().purpose, StepPurpose::Work);
}

#[test]
fn a_call_stopped_by_the_clock_of_the_run_does_not_blame_its_own_limit() {
    let mut sim = studio();
    sim.want(vec![search("q")]);
    sim.deadline(Deadline::Work);
    assert_eq!(sim.content_json(1)["error"], "The run is out of time; the call was stopped");
}

#[test]
fn at_the_cap_there_is_a_warning_and_a_final_answer() {
    let mut sim = studio();
    for number in 1..=5 {
        sim.want(vec![call("calculate", json!({"expression": number.to_string()}))]);
        sim.ended(number, json!(number));
    }
    assert_eq!(sim.warnings(), [(WarningCode::MaxSteps, "Reached maximum tool call iterations (5)")]);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.say("15");
    assert_eq!(sim.answer(), "15");
}

#[test]
fn s_31_s_32_r_29_the_trace_has_every_call_every_thought_times_and_durations() {
    let mut sim = studio();
    let thought = |text: &str| Part::Reasoning(Reasoning { text: text.into(), ..Reasoning::default() });
    let step = |parts, calls| Input::ModelEnded(ModelStep { parts, ..ModelStep::calls(calls) });
    sim.input(step(vec![thought("first")], vec![search("q")]));
    let outcome = windlass_core::protocol::tool::ToolOutcome::ok(
        windlass_core::protocol::tool::ToolOutput::json(json!([1])),
    );
    sim.ended_with(1, outcome.timed(1_000, 1_250));
    sim.input(step(vec![thought("second")], vec![call("calculate", json!({"expression": "1"}))]));
    sim.failed(2, ToolFailure::internal("broke"));
    sim.input(Input::ModelEnded(ModelStep {
        parts: vec![thought("third"), Part::text("Done.")],
        ..ModelStep::text("")
    }));
    let trace = windlass_core::protocol::trace::RunTrace::fold(&sim.records());
    let thoughts: Vec<_> =
        trace.reasoning.iter().map(|block| (block.id.as_str(), block.content.as_str())).collect();
    assert_eq!(thoughts, [("reasoning_0", "first"), ("reasoning_1", "second"), ("reasoning_2", "third")]);
    let saved = serde_json::to_value(&trace).unwrap();
    let tools: Vec<_> = saved["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            json!([tool["id"], tool["status"], tool["startedAt"], tool["endedAt"], tool["durationMs"]])
        })
        .collect();
    assert_eq!(
        tools,
        [
            json!(["call_1", "completed", "1970-01-01T00:00:05.000Z", "1970-01-01T00:00:06.000Z", 250]),
            json!(["call_2", "failed", "1970-01-01T00:00:10.000Z", "1970-01-01T00:00:11.000Z", 0]),
        ]
    );
    assert_eq!(saved["startedAt"], "1970-01-01T00:00:01.000Z");
    assert_eq!(saved["totalDurationMs"], (sim.events.len() as u64 - 1) * 1_000);
    assert_eq!(
        serde_json::from_value::<windlass_core::protocol::trace::RunTrace>(saved).unwrap(),
        trace,
        "a snapshot loses nothing"
    );
    assert!(matches!(sim.events.last(), Some(Event::Durable(DurableEvent::RunEnded { .. }))));
}

/// S-14, S-15: what a request says, what an answer means, which calls run, the last word and trying again are
/// all decided here, by functions that do nothing else.
#[test]
fn s_15_the_five_decisions_of_a_step_are_pure() {
    let mut profile = Profile::studio();
    profile.limits.steps_max = 1;
    let mut sim = Sim::of(profile).with_tools(specs());
    sim.start("Hi");
    // The request of a step, from the conversation alone.
    let first = sim.request().clone();
    assert_eq!((first.step, first.purpose, &first.tool_choice), (1, StepPurpose::Work, &ToolChoice::Auto));
    assert_eq!((first.messages.len(), first.tools.len()), (1, 4));
    // Whether it is asked for again.
    sim.model_fails(ModelFailure::passing("overloaded", "Too much."));
    assert_eq!(sim.request().messages, first.messages, "the same request once more");
    // What an answer means, from its pieces alone.
    let mut answer = Assembler::new("m");
    let name = Some("search_web".to_owned());
    answer.push(ModelDelta::Call(CallDelta {
        index: Some(0),
        id: Some("x".into()),
        name,
        ..CallDelta::default()
    }));
    for piece in ["{\"query\":", "\"q\"}"] {
        let args_text = Some(piece.to_owned());
        answer.push(ModelDelta::Call(CallDelta { index: Some(0), args_text, ..CallDelta::default() }));
    }
    answer.push(ModelDelta::Finish(Finish::Calls));
    // Which calls run.
    sim.input(Input::ModelEnded(answer.finish()));
    assert_eq!(sim.running(), [1]);
    sim.ended(1, json!(["found"]));
    // The last word, without tools.
    let last = sim.request();
    assert_eq!((last.purpose, &last.tool_choice), (StepPurpose::Finalise, &ToolChoice::Forbidden));
    sim.say("Enough.");
    assert_eq!(sim.answer(), "Enough.");
}
