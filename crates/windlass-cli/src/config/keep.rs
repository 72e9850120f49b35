//! Keeps one setting in the user's file: all else in it stays to the letter, comments too.
//!
//! A file that cannot be read as a configuration, or that nobody may write, is left as it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::layer::{SettingLayer, read_file, read_toml};
use super::value::SettingValue;
use crate::complaint::{CommandError, Result};

/// Writes `group.field = "word"` into a configuration file; makes the file if there is none.
pub(crate) fn keep_word(path: &Path, group: &str, field: &str, word: &str) -> Result<()> {
    // A file that is a link stays one: what it points to is written.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let by_hand = || format!("write {field} = \"{word}\" below [{group}] in it yourself");
    let failed = |error: io::Error| CommandError::file(path, "written", &error).cure(by_hand());
    let known = read_file(&place, false)?;
    if fs::metadata(&place).is_ok_and(|facts| facts.permissions().readonly()) {
        return Err(failed(io::ErrorKind::PermissionDenied.into()));
    }
    let text = match &known {
        Some(_) => fs::read_to_string(&place).map_err(failed)?,
        None => String::new(),
    };
    let changed = with_word(&text, group, field, word);
    let mut wanted = values(&known.unwrap_or_default());
    wanted.retain(|(name, _)| *name != format!("{group}.{field}"));
    wanted.push((format!("{group}.{field}"), SettingValue::Text(word.to_owned())));
    wanted.sort_by(|one, other| one.0.cmp(&other.0));
    // Whatever the file looks like: only a text that says the old settings and this one takes its place.
    if read_toml(&place, &changed, false).map(|layer| values(&layer)).ok() != Some(wanted) {
        let what = format!("the setting '{group}.{field}' finds no place in the configuration file");
        return Err(CommandError::failed(what).at(path.display()).cure(by_hand()));
    }
    replace(&place, &changed).map_err(failed)
}

fn values(layer: &SettingLayer) -> Vec<(String, SettingValue)> {
    layer.iter().map(|(name, setting)| (name.clone(), setting.value.clone())).collect()
}

/// The text with the setting in the place of its old value, below the heading of its group, or at the end.
fn with_word(text: &str, group: &str, field: &str, word: &str) -> String {
    if let Some(span) = value_span(text, group, field) {
        let (before, after) = (text.get(..span.start), text.get(span.end..));
        return [before.unwrap_or_default(), &format!("\"{word}\""), after.unwrap_or_default()].concat();
    }
    let line = format!("{field} = \"{word}\"\n");
    let heading = format!("[{group}]");
    let mut end = 0;
    for own in text.split_inclusive('\n') {
        end += own.len();
        if own.split('#').next().is_some_and(|start| start.trim() == heading) {
            let (before, after) = (text.get(..end).unwrap_or(text), text.get(end..));
            let gap = if before.ends_with('\n') { "" } else { "\n" };
            return [before, gap, &line, after.unwrap_or_default()].concat();
        }
    }
    let gap = match text {
        "" => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{heading}\n{line}")
}

/// Where the value of a setting stands, if it is set.
fn value_span(text: &str, group: &str, field: &str) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    match document.get_ref().get(group)?.get_ref() {
        DeValue::Table(own) => own.get(field).map(|value| value.span()),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => None,
    }
}

/// Puts a text in the place of a file in one go: a full disk or a lost process leaves the old one.
fn replace(place: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = place.parent() {
        super::private::make_folder(folder)?;
    }
    let fresh = fresh_beside(place);
    let written = write_fresh(&fresh, place, text).and_then(|()| fs::rename(&fresh, place));
    if written.is_err() {
        // What could not be written whole is worth nothing, and what it was meant for is still there.
        let _ = fs::remove_file(&fresh);
    }
    written
}

fn fresh_beside(place: &Path) -> PathBuf {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    place.with_file_name(name)
}

fn write_fresh(fresh: &Path, place: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    // Keys of providers may stand in it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(fresh)?;
    if let Ok(facts) = fs::metadata(place) {
        file.set_permissions(facts.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
