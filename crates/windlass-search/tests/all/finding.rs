//! What is found, and what is found first.

use std::sync::Arc;

use windlass_core::ports::search::{SearchFailure, SearchKind, SearchPort as _, SearchQuery};
use windlass_search::{Index, Searcher};

use crate::place::{PassageName, paths, query, search, wait};

/// A small project in which one name is defined once and used often.
fn project() -> (PassageName, Arc<Index>) {
    let place = PassageName::new();
    place.write(
        "src/windlass.rs",
        "//! The windlass.\n\n/// Hauls loads.\npub struct Windlass;\n\nimpl Windlass {\n    /// Hauls a load step by step.\n    \
         pub fn haul_load(&self, turns: u32) -> u32 {\n        self.hold_pawl();\n        turns * 2\n    }\n\n    \
         fn hold_pawl(&self) {}\n}\n",
    );
    for number in 0..20 {
        place.write(
            &format!("src/use{number}.rs"),
            &format!(
                "use crate::Windlass;\n\nfn user{number}(w: &Windlass) {{\n    {}\n}}\n",
                "w.haul_load(1);\n    ".repeat(9)
            ),
        );
    }
    place.write(
        "docs/haul.md",
        "# Hauling\n\nhaul_load haul_load haul_load: how a windlass hauls. See haul_load.\n",
    );
    let index = Arc::new(place.indexed());
    (place, index)
}

#[test]
fn an_exact_identifier_finds_its_definition_first() {
    let (_place, index) = project();
    for name in ["haul_load", "Windlass::haul_load", "`haul_load()`", "Windlass.haul_load"] {
        let first = search(&index, query(name)).passages.remove(0);
        assert_eq!(first.path, "src/windlass.rs", "{name}");
        assert!(first.symbol.as_deref().unwrap().starts_with("Windlass"), "{name}");
        assert!(first.text.contains("fn haul_load"), "{name}");
        assert!(first.parts.lexical.is_some() && first.parts.symbol.is_some());
    }
}

#[test]
fn a_large_trait_is_named_by_its_head_and_found_first() {
    let place = PassageName::new();
    let methods: String = (0..20)
        .map(|at| format!("    /// Hauls in its own way, number {at}, with words about the port.\n    fn m{at}(&self) -> u32;\n"))
        .collect();
    place.write("port.rs", &format!("/// A way to haul.\npub trait HaulPort: Send {{\n{methods}}}\n"));
    for number in 0..9 {
        place.write(&format!("u{number}.rs"), "/// HaulPort, the HaulPort.\nfn a(port: &dyn HaulPort) {}\n");
    }
    let index = Arc::new(place.open_embedded());
    crate::place::update(&index);
    let first = search(&index, query("HaulPort")).passages.remove(0);
    assert_eq!((first.path.as_str(), first.symbol.as_deref()), ("port.rs", Some("HaulPort")));
    let all = search(&index, query("./port.rs")).passages;
    let of_file = all.iter().filter(|it| it.path == "port.rs").count();
    assert!(of_file > 1 && all[..of_file].iter().all(|it| it.path == "port.rs"));
}

#[test]
fn p_17_ids_are_paths_with_byte_spans_and_the_span_is_the_text() {
    let (place, index) = project();
    let found = search(&index, query("how does the windlass haul a load"));
    assert!(!found.passages.is_empty() && found.indexing.is_none());
    for passage in found.passages {
        assert_eq!(passage.id, format!("{}#{}:{}", passage.path, passage.start, passage.end));
        let text = std::fs::read_to_string(place.root().join(&passage.path)).unwrap();
        let (start, end) = (passage.start as usize, passage.end as usize);
        assert_eq!(&text[start..end], passage.text);
        assert_eq!(text[..start].matches('\n').count() as u32 + 1, passage.line);
    }
}

#[test]
fn a_path_or_its_beginning_finds_the_file() {
    let (_place, index) = project();
    for text in ["src/windlass.rs", "docs/haul.md", "docs/ha"] {
        let expected = if text.starts_with("src") { "src/windlass.rs" } else { "docs/haul.md" };
        let first = search(&index, query(text)).passages.remove(0);
        assert_eq!(first.path, expected, "{text}");
        assert!(first.parts.path.is_some(), "{text}");
    }
}

#[test]
fn definitions_and_uses_of_a_name_are_listed_with_their_lines() {
    let (_place, index) = project();
    let searcher = Searcher::new(Arc::clone(&index));
    let rows = wait(searcher.find_symbol("haul_load", 10)).unwrap();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!((row.symbol.as_str(), row.kind.as_str(), row.line), ("Windlass::haul_load", "method", 8));
    assert_eq!(row.text, "pub fn haul_load(&self, turns: u32) -> u32 {");
    assert_eq!(wait(searcher.find_symbol("windlass", 10)).unwrap()[0].symbol, "Windlass");
    assert!(wait(searcher.find_symbol("none", 10)).unwrap().is_empty());
    let rows = wait(searcher.find_references("Windlass::haul_load", 1_000)).unwrap();
    assert_eq!(rows.len(), 180);
    assert!(rows.iter().all(|row| row.kind == "call" && row.text == "w.haul_load(1);"));
    let rows = wait(searcher.find_references("Windlass", 1_000)).unwrap();
    assert_eq!(rows.iter().filter(|row| row.kind == "import").count(), 20);
    assert_eq!(wait(searcher.find_references("hold_pawl", 1_000)).unwrap().len(), 1);
}

#[test]
fn structural_search_finds_by_names_alone_and_lexical_by_words_alone() {
    let (_place, index) = project();
    let mut by_names = query("who calls haul_load");
    by_names.kind = SearchKind::Structural;
    let found = search(&index, by_names);
    assert_eq!(found.passages[0].path, "src/windlass.rs");
    assert!(found.passages[1..].iter().all(|it| it.path.starts_with("src/use")));
    assert!(found.passages.iter().all(|it| it.parts.lexical.is_none()));
    let mut by_words = query("haul_load");
    by_words.kind = SearchKind::Lexical;
    assert!(search(&index, by_words).passages.iter().all(|it| it.parts.symbol.is_none()));
}

#[test]
fn a_query_that_says_nothing_is_invalid() {
    let (_place, index) = project();
    let searcher = Searcher::new(index);
    for text in ["", "  \n"] {
        assert!(matches!(wait(searcher.search(query(text))), Err(SearchFailure::Invalid(_))));
    }
}

#[test]
fn prose_is_found_by_its_headings() {
    let place = PassageName::new();
    place.write("docs/guide.md", &format!("# Guide\n\n{}\n\n## Mooring\n\nTie it.\n", "Words. ".repeat(80)));
    place.write("page.html", "<h1>Anchors</h1><p>How an <b>anchor</b> holds.</p>");
    let index = Arc::new(place.indexed());
    assert_eq!(paths(&index, "mooring"), ["docs/guide.md"]);
    let found = search(&index, query("anchor holds"));
    assert_eq!(found.passages[0].text, "Anchors\nHow an anchor holds.");
}

#[test]
fn a_4_ties_go_by_id_whatever_part_of_the_index_a_passage_is_in() {
    let place = PassageName::new();
    place.write("z.md", "rope gamma");
    let index = Arc::new(place.indexed());
    for (path, text) in [("m.md", "rope delta"), ("b.md", "rope theta"), ("q.md", "rope kappa")] {
        place.write(path, text);
        index.touch(path).unwrap();
    }
    let found = search(&index, SearchQuery { kind: SearchKind::Lexical, ..query("rope") }).passages;
    assert!(found.windows(2).all(|pair| pair[0].parts.lexical == pair[1].parts.lexical), "{found:?}");
    assert_eq!(paths(&index, "rope"), ["b.md", "m.md", "q.md", "z.md"]);
}

#[test]
fn a_near_copy_of_the_best_passage_comes_after_something_else() {
    let place = PassageName::new();
    let body = "The winch hauls the anchor chain over the bow roller and stows it below";
    place.write("a.md", &format!("{body} anchor winch one."));
    place.write("b.md", &format!("{body} anchor winch two."));
    place.write("c.md", "An anchor and a winch need grease twice a year, seals every second year, no more.");
    for number in 0..30 {
        place.write(
            &format!("n{number}.md"),
            &format!("Note {number}{number} speaks of many things and of an anchor, once, among them."),
        );
    }
    let index = Arc::new(place.indexed());
    assert_eq!(paths(&index, "anchor winch")[..3], ["a.md", "c.md", "b.md"]);
}
