//! Every key of the configuration: what kind of value it has, and what a project may do with it.
//!
//! The keys of `limits.` are those of the core's `Limits`, read from its own serialised form: a new
//! limit is a new key without a line here. The keys of a provider are patterns: `NAME` stands for any.

use std::sync::LazyLock;

use serde_json::Value as Json;
use windlass_core::limits::Limits;

use super::value::SettingKind;

/// The group of keys that change limits.
pub(crate) const LIMITS: &str = "limits.";

/// The group of keys that say something about a provider.
pub(crate) const PROVIDERS: &str = "providers.";

/// What stands for the name of a provider in a key that is a pattern.
pub(crate) const ANY_PROVIDER: &str = "providers.NAME.";

/// Words of `approve`.
pub(crate) const APPROVE_WORDS: [&str; 7] = ["read_only", "ask", "edit", "all", "never", "safe", "stage"];

/// Words of `taint`, from the loosest to the tightest.
pub(crate) const TAINT_WORDS: [&str; 3] = ["off", "ask", "strict"];

/// Words of `wire`.
pub(crate) const WIRE_WORDS: [&str; 5] = ["chat", "responses", "messages", "gemini", "ollama"];

pub(crate) use windlass_core::protocol::settings::EFFORTS as EFFORT_WORDS;

/// Words of `sandbox.mode`, from the loosest.
pub(crate) const SANDBOX_WORDS: [&str; 3] = ["off", "workspace_write", "read_only"];

/// Words of `sandbox.without`.
pub(crate) const MECHANISM_WORDS: [&str; 3] = ["bubblewrap", "landlock", "seatbelt"];

/// Words of `terminal.theme`.
const THEME_WORDS: [&str; 3] = ["dark", "light", "plain"];

const PROFILE_WORDS: [&str; 6] = ["default", "edison", "dspy", "studio", "ploke", "zodo"];

/// What a project's own file may do with a key. It may tighten permissions, never loosen them, and it
/// may not redirect what leaves this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectMay {
    Set,
    /// Set it if that is not looser than without the project.
    Tighten,
    /// Not touch it, for this reason.
    NotTouch(&'static str),
}

#[derive(Debug)]
pub(crate) struct SettingKey {
    /// Its name, with dots.
    pub(crate) name: String,
    /// What kind of value it has.
    pub(crate) kind: SettingKind,
    /// What a project may do with it.
    pub(crate) project: ProjectMay,
    /// Whether only a project's file can have it.
    pub(crate) is_project_only: bool,
    /// What it is, for the template.
    pub(crate) about: &'static str,
}

impl SettingKey {
    fn new(name: impl Into<String>, kind: SettingKind, project: ProjectMay, about: &'static str) -> Self {
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
pub(crate) static KEYS: LazyLock<Vec<SettingKey>> = LazyLock::new(|| {
    use ProjectMay::{Set, Tighten};
    use SettingKind::{Count, List, Number, Secret, Table, Text, Truth, Word};
    let mut keys = vec![
        SettingKey::new(
            "model",
            Text,
            Tighten,
            "the model: PROVIDER/MODEL, module/ID, scripted/FILE, or fast, medium, deep, vision",
        ),
        SettingKey::new("module", Text, Set, "the module that stands before the model, as --module ID does"),
        SettingKey::new("base_url", Text, LEAVES, "the address of an OpenAI-compatible server"),
        SettingKey::new(
            "profile",
            Word(&PROFILE_WORDS),
            Set,
            "limits, tools, dialect, envelope and what is asked",
        ),
        SettingKey::new("root", Text, Tighten, "the project root; files are only reached below it"),
        SettingKey::new("approve", Word(&APPROVE_WORDS), Tighten, "what happens to calls that need asking"),
        SettingKey::new(
            "taint",
            Word(&TAINT_WORDS),
            Tighten,
            "what is asked about while the context has text from outside",
        ),
        SettingKey::new("system", Text, Set, "what the model is told before everything else"),
        SettingKey::new(
            "tool_loop_v2",
            Truth,
            Set,
            "run reads as soon as they are complete, while the model still speaks",
        ),
        SettingKey::new(
            "reasoning_effort",
            Word(&EFFORT_WORDS),
            Set,
            "how hard the model thinks, and that it is shown",
        ),
        SettingKey::new("temperature", Number(0.0, 2.0), Set, "sampling temperature"),
        SettingKey::new("top_p", Number(0.0, 1.0), Set, "nucleus sampling"),
        SettingKey::new("max_output_tokens", Count, Set, "most tokens of one answer"),
        SettingKey::new("seed", Count, Set, "for repeatable answers"),
        SettingKey::new(
            "calls",
            Word(&["native", "tags", "text"]),
            Set,
            "how calls are written; what the model is known to do unless set",
        ),
        SettingKey::new("ca_file", Text, LEAVES, "certificates to trust besides the usual ones, PEM"),
        SettingKey::new(
            "tool_timeouts",
            Table,
            Set,
            "time limits of single tools: web_search = \"30s\", in milliseconds without a unit",
        ),
        SettingKey::new(
            "tools.command.env",
            List,
            OPENS,
            "variables that commands get beside PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TERM, TZ and TMPDIR",
        ),
        SettingKey::new(
            "key_commands.env",
            List,
            LEAVES,
            "variables that every key_command gets beside those, as they are",
        ),
        SettingKey::new("terminal.theme", Word(&THEME_WORDS), Set, "the colours of the terminal app"),
        SettingKey::new("models.fast", Text, LEAVES, "the model that --model fast means"),
        SettingKey::new("models.medium", Text, LEAVES, "the model that --model medium means"),
        SettingKey::new("models.deep", Text, LEAVES, "the model that --model deep means"),
        SettingKey::new("models.vision", Text, LEAVES, "the model that --model vision means"),
        SettingKey::new("local.threads", Count, Set, "threads of models in the process, 1 to 1024"),
        SettingKey::new("pull.hub_url", Text, LEAVES, "where hf: of `windlass models pull` leads"),
        SettingKey::new(
            "web_search.backend",
            Word(&["searxng", "brave", "tavily"]),
            LEAVES,
            "who answers web_search",
        ),
        SettingKey::new("web_search.base_url", Text, LEAVES, "the address of a SearXNG server"),
        SettingKey::new("web_search.api_key", Secret, LEAVES, "the key for Brave or Tavily"),
        SettingKey::new(
            "search.enabled",
            Truth,
            Tighten,
            "keep an index of the project for the search tools",
        ),
        SettingKey::new(
            "search.embedder",
            Text,
            LEAVES,
            "finding by meaning: off, built-in, folder:PATH of a sentence encoder, or PROVIDER/MODEL",
        ),
        SettingKey::new(
            "modules.folder",
            Text,
            Tighten,
            "where the project's modules are, instead of .windlass/modules",
        ),
        SettingKey::new(
            "scripts.folder",
            Text,
            Tighten,
            "where the project's Rhai tools are, instead of .windlass/tools",
        ),
        SettingKey::new(
            "scripts.http",
            List,
            OPENS,
            "hosts that Rhai tools may reach; every call is still judged",
        ),
        SettingKey::new(
            "fetch.allow_hosts",
            List,
            OPENS,
            "hosts of the own network that fetch_url may reach",
        ),
        SettingKey::new("fetch.stay_on_host", Truth, Tighten, "do not follow redirects to another host"),
        SettingKey::new("sandbox.mode", Word(&SANDBOX_WORDS), Tighten, "what commands may write"),
        SettingKey::new(
            "sandbox.auto_allow",
            Truth,
            OPENS,
            "run commands without a question where bubblewrap holds them and nothing warns of them",
        ),
        SettingKey::new("sandbox.write", List, OPENS, "folders besides the project that commands may write"),
        SettingKey::new(
            "sandbox.hosts",
            List,
            Tighten,
            "hosts that commands may reach in the sandbox, like \"crates.io\", \"*.crates.io\" or \"pypi.org:8443\"",
        ),
        SettingKey::new(
            "sandbox.without",
            List,
            OPENS,
            "mechanisms that are not used: bubblewrap, landlock, seatbelt",
        ),
        SettingKey::new("image.base_url", Text, LEAVES, "the address of an OpenAI-compatible image server"),
        SettingKey::new("image.api_key", Secret, LEAVES, "its key"),
        SettingKey::new("image.model", Text, Set, "its model"),
        SettingKey::new("server.addr", Text, SERVES, "where `windlass serve` listens: HOST:PORT"),
        SettingKey::new(
            "server.token_file",
            Text,
            SERVES,
            "a file with the token that clients must send, instead of the one that is made",
        ),
        SettingKey::new(
            "server.no_token",
            Truth,
            SERVES,
            "let every program of this machine in without a token",
        ),
        SettingKey::new("server.tls_cert", Text, SERVES, "a file with the server's certificate, in PEM form"),
        SettingKey::new(
            "server.tls_key",
            Text,
            SERVES,
            "a file with the certificate's private key, in PEM form",
        ),
        SettingKey::new(
            "server.hosts",
            List,
            SERVES,
            "names under which the server is reached, beside addresses",
        ),
        SettingKey::new("server.origins", List, SERVES, "pages of other origins that may use the server"),
    ];
    keys.extend(exchange_keys());
    keys.extend(telemetry_keys());
    keys.extend(provider_keys());
    for (name, about) in [
        ("permissions.deny", "rules that a project adds: these calls are refused"),
        ("permissions.ask", "rules that a project adds: these calls are asked about each time"),
    ] {
        keys.push(SettingKey { is_project_only: true, ..SettingKey::new(name, List, Set, about) });
    }
    keys.push(SettingKey {
        is_project_only: true,
        ..SettingKey::new("permissions.allow", List, ProjectMay::NotTouch("only you can allow a call"), "")
    });
    keys.extend(
        limit_names().map(|(field, kind)| SettingKey::new(format!("{LIMITS}{field}"), kind, Set, "")),
    );
    keys
});

/// Times of one exchange with a model.
fn exchange_keys() -> impl Iterator<Item = SettingKey> {
    [
        ("exchange.connect_timeout_ms", "until a server has accepted a connection"),
        ("exchange.first_byte_timeout_ms", "until it begins to answer"),
        ("exchange.idle_timeout_ms", "silence in the middle of an answer"),
        ("exchange.total_timeout_ms", "one whole exchange"),
    ]
    .into_iter()
    .map(|(name, about)| SettingKey::new(name, SettingKind::Millis, ProjectMay::Set, about))
}

/// What is told about runs, and to whom.
fn telemetry_keys() -> impl Iterator<Item = SettingKey> {
    [
        (
            "otlp_endpoint",
            SettingKind::Text,
            "the address of an OpenTelemetry collector that takes OTLP over HTTP",
        ),
        ("headers", SettingKind::Secrets, "headers that the collector wants"),
        ("service_name", SettingKind::Text, "the name that spans are filed under; windlass unless set"),
        ("content", SettingKind::Truth, "let messages, arguments and outcomes go along, without secrets"),
    ]
    .into_iter()
    .map(|(field, kind, about)| SettingKey::new(format!("telemetry.{field}"), kind, LEAVES, about))
}

/// What can be said about a provider: one of the catalogue, or a server under a name of its own.
fn provider_keys() -> impl Iterator<Item = SettingKey> {
    [
        ("base_url", SettingKind::Text, "its address"),
        ("wire", SettingKind::Word(&WIRE_WORDS), "the protocol"),
        ("key", SettingKind::Secret, "its key; better in the environment, the keyring or a key_command"),
        ("key_command", SettingKind::List, "a command and its arguments whose output is the key"),
        ("headers", SettingKind::Secrets, "more headers"),
        ("quirks", SettingKind::Table, "what it does differently; docs/models.md lists them"),
        ("context_tokens", SettingKind::Count, "the size of its models' context"),
        ("prices", SettingKind::Table, "dollars for a million tokens: input, cached, output"),
    ]
    .into_iter()
    .map(|(field, kind, about)| SettingKey::new(format!("{ANY_PROVIDER}{field}"), kind, LEAVES, about))
}

/// The fields of `Limits` with their kinds.
fn limit_names() -> impl Iterator<Item = (String, SettingKind)> {
    let fields = match serde_json::to_value(Limits::default()) {
        Ok(Json::Object(fields)) => fields,
        // Numbers and options always serialise as an object.
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    fields.into_iter().map(|(field, default)| {
        let kind = match default {
            _ if field.contains("_usd_") => SettingKind::Dollars,
            Json::Null => SettingKind::CountOrNone,
            _ if field.ends_with("_ms") => SettingKind::Millis,
            _ => SettingKind::Count,
        };
        (field, kind)
    })
}

/// The key of that name; a provider's key is found by its pattern.
pub(crate) fn find(name: &str) -> Option<&'static SettingKey> {
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
