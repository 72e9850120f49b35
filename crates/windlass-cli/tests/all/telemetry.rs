//! OpenTelemetry export, as a collector on loopback sees it.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::Value;
use windlass_testkit::collector::{OtlpCollector, OtlpExport, attributes};

use crate::lifeline::PATIENCE;
use crate::place::Place;

const SCRIPT: &str = r#"title Two calls, one of them bad
user What is in this folder? My key is sk-planted-0123456789abcdef.
model text Let me look.
model call 1 get_file_tree {}
model call 2 read_file {}
model usage input=11 output=7
model end
model text There is a file.
model usage input=20 output=3
"#;

const RUN: [&str; 3] = ["run", "--model", "scripted/a.script"];

fn collector(statuses: &'static [u16]) -> OtlpCollector {
    OtlpCollector::start(statuses).unwrap()
}

fn next(collector: &OtlpCollector) -> OtlpExport {
    collector.next(PATIENCE).unwrap()
}

fn play() -> Place {
    Place::with(&[("a.script", SCRIPT), ("a.txt", "hello\n")])
}

#[test]
fn p_24_a_collector_gets_the_run_its_steps_and_its_calls() {
    let collector = collector(&[]);
    let place = play();
    let said = place.windlass_with(&RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())]).exits(0);
    assert_eq!(said.out, "There is a file.\n");
    let export = next(&collector);
    let (head, spans) = (&export.head, export.spans());
    assert_eq!(export.resource()["service.version"], env!("CARGO_PKG_VERSION"));
    assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "chat a.script",
            "execute_tool read_file",
            "execute_tool get_file_tree",
            "chat a.script",
            "invoke_agent windlass"
        ]
    );
    let [first, bad, good, second, run] = &spans[..] else { panic!("{names:?}") };
    assert_eq!(run.get("parentSpanId"), None);
    for step in [first, second] {
        assert_eq!(step["parentSpanId"], run["spanId"]);
    }
    for call in [bad, good] {
        assert_eq!(call["parentSpanId"], first["spanId"]);
    }
    let run_id = attributes(run)["windlass.request_id"].clone();
    assert_eq!(run["traceId"].as_str().unwrap(), run_id.as_str().unwrap().replace('-', ""));
    for span in &spans {
        let known = attributes(span);
        assert_eq!(span["traceId"], run["traceId"]);
        assert_eq!(known["windlass.request_id"], run_id);
        assert!(known.contains_key("windlass.parent_id") && known.contains_key("gen_ai.conversation.id"));
        let at = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
        assert!(at("startTimeUnixNano") <= at("endTimeUnixNano"));
        assert!(at("startTimeUnixNano") > 1_600_000_000_000_000_000);
    }
    assert_eq!(attributes(good)["gen_ai.tool.call.id"], "call_1");
    assert_eq!(attributes(first)["gen_ai.usage.input_tokens"], "11");
    assert_eq!(attributes(run)["gen_ai.usage.output_tokens"], "10");
    assert_eq!((bad["status"]["code"].as_i64(), good.get("status")), (Some(2), None));
    assert_eq!(attributes(bad)["error.type"], "invalid_args");
    let text = export.body.to_string();
    for content in ["sk-planted", "What is in this folder", "There is a file", "a.txt"] {
        assert!(!text.contains(content), "{content} went along: {text}");
    }
}

#[test]
fn content_goes_along_when_it_is_asked_for_and_secrets_do_not() {
    let collector = collector(&[]);
    let place = play();
    place.configure(&format!(
        "[telemetry]\notlp_endpoint = \"{}/\"\ncontent = true\nservice_name = \"shop\"\nheaders = {{ \"x-team\" = \"blue-0123456789\" }}\n",
        collector.endpoint()
    ));
    place.windlass(&RUN).exits(0);
    let export = next(&collector);
    let head = &export.head;
    assert!(head.contains("x-team: blue-0123456789\r\n"), "{head}");
    assert_eq!(export.resource()["service.name"], "shop");
    let text = export.body.to_string();
    assert!(text.contains("What is in this folder") && text.contains("a.txt"), "{text}");
    assert!(!text.contains("sk-planted"), "{text}");
}

#[test]
fn a_collector_that_is_full_is_asked_again_and_one_that_is_not_there_costs_no_run() {
    let collector = collector(&[503]);
    let place = play();
    place.windlass_with(&RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())]).exits(0);
    assert_eq!(next(&collector).body, next(&collector).body);
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{gone}");
    let said = place.windlass_with(&RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]).exits(0);
    assert_eq!(said.out, "There is a file.\n");
}

#[test]
fn nothing_is_sent_when_telemetry_is_off() {
    let collector = collector(&[]);
    let place = play();
    let off = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint()), ("OTEL_SDK_DISABLED", "true")];
    place.windlass_with(&RUN, &off).exits(0);
    assert!(collector.next(Duration::ZERO).is_none());
    let said = place.windlass_with(&RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")]).exits(2);
    assert!(said.err.contains("must begin with http"), "{}", said.err);
}

#[test]
fn a_run_of_the_past_has_the_same_spans() {
    let collector = collector(&[]);
    let place = play();
    place.windlass_with(&RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())]).exits(0);
    let live = next(&collector);
    let id = attributes(live.spans().last().unwrap())["windlass.request_id"].as_str().unwrap().to_owned();
    let said = place.windlass(&["runs", "trace", "--otlp", &id]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap(), live.body);
}
