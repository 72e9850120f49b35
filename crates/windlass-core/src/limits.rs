//! Every limit of a run, with its reason. Nothing in the house grows without one (wall 7).

use serde::{Deserialize, Serialize};

/// The limits of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Limits {
    /// Model steps that may use tools. Ten turns solve nearly all honest tasks; more is a loop.
    pub steps_max: u32,
    /// Calls of one step that run; the rest get a `limit_exceeded` outcome.
    pub calls_per_step_max: u32,
    /// Calls of a whole run, whatever the steps.
    pub calls_per_run_max: u32,
    /// How long one call may take when its spec says nothing.
    pub call_timeout_ms: u64,
    /// How long a run may take, not counting the time the user thinks about a question.
    pub run_timeout_ms: u64,
    /// The part of `run_timeout_ms` kept for the final answer.
    pub final_reserve_ms: u64,
    /// Tokens of a whole run, if there is a budget.
    pub tokens_max: Option<u64>,
    /// The part of `tokens_max` kept for the final answer.
    pub final_reserve_tokens: u64,
    /// US dollars of a whole run, if there is a budget. Kept of it for the final answer is what the last step cost, which
    /// read nearly the same.
    pub cost_usd_max: Option<f64>,
    /// Bytes one outcome may have before the tool is told to stop; the result store holds that much.
    pub output_bytes_max: usize,
    /// Bytes all outcomes of a run may have together.
    pub run_output_bytes_max: u64,
    /// Characters of one outcome that the model sees; the rest is behind a handle.
    pub result_chars_max: usize,
    /// Reads that run side by side: enough to hide latency, few enough not to flood a disk or a host.
    pub parallel_reads_max: usize,
    /// Corrections of one bad call.
    pub corrections_per_call_max: u32,
    /// Corrections of a whole run.
    pub corrections_per_run_max: u32,
    /// How often the same call may come with the same outcome before the run is brought to an end.
    pub repeats_max: u32,
    /// Calls of the category `search` in a run; `None` is no quota (S-23).
    pub search_calls_max: Option<u32>,
    /// The same where the search server is one that is paid for; `None`: no difference (S-23).
    pub search_calls_paid_max: Option<u32>,
    /// Tries after a passing model failure.
    pub model_retries_max: u32,
    /// The wait before the first of those; doubled each time.
    pub model_retry_delay_ms: u64,
    /// Continuations of an answer that was cut by its length.
    pub continuations_max: u32,
    /// Characters of `context` shown to the model (E-31).
    pub context_chars_max: usize,
    /// Estimated tokens of history shown to the model; older groups are left out above it.
    pub history_tokens_max: u64,
    /// Bytes of one call's arguments.
    pub args_bytes_max: usize,
    /// Bytes of an outcome on a screen (Z-17).
    pub display_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps_max: 10,
            calls_per_step_max: 15,
            calls_per_run_max: 100,
            call_timeout_ms: 30_000,
            run_timeout_ms: 600_000,
            final_reserve_ms: 30_000,
            tokens_max: None,
            final_reserve_tokens: 2_000,
            cost_usd_max: None,
            output_bytes_max: 16 << 20,
            run_output_bytes_max: 256 << 20,
            result_chars_max: 16_000,
            parallel_reads_max: 4,
            corrections_per_call_max: 1,
            corrections_per_run_max: 3,
            repeats_max: 3,
            search_calls_max: None,
            search_calls_paid_max: None,
            model_retries_max: 2,
            model_retry_delay_ms: 500,
            continuations_max: 1,
            context_chars_max: 16_000,
            history_tokens_max: 100_000,
            args_bytes_max: 1 << 20,
            display_bytes_max: 500,
        }
    }
}

/// A call of a profile without its own limit still ends some day.
pub const CALL_TIMEOUT_CEILING_MS: u64 = 600_000;

/// Outcomes that a profile shows "in full" are still bounded: a model's whole context is not larger.
pub const FULL_RESULT_CHARS_MAX: usize = 200_000;

/// The summary of an outcome in a text dialect (E-26).
pub const SUMMARY_CHARS_MAX: usize = 900;

/// Pauses of one run after which the model is asked to go on: a provider that works long pauses a few times.
pub const PAUSES_MAX: u32 = 4;

/// How often a run is asked for its answer again because it was not what it must be.
pub const REFORMS_MAX: u32 = 1;

/// Most steps that a caller may wish for in one run: Prompt Studio's own ceiling.
pub const WISHED_STEPS_MAX: u32 = 20;

/// Most calls that a caller may wish for in one run: a hundred times what is usual, so more is a slip of the fingers.
pub const WISHED_CALLS_MAX: u32 = 10_000;

/// Most tokens that a caller may wish for in one run: a thousand steps over the largest context there is.
pub const WISHED_TOKENS_MAX: u64 = 1_000_000_000;

/// Most US dollars that a caller may wish to spend in one run: cents that were meant as dollars still fit, nonsense does not.
pub const WISHED_COST_USD_MAX: f64 = 100_000.0;

/// The longest time that a caller may wish for one run: a day.
pub const WISHED_TIMEOUT_MS_MAX: u64 = 24 * 3_600_000;

/// Most of a budget of time or tokens that is kept for the final answer, unless somebody says how much: a short run must
/// not keep all it has.
pub const fn final_reserve_max(budget: u64) -> u64 {
    budget / 4
}

/// What an error shows of the text at fault.
pub const SNIPPET_CHARS_MAX: usize = 200;

/// `top_k` of a code search from a token budget: one passage is about 200 tokens (P-14).
pub fn top_k_for_budget(token_budget: u32) -> u32 {
    (token_budget / 200).clamp(5, 20)
}

/// Longest schema or list of tools in the hint of a failed check: it is sent with every wrong call.
pub const CALL_HINT_CHARS_MAX: usize = 4_000;
/// Names of dropped arguments that are reported.
pub const DROPPED_ARGS_MAX: usize = 32;
/// Longest name of a tool or argument that is compared or shown; no provider sends longer ones.
pub const TOOL_NAME_CHARS_MAX: usize = 64;
/// Schema violations named in one failure; a model corrects a few at a time.
pub const VIOLATIONS_MAX: usize = 5;
/// Tools suggested for an unknown name.
pub const SUGGESTIONS_MAX: usize = 3;

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
