//! `cargo xtask bench`: runs the benchmarks and keeps the figures they print.
//!
//! A benchmark prints `figure: NAME = VALUE UNIT (target …)`; `--write` puts those lines into the table of
//! `docs/figures.md` and makes the plots of `docs/performance.md` and the table of `docs/library.md` from it. What is
//! measured, and how, is the benchmarks' business.

mod library;
mod load;
mod local_load;
mod peers;
mod plots;
mod search_load;
mod terminal_load;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};

use crate::checkout;
use crate::command_line::CommandLine;

const DOCUMENT: &str = "docs/figures.md";
const BEGIN: &str = "<!-- figures: begin (written by `cargo xtask bench --write`) -->";
const END: &str = "<!-- figures: end -->";
const HEAD: &str = "| figure | measured | target |\n|---|---|---|\n";

/// What `bench` may be asked for.
#[derive(clap::Args)]
pub(crate) struct BenchOptions {
    /// Run only benchmarks whose name contains this; `models` is the comparison with peers, `server` the load,
    /// `terminal` the terminal app in a terminal, `search` the index beside tantivy and ripgrep, `local` a model in the process beside llama.cpp,
    /// `library` four programs by Windlass and by other libraries
    filter: Option<String>,
    /// Of `server`, only this: relay, durable, recovery, crowd or silent; of `library`: builds, answers or steps
    part: Option<String>,
    /// Put the figures into docs/figures.md, and make the plots of docs/performance.md and the table of docs/library.md anew
    #[arg(long)]
    write: bool,
    /// Measure nothing: make plots and table from the figures as they are
    #[arg(long, conflicts_with_all = ["filter", "part", "write"])]
    plots: bool,
}

/// One measured figure.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) measured: String,
    pub(crate) target: String,
}

/// Runs, shows and perhaps writes.
pub(crate) fn run(root: &Path, options: &BenchOptions) -> Result<()> {
    if options.plots {
        return draw(root, &read(root)?);
    }
    let figures = match options.filter.as_deref() {
        Some("models") => peers::measure(root)?,
        Some("server") => load::measure(root, options.part.as_deref())?,
        Some("local") => local_load::measure(root, &checkout::read_workspace(root)?.target_folder)?,
        Some("library") => {
            let target_folder = checkout::read_workspace(root)?.target_folder;
            library::measure(root, &target_folder, options.part.as_deref())?
        }
        Some("terminal") => terminal_load::measure(root)?,
        Some("search") => search_load::measure(root)?,
        filter => own_figures(root, filter)?,
    };
    if !options.write {
        return Ok(());
    }
    if figures.is_empty() {
        bail!("the benchmarks printed no `figure:` line: {DOCUMENT} is left as it is");
    }
    let text = update(&read(root)?, figures)?;
    std::fs::write(root.join(DOCUMENT), &text).with_context(|| format!("cannot write {DOCUMENT}"))?;
    println!("{DOCUMENT} written");
    draw(root, &text)
}

fn read(root: &Path) -> Result<String> {
    std::fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))
}

fn draw(root: &Path, text: &str) -> Result<()> {
    let figures = rows(text)?;
    for (path, made) in plots::draw(&figures)?.into_iter().chain([library::document(root, &figures)?]) {
        std::fs::write(root.join(&path), made).with_context(|| format!("cannot write {path}"))?;
        println!("{path} written");
    }
    Ok(())
}

/// What the house costs by itself.
fn own_figures(root: &Path, filter: Option<&str>) -> Result<Vec<Figure>> {
    let mut bench = CommandLine::cargo(root, &["bench", "--package", "windlass-benches", "--benches"]);
    if let Some(filter) = filter {
        bench = bench.arg("--").arg(filter);
    }
    measure(&bench)
}

fn measure(bench: &CommandLine) -> Result<Vec<Figure>> {
    let mut child =
        bench.command().stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{bench}`"))?;
    let mut figures = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            figures.extend(Figure::parse(&line));
        }
    }
    if !child.wait()?.success() {
        bail!("`{bench}` failed");
    }
    Ok(figures)
}

impl Figure {
    /// Reads `figure: NAME = VALUE UNIT (target …)`; the target may be missing.
    fn parse(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("figure:")?;
        let (rest, target) = match rest.split_once("(target") {
            Some((rest, target)) => (rest, target.trim().strip_suffix(')')?),
            None => (rest, "–"),
        };
        let (name, measured) = rest.rsplit_once(" = ")?;
        let (name, measured) = (name.trim(), measured.trim());
        let is_figure = !name.is_empty() && measured.starts_with(|c: char| c.is_ascii_digit());
        is_figure.then(|| Self {
            name: name.to_owned(),
            measured: measured.to_owned(),
            target: target.to_owned(),
        })
    }

    fn parse_row(row: &str) -> Option<Self> {
        let cells: Vec<_> = row.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [name, measured, target] = cells.as_slice() else { return None };
        let is_row = *name != "figure" && !name.starts_with("---");
        is_row.then(|| Self {
            name: (*name).to_owned(),
            measured: (*measured).to_owned(),
            target: (*target).to_owned(),
        })
    }
}

/// The document before its table, the table's lines, and what comes after.
fn parts(text: &str) -> Result<(&str, &str, &str)> {
    let missing =
        || format!("{DOCUMENT} lacks the lines `{BEGIN}` and `{END}`: add them where the table belongs");
    let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
    let (table, after) = rest.split_once(END).with_context(missing)?;
    Ok((before, table, after))
}

/// The figures of the document.
fn rows(text: &str) -> Result<Vec<Figure>> {
    Ok(parts(text)?.1.lines().filter_map(Figure::parse_row).collect())
}

/// The document with these figures in its table; figures that were not measured this time stay.
fn update(text: &str, figures: Vec<Figure>) -> Result<String> {
    let (before, _, after) = parts(text)?;
    let mut rows = rows(text)?;
    for figure in figures {
        match rows.iter_mut().find(|row| row.name == figure.name) {
            Some(row) => *row = figure,
            None => rows.push(figure),
        }
    }
    let rows: String =
        rows.iter().map(|row| format!("| {} | {} | {} |\n", row.name, row.measured, row.target)).collect();
    Ok(format!("{before}{BEGIN}\n{HEAD}{rows}{END}{after}"))
}

#[cfg(test)]
#[path = "bench_tests.rs"]
mod tests;
