//! The functions `dspy_…` for scripts of a host program, before modules that the test plays.

use std::sync::{Arc, Mutex};

use rhai::{AST, Dynamic, Engine, Map as ScriptMap, Scope};
use serde_json::{Map, Value, json};
use windlass_core::ports::ToolPort;
use windlass_modules::script::{
    CallerError, CallerErrorType, ModuleCaller, register_dspy_engine, register_dspy_engine_with, to_json,
};
use windlass_testkit::NullContext;

/// Modules that do what their name says: `echo`, `fail.KIND`, `use.TOOL`.
#[derive(Default)]
struct FakeModules {
    tools: Mutex<Vec<Arc<dyn ToolPort>>>,
}

impl FakeModules {
    fn tool(&self, name: &str) -> Option<Arc<dyn ToolPort>> {
        self.tools.lock().unwrap().iter().find(|tool| tool.spec().name == name).cloned()
    }

    /// Calls a tool as the engine of modules does: on a runtime of its own.
    fn call(&self, name: &str, args: &Map<String, Value>) -> Result<Value, CallerError> {
        let tool = self.tool(name).ok_or_else(|| {
            CallerError::new(CallerErrorType::ToolNotFound, format!("Tool not found: {name}"))
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = runtime.block_on(tool.run(args, &NullContext::new().build()));
        outcome
            .map(|output| output.json)
            .map_err(|failure| CallerError::new(CallerErrorType::ToolExecutionFailed, failure.message))
    }
}

impl ModuleCaller for FakeModules {
    fn invoke(&self, module_id: &str, input: Value, timeout_ms: Option<u64>) -> Result<Value, CallerError> {
        if let Some(word) = module_id.strip_prefix("fail.") {
            let kind = CallerErrorType::ALL.into_iter().find(|kind| kind.word() == word).unwrap();
            return Err(CallerError::new(kind, format!("{word} it is")));
        }
        Ok(json!({"module": module_id, "input": input, "timeout_ms": timeout_ms, "tools": false}))
    }

    fn invoke_with_tools(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: Option<u64>,
    ) -> Result<Value, CallerError> {
        match module_id.strip_prefix("use.") {
            Some(tool) => self.call(tool, input.as_object().unwrap()).map(|given| json!({"response": given})),
            None if module_id == "breaks" => panic!("the module breaks"),
            None => {
                let mut given = self.invoke(module_id, input, timeout_ms)?;
                given["tools"] = true.into();
                Ok(given)
            }
        }
    }

    fn register_tool(&self, tool: Arc<dyn ToolPort>) -> Result<(), CallerError> {
        tool.spec()
            .check()
            .map_err(|error| CallerError::new(CallerErrorType::RuntimeError, error.to_string()))?;
        self.tools.lock().unwrap().push(tool);
        Ok(())
    }

    fn module_ids(&self) -> Vec<String> {
        vec!["echo".into(), "npc.merchant.haggle".into()]
    }

    fn tool_names(&self) -> Vec<String> {
        self.tools.lock().unwrap().iter().map(|tool| tool.spec().name.clone()).collect()
    }

    fn module_info(&self, module_id: &str) -> Result<Value, CallerError> {
        match module_id {
            "echo" => Ok(json!({"module_id": "echo", "tool_enabled": false, "predictor_type": "predict"})),
            other => {
                Err(CallerError::new(CallerErrorType::ModuleNotFound, format!("Module not found: {other}")))
            }
        }
    }
}

/// An interpreter of a host program with a function of its own.
fn host(text: &str) -> (Engine, Arc<AST>, Arc<FakeModules>) {
    let mut engine = Engine::new();
    engine.register_fn("host_gold", || 500_i64);
    let ast = Arc::new(engine.compile(text).unwrap());
    let modules = Arc::new(FakeModules::default());
    register_dspy_engine(&mut engine, Arc::clone(&modules) as Arc<dyn ModuleCaller>, Arc::clone(&ast));
    (engine, ast, modules)
}

fn eval(text: &str) -> Value {
    let (engine, ast, _) = host(text);
    to_json(&engine.eval_ast::<Dynamic>(&ast).unwrap()).unwrap()
}

#[test]
fn each_function_gives_ok_and_a_value() {
    assert_eq!(
        eval("dspy_invoke(\"echo\", #{a: 1, b: [(), 2.5]})"),
        json!({"ok": true, "value": {"module": "echo", "input": {"a": 1, "b": [null, 2.5]}, "timeout_ms": null, "tools": false}})
    );
    let timed = eval("dspy_invoke_with_timeout(\"echo\", #{}, 250)");
    assert_eq!((&timed["value"]["timeout_ms"], &timed["value"]["tools"]), (&json!(250), &json!(false)));
    let tools = eval("dspy_invoke_with_tools(\"echo\", #{})");
    assert_eq!((&tools["value"]["timeout_ms"], &tools["value"]["tools"]), (&json!(null), &json!(true)));
    let both = eval("dspy_invoke_with_tools_timeout(\"echo\", #{}, 250)");
    assert_eq!((&both["value"]["timeout_ms"], &both["value"]["tools"]), (&json!(250), &json!(true)));
    assert_eq!(eval("dspy_list_modules()"), json!({"ok": true, "value": ["echo", "npc.merchant.haggle"]}));
    assert_eq!(eval("dspy_list_tools()"), json!({"ok": true, "value": []}));
    assert_eq!(eval("dspy_get_module_info(\"echo\").value.tool_enabled"), json!(false));
    assert_eq!(
        eval("dspy_get_module_info(\"x\")"),
        json!({"ok": false, "error_type": "ModuleNotFound", "message": "Module not found: x"})
    );
    assert_eq!(eval("dspy_register_tool(\"t\", \"A tool\", || 1)"), json!({"ok": true, "value": "t"}));
}

#[test]
fn every_error_is_a_result_with_its_type_and_never_an_exception() {
    for kind in CallerErrorType::ALL {
        let word = kind.word();
        for text in [
            format!("dspy_invoke(\"fail.{word}\", #{{}})"),
            format!("dspy_invoke_with_timeout(\"fail.{word}\", #{{}}, 5)"),
            format!("dspy_invoke_with_tools(\"fail.{word}\", #{{}})"),
            format!("dspy_invoke_with_tools_timeout(\"fail.{word}\", #{{}}, 5)"),
        ] {
            assert_eq!(
                eval(&text),
                json!({"ok": false, "error_type": word, "message": format!("{word} it is")})
            );
        }
    }
    for text in [
        "dspy_invoke(\"echo\", #{f: |x| x})",
        "dspy_invoke(\"echo\", #{n: 0.0 / 0.0})",
        "dspy_invoke(\"echo\", 5)",
        "dspy_invoke_with_tools(\"echo\", [1])",
        "dspy_invoke_with_timeout(\"echo\", #{}, 0)",
        "dspy_invoke_with_tools_timeout(\"echo\", #{}, -5)",
        "dspy_register_tool(\"t\", \"d\", 5)",
    ] {
        assert_eq!(eval(text)["error_type"], json!("ConversionError"), "{text}");
    }
    assert_eq!(eval("dspy_register_tool(\"no good\", \"d\", || 1)")["error_type"], json!("RuntimeError"));
    assert_eq!(eval("dspy_invoke_with_tools(\"breaks\", #{})")["error_type"], json!("RuntimeError"));
    assert_eq!(eval("dspy_invoke_with_tools(\"use.nothing\", #{})")["error_type"], json!("ToolNotFound"));
}

const GAME: &str = r#"
    fn inventory(args) { #{item: args.item, has: args.item == "sword", gold: host_gold()} }
    fn bad(args) { args.nothing.at.all() }
    let player = #{gold: 100};
    dspy_register_tool("inventory", "Looks into the bag", Fn("inventory"));
    dspy_register_tool("gold", "The player's gold", || player.gold);
    dspy_register_tool("earn", "Earns gold", |args| { player.gold += args.by; player.gold });
    dspy_register_tool("host", "The host's gold", Fn("host_gold"));
    dspy_register_tool("ask", "Asks another module", |args| dspy_invoke_with_tools("use.gold", #{}).value.response);
    dspy_register_tool("bad", "Fails", Fn("bad"));
"#;

fn play(line: &str) -> Value {
    eval(&format!("{GAME}{line}"))
}

#[test]
fn r_17_functions_and_closures_of_a_script_are_tools_with_host_functions_and_captured_variables() {
    let response = |line: &str| play(line)["value"]["response"].clone();
    assert_eq!(
        response("dspy_invoke_with_tools(\"use.inventory\", #{item: \"sword\"})"),
        json!({"item": "sword", "has": true, "gold": 500})
    );
    assert_eq!(response("dspy_invoke_with_tools(\"use.gold\", #{})"), json!(100));
    assert_eq!(response("player.gold = 7; dspy_invoke_with_tools(\"use.gold\", #{})"), json!(7));
    assert_eq!(response("dspy_invoke_with_tools(\"use.host\", #{})"), json!(500));
    assert_eq!(play("dspy_invoke_with_tools(\"use.earn\", #{by: 11}); player.gold"), json!(111));
    // A tool that calls a module that calls a tool.
    assert_eq!(response("dspy_invoke_with_tools(\"use.ask\", #{})"), json!(100));
    let failed = play("dspy_invoke_with_tools(\"use.bad\", #{})");
    assert_eq!(failed["error_type"], json!("ToolExecutionFailed"));
    assert!(
        failed["message"].as_str().unwrap().starts_with("Script 'bad' failed at line 3, column "),
        "{failed}"
    );
}

#[test]
fn r_17_a_tool_is_called_also_while_no_script_waits() {
    let (engine, ast, modules) = host(GAME);
    engine.run_ast(&ast).unwrap();
    let call = |name: &str, args: Value| modules.call(name, args.as_object().unwrap());
    assert_eq!(call("gold", json!({})).unwrap(), json!(100));
    assert_eq!(call("earn", json!({"by": 1})).unwrap(), json!(101));
    // The bounded interpreter has no functions of the host program unless it is told of them.
    assert_eq!(call("host", json!({})).unwrap_err().error_type, CallerErrorType::ToolExecutionFailed);
}

#[test]
fn r_17_a_host_program_may_give_its_functions_for_all_times() {
    let mut engine = Engine::new();
    let text = "fn mine() { host_gold() } dspy_register_tool(\"mine\", \"d\", Fn(\"mine\"))";
    let ast = Arc::new(engine.compile(text).unwrap());
    let modules = Arc::new(FakeModules::default());
    let setup = Arc::new(|engine: &mut Engine| {
        engine.register_fn("host_gold", || 500_i64);
    });
    register_dspy_engine_with(
        &mut engine,
        Arc::clone(&modules) as Arc<dyn ModuleCaller>,
        Arc::clone(&ast),
        setup,
    );
    engine.run_ast(&ast).unwrap();
    assert_eq!(modules.call("mine", &Map::new()).unwrap(), json!(500));
}

#[test]
fn r_16_a_tool_that_never_ends_is_stopped_while_no_script_waits() {
    let (engine, ast, modules) = host("dspy_register_tool(\"evil\", \"d\", || { loop { } })");
    engine.run_ast(&ast).unwrap();
    let error = modules.call("evil", &Map::new()).unwrap_err();
    // Which of the two comes first is a matter of the machine.
    let is_stopped = ["operations", "it ran longer than"].iter().any(|limit| error.message.contains(limit));
    assert!(is_stopped, "{}", error.message);
}

#[test]
fn modules_and_tools_of_a_script_do_not_hold_each_other_for_ever() {
    let (engine, ast, modules) = host(GAME);
    engine.run_ast(&ast).unwrap();
    let held = Arc::downgrade(&modules);
    drop((engine, ast));
    modules.tools.lock().unwrap().truncate(3);
    drop(modules);
    assert!(held.upgrade().is_none());
}

fn haggle() -> bool {
    let line = "let r = dspy_invoke_with_tools(\"use.inventory\", #{item: \"sword\"}); r.ok && r.value.response.gold == 500";
    let (engine, ast, _) = host(&format!("{GAME}{line}"));
    engine.eval_ast_with_scope::<bool>(&mut Scope::new(), &ast).unwrap()
}

#[test]
fn r_15_scripts_run_on_a_plain_thread() {
    assert!(std::thread::spawn(haggle).join().unwrap());
}

#[tokio::test]
async fn r_15_scripts_run_inside_a_runtime_of_one_thread() {
    assert!(haggle());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_15_scripts_run_on_workers_of_a_runtime_and_on_its_blocking_threads() {
    assert!(tokio::spawn(async { haggle() }).await.unwrap());
    assert!(tokio::task::spawn_blocking(haggle).await.unwrap());
}

#[test]
fn many_threads_may_run_scripts_of_one_interpreter_at_once() {
    let (engine, ast, _) = host("fn twice(args) { args.n * 2 } 0");
    let engine = Arc::new(engine);
    engine.eval::<ScriptMap>("dspy_register_tool(\"twice\", \"d\", Fn(\"twice\"))").unwrap();
    std::thread::scope(|scope| {
        for n in 0..16_i64 {
            let (engine, ast) = (Arc::clone(&engine), Arc::clone(&ast));
            scope.spawn(move || {
                let call =
                    engine.compile(format!("dspy_invoke_with_tools(\"use.twice\", #{{n: {n}}})")).unwrap();
                let given = engine.eval_ast::<Dynamic>(&ast.merge(&call)).unwrap();
                assert_eq!(to_json(&given).unwrap()["value"]["response"], json!(n * 2));
            });
        }
    });
}
