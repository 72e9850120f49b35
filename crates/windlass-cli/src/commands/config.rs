//! `windlass config explain / path / init`.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::args::{ConfigCommand, GlobalArgs};
use crate::complaint::{CommandError, Result};
use crate::config::{
    CliConfig, Flags, Folders, KEYS, PROVIDERS, ProcessEnvironment, find_key, key_names, private,
    project_file, template,
};
use crate::exit::Exit;
use crate::terminal::ask::can_ask;
use crate::terminal::nearest::did_you_mean;
use crate::terminal::out::{print, print_json, print_line, warn};
use crate::terminal::table::lay_out;

pub(crate) fn run(global: &GlobalArgs, command: &ConfigCommand) -> Result<Exit> {
    match command {
        ConfigCommand::Explain { key } => explain(global, key.as_deref())?,
        ConfigCommand::Path => path(global)?,
        ConfigCommand::Init => init(global)?,
    }
    Ok(Exit::Done)
}

/// The configuration, its warnings told.
pub(crate) fn resolve(global: &GlobalArgs) -> Result<CliConfig> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let config = CliConfig::resolve(&ProcessEnvironment::of_process(can_ask())?, &flags)?;
    if !global.quiet {
        config.warnings.iter().for_each(|warning| warn(warning));
    }
    Ok(config)
}

fn explain(global: &GlobalArgs, wanted: Option<&str>) -> Result<()> {
    let config = resolve(global)?;
    let is_wanted = |name: &str| match wanted {
        None => true,
        Some(wanted) => name == wanted || name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.')),
    };
    let mut rows = Vec::new();
    let mut settings = Map::new();
    let plain = KEYS.iter().filter(|key| !key.is_pattern());
    let plain = plain.map(|key| (key.name.as_str(), config.settings.get(&key.name), key.is_project_only));
    let of_providers = config.settings.group(PROVIDERS).map(|(name, setting)| (name, Some(setting), false));
    for (name, setting, is_project_only) in plain.chain(of_providers).filter(|(name, ..)| is_wanted(name)) {
        let (value, json, source) = match setting {
            Some(setting) => (setting.value.to_string(), setting.value.to_json(), setting.source.to_string()),
            None if is_project_only => continue,
            None => ("(none)".into(), Json::Null, "default".into()),
        };
        settings.insert(name.to_owned(), json!({"value": json, "source": source}));
        rows.push([name.to_owned(), value, source]);
    }
    if rows.is_empty() && wanted.is_some_and(|wanted| find_key(wanted).is_none()) {
        let wanted = wanted.unwrap_or_default();
        let cure = did_you_mean(wanted, key_names());
        return Err(CommandError::usage(format!("there is no setting '{wanted}'"))
            .cure(cure.unwrap_or_else(|| "windlass config explain lists all settings".into())));
    }
    if global.json { print_json(&settings) } else { print(&lay_out(&rows)) }
}

fn path(global: &GlobalArgs) -> Result<()> {
    let config = resolve(global)?;
    let folders = &config.folders;
    let places = [
        ("config", folders.config_file.clone()),
        ("policies", folders.policies_file.clone()),
        ("data", folders.data.clone()),
        ("audit", folders.audit_file()),
        ("root", config.root.clone()),
        ("project", project_file(&config.root)),
    ];
    if global.json {
        let places: Map<String, Json> = places
            .into_iter()
            .map(|(name, path)| (name.to_owned(), json!(path.display().to_string())))
            .collect();
        return print_json(&places);
    }
    let rows = places.map(|(name, path)| {
        let note = if path.exists() { "" } else { "(not there)" };
        [name.to_owned(), path.display().to_string(), note.to_owned()]
    });
    print(&lay_out(&rows))
}

fn init(global: &GlobalArgs) -> Result<()> {
    let folders = Folders::of_user(global.config.as_deref(), global.data.as_deref())?;
    let path = &folders.config_file;
    let failed = |error: io::Error| CommandError::file(path, "written", &error);
    if let Some(folder) = path.parent() {
        private::make_folder(folder).map_err(failed)?;
    }
    // Keys of providers will stand in it.
    let mut file = match private::options().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let what = format!("there is already a configuration file {}", path.display());
            return Err(CommandError::usage(what).cure("edit it, or move it away first"));
        }
        opened => opened.map_err(failed)?,
    };
    file.write_all(template().as_bytes()).map_err(failed)?;
    print_line(&format!("wrote {}", path.display()))
}
