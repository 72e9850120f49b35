//! What the port gives without waiting: fetched when the line is opened, and again after what changes it.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use serde::Deserialize;
use windlass_core::host::{HostDefaults, HostError};
use windlass_core::ids::{Millis, SessionId};
use windlass_core::model::Sampling;
use windlass_core::permission::{ApproveMode, Rule, RuleEffect, RuleSource};
use windlass_core::tool::ToolSpec;

use crate::address::Path;
use crate::line::Line;

/// The last that the server said.
#[derive(Debug)]
pub(crate) struct Known(RwLock<Facts>);

#[derive(Debug)]
struct Facts {
    defaults: HostDefaults,
    tools: Vec<Arc<ToolSpec>>,
}

#[derive(Deserialize)]
struct About {
    root: String,
    model: String,
    profile: String,
    tool_loop_v2: bool,
    /// Servers before modes asked.
    #[serde(default)]
    approve: ApproveMode,
    /// Servers before settings said nothing of them.
    #[serde(default)]
    settings: Sampling,
}

#[derive(Deserialize)]
struct Tools {
    tools: Vec<Arc<ToolSpec>>,
}

#[derive(Deserialize)]
struct Rules {
    rules: Vec<ShownRule>,
}

/// A rule as the server shows it.
#[derive(Deserialize)]
pub(crate) struct ShownRule {
    id: String,
    effect: RuleEffect,
    rule: String,
    created_ms: Millis,
    source: RuleSource,
    session_id: Option<SessionId>,
}

impl TryFrom<ShownRule> for Rule {
    type Error = HostError;

    fn try_from(shown: ShownRule) -> Result<Self, HostError> {
        let ShownRule { id, effect, rule, created_ms, source, session_id } = shown;
        let pattern = rule.parse().map_err(|error| {
            HostError::Broken(format!("the server has a rule that is not understood here: {error}"))
        })?;
        Ok(Self { id, effect, pattern, created_ms, source, session_id })
    }
}

impl Known {
    /// Asks for everything; the first question shows whether this is a Windlass at all.
    pub(crate) async fn fetch(line: &Line) -> Result<Self, HostError> {
        Ok(Self(RwLock::new(fetch(line).await?)))
    }

    /// Asks for everything again: another server may stand there now.
    pub(crate) async fn refresh(&self, line: &Line) -> Result<(), HostError> {
        let facts = fetch(line).await?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = facts;
        Ok(())
    }

    /// What holds where nobody chooses.
    pub(crate) fn defaults(&self) -> HostDefaults {
        self.read().defaults.clone()
    }

    /// The tools.
    pub(crate) fn tools(&self) -> Vec<Arc<ToolSpec>> {
        self.read().tools.clone()
    }

    fn read(&self) -> RwLockReadGuard<'_, Facts> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn fetch(line: &Line) -> Result<Facts, HostError> {
    let About { root, model, profile, tool_loop_v2, approve, settings } =
        line.get(&Path::of(&["api", "about"])).await?;
    let defaults = HostDefaults {
        root,
        model,
        profile,
        executes_while_streaming: tool_loop_v2,
        approve,
        sampling: settings,
    };
    let Tools { tools } = line.get(&Path::of(&["api", "tools"])).await?;
    Ok(Facts { defaults, tools })
}

/// Asks for the rules: other processes change them too.
pub(crate) async fn fetch_rules(line: &Line) -> Result<Vec<Rule>, HostError> {
    let Rules { rules } = line.get(&Path::of(&["api", "policies"])).await?;
    rules.into_iter().map(Rule::try_from).collect()
}
