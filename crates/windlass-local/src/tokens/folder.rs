//! Tokens of a folder: tokenizer.json, with its added tokens taken out so that no text can write them.

use std::panic::catch_unwind;

use serde_json::Value;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::{PreTokenizerWrapper, Tokenizer};

use super::{Reserved, TokenizerKind, TokensFound, bytes_of_letters, bytes_of_piece, fault};
use crate::error::LocalError;
use crate::file::FolderFiles;

pub(super) fn find(files: &FolderFiles) -> Result<TokensFound, LocalError> {
    let path = files.path();
    let text = files.text("tokenizer.json").ok_or_else(|| fault(path, "the folder has no tokenizer.json"))?;
    let whole = parse(text.as_bytes()).map_err(|why| fault(path, why))?;
    let mut reserved = Vec::new();
    for (id, token) in whole.get_added_tokens_decoder() {
        let has_brackets = token.content.len() > 2 && token.content.starts_with(['<', '[']);
        if !token.content.is_empty() && (token.special || has_brackets) {
            reserved.push(Reserved { text: token.content, id });
        }
    }
    let mut first = Tokenizer::new(whole.get_model().clone());
    if let Some(normaliser) = whole.get_normalizer() {
        let normalised = first.with_normalizer(Some(normaliser.clone())).map(|_| ());
        normalised.map_err(|error| fault(path, error.to_string()))?;
    }
    if let Some(cut) = whole.get_pre_tokenizer() {
        first.with_pre_tokenizer(Some(cut.clone()));
    }
    let later = match whole.get_pre_tokenizer() {
        Some(PreTokenizerWrapper::Metaspace(spaces))
            if spaces.get_prepend_scheme() == PrependScheme::First =>
        {
            let mut later = first.clone();
            let bare = Metaspace::new(spaces.get_replacement(), PrependScheme::Never, spaces.get_split());
            later.with_pre_tokenizer(Some(bare));
            Some(later)
        }
        _ => None,
    };
    let is_byte_level = is_byte_level(&whole);
    let count = whole.get_vocab(true).values().max().map_or(0, |id| id.saturating_add(1));
    let words = (0..count).map(|id| {
        let token = whole.id_to_token(id).unwrap_or_default();
        let is_reserved = reserved.iter().any(|reserved| reserved.id == id);
        match (is_reserved, is_byte_level) {
            (true, _) => token.into_bytes().into(),
            (false, true) => bytes_of_letters(&token),
            (false, false) => bytes_of_piece(&token),
        }
    });
    let words = words.collect();
    let settings = files.json("tokenizer_config.json").unwrap_or_default();
    let name = |key: &str| named(settings.get(key));
    let mut stops = files.stops();
    let end = name("eos_token");
    stops.extend(end.as_deref().and_then(|end| whole.token_to_id(end)));
    Ok(TokensFound {
        reader: TokenizerKind::Library { first: Box::new(first), later: later.map(Box::new) },
        words,
        reserved,
        stops,
        begin: name("bos_token"),
        end,
        has_space_prefix: !is_byte_level,
    })
}

/// Reads the text of a tokenizer.json. The library panics on some that are damaged: to us that is an error like any
/// other.
pub(crate) fn parse(text: &[u8]) -> Result<Tokenizer, String> {
    match catch_unwind(|| Tokenizer::from_bytes(text)) {
        Ok(parsed) => parsed.map_err(|error| error.to_string()),
        Err(_) => Err("a part of tokenizer.json is damaged".to_owned()),
    }
}

/// A token's name, which is a text or an object with one.
fn named(value: Option<&Value>) -> Option<String> {
    let value = value?;
    value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned)
}

/// Whether it writes bytes as letters; its parts say so by name.
fn is_byte_level(tokenizer: &Tokenizer) -> bool {
    let parts = [
        serde_json::to_string(&tokenizer.get_pre_tokenizer()),
        serde_json::to_string(&tokenizer.get_decoder()),
    ];
    parts.into_iter().flatten().any(|part| part.contains("\"ByteLevel\""))
}
