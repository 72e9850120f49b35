//! What the configuration says about models and their endpoints, as the model wires take it.

use serde_json::{Map, Value as Json};
use windlass_core::protocol::model::{Effort, Sampling};
use windlass_models::catalog::Overrides;
use windlass_models::limits::ExchangeLimits;
use windlass_models::{Abilities, Prices, WireKind};

use super::key::PROVIDERS;
use super::value::SettingValue;
use super::{CliConfig, SettingSource};
use crate::complaint::{CommandError, Result};

impl CliConfig {
    /// What is set for a provider, all but its key.
    pub(crate) fn overrides(&self, provider: &str) -> Result<Overrides> {
        let settings = &self.settings;
        let name = |field: &str| format!("{PROVIDERS}{provider}.{field}");
        let fields = |field: &str| settings.get(&name(field)).and_then(|setting| setting.value.fields());
        let compatible = || {
            let is_meant = provider == windlass_models::catalog::COMPATIBLE;
            settings.text("base_url").filter(|_| is_meant)
        };
        let headers = fields("headers").into_iter().flatten();
        let mut quirks: Vec<Map<String, Json>> = fields("quirks").cloned().into_iter().collect();
        quirks
            .extend(settings.text("calls").map(|calls| Map::from_iter([("calls".to_owned(), calls.into())])));
        Ok(Overrides {
            base_url: settings.text(&name("base_url")).or_else(compatible).map(str::to_owned),
            key: None,
            wire: settings.text(&name("wire")).and_then(wire_of),
            headers: headers
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
            quirks,
            abilities: Abilities {
                context_tokens: settings.count(&name("context_tokens")),
                prices: fields("prices").map(|fields| self.prices(&name("prices"), fields)).transpose()?,
                ..Abilities::default()
            },
        })
    }

    /// Providers that are configured, in order.
    pub(crate) fn configured_providers(&self) -> Vec<&str> {
        let names = self.settings.group(PROVIDERS).filter_map(|(name, _)| super::key::split_provider(name));
        let mut names: Vec<&str> = names.map(|(provider, _)| provider).collect();
        names.dedup();
        names
    }

    /// What is wished of every answer.
    pub(crate) fn sampling(&self) -> Sampling {
        self.sampling_from(|_| true)
    }

    /// The same, as far as flags of this command say it: that stands over what a session has set.
    pub(crate) fn sampling_of_flags(&self) -> Sampling {
        self.sampling_from(|source| matches!(source, SettingSource::Flag(_)))
    }

    fn sampling_from(&self, counts: impl Fn(&SettingSource) -> bool) -> Sampling {
        let value = |name: &str| {
            self.settings.get(name).filter(|setting| counts(&setting.source)).map(|setting| &setting.value)
        };
        let number = |name: &str| value(name).and_then(SettingValue::number);
        let count = |name: &str| value(name).and_then(SettingValue::count);
        Sampling {
            temperature: number("temperature"),
            top_p: number("top_p"),
            output_tokens_max: count("max_output_tokens").and_then(|count| u32::try_from(count).ok()),
            reasoning_effort: value("reasoning_effort")
                .and_then(SettingValue::text)
                .and_then(Effort::of_word),
            seed: count("seed"),
            response_format: None,
        }
    }

    /// Times of one exchange with a model.
    pub(crate) fn exchange_limits(&self) -> ExchangeLimits {
        let usual = ExchangeLimits::default();
        let time = |name: &str, usual_ms: u64| {
            self.settings.count(&format!("exchange.{name}")).filter(|ms| *ms > 0).unwrap_or(usual_ms)
        };
        ExchangeLimits {
            connect_timeout_ms: time("connect_timeout_ms", usual.connect_timeout_ms),
            first_byte_timeout_ms: time("first_byte_timeout_ms", usual.first_byte_timeout_ms),
            idle_timeout_ms: time("idle_timeout_ms", usual.idle_timeout_ms),
            total_timeout_ms: time("total_timeout_ms", usual.total_timeout_ms),
            ..usual
        }
    }

    /// Certificates to trust besides the usual ones.
    pub(crate) fn ca_pem(&self) -> Result<Option<Vec<u8>>> {
        let Some(path) = self.settings.text("ca_file") else { return Ok(None) };
        std::fs::read(path).map(Some).map_err(|error| self.wrong("ca_file", &format!("{path}: {error}")))
    }

    fn prices(&self, name: &str, fields: &Map<String, Json>) -> Result<Prices> {
        let price = |field: &str| fields.get(field).and_then(Json::as_f64).filter(|price| *price >= 0.0);
        if let Some(other) =
            fields.keys().find(|field| !["input", "cached", "output"].contains(&field.as_str()))
        {
            return Err(self
                .wrong(name, &format!("there is no price '{other}'"))
                .cure("input, cached, output"));
        }
        match (price("input"), price("output")) {
            (Some(input), Some(output)) => {
                Ok(Prices { input, cached: price("cached").unwrap_or(input), output })
            }
            _ => Err(missing_price(self, name)),
        }
    }
}

fn missing_price(config: &CliConfig, name: &str) -> CommandError {
    config
        .wrong(name, &"dollars for a million tokens are needed")
        .cure(format!("{name} = {{ input = 2.0, cached = 0.2, output = 10.0 }}"))
}

fn wire_of(word: &str) -> Option<WireKind> {
    WireKind::ALL.into_iter().find(|wire| wire.word() == word)
}
