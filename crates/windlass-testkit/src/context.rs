//! A context for running a tool in a test: everything in memory, nothing connected.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::HeldTargets;
use windlass_core::ports::{
    CallsPort, CancelFlag, ProgressPort, ResultsPort, TasksPort, ToolContext, WaitingTime,
};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::task::{Task, TaskStatus};
use windlass_core::protocol::tool::{ReachLog, ToolFailure, ToolOutcome, ToolOutput};

/// Builds a [`ToolContext`]; keeps what the tool did to it.
#[derive(Debug, Clone)]
pub struct NullContext {
    root: PathBuf,
    user_message: Arc<str>,
    output_bytes_max: usize,
    cancel: CancelFlag,
    memory: Arc<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    progress: Mutex<Vec<String>>,
    results: Mutex<Vec<(String, Arc<ToolOutcome>)>>,
    tasks: Mutex<Vec<Task>>,
}

impl Default for NullContext {
    fn default() -> Self {
        Self::new()
    }
}

impl NullContext {
    /// A context at the root `.` with room for 1 MiB of output.
    pub fn new() -> Self {
        Self {
            root: PathBuf::from("."),
            user_message: "".into(),
            output_bytes_max: 1 << 20,
            cancel: CancelFlag::default(),
            memory: Arc::default(),
        }
    }

    /// Sets the project root.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// Sets what the user said last.
    pub fn user_message(mut self, text: &str) -> Self {
        self.user_message = text.into();
        self
    }

    /// Sets the bound on output.
    pub fn output_bytes_max(mut self, bytes: usize) -> Self {
        self.output_bytes_max = bytes;
        self
    }

    /// Puts in the outcome of an earlier call.
    pub fn result(self, reference: impl Into<String>, outcome: ToolOutcome) -> Self {
        lock(&self.memory.results).push((reference.into(), Arc::new(outcome)));
        self
    }

    /// The flag that stops the tool.
    pub fn cancel_flag(&self) -> CancelFlag {
        self.cancel.clone()
    }

    pub fn build(&self) -> ToolContext {
        ToolContext {
            call_id: CallId::numbered(1),
            run_id: "run".into(),
            session_id: "session".into(),
            root: self.root.clone(),
            user_message: Arc::clone(&self.user_message),
            deadline_ms: u64::MAX,
            waiting: WaitingTime::default(),
            reached: ReachLog::default(),
            output_bytes_max: self.output_bytes_max,
            targets: HeldTargets::default(),
            cancel: self.cancel.clone(),
            progress: Arc::clone(&self.memory) as Arc<dyn ProgressPort>,
            results: Arc::clone(&self.memory) as Arc<dyn ResultsPort>,
            tasks: Arc::clone(&self.memory) as Arc<dyn TasksPort>,
            calls: Arc::clone(&self.memory) as Arc<dyn CallsPort>,
        }
    }

    /// The lines of progress that came so far.
    pub fn progress_lines(&self) -> Vec<String> {
        lock(&self.memory.progress).clone()
    }
}

fn lock<T>(place: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProgressPort for Memory {
    fn report(&self, _call_id: &CallId, line: &str) {
        lock(&self.progress).push(line.to_owned());
    }
}

#[async_trait]
impl CallsPort for Memory {
    async fn call(&self, tool: &str, _args: Map<String, Value>) -> Result<ToolOutput, ToolFailure> {
        let failure = ToolFailure::unavailable(format!("there is no tool '{tool}' around this one"));
        Err(failure)
    }
}

impl ResultsPort for Memory {
    fn find(&self, reference: &str) -> Option<Arc<ToolOutcome>> {
        let results = lock(&self.results);
        results.iter().find(|(name, _)| name == reference).map(|(_, outcome)| Arc::clone(outcome))
    }

    fn handles(&self) -> Vec<String> {
        lock(&self.results).iter().map(|(name, _)| name.clone()).collect()
    }
}

impl TasksPort for Memory {
    fn add(&self, content: &str) -> Task {
        let mut tasks = lock(&self.tasks);
        let task_id = format!("task_{}", tasks.len() + 1);
        let task = Task { task_id, status: TaskStatus::Pending, content: content.to_owned() };
        tasks.push(task.clone());
        task
    }

    fn list(&self) -> Vec<Task> {
        lock(&self.tasks).clone()
    }

    fn update(&self, id: &str, status: TaskStatus) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        let task = tasks.iter_mut().find(|task| task.task_id == id)?;
        task.status = status;
        Some(task.clone())
    }
}
