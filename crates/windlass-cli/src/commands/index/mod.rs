//! `windlass index [build / status / clear / add / list / remove]`.

pub(crate) mod documents;

use std::io::{self, IsTerminal};
use std::time::{SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use windlass_core::ports::search::IndexStatus;
use windlass_core::text::time::duration;
use windlass_search::{Index, UpdateReport};

use crate::args::{GlobalArgs, IndexCommand};
use crate::commands::config::resolve;
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::exit::Exit;
use crate::project::embedder;
use crate::project::index::{folder_of, open};
use crate::terminal::out::{print, print_json, print_line, warn};
use crate::terminal::table::lay_out;

/// Files that could not be read and are named; the rest is counted.
const NAMED_MAX: usize = 5;

pub(crate) fn run(global: &GlobalArgs, command: Option<IndexCommand>) -> Result<Exit> {
    let config = resolve(global)?;
    match command.unwrap_or(IndexCommand::Build) {
        IndexCommand::Build => build(global, &config)?,
        IndexCommand::Status => status(global, &config)?,
        IndexCommand::Clear => clear(global, &config)?,
        IndexCommand::Add { files, session, name } => {
            documents::add(global, &config, &files, session.as_deref(), name.as_deref())?;
        }
        IndexCommand::List { session } => documents::list(global, &config, session.as_deref())?,
        IndexCommand::Remove { documents } => documents::remove(global, &config, &documents)?,
    }
    Ok(Exit::Done)
}

/// The index of the project, opened or made.
pub(crate) fn open_index(config: &CliConfig) -> Result<Index> {
    if !config.settings.is_on("search.enabled") {
        return Err(CommandError::usage("search is switched off")
            .at(config.place("search.enabled"))
            .cure("search.enabled = true in the configuration file, or WINDLASS_SEARCH_ENABLED=true"));
    }
    let embedder = embedder::choose(config).unwrap_or_else(|complaint| {
        warn(&format!("nothing is found by meaning: {complaint}"));
        None
    });
    let folder = folder_of(&config.folders.data, &config.root);
    embedder::on_lasting_runtime(|| open(&folder, &config.root, embedder)).map_err(failed)
}

pub(crate) fn failed(error: impl std::fmt::Display) -> CommandError {
    CommandError::failed(error.to_string())
}

/// Brings an index up to date; a bar shows how far it is where somebody looks.
pub(crate) fn update(global: &GlobalArgs, index: &Index) -> Result<UpdateReport> {
    let is_shown = io::stderr().is_terminal() && !global.quiet && !global.json;
    let bar = if is_shown { new_bar() } else { ProgressBar::hidden() };
    let report = index.update(&mut |progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    let report = report.map_err(failed)?;
    if let Some(why) = report.rebuilt.as_ref().filter(|_| !global.quiet) {
        warn(&format!("the index could not be used and was built again: {why}"));
    }
    if let Some(why) = report.embedder_failure.as_ref().filter(|_| !global.quiet) {
        warn(&format!("some files are found by words and names alone, since the embedder failed: {}", why));
    }
    Ok(report)
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("indexing {bar:30} {pos}/{len} files {eta:.dim}") {
        bar.set_style(style);
    }
    bar
}

fn build(global: &GlobalArgs, config: &CliConfig) -> Result<()> {
    let index = open_index(config)?;
    let report = update(global, &index)?;
    let status = index.status().map_err(failed)?;
    if global.json {
        return print_json(&json!({"update": report_json(&report), "status": status}));
    }
    print_line(&format!(
        "{} files, {} passages, {} symbols: {} new, {} changed, {} removed, {} as before, in {}",
        status.files,
        status.passages,
        status.symbols,
        report.added,
        report.changed,
        report.removed,
        report.unchanged,
        duration(report.elapsed_ms)
    ))?;
    if !status.skipped.is_empty() {
        print_line(&format!("left out: {}", counts(&status.skipped)))?;
    }
    if !global.quiet {
        for (path, why) in report.skipped_files.iter().take(NAMED_MAX) {
            warn(&format!("{path} is left out: {}", why.replace('_', " ")));
        }
    }
    Ok(())
}

fn report_json(report: &UpdateReport) -> Value {
    json!({
        "added": report.added, "changed": report.changed, "removed": report.removed,
        "unchanged": report.unchanged, "passages": report.passages, "bytes": report.bytes,
        "skipped": report.skipped, "rebuilt": report.rebuilt, "elapsed_ms": report.elapsed_ms,
        "embedder_failure": report.embedder_failure,
    })
}

/// `12 binary, 3 too large`.
fn counts(skipped: &[(String, u64)]) -> String {
    skipped
        .iter()
        .map(|(why, count)| format!("{count} {}", why.replace('_', " ")))
        .collect::<Vec<_>>()
        .join(", ")
}

fn status(global: &GlobalArgs, config: &CliConfig) -> Result<()> {
    let folder = folder_of(&config.folders.data, &config.root);
    if !folder.join("index").exists() {
        return Err(CommandError::failed(format!("there is no index of {} yet", config.root.display()))
            .cure("windlass index build"));
    }
    let status = open_index(config)?.status().map_err(failed)?;
    if global.json {
        return print_json(&status);
    }
    let own = |name: &str, value: String| [name.to_owned(), value];
    let mut rows = vec![
        own("root", config.root.display().to_string()),
        own("folder", folder.display().to_string()),
        own("files", status.files.to_string()),
        own("passages", status.passages.to_string()),
        own("symbols", status.symbols.to_string()),
        own("size", format!("{:.1} MB", status.bytes as f64 / 1e6)),
        own("complete", completeness(&status)),
    ];
    if !status.skipped.is_empty() {
        rows.push(own("left out", counts(&status.skipped)));
    }
    rows.push(own("embedder", embedder_of(&status)));
    print(&lay_out(&rows))
}

/// Who makes vectors, and of what there are none.
fn embedder_of(status: &IndexStatus) -> String {
    match (&status.embedder, status.files_without_vectors) {
        (None, _) => "off".to_owned(),
        (Some(name), 0) => name.to_owned(),
        (Some(name), 1) => format!("{name}; 1 file has no vectors yet"),
        (Some(name), files) => format!("{name}; {files} files have no vectors yet"),
    }
}

fn completeness(status: &IndexStatus) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    match (status.indexing, status.completed_ms) {
        (Some(progress), _) => {
            format!("no: {} of {} files; windlass index build continues", progress.done, progress.total)
        }
        (None, Some(at_ms)) => format!("yes, {} ago", duration(now_ms.saturating_sub(at_ms))),
        (None, None) => "no; windlass index build updates it".to_owned(),
    }
}

fn clear(global: &GlobalArgs, config: &CliConfig) -> Result<()> {
    open_index(config)?.clear().map_err(failed)?;
    match global.json {
        true => print_json(&json!({"cleared": true})),
        false => print_line(&format!("the index of {} is empty", config.root.display())),
    }
}
