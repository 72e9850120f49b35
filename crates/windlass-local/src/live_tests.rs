//! The whole way of live values: the tool `update_task`, a session, a model of random weights.

use std::sync::Arc;

use async_trait::async_trait;
use candle_core::quantized::GgmlDType;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::{JournalPort, LiveState, ModelPort, ToolContext, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_core::protocol::task::{Task, TaskStatus};
use windlass_core::protocol::tool::{OutcomeStatus, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::run::RunSettings;
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};
use windlass_tools::{ToolsConfig, builtin};

use super::tests::{greedy, tiny};
use super::{LocalConfig, LocalModel};
use crate::held::grammars;

/// The tool with words for the status: a model of random weights would write a free text without end.
struct Worded {
    tool: Arc<dyn ToolPort>,
    spec: ToolSpec,
}

#[async_trait]
impl ToolPort for Worded {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        self.tool.run(args, context).await
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.tool.live_values(kind, state)
    }
}

fn update_task() -> Arc<dyn ToolPort> {
    let tools = builtin(&ToolsConfig::default());
    let tool = tools.into_iter().find(|tool| tool.spec().name == "update_task").unwrap();
    let mut spec = tool.spec().clone();
    spec.schema["properties"]["status"]["enum"] = json!(["in_progress", "completed"]);
    Arc::new(Worded { tool, spec })
}

fn parts(model: &LocalModel, ids: &[&str], journal: &Arc<MemoryJournal>) -> SessionParts {
    let registry = Registry::new();
    registry.register(update_task()).unwrap();
    let task =
        |id: &&str| Task { task_id: (*id).into(), status: TaskStatus::Pending, content: "work".into() };
    SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile: Profile::default(),
            model: "local/tiny".into(),
            system: "".into(),
            context_tokens: None,
            form: None,
        }),
        model: Arc::new(model.clone()) as Arc<dyn ModelPort>,
        registry,
        root: std::env::temp_dir(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::All,
        journal: Arc::clone(journal) as Arc<dyn JournalPort>,
        audit: None,
        clock: Clock::system(),
        past: Past { tasks: ids.iter().map(task).collect(), ..Past::default() },
    }
}

#[test]
fn a_model_of_random_weights_can_only_name_a_task_that_exists() {
    let config = LocalConfig { grammar: Some(grammars()), calls_max: 1, ..greedy() };
    let model = LocalModel::of_bytes(tiny(GgmlDType::Q8_0), config).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ids = ["task_7", "task_41", "task_305"];
    for seed in 0..6 {
        let journal = Arc::new(MemoryJournal::new());
        let parts = parts(&model, &ids, &journal);
        let session_id = parts.session_id.clone();
        let sampling = Sampling {
            seed: Some(seed),
            temperature: Some(1.5),
            output_tokens_max: Some(120),
            ..Sampling::default()
        };
        let mut send = MessageSend::text(new_run_id(), new_message_id(), "Go.");
        send.wishes.tool_choice = Some(ToolChoice::Required);
        send.wishes.sampling = sampling;
        send.wishes.steps_max = Some(1);
        let records = runtime.block_on(async {
            Session::start(parts).send(send).await.unwrap().finished().await.unwrap();
            journal.load(&session_id, 0).await.unwrap()
        });
        let outcomes: Vec<_> = records
            .iter()
            .filter_map(|record| match &record.event {
                Event::Durable(DurableEvent::CallEnded { outcome, .. }) => Some(outcome.status()),
                _ => None,
            })
            .collect();
        assert_eq!(outcomes, [OutcomeStatus::Ok], "{records:?}");
    }
}
