//! The sixteen errors of the module engine: their texts, their kinds, and where they come from.

use std::sync::Arc;

use serde_json::json;
use windlass::dspy::{
    CallerError, CallerErrorType, DSPyEngineError, ErrorKind, ModuleEngine, ModuleError, SignatureRegistry,
    ToolErrorKind,
};
use windlass::prelude::*;

use crate::shop::{Answering, folder, tool_module};

fn all() -> [(DSPyEngineError, ErrorKind, &'static str, CallerErrorType); 16] {
    use CallerErrorType as T;
    use DSPyEngineError as E;
    let text = || "X".to_owned();
    let mismatch = E::HashMismatch { module: text(), expected: "sha256:a".into(), actual: "sha256:b".into() };
    let unreloaded = E::HotReloadFailed { path: "x.json".into(), reason: "broken".into() };
    let mismatch_text = "Hash mismatch for module X: expected sha256:a, actual sha256:b";
    let tool = E::ToolError(ToolError::NotFound(text()));
    [
        (E::ModuleNotFound(text()), ErrorKind::ModuleNotFound, "Module not found: X", T::ModuleNotFound),
        (
            E::SignatureNotFound(text()),
            ErrorKind::SignatureNotFound,
            "Signature not found: X",
            T::SignatureNotFound,
        ),
        (
            E::ToolsNotEnabled(text()),
            ErrorKind::ToolsNotEnabled,
            "Tools not enabled for module: X",
            T::ToolsNotEnabled,
        ),
        (
            E::MaxIterationsReached(5),
            ErrorKind::MaxIterationsReached,
            "Maximum iterations (5) reached during tool execution",
            T::RuntimeError,
        ),
        (E::InferenceError(text()), ErrorKind::InferenceError, "Inference error: X", T::InferenceError),
        (E::ParseError(text()), ErrorKind::ParseError, "Parse error: X", T::ConversionError),
        (E::IoError(text()), ErrorKind::IoError, "IO error: X", T::RuntimeError),
        (E::JsonError(text()), ErrorKind::JsonError, "JSON error: X", T::ConversionError),
        (E::RuntimeError(text()), ErrorKind::RuntimeError, "Runtime error: X", T::RuntimeError),
        (E::ConfigError(text()), ErrorKind::ConfigError, "Configuration error: X", T::RuntimeError),
        (mismatch, ErrorKind::HashMismatch, mismatch_text, T::RuntimeError),
        (
            E::InvalidModuleFormat(text()),
            ErrorKind::InvalidModuleFormat,
            "Invalid module format: X",
            T::RuntimeError,
        ),
        (E::WatcherError(text()), ErrorKind::WatcherError, "Watcher error: X", T::RuntimeError),
        (unreloaded, ErrorKind::HotReloadFailed, "Hot reload failed for x.json: broken", T::RuntimeError),
        (tool, ErrorKind::ToolError, "Tool error: Tool not found: X", T::ToolNotFound),
        (E::Timeout(50), ErrorKind::Timeout, "Operation timed out after 50ms", T::Timeout),
    ]
}

#[test]
fn d_25_the_sixteen_errors_have_their_texts_and_kinds() {
    for (error, kind, text, error_type) in all() {
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
        let caller = CallerError::from(error);
        assert_eq!((caller.error_type, caller.message.as_str()), (error_type, text));
    }
    let failed = CallerError::from(DSPyEngineError::ToolError(ToolError::ExecutionFailed("no".into())));
    assert_eq!(failed.error_type, CallerErrorType::ToolExecutionFailed);
}

#[test]
fn d_25_a_tool_error_becomes_an_engine_error_and_keeps_its_kind() {
    let kinds = [
        (ToolError::NotFound("x".into()), ToolErrorKind::NotFound),
        (ToolError::InvalidArgs("x".into()), ToolErrorKind::InvalidArgs),
        (ToolError::ExecutionFailed("x".into()), ToolErrorKind::ExecutionFailed),
        (ToolError::SerializationError("x".into()), ToolErrorKind::SerializationError),
    ];
    for (error, kind) in kinds {
        assert_eq!(error.kind(), kind);
        assert_eq!(DSPyEngineError::from(error.clone()), DSPyEngineError::ToolError(error));
    }
}

#[test]
fn d_25_what_is_wrong_with_files_keeps_its_kind() {
    let errors = [
        (ModuleError::ModuleNotFound("x".into()), ErrorKind::ModuleNotFound),
        (ModuleError::SignatureNotFound("x".into()), ErrorKind::SignatureNotFound),
        (ModuleError::Parse("x".into()), ErrorKind::ParseError),
        (ModuleError::Io("x".into()), ErrorKind::IoError),
        (ModuleError::Json("x".into()), ErrorKind::JsonError),
        (ModuleError::InvalidFormat("x".into()), ErrorKind::InvalidModuleFormat),
        (
            ModuleError::HashMismatch { module: "x".into(), expected: "a".into(), actual: "b".into() },
            ErrorKind::HashMismatch,
        ),
        (ModuleError::Config("x".into()), ErrorKind::ConfigError),
        (ModuleError::Watcher("x".into()), ErrorKind::WatcherError),
        (ModuleError::HotReloadFailed { path: "x".into(), reason: "y".into() }, ErrorKind::HotReloadFailed),
    ];
    for (error, kind) in errors {
        let text = error.to_string();
        let error = DSPyEngineError::from(error);
        assert_eq!((error.kind(), error.to_string()), (kind, text));
    }
}

fn open(folder: &std::path::Path) -> Result<ModuleEngine, DSPyEngineError> {
    ModuleEngine::new(
        folder,
        Arc::new(Answering::outputs([json!({"response": "x"})])),
        SignatureRegistry::new(),
    )
}

#[test]
fn r_19_a_file_that_is_not_the_one_of_the_manifest_is_a_hash_mismatch() {
    let folder = folder(&[("a", tool_module("a", "predict")), ("b", tool_module("b", "predict"))]);
    let manifest = json!({"version": "1.0", "modules": {
        "a": {"path": "a.json", "hash": format!("sha256:{}", "0".repeat(64))},
        "b": {"path": "b.json"},
    }});
    std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    let engine = open(folder.path()).unwrap();
    assert_eq!(engine.module_ids(), ["b"]);
    let error = engine.invoke_sync("a", json!({"query": "q"})).unwrap_err();
    assert!(matches!(&error, DSPyEngineError::HashMismatch { module, .. } if module == "a"), "{error}");
    assert!(engine.invoke_sync("b", json!({"query": "q"})).is_ok());
}

#[test]
fn r_18_a_broken_manifest_or_module_keeps_the_previous_modules() {
    let folder = folder(&[("a", tool_module("a", "predict")), ("b", tool_module("b", "predict"))]);
    let engine = open(folder.path()).unwrap();
    std::fs::write(folder.path().join("a.json"), "{\"module_id\": \"a\",\n  broken").unwrap();
    let report = engine.reload_all();
    assert_eq!(report.kept, ["a"]);
    let (path, error) = &report.failed[0];
    assert!(path.ends_with("a.json") && error.to_string().contains("2:"), "{error}");
    let error = engine.reload_module("a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JsonError, "{error}");
    assert!(engine.invoke_sync("a", json!({"query": "q"})).is_ok());

    std::fs::write(folder.path().join("manifest.json"), "{").unwrap();
    assert_eq!(engine.reload_all().failed.len(), 2);
    assert_eq!(engine.module_ids(), ["a", "b"]);
    assert!(engine.invoke_sync("b", json!({"query": "q"})).is_ok());
    // Nothing can be kept by an engine that had nothing.
    assert_eq!(open(folder.path()).unwrap_err().kind(), ErrorKind::JsonError);
}

#[test]
fn a_module_that_was_left_out_says_why() {
    let folder = folder(&[("a", json!({"module_id": "a", "instruction": "No signature."}))]);
    let error = open(folder.path()).unwrap().invoke_sync("a", json!({})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidModuleFormat, "{error}");
    // Repaired, it is there without a word.
    std::fs::write(folder.path().join("a.json"), tool_module("a", "predict").to_string()).unwrap();
    let engine = open(folder.path()).unwrap();
    assert!(engine.invoke_sync("a", json!({"query": "q"})).is_ok());
    std::fs::remove_file(folder.path().join("a.json")).unwrap();
    engine.reload_all();
    let error = engine.invoke_sync("a", json!({"query": "q"})).unwrap_err();
    assert_eq!(error, DSPyEngineError::ModuleNotFound("a".into()));
}

#[test]
fn a_folder_without_a_manifest_has_no_modules() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open(folder.path()).unwrap().module_count(), 0);
}
