//! The step `api`: a fuzzer asks everything that the API document allows, and much that it does not.
//!
//! Owns how hard. It passes when the fuzzer ends well (no answer of the server's own fault, none that the document
//! does not know) *and* its report shows that every operation was tried and most of them succeeded: a server that
//! refuses everything would please it too.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::client_sets::API_CHECKERS;
use crate::command_line::CommandLine;
use crate::server_process::{Model, ServerProcess, build_binary};
use crate::toolbox;

/// What the emulated provider answers: the same to everything.
const ANSWERS: &str = "fixtures/clients/anything.json";

/// What the fuzzer is told beside the API document.
const SETTINGS: &str = "fixtures/clients/schemathesis.toml";

/// Inputs for each operation: about a minute for all of them.
const EXAMPLES_MAX: &str = "50";

/// Operations that must have succeeded at least once. The others need what a fuzzer does not find: a run that asks, a
/// rule that is well formed.
const SUCCEEDED_MIN: usize = 34;

/// Lets the fuzzer loose on one server.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    toolbox::EMULATOR.find_or_install(root, target_folder)?;
    let programs = API_CHECKERS.find_or_install(root, target_folder)?;
    let binary = build_binary(root, target_folder)?;
    let provider = ServerProcess::provider(root, target_folder, ANSWERS)?;
    let base_url = format!("{}/v1", provider.url);
    let model = Model { name: "openai-compatible/emulated", base_url: &base_url };
    let server = ServerProcess::windlass(root, target_folder, &binary, &model)?;
    // It keeps what it found last time where it runs; every time must be the first.
    let place = target_folder.join("xtask-tools/api");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place)?;
    let report = place.join("report.ndjson");
    let settings = format!("--config-file={}", root.join(SETTINGS).display());
    let document = format!("{}/openapi.json", server.url);
    let key = format!("Authorization: Bearer {}", server.token);
    let report_path = format!("--report-ndjson-path={}", report.display());
    let args = [
        &settings,
        "run",
        &document,
        "--header",
        &key,
        "--checks=all",
        "--phases=examples,coverage,fuzzing,stateful",
        "--max-examples",
        EXAMPLES_MAX,
        "--generation-deterministic",
        "--no-color",
        "--report=ndjson",
        &report_path,
    ];
    let fuzzer = CommandLine::new(&place, &programs.join("schemathesis").to_string_lossy(), &args);
    println!("      {}", fuzzer.to_string().replace(&server.token, "TOKEN"));
    if !fuzzer.succeeds()? {
        bail!("the fuzzer found something; target/xtask-tools/served.log has what the server said");
    }
    let text =
        std::fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
    let tried = judge(&text)?;
    println!("      {} operations tried, {} of them with success", tried.all.len(), tried.succeeded.len());
    Ok(())
}

/// Operations in a report.
#[derive(Debug, Default)]
struct TriedOperations {
    all: BTreeSet<String>,
    succeeded: BTreeSet<String>,
}

fn judge(report: &str) -> Result<TriedOperations> {
    let mut tried = TriedOperations::default();
    for line in report.lines() {
        let event: Value = serde_json::from_str(line).context("the fuzzer's report is no JSON")?;
        let Some(recorder) = event.pointer("/ScenarioFinished/recorder") else { continue };
        let Some(label) = recorder.get("label").and_then(Value::as_str).filter(|label| label.contains('/'))
        else {
            continue;
        };
        tried.all.insert(label.to_owned());
        let interactions = recorder.get("interactions").and_then(Value::as_object);
        let statuses = interactions
            .into_iter()
            .flatten()
            .filter_map(|(_, exchange)| exchange.pointer("/response/status_code").and_then(Value::as_u64));
        if statuses.into_iter().any(|status| (200..300).contains(&status)) {
            tried.succeeded.insert(label.to_owned());
        }
    }
    if tried.succeeded.len() < SUCCEEDED_MIN {
        let refused: Vec<&str> = tried.all.difference(&tried.succeeded).map(String::as_str).collect();
        bail!(
            "only {} of {} operations ever succeeded, and {SUCCEEDED_MIN} must; without success: {}",
            tried.succeeded.len(),
            tried.all.len(),
            refused.join(", ")
        );
    }
    Ok(tried)
}

#[cfg(test)]
#[path = "api_tests.rs"]
mod tests;
