//! Where rules are kept and where decisions are written down. All of it may block for as long as a disk takes.

use std::sync::Arc;

use super::{AuditEntry, PolicySet, Rule};
use crate::ports::host::AuditQuery;

/// Keeps rules for all sessions of a process, and perhaps for those of others.
pub trait PolicyPort: Send + Sync {
    /// All rules that hold now, also those that others have stored meanwhile. Asked before every call, so it must be
    /// cheap while nothing has changed.
    fn rules(&self) -> Arc<PolicySet>;

    /// Whether stored rules could not be read: those that deny may be among them.
    fn is_lost(&self) -> bool;

    /// The rules that are stored, without those of this process alone.
    fn stored(&self) -> PolicySet;

    /// Stores a rule; gives its id. It holds for the next call of every session.
    fn add(&self, rule: Rule) -> Result<String, PolicyFailure>;

    /// Removes a stored rule, if there is one of that id.
    fn remove(&self, id: &str) -> Result<Option<Rule>, PolicyFailure>;
}

/// Rules could not be changed: what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyFailure(pub String);

pub trait AuditPort: Send + Sync {
    /// Writes one decision, behind all that were written before.
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditFailure>;

    /// The newest decisions that are asked for, newest first.
    fn newest(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, AuditFailure>;
}

/// Decisions could not be written or read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuditFailure(pub String);
