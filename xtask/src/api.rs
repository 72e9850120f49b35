//! The step `api`: a fuzzer asks everything that the API document allows, and much that it does not.
//!
//! Owns how long and how hard. It passes when the fuzzer ends well and says itself that every operation of the
//! document was tried: no answer of the server's own fault, none that the document does not know.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::client_sets::API_CHECKERS;
use crate::invocation::Invocation;
use crate::served::{Model, Served, build_binary};

/// What the emulated provider answers: the same to everything.
const ANSWERS: &str = "fixtures/clients/anything.json";

/// Inputs for each operation: enough to find what an hour finds in most of its kind.
const EXAMPLES_MAX: &str = "50";
/// Names that the fuzzer gives to what it did; each must be there, or it did nothing.
const PHASES: &str = "examples,coverage,fuzzing,stateful";

/// Lets the fuzzer loose on one server.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    let programs = API_CHECKERS.find_or_install(root, target_folder)?;
    let binary = build_binary(root, target_folder)?;
    let provider = Served::provider(root, target_folder, ANSWERS)?;
    let base_url = format!("{}/v1", provider.url);
    let model = Model { name: "openai-compatible/emulated", base_url: Some(&base_url), settings: &[] };
    let server = Served::windlass(root, target_folder, &binary, &model)?;
    let document = format!("{}/openapi.json", server.url);
    let report_folder = target_folder.join("xtask-tools/api-report");
    let _ = std::fs::remove_dir_all(&report_folder);
    let report = report_folder.join("report.ndjson");
    let report_text = format!("--report-ndjson-path={}", report.display());
    let fuzzer = programs.join("schemathesis");
    let args = [
        "run",
        &document,
        "--checks=all",
        "--phases",
        PHASES,
        "--max-examples",
        EXAMPLES_MAX,
        "--generation-deterministic",
        "--no-color",
        "--report=ndjson",
        &report_text,
    ];
    let invocation = Invocation::new(root, &fuzzer.to_string_lossy(), &args);
    println!("      {invocation}");
    let is_well = invocation.succeeds()?;
    if !is_well {
        bail!("the fuzzer found something; target/xtask-tools/served.log has what the server said");
    }
    let tried = operations_tried(&report)?;
    println!("      {tried} operations answered as the document says");
    Ok(())
}

fn operations_tried(report: &Path) -> Result<usize> {
    let text =
        std::fs::read_to_string(report).with_context(|| format!("cannot read {}", report.display()))?;
    let mut tried = std::collections::BTreeSet::new();
    for line in text.lines() {
        let event: Value = serde_json::from_str(line)?;
        if let Some(label) = event.pointer("/ScenarioFinished/recorder/label").and_then(Value::as_str) {
            tried.insert(label.to_owned());
        }
    }
    if tried.is_empty() {
        bail!("the fuzzer tried nothing");
    }
    Ok(tried.len())
}
