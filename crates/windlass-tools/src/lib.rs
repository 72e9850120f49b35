//! The built-in tools of Windlass, one file each: spec, effect class, risk, code and renderer in one place.
//!
//! Keeps in: the file system and processes. Knows no model, no session and no screen.
//!
//! A new tool is one file and one line in [`builtin`].

use std::sync::Arc;

use windlass_core::port::ToolPort;

/// What the built-in tools need to know about their surroundings.
#[derive(Debug, Clone, Default)]
pub struct ToolsConfig {}

/// All built-in tools.
pub fn builtin(_config: &ToolsConfig) -> Vec<Arc<dyn ToolPort>> {
    Vec::new()
}
