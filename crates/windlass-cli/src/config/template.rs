//! The first configuration file: everything in it, everything commented out.

use std::fmt::Write;

use serde_json::Value as Json;
use windlass_core::limits::Limits;

use super::key::{ANY_PROVIDER, KEYS, LIMITS, SettingKey};
use super::value::SettingKind;

/// The text of a first `config.toml`.
pub(crate) fn template() -> String {
    let limits = serde_json::to_value(Limits::default()).unwrap_or_default();
    let mut text = String::from(
        "# Configuration of windlass. Take out a '#' to set something; what is not set has its default.\n\
         # `windlass config explain` shows every setting with its value and where it comes from.\n",
    );
    let mut group = "";
    for key in KEYS.iter().filter(|key| !key.is_project_only) {
        let (own, field) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        if own != group {
            group = own;
            // An empty table of a provider would be a provider without an address.
            let mark = if key.is_pattern() { "#" } else { "" };
            let _ = write!(text, "\n{}{mark}[{group}]\n", heading(key));
        }
        if !key.about.is_empty() {
            let _ = writeln!(text, "# {}", about(key));
        }
        let _ = writeln!(text, "#{field} = {}", example(key, &limits));
    }
    text
}

/// What a group needs to be said about it.
fn heading(key: &SettingKey) -> &'static str {
    if key.name.starts_with(ANY_PROVIDER) {
        "# A provider of `windlass models list`, or a server of yours under a name of its own:\n"
    } else {
        ""
    }
}

fn about(key: &SettingKey) -> String {
    match key.kind {
        SettingKind::Word(words) => format!("{}: {}", key.about, words.join(", ")),
        SettingKind::Text
        | SettingKind::Secret
        | SettingKind::Truth
        | SettingKind::Count
        | SettingKind::CountOrNone
        | SettingKind::Millis
        | SettingKind::Dollars
        | SettingKind::Number(..)
        | SettingKind::Table
        | SettingKind::Secrets
        | SettingKind::List => key.about.to_owned(),
    }
}

fn example(key: &SettingKey, limits: &Json) -> String {
    let limit = key.name.strip_prefix(LIMITS).and_then(|field| limits.get(field));
    match (limit, key.kind) {
        (Some(limit), _) if !limit.is_null() => limit.to_string(),
        (_, SettingKind::CountOrNone | SettingKind::Dollars) => "\"none\"".into(),
        (_, SettingKind::Count | SettingKind::Millis) => "0".into(),
        (_, SettingKind::Truth) => "false".into(),
        (_, SettingKind::Number(..)) => "1.0".into(),
        (_, SettingKind::List) => "[]".into(),
        (_, SettingKind::Table | SettingKind::Secrets) => "{}".into(),
        (_, SettingKind::Word(words)) => format!("\"{}\"", words.first().copied().unwrap_or_default()),
        (_, SettingKind::Text | SettingKind::Secret) => "\"\"".into(),
    }
}
