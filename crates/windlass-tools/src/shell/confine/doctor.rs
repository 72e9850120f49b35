//! The table of `windlass sandbox doctor`: every deed, done once bare and once held.
//!
//! The bare one is the control: a deed that nobody could do anyway proves nothing, and the table says so.

use std::sync::Arc;

use serde::Serialize;
use windlass_core::permission::ConfinedBy;

use super::config::SandboxConfig;
use super::probe::{CANDIDATES, find_mechanism};

/// What one mechanism came to.
#[derive(Debug, Clone, Serialize)]
pub struct MechanismReport {
    pub by: ConfinedBy,
    pub is_used: bool,
    /// Why it is not used, if it did not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The median of what a command takes longer with it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_ms: Option<f64>,
    /// The same of the fastest commands: on a busy machine it says more about the mechanism than the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_min_ms: Option<f64>,
}

/// What is said of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeedVerdict {
    /// It happened, as it should.
    Works,
    /// Bare it happened, held it did not.
    Held,
    /// It happened although it was held.
    NotHeld,
    /// It should have happened.
    Broken,
    /// It did not happen bare either.
    Unproven,
}

impl DeedVerdict {
    /// The word of tables.
    pub fn word(self) -> &'static str {
        match self {
            DeedVerdict::Works => "works",
            DeedVerdict::Held => "held",
            DeedVerdict::NotHeld => "NOT HELD",
            DeedVerdict::Broken => "BROKEN",
            DeedVerdict::Unproven => "unproven",
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Serialize)]
pub struct DeedReport {
    pub deed: &'static str,
    pub about: &'static str,
    /// What happened without a sandbox: `done`, or why it was not.
    pub control: String,
    /// What happened in it.
    pub held: String,
    pub verdict: DeedVerdict,
}

/// What the doctor found.
#[derive(Debug, Clone, Serialize)]
pub struct SandboxReport {
    pub by: ConfinedBy,
    pub mechanisms: Vec<MechanismReport>,
    pub not_held: Vec<String>,
    pub deeds: Vec<DeedReport>,
    /// What a bare command takes, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bare_ms: Option<f64>,
}

impl SandboxReport {
    /// Whether there is a sandbox, and every deed went as it should but for what its mechanism is known not to hold.
    pub fn is_sound(&self) -> bool {
        let goes_wrong = |deed: &DeedReport| match deed.verdict {
            DeedVerdict::Works | DeedVerdict::Held | DeedVerdict::Unproven => false,
            DeedVerdict::Broken => true,
            DeedVerdict::NotHeld => self.by != ConfinedBy::Landlock || !KNOWN_OPEN.contains(&deed.deed),
        };
        self.by != ConfinedBy::Nothing && !self.deeds.iter().any(goes_wrong)
    }
}

/// Deeds that Landlock cannot hold.
const KNOWN_OPEN: [&str; 5] =
    ["write_git_hook", "move_git_away", "create_missing_git", "survive_by_setsid", "nest_user_namespace"];

/// Proves the sandbox of this machine, deed by deed.
pub async fn sandbox_doctor(config: SandboxConfig) -> SandboxReport {
    let config = Arc::new(config);
    let proven = find_mechanism(Arc::clone(&config)).await;
    let mechanisms = CANDIDATES.into_iter().map(|by| {
        let failed = proven.failed.iter().find(|(failed, _)| *failed == by);
        let problem = failed.map(|(_, why)| why.clone());
        MechanismReport { by, is_used: by == proven.by, problem, overhead_ms: None, overhead_min_ms: None }
    });
    let report = SandboxReport {
        by: proven.by,
        mechanisms: mechanisms.collect(),
        not_held: proven.weaknesses.clone(),
        deeds: Vec::new(),
        bare_ms: None,
    };
    #[cfg(target_os = "linux")]
    let report = examine::fill(report, &config, &proven).await;
    report
}

#[cfg(target_os = "linux")]
#[path = "examine.rs"]
mod examine;
