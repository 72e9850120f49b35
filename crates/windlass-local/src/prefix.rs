//! Caches that are kept after an answer, so that the next step of a run reads only what is new.
//!
//! A cache is found by the tokens it has read. One that was read further than it is needed is copied up to there,
//! unless hardly anything would be lost: sessions that begin alike then share the beginning.

use crate::decoder::{KvCache, LoadedDecoder};
use crate::error::LocalError;

/// A cache that would lose no more than this many tokens is taken, not copied.
const LOSS_TOKENS_MAX: usize = 48;

#[derive(Debug)]
pub(crate) struct PrefixStore {
    kept: Vec<KeptPrefix>,
    bytes_max: u64,
}

/// What was read, and what is remembered of it. The last used stands last.
#[derive(Debug)]
struct KeptPrefix {
    tokens: Vec<u32>,
    cache: KvCache,
}

impl PrefixStore {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self { kept: Vec::new(), bytes_max }
    }

    /// A cache that has read as much of a prompt as any has; its last token is left to be read, for its scores.
    pub(crate) fn take(&mut self, prompt: &[u32], decoder: &LoadedDecoder) -> Result<KvCache, LocalError> {
        let most = prompt.len().saturating_sub(1);
        let shared = |kept: &KeptPrefix| shared_tokens(&kept.tokens, prompt).min(most);
        let best = self.kept.iter().enumerate().max_by_key(|(_, kept)| shared(kept));
        let Some((at, length)) = best.map(|(at, kept)| (at, shared(kept))).filter(|(_, length)| *length > 0)
        else {
            return decoder.cache();
        };
        let mut found = self.kept.remove(at);
        if found.tokens.len().saturating_sub(length) <= LOSS_TOKENS_MAX {
            found.cache.truncate(length);
            return Ok(found.cache);
        }
        let fork = found.cache.fork(length);
        self.kept.push(found);
        fork
    }

    /// Keeps a cache with the tokens it has read. The longest unused go when there are too many.
    pub(crate) fn put(&mut self, tokens: &[u32], cache: KvCache) {
        let tokens = tokens.get(..cache.len()).unwrap_or(tokens).to_vec();
        if tokens.is_empty() || cache.bytes() > self.bytes_max {
            return;
        }
        self.kept.retain(|kept| !tokens.starts_with(&kept.tokens));
        self.kept.push(KeptPrefix { tokens, cache });
        while self.bytes() > self.bytes_max && !self.kept.is_empty() {
            self.kept.remove(0);
        }
    }

    /// What all of them take.
    pub(crate) fn bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.cache.bytes()).fold(0, u64::saturating_add)
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

fn shared_tokens(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
#[path = "prefix_tests.rs"]
mod tests;
