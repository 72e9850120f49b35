//! What would become of a call: which gate decides it, and why. Nothing is run and nothing is stored.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::calls::args::read_args;
use windlass_core::calls::check::check_call;
use windlass_core::permission::{
    ApproveMode, Explanation, Gate, GateSettings, HeldTargets, Permissions, PolicyPort,
};
use windlass_core::ports::{CallsPort, CancelFlag, ProgressPort, ToolContext, WaitingTime};
use windlass_core::profile::Profile;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::tool::{RawArgs, ReachLog, ToolCall, ToolFailure, ToolOutput};
use windlass_core::text::redact::Redactor;

use crate::cancel::CancelSignal;
use crate::clock::Clock;
use crate::registry::Registry;
use crate::results::SessionResults;
use crate::tasks::SessionTasks;
use crate::tool_run::inspect_call;

/// What calls are judged with.
pub struct CallJudge<'a> {
    pub registry: &'a Registry,
    pub policies: &'a dyn PolicyPort,
    /// What happens to calls that would need asking.
    pub approve: ApproveMode,
    pub profile: &'a Profile,
    pub root: &'a Path,
    pub clock: &'a Clock,
    /// Secret values that no front end may show: a question that has one in it is critical.
    pub secrets: &'a Redactor,
}

/// What would become of a call.
#[derive(Debug)]
pub enum CallFate {
    /// There is no such tool.
    Unknown,
    /// A gate before the rules refuses it.
    Refused { gate: Gate, failure: ToolFailure },
    /// All gates have spoken.
    Explained(Box<Explanation>),
}

impl CallJudge<'_> {
    /// Judges a call, arguments as they were written.
    pub async fn judge(&self, tool: &str, arguments: String) -> CallFate {
        let shelf = self.registry.snapshot();
        let Some(port) = shelf.port(tool) else { return CallFate::Unknown };
        let args = match read_args(&RawArgs::Text(arguments.clone()), self.profile.limits.args_bytes_max) {
            Ok(read) => read.value,
            Err(failure) => return CallFate::Refused { gate: Gate::Schema, failure },
        };
        let call = ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: tool.to_owned(),
            arguments,
            state: None,
        };
        let checked = match check_call(&shelf.toolset, call, args) {
            Ok(checked) => checked,
            Err((_, failure)) => return CallFate::Refused { gate: Gate::Schema, failure },
        };
        match inspect_call(port, checked.clone(), self.context(), CancelSignal::new()).await {
            Ok(inspection) => {
                let mut permissions = Permissions::new(self.policies.rules(), self.approve);
                permissions.set_secrets(self.secrets);
                let root = self.root.display().to_string();
                permissions.begin_run(GateSettings::of_profile(self.profile, root));
                CallFate::Explained(Box::new(permissions.explain(&checked, &inspection)))
            }
            Err(failure) => CallFate::Refused { gate: Gate::Targets, failure },
        }
    }

    /// Surroundings for a tool that is asked and not run.
    fn context(&self) -> ToolContext {
        ToolContext {
            call_id: CallId::numbered(1),
            run_id: RunId::from("explain"),
            session_id: SessionId::from("explain"),
            root: self.root.to_path_buf(),
            user_message: "".into(),
            deadline_ms: self.clock.now_ms().saturating_add(self.profile.limits.call_timeout_ms),
            waiting: WaitingTime::default(),
            reached: ReachLog::default(),
            output_bytes_max: self.profile.limits.output_bytes_max,
            targets: HeldTargets::default(),
            cancel: CancelFlag::default(),
            progress: Arc::new(Nobody),
            results: Arc::new(SessionResults::new()),
            tasks: Arc::new(SessionTasks::new()),
            calls: Arc::new(Nobody),
        }
    }
}

/// Surroundings in which nothing happens.
pub(crate) struct Nobody;

#[async_trait]
impl CallsPort for Nobody {
    async fn call(&self, tool: &str, _args: Map<String, Value>) -> Result<ToolOutput, ToolFailure> {
        let failure = ToolFailure::unavailable(format!(
            "'{tool}' is not called: nothing is run here, only asked about"
        ));
        Err(failure)
    }
}

impl ProgressPort for Nobody {
    fn report(&self, _call_id: &CallId, _line: &str) {}
}
