//! What a host does without a run: calls and steps from outside, rules, saves, and the end of a session.

use std::sync::Arc;

use futures::StreamExt;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer};
use windlass_core::ports::host::{
    Consent, HostError, HostPolicies, HostRuns, HostSessions, HostTools, OutsideCall, ServedPort,
};
use windlass_core::ports::store::Save;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Kept, ModelDelta, ModelRequest, Sampling, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::ErrorKind;

use crate::host::writer;
use crate::host_fixture::{Stage, go};
use crate::session::adder;

fn args(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn outside(name: &str, value: Value) -> OutsideCall {
    OutsideCall { name: name.into(), args: args(value), session_id: None, consent: None }
}

#[tokio::test]
async fn a_call_from_outside_goes_through_validation_permission_and_envelope() {
    let (writer, _) = writer();
    let stage = Stage::new("user Go.\nmodel text Hi.\n", vec![adder(), writer]);
    let answer = stage.host.call_tool(outside("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(answer.content, r#"{"ok":true,"output":3}"#);
    let wrong = stage.host.call_tool(outside("add", json!({"a": "x"}))).await.unwrap();
    assert_eq!(wrong.outcome.failure().unwrap().kind, ErrorKind::InvalidArgs);
    let asking = stage.host.call_tool(outside("write_it", json!({}))).await;
    assert!(matches!(asking, Err(HostError::NeedsConsent(_))), "{asking:?}");
    let missing = stage.host.call_tool(outside("nothing", json!({}))).await;
    assert_eq!(missing, Err(HostError::Missing { what: "tool", id: "nothing".into() }));
    assert_eq!(stage.host.runs_going_on(), 0);
}

#[tokio::test]
async fn what_a_session_was_granted_holds_for_calls_from_outside_in_its_name() {
    let (writer, wrote) = writer();
    let stage = Stage::new("user Go.\nmodel call 1 write_it {}\nmodel end\nmodel text Done.\n", vec![writer]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let asked = stage
        .wait_for(&run.run_id, |event| {
            matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
        })
        .await;
    let Event::Durable(DurableEvent::PermissionRequested { question }) = &asked.event else {
        panic!("no question")
    };
    let granted = PermissionAnswer::new(Decision::Session);
    stage.host.answer(&run.run_id, &question.call_id, &question.digest, granted).await.unwrap();
    stage.read(&run.run_id, 0).await;
    let call = OutsideCall { session_id: Some(session_id), ..outside("write_it", json!({})) };
    assert!(stage.host.call_tool(call).await.unwrap().outcome.is_ok());
    assert!(matches!(
        stage.host.call_tool(outside("write_it", json!({}))).await,
        Err(HostError::NeedsConsent(_))
    ));
    assert_eq!(wrote.load(std::sync::atomic::Ordering::SeqCst), 2);
}

fn consent(digest: &str) -> Option<Consent> {
    Some(Consent { digest: digest.to_owned(), confirmation: None })
}

#[tokio::test]
async fn what_somebody_has_seen_and_wants_runs_once_unless_a_rule_denies_it() {
    let (writer, wrote) = writer();
    let stage = Stage::new("user Go.\nmodel text Hi.\n", vec![writer]);
    let question = stage.host.explain("write_it", Map::new()).await.unwrap().question.unwrap();
    let wanted = || OutsideCall { consent: consent(&question.digest), ..outside("write_it", json!({})) };
    let other = OutsideCall { consent: consent("another"), ..outside("write_it", json!({})) };
    let stale = stage.host.call_tool(other).await;
    assert!(matches!(stale, Err(HostError::Stale(_))), "{stale:?}");
    assert_eq!((question.tool.as_str(), question.arguments.as_str()), ("write_it", "{}"));
    assert!(stage.host.call_tool(wanted()).await.unwrap().outcome.is_ok());
    assert!(matches!(
        stage.host.call_tool(outside("write_it", json!({}))).await,
        Err(HostError::NeedsConsent(_))
    ));
    stage.host.add_rule("deny", "write_it").await.unwrap();
    assert!(!stage.host.call_tool(wanted()).await.unwrap().outcome.is_ok());
    assert_eq!(stage.host.explain("write_it", Map::new()).await.unwrap().question, None);
    assert_eq!(wrote.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn r_39_where_edits_are_staged_a_call_from_outside_needs_its_approval_and_gets_it() {
    for approve in [ApproveMode::Stage, ApproveMode::StageOnly] {
        let (tool, wrote) = writer();
        let stage = Stage::approving("user Go.\nmodel text Hi.\n", vec![tool], approve);
        let call = || outside("write_it", json!({}));
        let Err(HostError::NeedsConsent(question)) = stage.host.call_tool(call()).await else {
            panic!("it ran unasked");
        };
        let agreed = OutsideCall { consent: consent(&question.digest), ..call() };
        assert!(stage.host.call_tool(agreed).await.unwrap().outcome.is_ok());
        assert_eq!(wrote.load(std::sync::atomic::Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn rules_are_stored_explained_and_forgotten() {
    let (writer, _) = writer();
    let stage = Stage::new("user Go.\nmodel text Hi.\n", vec![writer]);
    let decides = async |host: &windlass_engine::host::Host| {
        let gates = host.explain("write_it", Map::new()).await.unwrap().gates;
        let gate = gates.into_iter().find(|gate| gate.decides).unwrap();
        (gate.gate, gate.opinion)
    };
    assert_eq!(decides(&stage.host).await, ("risk".to_owned(), "ask".to_owned()));
    let rule = stage.host.add_rule("allow", "write_it").await.unwrap();
    assert_eq!(decides(&stage.host).await, ("allow_rule".to_owned(), "allow".to_owned()));
    assert!(stage.host.call_tool(outside("write_it", json!({}))).await.unwrap().outcome.is_ok());
    assert_eq!(stage.host.rules().await.unwrap(), std::slice::from_ref(&rule));
    stage.host.remove_rule(&rule.id).await.unwrap();
    let gone = stage.host.remove_rule(&rule.id).await;
    assert!(matches!(gone, Err(HostError::Missing { what: "rule", .. })), "{gone:?}");
    let wrong = stage.host.add_rule("perhaps", "write_it").await;
    assert!(matches!(wrong, Err(HostError::Invalid { field: Some("effect"), .. })), "{wrong:?}");
    let unknown = stage.host.explain("nothing", Map::new()).await;
    assert!(matches!(unknown, Err(HostError::Missing { what: "tool", .. })), "{unknown:?}");
}

#[tokio::test]
async fn one_step_of_a_model_for_callers_with_tools_of_their_own() {
    let stage = Stage::new("user Go.\nmodel text Hi there.\n", vec![]);
    let request = ModelRequest {
        run_id: RunId::from("r"),
        step: 1,
        purpose: StepPurpose::Work,
        system: "".into(),
        examples: 0,
        messages: vec![Arc::new(Message::user("Go."))].into(),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: Vec::new().into(),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    };
    let deltas: Vec<_> = stage.host.step(None, request).await.unwrap().collect().await;
    let text: String = deltas
        .into_iter()
        .filter_map(|delta| match delta.unwrap() {
            ModelDelta::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(text, "Hi there.");
}

#[tokio::test]
async fn a_session_that_is_deleted_takes_its_run_with_it() {
    let stage = Stage::new("user Go.\nmodel hang\n", vec![]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.host.delete_session(&session_id).await.unwrap();
    assert!(stage.host.session(&session_id).await.is_err());
    assert!(stage.host.run(&run.run_id).await.is_err());
    assert_eq!((stage.host.runs_going_on(), stage.host.sessions_open()), (0, 0));
    assert!(matches!(stage.host.start_run(&session_id, go()).await, Err(HostError::Missing { .. })));
}

#[tokio::test]
async fn saves_are_kept_and_forgotten() {
    let stage = Stage::new("user Go.\nmodel text Hi.\n", vec![]);
    let save = Save { save_id: "s".into(), name: "one".into(), created_ms: 1, body: json!({"a": 1}) };
    stage.host.put_save(save.clone()).await.unwrap();
    assert_eq!(stage.host.save("s").await, Ok(save.clone()));
    assert_eq!(stage.host.saves(10).await, Ok(vec![save]));
    stage.host.delete_save("s").await.unwrap();
    assert_eq!(stage.host.save("s").await, Err(HostError::Missing { what: "save", id: "s".into() }));
}
