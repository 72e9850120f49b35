//! Answers that must have a form: checked by the machine, asked for once more, never believed out of it.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::ports::AnswerForm;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::StepPurpose;
use windlass_core::run::{Run, RunError};

use crate::sim::Sim;

/// An object with a mood.
#[derive(Debug)]
struct Mood;

impl AnswerForm for Mood {
    fn check(&self, answer: &str) -> Result<(), String> {
        let fields: Value = serde_json::from_str(answer).map_err(|error| error.to_string())?;
        fields.get("mood").map(drop).ok_or_else(|| "the output 'mood' is missing".to_owned())
    }
}

fn formed(profile: Profile) -> Sim {
    let mut sim = Sim::of(profile);
    let mut settings = sim.settings();
    settings.form = Some(Arc::new(Mood));
    sim.run = Run::new(Arc::new(settings));
    sim.start("How are you?");
    sim
}

fn fields() -> Profile {
    Profile { answers_in_fields: true, ..Profile::dspy() }
}

#[test]
fn an_answer_in_its_form_ends_the_run() {
    let mut sim = formed(Profile::default());
    sim.say(r#"{"mood":"calm"}"#);
    assert_eq!((sim.finished().outcome, sim.answer()), (RunOutcome::Completed, r#"{"mood":"calm"}"#));
}

#[test]
fn an_answer_out_of_its_form_is_asked_for_once_more_with_what_is_wrong() {
    for profile in [Profile::default(), fields()] {
        let mut sim = formed(profile);
        sim.say(r#"{"feeling":"calm"}"#);
        let request = sim.request();
        assert_eq!(request.purpose, StepPurpose::Correction);
        assert!(request.trailer.join("\n").contains("the output 'mood' is missing"), "{:?}", request.trailer);
        sim.say(r#"{"mood":"calm"}"#);
        assert_eq!((sim.finished().outcome, sim.answer()), (RunOutcome::Completed, r#"{"mood":"calm"}"#));
    }
}

#[test]
fn a_second_answer_out_of_its_form_is_an_error_that_says_why() {
    let mut sim = formed(Profile::default());
    sim.say("{}");
    sim.say("{}");
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::CorrectionFailed));
    assert_eq!(finished.error, Some(RunError::Malformed("the output 'mood' is missing".to_owned())));
    assert_eq!(sim.errors()[0].0, "malformed");
}

/// Without a form such an output is a bad call, and ends the run under this profile (R-11).
#[test]
fn fields_that_cannot_be_read_are_an_answer_out_of_its_form() {
    let mut sim = formed(fields());
    sim.say("I would rather talk.");
    assert_eq!(sim.request().purpose, StepPurpose::Correction);
    sim.say(r#"{"mood":"calm","tool_call":"look around"}"#);
    assert_eq!(sim.finished().outcome, RunOutcome::Failed, "a call that cannot be read is not overlooked");
}
