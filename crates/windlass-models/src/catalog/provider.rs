//! Providers: who speaks which wire, where, with which key, and what they do differently. One row each.
//!
//! A row changes a few quirks of its wire; what holds for one family of models alone is in `family`.

use crate::quirks::{
    AnswerForms, ChoiceForm, EmptyContent, IdRule, ParallelCalls, Quirks, ReasoningAsk, ReasoningEcho,
    ReasoningField, SchemaDialect, SystemRole,
};
use crate::target::{AuthForm, WireKind};

#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// What stands before the slash of a model's name.
    pub id: &'static str,
    /// The protocol it is spoken to in.
    pub wire: WireKind,
    /// Where it is; none if only the user can know.
    pub base_url: Option<&'static str>,
    /// How the key travels.
    pub auth: KeyForm,
    /// Environment variables that may hold the key, the usual one first.
    pub key_variables: &'static [&'static str],
    /// Headers that always go along.
    pub headers: &'static [(&'static str, &'static str)],
    /// The model that is meant when only the provider is known.
    pub usual_model: Option<&'static str>,
    /// The provider whose models these are, if not its own.
    pub models_of: Option<&'static str>,
    quirks: fn(WireKind, &mut Quirks),
}

/// How a provider takes its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// `Authorization: Bearer`, and nothing works without.
    Bearer,
    /// A header of this name, and nothing works without.
    Header(&'static str),
    /// It asks for none; one that is given goes as a bearer.
    Open,
}

impl KeyForm {
    /// How this key, or none, travels.
    pub(super) fn auth(self, has_key: bool) -> AuthForm {
        match self {
            KeyForm::Bearer => AuthForm::Bearer,
            KeyForm::Header(name) => AuthForm::Header(name.to_owned()),
            KeyForm::Open if has_key => AuthForm::Bearer,
            KeyForm::Open => AuthForm::Open,
        }
    }
}

impl Provider {
    /// Whether nothing works without a key.
    pub fn needs_key(&self) -> bool {
        match self.auth {
            KeyForm::Bearer | KeyForm::Header(_) => true,
            KeyForm::Open => false,
        }
    }

    /// What it does differently on this wire.
    pub(super) fn quirks(&self, wire: WireKind) -> Quirks {
        let mut quirks = of_wire(wire);
        (self.quirks)(wire, &mut quirks);
        quirks
    }

    /// A row with nothing special: a server that speaks chat and wants a key.
    const fn chat(id: &'static str, base_url: &'static str, key: &'static [&'static str]) -> Self {
        Self {
            id,
            wire: WireKind::Chat,
            base_url: Some(base_url),
            auth: KeyForm::Bearer,
            key_variables: key,
            headers: &[],
            usual_model: None,
            models_of: None,
            quirks: |_, _| {},
        }
    }

    /// A row for a server on this machine: no key.
    const fn local(id: &'static str, base_url: &'static str) -> Self {
        Self { auth: KeyForm::Open, ..Self::chat(id, base_url, &[]) }
    }
}

/// What is usual on a wire.
fn of_wire(wire: WireKind) -> Quirks {
    let usual = Quirks::default();
    match wire {
        WireKind::Chat => usual,
        WireKind::Responses => Quirks {
            ids: IdRule::Word,
            echo: ReasoningEcho::State,
            ask: ReasoningAsk::Object,
            has_think_tags: false,
            says_store: true,
            has_seed: false,
            ..usual
        },
        WireKind::Messages => Quirks {
            ids: IdRule::Word,
            has_notes: false,
            echo: ReasoningEcho::State,
            ask: ReasoningAsk::ThinkingType,
            thinks_midway: false,
            declares_past_tools: true,
            response_format: AnswerForms::SchemaOnly,
            forces_while_thinking: false,
            samples_while_thinking: false,
            has_think_tags: false,
            has_seed: false,
            ..usual
        },
        WireKind::Gemini => Quirks {
            ids: IdRule::Absent,
            has_notes: false,
            echo: ReasoningEcho::State,
            ask: ReasoningAsk::Effort,
            has_think_tags: false,
            ..usual
        },
        WireKind::Ollama => Quirks {
            choice: ChoiceForm::Absent,
            has_none_with_tools: false,
            names_outcomes: true,
            echo: ReasoningEcho::Text,
            echo_field: ReasoningField::Thinking,
            ask: ReasoningAsk::Think,
            context_tokens_asked: Some(OLLAMA_CONTEXT_TOKENS),
            ..usual
        },
    }
}

/// Asked of Ollama unless something else is known: room for a system text, tools and a few files, and a
/// cache that a machine with 16 GB still holds.
pub const OLLAMA_CONTEXT_TOKENS: u64 = 32_768;

/// Who answers when a server is only known by its address.
pub const COMPATIBLE: &str = "openai-compatible";

/// All providers, in the order in which they are shown.
pub(super) static PROVIDERS: &[Provider] = &[
    Provider {
        wire: WireKind::Responses,
        usual_model: Some("gpt-6.1-sol"),
        quirks: |wire, quirks| openai(wire, quirks),
        ..Provider::chat("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
    },
    Provider {
        models_of: Some("openai"),
        quirks: |wire, quirks| openai(wire, quirks),
        ..Provider::chat("openai-chat", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
    },
    Provider {
        wire: WireKind::Messages,
        auth: KeyForm::Header("x-api-key"),
        headers: &[("anthropic-version", "2023-06-01")],
        usual_model: Some("claude-sonnet-5-5"),
        // Prompt Studio's rule (S-18).
        quirks: |_, quirks| quirks.parallel = ParallelCalls::Off,
        ..Provider::chat("anthropic", "https://api.anthropic.com", &["ANTHROPIC_API_KEY"])
    },
    Provider {
        wire: WireKind::Gemini,
        auth: KeyForm::Header("x-goog-api-key"),
        usual_model: Some("gemini-3.8-flash"),
        ..Provider::chat(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta",
            &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        )
    },
    Provider {
        usual_model: Some("anthropic/claude-sonnet-5.5"),
        quirks: |_, quirks| {
            quirks.ask = ReasoningAsk::Object;
            quirks.echo = ReasoningEcho::State;
            quirks.echo_field = ReasoningField::Details;
        },
        ..Provider::chat("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"])
    },
    Provider {
        wire: WireKind::Responses,
        usual_model: Some("grok-4.7"),
        quirks: |_, quirks| {
            quirks.choice = ChoiceForm::AutoOrNone;
            quirks.response_format = AnswerForms::Absent;
            quirks.parallel = ParallelCalls::Off;
        },
        ..Provider::chat("xai", "https://api.x.ai/v1", &["XAI_API_KEY"])
    },
    Provider {
        usual_model: Some("deepseek-v4-flash"),
        quirks: |_, quirks| {
            quirks.echo = ReasoningEcho::Always;
            quirks.echoes_index = true;
            quirks.empty_content = EmptyContent::Empty;
            quirks.forces_while_thinking = false;
            quirks.ask = ReasoningAsk::ThinkingType;
            quirks.thinks_unasked = true;
            // Taken, and without effect.
            quirks.samples_while_thinking = false;
            quirks.response_format = AnswerForms::ObjectOnly;
            quirks.has_images = false;
        },
        ..Provider::chat("deepseek", "https://api.deepseek.com", &["DEEPSEEK_API_KEY"])
    },
    Provider {
        usual_model: Some("mistral-medium-latest"),
        quirks: |_, quirks| {
            quirks.ids = IdRule::Nine;
            quirks.says_any = true;
            quirks.formats_while_forced = false;
            quirks.has_none_with_tools = false;
            quirks.bridges_outcomes = true;
            quirks.names_outcomes = true;
            // Unknown fields are refused: usage comes unasked, and a seed has another name.
            quirks.has_stream_usage = false;
            quirks.has_seed = false;
        },
        ..Provider::chat("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
    },
    Provider {
        usual_model: Some("openai/gpt-oss-120b"),
        quirks: |_, quirks| quirks.has_completion_tokens = true,
        ..Provider::chat("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"])
    },
    Provider::chat("together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"]),
    Provider::chat("fireworks", "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"]),
    Provider {
        quirks: |_, quirks| quirks.has_completion_tokens = true,
        ..Provider::chat("cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"])
    },
    Provider {
        quirks: |_, quirks| {
            quirks.choice = ChoiceForm::AutoOrNone;
            quirks.schema = SchemaDialect::Moonshot;
            quirks.echo = ReasoningEcho::Text;
        },
        ..Provider::chat("moonshot", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"])
    },
    Provider {
        base_url: None,
        auth: KeyForm::Header("api-key"),
        models_of: Some("openai"),
        quirks: |wire, quirks| openai(wire, quirks),
        ..Provider::chat("azure", "", &["AZURE_OPENAI_API_KEY"])
    },
    Provider { wire: WireKind::Ollama, ..Provider::local("ollama", OLLAMA_URL) },
    Provider {
        quirks: |_, quirks| {
            quirks.ask = ReasoningAsk::TemplateArgs;
            quirks.echo = ReasoningEcho::Text;
            quirks.echo_field = ReasoningField::Reasoning;
        },
        ..Provider::local("vllm", "http://127.0.0.1:8000/v1")
    },
    Provider {
        quirks: |_, quirks| {
            quirks.choice = ChoiceForm::Words;
            quirks.parallel = ParallelCalls::On;
            quirks.ask = ReasoningAsk::TemplateArgs;
            quirks.echo = ReasoningEcho::Text;
        },
        ..Provider::local("llamacpp", "http://127.0.0.1:8080/v1")
    },
    Provider::local("lmstudio", "http://127.0.0.1:1234/v1"),
    Provider {
        base_url: None,
        key_variables: &["OPENAI_COMPATIBLE_API_KEY"],
        ..Provider::local(COMPATIBLE, "")
    },
];

/// Where an Ollama server usually is.
pub const OLLAMA_URL: &str = "http://127.0.0.1:11434";

fn openai(wire: WireKind, quirks: &mut Quirks) {
    quirks.schema = SchemaDialect::Strict;
    quirks.system_role = SystemRole::Developer;
    if wire == WireKind::Chat {
        quirks.has_completion_tokens = true;
        quirks.ask = ReasoningAsk::Effort;
        quirks.has_think_tags = false;
    }
}
