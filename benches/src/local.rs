//! What a model in the process costs: reading a prompt, writing an answer, and reading again what was read before.
//!
//! Everything is wall time of an otherwise idle process: threads of a model share one computation.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::StreamExt;
use windlass_core::protocol::model::{ModelDelta, Sampling, Usage};
use windlass_local::{LocalConfig, LocalModel, RawPrompt};

/// What was measured once.
#[derive(Debug, Clone, Copy)]
pub struct LocalTimes {
    pub prompt_tokens: u64,
    /// Reading the prompt for the first time, and writing one token.
    pub first: Duration,
    /// Tokens of the prompt of a second step.
    pub second_tokens: u64,
    /// Of those, tokens that were kept from the first.
    pub second_cached: u64,
    /// Reading the prompt of a second step, and writing one token.
    pub second: Duration,
    /// Tokens that were written one after another.
    pub written_tokens: u64,
    pub written: Duration,
}

/// A prompt that fits the context, whatever a tokenizer makes of it.
const CONTEXT_TOKENS: usize = 4_096;

/// Opens a model file that always takes the likeliest token.
pub fn open(path: &Path) -> Result<LocalModel, String> {
    let config = LocalConfig {
        temperature: 0.0,
        context_tokens: Some(CONTEXT_TOKENS),
        ..LocalConfig::new("local/bench")
    };
    LocalModel::open(path, config).map_err(|error| error.to_string())
}

/// Measures once. `number` makes the prompt another one than before, so that nothing of it is kept yet.
pub async fn measure(
    model: &LocalModel,
    text: &str,
    number: u32,
    written_tokens: u32,
) -> Result<LocalTimes, String> {
    let prompt = format!("{number} {text}");
    let (usage, first) = answer(model, &prompt, 1).await?;
    let next = format!("{prompt}\nNow the next step, which is to add what was found and go on from there.");
    let (second_usage, second) = answer(model, &next, 1).await?;
    // The same prompt again costs a token or two of reading: the difference is writing alone.
    let (_, alone) = answer(model, &next, 1).await?;
    let (written_usage, all) = answer(model, &next, written_tokens.saturating_add(1)).await?;
    Ok(LocalTimes {
        prompt_tokens: usage.input,
        first,
        second_tokens: second_usage.input,
        second_cached: second_usage.cached,
        second,
        written_tokens: written_usage.output.saturating_sub(1),
        written: all.saturating_sub(alone),
    })
}

async fn answer(model: &LocalModel, prompt: &str, tokens_max: u32) -> Result<(Usage, Duration), String> {
    let sampling = Sampling { output_tokens_max: Some(tokens_max), ..Sampling::default() };
    let begun = Instant::now();
    let mut stream =
        model.stream_raw(RawPrompt { pieces: vec![(prompt.to_owned(), false)], wish: None, sampling });
    let mut usage = None;
    while let Some(delta) = stream.next().await {
        if let ModelDelta::Usage(counted) = delta.map_err(|failure| failure.message)? {
            usage = Some(counted);
        }
    }
    let taken = begun.elapsed();
    usage.map(|usage| (usage, taken)).ok_or_else(|| "the model counted no tokens".to_owned())
}
