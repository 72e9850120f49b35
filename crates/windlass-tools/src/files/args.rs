//! Reading a call's arguments into a plain struct.
//!
//! The engine has validated them already; a tool that is called directly must not be fooled either.

use serde::Deserialize;
use serde_json::{Map, Value};
use windlass_core::tool::ToolFailure;

/// Reads arguments, with the usual message for a required one that is missing.
pub(crate) fn read_args<'a, T: Deserialize<'a>>(
    tool: &str,
    required: &[&str],
    args: &'a Map<String, Value>,
) -> Result<T, ToolFailure> {
    for name in required {
        if args.get(*name).is_none_or(Value::is_null) {
            let message = format!("{tool} requires a '{name}' argument");
            return Err(ToolFailure::invalid_args(message).at(*name, "a value", "nothing"));
        }
    }
    T::deserialize(args).map_err(|error| {
        ToolFailure::invalid_args(format!("{tool}: {error}"))
            .hint("Correct the argument and send the call again.")
    })
}
