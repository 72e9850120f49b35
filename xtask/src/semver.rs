//! `cargo xtask semver`: programs that were written against the library still compile.
//!
//! Owns what is compared with what: the crates that others name in their code, with the commit that the manifest of the
//! workspace calls the baseline. It moves when a version comes out, or when a change breaks others on purpose. Both sides are
//! described by rustdoc in the target folder of everything else, so that no dependency is compiled for this alone.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::command_line::CommandLine;
use crate::test::TEST_FEATURES;
use crate::toolbox::SEMVER;

/// The crates whose names stand in others' code.
const CRATES: [&str; 2] = ["windlass", "windlass-core"];

/// Only an unstable rustdoc describes a crate as data. It alone is told that it is one: dependencies stay as they are.
const RUSTDOC: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";
const AS_DATA: &str = "-Z unstable-options --output-format json --document-hidden-items --cap-lints allow";

/// Compares the interfaces and stops at the first that breaks somebody.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    let metadata = CommandLine::cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo's metadata cannot be read")?;
    let baseline = baseline_of(&metadata)?;
    let git = |args: &[&str]| CommandLine::new(root, "git", args).output();
    if git(&["cat-file", "-e", &format!("{baseline}^{{commit}}")]).is_err() {
        if git(&["rev-parse", "--is-shallow-repository"])?.trim() == "true" {
            println!("      NOT compared: this clone is without its history, and so without {baseline}");
            return Ok(());
        }
        bail!("there is no commit {baseline}; name another baseline in Cargo.toml");
    }
    let tool = SEMVER.find_or_install(root, target_folder)?.to_string_lossy().into_owned();
    let folder = target_folder.join("semver");
    let old_checkout = check_out(root, &folder, &baseline)?;
    let old = describe(&old_checkout, target_folder, &folder.join("then"))?;
    let new = describe(root, target_folder, &folder.join("now"))?;
    for (name, (old, new)) in CRATES.iter().zip(old.iter().zip(&new)) {
        let invocation = CommandLine::new(root, &tool, &["semver-checks", "--baseline-rustdoc"])
            .arg(old.to_string_lossy())
            .arg("--current-rustdoc")
            .arg(new.to_string_lossy());
        println!("      {name}: {invocation}");
        if !invocation.succeeds()? {
            bail!(
                "programs of others would not compile any more; if that is meant, say so in CHANGELOG.md and move \
                 `baseline` below [workspace.metadata.interface] in Cargo.toml"
            );
        }
    }
    Ok(())
}

fn baseline_of(metadata: &Value) -> Result<String> {
    let baseline = metadata.pointer("/metadata/interface/baseline").and_then(Value::as_str);
    baseline.map(str::to_owned).context("Cargo.toml names no `baseline` below [workspace.metadata.interface]")
}

/// The files of a commit, apart from the checkout; those that are there already are the same.
fn check_out(root: &Path, folder: &Path, commit: &str) -> Result<PathBuf> {
    let files = folder.join(commit);
    if files.join("Cargo.toml").is_file() {
        return Ok(files);
    }
    let unpacked = folder.join("unpacked");
    // What an interrupted run left.
    let _ = std::fs::remove_dir_all(&unpacked);
    std::fs::create_dir_all(&unpacked).with_context(|| format!("cannot make {}", unpacked.display()))?;
    let archive = folder.join("commit.tar");
    let name = archive.to_string_lossy();
    CommandLine::new(root, "git", &["archive", "--format=tar", "-o", &name, commit]).output()?;
    CommandLine::new(&unpacked, "tar", &["-xf", &name]).output()?;
    std::fs::remove_file(&archive)?;
    let manifest = unpacked.join("Cargo.toml");
    std::fs::write(&manifest, marked(&std::fs::read_to_string(&manifest)?, commit)?)?;
    std::fs::rename(&unpacked, &files).with_context(|| format!("cannot make {}", files.display()))?;
    Ok(files)
}

/// A manifest whose version names the commit, which means nothing to a version. Cargo tells the crates of two checkouts in
/// one target folder apart by their versions alone, and would take the one's for the other's.
fn marked(manifest: &str, commit: &str) -> Result<String> {
    let (before, package) = manifest
        .split_once("[workspace.package]\nversion = \"")
        .context("the baseline's Cargo.toml has no version first below [workspace.package]")?;
    let (version, after) = package.split_once('"').context("the baseline's version has no end")?;
    Ok(format!("{before}[workspace.package]\nversion = \"{version}+{commit}\"{after}"))
}

/// What rustdoc says of each crate of a checkout, as data, in the order of [`CRATES`].
fn describe(checkout: &Path, target_folder: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    let rustdoc = target_folder.join("semver/rustdoc");
    write_program(&rustdoc)?;
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    // Beside the pages of the documentation, cargo would take those for what is wanted, and write nothing.
    let out = target_folder.join("semver/out");
    let named = |name: &&str| out.join("doc").join(format!("{}.json", name.replace('-', "_")));
    // One that was left over would be taken for this one's.
    CRATES.iter().map(named).for_each(|file| drop(std::fs::remove_file(file)));
    let args = ["doc", "--quiet", "--no-deps", "--workspace", "--lib", "--features", TEST_FEATURES];
    let invocation = CommandLine::cargo(checkout, &args)
        .env("RUSTDOC", &rustdoc.to_string_lossy())
        .env("RUSTDOCFLAGS", AS_DATA)
        .env("CARGO_TARGET_DIR", &out.to_string_lossy())
        .env("CARGO_BUILD_BUILD_DIR", &target_folder.to_string_lossy());
    println!("      {invocation}");
    if !invocation.succeeds()? {
        bail!("`{invocation}` failed in {}", checkout.display());
    }
    let kept = CRATES.iter().map(|name| {
        let (from, to) = (named(name), to.join(format!("{name}.json")));
        std::fs::copy(&from, &to).with_context(|| format!("rustdoc wrote no {}", from.display()))?;
        Ok(to)
    });
    kept.collect()
}

#[cfg(unix)]
fn write_program(place: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(place, RUSTDOC).with_context(|| format!("cannot write {}", place.display()))?;
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[cfg(not(unix))]
fn write_program(_: &Path) -> Result<()> {
    bail!("interfaces are compared on Unix alone, where rustdoc can be started by a script")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_crates_of_the_baseline_are_others_than_those_of_now() {
        let manifest = "[workspace]\n\n[workspace.package]\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        let marked = marked(manifest, "abc").unwrap();
        assert!(marked.contains("\nversion = \"0.1.0+abc\"\nedition"), "{marked}");
        assert!(super::marked("[workspace]\n", "abc").is_err());
    }

    #[test]
    fn the_baseline_is_named_by_the_manifest() {
        let metadata = json!({"metadata": {"interface": {"baseline": "abc"}}});
        assert_eq!(baseline_of(&metadata).unwrap(), "abc");
        let missing = baseline_of(&json!({"metadata": null})).unwrap_err().to_string();
        assert!(missing.contains("[workspace.metadata.interface]"), "{missing}");
    }
}
