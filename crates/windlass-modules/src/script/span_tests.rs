use super::*;

fn body(text: &str, name: &str, takes_args: bool) -> Option<(String, Option<String>)> {
    find_body(text, name, takes_args).map(|found| (text[found.range].trim().to_owned(), found.param))
}

#[test]
fn a_body_is_found_by_name_and_parameters() {
    let text = "fn other() { f(1) }\nprivate fn f() { 0 }\nfn f(a, b) { 2 }\nfn f ( args ) { if x { 1 } else { 2 } }\nf(2)";
    assert_eq!(body(text, "f", true), Some(("if x { 1 } else { 2 }".into(), Some("args".into()))));
    assert_eq!(body(text, "f", false), Some(("0".into(), None)));
    assert_eq!(body(text, "other", false), Some(("f(1)".into(), None)));
    assert_eq!(body(text, "none", true), None);
}

#[test]
fn what_only_looks_like_code_is_none() {
    let text = r##"
        // fn f(x) { wrong }
        /* fn f(x) { /* wrong */ } } */
        const A = "fn f(x) { \" wrong }"; const B = '}'; const C = '\''; const D = `fn f(x) { ${ "}" + `${ #{a: '{'} }` } }`;
        const E = #"fn f(x) { " wrong }"#; const M = #{f: 1, g: [2]};
        fn f(x) { let s = "}"; let t = `}${ {1} }`; /* } */ // }
            '}' }
    "##;
    let (found, param) = body(text, "f", true).unwrap();
    assert!(found.starts_with("let s = \"}\"") && found.ends_with("'}'"), "{found}");
    assert_eq!(param.as_deref(), Some("x"));
}

#[test]
fn a_text_that_ends_too_early_has_no_body() {
    for text in
        ["fn f(x) { ", "fn f(x", "fn f", "fn", "\"", "`${", "/* /* */", "#\"", "'\\", "fn f(x) { \"} }"]
    {
        assert_eq!(body(text, "f", true), None, "{text}");
    }
}

#[test]
fn a_function_inside_a_block_and_a_name_that_begins_the_same_are_others() {
    assert_eq!(body("{ fn f(x) { 1 } } fn ff(x) { 2 } fn f2(x) { 3 }", "f", true), None);
    assert_eq!(body("fn f(x) { }", "f", true), None);
    let umlauts = "const Ä = \"äöü\"; fn f(x) { \"ß\" }";
    assert_eq!(body(umlauts, "f", true).unwrap().0, "\"ß\"");
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_search(text in "[fn(){}\\[\\]`\"'#$/*\\\\ x\n]{0,60}") {
        find_body(&text, "f", true);
    }
}
