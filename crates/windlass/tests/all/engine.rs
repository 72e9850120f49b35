//! The module engine: modules, tools, invocations.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use serde_json::{Value, json};
use windlass::core::protocol::event::RunOutcome;
use windlass::dspy::{DSPyEngineError, ModuleEngine, ModuleRequest, SignatureRegistry, async_trait};
use windlass::prelude::*;

use crate::host::{Broken, Echo, Predictor, answering, calling, wrapper};
use crate::shop::{Answering, engine, fixtures, folder, scripted, signatures, tool_module};

const GOLD: &str = r#"Tool 'get_player_gold' returned: {"gold":500}"#;

fn query() -> Value {
    json!({"query": "How much gold do I have?"})
}

#[tokio::test]
async fn d_21_tools_are_registered_through_a_shared_reference_and_a_lock() {
    let engine = ModuleEngine::new_empty(Arc::new(Answering::outputs([json!({})])));
    let shared: Arc<RwLock<ToolRegistry>> = engine.tool_registry();
    assert_eq!(shared.read().unwrap().to_json(), json!([]));
    // From anywhere, also through the lock itself.
    shared.write().unwrap().register(Arc::new(Echo));
    assert_eq!(engine.tool_names(), ["echo"]);
    assert_eq!((engine.module_count(), engine.module_ids()), (0, Vec::new()));
}

#[tokio::test]
async fn d_22_a_registered_tool_is_there_for_the_next_invocation_and_replaces_one_of_its_name() {
    struct Poorer;
    #[async_trait]
    impl Tool for Poorer {
        fn name(&self) -> &str {
            "get_player_gold"
        }
        fn description(&self) -> &str {
            "Get player's current gold amount"
        }
        async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
            Ok(json!({"gold": 1}))
        }
    }
    let model = Answering::outputs([calling("get_player_gold", json!({})), answering("done")]);
    let engine = engine(model.clone());
    engine.register_tool(Arc::new(Poorer)).await;
    engine.invoke_with_tools("test.tool_module", query()).await.unwrap();
    assert!(model.inputs()[1].contains(r#"returned: {"gold":1}"#), "{:?}", model.inputs());
}

#[tokio::test]
async fn d_23_a_module_calls_tools_until_it_answers_and_its_context_grows_as_documented() {
    let model = Answering::outputs([
        calling("get_player_gold", json!({})),
        calling("check_inventory", json!({"item": "rope"})),
        answering("You have 500 gold coins."),
    ]);
    let engine = engine(model.clone());
    let input = json!({"query": "How rich am I?", "context": "It is night."});
    let output = engine.invoke_with_tools("test.tool_module", input).await.unwrap();
    assert_eq!(output, answering("You have 500 gold coins."));
    let inputs = model.inputs();
    let second = r#"Tool 'check_inventory' returned: {"has":true,"seen":{"item":"rope","count":1}}"#;
    let contexts = [
        "It is night.".to_owned(),
        format!("It is night.\n{GOLD}"),
        format!("It is night.\n{GOLD}\n{second}"),
    ];
    for (input, context) in inputs.iter().zip(contexts) {
        assert!(input.contains(&format!("context: {context}\navailable_tools: [")), "{input}");
    }
    // The list is literally that of the registry.
    let listed = engine.tool_registry().read().unwrap().to_json().to_string();
    assert!(inputs[0].ends_with(&format!("available_tools: {listed}")), "{}", inputs[0]);
    let item =
        r#"{"name":"get_player_gold","description":"Get player's current gold amount","args_schema":null}"#;
    assert!(listed.contains(item), "{listed}");
}

#[tokio::test]
async fn d_23_tools_of_a_module_without_them_are_refused_and_nothing_is_asked() {
    let model = Answering::outputs([json!({"is_glad": true, "points": 1})]);
    let engine = engine(model.clone());
    let error = engine.invoke_with_tools("test.predict_module", json!({"text": "x"})).await.unwrap_err();
    assert_eq!(error, DSPyEngineError::ToolsNotEnabled("test.predict_module".into()));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn d_24_steps_and_context_field_are_the_callers_and_the_sync_form_is_the_same() {
    let model = Answering::outputs([calling("get_player_gold", json!({}))]);
    let engine = engine(model.clone());
    let config = ToolWrapperConfig { max_iterations: 2, tool_result_key: "notes".to_owned() };
    let limit = Err(DSPyEngineError::MaxIterationsReached(2));
    let failed = engine.invoke_with_tools_config("test.tool_module", query(), config.clone()).await;
    assert_eq!(failed, limit);
    assert_eq!(model.requests().len(), 2);
    assert!(model.inputs()[1].ends_with(&format!("notes: {GOLD}")), "{:?}", model.inputs());
    assert_eq!(engine.invoke_with_tools_config_sync("test.tool_module", query(), config), limit);
    let none = ToolWrapperConfig { max_iterations: 0, ..ToolWrapperConfig::default() };
    let failed = engine.invoke_with_tools_config("test.tool_module", query(), none).await;
    assert_eq!(failed, Err(DSPyEngineError::MaxIterationsReached(0)));
}

#[tokio::test]
async fn d_24_without_tools_a_module_is_asked_once_and_its_whole_output_comes_back() {
    let engine = scripted(
        "user q\nmodel text {\"response\": \"\", \"tool_call\": {\"name\": \"echo\", \"args\": {}}}\n",
    );
    let output = engine.invoke("test.tool_module", query()).await.unwrap();
    assert_eq!(output, calling("echo", json!({})));
}

#[tokio::test]
async fn d_26_r_11_every_way_to_write_a_call_or_none_is_understood() {
    let none = [json!(null), json!("null"), json!(""), json!("none"), json!({})];
    for written in none {
        let model = Answering::outputs([json!({"response": "hello", "tool_call": written})]);
        let output = engine(model.clone()).invoke_with_tools("test.tool_module", query()).await.unwrap();
        assert_eq!((output["response"].as_str(), model.requests().len()), (Some("hello"), 1), "{written}");
    }
    let absent = Answering::outputs([json!({"response": "hello"})]);
    engine(absent).invoke_with_tools("test.tool_module", query()).await.unwrap();

    let lines = "{\n  \"name\": \"get_player_gold\",\n  \"args\": {}\n}";
    let calls = [
        json!({"response": "", "tool_call": {"name": "get_player_gold", "args": {}}}).to_string(),
        json!({"response": "", "tool_call": {"name": "get_player_gold"}}).to_string(),
        json!({"response": "", "tool_call": "{\"name\":\"get_player_gold\"}"}).to_string(),
        json!({"response": "", "tool_call": lines}).to_string(),
        format!("response:\ntool_call: {lines}\n"),
        format!("tool_call: {lines}\nresponse: "),
    ];
    for call in calls {
        let first = call.clone();
        let model = Answering::new(move |request| match request.step {
            1 => first.clone(),
            // The demo of the fixture that once crashed the loop.
            _ => "response: You have 500 gold coins.\ntool_call: null".to_owned(),
        });
        let output = engine(model.clone()).invoke_with_tools("test.tool_module", query()).await;
        assert_eq!(output, Ok(answering("You have 500 gold coins.")), "{call}");
        assert!(model.inputs()[1].contains(GOLD), "{call}");
    }
}

#[test]
fn d_27_the_fixture_of_a_module_with_tools_has_its_signature_and_two_demos() {
    let engine = scripted("user q\nmodel text x\n");
    let module = engine.get_module("test.tool_module").unwrap();
    assert!(module.tool_enabled && engine.has_module("test.tool_module"));
    assert_eq!(module.signature_name, "test.tool_signature");
    let names = |fields: &[windlass::dspy::Field]| -> Vec<String> {
        fields.iter().map(|field| field.name.clone()).collect()
    };
    assert_eq!(names(&module.signature.inputs), ["query", "context", "available_tools"]);
    assert_eq!(names(&module.signature.outputs), ["response", "tool_call"]);
    assert_eq!(module.demos.len(), 2);
    assert_eq!(module.demos[0].outputs["tool_call"], json!({"name": "get_player_gold", "args": {}}));
    assert_eq!(module.demos[1].outputs["response"], "You have 500 gold coins.");
    assert_eq!(module.demos[1].outputs["tool_call"], json!(null));
    assert_eq!(engine.modules_with_tag("tools"), ["test.tool_module"]);
    assert_eq!(engine.module_count(), 3);
}

#[tokio::test]
async fn d_28_the_limit_error_comes_with_everything_that_was_found_until_then() {
    let model = Answering::outputs([
        calling("get_player_gold", json!({})),
        calling("check_inventory", json!({"item": "rope"})),
    ]);
    let request = ModuleRequest::new("test.tool_module", query()).with_tools(ToolWrapperConfig::default());
    let (result, trace) = engine(model).invoke_traced(request).await;
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "Maximum iterations (5) reached during tool execution");
    assert_eq!(trace.tools.len(), 5);
    assert_eq!(trace.tools[0].output_raw, json!({"gold": 500}));
    assert_eq!(trace.tools[1].output_raw["has"], json!(true));
    assert_eq!(trace.outcome, Some(RunOutcome::Failed));
}

/// D-29: five files of a few hundred lines; what they take from others is three light crates, serde beneath one of them, and
/// the clock of the runtime that all sessions have (decision 0005).
#[test]
fn d_29_the_tool_system_is_small_tested_for_itself_and_needs_three_light_crates() {
    let files = [
        include_str!("../../src/dspy/tool.rs"),
        include_str!("../../src/dspy/call.rs"),
        include_str!("../../src/dspy/error.rs"),
        include_str!("../../src/dspy/registry.rs"),
        include_str!("../../src/dspy/wrapper.rs"),
    ];
    let lines: usize = files.iter().map(|text| text.lines().count()).sum();
    assert!(lines < 700, "{lines} lines");
    let own = ["std", "super", "crate", "windlass_core", "windlass_engine", "windlass_modules"];
    let used: std::collections::BTreeSet<&str> = files
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| {
            line.trim_start().trim_start_matches("pub ").strip_prefix("use ")?.split("::").next()
        })
        .filter(|name| !own.contains(name))
        .collect();
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["async_trait", "serde", "serde_json", "tokio"]);
    assert!(files[2].contains("thiserror::Error"));
    let listed = std::process::Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let rooms = ["wrapper::", "registry::", "tool_error::", "engine::", "engine_errors::"];
    let is_own = |line: &&str| line.ends_with(": test") && rooms.iter().any(|room| line.starts_with(room));
    let tests = listed.lines().filter(is_own).count();
    assert!(tests >= 42, "{tests} tests of tools, and the original had 42");
}

#[tokio::test]
async fn d_30_tools_wrap_invocations_and_change_nothing_of_modules_or_their_prompts() {
    let model = Answering::outputs([answering("hello")]);
    let engine = engine(model.clone());
    let before = engine.get_module("test.tool_module").unwrap();
    engine.invoke("test.tool_module", query()).await.unwrap();
    engine.invoke_with_tools("test.tool_module", query()).await.unwrap();
    engine.register_tool_sync(Arc::new(Teacher::default()));
    engine.invoke_with_tools("test.tool_module", query()).await.unwrap();
    engine.invoke("test.tool_module", query()).await.unwrap();
    let requests = model.requests();
    assert_eq!(requests[1].system, requests[2].system);
    // Without tools a module asks the same, byte for byte, whichever tools there are.
    let [first, .., last] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert_eq!((&first.system, &first.messages, &first.tools), (&last.system, &last.messages, &last.tools));
    assert!(Arc::ptr_eq(&before, &engine.get_module("test.tool_module").unwrap()));
    engine.reload_module("test.tool_module").unwrap();
    assert_eq!(*before, *engine.get_module("test.tool_module").unwrap());
}

#[tokio::test]
async fn r_12_an_input_that_is_no_object_is_invalid_and_nothing_breaks() {
    let model = Answering::outputs([answering("never")]);
    let engine = engine(model.clone());
    for input in [json!(null), json!("text"), json!([1]), json!(5)] {
        for error in [
            engine.invoke("test.tool_module", input.clone()).await.unwrap_err(),
            engine.invoke_with_tools("test.tool_module", input.clone()).await.unwrap_err(),
        ] {
            assert!(matches!(error, DSPyEngineError::ToolError(ToolError::InvalidArgs(_))), "{error}");
        }
    }
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn inputs_that_do_not_fit_the_signature_are_named_before_anything_is_asked() {
    let model = Answering::outputs([json!({"is_glad": true, "points": 1})]);
    let engine = engine(model.clone());
    for (input, part) in [
        (json!({}), "the input 'text' is missing"),
        (json!({"texts": "x"}), "did you mean 'text'?"),
        (json!({"text": 5}), "the input 'text' must be a string, not 5"),
        (json!({"text": "x", "more": 1}), "there is no input 'more'"),
    ] {
        let error = engine.invoke("test.predict_module", input).await.unwrap_err();
        assert!(matches!(&error, DSPyEngineError::ParseError(why) if why.contains(part)), "{error}");
    }
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn an_output_that_lacks_a_field_is_asked_for_once_more_and_is_never_empty() {
    let corrected = scripted(
        "user q\nmodel text {\"points\": 3}\nmodel end\nmodel text {\"is_glad\": true, \"points\": 3}\n",
    );
    let output = corrected.invoke("test.predict_module", json!({"text": "x"})).await;
    assert_eq!(output, Ok(json!({"is_glad": true, "points": 3})));
    let model = Answering::outputs([json!({})]);
    let error = engine(model.clone()).invoke("test.predict_module", json!({"text": "x"})).await.unwrap_err();
    assert!(matches!(&error, DSPyEngineError::ParseError(why) if why.contains("is_glad")), "{error}");
    assert_eq!(model.requests().len(), 2);
    let model = Answering::new(|_| "I do not feel like it.".to_owned());
    let error = engine(model.clone()).invoke_with_tools("test.tool_module", query()).await;
    // One output beside the call: the text is read as that one where there is only one.
    assert!(error.is_err(), "{error:?}");
}

#[tokio::test]
async fn r_13_the_prompt_is_the_same_whatever_the_order_of_registration() {
    let mut prompts = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let model = Answering::outputs([answering("x")]);
        let engine = ModuleEngine::new(fixtures(), Arc::new(model.clone()), signatures()).unwrap();
        let tools: [Arc<dyn Tool>; 3] =
            [Arc::new(Echo), Arc::new(crate::host::Inventory), Arc::new(Teacher::default())];
        for at in order {
            engine.register_tool_sync(Arc::clone(&tools[at]));
        }
        engine.invoke_with_tools("test.tool_module", query()).await.unwrap();
        prompts.push(model.inputs());
    }
    assert!(prompts.iter().all(|prompt| *prompt == prompts[0]), "{prompts:?}");
}

/// Registers another tool while it runs.
#[derive(Default)]
struct Teacher(OnceLock<ModuleEngine>);

#[async_trait]
impl Tool for Teacher {
    fn name(&self) -> &str {
        "teach"
    }
    fn description(&self) -> &str {
        "Makes a new tool"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        let engine = self.0.get().ok_or_else(|| ToolError::ExecutionFailed("nobody to teach".into()))?;
        engine.register_tool(Arc::new(Echo)).await;
        Ok(json!("taught"))
    }
}

#[tokio::test]
async fn r_14_a_tool_that_registers_a_tool_does_not_deadlock() {
    let model = Answering::outputs([calling("teach", json!({})), answering("done")]);
    let engine = ModuleEngine::new(fixtures(), Arc::new(model), signatures()).unwrap();
    let teacher = Arc::new(Teacher::default());
    let _ = teacher.0.set(engine.clone());
    engine.register_tool(teacher).await;
    let output = engine.invoke_with_tools("test.tool_module", query()).await.unwrap();
    assert_eq!(
        (output["response"].as_str(), engine.tool_names()),
        (Some("done"), vec!["echo".into(), "teach".into()])
    );
}

#[tokio::test]
async fn r_20_the_engine_and_the_wrapper_run_the_same_machine() {
    let cases: [Vec<Value>; 9] = [
        vec![calling("broken", json!({}))],
        vec![answering("at once")],
        vec![calling("get_player_gold", json!({})), answering("then")],
        vec![
            calling("echo", json!({"a": 1})),
            json!({"response": "", "tool_call": "{\"name\":\"check_inventory\",\"args\":{\"item\":\"rope\"}}"}),
            json!({"response": "end", "tool_call": "null"}),
        ],
        vec![calling("get_player_gold", json!({}))],
        vec![calling("nobody", json!({}))],
        vec![calling("check_inventory", json!({"item": 5}))],
        vec![calling("check_inventory", json!({}))],
        vec![calling("check_inventory", json!(5))],
    ];
    for outputs in cases {
        let predictor = Predictor::new(outputs.clone());
        let (by_wrapper, wrapped) =
            wrapper().invoke_traced_with_fn(query(), |input| predictor.predict(input)).await;
        let request =
            ModuleRequest::new("test.tool_module", query()).with_tools(ToolWrapperConfig::default());
        let engine = engine(Answering::outputs(outputs.clone()));
        engine.register_tool_sync(Arc::new(Broken(ToolError::ExecutionFailed("out of order".to_owned()))));
        let (by_engine, traced) = engine.invoke_traced(request).await;
        match (&by_wrapper, &by_engine) {
            (Ok(theirs), Ok(ours)) => assert_eq!(theirs["response"], ours["response"], "{outputs:?}"),
            _ => assert_eq!(by_wrapper, by_engine, "{outputs:?}"),
        }
        let facts = crate::same_loop::facts;
        assert_eq!(format!("{:?}", facts(&wrapped)), format!("{:?}", facts(&traced)), "{outputs:?}");
    }
}

#[tokio::test]
async fn react_is_the_machine_with_the_models_own_calls() {
    let folder = folder(&[("scout", tool_module("scout", "react"))]);
    let script = "user q\nmodel call 1 echo {\"a\": 1}\nmodel call 2 nobody {}\nmodel end\nmodel text {\"response\": \"seen\"}\n";
    let engine = Windlass::builder()
        .script(script)
        .unwrap()
        .build_modules(folder.path(), SignatureRegistry::new())
        .unwrap();
    engine.register_tool_sync(Arc::new(Echo));
    let request = ModuleRequest::new("scout", json!({"query": "q"})).with_tools(ToolWrapperConfig::default());
    let (output, trace) = engine.invoke_traced(request).await;
    assert_eq!(output, Ok(json!({"response": "seen"})));
    // A call that fails is told to the model, which goes on.
    let names: Vec<&str> = trace.tools.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["echo", "nobody"]);
}

#[tokio::test]
async fn react_that_never_answers_reaches_its_limit_with_an_error() {
    let folder = folder(&[("scout", tool_module("scout", "react"))]);
    let calls: String = (1..=5).map(|n| format!("model call {n} echo {{\"n\": {n}}}\nmodel end\n")).collect();
    let engine = Windlass::builder()
        .script(&format!("user q\n{calls}"))
        .unwrap()
        .build_modules(folder.path(), SignatureRegistry::new())
        .unwrap();
    engine.register_tool_sync(Arc::new(Echo));
    let error = engine.invoke_with_tools("scout", json!({"query": "q"})).await;
    assert_eq!(error, Err(DSPyEngineError::MaxIterationsReached(5)));
}

#[tokio::test]
async fn a_module_uses_only_the_tools_that_it_names_and_functions_of_the_program_are_tools_too() {
    /// Counts its calls.
    #[tool]
    fn count(_n: u32) -> usize {
        CALLS.fetch_add(1, Ordering::SeqCst)
    }
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let mut module = tool_module("few", "predict");
    module["tools"] = json!(["count"]);
    let folder = folder(&[("few", module)]);
    let model = Answering::outputs([calling("count", json!({"_n": 1})), calling("echo", json!({}))]);
    let engine = Windlass::builder()
        .model_port(model.clone())
        .tool(count)
        .build_modules(folder.path(), SignatureRegistry::new())
        .unwrap();
    engine.register_tool_sync(Arc::new(Echo));
    let error = engine.invoke_with_tools("few", json!({"query": "q"})).await.unwrap_err();
    assert_eq!(error, DSPyEngineError::ToolError(ToolError::NotFound("echo".into())));
    assert_eq!(CALLS.load(Ordering::SeqCst), 1);
    assert!(!model.inputs()[0].contains("echo"), "{:?}", model.inputs());
    // Of one name there is one tool: the one that came last.
    engine.register_port(Arc::new(count)).unwrap();
    assert_eq!(engine.tool_names(), ["count", "echo"]);
}

#[tokio::test]
async fn chain_of_thought_really_reasons_in_its_own_field() {
    let noted = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&noted);
    let model = Answering::new(move |request| {
        *kept.lock().unwrap() = request.sampling.response_format.clone();
        json!({"reasoning": "Two and two.", "answer": 4}).to_string()
    });
    let engine = engine(model.clone());
    let output = engine.invoke("test.cot_module", json!({"question": "2 + 2"})).await.unwrap();
    assert_eq!(output, json!({"reasoning": "Two and two.", "answer": 4}));
    let format = noted.lock().unwrap().clone().unwrap();
    let schema = &format["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["reasoning", "answer"]), "{format}");
    assert!(model.requests()[0].system.contains("step by step"));
}

#[tokio::test]
async fn a_failing_model_is_an_inference_error() {
    let engine = scripted("user q\nmodel fail! auth The key is wrong\n");
    let error = engine.invoke("test.predict_module", json!({"text": "x"})).await.unwrap_err();
    assert_eq!(error, DSPyEngineError::InferenceError("The key is wrong".into()));
}
