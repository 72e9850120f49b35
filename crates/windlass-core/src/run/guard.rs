//! The loop guard: the same call again and again is answered from the run itself, then ended.
//!
//! A call is known by its canonical text. A read is answered from its earlier outcome as long as
//! nothing changed the world in between; any call whose outcome does not change is counted, and at the
//! limit the run is brought to its answer (requirements §6.1 row 26). Also keeps the quota of searches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::calls::json::canonical::write_object;
use crate::protocol::tool::{Category, CheckedCall, ToolOutcome};

/// What the guard says of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RepeatVerdict {
    /// Run it, and give the ticket back with its outcome.
    Run(Ticket),
    /// The same call is running: wait for its outcome.
    Wait,
    /// Give this outcome again.
    Cached {
        outcome: Arc<ToolOutcome>,
        /// Whether the run must now come to its answer.
        is_last: bool,
    },
    /// Do not run it again: the outcome will not change.
    Refuse,
    /// The quota of its category is used up.
    OverQuota(u32),
}

/// The right to run a call once: what the guard knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ticket {
    key: String,
    is_read_only: bool,
}

#[derive(Debug)]
struct SeenCall {
    count: u32,
    outcome: Arc<ToolOutcome>,
    epoch: u64,
}

/// Calls of a run and what they gave. Calls differ early in their text, and a hash would read all of it.
#[derive(Debug, Default)]
pub(super) struct RepeatGuard {
    seen: BTreeMap<String, SeenCall>,
    in_flight: BTreeSet<String>,
    /// Grows with every call that may have changed the world.
    epoch: u64,
    searches: u32,
}

impl RepeatGuard {
    /// What to do with a call that is about to run. Without `repeats_max`, repeats are left alone.
    pub(super) fn judge(
        &mut self,
        call: &CheckedCall,
        repeats_max: Option<u32>,
        searches_max: Option<u32>,
    ) -> RepeatVerdict {
        let key = key_of(call);
        if let Some(repeats_max) = repeats_max.filter(|_| !call.spec.repeatable && !call.is_fresh) {
            // Reads run side by side: the second of two equal ones waits, and is answered from the first.
            if self.in_flight.contains(&key) {
                return RepeatVerdict::Wait;
            }
            if let Some(verdict) = self.repeat(&key, call, repeats_max) {
                return verdict;
            }
        }
        // Behind the repeats: an answer from the run uses up no search.
        if call.spec.category == Category::Search {
            if let Some(max) = searches_max.filter(|max| self.searches >= *max) {
                return RepeatVerdict::OverQuota(max);
            }
            self.searches = self.searches.saturating_add(1);
        }
        self.in_flight.insert(key.clone());
        RepeatVerdict::Run(Ticket { key, is_read_only: call.spec.effects.is_read_only() })
    }

    fn repeat(&mut self, key: &str, call: &CheckedCall, repeats_max: u32) -> Option<RepeatVerdict> {
        // What was seen before the world changed says nothing about it now.
        let seen = self.seen.get_mut(key).filter(|seen| seen.epoch == self.epoch)?;
        let is_last = seen.count.saturating_add(1) >= repeats_max;
        if call.spec.effects.is_read_only() && seen.outcome.is_ok() {
            seen.count = seen.count.saturating_add(1);
            return Some(RepeatVerdict::Cached { outcome: Arc::clone(&seen.outcome), is_last });
        }
        // Until then effects and failures really run again; `record` counts them.
        is_last.then_some(RepeatVerdict::Refuse)
    }

    /// Remembers what a call gave. An outcome of a call that never ran says nothing about the next one.
    pub(super) fn record(&mut self, ticket: Ticket, outcome: &Arc<ToolOutcome>, has_run: bool) {
        self.in_flight.remove(&ticket.key);
        if !has_run {
            return;
        }
        // Before the call's own effect counts: else no write could be seen to repeat itself.
        let epoch_before = self.epoch;
        if !ticket.is_read_only {
            self.epoch = self.epoch.saturating_add(1);
        }
        let same = |seen: &SeenCall| seen.epoch == epoch_before && seen.outcome.body == outcome.body;
        let count = self.seen.get(&ticket.key).filter(|seen| same(seen)).map_or(0, |seen| seen.count);
        let seen =
            SeenCall { count: count.saturating_add(1), outcome: Arc::clone(outcome), epoch: self.epoch };
        self.seen.insert(ticket.key, seen);
    }
}

/// The canonical text of a call. Searches are compared as their users mean them: trimmed and in lower
/// case (S-22, Appendix A.3).
fn key_of(call: &CheckedCall) -> String {
    let mut key = format!("{} ", call.spec.name);
    match call.spec.category {
        Category::Search => write_object(&folded(&call.args), &mut key),
        Category::Utility | Category::Other => write_object(&call.args, &mut key),
    }
    key
}

fn folded(args: &Map<String, Value>) -> Map<String, Value> {
    let fold = |(name, value): (&String, &Value)| match value {
        Value::String(text) => (name.clone(), Value::String(text.trim().to_lowercase())),
        other => (name.clone(), other.clone()),
    };
    args.iter().map(fold).collect()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
