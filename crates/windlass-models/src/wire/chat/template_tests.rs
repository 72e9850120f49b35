use super::*;
use crate::wire::chat::chunk::read_chunk;

const FIRST: &str = r#"{"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#;

fn learned(text: &str) -> ChunkTemplate {
    let mut template = ChunkTemplate::default();
    read_chunk(text, |chunk| template.learn(text, &chunk)).unwrap();
    template
}

fn content(template: &ChunkTemplate, text: &str) -> Option<String> {
    template.read(text).map(|(said, _)| said.content.filled().unwrap_or_default().into_owned())
}

#[test]
fn a_chunk_that_differs_in_its_delta_alone_is_read_by_its_delta() {
    let template = learned(FIRST);
    for (delta, said) in [
        (r#"{"content":"Hel"}"#, "Hel"),
        (r#"{"content":"a \"delta\":{\"content\":\"b\"} ü"}"#, "a \"delta\":{\"content\":\"b\"} ü"),
        ("{}", ""),
    ] {
        let text = FIRST.replace(r#"{"role":"assistant","content":""}"#, delta);
        assert_eq!(content(&template, &text).as_deref(), Some(said), "{delta}");
    }
}

#[test]
fn a_chunk_that_ends_the_answer_is_read_by_its_delta_and_its_reason() {
    for first in [FIRST.to_owned(), FIRST.replace("\"finish", "\"logprobs\":null,\"finish")] {
        let template = learned(&first);
        let text = first.replace("\"content\":\"\"", "\"content\":\"a\"").replace(":null}", ":\"stop\"}");
        let (said, reason) = template.read(&text).unwrap();
        assert_eq!((said.content, reason), (JsonLeaf::Text("a".into()), Some("stop")), "{text}");
    }
    let nested = learned(&FIRST.replace("\"finish", "\"x\":{\"finish_reason\":null},\"finish"));
    let text = FIRST.replace("\"finish", "\"x\":{\"finish_reason\":\"stop\"},\"finish");
    assert_eq!(content(&nested, &text), None);
}

#[test]
fn anything_else_is_read_whole() {
    let template = learned(FIRST);
    for text in [
        FIRST.replace("\"c1\"", "\"c2\""),
        FIRST.replace("null", "\"st\\u006fp\""),
        FIRST.replace("null", "1"),
        FIRST.replace("}]}", "}],\"usage\":null}"),
        FIRST.replace("{\"role\":\"assistant\",\"content\":\"\"}", "{},\"finish_reason\":\"stop\",\"x\":{}"),
        FIRST.replace("{\"role\":\"assistant\",\"content\":\"\"}", "{\"content\":\"a"),
        String::new(),
    ] {
        assert_eq!(content(&template, &text), None, "{text}");
    }
}

#[test]
fn only_a_chunk_that_says_nothing_but_its_delta_is_learned_from() {
    for text in [
        FIRST.replace("null", "\"stop\""),
        FIRST.replace("}]}", "}],\"usage\":{\"prompt_tokens\":1}}"),
        FIRST.replace("}]}", "},{\"index\":1,\"delta\":{\"content\":\"b\"}}]}"),
        FIRST.replace("\"index\":0,", "\"x\":{\"delta\":{}},"),
        FIRST.replace("\"finish_reason\":null", "\"message\":{\"content\":\"b\"}"),
        "{\"choices\":[]}".to_owned(),
    ] {
        assert!(learned(&text).before.is_empty(), "{text}");
    }
}
