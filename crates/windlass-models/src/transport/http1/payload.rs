//! The body of an answer: which of the bytes belong to it, and where it ends.
//!
//! Chunks are joined in place, so that a piece is handed on without a copy of its own. Pure.

use std::ops::Range;

use thiserror::Error;

use super::head::{HeadFault, ResponseHead};
use crate::limits::{CHUNK_LINE_BYTES_MAX, TRAILER_BYTES_MAX};

/// Why a body is not believed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PayloadFault {
    /// The connection ended first.
    #[error("the connection was closed before the answer had ended")]
    Cut,
    /// A chunk has no size, or no end.
    #[error("the answer comes in chunks that cannot be read")]
    Chunk,
    /// A line between chunks is longer than any honest one.
    #[error("the answer has more between its chunks than is believed")]
    TooLong,
}

/// What of some bytes belongs to the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyPiece {
    /// Where the body is, now that it was joined.
    pub body: Range<usize>,
    /// How many of the bytes were used; less than all only at the end.
    pub used: usize,
    /// What is wrong after the body.
    pub fault: Option<PayloadFault>,
}

/// How far a body goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// So many bytes more.
    Sized(u64),
    /// Until a chunk of nothing.
    Chunked(ChunkReader),
    /// Until the connection ends.
    UntilClose,
}

impl Payload {
    /// What the head says.
    pub fn of(head: &ResponseHead<'_>) -> Result<Self, HeadFault> {
        let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let coding = head.elements("content-encoding").find(|word| !word.eq_ignore_ascii_case(b"identity"));
        if let Some(coding) = coding {
            return Err(HeadFault::Coding(shown(coding)));
        }
        if matches!(head.status, 204 | 304) {
            return Ok(Self::Sized(0));
        }
        // A coding counts before a length, whatever the length is.
        let mut codings = head.elements("transfer-encoding");
        match (codings.next(), codings.next()) {
            (Some(coding), None) if coding.eq_ignore_ascii_case(b"chunked") => {
                return Ok(Self::Chunked(ChunkReader::default()));
            }
            (Some(_), Some(coding)) | (Some(coding), None) => return Err(HeadFault::Coding(shown(coding))),
            (None, _) => {}
        }
        let mut lengths = head.elements("content-length");
        let Some(length) = lengths.next() else { return Ok(Self::UntilClose) };
        // `parse` alone would take a sign.
        let is_number = length.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(length).ok().and_then(|text| text.parse().ok());
        // Several lengths must agree: else somebody in between may have seen another end of the answer.
        match number.filter(|_| is_number && lengths.all(|other| other == length)) {
            Some(number) => Ok(Self::Sized(number)),
            None => Err(HeadFault::Length(shown(length))),
        }
    }

    /// Whether the body has ended.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Sized(left) => *left == 0,
            Self::Chunked(chunks) => chunks.state == ChunkState::Over,
            Self::UntilClose => false,
        }
    }

    /// Finds the body in the bytes that came next, and joins it there.
    pub fn join(&mut self, bytes: &mut [u8]) -> BodyPiece {
        match self {
            Self::Sized(left) => {
                let length = clamp(*left, bytes.len());
                *left = left.saturating_sub(length as u64);
                BodyPiece { body: 0..length, used: length, fault: None }
            }
            Self::Chunked(chunks) => chunks.join(bytes),
            Self::UntilClose => BodyPiece { body: 0..bytes.len(), used: bytes.len(), fault: None },
        }
    }

    /// The connection ended: is that the end of the body?
    pub fn end(&mut self) -> Result<(), PayloadFault> {
        let is_end = *self == Self::UntilClose || self.is_over();
        *self = Self::Sized(0);
        if is_end { Ok(()) } else { Err(PayloadFault::Cut) }
    }
}

/// Where a reader of chunks is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ChunkState {
    #[default]
    Size,
    /// After the size; nobody needs what may stand there.
    Extension,
    SizeEnd,
    Body,
    BodyCr,
    BodyLf,
    /// At the beginning of a line after the last chunk.
    Trailer,
    TrailerLine,
    LastLf,
    Over,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkReader {
    state: ChunkState,
    left: u64,
    digits: u8,
    /// Bytes of the line, or of all trailers.
    line: u32,
}

impl ChunkReader {
    fn join(&mut self, bytes: &mut [u8]) -> BodyPiece {
        let mut body = 0..0;
        let mut at = 0;
        while at < bytes.len() && self.state != ChunkState::Over {
            if self.state == ChunkState::Body {
                let length = clamp(self.left, bytes.len().saturating_sub(at));
                if body.is_empty() {
                    body = at..at;
                }
                if body.end != at {
                    bytes.copy_within(at..at.saturating_add(length), body.end);
                }
                body.end = body.end.saturating_add(length);
                at = at.saturating_add(length);
                self.left = self.left.saturating_sub(length as u64);
                if self.left == 0 {
                    self.state = ChunkState::BodyCr;
                }
                continue;
            }
            let step = bytes.get(at).map_or(Err(PayloadFault::Cut), |byte| self.step(*byte));
            at = at.saturating_add(1);
            if let Err(fault) = step {
                return BodyPiece { body, used: at, fault: Some(fault) };
            }
        }
        BodyPiece { body, used: at, fault: None }
    }

    /// One byte outside a chunk's body.
    fn step(&mut self, byte: u8) -> Result<(), PayloadFault> {
        self.state = match (self.state, byte) {
            (ChunkState::Size, b'\r') if self.digits > 0 => ChunkState::SizeEnd,
            (ChunkState::Size, b';' | b' ' | b'\t') if self.digits > 0 => ChunkState::Extension,
            (ChunkState::Size, _) => {
                // Sixteen digits fill the number.
                let digit = (byte as char).to_digit(16).filter(|_| self.digits < 16);
                self.left = self.left << 4 | u64::from(digit.ok_or(PayloadFault::Chunk)?);
                self.digits = self.digits.saturating_add(1);
                ChunkState::Size
            }
            (ChunkState::Extension, b'\r') => ChunkState::SizeEnd,
            // Readers disagree on whether a bare LF ends the line, and with it on where the chunk begins.
            (ChunkState::Extension, b'\n') => return Err(PayloadFault::Chunk),
            (ChunkState::Extension, _) => self.count(ChunkState::Extension, CHUNK_LINE_BYTES_MAX)?,
            (ChunkState::SizeEnd, b'\n') => {
                (self.digits, self.line) = (0, 0);
                if self.left == 0 { ChunkState::Trailer } else { ChunkState::Body }
            }
            (ChunkState::BodyCr, b'\r') => ChunkState::BodyLf,
            (ChunkState::BodyLf, b'\n') => ChunkState::Size,
            (ChunkState::Trailer, b'\r') => ChunkState::LastLf,
            (ChunkState::TrailerLine, b'\n') => ChunkState::Trailer,
            (ChunkState::Trailer | ChunkState::TrailerLine, _) => {
                self.count(ChunkState::TrailerLine, TRAILER_BYTES_MAX)?
            }
            (ChunkState::LastLf, b'\n') | (ChunkState::Over, _) => ChunkState::Over,
            (
                ChunkState::SizeEnd
                | ChunkState::Body
                | ChunkState::BodyCr
                | ChunkState::BodyLf
                | ChunkState::LastLf,
                _,
            ) => {
                return Err(PayloadFault::Chunk);
            }
        };
        Ok(())
    }

    fn count(&mut self, state: ChunkState, bytes_max: u32) -> Result<ChunkState, PayloadFault> {
        self.line = self.line.saturating_add(1);
        if self.line > bytes_max { Err(PayloadFault::TooLong) } else { Ok(state) }
    }
}

fn clamp(left: u64, length: usize) -> usize {
    usize::try_from(left).map_or(length, |left| left.min(length))
}

#[cfg(test)]
#[path = "payload_tests.rs"]
mod tests;
