//! The modes: what is done with calls that need asking, for a run or a session (`--approve`).

use serde::{Deserialize, Serialize};

/// What is done with a call that needs asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApproveMode {
    /// Nothing but reading runs; the rest is denied, whatever allows it.
    ReadOnly,
    /// The user is asked.
    #[default]
    Ask,
    /// Edits of files in the project run; about the rest the user is asked.
    Edit,
    /// Everything runs that no rule denies and that destroys nothing beyond the project.
    All,
    /// It is denied: nobody is there to answer.
    Never,
    /// Safe and low calls run; the rest is denied.
    Safe,
    /// Edits run; the rest is denied: nobody is there to answer.
    EditOnly,
    /// Edits are staged: nothing is written until the user approves it later. About the rest the user is asked.
    Stage,
    /// Edits are staged; the rest is denied: nobody is there to answer.
    StageOnly,
}

impl ApproveMode {
    /// All modes.
    pub const ALL: [ApproveMode; 9] = [
        Self::ReadOnly,
        Self::Ask,
        Self::Edit,
        Self::All,
        Self::Never,
        Self::Safe,
        Self::EditOnly,
        Self::Stage,
        Self::StageOnly,
    ];

    /// Those that a person at a screen chooses from, from the tightest to the loosest.
    pub const CHOICES: [ApproveMode; 4] = [Self::ReadOnly, Self::Ask, Self::Edit, Self::All];

    /// Reads the word of the flag; `read-only` is `read_only` too.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().replace('-', "_");
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    /// Whether there is somebody who is asked.
    pub fn asks(self) -> bool {
        match self {
            ApproveMode::Ask | ApproveMode::Edit | ApproveMode::Stage => true,
            ApproveMode::ReadOnly
            | ApproveMode::All
            | ApproveMode::Never
            | ApproveMode::Safe
            | ApproveMode::EditOnly
            | ApproveMode::StageOnly => false,
        }
    }

    /// The word of flags, wires and records.
    pub fn word(self) -> &'static str {
        match self {
            ApproveMode::ReadOnly => "read_only",
            ApproveMode::Ask => "ask",
            ApproveMode::Edit => "edit",
            ApproveMode::All => "all",
            ApproveMode::Never => "never",
            ApproveMode::Safe => "safe",
            ApproveMode::EditOnly => "edit_only",
            ApproveMode::Stage => "stage",
            ApproveMode::StageOnly => "stage_only",
        }
    }

    /// What it means, in a few words for people.
    pub fn about(self) -> &'static str {
        match self {
            ApproveMode::ReadOnly => "read files; nothing else runs",
            ApproveMode::Ask => "ask before writing, commands and the network",
            ApproveMode::Edit => "edit files of the project freely; ask about the rest",
            ApproveMode::All => "run everything without asking",
            ApproveMode::Never => "deny what would need asking",
            ApproveMode::Safe => "run safe and low calls; deny the rest",
            ApproveMode::EditOnly => "edit files of the project freely; deny the rest",
            ApproveMode::Stage => "stage edits until they are applied; ask about the rest",
            ApproveMode::StageOnly => "stage edits until they are applied; deny the rest",
        }
    }

    /// The next of the four choices, round and round; the first step from any other mode leads to `ask`.
    pub fn next_choice(self) -> Self {
        match self {
            ApproveMode::ReadOnly => ApproveMode::Ask,
            ApproveMode::Ask => ApproveMode::Edit,
            ApproveMode::Edit => ApproveMode::All,
            ApproveMode::All => ApproveMode::ReadOnly,
            ApproveMode::Never
            | ApproveMode::Safe
            | ApproveMode::EditOnly
            | ApproveMode::Stage
            | ApproveMode::StageOnly => ApproveMode::Ask,
        }
    }

    /// The same where nobody can be asked.
    pub fn unattended(self) -> Self {
        match self {
            ApproveMode::Ask => ApproveMode::Never,
            ApproveMode::Edit => ApproveMode::EditOnly,
            ApproveMode::Stage => ApproveMode::StageOnly,
            ApproveMode::ReadOnly
            | ApproveMode::All
            | ApproveMode::Never
            | ApproveMode::Safe
            | ApproveMode::EditOnly
            | ApproveMode::StageOnly => self,
        }
    }
}

#[cfg(test)]
#[path = "mode_tests.rs"]
mod tests;
