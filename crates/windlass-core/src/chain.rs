//! stub
#![allow(missing_docs)]
use serde_json::Value;
pub enum RefTarget<'a> {
    Unknown,
    Output(&'a Value),
    Failed(String),
}
#[derive(Debug, thiserror::Error)]
#[error("bad ref")]
pub struct RefFailure;
pub fn collect_refs(v: &Value) -> Vec<String> {
    match v {
        Value::Object(m) => {
            if let Some(Value::String(r)) = m.get("$ref") {
                vec![r.clone()]
            } else {
                m.values().flat_map(collect_refs).collect()
            }
        }
        Value::Array(a) => a.iter().flat_map(collect_refs).collect(),
        _ => vec![],
    }
}
pub fn resolve_refs<'a>(v: &Value, f: impl Fn(&str) -> RefTarget<'a> + Copy) -> Result<Value, RefFailure> {
    match v {
        Value::Object(m) => {
            if let Some(Value::String(r)) = m.get("$ref") {
                match f(r) {
                    RefTarget::Output(o) => o
                        .pointer(m.get("path").and_then(Value::as_str).unwrap_or(""))
                        .cloned()
                        .ok_or(RefFailure),
                    _ => Err(RefFailure),
                }
            } else {
                m.iter()
                    .map(|(k, v)| Ok((k.clone(), resolve_refs(v, f)?)))
                    .collect::<Result<_, _>>()
                    .map(Value::Object)
            }
        }
        Value::Array(a) => a.iter().map(|v| resolve_refs(v, f)).collect::<Result<_, _>>().map(Value::Array),
        o => Ok(o.clone()),
    }
}
