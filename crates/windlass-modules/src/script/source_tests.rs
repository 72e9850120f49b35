use super::*;

fn read(name: &str, text: &str) -> Result<ScriptSource, ScriptToolError> {
    ScriptSource::read(&format!("tools/{name}.rhai"), name, text, &ScriptLimits::default())
}

/// What the entry is: which function, and what it takes.
fn entry(name: &str, text: &str) -> (&'static str, Option<String>) {
    match read(name, text).unwrap().entry {
        EntryPoint::Function { takes_args, .. } => ("function", takes_args.then(String::new)),
        EntryPoint::Unrolled { param, .. } => ("unrolled", param),
        EntryPoint::Body => ("body", None),
    }
}

#[test]
fn r_17_the_entry_is_the_function_of_the_files_name_or_the_only_one_or_the_file_itself() {
    let takes = |param: &str| ("unrolled", Some(param.to_owned()));
    assert_eq!(entry("price", "fn price() { 1 } fn other(a) { 2 }"), ("unrolled", None));
    assert_eq!(entry("price", "fn price(args) { 1 }"), takes("args"));
    assert_eq!(entry("price", "fn price(what) { 1 } fn price() { 2 } fn price(a, b) { 3 }"), takes("what"));
    assert_eq!(entry("get-price", "fn whatever(x) { 1 } private fn helps() { 2 }"), takes("x"));
    assert_eq!(entry("price", "|args| args.a").0, "body");
    assert_eq!(entry("price", "private fn f() { 1 } || f()").0, "body");
    assert_eq!(entry("price", "args.a + 1").0, "body");
    // A function without statements is called as it is.
    assert_eq!(entry("price", "fn price(args) { }").0, "function");
}

#[test]
fn a_file_without_a_clear_entry_is_refused_with_what_to_do() {
    let several = read("price", "fn one() { 1 } fn two() { 2 }").unwrap_err();
    assert!(several.message.contains("(one, two)") && several.message.contains("private"), "{several}");
    let wide = read("price", "fn price(a, b) { 1 }").unwrap_err();
    assert!(wide.message.contains("has 2 parameters"), "{wide}");
    let named = read("no good", "fn f() { 1 }").unwrap_err();
    assert!(named.message.contains("1 to 128 characters"), "{named}");
}

#[test]
fn a_broken_file_is_named_with_its_line() {
    let syntax = read("price", "fn price() {\n  let x = ;\n}").unwrap_err();
    assert_eq!((syntax.file.as_str(), syntax.line, syntax.column), ("tools/price.rhai", Some(2), Some(11)));
    let comment = read("price", "/// Costs.\n/// @param item text\nfn price(args) { 1 }").unwrap_err();
    assert_eq!(comment.line, Some(2));
    assert!(comment.message.contains("no type 'text'"));
    let needless = read("price", "//! Costs.\n/// @param item string\nfn price() { 1 }").unwrap_err();
    assert_eq!(needless.line, Some(2));
}

#[test]
fn code_from_elsewhere_is_refused_when_the_file_is_read() {
    for text in ["fn f() { eval(\"1\") }", "import \"x\" as x; fn f() { 1 }"] {
        let error = read("f", text).unwrap_err();
        assert!(error.line.is_some(), "{error}");
    }
}

#[test]
fn comments_of_the_file_and_of_the_function_are_its_declaration() {
    let source = read(
        "price",
        "//! Prices of the market.\n//! @risk medium\n\n/// Says what a thing costs.\n/// @param item string The thing\n\
         fn price(args) { 1 }\n/// Not this.\nprivate fn other() { 2 }",
    )
    .unwrap();
    assert_eq!(source.spec.description, "Prices of the market.\nSays what a thing costs.");
    assert_eq!(source.spec.risk, Risk::Medium);
    assert!(source.spec.requires("item"));
    let bare = read("price", "fn price() { 1 }").unwrap().spec;
    assert_eq!(bare.description, "The script price.");
    assert!(!bare.is_open());
}

#[test]
fn what_a_script_can_do_is_the_least_that_its_spec_says() {
    let spec = |text: &str| read("f", text).unwrap().spec;
    let says = |text: &str| (spec(text).effects, spec(text).risk);
    assert_eq!(says("fn f() { 1 }"), (Effects::Pure, Risk::Low));
    assert_eq!(says("/// @effects read\n/// @risk safe\nfn f() { 1 }"), (Effects::Read, Risk::Low));
    assert_eq!(says("fn f() { read_file(\"a\") }"), (Effects::Read, Risk::Low));
    assert_eq!(says("fn f() { state_get(\"a\") }"), (Effects::Read, Risk::Low));
    assert_eq!(says("fn f() { state_set(\"a\", 1) }"), (Effects::Write, Risk::Low));
    assert_eq!(says("/// @effects pure\nfn f() { call_tool(\"a\") }"), (Effects::External, Risk::Low));
    assert_eq!(
        says("/// @effects pure\n/// @risk low\nfn f() { http_get(\"a\") }"),
        (Effects::External, Risk::High)
    );
    assert_eq!(says("/// @risk critical\nfn f() { 1 }"), (Effects::Pure, Risk::Critical));
    assert!(spec("fn f() { http_get(\"a\") }").untrusted_output);
    assert_eq!(spec("fn f() { http_get(\"a\") }").scopes, [Scope::NetworkAccess]);
    assert!(spec("fn f() { 1 }").idempotent && !spec("fn f() { call_tool(\"a\") }").idempotent);
}
