//! Trust in folders: what a project brings in its `.windlass` counts only after the user has seen and trusted it.
//!
//! Trusted is a canonical root with the contents that it had then: other contents ask again. Until then only what
//! tightens counts: rules that deny or ask, and `approve = "never"` or `"read_only"`.
//!
//! - `brought`: what a folder brings, read once, as bytes
//! - `looked_at`: looked at for the user, told in words, and trusted as told
//! - `served`: the same for a server, whose clients look and trust
//! - `trust_file`: which folders are trusted, with which contents

pub(crate) mod brought;
pub(crate) mod looked_at;
pub(crate) mod served;
pub(crate) mod trust_file;

use std::path::{Path, PathBuf};

use windlass_core::protocol::ids::Millis;

use self::brought::{Brought, FOLDER};
use self::trust_file::{TrustFile, TrustedFolder};
use crate::complaint::Result;

/// Whether what a folder brings counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrustState {
    Trusted,
    /// It was never trusted.
    Untrusted,
    /// It was trusted with other contents: what changed since.
    Changed(Vec<String>),
    /// It cannot be read as a whole, and so not be trusted: why.
    Unreadable(String),
}

impl TrustState {
    /// The word of lists.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            TrustState::Trusted => "trusted",
            TrustState::Untrusted => "untrusted",
            TrustState::Changed(_) => "changed",
            TrustState::Unreadable(_) => "unreadable",
        }
    }
}

/// A setting that a folder's own configuration makes, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BroughtSetting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A root, what it brings, and whether that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FolderTrust {
    /// The canonical root.
    pub(crate) root: PathBuf,
    pub(crate) state: TrustState,
    pub(crate) brought: Brought,
    /// Settings that count only with trust.
    pub(crate) settings: Vec<BroughtSetting>,
    /// Where its modules and its tools are, below the root.
    pub(crate) modules: String,
    pub(crate) tools: String,
}

impl FolderTrust {
    /// What a root brings, before it is compared with what is trusted.
    pub(crate) fn read(root: &Path) -> Self {
        let (brought, state) = match Brought::read(root) {
            Ok(brought) => (brought, TrustState::Untrusted),
            Err(why) => (Brought::default(), TrustState::Unreadable(why)),
        };
        Self {
            root: root.to_path_buf(),
            state,
            brought,
            settings: Vec::new(),
            modules: format!("{FOLDER}/modules"),
            tools: format!("{FOLDER}/tools"),
        }
    }

    /// Adds a folder that its settings name.
    pub(crate) fn add_folder(&mut self, name: &str) {
        if let Err(why) = self.brought.add_folder(&self.root, name) {
            self.state = TrustState::Unreadable(why);
        }
    }

    /// Compares with what is trusted.
    pub(crate) fn settle(&mut self, trusted: Option<&TrustedFolder>) {
        if matches!(self.state, TrustState::Unreadable(_)) {
            return;
        }
        self.state = match trusted {
            None => TrustState::Untrusted,
            Some(folder) if folder.digest == self.brought.digest() => TrustState::Trusted,
            Some(folder) => TrustState::Changed(changes(folder, &self.brought)),
        };
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.state == TrustState::Trusted
    }

    /// Files of a kind: those in a folder below the root.
    pub(crate) fn files_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a brought::BroughtFile> {
        let is_inside = move |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.brought.files.iter().filter(move |file| is_inside(&file.name))
    }

    /// Whether there is anything that counts only with trust.
    pub(crate) fn brings_something(&self) -> bool {
        matches!(self.state, TrustState::Unreadable(_))
            || !self.settings.is_empty()
            || self.files_in(&self.modules).next().is_some()
            || self.files_in(&self.tools).next().is_some()
    }

    /// Says in plain words what is left out and how to trust it, if something is.
    pub(crate) fn notice(&self) -> Option<String> {
        self.notice_with("windlass trust show lists it, windlass trust add trusts it")
    }

    /// The same for the terminal app, which has a command for it.
    pub(crate) fn notice_in_app(&self) -> Option<String> {
        self.notice_with("/trust shows it and asks, as windlass trust add does")
    }

    fn notice_with(&self, how: &str) -> Option<String> {
        if !self.brings_something() {
            return None;
        }
        match &self.state {
            TrustState::Trusted => None,
            TrustState::Untrusted => Some(format!(
                "this folder brings {} of its own, which are left out until you trust it: {how}",
                self.counted()
            )),
            TrustState::Changed(changes) => Some(format!(
                "what this folder brings has changed since you trusted it ({}), so all of it is left out until you trust it again: {how}",
                changes.join(", ")
            )),
            TrustState::Unreadable(why) => {
                Some(format!("what this folder brings in {FOLDER} is left out and cannot be trusted: {why}"))
            }
        }
    }

    fn counted(&self) -> String {
        let count = |number: usize, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {many}")),
        };
        let parts = [
            count(self.settings.len(), "setting", "settings"),
            count(self.files_in(&self.modules).count(), "file of modules", "files of modules"),
            count(self.files_in(&self.tools).count(), "file of tools", "files of tools"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Whether the contents are still those that were looked at: between a look and a use somebody may change them.
    pub(crate) fn is_unchanged(&self) -> bool {
        let mut now = Self::read(&self.root);
        [&self.modules, &self.tools].into_iter().for_each(|folder| now.add_folder(folder));
        !matches!(now.state, TrustState::Unreadable(_)) && now.brought.digest() == self.brought.digest()
    }
}

/// What is other now than when it was trusted, file by file.
fn changes(then: &TrustedFolder, now: &Brought) -> Vec<String> {
    let gone =
        then.files.keys().filter(|name| now.find(name).is_none()).map(|name| format!("{name} is gone"));
    let others = now.files.iter().filter_map(|file| match then.files.get(&file.name) {
        None => Some(format!("{} is new", file.name)),
        Some(sha256) if *sha256 != file.sha256 => Some(format!("{} is changed", file.name)),
        Some(_) => None,
    });
    others.chain(gone).collect()
}

/// Trusts a folder again after a command of the user's own has written these files in it; if anything else is other than
/// it was when the command began, it has to be looked at again.
pub(crate) fn renew(trust: &FolderTrust, data: &Path, written: &[&Path], now_ms: Millis) -> Result<()> {
    if !trust.is_trusted() {
        return Ok(());
    }
    let mut now = FolderTrust::read(&trust.root);
    [&trust.modules, &trust.tools].into_iter().for_each(|folder| now.add_folder(folder));
    let is_written = |name: &str| written.iter().any(|path| **path == *trust.root.join(name));
    let is_known = now.brought.files.iter().all(|file| {
        is_written(&file.name) || trust.brought.find(&file.name).is_some_and(|own| own.sha256 == file.sha256)
    });
    let is_whole = trust.brought.files.iter().all(|file| now.brought.find(&file.name).is_some());
    if is_known && is_whole && !matches!(now.state, TrustState::Unreadable(_)) {
        TrustFile::read(data).0.put(TrustedFolder::of(&trust.root, &now.brought, now_ms))?;
    }
    Ok(())
}

/// Reads the file of trusted folders and settles what a root brings by it.
pub(crate) fn settle(trust: &mut FolderTrust, data: &Path, warnings: &mut Vec<String>) {
    let (file, warning) = TrustFile::read(data);
    warnings.extend(warning);
    trust.settle(file.find(&trust.root));
}
