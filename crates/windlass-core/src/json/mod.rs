//! stub
#![allow(missing_docs)]
pub mod canonical {
    use serde_json::Value;
    pub fn canonical_text(v: &Value) -> String {
        match v {
            Value::Object(m) => {
                let mut k: Vec<_> = m.iter().collect();
                k.sort_by(|a, b| a.0.cmp(b.0));
                format!(
                    "{{{}}}",
                    k.iter()
                        .map(|(a, b)| format!("{:?}:{}", a, canonical_text(b)))
                        .collect::<Vec<_>>()
                        .join(",")
                )
            }
            o => o.to_string(),
        }
    }
}
pub mod parse {
    use serde_json::Value;
    #[derive(Debug, Clone, thiserror::Error)]
    #[error("{message}")]
    pub struct ParseFailure {
        pub message: String,
    }
    pub fn parse_value(t: &str) -> Result<Value, ParseFailure> {
        serde_json::from_str(t).map_err(|e| ParseFailure { message: e.to_string() })
    }
}
pub mod scan {
    pub fn whole_object(t: &str) -> Option<&str> {
        (t.starts_with('{') && t.ends_with('}')).then_some(t)
    }
    pub fn fenced_object(t: &str) -> Option<&str> {
        let t = t.strip_prefix("```")?.strip_suffix("```")?;
        let t = t.strip_prefix("json").unwrap_or(t).trim();
        whole_object(t)
    }
}
pub mod repair {
    use super::parse::*;
    use serde_json::Value;
    pub enum RepairMode {
        Lossless,
    }
    pub struct Repaired {
        pub value: Value,
    }
    pub fn repair(t: &str, _m: RepairMode) -> Result<Repaired, ParseFailure> {
        match parse_value(t)? {
            Value::String(s) => parse_value(&s).map(|value| Repaired { value }),
            value => Ok(Repaired { value }),
        }
    }
}
pub mod clip {
    use std::borrow::Cow;
    pub fn clip_chars(t: &str, n: usize) -> Cow<'_, str> {
        t.chars().take(n).collect::<String>().into()
    }
    pub struct Clipped {
        pub head: String,
        pub tail: String,
        pub omitted_chars: usize,
    }
    pub fn clip_head_tail(t: &str, n: usize) -> Option<Clipped> {
        let c = t.chars().count();
        if c <= n {
            return None;
        }
        Some(Clipped {
            head: t.chars().take(n / 2).collect(),
            tail: t.chars().skip(c - n / 2).collect(),
            omitted_chars: c - 2 * (n / 2),
        })
    }
    pub fn clip_bytes_floor(t: &str, n: usize) -> &str {
        t.get(..t.floor_char_boundary(n)).unwrap_or(t)
    }
}
