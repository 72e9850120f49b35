//! What a command is held to while it runs: what it may write and reach, by what that is held, and what is not held.
//!
//! Data and its words. How a system is made to hold it, the tools know.

use serde::{Deserialize, Serialize};

/// What a command may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Nothing but a temporary folder of its own.
    ReadOnly,
    /// The project, but not what other programs obey in it, and a temporary folder of its own.
    #[default]
    WorkspaceWrite,
    /// Whatever the user may write.
    Full,
}

impl Confinement {
    /// The word of settings and records.
    pub fn word(self) -> &'static str {
        match self {
            Confinement::ReadOnly => "read_only",
            Confinement::WorkspaceWrite => "workspace_write",
            Confinement::Full => "full",
        }
    }
}

/// What a command may reach beyond this machine, and of this machine's own servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Nothing.
    #[default]
    None,
    /// The hosts that the user named, over HTTP and TLS alone.
    Hosts,
    /// Whatever the user reaches.
    All,
}

/// By what a command is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConfinedBy {
    /// Namespaces of Linux, made by bubblewrap.
    Bubblewrap,
    /// Landlock of the Linux kernel.
    Landlock,
    /// Seatbelt of macOS.
    Seatbelt,
    /// Nothing.
    Nothing,
}

impl ConfinedBy {
    /// The word of settings and records.
    pub fn word(self) -> &'static str {
        match self {
            ConfinedBy::Bubblewrap => "bubblewrap",
            ConfinedBy::Landlock => "landlock",
            ConfinedBy::Seatbelt => "seatbelt",
            ConfinedBy::Nothing => "nothing",
        }
    }
}

/// What is said of a command without a network.
const NO_NETWORK: &str = "no network";

/// Hosts that stand in the line for people; all of them are in the record and under the digest.
const HOSTS_SHOWN_MAX: usize = 8;

/// What one command is held to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sandbox {
    /// What it may write.
    pub confinement: Confinement,
    /// What it may reach.
    pub reach: Reach,
    /// The hosts that it may reach, where it may reach some: `crates.io`, `*.crates.io`, `pypi.org:8443`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// By what that is held.
    pub by: ConfinedBy,
    /// What is not held although one might think so, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_held: Vec<String>,
    /// All of it in one line, for people.
    pub words: String,
    /// Whether the user's own configuration lets commands run unasked that are held like this.
    #[serde(skip)]
    pub unasked: bool,
    /// Whether the call itself asked to leave the sandbox that there is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves: bool,
}

impl Sandbox {
    /// A command that is held.
    pub fn held(confinement: Confinement, by: ConfinedBy, not_held: Vec<String>) -> Self {
        let writes = match confinement {
            Confinement::ReadOnly => "may write nothing",
            Confinement::WorkspaceWrite => "may write only in this project",
            Confinement::Full => "may write everywhere",
        };
        let weaker = match by {
            ConfinedBy::Landlock => {
                " (without bubblewrap: .git and secret files of the project are open to it)"
            }
            ConfinedBy::Bubblewrap | ConfinedBy::Seatbelt | ConfinedBy::Nothing => "",
        };
        let words = format!("Sandbox: {writes}; {NO_NETWORK}{weaker}");
        let (reach, hosts) = (Reach::None, Vec::new());
        Self { confinement, reach, hosts, by, not_held, words, unasked: false, leaves: false }
    }

    /// The same where it may reach these hosts; with none it stays without a network.
    pub fn reaching(self, hosts: Vec<String>) -> Self {
        if hosts.is_empty() {
            return self;
        }
        let shown = hosts.iter().take(HOSTS_SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match hosts.len().saturating_sub(HOSTS_SHOWN_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let words = self.words.replace(NO_NETWORK, &format!("network: only {shown}{more}"));
        Self { reach: Reach::Hosts, hosts, words, ..self }
    }

    /// The same, saying why the hosts that the user named cannot be reached here.
    pub fn without_hosts(self, reason: &str) -> Self {
        let words = self.words.replace(NO_NETWORK, &format!("{NO_NETWORK}: {reason}"));
        Self { words, ..self }
    }

    /// There is nothing on this machine that could hold a command, and why.
    pub fn nothing(reason: &str) -> Self {
        Self::open(format!("No sandbox on this machine: {reason}"), false)
    }

    /// The call asks to run outside the sandbox that there is.
    pub fn left() -> Self {
        Self::open("Leaves the sandbox: this command may do whatever you may".to_owned(), true)
    }

    fn open(words: String, leaves: bool) -> Self {
        Self {
            confinement: Confinement::Full,
            reach: Reach::All,
            hosts: Vec::new(),
            by: ConfinedBy::Nothing,
            not_held: Vec::new(),
            words,
            unasked: false,
            leaves,
        }
    }

    /// Whether a command that is held like this may run without a question: the user wants it, and nothing that other
    /// programs obey later is open to it. Landlock cannot close a folder within one that is open.
    pub(super) fn runs_unasked(&self) -> bool {
        let is_whole = match self.by {
            ConfinedBy::Bubblewrap | ConfinedBy::Seatbelt => true,
            ConfinedBy::Landlock | ConfinedBy::Nothing => false,
        };
        let is_confined = match self.confinement {
            Confinement::ReadOnly | Confinement::WorkspaceWrite => true,
            Confinement::Full => false,
        };
        // What it may send to hosts that the user named is looked at by the gate for text from outside, which comes before.
        let is_bounded = match self.reach {
            Reach::None | Reach::Hosts => true,
            Reach::All => false,
        };
        self.unasked && is_whole && is_confined && is_bounded && !self.leaves
    }

    /// Whether a command that is held like this reaches nothing beyond the project.
    pub(crate) fn is_cut_off(&self) -> bool {
        let is_held = match self.by {
            ConfinedBy::Bubblewrap | ConfinedBy::Landlock | ConfinedBy::Seatbelt => true,
            ConfinedBy::Nothing => false,
        };
        is_held && self.confinement != Confinement::Full && self.reach == Reach::None && !self.leaves
    }

    /// What a digest of it covers.
    pub(super) fn digest_words(&self) -> String {
        let hosts = self.hosts.join(" ");
        format!("{}/{}/{}/{hosts}", self.confinement.word(), self.by.word(), self.words)
    }
}

/// What stands before a command in the target of a call that leaves the sandbox: a rule allows it only if it says so.
pub const UNCONFINED: &str = "unconfined ";

#[cfg(test)]
#[path = "confine_tests.rs"]
mod tests;
