//! Two hundred schemas of Rust types, each with right values, and wrong ones that are derived from those.
//!
//! What is right is judged here by a reader of schemas of its own (`judge`) and by the type's own deserialisation: the
//! validator of the engine is what is under test.

mod bounds;
mod choices;
mod judge;
mod mutation;
mod records;

use std::future::Future;
use std::pin::Pin;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use windlass::prelude::*;

pub(crate) use mutation::{texts_of, values_of};

/// A typed answer as JSON, or why there is none.
pub(crate) type Answered<'a> = Pin<Box<dyn Future<Output = Result<Value, WindlassError>> + 'a>>;

/// A schema with values of it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) rights: Vec<Value>,
    /// Asks an agent for the type.
    pub(crate) ask: for<'a> fn(&'a Windlass) -> Answered<'a>,
    /// What a JSON value is to the type itself, written back.
    pub(crate) typed: fn(&Value) -> Option<Value>,
}

/// What a text must be taken for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    Right(Value),
    Wrong,
}

impl Case {
    pub(crate) fn of<T: DeserializeOwned + Serialize + JsonSchema>(rights: Vec<Value>) -> Self {
        Self {
            name: T::schema_name().into_owned(),
            schema: schemars::schema_for!(T).to_value(),
            rights,
            ask: |agent| {
                Box::pin(async move {
                    let typed = agent.run_as::<T>("Go.").await?;
                    Ok(serde_json::to_value(typed.value).unwrap())
                })
            },
            typed: |value| {
                let typed: T = serde_json::from_value(value.clone()).ok()?;
                Some(serde_json::to_value(typed).unwrap())
            },
        }
    }

    /// Whether the value stands in an object of its own.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.schema["type"] != "object"
    }

    /// A value as it is asked for.
    pub(crate) fn written(&self, value: &Value) -> String {
        if self.is_wrapped() { json!({"value": value}).to_string() } else { value.to_string() }
    }

    /// What a value is: right if it fits the schema and is one of the type.
    pub(crate) fn judge(&self, value: &Value) -> Verdict {
        if !judge::fits(&self.schema, value) {
            return Verdict::Wrong;
        }
        (self.typed)(&whole(value)).map_or(Verdict::Wrong, Verdict::Right)
    }

    /// What a whole answer is: the object that holds the value, or the bare value.
    pub(crate) fn judge_answer(&self, answer: &Value) -> Verdict {
        let held = answer.as_object().filter(|fields| self.is_wrapped() && fields.len() == 1);
        match held.and_then(|fields| fields.get("value")).map(|value| self.judge(value)) {
            Some(right @ Verdict::Right(_)) => right,
            Some(Verdict::Wrong) | None => self.judge(answer),
        }
    }
}

/// To a schema 3.0 is an integer.
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                json!(float as i64)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), whole(field)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// A list of cases: each is a type and right values of it.
macro_rules! cases {
    ($($kind:ty: [$($right:tt),+ $(,)?];)*) => {
        vec![$($crate::typed_cases::Case::of::<$kind>(vec![$(serde_json::json!($right)),+])),*]
    };
}
pub(crate) use cases;

/// Types with what all cases need.
macro_rules! shapes {
    ($($item:item)*) => {
        $(#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)] $item)*
    };
}
pub(crate) use shapes;

/// All cases; no two have the same schema.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = bounds::cases();
    cases.extend(records::cases());
    cases.extend(choices::cases());
    let mut seen: Vec<&Value> = Vec::new();
    let mut faults: Vec<String> = Vec::new();
    for case in &cases {
        if seen.contains(&&case.schema) {
            faults.push(format!("{} is there twice", case.name));
        }
        seen.push(&case.schema);
        let wrongs = case.rights.iter().filter(|right| case.judge(right) == Verdict::Wrong);
        faults.extend(wrongs.map(|right| format!("{}: {right} is not right", case.name)));
    }
    assert!(faults.is_empty(), "{faults:#?}");
    cases
}
