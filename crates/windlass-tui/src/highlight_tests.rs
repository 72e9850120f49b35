use super::*;

/// The pieces of a role, in order.
fn of(role: TextRole, language: &str, code: &str) -> Vec<String> {
    let mut highlighter = Highlighter::new(language);
    code.lines()
        .flat_map(|line| highlighter.line(line))
        .filter(|(_, painted)| *painted == role)
        .map(|(text, _)| text.to_owned())
        .collect()
}

#[test]
fn rust_has_its_words_strings_numbers_and_comments() {
    let code = "pub fn f<'a>(x: &'a str) -> u8 { // say\n    println!(\"a \\\" b\"); 'x' as u8 + 0x1f + 1.5 + Self::N }";
    assert_eq!(of(TextRole::Keyword, "rust", code), ["pub", "fn", "as"]);
    assert_eq!(of(TextRole::Literal, "rs", code), ["\"a \\\" b\"", "'x'"]);
    assert_eq!(of(TextRole::Number, "rust,ignore", code), ["0x1f", "1.5"]);
    assert_eq!(of(TextRole::Comment, "src/main.rs", code), ["// say"]);
    assert_eq!(of(TextRole::Name, "rust", code), ["str", "u8", "println", "u8", "Self", "N"]);
    assert_eq!(of(TextRole::Number, "rust", "for i in 0..10 {"), ["0", "10"]);
}

#[test]
fn what_a_line_leaves_open_goes_on_in_the_next() {
    assert_eq!(of(TextRole::Comment, "c", "a /* b\nc\nd */ e"), ["/* b", "c", "d */"]);
    assert_eq!(
        of(TextRole::Literal, "python", "x = \"\"\"a\nb # no\nc\"\"\" + y"),
        ["\"\"\"a", "b # no", "c\"\"\""]
    );
    assert_eq!(of(TextRole::Literal, "js", "`a\n${b}` + 'c'"), ["`a", "${b}`", "'c'"]);
    assert_eq!(of(TextRole::Literal, "rust", "r#\"a \" b\nc\"# + d"), ["r#\"a \" b", "c\"#"]);
    assert_eq!(of(TextRole::Literal, "java", "\"never closed\nint x;"), ["\"never closed"]);
}

#[test]
fn settings_have_names_and_values() {
    let json = "{\"a\": \"b\", \"c\": [1, true, null]}";
    assert_eq!(of(TextRole::Name, "json", json), ["\"a\"", "\"c\""]);
    assert_eq!(of(TextRole::Literal, "json", json), ["\"b\""]);
    assert_eq!(of(TextRole::Number, "json", json), ["1", "true", "null"]);
    assert_eq!(of(TextRole::Name, "yaml", "my-key: http://x # why\n- name: 'v'"), ["my-key", "name"]);
    assert_eq!(of(TextRole::Comment, "yaml", "my-key: a#b # why"), ["# why"]);
    assert_eq!(of(TextRole::Name, "toml", "[package]\nname = \"x\""), ["name"]);
    assert_eq!(of(TextRole::Name, "css", ".a { margin-top: 4px; }"), ["margin-top"]);
}

#[test]
fn shells_and_queries_are_read_too() {
    let code = "for f in *.txt; do\n  echo \"$f\" ${HOME} $USER # each\ndone";
    assert_eq!(of(TextRole::Keyword, "bash", code), ["for", "in", "do", "echo", "done"]);
    assert_eq!(of(TextRole::Name, "sh", code), ["${HOME}", "$USER"]);
    assert_eq!(of(TextRole::Comment, "sh", "echo a#b # c"), ["# c"]);
    assert_eq!(of(TextRole::Keyword, "sql", "SELECT name from t -- all"), ["SELECT", "from"]);
    assert_eq!(of(TextRole::Keyword, "dockerfile", "FROM rust:1 AS build"), ["FROM", "AS"]);
}

#[test]
fn markup_colours_its_tags_only() {
    let html = "<p class=\"a\nb\">if x &lt; 1</p><!-- for\n-->";
    assert_eq!(of(TextRole::Keyword, "html", html), ["p", "p"]);
    assert_eq!(of(TextRole::Name, "html", html), ["class"]);
    assert_eq!(of(TextRole::Literal, "xml", html), ["\"a", "b\""]);
    assert_eq!(of(TextRole::Comment, "html", html), ["<!-- for", "-->"]);
}

#[test]
fn diffs_and_markdown_go_by_the_line() {
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same";
    assert_eq!(of(TextRole::Added, "diff", diff), ["+new"]);
    assert_eq!(of(TextRole::Removed, "diff", diff), ["-old"]);
    assert_eq!(of(TextRole::Place, "patch", diff), ["@@ -1 +1 @@"]);
    assert_eq!(of(TextRole::Heading, "md", "# Head\n- a `b` c"), ["# Head"]);
    assert_eq!(of(TextRole::Literal, "md", "# Head\n- a `b` c"), ["`b`"]);
}

#[test]
fn unknown_languages_have_no_colours() {
    for name in ["", "brainfuck", "text", "…", " ,{"] {
        assert_eq!(of(TextRole::Text, name, "if \"x\" // 1"), ["if \"x\" // 1"], "{name}");
    }
}

/// Whatever the line, its pieces are the line.
#[test]
fn no_language_loses_a_sign() {
    let lines = [
        "",
        " ",
        "\"",
        "'",
        "`",
        "'''",
        "\"\"\"",
        "\\",
        "\"\\",
        "'\\''",
        "$",
        "${",
        "${a",
        "@",
        "#",
        "/*",
        "*/",
        "<",
        "</",
        "<a",
        "<!--",
        "-->",
        "漢字 = \"漢\\字\" 漢(",
        "1.",
        "1..",
        "1.2.3.",
        "0x",
        "r#\"",
        "é'é'é",
        "a:b::c",
        "key : v",
        "`a",
        "- `",
        "--[[",
    ];
    for lexicon in LEXICONS.iter() {
        for first in lines {
            let mut highlighter = Highlighter::new(lexicon.language.names[0]);
            for line in std::iter::once(first).chain(lines) {
                let text: String = highlighter.line(line).into_iter().map(|(text, _)| text).collect();
                assert_eq!(text, line, "{:?} after {first:?}", lexicon.language.names);
            }
        }
    }
}

#[test]
fn a_name_stands_for_one_language() {
    let mut names: Vec<&str> = LANGUAGES.iter().flat_map(|language| language.names).copied().collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}
