//! A target: one model at one endpoint, with everything that is known of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_core::protocol::model::Usage;
use windlass_core::text::secret::Secret;

use crate::failure::shown_url;
use crate::quirks::Quirks;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireKind {
    Chat,
    Responses,
    Messages,
    Gemini,
    /// Ollama's own, line by line.
    Ollama,
}

impl WireKind {
    pub const ALL: [WireKind; 5] =
        [WireKind::Chat, WireKind::Responses, WireKind::Messages, WireKind::Gemini, WireKind::Ollama];

    /// The word of configuration and lists.
    pub fn word(self) -> &'static str {
        match self {
            WireKind::Chat => "chat",
            WireKind::Responses => "responses",
            WireKind::Messages => "messages",
            WireKind::Gemini => "gemini",
            WireKind::Ollama => "ollama",
        }
    }
}

/// How a key travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthForm {
    /// `Authorization: Bearer`.
    Bearer,
    /// A header of this name.
    Header(String),
    /// There is no key.
    Open,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    pub input: f64,
    /// Read from the provider's cache.
    pub cached: f64,
    pub output: f64,
}

impl Prices {
    /// What some tokens cost.
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn cost_usd(&self, usage: &Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        (fresh * self.input + usage.cached as f64 * self.cached + usage.output as f64 * self.output) / 1e6
    }
}

/// What a model can do, where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Abilities {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Tokens of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u64>,
    /// Whether it calls tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_tools: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasons: Option<bool>,
    /// Whether it sees pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
}

/// One model at one endpoint.
#[derive(Clone, PartialEq)]
pub struct ModelTarget {
    /// `provider/model`: whose reasoning state is its own.
    pub name: String,
    /// The provider's row in the catalogue.
    pub provider: String,
    /// The model, as the provider calls it.
    pub model: String,
    pub wire: WireKind,
    /// Where the endpoint is, without a slash at its end and without the wire's own path.
    pub base_url: String,
    /// How the key travels.
    pub auth: AuthForm,
    pub key: Option<Secret>,
    /// Headers that always go along.
    pub headers: Vec<(String, String)>,
    /// What the endpoint does differently.
    pub quirks: Quirks,
    /// What the model can do.
    pub abilities: Abilities,
}

impl ModelTarget {
    /// Tokens that fit into one exchange: what the model holds, or less if less is asked of the server.
    pub fn context_tokens(&self) -> Option<u64> {
        match (self.abilities.context_tokens, self.quirks.context_tokens_asked) {
            (Some(held), Some(asked)) => Some(held.min(asked)),
            (held, asked) => held.or(asked),
        }
    }
}

/// Headers may carry secrets of their own: only their names are shown.
impl fmt::Debug for ModelTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Target")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("base_url", &shown_url(&self.base_url))
            .field("headers", &names)
            .field("quirks", &self.quirks)
            .field("abilities", &self.abilities)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_part_of_the_input_and_cost_their_own_price() {
        let prices = Prices { input: 2.0, cached: 0.5, output: 8.0 };
        let usage = Usage { input: 1_000_000, output: 500_000, cached: 400_000, ..Usage::default() };
        assert!((prices.cost_usd(&usage) - (1.2 + 0.2 + 4.0)).abs() < 1e-9);
    }
}
