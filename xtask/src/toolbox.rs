//! Tools the checks need that cargo does not bring: found with the pinned version, or built once.
//!
//! Owns versions and where the binaries live (`target/xtask-tools`). Knows nothing of what they check.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::invocation::Invocation;

/// A tool at one version, so that a check says the same everywhere.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

/// Licences, bans, sources, advisories.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
/// Dependencies that no code uses.
pub(crate) const MACHETE: Tool = Tool { name: "cargo-machete", version: "0.9.2" };

impl Tool {
    /// The binary: from `target/xtask-tools`, from PATH, or built now.
    pub(crate) fn find_or_install(&self, root: &Path, target_folder: &Path) -> Result<PathBuf> {
        let tools_folder = target_folder.join("xtask-tools");
        let own = tools_folder.join("bin").join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX));
        for candidate in [own.clone(), PathBuf::from(self.name)] {
            if self.is_at(root, &candidate) {
                return Ok(candidate);
            }
        }
        println!(
            "      {} {} is not here: building it once into {}",
            self.name,
            self.version,
            tools_folder.display()
        );
        if !self.install(root, &tools_folder).succeeds()? || !self.is_at(root, &own) {
            bail!(
                "cannot build {} {}; install it yourself or leave its step out with --skip",
                self.name,
                self.version
            );
        }
        Ok(own)
    }

    fn is_at(&self, root: &Path, binary: &Path) -> bool {
        let printed =
            Invocation::new(root, &binary.to_string_lossy(), &["--version"]).output().unwrap_or_default();
        printed.split_whitespace().next_back() == Some(self.version)
    }

    /// An unoptimised build takes a third of the time, and the checks still end within seconds.
    fn install(&self, root: &Path, tools_folder: &Path) -> Invocation {
        let folder = tools_folder.to_string_lossy();
        let build = tools_folder.join("build");
        Invocation::cargo(
            root,
            &[
                "install",
                "--quiet",
                "--force",
                "--locked",
                "--debug",
                "--root",
                &folder,
                "--version",
                self.version,
                self.name,
            ],
        )
        .env("CARGO_TARGET_DIR", &build.to_string_lossy())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
    }
}

#[cfg(test)]
#[path = "toolbox_tests.rs"]
mod tests;
