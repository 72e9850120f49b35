//! Remembered rules and the trail of decisions, in files: what stands behind core's `PolicyPort` and `AuditPort`.

pub mod audit_file;
pub mod policy_file;
pub mod policy_store;
