//! `windlass models key set / remove / list`: keys in the system's keyring.

use std::io::{self, IsTerminal};

use console::Term;
use serde_json::json;
use windlass_core::text::secret::Secret;

use crate::args::{GlobalArgs, KeyCommand};
use crate::commands::models::known_provider;
use crate::commands::run::read_bounded;
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::providers::keyring::Keyring;
use crate::terminal::out::{print_json, print_line, tell};

pub(crate) fn run(global: &GlobalArgs, config: &CliConfig, command: &KeyCommand) -> Result<()> {
    let keyring = Keyring::of_user(&config.folders.data);
    match command {
        KeyCommand::Set { provider } => {
            let provider = known_provider(config, provider)?;
            keyring.set(&provider, &read_secret(&provider)?)?;
            print_line(&format!("the key of {provider} is in the keyring"))
        }
        KeyCommand::Remove { provider } => {
            if !keyring.remove(provider)? {
                return Err(CommandError::usage(format!("the keyring has no key of '{provider}'"))
                    .cure("windlass models key list"));
            }
            print_line(&format!("the key of {provider} is removed"))
        }
        KeyCommand::List => {
            let names = keyring.names()?;
            if global.json {
                return print_json(&json!(names));
            }
            if names.is_empty() {
                return print_line("no keys are stored; windlass models key set PROVIDER stores one");
            }
            names.iter().try_for_each(|name| print_line(name))
        }
    }
}

/// A key from stdin, or typed unseen.
pub(crate) fn read_secret(provider: &str) -> Result<Secret> {
    let text = if io::stdin().is_terminal() {
        tell(&format!("Key for {provider}: "));
        Term::stderr()
            .read_secure_line()
            .map_err(|error| CommandError::failed(format!("the key could not be read: {error}")))?
    } else {
        read_bounded(io::stdin().lock(), "stdin")?
    };
    match text.lines().next().map(str::trim) {
        None | Some("") => Err(CommandError::usage("the key is empty")),
        Some(key) => Ok(Secret::new(key)),
    }
}
