use serde_json::json;

use super::*;

fn form() -> SchemaForm {
    let schema = json!({"type": "object", "required": ["number"], "properties": {
        "number": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "mail": {"type": "string", "format": "email"}}});
    SchemaForm::new(Arc::new(WishedForm::new("chain", schema))).unwrap()
}

#[test]
fn one_value_is_read_with_a_fence_or_words_around_it() {
    for text in [
        r#"{"number":1}"#,
        "```json\n{\"number\":1}\n```",
        "Here it is:\n```\n{\"number\":1}\n```\nDone.",
        r#"The answer is {"number":1}, as asked [1a] (see [note])."#,
    ] {
        assert_eq!(form().read(text).unwrap(), json!({"number": 1}), "{text}");
    }
}

#[test]
fn no_part_of_a_damaged_value_is_the_value() {
    for text in [
        r#"{"number"=1,"next":{"number":2}}"#,
        r#"{"number"=1,"next":{"number":2},"mail":"a@b.c"}"#,
        r#"{"number":1,"next":{"number":2},}"#,
        r#"{"number":1,"next":{"number":2}"#,
        r#"[{"number":2},]"#,
        r#"{"number":2}}"#,
        r#"{"number":2}]"#,
        r#"{"number":1} {"number":2}"#,
        r#"{"number"=1} or rather {"number":2}"#,
        r#"{'number':1}, that is {"number":2}"#,
        r#"{"number":1,"number":1}"#,
    ] {
        assert!(form().read(text).is_err(), "{text}");
    }
}

#[test]
fn formats_bind() {
    assert!(form().read(r#"{"number":1,"mail":"ada@example.org"}"#).is_ok());
    let problem = form().read(r#"{"number":1,"mail":"nobody"}"#).unwrap_err();
    assert!(problem.contains("/mail") && problem.contains("email"), "{problem}");
}
