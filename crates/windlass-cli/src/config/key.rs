//! Every key of the configuration: what kind of value it has, and what a project may do with it.
//!
//! The keys of `limits.` are those of the core's `Limits`, read from its own serialised form: a new
//! limit is a new key without a line here. The keys of a provider are patterns: `NAME` stands for any.

use std::sync::LazyLock;

use serde_json::Value as Json;
use windlass_core::limits::Limits;

use super::value::Kind;

/// The group of keys that change limits.
pub(crate) const LIMITS: &str = "limits.";

/// The group of keys that say something about a provider.
pub(crate) const PROVIDERS: &str = "providers.";

/// What stands for the name of a provider in a key that is a pattern.
pub(crate) const ANY_PROVIDER: &str = "providers.NAME.";

/// Words of `approve`.
pub(crate) const APPROVE_WORDS: [&str; 7] = ["read_only", "ask", "edit", "all", "never", "safe", "stage"];

/// Words of `wire`.
pub(crate) const WIRE_WORDS: [&str; 5] = ["chat", "responses", "messages", "gemini", "ollama"];

pub(crate) use windlass_core::settings::EFFORTS as EFFORT_WORDS;

/// Words of `terminal.theme`.
const THEME_WORDS: [&str; 3] = ["dark", "light", "plain"];

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

    /// Whether `NAME` in it stands for any provider.
    pub(crate) fn is_pattern(&self) -> bool {
        self.name.starts_with(ANY_PROVIDER)
    }

    /// The environment variable of the key.
    pub(crate) fn variable(&self) -> String {
        format!("WINDLASS_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

const LEAVES: ProjectMay = ProjectMay::NotTouch("it decides where your messages and keys go");
const OPENS: ProjectMay = ProjectMay::NotTouch("it would open what is closed to tools");

const SERVES: ProjectMay = ProjectMay::NotTouch("it decides who can reach you");

/// All keys, in the order in which they are shown.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    use Kind::{Count, List, Number, Secret, Table, Text, Truth, Word};
    use ProjectMay::{Set, Tighten};
    let mut keys = vec![
        Key::new(
            "model",
            Text,
            Tighten,
            "the model: PROVIDER/MODEL, module/ID, scripted/FILE, or fast, medium, deep, vision",
        ),
        Key::new("module", Text, Set, "the module that stands before the model, as --module ID does"),
        Key::new("base_url", Text, LEAVES, "the address of an OpenAI-compatible server"),
        Key::new("profile", Word(&PROFILE_WORDS), Set, "limits, tools, dialect, envelope and what is asked"),
        Key::new("root", Text, Tighten, "the project root; files are only reached below it"),
        Key::new("approve", Word(&APPROVE_WORDS), Tighten, "what happens to calls that need asking"),
        Key::new("system", Text, Set, "what the model is told before everything else"),
        Key::new(
            "tool_loop_v2",
            Truth,
            Set,
            "run reads as soon as they are complete, while the model still speaks",
        ),
        Key::new(
            "reasoning_effort",
            Word(&EFFORT_WORDS),
            Set,
            "how hard the model thinks, and that it is shown",
        ),
        Key::new("temperature", Number(0.0, 2.0), Set, "sampling temperature"),
        Key::new("top_p", Number(0.0, 1.0), Set, "nucleus sampling"),
        Key::new("max_output_tokens", Count, Set, "most tokens of one answer"),
        Key::new("seed", Count, Set, "for repeatable answers"),
        Key::new(
            "calls",
            Word(&["native", "tags", "text"]),
            Set,
            "how calls are written; what the model is known to do unless set",
        ),
        Key::new("ca_file", Text, LEAVES, "certificates to trust besides the usual ones, PEM"),
        Key::new(
            "tool_timeouts",
            Table,
            Set,
            "time limits of single tools: web_search = \"30s\", in milliseconds without a unit",
        ),
        Key::new("terminal.theme", Word(&THEME_WORDS), Set, "the colours of the terminal app"),
        Key::new("models.fast", Text, LEAVES, "the model that --model fast means"),
        Key::new("models.medium", Text, LEAVES, "the model that --model medium means"),
        Key::new("models.deep", Text, LEAVES, "the model that --model deep means"),
        Key::new("models.vision", Text, LEAVES, "the model that --model vision means"),
        Key::new("local.threads", Count, Set, "threads of models in the process, 1 to 1024"),
        Key::new("pull.hub_url", Text, LEAVES, "where hf: of `windlass models pull` leads"),
        Key::new(
            "web_search.backend",
            Word(&["searxng", "brave", "tavily"]),
            LEAVES,
            "who answers web_search",
        ),
        Key::new("web_search.base_url", Text, LEAVES, "the address of a SearXNG server"),
        Key::new("web_search.api_key", Secret, LEAVES, "the key for Brave or Tavily"),
        Key::new("search.enabled", Truth, Tighten, "keep an index of the project for the search tools"),
        Key::new(
            "search.embedder",
            Text,
            LEAVES,
            "finding by meaning: off, built-in, folder:PATH of a sentence encoder, or PROVIDER/MODEL",
        ),
        Key::new(
            "modules.folder",
            Text,
            Tighten,
            "where the project's modules are, instead of .windlass/modules",
        ),
        Key::new(
            "scripts.folder",
            Text,
            Tighten,
            "where the project's Rhai tools are, instead of .windlass/tools",
        ),
        Key::new("scripts.http", List, OPENS, "hosts that Rhai tools may reach; every call is still judged"),
        Key::new("fetch.allow_hosts", List, OPENS, "hosts of the own network that fetch_url may reach"),
        Key::new("fetch.stay_on_host", Truth, Tighten, "do not follow redirects to another host"),
        Key::new("image.base_url", Text, LEAVES, "the address of an OpenAI-compatible image server"),
        Key::new("image.api_key", Secret, LEAVES, "its key"),
        Key::new("image.model", Text, Set, "its model"),
        Key::new("server.addr", Text, SERVES, "where `windlass serve` listens: HOST:PORT"),
        Key::new("server.token_file", Text, SERVES, "a file with the token that clients must send"),
        Key::new("server.hosts", List, SERVES, "names under which the server is reached, beside addresses"),
        Key::new("server.origins", List, SERVES, "pages of other origins that may use the server"),
    ];
    keys.extend(exchange_keys());
    keys.extend(telemetry_keys());
    keys.extend(provider_keys());
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

/// Times of one exchange with a model.
fn exchange_keys() -> impl Iterator<Item = Key> {
    [
        ("exchange.connect_timeout_ms", "until a server has accepted a connection"),
        ("exchange.first_byte_timeout_ms", "until it begins to answer"),
        ("exchange.idle_timeout_ms", "silence in the middle of an answer"),
        ("exchange.total_timeout_ms", "one whole exchange"),
    ]
    .into_iter()
    .map(|(name, about)| Key::new(name, Kind::Millis, ProjectMay::Set, about))
}

/// What is told about runs, and to whom.
fn telemetry_keys() -> impl Iterator<Item = Key> {
    [
        ("otlp_endpoint", Kind::Text, "the address of an OpenTelemetry collector that takes OTLP over HTTP"),
        ("headers", Kind::Secrets, "headers that the collector wants"),
        ("service_name", Kind::Text, "the name that spans are filed under; windlass unless set"),
        ("content", Kind::Truth, "let messages, arguments and outcomes go along, without secrets"),
    ]
    .into_iter()
    .map(|(field, kind, about)| Key::new(format!("telemetry.{field}"), kind, LEAVES, about))
}

/// What can be said about a provider: one of the catalogue, or a server under a name of its own.
fn provider_keys() -> impl Iterator<Item = Key> {
    [
        ("base_url", Kind::Text, "its address"),
        ("wire", Kind::Word(&WIRE_WORDS), "the protocol"),
        ("key", Kind::Secret, "its key; better in the environment, the keyring or a key_command"),
        ("key_command", Kind::List, "a command and its arguments whose output is the key"),
        ("headers", Kind::Secrets, "more headers"),
        ("quirks", Kind::Table, "what it does differently; docs/models.md lists them"),
        ("context_tokens", Kind::Count, "the size of its models' context"),
        ("prices", Kind::Table, "dollars for a million tokens: input, cached, output"),
    ]
    .into_iter()
    .map(|(field, kind, about)| Key::new(format!("{ANY_PROVIDER}{field}"), kind, LEAVES, about))
}

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

/// The key of that name; a provider's key is found by its pattern.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    match split_provider(name) {
        Some((_, field)) => KEYS.iter().find(|key| key.name.strip_prefix(ANY_PROVIDER) == Some(field)),
        None => KEYS.iter().find(|key| key.name == name),
    }
}

/// The provider and the field of a provider's key.
pub(crate) fn split_provider(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(PROVIDERS)?.split_once('.').filter(|(provider, _)| !provider.is_empty())
}

/// The names of all keys.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name.as_str())
}
