//! The eight model tests of D-28: against the scripted model, and against a model of this process.
//!
//! The model of this process is the built-in one's weights without its manners: it has to follow the form of the
//! answer, which its grammar holds it to, and need not make sense.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};
use windlass::core::protocol::model::Sampling;
use windlass::dspy::{DSPyEngineError, ErrorKind, ModuleEngine, ModuleRequest};
use windlass::prelude::*;
use windlass_local::{LocalConfig, LocalModel, grammars};

use crate::shop::{engine, scripted};

/// What is tested with both.
trait Eight {
    /// An engine with the fixtures; a script is for those who play one.
    fn engine(script: &str) -> ModuleEngine;
}

struct BySection;

impl Eight for BySection {
    fn engine(script: &str) -> ModuleEngine {
        scripted(script)
    }
}

struct InProcess;

impl Eight for InProcess {
    fn engine(_script: &str) -> ModuleEngine {
        static MODEL: OnceLock<LocalModel> = OnceLock::new();
        let load = || {
            let weights =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/builtin/windlass-builtin.gguf");
            let config = LocalConfig {
                temperature: 0.0,
                output_tokens_max: 200,
                grammar: Some(grammars()),
                ..LocalConfig::new("local/test")
            };
            LocalModel::open(&weights, config).unwrap()
        };
        engine(MODEL.get_or_init(load).clone())
    }
}

fn ask(engine: &ModuleEngine, id: &str, input: Value) -> Result<Value, DSPyEngineError> {
    let sampling = Sampling { seed: Some(7), ..Sampling::default() };
    engine.invoke_traced_sync(ModuleRequest::new(id, input).with_sampling(sampling)).0
}

fn loads_modules<E: Eight>() {
    let engine = E::engine("user q\nmodel text x\n");
    assert_eq!(engine.module_ids(), ["test.cot_module", "test.predict_module", "test.tool_module"]);
}

fn predicts<E: Eight>() {
    let engine = E::engine("user q\nmodel text {\"is_glad\": true, \"points\": 9}\n");
    let output = ask(&engine, "test.predict_module", json!({"text": "What a day!"})).unwrap();
    assert!(output["is_glad"].is_boolean() && output["points"].is_i64(), "{output}");
}

fn reasons<E: Eight>() {
    let engine = E::engine("user q\nmodel text {\"reasoning\": \"Two and two.\", \"answer\": 4}\n");
    let output = ask(&engine, "test.cot_module", json!({"question": "2 + 2"})).unwrap();
    assert!(output["reasoning"].is_string() && output["answer"].is_i64(), "{output}");
}

fn misses_a_module<E: Eight>() {
    let engine = E::engine("user q\nmodel text x\n");
    let error = ask(&engine, "test.nobody", json!({})).unwrap_err();
    assert_eq!(error.to_string(), "Module not found: test.nobody");
}

fn misses_a_signature<E: Eight>() {
    let engine = E::engine("user q\nmodel text x\n");
    let error = ask(&engine, "test.unsigned_module", json!({"x": 1})).unwrap_err();
    assert_eq!(error.to_string(), "Signature not found: test.nobody_registered_this");
}

fn reloads<E: Eight>() {
    let engine = E::engine("user q\nmodel text {\"is_glad\": true, \"points\": 9}\n");
    let report = engine.reload_all();
    assert_eq!((report.loaded.len(), report.unchanged.len()), (0, 3), "{report:?}");
    assert_eq!(engine.reload_module("test.predict_module").unwrap().module_id, "test.predict_module");
    assert!(ask(&engine, "test.predict_module", json!({"text": "x"})).is_ok());
}

fn uses_tools<E: Eight>() {
    let engine = E::engine(
        "user q\nmodel text {\"response\":\"\",\"tool_call\":{\"name\":\"get_player_gold\",\"args\":{}}}\nmodel end\n\
         model text {\"response\":\"You have 500 gold coins.\",\"tool_call\":null}\n",
    );
    let request = ModuleRequest::new("test.tool_module", json!({"query": "How much gold do I have?"}))
        .with_tools(ToolWrapperConfig::default());
    match engine.invoke_traced_sync(request) {
        (Ok(output), _) => assert!(output["response"].is_string(), "{output}"),
        // A model that is not trained for it may go on calling, or call with arguments that do not fit.
        (Err(error), trace) => {
            let is_acceptable =
                matches!(error.kind(), ErrorKind::MaxIterationsReached | ErrorKind::ToolError);
            assert!(is_acceptable, "{error}");
            assert!(!trace.tools.is_empty(), "{trace:?}");
        }
    }
}

fn refuses_tools<E: Eight>() {
    let engine = E::engine("user q\nmodel text x\n");
    let error = engine.invoke_with_tools_sync("test.predict_module", json!({"text": "x"})).unwrap_err();
    assert_eq!(error.to_string(), "Tools not enabled for module: test.predict_module");
}

#[test]
fn d_28_scripted_modules_are_loaded() {
    loads_modules::<BySection>();
}

#[test]
fn d_28_scripted_a_module_predicts() {
    predicts::<BySection>();
}

#[test]
fn d_28_scripted_a_module_reasons() {
    reasons::<BySection>();
}

#[test]
fn d_28_scripted_a_module_that_is_not_there_is_named() {
    misses_a_module::<BySection>();
}

#[test]
fn d_28_scripted_a_signature_that_is_not_there_is_named() {
    misses_a_signature::<BySection>();
}

#[test]
fn d_28_scripted_modules_are_reloaded() {
    reloads::<BySection>();
}

#[test]
fn d_28_scripted_a_module_uses_tools() {
    uses_tools::<BySection>();
}

#[test]
fn d_28_scripted_tools_that_are_not_enabled_are_refused() {
    refuses_tools::<BySection>();
}

#[test]
fn d_28_in_process_modules_are_loaded() {
    loads_modules::<InProcess>();
}

#[test]
fn d_28_in_process_a_module_predicts() {
    predicts::<InProcess>();
}

#[test]
fn d_28_in_process_a_module_reasons() {
    reasons::<InProcess>();
}

#[test]
fn d_28_in_process_a_module_that_is_not_there_is_named() {
    misses_a_module::<InProcess>();
}

#[test]
fn d_28_in_process_a_signature_that_is_not_there_is_named() {
    misses_a_signature::<InProcess>();
}

#[test]
fn d_28_in_process_modules_are_reloaded() {
    reloads::<InProcess>();
}

#[test]
fn d_28_in_process_a_module_uses_tools() {
    uses_tools::<InProcess>();
}

#[test]
fn d_28_in_process_tools_that_are_not_enabled_are_refused() {
    refuses_tools::<InProcess>();
}
