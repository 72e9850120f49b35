//! What the doctor found of an endpoint, kept beside the data: one file a model. Its quirks are laid over
//! the catalogue's, under the user's.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::ports::host::{ModelFinding, ModelFindings};
use windlass_models::doctor::{Diagnosis, Probe, ProbeFinding, ProbeVerdict};
use windlass_models::{Abilities, ModelName};

use crate::complaint::{CommandError, Result};
use crate::config::private;

/// Largest diagnosis that is read: ours have a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What was found of one model at one endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Examined {
    /// Where it was found: elsewhere it does not hold.
    pub(crate) base_url: String,
    #[serde(flatten)]
    pub(crate) diagnosis: Diagnosis,
}

impl Examined {
    /// What kept the model from answering at all, if something did: then nothing else means anything.
    pub(crate) fn silence(&self) -> Option<&ProbeFinding> {
        self.diagnosis.finding(Probe::PlainAnswer).filter(|finding| finding.verdict != ProbeVerdict::Pass)
    }

    /// The findings, for front ends.
    pub(crate) fn findings(&self) -> ModelFindings {
        let findings = self.diagnosis.findings.iter().map(|finding| ModelFinding {
            probe: word(&finding.probe),
            title: finding.probe.title().to_owned(),
            verdict: word(&finding.verdict),
            meaning: finding.meaning.clone(),
            detail: finding.detail.clone(),
        });
        ModelFindings { checked_ms: self.diagnosis.at_ms, findings: findings.collect() }
    }

    /// What the findings say of the model's abilities.
    pub(crate) fn abilities(&self) -> Abilities {
        let found = |probe: Probe| match self.diagnosis.finding(probe)?.verdict {
            ProbeVerdict::Pass => Some(true),
            ProbeVerdict::Fail => Some(false),
            ProbeVerdict::Unsure | ProbeVerdict::Skipped => None,
        };
        Abilities {
            calls_tools: found(Probe::OneCall),
            reasons: found(Probe::Reasoning),
            sees: found(Probe::Picture),
            ..Abilities::default()
        }
    }
}

/// The word by which something is written down.
fn word(named: &impl Serialize) -> String {
    let value = serde_json::to_value(named).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The folder of all of them.
pub(crate) fn folder(data: &Path) -> PathBuf {
    data.join("models")
}

/// The file of a model: whatever is no plain character in its name is written as `-`.
fn file_of(data: &Path, name: &ModelName) -> PathBuf {
    let plain = |text: &str| -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&c);
        text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    };
    folder(data).join(format!("{}--{}.json", plain(&name.provider), plain(&name.model)))
}

/// What was found of a model, if it was ever examined.
pub(crate) fn load(data: &Path, name: &ModelName) -> Result<Option<Examined>> {
    let path = file_of(data, name);
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CommandError::file(&path, "read", &error)),
        Ok(facts) if facts.len() > FILE_BYTES_MAX => {
            return Err(
                CommandError::failed("the doctor's findings are too large to be ours").at(path.display())
            );
        }
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(&path).map_err(|error| CommandError::file(&path, "read", &error))?;
    let found: Examined = serde_json::from_str(&text).map_err(|error| {
        CommandError::failed(format!("the doctor's findings cannot be read: {error}"))
            .at(path.display())
            .cure(format!("windlass models doctor {name} examines it again"))
    })?;
    // Two names can have one file.
    Ok(Some(found).filter(|found| found.diagnosis.target == name.to_string()))
}

/// Keeps what was found; says where.
pub(crate) fn store(data: &Path, name: &ModelName, examined: &Examined) -> Result<PathBuf> {
    let path = file_of(data, name);
    let failed = |error: io::Error| CommandError::file(&path, "written", &error);
    let text = serde_json::to_string_pretty(examined)
        .map_err(|error| CommandError::failed(format!("the findings cannot be written: {error}")))?;
    private::make_folder(&folder(data)).map_err(failed)?;
    // A half-written file would be read by the next run.
    let fresh = path.with_extension("json.new");
    private::write(&fresh, &text).and_then(|()| std::fs::rename(&fresh, &path)).map_err(failed)?;
    Ok(path)
}
