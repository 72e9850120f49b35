//! The configuration: defaults, then the user's file, the project's file, the environment, the header of
//! a script and flags, each stronger than the one before, each value with its source.
//!
//! Only this part of the house reads files of settings and the environment; all others get plain values.
//!
//! - `duration`: durations as people write them: `500ms`, `5s`, `2m`, `1h30m`
//! - `endpoint`: what the configuration says about models and their endpoints, as the model wires take it
//! - `folders`: where the files are: the XDG folders, or what flags say
//! - `keep`: keeps one setting in the user's file: all else in it stays to the letter, comments too
//! - `key`: every key of the configuration: what kind of value it has, and what a project may do with it
//! - `layer`: the layers of the configuration, each read for itself: files, environment
//! - `limits`: those of the profile first, then what was set
//! - `module`: a module is a model to whoever names one, but stands before another
//! - `private`: folders and files that their owner alone can read
//! - `project`: what a project's own file may change
//! - `regular`: files of a folder, opened so that none makes the program wait
//! - `script`: a script as a layer: its header says how it wants to be played
//! - `search`: the server that is configured, else one that a key in the environment opens
//! - `secrets`: which values of the configuration are secret: all of them are registered as soon as they are read
//! - `template`: the first configuration file: everything in it, everything commented out
//! - `token`: tokens of servers, in files that only their owner should read
//! - `value`: its value, what kind of value it must be, and where it came from

pub(crate) mod duration;
mod endpoint;
mod folders;
mod keep;
mod key;
mod layer;
mod limits;
mod module;
pub(crate) mod private;
mod project;
pub(crate) mod regular;
mod script;
mod search;
mod secrets;
mod template;
pub(crate) mod token;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Number;
use windlass_core::permission::{ApproveMode, TaintMode};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;
use windlass_modules::{Module, fit_profile};
use windlass_scripted::Script;
use windlass_tools::SearchBackendKind;

pub(crate) use self::folders::{Folders, PROJECT_FILE, project_file};
pub(crate) use self::keep::keep_word;
pub(crate) use self::key::{
    EFFORT_WORDS, KEYS, MECHANISM_WORDS, PROVIDERS, SANDBOX_WORDS, find as find_key, names as key_names,
};
use self::layer::SettingLayer;
pub(crate) use self::script::load_here as load_script;
pub(crate) use self::template::template;
use self::value::SettingValue;
pub(crate) use self::value::{Setting, SettingSource, parse_dollars};
use crate::args::{GlobalArgs, ServeArgs};
use crate::complaint::{CommandError, Result};
use crate::terminal::out::keep_secret;
use crate::trust::brought::read_plain;
use crate::trust::{FolderTrust, TrustState};

/// What a process finds itself in.
#[derive(Debug, Clone)]
pub(crate) struct ProcessEnvironment {
    pub(crate) vars: BTreeMap<String, String>,
    pub(crate) folder: PathBuf,
    /// Whether there is somebody at a terminal who can be asked.
    pub(crate) can_ask: bool,
}

impl ProcessEnvironment {
    /// Those of this process. Variables that are no text cannot be ours.
    pub(crate) fn of_process(can_ask: bool) -> Result<Self> {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let folder = std::env::current_dir().map_err(|error| {
            CommandError::usage(format!("the current folder cannot be used: {error}"))
                .cure("change to another folder")
        })?;
        Ok(Self { vars: vars.collect(), folder, can_ask })
    }

    /// Variables that hold a key, with something in them.
    fn keys(&self) -> BTreeMap<String, Secret> {
        let keys =
            self.vars.iter().filter(|(name, key)| name.ends_with("_API_KEY") && !key.trim().is_empty());
        keys.map(|(name, key)| (name.clone(), Secret::new(key.trim()))).collect()
    }
}

/// What the flags of a command say about settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    /// Flags that every command takes.
    pub(crate) global: GlobalArgs,
    /// `--module`.
    pub(crate) module: Option<String>,
    /// `--approve`.
    pub(crate) approve: Option<&'static str>,
    /// `--taint`.
    pub(crate) taint: Option<&'static str>,
    /// `--max-steps`.
    pub(crate) steps_max: Option<u32>,
    /// `--max-calls`.
    pub(crate) calls_max: Option<u32>,
    /// `--max-tokens`.
    pub(crate) tokens_max: Option<u64>,
    /// `--max-cost`.
    pub(crate) cost_usd_max: Option<f64>,
    /// `--timeout` of a run.
    pub(crate) timeout_ms: Option<u64>,
    /// `--effort`.
    pub(crate) effort: Option<String>,
    /// `--temperature`.
    pub(crate) temperature: Option<f64>,
    /// `--top-p`.
    pub(crate) top_p: Option<f64>,
    /// `--seed`.
    pub(crate) seed: Option<u64>,
    /// `--max-output-tokens`.
    pub(crate) output_tokens_max: Option<u32>,
    /// The flags of `serve`.
    pub(crate) server: Option<ServeArgs>,
}

/// All settings that have a value, by key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(SettingLayer);

impl Settings {
    /// The setting of a key.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        self.0.get(name)
    }

    /// All settings of a group, by name.
    pub(crate) fn group(&self, prefix: &str) -> impl Iterator<Item = (&str, &Setting)> {
        let own = self.0.range(prefix.to_owned()..);
        let prefix = prefix.to_owned();
        own.map(|(name, setting)| (name.as_str(), setting))
            .take_while(move |(name, _)| name.starts_with(&prefix))
    }

    /// The text of a key.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.value.text()
    }

    /// The items of a key.
    pub(crate) fn items(&self, name: &str) -> &[String] {
        self.get(name).map_or(&[], |setting| setting.value.items())
    }

    /// The whole number of a key.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.value.count()
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|setting| setting.value == SettingValue::Truth(true))
    }

    /// The model that is meant: a speed name stands for the model that `models.NAME` says (E-39).
    pub(crate) fn model(&self) -> Result<Option<&str>> {
        let Some(setting) = self.get("model") else { return Ok(None) };
        let word = setting.value.text().unwrap_or_default();
        let name = format!("models.{word}");
        if key::find(&name).is_none() {
            return Ok(Some(word));
        }
        self.text(&name).map(Some).ok_or_else(|| {
            CommandError::usage(format!("no model is set for '{word}'"))
                .at(&setting.source)
                .cure(format!("{name} = \"PROVIDER/MODEL\" in the configuration file"))
        })
    }

    fn put(&mut self, name: &str, setting: Setting) {
        if key::find(name).is_some() {
            self.0.insert(name.to_owned(), setting);
        }
    }

    fn put_default(&mut self, name: &str, value: SettingValue) {
        if self.get(name).is_none() {
            self.put(name, Setting::new(value, SettingSource::Default));
        }
    }
}

/// The configuration of one command.
#[derive(Debug, Clone)]
pub(crate) struct CliConfig {
    /// Where the files are.
    pub(crate) folders: Folders,
    /// Every setting with its source.
    pub(crate) settings: Settings,
    /// The profile that holds where no other is chosen.
    pub(crate) profile: Profile,
    /// The project root, canonical.
    pub(crate) root: PathBuf,
    /// What happens to calls that need asking.
    pub(crate) approve: ApproveMode,
    /// Keys of the environment, by variable.
    pub(crate) keys: BTreeMap<String, Secret>,
    /// Everything that is secret in this process: whatever finds a secret adds it, and all who show or keep texts ask it.
    pub(crate) secrets: SecretRegistry,
    /// The script, when the model is one.
    pub(crate) script: Option<Script>,
    /// What the root brings, and whether it counts.
    pub(crate) trust: FolderTrust,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
}

impl CliConfig {
    pub(crate) fn resolve(surroundings: &ProcessEnvironment, flags: &Flags) -> Result<Self> {
        let folders = Folders::of_user(flags.global.config.as_deref(), flags.global.data.as_deref())?;
        let mut warnings = Vec::new();
        let mut user = read_user_file(&folders)?;
        let mut environment = layer::read_environment(&surroundings.vars, &mut warnings)?;
        let mut flags = read_flags(flags)?;
        [&mut user, &mut environment, &mut flags].into_iter().for_each(module::split);

        // A script is named by the user alone, so its header is known before the project's file is read,
        // and can say which project.
        let chosen = merge([&user, &environment, &flags]);
        let script = match chosen.model()? {
            Some(model) => script::load(model, &surroundings.folder)?,
            None => None,
        };
        let header = script
            .as_ref()
            .map_or(Ok(SettingLayer::new()), |script| script::read_header(&script.name, &script.header))?;

        let base = merge([&user, &environment, &header, &flags]);
        let root = find_root(&base, &surroundings.folder)?;
        let mut trust = FolderTrust::read(&root);
        let project = read_project(&trust)?;
        let mut project = project::tame(project, &base.0, &root, &mut warnings);
        project::take_trust(&mut trust, &project);
        crate::trust::settle(&mut trust, &folders.data, &mut warnings);
        if !trust.is_trusted() {
            project.retain(|name, setting| project::counts_untrusted(name, setting));
        }
        warnings.extend(trust.notice());
        module::split(&mut project);

        let mut settings = merge([&user, &project, &environment, &header, &flags]);
        let root = match settings.get("root").map(|setting| &setting.source) {
            Some(SettingSource::File(path, _)) if *path == project_file(&root) => {
                find_root(&settings, &root)?
            }
            _ => root,
        };
        settings.put_default("fetch.stay_on_host", SettingValue::Truth(true));
        settings.put_default("taint", SettingValue::Text(TaintMode::default().word().into()));
        settings.put_default("sandbox.mode", SettingValue::Text("workspace_write".into()));
        settings.put_default("sandbox.auto_allow", SettingValue::Truth(false));
        settings.put_default("search.enabled", SettingValue::Truth(true));
        settings.put_default("search.embedder", SettingValue::Text("off".into()));
        settings.put_default("root", SettingValue::Text(root.display().to_string()));
        let keys = surroundings.keys();
        // Of every layer: a key that another one stands over is secret all the same.
        let secrets: SecretRegistry = keys.values().cloned().collect();
        [&user, &project, &environment, &flags]
            .into_iter()
            .for_each(|layer| secrets::register(&secrets, layer));
        keep_secret(&secrets);
        let profile = find_profile(&mut settings, &keys)?;
        let approve = find_approve(&mut settings, surroundings, script.as_ref(), &mut warnings);
        Ok(Self { folders, settings, profile, root, approve, keys, secrets, script, trust, warnings })
    }

    /// What is done about text from outside.
    pub(crate) fn taint(&self) -> TaintMode {
        self.settings.text("taint").and_then(TaintMode::from_word).unwrap_or_default()
    }

    /// The profile of that name, whole: only what somebody set is changed in it. The usual one is as the flags made it.
    pub(crate) fn profile_named(&self, word: &str) -> Result<Profile> {
        if word == self.profile.name.word() {
            return Ok(self.profile.clone());
        }
        let mut settings = self.settings.clone();
        settings.0.retain(|_, setting| setting.source.is_set());
        settings.put("profile", Setting::new(SettingValue::Text(word.to_owned()), SettingSource::Default));
        find_profile(&mut settings, &self.keys)
    }

    /// Makes a profile fit a module.
    pub(crate) fn fit_module(&self, module: &Module, profile: &mut Profile) -> Result<()> {
        fit_profile(module, profile, self.profile_named(ProfileName::Dspy.word())?);
        Ok(())
    }

    /// Where a setting comes from.
    pub(crate) fn place(&self, name: &str) -> String {
        self.settings.get(name).map_or_else(|| "default".into(), |setting| setting.source.to_string())
    }

    /// A setting has a value that cannot be used.
    pub(crate) fn wrong(&self, name: &str, why: &(impl std::fmt::Display + ?Sized)) -> CommandError {
        CommandError::usage(format!("'{name}' cannot be used: {why}")).at(self.place(name))
    }
}

fn read_user_file(folders: &Folders) -> Result<SettingLayer> {
    match layer::read_file(&folders.config_file, false)? {
        Some(layer) => Ok(layer),
        None if folders.is_config_named => {
            let what = format!("the configuration file {} does not exist", folders.config_file.display());
            Err(CommandError::usage(what)
                .at("--config or WINDLASS_CONFIG")
                .cure("windlass config init writes a first one"))
        }
        None => Ok(SettingLayer::new()),
    }
}

/// The settings of a project: from the bytes that trust is about, where those could be read.
fn read_project(trust: &FolderTrust) -> Result<SettingLayer> {
    let path = project_file(&trust.root);
    match (&trust.state, trust.brought.find(PROJECT_FILE)) {
        (_, Some(file)) if file.bytes.len() as u64 > layer::FILE_BYTES_MAX => {
            let what =
                format!("the project's configuration file has more than {} bytes", layer::FILE_BYTES_MAX);
            Err(CommandError::usage(what).at(path.display()))
        }
        (_, Some(file)) => {
            let text = str::from_utf8(&file.bytes).map_err(|_| {
                CommandError::usage("the configuration file is no UTF-8 text").at(path.display())
            })?;
            layer::read_toml(&path, text, true)
        }
        // What it forbids counts all the same.
        (TrustState::Unreadable(_), None) if path.symlink_metadata().is_ok() => {
            let bytes = read_plain(&path, layer::FILE_BYTES_MAX).map_err(|why| {
                CommandError::usage(format!("the project's configuration file {why}")).at(path.display())
            })?;
            layer::read_toml(&path, &String::from_utf8_lossy(&bytes), true)
        }
        (TrustState::Unreadable(_), None) => Ok(SettingLayer::new()),
        (TrustState::Trusted | TrustState::Untrusted | TrustState::Changed(_), None) => {
            Ok(SettingLayer::new())
        }
    }
}

fn read_flags(flags: &Flags) -> Result<SettingLayer> {
    let mut layer = SettingLayer::new();
    let mut put = |name: &'static str, value: SettingValue, flag: &'static str| {
        layer.insert(name.to_owned(), Setting::new(value, SettingSource::Flag(flag)));
    };
    if let Some(model) = &flags.global.model {
        put("model", SettingValue::Text(model.clone()), "--model");
    }
    if let Some(module) = &flags.module {
        put("module", SettingValue::Text(module.clone()), "--module");
    }
    if let Some(profile) = &flags.global.profile {
        put("profile", SettingValue::Text(profile.clone()), "--profile");
    }
    if let Some(root) = &flags.global.root {
        let Some(root) = root.to_str() else {
            return Err(CommandError::usage("the root must be UTF-8 text").at("--root"));
        };
        put("root", SettingValue::Text(root.to_owned()), "--root");
    }
    if let Some(approve) = flags.approve {
        put("approve", SettingValue::Text(approve.to_owned()), "--approve");
    }
    if let Some(taint) = flags.taint {
        put("taint", SettingValue::Text(taint.to_owned()), "--taint");
    }
    if let Some(mode) = &flags.global.sandbox {
        put("sandbox.mode", SettingValue::Text(mode.clone()), "--sandbox");
    }
    if !flags.global.sandbox_hosts.is_empty() {
        put("sandbox.hosts", SettingValue::List(flags.global.sandbox_hosts.clone()), "--sandbox-host");
    }
    if let Some(steps_max) = flags.steps_max {
        put("limits.steps_max", SettingValue::Count(steps_max.into()), "--max-steps");
    }
    if let Some(calls_max) = flags.calls_max {
        put("limits.calls_per_run_max", SettingValue::Count(calls_max.into()), "--max-calls");
    }
    if let Some(tokens_max) = flags.tokens_max {
        put("limits.tokens_max", SettingValue::Count(tokens_max), "--max-tokens");
    }
    if let Some(dollars) = flags.cost_usd_max.and_then(Number::from_f64) {
        put("limits.cost_usd_max", SettingValue::Number(dollars), "--max-cost");
    }
    if let Some(timeout_ms) = flags.timeout_ms {
        put("limits.run_timeout_ms", SettingValue::Count(timeout_ms), "--timeout");
    }
    if let Some(effort) = &flags.effort {
        put("reasoning_effort", SettingValue::Text(effort.clone()), "--effort");
    }
    if let Some(number) = flags.temperature.and_then(Number::from_f64) {
        put("temperature", SettingValue::Number(number), "--temperature");
    }
    if let Some(number) = flags.top_p.and_then(Number::from_f64) {
        put("top_p", SettingValue::Number(number), "--top-p");
    }
    if let Some(seed) = flags.seed {
        put("seed", SettingValue::Count(seed), "--seed");
    }
    if let Some(tokens) = flags.output_tokens_max {
        put("max_output_tokens", SettingValue::Count(tokens.into()), "--max-output-tokens");
    }
    if let Some(server) = &flags.server {
        read_server_flags(server, &mut put);
    }
    Ok(layer)
}

fn read_server_flags(server: &ServeArgs, put: &mut impl FnMut(&'static str, SettingValue, &'static str)) {
    if let Some(address) = &server.addr {
        put("server.addr", SettingValue::Text(address.clone()), "--addr");
    }
    if let Some(file) = &server.token_file {
        put("server.token_file", SettingValue::Text(file.display().to_string()), "--token-file");
        put("server.no_token", SettingValue::Truth(false), "--token-file");
    }
    if server.no_token {
        put("server.no_token", SettingValue::Truth(true), "--no-token");
    }
    for (key, file, flag) in [
        ("server.tls_cert", &server.tls_cert, "--tls-cert"),
        ("server.tls_key", &server.tls_key, "--tls-key"),
    ] {
        if let Some(file) = file {
            put(key, SettingValue::Text(file.display().to_string()), flag);
        }
    }
}

/// Puts layers together; later ones win.
fn merge<const N: usize>(layers: [&SettingLayer; N]) -> Settings {
    let mut merged = SettingLayer::new();
    for layer in layers {
        if module::names_model_alone(layer) {
            merged.remove(module::MODULE);
        }
        merged.extend(layer.iter().map(|(name, setting)| (name.clone(), setting.clone())));
    }
    Settings(merged)
}

/// The folder that a root means, seen from `folder`.
fn find_root(settings: &Settings, folder: &Path) -> Result<PathBuf> {
    let text = settings.text("root").unwrap_or(".");
    let place =
        || settings.get("root").map_or_else(|| "the current folder".into(), |own| own.source.to_string());
    let path = folder.join(text);
    let wrong =
        |why: String| CommandError::usage(format!("the root '{text}' {why}")).at(place()).cure("--root DIR");
    let canonical = path.canonicalize().map_err(|error| wrong(format!("cannot be used: {error}")))?;
    if !canonical.is_dir() {
        return Err(wrong("is no folder".into()));
    }
    Ok(canonical)
}

fn find_profile(settings: &mut Settings, keys: &BTreeMap<String, Secret>) -> Result<Profile> {
    settings.put_default("profile", SettingValue::Text(ProfileName::Default.word().into()));
    let word = settings.text("profile").unwrap_or_default();
    let name = ProfileName::from_str(word).map_err(|error| {
        let place = settings.get("profile").map(|setting| setting.source.to_string()).unwrap_or_default();
        let words = ProfileName::ALL.into_iter().map(ProfileName::word);
        let cure = crate::terminal::nearest::did_you_mean(word, words);
        CommandError::usage(error.to_string())
            .at(place)
            .cure(cure.unwrap_or_else(|| "--profile default".into()))
    })?;
    let mut profile = Profile::named(name);
    limits::apply(settings, name.word(), &mut profile.limits)?;
    if search::kind(settings, keys).is_some_and(SearchBackendKind::is_paid) {
        limits::pay_for_searches(settings, &mut profile.limits);
    }
    settings.put_default("tool_loop_v2", SettingValue::Truth(profile.executes_while_streaming));
    profile.executes_while_streaming = settings.is_on("tool_loop_v2");
    if let Some(system) = settings.text("system") {
        system.clone_into(&mut profile.instruction);
    }
    if let Some(times) = settings.get("tool_timeouts").and_then(|setting| setting.value.fields()) {
        profile.tool_timeouts_ms = limits::tool_times(settings, times)?;
    }
    Ok(profile)
}

/// Without a word, calls that need asking are asked about where somebody can answer.
fn find_approve(
    settings: &mut Settings,
    surroundings: &ProcessEnvironment,
    script: Option<&Script>,
    warnings: &mut Vec<String>,
) -> ApproveMode {
    let can_ask = surroundings.can_ask || script.is_some_and(script::has_answers);
    let usual = if can_ask { ApproveMode::Ask } else { ApproveMode::Never };
    settings.put_default("approve", SettingValue::Text(usual.word().into()));
    match settings.text("approve").and_then(ApproveMode::from_word) {
        Some(ApproveMode::Ask) if !can_ask => {
            // Who asked for it just now should know; who has it in a file knows their terminals.
            if settings.get("approve").is_some_and(|setting| matches!(setting.source, SettingSource::Flag(_)))
            {
                let warning =
                    "--approve: nobody can be asked without a terminal, so what needs asking is denied";
                warnings.push(warning.into());
            }
            ApproveMode::Never
        }
        Some(mode) if !can_ask => mode.unattended(),
        Some(mode) => mode,
        None => usual,
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
