//! What an approved call is held to: what was looked at when it was judged. A call that would touch anything else
//! by the time it runs is refused.

use std::sync::Arc;

use super::closed::ClosedPaths;
use super::confine::Sandbox;
use super::gate::NO_REPEAT;
use super::question::{Inspection, Preview, Target};
use crate::protocol::tool::ToolFailure;

/// What was looked at when a call was judged; nothing for a call that nobody looked at, or of which it is not on
/// record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Held(Option<Box<Inspection>>);

impl Held {
    /// To all that was looked at: targets, what would be changed, and what a tool itself wants held.
    pub(super) fn to(inspection: Inspection) -> Self {
        Self(Some(Box::new(inspection)))
    }

    /// To the targets and the folder alone: the call may have begun already, so what it changes may be changed.
    pub(super) fn to_targets(inspection: Inspection) -> Self {
        let Inspection { targets, folder, sandbox, .. } = inspection;
        Self::to(Inspection { targets, folder, sandbox, ..Inspection::default() })
    }

    /// Whether there is anything to hold a call to.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Refuses a call that would do something else now than what was looked at.
    pub fn check(&self, now: &Inspection) -> Result<(), ToolFailure> {
        let Some(then) = &self.0 else { return Ok(()) };
        if then.targets != now.targets {
            return Err(elsewhere(&then.targets, &now.targets));
        }
        // One that is not known was looked at before folders were.
        let is_other_folder = then.folder.is_some() && then.folder != now.folder;
        let is_other_diff = matches!(then.preview, Some(Preview::Diff(_))) && then.preview != now.preview;
        let is_other_pin = then.pins.iter().any(|(name, value)| now.pins.get(name) != Some(value));
        let is_other_sandbox = then.sandbox.is_some() && then.sandbox != now.sandbox;
        if is_other_sandbox || is_other_folder || is_other_diff || is_other_pin {
            let message = "What the call would do is no longer what was approved; nothing was done";
            return Err(ToolFailure::denied(message)
                .hint("Look at it again, then send the call again: it is asked about anew."));
        }
        Ok(())
    }

    /// What a command is held to, if it is one.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.0.as_ref()?.sandbox.as_ref()
    }

    /// The targets, for the tool that runs.
    pub fn targets(&self) -> HeldTargets {
        let targets = self.0.as_ref().map(|then| then.targets.as_slice().into());
        HeldTargets { targets, closed: ClosedPaths::default() }
    }
}

/// The targets that a running call is held to. A tool checks what it has opened, right before it uses it, so that
/// nothing can be put in between.
#[derive(Debug, Clone, Default)]
pub struct HeldTargets {
    targets: Option<Arc<[Target]>>,
    closed: ClosedPaths,
}

impl HeldTargets {
    /// All of them, as far as they are known.
    pub fn listed(&self) -> &[Target] {
        self.targets.as_deref().unwrap_or_default()
    }

    /// The same, held to what was looked at.
    pub fn held_to(&self, held: &Held) -> Self {
        held.targets().without(self.closed.clone())
    }

    /// The same, with paths that the tool may show nothing of, wherever it comes upon them.
    pub fn without(self, closed: ClosedPaths) -> Self {
        Self { closed, ..self }
    }

    /// Whether rules close a path to reading: it is left out, as if it were not there.
    pub fn is_closed(&self, path: &str) -> bool {
        self.closed.closes(path)
    }

    /// Refuses a target that is none of those.
    pub fn check(&self, now: &Target) -> Result<(), ToolFailure> {
        match &self.targets {
            Some(then) if !then.contains(now) => Err(elsewhere(then, std::slice::from_ref(now))),
            Some(_) | None => Ok(()),
        }
    }
}

fn elsewhere(then: &[Target], now: &[Target]) -> ToolFailure {
    let message = format!(
        "The call now leads elsewhere: it was approved for {} and would touch {}; nothing was done",
        listed(then),
        listed(now)
    );
    ToolFailure::denied(message).hint(format!("{NO_REPEAT}; tell the user what leads where now."))
}

fn listed(targets: &[Target]) -> String {
    let quoted = targets.iter().map(|target| match target {
        Target::Path(text) | Target::Host(text) | Target::Command(text) => format!("'{text}'"),
    });
    let quoted: Vec<String> = quoted.collect();
    if quoted.is_empty() { "nothing".to_owned() } else { quoted.join(", ") }
}

#[cfg(test)]
#[path = "held_tests.rs"]
mod tests;
