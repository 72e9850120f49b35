use super::*;

fn content(text: &str) -> Result<Option<String>, serde_json::Error> {
    read_chunk(text, |chunk| {
        let said = chunk.choices.unwrap_or_default().into_iter().next()?.delta?;
        said.content.filled().map(Cow::into_owned)
    })
}

#[test]
fn plain_text_is_borrowed_and_text_with_escapes_is_not() {
    let text = r#"{"choices":[{"delta":{"content":"plain","reasoning":"two\nlines"}}]}"#;
    let said = read_chunk(text, |chunk| {
        let said = chunk.choices.unwrap_or_default().into_iter().next().unwrap().delta.unwrap();
        (
            matches!(said.content, JsonLeaf::Text(Cow::Borrowed(_))),
            matches!(said.reasoning, JsonLeaf::Text(Cow::Owned(_))),
        )
    });
    assert_eq!(said.unwrap(), (true, true));
}

#[test]
fn leaves_of_any_type_are_read_as_what_they_are() {
    for leaf in ["1", "-1", "1.5", "true", "null", "[1]", r#"{"a":{"b":[null]}}"#, r#""x""#] {
        let text = format!(r#"{{"choices":[{{"delta":{{"content":{leaf}}}}}]}}"#);
        let read = read_chunk(&text, |chunk| {
            let said = chunk.choices.unwrap_or_default().into_iter().next().unwrap().delta.unwrap();
            said.content.into_value().unwrap_or(Value::Null).to_string()
        });
        assert_eq!(read.unwrap(), leaf);
    }
}

#[test]
fn openai_0_lone_surrogates_become_the_mark_that_calls_do_not_survive() {
    let chunk = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let cases = [
        (r"a\ud83d", "a\u{fdd0}"),
        (r"\ude80b", "\u{fdd0}b"),
        (r"\ud83d\ud83d\ude80", "\u{fdd0}\u{1f680}"),
        (r"\\ud83d \ud83d", "\\ud83d \u{fdd0}"),
        (r"\ud83dx\n", "\u{fdd0}x\n"),
    ];
    for (written, read) in cases {
        assert_eq!(content(&chunk(written)).unwrap().as_deref(), Some(read), "{written}");
    }
    assert!(content(&chunk(r"\u12")).is_err());
    assert!(content(&chunk(r"\ud83d\")).is_err());
}
