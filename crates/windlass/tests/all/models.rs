//! Connected models: names, keys, addresses, and a run over a real wire.

use windlass::models::catalog::CatalogError;
use windlass::prelude::*;
use windlass_testkit::provider::{ProviderServer, VendorScript};

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

fn refused(name: &str) -> WindlassError {
    match Windlass::builder().model(name) {
        Err(error) => error,
        Ok(_) => panic!("{name} was taken"),
    }
}

#[test]
fn a_model_without_a_key_is_chosen_by_its_name() {
    assert!(Windlass::builder().model("ollama/qwen3").unwrap().tool(add).build().is_ok());
    assert!(Windlass::builder().model_key("openai/gpt-5.5", "sk-1").unwrap().tool(add).build().is_ok());
}

#[test]
fn what_is_missing_or_misspelt_is_said() {
    assert!(matches!(refused("gpt-5.5"), WindlassError::UnknownModel(_)));
    assert!(matches!(refused("openai/gpt-5.5"), WindlassError::Model(CatalogError::NoKey { .. })));
    let error = refused("olama/qwen3").to_string();
    assert!(error.contains("did you mean 'ollama'?"), "{error}");
}

#[test]
fn a_model_that_calls_no_tools_is_refused_with_tools_and_taken_without() {
    let source = || {
        let source = ModelSource::new("box/mute").unwrap().base_url("http://127.0.0.1:1/v1");
        source.change(|overrides| {
            overrides.quirks.push([("calls".to_owned(), "none".into())].into_iter().collect());
        })
    };
    let built = Windlass::builder().model_source(source()).unwrap().tool(add).build();
    assert!(matches!(built, Err(WindlassError::NoToolSupport(name)) if name == "box/mute"));
    assert!(Windlass::builder().model_source(source()).unwrap().build().is_ok());
}

#[tokio::test]
async fn an_agent_runs_over_a_real_wire() {
    let server = ProviderServer::start().unwrap();
    let script = VendorScript { steps: 0, ..VendorScript::default() };
    let source = ModelSource::new(&format!("box/{script}")).unwrap().base_url(server.base_url("openai"));
    let agent = Windlass::builder().model_source(source).unwrap().build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    assert_eq!(answer.text.trim(), script.answer());
}
