//! What the scripts of one folder remember between calls: JSON by key, in memory, bounded.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};
use windlass_core::text::json_bytes;

use super::limits::{STATE_BYTES_MAX, STATE_KEY_BYTES_MAX, STATE_KEYS_MAX, STATE_VALUE_BYTES_MAX};

/// The memory of a folder's scripts.
#[derive(Debug, Default)]
pub(crate) struct ScriptState {
    kept: Mutex<StoredValues>,
}

#[derive(Debug, Default)]
struct StoredValues {
    values: BTreeMap<String, (Value, usize)>,
    bytes: usize,
}

impl ScriptState {
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.values.get(key).map(|(value, _)| value.clone())
    }

    /// Keeps a value; `null` forgets the key.
    pub(crate) fn set(&self, key: &str, value: Value) -> Result<(), ToolFailure> {
        if key.is_empty() || key.len() > STATE_KEY_BYTES_MAX {
            return Err(full(format!("a key of state_set has 1 to {STATE_KEY_BYTES_MAX} bytes")));
        }
        let bytes = usize::try_from(json_bytes(&value)).unwrap_or(usize::MAX).saturating_add(key.len());
        if bytes > STATE_VALUE_BYTES_MAX {
            return Err(full(format!(
                "state_set('{key}') keeps at most {STATE_VALUE_BYTES_MAX} bytes, and this value has {bytes}"
            )));
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.values.get(key).map(|(_, bytes)| *bytes);
        let others = kept.bytes.saturating_sub(before.unwrap_or_default());
        if value.is_null() {
            kept.values.remove(key);
            kept.bytes = others;
            return Ok(());
        }
        if before.is_none() && kept.values.len() >= STATE_KEYS_MAX {
            return Err(full(format!(
                "scripts keep at most {STATE_KEYS_MAX} keys; forget one with state_set(key, ())"
            )));
        }
        if others.saturating_add(bytes) > STATE_BYTES_MAX {
            return Err(full(format!(
                "scripts keep at most {STATE_BYTES_MAX} bytes; forget something with state_set(key, ())"
            )));
        }
        kept.values.insert(key.to_owned(), (value, bytes));
        kept.bytes = others.saturating_add(bytes);
        Ok(())
    }
}

fn full(message: String) -> ToolFailure {
    ToolFailure::new(ErrorKind::LimitExceeded, message)
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
