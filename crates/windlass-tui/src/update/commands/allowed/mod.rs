//! Commands about what may run and what counts: `mode`, `policy`, and `trust` in the project's folder.

pub(in crate::update) mod mode;
pub(in crate::update) mod policy;
pub(in crate::update) mod trust;
