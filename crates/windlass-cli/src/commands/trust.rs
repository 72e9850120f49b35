//! `windlass trust list / show / add / revoke`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_core::text::time::ago;
use windlass_engine::clock::Clock;

use crate::args::{GlobalArgs, TrustCommand};
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, Folders};
use crate::exit::Exit;
use crate::terminal::ask::ask_line;
use crate::terminal::out::{print, print_json, print_line, tell_line, warn};
use crate::terminal::table::lay_out;
use crate::trust::brought::Brought;
use crate::trust::looked_at::{self, kind_of, look, told};
use crate::trust::trust_file::{TrustFile, TrustedFolder};
use crate::trust::{FolderTrust, TrustState};

pub(crate) fn run(global: &GlobalArgs, command: TrustCommand) -> Result<Exit> {
    match command {
        TrustCommand::List => list(global)?,
        TrustCommand::Show { path, content } => show(global, path, content)?,
        TrustCommand::Add { path, yes } => add(global, path, yes)?,
        TrustCommand::Revoke { path } => revoke(global, path)?,
    }
    Ok(Exit::Done)
}

fn list(global: &GlobalArgs) -> Result<()> {
    let folders = Folders::of_user(global.config.as_deref(), global.data.as_deref())?;
    let (file, warning) = TrustFile::read(&folders.data);
    warning.iter().for_each(|warning| warn(warning));
    let now_ms = Clock::system().now_ms();
    if global.json {
        let rows = file.folders().iter().map(|own| {
            json!({
                "root": own.root, "state": state_of(own), "digest": own.digest, "trusted_ms": own.trusted_ms,
            })
        });
        return print_json(&rows.collect::<Vec<_>>());
    }
    if file.folders().is_empty() {
        return print_line("no folder is trusted; windlass trust add trusts the one you are in");
    }
    let rows: Vec<[String; 3]> = file
        .folders()
        .iter()
        .map(|own| [own.root.clone(), state_of(own).to_owned(), ago(now_ms, own.trusted_ms)])
        .collect();
    print(&lay_out(&rows))
}

/// Whether a folder is as it was when it was trusted, as far as its `.windlass` says.
fn state_of(own: &TrustedFolder) -> &'static str {
    let root = Path::new(&own.root);
    if !root.is_dir() {
        return "gone";
    }
    let Ok(brought) = Brought::read(root) else { return "unreadable" };
    let is_same = brought.files.iter().all(|file| own.files.get(&file.name) == Some(&file.sha256))
        && own.files.keys().all(|name| root.join(name).is_file());
    if is_same { "trusted" } else { "changed" }
}

fn show(global: &GlobalArgs, path: Option<PathBuf>, content: bool) -> Result<()> {
    let config = look(global, path)?;
    let trust = &config.trust;
    if global.json {
        return print_json(&to_json(trust));
    }
    tell_refused(&config);
    print(&told(trust, content))
}

/// What a project says and may not, beside what it brings.
fn tell_refused(config: &CliConfig) {
    let notice = config.trust.notice();
    config
        .warnings
        .iter()
        .filter(|warning| Some(*warning) != notice.as_ref())
        .for_each(|warning| warn(warning));
}

fn to_json(trust: &FolderTrust) -> Value {
    let settings: Vec<Value> =
        trust.settings.iter().map(|setting| json!({"name": setting.name, "value": setting.value})).collect();
    let files: Vec<Value> = trust
        .brought
        .files
        .iter()
        .map(|file| {
            json!({"name": file.name, "kind": kind_of(trust, file), "bytes": file.bytes.len(), "sha256": file.sha256})
        })
        .collect();
    let mut value = json!({
        "root": trust.root.display().to_string(), "state": trust.state.word(), "digest": trust.brought.digest(),
        "settings": settings, "files": files,
    });
    if let Value::Object(fields) = &mut value {
        match &trust.state {
            TrustState::Changed(changes) => drop(fields.insert("changes".into(), json!(changes))),
            TrustState::Unreadable(why) => drop(fields.insert("reason".into(), json!(why))),
            TrustState::Trusted | TrustState::Untrusted => {}
        }
    }
    value
}

fn add(global: &GlobalArgs, path: Option<PathBuf>, yes: bool) -> Result<()> {
    let config = look(global, path)?;
    let trust = &config.trust;
    tell_refused(&config);
    if let TrustState::Unreadable(why) = &trust.state {
        return Err(
            CommandError::failed(format!("this folder cannot be trusted: {why}")).at(trust.root.display())
        );
    }
    if !trust.brings_something() || trust.is_trusted() {
        let why = if trust.is_trusted() { "is trusted already" } else { "brings nothing that needs trust" };
        return print_line(&format!("{} {why}", trust.root.display()));
    }
    let shown = told(trust, false);
    if !yes {
        tell_line(&shown);
        let typed = ask_line(
            "Trust this folder as it is now? Its settings, modules and tools count from the next start on. Type yes: ",
        );
        match typed.as_deref().map(str::trim) {
            Some(word) if word.eq_ignore_ascii_case("yes") => {}
            Some(_) => return Err(CommandError::failed("the folder is not trusted: that was not yes")),
            None => {
                return Err(CommandError::usage("nobody can be asked here, so the folder is not trusted")
                    .cure("windlass trust add --yes"));
            }
        }
    }
    looked_at::keep(&config)?;
    if global.json {
        return print_json(
            &json!({"root": trust.root.display().to_string(), "digest": trust.brought.digest()}),
        );
    }
    let shown = if yes { shown } else { String::new() };
    print(&format!("{shown}trusted: {}\n", trust.root.display()))?;
    tell_line("programs that run already take it in when they are started again");
    Ok(())
}

fn revoke(global: &GlobalArgs, path: Option<PathBuf>) -> Result<()> {
    let folders = Folders::of_user(global.config.as_deref(), global.data.as_deref())?;
    let wanted = path.or_else(|| global.root.clone()).unwrap_or_else(|| PathBuf::from("."));
    // A folder that is gone can only be meant by its name.
    let root = wanted.canonicalize().unwrap_or_else(|_| wanted.clone()).display().to_string();
    let was_there = TrustFile::read(&folders.data).0.remove(&root)?;
    if !was_there {
        return Err(CommandError::usage(format!("{root} is not trusted")).cure("windlass trust list"));
    }
    if global.json {
        return print_json(&json!({"root": root}));
    }
    print_line(&format!("no longer trusted: {root}"))
}
