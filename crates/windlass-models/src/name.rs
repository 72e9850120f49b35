//! Names of models: `PROVIDER/MODEL`, where the model may itself contain slashes.

use std::fmt;

/// A model's full name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    /// The provider: a row of the catalogue.
    pub provider: String,
    /// The model, as the provider calls it.
    pub model: String,
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a model's name: write PROVIDER/MODEL, such as openai/gpt-5.5 or ollama/qwen3")]
pub struct NameError(pub String);

impl ModelName {
    /// Reads `PROVIDER/MODEL`.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text.trim().split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self { provider: provider.to_ascii_lowercase(), model: model.to_owned() })
            }
            Some(_) | None => Err(NameError(text.to_owned())),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// Prompt Studio's provider id: up to the slash and the colon, without hyphens (`x-ai/grok-4` is `xai`).
pub fn provider_id(name: &str) -> String {
    let end = name.find(['/', ':']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name).replace('-', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_provider_and_a_model_that_may_have_slashes() {
        let name = ModelName::parse("OpenRouter/anthropic/claude-sonnet-5.5").unwrap();
        assert_eq!(
            (name.provider.as_str(), name.model.as_str()),
            ("openrouter", "anthropic/claude-sonnet-5.5")
        );
        assert_eq!(name.to_string(), "openrouter/anthropic/claude-sonnet-5.5");
        for wrong in ["gpt-5.5", "/x", "openai/", "", " "] {
            assert!(ModelName::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn s_18_the_provider_id_is_the_name_up_to_slash_and_colon_without_hyphens() {
        assert_eq!(provider_id("x-ai/grok-4"), "xai");
        assert_eq!(provider_id("anthropic:claude"), "anthropic");
    }
}
