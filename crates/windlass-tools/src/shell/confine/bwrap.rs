//! Bubblewrap: what it is told, as data.

use std::ffi::OsString;
use std::path::Path;

use windlass_core::permission::Confinement;

use super::plan::{ClosedPlace, ConfinePlan};

/// Where the helper stands inside.
const HELPER: &str = "/run/windlass-helper";

/// Everything before the command itself. The root of the file system can be read, the project can be written; what is closed comes
/// after what is open. No capability is left even to root, or it could mount again what was closed; and no namespace can
/// be made inside, for in it there would be capabilities again.
pub(crate) fn arguments(plan: &ConfinePlan) -> Vec<OsString> {
    let mut args = Arguments(Vec::new());
    args.plain(&[
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/run",
        "--tmpfs",
        "/tmp",
    ]);
    args.pair("--ro-bind", &plan.helper, Path::new(HELPER));
    // Covered by the private folders above.
    let is_covered = |path: &Path| ["/tmp", "/run"].iter().any(|folder| path.starts_with(folder));
    if let Some(home) = plan.home.as_deref().filter(|home| is_covered(home)) {
        args.pair("--ro-bind", home, home);
    }
    match plan.confinement {
        Confinement::ReadOnly => args.pair("--ro-bind", &plan.root, &plan.root),
        Confinement::WorkspaceWrite | Confinement::Full => {
            args.pair("--bind", &plan.root, &plan.root);
            plan.writable.iter().for_each(|folder| args.pair("--bind", folder, folder));
        }
    }
    for place in &plan.closed {
        match place {
            // Below a private folder there is nothing to close.
            ClosedPlace::HiddenFolder(path) if is_away(plan, path, is_covered(path)) => {}
            ClosedPlace::HiddenFile(path) if is_away(plan, path, is_covered(path)) => {}
            ClosedPlace::HiddenFolder(path) | ClosedPlace::Missing(path) => {
                args.one("--tmpfs", path);
                args.one("--remount-ro", path);
            }
            ClosedPlace::HiddenFile(path) => args.pair("--ro-bind", Path::new("/dev/null"), path),
            ClosedPlace::ReadOnly(path) => args.pair("--ro-bind", path, path),
        }
    }
    args.plain(&["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"]);
    args.plain(match plan.is_capable {
        true => &["--cap-add", "ALL"],
        false => &["--cap-drop", "ALL", "--disable-userns"],
    });
    args.plain(&["--die-with-parent", "--new-session", "--"]);
    args.0
}

/// Whether a place cannot be seen anyway.
fn is_away(plan: &ConfinePlan, path: &Path, is_covered: bool) -> bool {
    let shown = std::iter::once(&plan.root).chain(&plan.writable).chain(&plan.home);
    is_covered && !shown.into_iter().any(|folder| path.starts_with(folder))
}

/// The helper inside, which goes on to the command.
pub(crate) fn helper() -> OsString {
    HELPER.into()
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn plain(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn one(&mut self, word: &str, path: &Path) {
        self.0.extend([word.into(), path.into()]);
    }

    fn pair(&mut self, word: &str, from: &Path, to: &Path) {
        self.0.extend([word.into(), from.into(), to.into()]);
    }
}

#[cfg(test)]
#[path = "bwrap_tests.rs"]
mod tests;
