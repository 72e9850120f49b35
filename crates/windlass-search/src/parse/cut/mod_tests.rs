//! The promise of cuts, for all ways of cutting, and what each way does.

use proptest::prelude::*;

use super::{CutPassage, cut};
use crate::limits::{PARSE_BYTES_MAX, PASSAGE_BYTES_MAX};
use crate::parse::language::SourceLanguage;

const PATHS: [&str; 15] = [
    "a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.c", "a.cpp", "a.java", "a.zig", "a.md", "a.txt",
    "a.toml", "a.sh", "Makefile",
];

fn cuts(path: &str, text: &str) -> Vec<CutPassage> {
    cut(text, SourceLanguage::of(path, text)).cuts
}

/// In order, apart, on characters, within the limit, and nothing lost.
fn check(path: &str, text: &str) {
    let cuts = cuts(path, text);
    let mut at = 0;
    for cut in &cuts {
        assert!(cut.span.start >= at && cut.span.end > cut.span.start, "{path}: {:?} after {at}", cut.span);
        let between = text.get(at..cut.span.start).expect("cuts lie on characters");
        assert!(between.trim().is_empty(), "{path}: lost {between:?}");
        let inside = text.get(cut.span.clone()).expect("cuts lie on characters");
        assert!(inside.len() <= PASSAGE_BYTES_MAX, "{path}: {} bytes", inside.len());
        let line = text[..cut.span.start].matches('\n').count() + 1;
        assert_eq!(cut.line as usize, line, "{path}");
        at = cut.span.end;
    }
    assert!(text[at..].trim().is_empty(), "{path}: lost {:?}", &text[at..]);
}

/// Pages: the same, but for text that is not shown.
fn check_page(text: &str) {
    let mut at = 0;
    for cut in cuts("a.html", text) {
        assert!(cut.span.start >= at && cut.span.end > cut.span.start);
        assert!(text.get(cut.span.clone()).is_some());
        assert!(cut.text(text).len() <= PASSAGE_BYTES_MAX);
        at = cut.span.end;
    }
}

#[test]
fn code_longer_than_is_parsed_at_one_time_is_cut_at_blank_lines() {
    let piece = "fn haul() {\n    turn();\n}\n\n";
    let (short, long) = (piece.repeat(100), piece.repeat(PARSE_BYTES_MAX / piece.len() + 1));
    let definitions = |text: &str| cut(text, SourceLanguage::of("a.rs", text)).symbols.definitions.len();
    assert_eq!((definitions(&short), definitions(&long)), (100, 0));
    check("a.rs", &long);
}

/// Pieces of code that make trees, and marks that break them.
fn code() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "fn haul() {\n",
        "}\n",
        "impl Windlass {\n",
        "/// Doc.\n",
        "#[test]\n",
        "class A:\n",
        "    def b(self):\n",
        "        return 1\n",
        "function c() {\n",
        "export class D {\n",
        "};\n",
        "// note\n",
        "/* ",
        " */\n",
        "\"",
        "'",
        "`",
        "\n\n",
        "# Heading\n",
        "```\n",
        "<p>",
        "</p>",
        "<script>",
        "&amp;",
        "(",
        ")",
        "ä",
        "漢字",
        "🦀",
        "\r\n",
        "let x = 1;\n",
        "int f(int a) {\n",
        "struct s {\n",
        "#if X\n",
        "#endif\n",
        "namespace n {\n",
        "\t",
        "\u{0}",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ]);
    prop::collection::vec((word, 1_usize..12), 0..60)
        .prop_map(|words| words.into_iter().map(|(word, times)| word.repeat(times)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn cuts_are_in_order_apart_bounded_and_lose_nothing(text in code(), path in prop::sample::select(PATHS.to_vec())) {
        check(path, &text);
        check_page(&text);
    }

    #[test]
    fn any_bytes_can_be_cut(bytes in prop::collection::vec(any::<u8>(), 0..6_000), path in prop::sample::select(PATHS.to_vec())) {
        let text = String::from_utf8_lossy(&bytes);
        check(path, &text);
        check_page(&text);
    }
}

#[test]
fn this_crate_itself_is_cut_without_loss() {
    for (path, text) in [
        ("symbols.rs", include_str!("../symbols.rs")),
        ("cut.rs", include_str!("mod.rs")),
        ("code.rs", include_str!("code.rs")),
        ("limits.rs", include_str!("../../limits.rs")),
    ] {
        check(path, text);
    }
}

#[test]
fn a_method_is_a_passage_with_its_doc_comment_and_its_path() {
    let text = include_str!("../symbols.rs");
    let cuts = cuts("symbols.rs", text);
    let define =
        cuts.iter().find(|cut| cut.symbol.as_deref() == Some("SymbolWalk::define")).expect("a passage");
    assert!(define.text(text).trim_start().starts_with("fn define("), "{}", define.text(text));
    let kind =
        cuts.iter().find(|cut| cut.symbol.as_deref() == Some("SymbolWalk::kind_of")).expect("a passage");
    assert!(kind.text(text).trim_start().starts_with("/// A function inside a class"), "{}", kind.text(text));
}

#[test]
fn a_function_that_is_too_long_is_cut_at_statements_and_keeps_its_name() {
    let body = "    let weight = load.weight().checked_add(1).unwrap_or_default();\n".repeat(120);
    let text = format!("/// Hauls.\nfn haul() {{\n{body}}}\n\nfn idle() {{}}\n");
    let cuts = cuts("a.rs", &text);
    assert!(cuts.len() >= 5);
    let named = cuts.iter().filter(|cut| cut.symbol.as_deref() == Some("haul")).count();
    assert!(named >= cuts.len() - 1, "{cuts:?}");
    for cut in &cuts {
        assert!(cut.text(&text).trim_end().ends_with([';', '}']), "{:?}", cut.text(&text));
    }
}

#[test]
fn the_head_of_a_trait_or_class_goes_with_its_first_member_and_not_with_what_is_before_it() {
    let method = "    /// What it does, at length, so that the whole of it is cut.\n    fn NAME(&self) -> Result<(), Failure>;\n";
    let methods: String = (0..12).map(|at| method.replace("NAME", &format!("m{at}"))).collect();
    let text = format!("use a;\n\nenum E {{ A, B }}\n\n/// Hauls.\npub trait Haul: Send {{\n{methods}}}\n");
    let cuts = cuts("a.rs", &text);
    assert_eq!(cuts[0].text(&text), "use a;\n\nenum E { A, B }");
    assert!(
        cuts[1].text(&text).starts_with("/// Hauls.\npub trait Haul: Send {\n    /// What"),
        "{}",
        cuts[1].text(&text)
    );
    assert!(cuts.last().unwrap().text(&text).ends_with("m11(&self) -> Result<(), Failure>;\n}"));
    let body: String = (0..20).map(|at| format!("  m{at}() {{\n    return this.load.weight() * {at} + this.turns.length;\n  }}\n\n  /** Why. */\n")).collect();
    let text = format!(
        "import a from 'a';\n\nexport class Windlass extends Deck {{\n{body}}}\n\nexport function idle() {{}}\n"
    );
    check("a.ts", &text);
    let cuts = super::tests::cuts("a.ts", &text);
    assert!(
        cuts.iter().any(|cut| cut.text(&text).starts_with("export class Windlass extends Deck {")),
        "{cuts:?}"
    );
}

#[test]
fn small_neighbours_are_one_passage() {
    let text = "use a;\nuse b;\nconst A: u8 = 1;\nconst B: u8 = 2;\nstruct S;\n";
    assert_eq!(cuts("a.rs", text).len(), 1);
}

#[test]
fn a_comment_behind_a_statement_stays_with_it() {
    let long = "    first();\n".repeat(150);
    let text = format!("fn a() {{\n{long}    last(); // why\n    {}\n}}\n", "more();\n    ".repeat(200));
    let holder =
        cuts("a.rs", &text).into_iter().find(|cut| cut.text(&text).contains("last();")).expect("a cut");
    assert!(holder.text(&text).contains("// why"));
    // Unless it has no end.
    check("a.rs", &format!("fn a() {{}} /* {} */\n", "why ".repeat(2_000)));
}

#[test]
fn markdown_is_cut_at_headings_and_carries_them() {
    let filler = "Words about it. ".repeat(30);
    let text = format!(
        "# Search\n\n{filler}\n\n## Index\n\n{filler}\n\n```\n# no heading\n```\n\nQueries\n-------\n\n{filler}\n"
    );
    let symbols: Vec<_> = cuts("a.md", &text).into_iter().filter_map(|cut| cut.symbol).collect();
    assert_eq!(symbols, ["Search", "Search > Index", "Search > Queries"]);
}

#[test]
fn text_that_is_one_paragraph_is_cut_at_sentences() {
    let text = "The pawl holds the load. ".repeat(300);
    for cut in cuts("a.txt", &text) {
        assert!(cut.text(&text).ends_with("load."), "{:?}", cut.text(&text));
    }
}

#[test]
fn pages_are_read_as_text_with_the_spans_of_the_source() {
    let text = "<html><head><title>Deck</title><style>p{}</style></head><body><h1>The &amp; Windlass</h1>\
                <p>It <b>hauls</b>\n  loads.</p><script>var x = '<p>no</p>';</script><p>Twice&#33;</p></body></html>";
    let cuts = cuts("a.html", text);
    let shown: Vec<_> = cuts.iter().map(|cut| (cut.symbol.as_deref(), cut.text(text))).collect();
    assert_eq!(
        shown,
        [(Some("Deck"), "Deck"), (Some("The & Windlass"), "The & Windlass\nIt hauls loads.\nTwice!")]
    );
    assert!(text[cuts[1].span.clone()].starts_with("<h1>"));
}

#[test]
fn other_languages_are_cut_at_blank_lines_and_keep_indented_blocks_together() {
    let block = "def haul\n  wind\n\n  pawl\nend\n\n".repeat(60);
    for cut in cuts("a.rb", &block) {
        assert!(cut.text(&block).starts_with("def haul"), "{:?}", cut.text(&block));
    }
}
