//! `windlass secrets list / set / remove`: secrets that tools may send to the hosts they are bound to.

use serde_json::json;

use crate::args::{GlobalArgs, SecretsCommand, SetSecretArgs};
use crate::commands::config::resolve;
use crate::commands::models::read_secret;
use crate::complaint::{CommandError, Result};
use crate::exit::Exit;
use crate::providers::user_secrets::{SecretBinding, SecretSource, UserSecrets};
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::table::lay_out;

pub(crate) fn run(global: &GlobalArgs, command: SecretsCommand) -> Result<Exit> {
    let secrets = UserSecrets::of(&resolve(global)?);
    match command {
        SecretsCommand::List => list(global, &secrets)?,
        SecretsCommand::Set(args) => set(&secrets, args)?,
        SecretsCommand::Remove { name } => {
            if !secrets.remove(&name)? {
                return Err(
                    CommandError::usage(format!("there is no secret '{name}'")).cure("windlass secrets list")
                );
            }
            print_line(&format!("the secret {name} is removed"))?;
        }
    }
    Ok(Exit::Done)
}

fn list(global: &GlobalArgs, secrets: &UserSecrets) -> Result<()> {
    let bindings = secrets.bindings()?;
    if global.json {
        let rows = bindings
            .iter()
            .map(|(name, own)| json!({"name": name, "hosts": own.hosts, "source": own.source.to_string()}));
        return print_json(&rows.collect::<Vec<_>>());
    }
    if bindings.is_empty() {
        return print_line("no secrets are kept; windlass secrets set NAME --host HOST keeps one");
    }
    let rows: Vec<_> = bindings
        .iter()
        .map(|(name, own)| [name.clone(), own.hosts.join(", "), own.source.to_string()])
        .collect();
    print(&lay_out(&rows))
}

fn set(secrets: &UserSecrets, args: SetSecretArgs) -> Result<()> {
    let SetSecretArgs { name, hosts, env, command } = args;
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    {
        return Err(CommandError::usage(format!("'{name}' is no name: letters, digits, '-' and '_' are")));
    }
    let hosts = hosts.iter().map(|host| host_of(host)).collect::<Result<Vec<_>>>()?;
    let source = match env {
        Some(variable) => SecretSource::Env(variable),
        None if command.is_empty() => SecretSource::Keyring,
        None => SecretSource::Command(command),
    };
    let value = if source == SecretSource::Keyring { Some(read_secret(&name)?) } else { None };
    let where_to = hosts.join(", ");
    secrets.set(&name, SecretBinding { hosts, source }, value.as_ref())?;
    print_line(&format!("{{{{secret:{name}}}}} is sent to {where_to} alone"))
}

/// A host as it is compared: lower case, no scheme and no path.
fn host_of(text: &str) -> Result<String> {
    let host = text.trim().to_ascii_lowercase();
    let is_host = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(is_host) {
        let what =
            format!("'{text}' is no host: a name is wanted, or an address, without scheme, path or '*'");
        return Err(CommandError::usage(what).cure("--host api.example.com"));
    }
    Ok(host)
}
