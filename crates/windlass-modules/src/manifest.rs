//! The manifest of a folder of modules: which there are, where, and what their files must hash to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format, `1.0`.
    pub version: String,
    /// The modules by name.
    pub modules: BTreeMap<String, ManifestEntry>,
}

/// A module in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Its file, relative to the manifest.
    pub path: String,
    /// `sha256:…` of the file, if it must be that very one.
    #[serde(default)]
    pub hash: Option<String>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
}
