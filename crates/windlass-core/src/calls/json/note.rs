//! The names of what a repair changed, and which of those changes lose nothing.
//!
//! A change is lossless if the text has only one sensible reading and all of its content is in the value.
//! Everything else is a guess: a missing comma or bracket is exactly what a stream with a lost piece looks
//! like, and a call put together from such a stream must not run. Sentences around an object may take back what it
//! says; of two equal keys one would be dropped, and a number that does not fit would be another number.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One kind of change that a repair made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RepairNote {
    /// A byte order mark before the text was left out.
    ByteOrderMark,
    /// Reasoning before the text (`<think>…</think>`) was left out.
    ThinkPrefix,
    /// The code fence around the JSON was left out.
    CodeFence,
    /// Special tokens of a model's template (`<|tool_call_end|>`, `</tool_call>`) were left out.
    SpecialTokens,
    /// Sentences around the only object were left out.
    ProseAround,
    /// The JSON was a string that held the object.
    DoubleEncoded,
    /// A comma before a closing bracket was left out.
    TrailingComma,
    /// Comments were left out.
    Comment,
    /// Strings stood in single quotes.
    SingleQuotes,
    /// Strings stood in typographic quotes.
    SmartQuotes,
    /// Keys stood without quotes.
    UnquotedKey,
    /// `True`, `False` or `None` stood for `true`, `false` or `null`.
    LiteralSpelling,
    /// Strings held line breaks or other control characters that were not escaped.
    RawControl,
    /// Numbers were spelled like `+3`, `.5` or `5.`.
    NumberSpelling,
    /// A comma was put in.
    MissingComma,
    /// A closing bracket that closed nothing was left out.
    ExtraClose,
    /// A closing bracket was put in.
    MissingClose,
    /// The text ended inside a string, or between a key and its value.
    CutShort,
    /// An escape that JSON does not know was taken as text.
    BadEscape,
    /// `NaN` or `Infinity` became `null`.
    NotANumber,
    /// A key stood twice in an object; its last value was taken.
    DuplicateKey,
    /// A number was rounded to one that can be kept.
    RoundedNumber,
    /// Bytes that were no UTF-8 were replaced.
    NotUtf8,
}

impl RepairNote {
    /// Every kind, in the order in which notes are listed.
    pub const ALL: [Self; 23] = [
        Self::ByteOrderMark,
        Self::ThinkPrefix,
        Self::CodeFence,
        Self::SpecialTokens,
        Self::ProseAround,
        Self::DoubleEncoded,
        Self::TrailingComma,
        Self::Comment,
        Self::SingleQuotes,
        Self::SmartQuotes,
        Self::UnquotedKey,
        Self::LiteralSpelling,
        Self::RawControl,
        Self::NumberSpelling,
        Self::MissingComma,
        Self::ExtraClose,
        Self::MissingClose,
        Self::CutShort,
        Self::BadEscape,
        Self::NotANumber,
        Self::DuplicateKey,
        Self::RoundedNumber,
        Self::NotUtf8,
    ];

    /// Whether the change neither invents nor drops content, so that a call read this way may run.
    pub fn is_lossless(self) -> bool {
        match self {
            Self::ByteOrderMark
            | Self::ThinkPrefix
            | Self::CodeFence
            | Self::SpecialTokens
            | Self::DoubleEncoded
            | Self::TrailingComma
            | Self::Comment
            | Self::SingleQuotes
            | Self::SmartQuotes
            | Self::UnquotedKey
            | Self::LiteralSpelling
            | Self::RawControl
            | Self::NumberSpelling => true,
            Self::ProseAround
            | Self::MissingComma
            | Self::ExtraClose
            | Self::MissingClose
            | Self::CutShort
            | Self::BadEscape
            | Self::NotANumber
            | Self::DuplicateKey
            | Self::RoundedNumber
            | Self::NotUtf8 => false,
        }
    }
}

/// What was wrong with the text, as part of a sentence.
impl fmt::Display for RepairNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByteOrderMark => "a byte order mark stands before it",
            Self::ThinkPrefix => "reasoning stands before it",
            Self::CodeFence => "it stands in a code fence",
            Self::SpecialTokens => "special tokens stand around it",
            Self::ProseAround => "sentences stand around it",
            Self::DoubleEncoded => "it is encoded twice",
            Self::TrailingComma => "a comma stands before a closing bracket",
            Self::Comment => "it has comments",
            Self::SingleQuotes => "strings stand in single quotes",
            Self::SmartQuotes => "strings stand in typographic quotes",
            Self::UnquotedKey => "keys have no quotes",
            Self::LiteralSpelling => "true, false or null is spelled differently",
            Self::RawControl => "control characters in strings are not escaped",
            Self::NumberSpelling => "numbers are not spelled as in JSON",
            Self::MissingComma => "a comma is missing",
            Self::ExtraClose => "there is a closing bracket too many",
            Self::MissingClose => "closing brackets are missing",
            Self::CutShort => "the text is cut off",
            Self::BadEscape => "a string has an escape that JSON does not know",
            Self::NotANumber => "a number is NaN or Infinity",
            Self::DuplicateKey => "a key is written twice",
            Self::RoundedNumber => "a number cannot be kept exactly",
            Self::NotUtf8 => "it has bytes that are not UTF-8",
        })
    }
}

/// A set of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NoteSet(u32);

impl NoteSet {
    pub(super) fn add(&mut self, note: RepairNote) {
        self.0 |= 1 << note as u32;
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = RepairNote> {
        RepairNote::ALL.into_iter().filter(move |note| self.0 & 1 << *note as u32 != 0)
    }
}
