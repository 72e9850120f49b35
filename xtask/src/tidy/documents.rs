//! Documents that say what is there: the crates, the paths, the tools, the commands and the rooms that they name exist,
//! and none is left out.
//!
//! Owns what a machine can compare. Whether a sentence is true, a reader has to see.

use std::collections::BTreeSet;

use super::{Checkout, TidyFinding};
use crate::checkout::TextFile;

const README: &str = "README.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Documents whose paths are followed.
const GUIDES: [&str; 4] = [README, ARCHITECTURE, "CONTRIBUTING.md", "SECURITY.md"];

/// Where the binary declares its commands, and the library of tools its tools.
const COMMANDS: &str = "crates/windlass-cli/src/args/mod.rs";
const TOOLS: &str = "crates/windlass-tools/src/lib.rs";

const LIBRARY: &str = "crates/windlass/src";

/// Crates and folders with fewer modules than this need no list of them.
const CRATE_LISTED_FROM: usize = 4;
const FOLDER_LISTED_FROM: usize = 13;

/// README's table and ARCHITECTURE's map have every crate, once, and no other.
pub(super) fn every_crate_is_described(house: &Checkout) -> Vec<TidyFinding> {
    let folders = house.workspace.packages.iter().filter(|package| package.manifest.starts_with("crates/"));
    let crates: BTreeSet<_> = folders.map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for (path, opening, closing) in [(README, "| `", "` |"), (ARCHITECTURE, "**`", "`**")] {
        let Some(file) = document(house, path) else { continue };
        let mut seen = BTreeSet::new();
        for (line, text) in numbered(file) {
            let Some((name, _)) = text.strip_prefix(opening).and_then(|rest| rest.split_once(closing)) else {
                continue;
            };
            if !name.starts_with("windlass") || name.contains(' ') {
                continue;
            }
            if !crates.contains(name) {
                findings.push(stale(file, line, format!("there is no crate `{name}`")));
            } else if !seen.insert(name) {
                findings.push(stale(file, line, format!("the crate `{name}` is described twice")));
            }
        }
        findings.extend(
            crates.difference(&seen).map(|name| stale(file, 1, format!("the crate `{name}` is missing"))),
        );
    }
    findings
}

/// What a guide names as a file or a folder is one.
pub(super) fn named_paths_exist(house: &Checkout) -> Vec<TidyFinding> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for file in house.files() {
        let mut path = file.path.as_str();
        while known.insert(path) {
            let Some((folder, _)) = path.rsplit_once('/') else { break };
            path = folder;
        }
    }
    let exists = |named: &str| {
        let tail = format!("/{named}");
        // `core/run` and `windlass-core/src/run` are ways to name `crates/windlass-core/src/run`.
        let long = named.split_once('/').map(|(room, rest)| format!("crates/windlass-{room}/src/{rest}"));
        known.contains(named)
            || long.is_some_and(|long| known.contains(long.as_str()))
            || known.iter().any(|path| path.ends_with(&tail))
    };
    let mut findings = Vec::new();
    for file in GUIDES.iter().filter_map(|path| document(house, path)) {
        for (line, text) in numbered(file) {
            for named in text.split('`').skip(1).step_by(2).filter(|named| is_path(named)) {
                let missing = braces(named).into_iter().find(|path| !exists(path.trim_end_matches('/')));
                findings.extend(missing.map(|path| stale(file, line, format!("there is no `{path}`"))));
            }
        }
    }
    findings
}

/// README says how many tools there are, and has a row for each command.
pub(super) fn tools_and_commands_are_counted(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let Some(readme) = document(house, README) else { return findings };
    if let Some(count) = parsed(house, TOOLS).and_then(|file| built_in_tools(&file.source.syntax)) {
        let said = format!("{count} built-in tools");
        if !readme.text.contains(&said) {
            findings.push(stale(
                readme,
                1,
                format!("it does not say \"{said}\", and that is how many there are"),
            ));
        }
    }
    if let Some(commands) = parsed(house, COMMANDS) {
        let declared: BTreeSet<_> = commands_of(&commands.source.syntax).into_iter().collect();
        let rows = readme
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("| `windlass ")?.split(['`', ' ']).next());
        let listed: BTreeSet<_> = rows.map(str::to_owned).collect();
        let wrong = declared.symmetric_difference(&listed);
        findings.extend(
            wrong.map(|name| stale(readme, 1, format!("`windlass {name}` is a row or a command, not both"))),
        );
    }
    findings
}

/// The header of a crate, and of a large folder, names every module of it in backticks.
pub(super) fn headers_list_their_rooms(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in house.shipped() {
        let (folder, name) = parsed.file.path.rsplit_once('/').unwrap_or(("", &parsed.file.path));
        let modules = modules_of(&parsed.source.syntax);
        // The front page of the library is for those who use it, and they see no module of its own.
        let is_root = folder.ends_with("/src") && folder != LIBRARY && matches!(name, "lib.rs" | "main.rs");
        let listed_from = if is_root { CRATE_LISTED_FROM } else { FOLDER_LISTED_FROM };
        if !(is_root || name == "mod.rs") || modules.len() < listed_from {
            continue;
        }
        let header: String = parsed.file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        let listed: BTreeSet<_> =
            header.split('`').skip(1).step_by(2).map(|word| word.trim_end_matches('/')).collect();
        let missing: Vec<_> =
            modules.iter().filter(|name| !listed.contains(name.as_str())).cloned().collect();
        if !missing.is_empty() {
            let text = format!("the header does not say what these own: {}", missing.join(", "));
            findings.push(TidyFinding::new("room-list", &parsed.file.path, 1, text));
        }
    }
    findings
}

fn document<'a>(house: &'a Checkout, path: &str) -> Option<&'a TextFile> {
    house.texts.iter().find(|file| file.path == path)
}

fn parsed<'a>(house: &'a Checkout, path: &str) -> Option<&'a super::ParsedFile> {
    house.rust.iter().find(|parsed| parsed.file.path == path)
}

fn numbered(file: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(file.text.lines())
}

fn stale(file: &TextFile, line: usize, text: String) -> TidyFinding {
    TidyFinding::new("stale-document", &file.path, line, text)
}

/// Whether a piece of code in a document is meant as a path of this checkout.
fn is_path(named: &str) -> bool {
    let is_plain = named.chars().all(|c| c.is_ascii_alphanumeric() || "_-./{},".contains(c));
    let is_file = [".rs", ".md", ".ts", ".svelte"].iter().any(|ending| named.ends_with(ending));
    let is_folder = named.ends_with('/') || named.starts_with("crates/") || named.starts_with("docs/");
    is_plain && !named.starts_with(['/', '.']) && !named.starts_with("target/") && (is_file || is_folder)
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn braces(named: &str) -> Vec<String> {
    let Some((before, rest)) = named.split_once('{') else { return vec![named.to_owned()] };
    let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
    inside.split(',').map(|part| format!("{before}{part}{after}")).collect()
}

/// The elements of the list that `fn builtin` gives.
fn built_in_tools(file: &syn::File) -> Option<usize> {
    let function = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == "builtin" => Some(function),
        _ => None,
    })?;
    let list = function.block.stmts.iter().find_map(|statement| match statement {
        syn::Stmt::Macro(list) => Some(&list.mac),
        syn::Stmt::Expr(syn::Expr::Macro(list), _) => Some(&list.mac),
        _ => None,
    })?;
    let elements =
        list.parse_body_with(syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
    elements.ok().map(|elements| elements.len())
}

/// The commands that the enum `CliCommand` declares, as they are typed.
fn commands_of(file: &syn::File) -> Vec<String> {
    let declared = file.items.iter().find_map(|item| match item {
        syn::Item::Enum(declared) if declared.ident == "CliCommand" => Some(declared),
        _ => None,
    });
    let variants = declared.into_iter().flat_map(|declared| &declared.variants);
    variants.map(|variant| variant.ident.to_string().to_lowercase()).collect()
}

/// The modules that a file declares, those of tests apart.
fn modules_of(file: &syn::File) -> Vec<String> {
    let declared = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if !super::budgets::is_for_tests(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    });
    declared.collect()
}
