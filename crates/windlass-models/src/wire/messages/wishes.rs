//! Wishes of a request: how much may be written, whether the model thinks, what it may do with tools.

use serde_json::{Value, json};
use windlass_core::protocol::model::{Effort, ToolChoice};

use crate::quirks::{ChoiceForm, ParallelCalls, ReasoningAsk};
use crate::wire::{RequestPlan, write_json};

/// What may be written when neither the user nor the catalogue says: every model can do that much.
const OUTPUT_TOKENS_DEFAULT: u64 = 8_192;
/// The least that the protocol takes as a budget for thinking.
const BUDGET_TOKENS_MIN: u64 = 1_024;

/// How the model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingAsk {
    /// Nothing is said: the model does as it is used to.
    Unsaid,
    /// It must not: some models think unless they are told (and forced choices forbid it).
    Off,
    /// By a budget of tokens.
    Budget(u64),
    /// As much as it finds right, with an effort if one was named.
    Adaptive(Option<Effort>),
}

/// Everything of the head that is a wish.
#[derive(Debug)]
pub(super) struct HeadWishes<'a> {
    plan: &'a RequestPlan<'a>,
    thinking: ThinkingAsk,
    output_tokens_max: u64,
}

impl<'a> HeadWishes<'a> {
    pub(super) fn of(plan: &'a RequestPlan<'a>) -> Self {
        let cap = plan.target.abilities.output_tokens_max;
        let wanted = plan.sampling.output_tokens_max.map(u64::from).or(cap).unwrap_or(OUTPUT_TOKENS_DEFAULT);
        let (thinking, output_tokens_max) = match thinking_of(plan) {
            ThinkingAsk::Budget(budget) => fit_budget(budget, wanted, cap),
            other @ (ThinkingAsk::Unsaid | ThinkingAsk::Off | ThinkingAsk::Adaptive(_)) => (other, wanted),
        };
        Self { plan, thinking, output_tokens_max }
    }

    pub(super) fn output_tokens_max(&self) -> u64 {
        self.output_tokens_max
    }

    /// Appends `"name":value` pairs, each with a comma before it.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.write_choice(out);
        let mut output = serde_json::Map::new();
        match self.thinking {
            ThinkingAsk::Unsaid => {}
            ThinkingAsk::Off => write_field(out, "thinking", &json!({"type": "disabled"})),
            ThinkingAsk::Budget(tokens) => {
                write_field(out, "thinking", &json!({"type": "enabled", "budget_tokens": tokens}));
            }
            ThinkingAsk::Adaptive(effort) => {
                // Newer models hide their thinking unless it is asked for.
                write_field(out, "thinking", &json!({"type": "adaptive", "display": "summarized"}));
                if let Some(effort) = effort {
                    output.insert("effort".to_owned(), effort.word().into());
                }
            }
        }
        if let Some(schema) = self.answer_schema() {
            output.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema}));
        }
        if !output.is_empty() {
            write_field(out, "output_config", &Value::Object(output));
        }
        self.write_sampling(out);
    }

    fn write_choice(&self, out: &mut Vec<u8>) {
        let quirks = &self.plan.target.quirks;
        if self.plan.tools.tools.is_empty() || quirks.choice == ChoiceForm::Absent {
            return;
        }
        let is_single = quirks.parallel == ParallelCalls::Off;
        let mut choice = match self.plan.choice {
            ToolChoice::Auto if is_single => json!({"type": "auto"}),
            ToolChoice::Auto => return,
            ToolChoice::Required => json!({"type": "any"}),
            ToolChoice::Named(name) => {
                json!({"type": "tool", "name": self.plan.tools.wire_name(name).unwrap_or(name)})
            }
            ToolChoice::Forbidden => json!({"type": "none"}),
        };
        if let (true, false, Some(fields)) =
            (is_single, *self.plan.choice == ToolChoice::Forbidden, choice.as_object_mut())
        {
            fields.insert("disable_parallel_tool_use".to_owned(), true.into());
        }
        write_field(out, "tool_choice", &choice);
    }

    /// Nothing is sampled while the model thinks, and newer models take only one of the two.
    fn write_sampling(&self, out: &mut Vec<u8>) {
        if matches!(self.thinking, ThinkingAsk::Budget(_) | ThinkingAsk::Adaptive(_)) {
            return;
        }
        let sampling = self.plan.sampling;
        match (sampling.temperature, sampling.top_p) {
            (Some(temperature), _) => write_field(out, "temperature", &temperature.into()),
            (None, Some(top_p)) => write_field(out, "top_p", &top_p.into()),
            (None, None) => {}
        }
    }

    /// The schema in OpenAI's words for the form of an answer; other forms have no word here.
    fn answer_schema(&self) -> Option<&Value> {
        let format = self.plan.sampling.response_format.as_ref()?;
        format.get("json_schema").and_then(|inner| inner.get("schema")).or_else(|| format.get("schema"))
    }
}

fn thinking_of(plan: &RequestPlan<'_>) -> ThinkingAsk {
    let is_forced = match plan.choice {
        ToolChoice::Required | ToolChoice::Named(_) => !plan.tools.tools.is_empty(),
        ToolChoice::Auto | ToolChoice::Forbidden => false,
    };
    if is_forced && !plan.target.quirks.forces_while_thinking {
        return ThinkingAsk::Off;
    }
    let Some(effort) = plan.sampling.reasoning_effort else { return ThinkingAsk::Unsaid };
    if effort == Effort::Off {
        return ThinkingAsk::Off;
    }
    match plan.target.quirks.ask {
        ReasoningAsk::Effort | ReasoningAsk::Object => {
            ThinkingAsk::Adaptive((effort != Effort::Auto).then_some(effort))
        }
        ReasoningAsk::Absent
        | ReasoningAsk::EnableThinking
        | ReasoningAsk::TemplateArgs
        | ReasoningAsk::ThinkingType
        | ReasoningAsk::Think => ThinkingAsk::Budget(match effort {
            Effort::Minimal => BUDGET_TOKENS_MIN,
            Effort::Low => 2_048,
            Effort::High => 24_576,
            Effort::XHigh | Effort::Max => 32_768,
            Effort::Off | Effort::Medium | Effort::Auto => 8_192,
        }),
    }
}

/// The budget is part of what may be written and must leave room for an answer.
fn fit_budget(budget: u64, wanted: u64, cap: Option<u64>) -> (ThinkingAsk, u64) {
    if wanted > budget {
        return (ThinkingAsk::Budget(budget), wanted);
    }
    let total = budget.saturating_add(wanted).min(cap.unwrap_or(u64::MAX));
    // Where the cap holds less than both, the answer keeps up to half of it.
    let answer = wanted.min(total / 2);
    let budget = budget.min(total.saturating_sub(answer));
    if budget < BUDGET_TOKENS_MIN || budget >= total {
        return (ThinkingAsk::Unsaid, wanted);
    }
    (ThinkingAsk::Budget(budget), total)
}

fn write_field(out: &mut Vec<u8>, name: &str, value: &Value) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    write_json(out, value);
}
