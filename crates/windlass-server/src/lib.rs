//! Windlass over HTTP.
