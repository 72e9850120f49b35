//! What an endpoint itself says of its models: where to ask on each wire, and how to read the answer.
//!
//! Pure: whoever has a transport asks. Fields that a server leaves out stay unknown.

use serde_json::Value;

use crate::target::{Abilities, Prices, WireKind};

/// A model as its endpoint lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedModel {
    /// The name the endpoint takes.
    pub model: String,
    /// What it says of it.
    pub abilities: Abilities,
}

/// The path after the base URL where an endpoint lists its models.
pub fn list_path(wire: WireKind) -> &'static str {
    match wire {
        WireKind::Chat | WireKind::Responses => "/models",
        WireKind::Messages => "/v1/models?limit=1000",
        WireKind::Gemini => "/models?pageSize=1000",
        WireKind::Ollama => "/api/tags",
    }
}

/// Reads a list of models; what is no model is left out.
pub fn read_list(wire: WireKind, answer: &Value) -> Vec<ListedModel> {
    let rows = match wire {
        // Some servers give the bare list.
        WireKind::Chat | WireKind::Responses | WireKind::Messages => answer.get("data").unwrap_or(answer),
        WireKind::Gemini | WireKind::Ollama => answer.get("models").unwrap_or(answer),
    };
    let rows = rows.as_array().into_iter().flatten();
    match wire {
        WireKind::Gemini => rows.filter_map(gemini).collect(),
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Ollama => {
            rows.filter_map(usual).collect()
        }
    }
}

fn gemini(row: &Value) -> Option<ListedModel> {
    let name = row.get("name")?.as_str()?;
    let methods = row.get("supportedGenerationMethods").and_then(Value::as_array);
    let talks = |methods: &Vec<Value>| methods.iter().any(|method| method == "generateContent");
    methods.is_none_or(talks).then(|| ListedModel {
        model: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        abilities: Abilities {
            context_tokens: count(row, &["inputTokenLimit"]),
            output_tokens_max: count(row, &["outputTokenLimit"]),
            reasons: row.get("thinking").and_then(Value::as_bool),
            ..Abilities::default()
        },
    })
}

/// The names that servers have for the same things.
fn usual(row: &Value) -> Option<ListedModel> {
    let model = row.get("id").or_else(|| row.get("name"))?.as_str()?.to_owned();
    let takes = |word: &str| {
        let words = row.get("supported_parameters")?.as_array()?;
        Some(words.iter().any(|own| own == word))
    };
    let can = |word: &str| row.get("capabilities")?.get(word)?.as_bool();
    let modalities = row.get("architecture").and_then(|facts| facts.get("input_modalities"));
    let sees = modalities.and_then(Value::as_array).map(|kinds| kinds.iter().any(|kind| kind == "image"));
    let context =
        ["context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens"];
    let abilities = Abilities {
        context_tokens: count(row, &context),
        output_tokens_max: count(row, &["max_completion_tokens", "max_output_tokens", "max_tokens"]),
        calls_tools: takes("tools").or_else(|| can("function_calling")),
        reasons: takes("reasoning"),
        sees: sees.or_else(|| can("vision")),
        prices: row.get("pricing").and_then(prices),
    };
    Some(ListedModel { model, abilities })
}

fn count(row: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| row.get(name).and_then(Value::as_u64)).filter(|count| *count > 0)
}

/// OpenRouter's prices: texts, dollars for one token.
fn prices(pricing: &Value) -> Option<Prices> {
    let price = |name: &str| pricing.get(name)?.as_str()?.parse::<f64>().ok().map(|price| price * 1e6);
    let (input, output) = (price("prompt")?, price("completion")?);
    let is_price = |price: f64| price.is_finite() && price >= 0.0;
    (is_price(input) && is_price(output)).then(|| Prices {
        input,
        cached: price("input_cache_read").unwrap_or(input),
        output,
    })
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
