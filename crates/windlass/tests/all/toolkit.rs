//! Tools with state, methods as tools, closures, groups, rules and layers, in real runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use windlass::core::protocol::tool::{Effects, Risk};
use windlass::layers::{CallLog, ModelRetry, RateLimit, SecretMask, ToolCache};
use windlass::prelude::*;
use windlass::{MissingState, StateSet};

struct Desk {
    orders: Mutex<Vec<String>>,
    looks: AtomicU64,
}

impl Desk {
    fn new() -> Arc<Self> {
        Arc::new(Self { orders: Mutex::default(), looks: AtomicU64::new(0) })
    }
}

struct Shop(&'static str);

#[tools]
impl Desk {
    /// Takes an order.
    #[tool(effects = "write", risk = "safe", alias = "order")]
    async fn take_order(&self, item: String, context: &ToolContext) -> Result<String, ToolError> {
        self.orders.lock().unwrap().push(item.clone());
        Ok(format!("{item} {}", context.call_id))
    }

    /// Counts the orders, which may take its time.
    #[tool(effects = "read", risk = "safe")]
    fn count_orders(&self, State(shop): State<Shop>) -> String {
        self.looks.fetch_add(1, Ordering::SeqCst);
        format!("{} at {}", self.orders.lock().unwrap().len(), shop.0)
    }

    /// Says what is sold.
    #[tool(risk = "safe")]
    async fn list_goods() -> Vec<&'static str> {
        vec!["tea"]
    }
}

/// Names the shop.
#[tool(effects = "read", risk = "safe")]
async fn name_shop(shop: State<Shop>, loud: Option<bool>) -> String {
    if loud.unwrap_or_default() { shop.0.0.to_uppercase() } else { shop.0.0.to_owned() }
}

fn agent(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap()
}

fn outputs(answer: &Answer) -> Vec<serde_json::Value> {
    answer.trace.tools.iter().map(|call| call.output_raw.clone()).collect()
}

const ORDERS: &str = "user q\nmodel call 1 take_order {\"item\":\"tea\"}\nmodel end\nmodel call 2 count_orders\nmodel end\n\
                      model call 3 list_goods\nmodel end\nmodel text Done.\n";

#[tokio::test]
async fn methods_of_a_struct_are_tools_that_share_it() {
    let desk = Desk::new();
    let built = agent(ORDERS).state(Shop("Harbour")).tool_group(Arc::clone(&desk)).build().unwrap();
    let answer = built.run("q").await.unwrap();
    assert_eq!(outputs(&answer), [json!("tea call_1"), json!("1 at Harbour"), json!(["tea"])]);
    assert_eq!(*desk.orders.lock().unwrap(), ["tea"]);
}

#[test]
fn a_missing_state_is_an_error_of_build_that_names_tool_and_type() {
    let error = agent(ORDERS).tool(name_shop).build().err().unwrap();
    assert!(matches!(&error, WindlassError::State(MissingState { tool, .. }) if tool == "name_shop"));
    assert!(error.to_string().contains("Shop"), "{error}");
    let port = name_shop.into_tool().bind(&StateSet::new().with(Shop("Quay"))).unwrap();
    assert!(port.spec().property("loud").is_some() && port.spec().property("shop").is_none());
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    /// The first.
    a: i64,
    b: i64,
}

#[tokio::test]
async fn a_closure_is_a_tool_and_its_arguments_are_checked() {
    let script = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add {\"a\":\"x\",\"b\":2}\nmodel end\nmodel text 3.\n";
    let add = tool_fn("add", "Adds.", |pair: Pair| async move { Ok::<_, ToolError>(pair.a + pair.b) });
    let answer = agent(script).tool(add.risk(Risk::Safe)).build().unwrap().run("q").await.unwrap();
    assert_eq!(answer.trace.tools[0].output_raw, json!(3));
    assert!(answer.trace.tools[1].error.is_some());
}

#[tokio::test]
async fn a_group_has_one_prefix_one_limit_and_one_risk() {
    let script = "user q\nmodel call 1 shop_name_shop {\"loud\":true}\nmodel end\nmodel text Done.\n";
    let group =
        ToolGroup::new().with(name_shop).prefix("shop_").timeout(Duration::from_secs(9)).risk(Risk::Low);
    let answer =
        agent(script).state(Shop("Quay")).tool_group(group).approve(ApproveMode::All).build().unwrap();
    assert_eq!(outputs(&answer.run("q").await.unwrap()), [json!("QUAY")]);
}

#[tokio::test]
async fn rules_of_the_builder_allow_and_deny() {
    let script = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Done.\n";
    let add = || {
        tool_fn("add", "Adds.", |pair: Pair| async move { Ok::<_, ToolError>(pair.a + pair.b) })
            .effects(Effects::Write)
    };
    let allowed = agent(script).tool(add()).allow("add").unwrap().build().unwrap().run("q").await.unwrap();
    assert_eq!(outputs(&allowed), [json!(3)]);
    let denied = agent(script).tool(add()).approve(ApproveMode::All).deny("add").unwrap().build().unwrap();
    assert!(denied.run("q").await.unwrap().trace.tools[0].error.is_some());
    assert!(matches!(agent(script).allow("add("), Err(WindlassError::Rule { .. })));
}

#[tokio::test]
async fn a_cache_answers_reads_until_something_changes() {
    let script = "user q\nmodel call 1 count_orders\nmodel end\nmodel text A.\n\
                  user q\nmodel call 2 count_orders\nmodel end\nmodel call 3 take_order {\"item\":\"tea\"}\nmodel end\n\
                  model call 4 count_orders\nmodel end\nmodel text B.\n";
    let desk = Desk::new();
    let built = agent(script)
        .state(Shop("Quay"))
        .tool_group(Arc::clone(&desk))
        .tool_layer(ToolCache::new(10))
        .tool_layer(CallLog)
        .build()
        .unwrap();
    assert_eq!(outputs(&built.run("q").await.unwrap()), [json!("0 at Quay")]);
    let second = built.run("q").await.unwrap();
    assert_eq!(second.trace.tools.last().unwrap().output_raw, json!("1 at Quay"));
    assert_eq!(desk.looks.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_mask_takes_secrets_out_of_outputs() {
    let script = "user q\nmodel call 1 name_shop\nmodel end\nmodel text Done.\n";
    let built = agent(script).state(Shop("key=hunter2-hunter2")).tool(name_shop);
    let built = built.tool_layer(SecretMask::new(["hunter2-hunter2"])).build().unwrap();
    assert_eq!(outputs(&built.run("q").await.unwrap()), [json!("key=***")]);
}

#[tokio::test]
async fn a_rate_limit_makes_calls_wait() {
    let script = "user q\nmodel call 1 name_shop\nmodel end\nmodel call 2 name_shop {\"loud\":true}\nmodel end\nmodel text Done.\n";
    let limit = RateLimit::new(1, Duration::from_millis(200));
    let built = agent(script).state(Shop("Quay")).tool(name_shop.with_layer(limit)).build().unwrap();
    let begun = Instant::now();
    assert_eq!(outputs(&built.run("q").await.unwrap()).len(), 2);
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn a_retry_is_bounded_and_not_doubled_by_the_run() {
    let patient = || ModelRetry::new(1).first_wait(Duration::from_millis(1));
    let script = "user q\nmodel fail overloaded Busy.\nmodel text Here.\n";
    let built = agent(script).model_layer(patient()).model_layer(CallLog).build().unwrap();
    assert_eq!(built.run("q").await.unwrap().text, "Here.");
    let script = "user q\nmodel fail overloaded Busy.\nmodel fail overloaded Busy.\nmodel text Never.\n";
    let built = agent(script).model_layer(patient()).build().unwrap();
    assert!(built.run("q").await.is_err());
}
