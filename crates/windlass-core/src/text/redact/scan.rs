//! Where secrets stand in a text: read from left to right, once, also while the text still grows.
//!
//! At each place it is judged whether a secret begins there; what depends on text that has not come yet waits.
//! Secrets that overlap are one. Knows nothing of what is put in their place.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::text::secret::Secret;

/// A well-known form of key: how it begins, and how much of what follows makes it one.
struct SecretForm {
    prefix: &'static str,
    /// Whether the prefix stays, because it says what was there and hides nothing.
    keeps_prefix: bool,
    chars_min: usize,
}

const FORMS: [SecretForm; 17] = [
    SecretForm { prefix: "sk-", keeps_prefix: false, chars_min: 16 },
    SecretForm { prefix: "sk_live_", keeps_prefix: false, chars_min: 16 },
    SecretForm { prefix: "Bearer ", keeps_prefix: true, chars_min: 12 },
    SecretForm { prefix: "bearer ", keeps_prefix: true, chars_min: 12 },
    SecretForm { prefix: "ghp_", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "gho_", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "ghs_", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "github_pat_", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "AIza", keeps_prefix: false, chars_min: 30 },
    SecretForm { prefix: "xox", keeps_prefix: false, chars_min: 12 },
    SecretForm { prefix: "AKIA", keeps_prefix: false, chars_min: 16 },
    SecretForm { prefix: "hf_", keeps_prefix: false, chars_min: 24 },
    SecretForm { prefix: "gsk_", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "xai-", keeps_prefix: false, chars_min: 20 },
    SecretForm { prefix: "tvly-", keeps_prefix: false, chars_min: 16 },
    SecretForm { prefix: "glpat-", keeps_prefix: false, chars_min: 20 },
    // npm's own variables begin like its tokens, which have 36 characters.
    SecretForm { prefix: "npm_", keeps_prefix: false, chars_min: 36 },
];

/// How a JSON Web Token begins: its first part is an object in base64url, `{"…`.
const JWT_PREFIX: &str = "eyJ";

/// Characters that each of the three parts of such a token has at least: the shortest first part has some twenty.
const JWT_PART_CHARS_MIN: usize = 8;

/// The beginning and the end of a private key in PEM form.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_PRIVATE: &str = "PRIVATE KEY-----";
const PEM_END: &str = "-----END ";

/// Bytes of the first line of such a key behind its beginning: a longer one is no such line.
const PEM_TITLE_BYTES_MAX: usize = 64;

/// Bytes that the well-known forms begin with.
const FORM_FIRSTS: [u8; 11] = [b's', b'B', b'b', b'g', b'A', b'x', b'h', b't', b'n', b'e', b'-'];

/// What is looked for.
pub(super) struct KnownSecrets {
    /// The secrets that begin with a byte, by its number.
    secrets: BTreeMap<u8, Vec<Secret>>,
    /// By its number, whether anything begins with a byte: most texts are left there.
    firsts: [bool; 256],
    has_forms: bool,
}

impl KnownSecrets {
    /// These secrets and the well-known forms.
    pub(super) fn new(secrets: &[Secret]) -> Self {
        Self { has_forms: true, ..Self::beginning(secrets, &FORM_FIRSTS) }
    }

    pub(super) fn values(secrets: &[Secret]) -> Self {
        Self::beginning(secrets, &[])
    }

    fn beginning(all: &[Secret], forms: &[u8]) -> Self {
        let mut firsts = [false; 256];
        let mut secrets: BTreeMap<u8, Vec<Secret>> = BTreeMap::new();
        for secret in all {
            if let Some(first) = secret.expose().bytes().next() {
                secrets.entry(first).or_default().push(secret.clone());
            }
        }
        for byte in secrets.keys().chain(forms).copied() {
            if let Some(first) = firsts.get_mut(usize::from(byte)) {
                *first = true;
            }
        }
        Self { secrets, firsts, has_forms: false }
    }

    /// The secrets that may begin where a text does.
    fn beginning_like(&self, text: &str) -> impl Iterator<Item = &str> {
        let own = text.bytes().next().and_then(|first| self.secrets.get(&first));
        own.into_iter().flatten().map(Secret::expose)
    }

    fn is_first(&self, byte: u8) -> bool {
        self.firsts.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.secrets.values().map(Vec::len).sum::<usize>())
    }
}

/// How far a text was read, and what was found in it.
#[derive(Debug, Clone, Default)]
pub(super) struct SecretScan {
    /// The place that is judged next: everything before it is certain.
    at: usize,
    /// Secrets in their order; none overlaps another.
    pub(super) found: Vec<Range<usize>>,
    /// Where the newest secret begins, with what must not be parted from it.
    whole_from: usize,
    /// From there the newest secret goes on for as long as there are bytes of a key.
    key_from: Option<usize>,
    /// From there the newest secret goes on to the end of a private key.
    pem: Option<(Pem, usize)>,
    /// The character before the text.
    pub(super) before: Option<char>,
}

/// Which part of a private key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pem {
    Body,
    LastLine,
}

/// What begins at a place; numbers count from there.
#[derive(Default)]
struct SecretBeginning {
    range: Option<Range<usize>>,
    /// Where the bytes of a key begin that has not ended yet.
    key_from: Option<usize>,
    /// Where the body of a private key begins.
    pem_from: Option<usize>,
    /// Whether more text is needed to know.
    waits: bool,
}

impl SecretScan {
    /// Reads on, as far as it is certain; a text that is whole is read to its end.
    pub(super) fn advance(&mut self, known: &KnownSecrets, text: &str, is_whole: bool) {
        while let Some(tail) = text.get(self.at..)
            && let Some(first) = tail.chars().next()
        {
            if self.is_in_secret() {
                if !self.stay(tail, first, is_whole) {
                    return;
                }
            } else {
                let skipped = tail.bytes().position(|byte| known.is_first(byte));
                if skipped != Some(0) {
                    self.at += skipped.unwrap_or(tail.len());
                    continue;
                }
            }
            let beginning = self.judge(known, text, tail, is_whole);
            if beginning.waits {
                return;
            }
            self.take(beginning);
            self.at += first.len_utf8();
        }
    }

    /// The last place where the text can be parted without parting a secret.
    pub(super) fn cut(&self) -> usize {
        if self.is_in_secret() { self.whole_from } else { self.at }
    }

    /// Forgets the text before a cut.
    pub(super) fn forget(&mut self, text: &str, cut: usize) {
        self.before = self.char_before(text, cut);
        self.at = self.at.saturating_sub(cut);
        self.whole_from = self.whole_from.saturating_sub(cut);
        self.key_from = self.key_from.map(|from| from.saturating_sub(cut));
        self.pem = self.pem.map(|(part, from)| (part, from.saturating_sub(cut)));
        self.found.retain_mut(|range| {
            *range = range.start.saturating_sub(cut)..range.end.saturating_sub(cut);
            range.end > 0
        });
    }

    /// Whether a text that follows a character is no key, and would be one without it.
    pub(super) fn is_end_of_word(known: &KnownSecrets, before: Option<char>, text: &str) -> bool {
        let mut key = SecretBeginning::default();
        judge_forms(text, true, &mut key);
        judge_jwt(text, true, &mut key);
        key.range.is_some()
            && before.is_some_and(char::is_alphanumeric)
            && !known.beginning_like(text).any(|secret| text.starts_with(secret))
    }

    /// The character before a place; none in and behind a secret, which is a word of its own.
    fn char_before(&self, text: &str, at: usize) -> Option<char> {
        if self.found.iter().rev().any(|range| range.start < at && at <= range.end) {
            return None;
        }
        text.get(..at).and_then(|head| head.chars().next_back()).or(self.before)
    }

    fn is_in_secret(&self) -> bool {
        let is_open = self.key_from.is_some() || self.pem.is_some();
        is_open || self.found.last().is_some_and(|last| self.at < last.end)
    }

    /// Follows the secret that the place is in; false if more text is needed for it.
    fn stay(&mut self, tail: &str, first: char, is_whole: bool) -> bool {
        let Some(last) = self.found.last_mut() else { return true };
        if !u8::try_from(first).is_ok_and(is_key_byte) && self.key_from.is_some_and(|from| self.at >= from) {
            self.key_from = None;
        }
        if let Some((part, from)) = self.pem
            && self.at >= from
        {
            let mark = if part == Pem::Body { PEM_END } else { PEM_PRIVATE };
            if tail.starts_with(mark) {
                self.pem = (part == Pem::Body).then_some((Pem::LastLine, from));
                last.end = last.end.max(self.at + mark.len());
            } else if !is_whole && mark.starts_with(tail) {
                // The mark may go on in the next piece.
                return false;
            }
        }
        if self.key_from.is_some() || self.pem.is_some() {
            last.end = last.end.max(self.at + first.len_utf8());
        }
        true
    }

    fn judge(&self, known: &KnownSecrets, text: &str, tail: &str, is_whole: bool) -> SecretBeginning {
        let mut beginning = SecretBeginning::default();
        let mut named = 0;
        for secret in known.beginning_like(tail) {
            if tail.starts_with(secret) {
                named = named.max(secret.len());
            }
            beginning.waits |= !is_whole && secret.len() > tail.len() && secret.starts_with(tail);
        }
        if known.has_forms {
            // "task-force-of-seventeen" has "sk-" inside a word; keys stand at the beginning of one.
            if named > 0 || !self.char_before(text, self.at).is_some_and(char::is_alphanumeric) {
                judge_forms(tail, is_whole, &mut beginning);
                judge_jwt(tail, is_whole, &mut beginning);
            }
            judge_pem(tail, is_whole, &mut beginning);
        }
        if named > 0 {
            beginning.range = Some(0..beginning.range.map_or(named, |range| range.end.max(named)));
        }
        beginning
    }

    /// Notes a secret; one that overlaps the newest becomes part of it.
    fn take(&mut self, beginning: SecretBeginning) {
        let Some(range) = beginning.range else { return };
        let range = self.at + range.start..self.at + range.end;
        match self.found.last_mut() {
            Some(last) if self.at < last.end => {
                *last = last.start.min(range.start)..last.end.max(range.end);
            }
            Some(_) | None => {
                self.whole_from = self.at;
                self.found.push(range);
            }
        }
        let here = self.at;
        self.key_from = beginning.key_from.map(|from| here + from).or(self.key_from);
        self.pem = beginning.pem_from.map(|from| (Pem::Body, here + from)).or(self.pem);
    }
}

fn judge_forms(tail: &str, is_whole: bool, beginning: &mut SecretBeginning) {
    for form in &FORMS {
        let Some(key) = tail.strip_prefix(form.prefix) else {
            beginning.waits |= !is_whole && form.prefix.starts_with(tail);
            continue;
        };
        let bytes = key.bytes().take_while(|byte| is_key_byte(*byte)).count();
        let is_open = bytes == key.len() && !is_whole;
        if bytes >= form.chars_min {
            let start = if form.keeps_prefix { form.prefix.len() } else { 0 };
            beginning.range = Some(start..form.prefix.len() + bytes);
            beginning.key_from = is_open.then_some(form.prefix.len());
        } else {
            beginning.waits |= is_open;
        }
    }
}

/// Three parts in base64url with dots between them, the first of which begins as an object does.
fn judge_jwt(tail: &str, is_whole: bool, beginning: &mut SecretBeginning) {
    if !tail.starts_with(JWT_PREFIX) {
        beginning.waits |= !is_whole && JWT_PREFIX.starts_with(tail);
        return;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut end = 0;
    for part in 0..3 {
        let rest = tail.get(end..).unwrap_or_default();
        // The last one goes on as every key does that is followed piece by piece.
        let is_within = |byte: &u8| is_part(*byte) || (part == 2 && is_key_byte(*byte));
        let chars = rest.bytes().take_while(is_within).count();
        end += chars;
        let is_open = end == tail.len() && !is_whole;
        if part == 2 && chars >= JWT_PART_CHARS_MIN {
            beginning.range = Some(0..end);
            beginning.key_from = is_open.then_some(0);
            return;
        }
        if is_open {
            beginning.waits = true;
            return;
        }
        if chars < JWT_PART_CHARS_MIN || !tail.get(end..).is_some_and(|rest| rest.starts_with('.')) {
            return;
        }
        end += 1;
    }
}

fn judge_pem(tail: &str, is_whole: bool, beginning: &mut SecretBeginning) {
    let Some(rest) = tail.strip_prefix(PEM_BEGIN) else {
        beginning.waits |= !is_whole && PEM_BEGIN.starts_with(tail);
        return;
    };
    // In JSON within JSON a line ends with two characters.
    let ends = [rest.find('\n').map(|at| (at, 1)), rest.find("\\n").map(|at| (at, 2))];
    let end = ends.into_iter().flatten().min().filter(|(at, _)| *at <= PEM_TITLE_BYTES_MAX);
    match end {
        Some((at, bytes)) => {
            let title = rest.get(..at).unwrap_or_default();
            if title.trim_end().ends_with(PEM_PRIVATE) {
                beginning.range = Some(0..PEM_BEGIN.len() + at + bytes);
                beginning.pem_from = Some(PEM_BEGIN.len() + at + bytes);
            }
        }
        // Two more than the longest title: so many characters its line end may have.
        None => beginning.waits |= !is_whole && rest.len() < PEM_TITLE_BYTES_MAX + 2,
    }
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'=' | b'/' | b'+')
}
