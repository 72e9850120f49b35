//! What a project's own file may change: it can tighten permissions, never loosen them, and cannot
//! redirect what leaves this machine. What it may not is left out with a warning: a project that says
//! too much can still be worked in.

use std::path::{Component, Path};

use std::str::FromStr as _;

use serde_json::Value as Json;
use windlass_core::permission::TaintMode;
use windlass_core::profile::{Profile, ProfileName};

use super::key::{self, LIMITS, ProjectMay, SANDBOX_WORDS};
use super::layer::SettingLayer;
use super::limits::is_at_most;
use super::value::{Setting, SettingSource, SettingValue};
use crate::trust::{BroughtSetting, FolderTrust};

/// Takes out of a project's layer what a project may not say. `base` is what holds without it.
pub(crate) fn tame(
    project: SettingLayer,
    base: &SettingLayer,
    root: &Path,
    warnings: &mut Vec<String>,
) -> SettingLayer {
    let mut kept = SettingLayer::new();
    let profile = project.get("profile").or_else(|| base.get("profile"));
    let profile = profile.and_then(|setting| ProfileName::from_str(setting.value.text()?).ok());
    let limits = serde_json::to_value(Profile::named(profile.unwrap_or_default()).limits).unwrap_or_default();
    for (name, setting) in project {
        if let Some(field) = name.strip_prefix(LIMITS)
            && !is_lower(&setting, base.get(&name), limits.get(field))
        {
            let what = "a project can only lower a limit";
            warnings.push(format!("{}: a project cannot set '{name}': {what}", setting.source));
            continue;
        }
        let refusal = match key::find(&name).map(|key| key.project) {
            Some(ProjectMay::Set) => None,
            Some(ProjectMay::Tighten) => loosens(&name, &setting, base.get(&name), root),
            Some(ProjectMay::NotTouch(why)) => Some(why),
            // A layer has known keys only.
            None => None,
        };
        match refusal {
            None => {
                kept.insert(name, setting);
            }
            Some(why) => warnings.push(format!("{}: a project cannot set '{name}': {why}", setting.source)),
        }
    }
    kept
}

/// Whether a limit is not above what holds without the project. What flags or the environment say wins anyway.
fn is_lower(setting: &Setting, base: Option<&Setting>, of_profile: Option<&Json>) -> bool {
    let before = match base {
        Some(Setting { source: SettingSource::File(..), value }) => value.to_json(),
        Some(_) => return true,
        None => of_profile.cloned().unwrap_or_default(),
    };
    is_at_most(&setting.value.to_json(), &before)
}

/// Whether a setting of a project counts although nobody trusts it: it can only tighten.
pub(crate) fn counts_untrusted(name: &str, setting: &Setting) -> bool {
    match name {
        "permissions.deny" | "permissions.ask" => true,
        "approve" => matches!(setting.value.text(), Some("never" | "read_only")),
        "taint" => setting.value.text() == Some("strict"),
        "sandbox.mode" => setting.value.text() == Some("read_only"),
        // What is left of it can only take hosts away.
        "sandbox.hosts" => true,
        _ => false,
    }
}

/// Puts in what a folder's settings bring: those that count only with trust, and the folders that they name.
pub(crate) fn take_trust(trust: &mut FolderTrust, project: &SettingLayer) {
    let mut copy = project.clone();
    copy.retain(|name, setting| !counts_untrusted(name, setting));
    let shown =
        |(name, setting): (String, Setting)| BroughtSetting { name, value: setting.value.to_string() };
    trust.settings = copy.into_iter().map(shown).collect();
    let folder = |name: &str| project.get(name).and_then(|setting| setting.value.text()).map(str::to_owned);
    if let Some(modules) = folder("modules.folder") {
        trust.add_folder(&modules);
        trust.modules = plain(&modules);
    }
    if let Some(tools) = folder("scripts.folder") {
        trust.add_folder(&tools);
        trust.tools = plain(&tools);
    }
}

/// A folder below the root as the names of files in it begin.
fn plain(folder: &str) -> String {
    folder.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
}

/// Why a value is looser than what holds without it.
fn loosens(name: &str, setting: &Setting, base: Option<&Setting>, root: &Path) -> Option<&'static str> {
    let text = setting.value.text().unwrap_or_default();
    match name {
        // Who gets the messages is the user's choice, and the header of a script may even allow calls.
        "model" => {
            let is_own = text.starts_with("module/") || key::find(&format!("models.{text}")).is_some();
            (!is_own)
                .then_some("it may name module/ID or fast, medium, deep, vision; no provider and no file")
        }
        "root" => {
            let is_below = root.join(text).canonicalize().is_ok_and(|folder| folder.starts_with(root));
            (!is_below).then_some("it may only name a folder inside the project")
        }
        // These need not exist; what they lead to is looked at again when it is opened.
        "modules.folder" | "scripts.folder" => {
            let is_below = Path::new(text)
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let is_elsewhere = root.join(text).canonicalize().is_ok_and(|folder| !folder.starts_with(root));
            (!is_below || is_elsewhere).then_some("it may only name a folder inside the project")
        }
        "approve" => {
            let before = base.map(|setting| &setting.value).and_then(SettingValue::text);
            (!is_as_tight(text, before)).then_some("it may only be tightened, to \"read_only\" or \"never\"")
        }
        "taint" => {
            let before = base.map(|setting| &setting.value).and_then(SettingValue::text);
            let before = before.and_then(TaintMode::from_word).unwrap_or_default();
            let is_tighter = TaintMode::from_word(text).is_some_and(|wanted| wanted >= before);
            (!is_tighter).then_some("it may only be tightened, to \"strict\"")
        }
        "sandbox.mode" => {
            let rank = |word: &str| SANDBOX_WORDS.iter().position(|known| *known == word);
            let before = base.map(|setting| &setting.value).and_then(SettingValue::text);
            let is_looser = rank(text) < rank(before.unwrap_or("workspace_write"));
            is_looser.then_some("it may only be tightened, to \"read_only\"")
        }
        "sandbox.hosts" => {
            let before = base.map(|setting| setting.value.items()).unwrap_or_default();
            let is_more = setting.value.items().iter().any(|host| !before.contains(host));
            is_more.then_some("it may only take hosts away from your own list")
        }
        "fetch.stay_on_host" => {
            (setting.value != SettingValue::Truth(true)).then_some("it may only be switched on")
        }
        "search.enabled" => {
            (setting.value != SettingValue::Truth(false)).then_some("it may only be switched off")
        }
        _ => Some("it can only be tightened"),
    }
}

/// `read_only` and `never` let nothing run that needs asking, `all` everything. `ask` is `edit` without free edits,
/// `stage` is `ask` without edits. `ask` and `safe` each let something run that the other does not, so neither is tighter.
fn is_as_tight(approve: &str, before: Option<&str>) -> bool {
    matches!(approve, "never" | "read_only")
        || before == Some(approve)
        || before == Some("all")
        || (matches!(approve, "stage" | "ask") && matches!(before, Some("ask" | "edit")))
}
