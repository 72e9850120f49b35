//! The registry of host tools.

use std::sync::{Arc, RwLock};

use serde_json::{Value, json};
use windlass::dspy::async_trait;
use windlass::prelude::*;

use crate::host::{Echo, Inventory, PlayerGold, registry};

#[tokio::test]
async fn d_3_a_tool_without_a_schema_has_none_and_runs() {
    let tool: Arc<dyn Tool> = Arc::new(PlayerGold::default());
    assert_eq!((tool.name(), tool.args_schema()), ("get_player_gold", None));
    assert_eq!(tool.execute(json!({})).await, Ok(json!({"gold": 500})));
}

#[tokio::test]
async fn d_4_a_tool_with_a_schema_shows_it_and_runs() {
    let tool: Arc<dyn Tool> = Arc::new(Inventory);
    assert_eq!(tool.args_schema().unwrap()["required"], json!(["item"]));
    assert_eq!(tool.execute(json!({"item": "rope"})).await.unwrap()["has"], json!(true));
}

#[test]
fn d_6_a_new_registry_is_empty_and_so_is_the_default() {
    assert_eq!(ToolRegistry::new().to_json(), json!([]));
    assert_eq!(ToolRegistry::default().names().count(), 0);
}

#[tokio::test]
async fn d_7_the_same_name_replaces() {
    struct Richer;
    #[async_trait]
    impl Tool for Richer {
        fn name(&self) -> &str {
            "get_player_gold"
        }
        fn description(&self) -> &str {
            "Gives more"
        }
        async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
            Ok(json!({"gold": 501}))
        }
    }
    let mut registry = registry();
    let count = registry.names().count();
    registry.register(Arc::new(Richer));
    assert_eq!(registry.names().count(), count);
    assert_eq!(registry.execute("get_player_gold", json!({})).await, Ok(json!({"gold": 501})));
}

#[test]
fn d_8_a_tool_is_found_by_its_name() {
    let registry = registry();
    assert_eq!(registry.get("echo").unwrap().description(), "Says it again");
    assert!(registry.get("Echo").is_none());
}

#[tokio::test]
async fn d_9_an_unknown_name_is_not_found() {
    let registry = registry();
    assert_eq!(registry.execute("get_player_gold", json!({})).await, Ok(json!({"gold": 500})));
    assert_eq!(registry.execute("nobody", json!({})).await, Err(ToolError::NotFound("nobody".into())));
    let failed = registry.execute("broken", json!({})).await;
    assert_eq!(failed, Err(ToolError::ExecutionFailed("out of order".into())));
}

#[tokio::test]
async fn d_9_arguments_are_checked_against_the_schema() {
    let registry = registry();
    for (args, why) in [
        (json!({}), "Missing required arg 'item'"),
        (json!({"item": 5}), "item must be string"),
        (json!({"item": "rope", "count": true}), "count must be int"),
        (json!([1]), "'args' must be an object"),
    ] {
        let failed = registry.execute("check_inventory", args.clone()).await;
        assert_eq!(failed, Err(ToolError::InvalidArgs(why.into())), "{args}");
    }
    let given = json!({"item": "rope", "colour": "red"});
    let done = registry.execute("check_inventory", given).await.unwrap();
    assert_eq!(done["seen"], json!({"item": "rope", "colour": "red", "count": 1}));
}

#[tokio::test]
async fn d_9_a_tool_without_a_schema_gets_what_was_given() {
    let registry = registry();
    for args in [json!({"a": null, "b": {"c": [1]}}), json!([1, "two"]), json!("three")] {
        assert_eq!(registry.execute("echo", args.clone()).await, Ok(args));
    }
    assert_eq!(registry.execute("echo", Value::Null).await, Ok(json!({})));
}

#[tokio::test]
async fn d_10_a_call_is_executed_as_it_stands() {
    let call = ToolCall { name: "echo".into(), args: json!({"x": 1}) };
    assert_eq!(registry().execute_call(&call).await, Ok(json!({"x": 1})));
    let call = ToolCall { name: "nobody".into(), args: json!({}) };
    assert_eq!(registry().execute_call(&call).await, Err(ToolError::NotFound("nobody".into())));
}

#[test]
fn d_11_the_list_for_the_model_has_name_description_and_schema() {
    let mut registry = ToolRegistry::new();
    registry.register(Arc::new(PlayerGold::default()));
    registry.register(Arc::new(Inventory));
    assert_eq!(
        registry.to_json().to_string(),
        concat!(
            r#"[{"name":"check_inventory","description":"Check whether the player has an item","#,
            r#""args_schema":{"type":"object","properties":{"item":{"type":"string"},"#,
            r#""count":{"type":"integer","default":1}},"required":["item"]}},"#,
            r#"{"name":"get_player_gold","description":"Get player's current gold amount","args_schema":null}]"#
        )
    );
}

#[test]
fn r_13_the_list_is_the_same_whatever_the_order_of_registration() {
    let tools: [Arc<dyn Tool>; 3] = [Arc::new(Echo), Arc::new(Inventory), Arc::new(PlayerGold::default())];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let texts = orders.map(|order| {
        let mut registry = ToolRegistry::new();
        order.into_iter().for_each(|at: usize| registry.register(Arc::clone(&tools[at])));
        registry.to_json().to_string()
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
}

#[test]
fn d_20_everything_is_exported_at_the_root() {
    fn is_public<T: ?Sized>() {}
    is_public::<dyn windlass::Tool>();
    is_public::<windlass::ToolCall>();
    is_public::<windlass::ToolError>();
    is_public::<windlass::ToolRegistry>();
    is_public::<windlass::ToolWrapper>();
    is_public::<windlass::ToolWrapperConfig>();
}

/// Registers another tool while it runs.
struct Teacher(Arc<RwLock<ToolRegistry>>);

#[async_trait]
impl Tool for Teacher {
    fn name(&self) -> &str {
        "teach"
    }
    fn description(&self) -> &str {
        "Makes a new tool"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        self.0.write().unwrap().register(Arc::new(Echo));
        Ok(json!("taught"))
    }
}

#[tokio::test]
async fn r_14_a_host_tool_that_registers_a_tool_does_not_deadlock() {
    let shared = Arc::new(RwLock::new(ToolRegistry::new()));
    shared.write().unwrap().register(Arc::new(Teacher(Arc::clone(&shared))));
    let work = shared.read().unwrap().execute("teach", json!({}));
    assert_eq!(work.await, Ok(json!("taught")));
    let wrapper = ToolWrapper::new(Arc::new(shared.read().unwrap().clone()), ToolWrapperConfig::default());
    let predictor = crate::host::Predictor::new([
        crate::host::calling("teach", json!({})),
        crate::host::calling("echo", json!({"a": 1})),
        crate::host::answering("done"),
    ]);
    let output = predictor.invoke(&wrapper, json!({})).await.unwrap();
    assert_eq!(output["response"], "done");
}
