//! Steps: the model lines of a script put together, cut into the pieces that a provider would stream.
//!
//! Owns how lines become deltas. Knows no clock: a delay is a piece like any other.

use std::collections::VecDeque;

use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{
    CallDelta, Finish, ModelDelta, ModelFailure, ModelFailureKind, ModelStep,
};

use crate::script::{ArgsForm, CallLine, ModelLine, RequestExpectation, ScriptHeader, TextChunking};

/// Characters of one fragment of arguments where the header says nothing else.
const ARGS_CHUNK_CHARS: usize = 8;

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedStep {
    /// The first line of the script that belongs to it.
    pub line: u32,
    /// What the request must look like, each with its line.
    pub checks: Vec<(u32, RequestExpectation)>,
    /// What the model does, without the end.
    pub lines: Vec<ModelLine>,
    pub ending: StepEnding,
    chunk: TextChunking,
    interleave: bool,
}

/// How a step ends.
#[derive(Debug, Clone, PartialEq)]
pub enum StepEnding {
    Finish(Finish),
    /// The connection is lost.
    Cut,
    Hang,
    Fail(ModelFailure),
}

/// A piece of a streamed step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepPiece {
    Delta(ModelDelta),
    Delay { delay_ms: u64 },
}

impl ScriptedStep {
    pub(crate) fn new(line: u32, header: &ScriptHeader) -> Self {
        Self {
            line,
            checks: Vec::new(),
            lines: Vec::new(),
            ending: StepEnding::Finish(Finish::Stop),
            chunk: header.chunk,
            interleave: header.interleave,
        }
    }

    /// Adds a line of the model.
    pub(crate) fn take(&mut self, line: &ModelLine) {
        match line {
            ModelLine::End(finish) => self.ending = StepEnding::Finish(finish.clone()),
            ModelLine::Cut => self.ending = StepEnding::Cut,
            ModelLine::Hang => self.ending = StepEnding::Hang,
            ModelLine::Fail(failure) => self.ending = StepEnding::Fail(failure.clone()),
            ModelLine::Call(_) => {
                // What a provider says when the script does not: calls want answers.
                self.ending = StepEnding::Finish(Finish::Calls);
                self.lines.push(line.clone());
            }
            ModelLine::Text(_)
            | ModelLine::Reasoning(_)
            | ModelLine::ReasoningState(_)
            | ModelLine::Delay { .. }
            | ModelLine::Usage(_) => self.lines.push(line.clone()),
        }
    }

    /// The calls of the step, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallLine> {
        self.lines.iter().filter_map(|line| match line {
            ModelLine::Call(call) => Some(call),
            ModelLine::Text(_)
            | ModelLine::Reasoning(_)
            | ModelLine::ReasoningState(_)
            | ModelLine::Delay { .. }
            | ModelLine::Usage(_)
            | ModelLine::End(_)
            | ModelLine::Cut
            | ModelLine::Hang
            | ModelLine::Fail(_) => None,
        })
    }

    /// How many characters of text and reasoning the step streams.
    pub fn said_chars(&self) -> usize {
        let chars = self.pieces().into_iter().map(|piece| match piece {
            StepPiece::Delta(ModelDelta::Text(text) | ModelDelta::Reasoning(text)) => text.chars().count(),
            StepPiece::Delta(
                ModelDelta::ReasoningState(_)
                | ModelDelta::Call(_)
                | ModelDelta::Usage(_)
                | ModelDelta::Finish(_)
                | ModelDelta::Progress(_)
                | ModelDelta::Notice(_),
            )
            | StepPiece::Delay { .. } => 0,
        });
        chars.sum()
    }

    /// The failure that the step ends with, if it does.
    pub fn failure(&self) -> Option<ModelFailure> {
        match &self.ending {
            StepEnding::Finish(_) | StepEnding::Hang => None,
            StepEnding::Cut => Some(ModelFailure::passing(
                ModelFailureKind::Cut,
                "the connection to the model was lost before it had finished; try again",
            )),
            StepEnding::Fail(failure) => Some(failure.clone()),
        }
    }

    /// The step as a whole, as the core puts it together of its pieces. Failing and hanging steps have
    /// none.
    pub fn complete(&self) -> Option<ModelStep> {
        matches!(self.ending, StepEnding::Finish(_)).then(|| self.assemble().finish())
    }

    /// What was said and thought before the step failed.
    pub fn partial_parts(&self) -> Vec<Part> {
        self.assemble().into_parts()
    }

    /// The text that was said before the step ended or hung.
    pub fn partial_text(&self) -> String {
        self.assemble().partial_text()
    }

    fn assemble(&self) -> Assembler {
        let mut assembler = Assembler::default();
        for piece in self.pieces() {
            match piece {
                StepPiece::Delta(delta) => drop(assembler.push(delta)),
                StepPiece::Delay { .. } => {}
            }
        }
        assembler
    }

    /// The step as a provider would stream it. A finishing step ends with its finish; the others just end.
    pub fn pieces(&self) -> Vec<StepPiece> {
        let mut pieces = Vec::new();
        let mut spoken = Spoken::Nothing;
        let mut waiting = Vec::new();
        for (index, line) in self.indexed() {
            match line {
                ModelLine::Text(text) => {
                    let text = spoken.follow(Spoken::Text, text);
                    pieces
                        .extend(cut(&text, self.chunk).map(|text| StepPiece::Delta(ModelDelta::Text(text))));
                }
                ModelLine::Reasoning(text) => {
                    let text = spoken.follow(Spoken::Reasoning, text);
                    let deltas = cut(&text, self.chunk).map(ModelDelta::Reasoning);
                    pieces.extend(deltas.map(StepPiece::Delta));
                }
                ModelLine::ReasoningState(state) => {
                    spoken = Spoken::Nothing;
                    pieces.push(StepPiece::Delta(ModelDelta::ReasoningState(state.value().clone())));
                }
                ModelLine::Call(call) => match self.interleave {
                    true => waiting.push(self.call_deltas(index, call)),
                    false => pieces.extend(self.call_deltas(index, call).into_iter().map(call_piece)),
                },
                ModelLine::Delay { delay_ms } => pieces.push(StepPiece::Delay { delay_ms: *delay_ms }),
                ModelLine::Usage(usage) => pieces.push(StepPiece::Delta(ModelDelta::Usage(*usage))),
                ModelLine::End(_) | ModelLine::Cut | ModelLine::Hang | ModelLine::Fail(_) => {}
            }
        }
        pieces.extend(in_turns(waiting).into_iter().map(call_piece));
        if let StepEnding::Finish(finish) = &self.ending {
            pieces.push(StepPiece::Delta(ModelDelta::Finish(finish.clone())));
        }
        pieces
    }

    /// The lines, each with the number of calls before it.
    fn indexed(&self) -> impl Iterator<Item = (u32, &ModelLine)> {
        self.lines.iter().scan(0_u32, |calls, line| {
            let index = *calls;
            if matches!(line, ModelLine::Call(_)) {
                *calls = calls.saturating_add(1);
            }
            Some((index, line))
        })
    }

    /// One call in fragments: id and name first, then the arguments.
    fn call_deltas(&self, index: u32, call: &CallLine) -> VecDeque<CallDelta> {
        let head = CallDelta {
            index: Some(index),
            id: call.provider_id(),
            name: Some(call.name.clone()),
            ..CallDelta::default()
        };
        let mut deltas = VecDeque::from([head]);
        match call.form {
            ArgsForm::Value => {
                let args_value = Some(Box::new(call.args_value()));
                deltas.push_back(CallDelta { index: Some(index), args_value, ..CallDelta::default() });
            }
            ArgsForm::Text | ArgsForm::Raw => {
                let chunk = match self.chunk {
                    TextChunking::Words => TextChunking::Chars(ARGS_CHUNK_CHARS),
                    TextChunking::Chars(_) | TextChunking::All => self.chunk,
                };
                let fragment =
                    |text| CallDelta { index: Some(index), args_text: Some(text), ..CallDelta::default() };
                deltas.extend(cut(&call.args, chunk).map(fragment));
            }
        }
        deltas
    }
}

/// What the model said last: a second line of the same sort begins on a new line.
#[derive(PartialEq, Clone, Copy)]
enum Spoken {
    Nothing,
    Text,
    Reasoning,
}

impl Spoken {
    fn follow(&mut self, now: Spoken, text: &str) -> String {
        let is_next_line = *self == now;
        *self = now;
        if is_next_line { format!("\n{text}") } else { text.to_owned() }
    }
}

fn call_piece(delta: CallDelta) -> StepPiece {
    StepPiece::Delta(ModelDelta::Call(delta))
}

/// Fragments of several calls, one of each in turn.
fn in_turns(mut calls: Vec<VecDeque<CallDelta>>) -> Vec<CallDelta> {
    let mut deltas = Vec::new();
    while calls.iter().any(|call| !call.is_empty()) {
        deltas.extend(calls.iter_mut().filter_map(VecDeque::pop_front));
    }
    deltas
}

/// Cuts a text into pieces that make the whole again.
fn cut(text: &str, chunk: TextChunking) -> impl Iterator<Item = String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut count = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        piece.push(c);
        count = count.saturating_add(1);
        let is_full = match chunk {
            TextChunking::All => false,
            TextChunking::Chars(most) => count >= most,
            TextChunking::Words => {
                c.is_whitespace() && chars.peek().is_some_and(|next| !next.is_whitespace())
            }
        };
        if is_full {
            pieces.push(std::mem::take(&mut piece));
            count = 0;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces.into_iter()
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
