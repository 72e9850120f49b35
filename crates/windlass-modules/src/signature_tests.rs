use super::*;

fn signature() -> Signature {
    Signature {
        inputs: vec![Field::new("question", FieldType::String).described("What is asked")],
        outputs: vec![
            Field::new("answer", FieldType::String),
            Field::new("score", FieldType::Number),
            Field::new("extra", FieldType::Json),
        ],
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn schemas_name_every_field_in_its_order_and_ask_for_all_that_must_be_there() {
    assert_eq!(
        signature().inputs_schema().to_string(),
        r#"{"type":"object","properties":{"question":{"type":"string","description":"What is asked"}},"required":["question"],"additionalProperties":false}"#
    );
    assert_eq!(
        signature().outputs_schema().to_string(),
        r#"{"type":"object","properties":{"answer":{"type":"string"},"score":{"type":"number"},"extra":{}},"required":["answer","score"],"additionalProperties":false}"#
    );
}

#[test]
fn outputs_are_typed_and_json_may_be_null_or_absent() {
    for good in [
        json!({"answer": "x", "score": 1}),
        json!({"answer": "", "score": 0.5, "extra": null}),
        json!({"answer": "x", "score": 1, "extra": {"a": []}}),
    ] {
        assert_eq!(signature().check_outputs(&object(good)), Ok(()));
    }
    for (bad, told) in [
        (
            json!({"answer": "x"}),
            "the output 'score' is missing; found answer; the outputs are answer (string), score (number), extra (json)",
        ),
        (json!({}), "the output 'answer' is missing; the output 'score' is missing; found nothing"),
        (json!({"answer": null, "score": 1}), "the output 'answer' must be a string, not null"),
        (json!({"answer": "x", "score": "1"}), "the output 'score' must be a number, not \"1\""),
        (json!({"answer": "x", "score": true}), "the output 'score' must be a number, not true"),
    ] {
        let error = signature().check_outputs(&object(bad)).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn whole_numbers_and_other_numbers_are_not_the_same() {
    assert!(FieldType::Integer.accepts(&json!(-3)) && FieldType::Integer.accepts(&json!(u64::MAX)));
    assert!(!FieldType::Integer.accepts(&json!(3.0)) && FieldType::Number.accepts(&json!(3)));
}

#[test]
fn an_unknown_input_is_refused_with_the_name_that_was_meant() {
    let error = signature().check_inputs(&object(json!({"qustion": "x"}))).unwrap_err().to_string();
    assert!(error.contains("there is no input 'qustion' (did you mean 'question'?)"), "{error}");
    assert!(error.contains("the input 'question' is missing"), "{error}");
}

#[test]
fn tools_and_what_they_returned_are_not_asked_of_the_caller() {
    let mut tools = signature();
    tools.inputs.push(Field::new("context", FieldType::String));
    let asked = object(json!({"question": "x"}));
    assert!(tools.check_inputs(&asked).is_err());
    tools.inputs.push(Field::new("available_tools", FieldType::Json));
    assert_eq!(tools.check_inputs(&asked), Ok(()));
}

#[test]
fn types_may_be_written_in_several_words() {
    let word = |word: &str| serde_json::from_value::<FieldType>(json!(word)).unwrap();
    assert_eq!(
        (word("str"), word("int"), word("float")),
        (FieldType::String, FieldType::Integer, FieldType::Number)
    );
    assert_eq!(
        (word("bool"), word("list"), word("dict")),
        (FieldType::Boolean, FieldType::Array, FieldType::Object)
    );
    assert_eq!((word("any"), word("json")), (FieldType::Json, FieldType::Json));
}

#[test]
fn a_registry_knows_its_signatures_by_name() {
    let mut registry = SignatureRegistry::new();
    registry.insert("b", signature());
    registry.insert("a", Signature::default());
    assert_eq!((registry.names(), registry.contains("b")), (vec!["a".to_owned(), "b".to_owned()], true));
    assert_eq!(registry.create("b"), Ok(signature()));
    assert_eq!(registry.create("c").unwrap_err().to_string(), "Signature not found: c");
}
