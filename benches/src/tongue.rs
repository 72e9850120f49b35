//! A vocabulary as large models have one, made up: bytes, marks of code, digits, syllables, ideographs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use windlass_local::grammar::Vocabulary;

const TOKEN_BYTES_MAX: usize = 24;

/// The special tokens, at the end of the vocabulary.
pub const SPECIAL: [&str; 4] = ["<|endoftext|>", "<|im_end|>", "<tool_call>", "</tool_call>"];

/// A vocabulary of that many tokens.
pub fn vocabulary(size: usize) -> Vocabulary {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let mut seen: HashMap<Vec<u8>, u32> = (0..).zip(&tokens).map(|(at, token)| (token.clone(), at)).collect();
    let room = size.saturating_sub(SPECIAL.len());
    for word in marks().chain(ideographs()).chain(words()) {
        if tokens.len() >= room {
            break;
        }
        let token = word.into_bytes();
        if !seen.contains_key(&token) {
            seen.insert(token.clone(), u32::try_from(tokens.len()).unwrap_or(u32::MAX));
            tokens.push(token);
        }
    }
    let first = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
    let special: BTreeMap<u32, String> = (first..).zip(SPECIAL.map(str::to_owned)).collect();
    tokens.extend(SPECIAL.map(|name| name.as_bytes().to_vec()));
    let ends = vec![first, first.saturating_add(1)];
    Vocabulary { tokens, special, ends, tokenise: Some(Arc::new(move |bytes| cut(&seen, bytes))) }
}

/// The longest token at each place.
fn cut(tokens: &HashMap<Vec<u8>, u32>, mut bytes: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let longest = (1..=TOKEN_BYTES_MAX.min(bytes.len()))
            .rev()
            .find_map(|length| Some((length, *tokens.get(bytes.get(..length)?)?)));
        let Some((length, token)) = longest else { break };
        found.push(token);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    found
}

fn marks() -> impl Iterator<Item = String> {
    let marks = [
        "{", "}", "[", "]", "\"", ":", ",", ".", "<", ">", "/", "\\", "(", ")", "=", "_", "-", "'", ";", " ",
        "\n",
    ];
    let pairs =
        marks.into_iter().flat_map(move |one| marks.into_iter().map(move |two| format!("{one}{two}")));
    let triples = marks.into_iter().flat_map(move |one| {
        marks
            .into_iter()
            .flat_map(move |two| ["\"", "}", " ", "\n"].map(|three| format!("{one}{two}{three}")))
    });
    pairs.chain(triples).chain((0..1_000).map(|number| number.to_string()))
}

fn ideographs() -> impl Iterator<Item = String> {
    (0x4E00..0x4E00 + 20_000).filter_map(char::from_u32).map(String::from)
}

/// Words of one to three syllables, with and without a blank before them.
fn words() -> impl Iterator<Item = String> {
    let heads =
        ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "ch"];
    let tails = ["a", "e", "i", "o", "u", "an", "er", "in", "on", "ar", "es", "ing", "ed", "le"];
    let syllables: Vec<String> =
        heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect();
    let two = syllables.clone();
    let longer = syllables
        .clone()
        .into_iter()
        .flat_map(move |one| two.clone().into_iter().map(move |two| format!("{one}{two}")));
    syllables.into_iter().chain(longer).flat_map(|word| [format!(" {word}"), word.to_uppercase(), word])
}
