//! Runs of an agent as OpenTelemetry spans, as a collector on loopback sees them.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use windlass::OtelConfig;
use windlass::prelude::*;
use windlass_testkit::collector::{OtlpCollector, attributes};

/// Long enough for a loaded machine, short enough to notice what hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const SUM: &str = "user one\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel usage input=11 output=7\nmodel end\nmodel text Three.\n\
                   user two\nmodel text Nothing.\n";

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn agent(telemetry: OtelConfig) -> Windlass {
    Windlass::builder().script(SUM).unwrap().tool(add).telemetry(telemetry).build().unwrap()
}

fn collector() -> OtlpCollector {
    OtlpCollector::start(&[]).unwrap()
}

#[tokio::test]
async fn every_run_is_sent_and_closing_sends_what_is_left() {
    let collector = collector();
    let agent = agent(OtelConfig::new(collector.endpoint()).service_name("shop").header("x-team", "blue"));
    let session = agent.session("ada");
    session.run("one").await.unwrap();
    session.run("two").await.unwrap();
    agent.close().await.unwrap();
    let export = collector.next(Duration::ZERO).unwrap();
    assert!(export.head.starts_with("post /v1/traces http/1.1\r\n"), "{}", export.head);
    assert!(export.head.contains("x-team: blue\r\n"), "{}", export.head);
    assert_eq!(export.resource()["service.name"], "shop");
    let spans = export.spans();
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let model = names[0];
    assert!(model.starts_with("chat "), "{names:?}");
    assert_eq!(
        names,
        [model, "execute_tool add", model, "invoke_agent windlass", model, "invoke_agent windlass"]
    );
    let [step, call, _, run, ..] = &spans[..] else { panic!("{names:?}") };
    assert_eq!((&step["parentSpanId"], &call["parentSpanId"]), (&run["spanId"], &step["spanId"]));
    assert_eq!(attributes(step)["gen_ai.usage.input_tokens"], "11");
    let runs = session.runs().await.unwrap();
    assert_eq!(attributes(run)["windlass.request_id"], runs[1].run_id.as_str());
    assert!(!export.body.to_string().contains("Three."), "no content unless it is asked for");
}

#[tokio::test]
async fn content_goes_along_when_it_is_asked_for_and_an_agent_that_is_dropped_sends_too() {
    let collector = collector();
    let agent = agent(OtelConfig::new(collector.endpoint()).with_content().secret("Three."));
    agent.run("one").await.unwrap();
    drop(agent);
    let body = collector.next(PATIENCE).unwrap().body.to_string();
    assert!(body.contains("gen_ai.output.messages") && !body.contains("Three."), "{body}");
}

#[tokio::test]
async fn a_collector_that_is_away_costs_no_run_and_no_time() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let agent = agent(OtelConfig::new(format!("http://{gone}")));
    assert_eq!(agent.run("one").await.unwrap().text, "Three.");
    let begun = Instant::now();
    agent.close().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "a program that ends asks it once");
}

#[tokio::test]
async fn a_collector_that_never_answers_holds_the_end_for_a_few_seconds_at_most() {
    // Connections are taken by the system and answered by nobody.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let agent = agent(OtelConfig::new(format!("http://{}", silent.local_addr().unwrap())));
    assert_eq!(agent.run("one").await.unwrap().text, "Three.");
    let begun = Instant::now();
    agent.close().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
}

#[test]
fn an_address_that_is_none_is_an_error_of_build() {
    let builder = Windlass::builder().script(SUM).unwrap().telemetry(OtelConfig::new("collector:4318"));
    let error = builder.build().err().unwrap();
    assert!(matches!(error, WindlassError::Telemetry(_)), "{error}");
    assert!(error.to_string().contains("collector:4318"), "{error}");
}
