use serde_json::json;

use super::*;
use crate::quirks::*;
use crate::target::{AuthForm, Prices};

fn named(name: &str) -> ModelName {
    ModelName::parse(name).unwrap()
}

fn with_key() -> Overrides {
    Overrides { key: Some("sk-secret".into()), ..Overrides::default() }
}

fn made(name: &str) -> ModelTarget {
    let mut overrides = with_key();
    if find_provider(&named(name).provider).is_some_and(|row| row.base_url.is_none()) {
        overrides.base_url = Some("https://example.test/openai/v1".to_owned());
    }
    target(&named(name), &overrides).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_provider_of_the_house_has_its_row() {
    let rows: Vec<(&str, &str, &str)> = providers()
        .iter()
        .map(|row| (row.id, row.wire.word(), row.key_variables.first().copied().unwrap_or("")))
        .collect();
    assert_eq!(
        rows,
        [
            ("openai", "responses", "OPENAI_API_KEY"),
            ("openai-chat", "chat", "OPENAI_API_KEY"),
            ("anthropic", "messages", "ANTHROPIC_API_KEY"),
            ("gemini", "gemini", "GEMINI_API_KEY"),
            ("openrouter", "chat", "OPENROUTER_API_KEY"),
            ("xai", "responses", "XAI_API_KEY"),
            ("deepseek", "chat", "DEEPSEEK_API_KEY"),
            ("mistral", "chat", "MISTRAL_API_KEY"),
            ("groq", "chat", "GROQ_API_KEY"),
            ("together", "chat", "TOGETHER_API_KEY"),
            ("fireworks", "chat", "FIREWORKS_API_KEY"),
            ("cerebras", "chat", "CEREBRAS_API_KEY"),
            ("moonshot", "chat", "MOONSHOT_API_KEY"),
            ("azure", "chat", "AZURE_OPENAI_API_KEY"),
            ("ollama", "ollama", ""),
            ("vllm", "chat", ""),
            ("llamacpp", "chat", ""),
            ("lmstudio", "chat", ""),
            ("openai-compatible", "chat", "OPENAI_COMPATIBLE_API_KEY"),
        ]
    );
}

#[test]
fn every_row_makes_a_target_with_an_address_and_a_way_for_its_key() {
    for row in providers() {
        let target = made(&format!("{}/some-model", row.id));
        assert!(target.base_url.starts_with("http"), "{}", row.id);
        assert!(!target.base_url.ends_with('/'), "{}", row.id);
        assert_ne!(target.auth, AuthForm::Open, "a key that was given is sent: {}", row.id);
        if let Some(model) = row.usual_model {
            assert!(row.base_url.is_some(), "{} {model}", row.id);
        }
    }
    assert_eq!(made("azure/mine").auth, AuthForm::Header("api-key".into()));
    assert_eq!(made("gemini/x").auth, AuthForm::Header("x-goog-api-key".into()));
    assert_eq!(made("anthropic/x").headers, [("anthropic-version".to_owned(), "2023-06-01".to_owned())]);
    let local = target(&named("ollama/qwen3"), &Overrides::default()).unwrap();
    assert_eq!((local.auth, local.base_url.as_str()), (AuthForm::Open, "http://127.0.0.1:11434"));
}

#[test]
fn usual_models_are_known_models() {
    for row in providers().iter().filter(|row| row.id != "openrouter") {
        if let Some(model) = row.usual_model {
            assert!(find_model(row.id, model).is_some(), "{}/{model}", row.id);
        }
    }
}

#[test]
fn known_models_belong_to_a_provider_are_listed_once_and_say_who_said_so() {
    let models = known_models();
    for (at, known) in models.iter().enumerate() {
        assert!(find_provider(known.provider).is_some(), "{}", known.provider);
        assert!(known.source.contains("202"), "{}: {}", known.model, known.source);
        let again = |other: &&KnownModel| (other.provider, other.model) == (known.provider, known.model);
        assert_eq!(models.iter().position(|other| again(&other)), Some(at), "{}", known.model);
        if let Some(prices) = known.abilities.prices {
            assert!(prices.input > 0.0 && prices.output >= prices.input, "{}", known.model);
            assert!(prices.cached <= prices.input, "{}", known.model);
        }
    }
}

#[test]
fn a_dated_name_is_known_by_its_undated_one_and_no_other_is() {
    assert_eq!(find_model("anthropic", "claude-haiku-4-5-20251001").unwrap().model, "claude-haiku-4-5");
    assert_eq!(find_model("openai", "gpt-4o-2024-08-06").unwrap().model, "gpt-4o");
    assert_eq!(find_model("openai-chat", "gpt-4o-mini").unwrap().model, "gpt-4o-mini");
    assert_eq!(find_model("azure", "gpt-5.5").unwrap().model, "gpt-5.5");
    for (provider, model) in
        [("openai", "gpt-4o-audio"), ("openai", "gpt-5.5-pro"), ("groq", "gpt-4o"), ("nobody", "x")]
    {
        assert_eq!(find_model(provider, model), None, "{provider}/{model}");
    }
}

#[test]
fn r_31_s_18_xai_has_no_forced_choice_no_response_format_and_no_parallel_calls() {
    for wire in [WireKind::Responses, WireKind::Chat] {
        let overrides = Overrides { wire: Some(wire), ..with_key() };
        let quirks = target(&named("xai/grok-4.7"), &overrides).unwrap().quirks;
        assert_eq!(
            (quirks.choice, quirks.parallel),
            (ChoiceForm::AutoOrNone, ParallelCalls::Off),
            "{wire:?}"
        );
        assert_eq!(quirks.response_format, AnswerForms::Absent, "{wire:?}");
    }
    assert_eq!(made("anthropic/claude-opus-5").quirks.parallel, ParallelCalls::Off);
    assert_eq!(made("openai/gpt-5.5").quirks.parallel, ParallelCalls::Unsaid);
}

#[test]
fn mistral_8_ids_are_nine_and_required_is_any() {
    let quirks = made("mistral/mistral-medium-latest").quirks;
    assert_eq!(quirks.ids, IdRule::Nine);
    assert!(quirks.says_any && quirks.bridges_outcomes && !quirks.has_none_with_tools);
    assert!(!quirks.formats_while_forced);
}

#[test]
fn deepseek_7_thinking_is_echoed_always_and_calls_are_forced_only_without_it() {
    let quirks = made("deepseek/deepseek-v4-flash").quirks;
    assert_eq!((quirks.echo, quirks.empty_content), (ReasoningEcho::Always, EmptyContent::Empty));
    assert!(quirks.echoes_index && !quirks.forces_while_thinking && !quirks.has_images);
    assert!(quirks.thinks_unasked && !quirks.samples_while_thinking, "it thinks unless told not to");
    assert_eq!(quirks.response_format, AnswerForms::ObjectOnly);
    assert!(!made("deepseek/deepseek-chat").quirks.thinks_unasked);
}

#[test]
fn openrouter_6_details_come_back_as_they_came() {
    let quirks = made("openrouter/google/gemini-3.8-flash").quirks;
    assert_eq!((quirks.echo, quirks.echo_field), (ReasoningEcho::State, ReasoningField::Details));
    assert_eq!(quirks.ask, ReasoningAsk::Object);
}

#[test]
fn ollama_5_context_is_asked_for_and_thinking_is_echoed() {
    let quirks = made("ollama/qwen3").quirks;
    assert_eq!(quirks.context_tokens_asked, Some(32_768));
    assert_eq!((quirks.echo, quirks.echo_field), (ReasoningEcho::Text, ReasoningField::Thinking));
    assert!(quirks.names_outcomes);
    let more = Overrides {
        abilities: Abilities { context_tokens: Some(100_000), ..Abilities::default() },
        ..Overrides::default()
    };
    let target = target(&named("ollama/qwen3"), &more).unwrap();
    assert_eq!(target.quirks.context_tokens_asked, Some(100_000));
    assert_eq!(target.context_tokens(), Some(100_000));
}

#[test]
fn llamacpp_10_choice_is_a_word_and_parallel_calls_are_asked_for() {
    let quirks = made("llamacpp/any").quirks;
    assert_eq!((quirks.choice, quirks.parallel), (ChoiceForm::Words, ParallelCalls::On));
}

#[test]
fn moonshot_11_required_is_not_taken_and_schemas_are_its_own() {
    let quirks = made("moonshot/kimi-k2.6").quirks;
    assert_eq!((quirks.choice, quirks.schema), (ChoiceForm::AutoOrNone, SchemaDialect::Moonshot));
}

#[test]
fn an_unknown_provider_is_answered_with_the_nearest_and_the_list() {
    let error = target(&named("opnai/gpt-5.5"), &with_key()).unwrap_err().to_string();
    assert!(error.contains("did you mean 'openai'?") && error.contains("anthropic, gemini"), "{error}");
    let error = target(&named("qqqqqqqqqq/x"), &with_key()).unwrap_err();
    assert!(matches!(error, CatalogError::UnknownProvider { nearest: None, .. }), "{error}");
}

#[test]
fn an_address_makes_any_name_a_server_of_its_own() {
    let overrides = Overrides { base_url: Some("http://10.0.0.7:9000/v1/".into()), ..Overrides::default() };
    let target = target(&named("basement/llama-3.3-70b"), &overrides).unwrap();
    assert_eq!((target.provider.as_str(), target.base_url.as_str()), ("basement", "http://10.0.0.7:9000/v1"));
    assert_eq!((target.wire, target.auth), (WireKind::Chat, AuthForm::Open));
}

#[test]
fn what_needs_an_address_or_a_key_says_so() {
    assert_eq!(
        target(&named("azure/mine"), &with_key()).unwrap_err(),
        CatalogError::NoAddress { provider: "azure".into() }
    );
    let error = target(&named("groq/x"), &Overrides::default()).unwrap_err();
    assert_eq!(error.to_string(), "'groq' needs a key, and there is none: set GROQ_API_KEY");
    let elsewhere = Overrides { base_url: Some("http://127.0.0.1:9/v1".into()), ..Overrides::default() };
    assert!(target(&named("groq/x"), &elsewhere).is_ok(), "a gateway may need none");
}

#[test]
fn an_address_that_cannot_be_one_is_refused_and_no_secret_in_it_is_shown() {
    for url in [
        "api.example.test/v1",
        "ftp://x",
        "https://",
        "http:///v1",
        "http://a b/v1",
        "https://me:sk-1@host/v1",
        "https://host/v1?key=sk-1#top",
    ] {
        let overrides = Overrides { base_url: Some(url.into()), ..with_key() };
        let error = target(&named("vllm/x"), &overrides).unwrap_err().to_string();
        assert!(error.contains("cannot be the address of 'vllm'") && !error.contains("sk-1"), "{error}");
    }
}

#[test]
fn the_users_word_is_the_last() {
    let patch = |value: Value| value.as_object().unwrap().clone();
    let overrides = Overrides {
        wire: Some(WireKind::Chat),
        quirks: vec![patch(json!({"choice": "words", "streams": false})), patch(json!({"choice": "absent"}))],
        headers: vec![("Anthropic-Version".into(), "2030-01-01".into()), ("x-team".into(), "a".into())],
        abilities: Abilities {
            context_tokens: Some(9),
            prices: Some(Prices { input: 1.0, cached: 1.0, output: 2.0 }),
            sees: Some(false),
            ..Abilities::default()
        },
        ..with_key()
    };
    let target = target(&named("anthropic/claude-opus-5"), &overrides).unwrap();
    assert_eq!(
        (target.wire, target.quirks.choice, target.quirks.streams),
        (WireKind::Chat, ChoiceForm::Absent, false)
    );
    assert_eq!(target.headers.len(), 2, "{:?}", target.headers);
    assert_eq!(
        (target.abilities.context_tokens, target.abilities.output_tokens_max),
        (Some(9), Some(128_000))
    );
    assert!(!target.quirks.has_images, "a model that does not see is shown nothing");
    let wrong = Overrides { quirks: vec![patch(json!({"chioce": "words"}))], ..with_key() };
    let error = super::target(&named("openai/gpt-5.5"), &wrong).unwrap_err().to_string();
    assert!(error.contains("quirks of 'openai'") && error.contains("chioce"), "{error}");
}

#[test]
fn no_key_is_shown_by_a_target() {
    let target = made("openai/gpt-5.5");
    assert!(!format!("{target:?}").contains("sk-secret"));
}
