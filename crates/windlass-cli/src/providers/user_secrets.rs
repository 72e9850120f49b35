//! Secrets of the user for tools: which hosts each is bound to, and where its value is. Values are in the system's keyring, in a
//! variable or known to a command; the file has names and hosts alone.
//!
//! Only the user's own data folder is asked: a project binds nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use windlass_core::ports::{LendRefusal, SecretsPort};
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;

use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, private};
use crate::providers::key_command::ask;
use crate::providers::keyring::Keyring;

/// The file of names and hosts, in the data folder.
const FILE: &str = "secrets.json";

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecretSource {
    Keyring,
    Env(String),
    Command(Vec<String>),
}

impl std::fmt::Display for SecretSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SecretSource::Keyring => f.write_str("keyring"),
            SecretSource::Env(variable) => write!(f, "variable {variable}"),
            // Its words are not shown: who tests a command writes a value into it.
            SecretSource::Command(_) => f.write_str("command"),
        }
    }
}

/// What is known of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SecretBinding {
    pub(crate) hosts: Vec<String>,
    pub(crate) source: SecretSource,
}

/// The secrets of this user.
#[derive(Debug, Clone)]
pub(crate) struct UserSecrets {
    data: PathBuf,
    registry: SecretRegistry,
    /// Variables that commands get besides.
    command_env: Vec<String>,
}

impl UserSecrets {
    pub(crate) fn of(config: &CliConfig) -> Self {
        Self {
            data: config.folders.data.clone(),
            registry: config.secrets.clone(),
            command_env: config.settings.items("key_commands.env").to_vec(),
        }
    }

    pub(crate) fn bindings(&self) -> Result<BTreeMap<String, SecretBinding>> {
        let path = self.data.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                CommandError::failed(format!("the list of secrets cannot be read: {error}"))
                    .at(path.display())
                    .cure("remove the file and set the secrets again")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(CommandError::file(&path, "read", &error)),
        }
    }

    /// Binds a secret; a value goes to the keyring.
    pub(crate) fn set(&self, name: &str, binding: SecretBinding, value: Option<&Secret>) -> Result<()> {
        if let Some(value) = value {
            self.keyring().set(name, value)?;
        }
        let mut bindings = self.bindings()?;
        bindings.insert(name.to_owned(), binding);
        self.write(&bindings)
    }

    /// Forgets a secret; says whether there was one.
    pub(crate) fn remove(&self, name: &str) -> Result<bool> {
        let mut bindings = self.bindings()?;
        let Some(binding) = bindings.remove(name) else { return Ok(false) };
        if binding.source == SecretSource::Keyring {
            self.keyring().remove(name)?;
        }
        self.write(&bindings).map(|()| true)
    }

    fn keyring(&self) -> Keyring {
        Keyring::of_secrets(&self.data)
    }

    fn write(&self, bindings: &BTreeMap<String, SecretBinding>) -> Result<()> {
        let path = self.data.join(FILE);
        let failed = |error: io::Error| CommandError::file(&path, "written", &error);
        private::make_folder(&self.data).map_err(failed)?;
        let text = serde_json::to_string_pretty(bindings).map_err(|error| {
            CommandError::failed(format!("the list of secrets cannot be written: {error}"))
        })?;
        let fresh = path.with_extension("json.new");
        private::write(&fresh, &text).and_then(|()| std::fs::rename(&fresh, &path)).map_err(failed)
    }

    /// Looks a value up. A keyring or a command may take seconds.
    fn find(&self, name: &str, host: &str) -> std::result::Result<Secret, LendRefusal> {
        let unreadable = |why: &dyn std::fmt::Display| LendRefusal::Unreadable {
            name: name.to_owned(),
            why: why.to_string(),
        };
        let bindings = self.bindings().map_err(|complaint| unreadable(&complaint.what()))?;
        let binding = bindings.get(name).ok_or_else(|| LendRefusal::Unknown(name.to_owned()))?;
        if !binding.hosts.iter().any(|own| own == host) {
            return Err(LendRefusal::OtherHost { name: name.to_owned(), host: host.to_owned() });
        }
        let value = match &binding.source {
            SecretSource::Keyring => {
                let kept = self.keyring().find(name).map_err(|complaint| unreadable(&complaint.what()))?;
                kept.ok_or_else(|| unreadable(&"the keyring does not have it"))?
            }
            SecretSource::Env(variable) => {
                let value =
                    std::env::var(variable).map_err(|_| unreadable(&format!("{variable} is not set")))?;
                Secret::new(value.trim())
            }
            SecretSource::Command(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let (program, args) =
                    words.split_first().ok_or_else(|| unreadable(&"its command is empty"))?;
                ask(program, args, &self.command_env).map_err(|failure| unreadable(&failure))?
            }
        };
        self.registry.add(value.clone());
        Ok(value)
    }
}

#[async_trait]
impl SecretsPort for UserSecrets {
    async fn lend(&self, name: &str, host: &str) -> std::result::Result<Secret, LendRefusal> {
        let (own, wanted, host) = (self.clone(), name.to_owned(), host.to_owned());
        let found = tokio::task::spawn_blocking(move || own.find(&wanted, &host)).await;
        found.unwrap_or_else(|error| {
            Err(LendRefusal::Unreadable { name: name.to_owned(), why: error.to_string() })
        })
    }
}
