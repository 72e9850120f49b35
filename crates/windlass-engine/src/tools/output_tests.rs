use serde_json::json;
use windlass_core::protocol::tool::Link;

use super::*;

#[test]
fn output_within_the_bound_is_not_touched() {
    let output = ToolOutput::json(json!({"a": 1})).with_text("text").with_summary("short");
    assert_eq!(cap_output(output.clone(), 100), output);
}

#[test]
fn json_that_is_too_large_becomes_its_text_cut() {
    let output = cap_output(ToolOutput::json(json!({"a": "é".repeat(100)})), 20);
    assert_eq!(output.json, json!(r#"{"a":"ééééééé"#));
    assert!(output.is_truncated);
}

#[test]
fn text_and_summary_are_cut_each() {
    let output = ToolOutput::json(json!(1)).with_text("a".repeat(50)).with_summary("é".repeat(50));
    let output = cap_output(output, 11);
    assert_eq!(output.text.unwrap().len(), 11);
    assert_eq!(output.summary.unwrap().len(), 10);
    assert!(output.is_truncated);
}

#[test]
fn links_beyond_the_limit_are_left_out() {
    let link = Link { title: "t".into(), url: "u".into(), snippet: String::new() };
    let mut output = ToolOutput::json(json!(1));
    output.links = vec![link; LINKS_MAX + 1];
    let output = cap_output(output, 100);
    assert_eq!(output.links.len(), LINKS_MAX);
    assert!(output.is_truncated);
}

#[test]
fn json_is_counted_as_it_is_written() {
    let value = json!({"a": [1, "é\n", null, 2.5]});
    assert_eq!(json_bytes(&value), value.to_string().len());
}
