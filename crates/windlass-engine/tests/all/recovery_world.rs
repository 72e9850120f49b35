//! A world that outlives its sessions: what calls did outside, and the moment in which the program is killed.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::stream;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use windlass_core::permission::{ApproveMode, PolicySet, TaintMode};
use windlass_core::ports::{
    BoxStream, JournalFailure, JournalPort, ModelPort, Probed, ToolContext, ToolPort,
};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::run::{Finished, RunSettings};
use windlass_engine::clock::Clock;
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};

/// When the program is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kill {
    Never,
    /// Before so many appends.
    BeforeAppend(usize),
    /// After the append of that number, before anything comes of it.
    AfterAppend(usize),
    /// When the call of that number begins.
    BeforeEffect(usize),
    /// When it has done its work and not said so.
    AfterEffect(usize),
    /// Not at all, but the call of that number waits until somebody lets it go on.
    Hold(usize),
}

/// What is outside of the program.
pub(crate) struct World {
    pub(crate) journal: MemoryJournal,
    /// What calls that change something did, by tool and idempotency key.
    pub(crate) deeds: Mutex<Vec<String>>,
    pub(crate) kill: Mutex<Kill>,
    pub(crate) appends: AtomicUsize,
    pub(crate) appended: Mutex<Vec<Vec<Arc<Record>>>>,
    pub(crate) calls: AtomicUsize,
    pub(crate) steps: Vec<Vec<ModelDelta>>,
    pub(crate) executes_while_streaming: bool,
    pub(crate) approve: ApproveMode,
    killed: Notify,
    pub(crate) released: Notify,
}

pub(crate) fn session_id() -> SessionId {
    SessionId::new("session")
}

impl World {
    pub(crate) fn new(steps: Vec<Vec<ModelDelta>>) -> Self {
        Self {
            journal: MemoryJournal::new().holding_deltas(65_536),
            deeds: Mutex::default(),
            kill: Mutex::new(Kill::Never),
            appends: AtomicUsize::new(0),
            appended: Mutex::default(),
            calls: AtomicUsize::new(0),
            steps,
            executes_while_streaming: false,
            approve: ApproveMode::All,
            killed: Notify::new(),
            released: Notify::new(),
        }
    }

    /// Nothing of the program happens any more.
    async fn die_at(&self, moment: Kill) {
        if *self.kill.lock().unwrap() == moment {
            self.killed.notify_one();
            pending::<()>().await;
        }
    }

    async fn hold_at(&self, moment: Kill) {
        if *self.kill.lock().unwrap() == moment {
            self.killed.notify_one();
            self.released.notified().await;
        }
    }

    /// Waits for the moment in which the program is killed, or a call is held.
    pub(crate) async fn killed(&self) {
        self.killed.notified().await;
    }

    pub(crate) fn deeds(&self) -> Vec<String> {
        self.deeds.lock().unwrap().clone()
    }

    pub(crate) async fn records(&self) -> Vec<Arc<Record>> {
        self.journal.load(&session_id(), 0).await.unwrap()
    }

    pub(crate) async fn past(&self) -> Past {
        // As a store gives them back.
        let text = serde_json::to_string(&self.records().await).unwrap();
        let records: Vec<Arc<Record>> = serde_json::from_str(&text).unwrap();
        History::fold(&[], &records).into()
    }

    pub(crate) fn parts(self: &Arc<Self>, past: Past) -> SessionParts {
        let registry = Registry::new();
        for (name, effects, knows) in [
            ("add", Effects::Pure, false),
            ("look", Effects::Read, false),
            ("put", Effects::Write, true),
            ("set", Effects::Write, false),
            ("launch", Effects::External, true),
            ("blind", Effects::Write, false),
            ("note", Effects::Write, false),
        ] {
            let mut spec = ToolSpec::new(name, "A tool of the tests.").with_effects(effects, Risk::Medium);
            spec.schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
            spec.idempotent = name == "set";
            registry.register(Arc::new(Deed { spec, knows, world: Arc::clone(self) })).unwrap();
        }
        let executes_while_streaming = self.executes_while_streaming;
        let profile = Profile { executes_while_streaming, ..Profile::default() };
        SessionParts {
            session_id: session_id(),
            settings: Arc::new(RunSettings {
                profile,
                model: "test/steps".into(),
                system: "".into(),
                context_tokens: None,
                form: None,
            }),
            model: Arc::new(Steps(self.steps.clone())),
            registry,
            root: std::env::temp_dir(),
            policies: PolicyStore::in_memory(PolicySet::default().with_taint(TaintMode::Off)),
            approve: self.approve,
            journal: Arc::clone(self) as Arc<dyn JournalPort>,
            audit: None,
            clock: Clock::system(),
            past,
        }
    }

    /// One life of the program, from its start to the end of the run or to its death; all that ran in it dies
    /// with it.
    pub(crate) fn live(self: &Arc<Self>, kill: Kill) -> Option<Finished> {
        *self.kill.lock().unwrap() = kill;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let past = self.past().await;
            if past.unfinished.is_none() && past.last_seq > 0 {
                return None;
            }
            let session = Session::start(self.parts(past));
            let handle = match session.resumed() {
                Some(handle) => handle,
                None => session.send(message()).await.unwrap(),
            };
            tokio::select! {
                finished = handle.finished() => Some(finished.unwrap()),
                () = self.killed() => None,
            }
        })
    }
}

pub(crate) fn message() -> MessageSend {
    MessageSend::text("run".into(), "message".into(), "Go.")
}

#[async_trait]
impl JournalPort for World {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let number = self.appends.fetch_add(1, Ordering::SeqCst);
        self.die_at(Kill::BeforeAppend(number)).await;
        self.journal.append(records).await?;
        self.appended.lock().unwrap().push(records.to_vec());
        self.die_at(Kill::AfterAppend(number)).await;
        Ok(())
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.journal.load(session_id, after).await
    }
}

/// A tool that leaves something behind.
struct Deed {
    spec: ToolSpec,
    /// Whether it can find out what it did.
    knows: bool,
    world: Arc<World>,
}

impl Deed {
    fn line(&self, context: &ToolContext) -> String {
        format!("{} {}", self.spec.name, context.idempotency_key())
    }

    fn output(&self) -> ToolOutput {
        ToolOutput::text(format!("{} done", self.spec.name))
    }
}

#[async_trait]
impl ToolPort for Deed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        _args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let number = self.world.calls.fetch_add(1, Ordering::SeqCst);
        self.world.die_at(Kill::BeforeEffect(number)).await;
        self.world.hold_at(Kill::Hold(number)).await;
        if !self.spec.effects.is_read_only() {
            self.world.deeds.lock().unwrap().push(self.line(context));
        }
        if self.spec.name == "note" {
            context.tasks.add("something to do");
        }
        self.world.die_at(Kill::AfterEffect(number)).await;
        Ok(self.output())
    }

    async fn probe(&self, _args: &Map<String, Value>, context: &ToolContext) -> Probed {
        match (self.knows, self.world.deeds().contains(&self.line(context))) {
            (false, _) => Probed::Unknown,
            (true, true) => Probed::Happened(Box::new(self.output())),
            (true, false) => Probed::NotHappened,
        }
    }
}

/// A model that always gives the same step when it is asked for that step.
struct Steps(Vec<Vec<ModelDelta>>);

impl ModelPort for Steps {
    fn name(&self) -> &str {
        "test/steps"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let deltas = self.0[request.step as usize - 1].clone();
        Box::pin(stream::iter(deltas.into_iter().map(Ok)))
    }
}

/// A step of calls: tool and argument.
pub(crate) fn calls(calls: &[(&str, u64)]) -> Vec<ModelDelta> {
    let mut deltas = vec![ModelDelta::Text("So.".into())];
    for (index, (name, n)) in (0..).zip(calls) {
        deltas.push(ModelDelta::Call(CallDelta {
            index: Some(index),
            name: Some((*name).into()),
            args_text: Some(json!({"n": n}).to_string()),
            ..CallDelta::default()
        }));
    }
    deltas.push(ModelDelta::Finish(Finish::Calls));
    deltas
}

/// A step of text, piece by piece.
pub(crate) fn text(pieces: &[&str]) -> Vec<ModelDelta> {
    let said = pieces.iter().map(|piece| ModelDelta::Text((*piece).into()));
    said.chain([ModelDelta::Finish(Finish::Stop)]).collect()
}
