//! The weight of the app: what a first visit loads, compressed.
//!
//! A script is needed at once when the page names it, or when a script that is needed at once imports it; what is
//! imported when somebody looks (`import(…)`) comes later. Compressing is Node's.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::invocation::Invocation;

/// Most bytes of compressed script that a first visit loads.
const SCRIPT_BYTES_MAX: u64 = 150_000;

/// Prints the compressed length of every file named, one a line.
const COMPRESS: &str = "const { gzipSync } = require('node:zlib'); const { readFileSync } = require('node:fs'); \
                        for (const path of process.argv.slice(1)) console.log(gzipSync(readFileSync(path)).length);";

/// Prints the report; fails when the first visit loads too much.
pub(super) fn check(web: &Path, built: &Path) -> Result<()> {
    let page = std::fs::read_to_string(built.join("index.html")).context("the build has no index.html")?;
    let read = |name: &str| std::fs::read_to_string(built.join(name)).unwrap_or_default();
    let first = first_scripts(&page, read);
    let files = weigh(web, built)?;
    let is_first = |file: &Weight| first.contains(&file.name);
    let total: u64 = files.iter().filter(|file| is_first(file)).map(|file| file.packed).sum();
    for file in &files {
        let when = if is_first(file) { "first load" } else { "" };
        println!("      {:<44} {:>9} B  {:>9} B gzip  {when}", file.name, file.bytes, file.packed);
    }
    let share = format!("{total} bytes of compressed script for the first load, {SCRIPT_BYTES_MAX} at most");
    if first.is_empty() {
        bail!("index.html names no script");
    }
    if total >= SCRIPT_BYTES_MAX {
        bail!("{share}: import what is not needed at once when it is needed");
    }
    println!("      {share}");
    Ok(())
}

struct Weight {
    name: String,
    bytes: u64,
    packed: u64,
}

/// Scripts and styles of a build, heaviest first.
fn weigh(web: &Path, built: &Path) -> Result<Vec<Weight>> {
    let assets = built.join("assets");
    let entries = std::fs::read_dir(&assets).with_context(|| format!("cannot read {}", assets.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| format!("assets/{}", entry.file_name().to_string_lossy())).collect();
    names.retain(|name| name.ends_with(".js") || name.ends_with(".css"));
    names.sort();
    let mut compress = Invocation::new(web, "node", &["-e", COMPRESS]);
    for name in &names {
        compress = compress.arg(built.join(name).to_string_lossy());
    }
    let printed = compress.output()?;
    let mut files = Vec::new();
    for (name, packed) in names.into_iter().zip(printed.lines()) {
        let bytes = std::fs::metadata(built.join(&name))?.len();
        files.push(Weight { name, bytes, packed: packed.trim().parse().context("node printed no length")? });
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.packed));
    Ok(files)
}

/// The scripts that a first visit loads, by their path in the build.
fn first_scripts(page: &str, read: impl Fn(&str) -> String) -> BTreeSet<String> {
    let named =
        page.split('"').filter_map(|text| text.strip_prefix('/')).filter(|path| path.ends_with(".js"));
    let mut open: Vec<String> = named.map(str::to_owned).collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.contains(&name) {
            continue;
        }
        open.extend(static_imports(&read(&name)).into_iter().map(|file| format!("assets/{file}")));
        found.insert(name);
    }
    found
}

/// Files that a script imports before it runs: `from"./a.js"`, `import"./a.js"`, and never `import("./a.js")`.
fn static_imports(script: &str) -> Vec<String> {
    let mut imports = Vec::new();
    for (at, _) in script.match_indices("./") {
        let (before, after) =
            (script.get(..at).unwrap_or_default(), script.get(at + 2..).unwrap_or_default());
        let Some(quote) = before.chars().next_back().filter(|c| "'\"`".contains(*c)) else { continue };
        let before = before.trim_end_matches(quote).trim_end();
        let is_import = before.ends_with("from") || before.ends_with("import");
        if let (true, Some(end)) = (is_import, after.find(quote)) {
            imports.extend(after.get(..end).filter(|name| name.ends_with(".js")).map(str::to_owned));
        }
    }
    imports
}

#[cfg(test)]
#[path = "bundle_tests.rs"]
mod tests;
