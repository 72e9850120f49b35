use std::future::poll_fn;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::Finish;

use super::*;
use crate::sample::{request, request_after};

type Step = BoxStream<'static, Result<ModelDelta, ModelFailure>>;

fn model(text: &str) -> ScriptedModel {
    ScriptedModel::new(&Script::parse("t.script", text).unwrap())
}

async fn next(stream: &mut Step) -> Option<Result<ModelDelta, ModelFailure>> {
    poll_fn(|context| stream.as_mut().poll_next(context)).await
}

/// All deltas of a step; text put together, and how it ended.
async fn drain(mut stream: Step) -> (String, Option<Finish>, Option<ModelFailure>) {
    let (mut text, mut finish, mut failure) = (String::new(), None, None);
    while let Some(item) = next(&mut stream).await {
        match item {
            Ok(ModelDelta::Text(more)) => text.push_str(&more),
            Ok(ModelDelta::Finish(reason)) => finish = Some(reason),
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    (text, finish, failure)
}

#[tokio::test]
async fn each_request_gets_the_next_step() {
    let model = model("user Hi\nmodel text one\nmodel end\nmodel text two\nmodel end length");
    assert_eq!(model.name(), "scripted/t.script");
    assert_eq!(drain(model.stream(request("r"))).await, ("one".into(), Some(Finish::Stop), None));
    assert_eq!(drain(model.stream(request("r"))).await, ("two".into(), Some(Finish::Length), None));
}

#[tokio::test]
async fn a_run_without_more_steps_fails_with_what_to_do() {
    let model = model("user Hi\nmodel text one\nuser Again\nmodel text two");
    drain(model.stream(request("r"))).await;
    let (_, finish, failure) = drain(model.stream(request("r"))).await;
    let failure = failure.unwrap();
    assert_eq!((finish, failure.kind.word(), failure.is_retryable), (None, "script", false));
    assert_eq!(
        failure.message,
        "script ended: the script t.script has no step 2 in run 1; add 'model …' lines"
    );
}

#[tokio::test]
async fn a_new_run_begins_at_the_next_message_whatever_was_left() {
    let model = model("user Hi\nmodel text one\nmodel end\nmodel text left\nuser Again\nmodel text two");
    let first = request_after("r1", &["Hi"], 0);
    assert_eq!(drain(model.stream(first.clone())).await.0, "one");
    let mut second = request_after("r2", &["Hi", "Again"], 0);
    assert_eq!(drain(model.stream(second.clone())).await.0, "two");
    second.run_id = RunId::new("r3");
    let more = [&second.messages[..], &[Arc::new(Message::user("More"))]].concat();
    let (_, _, failure) = drain(model.stream(ModelRequest { messages: Arc::new(more), ..second })).await;
    assert_eq!(
        failure.unwrap().message,
        "script ended: the script t.script has 2 'user' lines and this is run 3; add a 'user' line and 'model …' lines"
    );
}

#[tokio::test]
async fn a_cut_stream_ends_without_a_finish() {
    let model = model("user Hi\nmodel text half a sen\nmodel cut");
    assert_eq!(drain(model.stream(request("r"))).await, ("half a sen".into(), None, None));
}

#[tokio::test]
async fn a_failure_comes_after_what_was_said() {
    let model = model("user Hi\nmodel text half\nmodel fail overloaded after=1s Try later");
    let (text, finish, failure) = drain(model.stream(request("r"))).await;
    let expected =
        ModelFailure { retry_after_ms: Some(1_000), ..ModelFailure::passing("overloaded", "Try later") };
    assert_eq!((text.as_str(), finish, failure), ("half", None, Some(expected)));
}

#[tokio::test(start_paused = true)]
async fn r_24_what_was_said_before_a_delay_arrives_before_it() {
    let model = model("user Hi\nmodel text a\nmodel delay 200ms\nmodel text b");
    let began = Instant::now();
    let mut stream = model.stream(request("r"));
    assert_eq!(next(&mut stream).await, Some(Ok(ModelDelta::Text("a".into()))));
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(next(&mut stream).await, Some(Ok(ModelDelta::Text("\n".into()))));
    assert_eq!(began.elapsed(), Duration::from_millis(200));
}

#[tokio::test(start_paused = true)]
async fn a_hanging_step_never_ends() {
    let model = model("user Hi\nmodel text a\nmodel hang");
    let mut stream = model.stream(request("r"));
    assert_eq!(next(&mut stream).await, Some(Ok(ModelDelta::Text("a".into()))));
    assert!(timeout(Duration::from_secs(3_600), next(&mut stream)).await.is_err());
    assert!(timeout(Duration::from_secs(3_600), next(&mut stream)).await.is_err());
}

#[tokio::test]
async fn a_request_that_is_not_as_expected_fails_the_step() {
    let model = model(
        "user Hi\nexpect-request contains Hello\nmodel text a\nmodel end\nexpect-request same-prefix\nmodel text b",
    );
    let (text, _, failure) = drain(model.stream(request("r"))).await;
    let failure = failure.unwrap();
    assert_eq!((text.as_str(), failure.kind.word()), ("", "script"));
    assert_eq!(failure.message, "t.script:2: the request does not contain 'Hello'");
    assert_eq!(failure.detail.as_deref(), Some("system: "));
    assert_eq!(drain(model.stream(request("r"))).await.0, "b");
}
