//! A model and a tool that cost nothing, so that what is measured is the engine alone.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::message::{Message, Transcript};
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};
use windlass_core::run::RunSettings;
use windlass_engine::clock::Clock;
use windlass_engine::ids::new_session_id;
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, SessionParts};

/// A model that asks for one sum a step, `steps` times, and then answers.
pub struct CountingModel {
    steps: usize,
}

impl CountingModel {
    /// A model of that many calling steps.
    pub fn new(steps: usize) -> Self {
        Self { steps }
    }
}

impl ModelPort for CountingModel {
    fn name(&self) -> &str {
        "bench/counting"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let step = request.step as usize;
        let deltas = if step <= self.steps {
            let call = CallDelta {
                index: Some(0),
                id: Some(format!("p{step}")),
                name: Some("add".into()),
                args_text: Some(format!("{{\"a\":{step},\"b\":2}}")),
                args_value: None,
                state: None,
                is_echo: false,
            };
            vec![Ok(ModelDelta::Call(call)), Ok(ModelDelta::Finish(Finish::Calls))]
        } else {
            vec![Ok(ModelDelta::Text("Done.".into())), Ok(ModelDelta::Finish(Finish::Stop))]
        };
        Box::pin(stream::iter(deltas))
    }
}

pub struct Adder(ToolSpec);

impl Default for Adder {
    fn default() -> Self {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                            "required": ["a", "b"], "additionalProperties": false});
        Self(ToolSpec::new("add", "Adds two integers").with_schema(schema))
    }
}

#[async_trait]
impl ToolPort for Adder {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let number = |name: &str| args.get(name).and_then(Value::as_i64).unwrap_or(0);
        let sum = number("a").wrapping_add(number("b"));
        Ok(ToolOutput::json(sum.into()))
    }
}

/// A session of that model with the adder, and a history of `earlier` messages.
pub fn parts(steps: usize, earlier: usize) -> SessionParts {
    let registry = Registry::new();
    // The adder's spec is fixed and valid; a registry that refused it would show in the first figure.
    let _ = registry.register(Arc::new(Adder::default()));
    let mut profile = Profile::default();
    profile.limits.steps_max = 100_000;
    profile.limits.calls_per_run_max = 100_000;
    let history: Vec<Arc<Message>> =
        (0..earlier).map(|n| Arc::new(Message::user(format!("message {n}")))).collect();
    SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile,
            model: "bench/counting".into(),
            system: "".into(),
            context_tokens: None,
            form: None,
        }),
        model: Arc::new(CountingModel::new(steps)),
        registry,
        root: PathBuf::from("."),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::Never,
        journal: Arc::new(MemoryJournal::new()),
        audit: None,
        clock: Clock::system(),
        past: Past { transcript: Transcript::new(history), ..Past::default() },
    }
}
