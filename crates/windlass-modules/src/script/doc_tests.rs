use serde_json::json;

use super::*;

#[test]
fn the_schema_comes_from_the_lines_of_the_comments() {
    let comments = "/// Says what a thing costs.\n///\n/// @param item string The thing\n/// @param count integer? How many\n\
                    /// @param price number\n/// @param is_gift boolean?\n/// @param tags array\n/// @param more object?\n\
                    /// @param coin gold|silver? What it is paid with\n/// It never guesses.";
    let declared = Declaration::read(&bare_lines(comments)).unwrap();
    assert_eq!(declared.description, "Says what a thing costs.\n\nIt never guesses.");
    assert_eq!(
        declared.schema(),
        json!({
            "type": "object",
            "properties": {
                "item": {"type": "string", "description": "The thing"},
                "count": {"type": "integer", "description": "How many"},
                "price": {"type": "number"},
                "is_gift": {"type": "boolean"},
                "tags": {"type": "array"},
                "more": {"type": "object"},
                "coin": {"type": "string", "enum": ["gold", "silver"], "description": "What it is paid with"}
            },
            "required": ["item", "price", "tags"],
            "additionalProperties": false
        })
    );
}

#[test]
fn without_lines_of_arguments_any_object_is_taken() {
    let declared = Declaration::read(&["Does it."]).unwrap();
    assert_eq!(declared.schema(), json!({"type": "object", "additionalProperties": true}));
}

#[test]
fn effects_and_risk_are_words() {
    for (word, effects) in [
        ("pure", Effects::Pure),
        ("read", Effects::Read),
        ("write", Effects::Write),
        ("external", Effects::External),
    ] {
        assert_eq!(Declaration::read(&[&format!("@effects {word}")]).unwrap().effects, Some(effects));
    }
    for (word, risk) in [
        ("safe", Risk::Safe),
        ("low", Risk::Low),
        ("medium", Risk::Medium),
        ("high", Risk::High),
        ("critical", Risk::Critical),
    ] {
        assert_eq!(Declaration::read(&[&format!("@risk  {word}")]).unwrap().risk, Some(risk));
    }
}

#[test]
fn a_line_that_cannot_be_read_is_named_with_what_there_is() {
    for (line, said) in [
        ("@param", "@param name type"),
        ("@param item", "@param name type"),
        ("@param item text The thing", "there is no type 'text'; there are string, integer"),
        ("@param 1st string", "no name of an argument"),
        ("@param coin gold||silver", "empty word"),
        ("@effects none", "pure, read, write, external"),
        ("@risk great", "safe, low, medium, high, critical"),
        ("@returns string", "@param, @effects, @risk"),
    ] {
        let bad = Declaration::read(&["Text.", line]).unwrap_err();
        assert_eq!(bad.line, line);
        assert!(bad.message.contains(said), "{line}: {}", bad.message);
    }
    let twice = Declaration::read(&["@param a string", "@param a integer"]).unwrap_err();
    assert!(twice.message.contains("declared twice"));
}

#[test]
fn comments_of_all_forms_are_read() {
    assert_eq!(bare_lines("/** One\n * two\n */"), ["One", "two", ""]);
    assert_eq!(bare_lines("//! One\n  /// two"), ["One", "two"]);
}
