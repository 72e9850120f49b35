//! A folder looked at for its user: what it brings, told in words, and trusted as it was told. Every front end does it here.

use std::path::PathBuf;

use windlass_core::text::{cut_chars, visible_line};
use windlass_engine::clock::Clock;

use super::brought::BroughtFile;
use super::trust_file::{TrustFile, TrustedFolder};
use super::{FolderTrust, TrustState};
use crate::args::GlobalArgs;
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, Flags, ProcessEnvironment};
use crate::terminal::ask::can_ask;
use crate::terminal::table::lay_out;

/// Lines of a file that are shown: enough to see what it is about; an editor shows the rest.
pub(super) const LINES_SHOWN_MAX: usize = 20;

/// Characters of each: a terminal's width and a half.
const LINE_CHARS_MAX: usize = 160;

/// What a folder brings, as the configuration of this moment reads it.
pub(crate) fn look(global: &GlobalArgs, path: Option<PathBuf>) -> Result<CliConfig> {
    let root = path.or_else(|| global.root.clone());
    let flags = Flags { global: GlobalArgs { root, ..global.clone() }, ..Flags::default() };
    CliConfig::resolve(&ProcessEnvironment::of_process(can_ask())?, &flags)
}

/// Trusts a folder just as it was looked at: its bytes were read once.
pub(crate) fn keep(seen: &CliConfig) -> Result<()> {
    let trust = &seen.trust;
    let entry = TrustedFolder::of(&trust.root, &trust.brought, Clock::system().now_ms());
    TrustFile::read(&seen.folders.data).0.put(entry)
}

/// Trusts a folder if it is as it was when its digest was shown. Else why not.
pub(crate) fn keep_shown(seen: &CliConfig, digest: &str) -> std::result::Result<(), KeepFault> {
    let (trust, root) = (&seen.trust, seen.trust.root.display());
    if trust.brought.digest() != digest {
        return Err(KeepFault::Changed(format!("{root} has changed since it was shown")));
    }
    if let TrustState::Unreadable(why) = &trust.state {
        return Err(KeepFault::Untrustable(format!("{root} cannot be trusted: {why}")));
    }
    keep(seen).map_err(KeepFault::Failed)
}

/// Why a folder is not trusted as it was shown.
#[derive(Debug)]
pub(crate) enum KeepFault {
    Changed(String),
    Untrustable(String),
    Failed(CommandError),
}

/// Trusts a folder no longer; whether it was trusted.
pub(crate) fn revoke(seen: &CliConfig) -> Result<bool> {
    TrustFile::read(&seen.folders.data).0.remove(&seen.trust.root.display().to_string())
}

/// What one of its files is.
pub(crate) fn kind_of(trust: &FolderTrust, file: &BroughtFile) -> &'static str {
    let is_in = |folder: &str| trust.files_in(folder).any(|own| own.name == file.name);
    if is_in(&trust.modules) {
        "module"
    } else if is_in(&trust.tools) {
        "tool"
    } else {
        "file"
    }
}

/// What a folder brings, for people: each setting, each file with its size and, if wished, its first lines.
pub(crate) fn told(trust: &FolderTrust, content: bool) -> String {
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
    let (lines, more) = head(bytes, LINES_SHOWN_MAX);
    let mut text: String = lines.iter().map(|line| format!("    │ {line}\n")).collect();
    if more > 0 {
        text.push_str(&format!("    … {more} more lines\n"));
    }
    text
}

/// The first lines of a file with everything in them visible, and how many come after them.
pub(super) fn head(bytes: &[u8], lines_max: usize) -> (Vec<String>, usize) {
    let text = String::from_utf8_lossy(bytes);
    let shown = |line: &str| visible_line(cut_chars(line, LINE_CHARS_MAX)).into_owned();
    let lines = text.lines().take(lines_max).map(shown).collect();
    (lines, text.lines().count().saturating_sub(lines_max))
}
