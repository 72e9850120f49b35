//! Traces of one machine: absolute paths of somebody's home and registries that only exist at one place.

use std::path::Path;

use super::{Checkout, TidyFinding};
use crate::checkout::TextFile;

/// Top folders every Unix has: a text may name them without naming a machine.
const STANDARD_TOPS: [&str; 14] = [
    "tmp", "home", "Users", "var", "usr", "mnt", "opt", "srv", "etc", "dev", "private", "root", "run", "proc",
];
/// Names of people that do not exist.
const PLACEHOLDERS: [&str; 6] = ["user", "you", "me", "alice", "bob", "name"];
/// What a lock file may say a package comes from.
const PUBLIC_CARGO: &str = "registry+https://github.com/rust-lang/crates.io-index";
const PUBLIC_NPM: &str = "https://registry.npmjs.org/";

/// No tracked file names a path of the machine it was written on.
pub(super) fn no_machine_is_named(house: &Checkout) -> Vec<TidyFinding> {
    let own = own_prefix(&house.root);
    let mut findings = Vec::new();
    for file in house.files() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(trace) = trace_in(line, own.as_deref()) {
                let text = format!("names `{trace}`, a path of one machine: make it relative or pass it in");
                findings.push(TidyFinding::new("machine-path", &file.path, index + 1, text));
            }
        }
    }
    findings
}

/// What gives this checkout's own place away: its top folder, or all of its path where the top folder says nothing.
fn own_prefix(root: &Path) -> Option<String> {
    let text = root.to_str()?;
    let top = text.strip_prefix('/')?.split('/').next()?;
    if top.is_empty() {
        None
    } else if STANDARD_TOPS.contains(&top) {
        Some(text.to_owned())
    } else {
        Some(format!("/{top}/"))
    }
}

fn trace_in(line: &str, own: Option<&str>) -> Option<String> {
    if let Some(own) = own
        && starts_of(line, own).next().is_some()
    {
        return Some(own.to_owned());
    }
    for home in ["/home/", "/Users/"] {
        for rest in starts_of(line, home) {
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || "_-.".contains(*c)).collect();
            let after = rest.get(name.len()..).unwrap_or_default();
            if !name.is_empty() && after.starts_with('/') && !PLACEHOLDERS.contains(&name.as_str()) {
                return Some(format!("{home}{name}"));
            }
        }
    }
    let tool_folders = [concat!("/root", "/.cargo"), concat!("/root", "/.rustup")];
    tool_folders.into_iter().find(|folder| line.contains(folder)).map(str::to_owned)
}

/// What follows each place where `path` stands at the start of an absolute path.
fn starts_of<'a>(line: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(path).filter_map(move |(at, _)| {
        let inside_longer_path =
            line.get(..at)?.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "._-*/}".contains(c));
        if inside_longer_path { None } else { line.get(at + path.len()..) }
    })
}

/// Lock files and cargo's configuration know the public registries only.
pub(super) fn only_public_registries(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in &house.texts {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(source) = private_source(file, line.trim()) {
                let text = format!("`{source}` is not a public registry: the lock must work everywhere");
                findings.push(TidyFinding::new("registry", &file.path, index + 1, text));
            }
        }
    }
    findings
}

fn private_source<'a>(file: &TextFile, line: &'a str) -> Option<&'a str> {
    match file.path.rsplit('/').next().unwrap_or_default() {
        "Cargo.lock" => {
            let source = line.strip_prefix("source = \"")?.strip_suffix('"')?;
            (source != PUBLIC_CARGO).then_some(source)
        }
        "package-lock.json" => {
            let source = line.strip_prefix("\"resolved\": \"")?;
            (!source.starts_with(PUBLIC_NPM)).then_some(source)
        }
        ".npmrc" => line.contains("registry").then_some(line),
        "config.toml" if file.path.starts_with(".cargo/") => {
            let redirects = ["[source", "[registries", "[registry", "replace-with"];
            redirects.iter().any(|start| line.starts_with(start)).then_some(line)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "machine_traces_tests.rs"]
mod tests;
