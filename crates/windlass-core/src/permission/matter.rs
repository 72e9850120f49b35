//! What is judged: the facts of a call that gates look at, and what follows from them alone.
//!
//! Knows no rule, grant or mode, and nothing of what a gate makes of it.

use super::confine::Sandbox;
use super::floor::{FloorFinding, look_at};
use super::question::{Inspection, Target};
use super::taint::{TaintFinding, TaintMode};
use crate::protocol::tool::{CheckedCall, Effects, Risk, Scope, ToolSpec};
use crate::run::reaches_out;
use crate::text::protected_paths::is_protected;
use crate::text::secret_files::is_secret;

/// The facts of a call.
#[derive(Clone, Copy)]
pub(super) struct Matter<'a> {
    pub(super) spec: &'a ToolSpec,
    pub(super) targets: &'a [Target],
    pub(super) risk: Risk,
    /// Whether it would change files.
    pub(super) is_edit: bool,
    /// What the context of the run says of it.
    pub(super) taint: Option<&'a TaintFinding>,
    /// What it is held to, if it is a command.
    pub(super) sandbox: Option<&'a Sandbox>,
    /// Whether the tool warns of it.
    pub(super) has_caution: bool,
}

impl<'a> Matter<'a> {
    /// A tool can raise the risk of one call, never lower it.
    pub(super) fn of(call: &'a CheckedCall, inspection: &'a Inspection) -> Self {
        let risk = inspection.risk.map_or(call.spec.risk, |risk| risk.max(call.spec.risk));
        Self {
            spec: &call.spec,
            targets: &inspection.targets,
            risk,
            is_edit: inspection.is_edit(),
            taint: inspection.taint.as_deref(),
            sandbox: inspection.sandbox.as_ref(),
            has_caution: inspection.caution.is_some(),
        }
    }

    /// Whether it touches a file that holds secrets.
    pub(super) fn is_secret(&self) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Path(path) => is_secret(path),
            Target::Host(_) | Target::Command(_) => false,
        })
    }

    /// The path that it would change although other programs obey what is there.
    pub(super) fn protected_path(&self) -> Option<&'a str> {
        if self.spec.effects.is_read_only() {
            return None;
        }
        self.targets.iter().find_map(|target| match target {
            Target::Path(path) => is_protected(path).then_some(path.as_str()),
            Target::Host(_) | Target::Command(_) => None,
        })
    }

    /// Whether it asks to run outside the sandbox that there is.
    pub(super) fn leaves_sandbox(&self) -> bool {
        self.sandbox.is_some_and(|sandbox| sandbox.leaves)
    }

    /// Whether it is a command that a sandbox holds and the user lets run so: nothing in it that the tool warns of, and
    /// nothing that cannot be read beforehand.
    pub(super) fn runs_confined(&self, root: &str) -> bool {
        self.sandbox.is_some_and(Sandbox::runs_unasked)
            && self.risk <= self.spec.risk
            && !self.has_caution
            && self.floor(root) == FloorFinding::Nothing
    }

    fn is_on_paths(&self) -> bool {
        self.targets.iter().all(|target| match target {
            Target::Path(_) => true,
            Target::Host(_) | Target::Command(_) => false,
        })
    }

    /// Whether it only reads files of the project, none of them secret, and the tool itself saw nothing unusual in it.
    pub(super) fn reads_project(&self) -> bool {
        let is_reader = self.spec.effects.is_read_only()
            // A tool without scopes has not said that it reads files and nothing else.
            && !self.spec.scopes.is_empty()
            && self.spec.scopes.iter().all(|scope| *scope == Scope::ReadFiles);
        is_reader && self.risk <= Risk::Medium && self.is_on_paths() && !self.is_secret()
    }

    /// Whether it changes files of the project, by a diff that was shown, and none that other programs obey.
    pub(super) fn edits_project(&self) -> bool {
        let is_editor = self.spec.effects == Effects::Write
            && self.spec.scopes.contains(&Scope::WriteFiles)
            && self.spec.scopes.iter().all(|scope| matches!(scope, Scope::ReadFiles | Scope::WriteFiles));
        // An edit that names no file could be one of any file.
        let names_files = !self.targets.is_empty() && self.is_on_paths() && !self.is_secret();
        is_editor && self.is_edit && names_files && self.risk <= Risk::High
    }

    /// Whether it only looks, on this machine, or keeps the session's own list of tasks.
    pub(super) fn only_looks(&self) -> bool {
        let reaches_out = |scope: &Scope| match scope {
            Scope::WriteFiles | Scope::ExecuteCommands | Scope::NetworkAccess => true,
            Scope::ReadFiles | Scope::SystemInfo | Scope::TaskManagement => false,
        };
        let keeps_tasks = !self.spec.scopes.is_empty()
            && self.spec.scopes.iter().all(|scope| *scope == Scope::TaskManagement);
        let is_looking = self.spec.effects.is_read_only() && !self.spec.scopes.iter().any(reaches_out);
        keeps_tasks || (is_looking && self.is_on_paths())
    }

    /// Whether the call is one that text from outside must not lead to unseen.
    pub(super) fn is_guarded(&self, mode: TaintMode) -> bool {
        match mode {
            TaintMode::Off => false,
            TaintMode::Ask => reaches_out(self.spec, self.targets, self.sandbox),
            TaintMode::Strict => {
                reaches_out(self.spec, self.targets, self.sandbox)
                    || (!self.spec.effects.is_read_only() && !self.only_looks())
            }
        }
    }

    /// What the floor finds in the commands of the call.
    pub(super) fn floor(&self, root: &str) -> FloorFinding {
        let commands = self.targets.iter().filter_map(|target| match target {
            Target::Command(line) => Some(line),
            Target::Path(_) | Target::Host(_) => None,
        });
        commands.map(|line| look_at(line, root)).max().unwrap_or_default()
    }
}
