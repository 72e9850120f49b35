//! What the program says about the sandbox: a plain struct, read from nowhere.

use std::path::{Path, PathBuf};

use windlass_core::permission::{ConfinedBy, Confinement};

use crate::shell::proxy::granted::GrantedHost;

/// What commands are held to, and with what.
#[derive(Debug, Clone, Default)]
pub struct SandboxConfig {
    /// What a command may write. `Full` means that there is no sandbox.
    pub confinement: Confinement,
    /// Whether a command that is held runs without a question, unless a rule or a warning speaks against it.
    pub auto_allow: bool,
    /// Folders besides the project that a command may write.
    pub write: Vec<PathBuf>,
    /// The home folder of the user.
    pub home: Option<PathBuf>,
    /// Folders and files of this program that no command may see.
    pub hidden: Vec<PathBuf>,
    /// A program that hands its arguments to [`sandbox_helper`](crate::sandbox_helper) before it does anything else: it goes
    /// into the sandbox with each command, and does the deeds by which a sandbox is proven. Without it there is none.
    pub helper: Option<PathBuf>,
    /// Where `bwrap` is looked for.
    pub search: Vec<PathBuf>,
    /// A folder of this program's own, for what a probe writes and for temporary files of commands.
    pub scratch: PathBuf,
    /// Hosts that a command may reach, through the proxy and where bubblewrap holds it.
    pub hosts: Vec<GrantedHost>,
    /// Mechanisms that are not tried.
    pub without: Vec<ConfinedBy>,
}

impl SandboxConfig {
    /// Where `bwrap` is: in an absolute folder that is not the project's own.
    pub(crate) fn bwrap(&self, root: &Path) -> Option<PathBuf> {
        let folders = self.search.iter().filter(|folder| folder.is_absolute() && !folder.starts_with(root));
        folders.map(|folder| folder.join("bwrap")).find(|program| program.is_file())
    }
}
