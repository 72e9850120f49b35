//! What models are told of every built-in tool, as it stands in `specs.json`: a word more or less is seen in review.

use std::path::Path;

use serde_json::{Value, json};
use windlass_tools::{ToolsConfig, builtin};

#[test]
fn z_27_models_are_told_of_each_tool_what_the_file_of_specs_says() {
    let told = |tool: &std::sync::Arc<dyn windlass_core::ports::ToolPort>| {
        let spec = tool.spec();
        json!({"name": spec.name, "description": spec.description, "schema": spec.schema})
    };
    let specs: Vec<Value> = builtin(&ToolsConfig::default()).iter().map(told).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/specs.json");
    if std::env::var_os("WINDLASS_REWRITE").is_some() {
        std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&specs).unwrap())).unwrap();
    }
    let recorded: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (spec, recorded) in specs.iter().zip(&recorded) {
        assert_eq!(spec, recorded);
    }
    assert_eq!(specs.len(), recorded.len());
}
