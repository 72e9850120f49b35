//! `cargo xtask eval-builtin`: how well the built-in model calls, on requests it was never trained on.
//!
//! Owns the table of figures in the model's card and in `docs/local-models.md`. What is asked and how it is judged is
//! the business of `windlass models eval`.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::invocation::Invocation;

const SET: &str = "models/builtin/eval/blind.jsonl";
const DOCUMENTS: [&str; 2] = ["models/builtin/MODEL_CARD.md", "docs/local-models.md"];
const BEGIN: &str = "<!-- evaluation: begin (written by `cargo xtask eval-builtin --write`) -->";
const END: &str = "<!-- evaluation: end -->";

/// What `eval-builtin` may be asked for.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Put the figures into the model's card and docs/local-models.md
    #[arg(long)]
    write: bool,
    /// Another set than the blind one
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    set: Option<String>,
    /// Show each request that went wrong; never of the blind set while the model is tuned
    #[arg(long, conflicts_with = "write")]
    show_misses: bool,
}

/// Builds, runs, shows and perhaps writes.
pub(crate) fn run(root: &Path, target: &Path, options: &Options) -> Result<()> {
    let build = Invocation::cargo(root, &["build", "--release", "--package", "windlass-cli"]);
    if !build.succeeds()? {
        bail!("`{build}` failed");
    }
    let program = target.join("release/windlass").display().to_string();
    // Settings and keys of whoever runs this have no part in it.
    let home = target.join("eval-home");
    std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
    let home = home.display().to_string();
    let set = options.set.as_deref().unwrap_or(SET);
    let mut eval = Invocation::new(root, &program, &["models", "eval", "builtin", "--set", set])
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", &home)
        .env("XDG_DATA_HOME", &home);
    if options.show_misses {
        eval = eval.arg("--show-misses");
        return if eval.succeeds()? { Ok(()) } else { bail!("`{eval}` failed") };
    }
    let printed = eval.arg("--json").output()?;
    let figures: Value = serde_json::from_str(&printed).context("the evaluation printed no JSON")?;
    let table = table(&figures)?;
    print!("{table}");
    if options.write {
        for document in DOCUMENTS {
            let path = root.join(document);
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {document}"))?;
            let text = update(document, &text, &table)?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {document}"))?;
            println!("{document} written");
        }
    }
    Ok(())
}

/// The figures as a table of Markdown, and one of the tools.
fn table(figures: &Value) -> Result<String> {
    let mut text = String::from("| figure | measured | target |\n|---|---|---|\n");
    let count = |field: &str| {
        figures.get(field).and_then(Value::as_u64).with_context(|| format!("the evaluation gave no {field}"))
    };
    text.push_str(&format!("| requests | {} | – |\n", count("cases")?));
    for (name, field, target) in [
        ("tool choice", "tool_choice", "at least 90 %"),
        ("call fully right", "call_right", "at least 80 %"),
        ("no-tool requests left alone", "left_alone", "at least 90 %"),
        ("several steps right", "several_steps", "–"),
    ] {
        text.push_str(&format!("| {name} | {} | {target} |\n", share(figures.get(field))?));
    }
    text.push_str(&format!("| malformed calls | {} of {} | 0 |\n", count("malformed")?, count("calls")?));
    let time = |part: &str| {
        let ms = figures.pointer(&format!("/step_ms/{part}")).and_then(Value::as_f64);
        ms.with_context(|| format!("the evaluation gave no step_ms.{part}"))
    };
    text.push_str(&format!("| a step, median | {:.0} ms | – |\n", time("p50")?));
    text.push_str(&format!("| a step, 95 of 100 | {:.0} ms | – |\n", time("p95")?));
    if let Some(bytes) = figures.get("memory_peak_bytes").and_then(Value::as_f64) {
        text.push_str(&format!("| memory of the whole program, at most | {:.0} MB | – |\n", bytes / 1e6));
    }
    text.push_str("\n| tool | requests | tool right | call right |\n|---|---|---|---|\n");
    let tools = figures.get("tools").and_then(Value::as_object).context("the evaluation gave no tools")?;
    for (name, row) in tools {
        let cases = row.pointer("/tool/of").and_then(Value::as_u64).unwrap_or_default();
        let (tool, call) = (share(row.get("tool"))?, share(row.get("call"))?);
        text.push_str(&format!("| {name} | {cases} | {tool} | {call} |\n"));
    }
    Ok(text)
}

/// `97.5 % (39 of 40)`, or a dash where nothing was asked.
fn share(value: Option<&Value>) -> Result<String> {
    let part = |name: &str| value.and_then(|value| value.get(name)).and_then(Value::as_u64);
    let (right, of) = part("right").zip(part("of")).context("the evaluation gave half a share")?;
    Ok(match of {
        0 => "–".to_owned(),
        of => format!("{:.1} % ({right} of {of})", 100.0 * right as f64 / of as f64),
    })
}

/// The document with this table.
fn update(document: &str, text: &str, table: &str) -> Result<String> {
    let missing =
        || format!("{document} lacks the lines `{BEGIN}` and `{END}`: add them where the table belongs");
    let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

#[cfg(test)]
#[path = "eval_builtin_tests.rs"]
mod tests;
