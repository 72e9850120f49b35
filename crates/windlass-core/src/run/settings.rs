//! What a run is run with: what its session has, what its record says, and what was wished for it alone.
//!
//! Owns how wishes change limits. Knows nothing of what happens at a limit.

use std::sync::Arc;

use crate::calls::phrase::phrase_form;
use crate::limits::{Limits, WISHED_STEPS_MAX, final_reserve_max};
use crate::ports::AnswerForm;
use crate::profile::Profile;
use crate::protocol::command::RunWishes;

/// What a run is run with; shared by all runs of a session.
#[derive(Debug, Clone)]
pub struct RunSettings {
    pub profile: Profile,
    /// The model's name, for events.
    pub model: String,
    /// The system text: byte-identical in every request.
    pub system: Arc<str>,
    /// Tokens that the model's context holds, where that is known.
    pub context_tokens: Option<u64>,
    /// What the answer must be, where that is more than text.
    pub form: Option<Arc<dyn AnswerForm>>,
}

impl RunSettings {
    /// Whose model answers: the first part of `provider/model`.
    pub(crate) fn vendor(&self) -> Arc<str> {
        self.model.split('/').next().unwrap_or_default().into()
    }

    /// The same, with what a run on record began with, and with what a user wishes for one run.
    pub(crate) fn wished(self: &Arc<Self>, wishes: &RunWishes) -> Arc<Self> {
        if *wishes == RunWishes::default() {
            return Arc::clone(self);
        }
        let mut own = Self::clone(self);
        if let Some(setup) = &wishes.setup {
            own.system = Arc::clone(&setup.system);
            own.profile = setup.profile.clone();
            own.context_tokens = setup.context_tokens;
        }
        if let Some(more) = wishes.system.as_deref().filter(|text| !text.trim().is_empty()) {
            own.system = joined(&own.system, more);
        }
        // Said in words too: not every model can be made to write by a schema, and not in every step.
        if let Some(form) = &wishes.form {
            own.system = joined(&own.system, &phrase_form(&form.asked_schema()));
        }
        limit(&mut own.profile.limits, wishes);
        Arc::new(own)
    }
}

fn joined(system: &str, more: &str) -> Arc<str> {
    if system.is_empty() { more.into() } else { format!("{system}\n\n{more}").into() }
}

/// Puts the limits that are wished in place of the profile's. A budget is only ever lowered: whoever runs the profile
/// decides what a run may take.
fn limit(limits: &mut Limits, wishes: &RunWishes) {
    if let Some(steps_max) = wishes.steps_max {
        limits.steps_max = steps_max.clamp(1, WISHED_STEPS_MAX);
    }
    if let Some(calls_max) = wishes.calls_max {
        limits.calls_per_run_max = limits.calls_per_run_max.min(calls_max);
    }
    if let Some(wished) = wishes.tokens_max {
        let tokens_max = limits.tokens_max.map_or(wished, |max| max.min(wished));
        limits.tokens_max = Some(tokens_max);
        limits.final_reserve_tokens = limits.final_reserve_tokens.min(final_reserve_max(tokens_max));
    }
    if let Some(wished) = wishes.cost_usd_max {
        limits.cost_usd_max = Some(limits.cost_usd_max.map_or(wished, |max| max.min(wished)));
    }
    if let Some(wished) = wishes.run_timeout_ms.filter(|wished| *wished < limits.run_timeout_ms) {
        limits.run_timeout_ms = wished;
        limits.final_reserve_ms = limits.final_reserve_ms.min(final_reserve_max(wished));
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
