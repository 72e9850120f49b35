//! Scripts that ask for other tools, in real sessions: every gate holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Notify;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::event::RunOutcome;
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, ToolFailure, ToolOutput, ToolSpec};
use windlass_modules::script::{ScriptGrants, ScriptLimits, ScriptTool};

use crate::script_world::{Outcome, called, go, plain, script, session};

fn shared(tool: ScriptTool) -> Arc<dyn ToolPort> {
    Arc::new(tool)
}

fn adder() -> Arc<dyn ToolPort> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]});
    plain(ToolSpec::new("add", "Adds").with_schema(schema), |args| {
        Ok(ToolOutput::json(json!(args["a"].as_i64().unwrap() + args["b"].as_i64().unwrap())))
    })
}

fn page(url: &'static str) -> Arc<dyn ToolPort> {
    let schema = json!({"type": "object", "properties": {"url": {"type": "string"}, "chars_max": {"type": "integer"}}});
    plain(ToolSpec::new("fetch_url", "Fetches").with_schema(schema), move |_| {
        Ok(ToolOutput::json(json!({"url": url, "text": "the page"})))
    })
}

fn fetcher(hosts: &[&str]) -> Arc<dyn ToolPort> {
    let grants = ScriptGrants { http_hosts: hosts.iter().map(|host| (*host).to_owned()).collect() };
    let text = "fn probe(args) { http_get(args.url) }";
    shared(ScriptTool::parse("probe.rhai", "probe", text, ScriptLimits::default(), grants).unwrap())
}

#[tokio::test]
async fn r_17_a_script_calls_a_tool_and_computes_with_what_it_gives() {
    let probe = script("probe", "fn probe(args) { call_tool(\"add\", #{a: args.n, b: 23}) * 2 }");
    let outcome = called(vec![adder(), shared(probe)], &["probe"], "probe", json!({"n": 19})).await;
    assert_eq!(outcome.output().unwrap().json, json!(84));
}

#[tokio::test]
async fn a_refused_call_is_an_error_that_the_script_may_catch() {
    let text = "fn probe() { let all = []; for args in [#{a: 1}, #{a: \"x\", b: 1}] {\n\
                try { call_tool(\"add\", args) } catch (e) { all.push(e.kind) } }\n\
                try { call_tool(\"nothing\") } catch (e) { all.push(e.kind) } all }";
    let outcome = called(vec![adder(), shared(script("probe", text))], &["probe"], "probe", json!({})).await;
    assert_eq!(outcome.output().unwrap().json, json!(["invalid_args", "invalid_args", "unknown_tool"]));
}

#[tokio::test]
async fn z_12_a_tool_that_needs_asking_is_denied_inside_a_script_and_the_message_says_so() {
    let spec = ToolSpec::new("write_it", "Writes").with_effects(Effects::Write, Risk::Medium);
    let wrote = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&wrote);
    let writer = plain(spec, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text("written"))
    });
    let probe = || shared(script("probe", "fn probe() {\n  call_tool(\"write_it\")\n}"));
    let outcome = called(vec![Arc::clone(&writer), probe()], &["probe"], "probe", json!({})).await;
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::PermissionDenied);
    assert!(
        failure.message.starts_with("Script 'probe' failed at line 2, column 3: "),
        "{}",
        failure.message
    );
    assert!(failure.message.contains("write_it"), "{}", failure.message);
    assert_eq!(wrote.load(Ordering::SeqCst), 0);
    // What a rule allows, a script may do too.
    let outcome = called(vec![writer, probe()], &["probe", "write_it"], "probe", json!({})).await;
    assert_eq!(outcome.output().unwrap().json, json!("written"));
    assert_eq!(wrote.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn http_is_refused_without_a_grant_and_nothing_is_fetched() {
    let fetched = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&fetched);
    let fetch = plain(ToolSpec::new("fetch_url", "Fetches"), move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text("page"))
    });
    for (hosts, url, kind) in [
        (&[][..], "https://example.com/", ErrorKind::PermissionDenied),
        (&["other.com"], "https://example.com/", ErrorKind::PermissionDenied),
        (&["example.com"], "https://example.com@evil.com/", ErrorKind::InvalidArgs),
        (&["example.com"], "file:///etc/passwd", ErrorKind::InvalidArgs),
    ] {
        let outcome = called(
            vec![Arc::clone(&fetch), fetcher(hosts)],
            &["probe", "fetch_url"],
            "probe",
            json!({"url": url}),
        )
        .await;
        let failure = outcome.failure().unwrap();
        assert_eq!(failure.kind, kind, "{url}: {}", failure.message);
        assert!(failure.message.contains("http_get"), "{}", failure.message);
    }
    assert_eq!(fetched.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn with_a_grant_http_goes_through_the_tool_that_fetches_and_stays_on_granted_hosts() {
    let get = |fetch, hosts: &[&str]| {
        called(
            vec![fetch, fetcher(hosts)],
            &["probe", "fetch_url"],
            "probe",
            json!({"url": "https://example.com/a"}),
        )
    };
    let outcome = get(page("https://example.com/a"), &["example.com"]).await;
    assert_eq!(outcome.output().unwrap().json, json!("the page"));
    let elsewhere = get(page("https://evil.com/"), &["example.com"]).await;
    assert_eq!(elsewhere.failure().unwrap().kind, ErrorKind::PermissionDenied);
    let schema = json!({"type": "object", "additionalProperties": true});
    let redirect = plain(ToolSpec::new("fetch_url", "Fetches").with_schema(schema), |_| {
        Ok(ToolOutput::json(json!({"url": "https://example.com/a", "redirects_to": "https://evil.com/"})))
    });
    let redirected = get(redirect, &["example.com"]).await;
    assert!(redirected.failure().unwrap().message.contains("redirected to another host"));
    // The grant is no permission of the tool.
    let asked =
        plain(ToolSpec::new("fetch_url", "Fetches").with_effects(Effects::External, Risk::Medium), |_| {
            Ok(ToolOutput::text("page"))
        });
    let outcome =
        called(vec![asked, fetcher(&["*"])], &["probe"], "probe", json!({"url": "https://example.com/"}))
            .await;
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn files_are_read_through_the_tool_that_reads_them() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let read =
        plain(ToolSpec::new("read_file", "Reads").with_schema(schema), |args| match args["path"].as_str() {
            Some("a.txt") => Ok(ToolOutput::json(json!({"path": "a.txt", "content": "text of a"}))),
            _ => Err(ToolFailure::denied("outside the root")),
        });
    let text = "fn probe(args) { read_file(args.path).to_upper(); read_file(args.path) }";
    let get = |path: &str| {
        called(
            vec![Arc::clone(&read), shared(script("probe", text))],
            &["probe"],
            "probe",
            json!({"path": path}),
        )
    };
    assert_eq!(get("a.txt").await.output().unwrap().json, json!("text of a"));
    assert!(get("/etc/passwd").await.failure().unwrap().message.contains("outside the root"));
}

/// A tool that hangs until it is dropped.
struct Hangs {
    spec: ToolSpec,
    begun: Arc<Notify>,
    dropped: Arc<AtomicUsize>,
}

struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ToolPort for Hangs {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: &serde_json::Map<String, Value>, _: &ToolContext) -> Outcome {
        let _count = CountDrop(Arc::clone(&self.dropped));
        self.begun.notify_one();
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_7_cancelling_a_script_that_waits_for_a_tool_stops_both_within_a_second() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let begun = Arc::new(Notify::new());
    let spec = ToolSpec::new("hang", "Hangs");
    let hangs = Arc::new(Hangs { spec, begun: Arc::clone(&begun), dropped: Arc::clone(&dropped) });
    let probe = shared(script("probe", "fn probe() { try { call_tool(\"hang\") } catch { loop { } } }"));
    let (session, _journal) = session(vec![hangs, probe], &["probe"], "probe", &json!({}));
    let handle = session.send(go()).await.unwrap();
    begun.notified().await;
    let asked = Instant::now();
    session.cancel().await.unwrap();
    assert_eq!(handle.finished().await.unwrap().outcome, RunOutcome::Cancelled);
    while dropped.load(Ordering::SeqCst) == 0 {
        assert!(asked.elapsed() < Duration::from_secs(1), "the inner call goes on");
        tokio::task::yield_now().await;
    }
}
