use super::*;
use crate::sample::request_after;
use crate::script::Script;

const SCRIPT: &str = "user A\nmodel fail overloaded later\nmodel text 1\nmodel end\nmodel text 2\n\
                      user B\nmodel text 3\nmodel end\nmodel cut\nmodel text 4\n";

fn sections() -> Vec<Vec<Arc<ScriptedStep>>> {
    Script::parse("t.script", SCRIPT).unwrap().runs()
}

/// Where the run that asks is, and whether it was found there.
fn place_of(places: &mut ServedRuns, request: &ModelRequest) -> (usize, usize, bool) {
    let place = places.of(request, &sections());
    (place.run, place.next, place.is_recalled)
}

#[test]
fn a_run_that_begins_here_begins_at_its_user_line() {
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &["A"], 0)), (0, 0, false));
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &[], 0)), (0, 0, false));
}

#[test]
fn a_run_from_another_process_goes_on_after_its_last_step_and_failed_tries_are_behind_it() {
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &["A"], 1)), (0, 2, true));
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &["A", "B"], 0)), (1, 0, true));
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &["A", "B"], 1)), (1, 1, true));
    assert_eq!(place_of(&mut ServedRuns::default(), &request_after("r", &["A", "B"], 2)), (1, 3, true));
}

#[test]
fn a_history_that_was_cut_is_placed_by_its_step_and_one_of_a_caller_by_its_messages() {
    let cut = ModelRequest { step: 2, ..request_after("r", &["A", "B"], 0) };
    assert_eq!(place_of(&mut ServedRuns::default(), &cut), (1, 1, true));
    let own = ModelRequest { step: 1, ..request_after("r", &["A"], 1) };
    assert_eq!(place_of(&mut ServedRuns::default(), &own), (0, 2, true));
}

#[test]
fn a_known_run_goes_on_by_its_count_and_begins_again_when_it_goes_back() {
    let mut places = ServedRuns::default();
    let request = request_after("r", &["A"], 0);
    places.of(&request, &sections()).next = 2;
    assert_eq!(place_of(&mut places, &request), (0, 2, false));
    assert_eq!(place_of(&mut places, &request_after("r", &["A"], 1)), (0, 2, false));
    assert_eq!(place_of(&mut places, &request), (0, 0, false));
}

#[test]
fn a_session_goes_on_with_its_own_next_run_although_its_history_was_cut() {
    let mut places = ServedRuns::default();
    let first = request_after("r1", &["A"], 0);
    let other = request_after("s1", &["A"], 0);
    places.of(&first, &sections());
    places.of(&other, &sections()).run = 7;
    let messages = vec![Arc::clone(&first.messages[0]), Arc::new(Message::user("B"))];
    let second = ModelRequest { messages: Arc::new(messages), ..request_after("r2", &[], 0) };
    assert_eq!(place_of(&mut places, &second), (1, 0, false));
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut places = ServedRuns::default();
    for number in 0..RUNS_REMEMBERED_MAX + 10 {
        places.of(&request_after(&format!("r{number}"), &["A"], 0), &[]);
    }
    assert_eq!((places.places.len(), places.order.len()), (RUNS_REMEMBERED_MAX, RUNS_REMEMBERED_MAX));
}

#[test]
fn sessions_of_one_run_each_get_the_sections_in_turn() {
    let mut places = ServedRuns::in_turn();
    let (first, second) = (request_after("r1", &["A"], 0), request_after("r2", &["A"], 0));
    assert_eq!(place_of(&mut places, &first), (0, 0, false));
    assert_eq!(place_of(&mut places, &second), (1, 0, false));
    places.of(&first, &sections()).next = 2;
    assert_eq!(place_of(&mut places, &request_after("r1", &["A"], 1)), (0, 2, false));
    assert_eq!(place_of(&mut places, &request_after("r3", &["A"], 0)), (2, 0, false));
}

#[test]
fn examples_were_never_said_and_do_not_count() {
    let request = ModelRequest { examples: 2, ..request_after("r", &["X", "Y", "A"], 0) };
    assert_eq!(place_of(&mut ServedRuns::default(), &request), (0, 0, false));
}
