//! Models in the process against what llama.cpp said of the same files: tokens, text, scores, and what is written.
//!
//! Owns the comparison and its tolerances. Knows nothing of how the files or the verdicts came about.

use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_local::{ModelTokens, Scorer};

/// What became of one file.
#[derive(Debug, Default)]
pub struct Comparison {
    /// How much was compared.
    pub compared: usize,
    /// Whatever was not the same.
    pub differences: Vec<String>,
    /// What is worth saying although it is within the limits.
    pub remarks: Vec<String>,
}

/// Files of a folder that have a verdict, each with it: `NAME.gguf` beside `NAME.gguf.tokens` or `NAME.gguf.scores`.
pub fn verdicts(folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let unreadable = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let verdict = entry.map_err(unreadable)?.path();
        let kind = verdict.extension().and_then(|kind| kind.to_str());
        if matches!(kind, Some("tokens" | "scores")) {
            found.push((verdict.with_extension(""), verdict));
        }
    }
    found.sort();
    Ok(found)
}

/// Compares what a verdict is about.
pub fn compare(model: &Path, verdict: &Path) -> Result<Comparison, String> {
    let text = std::fs::read_to_string(verdict).map_err(|error| format!("{}: {error}", verdict.display()))?;
    let values = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|error| format!("{}: {error}", verdict.display()))?;
    match verdict.extension().and_then(|kind| kind.to_str()) {
        Some("scores") => compare_scores(model, &values),
        _ => compare_tokens(model, &values),
    }
}

/// Every text is read as llama.cpp reads it, and written again as it writes it.
fn compare_tokens(model: &Path, values: &[Value]) -> Result<Comparison, String> {
    let tokens = ModelTokens::open(model).map_err(|error| error.to_string())?;
    let mut comparison = Comparison::default();
    for value in values {
        let text = value.get("text").and_then(Value::as_str).ok_or("a verdict has no text")?;
        let is_trusted = value.get("trusted").and_then(Value::as_bool).unwrap_or(false);
        let read = if is_trusted { tokens.read_trusted(text) } else { tokens.read_text(text) };
        let read = read.map_err(|error| format!("{text:?}: {error}"))?;
        let expected = numbers(value, "tokens")?;
        comparison.compared += 1;
        if read != expected {
            comparison.differences.push(format!(
                "{text:?} is read as {} and not {}",
                shown(&tokens, &read),
                shown(&tokens, &expected)
            ));
            continue;
        }
        let written = tokens.write_text(&read);
        let theirs = value.get("written").and_then(Value::as_str).unwrap_or(text);
        // A piece that is a blank cannot be told from the sign that stands for one: llama.cpp's text is the measure.
        if written != theirs {
            comparison
                .differences
                .push(format!("{text:?} is written as {written:?}, by llama.cpp as {theirs:?}"));
        }
    }
    Ok(comparison)
}

fn numbers(value: &Value, key: &str) -> Result<Vec<u32>, String> {
    let list = value.get(key).and_then(Value::as_array).ok_or_else(|| format!("a verdict has no {key}"))?;
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    list.iter().map(number).collect::<Option<_>>().ok_or_else(|| format!("{key} are no tokens"))
}

fn shown(tokens: &ModelTokens, read: &[u32]) -> String {
    let pieces: Vec<String> = read
        .iter()
        .map(|token| format!("{token}:{:?}", String::from_utf8_lossy(tokens.bytes(*token))))
        .collect();
    format!("[{}]", pieces.join(" "))
}

/// After a prompt the scores are alike, and so is what follows when the best token is always taken.
fn compare_scores(model: &Path, values: &[Value]) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    for value in values {
        let (prompt, theirs) = (numbers(value, "prompt")?, numbers(value, "continuation")?);
        let scores = value.get("scores").and_then(Value::as_array).ok_or("a verdict has no scores")?;
        let scores: Vec<f64> = scores.iter().filter_map(Value::as_f64).collect();
        let least = value.get("cosine_min").and_then(Value::as_f64).unwrap_or(1.0);
        let is_exact = value.get("exact").and_then(Value::as_bool).unwrap_or(true);
        let mut scorer =
            Scorer::open(model, prompt.len() + theirs.len() + 1).map_err(|error| error.to_string())?;
        let mut own = scorer.read(&prompt).map_err(|error| error.to_string())?;
        let cosine = cosine(&own, &scores);
        comparison.compared += 1;
        comparison.remarks.push(format!("cosine {cosine:.7}"));
        if own.len() != scores.len() || cosine.is_nan() || cosine < least {
            comparison.differences.push(format!("cosine {cosine:.6} is below {least}"));
        }
        let mut alike = 0;
        for token in &theirs {
            if best(&own) != Some(*token) {
                break;
            }
            alike += 1;
            own = scorer.read(&[*token]).map_err(|error| error.to_string())?;
        }
        comparison.remarks.push(format!("{alike} of {} tokens follow alike", theirs.len()));
        // Rounded weights are multiplied in another order on either side: two tokens that are equally good may change places.
        let needed = if is_exact { theirs.len() } else { 0 };
        if alike < needed {
            comparison.differences.push(format!("after {alike} tokens another one is the best"));
        }
    }
    Ok(comparison)
}

fn best(scores: &[f32]) -> Option<u32> {
    let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
    u32::try_from(best.0).ok()
}

fn cosine(own: &[f32], theirs: &[f64]) -> f64 {
    let (mut both, mut left, mut right) = (0.0, 0.0, 0.0);
    for (own, theirs) in own.iter().map(|score| f64::from(*score)).zip(theirs) {
        both += own * theirs;
        left += own * own;
        right += theirs * theirs;
    }
    both / (left * right).sqrt()
}
