//! Hostile scripts: each is stopped by a limit, with an outcome that says which and where.

use std::sync::Arc;

use serde_json::json;
use windlass_core::ports::ToolPort;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};
use windlass_modules::script::ScriptLimits;
use windlass_testkit::NullContext;

use crate::script_world::{called, limited, object, patient, run, script, value};

fn few_operations() -> ScriptLimits {
    ScriptLimits { operations: 200_000, ..patient() }
}

async fn stopped(text: &str, limits: ScriptLimits) -> ToolFailure {
    match run(&limited("evil", text, limits), json!({})).await {
        Ok(output) => panic!("{text}: it came to an end and gave {}", output.json),
        Err(failure) => failure,
    }
}

#[tokio::test]
async fn r_16_an_endless_script_is_stopped_by_the_limit_of_operations_and_says_where() {
    for text in [
        "fn evil() {\n  loop { }\n}",
        "fn evil() {\n  while true { let x = 1; }\n}",
        "fn evil() {\n  loop { try { loop { } } catch { } }\n}",
        "fn evil() {\n  [1, 2, 3].map(|x| { loop { } })\n}",
        "fn evil() {\n  let a = []; a.pad(100, 0); loop { a.map(|x| { let n = 0; while n < 1000 { n += 1; } n }); }\n}",
        "fn evil() {\n  for i in 0..9223372036854775807 { i + 1; }\n}",
        "fn evil() {\n  other()\n}\nprivate fn other() { loop { } }",
        "let x = 0;\nloop { x += 1; }",
    ] {
        let failure = stopped(text, few_operations()).await;
        assert_eq!(failure.kind, ErrorKind::LimitExceeded, "{text}: {}", failure.message);
        assert!(
            failure.message.starts_with("Script 'evil' was stopped at line 2, column "),
            "{}",
            failure.message
        );
        assert!(failure.message.ends_with("it did more than 200000 operations"), "{}", failure.message);
    }
}

#[tokio::test]
async fn r_16_the_outcome_of_an_endless_script_reaches_the_model() {
    let tool: Arc<dyn ToolPort> = Arc::new(limited("evil", "fn evil() {\n  loop { }\n}", few_operations()));
    let outcome = called(vec![tool], &["evil"], "evil", json!({})).await;
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::LimitExceeded);
}

#[tokio::test]
async fn r_16_a_script_that_takes_too_long_is_stopped_by_the_clock() {
    let limits = ScriptLimits { wall_ms: 50, operations: u64::MAX, ..ScriptLimits::default() };
    let failure = stopped("fn evil() {\n  loop { }\n}", limits).await;
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert!(
        failure.message.contains("at line 2, column ") && failure.message.contains("50 ms"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn r_16_a_text_of_a_gigabyte_is_never_made() {
    for text in [
        "fn evil() { let s = \"xxxxxxxx\";\n  loop { s += s; } }",
        "fn evil() { let s = \"xxxxxxxx\";\n  loop { s = s + s; } }",
        "fn evil() { let s = \"xxxxxxxx\";\n  loop { s = `${s}${s}`; } }",
        "fn evil() { let s = \"x\";\n  s.pad(1000000000, \"x\"); s }",
        "fn evil() { let s = \"x\"; s.pad(1000000, \"x\");\n  s.replace(\"x\", s); s }",
        "fn evil() { let a = [];\n  let s = \"x\"; s.pad(100000, \"x\"); loop { a.push(s); } }",
    ] {
        let failure = stopped(text, patient()).await;
        assert_eq!(failure.kind, ErrorKind::LimitExceeded, "{text}: {}", failure.message);
        assert!(failure.message.contains("at line 2, column "), "{text}: {}", failure.message);
        assert!(failure.message.contains("a value grew above 1048576 bytes of text"), "{}", failure.message);
    }
}

#[tokio::test]
async fn r_16_arrays_of_arrays_and_maps_of_maps_are_stopped() {
    let few_items = ScriptLimits { array_items: 1_000, map_items: 1_000, ..patient() };
    for text in [
        "fn evil() { let a = [0];\n  loop { a = [a, a, a, a]; } }",
        "fn evil() { let a = [0];\n  loop { a += a; } }",
        "fn evil() { let a = [0];\n  loop { a = [a]; } }",
        "fn evil() { let a = [];\n  loop { a.push(a); } }",
        "fn evil() { let a = [];\n  a.pad(1000000000, 0); }",
        "fn evil() { let b =\n  blob(1000000000, 0); b }",
        "fn evil() { let m = #{};\n  loop { m = #{a: m, b: m}; } }",
        "fn evil() { let m = #{};\n  loop { m.m = m; } }",
    ] {
        let failure = stopped(text, few_items.clone()).await;
        assert_eq!(failure.kind, ErrorKind::LimitExceeded, "{text}: {}", failure.message);
        assert!(failure.message.contains("at line 2, column "), "{text}: {}", failure.message);
    }
}

#[tokio::test]
async fn r_16_what_is_nested_to_the_limit_is_compared_shown_and_dropped_without_harm() {
    let deepest = "let a = []; for i in 0..1998 { a = [[[[[a]]]]]; }";
    assert_eq!(value(&format!("{deepest} a == a && to_debug(a).len() > 9990"), json!({})).await, json!(true));
    let nest = "let a = []; for i in 0..400 { a = [[[[[a]]]]]; } \
                let m = #{}; for i in 0..400 { m = #{m: #{m: #{m: #{m: #{m: m}}}}}; }";
    let all =
        "a == a && m == m && a.to_string().len() > 2000 && `${m}`.len() > 2000 && m.values().len() == 1";
    assert_eq!(value(&format!("{nest} {all}"), json!({})).await, json!(true));
    let failure = stopped(&format!("fn evil() {{ {nest} a }}"), patient()).await;
    assert!(failure.message.contains("128 levels deep"), "{}", failure.message);
    let failure = stopped(&format!("fn evil() {{ {nest} state_set(\"a\", a) }}"), patient()).await;
    assert_eq!(failure.kind, ErrorKind::InvalidArgs);
    let failure = stopped("fn evil() { let s = \"\"; s.pad(100000, \"[\"); parse_json(s) }", patient()).await;
    assert_eq!(failure.kind, ErrorKind::ParseError);
}

#[tokio::test]
async fn r_16_deep_recursion_is_stopped() {
    for text in [
        "fn evil() {\n  evil() }",
        "fn evil() {\n  other(0) }\nprivate fn other(n) { evil() + n }",
        "fn evil() {\n  [1].map(|x| evil()) }",
        "fn evil() {\n  let f = |g| g.call(g); f.call(f) }",
    ] {
        let failure = stopped(text, patient()).await;
        assert_eq!(failure.kind, ErrorKind::LimitExceeded, "{text}: {}", failure.message);
        assert!(failure.message.contains("more than 32 deep"), "{text}: {}", failure.message);
        assert!(failure.message.contains("at line "), "{text}: {}", failure.message);
    }
    // As deep as it may be, with the deepest expressions that are read.
    let deep = format!(
        "fn evil(args) {{ let n = args.n; if n == 0 {{ 0 }} else {{ {}evil(#{{n: n - 1}}){} }} }}",
        "(1 + ".repeat(5),
        ")".repeat(5)
    );
    assert_eq!(value(&deep.replace("evil", "probe"), json!({"n": 25})).await, json!(125));
}

#[tokio::test]
async fn r_16_an_expression_that_is_nested_too_deeply_is_no_script() {
    let text = format!("fn evil() {{ {}1{} }}", "(".repeat(5_000), ")".repeat(5_000));
    let error = windlass_modules::script::ScriptTool::parse(
        "evil.rhai",
        "evil",
        &text,
        ScriptLimits::default(),
        Default::default(),
    );
    assert!(error.unwrap_err().message.contains("exceeds maximum"), "the parser stops");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn r_16_what_many_values_hold_together_is_bounded() {
    let limits = ScriptLimits { memory_growth_bytes: 64 << 20, ..patient() };
    let many_args = (0..2_000).map(|n| format!("s + \"{n}\"")).collect::<Vec<_>>().join(", ");
    for text in [
        // Closures hide what they hold from the size of the value that holds them.
        "fn evil() { let all = []; for i in 0..9000 { let s = \"\"; s.pad(1000000, \"x\"); all.push(|| s); } all.len() }".to_owned(),
        "fn evil() { let f = |x| x; for i in 0..9000 { let s = i.to_string(); s.pad(1000000, \"x\"); f = f.curry(s); } 1 }".to_owned(),
        "fn evil() { deep(30) }\nprivate fn deep(n) { let a = \"a\"; a.pad(1000000, \"x\"); let b = a + \"b\"; let c = a + \"c\"; \
         let d = a + \"d\"; let e = a + \"e\"; let f = a + \"f\"; let g = a + \"g\"; if n > 0 { deep(n - 1) } else { loop { } } }".to_owned(),
        format!("fn evil() {{ let s = \"\"; s.pad(1000000, \"x\"); [{many_args}].len(); nothing({many_args}) }}"),
    ] {
        let failure = stopped(&text, limits.clone()).await;
        assert_eq!(failure.kind, ErrorKind::LimitExceeded, "{}", failure.message);
    }
    let peak_kb = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak_kb = peak_kb.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    let peak_kb: u64 = peak_kb.trim_end_matches("kB").trim().parse().unwrap();
    assert!(peak_kb < 1_000_000, "the tests held {peak_kb} kB at most");
}

#[tokio::test]
async fn r_16_a_script_that_calls_itself_comes_to_an_end() {
    let forks: Arc<dyn ToolPort> =
        Arc::new(script("fork", "fn fork() {\n  call_tool(\"fork\");\n  call_tool(\"fork\")\n}"));
    let outcome = called(vec![forks], &["fork"], "fork", json!({})).await;
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::LimitExceeded);
    assert!(failure.message.contains("tools that call tools may stand 3 deep"), "{}", failure.message);
    assert!(failure.message.contains("at line 2, column "), "{}", failure.message);
    // One that does not take no for an answer.
    let text = "fn fork() {\n  loop {\n    try { call_tool(\"fork\") } catch { }\n  }\n}";
    let bomb: Arc<dyn ToolPort> = Arc::new(script("fork", text));
    let outcome = called(vec![bomb], &["fork"], "fork", json!({})).await;
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::LimitExceeded);
    assert!(
        failure.message.contains("at line 3, column ") && failure.message.contains("256 tools"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn r_7_a_cancelled_script_stops() {
    let context = NullContext::new();
    let limits = ScriptLimits { operations: u64::MAX, wall_ms: 60_000, ..ScriptLimits::default() };
    let tool = limited("evil", "fn evil() { log(\"begun\"); loop { } }", limits);
    let (args, built) = (object(json!({})), context.build());
    let mut running = tool.run(&args, &built);
    let cancel = context.cancel_flag();
    let outcome = loop {
        tokio::select! {
            outcome = &mut running => break outcome,
            () = tokio::task::yield_now() => if !context.progress_lines().is_empty() { cancel.cancel() },
        }
    };
    assert_eq!(outcome.unwrap_err().kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn r_7_a_script_whose_call_is_given_up_stops_and_lets_go_of_everything() {
    let context = NullContext::new();
    let limits = ScriptLimits { operations: u64::MAX, wall_ms: 60_000, ..ScriptLimits::default() };
    let tool = limited("evil", "fn evil() { log(\"begun\"); loop { } }", limits);
    let built = context.build();
    let held = Arc::downgrade(&built.progress);
    let args = object(json!({}));
    let mut running = tool.run(&args, &built);
    while context.progress_lines().is_empty() {
        tokio::select! {
            outcome = &mut running => panic!("it does not end by itself: {outcome:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(running);
    drop((built, context));
    while held.upgrade().is_some() {
        tokio::task::yield_now().await;
    }
}
