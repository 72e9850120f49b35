//! Scripts as tools: how they are called and what they can use.

use std::sync::Arc;

use serde_json::json;
use windlass_core::ports::ToolPort;
use windlass_core::protocol::tool::ErrorKind;
use windlass_modules::script::{ScriptGrants, ScriptLimits, ScriptTool};
use windlass_testkit::NullContext;

use crate::script_world::{called, limited, object, run, script, value};

#[tokio::test]
async fn r_17_functions_of_no_and_of_one_parameter_and_closures_work() {
    assert_eq!(value("fn probe() { 42 }", json!({})).await, json!(42));
    assert_eq!(value("fn probe(args) { args.a + args.b }", json!({"a": 19, "b": 23})).await, json!(42));
    assert_eq!(value("fn any_name(args) { args.a }", json!({"a": "x"})).await, json!("x"));
    assert_eq!(value("|| 42", json!({})).await, json!(42));
    assert_eq!(value("|args| args.a * 2", json!({"a": 21})).await, json!(42));
    assert_eq!(value("let k = 2; |args| args.a * k", json!({"a": 21})).await, json!(42));
    assert_eq!(value("let k = 42; || k", json!({})).await, json!(42));
    assert_eq!(
        value("private fn twice(args) { args.a * 2 } Fn(\"twice\")", json!({"a": 21})).await,
        json!(42)
    );
    assert_eq!(value("args.a + 1", json!({"a": 41})).await, json!(42));
    assert_eq!(value("fn probe(args) { }", json!({})).await, json!(null));
    assert_eq!(value("fn probe(args) { if args.a { return 1; } 2 }", json!({"a": true})).await, json!(1));
    let wide = run(&script("probe", "|a, b| a"), json!({})).await.unwrap_err();
    assert!(wide.message.contains("has 2 parameters"), "{}", wide.message);
}

#[tokio::test]
async fn functions_of_the_file_call_each_other_and_see_its_constants() {
    let text = "const RATE = 3;\nprivate fn times(n) { n * global::RATE }\nfn probe(args) { times(args.n) }";
    assert_eq!(value(text, json!({"n": 14})).await, json!(42));
}

#[tokio::test]
async fn a_missing_argument_is_unit_and_unit_is_null() {
    assert_eq!(
        value("fn probe(args) { [args.a, args.b == ()] }", json!({"a": null})).await,
        json!([null, true])
    );
}

#[tokio::test]
async fn json_is_read_and_written() {
    let text = "fn probe(args) { let v = parse_json(args.text); v.n += 1; #{v: v, text: to_json(v), list: to_json([1, ()])} }";
    let given = value(text, json!({"text": "{\"n\": 41, \"deep\": [{\"a\": null}]}"})).await;
    assert_eq!(given["v"], json!({"n": 42, "deep": [{"a": null}]}));
    assert_eq!(given["text"], json!("{\"deep\":[{\"a\":null}],\"n\":42}"));
    assert_eq!(given["list"], json!("[1,null]"));
    let caught =
        value("fn probe() { try { parse_json(\"{\"); } catch (e) { return e.kind; } }", json!({})).await;
    assert_eq!(caught, json!("parse_error"));
}

#[tokio::test]
async fn log_print_and_debug_are_progress_and_are_bounded() {
    let context = NullContext::new();
    let tool = script(
        "probe",
        "fn probe() { log(1); print(\"two\"); debug(3); for i in 0..1000 { log(\"x\".len()) } }",
    );
    tool.run(&object(json!({})), &context.build()).await.unwrap();
    let lines = context.progress_lines();
    assert_eq!(lines[..3], ["1", "two", "3"]);
    assert_eq!(lines.len(), 200);
}

#[tokio::test]
async fn what_is_remembered_is_there_at_the_next_call() {
    let tool = script(
        "count",
        "fn count() { let n = state_get(\"n\"); if n == () { n = 0; } n += 1; state_set(\"n\", n); n }",
    );
    for expected in 1..=3 {
        assert_eq!(run(&tool, json!({})).await.unwrap().json, json!(expected));
    }
    let refused = run(&script("f", "fn f() { state_set(\"f\", || 1) }"), json!({})).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::InvalidArgs);
}

#[tokio::test]
async fn what_is_no_json_is_a_failure_that_says_so() {
    for text in ["fn probe() { #{f: |x| x} }", "fn probe() { 0.0 / 0.0 }", "fn probe() { timestamp() }"] {
        let failure = run(&script("probe", text), json!({})).await.unwrap_err();
        assert!(failure.message.contains("no JSON"), "{}", failure.message);
    }
}

#[tokio::test]
async fn texts_are_replaced_as_the_language_says() {
    let text = "fn probe() { let t = \"hello\"; t.replace(\"l\", \"LL\"); t.replace('h', \"J\"); t.replace(\"o\", 'u'); \
                t.replace('e', 'a'); t.replace(\"x\", \"y\"); t }";
    assert_eq!(value(text, json!({})).await, json!("JaLLLLu"));
}

#[tokio::test]
async fn nothing_of_the_machine_is_there() {
    for text in
        ["fn probe() { sleep(1) }", "fn probe() { sleep(0.5) }", "fn probe() { open_file(\"/etc/passwd\") }"]
    {
        assert!(run(&script("probe", text), json!({})).await.is_err(), "{text}");
    }
}

#[tokio::test]
async fn a_function_that_the_text_does_not_name_cannot_be_called_by_a_made_up_name() {
    for made in ["\"http_\" + \"get\"", "\"call_\" + \"tool\"", "\"read_\" + \"file\""] {
        let tool = script("probe", &format!("fn probe() {{ let name = {made}; Fn(name).call(\"x\") }}"));
        let failure = run(&tool, json!({})).await.unwrap_err();
        assert_eq!(failure.kind, ErrorKind::PermissionDenied, "{}", failure.message);
        assert!(failure.message.contains("must name it in its text"), "{}", failure.message);
    }
}

#[tokio::test]
async fn an_error_in_a_script_is_an_outcome_with_line_and_column() {
    let tool: Arc<dyn ToolPort> =
        Arc::new(script("probe", "fn probe(args) {\n  let x = args.a;\n  x.nonsense()\n}"));
    let outcome = called(vec![tool], &["probe"], "probe", json!({"a": 1})).await;
    let failure = outcome.failure().unwrap();
    assert!(
        failure.message.starts_with("Script 'probe' failed at line 3, column 5: "),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn arguments_are_checked_by_the_schema_of_the_comments() {
    let text = "/// Pays.\n/// @param coin gold|silver The coin\n/// @param count integer? How many\nfn pay(args) { args }";
    let tool: Arc<dyn ToolPort> = Arc::new(script("pay", text));
    let pay = |args| called(vec![Arc::clone(&tool)], &["pay"], "pay", args);
    assert_eq!(pay(json!({"coin": "gold"})).await.output().unwrap().json, json!({"coin": "gold"}));
    assert_eq!(pay(json!({"coin": "tin"})).await.failure().unwrap().kind, ErrorKind::InvalidArgs);
    assert_eq!(pay(json!({"count": 1})).await.failure().unwrap().kind, ErrorKind::InvalidArgs);
    assert_eq!(
        pay(json!({"coin": "gold", "count": "1"})).await.failure().unwrap().kind,
        ErrorKind::InvalidArgs
    );
}

#[tokio::test]
async fn a_script_needs_permission_like_any_tool() {
    let tool: Arc<dyn ToolPort> = Arc::new(script("probe", "fn probe() { 1 }"));
    let outcome = called(vec![tool], &[], "probe", json!({})).await;
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn calls_of_one_script_do_not_see_each_other() {
    let tool = Arc::new(limited("probe", "let n = 0; |args| { n += args.by; n }", ScriptLimits::default()));
    let runs = (0..32).map(|by| {
        let tool = Arc::clone(&tool);
        tokio::spawn(async move { (by, run(&tool, json!({"by": by})).await.unwrap().json) })
    });
    for done in futures::future::join_all(runs).await {
        let (by, given) = done.unwrap();
        assert_eq!(given, json!(by));
    }
}

#[test]
fn a_script_with_comments_keeps_the_contract_of_tools() {
    for text in [
        "/// Adds.\n/// @param a integer The first\n/// @param b integer? The second\nfn sum(args) { args.a }",
        "/// Reads.\nfn sum() { read_file(\"a\") }",
        "/// Fetches.\nfn sum() { http_get(\"a\") }",
        "/// Calls.\nfn sum() { call_tool(\"a\") }",
    ] {
        windlass_testkit::tool_conformance(&script("sum", text)).unwrap();
    }
}

#[test]
fn a_broken_text_is_no_tool() {
    let error = ScriptTool::parse("a.rhai", "a", "fn a( {", ScriptLimits::default(), ScriptGrants::default());
    assert_eq!(error.unwrap_err().line, Some(1));
}
