//! Holds every answer against the API document: its status, its media type, its body.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::client::Answer;

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&windlass_server::openapi_document("test")).unwrap());

fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted.starts_with('{') || wanted == found => {}
            _ => return false,
        }
    }
}

/// The operation of a request; literal paths before those with parameters.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap();
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let found =
        paths.get(path).or_else(|| paths.iter().find(|(own, _)| fits(own, path)).map(|(_, found)| found))?;
    found.get(method.to_ascii_lowercase())
}

/// Panics unless the document says that the server may answer like this.
pub(crate) fn check(method: &str, path: &str, answer: &Answer) {
    let Some(operation) = operation(method, path) else {
        assert!(matches!(answer.status, 204 | 403 | 404 | 405), "{method} {path} has no words: {answer:?}");
        return;
    };
    let said = &operation["responses"][answer.status.to_string()];
    assert!(said.is_object(), "{method} {path} does not say {}: {}", answer.status, answer.body);
    let Some(content) = said["content"].as_object() else {
        assert!(answer.body.is_empty(), "{method} {path} says too much: {answer:?}");
        return;
    };
    let sent = answer.header("content-type").unwrap_or_default().split(';').next().unwrap();
    let schema =
        content.get(sent).unwrap_or_else(|| panic!("{method} {path} does not say {sent}: {answer:?}"));
    if sent.ends_with("json") {
        let whole = json!({"components": DOCUMENT["components"], "allOf": [schema["schema"]]});
        let validator = jsonschema::validator_for(&whole).unwrap();
        let wrong: Vec<String> =
            validator.iter_errors(&answer.json()).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{method} {path}: {wrong:?} in {}", answer.body);
    }
}
