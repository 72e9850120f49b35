use std::collections::VecDeque;

use windlass_core::protocol::tool::ToolOutput;

use super::*;
use crate::sample::*;

/// A run of one call that is asked about, as simple as it can be.
#[derive(Default)]
struct OneCall {
    pending: PendingRun,
    steps: u32,
    moves: Vec<String>,
}

impl ScriptStage for OneCall {
    fn pending(&self) -> PendingRun {
        self.pending.clone()
    }

    fn perform(&mut self, happening: Move<'_>) -> Vec<Event> {
        self.moves.push(format!("{happening:?}").chars().take_while(|c| c.is_alphabetic()).collect());
        let pending = std::mem::take(&mut self.pending);
        match happening {
            Move::User(_) => {
                self.pending.request = Some(request("r"));
                vec![run_started(), step_started(1)]
            }
            Move::Step(step) => {
                self.steps += 1;
                match step.complete() {
                    None => {
                        self.pending = pending;
                        Vec::new()
                    }
                    Some(whole) if whole.calls.is_empty() => vec![step_ended(self.steps), run_ended("done")],
                    Some(_) => {
                        self.pending.questions = vec![CallId::numbered(1)];
                        vec![step_ended(1), call_requested(1, 0), permission_requested(1)]
                    }
                }
            }
            Move::Answer { call_id, .. } => {
                self.pending.running = vec![call_id];
                vec![call_started(1)]
            }
            Move::CallEnded { outcome, .. } => {
                self.pending.request = Some(request("r"));
                vec![call_ended(1, ToolOutcome::clone(&outcome), "x"), step_started(2)]
            }
            Move::Cancel | Move::Deadline => vec![run_ended("stopped")],
        }
    }
}

fn play_text(text: &str) -> Result<Vec<Event>, Mismatch> {
    play(&Script::parse("t", text).unwrap(), &mut OneCall::default())
}

fn mismatch(text: &str) -> String {
    play_text(text).unwrap_err().to_string()
}

#[test]
fn a_script_is_played_to_its_end() {
    let text = "user Hi
expect run-started step-started
model call 1 a
expect step-ended call-requested permission-requested
approve 1
expect call-started
tool 1 ok 1
expect-call 1 ok says x
expect call-ended step-started
model text done
expect step-ended run-ended
expect-outcome completed
expect-answer done
expect-warning none";
    let mut stage = OneCall::default();
    let events = play(&Script::parse("t", text).unwrap(), &mut stage).unwrap();
    assert_eq!(events.len(), 10);
    assert_eq!(stage.moves, ["User", "Step", "Answer", "CallEnded", "Step"]);
}

#[test]
fn the_first_thing_that_is_not_as_expected_stops_the_play() {
    assert_eq!(
        mismatch("user Hi\nexpect run-started\nmodel text done"),
        "t:2: expected run-started; happened: run-started step-started (alike up to event 1)"
    );
    assert_eq!(
        mismatch("user Hi\nexpect-request contains x\nmodel text done"),
        "t:2: the request does not contain 'x'"
    );
}

#[test]
fn what_a_run_does_not_wait_for_cannot_happen() {
    assert_eq!(
        mismatch("user Hi\nuser Again"),
        "t:2: the user speaks while a run goes on; the run waits for the model"
    );
    assert_eq!(
        mismatch("user Hi\nmodel call 1 a\nmodel end\nmodel text x"),
        "t:4: nobody asks the model; the run waits for an answer about call 1"
    );
    assert_eq!(
        mismatch("user Hi\nmodel call 1 a\ntool 1 ok 1"),
        "t:3: call 1 does not run; the run waits for an answer about call 1"
    );
    assert_eq!(
        mismatch("user Hi\nmodel call 1 a\napprove 1\napprove 1"),
        "t:4: nobody asks about call 1; the run waits for the end of call 1"
    );
    assert_eq!(
        mismatch("user Hi\nmodel text x\ncancel"),
        "t:3: there is nothing to cancel; the run waits for nothing"
    );
    assert_eq!(
        mismatch("user Hi\nmodel text x\ndeadline"),
        "t:3: there is nothing that could be late; the run waits for nothing"
    );
    assert_eq!(
        mismatch("user Hi\nmodel text x\napprove 1"),
        "t:3: call 1 was never requested; the run waits for nothing"
    );
}

#[test]
fn a_script_must_not_end_before_its_run() {
    assert_eq!(
        mismatch("user Hi"),
        "t:1: the script ends here while a run goes on; the run waits for the model"
    );
}

#[test]
fn a_hanging_call_and_a_hanging_step_wait_for_a_cancel() {
    play_text("user Hi\nmodel call 1 a\napprove 1\ntool 1 hang\ncancel\nexpect-answer stopped").unwrap();
    play_text("user Hi\nmodel text a\nmodel hang\ndeadline\nexpect-answer stopped").unwrap();
}

#[test]
fn a_second_run_is_checked_on_its_own() {
    let text = "user Hi\nmodel text x\nexpect-answer done\nuser Again\nexpect-outcome completed";
    assert_eq!(mismatch(text), "t:5: expected the run to end as completed; it has not ended");
}

#[test]
fn scripted_endings_become_outcomes() {
    let script = Script::parse(
        "t",
        "user Hi\ntool 1 ok {\"a\":1}\ntool 1 text x\ntool 1 fill 20\ntool 1 fail not_found y\ntool 1 timeout\ntool 1 hang",
    )
    .unwrap();
    let mut outcomes: VecDeque<Option<ToolOutcome>> = script
        .beats()
        .into_iter()
        .filter_map(|beat| match beat.kind {
            BeatKind::Tool { ending, .. } => Some(ending.outcome()),
            _ => None,
        })
        .collect();
    let mut next = || outcomes.pop_front().unwrap();
    assert_eq!(next(), Some(ToolOutcome::ok(ToolOutput::json(serde_json::json!({"a": 1})))));
    assert_eq!(next(), Some(ToolOutcome::ok(ToolOutput::text("x"))));
    let filled = next().unwrap();
    assert_eq!(filled.output().unwrap().readable(), "line 1\nline 2\nline 3");
    assert_eq!(next().unwrap().failure().unwrap().to_string(), "y");
    assert_eq!(next().unwrap().failure().unwrap().kind.word(), "timeout");
    assert_eq!(next(), None);
}
