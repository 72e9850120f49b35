//! `windlass trust list / show / add / revoke`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_core::text::time::ago;
use windlass_core::text::{cut_chars, visible_line};
use windlass_engine::clock::Clock;

use crate::args::{GlobalArgs, TrustCommand};
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, Flags, Folders, ProcessEnvironment};
use crate::exit::Exit;
use crate::terminal::ask::{ask_line, can_ask};
use crate::terminal::out::{print, print_json, print_line, tell_line, warn};
use crate::terminal::table::lay_out;
use crate::trust::brought::{Brought, BroughtFile};
use crate::trust::trust_file::{TrustFile, TrustedFolder};
use crate::trust::{FolderTrust, TrustState};

/// Lines of a file that are shown: enough to see what it is about; an editor shows the rest.
const LINES_SHOWN_MAX: usize = 20;

/// Characters of each: a terminal's width and a half.
const LINE_CHARS_MAX: usize = 160;

pub(crate) fn run(global: &GlobalArgs, command: TrustCommand) -> Result<Exit> {
    match command {
        TrustCommand::List => list(global)?,
        TrustCommand::Show { path, content } => show(global, path, content)?,
        TrustCommand::Add { path, yes } => add(global, path, yes)?,
        TrustCommand::Revoke { path } => revoke(global, path)?,
    }
    Ok(Exit::Done)
}

/// What a folder brings, as the configuration of this moment reads it.
fn look(global: &GlobalArgs, path: Option<PathBuf>) -> Result<CliConfig> {
    let root = path.or_else(|| global.root.clone());
    let flags = Flags { global: GlobalArgs { root, ..global.clone() }, ..Flags::default() };
    CliConfig::resolve(&ProcessEnvironment::of_process(can_ask())?, &flags)
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

fn kind_of(trust: &FolderTrust, file: &BroughtFile) -> &'static str {
    let is_in = |folder: &str| trust.files_in(folder).any(|own| own.name == file.name);
    if is_in(&trust.modules) {
        "module"
    } else if is_in(&trust.tools) {
        "tool"
    } else {
        "file"
    }
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

/// What a folder brings, for people: each setting, each file with its size and, if wished, its first lines.
fn told(trust: &FolderTrust, content: bool) -> String {
    let mut text = format!("{}  {}\n", trust.root.display(), trust.state.word());
    match &trust.state {
        TrustState::Changed(changes) => {
            text.push_str("changed since it was trusted:\n");
            changes.iter().for_each(|change| text.push_str(&format!("  {}\n", visible_line(change))));
        }
        TrustState::Unreadable(why) => text.push_str(&format!("cannot be trusted: {why}\n")),
        TrustState::Trusted | TrustState::Untrusted => {}
    }
    if !trust.brings_something() {
        text.push_str("it brings nothing that needs trust\n");
        return text;
    }
    if !trust.settings.is_empty() {
        text.push_str("settings it makes:\n");
        let rows: Vec<[String; 2]> = trust
            .settings
            .iter()
            .map(|setting| [format!("  {}", setting.name), setting.value.clone()])
            .collect();
        text.push_str(&lay_out(&rows));
    }
    if !trust.brought.is_empty() {
        text.push_str("files it brings:\n");
    }
    for file in &trust.brought.files {
        let (kind, name, bytes) = (kind_of(trust, file), visible_line(&file.name), file.bytes.len());
        text.push_str(&format!("  {kind:<6}  {name}  {bytes} bytes\n"));
        if content {
            text.push_str(&first_lines(&file.bytes));
        }
    }
    text
}

fn first_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: String = text
        .lines()
        .take(LINES_SHOWN_MAX)
        .map(|line| format!("    │ {}\n", visible_line(cut_chars(line, LINE_CHARS_MAX))))
        .collect();
    let more = text.lines().count().saturating_sub(LINES_SHOWN_MAX);
    if more > 0 {
        lines.push_str(&format!("    … {more} more lines\n"));
    }
    lines
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
    // Just what was shown: the bytes were read once.
    let entry = TrustedFolder::of(&trust.root, &trust.brought, Clock::system().now_ms());
    TrustFile::read(&config.folders.data).0.put(entry)?;
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
