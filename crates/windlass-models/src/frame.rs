//! Frames: cuts the bytes of an answer into the payloads of its events, wherever the network split them.
//!
//! Server-sent events by the grammar of the HTML standard, and JSON a line. An event that lies in one piece
//! of the network is given without being copied. Bounded; knows no wire and no network.

use std::borrow::Cow;
use std::mem;

use memchr::{memchr, memchr2};
use windlass_core::calls::json::NOT_UTF8;

use crate::limits::FRAME_BYTES_MAX;

/// How an answer is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Sse,
    /// One JSON value a line.
    Lines,
}

/// An event that is larger than any honest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event has more than {FRAME_BYTES_MAX} bytes")]
pub struct FrameTooLong;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts one answer. An event without a payload is a heartbeat and is not given.
#[derive(Debug)]
pub struct Splitter {
    framing: Framing,
    /// How much of a byte order mark was seen; `BOM.len()` once the text has begun.
    mark: usize,
    /// The last byte was a CR, so that a LF that comes next belongs to it.
    has_cr: bool,
    /// A line whose end has not come yet.
    line: Vec<u8>,
    /// Payload lines of an event whose end has not come yet, joined.
    payload: Vec<u8>,
    has_payload: bool,
    name: Vec<u8>,
}

/// What an event has so far of the piece at hand, not copied.
#[derive(Default)]
struct FrameSoFar<'a> {
    payload: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
}

impl Splitter {
    /// Nothing was read yet.
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            mark: 0,
            has_cr: false,
            line: Vec::new(),
            payload: Vec::new(),
            has_payload: false,
            name: Vec::new(),
        }
    }

    /// Reads the next piece. `sink` gets the name and the payload of every event that ends in it; what it
    /// refuses ends the reading.
    pub fn push<E: From<FrameTooLong>>(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Option<&str>, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = self.skip_mark(bytes);
        let mut seen = FrameSoFar::default();
        loop {
            if self.has_cr && !rest.is_empty() {
                self.has_cr = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            let end = match self.framing {
                Framing::Sse => memchr2(b'\n', b'\r', rest),
                // A CR is a blank in JSON; only SSE ends lines with it.
                Framing::Lines => memchr(b'\n', rest),
            };
            let Some((line, after)) = end.and_then(|end| rest.split_at_checked(end)) else { break };
            check(self.line.len().saturating_add(line.len()))?;
            self.has_cr = after.first() == Some(&b'\r');
            rest = after.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.read_line(line, &mut seen, sink)?;
            } else {
                self.line.extend_from_slice(line);
                self.read_kept_line(&mut seen, sink)?;
            }
        }
        self.keep(&seen)?;
        check(self.line.len().saturating_add(rest.len()))?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// The answer has ended. An event without the blank line behind it is given all the same: several
    /// servers forget that line.
    pub fn finish<E: From<FrameTooLong>>(
        &mut self,
        sink: &mut impl FnMut(Option<&str>, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut seen = FrameSoFar::default();
        self.read_kept_line(&mut seen, sink)?;
        self.keep(&seen)?;
        self.give(&mut FrameSoFar::default(), sink)
    }

    /// Drops a byte order mark at the very beginning, also one that comes in pieces.
    fn skip_mark<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        while let Some(expected) = BOM.get(self.mark) {
            match bytes.split_first() {
                Some((byte, rest)) if byte == expected => {
                    self.mark = self.mark.saturating_add(1);
                    bytes = rest;
                }
                Some(_) => {
                    self.line.extend_from_slice(BOM.get(..self.mark).unwrap_or_default());
                    self.mark = BOM.len();
                }
                None => break,
            }
        }
        bytes
    }

    /// Reads the line that was kept. It does not live as long as the piece at hand, so its payload is copied.
    fn read_kept_line<E: From<FrameTooLong>>(
        &mut self,
        seen: &mut FrameSoFar<'_>,
        sink: &mut impl FnMut(Option<&str>, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.keep(seen)?;
        *seen = FrameSoFar::default();
        let mut line = mem::take(&mut self.line);
        let mut seen_here = FrameSoFar::default();
        self.read_line(&line, &mut seen_here, sink)?;
        self.keep(&seen_here)?;
        line.clear();
        self.line = line;
        Ok(())
    }

    fn read_line<'a, E: From<FrameTooLong>>(
        &mut self,
        line: &'a [u8],
        seen: &mut FrameSoFar<'a>,
        sink: &mut impl FnMut(Option<&str>, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.framing == Framing::Lines {
            seen.payload = Some(line);
            return self.give(seen, sink);
        }
        if line.is_empty() {
            return self.give(seen, sink);
        }
        let (field, value) = match memchr(b':', line).and_then(|colon| line.split_at_checked(colon)) {
            Some((field, value)) => (field, value.get(1..).unwrap_or_default()),
            None => (line, [].as_slice()),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if seen.payload.is_some() {
                    self.keep(seen)?;
                    seen.name = None;
                }
                seen.payload = Some(value);
            }
            b"event" => seen.name = Some(value),
            // Comments have no field name; `id` and `retry` are for clients that reconnect.
            _ => {}
        }
        Ok(())
    }

    /// Copies what must outlive the piece at hand.
    fn keep(&mut self, seen: &FrameSoFar<'_>) -> Result<(), FrameTooLong> {
        if let Some(name) = seen.name {
            self.name.clear();
            self.name.extend_from_slice(name);
        }
        if let Some(payload) = seen.payload {
            check(self.payload.len().saturating_add(payload.len()))?;
            if self.has_payload {
                self.payload.push(b'\n');
            }
            self.payload.extend_from_slice(payload);
            self.has_payload = true;
        }
        Ok(())
    }

    /// Gives the event, if it has a payload, and begins the next one.
    fn give<E: From<FrameTooLong>>(
        &mut self,
        seen: &mut FrameSoFar<'_>,
        sink: &mut impl FnMut(Option<&str>, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.has_payload {
            self.keep(seen)?;
            seen.payload = None;
        }
        let payload = seen.payload.take().unwrap_or(&self.payload);
        let name = seen.name.take().unwrap_or(&self.name);
        let given = if payload.trim_ascii().is_empty() {
            Ok(())
        } else {
            let name = (!name.is_empty()).then(|| decode(name));
            sink(name.as_deref(), &decode(payload))
        };
        self.payload.clear();
        self.has_payload = false;
        self.name.clear();
        given
    }
}

/// Text of the network. Bytes that are no text become a mark that prose survives and a call does not.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(NOT_UTF8);
        }
    }
    Cow::Owned(text)
}

fn check(bytes: usize) -> Result<(), FrameTooLong> {
    if bytes > FRAME_BYTES_MAX { Err(FrameTooLong) } else { Ok(()) }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
