//! What a project's own file may change: it can tighten permissions, never loosen them, and cannot
//! redirect what leaves this machine. What it may not is left out with a warning: a project that says
//! too much can still be worked in.

use std::path::{Component, Path};

use super::key::{self, ProjectMay, SANDBOX_WORDS};
use super::layer::SettingLayer;
use super::value::{Setting, SettingValue};

/// Takes out of a project's layer what a project may not say. `base` is what holds without it.
pub(crate) fn tame(
    project: SettingLayer,
    base: &SettingLayer,
    root: &Path,
    warnings: &mut Vec<String>,
) -> SettingLayer {
    let mut kept = SettingLayer::new();
    for (name, setting) in project {
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

/// Why a value is looser than what holds without it.
fn loosens(name: &str, setting: &Setting, base: Option<&Setting>, root: &Path) -> Option<&'static str> {
    let text = setting.value.text().unwrap_or_default();
    match name {
        // The header of a script may allow calls, so a script must be the user's own choice.
        "model" => text.starts_with("scripted/").then_some("a script can allow calls; name it with --model"),
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
        "sandbox.mode" => {
            let rank = |word: &str| SANDBOX_WORDS.iter().position(|known| *known == word);
            let before = base.map(|setting| &setting.value).and_then(SettingValue::text);
            let is_looser = rank(text) < rank(before.unwrap_or("workspace_write"));
            is_looser.then_some("it may only be tightened, to \"read_only\"")
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
