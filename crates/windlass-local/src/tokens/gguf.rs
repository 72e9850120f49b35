//! Tokens of a GGUF file: byte-level pairs as GPT-2 has them, or pieces with scores as SentencePiece has them.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::{NFC, Prepend, Replace, Sequence as Normalizers};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

use super::{Reserved, TokensFound, bytes_of_letters, bytes_of_piece, fault};
use crate::error::LocalError;
use crate::file::{GgufFile, Meta};

// Where words are cut before pairs are merged; each family has its own rule.
const CUT_QWEN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CUT_LLAMA: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CUT_TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Kinds of tokens in a GGUF file.
const CONTROL: usize = 3;
const USER_DEFINED: usize = 4;

pub(super) fn find(file: &GgufFile) -> Result<TokensFound, LocalError> {
    let path = file.path();
    let list = |key: &str| file.meta(&format!("tokenizer.ggml.{key}")).and_then(Meta::as_list);
    let texts: Vec<&str> = list("tokens")
        .ok_or_else(|| fault(path, "the file has none"))?
        .iter()
        .map(|token| token.as_text().unwrap_or_default())
        .collect();
    let kinds: Vec<usize> =
        list("token_type").unwrap_or_default().iter().filter_map(Meta::as_usize).collect();
    let is_reserved = |at: usize, text: &str| match kinds.get(at) {
        Some(&CONTROL) => !text.is_empty(),
        // Some of these are mere spaces; those with brackets are words of templates.
        Some(&USER_DEFINED) => text.len() > 2 && text.starts_with(['<', '[']),
        _ => false,
    };
    let mut reserved = Vec::new();
    for (at, text) in texts.iter().enumerate().filter(|(at, text)| is_reserved(*at, text)) {
        let id = u32::try_from(at).map_err(|_| fault(path, "it has too many tokens"))?;
        reserved.push(Reserved { text: (*text).to_owned(), id });
    }
    let model = file.meta("tokenizer.ggml.model").and_then(Meta::as_text).unwrap_or_default();
    let pieces = match model {
        "gpt2" => pairs(file, &texts)?,
        "llama" => pieces(file, &texts, list("scores").unwrap_or_default())?,
        other => return Err(fault(path, format!("its kind is '{other}'; 'gpt2' and 'llama' are known"))),
    };
    let words = texts.iter().enumerate().map(|(at, text)| match (is_reserved(at, text), model) {
        (true, _) => text.as_bytes().into(),
        (false, "gpt2") => bytes_of_letters(text),
        (false, _) => bytes_of_piece(text),
    });
    let id = |key: &str| file.meta(&format!("tokenizer.ggml.{key}")).and_then(Meta::as_usize);
    let name = |key: &str| id(key).and_then(|id| texts.get(id)).map(|text| (*text).to_owned());
    let stops = ["eos_token_id", "eot_token_id", "eom_token_id"].into_iter().filter_map(id);
    Ok(TokensFound {
        words: words.collect(),
        reserved,
        stops: stops.filter_map(|id| u32::try_from(id).ok()).collect(),
        begin: name("bos_token_id"),
        end: name("eos_token_id"),
        first: pieces.first,
        later: pieces.later,
        has_space_prefix: model == "llama",
    })
}

struct Pieces {
    first: Tokenizer,
    later: Option<Tokenizer>,
}

fn vocabulary(texts: &[&str]) -> Vocab {
    (0_u32..).zip(texts).map(|(id, text)| ((*text).to_owned(), id)).collect()
}

fn pairs(file: &GgufFile, texts: &[&str]) -> Result<Pieces, LocalError> {
    let path = file.path();
    let merges = file.meta("tokenizer.ggml.merges").and_then(Meta::as_list).unwrap_or_default();
    let merges = merges.iter().filter_map(Meta::as_text).filter_map(|merge| {
        let (left, right) = merge.split_once(' ')?;
        Some((left.to_owned(), right.to_owned()))
    });
    let rule = file.meta("tokenizer.ggml.pre").and_then(Meta::as_text).unwrap_or_default();
    let is_llama = matches!(rule, "llama-bpe" | "llama3" | "llama-v3" | "smaug-bpe");
    let model = BPE::builder().vocab_and_merges(vocabulary(texts), merges.collect()).ignore_merges(is_llama);
    let model = model.build().map_err(|error| fault(path, error.to_string()))?;
    let mut tokenizer = Tokenizer::new(model);
    let bytes = |has_cut: bool| PreTokenizerWrapper::from(ByteLevel::new(false, false, has_cut));
    let cut_by = |cut: &str| -> Result<PreTokenizerWrapper, LocalError> {
        let cut = SplitPattern::Regex(cut.to_owned());
        let cut = Split::new(cut, SplitDelimiterBehavior::Isolated, false);
        let cut = cut.map_err(|error| fault(path, error.to_string()))?;
        Ok(Sequence::new(vec![cut.into(), bytes(false)]).into())
    };
    let cut = match rule {
        "qwen2" => cut_by(CUT_QWEN)?,
        "tekken" => cut_by(CUT_TEKKEN)?,
        "smollm" => Sequence::new(vec![Digits::new(true).into(), bytes(true)]).into(),
        _ if is_llama => cut_by(CUT_LLAMA)?,
        _ => bytes(true),
    };
    if rule == "qwen2" {
        normalise(&mut tokenizer, NFC.into(), file)?;
    }
    tokenizer.with_pre_tokenizer(Some(cut));
    Ok(Pieces { first: tokenizer, later: None })
}

fn normalise(
    tokenizer: &mut Tokenizer,
    normaliser: NormalizerWrapper,
    file: &GgufFile,
) -> Result<(), LocalError> {
    match tokenizer.with_normalizer(Some(normaliser)) {
        Ok(_) => Ok(()),
        Err(error) => Err(fault(file.path(), error.to_string())),
    }
}

/// SentencePiece merges the pair whose whole has the best score; as a list of merges that is every way to split
/// every token in two, the best wholes first.
fn pieces(file: &GgufFile, texts: &[&str], scores: &[Meta]) -> Result<Pieces, LocalError> {
    let ids: HashMap<&str, usize> = texts.iter().enumerate().map(|(id, text)| (*text, id)).collect();
    let mut merges = Vec::new();
    for (id, text) in texts.iter().enumerate() {
        let score = scores.get(id).and_then(Meta::as_f64).unwrap_or(0.0);
        for (cut, _) in text.char_indices().skip(1) {
            let Some((left, right)) = text.split_at_checked(cut) else { continue };
            if let (Some(left_id), Some(right_id)) = (ids.get(left), ids.get(right)) {
                merges.push((score, *left_id, *right_id, left, right));
            }
        }
    }
    merges.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let merges = merges.iter().map(|(_, _, _, left, right)| ((*left).to_owned(), (*right).to_owned()));
    let path = file.path();
    let mut model = BPE::builder().vocab_and_merges(vocabulary(texts), merges.collect());
    model = model.byte_fallback(true).fuse_unk(true);
    if let Some(unknown) = texts.iter().find(|text| **text == "<unk>") {
        model = model.unk_token((*unknown).to_owned());
    }
    let model = model.build().map_err(|error| fault(path, error.to_string()))?;
    let spaces = Replace::new(" ", "\u{2581}").map_err(|error| fault(path, error.to_string()))?;
    let mut later = Tokenizer::new(model);
    let mut first = later.clone();
    normalise(&mut later, spaces.clone().into(), file)?;
    let prefixed = Normalizers::new(vec![Prepend::new("\u{2581}".to_owned()).into(), spaces.into()]);
    let has_prefix = file.meta("tokenizer.ggml.add_space_prefix").and_then(Meta::as_bool).unwrap_or(true);
    if has_prefix {
        normalise(&mut first, prefixed.into(), file)?;
    } else {
        first = later.clone();
    }
    Ok(Pieces { first, later: Some(later) })
}
