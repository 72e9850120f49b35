//! The outcomes of a session, whole: what `$ref` arguments and result handles point to.
//!
//! Bounded by bytes; the oldest go first, and a handle to one that is gone finds nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use windlass_core::ports::ResultsPort;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::ToolOutcome;

use crate::limits::RESULTS_BYTES_MAX;

/// What an entry costs beside its text: keys, places in the maps, the outcome itself.
const ENTRY_BYTES: usize = 512;

/// The outcomes of one session.
#[derive(Debug)]
pub struct SessionResults {
    bytes_max: usize,
    kept: Mutex<KeptOutcomes>,
}

#[derive(Debug, Default)]
struct KeptOutcomes {
    by_id: BTreeMap<CallId, KeptOutcome>,
    by_provider_id: BTreeMap<String, CallId>,
    oldest_first: VecDeque<CallId>,
    bytes: usize,
}

#[derive(Debug)]
struct KeptOutcome {
    outcome: Arc<ToolOutcome>,
    provider_id: Option<String>,
    bytes: usize,
}

impl SessionResults {
    /// An empty store with the usual bound.
    pub fn new() -> Self {
        Self::with_bytes_max(RESULTS_BYTES_MAX)
    }

    /// An empty store with a bound of one's own.
    pub fn with_bytes_max(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::default() }
    }

    /// Keeps an outcome; a later one of the same call takes its place. Of two calls with the same
    /// provider id the later one is found by it.
    pub fn insert(&self, call_id: &CallId, provider_id: Option<&str>, outcome: Arc<ToolOutcome>) {
        let bytes = ENTRY_BYTES + size_of_outcome(&outcome);
        let mut kept = self.lock();
        kept.remove(call_id);
        kept.bytes += bytes;
        kept.oldest_first.push_back(call_id.clone());
        if let Some(id) = provider_id {
            kept.by_provider_id.insert(id.to_owned(), call_id.clone());
        }
        let entry = KeptOutcome { outcome, provider_id: provider_id.map(str::to_owned), bytes };
        kept.by_id.insert(call_id.clone(), entry);
        // Down to the new one itself, should it alone be too large.
        while kept.bytes > self.bytes_max {
            let Some(oldest) = kept.oldest_first.front().cloned() else { break };
            kept.remove(&oldest);
        }
    }

    /// Bytes that are held now.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, KeptOutcomes> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for SessionResults {
    fn default() -> Self {
        Self::new()
    }
}

impl KeptOutcomes {
    fn remove(&mut self, call_id: &CallId) {
        let Some(entry) = self.by_id.remove(call_id) else { return };
        self.bytes -= entry.bytes;
        if let Some(id) = entry.provider_id
            // A later call may have the same id by now.
            && self.by_provider_id.get(&id) == Some(call_id)
        {
            self.by_provider_id.remove(&id);
        }
        // Nearly always the first one.
        if let Some(at) = self.oldest_first.iter().position(|id| id == call_id) {
            self.oldest_first.remove(at);
        }
    }
}

impl ResultsPort for SessionResults {
    fn find(&self, reference: &str) -> Option<Arc<ToolOutcome>> {
        let kept = self.lock();
        let by_id = kept.by_id.get(&CallId::from(reference));
        let entry = by_id.or_else(|| kept.by_id.get(kept.by_provider_id.get(reference)?))?;
        Some(Arc::clone(&entry.outcome))
    }

    fn all(&self) -> Vec<Arc<ToolOutcome>> {
        let kept = self.lock();
        let held = kept.oldest_first.iter().filter_map(|id| kept.by_id.get(id));
        held.map(|entry| Arc::clone(&entry.outcome)).collect()
    }

    fn handles(&self) -> Vec<String> {
        let kept = self.lock();
        let own = kept.oldest_first.iter().map(|id| id.as_str().to_owned());
        own.chain(kept.by_provider_id.keys().cloned()).collect()
    }
}

fn size_of_outcome(outcome: &ToolOutcome) -> usize {
    match &outcome.body {
        Ok(output) => {
            let links: usize =
                output.links.iter().map(|link| link.title.len() + link.url.len() + link.snippet.len()).sum();
            let texts = [&output.text, &output.summary];
            let texts: usize = texts.into_iter().flatten().map(String::len).sum();
            size_of_value(&output.json) + texts + links
        }
        Err(failure) => failure.message.len() + failure.hint.as_ref().map_or(0, String::len),
    }
}

/// Roughly what a value holds in memory.
fn size_of_value(value: &Value) -> usize {
    let own = std::mem::size_of::<Value>();
    own + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of_value).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| 2 * own + name.len() + size_of_value(field)).sum()
        }
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
