//! Recordings of models: a real wire is recorded, played without its provider, and a changed prompt is told.

use std::path::Path;

use serde_json::json;
use windlass::prelude::*;
use windlass::testing::{Cassette, CassetteError, FixedClock, scripted};

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

/// Opens a ticket: no two have the same number.
#[tool]
async fn open_ticket() -> Result<serde_json::Value, ToolError> {
    let id = windlass::engine::ids::new_run_id().to_string();
    Ok(json!({"ticket": id.trim_start_matches("run_"), "opened_at": "2026-01-02T03:04:05Z"}))
}

const SUM: &str =
    "user What is 19 + 23?\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is 42.\n";

fn agent(cassette: Cassette, system: &str) -> Windlass {
    let builder = Windlass::builder().model_port(cassette).system(system);
    builder.clock(FixedClock::default()).tool(add).tool(open_ticket).build().unwrap()
}

fn record(path: &Path, script: &str, question: &str) -> Answer {
    agent(Cassette::record_to(path, scripted(script)).unwrap(), "").run_sync(question).unwrap()
}

#[test]
fn what_was_recorded_is_played_with_the_same_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deeper/sum.jsonl");
    let recorded = record(&path, SUM, "What is 19 + 23?");
    let played = agent(Cassette::replay(&path).unwrap(), "").run_sync("What is 19 + 23?").unwrap();
    assert_eq!(played.text, "It is 42.");
    let without_id = |answer: Answer| RunTrace { run_id: String::new(), ..answer.trace };
    assert_eq!(without_id(played), without_id(recorded));
}

#[test]
fn a_request_more_or_another_one_fails_and_so_does_all_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.jsonl");
    record(&path, SUM, "What is 19 + 23?");
    let played = agent(Cassette::replay(&path).unwrap(), "");
    let error = played.run_sync("What is 19 + 24?").unwrap_err().to_string();
    assert!(
        error.contains("request 1 (step 1 of its run) differs at $.messages[0].parts[0].text"),
        "{error}"
    );
    assert!(error.contains("19 + 23?") && error.contains("19 + 24?"), "{error}");
    assert_eq!(played.run_sync("What is 19 + 23?").unwrap_err().to_string(), error);

    let played = agent(Cassette::replay(&path).unwrap(), "");
    played.run_sync("What is 19 + 23?").unwrap();
    let error = played.run_sync("And now?").unwrap_err().to_string();
    assert!(error.contains("has 2 requests, and another one was asked"), "{error}");
}

#[test]
fn ids_and_times_of_outcomes_are_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ticket.jsonl");
    let script = "user Open one.\nmodel call 1 open_ticket {}\nmodel end\nmodel text Done.\n";
    let recorded = record(&path, script, "Open one.");
    let played = agent(Cassette::replay(&path).unwrap(), "").run_sync("Open one.").unwrap();
    assert_ne!(played.trace.tools[0].output_raw["ticket"], recorded.trace.tools[0].output_raw["ticket"]);
    assert_eq!(played.text, "Done.");
}

#[test]
fn what_only_the_test_knows_is_made_equal_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.jsonl");
    let blank = |request: &mut serde_json::Value| request["system"] = json!("somewhere");
    let recording = Cassette::record_to(&path, scripted(SUM)).unwrap().prepare(blank);
    agent(recording, "You work in /tmp/a.").run_sync("What is 19 + 23?").unwrap();
    let playing = Cassette::replay(&path).unwrap().prepare(blank);
    agent(playing, "You work in /tmp/b.").run_sync("What is 19 + 23?").unwrap();
}

#[test]
fn secrets_are_not_in_the_file_and_it_is_played_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.jsonl");
    // Nobody names this one: its form gives it away.
    let formed = format!("sk-ant-api03-{}", "abcdefghij".repeat(4));
    let script = format!("user Say it.\nmodel text It is open sesame, or {formed}\n");
    let system = "The word is open sesame.";
    let recording = Cassette::record_to(&path, scripted(&script)).unwrap().secret("open sesame");
    let said = agent(recording, system).run_sync("Say it.").unwrap().text;
    assert!(said.contains("open sesame") && said.contains(&formed), "it was said: {said}");
    let file = std::fs::read_to_string(&path).unwrap();
    assert!(!file.contains("open sesame") && !file.contains("abcdefghij"), "{file}");
    let playing = Cassette::replay(&path).unwrap().secret("open sesame");
    let answer = agent(playing, system).run_sync("Say it.").unwrap();
    assert!(answer.text.starts_with("It is ***"), "{}", answer.text);
}

#[test]
fn a_failure_of_the_model_is_played_as_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.jsonl");
    let script = "user Go.\nmodel text Well\nmodel fail! auth The key is refused.\n";
    let asked = |cassette: Cassette| agent(cassette, "").run_sync("Go.").unwrap_err().to_string();
    let recorded = asked(Cassette::record_to(&path, scripted(script)).unwrap());
    assert_eq!(asked(Cassette::replay(&path).unwrap()), recorded);
}

#[test]
fn what_is_no_cassette_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.jsonl");
    assert!(matches!(Cassette::replay(&path), Err(CassetteError::File { .. })));
    std::fs::write(&path, "hello\n").unwrap();
    assert!(matches!(Cassette::replay(&path), Err(CassetteError::Line { line: 1, .. })));
}

#[cfg(feature = "models")]
mod over_a_wire {
    use windlass_testkit::provider::{ProviderServer, VendorScript, VendorTool};

    use super::*;

    const KEY: &str = "kk-99887766554433";

    /// Adds.
    #[tool]
    async fn calculate(expression: String) -> Result<String, ToolError> {
        Ok(format!("sum of {expression}"))
    }

    fn agent(cassette: Cassette, system: &str) -> Windlass {
        Windlass::builder().model_port(cassette).system(system).tool(calculate).build().unwrap()
    }

    #[tokio::test]
    async fn a_provider_is_recorded_and_played_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let system = format!("The key is {KEY}; never say it.");
        for vendor in ["openai", "openrouter", "anthropic"] {
            let path = folder.path().join(format!("{vendor}.jsonl"));
            let script = VendorScript { steps: 2, tool: VendorTool::Sum, ..VendorScript::default() };
            let recorded = {
                let server = ProviderServer::start().unwrap();
                let source = ModelSource::new(&format!("{vendor}/{script}")).unwrap();
                let model = source.key(KEY).base_url(server.base_url(vendor)).open().unwrap();
                let recording = Cassette::record_to(&path, model).unwrap().secret(KEY);
                let recorded = agent(recording, &system).run("Go.").await.unwrap();
                assert_eq!(server.ledger().requests.len(), 3, "{vendor}");
                assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
                recorded
            };
            assert_eq!(recorded.text.trim(), script.answer());
            let file = std::fs::read_to_string(&path).unwrap();
            assert!(!file.contains(KEY) && file.contains("The key is ***;"), "{file}");

            // The provider is gone.
            let playing = || Cassette::replay(&path).unwrap().secret(KEY);
            let played = agent(playing(), &system).run("Go.").await.unwrap();
            assert_eq!((&played.text, played.usage), (&recorded.text, recorded.usage), "{vendor}");
            assert_eq!(played.trace.tools.len(), 2);
            assert_eq!(played.trace.model, recorded.trace.model);

            let changed = agent(playing(), &system.replace("never", "do not")).run("Go.").await;
            let error = changed.unwrap_err().to_string();
            assert!(error.contains("differs at $.system") && error.contains("never say it"), "{error}");
            assert!(error.contains("do not say it") && !error.contains(KEY), "{error}");
        }
    }
}
