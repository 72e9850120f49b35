use super::*;
use crate::catalog::{Overrides, target};
use crate::name::ModelName;

fn quirks(name: &str) -> Quirks {
    of(name).0
}

fn of(name: &str) -> (Quirks, Abilities) {
    let overrides = Overrides {
        key: Some("k".into()),
        base_url: Some("http://127.0.0.1:1".to_owned()),
        ..Overrides::default()
    };
    let target = target(&ModelName::parse(name).unwrap(), &overrides).unwrap();
    (target.quirks, target.abilities)
}

#[test]
fn a_star_stands_for_anything_and_nothing() {
    for (pattern, name) in [("a", "a"), ("a*", "a"), ("a*", "abc"), ("*b*", "abc"), ("a*c", "abc"), ("*", "")]
    {
        assert!(fits(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [("a", "ab"), ("a*", "b"), ("a*c", "ab"), ("*x*", "abc"), ("", "a")] {
        assert!(!fits(pattern, name), "{pattern} {name}");
    }
}

#[test]
fn z_25_models_with_calls_of_their_own_are_asked_natively_wherever_they_run() {
    for server in ["ollama", "vllm", "llamacpp", "lmstudio", "openai-compatible", "together"] {
        for model in [
            "gpt-oss:120b",
            "openai/gpt-oss-120b",
            "llama3.1",
            "llama3.1:70b-instruct-q4_K_M",
            "meta-llama/Llama-3.1-8B-Instruct",
            "meta-llama/Llama-3.3-70B-Instruct-Turbo",
            "llama3.2:3b",
            "qwen2.5:7b",
            "Qwen/Qwen2.5-7B-Instruct",
            "qwen3:8b",
            "mistral:7b-instruct-v0.3",
            "mistralai/Mistral-7B-Instruct-v0.3",
            "mistral-nemo",
            "command-r-plus",
        ] {
            let (quirks, abilities) = of(&format!("{server}/{model}"));
            assert_eq!(quirks.calls, CallDialect::Native, "{server}/{model}");
            assert_eq!(abilities.calls_tools, Some(true), "{server}/{model}");
        }
    }
}

#[test]
fn z_25_older_llamas_are_not_asked_natively_and_write_their_calls_as_tags() {
    for model in [
        "llama2",
        "llama2:13b-chat",
        "meta-llama/Llama-2-7b-chat-hf",
        "llama3",
        "llama3:8b",
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "codellama:34b",
        "gemma",
        "gemma3:27b",
        "google/gemma-2-9b-it",
        "phi3:mini",
        "qwen2:7b",
        "mistralai/Mistral-7B-Instruct-v0.2",
    ] {
        for server in ["ollama", "vllm"] {
            let (quirks, abilities) = of(&format!("{server}/{model}"));
            assert_eq!(quirks.calls, CallDialect::Tags, "{server}/{model}");
            assert_eq!(abilities.calls_tools, Some(false), "{server}/{model}");
        }
    }
}

#[test]
fn a_model_nobody_knows_is_asked_natively() {
    let (quirks, abilities) = of("vllm/acme/brandnew-1");
    assert_eq!((quirks.calls, abilities.calls_tools), (CallDialect::Native, None));
}

#[test]
fn openai_1_families_that_think_take_no_temperature_and_others_take_no_effort() {
    for model in ["o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5.5", "gpt-6.1-sol", "gpt-5-mini-2025-08-07"] {
        for provider in ["openai", "openai-chat", "azure"] {
            let (quirks, abilities) = of(&format!("{provider}/{model}"));
            assert!(!quirks.samples_while_thinking, "{provider}/{model}");
            assert_ne!(quirks.ask, ReasoningAsk::Absent, "{provider}/{model}");
            assert_eq!(abilities.reasons, Some(true), "{provider}/{model}");
        }
    }
    for model in ["gpt-4o", "gpt-4o-mini-2024-07-18", "gpt-4.1", "gpt-3.5-turbo", "gpt-5-chat-latest"] {
        let (quirks, abilities) = of(&format!("openai/{model}"));
        assert_eq!((quirks.ask, abilities.reasons), (ReasoningAsk::Absent, Some(false)), "{model}");
        assert!(quirks.samples_while_thinking, "{model}");
    }
}

#[test]
fn anthropic_3_thinking_is_a_budget_up_to_4_5_and_an_effort_since_4_6() {
    for model in
        ["claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-haiku-4-5", "claude-opus-4-1"]
    {
        let quirks = quirks(&format!("anthropic/{model}"));
        assert_eq!(quirks.ask, ReasoningAsk::ThinkingType, "{model}");
        assert!(!quirks.forces_while_thinking, "manual thinking refuses forced calls: {model}");
    }
    for model in
        ["claude-opus-4-6", "claude-opus-4-8", "claude-sonnet-5", "claude-opus-5", "claude-haiku-5-5"]
    {
        let quirks = quirks(&format!("anthropic/{model}"));
        assert_eq!(quirks.ask, ReasoningAsk::Effort, "{model}");
        assert_eq!(quirks.choice, ChoiceForm::Full, "{model}");
        assert!(quirks.forces_while_thinking, "adaptive thinking allows forced calls: {model}");
        assert!(!quirks.samples_while_thinking, "{model}");
    }
    assert_eq!(quirks("anthropic/claude-3-5-haiku-20241022").ask, ReasoningAsk::Absent);
}

#[test]
fn anthropic_3_four_models_refuse_forced_calls_always() {
    for model in ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-1"] {
        assert_eq!(quirks(&format!("anthropic/{model}")).choice, ChoiceForm::AutoOrNone, "{model}");
    }
}

#[test]
fn gemini_4_full_json_schema_is_for_2_5_and_later() {
    for model in ["gemini-2.5-flash", "gemini-2.5-pro", "gemini-3.1-pro-preview", "gemini-3.8-flash"] {
        assert_eq!(quirks(&format!("gemini/{model}")).schema, SchemaDialect::Full, "{model}");
    }
    for model in ["gemini-1.5-pro", "gemini-2.0-flash"] {
        assert_eq!(quirks(&format!("gemini/{model}")).schema, SchemaDialect::Gemini, "{model}");
    }
}

#[test]
fn s_18_r_31_a_router_passes_on_what_its_vendors_refuse() {
    let claude = quirks("openrouter/anthropic/claude-sonnet-5.5");
    assert_eq!(claude.parallel, ParallelCalls::Off);
    assert_eq!(claude.response_format, AnswerForms::Full);
    let grok = quirks("openrouter/x-ai/grok-4");
    assert_eq!((grok.parallel, grok.choice), (ParallelCalls::Off, ChoiceForm::AutoOrNone));
    assert_eq!(grok.response_format, AnswerForms::Absent);
    let other = quirks("openrouter/qwen/qwen3-coder");
    assert_eq!((other.parallel, other.choice), (ParallelCalls::Unsaid, ChoiceForm::Full));
}

#[test]
fn qwen_0_thinking_may_begin_without_its_opening_tag() {
    assert!(quirks("vllm/Qwen/Qwen3-8B").opens_thinking);
    assert!(!quirks("vllm/meta-llama/Llama-3.1-8B-Instruct").opens_thinking);
}

#[test]
fn models_that_think_unasked_are_known_by_their_family() {
    for (model, thinks, stops) in [
        ("openai/gpt-5", true, false),
        ("openai/gpt-5.5", true, true),
        ("openai-chat/o3-mini", true, false),
        ("openai/gpt-5-chat-latest", false, true),
        ("openai/gpt-4o", false, true),
        ("anthropic/claude-sonnet-4-5", false, true),
        ("anthropic/claude-opus-4-6", false, true),
        ("anthropic/claude-opus-5", true, true),
        ("anthropic/claude-opus-5-5", true, false),
        ("gemini/gemini-2.5-pro", true, true),
        ("gemini/gemini-2.0-flash", false, true),
        ("deepseek/deepseek-v4-flash", true, true),
        ("deepseek/deepseek-reasoner", true, true),
        ("deepseek/deepseek-chat", false, true),
        ("ollama/gpt-oss:20b", true, false),
        ("ollama/llama3.1", false, true),
    ] {
        let quirks = quirks(model);
        assert_eq!((quirks.thinks_unasked, quirks.stops_thinking), (thinks, stops), "{model}");
    }
}

#[test]
fn anthropic_3_thinking_begins_midway_since_4_6() {
    for (model, midway) in
        [("claude-sonnet-4-5", false), ("claude-opus-4-6", true), ("claude-opus-5-5", true)]
    {
        let quirks = quirks(&format!("anthropic/{model}"));
        assert_eq!(quirks.thinks_midway, midway, "{model}");
        assert!(quirks.declares_past_tools);
        assert_eq!(quirks.response_format, AnswerForms::SchemaOnly);
    }
}
