//! Rules on manifests: core's few dependencies, the star of crates, heavy crates in their rooms.

use std::collections::BTreeSet;

use super::rooms::{self, CORE};
use super::{Checkout, TidyFinding};
use crate::checkout::Package;

fn finding(rule: &'static str, package: &Package, text: String) -> TidyFinding {
    TidyFinding::new(rule, &package.manifest, 1, text)
}

fn is_ours(name: &str) -> bool {
    name == "windlass" || name.starts_with("windlass-")
}

/// Core has exactly the dependencies the table allows.
pub(super) fn core_has_its_few(house: &Checkout) -> Vec<TidyFinding> {
    let cores = house.workspace.packages.iter().filter(|package| package.name == CORE);
    let ordinary = |core: &Package| -> Vec<String> {
        let allowed = |name: &String| {
            core.optional_dependencies.contains(name) && rooms::CORE_OPTIONAL.contains(&name.as_str())
        };
        core.dependencies.iter().filter(|name| !allowed(name)).cloned().collect()
    };
    cores
        .filter(|core| ordinary(core) != rooms::CORE_DEPENDENCIES)
        .map(|core| {
            let (has, wanted) = (ordinary(core).join(", "), rooms::CORE_DEPENDENCIES.join(", "));
            finding(
                "core-dependencies",
                core,
                format!("core depends on {{{has}}}; it must be exactly {{{wanted}}}"),
            )
        })
        .collect()
}

/// Every crate depends on core and on no other windlass crate; only a few know all.
pub(super) fn crates_form_a_star(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for package in &house.workspace.packages {
        for dependency in package.dependencies.iter().filter(|name| is_ours(name)) {
            let none = rooms::KNOW_NONE.iter().find(|(name, _)| *name == package.name);
            if let Some((name, why)) = none {
                findings.push(finding(
                    "star",
                    package,
                    format!("{name} depends on {dependency}, but on no windlass crate it may: {why}"),
                ));
            } else if dependency != CORE
                && !rooms::KNOW_ALL.contains(&package.name.as_str())
                && !rooms::KNOW_ONE_MORE
                    .iter()
                    .any(|(name, known, _)| *name == package.name && known == dependency)
            {
                let name = &package.name;
                findings.push(finding("star", package, format!("{name} depends on {dependency}; every crate depends on {CORE} and on no other windlass crate (dev-dependencies may)")));
            }
        }
    }
    findings
}

/// A dependency in the table ships only with the rooms named beside it; test crates ship with nothing.
pub(super) fn heavy_crates_stay_in_their_rooms(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for package in &house.workspace.packages {
        let name = package.name.as_str();
        for dependency in package.dependencies.iter().map(String::as_str) {
            for kept in rooms::DEPENDENCIES_KEPT {
                if kept.what.contains(&dependency) && !kept.rooms.contains(&name) {
                    let text = format!(
                        "{name} depends on {dependency}, which stays in {}: {}",
                        kept.rooms.join(", "),
                        kept.why
                    );
                    findings.push(finding("keeps-in", package, text));
                }
            }
            if rooms::DEV_ONLY.contains(&dependency) && !rooms::DEV_ROOMS.contains(&name) {
                let text = format!(
                    "{name} ships {dependency}, which is for tests and benchmarks: make it a dev-dependency"
                );
                findings.push(finding("keeps-in", package, text));
            }
        }
    }
    findings
}

/// Each name under `[workspace.dependencies]` is used by some package.
pub(super) fn shared_versions_are_used(house: &Checkout) -> Vec<TidyFinding> {
    let packages = &house.workspace.packages;
    let used: BTreeSet<&str> = packages
        .iter()
        .flat_map(|package| package.dependencies.iter().chain(&package.dev_dependencies))
        .map(String::as_str)
        .collect();
    let manifest = house.texts.iter().find(|file| file.path == "Cargo.toml");
    let (mut inside, mut findings) = (false, Vec::new());
    for (index, line) in manifest.map_or("", |file| &file.text).lines().enumerate() {
        if line.starts_with('[') {
            inside = line.trim() == "[workspace.dependencies]";
        } else if inside && let Some((name, value)) = line.split_once('=') {
            let name = name.trim();
            // One that is used by another name than its own says so.
            let package = value.split_once("package = \"").and_then(|(_, rest)| rest.split('"').next());
            if !name.starts_with('#') && !used.contains(package.unwrap_or(name)) {
                let text = format!("no package uses {name}: remove it from [workspace.dependencies]");
                findings.push(TidyFinding::new("unused-version", "Cargo.toml", index + 1, text));
            }
        }
    }
    findings
}
