//! The values that exist now, as the tools of a step say them: what a model in the process is held to.
//!
//! Owns the gathering and its bounds. A kind that is too large is left out, which leaves its arguments free: a list
//! that is cut would forbid calls that are right.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use windlass_core::ports::LiveState;
use windlass_core::protocol::tool::{ToolSpec, live_kinds};

use crate::limits::{LIVE_BYTES_MAX, LIVE_VALUES_MAX};
use crate::registry::ToolShelf;

/// The values of every kind that one of the tools asks for, each once. Several tools may know values of one kind.
pub(crate) fn gather(
    shelf: &ToolShelf,
    tools: &[Arc<ToolSpec>],
    state: &LiveState<'_>,
) -> BTreeMap<String, Vec<String>> {
    let mut live: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut broken = BTreeSet::new();
    for spec in tools {
        let kinds = live_kinds(&spec.schema);
        let Some(port) = shelf.port(&spec.name).filter(|_| !kinds.is_empty()) else { continue };
        for kind in kinds {
            // The tool's own code, but in the actor: a panic would end the session.
            match catch_unwind(AssertUnwindSafe(|| port.live_values(kind, state))) {
                Ok(values) => live.entry(kind).or_default().extend(values),
                // What it would have said is missing, so the rest is no list of all.
                Err(_) => {
                    broken.insert(kind);
                }
            }
        }
    }
    live.retain(|kind, values| !values.is_empty() && is_small(values) && !broken.contains(kind));
    live.into_iter().map(|(kind, values)| (kind.to_owned(), values.into_iter().collect())).collect()
}

fn is_small(values: &BTreeSet<String>) -> bool {
    let bytes = values.iter().map(String::len).fold(0, usize::saturating_add);
    values.len() <= LIVE_VALUES_MAX && bytes <= LIVE_BYTES_MAX
}
