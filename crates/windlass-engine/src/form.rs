//! Whether an answer has the form that a run wished for: read as JSON, checked against the full schema.
//!
//! Owns the one reading of such an answer, which the machine and whoever takes the value share: what the one accepts,
//! the other reads to the same value. Knows no model and no Rust type.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::calls::json::parse::parse_value;
use windlass_core::calls::json::scan::value_end;
use windlass_core::ports::{AnswerForm, ArgsValidator, Violation};
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::form::WishedForm;
use windlass_core::run::RunSettings;

use crate::tools::validate::{SchemaError, SchemaValidator, compile_with_formats};

/// Objects and lists of one answer that are looked at: an answer with more of them has no one value.
const CANDIDATES_MAX: usize = 16;
/// Violations that a model is told of at once: more would hide the first.
const TOLD_MAX: usize = 8;

/// A compiled form.
#[derive(Debug)]
pub struct SchemaForm {
    form: Arc<WishedForm>,
    /// Of the object that holds the value, or of the value itself.
    asked: SchemaValidator,
    /// Of the value itself, where that is something else.
    bare: Option<SchemaValidator>,
}

impl SchemaForm {
    /// Compiles a form.
    pub fn new(form: Arc<WishedForm>) -> Result<Self, SchemaError> {
        let asked = compile_with_formats(&form.asked_schema())?;
        let bare = if form.is_wrapped() { Some(compile_with_formats(&form.schema)?) } else { None };
        Ok(Self { form, asked, bare })
    }

    /// The value of an answer; otherwise what is wrong with it, and where.
    ///
    /// The answer is the value and nothing else. One value with words or a fence around it is taken if it is the only one
    /// and fits as it was asked for; nothing is repaired.
    pub fn read(&self, answer: &str) -> Result<Value, String> {
        let answer = answer.trim();
        let failure = match parse_value(answer) {
            Ok(value) => return self.fitting(value),
            Err(failure) => failure,
        };
        let found = inside(answer);
        match found.as_slice() {
            [] => Err(format!("it is not JSON: {failure}")),
            [one] => {
                let value = parse_value(one).map_err(|failure| format!("it is not JSON: {failure}"))?;
                if is_closed_twice(answer, one) {
                    return Err("there is a closing bracket after the value that nothing opened".to_owned());
                }
                // Blanks of a text are no value: one in prose must say what it is.
                let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
                match violations(&self.asked, &value) {
                    None if !is_empty => Ok(self.form.unwrapped(value)),
                    None => Err("there is no value in it, only words".to_owned()),
                    Some(wrong) => Err(wrong),
                }
            }
            [_, _, ..] => {
                Err("there is more than one JSON value in it; give one, and nothing else".to_owned())
            }
        }
    }

    /// A whole answer: as it was asked for, or the bare value where an object was to hold it.
    fn fitting(&self, value: Value) -> Result<Value, String> {
        let Some(wrong) = violations(&self.asked, &value) else { return Ok(self.form.unwrapped(value)) };
        match &self.bare {
            Some(bare) if violations(bare, &value).is_none() => Ok(value),
            Some(_) | None => Err(wrong),
        }
    }
}

impl AnswerForm for SchemaForm {
    fn check(&self, answer: &str) -> Result<(), String> {
        self.read(answer).map(drop)
    }
}

/// The settings of a run that wishes for a form: the machine is told of it. The form that its model has anyway holds too.
pub(crate) fn formed(settings: &Arc<RunSettings>, wishes: &RunWishes) -> Arc<RunSettings> {
    let Some(wished) = &wishes.form else { return Arc::clone(settings) };
    let own: Arc<dyn AnswerForm> = match SchemaForm::new(Arc::clone(wished)) {
        Ok(form) => Arc::new(form),
        // What cannot be checked is not believed.
        Err(error) => Arc::new(BrokenForm(error)),
    };
    let form: Arc<dyn AnswerForm> = match settings.form.clone() {
        Some(below) => Arc::new(BothForms(below, own)),
        None => own,
    };
    let mut settings = RunSettings::clone(settings);
    settings.form = Some(form);
    Arc::new(settings)
}

/// A form that cannot be checked.
#[derive(Debug)]
struct BrokenForm(SchemaError);

impl AnswerForm for BrokenForm {
    fn check(&self, _answer: &str) -> Result<(), String> {
        Err(format!("its form cannot be checked: {}", self.0))
    }
}

/// What a model's answers must be anyway, and what is wished for this one.
#[derive(Debug)]
struct BothForms(Arc<dyn AnswerForm>, Arc<dyn AnswerForm>);

impl AnswerForm for BothForms {
    fn check(&self, answer: &str) -> Result<(), String> {
        self.0.check(answer)?;
        self.1.check(answer)
    }
}

/// The violations in words for the model; nothing if there are none.
fn violations(validator: &SchemaValidator, value: &Value) -> Option<String> {
    let found = validator.check(value);
    if found.is_empty() {
        return None;
    }
    Some(found.iter().take(TOLD_MAX).map(told).collect::<Vec<_>>().join("; "))
}

fn told(violation: &Violation) -> String {
    let Violation { path, message, expected, received } = violation;
    let place = if path.is_empty() { "the value itself" } else { path };
    format!("at {place}: {message} (expected {expected}, got {received})")
}

/// Whether a bracket closes behind a value that none opened: the value may be a part of a damaged one.
fn is_closed_twice(text: &str, value: &str) -> bool {
    let after = text.find(value).and_then(|start| text.get(start + value.len()..)).unwrap_or_default();
    after.trim_start().starts_with(['}', ']'])
}

/// The objects and lists of a text, outermost alone; one that is cut or damaged counts, so that no part of it is taken for
/// the value.
fn inside(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])).map(|place| at + place) {
        let end = value_end(text, start).unwrap_or(text.len());
        let piece = text.get(start..end).unwrap_or_default();
        if !is_remark(piece) || end == text.len() {
            found.push(piece);
        }
        at = end.max(start + 1);
        if found.len() >= CANDIDATES_MAX {
            break;
        }
    }
    found
}

/// Whether brackets are those of prose, such as a source's: no JSON, and nobody meant it to be.
fn is_remark(piece: &str) -> bool {
    let Some(within) = piece.strip_prefix('[') else { return false };
    parse_value(piece).is_err() && !within.contains(['{', '[', '"'])
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
