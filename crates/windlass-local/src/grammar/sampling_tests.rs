//! A model of random weights for tests: it draws tokens by a hash of what came before, within the mask.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::protocol::tool::ToolSpec;

use super::{AnswerWish, CallSyntax, Constraint, GrammarForm, GrammarPort, Grammars, JsonStyle, Vocabulary};

pub(crate) const END: u32 = 256;

const SPECIAL: [&str; 6] =
    ["<|im_end|>", "<tool_call>", "</tool_call>", "<answer>", "[TOOL_CALLS]", "<|im_start|>"];

/// Pieces that a tokenizer would have, so that tokens cross the borders of lexemes.
const PIECES: &str = "{\" \":\" \": \" \", \" \",\" \"} \"}} }} ]} \"], [{\" [\" 12 00 99 .5 -1 true false null the file read path name \
    arguments parameters value_ con tent _file <tool _call> \\n \\\" \\\\ é über 日本 </ >\n {\"name \\u00 e+ E9";

/// Bytes, some words, special tokens.
pub(crate) fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Vec<u8>> = (0..=255_u8).map(|byte| vec![byte]).collect();
    tokens.extend(SPECIAL.iter().map(|name| name.as_bytes().to_vec()));
    let mut pieces: Vec<Vec<u8>> = PIECES.split(' ').map(|piece| piece.as_bytes().to_vec()).collect();
    pieces.extend([b", \"".to_vec(), b"\": \"".to_vec(), b": ".to_vec(), b"  ".to_vec(), b" the".to_vec()]);
    pieces.sort();
    pieces.dedup();
    pieces.retain(|piece| piece.len() > 1);
    tokens.extend(pieces);
    let special = (256_u32..).zip(SPECIAL.iter().map(|name| (*name).to_owned())).collect();
    let known = tokens.clone();
    let tokenise = move |bytes: &[u8]| greedy(&known, bytes);
    Vocabulary { tokens, special, ends: vec![END], tokenise: Some(Arc::new(tokenise)) }
}

fn greedy(tokens: &[Vec<u8>], mut bytes: &[u8]) -> Vec<u32> {
    let mut cut = Vec::new();
    while !bytes.is_empty() {
        let is_text = |at: usize| !(256..262).contains(&at);
        let (at, token) = tokens
            .iter()
            .enumerate()
            .filter(|(at, token)| is_text(*at) && bytes.starts_with(token))
            .max_by_key(|(_, token)| token.len())
            .unwrap();
        cut.push(u32::try_from(at).unwrap());
        bytes = &bytes[token.len()..];
    }
    cut
}

pub(crate) fn grammars() -> Grammars {
    Grammars::new(vocabulary()).unwrap()
}

pub(crate) fn tags() -> CallSyntax {
    CallSyntax::Tags { begin: "<tool_call>".to_owned(), end: "</tool_call>".to_owned() }
}

pub(crate) fn tool(name: &str, schema: Value) -> Arc<ToolSpec> {
    let mut spec = ToolSpec::new(name, "Does it");
    spec.schema = schema;
    Arc::new(spec)
}

pub(crate) fn wish(form: GrammarForm, tools: Vec<Arc<ToolSpec>>) -> AnswerWish {
    AnswerWish { form, ..AnswerWish::free(tags(), JsonStyle::Compact, tools) }
}

/// Random numbers from a seed.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    pub(crate) fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// What a random model wrote.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) is_done: bool,
}

/// Draws tokens until the answer is done. After a while the model longs for the end, as a real one does.
pub(crate) fn sample(constraint: &mut dyn Constraint, seed: u64, longing_after: usize) -> Written {
    let vocabulary = vocabulary();
    let mut draws = Draws(seed);
    let mut tokens = Vec::new();
    while !constraint.is_done() && tokens.len() < longing_after + 4_000 {
        let forced = constraint.forced();
        if !forced.is_empty() {
            for token in forced {
                constraint.accept(token).unwrap();
                tokens.push(token);
            }
            continue;
        }
        let allowed: Vec<u32> = match constraint.mask().unwrap() {
            Some(mask) => mask.tokens().collect(),
            None => (0..u32::try_from(vocabulary.tokens.len()).unwrap()).collect(),
        };
        assert!(!allowed.is_empty(), "nothing may follow {:?}", text_of(&vocabulary, &tokens));
        let longs_for_the_end = tokens.len() > longing_after;
        let token =
            choose(&allowed, &mut draws, longs_for_the_end, is_in_string(&text_of(&vocabulary, &tokens)));
        constraint.accept(token).unwrap();
        tokens.push(token);
    }
    Written { text: text_of(&vocabulary, &tokens), is_done: constraint.is_done() }
}

fn choose(allowed: &[u32], draws: &mut Draws, longs_for_the_end: bool, is_in_string: bool) -> u32 {
    if longs_for_the_end {
        let closing: &[u8] = if is_in_string { b"\"" } else { b"}]0n\"" };
        let mut wanted = std::iter::once(END).chain(closing.iter().map(|&byte| byte.into()));
        if let Some(token) = wanted.find(|token| allowed.contains(token)) {
            return token;
        }
    }
    *draws.one(allowed)
}

fn is_in_string(text: &str) -> bool {
    let (mut is_in, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in => is_escaped = true,
            b'"' => is_in = !is_in,
            _ => {}
        }
    }
    is_in
}

pub(crate) fn text_of(vocabulary: &Vocabulary, tokens: &[u32]) -> String {
    let bytes: Vec<u8> = tokens
        .iter()
        .filter(|token| **token != END)
        .flat_map(|&token| vocabulary.tokens[usize::try_from(token).unwrap()].clone())
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Has a random model write an answer.
pub(crate) fn written(grammars: &Grammars, wish: &AnswerWish, seed: u64) -> Written {
    sample(&mut *grammars.constrain(wish).unwrap(), seed, 120)
}

/// Whether an answer could be this text, cut as the tokenizer cuts it.
pub(crate) fn takes(grammars: &Grammars, wish: &AnswerWish, text: &str) -> bool {
    let vocabulary = vocabulary();
    let mut constraint = grammars.constrain(wish).unwrap();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let special = vocabulary.special.iter().find(|(_, name)| rest.starts_with(name.as_bytes()));
        let token = match special {
            Some((&token, _)) => token,
            None => {
                let begins = |at: &usize| {
                    vocabulary.special.values().any(|name| rest[*at..].starts_with(name.as_bytes()))
                };
                let end = (0..rest.len()).find(begins).unwrap_or(rest.len());
                (vocabulary.tokenise.as_ref().unwrap())(&rest[..end])[0]
            }
        };
        let is_allowed = constraint.mask().unwrap().is_none_or(|mask| mask.allows(token));
        let forced = constraint.forced();
        assert!(
            !is_allowed || forced.first().is_none_or(|first| *first == token),
            "{token} {forced:?} {rest:?}"
        );
        if !is_allowed || constraint.accept(token).is_err() {
            return false;
        }
        rest = &rest[vocabulary.tokens[usize::try_from(token).unwrap()].len()..];
    }
    constraint.is_done() || constraint.mask().unwrap().is_none_or(|mask| mask.allows(END))
}

/// The calls of an answer with tags: names and arguments.
pub(crate) fn calls(text: &str) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some((_, body)) = rest.split_once("<tool_call>") {
        let mut values = serde_json::Deserializer::from_str(body).into_iter::<Value>();
        let call = values.next().unwrap().unwrap_or_else(|error| panic!("{error}: {body}"));
        rest = body[values.byte_offset()..].strip_prefix("</tool_call>").unwrap_or_else(|| panic!("{body}"));
        calls.push((call["name"].as_str().unwrap().to_owned(), call["arguments"].clone()));
    }
    calls
}
