//! Tokens of a GGUF file: byte-level pairs as GPT-2 has them, or pieces with scores as SentencePiece has them.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::{Prepend, Replace, Sequence as Normalizers};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

use super::{Reserved, TokensFound, bytes_of_letters, bytes_of_piece, cuts, fault};
use crate::error::LocalError;
use crate::file::{GgufFile, Meta};

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
    let cut = cuts::find(rule).ok_or_else(|| {
        fault(path, format!("its words are cut by the rule '{rule}', which is not known here; convert the model again with a newer llama.cpp, or take another"))
    })?;
    let model = BPE::builder().vocab_and_merges(vocabulary(texts), merges.collect());
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
