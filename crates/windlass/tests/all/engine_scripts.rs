//! Rhai scripts of a host program that invoke modules, inside and outside of runtimes.

use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};
use windlass::dspy::rhai::{Dynamic, Engine, Map};
use windlass::dspy::{
    ModuleEngine, ScriptGrants, ScriptLibrary, ScriptLimits, SignatureRegistry, async_trait,
    register_dspy_engine,
};
use windlass::prelude::*;

use crate::host::{answering, calling};
use crate::shop::{Answering, Hanging, engine, folder, tool_module};

/// Runs a script with the functions of an engine.
fn eval(engine: &ModuleEngine, script: &str) -> Dynamic {
    let mut interpreter = Engine::new();
    interpreter.register_fn("host_secret", || 42_i64);
    let ast = interpreter.compile(script).unwrap();
    register_dspy_engine(&mut interpreter, Arc::new(engine.clone()), Arc::new(ast.clone()));
    interpreter.eval_ast::<Dynamic>(&ast).unwrap()
}

fn rich() -> ModuleEngine {
    engine(Answering::outputs([calling("get_player_gold", json!({})), answering("rich")]))
}

const HAGGLE: &str = r#"
    let r = dspy_invoke_with_tools("test.tool_module", #{query: "How rich am I?", context: ""});
    if r.ok { r.value.response } else { r.error_type + r.message }
"#;

fn haggle() {
    assert_eq!(eval(&rich(), HAGGLE).into_string().unwrap(), "rich");
}

#[test]
fn r_15_scripts_invoke_modules_in_plain_threads_and_inside_every_runtime() {
    haggle();
    thread::spawn(haggle).join().unwrap();
    let single = tokio::runtime::Builder::new_current_thread().build().unwrap();
    single.block_on(async { haggle() });
    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    many.block_on(async {
        tokio::spawn(async { haggle() }).await.unwrap();
        tokio::task::spawn_blocking(haggle).await.unwrap();
    });
}

/// Runs a script inside of a tool: on the library's own threads.
struct Scripted;

#[async_trait]
impl Tool for Scripted {
    fn name(&self) -> &str {
        "run_script"
    }
    fn description(&self) -> &str {
        "Runs a script"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        Ok(json!(eval(&rich(), HAGGLE).into_string().unwrap()))
    }
}

#[test]
fn r_15_scripts_invoke_modules_inside_of_tools() {
    let model = Answering::outputs([calling("run_script", json!({})), answering("done")]);
    let engine = engine(model.clone());
    engine.register_tool_sync(Arc::new(Scripted));
    engine.invoke_with_tools_sync("test.tool_module", json!({"query": "q"})).unwrap();
    assert!(model.inputs()[1].contains("Tool 'run_script' returned: \"rich\""), "{:?}", model.inputs());
}

#[test]
fn r_17_functions_of_a_script_are_tools_with_none_or_one_argument_and_closures_see_the_host() {
    let model = Answering::outputs([
        calling("none", json!({})),
        calling("one", json!({"a": 2})),
        calling("closure", json!({"a": 3})),
        answering("done"),
    ]);
    let engine = engine(model.clone());
    let script = r#"
        fn none() { "nothing" }
        fn one(args) { args.a * 2 }
        let bonus = 100;
        dspy_register_tool("none", "Takes nothing", Fn("none"));
        dspy_register_tool("one", "Takes a map", Fn("one"));
        dspy_register_tool("closure", "Sees its place", |args| args.a + bonus + host_secret());
        let tools = dspy_list_tools().value;
        let r = dspy_invoke_with_tools("test.tool_module", #{query: "q"});
        #{tools: tools, r: r}
    "#;
    let given: Map = eval(&engine, script).cast();
    let tools: Vec<String> = given["tools"].clone().into_typed_array().unwrap();
    assert_eq!(tools, ["check_inventory", "closure", "echo", "get_player_gold", "none", "one"]);
    assert_eq!(given["r"].clone().cast::<Map>()["ok"].as_bool(), Ok(true), "{given:?}");
    let context = model.inputs().pop().unwrap();
    for line in
        ["Tool 'none' returned: \"nothing\"", "Tool 'one' returned: 4", "Tool 'closure' returned: 145"]
    {
        assert!(context.contains(line), "{context}");
    }
}

#[test]
fn scripts_see_modules_tools_and_every_error_by_its_type() {
    let engine = engine(Answering::outputs([calling("nobody", json!({}))]));
    let error_of = |engine: &ModuleEngine, call: &str| {
        let given: Map = eval(engine, call).cast();
        assert_eq!(given["ok"].as_bool(), Ok(false), "{call}: {given:?}");
        given["error_type"].clone().into_string().unwrap()
    };
    for (call, error_type) in [
        (r#"dspy_invoke("nobody", #{})"#, "ModuleNotFound"),
        (r#"dspy_invoke("test.unsigned_module", #{})"#, "SignatureNotFound"),
        (r#"dspy_invoke_with_tools("test.predict_module", #{text: "x"})"#, "ToolsNotEnabled"),
        (r#"dspy_invoke_with_tools("test.tool_module", #{query: "x"})"#, "ToolNotFound"),
        (r#"dspy_invoke("test.tool_module", #{query: 5})"#, "ConversionError"),
        (r#"dspy_invoke("test.tool_module", "text")"#, "ConversionError"),
        (r#"dspy_get_module_info("nobody")"#, "ModuleNotFound"),
    ] {
        assert_eq!(error_of(&engine, call), error_type, "{call}");
    }
    let hanging = crate::shop::engine(Hanging::default());
    for call in ["dspy_invoke_with_timeout", "dspy_invoke_with_tools_timeout"] {
        assert_eq!(
            error_of(&hanging, &format!(r#"{call}("test.tool_module", #{{query: "x"}}, 20)"#)),
            "Timeout"
        );
    }
    let given: Map = eval(&engine, "dspy_list_modules()").cast();
    let ids: Vec<String> = given["value"].clone().into_typed_array().unwrap();
    assert_eq!(ids, ["test.cot_module", "test.predict_module", "test.tool_module"]);
    let given: Map = eval(&engine, r#"dspy_get_module_info("test.tool_module").value"#).cast();
    assert_eq!(given["signature_name"].clone().into_string().unwrap(), "test.tool_signature");
    assert_eq!(given["predictor_type"].clone().into_string().unwrap(), "predict");
    assert_eq!(given["tool_enabled"].as_bool(), Ok(true));
}

#[test]
fn r_16_an_endless_script_of_a_tools_folder_is_stopped_by_its_limit() {
    let scripts = tempfile::tempdir().unwrap();
    std::fs::write(scripts.path().join("spin.rhai"), "/// Spins.\nfn spin() { loop { } }\n").unwrap();
    let limits = ScriptLimits { operations: 100_000, ..ScriptLimits::default() };
    let (library, report) = ScriptLibrary::open(scripts.path(), limits, ScriptGrants::default());
    assert!(report.failed.is_empty(), "{report:?}");
    let folder = folder(&[("a", tool_module("a", "predict"))]);
    let model = Answering::outputs([calling("spin", json!({})), answering("never")]);
    let engine = Windlass::builder()
        .model_port(model)
        .tools(library.tools())
        .approve(ApproveMode::All)
        .build_modules(folder.path(), SignatureRegistry::new())
        .unwrap();
    let error = engine.invoke_with_tools_sync("a", json!({"query": "q"})).unwrap_err();
    assert!(error.to_string().contains("operations"), "{error}");
}

#[test]
fn a_script_whose_tool_invokes_its_own_module_comes_to_an_end() {
    let engine = engine(Answering::outputs([calling("again", json!({}))]));
    let script = r#"
        fn again() {
            let r = dspy_invoke_with_tools("test.tool_module", #{query: "again"});
            if r.ok { r.value } else { throw r.message }
        }
        dspy_register_tool("again", "Asks again", Fn("again"));
        dspy_invoke_with_tools("test.tool_module", #{query: "first"})
    "#;
    let given: Map = eval(&engine, script).cast();
    assert_eq!(given["ok"].as_bool(), Ok(false));
    assert_eq!(given["error_type"].clone().into_string().unwrap(), "ToolExecutionFailed", "{given:?}");
}
