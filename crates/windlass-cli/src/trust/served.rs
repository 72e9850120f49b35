//! The folder of a server: looked at, trusted and taken back by its clients, as on the command line.
//!
//! Knows the folder that the server began with; what it does with trust is `looked_at`'s business.

use std::path::PathBuf;

use windlass_server::{
    FolderState, FolderTrustFault, FolderTrustPort, SeenFolder, SeenFolderFile, SeenSetting, TrustedRoot,
};

use super::brought::{BroughtFile, FOLDER};
use super::looked_at::{self, KeepFault, LINES_SHOWN_MAX, head, kind_of};
use super::trust_file::TrustFile;
use super::{FolderTrust, TrustState};
use crate::args::GlobalArgs;
use crate::complaint::CommandError;
use crate::config::CliConfig;

/// Lines of the settings that are shown: with all of them there are no surprises, and no project has more.
const SETTINGS_LINES_MAX: usize = 1_000;

/// The folder of a server that runs.
#[derive(Debug)]
pub(crate) struct ServedFolder {
    global: GlobalArgs,
    root: PathBuf,
    /// The digest of what counts in this server, if it began with a trusted folder.
    begun_with: Option<String>,
}

impl ServedFolder {
    pub(crate) fn of(global: &GlobalArgs, trust: &FolderTrust) -> Self {
        let begun_with = trust.is_trusted().then(|| trust.brought.digest());
        Self { global: global.clone(), root: trust.root.clone(), begun_with }
    }

    fn read(&self) -> Result<CliConfig, FolderTrustFault> {
        // The user's or the folder's settings are wrong: whoever asks can mend them.
        looked_at::look(&self.global, Some(self.root.clone()))
            .map_err(|complaint| FolderTrustFault::Untrustable(on_one_line(&complaint)))
    }

    fn seen(&self, config: &CliConfig) -> SeenFolder {
        let trust = &config.trust;
        let (state, changes, reason) = match &trust.state {
            TrustState::Trusted => (FolderState::Trusted, Vec::new(), None),
            TrustState::Untrusted => (FolderState::Untrusted, Vec::new(), None),
            TrustState::Changed(changes) => (FolderState::Changed, changes.clone(), None),
            TrustState::Unreadable(why) => (FolderState::Unreadable, Vec::new(), Some(why.clone())),
        };
        let settings = trust.settings.iter();
        let trusted = TrustFile::read(&config.folders.data).0;
        let trusted = trusted.folders().iter();
        SeenFolder {
            root: trust.root.display().to_string(),
            state,
            changes,
            reason,
            can_be_trusted: trust.brings_something() && state != FolderState::Unreadable,
            digest: trust.brought.digest(),
            notice: self.notice(trust).map(str::to_owned),
            settings: settings
                .map(|own| SeenSetting { name: own.name.clone(), value: own.value.clone() })
                .collect(),
            files: trust.brought.files.iter().map(|file| seen_file(trust, file)).collect(),
            trusted: trusted
                .map(|own| TrustedRoot { root: own.root.clone(), trusted_ms: own.trusted_ms })
                .collect(),
        }
    }

    /// What a server that began otherwise makes of it.
    fn notice(&self, trust: &FolderTrust) -> Option<&'static str> {
        match (&self.begun_with, trust.is_trusted()) {
            (Some(begun), true) if *begun == trust.brought.digest() => None,
            (_, true) => Some("what this folder brings counts from the next start on"),
            (Some(_), false) => {
                Some("what this folder brought when windlass was started counts until it is started again")
            }
            (None, false) => None,
        }
    }
}

impl FolderTrustPort for ServedFolder {
    fn look(&self) -> Result<SeenFolder, FolderTrustFault> {
        Ok(self.seen(&self.read()?))
    }

    fn trust(&self, digest: &str) -> Result<SeenFolder, FolderTrustFault> {
        let config = self.read()?;
        looked_at::keep_shown(&config, digest).map_err(|fault| match fault {
            KeepFault::Changed(why) => FolderTrustFault::Changed(format!("{why}; look at it again")),
            KeepFault::Untrustable(why) => FolderTrustFault::Untrustable(why),
            KeepFault::Failed(complaint) => failed(&complaint),
        })?;
        self.look()
    }

    fn revoke(&self) -> Result<SeenFolder, FolderTrustFault> {
        let config = self.read()?;
        if !looked_at::revoke(&config).map_err(|complaint| failed(&complaint))? {
            return Err(FolderTrustFault::NotTrusted(format!("{} is not trusted", self.root.display())));
        }
        self.look()
    }
}

fn seen_file(trust: &FolderTrust, file: &BroughtFile) -> SeenFolderFile {
    let is_settings = file.name == format!("{FOLDER}/config.toml");
    let (lines, more) = head(&file.bytes, if is_settings { SETTINGS_LINES_MAX } else { LINES_SHOWN_MAX });
    SeenFolderFile {
        name: file.name.clone(),
        kind: kind_of(trust, file),
        bytes: file.bytes.len() as u64,
        lines,
        more_lines: more as u64,
    }
}

fn failed(complaint: &CommandError) -> FolderTrustFault {
    FolderTrustFault::Failed(on_one_line(complaint))
}

fn on_one_line(complaint: &CommandError) -> String {
    complaint.to_string().replace("\n  ", "; ")
}
