use rhai::Engine;

use super::*;

fn fail(script: &str) -> ToolFailure {
    let error = Engine::new().run(script).unwrap_err();
    failure_of("probe", &error, &ScriptLimits::default())
}

#[test]
fn an_error_says_where_it_happened_also_inside_functions() {
    let failure = fail("fn f(x) {\n  x.nothing()\n}\nfn g(x) { f(x) }\ng(1)");
    assert_eq!(failure.kind, ErrorKind::Internal);
    assert!(
        failure.message.starts_with("Script 'probe' failed at line 2, column 5: "),
        "{}",
        failure.message
    );
    assert!(failure.message.contains("nothing"), "{}", failure.message);
}

#[test]
fn what_a_script_throws_is_its_message_and_it_may_name_a_kind() {
    let text = fail("\n throw \"no gold left\"");
    assert_eq!(text.message, "Script 'probe' failed at line 2, column 2: no gold left");
    let named =
        fail("throw #{kind: \"invalid_args\", message: \"count must be above 0\", hint: \"Give 1.\"}");
    assert_eq!((named.kind, named.hint.as_deref()), (ErrorKind::InvalidArgs, Some("Give 1.")));
    assert!(named.message.ends_with("count must be above 0"));
    let unknown = fail("throw #{kind: \"nonsense\", message: \"m\"}");
    assert_eq!(unknown.kind, ErrorKind::Internal);
    assert_eq!(fail("throw #{a: 1}").kind, ErrorKind::Internal);
}

#[test]
fn a_thrown_text_is_cut() {
    let failure = fail("let s = \"x\"; s.pad(100000, \"x\"); throw s");
    assert!(failure.message.len() < 3_000);
}

#[test]
fn a_broken_file_is_named_with_line_and_column() {
    let error = Engine::new().compile("fn f() {\n  let = 1;\n}").unwrap_err();
    let error = ScriptToolError::of_parser("tools/f.rhai", &error);
    assert_eq!((error.line, error.column), (Some(2), Some(7)));
    assert!(error.to_string().starts_with("tools/f.rhai, line 2, column 7: "), "{error}");
}
