use serde_json::json;

use super::*;

#[test]
fn a_router_says_context_prices_and_abilities() {
    let answer = json!({"data": [{
        "id": "acme/one", "context_length": 200_000, "supported_parameters": ["tools", "temperature"],
        "architecture": {"input_modalities": ["text", "image"]},
        "pricing": {"prompt": "0.000002", "completion": "0.00001", "input_cache_read": "0.0000002"},
    }]});
    let [model] = read_list(WireKind::Chat, &answer).try_into().unwrap();
    assert_eq!(model.model, "acme/one");
    let abilities = model.abilities;
    assert_eq!((abilities.context_tokens, abilities.calls_tools), (Some(200_000), Some(true)));
    assert_eq!((abilities.reasons, abilities.sees), (Some(false), Some(true)));
    let prices = abilities.prices.unwrap();
    assert!((prices.input - 2.0).abs() < 1e-9 && (prices.cached - 0.2).abs() < 1e-9, "{prices:?}");
}

#[test]
fn servers_have_many_words_for_the_same_and_some_say_nothing() {
    let answer = json!({"object": "list", "data": [
        {"id": "a", "max_model_len": 4_096}, {"id": "b", "context_window": 131_072, "max_completion_tokens": 8_192},
        {"id": "c", "max_context_length": 9, "capabilities": {"function_calling": true, "vision": false}},
        {"id": "d"}, {"object": "model"}, 7,
    ]});
    let models = read_list(WireKind::Responses, &answer);
    let contexts: Vec<Option<u64>> = models.iter().map(|model| model.abilities.context_tokens).collect();
    assert_eq!(contexts, [Some(4_096), Some(131_072), Some(9), None]);
    assert_eq!((models[2].abilities.calls_tools, models[2].abilities.sees), (Some(true), Some(false)));
    assert_eq!(models[3].abilities, Abilities::default());
}

#[test]
fn gemini_ollama_and_bare_lists_are_read() {
    let answer = json!({"models": [
        {"name": "models/gemini-3.8-flash", "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536,
         "supportedGenerationMethods": ["generateContent", "countTokens"], "thinking": true},
        {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
    ]});
    let [model] = read_list(WireKind::Gemini, &answer).try_into().unwrap();
    assert_eq!((model.model.as_str(), model.abilities.context_tokens), ("gemini-3.8-flash", Some(1_048_576)));
    let answer = json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5}]});
    assert_eq!(read_list(WireKind::Ollama, &answer)[0].model, "qwen3:8b");
    assert_eq!(read_list(WireKind::Chat, &json!([{"id": "x"}])).len(), 1);
}

#[test]
fn what_is_no_list_is_an_empty_one() {
    for wire in WireKind::ALL {
        for answer in [json!(null), json!("x"), json!({"data": 3}), json!({"models": {}}), json!({})] {
            assert!(read_list(wire, &answer).is_empty(), "{wire:?} {answer}");
        }
    }
}
