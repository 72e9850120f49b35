//! How tools refuse files that hold secrets by their name; which those are, the core says.

use windlass_core::protocol::tool::ToolFailure;
use windlass_core::text::secret_files::is_secret;

/// Refuses a relative path, `/`-separated, that leads to a secret.
pub(crate) fn refuse(path: &str) -> Result<(), ToolFailure> {
    if !is_secret(path) {
        return Ok(());
    }
    let text = format!("'{path}' looks like a secret; the file tools do not touch secrets");
    Err(ToolFailure::denied(text).hint(
        "Do not try another way. Say what you need from it, or read an example file such as .env.example.",
    ))
}
