//! What a step asked of its model, and what that answered: from the record, or with words about what is missing.

use std::sync::Arc;

use serde_json::json;
use windlass_core::ports::ToolPort;
use windlass_core::ports::host::{HostError, HostRuns};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::model::{StepPurpose, ToolChoice};
use windlass_core::protocol::tool::{ToolOutput, ToolSpec};
use windlass_engine::host::HostLimits;
use windlass_engine::registry::Registry;

use crate::host_fixture::{Scripts, Stage};
use crate::session::adder;
use crate::tools::tool;

const SUM: &str = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Three.\n";

async fn played(stage: &Stage) -> RunId {
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.read(&run.run_id, 0).await;
    run.run_id
}

/// `add` with an argument more.
fn stricter_adder() -> Arc<dyn ToolPort> {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "c": {"type": "integer"}},
        "required": ["a", "c"]
    });
    tool(ToolSpec::new("add", "Adds otherwise").with_schema(schema), |_, _| async {
        Ok(ToolOutput::text("never"))
    })
}

#[tokio::test]
async fn a_step_shows_what_was_asked_and_what_was_answered() {
    let stage = Stage::new(SUM, vec![adder()]);
    let run_id = played(&stage).await;
    let first = stage.host.step_report(&run_id, 1).await.unwrap();
    let asked = first.request.unwrap();
    assert_eq!((asked.messages.len(), asked.messages[0].text()), (1, "Go.".to_owned()));
    assert_eq!((asked.tools[0].name.as_str(), asked.tool_choice), ("add", ToolChoice::Auto));
    assert_eq!(first.response.unwrap().message.calls().count(), 1);
    let second = stage.host.step_report(&run_id, 2).await.unwrap();
    assert_eq!(second.request.unwrap().messages.len(), 3, "the call and its outcome");
    assert_eq!(second.response.unwrap().message.text(), "Three.");
    assert_eq!((second.problem, second.wire), (None, None));
    let [attempt] = second.attempts.as_slice() else { panic!("one try") };
    assert_eq!((attempt.attempt, attempt.purpose), (1, StepPurpose::Work));
    assert!(attempt.ended_ms.is_some_and(|ended_ms| ended_ms >= attempt.started_ms));
}

#[tokio::test]
async fn what_is_not_there_is_missing() {
    let stage = Stage::new(SUM, vec![adder()]);
    let run_id = played(&stage).await;
    for step in [0, 3] {
        let missing = stage.host.step_report(&run_id, step).await;
        assert!(matches!(missing, Err(HostError::Missing { what: "step", .. })), "{missing:?}");
    }
    let nowhere = stage.host.step_report(&RunId::from("nowhere"), 1).await;
    assert!(matches!(nowhere, Err(HostError::Missing { what: "run", .. })), "{nowhere:?}");
}

#[tokio::test]
async fn after_a_tool_has_changed_the_answer_is_still_shown_with_the_reason() {
    let stage = Stage::new(SUM, vec![adder()]);
    let run_id = played(&stage).await;
    stage.registry.register(stricter_adder()).unwrap();
    let report = stage.host.step_report(&run_id, 2).await.unwrap();
    assert_eq!(report.request, None, "what would be asked now is not what was asked");
    assert!(report.problem.unwrap().contains("cannot be made again"));
    assert_eq!(report.response.unwrap().message.text(), "Three.");
}

#[tokio::test]
async fn a_model_that_is_gone_is_told_and_the_rest_is_shown() {
    let stage = Stage::new(SUM, vec![adder()]);
    let run_id = played(&stage).await;
    let registry = Registry::new();
    registry.register_all([adder()]).unwrap();
    let later =
        Stage::on(Arc::clone(&stage.store), Arc::new(Scripts::default()), registry, HostLimits::default());
    let report = later.host.step_report(&run_id, 2).await.unwrap();
    let problem = report.problem.unwrap();
    assert!(problem.contains("the model scripted/usual cannot be opened"), "{problem}");
    assert_eq!(report.request.unwrap().messages.len(), 3);
    assert!(report.response.is_some());
}

#[tokio::test(start_paused = true)]
async fn every_try_of_a_step_has_its_times_and_its_failure() {
    let script = "user Go.\nmodel text Hal\nmodel cut\nmodel text Whole.\n";
    let stage = Stage::new(script, vec![]);
    let run_id = played(&stage).await;
    let report = stage.host.step_report(&run_id, 1).await.unwrap();
    let [first, second] = report.attempts.as_slice() else { panic!("two tries: {:?}", report.attempts) };
    assert_eq!(first.failure.as_ref().map(|failure| failure.code.as_str()), Some("cut"));
    assert!(second.delay_ms.is_some() && second.failure.is_none());
    assert_eq!(report.response.unwrap().message.text(), "Whole.");
    assert!(report.request.is_some());
}

#[tokio::test]
async fn a_step_that_goes_on_has_its_request_and_no_answer() {
    let stage = Stage::new("user Go.\nmodel hang\n", vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let report = stage.host.step_report(&run.run_id, 1).await.unwrap();
    assert!(report.request.is_some() && report.response.is_none() && report.problem.is_none());
    assert_eq!(report.attempts[0].ended_ms, None);
    stage.host.cancel(&run.run_id).await.unwrap();
    stage.read(&run.run_id, 0).await;
}
