//! Keys in the system's own keyring, by the system's own command: `secret-tool` (the Secret Service of
//! Linux desktops) or `security` (the macOS keychain). A key never stands on a command line.
//!
//! Which providers have a key there is kept in a file of names, so that a run does not ask for nothing.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::text::secret::Secret;

use crate::complaint::{CommandError, Result};
use crate::config::private;
use crate::providers::key_command::{CommandFailure, ask, tell};

/// The name under which all keys are kept.
const OURS: &str = "windlass";

pub(crate) struct Keyring {
    /// The names of providers that have a key there.
    names_file: PathBuf,
    /// What stands before a name there.
    prefix: &'static str,
}

impl Keyring {
    /// The keyring of this user.
    pub(crate) fn of_user(data: &Path) -> Self {
        Self { names_file: data.join("models").join("keys.json"), prefix: "" }
    }

    /// The same for secrets of tools.
    pub(crate) fn of_secrets(data: &Path) -> Self {
        Self { names_file: data.join("secret_names.json"), prefix: "secret." }
    }

    /// The providers that have a key there.
    pub(crate) fn names(&self) -> Result<BTreeSet<String>> {
        match std::fs::read_to_string(&self.names_file) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                CommandError::failed(format!("the list of stored keys cannot be read: {error}"))
                    .at(self.names_file.display())
                    .cure("remove the file; keys stay in the keyring and can be set again")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(CommandError::file(&self.names_file, "read", &error)),
        }
    }

    fn entry(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The key of a provider, if there is one.
    pub(crate) fn find(&self, provider: &str) -> Result<Option<Secret>> {
        if !self.names()?.contains(provider) {
            return Ok(None);
        }
        let provider = &self.entry(provider);
        let asked = match SYSTEM {
            System::SecretTool => ask("secret-tool", &["lookup", "service", OURS, "provider", provider], &[]),
            System::Security => {
                ask("security", &["find-generic-password", "-s", OURS, "-a", provider, "-w"], &[])
            }
        };
        asked.map(Some).map_err(|failure| unreachable(&failure))
    }

    pub(crate) fn set(&self, provider: &str, key: &Secret) -> Result<()> {
        let entry = &self.entry(provider);
        let told = match SYSTEM {
            System::SecretTool => {
                let label = format!("{OURS}: key for {entry}");
                let args = ["store", "--label", &label, "service", OURS, "provider", entry];
                tell("secret-tool", &args, key.expose())
            }
            // Its interactive mode takes commands from standard input; quotes are its only escape.
            System::Security if key.expose().contains(['"', '\\', '\n']) => {
                return Err(CommandError::usage("a key with quotes or backslashes cannot be kept"));
            }
            System::Security => {
                let line =
                    format!("add-generic-password -U -s {OURS} -a \"{entry}\" -w \"{}\"\n", key.expose());
                tell("security", &["-i"], &line)
            }
        };
        told.map_err(|failure| unreachable(&failure))?;
        let mut names = self.names()?;
        names.insert(provider.to_owned());
        self.write(&names)
    }

    /// Forgets a key; says whether there was one.
    pub(crate) fn remove(&self, provider: &str) -> Result<bool> {
        let mut names = self.names()?;
        if !names.remove(provider) {
            return Ok(false);
        }
        let entry = &self.entry(provider);
        let told = match SYSTEM {
            System::SecretTool => tell("secret-tool", &["clear", "service", OURS, "provider", entry], ""),
            System::Security => tell("security", &["delete-generic-password", "-s", OURS, "-a", entry], ""),
        };
        match told {
            // It was already gone.
            Ok(()) | Err(CommandFailure::Failed(Some(1 | 44))) => {}
            Err(failure) => return Err(unreachable(&failure)),
        }
        self.write(&names).map(|()| true)
    }

    fn write(&self, names: &BTreeSet<String>) -> Result<()> {
        let failed = |error: io::Error| CommandError::file(&self.names_file, "written", &error);
        if let Some(folder) = self.names_file.parent() {
            private::make_folder(folder).map_err(failed)?;
        }
        let text = serde_json::to_string(names).map_err(|error| {
            CommandError::failed(format!("the list of stored keys cannot be written: {error}"))
        })?;
        private::write(&self.names_file, &text).map_err(failed)
    }
}

/// Whose keyring it is.
enum System {
    SecretTool,
    Security,
}

const SYSTEM: System = if cfg!(target_os = "macos") { System::Security } else { System::SecretTool };

fn unreachable(failure: &CommandFailure) -> CommandError {
    let program = match SYSTEM {
        System::SecretTool => "secret-tool",
        System::Security => "security",
    };
    let complaint =
        CommandError::failed(format!("the system's keyring cannot be reached: {failure}")).at(program);
    let cure = match failure {
        CommandFailure::NotStarted(_) => {
            "install it (libsecret-tools), or use the environment or a key_command"
        }
        CommandFailure::Failed(_) | CommandFailure::TooLong | CommandFailure::Empty => {
            "unlock it, set the key again, or use the environment or a key_command"
        }
    };
    complaint.cure(cure)
}
