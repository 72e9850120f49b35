//! Values that exist now, on their way from tools to a model that can be held to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::stream;
use serde_json::{Map, Value, json};
use windlass_core::ports::{BoxStream, LiveState, ModelPort, ToolContext, ToolPort};
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};
use windlass_engine::limits::LIVE_VALUES_MAX;
use windlass_engine::session::Session;

use crate::session::{hello, parts};

/// Adds a task when it is called, and says what exists.
struct Tasks {
    spec: ToolSpec,
    asked: Arc<AtomicUsize>,
}

#[async_trait]
impl ToolPort for Tasks {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        _args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::json(json!(context.tasks.add("more").task_id)))
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match kind {
            "tasks" => state.tasks.list().into_iter().map(|task| task.task_id).collect(),
            "results" => state.results.handles(),
            "many" => (0..=LIVE_VALUES_MAX).map(|number| number.to_string()).collect(),
            "long" => vec!["x".repeat(1 << 20)],
            other => panic!("nothing is known of {other}"),
        }
    }
}

fn tasks(asked: &Arc<AtomicUsize>) -> Arc<dyn ToolPort> {
    let properties: Map<String, Value> = ["tasks", "results", "many", "long", "broken"]
        .map(|kind| (kind.to_owned(), json!({"type": "string", "x-windlass-live": kind})))
        .into_iter()
        .collect();
    let spec = ToolSpec::new("add", "Adds").with_schema(json!({"type": "object", "properties": properties}));
    Arc::new(Tasks { spec, asked: Arc::clone(asked) })
}

/// Calls the tool twice, then answers.
struct Caller {
    uses_live_values: bool,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ModelPort for Caller {
    fn name(&self) -> &str {
        "test/caller"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let mut requests = self.requests.lock().unwrap();
        requests.push(request);
        let call = CallDelta {
            index: Some(0),
            id: Some(format!("its_{}", requests.len())),
            name: Some("add".into()),
            args_text: Some(json!({"tasks": format!("free {}", requests.len())}).to_string()),
            ..CallDelta::default()
        };
        let row = match requests.len() {
            1 | 2 => [ModelDelta::Call(call), ModelDelta::Finish(Finish::Calls)],
            _ => [ModelDelta::Text("Done.".into()), ModelDelta::Finish(Finish::Stop)],
        };
        Box::pin(stream::iter(row.map(Ok)))
    }

    fn uses_live_values(&self) -> bool {
        self.uses_live_values
    }
}

async fn requests(uses_live_values: bool, asked: &Arc<AtomicUsize>) -> Vec<ModelRequest> {
    let model = Arc::new(Caller { uses_live_values, requests: Mutex::default() });
    let mut parts = parts("user Go.\n", vec![tasks(asked)]);
    parts.model = Arc::clone(&model) as Arc<dyn ModelPort>;
    let finished = Session::start(parts).send(hello()).await.unwrap().finished().await.unwrap();
    assert_eq!(finished.answer, "Done.");
    std::mem::take(&mut *model.requests.lock().unwrap())
}

#[tokio::test]
async fn each_step_has_the_values_of_its_moment() {
    let requests = requests(true, &Arc::default()).await;
    let live: Vec<Value> = requests.iter().map(|request| json!(*request.live)).collect();
    // What has no values, too many, too long ones, or breaks is not there: its argument stays free.
    let expected = [
        json!({}),
        json!({"tasks": ["task_1"], "results": ["call_1", "its_1"]}),
        json!({"tasks": ["task_1", "task_2"], "results": ["call_1", "call_2", "its_1", "its_2"]}),
    ];
    assert_eq!(live, expected);
    // What is the same from step to step knows nothing of them.
    assert!(requests.iter().all(|request| request.tools == requests[0].tools));
}

#[tokio::test]
async fn nobody_is_asked_for_a_model_that_cannot_be_held_to_values() {
    let asked = Arc::default();
    let requests = requests(false, &asked).await;
    assert!(requests.iter().all(|request| request.live.is_empty()));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}
