//! The routes of openai.

use serde_json::Value;

use crate::endpoint::Endpoint;

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    Vec::new()
}

/// Schemas of their bodies, by name.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    Vec::new()
}
