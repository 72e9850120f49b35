//! What the doctor found of an endpoint, kept beside the data: one file a model. Its quirks are laid over
//! the catalogue's, under the user's.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_models::{Abilities, ModelName};

use crate::complaint::{Complaint, Result};

/// Largest diagnosis that is read: ours have a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What was found of one model at one endpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Diagnosis {
    /// `provider/model`.
    pub(crate) model: String,
    /// Where it was found: elsewhere it does not hold.
    pub(crate) base_url: String,
    /// When, in milliseconds since 1970.
    pub(crate) made_ms: u64,
    /// Quirks that differ from the catalogue's.
    pub(crate) quirks: Map<String, Value>,
    /// What it can do.
    pub(crate) abilities: Abilities,
    /// One line a probe.
    pub(crate) findings: Vec<Finding>,
}

/// What one probe found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Finding {
    /// What was tried.
    pub(crate) probe: String,
    /// How it went.
    pub(crate) verdict: String,
    /// What that means.
    pub(crate) meaning: String,
}

/// The file of a model: whatever is no plain character in its name is written as `-`.
pub(crate) fn file_of(data: &Path, name: &ModelName) -> PathBuf {
    let plain = |text: &str| -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&c);
        text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    };
    data.join("models").join(format!("{}--{}.json", plain(&name.provider), plain(&name.model)))
}

/// What was found of a model, if it was ever examined.
pub(crate) fn load(data: &Path, name: &ModelName) -> Result<Option<Diagnosis>> {
    let path = file_of(data, name);
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Complaint::file(&path, "read", &error)),
        Ok(facts) if facts.len() > FILE_BYTES_MAX => {
            return Err(
                Complaint::failed("the doctor's findings are too large to be ours").at(path.display())
            );
        }
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(&path).map_err(|error| Complaint::file(&path, "read", &error))?;
    let found: Diagnosis = serde_json::from_str(&text).map_err(|error| {
        Complaint::failed(format!("the doctor's findings cannot be read: {error}"))
            .at(path.display())
            .cure("remove the file")
    })?;
    // Two names can have one file.
    Ok(Some(found).filter(|found| found.model == name.to_string()))
}
