//! Tokens of a GGUF file: byte-level pairs as GPT-2 has them, or pieces with scores as SentencePiece has them.

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

use super::pieces::TokenPieces;
use super::{Reserved, TokenizerKind, TokensFound, bytes_of_letters, bytes_of_piece, cuts, fault};
use crate::error::LocalError;
use crate::file::{GgufFile, Meta};

/// Kinds of tokens in a GGUF file.
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;

pub(super) fn find(file: &GgufFile) -> Result<TokensFound, LocalError> {
    let path = file.path();
    let meta = |key: &str| file.meta(&format!("tokenizer.ggml.{key}"));
    let texts = meta("tokens").and_then(Meta::as_texts).ok_or_else(|| fault(path, "the file has none"))?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let kinds = meta("token_type").and_then(Meta::as_integers).unwrap_or_default();
    let is_reserved = |at: usize, text: &str| match kinds.get(at).copied() {
        Some(CONTROL) => !text.is_empty(),
        // Some of these are mere spaces; those with brackets are words of templates.
        Some(USER_DEFINED) => text.len() > 2 && text.starts_with(['<', '[']),
        _ => false,
    };
    let mut reserved = Vec::new();
    for (at, text) in texts.iter().enumerate().filter(|(at, text)| is_reserved(*at, text)) {
        let id = u32::try_from(at).map_err(|_| fault(path, "it has too many tokens"))?;
        reserved.push(Reserved { text: (*text).to_owned(), id });
    }
    let model = file.meta("tokenizer.ggml.model").and_then(Meta::as_text).unwrap_or_default();
    // What a template alone may write is no word that a text can be read as.
    let plain = (0_u32..).zip(&texts).enumerate().filter(|(at, (_, text))| !is_reserved(*at, text));
    let plain = plain.map(|(_, (id, text))| (*text, id));
    let reader = match model {
        "gpt2" => TokenizerKind::Library { first: pairs(file, plain)?, later: None },
        "llama" => TokenizerKind::Pieces({
            let scores = meta("scores").and_then(Meta::as_floats).unwrap_or_default();
            pieces(file, plain, scores)
        }),
        other => return Err(fault(path, format!("its kind is '{other}'; 'gpt2' and 'llama' are known"))),
    };
    let words = texts.iter().enumerate().map(|(at, text)| match (is_reserved(at, text), model) {
        (true, _) => text.as_bytes().into(),
        (false, "gpt2") => bytes_of_letters(text),
        (false, _) => bytes_of_piece(text),
    });
    let id = |key: &str| meta(key).and_then(Meta::as_usize);
    let name = |key: &str| id(key).and_then(|id| texts.get(id)).map(|text| (*text).to_owned());
    let stops = ["eos_token_id", "eot_token_id", "eom_token_id"].into_iter().filter_map(id);
    Ok(TokensFound {
        words: words.collect(),
        reserved,
        stops: stops.filter_map(|id| u32::try_from(id).ok()).collect(),
        begin: name("bos_token_id"),
        end: name("eos_token_id"),
        has_space_prefix: match &reader {
            TokenizerKind::Library { .. } => false,
            TokenizerKind::Pieces(pieces) => pieces.has_prefix(),
        },
        reader,
    })
}

fn pairs<'a>(
    file: &GgufFile,
    plain: impl Iterator<Item = (&'a str, u32)>,
) -> Result<Box<Tokenizer>, LocalError> {
    let path = file.path();
    let words: Vocab = plain.map(|(text, id)| (text.to_owned(), id)).collect();
    let merges = file.meta("tokenizer.ggml.merges").and_then(Meta::as_texts).unwrap_or_default();
    let merges = merges.iter().filter_map(|merge| {
        let (left, right) = merge.split_once(' ')?;
        let are_words = [left, right, &format!("{left}{right}")].iter().all(|word| words.contains_key(*word));
        are_words.then(|| (left.to_owned(), right.to_owned()))
    });
    let merges = merges.collect();
    let rule = file.meta("tokenizer.ggml.pre").and_then(Meta::as_text).unwrap_or_default();
    let cut = cuts::find(rule).ok_or_else(|| {
        fault(path, format!("its words are cut by the rule '{rule}', which is not known here; convert the model again with a newer llama.cpp, or take another"))
    })?;
    let model = BPE::builder().vocab_and_merges(words, merges);
    let model = model.ignore_merges(cut.takes_whole_words).build();
    let mut tokenizer = Tokenizer::new(model.map_err(|error| fault(path, error.to_string()))?);
    let mut steps: Vec<PreTokenizerWrapper> = Vec::new();
    for pattern in cut.patterns {
        let pattern = SplitPattern::Regex((*pattern).to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
        steps.push(split.map_err(|error| fault(path, error.to_string()))?.into());
    }
    steps.push(ByteLevel::new(false, false, false).into());
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    Ok(Box::new(tokenizer))
}

fn pieces<'a>(file: &GgufFile, plain: impl Iterator<Item = (&'a str, u32)>, scores: &[f64]) -> TokenPieces {
    let id = |key: &str| file.meta(&format!("tokenizer.ggml.{key}")).and_then(Meta::as_usize);
    let unknown = id("unknown_token_id").unwrap_or(0);
    let has_prefix = file.meta("tokenizer.ggml.add_space_prefix").and_then(Meta::as_bool).unwrap_or(true);
    let score_of = |id: u32| {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        scores.get(at).copied().unwrap_or(0.0) as f32
    };
    let plain = plain.map(|(text, id)| (text, id, score_of(id)));
    TokenPieces::new(plain, u32::try_from(unknown).ok(), has_prefix)
}
