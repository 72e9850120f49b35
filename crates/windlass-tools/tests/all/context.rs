//! A context for calls: real ports that keep what they are given in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use windlass_core::ids::CallId;
use windlass_core::permission::Inspection;
use windlass_core::port::{CancelFlag, ProgressPort, ResultsPort, TasksPort, ToolContext, ToolPort};
use windlass_core::task::{Task, TaskStatus};
use windlass_core::tool::{ToolFailure, ToolOutcome, ToolOutput};
use windlass_tools::{ToolsConfig, builtin};

/// The tools and a session to call them in.
pub(crate) struct Bench {
    tools: Vec<Arc<dyn ToolPort>>,
    pub(crate) results: Arc<Results>,
    pub(crate) context: ToolContext,
}

impl Bench {
    pub(crate) fn new(config: &ToolsConfig) -> Self {
        let results = Arc::new(Results::default());
        let context = ToolContext {
            call_id: CallId::numbered(1),
            run_id: "run_1".into(),
            session_id: "session_1".into(),
            root: std::env::current_dir().unwrap(),
            deadline_ms: u64::MAX,
            output_bytes_max: 1 << 20,
            cancel: CancelFlag::default(),
            progress: Arc::new(Progress),
            results: Arc::clone(&results) as Arc<dyn ResultsPort>,
            tasks: Arc::new(Tasks::default()),
        };
        Self { tools: builtin(config), results, context }
    }

    pub(crate) fn tool(&self, name: &str) -> &dyn ToolPort {
        let found = self.tools.iter().find(|tool| tool.spec().name == name);
        found.unwrap_or_else(|| panic!("no tool {name}")).as_ref()
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &dyn ToolPort> {
        self.tools.iter().map(AsRef::as_ref)
    }

    pub(crate) async fn call(&self, name: &str, args: Value) -> Result<ToolOutput, ToolFailure> {
        self.tool(name).run(&object(args), &self.context).await
    }

    pub(crate) async fn inspect(&self, name: &str, args: Value) -> Result<Inspection, ToolFailure> {
        self.tool(name).inspect(&object(args), &self.context).await
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new(&ToolsConfig::default())
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("arguments must be an object, not {other}"),
    }
}

struct Progress;

impl ProgressPort for Progress {
    fn report(&self, _call_id: &CallId, _line: &str) {}
}

/// Outcomes by their handle.
#[derive(Default)]
pub(crate) struct Results(Mutex<HashMap<String, Arc<ToolOutcome>>>);

impl Results {
    pub(crate) fn put(&self, reference: &str, outcome: ToolOutcome) {
        self.0.lock().unwrap().insert(reference.to_owned(), Arc::new(outcome));
    }
}

impl ResultsPort for Results {
    fn find(&self, reference: &str) -> Option<Arc<ToolOutcome>> {
        self.0.lock().unwrap().get(reference).cloned()
    }
}

/// A task list.
#[derive(Default)]
struct Tasks(Mutex<Vec<Task>>);

impl TasksPort for Tasks {
    fn add(&self, content: &str) -> Task {
        let mut tasks = self.0.lock().unwrap();
        let task_id = format!("task_{}", tasks.len() + 1);
        let task = Task { task_id, status: TaskStatus::Pending, content: content.to_owned() };
        tasks.push(task.clone());
        task
    }

    fn list(&self) -> Vec<Task> {
        self.0.lock().unwrap().clone()
    }

    fn update(&self, id: &str, status: TaskStatus) -> Option<Task> {
        let mut tasks = self.0.lock().unwrap();
        let task = tasks.iter_mut().find(|task| task.task_id == id)?;
        task.status = status;
        Some(task.clone())
    }
}
