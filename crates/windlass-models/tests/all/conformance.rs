//! One suite for all wires: every scenario on every wire, held to the same words.
//!
//! What a protocol cannot have stands in one list, with its reason; a cell of the list that has learnt it
//! fails the suite, so that the list is never longer than the truth.

use std::collections::BTreeSet;

use windlass_core::ports::BoxFuture;
use windlass_models::WireKind;

use crate::conformance_answers::*;
use crate::conformance_cell::{Cell, Verdict};
use crate::conformance_faults::*;
use crate::conformance_requests::*;

type Scenario = for<'a> fn(&'a Cell) -> BoxFuture<'a, Verdict>;

/// Cells that a protocol cannot have.
const SKIPS: &[(WireKind, &str, &str)] = &[
    (
        WireKind::Ollama,
        "reasoning_state_goes_back_to_its_own_model_alone",
        "it has thinking, and no state of it",
    ),
    (WireKind::Ollama, "usage_knows_cached_tokens", "it does not count what its cache held"),
    (WireKind::Ollama, "usage_knows_reasoning_tokens", "it does not count its thinking apart"),
    (WireKind::Messages, "usage_knows_reasoning_tokens", "it does not count its thinking apart"),
    (WireKind::Ollama, "a_forced_choice_calls", "it has no word for a choice; a remark asks for it"),
    (WireKind::Ollama, "a_named_choice_calls_that_tool", "it has no word for a choice; a remark asks for it"),
];

/// Makes the table, and a test of each row.
macro_rules! scenarios {
    ($($name:ident,)*) => {
        const SCENARIOS: &[(&str, Scenario)] = &[$((stringify!($name), |cell| Box::pin($name(cell)))),*];

        mod on_every_wire {
            $(#[tokio::test]
            async fn $name() {
                super::hold(stringify!($name)).await;
            })*
        }
    };
}

scenarios! {
    text,
    text_in_many_pieces,
    text_however_it_is_framed,
    reasoning,
    reasoning_state_goes_back_to_its_own_model_alone,
    one_call,
    r_22_a_call_without_arguments,
    r_21_parallel_calls,
    call_after_call,
    r_26_text_before_a_call_is_kept,
    usage_in_normal_form,
    usage_knows_cached_tokens,
    usage_knows_reasoning_tokens,
    an_answer_that_was_too_long,
    s_24_a_whole_answer_is_the_same_answer,
    status_401,
    status_404,
    status_429_says_how_long_to_wait,
    status_500,
    status_503,
    r_62_an_error_inside_status_200,
    an_error_in_mid_stream,
    a_cut_stream,
    r_32_a_malformed_frame,
    a_stall_before_the_headers,
    a_stall_after_the_first_event,
    a_page_instead_of_an_answer,
    a_context_overflow,
    no_tool_support,
    a_forced_choice_calls,
    a_named_choice_calls_that_tool,
    a_forbidden_choice_does_not_call,
    cancelling_closes_the_connection,
    a_picture,
    a_note_in_the_middle,
}

/// Plays one scenario on all wires: each passes, or is known to be unable to.
async fn hold(name: &str) {
    let (_, scenario) = SCENARIOS.iter().find(|(own, _)| *own == name).unwrap();
    let mut wrong = Vec::new();
    for wire in WireKind::ALL {
        let verdict = scenario(&Cell::new(wire)).await;
        let skip = SKIPS.iter().find(|(own, scenario, _)| (*own, *scenario) == (wire, name));
        match (verdict, skip) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Err(why), None) => wrong.push(format!("{}: {why}", wire.word())),
            (Ok(()), Some((.., reason))) => {
                wrong.push(format!("{} can do it, although it is said that {reason}", wire.word()));
            }
        }
    }
    assert!(wrong.is_empty(), "{name}\n{}", wrong.join("\n"));
}

#[test]
fn every_skip_is_of_a_known_cell_and_says_why() {
    let known: BTreeSet<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    assert_eq!(known.len(), SCENARIOS.len(), "each scenario has a name of its own");
    let mut seen = Vec::new();
    for (wire, name, reason) in SKIPS {
        assert!(known.contains(name), "there is no scenario {name}");
        assert!(!seen.contains(&(wire, name)), "{name} is skipped twice on {}", wire.word());
        assert!(reason.len() > 10, "{name}: why?");
        seen.push((wire, name));
    }
    for name in known {
        let skipped = SKIPS.iter().filter(|(_, own, _)| *own == name).count();
        assert!(skipped < WireKind::ALL.len(), "{name} is played nowhere");
    }
}
