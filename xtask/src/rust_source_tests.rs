//! Comments, paths, macro calls and tests are found where they are, and not where they only seem to be.

use super::*;

fn parse(text: &str) -> RustSource {
    RustSource::parse(text).unwrap()
}

#[test]
fn comments_are_told_from_strings_that_look_like_them() {
    let source = parse(
        "//! Head.\nconst URL: &str = \"http://x\"; // why\n/* a\n b */\nconst C: char = '/';\n\nconst R: &str = r#\"\n// no\n\"#;\n",
    );
    let comments: Vec<_> =
        source.comments.iter().map(|comment| (comment.line, comment.text.as_str())).collect();
    assert_eq!(comments, [(1, "//! Head."), (2, "// why"), (3, "/* a"), (4, "b */")]);
    assert_eq!((source.lines.code, source.lines.comment, source.lines.blank), (5, 3, 1));
}

#[test]
fn paths_are_found_in_uses_expressions_types_and_macros() {
    let source = parse(
        "use std::{fs, io::{self as input, Read}, time::*};\nuse ::std::env;\nfn f() -> std::net::IpAddr { vec![std::process::id()] }\n",
    );
    let paths: Vec<_> = source.paths().iter().map(|path| path.segments.join("::")).collect();
    for wanted in [
        "std::fs",
        "std::io",
        "std::io::Read",
        "std::time::*",
        "std::env",
        "std::net::IpAddr",
        "std::process::id",
    ] {
        assert!(paths.iter().any(|path| path == wanted), "{wanted} in {paths:?}");
    }
}

#[test]
fn precise_capturing_is_not_taken_for_an_import() {
    let source = parse("fn f<'a>(x: &'a str) -> impl Sized + use<'a> { std::fs::read(x) }");
    assert!(source.paths().iter().any(|path| path.segments == ["std", "fs", "read"]));
}

#[test]
fn macro_calls_are_told_from_the_not_equal_sign() {
    let source = parse("fn f(a: u8, b: u8) -> bool { println!(\"x\"); a != b }");
    let names: Vec<_> = source.macro_calls().into_iter().map(|call| call.name).collect();
    assert_eq!(names, ["println"]);
}

#[test]
fn tests_are_found_by_attribute_also_inside_macros() {
    let source = parse(
        "#[test]\nfn a() {}\n\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn b() {\n}\n#[cfg(test)]\nfn not_one() {}\n\
         proptest! { #[test] fn c(x in 0..9) {} }\n#[test]\n#[ignore = \"slow\"]\nfn d() {}\n#[derive(Clone)]\nstruct S;\nfn e() {}\n",
    );
    let tests: Vec<_> = source
        .tests()
        .iter()
        .map(|test| (test.name.clone(), test.line_first, test.line_last, test.ignored))
        .collect();
    let expected = [("a", 1, 2, false), ("b", 4, 6, false), ("d", 10, 12, true), ("c", 9, 9, false)];
    assert_eq!(tests, expected.map(|(name, first, last, ignored)| (name.to_owned(), first, last, ignored)));
}

#[test]
fn string_literals_are_listed_and_doc_comments_are_not() {
    let source = parse("/// Doc.\nfn f() { g(\"one\", 'c', 3, r\"two\"); }");
    let texts: Vec<_> = source.texts().into_iter().map(|text| text.text).collect();
    assert_eq!(texts, ["\"one\"", "r\"two\""]);
}

#[test]
fn a_file_that_is_not_rust_is_refused_with_its_line() {
    let error = RustSource::parse("fn f() {}\nfn (\n)").err().unwrap();
    assert!(error.to_string().contains("does not parse as Rust"), "{error}");
}
