//! The API document: committed as it is served.

use std::path::{Path, PathBuf};

use windlass_server::{ServerConfig, openapi_document};

use crate::stage::Stage;

/// A file of the repository.
pub(crate) fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Holds a text against a file; `WINDLASS_REWRITE=1` writes the file instead.
pub(crate) fn hold(path: &str, text: &str) {
    let file = place(path);
    if std::env::var_os("WINDLASS_REWRITE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == text, "{path} is not as it should be; write it anew with WINDLASS_REWRITE=1\n{text}");
}

#[test]
fn the_document_is_committed_as_it_is_made() {
    hold("schema/openapi.json", &openapi_document(env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn the_document_is_served_as_it_is_made_and_so_is_its_page() {
    let stage = Stage::new("user Go.\nmodel text Hi.\n").await;
    let served = stage.client().get("/openapi.json").await;
    assert_eq!(served.body, openapi_document(&ServerConfig::default().version));
    assert_eq!(served.json()["openapi"], "3.1.0");
    for (path, word) in [("/docs", "docs.js"), ("/docs.js", "openapi.json"), ("/page.css", "main")] {
        let page = stage.client().get(path).await;
        assert_eq!(page.status, 200);
        assert!(page.body.contains(word), "{path}");
        assert!(!page.body.contains("https://"), "{path} takes something from elsewhere");
    }
}

#[test]
fn every_operation_says_what_it_answers_and_what_can_go_wrong() {
    let document: serde_json::Value = serde_json::from_str(&openapi_document("test")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(seen.insert(operation["operationId"].as_str().unwrap().to_owned()), "{method} {path}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(responses.contains_key("500"), "{method} {path}");
            let said = |response: &serde_json::Value| response["description"].as_str() != Some("");
            assert!(responses.values().all(said), "{method} {path} has an answer without words");
            let declared: Vec<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|param| param["in"] == "path")
                .map(|param| param["name"].as_str().unwrap())
                .collect();
            let used: Vec<&str> =
                path.split('/').filter_map(|piece| piece.strip_prefix('{')?.strip_suffix('}')).collect();
            assert_eq!(declared, used, "{method} {path}");
        }
    }
}
