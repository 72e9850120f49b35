//! The manifest of a folder of modules: which there are, where, and what their files must hash to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::ModuleError;
use crate::limits::MODULES_MAX;
use crate::source::{ModuleFile, null_is_default};

pub const MANIFEST_FILE: &str = "manifest.json";

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format, `1.0`.
    pub version: String,
    /// The modules by name.
    pub modules: BTreeMap<String, ManifestEntry>,
}

/// A module in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Its file, relative to the manifest.
    pub path: String,
    /// `sha256:…` of the file, if it must be that very one.
    #[serde(default)]
    pub hash: Option<String>,
    /// Words to find it by.
    #[serde(default, deserialize_with = "null_is_default")]
    pub tags: Vec<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { version: "1.0".to_owned(), modules: BTreeMap::new() }
    }
}

impl Manifest {
    /// Reads a manifest. What is wrong with one entry alone shows when its module is loaded.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, ModuleError> {
        let source = ModuleFile::new(file_name, text);
        let manifest: Self = source.read()?;
        if manifest.version.split('.').next() != Some("1") {
            let message = format!("the version is '{}', and only 1.0 is known", manifest.version);
            return Err(source.wrong_at("version", &message));
        }
        if manifest.modules.len() > MODULES_MAX {
            let message =
                format!("there are {} modules, and at most {MODULES_MAX} may be", manifest.modules.len());
            return Err(source.wrong_at("modules", &message));
        }
        Ok(manifest)
    }
}

impl ManifestEntry {
    /// Whether a file with this hash (hexadecimal digits of its SHA-256) is the one that is meant.
    pub fn check_hash(&self, module_id: &str, actual: &str) -> Result<(), ModuleError> {
        let Some(expected) = &self.hash else { return Ok(()) };
        let digits = expected.strip_prefix("sha256:").unwrap_or(expected);
        if digits.eq_ignore_ascii_case(actual) {
            return Ok(());
        }
        Err(ModuleError::HashMismatch {
            module: module_id.to_owned(),
            expected: expected.clone(),
            actual: format!("sha256:{actual}"),
        })
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
