//! Ids of calls on the wire: legal for the provider, unique in the history, and the same for the same call
//! whenever it is asked for.
//!
//! The provider's own id is kept where it may be; else our own; else one is derived from both.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::ToolCall;

use super::finding::FindingSpot;
use crate::lower::names::hex;
use crate::quirks::IdRule;

/// Characters of an id that OpenAI takes.
const SHORT_CHARS_MAX: usize = 40;
/// Characters of an id that Anthropic takes.
const WORD_CHARS_MAX: usize = 64;
/// Characters of an id that Mistral takes.
const NINE_CHARS: usize = 9;
/// Hex digits of a derived id: no two calls of a session share them.
const DERIVED_DIGITS: usize = 24;
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The ids given so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    given: BTreeMap<CallId, Vec<GivenId>>,
    used: BTreeSet<String>,
    /// Items of the provider's own, and where each stands.
    items: BTreeMap<String, FindingSpot>,
}

/// One call and its id. Calls are told apart by where they stand: a broken history may use one of our ids
/// for two of them.
#[derive(Debug)]
struct GivenId {
    spot: FindingSpot,
    id: String,
    /// Whether its outcome was seen.
    is_answered: bool,
}

pub(super) struct WireId<'a> {
    pub(super) id: Cow<'a, str>,
    /// Whether the provider's own id could not be used.
    pub(super) is_changed: bool,
}

impl Ids {
    pub(super) fn give<'a>(&mut self, rule: IdRule, call: &'a ToolCall, spot: FindingSpot) -> WireId<'a> {
        let provider_id = call.provider_id.as_deref().filter(|id| !id.is_empty());
        let known = self.given.get(&call.id).and_then(|all| all.iter().find(|given| given.spot == spot));
        let id = match known {
            Some(given) => borrowed(call, provider_id, &given.id),
            None => self.make(rule, call, provider_id, spot),
        };
        let is_changed = provider_id.is_some_and(|own| own != id);
        WireId { id, is_changed }
    }

    fn make<'a>(
        &mut self,
        rule: IdRule,
        call: &'a ToolCall,
        provider_id: Option<&'a str>,
        spot: FindingSpot,
    ) -> Cow<'a, str> {
        let own = [provider_id, Some(call.id.as_str())];
        let free = |id: &&str| is_legal(rule, id) && !self.used.contains(*id);
        let id = match own.into_iter().flatten().find(free) {
            Some(id) => Cow::Borrowed(id),
            None => {
                let mut derived = (0..).map(|salt| derive(rule, call, salt));
                let fresh = derived.find(|id| !self.used.contains(id));
                Cow::Owned(fresh.unwrap_or_default())
            }
        };
        self.used.insert(id.clone().into_owned());
        let given = GivenId { spot, id: id.clone().into_owned(), is_answered: false };
        self.given.entry(call.id.clone()).or_default().push(given);
        id
    }

    /// Whether an item of the provider's own stands here for the first time.
    pub(super) fn is_first(&mut self, item_id: &str, spot: FindingSpot) -> bool {
        match self.items.get(item_id) {
            Some(first) => *first == spot,
            None => {
                self.items.insert(item_id.to_owned(), spot);
                true
            }
        }
    }

    /// Notes that a call has its outcome.
    pub(super) fn answer(&mut self, call_id: &CallId, spot: FindingSpot) {
        let given = self.given.get_mut(call_id).into_iter().flatten().find(|given| given.spot == spot);
        if let Some(given) = given {
            given.is_answered = true;
        }
    }

    /// Whether a call of this id was seen, and whether all of them had their outcomes.
    pub(super) fn find(&self, call_id: &CallId) -> Option<bool> {
        self.given.get(call_id).map(|all| all.iter().all(|given| given.is_answered))
    }
}

fn borrowed<'a>(call: &'a ToolCall, provider_id: Option<&'a str>, id: &str) -> Cow<'a, str> {
    let own = [provider_id, Some(call.id.as_str())].into_iter().flatten().find(|own| *own == id);
    own.map_or_else(|| Cow::Owned(id.to_owned()), Cow::Borrowed)
}

fn is_legal(rule: IdRule, id: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match rule {
        IdRule::Short => {
            !id.trim().is_empty() && id.chars().count() <= SHORT_CHARS_MAX && !id.contains(char::is_control)
        }
        IdRule::Word => !id.is_empty() && id.len() <= WORD_CHARS_MAX && id.bytes().all(is_word),
        IdRule::Nine => id.len() == NINE_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        IdRule::Absent => !id.is_empty(),
    }
}

/// An id made of the call's own ids. Hashing the whole of them keeps apart what cutting would make alike.
fn derive(rule: IdRule, call: &ToolCall, salt: u32) -> String {
    let provider_id = call.provider_id.as_deref().unwrap_or_default();
    let salt = salt.to_be_bytes();
    let pieces = [call.id.as_str().as_bytes(), provider_id.as_bytes(), &salt];
    match rule {
        IdRule::Nine => {
            let mut hash = Sha256::new();
            for piece in pieces {
                hash.update(piece);
                // Two ids must not run into each other: `ab` and `c` are not `a` and `bc`.
                hash.update([0]);
            }
            let letter =
                |byte: &u8| ALPHABET.get(usize::from(*byte) % ALPHABET.len()).copied().map(char::from);
            hash.finalize().iter().take(NINE_CHARS).filter_map(letter).collect()
        }
        IdRule::Short | IdRule::Word | IdRule::Absent => format!("call_{}", hex(&pieces, DERIVED_DIGITS)),
    }
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
