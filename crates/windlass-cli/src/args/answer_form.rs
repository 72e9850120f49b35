//! What `--format` says.

use serde_json::{Value, json};

use crate::complaint::{Complaint, Result};

/// The form of the answer, in OpenAI's words: text, JSON, or the schema in a file.
pub(crate) fn read(form: &str) -> Result<Value> {
    match form {
        "text" => return Ok(json!({"type": "text"})),
        "json" => return Ok(json!({"type": "json_object"})),
        _ => {}
    }
    let wrong = |why: String| {
        Complaint::usage(format!("'{form}' is no form of an answer: {why}"))
            .at("--format")
            .cure("--format json, or --format FILE with a JSON Schema")
    };
    let text = std::fs::read_to_string(form).map_err(|error| wrong(error.to_string()))?;
    let schema: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if !schema.is_object() {
        return Err(wrong("the file holds no JSON Schema".to_owned()));
    }
    Ok(json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}))
}
