use super::*;

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    stem(&mut word);
    word
}

#[test]
fn forms_of_one_word_have_one_stem() {
    for forms in [
        &["parse", "parses", "parsed", "parsing", "parser", "parsers"][..],
        &["file", "files"],
        &["entry", "entries"],
        &["match", "matches", "matched", "matching"],
        &["run", "running"],
        &["calculate", "calculates", "calculation", "calculator", "calculating"],
        &["validate", "validation", "validator"],
        &["index", "indexes", "indexed", "indexing", "indexer"],
        &["copy", "copies", "copied"],
        &["class", "classes"],
        &["response", "responses"],
    ] {
        let stems: Vec<_> = forms.iter().map(|form| stemmed(form)).collect();
        assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms:?} became {stems:?}");
    }
}

#[test]
fn different_words_stay_different_and_short_ones_as_they_are() {
    for (one, two) in
        [("form", "format"), ("string", "strip"), ("list", "listen"), ("user", "use"), ("status", "state")]
    {
        assert_ne!(stemmed(one), stemmed(two));
    }
    for word in ["is", "has", "css", "bus", "für", "x86", "Größe", ""] {
        assert_eq!(stemmed(word), word);
    }
}
