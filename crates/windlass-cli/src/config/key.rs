//! Every key of the configuration: what kind of value it has, and what a project may do with it.
//!
//! The keys of `limits.` are those of the core's `Limits`, read from its own serialised form: a new
//! limit is a new key without a line here.

use std::sync::LazyLock;

use serde_json::Value as Json;
use windlass_core::limits::Limits;

use super::value::Kind;

/// The group of keys that change limits.
pub(crate) const LIMITS: &str = "limits.";

/// Words of `approve`.
pub(crate) const APPROVE_WORDS: [&str; 4] = ["ask", "never", "safe", "all"];

const PROFILE_WORDS: [&str; 6] = ["default", "edison", "dspy", "studio", "ploke", "zodo"];

/// What a project's own file may do with a key. It may tighten permissions, never loosen them, and it
/// may not redirect what leaves this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectMay {
    /// Set it.
    Set,
    /// Set it if that is not looser than without the project.
    Tighten,
    /// Not touch it, for this reason.
    NotTouch(&'static str),
}

/// One key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name, with dots.
    pub(crate) name: String,
    /// What kind of value it has.
    pub(crate) kind: Kind,
    /// What a project may do with it.
    pub(crate) project: ProjectMay,
    /// Whether only a project's file can have it.
    pub(crate) is_project_only: bool,
    /// What it is, for the template.
    pub(crate) about: &'static str,
}

impl Key {
    fn new(name: impl Into<String>, kind: Kind, project: ProjectMay, about: &'static str) -> Self {
        Self { name: name.into(), kind, project, is_project_only: false, about }
    }

    /// The environment variable of the key.
    pub(crate) fn variable(&self) -> String {
        format!("WINDLASS_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

const LEAVES: ProjectMay = ProjectMay::NotTouch("it decides where your messages and keys go");
const OPENS: ProjectMay = ProjectMay::NotTouch("it would open what is closed to tools");

/// All keys, in the order in which they are shown.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    use Kind::{List, Secret, Text, Truth, Word};
    use ProjectMay::{Set, Tighten};
    let mut keys = vec![
        Key::new(
            "model",
            Text,
            Tighten,
            "the model: PROVIDER/MODEL, scripted/FILE, or fast, medium, deep, vision",
        ),
        Key::new("base_url", Text, LEAVES, "the address of an OpenAI-compatible server"),
        Key::new("profile", Word(&PROFILE_WORDS), Set, "limits and manners"),
        Key::new("root", Text, Tighten, "the project root; files are only reached below it"),
        Key::new("approve", Word(&APPROVE_WORDS), Tighten, "what happens to calls that need asking"),
        Key::new("system", Text, Set, "what the model is told before everything else"),
        Key::new(
            "tool_loop_v2",
            Truth,
            Set,
            "run reads as soon as they are complete, while the model still speaks",
        ),
        Key::new("models.fast", Text, LEAVES, "the model that --model fast means"),
        Key::new("models.medium", Text, LEAVES, "the model that --model medium means"),
        Key::new("models.deep", Text, LEAVES, "the model that --model deep means"),
        Key::new("models.vision", Text, LEAVES, "the model that --model vision means"),
        Key::new(
            "web_search.backend",
            Word(&["searxng", "brave", "tavily"]),
            LEAVES,
            "who answers web_search",
        ),
        Key::new("web_search.base_url", Text, LEAVES, "the address of a SearXNG server"),
        Key::new("web_search.api_key", Secret, LEAVES, "the key for Brave or Tavily"),
        Key::new("fetch.allow_hosts", List, OPENS, "hosts of the own network that fetch_url may reach"),
        Key::new("fetch.stay_on_host", Truth, Tighten, "do not follow redirects to another host"),
        Key::new("image.base_url", Text, LEAVES, "the address of an OpenAI-compatible image server"),
        Key::new("image.api_key", Secret, LEAVES, "its key"),
        Key::new("image.model", Text, Set, "its model"),
    ];
    for (name, about) in [
        ("permissions.deny", "rules that a project adds: these calls are refused"),
        ("permissions.ask", "rules that a project adds: these calls are asked about each time"),
    ] {
        keys.push(Key { is_project_only: true, ..Key::new(name, List, Set, about) });
    }
    keys.push(Key {
        is_project_only: true,
        ..Key::new("permissions.allow", List, ProjectMay::NotTouch("only you can allow a call"), "")
    });
    keys.extend(limit_names().map(|(field, kind)| Key::new(format!("{LIMITS}{field}"), kind, Set, "")));
    keys
});

/// The fields of `Limits` with their kinds.
fn limit_names() -> impl Iterator<Item = (String, Kind)> {
    let fields = match serde_json::to_value(Limits::default()) {
        Ok(Json::Object(fields)) => fields,
        // Numbers and options always serialise as an object.
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    fields.into_iter().map(|(field, default)| {
        let kind = match default {
            Json::Null => Kind::CountOrNone,
            _ if field.ends_with("_ms") => Kind::Millis,
            _ => Kind::Count,
        };
        (field, kind)
    })
}

/// The key of that name.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The names of all keys.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name.as_str())
}
