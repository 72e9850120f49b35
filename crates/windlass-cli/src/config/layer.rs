//! The layers of the configuration, each read for itself: files, environment.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::key::{self, KEYS, SettingKey};
use super::regular::{FileOrigin, read_text};
use super::value::{Setting, SettingKind, SettingSource, SettingValue};
use crate::complaint::{CommandError, Result};
use crate::terminal::nearest::{did_you_mean, nearest};

/// Largest configuration file that is read: ours has a few kilobytes.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 20;

/// Variables of ours that are no keys.
const OTHER_VARIABLES: [&str; 4] = ["WINDLASS_CONFIG", "WINDLASS_DATA", "WINDLASS_LOG", "WINDLASS_TOKEN"];

/// The other name of the switch, as it stands in existing environments.
const TOOL_LOOP_V2: &str = "TOOL_LOOP_V2";

/// Variables of OpenTelemetry, and our settings that they mean.
const OTEL_VARIABLES: [(&str, &str); 3] = [
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
    ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "telemetry.otlp_endpoint"),
    ("OTEL_SERVICE_NAME", "telemetry.service_name"),
];

/// The headers of an export, `name=value` between commas.
const OTEL_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Whether OpenTelemetry is off, whatever else is said.
const OTEL_DISABLED: &str = "OTEL_SDK_DISABLED";

/// Settings of one origin.
pub(crate) type SettingLayer = BTreeMap<String, Setting>;

/// Reads a configuration file; `None` when there is none.
pub(crate) fn read_file(path: &Path, is_project: bool) -> Result<Option<SettingLayer>> {
    let unread = |error: io::Error| CommandError::file(path, "read", &error).into_usage();
    let origin = if is_project { FileOrigin::Project } else { FileOrigin::User };
    let text = match read_text(path, FILE_BYTES_MAX, origin) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        read => read.map_err(unread)?,
    };
    read_toml(path, &text, is_project).map(Some)
}

/// Reads the text of a configuration file.
pub(crate) fn read_toml(path: &Path, text: &str, is_project: bool) -> Result<SettingLayer> {
    let document = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        CommandError::usage(format!(
            "the configuration file is no TOML: {}",
            error.message().replace('\n', ", ")
        ))
        .at(format!("{}:{line}", path.display()))
        .cure("a line is a key, '=' and a value, such as  model = \"scripted/FILE\"")
    })?;
    let mut file = FileReader { path, text, is_project, layer: SettingLayer::new() };
    file.take_table("", document.get_ref())?;
    Ok(file.layer)
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

/// A file on its way to a layer.
struct FileReader<'a> {
    path: &'a Path,
    text: &'a str,
    is_project: bool,
    layer: SettingLayer,
}

impl FileReader<'_> {
    fn take_table(&mut self, prefix: &str, table: &DeTable<'_>) -> Result<()> {
        for (name, value) in table {
            let line = line_of(self.text, name.span().start);
            let full = format!("{prefix}{}", name.get_ref());
            match (key::find(&full), value.get_ref()) {
                (Some(key), value) => self.take_value(key, full, value, line)?,
                (None, DeValue::Table(inner)) if is_group(&full) => {
                    self.take_table(&format!("{full}."), inner)?
                }
                (None, _) => return Err(self.unknown(&full, line)),
            }
        }
        Ok(())
    }

    fn take_value(
        &mut self,
        key: &'static SettingKey,
        name: String,
        value: &DeValue<'_>,
        line: usize,
    ) -> Result<()> {
        let place = format!("{}:{line}", self.path.display());
        if key.is_project_only && !self.is_project {
            return Err(CommandError::usage(format!(
                "'{}' belongs in a project's .windlass/config.toml",
                key.name
            ))
            .at(place)
            .cure("for rules of your own: windlass policy deny RULE"));
        }
        let Some(value) = key.kind.read_toml(value) else {
            let what = format!("'{name}' must be {}", key.kind.expected());
            return Err(CommandError::usage(what).at(place));
        };
        let source = SettingSource::File(self.path.to_path_buf(), line);
        self.layer.insert(name, Setting::new(value, source));
        Ok(())
    }

    fn unknown(&self, name: &str, line: usize) -> CommandError {
        let cure = match key::split_provider(name) {
            Some((provider, _)) => {
                let own = |key: &str| key.replacen("NAME", provider, 1);
                let names: Vec<String> =
                    key::names().filter(|key| key.starts_with(key::ANY_PROVIDER)).map(own).collect();
                did_you_mean(name, names.iter().map(String::as_str))
            }
            None => did_you_mean(name, key::names()),
        };
        CommandError::usage(format!("there is no setting '{name}'"))
            .at(format!("{}:{line}", self.path.display()))
            .cure(cure.unwrap_or_else(|| "windlass config explain lists all settings".into()))
    }
}

/// Whether keys begin with this name and a dot.
fn is_group(name: &str) -> bool {
    let is_provider = name.strip_prefix(key::PROVIDERS).is_some_and(|name| !name.contains('.'));
    is_provider || key::names().any(|key| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Reads the environment. Unknown variables of ours are no error, for a later version may know them,
/// but they are said.
pub(crate) fn read_environment(
    vars: &BTreeMap<String, String>,
    warnings: &mut Vec<String>,
) -> Result<SettingLayer> {
    let mut layer = SettingLayer::new();
    if let Some(text) = vars.get(TOOL_LOOP_V2) {
        // Anything but a word for yes is no, as existing environments have it.
        let truth = SettingKind::Truth.read_text(text) == Some(SettingValue::Truth(true));
        let source = SettingSource::Environment(TOOL_LOOP_V2.into());
        layer.insert("tool_loop_v2".into(), Setting::new(SettingValue::Truth(truth), source));
    }
    read_otel(vars, &mut layer);
    for key in KEYS.iter().filter(|key| !key.is_project_only && !key.is_pattern()) {
        let variable = key.variable();
        if let Some(text) = vars.get(&variable).filter(|text| !text.is_empty()) {
            let setting = read_variable(key, &key.name, variable, text)?;
            layer.insert(key.name.clone(), setting);
        }
    }
    for (variable, text) in vars.iter().filter(|(_, text)| !text.is_empty()) {
        if let Some((key, name)) = provider_variable(variable) {
            let setting = read_variable(key, &name, variable.clone(), text)?;
            layer.insert(name, setting);
        }
    }
    warnings.extend(vars.keys().filter_map(|name| unknown_variable(name)));
    Ok(layer)
}

/// What an environment that was made for OpenTelemetry says; our own variables are stronger.
fn read_otel(vars: &BTreeMap<String, String>, layer: &mut SettingLayer) {
    let is_off = vars.get(OTEL_DISABLED).is_some_and(|text| text.trim().eq_ignore_ascii_case("true"));
    for (variable, name) in OTEL_VARIABLES {
        if let Some(text) = vars.get(variable).filter(|text| !text.is_empty()) {
            let setting =
                Setting::new(SettingValue::Text(text.clone()), SettingSource::Environment(variable.into()));
            layer.insert(name.into(), setting);
        }
    }
    if let Some(text) = vars.get(OTEL_HEADERS) {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        let fields = pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().into())).collect();
        let setting =
            Setting::new(SettingValue::Secrets(fields), SettingSource::Environment(OTEL_HEADERS.into()));
        layer.insert("telemetry.headers".into(), setting);
    }
    if is_off {
        let setting =
            Setting::new(SettingValue::Text(String::new()), SettingSource::Environment(OTEL_DISABLED.into()));
        layer.insert("telemetry.otlp_endpoint".into(), setting);
    }
}

fn read_variable(key: &SettingKey, name: &str, variable: String, text: &str) -> Result<Setting> {
    let Some(value) = key.kind.read_text(text) else {
        let shown = if matches!(key.kind, SettingKind::Secret | SettingKind::Secrets) { "***" } else { text };
        let what = format!("'{name}' must be {}, not '{shown}'", key.kind.expected());
        return Err(CommandError::usage(what).at(format!("environment {variable}")));
    };
    Ok(Setting::new(value, SettingSource::Environment(variable)))
}

/// The provider's key that a variable means: `WINDLASS_PROVIDERS_MY_BOX_BASE_URL` is
/// `providers.my-box.base_url`.
fn provider_variable(variable: &str) -> Option<(&'static SettingKey, String)> {
    let rest = variable.strip_prefix("WINDLASS_PROVIDERS_")?;
    let fits = |key: &&'static SettingKey| {
        let field = key.name.strip_prefix(key::ANY_PROVIDER)?;
        let provider = rest.strip_suffix(&field.to_ascii_uppercase())?.strip_suffix('_')?;
        (!provider.is_empty()).then(|| {
            let provider = provider.to_ascii_lowercase().replace('_', "-");
            (*key, format!("{}{provider}.{field}", key::PROVIDERS))
        })
    };
    KEYS.iter().find_map(|key| fits(&key))
}

fn unknown_variable(name: &str) -> Option<String> {
    let is_known = |name: &str| {
        let is_plain = |key: &SettingKey| !key.is_project_only && !key.is_pattern() && key.variable() == name;
        KEYS.iter().any(is_plain) || provider_variable(name).is_some()
    };
    if !name.starts_with("WINDLASS_") || OTHER_VARIABLES.contains(&name) || is_known(name) {
        return None;
    }
    let variables: Vec<String> =
        KEYS.iter().filter(|key| !key.is_project_only).map(SettingKey::variable).collect();
    let meant = nearest(name, variables.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
    Some(format!("the environment variable {name} is not known and was ignored{meant}"))
}
