//! A folder looked at for its user: what it brings, told in words, and trusted as it was told. Every front end does it here.

use std::path::PathBuf;

use windlass_core::text::{cut_chars, visible_line};
use windlass_engine::clock::Clock;

use super::brought::BroughtFile;
use super::trust_file::{TrustFile, TrustedFolder};
use super::{FolderTrust, TrustState};
use crate::args::GlobalArgs;
use crate::complaint::Result;
use crate::config::{CliConfig, Flags, ProcessEnvironment};
use crate::terminal::ask::can_ask;
use crate::terminal::table::lay_out;

/// Lines of a file that are shown: enough to see what it is about; an editor shows the rest.
const LINES_SHOWN_MAX: usize = 20;

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
