use proptest::prelude::*;
use tantivy::tokenizer::{TokenStream, Tokenizer};

use super::*;

fn shown(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

fn of_kind(text: &str, kind: CodeWordKind) -> Vec<String> {
    words(text).into_iter().filter(|word| word.kind == kind).map(|word| word.text).collect()
}

#[test]
fn identifiers_are_kept_whole_and_in_parts() {
    for (text, whole, parts) in [
        ("readFile", "readfile", &["read", "fil"][..]),
        ("ReadFile", "readfile", &["read", "fil"]),
        ("read_file", "readfile", &["read", "fil"]),
        ("READ_FILE", "readfile", &["read", "fil"]),
        ("HTTPServer", "httpserver", &["http", "serv"]),
        ("parseHTTPRequest", "parsehttprequest", &["pars", "http", "request"]),
        ("userIDs", "userids", &["user", "ids"]),
        ("sha256", "sha256", &["sha", "256"]),
        ("utf8_bytes", "utf8bytes", &["utf", "byt"]),
        ("python3", "python3", &["python"]),
        ("__init__py", "initpy", &["init", "py"]),
    ] {
        assert_eq!(of_kind(text, CodeWordKind::Whole), [whole], "{text}");
        assert_eq!(of_kind(text, CodeWordKind::Part), parts, "{text}");
    }
}

#[test]
fn spellings_of_one_name_have_the_same_words() {
    let snake = shown("max_retry_count");
    assert_eq!(shown("maxRetryCount"), snake);
    assert_eq!(shown("MaxRetryCount"), snake);
    assert_eq!(of_kind("max-retry-count", CodeWordKind::Whole), ["maxretrycount"]);
}

#[test]
fn words_of_prose_are_stemmed_and_stop_words_left_out() {
    assert_eq!(shown("how does the parser handle parsed files?"), ["pars", "handl", "pars", "fil"]);
    assert_eq!(shown("It's what we don't do"), ["don"]);
    assert_eq!(shown("is_in"), ["isin", "is", "in"], "in a name every part counts");
}

#[test]
fn paths_give_their_names_and_the_file() {
    assert_eq!(
        shown("src/run/window_tests.rs"),
        ["src", "run", "window_tests.rs".replace('_', "").as_str(), "windowtests", "window", "test", "rs"]
    );
    assert_eq!(of_kind("self.rows", CodeWordKind::Whole), Vec::<String>::new(), "a field is no file");
}

#[test]
fn scripts_without_spaces_give_characters_and_pairs() {
    assert_eq!(shown("検索語"), ["検", "検索", "索", "索語", "語"]);
    assert_eq!(shown("Größe straße"), ["größe", "straße"]);
}

#[test]
fn a_word_says_where_it_stands() {
    let found = words("let rowCount = 5;");
    let row = found.iter().find(|word| word.text == "row").expect("row");
    assert_eq!(("let rowCount = 5;".get(row.start..row.end), row.position), (Some("row"), 1));
    let count = found.iter().find(|word| word.text == "count").expect("count");
    assert_eq!((count.start, count.end, count.position), (7, 12, 2));
}

#[test]
fn endless_words_are_left_out_and_long_names_bounded() {
    assert!(shown(&"x".repeat(1_000_000)).is_empty());
    assert!(shown(&"ab_".repeat(1_000)).is_empty());
    assert!(words(&"aB".repeat(100)).len() <= PARTS_MAX + 1);
    assert!(shown(&"a".repeat(WORD_BYTES_MAX + 1)).is_empty());
}

#[test]
fn the_list_of_stop_words_is_sorted() {
    assert!(STOP_WORDS.is_sorted());
    assert!(is_stop_word("the") && !is_stop_word("file"));
}

#[test]
fn tantivy_gets_the_same_words() {
    let text = "fn readFile(path: &str) // reads `a.rs`";
    let mut tokenizer = CodeTokenizer::default();
    for _ in 0..2 {
        let mut stream = tokenizer.token_stream(text);
        let mut tokens = Vec::new();
        while stream.advance() {
            let token = stream.token();
            tokens.push((token.text.clone(), token.offset_from, token.offset_to, token.position));
        }
        let expected: Vec<_> =
            words(text).into_iter().map(|word| (word.text, word.start, word.end, word.position)).collect();
        assert_eq!(tokens, expected);
    }
    assert!(!tokenizer.token_stream("").advance());
}

proptest! {
    #[test]
    fn any_text_gives_bounded_words_inside_of_it(text in "[a-zA-Z0-9_ .\\-/'äß字\u{301}😀\u{1F1E9}İ]{0,80}") {
        let mut position = 0;
        for word in words(&text) {
            prop_assert!(!word.text.is_empty() && word.text.len() <= WORD_BYTES_MAX);
            prop_assert!(text.get(word.start..word.end).is_some_and(|it| !it.is_empty()));
            prop_assert!(word.position + 1 >= position);
            position = word.position;
        }
    }
}
