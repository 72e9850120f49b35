//! Where a path leads, seen from the project: inside it, above it, to a home, to the system, to a device.
//!
//! By its text alone: no file is looked at, so links are not followed.

use crate::text::shell::{HOME, STRANGE, UNKNOWN};

/// How much is lost with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathLoss {
    /// A whole machine, home, disk, or a folder that the project lies in.
    Whole,
    /// A part of the system.
    System,
    /// Something else: the project, a temporary folder, …
    Other,
}

/// A path without `.` and `..`, from the root of the machine or from a home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainPath {
    is_home: bool,
    parts: Vec<String>,
    root: Vec<String>,
}

/// Folders of the system, all that is in them.
const SYSTEM: [&str; 12] =
    ["etc", "boot", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "efi", "System", "usr", "proc"];
/// Folders that hold other people's things; what is deep in them is no concern of the system.
const MOUNTS: [&str; 13] = [
    "opt",
    "srv",
    "mnt",
    "media",
    "run",
    "tmp",
    "private",
    "Volumes",
    "nix",
    "snap",
    "var",
    "Library",
    "Applications",
];
/// Folders of `/var` that are the system's.
const VAR: [&str; 7] = ["lib", "log", "cache", "spool", "db", "mail", "run"];
/// Folders of a home that are more than a cache.
const OF_HOME: [&str; 15] = [
    ".ssh",
    ".gnupg",
    ".config",
    ".local",
    ".aws",
    ".kube",
    "Documents",
    "Desktop",
    "Downloads",
    "Pictures",
    "Music",
    "Videos",
    "Movies",
    "Library",
    "Public",
];
/// Devices that lose nothing when they are written to.
const HARMLESS_DEVICES: [&str; 12] = [
    "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "ptmx", "console", "log",
];
/// Files without which a machine does not start or lets nobody in.
const VITAL: [&str; 10] = [
    "passwd",
    "shadow",
    "group",
    "gshadow",
    "sudoers",
    "fstab",
    "ld.so.preload",
    "crypttab",
    "inittab",
    "hosts",
];

impl PlainPath {
    /// Where a path leads from a folder; nothing if only the running shell knows.
    pub(super) fn of(path: &str, folder: Option<&str>, root: &str) -> Option<Self> {
        let whole = match path.chars().next()? {
            '/' | HOME => path.to_owned(),
            UNKNOWN | STRANGE => return None,
            _ => format!("{}/{path}", folder?),
        };
        let is_home = whole.starts_with(HOME);
        let mut parts: Vec<String> = Vec::new();
        let mut is_above_home = false;
        for part in whole.trim_start_matches(HOME).split('/').filter(|part| !matches!(*part, "" | ".")) {
            match part {
                ".." => is_above_home |= parts.pop().is_none() && is_home,
                part => parts.push(part.to_owned()),
            }
        }
        let root = root.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        // Above somebody's home are all homes.
        Some(if is_above_home {
            Self { is_home: false, parts: vec!["home".to_owned()], root }
        } else {
            Self { is_home, parts, root }
        })
    }

    /// How much is lost with it.
    pub(super) fn reach(&self) -> PathLoss {
        let own = self.reach_alone();
        if own == PathLoss::Other && self.is_above_project() {
            return PathLoss::Whole;
        }
        // In the project the user's word counts, wherever the project is, unless it is everything.
        let project = PlainPath { is_home: false, parts: self.root.clone(), root: Vec::new() };
        let is_inside = !self.is_home && !self.root.is_empty() && self.parts.starts_with(&self.root);
        if is_inside && project.reach_alone() != PathLoss::Whole { PathLoss::Other } else { own }
    }

    fn reach_alone(&self) -> PathLoss {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        if self.is_home {
            return in_home(&parts);
        }
        match parts.as_slice() {
            [] => PathLoss::Whole,
            [first, ..] if is_any(first) => PathLoss::Whole,
            ["home" | "Users"] | ["home" | "Users", _] => PathLoss::Whole,
            ["home" | "Users", _, rest @ ..] | ["root", rest @ ..] => in_home(rest),
            // Shared memory is a temporary folder by another name.
            ["dev", "shm", _, ..] => PathLoss::Other,
            ["dev", ..] | ["sys", ..] => PathLoss::System,
            ["usr", "local", _, deep, ..] if !is_any(deep) => PathLoss::Other,
            ["usr", "src", deep, ..] if !is_any(deep) => PathLoss::Other,
            [first, rest @ ..] if SYSTEM.contains(first) => match rest {
                [] => PathLoss::Whole,
                [..] => PathLoss::System,
            },
            // Each of them is a disk.
            ["mnt" | "media" | "Volumes", _] => PathLoss::Whole,
            ["var", second] if VAR.contains(second) || is_any(second) => PathLoss::Whole,
            ["var", "lib", third] if is_any(third) => PathLoss::Whole,
            // Before the next arm: `/tmp/*` may be emptied.
            ["tmp", _] | ["private", "tmp", ..] => PathLoss::Other,
            [first, second] if MOUNTS.contains(first) && is_any(second) => PathLoss::Whole,
            [first] if MOUNTS.contains(first) => PathLoss::Whole,
            [..] => PathLoss::Other,
        }
    }

    /// Whether the project lies in it, or in what `folder/*` means.
    fn is_above_project(&self) -> bool {
        if self.is_home || self.root.is_empty() {
            return false;
        }
        let folder = match self.parts.split_last() {
            Some((last, folder)) if is_any(last) => folder,
            _ => self.parts.as_slice(),
        };
        self.root.len() > folder.len() && self.root.starts_with(folder)
    }

    /// Whether it is `/` itself.
    pub(super) fn is_root(&self) -> bool {
        !self.is_home && self.parts.is_empty()
    }

    /// Whether it is in `/dev`.
    pub(super) fn is_in_devices(&self) -> bool {
        !self.is_home && self.parts.first().is_some_and(|first| first == "dev")
    }

    /// Whether writing there writes to a disk or to memory.
    pub(super) fn is_device(&self) -> bool {
        match self.parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            _ if self.is_home => false,
            ["proc", "sysrq-trigger" | "kcore" | "mem"] => true,
            ["dev", "fd" | "pts" | "shm", ..] => false,
            ["dev", name, rest @ ..] => !rest.is_empty() || !HARMLESS_DEVICES.contains(name),
            _ => false,
        }
    }

    /// Whether a machine does not start without it.
    pub(super) fn is_vital(&self) -> bool {
        match self.parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            _ if self.is_home => false,
            ["etc", name] => VITAL.contains(name),
            ["boot", ..] | ["bin", "sh"] | ["usr", "bin", "sh"] => true,
            _ => false,
        }
    }
}

fn in_home(parts: &[&str]) -> PathLoss {
    match parts {
        [] => PathLoss::Whole,
        [first] if is_any(first) || OF_HOME.contains(first) => PathLoss::Whole,
        [first, second] if OF_HOME.contains(first) && is_any(second) => PathLoss::Whole,
        [..] => PathLoss::Other,
    }
}

/// Whether a name is a pattern for everything: `*`, `.*`, `??*`, `[!x]*`.
fn is_any(name: &str) -> bool {
    name.contains('*') && name.chars().all(|c| "*?.![]^".contains(c)) || name == ".[!.]*" || name == "[a-z]*"
}
