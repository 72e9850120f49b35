//! An answer: from the bytes of a reply to deltas, whatever form the server chose to answer in.
//!
//! Servers answer a request for a stream with a whole, label streams as plain text, and pages as answers.
//! What the answer says it is counts first, and what it begins with counts where it says nothing.

use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelFailureKind};

use crate::failure::{of_nothing, of_page};
use crate::frame::{Framing, Splitter, decode};
use crate::target::ModelTarget;
use crate::wire::{Decode, SharedTarget, framing};

/// An answer that is being read.
pub(crate) struct AnswerReader {
    target: SharedTarget,
    form: AnswerShape,
    /// Whether anything but blanks has come.
    has_begun: bool,
    decoder: Box<dyn Decode>,
}

enum AnswerShape {
    /// To be seen by its first byte.
    Unknown,
    Frames(Splitter),
    Whole(Vec<u8>),
}

impl AnswerReader {
    /// Nothing was read yet.
    pub(crate) fn new(target: &SharedTarget, media_type: &str, decoder: Box<dyn Decode>) -> Self {
        let form = match media_type {
            "text/event-stream" => AnswerShape::Frames(Splitter::new(Framing::Sse)),
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
                AnswerShape::Frames(Splitter::new(Framing::Lines))
            }
            "application/json" if framing(target.wire) == Framing::Lines => AnswerShape::Whole(Vec::new()),
            _ => AnswerShape::Unknown,
        };
        Self { target: SharedTarget::clone(target), form, has_begun: false, decoder }
    }

    /// Whether the model has said its last word.
    pub(crate) fn is_over(&self) -> bool {
        self.decoder.is_over()
    }

    /// Reads the next piece.
    pub(crate) fn push(&mut self, piece: &[u8], deltas: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let piece = if self.has_begun { piece } else { piece.trim_ascii_start() };
        let Some(first) = piece.first() else { return Ok(()) };
        // No answer of any kind begins like a page, whatever it says it is.
        if matches!(self.form, AnswerShape::Unknown) || (!self.has_begun && *first == b'<') {
            self.form = form_of(&self.target, *first);
        }
        self.has_begun = true;
        match &mut self.form {
            AnswerShape::Frames(splitter) => {
                let decoder = &mut self.decoder;
                splitter.push(piece, &mut |event, data| match decoder.is_over() {
                    true => Ok(()),
                    false => decoder.frame(event, data, deltas),
                })
            }
            AnswerShape::Whole(body) => {
                body.extend_from_slice(piece);
                Ok(())
            }
            AnswerShape::Unknown => Ok(()),
        }
    }

    /// The answer has ended in an orderly way.
    pub(crate) fn end(&mut self, deltas: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let decoder = &mut self.decoder;
        if !self.has_begun {
            return Err(of_nothing(&self.target));
        }
        match &mut self.form {
            AnswerShape::Unknown => decoder.end(deltas),
            AnswerShape::Whole(body) if body.starts_with(b"<") => {
                Err(of_page(&self.target, &String::from_utf8_lossy(body)))
            }
            AnswerShape::Whole(body) => decoder.whole(&decode(body), deltas),
            AnswerShape::Frames(splitter) => {
                let last = splitter.finish(&mut |event, data| match decoder.is_over() {
                    true => Ok(()),
                    false => decoder.frame(event, data, deltas),
                });
                match last {
                    // An event that was cut in the middle is a cut answer, and the decoder says so.
                    Err(failure) if failure.kind == ModelFailureKind::Malformed => decoder.end(deltas),
                    Err(failure) => Err(failure),
                    Ok(()) if decoder.is_over() => Ok(()),
                    Ok(()) => decoder.end(deltas),
                }
            }
        }
    }
}

fn form_of(target: &ModelTarget, first: u8) -> AnswerShape {
    match (first, framing(target.wire)) {
        (b'{' | b'[' | b'<', Framing::Sse) | (b'<' | b'[', Framing::Lines) => AnswerShape::Whole(Vec::new()),
        (_, framing) => AnswerShape::Frames(Splitter::new(framing)),
    }
}
