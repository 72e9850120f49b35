//! What one command may write and what is closed to it: worked out anew for each, as the file system is now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::permission::{ConfinedBy, Confinement};
use windlass_core::text::secret_files::is_secret;

use super::config::SandboxConfig;
use super::probe::ProvenSandbox;
use crate::shell::proxy::granted::GrantedHost;

/// What other programs obey in a project: a command that could write them would run outside of the sandbox later.
const OBEYED: [&str; 2] = [".git", ".windlass"];

/// Places in the home folder that hold keys, beside those whose names say so.
const HOME_SECRETS: [&str; 13] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".config/gh",
    ".config/gcloud",
    ".netrc",
    ".docker",
    ".kube",
    ".azure",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".local/share/keyrings",
    ".password-store",
];

/// Names at the top of a home or a project that are looked at: a folder with more is no home that somebody made by hand.
const NAMES_MAX: usize = 4_096;

/// A place that is closed, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClosedPlace {
    /// Nothing can be seen of it.
    HiddenFolder(PathBuf),
    HiddenFile(PathBuf),
    /// It can be read.
    ReadOnly(PathBuf),
    /// It does not exist, and cannot be made.
    Missing(PathBuf),
}

/// What one command is held to.
#[derive(Debug)]
pub(crate) struct ConfinePlan {
    pub(crate) by: ConfinedBy,
    pub(crate) confinement: Confinement,
    /// The project, canonical.
    pub(crate) root: PathBuf,
    /// Further folders that it may write.
    pub(crate) writable: Vec<PathBuf>,
    /// In the order in which they are closed.
    pub(crate) closed: Vec<ClosedPlace>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) helper: PathBuf,
    /// `bwrap`, where that is the mechanism.
    pub(crate) program: Option<PathBuf>,
    /// Leaves all capabilities inside: the control of a proof, never a command.
    pub(crate) is_capable: bool,
    /// Hosts that it may reach through the proxy.
    pub(crate) hosts: Arc<[GrantedHost]>,
    /// Why those that the user named cannot be reached.
    pub(crate) no_hosts: Option<String>,
    /// Temporary files of commands, where there is no folder for each.
    pub(crate) scratch: PathBuf,
    /// What is obeyed and cannot be closed.
    open: Vec<String>,
    /// What the mechanism itself does not hold.
    weaknesses: Vec<String>,
}

impl ConfinePlan {
    pub(crate) fn of(config: &SandboxConfig, proven: &ProvenSandbox, root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let helper = config.helper.clone().ok_or_else(|| io::Error::other("no helper program is named"))?;
        let mut plan = Self {
            by: proven.by,
            confinement: config.confinement,
            writable: config.write.iter().filter_map(|folder| folder.canonicalize().ok()).collect(),
            closed: Vec::new(),
            home: config.home.as_ref().and_then(|home| home.canonicalize().ok()),
            helper,
            program: proven.program.clone(),
            is_capable: false,
            hosts: Arc::default(),
            no_hosts: None,
            scratch: config.scratch.join("tmp"),
            open: Vec::new(),
            weaknesses: proven.weaknesses.clone(),
            root,
        };
        match (config.hosts.is_empty(), proven.by, &proven.hosts_problem) {
            (true, _, _) => {}
            (false, ConfinedBy::Bubblewrap, None) => plan.hosts = config.hosts.as_slice().into(),
            (false, ConfinedBy::Bubblewrap, Some(problem)) => {
                plan.no_hosts =
                    Some(format!("the proxy for the hosts you named does not work here ({problem})"));
            }
            (false, ConfinedBy::Landlock | ConfinedBy::Seatbelt | ConfinedBy::Nothing, _) => {
                plan.no_hosts = Some("the hosts you named can be reached with bubblewrap alone".to_owned());
            }
        }
        plan.close_home();
        config.hidden.iter().for_each(|place| plan.hide(place));
        plan.close_obeyed();
        plan.hide_secrets_in(&plan.root.clone());
        Ok(plan)
    }

    /// What a reader of the words might think is held, and is not.
    pub(crate) fn not_held(&self) -> Vec<String> {
        self.open.iter().chain(&self.weaknesses).cloned().collect()
    }

    /// Whether all that other programs obey is closed.
    pub(crate) fn closes_what_is_obeyed(&self) -> bool {
        self.open.is_empty()
    }

    fn close_home(&mut self) {
        let Some(home) = self.home.clone() else { return };
        HOME_SECRETS.iter().for_each(|name| self.hide(&home.join(name)));
        if home != self.root {
            self.hide_secrets_in(&home);
        }
    }

    /// What looks like a secret at the top of a folder. Deeper, test data of a project has such names.
    fn hide_secrets_in(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.take(NAMES_MAX).flatten() {
            if entry.file_name().to_str().is_some_and(|name| is_secret(name) && !OBEYED.contains(&name)) {
                self.hide(&entry.path());
            }
        }
    }

    fn hide(&mut self, place: &Path) {
        // Where a link leads is what must be closed.
        let Ok(place) = place.canonicalize() else { return };
        let holds_what_is_open = |open: &PathBuf| open.starts_with(&place);
        if holds_what_is_open(&self.root) || self.writable.iter().any(holds_what_is_open) {
            return;
        }
        let closed = match place.is_dir() {
            true => ClosedPlace::HiddenFolder(place),
            false => ClosedPlace::HiddenFile(place),
        };
        if !self.closed.contains(&closed) {
            self.closed.push(closed);
        }
    }

    fn close_obeyed(&mut self) {
        if self.confinement == Confinement::ReadOnly {
            return;
        }
        for folder in std::iter::once(&self.root).chain(&self.writable) {
            for name in OBEYED {
                let place = folder.join(name);
                match fs::symlink_metadata(&place) {
                    // The link itself could be exchanged, and nothing can be laid over a link.
                    Ok(facts) if facts.is_symlink() => {
                        self.open
                            .push(format!("{} is a link, which a command could exchange", place.display()));
                    }
                    // What an earlier command left behind, if anything.
                    Ok(facts) if facts.is_dir() && is_empty(&place) => {
                        self.closed.push(ClosedPlace::Missing(place))
                    }
                    Ok(_) => self.closed.push(ClosedPlace::ReadOnly(place)),
                    // Nobody obeys one that is made in a cache.
                    Err(_) if *folder != self.root => {}
                    Err(_) => self.closed.push(ClosedPlace::Missing(place)),
                }
            }
        }
    }

    /// Places that do not exist and may not be made.
    pub(crate) fn missing(&self) -> Vec<PathBuf> {
        let missing = self.closed.iter().filter_map(|place| match place {
            ClosedPlace::Missing(path) => Some(path.clone()),
            ClosedPlace::HiddenFolder(_) | ClosedPlace::HiddenFile(_) | ClosedPlace::ReadOnly(_) => None,
        });
        missing.collect()
    }

    /// Whether a path is one that the command may write, as far as its text says.
    pub(crate) fn may_write(&self, path: &Path) -> bool {
        let is_below = |folder: &PathBuf| path.starts_with(folder);
        let is_open = match self.confinement {
            Confinement::ReadOnly => false,
            Confinement::WorkspaceWrite => is_below(&self.root) || self.writable.iter().any(is_below),
            Confinement::Full => true,
        };
        let is_private = ["/tmp", "/run", "/dev"].iter().any(|folder| path.starts_with(folder));
        // A home that lies there can be seen, and only read.
        let is_at_home = self.home.as_ref().is_some_and(|home| path.starts_with(home));
        let is_closed = self.closed.iter().any(|place| match place {
            ClosedPlace::HiddenFolder(closed)
            | ClosedPlace::HiddenFile(closed)
            | ClosedPlace::ReadOnly(closed)
            | ClosedPlace::Missing(closed) => path.starts_with(closed),
        });
        (is_open || is_private && !is_at_home) && !is_closed
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
#[path = "plan_tests.rs"]
pub(crate) mod tests;
