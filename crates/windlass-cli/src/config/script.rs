//! A script as a layer: its header says how it wants to be played.

use std::path::Path;

use windlass_scripted::{Script, ScriptHappening, ScriptHeader};

use super::key;
use super::layer::SettingLayer;
use super::regular::{FileOrigin, read_text};
use super::value::{Setting, SettingKind, SettingSource, SettingValue};
use crate::complaint::{CommandError, Result};
use crate::terminal::nearest::did_you_mean;

/// What stands before the file of a script.
const PREFIX: &str = "scripted/";

/// Largest script that is read.
const SCRIPT_BYTES_MAX: u64 = 16 << 20;

/// Reads the script of a model that is one.
pub(crate) fn load(model: &str, folder: &Path) -> Result<Option<Script>> {
    let Some(file) = model.strip_prefix(PREFIX) else { return Ok(None) };
    let path = folder.join(file);
    let unread = |error: std::io::Error| {
        CommandError::usage(format!("the script '{file}' cannot be read: {error}"))
            .at(format!("--model {model}"))
            .cure("scripted/ is followed by a file, seen from the current folder")
    };
    // The user named it; a link is as good as a file.
    let text = read_text(&path, SCRIPT_BYTES_MAX, FileOrigin::User).map_err(unread)?;
    let script = Script::parse(file, &text).map_err(|error| {
        let place = format!("{}:{}:{}", error.script, error.line, error.column);
        let meant = error.suggestion.map_or_else(String::new, |word| format!(" (did you mean '{word}'?)"));
        CommandError::usage(error.message).at(place).cure(format!("{}{meant}", error.expected))
    })?;
    Ok(Some(script))
}

/// Reads the script of a model that is one, seen from the current folder.
pub(crate) fn load_here(model: &str) -> Result<Option<Script>> {
    load(model, Path::new("."))
}

/// Whether the script answers questions itself.
pub(crate) fn has_answers(script: &Script) -> bool {
    script.lines.iter().any(|line| matches!(line.happening, ScriptHappening::Answer { .. }))
}

/// The settings of a header.
pub(crate) fn read_header(name: &str, header: &ScriptHeader) -> Result<SettingLayer> {
    let mut layer = SettingLayer::new();
    let mut put = |key: &str, value: SettingValue| {
        if let Some(key) = key::find(key) {
            layer.insert(key.name.clone(), Setting::new(value, SettingSource::Script(name.to_owned())));
        }
    };
    if let Some(profile) = &header.profile {
        put("profile", SettingValue::Text(profile.clone()));
    }
    if let Some(root) = &header.root {
        put("root", SettingValue::Text(root.clone()));
    }
    if let Some(approve) = header.approve {
        put("approve", SettingValue::Text(approve.word().to_owned()));
    }
    if let Some(steps_max) = header.steps_max {
        put("limits.steps_max", SettingValue::Count(steps_max.into()));
    }
    for (limit, count) in &header.limits {
        let full = format!("{}{limit}", key::LIMITS);
        match key::find(&full).map(|key| key.kind) {
            Some(
                SettingKind::Count | SettingKind::CountOrNone | SettingKind::Millis | SettingKind::Dollars,
            ) => put(&full, SettingValue::Count(*count)),
            Some(_) | None => return Err(unknown_limit(name, limit)),
        }
    }
    Ok(layer)
}

fn unknown_limit(script: &str, limit: &str) -> CommandError {
    let names = key::names().filter_map(|name| name.strip_prefix(key::LIMITS));
    let cure = did_you_mean(limit, names);
    CommandError::usage(format!("there is no limit '{limit}'"))
        .at(format!("script {script}, header line 'limit {limit} …'"))
        .cure(cure.unwrap_or_else(|| "windlass config explain limits".into()))
}
