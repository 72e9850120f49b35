use super::WordKind::{Mark, Name, Number, Quoted, Speech, Url};
use super::*;

fn of(text: &str) -> Vec<(WordKind, String)> {
    words(text).into_iter().map(|word| (word.kind, word.text)).collect()
}

fn is(text: &str, expected: &[(WordKind, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    assert_eq!(of(text), expected, "{text}");
}

#[test]
fn names_quotes_and_speech_are_apart() {
    is(
        "Read the file called write.txt",
        &[(Speech, "read"), (Speech, "the"), (Speech, "file"), (Speech, "called"), (Name, "write.txt")],
    );
    is(
        "what does `rm notes.txt` do?",
        &[(Speech, "what"), (Speech, "does"), (Quoted, "rm notes.txt"), (Speech, "do"), (Mark, "?")],
    );
    is(
        "don’t open https://a.example/x, ok",
        &[(Speech, "don't"), (Speech, "open"), (Url, "https://a.example/x"), (Mark, ","), (Speech, "ok")],
    );
    is("write .nvmrc: 20.11", &[(Speech, "write"), (Name, ".nvmrc"), (Mark, ":"), (Number, "20.11")]);
}

#[test]
fn a_word_knows_its_place() {
    let text = "save \"a b\" to src/é.txt.";
    for word in words(text) {
        let there = &text[word.place.clone()];
        assert!(there.contains(&word.text) || there.to_lowercase() == word.text, "{there:?} {word:?}");
    }
}

#[test]
fn an_open_quote_is_a_mark() {
    is("it's \"open", &[(Speech, "it's"), (Mark, "\""), (Speech, "open")]);
    is("the boys' toys", &[(Speech, "the"), (Speech, "boys"), (Mark, "'"), (Speech, "toys")]);
}
