//! The head of an answer: found among bytes, bounded, and read.
//!
//! Interim answers are skipped. Pure: bytes come in, whoever reads them.

use httparse::{EMPTY_HEADER, Header, Response, Status};
use thiserror::Error;

use crate::limits::{HEAD_BYTES_MAX, HEAD_FIELDS_MAX};

/// Why a head is not believed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeadFault {
    /// No head of HTTP/1.
    #[error("this is no answer of HTTP/1.1 ({0})")]
    Unreadable(httparse::Error),
    /// Beyond [`HEAD_BYTES_MAX`] or [`HEAD_FIELDS_MAX`].
    #[error("the head of the answer has more than {HEAD_BYTES_MAX} bytes or {HEAD_FIELDS_MAX} headers")]
    TooLong,
    /// A status that no server may give to what we ask.
    #[error("the status {0} answers nothing that was asked")]
    Status(u16),
    /// The end of the body cannot be known.
    #[error("the answer does not say clearly where it ends (content-length '{0}')")]
    Length(String),
    /// The body is coded.
    #[error("the answer is coded as '{0}', which was not asked for")]
    Coding(String),
}

/// The head of an answer.
#[derive(Debug)]
pub struct ResponseHead<'a> {
    /// Between 200 and 999.
    pub status: u16,
    /// Whether the server speaks HTTP/1.0.
    pub is_old: bool,
    fields: &'a [Header<'a>],
}

impl<'a> ResponseHead<'a> {
    /// The first header of that name, if it is text.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        self.fields(name).find_map(|value| std::str::from_utf8(value).ok())
    }

    /// The elements of all headers of that name.
    pub fn elements(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let elements = self.fields(name).flat_map(|value| value.split(|byte| *byte == b','));
        elements.map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
    }

    /// Whether the connection may carry another request. An answer with two ends is read to the right one,
    /// but whoever stands in between may have read it to the other.
    pub fn is_kept_open(&self) -> bool {
        let has = |name| self.fields(name).next().is_some();
        let is_clear = !(has("transfer-encoding") && has("content-length"));
        let is_last = self.elements("connection").any(|word| word.eq_ignore_ascii_case(b"close"));
        is_clear && !is_last && !self.is_old
    }

    fn fields(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }
}

/// Collects bytes until a head is whole.
#[derive(Debug, Default)]
pub struct HeadReader {
    got: Vec<u8>,
    /// Where the search for the end goes on.
    searched: usize,
    /// What interim answers had.
    skipped: usize,
}

impl HeadReader {
    /// Whether not a single byte has come.
    pub fn is_untouched(&self) -> bool {
        self.got.is_empty() && self.skipped == 0
    }

    /// Takes some bytes; [`HeadReader::read`] is to be asked before more are taken.
    pub fn push(&mut self, bytes: &[u8]) {
        self.got.extend_from_slice(bytes);
    }

    /// Lets `look` look at the head, once it is whole.
    pub fn read<T>(&mut self, look: impl FnOnce(&ResponseHead<'_>) -> T) -> Result<Option<T>, HeadFault> {
        while self.is_worth_reading() {
            let mut fields = [EMPTY_HEADER; HEAD_FIELDS_MAX];
            let mut response = Response::new(&mut fields);
            let length = match response.parse(&self.got) {
                Ok(Status::Complete(length)) => length,
                Ok(Status::Partial) => break,
                Err(httparse::Error::TooManyHeaders) => return Err(HeadFault::TooLong),
                Err(fault) => return Err(HeadFault::Unreadable(fault)),
            };
            if length.saturating_add(self.skipped) > HEAD_BYTES_MAX {
                return Err(HeadFault::TooLong);
            }
            let status = response.code.unwrap_or_default();
            match status {
                // Nobody asked for another protocol.
                0..=99 | 101 => return Err(HeadFault::Status(status)),
                100..=199 => {
                    self.skipped = self.skipped.saturating_add(length);
                    self.drop_front(length);
                }
                _ => {
                    let is_old = response.version != Some(1);
                    let told = look(&ResponseHead { status, is_old, fields: response.headers });
                    self.drop_front(length);
                    return Ok(Some(told));
                }
            }
        }
        let length = self.got.len().saturating_add(self.skipped);
        if length > HEAD_BYTES_MAX { Err(HeadFault::TooLong) } else { Ok(None) }
    }

    /// What came after the head.
    pub fn into_rest(self) -> Vec<u8> {
        if self.got.is_empty() { Vec::new() } else { self.got }
    }

    /// The beginning of what came, to be shown.
    pub fn quote(&self) -> String {
        let shown = self.got.get(..self.got.len().min(256)).unwrap_or_default();
        String::from_utf8_lossy(shown).into_owned()
    }

    /// Whether reading can tell something new: the first bytes show whether this is HTTP at all, and after
    /// that only an empty line matters. A head that comes byte by byte is so not read as often.
    fn is_worth_reading(&mut self) -> bool {
        let is_first = self.searched == 0;
        // Two bytes back, because the empty line may come in two pieces.
        let new = self.got.get(self.searched.saturating_sub(2)..).unwrap_or_default();
        let has_end =
            || new.windows(3).any(|bytes| bytes == b"\n\r\n") || new.windows(2).any(|two| two == b"\n\n");
        let is_worth = !new.is_empty() && (is_first || has_end());
        self.searched = self.got.len();
        is_worth
    }

    fn drop_front(&mut self, length: usize) {
        self.got.drain(..length.min(self.got.len()));
        self.searched = 0;
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
