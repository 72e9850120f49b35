//! Limits: exactly at them nothing happens, one above them the run is brought to its answer.

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::command::{MessageSend, RunWishes};
use windlass_core::protocol::event::{RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::message::Transcript;
use windlass_core::protocol::model::{Finish, ModelFailure, ModelStep, StepPurpose, ToolChoice, Usage};
use windlass_core::protocol::tool::{ErrorKind, RawCall};
use windlass_core::run::{Deadline, Input};

use crate::sim::{Done, Sim, call, named_call};

fn profile(change: impl Fn(&mut windlass_core::limits::Limits)) -> Profile {
    let mut profile = Profile::default();
    change(&mut profile.limits);
    profile
}

/// A run at its step limit of two: the model is asked for its last word.
fn at_cap() -> Sim {
    let mut sim = Sim::of(profile(|limits| limits.steps_max = 2));
    sim.start("Add");
    sim.want(vec![named_call("p1", "add", json!({"a": 1}))]);
    sim.ended(1, json!(1));
    sim.want(vec![named_call("p2", "add", json!({"a": 2}))]);
    sim.ended(2, json!(2));
    sim
}

const LAST_WORD: &str = "No more tools can be used in this run. Answer the user now from what the calls above gave; \
     say what is still open. Do not say that you have no access: the outcomes above are real.";

#[test]
fn at_the_step_limit_there_is_one_last_step_without_tools() {
    let mut sim = at_cap();
    assert_eq!(sim.warnings(), [(WarningCode::MaxSteps, "Reached the limit of 2 steps")]);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(sim.request().step, 3);
    let timer = Done::Timer { deadline: Deadline::Final, at_ms: sim.now + 30_000 };
    assert_eq!(sim.done[sim.done.len() - 2..], [timer, Done::CallModel { delay_ms: 0, is_exact: false }]);
    sim.say("Three.");
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-started call-ended \
         step-started step-ended call-requested call-started call-ended \
         warning-raised step-started step-ended run-ended"
    );
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::StepsMax));
    assert_eq!((finished.answer.as_str(), &finished.error), ("Three.", &None));
}

#[test]
fn an_answer_in_the_last_step_of_the_limit_is_an_ordinary_answer() {
    let mut sim = Sim::of(profile(|limits| limits.steps_max = 2));
    sim.start("Add");
    sim.want(vec![call("add", json!({"a": 1}))]);
    sim.ended(1, json!(1));
    sim.say("One.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
    assert_eq!(sim.warnings(), []);
}

#[test]
fn s_19_s_20_the_final_request_has_every_outcome_forbids_tools_and_adds_no_user_message() {
    let sim = at_cap();
    let request = sim.request();
    assert_eq!(request.tool_choice, ToolChoice::Forbidden);
    assert_eq!(Sim::roles(&request.messages), "user assistant+1 tool assistant+1 tool");
    let ids = request.messages.iter().filter_map(|message| match message.as_ref() {
        windlass_core::protocol::message::Message::Tool(tool) => tool.provider_id.as_deref(),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["p1", "p2"], "the provider's ids, as it gave them");
    assert_eq!(request.trailer, [format!("The limit of 2 steps was reached. {LAST_WORD}")]);
    assert_eq!(request.tools.len(), 7, "tools stay in the request, so that its beginning stays the same");
}

#[test]
fn r_27_calls_of_the_final_step_are_refused_each_with_its_outcome() {
    let mut sim = at_cap();
    sim.input(Input::ModelEnded(ModelStep {
        calls: vec![call("add", json!({"a": 3})), call("nope", json!({}))],
        ..ModelStep::text("About three.")
    }));
    let finalised =
        (WarningCode::FinalizeRefusedCall, "The model asked for calls in its final step; none was run");
    assert_eq!(sim.warnings()[1..], [finalised]);
    assert!(sim.story().ends_with(
        "step-started warning-raised step-ended call-requested call-ended call-requested call-ended run-ended"
    ));
    for number in [3, 4] {
        assert_eq!(sim.failure(number), (ErrorKind::LimitExceeded, "No tools can be used in the final step"));
        assert_eq!(sim.outcome(number).failure().unwrap().hint.as_deref(), Some("answer now"));
    }
    assert_eq!(sim.ran().len(), 2, "none of them ran");
    assert_eq!(sim.answer(), "About three.");
    assert_eq!(
        Sim::roles(&sim.finished().transcript),
        "user assistant+1 tool assistant+1 tool assistant+2 tool tool"
    );
}

#[test]
fn s_36_a_final_step_without_words_still_ends_with_an_answer() {
    const WORDS: &str = "Stopped before an answer: the limit of 2 steps was reached. \
         2 of 2 calls worked; their outcomes are in the trace.";
    let mut silent = at_cap();
    silent.say("  ");
    let mut fatal = at_cap();
    fatal.model_fails(ModelFailure::fatal("auth", "no key"));
    let mut late = at_cap();
    late.deadline(Deadline::Final);
    assert_eq!(late.done[late.done.len() - 2..], [Done::StopModel, Done::Finish]);
    for sim in [&silent, &fatal, &late] {
        assert_eq!(sim.answer(), WORDS);
        assert_eq!(sim.finished().outcome, RunOutcome::LimitReached);
        assert_eq!(sim.finished().reason, StopReason::StepsMax);
        assert!(sim.story().ends_with("text-delta step-ended run-ended"), "{}", sim.story());
        assert_eq!(sim.finished().transcript.last().unwrap().text(), WORDS);
        assert_eq!(sim.errors(), []);
    }
    let last = silent.events.iter().rev().nth(1).unwrap();
    assert!(
        matches!(last, windlass_core::protocol::event::Event::Durable(windlass_core::protocol::event::DurableEvent::StepEnded { finish: Finish::Other(why), .. }) if why == "runtime")
    );

    let mut refused = at_cap();
    refused.want(vec![call("add", json!({"a": 3}))]);
    assert_eq!(
        refused.answer(),
        "Stopped before an answer: the limit of 2 steps was reached. 2 of 3 calls worked; their outcomes are in the trace."
    );
}

#[test]
fn a_passing_failure_of_the_final_step_is_tried_again() {
    let mut sim = at_cap();
    sim.model_fails(ModelFailure::passing("overloaded", "later"));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.say("Three.");
    assert_eq!(sim.answer(), "Three.");
}

#[test]
fn a_work_deadline_does_not_disturb_the_final_step() {
    let mut sim = at_cap();
    let before = sim.done.len();
    sim.deadline(Deadline::Work);
    assert_eq!((sim.done.len(), sim.finished.is_none()), (before, true));
    sim.say("Three.");
    assert_eq!(sim.answer(), "Three.");
}

fn additions(count: u64, from: u64) -> Vec<RawCall> {
    (from..from + count).map(|a| call("add", json!({"a": a}))).collect()
}

fn end_all(sim: &mut Sim) {
    while let Some(number) = sim.running().first().copied() {
        sim.ended(number, json!(number));
    }
}

#[test]
fn r_46_of_16_calls_in_a_step_15_run_and_one_is_told_of_the_limit() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(additions(15, 0));
    end_all(&mut sim);
    assert_eq!((sim.ran().len(), sim.warnings().len()), (15, 0), "15 are fine");
    sim.want(additions(16, 100));
    end_all(&mut sim);
    assert_eq!(sim.ran().len(), 30);
    let message = "At most 15 calls run in one step; this one did not";
    assert_eq!(sim.failure(31), (ErrorKind::LimitExceeded, message));
    assert_eq!(sim.outcome(31).failure().unwrap().hint.as_deref(), Some("send fewer calls in one step"));
    assert_eq!(sim.warnings(), [(WarningCode::MaxCalls, message)]);
    assert_eq!(sim.request().purpose, StepPurpose::Work, "the run goes on");
    assert_eq!(Sim::roles(&sim.request().messages).matches("tool").count(), 31, "each has its message");
}

#[test]
fn the_calls_of_a_run_are_limited_and_refused_ones_do_not_count() {
    let mut sim = Sim::of(profile(|limits| {
        limits.calls_per_run_max = 3;
        limits.calls_per_step_max = 2;
    }));
    sim.start("Add");
    // The third is over the limit of the step and does not count for the run.
    sim.want(additions(3, 0));
    end_all(&mut sim);
    sim.want(additions(1, 10));
    assert_eq!(sim.running(), [4], "the third that counts still runs");
    end_all(&mut sim);
    assert_eq!(sim.request().purpose, StepPurpose::Work);
    sim.want(additions(1, 20));
    assert_eq!(sim.failure(5), (ErrorKind::LimitExceeded, "Reached the limit of 3 calls in one run"));
    assert_eq!(sim.outcome(5).failure().unwrap().hint.as_deref(), Some("answer now"));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(sim.request().trailer, [format!("The limit of 3 calls was reached. {LAST_WORD}")]);
    sim.say("Done");
    assert_eq!(sim.finished().reason, StopReason::CallsMax);
}

#[test]
fn the_warning_of_the_call_limit_of_a_run_is_raised_once() {
    let mut sim = Sim::of(profile(|limits| limits.calls_per_run_max = 1));
    sim.start("Add");
    sim.want(additions(3, 0));
    end_all(&mut sim);
    assert_eq!(sim.warnings(), [(WarningCode::MaxCalls, "Reached the limit of 1 calls in one run")]);
}

#[test]
fn of_a_flood_of_calls_the_first_256_are_read() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(additions(256, 0));
    assert_eq!(sim.run.transcript()[1].calls().count(), 256);
    assert_eq!(
        sim.warnings(),
        [(WarningCode::MaxCalls, "At most 15 calls run in one step; this one did not")]
    );

    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(additions(258, 0));
    assert_eq!(sim.run.transcript()[1].calls().count(), 256);
    let message = "The model asked for 2 calls too many in one step; they were left out";
    assert_eq!(sim.warnings(), [(WarningCode::MaxCalls, message)]);
}

fn with_usage(total: u64) -> Input {
    Input::ModelEnded(ModelStep {
        usage: Some(Usage { input: total - 1, output: 1, ..Usage::default() }),
        ..ModelStep::calls(vec![call("look", json!({}))])
    })
}

#[test]
fn a_token_budget_keeps_its_reserve_for_the_answer() {
    let limited = || {
        Sim::of(profile(|limits| {
            limits.tokens_max = Some(2_100);
            limits.final_reserve_tokens = 2_000;
        }))
    };
    let mut sim = limited();
    sim.start("Look");
    sim.input(with_usage(100));
    sim.ended(1, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Work, "exactly at the budget");

    let mut sim = limited();
    sim.start("Look");
    sim.input(with_usage(101));
    assert_eq!(sim.running(), [1], "the calls of the step still run");
    sim.ended(1, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(sim.request().trailer, [format!("The token budget is used up. {LAST_WORD}")]);
    sim.say("Done");
    assert_eq!(sim.finished().reason, StopReason::TokensMax);
}

#[test]
fn without_a_token_budget_tokens_do_not_matter() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Look");
    sim.input(with_usage(u64::MAX));
    sim.ended(1, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Work);
}

/// A step with a call of its own, and what it cost.
fn with_cost(a: u64, cost_usd: Option<f64>) -> Input {
    Input::ModelEnded(ModelStep {
        usage: Some(Usage { input: 10, output: 1, cost_usd, ..Usage::default() }),
        ..ModelStep::calls(additions(1, a))
    })
}

#[test]
fn a_budget_of_money_keeps_what_the_last_step_cost_for_the_answer() {
    let limited = || Sim::of(profile(|limits| limits.cost_usd_max = Some(0.5)));
    let mut sim = limited();
    sim.start("Look");
    sim.input(with_cost(1, Some(0.25)));
    sim.ended(1, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Work, "exactly at the budget");
    sim.say("Done");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);

    let mut sim = limited();
    sim.start("Look");
    sim.input(with_cost(2, Some(0.125)));
    sim.ended(1, json!(1));
    sim.input(with_cost(3, Some(0.25)));
    assert_eq!(sim.running(), [2], "the calls of the step still run");
    sim.ended(2, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(sim.request().trailer, [format!("The budget of 0.5 US dollars is used up. {LAST_WORD}")]);
    sim.input(Input::ModelEnded(ModelStep {
        usage: Some(Usage { input: 10, output: 1, cost_usd: Some(0.125), ..Usage::default() }),
        ..ModelStep::text("Done")
    }));
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::CostMax));
    assert_eq!((finished.answer.as_str(), finished.usage.cost_usd), ("Done", Some(0.5)));
    assert_eq!(sim.warnings(), []);
}

#[test]
fn a_step_of_unknown_cost_is_told_of_once_and_stops_nothing() {
    let mut sim = Sim::of(profile(|limits| limits.cost_usd_max = Some(0.000_001)));
    sim.start("Look");
    for number in 1..=2 {
        sim.input(with_cost(number, None));
        sim.ended(number, json!(number));
        assert_eq!(sim.request().purpose, StepPurpose::Work);
    }
    // No counts at all.
    sim.want(additions(1, 4));
    sim.ended(3, json!(3));
    let told = "What a step of scripted/test cost is not known, so it does not count towards the limit of \
                0.000001 US dollars";
    assert_eq!(sim.warnings(), [(WarningCode::CostUnknown, told)]);
    // What is known counts all the same.
    sim.input(with_cost(5, Some(0.25)));
    sim.ended(4, json!(4));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.say("Done");
    assert_eq!(sim.finished().reason, StopReason::CostMax);
}

#[test]
fn without_a_budget_of_money_costs_do_not_matter() {
    for cost in [None, Some(1e9)] {
        let mut sim = Sim::of(Profile::default());
        sim.start("Look");
        sim.input(with_cost(6, cost));
        sim.ended(1, json!(1));
        assert_eq!((sim.request().purpose, sim.warnings().len()), (StepPurpose::Work, 0));
    }
}

#[test]
fn what_is_wished_for_a_run_limits_that_run() {
    let wished = |wishes: RunWishes| {
        let mut sim = Sim::of(Profile::default());
        let send = MessageSend { wishes, ..MessageSend::text("run_1".into(), "message_1".into(), "Add") };
        sim.send(send, Transcript::default(), 1);
        sim
    };
    let mut sim = wished(RunWishes { calls_max: Some(1), ..RunWishes::default() });
    sim.want(additions(2, 0));
    end_all(&mut sim);
    assert_eq!((sim.ran().len(), sim.request().purpose), (1, StepPurpose::Finalise));

    let mut sim = wished(RunWishes { tokens_max: Some(100), ..RunWishes::default() });
    sim.input(with_usage(75));
    sim.ended(1, json!(1));
    assert_eq!(sim.request().purpose, StepPurpose::Work, "a quarter is left for the answer");
    sim.input(with_cost(0, None));
    sim.ended(2, json!(1));
    assert_eq!(sim.request().trailer, [format!("The token budget is used up. {LAST_WORD}")]);

    let mut sim = wished(RunWishes { cost_usd_max: Some(1.0), ..RunWishes::default() });
    sim.input(with_cost(7, Some(0.75)));
    sim.ended(1, json!(1));
    sim.say("Done");
    assert_eq!(sim.finished().reason, StopReason::CostMax);

    let mut sim = wished(RunWishes { run_timeout_ms: Some(4_000), ..RunWishes::default() });
    let timer = |deadline, at_ms| Done::Timer { deadline, at_ms };
    assert!(sim.done.contains(&timer(Deadline::Work, sim.now + 3_000)), "{:?}", sim.done);
    sim.now += 3_000;
    sim.deadline(Deadline::Work);
    assert!(sim.done.contains(&timer(Deadline::Final, sim.now + 1_000)), "{:?}", sim.done);
    sim.say("Late");
    assert_eq!((sim.answer(), &sim.finished().reason), ("Late", &StopReason::Deadline));
}

#[test]
fn the_output_of_a_run_is_limited_in_bytes() {
    let mut sim = Sim::of(profile(|limits| limits.run_output_bytes_max = 10));
    sim.start("Add");
    sim.want(additions(1, 0));
    sim.ended(1, json!("12345"));
    sim.want(additions(1, 1));
    sim.ended(2, json!("12345"));
    assert_eq!(sim.request().purpose, StepPurpose::Work, "exactly at the limit");
    sim.want(additions(1, 2));
    sim.ended(3, json!("1"));
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(
        sim.request().trailer,
        [format!("The calls gave more output than a run may hold. {LAST_WORD}")]
    );
    sim.say("Done");
    assert_eq!(sim.finished().reason, StopReason::BytesMax);
}

#[test]
fn e_46_a_big_outcome_is_cut_with_a_handle_to_the_whole() {
    let mut sim = Sim::of(profile(|limits| limits.result_chars_max = 20));
    sim.start("Look");
    sim.want(vec![call("look", json!({})), call("add", json!({"a": 1}))]);
    sim.ended(1, json!("0123456789ABCDEFGHIJ"));
    assert_eq!(
        sim.content_json(1),
        json!({"ok": true, "output": "0123456789ABCDEFGHIJ"}),
        "exactly at the limit"
    );
    assert!(!sim.outcome(1).meta.is_truncated);
    sim.ended(2, json!("0123456789ABCDEFGHIJK"));
    let content = sim.content_json(2);
    assert_eq!(content["ref"], "call_2");
    assert!(
        content["note"]
            .as_str()
            .unwrap()
            .contains("read_result with ref \"call_2\" pages or greps the whole")
    );
    assert!(content["output"].as_str().unwrap().starts_with("01"));
    assert!(content["output"].as_str().unwrap().ends_with("K"));
    let meta = &sim.outcome(2).meta;
    assert_eq!((meta.is_truncated, meta.result_ref.as_deref()), (true, Some("call_2")));
    assert_eq!(sim.outcome(2).output().unwrap().json, "0123456789ABCDEFGHIJK", "the outcome itself is whole");
    let warning = (WarningCode::Truncated, "Output shortened for the model; it can read the rest");
    assert_eq!(sim.warnings(), [warning]);
}

#[test]
fn e_46_a_tool_may_have_its_own_limits_of_time_and_size() {
    let mut specs = crate::sim::specs();
    for spec in specs.iter_mut().filter(|spec| spec.name == "look") {
        spec.timeout_ms = Some(45_000);
        spec.result_chars_max = Some(5);
    }
    let mut sim = Sim::of(profile(|limits| limits.result_chars_max = 1_000)).with_tools(specs);
    sim.start("Look");
    sim.want(vec![call("look", json!({})), call("add", json!({"a": 1}))]);
    assert_eq!(sim.ran(), [("call_1", 45_000), ("call_2", 30_000)]);
    sim.ended(1, json!("123456"));
    sim.ended(2, json!("123456"));
    assert_eq!((sim.outcome(1).meta.is_truncated, sim.outcome(2).meta.is_truncated), (true, false));
}

#[test]
fn arguments_are_limited_in_bytes() {
    let args = r#"{"path":"aaaa"}"#;
    for (bytes_max, runs) in [(args.len(), true), (args.len() - 1, false)] {
        let mut sim = Sim::of(profile(|limits| limits.args_bytes_max = bytes_max));
        sim.start("Read");
        sim.want(vec![crate::sim::text_call("read_file", args)]);
        assert_eq!(!sim.running().is_empty(), runs);
        if !runs {
            let message = "The arguments have 15 bytes; at most 14 are accepted";
            assert_eq!(sim.failure(1), (ErrorKind::InvalidArgs, message));
        }
    }
}
