//! `cargo xtask features`: the library compiles with each of its features alone, with none and with all.
//!
//! Owns the loop. Which features there are, the library's manifest says.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::command_line::CommandLine;

/// The crate that people add with features of their choice.
const LIBRARY: &str = "windlass";

/// Checks every choice and stops at the first that does not compile.
pub(crate) fn run(root: &Path) -> Result<()> {
    let metadata = CommandLine::cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo's metadata cannot be read")?;
    for choice in choices(&feature_names(&metadata)) {
        let mut args = vec!["check", "--quiet", "--package", LIBRARY, "--no-default-features"];
        if !choice.is_empty() {
            args.extend(["--features", choice.as_str()]);
        }
        let invocation = CommandLine::cargo(root, &args);
        println!("      {invocation}");
        if !invocation.succeeds()? {
            bail!("`{invocation}` failed");
        }
    }
    Ok(())
}

/// The features of the library as its manifest has them.
fn feature_names(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let library = packages.filter(|package| package["name"] == LIBRARY);
    library
        .filter_map(|package| package["features"].as_object())
        .flat_map(|features| features.keys().cloned())
        .filter(|name| name != "default")
        .collect()
}

/// None, each alone, and all of them.
fn choices(names: &[String]) -> Vec<String> {
    let alone = names.iter().cloned();
    std::iter::once(String::new()).chain(alone).chain([names.join(",")]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_feature_is_tried_alone_and_with_all_others() {
        let metadata = json!({"packages": [
            {"name": "other", "features": {"x": []}},
            {"name": "windlass", "features": {"default": ["a"], "a": [], "b": []}},
        ]});
        assert_eq!(choices(&feature_names(&metadata)), ["", "a", "b", "a,b"]);
    }
}
