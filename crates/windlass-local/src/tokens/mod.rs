//! Tokens: from text to numbers and back.
//!
//! Reserved tokens (`<|im_end|>`, `[INST]`) are what a template is made of, and only a template can write them: text
//! of users and tools is read by `read_text`, which knows none. Knows no template and no model.

mod cuts;
mod folder;
mod gguf;
mod pieces;
mod stream;

use std::collections::HashSet;
use std::path::Path;

use tokenizers::Tokenizer;

pub(crate) use self::folder::parse as parse_tokenizer;
use self::pieces::TokenPieces;
pub(crate) use self::stream::TextStream;
use crate::error::LocalError;
use crate::file::ModelFile;

/// The tokens of one model.
pub struct ModelTokens {
    reader: TokenizerKind,
    words: Vec<Box<[u8]>>,
    reserved: Vec<Reserved>,
    reserved_ids: HashSet<u32>,
    /// The letters that reserved tokens begin with.
    reserved_heads: HashSet<char>,
    stops: Vec<u32>,
    begin: Option<String>,
    end: Option<String>,
    /// Whether an answer begins with a space that nobody wrote.
    has_space_prefix: bool,
}

/// How text becomes tokens.
pub(crate) enum TokenizerKind {
    /// As the library does it.
    Library {
        /// For the beginning of a text.
        first: Box<Tokenizer>,
        /// For what follows a reserved token, where that differs: no space is put before it.
        later: Option<Box<Tokenizer>>,
    },
    Pieces(TokenPieces),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reserved {
    pub(crate) text: String,
    pub(crate) id: u32,
}

/// Words that end an answer in one model or another, where they are reserved.
const STOP_WORDS: [&str; 8] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "</s>",
    "<|end|>",
    "<end_of_turn>",
];

/// What a file says about its tokens.
pub(crate) struct TokensFound {
    pub(crate) reader: TokenizerKind,
    pub(crate) words: Vec<Box<[u8]>>,
    pub(crate) reserved: Vec<Reserved>,
    pub(crate) stops: Vec<u32>,
    pub(crate) begin: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) has_space_prefix: bool,
}

impl ModelTokens {
    /// The tokens of a GGUF file or a folder, without its weights.
    pub fn open(path: &Path) -> Result<Self, LocalError> {
        Self::of_file(&ModelFile::open(path)?)
    }

    /// The tokens of a model file.
    pub(crate) fn of_file(file: &ModelFile) -> Result<Self, LocalError> {
        let found = match file {
            ModelFile::Gguf(file) => gguf::find(file)?,
            ModelFile::Folder(files) => folder::find(files)?,
        };
        Ok(Self::new(found))
    }

    fn new(found: TokensFound) -> Self {
        let TokensFound { reader, words, mut reserved, mut stops, begin, end, has_space_prefix } = found;
        // The longest first: one may be the beginning of another.
        reserved.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.text.cmp(&b.text)));
        let known = reserved.iter().filter(|token| STOP_WORDS.contains(&token.text.as_str()));
        stops.extend(known.map(|token| token.id));
        stops.sort_unstable();
        stops.dedup();
        let reserved_ids = reserved.iter().map(|token| token.id).collect();
        let reserved_heads = reserved.iter().filter_map(|token| token.text.chars().next()).collect();
        Self { reader, words, reserved, reserved_ids, reserved_heads, stops, begin, end, has_space_prefix }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What a token writes; of a reserved one, its name.
    pub fn bytes(&self, token: u32) -> &[u8] {
        let at = usize::try_from(token).unwrap_or(usize::MAX);
        self.words.get(at).map_or(&[], |word| word)
    }

    /// Whether only a template, or the model itself, can write it.
    pub fn is_reserved(&self, token: u32) -> bool {
        self.reserved_ids.contains(&token)
    }

    /// The reserved tokens: name and number.
    pub fn reserved(&self) -> impl Iterator<Item = (&str, u32)> {
        self.reserved.iter().map(|token| (token.text.as_str(), token.id))
    }

    /// The number of a reserved token.
    pub fn reserved_id(&self, text: &str) -> Option<u32> {
        self.reserved.iter().find(|token| token.text == text).map(|token| token.id)
    }

    /// Tokens that end an answer.
    pub fn stops(&self) -> &[u32] {
        &self.stops
    }

    /// The name of the token that begins a text, where there is one.
    pub(crate) fn begin(&self) -> Option<&str> {
        self.begin.as_deref()
    }

    /// The name of the token that ends a text, where there is one.
    pub(crate) fn end(&self) -> Option<&str> {
        self.end.as_deref()
    }

    pub(crate) fn has_space_prefix(&self) -> bool {
        self.has_space_prefix
    }

    /// Reads text in which nothing is reserved.
    pub fn read_text(&self, text: &str) -> Result<Vec<u32>, LocalError> {
        let mut tokens = Vec::new();
        self.read_piece(text, true, &mut tokens)?;
        Ok(tokens)
    }

    /// Reads text that nobody else had a hand in: names of reserved tokens are those tokens.
    pub fn read_trusted(&self, text: &str) -> Result<Vec<u32>, LocalError> {
        self.read_pieces([(text, true)].into_iter())
    }

    /// The text of tokens; letters that are broken are shown as such.
    pub fn write_text(&self, tokens: &[u32]) -> String {
        let mut stream = TextStream::default();
        let mut text: String = tokens.iter().map(|token| stream.push(self, *token)).collect();
        text.push_str(&stream.finish());
        text
    }

    /// Reads what a template wrote: pieces that are trusted, and pieces of others' text between them.
    pub(crate) fn read_pieces<'a>(
        &self,
        pieces: impl Iterator<Item = (&'a str, bool)>,
    ) -> Result<Vec<u32>, LocalError> {
        let mut tokens = Vec::new();
        for (text, is_trusted) in pieces {
            let mut rest = text;
            while is_trusted && let Some((before, id, after)) = self.split_reserved(rest) {
                self.read_piece(before, tokens.is_empty(), &mut tokens)?;
                tokens.push(id);
                rest = after;
            }
            self.read_piece(rest, tokens.is_empty(), &mut tokens)?;
        }
        Ok(tokens)
    }

    /// Whether a text could be taken for a reserved token, whole or by its edges.
    pub(crate) fn could_forge(&self, text: &str) -> bool {
        self.reserved.iter().any(|token| {
            let name = token.text.as_str();
            let begins = |cut: usize| name.get(..cut).is_some_and(|part| text.ends_with(part));
            let ends = |cut: usize| name.get(cut..).is_some_and(|part| text.starts_with(part));
            text.contains(name) || (2..name.len()).any(begins) || (1..name.len().saturating_sub(1)).any(ends)
        })
    }

    fn read_piece(&self, text: &str, is_first: bool, tokens: &mut Vec<u32>) -> Result<(), LocalError> {
        if text.is_empty() {
            return Ok(());
        }
        let tokenizer = match &self.reader {
            TokenizerKind::Pieces(pieces) => {
                pieces.read(text, is_first, tokens);
                return Ok(());
            }
            TokenizerKind::Library { later: Some(later), .. } if !is_first => later,
            TokenizerKind::Library { first, .. } => first,
        };
        let encoding =
            tokenizer.encode_fast(text, false).map_err(|error| LocalError::Compute(error.to_string()))?;
        tokens.extend_from_slice(encoding.get_ids());
        Ok(())
    }

    /// The first reserved token of a text, with what is before and after it.
    fn split_reserved<'a>(&self, text: &'a str) -> Option<(&'a str, u32, &'a str)> {
        for (at, _) in text.char_indices().filter(|(_, letter)| self.reserved_heads.contains(letter)) {
            let (before, rest) = text.split_at_checked(at)?;
            let found =
                self.reserved.iter().find_map(|token| Some((token.id, rest.strip_prefix(&token.text)?)));
            if let Some((id, after)) = found {
                return Some((before, id, after));
            }
        }
        None
    }
}

impl std::fmt::Debug for ModelTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens").field("len", &self.words.len()).field("stops", &self.stops).finish()
    }
}

fn fault(path: &Path, message: impl Into<String>) -> LocalError {
    LocalError::Tokenizer { path: path.into(), message: message.into() }
}

/// The bytes behind the letters of a byte-level token: every byte has a printable letter.
fn bytes_of_letters(token: &str) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(token.len());
    for letter in token.chars() {
        match byte_of_letter(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

fn byte_of_letter(letter: char) -> Option<u8> {
    let is_own = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    match u32::from(letter) {
        code @ 0..=255 => u8::try_from(code).ok().filter(|byte| is_own(*byte)),
        // The others have letters from 256 on, in their own order.
        code => {
            let at = usize::try_from(code - 256).ok()?;
            (0..=255_u8).filter(|byte| !is_own(*byte)).nth(at)
        }
    }
}

/// The bytes of a token that writes spaces as `▁` and odd bytes as `<0x0A>`.
fn bytes_of_piece(token: &str) -> Box<[u8]> {
    let byte = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
    match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(byte) => Box::new([byte]),
        None => token.replace('\u{2581}', " ").into_bytes().into(),
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
