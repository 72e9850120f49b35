//! `cargo xtask bench search`: our index of 20,000 files beside raw tantivy and ripgrep's crates, in one run.
//!
//! Owns the tree's place, who takes turns and the ratios; what each side does is `windlass-search-load`'s. Every side is
//! a process of its own. Everything happens below the target folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::bench::Figure;
use crate::checkout;
use crate::invocation::Invocation;
use crate::peers::middle;

const FILES: &str = "20000";
const ROUNDS: usize = 3;

/// What indexing costs, and what there is to be told of it: field, unit, target of ours.
const COSTS: [(&str, &str, &str, &str); 4] = [
    ("wall_s", "time", "s", "–"),
    ("cpu_s", "CPU", "s CPU", "–"),
    ("disk_mb", "size on disk", "MB", "–"),
    ("memory_mib", "peak memory", "MiB", "–"),
];

/// Builds the sides, makes the tree, lets them take turns.
pub(crate) fn measure(root: &Path) -> Result<Vec<Figure>> {
    let bench = Bench::build(root)?;
    let size = bench.put(&["make", &bench.path("tree"), FILES])?;
    println!("a tree of {} files, {:.1} MB", number(&size, "files")?, number(&size, "mb")?);
    let mut figures = bench.index(&size)?;
    figures.extend(bench.ask()?);
    for figure in &figures {
        println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
    }
    Ok(figures)
}

struct Bench {
    root: PathBuf,
    program: PathBuf,
    place: PathBuf,
}

impl Bench {
    fn build(root: &Path) -> Result<Self> {
        let args = ["build", "--release", "--package", "windlass-benches", "--bin", "windlass-search-load"];
        let build = Invocation::cargo(root, &args);
        if !build.succeeds()? {
            bail!("`{build}` failed");
        }
        let target = checkout::read_workspace(root)?.target_folder;
        let place = target.join("search-load");
        // The tree is made anew: it follows the sources.
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place)?;
        Ok(Self { root: root.to_owned(), program: target.join("release/windlass-search-load"), place })
    }

    fn path(&self, name: &str) -> String {
        self.place.join(name).display().to_string()
    }

    /// Runs a side and gives what it printed.
    fn put(&self, args: &[&str]) -> Result<Value> {
        let printed = Invocation::new(&self.root, &self.program.display().to_string(), args).output()?;
        println!("{}: {}", args.first().unwrap_or(&""), printed.trim());
        serde_json::from_str(printed.trim()).with_context(|| format!("{args:?} printed {printed}"))
    }

    /// Both sides index the tree by turns; the last indexes stay for the questions.
    fn index(&self, size: &Value) -> Result<Vec<Figure>> {
        let (mut ours, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            for (command, folder, told) in [("index-raw", "raw", &mut raw), ("index-ours", "ours", &mut ours)]
            {
                let _ = fs::remove_dir_all(self.place.join(folder));
                told.push(self.put(&[command, &self.path("tree"), &self.path(folder)])?);
            }
        }
        let of = |told: &[Value], field: &str| -> Result<Vec<f64>> {
            told.iter().map(|it| number(it, field)).collect()
        };
        let mut figures = Vec::new();
        let tree = format!("{} files, {:.0} MB", size["files"], number(size, "mb")?);
        for (side, told) in [("windlass", &ours), ("raw tantivy, one text field", &raw)] {
            for (field, what, unit, target) in COSTS {
                let name = format!("{side}: indexing {tree}: {what}");
                figures.push(figure(&name, middle(of(told, field)?), unit, target));
            }
        }
        for (field, what) in [("wall_s", "by the clock"), ("cpu_s", "in CPU time")] {
            let speeds =
                of(&raw, field)?.iter().zip(of(&ours, field)?).map(|(raw, ours)| raw / ours).collect();
            let name = format!("windlass: speed of indexing against raw tantivy, {what}");
            figures.push(figure(&name, middle(speeds), "times", "at least 0.5"));
        }
        Ok(figures)
    }

    fn ask(&self) -> Result<Vec<Figure>> {
        let (tree, ours, raw) = (self.path("tree"), self.path("ours"), self.path("raw"));
        let asked = self.put(&["ask", &tree, &ours, &raw])?;
        let sides = [
            ("lexical", "windlass: a search by words", "under 20"),
            ("hybrid", "windlass: a hybrid search", "under 20"),
            ("find_symbol", "windlass: find_symbol", "under 20"),
            ("raw", "raw tantivy, one text field: a search", "–"),
            ("ripgrep", "ripgrep's crates (grep-searcher, ignore): a word of the query", "–"),
        ];
        let mut figures = Vec::new();
        for (field, name, target) in sides {
            let told = asked.get(field).with_context(|| format!("no {field} in {asked}"))?;
            figures.extend(times(&format!("{name} in {FILES} files"), told, target)?);
        }
        let changed = self.put(&["change", &tree, &ours])?;
        let name = format!("windlass: one changed file of {FILES} indexed again");
        figures.extend(times(&name, &changed, "under 100")?);
        Ok(figures)
    }
}

/// By the clock, which a busy machine makes longer, and in CPU time of the process.
fn times(name: &str, told: &Value, target: &str) -> Result<[Figure; 4]> {
    Ok([
        figure(&format!("{name}, p50"), number(told, "p50_ms")?, "ms", "–"),
        figure(&format!("{name}, p99"), number(told, "p99_ms")?, "ms", target),
        figure(&format!("{name}, p50 of CPU time"), number(told, "cpu_p50_ms")?, "ms CPU", "–"),
        figure(&format!("{name}, p99 of CPU time"), number(told, "cpu_p99_ms")?, "ms CPU", "–"),
    ])
}

fn number(value: &Value, field: &str) -> Result<f64> {
    value.get(field).and_then(Value::as_f64).with_context(|| format!("no {field} in {value}"))
}

fn figure(name: &str, value: f64, unit: &str, target: &str) -> Figure {
    Figure { name: name.to_owned(), measured: format!("{value:.2} {unit}"), target: target.to_owned() }
}
