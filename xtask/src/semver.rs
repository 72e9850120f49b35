//! `cargo xtask semver`: programs that were written against the library still compile.
//!
//! Owns what is compared with what: the crates that others name in their code, with the commit that the manifest of the
//! workspace calls the baseline. It moves when a version comes out, or when a change breaks others on purpose.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::command_line::CommandLine;
use crate::toolbox::SEMVER;

/// The crates whose names stand in others' code.
const CRATES: [&str; 2] = ["windlass", "windlass-core"];

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
    let mut invocation = CommandLine::new(root, &tool, &["semver-checks", "--baseline-rev", &baseline]);
    for name in CRATES {
        invocation = invocation.arg("--package").arg(name);
    }
    println!("      {invocation}");
    if !invocation.succeeds()? {
        bail!(
            "programs of others would not compile any more; if that is meant, say so in CHANGELOG.md and move \
             `baseline` below [workspace.metadata.interface] in Cargo.toml"
        );
    }
    Ok(())
}

fn baseline_of(metadata: &Value) -> Result<String> {
    let baseline = metadata.pointer("/metadata/interface/baseline").and_then(Value::as_str);
    baseline.map(str::to_owned).context("Cargo.toml names no `baseline` below [workspace.metadata.interface]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_baseline_is_named_by_the_manifest() {
        let metadata = json!({"metadata": {"interface": {"baseline": "abc"}}});
        assert_eq!(baseline_of(&metadata).unwrap(), "abc");
        let missing = baseline_of(&json!({"metadata": null})).unwrap_err().to_string();
        assert!(missing.contains("[workspace.metadata.interface]"), "{missing}");
    }
}
