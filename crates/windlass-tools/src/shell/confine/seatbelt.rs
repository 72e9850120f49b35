//! Seatbelt, the sandbox of macOS: a profile that is handed to `sandbox-exec`.
//!
//! What it says is held to files in the tests; that macOS obeys it, only a machine with macOS can show.

use std::fmt::Write as _;
use std::path::Path;

use windlass_core::permission::Confinement;

use super::plan::{ClosedPlace, ConfinePlan};

/// The program that macOS brings.
pub(crate) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Everything can be read but what is hidden; only the project can be written. The last rule that fits decides.
pub(crate) fn profile(plan: &ConfinePlan) -> String {
    let mut text = String::from(
        "(version 1)\n(allow default)\n(deny network*)\n(deny file-write*)\n(deny signal (target others))\n\
         (deny process-info* (target others))\n(deny mach-priv*)\n\
         (allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))\n",
    );
    let mut rule = |verb: &str, kind: &str, path: &Path| {
        let _ = writeln!(text, "({verb} {kind} (subpath {}))", quoted(path));
    };
    match plan.confinement {
        Confinement::ReadOnly => {}
        Confinement::WorkspaceWrite | Confinement::Full => {
            rule("allow", "file-write*", &plan.root);
            plan.writable.iter().for_each(|folder| rule("allow", "file-write*", folder));
        }
    }
    for place in &plan.closed {
        match place {
            ClosedPlace::HiddenFolder(path) | ClosedPlace::HiddenFile(path) => {
                rule("deny", "file-read* file-write*", path);
            }
            ClosedPlace::ReadOnly(path) | ClosedPlace::Missing(path) => rule("deny", "file-write*", path),
        }
    }
    // Last, because it may lie within what is hidden.
    let _ = writeln!(text, "(allow file-read* file-write* (subpath {}))", quoted(&plan.scratch));
    text
}

/// A text of the profile language.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
#[path = "seatbelt_tests.rs"]
mod tests;
