//! The lines of a cassette's file: whose answers they are, and then for each request what was asked, what came piece by
//! piece, and how it ended. One JSON value a line, so that people can read it and a review shows what changed.
//!
//! Owns the form and takes secrets out. Opens no file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_core::profile::Dialect;
use windlass_core::protocol::model::{ModelDelta, ModelFailure};
use windlass_core::text::redact::Redactor;

/// The form that is written, and the only one that is read.
const FORM: u32 = 1;

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ReelHead {
    cassette: u32,
    /// The model whose answers they are.
    pub(super) model: String,
    /// The one manner of calling that it understands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialect: Option<Dialect>,
}

impl ReelHead {
    pub(super) fn new(model: String, dialect: Option<Dialect>) -> Self {
        Self { cassette: FORM, model, dialect }
    }
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReelEnd {
    /// It was whole.
    Done,
    /// Whoever asked did not wait for the rest.
    Stopped,
    /// The model failed.
    Failed(ModelFailure),
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordedAnswer {
    pub(super) request: Value,
    pub(super) deltas: Vec<ModelDelta>,
    pub(super) end: ReelEnd,
}

/// Any line but the first; exactly one of its fields beside the number is there.
#[derive(Serialize, Deserialize)]
struct ReelLine<'a> {
    asked: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Cow<'a, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delta: Option<Cow<'a, ModelDelta>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<Cow<'a, ReelEnd>>,
}

/// The lines of an answer, the last one ended too.
pub(super) fn write_answer(asked: usize, answer: &RecordedAnswer) -> Result<String, serde_json::Error> {
    let line = |request, delta, end| serde_json::to_string(&ReelLine { asked, request, delta, end });
    let mut text = line(Some(Cow::Borrowed(&answer.request)), None, None)?;
    for delta in &answer.deltas {
        text.push('\n');
        text.push_str(&line(None, Some(Cow::Borrowed(delta)), None)?);
    }
    text.push('\n');
    text.push_str(&line(None, None, Some(Cow::Borrowed(&answer.end)))?);
    text.push('\n');
    Ok(text)
}

/// Reads a whole file; a failure is the number of the line and what is wrong with it.
pub(super) fn read_reel(text: &str) -> Result<(ReelHead, Vec<RecordedAnswer>), (usize, String)> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next().ok_or((1, "it is empty".to_owned()))?;
    let head: ReelHead = serde_json::from_str(first).map_err(|error| (number, error.to_string()))?;
    if head.cassette != FORM {
        return Err((number, format!("its form is {}, and only {FORM} can be read", head.cassette)));
    }
    let mut answers: Vec<(usize, RecordedAnswer)> = Vec::new();
    for (number, line) in lines {
        let line: ReelLine<'_> = serde_json::from_str(line).map_err(|error| (number, error.to_string()))?;
        if let Some(request) = line.request {
            let request = request.into_owned();
            answers.push((line.asked, RecordedAnswer { request, deltas: Vec::new(), end: ReelEnd::Stopped }));
            continue;
        }
        let Some((_, answer)) = answers.iter_mut().rev().find(|(asked, _)| *asked == line.asked) else {
            return Err((number, format!("request {} was not asked before", line.asked)));
        };
        answer.deltas.extend(line.delta.map(Cow::into_owned));
        if let Some(end) = line.end {
            answer.end = end.into_owned();
        }
    }
    // Requests that went on side by side are written as they end, and asked for as they began.
    answers.sort_by_key(|(asked, _)| *asked);
    Ok((head, answers.into_iter().map(|(_, answer)| answer).collect()))
}

/// Texts that come in pieces: what belongs together is cleaned together, for a secret may stand over two pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PieceOf {
    /// A stretch of text or thinking, by its number.
    Stretch(usize),
    /// The arguments of a call, by its slot.
    Slot(u32),
    /// The arguments of a call without a slot, by its id.
    Id(String),
}

/// Takes secrets out of an answer.
pub(super) fn clean_answer(redactor: &Redactor, answer: &mut RecordedAnswer) {
    redactor.clean_value(&mut answer.request);
    if let ReelEnd::Failed(failure) = &mut answer.end {
        failure.message = redactor.clean(&failure.message).into_owned();
    }
    let owners = owners(&answer.deltas);
    for owner in owners.iter().flatten() {
        let is_own = |own: &Option<PieceOf>| own.as_ref() == Some(owner);
        let own = answer.deltas.iter().zip(&owners).filter(|(_, own)| is_own(own));
        let whole: String = own.filter_map(|(delta, _)| piece(delta)).collect();
        let Cow::Owned(mut cleaned) = redactor.clean(&whole) else { continue };
        for (delta, _) in answer.deltas.iter_mut().zip(&owners).filter(|(_, own)| is_own(own)) {
            if let Some(piece) = piece_mut(delta) {
                *piece = std::mem::take(&mut cleaned);
            }
        }
    }
    for delta in &mut answer.deltas {
        clean_values(redactor, delta);
    }
}

/// To which text each delta belongs.
fn owners(deltas: &[ModelDelta]) -> Vec<Option<PieceOf>> {
    let (mut stretch, mut kind, mut last) = (0, 0, None);
    let mut owner = |delta: &ModelDelta| {
        let own = match delta {
            ModelDelta::Text(_) => 1,
            ModelDelta::Reasoning(_) => 2,
            ModelDelta::Call(_) | ModelDelta::ReasoningState(_) => 3,
            ModelDelta::Usage(_)
            | ModelDelta::Finish(_)
            | ModelDelta::Progress(_)
            | ModelDelta::Notice(_) => return None,
        };
        stretch += usize::from(own != kind);
        kind = own;
        let ModelDelta::Call(call) = delta else {
            return (own != 3).then_some(PieceOf::Stretch(stretch));
        };
        let named = call.index.map(PieceOf::Slot).or_else(|| call.id.clone().map(PieceOf::Id));
        last = named.or_else(|| last.clone());
        last.clone().or(Some(PieceOf::Stretch(stretch)))
    };
    deltas.iter().map(&mut owner).collect()
}

fn piece(delta: &ModelDelta) -> Option<&str> {
    match delta {
        ModelDelta::Text(text) | ModelDelta::Reasoning(text) => Some(text),
        ModelDelta::Call(call) => call.args_text.as_deref(),
        ModelDelta::ReasoningState(_)
        | ModelDelta::Usage(_)
        | ModelDelta::Finish(_)
        | ModelDelta::Progress(_)
        | ModelDelta::Notice(_) => None,
    }
}

fn piece_mut(delta: &mut ModelDelta) -> Option<&mut String> {
    match delta {
        ModelDelta::Text(text) | ModelDelta::Reasoning(text) => Some(text),
        ModelDelta::Call(call) => call.args_text.as_mut(),
        ModelDelta::ReasoningState(_)
        | ModelDelta::Usage(_)
        | ModelDelta::Finish(_)
        | ModelDelta::Progress(_)
        | ModelDelta::Notice(_) => None,
    }
}

fn clean_values(redactor: &Redactor, delta: &mut ModelDelta) {
    match delta {
        ModelDelta::ReasoningState(state) => redactor.clean_value(state),
        ModelDelta::Call(call) => {
            for value in [&mut call.args_value, &mut call.state].into_iter().flatten() {
                redactor.clean_value(value);
            }
        }
        ModelDelta::Notice(notice) => notice.message = redactor.clean(&notice.message).into_owned(),
        ModelDelta::Text(_)
        | ModelDelta::Reasoning(_)
        | ModelDelta::Usage(_)
        | ModelDelta::Finish(_)
        | ModelDelta::Progress(_) => {}
    }
}

#[cfg(test)]
#[path = "reel_tests.rs"]
mod tests;
