//! What it takes to have a library: crates, and the time until the first program runs.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};

use super::{DURABLE_FEATURE, LIBRARIES, Language, Library, LibraryBench, figure};
use crate::bench::Figure;
use crate::command_line::CommandLine;

pub(super) const CRATES: &str = "crates";
pub(super) const CLOCK: &str = "one_tool compiled from nothing on two cores";
pub(super) const CPU: &str = "one_tool compiled from nothing on two cores, in processor time";
pub(super) const DURABLE_CRATES: &str = "crates, with sessions on disk";

pub(super) fn measure(bench: &LibraryBench) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for library in LIBRARIES.iter().filter(|library| library.language == Language::Rust) {
        bench.fetch(library.folder)?;
        let target = |limit: &'static str| if library.is_ours() { limit } else { "–" };
        let crates = crates_of(bench, library, &[])?;
        figures.push(figure(library.folder, CRATES, format!("{crates} crates"), target("at most 120")));
        if library.is_ours() {
            let crates = crates_of(bench, library, &["--features", DURABLE_FEATURE])?;
            figures.push(figure(library.folder, DURABLE_CRATES, format!("{crates} crates"), "–"));
        }
        let [clock, user, system] = compile(bench, library)?;
        figures.push(figure(library.folder, CLOCK, format!("{clock:.1} s"), target("at most 60")));
        figures.push(figure(library.folder, CPU, format!("{:.1} s CPU", user + system), "–"));
    }
    Ok(figures)
}

/// Everything that cargo compiles for a program of it, build scripts' crates too, the program itself apart.
fn crates_of(bench: &LibraryBench, library: &Library, more: &[&str]) -> Result<usize> {
    let tree = ["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let tree = more.iter().fold(bench.cargo(library.folder, &tree), |tree, arg| tree.arg(*arg));
    Ok(count_crates(&tree.output()?))
}

fn count_crates(tree: &str) -> usize {
    // A crate that stands there twice ends in a mark the second time.
    let named = tree.lines().map(|line| line.split(" (").next().unwrap_or_default().trim());
    named.filter(|name| !name.is_empty()).collect::<BTreeSet<_>>().len().saturating_sub(1)
}

/// Seconds by the clock, of the user and of the system; everything was fetched before.
fn compile(bench: &LibraryBench, library: &Library) -> Result<[f64; 3]> {
    let target = bench.place.join(library.folder);
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    let build = "taskset -c 0,1 cargo build --quiet --locked --offline --jobs 2 --bin one_tool";
    let script = format!("TIMEFORMAT='%R %U %S'; time {build} 2>&1");
    let timed = CommandLine::new(&bench.package(library.folder), "bash", &["-c", &script])
        .env("CARGO_TARGET_DIR", &target.display().to_string());
    let output = timed.command().output().with_context(|| format!("cannot start `{timed}`"))?;
    if !output.status.success() {
        bail!("`{build}` failed: {}", String::from_utf8_lossy(&output.stdout).trim());
    }
    seconds(&String::from_utf8_lossy(&output.stderr))
}

fn seconds(printed: &str) -> Result<[f64; 3]> {
    let line = printed.lines().last().unwrap_or_default();
    let seconds: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    seconds.try_into().map_err(|_| anyhow::anyhow!("bash told no times: {printed}"))
}

#[cfg(test)]
#[path = "builds_tests.rs"]
mod tests;
