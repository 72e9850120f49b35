//! All nineteen faults of a provider, once and always, at the first, a middle and the last step: the right
//! answer or a typed error in time, no hang, and no call that came out of a damaged stream.

use std::time::Duration;

use windlass_testkit::provider::{VendorFault, VendorScript};

use crate::providers_stage::{CALM, HASTY, Ran, Stage, lines_of};

const STEPS: usize = 3;
const PARALLEL: usize = 2;

/// The longest that any of these runs may take: its timeouts, three tries each, on a slow machine.
const LIMIT: Duration = Duration::from_secs(40);

/// More requests than this for four steps is a storm.
const REQUESTS_MAX: usize = 12;

/// What a fault that never goes away leads to.
enum Lasting {
    /// Nothing: it does not matter.
    Harmless,
    /// An error of this code.
    Error(&'static str),
    /// A limit, or an error; what the model is to blame for is not the provider's failure.
    GivenUp,
}

/// The steps at which a fault is tried; what needs calls has its last place at the last step with calls.
fn places(fault: VendorFault) -> [usize; 3] {
    [0, 1, if fault.needs_calls() { STEPS - 1 } else { STEPS }]
}

fn script(fault: VendorFault, step: usize, times: usize) -> VendorScript {
    VendorScript {
        steps: STEPS,
        parallel: PARALLEL,
        fault: Some(fault),
        fault_step: Some(step),
        fault_times: times,
        ..VendorScript::default()
    }
}

fn play(fault: VendorFault, step: usize, times: usize, args: &[&str]) -> (Stage, Ran) {
    play_on("openai-compatible", fault, step, times, args)
}

fn play_on(vendor: &str, fault: VendorFault, step: usize, times: usize, args: &[&str]) -> (Stage, Ran) {
    let limits = if matches!(fault, VendorFault::Hang | VendorFault::EndlessHead) { HASTY } else { CALM };
    let stage = Stage::with_limits(limits);
    let ran = stage.run(vendor, &script(fault, step, times), args);
    let context = format!("{vendor}: {fault:?} at step {step}, {times} times\n{}\n{}", ran.out, ran.err);
    assert!(ran.took < LIMIT, "{context}");
    let ledger = stage.server.ledger();
    assert!(ledger.refusals().is_empty(), "{context}\n{:#?}", ledger.refusals());
    assert!(ledger.requests.len() <= REQUESTS_MAX, "{} requests: {context}", ledger.requests.len());
    (stage, ran)
}

/// A fault that passes: the run completes, and every call ran once, in order.
fn passes(fault: VendorFault) {
    for step in places(fault) {
        let (stage, ran) = play(fault, step, 1, &[]);
        completes(&stage, &ran, fault, step);
    }
}

#[track_caller]
fn completes(stage: &Stage, ran: &Ran, fault: VendorFault, step: usize) {
    let context = format!("{fault:?} at step {step}\n{}\n{}", ran.out, ran.err);
    assert_eq!(ran.code, 0, "{context}");
    assert_eq!(ran.out.trim(), VendorScript::default().answer(), "{context}");
    assert_eq!(stage.ran_log(), lines_of(STEPS, PARALLEL), "{context}");
}

/// A fault that stays: what it leads to, and nothing ran but the steps before it.
fn stays(fault: VendorFault, lasting: &Lasting) {
    for step in places(fault) {
        if let Lasting::Harmless = lasting {
            let (stage, ran) = play(fault, step, 0, &[]);
            completes(&stage, &ran, fault, step);
            continue;
        }
        let (stage, ran) = play(fault, step, 0, &["--json"]);
        let context = format!("{fault:?} at step {step}\n{}\n{}", ran.out, ran.err);
        assert_eq!(stage.ran_log(), lines_of(step.min(STEPS), PARALLEL), "{context}");
        assert_eq!(ran.of_type("tool_executing").len(), stage.ran_log().len(), "{context}");
        let done = ran.of_type("done");
        assert_eq!(done.len(), 1, "{context}");
        match lasting {
            Lasting::Harmless => {}
            Lasting::Error(code) => {
                assert_eq!((ran.code, &done[0]["outcome"]), (1, &"failed".into()), "{context}");
                assert_eq!(ran.error_code(), *code, "{context}");
            }
            Lasting::GivenUp => {
                let outcome = done[0]["outcome"].as_str().unwrap();
                match ran.code {
                    3 => assert_eq!(outcome, "limit_reached", "{context}"),
                    1 => assert!(outcome == "failed" && !ran.error_code().is_empty(), "{context}"),
                    _ => panic!("{context}"),
                }
            }
        }
    }
}

macro_rules! faults {
    ($($name:ident: $fault:ident, $lasting:expr;)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn passes_and_the_run_completes() {
                passes(VendorFault::$fault);
            }

            #[test]
            fn stays_and_the_run_ends_as_it_should() {
                stays(VendorFault::$fault, &$lasting);
            }
        })*

        #[test]
        fn all_nineteen_are_tried() {
            assert_eq!([$(VendorFault::$fault),*], VendorFault::MATRIX);
        }
    };
}

faults! {
    fault_01_status_500: Status500, Lasting::Error("overloaded");
    fault_02_status_429_with_retry_after: RateLimit, Lasting::Error("rate_limit");
    fault_03_closed_before_the_head: CloseBeforeHead, Lasting::Error("network");
    fault_04_cut_in_mid_stream: Cut, Lasting::Error("cut");
    fault_05_malformed_event_r_32: MalformedEvent, Lasting::Error("malformed");
    fault_06_no_last_word: NoLastWord, Lasting::Harmless;
    fault_07_hang_after_the_first_event: Hang, Lasting::Error("timeout");
    fault_08_arguments_that_are_no_json: BadArgs, Lasting::GivenUp;
    fault_09_unknown_tool_r_44: UnknownTool, Lasting::GivenUp;
    fault_10_argument_of_the_wrong_type: WrongType, Lasting::GivenUp;
    fault_11_crlf_comments_and_several_lines: OddFraming, Lasting::Harmless;
    fault_12_duplicate_ids_r_36_r_54: DuplicateId, Lasting::Harmless;
    fault_13_empty_completion: Empty, Lasting::Error("empty");
    fault_14_a_head_that_never_ends: EndlessHead, Lasting::Error("timeout");
    fault_15_characters_split_over_writes: SplitCharacters, Lasting::Harmless;
    fault_16_an_html_page_with_status_200: HtmlPage, Lasting::Error("malformed");
    fault_17_out_of_tokens_in_mid_call_r_63: Length, Lasting::GivenUp;
    fault_18_an_error_event_in_the_stream: ErrorEvent, Lasting::Error("overloaded");
    fault_19_byte_by_byte: ByteByByte, Lasting::Harmless;
}

/// The other protocols: the same faults in the middle of a run, in the words of each.
fn other_wire_survives(vendor: &str) {
    for fault in VendorFault::MATRIX {
        let (stage, ran) = play_on(vendor, fault, 1, 1, &[]);
        completes(&stage, &ran, fault, 1);
        let (stage, ran) = play_on(vendor, fault, 1, 0, &["--json"]);
        let context = format!("{vendor}: {fault:?} always\n{}\n{}", ran.out, ran.err);
        assert_eq!(ran.of_type("done").len(), 1, "{context}");
        let steps = match ran.code {
            0 => STEPS,
            1 | 3 => 1,
            _ => panic!("{context}"),
        };
        assert_eq!(stage.ran_log(), lines_of(steps, PARALLEL), "{context}");
    }
}

#[test]
fn every_fault_is_survived_on_the_responses_wire() {
    other_wire_survives("openai");
}

#[test]
fn every_fault_is_survived_on_the_messages_wire() {
    other_wire_survives("anthropic");
}

#[test]
fn every_fault_is_survived_on_the_gemini_wire() {
    other_wire_survives("gemini");
}

#[test]
fn every_fault_is_survived_on_the_ollama_wire() {
    other_wire_survives("ollama");
}

/// Calls that are run as soon as they are complete still come from a stream that may break: what ran before
/// the break ran once, and the step is not asked for again behind its back.
#[test]
fn a_cut_stream_runs_no_call_twice_when_calls_run_while_streaming() {
    for step in [0, 1] {
        let stage = Stage::with_limits(&format!("tool_loop_v2 = true\n{CALM}"));
        let ran = stage.run("openai-compatible", &script(VendorFault::Cut, step, 1), &["--json"]);
        let mut lines = stage.ran_log();
        let count = lines.len();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), count, "{lines:?}\n{}", ran.out);
        assert!(matches!(ran.code, 0 | 1), "{}", ran.out);
        assert!(stage.server.ledger().refusals().is_empty(), "{:?}", stage.server.ledger().refusals());
    }
}
