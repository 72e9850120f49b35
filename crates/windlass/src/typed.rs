//! Answers of a type: a run whose answer must be a value of the caller's, checked before it is believed.
//!
//! Owns the way from a Rust type to the form of a run, and from the answer to the value. The one correction is the run
//! machine's, the reading of the answer the engine's.

use std::marker::PhantomData;
use std::sync::Arc;

use futures::{StreamExt, stream};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use windlass_core::calls::json::repair::{RepairMode, repair};
use windlass_core::ports::BoxStream;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::form::WishedForm;
use windlass_engine::form::SchemaForm;

use crate::agent::Windlass;
use crate::answer::Answer;
use crate::error::{WindlassError, WrongAnswer};
use crate::following::{self, Followed, recorded_answer};
use crate::order::RunOrder;
use crate::session::AgentSession;
use crate::worker;

/// Characters of an answer up to which its partial values are told: each of them is read anew from the beginning.
const PARTIAL_CHARS_MAX: usize = 64 * 1024;

/// An answer of a type, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedAnswer<T> {
    /// The value: it fits the full schema of its type.
    pub value: T,
    /// The answer as text, with its trace.
    pub answer: Answer,
}

/// A piece of a typed answer that is being written.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedPart<T> {
    /// What there is so far, at best effort: fields may be missing and texts cut. Never a value to act on.
    Partial {
        /// As JSON.
        json: Value,
        /// As a value, where what is there would already be one.
        value: Option<T>,
    },
    /// The whole value, checked; the last piece.
    Whole(Box<TypedAnswer<T>>),
}

/// A value as it grows; the last piece is the whole value or the error.
pub type TypedParts<T> = BoxStream<'static, Result<TypedPart<T>, WindlassError>>;

impl AgentSession {
    /// Says something and waits for an answer of the type `T`.
    ///
    /// The schema of `T` goes to the provider where that can write by one, and is said to the model in words. The answer
    /// is checked against the full schema; one that does not fit is asked for once more, with what was wrong and where.
    /// Then it is an error ([`WindlassError::Answer`]): no wrong value is ever given. Tools work as usual before that.
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use windlass::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    /// struct City {
    ///     name: String,
    ///     inhabitants: u32,
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user Bonn?\nmodel text {\"name\":\"Bonn\",\"inhabitants\":-1}\nmodel end\n\
    ///               model text {\"name\":\"Bonn\",\"inhabitants\":335975}\n";
    /// let agent = Windlass::builder().script(script)?.build()?;
    /// let city = agent.run_as::<City>("Bonn?").await?;
    /// assert_eq!(city.value, City { name: "Bonn".into(), inhabitants: 335_975 });
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_as<T>(&self, order: impl Into<RunOrder>) -> Result<TypedAnswer<T>, WindlassError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let form = TypeForm::<T>::new()?;
        let answer = self.run(form.order(order.into())).await?;
        form.read(answer)
    }

    /// The same, blocking this thread. Works everywhere, as [`run_sync`](Self::run_sync) does.
    pub fn run_as_sync<T>(&self, order: impl Into<RunOrder>) -> Result<TypedAnswer<T>, WindlassError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let form = TypeForm::<T>::new()?;
        let answer = self.run_sync(form.order(order.into()))?;
        form.read(answer)
    }

    /// Says something and gives the value as it grows; the last piece is the whole value or the error.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = Windlass::builder().script("user Primes?\nmodel text {\"value\":[2,3,5]}\n")?.build()?;
    /// let parts: Vec<_> = agent.stream_as::<Vec<u32>>("Primes?").collect().await;
    /// let Some(Ok(TypedPart::Whole(primes))) = parts.last() else { panic!("{parts:?}") };
    /// assert_eq!(primes.value, [2, 3, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream_as<T>(&self, order: impl Into<RunOrder>) -> TypedParts<T>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        match TypeForm::<T>::new() {
            Err(error) => Box::pin(stream::once(async move { Err(error) })),
            Ok(form) => {
                let records = following::records(self.clone(), form.order(order.into()));
                let growing = GrowingAnswer {
                    records: worker::inside_stream(records),
                    form,
                    seen: Vec::new(),
                    text: String::new(),
                    told: None,
                };
                Box::pin(stream::unfold(Some(growing), GrowingAnswer::next))
            }
        }
    }
}

/// The same in the agent's own conversation.
impl Windlass {
    /// Says something and waits for an answer of the type `T`: [`AgentSession::run_as`].
    pub async fn run_as<T>(&self, order: impl Into<RunOrder>) -> Result<TypedAnswer<T>, WindlassError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        self.own_session().run_as(order).await
    }

    /// The same, blocking this thread.
    pub fn run_as_sync<T>(&self, order: impl Into<RunOrder>) -> Result<TypedAnswer<T>, WindlassError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        self.own_session().run_as_sync(order)
    }

    /// Says something and gives the value as it grows: [`AgentSession::stream_as`].
    pub fn stream_as<T>(&self, order: impl Into<RunOrder>) -> TypedParts<T>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        self.own_session().stream_as(order)
    }
}

/// The form of a type.
struct TypeForm<T> {
    wished: Arc<WishedForm>,
    compiled: SchemaForm,
    of: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + JsonSchema> TypeForm<T> {
    fn new() -> Result<Self, WindlassError> {
        let mut schema = schemars::schema_for!(T).to_value();
        bound_integers(&mut schema);
        let name = T::schema_name().into_owned();
        let wished = Arc::new(WishedForm::new(name.clone(), schema));
        let compiled =
            SchemaForm::new(Arc::clone(&wished)).map_err(|reason| WindlassError::Schema { name, reason })?;
        Ok(Self { wished, compiled, of: PhantomData })
    }

    fn order(&self, order: RunOrder) -> RunOrder {
        order.form(Arc::clone(&self.wished))
    }

    /// The value of an answer. That of a run which reached a limit counts if it fits; a run that was stopped has none.
    fn read(&self, answer: Answer) -> Result<TypedAnswer<T>, WindlassError> {
        let read = match answer.outcome {
            RunOutcome::Completed | RunOutcome::LimitReached => self.value_of(&answer.text),
            RunOutcome::Cancelled | RunOutcome::Failed => Err("the run ended before it was whole".to_owned()),
        };
        match read {
            Ok(value) => Ok(TypedAnswer { value, answer }),
            Err(problem) => {
                let Answer { text, trace, .. } = answer;
                Err(WrongAnswer { text, problem, trace }.into())
            }
        }
    }

    fn value_of(&self, text: &str) -> Result<T, String> {
        let value = self.compiled.read(text)?;
        T::deserialize(&value).or_else(|error| {
            // To a schema 3.0 is an integer; to a type it is none.
            let mut whole = value;
            make_integers_whole(&mut whole);
            T::deserialize(whole)
                .map_err(|_| format!("it fits the schema, but is no value of its type: {error}"))
        })
    }

    /// What a text that is being written would be.
    fn partial_of(&self, text: &str) -> Option<(Value, Option<T>)> {
        let begun = text.trim_start();
        if !begun.starts_with('{') || begun.len() > PARTIAL_CHARS_MAX {
            return None;
        }
        let value = self.wished.unwrapped(repair(begun, RepairMode::Everything).ok()?.value);
        let typed = T::deserialize(&value).ok();
        Some((value, typed))
    }
}

/// Says the bounds of integer types that their schemas name only as a format, so that what fits them can be a value.
fn bound_integers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(bound_integers);
            let bounds = match fields.get("format").and_then(Value::as_str) {
                Some("int8") => (json!(i8::MIN), json!(i8::MAX)),
                Some("int16") => (json!(i16::MIN), json!(i16::MAX)),
                Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
                Some("int64" | "int") => (json!(i64::MIN), json!(i64::MAX)),
                Some("uint8") => (json!(0), json!(u8::MAX)),
                Some("uint16") => (json!(0), json!(u16::MAX)),
                Some("uint32") => (json!(0), json!(u32::MAX)),
                Some("uint64" | "uint") => (json!(0), json!(u64::MAX)),
                _ => return,
            };
            fields.entry("minimum").or_insert(bounds.0);
            fields.entry("maximum").or_insert(bounds.1);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_integers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Writes 3.0 as 3, where nothing is lost by that.
fn make_integers_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let text =
                number.as_f64().filter(|float| float.fract() == 0.0).map(|float| format!("{float:.0}"));
            if let (true, Some(whole)) = (number.is_f64(), text.and_then(|text| text.parse::<i64>().ok())) {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_integers_whole),
        Value::Object(fields) => fields.values_mut().for_each(make_integers_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A typed answer that is being written.
struct GrowingAnswer<T> {
    records: BoxStream<'static, Followed>,
    form: TypeForm<T>,
    seen: Vec<Arc<Record>>,
    /// What the step that goes on has said so far.
    text: String,
    /// What was told last.
    told: Option<Value>,
}

type PartResult<T> = Result<TypedPart<T>, WindlassError>;

impl<T: DeserializeOwned + JsonSchema> GrowingAnswer<T> {
    async fn next(growing: Option<Self>) -> Option<(PartResult<T>, Option<Self>)> {
        let mut growing = growing?;
        loop {
            let record = match growing.records.next().await? {
                Ok(record) => record,
                Err(error) => return Some((Err(error.into()), None)),
            };
            growing.seen.push(Arc::clone(&record));
            match &record.event {
                Event::Durable(DurableEvent::StepStarted { .. }) => growing.text.clear(),
                Event::Delta(DeltaEvent::TextDelta { text }) => {
                    growing.text.push_str(text);
                    if let Some(part) = growing.part() {
                        return Some((Ok(part), Some(growing)));
                    }
                }
                Event::Durable(DurableEvent::RunEnded { .. }) => {
                    let read = recorded_answer(&growing.seen).and_then(|answer| growing.form.read(answer));
                    return Some((read.map(|typed| TypedPart::Whole(Box::new(typed))), None));
                }
                Event::Durable(other) => other.ignored(),
                Event::Delta(other) => other.ignored(),
            }
        }
    }

    /// The next partial value, if there is a new one.
    fn part(&mut self) -> Option<TypedPart<T>> {
        let (json, value) = self.form.partial_of(&self.text)?;
        if self.told.as_ref() == Some(&json) {
            return None;
        }
        self.told = Some(json.clone());
        Some(TypedPart::Partial { json, value })
    }
}
