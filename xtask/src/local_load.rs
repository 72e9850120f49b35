//! `cargo xtask bench local`: a model in the process beside llama.cpp, on the same file and threads, in one run.
//!
//! Owns the order in which both take turns, and the figures. llama.cpp comes as `llama-cpp-python`, which is compiled
//! here once (some minutes); the model files are made of random weights, because speed does not depend on what they say.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::bench::Figure;
use crate::client_sets::LLAMA;
use crate::invocation::Invocation;
use crate::peers::middle;

/// Turns of each side for each file.
const ROUNDS: usize = 4;
/// Measurements in one turn.
const REPEATS: &str = "3";
/// Tokens that are written in each.
const TOKENS: &str = "64";
/// The files, and how their weights are kept.
const FILES: [(&str, &str); 2] = [("random-q8_0.gguf", "Q8_0"), ("random-q4_0.gguf", "Q4_0")];
const OURS: &str = "windlass";
const PEER: &str = "llama.cpp";

/// What one side showed in all its turns.
#[derive(Debug, Default)]
struct Shown {
    read_per_s: Vec<f64>,
    written_per_s: Vec<f64>,
    first_ms: Vec<f64>,
    second_ms: Vec<f64>,
    /// Tokens of the prompt of a second step, and how many of them were kept.
    second: (u64, u64),
}

/// Builds both sides, makes the files, lets them take turns.
pub(crate) fn measure(root: &Path, target: &Path) -> Result<Vec<Figure>> {
    let programs = LLAMA.find_or_install(root, target)?;
    let build = Invocation::cargo(
        root,
        &["build", "--release", "-p", "windlass-benches", "--bin", "windlass-local-load"],
    );
    if !build.succeeds()? {
        bail!("`{build}` failed");
    }
    let python = programs.join("python").display().to_string();
    let folder = target.join("bench-local");
    let text = |path: &Path| path.display().to_string();
    if FILES.iter().any(|(name, _)| !folder.join(name).is_file()) {
        let make =
            Invocation::new(root, &python, &["benches/local/make_model.py", &text(&folder), &text(root)]);
        if !make.succeeds()? {
            bail!("`{make}` failed");
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let ours = text(&target.join("release/windlass-local-load"));
    let prompt = text(&folder.join("prompt.txt"));
    let mut figures = Vec::new();
    for (name, kind) in FILES {
        let model = text(&folder.join(name));
        let load = [model.as_str(), &prompt, TOKENS, REPEATS];
        let own = Invocation::new(root, &ours, &load).env("RAYON_NUM_THREADS", &threads);
        let peer = Invocation::new(root, &python, &["benches/local/llama_peer.py"]);
        let peer = load.iter().fold(peer, |peer, arg| peer.arg(*arg)).arg(&threads);
        let (mut we, mut they) = (Shown::default(), Shown::default());
        for round in 1..=ROUNDS {
            for (side, invocation, shown) in [(OURS, &own, &mut we), (PEER, &peer, &mut they)] {
                let printed = invocation.output()?;
                shown.take(&printed).with_context(|| format!("`{invocation}` printed {printed}"))?;
                println!(
                    "{kind} turn {round}, {side}: {}",
                    printed.trim().lines().last().unwrap_or_default()
                );
            }
        }
        report(&mut figures, kind, &threads, &we, &they);
    }
    for figure in &figures {
        println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
    }
    Ok(figures)
}

impl Shown {
    /// Takes in the lines of one turn.
    fn take(&mut self, printed: &str) -> Result<()> {
        for line in printed.lines().filter(|line| line.starts_with('{')) {
            let value: Value = serde_json::from_str(line)?;
            let number =
                |name: &str| value.get(name).and_then(Value::as_f64).with_context(|| format!("no {name}"));
            self.read_per_s.push(number("prompt_tokens")? * 1_000.0 / number("first_ms")?);
            self.written_per_s.push(number("written_tokens")? * 1_000.0 / number("written_ms")?);
            self.first_ms.push(number("first_ms")?);
            self.second_ms.push(number("second_ms")?);
            let count = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
            self.second = (count("second_tokens"), count("second_cached"));
        }
        match self.first_ms.is_empty() {
            true => bail!("there is no measurement"),
            false => Ok(()),
        }
    }
}

/// The best rate of each side, their ratio, and what a second step costs.
fn report(figures: &mut Vec<Figure>, kind: &str, threads: &str, we: &Shown, they: &Shown) {
    let mut add = |name: String, value: f64, unit: &str| {
        let measured = format!("{value:.2} {unit}");
        figures.push(Figure { name, measured, target: "–".to_owned() });
    };
    let best = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    for (what, own, peers) in [
        ("prompt read", &we.read_per_s, &they.read_per_s),
        ("answer written", &we.written_per_s, &they.written_per_s),
    ] {
        let place = format!("{what}, 0.13 B {kind}, {threads} threads");
        add(format!("{OURS}: {place}"), best(own), "tokens a second");
        add(format!("{PEER}: {place}"), best(peers), "tokens a second");
        add(format!("{OURS} against {PEER}: {place}"), best(own) / best(peers), "times");
    }
    let (tokens, cached) = we.second;
    add(format!("{OURS}: first step of a run, {kind}"), middle(we.first_ms.clone()), "ms");
    let name = format!("{OURS}: second step, {kind}, {cached} of {tokens} tokens kept");
    add(name, middle(we.second_ms.clone()), "ms");
}

#[cfg(test)]
#[path = "local_load_tests.rs"]
mod tests;
