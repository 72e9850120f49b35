//! What the port gives without waiting: fetched when the line is opened, and again after what changes it.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use serde::Deserialize;
use windlass_core::permission::{ApproveMode, Rule, RuleEffect, RuleSource};
use windlass_core::ports::host::{HostDefaults, HostError};
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::model::Sampling;
use windlass_core::protocol::tool::ToolSpec;

use crate::address::ApiPath;
use crate::line::ServerLine;

/// The last that the server said.
#[derive(Debug)]
pub(crate) struct ServerFacts(RwLock<Facts>);

#[derive(Debug)]
struct Facts {
    defaults: HostDefaults,
    tools: Vec<Arc<ToolSpec>>,
}

#[derive(Deserialize)]
struct AboutAnswer {
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
struct ToolsAnswer {
    tools: Vec<Arc<ToolSpec>>,
}

#[derive(Deserialize)]
struct RulesAnswer {
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
    #[serde(default)]
    root: Option<String>,
}

impl ShownRule {
    pub(crate) fn into_rule(self) -> Result<Rule, HostError> {
        let Self { id, effect, rule, created_ms, source, session_id, root } = self;
        let pattern = rule.parse().map_err(|error| {
            HostError::Broken(format!("the server has a rule that is not understood here: {error}"))
        })?;
        Ok(Rule { id, effect, pattern, created_ms, source, session_id, root })
    }
}

impl ServerFacts {
    /// Asks for everything; the first question shows whether this is a Windlass at all.
    pub(crate) async fn fetch(line: &ServerLine) -> Result<Self, HostError> {
        Ok(Self(RwLock::new(fetch(line).await?)))
    }

    /// Asks for everything again: another server may stand there now.
    pub(crate) async fn refresh(&self, line: &ServerLine) -> Result<(), HostError> {
        let facts = fetch(line).await?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = facts;
        Ok(())
    }

    /// What holds where nobody chooses.
    pub(crate) fn defaults(&self) -> HostDefaults {
        self.read().defaults.clone()
    }

    pub(crate) fn tools(&self) -> Vec<Arc<ToolSpec>> {
        self.read().tools.clone()
    }

    fn read(&self) -> RwLockReadGuard<'_, Facts> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn fetch(line: &ServerLine) -> Result<Facts, HostError> {
    let AboutAnswer { root, model, profile, tool_loop_v2, approve, settings } =
        line.get(&ApiPath::of(&["api", "about"])).await?;
    let defaults = HostDefaults {
        root,
        model,
        profile,
        executes_while_streaming: tool_loop_v2,
        approve,
        sampling: settings,
    };
    let ToolsAnswer { tools } = line.get(&ApiPath::of(&["api", "tools"])).await?;
    Ok(Facts { defaults, tools })
}

/// Asks for the rules: other processes change them too.
pub(crate) async fn fetch_rules(line: &ServerLine) -> Result<Vec<Rule>, HostError> {
    let RulesAnswer { rules } = line.get(&ApiPath::of(&["api", "policies"])).await?;
    rules.into_iter().map(ShownRule::into_rule).collect()
}
