//! The test list of the structured loop (E-45), over the four real tools of that profile.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::calls::check::check_call;
use windlass_core::calls::envelope::summary;
use windlass_core::calls::toolset::{ToolEntry, Toolset};
use windlass_core::ports::{ArgsValidator, Violation};
use windlass_core::profile::Profile;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{CheckedCall, ToolCall, ToolFailure, ToolOutcome};
use windlass_tools::{ToolsConfig, builtin};

use crate::context::Bench;

/// The types are the core's business; the full schema is checked elsewhere.
struct TypesOnly;

impl ArgsValidator for TypesOnly {
    fn check(&self, _args: &Value) -> Vec<Violation> {
        Vec::new()
    }
}

fn edison() -> Toolset {
    let profile = Profile::edison();
    let tools = builtin(&ToolsConfig::default());
    let specs = tools.iter().map(|tool| tool.spec()).filter(|spec| profile.offers(&spec.name));
    Toolset::new(specs.map(|spec| ToolEntry::new(Arc::new(spec.clone()), Arc::new(TypesOnly))).collect())
        .unwrap()
}

fn check(name: &str, args: Value) -> Result<CheckedCall, ToolFailure> {
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: name.into(),
        arguments: args.to_string(),
        state: None,
    };
    check_call(&edison(), call, args).map_err(|(_, failure)| failure)
}

#[test]
fn e_45_valid_calls_are_normalised_with_their_defaults_and_without_unknown_arguments() {
    let args = |name, args| Value::Object(check(name, args).unwrap().args);
    assert_eq!(
        args("web_search", json!({"query": "python async"})),
        json!({"query": "python async", "max_results": 5})
    );
    assert_eq!(
        args("rag_search", json!({"query": "q", "x": 1})),
        json!({"query": "q", "limit": 3, "global": false})
    );
    assert_eq!(
        args("generate_image", json!({"prompt": "p", "guidance_scale": 7})),
        json!({"prompt": "p", "guidance_scale": 7, "width": 1024, "height": 1024, "steps": 20})
    );
    assert_eq!(args("system_stats", json!({})), json!({}));
}

#[test]
fn e_45_wrong_calls_are_refused_in_clear_words_at_every_type_boundary() {
    for (name, args, message) in [
        ("nope", json!({}), "Unknown tool 'nope'"),
        ("web_search", json!({}), "Missing required arg 'query'"),
        ("web_search", json!({"query": 5}), "query must be string"),
        ("web_search", json!({"query": "q", "max_results": "5"}), "max_results must be int"),
        ("web_search", json!({"query": "q", "max_results": true}), "max_results must be int"),
        ("rag_search", json!({"query": "q", "global": 1}), "global must be bool"),
        ("generate_image", json!({"prompt": "p", "steps": 20.5}), "steps must be int"),
        ("generate_image", json!({"prompt": "p", "guidance_scale": true}), "guidance_scale must be float"),
    ] {
        assert_eq!(check(name, args).unwrap_err().message, message);
    }
}

#[tokio::test]
async fn e_45_every_tool_has_its_summary_and_its_error_case() {
    let bench = Bench::default();
    let outcome = async |name: &str, args: Value| match bench.call(name, args).await {
        Ok(output) => ToolOutcome::ok(output),
        Err(failure) => ToolOutcome::failed(failure),
    };
    let said = |name: &str, outcome: &ToolOutcome| summary(name, outcome);
    let search = outcome("web_search", json!({"query": "q", "max_results": 5})).await;
    assert!(said("web_search", &search).starts_with("web_search failed: web_search unavailable"));
    let rag = outcome("rag_search", json!({"query": "q", "limit": 3, "global": false})).await;
    assert!(said("rag_search", &rag).starts_with("rag_search failed: RAG not available"));
    let stats = outcome("system_stats", json!({})).await;
    assert!(said("system_stats", &stats).starts_with("System stats: "), "{}", said("system_stats", &stats));
    let args = json!({"prompt": "p", "width": 64, "height": 64, "steps": 1, "guidance_scale": 1.0});
    let image = outcome("generate_image", args).await;
    assert!(said("generate_image", &image).contains("Image generation requested"));
}
