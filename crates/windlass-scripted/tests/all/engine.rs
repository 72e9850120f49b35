//! The same scripts on the real engine: a session, the scripted model, the scripted user, and tools
//! that end their calls as the script says, in its order. Time is paused and moves only when all wait.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use windlass_core::permission::{ApproveMode, Inspection};
use windlass_core::ports::{ModelPort, ToolContext, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::{MessageSend, RunCommand};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, Millis};
use windlass_core::protocol::tool::{Link, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::run::RunSettings;
use windlass_engine::bus::Delivery;
use windlass_engine::clock::Clock;
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};
use windlass_scripted::{Beat, BeatKind, CallBook, CallEnding, Script, ScriptedModel, ScriptedUser};
use windlass_tools::{ToolsConfig, builtin};

use crate::machine::{inspect, profile, rules, specs};
use crate::scripts::{parse, repository, scripts_in};

/// Lets each call end when everything before its `tool` line has happened.
struct Prompter {
    beats: Vec<Beat>,
    calls: CallBook,
    /// How far calls are: 1 decided, 2 started, 3 ended.
    progress: BTreeMap<u32, u8>,
}

impl Prompter {
    fn see(&mut self, event: &Event) {
        self.calls.see(event);
        let (call_id, reached) = match event {
            Event::Durable(DurableEvent::PermissionDecided { call_id, .. }) => (call_id, 1),
            Event::Durable(DurableEvent::CallStarted { call_id, .. }) => (call_id, 2),
            Event::Durable(DurableEvent::CallEnded { call_id, .. }) => (call_id, 3),
            _ => return,
        };
        if let Some(number) = self.calls.number(call_id) {
            self.progress.insert(number, reached);
        }
    }

    /// How a call ends, if it may end now.
    fn ending(&self, call_id: &CallId) -> Option<CallEnding> {
        let number = self.calls.number(call_id)?;
        for beat in &self.beats {
            let has_reached = |call: &u32, least| self.progress.get(call).is_some_and(|now| *now >= least);
            match &beat.kind {
                BeatKind::Tool { call, ending } if *call == number => return Some(ending.clone()),
                BeatKind::Tool { call, ending: CallEnding::Hang } if !has_reached(call, 2) => return None,
                BeatKind::Tool { ending: CallEnding::Hang, .. } => {}
                BeatKind::Tool { call, .. } if !has_reached(call, 3) => return None,
                BeatKind::Answer { call, .. } if !has_reached(call, 1) => return None,
                _ => {}
            }
        }
        None
    }
}

struct ScriptedTool {
    spec: ToolSpec,
    prompter: Arc<Mutex<Prompter>>,
    progress: Arc<Notify>,
}

impl ScriptedTool {
    /// Does what a real tool of that name does beside giving an output.
    async fn perform(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
        mut output: ToolOutput,
    ) -> ToolOutput {
        match self.spec.name.as_str() {
            "add_task" => {
                context.tasks.add(args["content"].as_str().unwrap());
            }
            "execute_command" => {
                for line in output.readable().lines().take(3) {
                    context.progress.report(&context.call_id, line);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
            "web_search" => {
                let links = serde_json::from_value::<Vec<Link>>(output.json.clone());
                output.links = links.unwrap_or_default();
            }
            _ => {}
        }
        output
    }
}

#[async_trait]
impl ToolPort for ScriptedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        loop {
            let changed = self.progress.notified();
            let ending = self.prompter.lock().unwrap().ending(&context.call_id);
            match ending {
                // The engine itself must stop these.
                Some(CallEnding::Timeout | CallEnding::Hang) => std::future::pending::<()>().await,
                Some(ending) => {
                    let body = ending.outcome().unwrap().body;
                    return match body {
                        Ok(output) => Ok(self.perform(args, context, output).await),
                        Err(failure) => Err(failure),
                    };
                }
                None => changed.await,
            }
        }
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        inspect(args).map_err(|failure| *failure)
    }
}

/// What a session is staged with beside its script.
pub(crate) struct Staging {
    /// The model, if it is not the plain one of the script.
    pub(crate) model: Option<Arc<dyn ModelPort>>,
    pub(crate) executes_while_streaming: bool,
    pub(crate) past: Past,
    /// When the session begins.
    pub(crate) now_ms: Millis,
    /// The program stops when this call begins.
    pub(crate) stops_at: Option<CallId>,
}

impl Default for Staging {
    fn default() -> Self {
        let past = Past::default();
        Self { model: None, executes_while_streaming: false, past, now_ms: 1_700_000_000_000, stops_at: None }
    }
}

fn session(script: &Script, tools: Vec<Arc<dyn ToolPort>>, root: PathBuf, staging: Staging) -> Session {
    let registry = Registry::new();
    registry.register_all(tools).unwrap();
    let Staging { model, executes_while_streaming, past, now_ms, .. } = staging;
    let model = model.unwrap_or_else(|| Arc::new(ScriptedModel::new(script)));
    let began = Instant::now();
    Session::start(SessionParts {
        session_id: "session".into(),
        settings: Arc::new(RunSettings {
            profile: Profile { executes_while_streaming, ..profile(&script.header) },
            model: format!("scripted/{}", script.name),
            system: "Be brief.".into(),
            context_tokens: None,
            form: None,
        }),
        model,
        registry,
        root,
        policies: PolicyStore::in_memory(rules(&script.header)),
        approve: script.header.approve.unwrap_or_default(),
        journal: Arc::new(MemoryJournal::new()),
        audit: None,
        clock: Clock::from_fn(move || now_ms + u64::try_from(began.elapsed().as_millis()).unwrap()),
        past,
    })
}

/// Tools that do as a script says, and those who must be told what happens.
pub(crate) fn tools(script: &Script) -> (Vec<Arc<dyn ToolPort>>, impl FnMut(&Event) + Send) {
    let prompter = Arc::new(Mutex::new(Prompter {
        beats: script.beats(),
        calls: CallBook::new(script),
        progress: BTreeMap::new(),
    }));
    let progress = Arc::new(Notify::new());
    let tool = |spec| -> Arc<dyn ToolPort> {
        Arc::new(ScriptedTool { spec, prompter: Arc::clone(&prompter), progress: Arc::clone(&progress) })
    };
    let tools = specs().into_iter().map(tool).collect();
    let see = move |event: &Event| {
        prompter.lock().unwrap().see(event);
        progress.notify_waiters();
    };
    (tools, see)
}

/// Plays a script with tools that do as it says; gives all records.
pub(crate) async fn play(script: &Script) -> Vec<Arc<Record>> {
    play_staged(script, Staging::default(), &[]).await
}

/// The same with another staging, after what is on record of an earlier session.
pub(crate) async fn play_staged(
    script: &Script,
    staging: Staging,
    earlier: &[Arc<Record>],
) -> Vec<Arc<Record>> {
    let (tools, mut see) = tools(script);
    earlier.iter().for_each(|record| see(&record.event));
    let stops_at = staging.stops_at.clone();
    let session = session(script, tools, std::env::temp_dir(), staging);
    match earlier.last() {
        None => follow(script, &session, stops_at.as_ref(), see).await,
        Some(last) => follow_end(&session, last.seq, see).await,
    }
}

/// What comes of a run that was taken up again.
async fn follow_end(session: &Session, after: u64, mut see: impl FnMut(&Event)) -> Vec<Arc<Record>> {
    let mut subscription = session.log().subscribe_after(after);
    let mut records: Vec<Arc<Record>> = Vec::new();
    while !matches!(
        records.last().map(|record| &record.event),
        Some(Event::Durable(DurableEvent::RunEnded { .. }))
    ) {
        match subscription.next().await {
            Delivery::Record(record) => records.push(record),
            Delivery::Snapshot { records: missed, .. } => records.extend(missed),
            Delivery::Gap { .. } | Delivery::Closed => panic!("the run has no end"),
        }
        records.last().iter().for_each(|record| see(&record.event));
    }
    records
}

/// Sends the messages of a script and does what its user does; gives all records.
async fn follow(
    script: &Script,
    session: &Session,
    stops_at: Option<&CallId>,
    mut see: impl FnMut(&Event),
) -> Vec<Arc<Record>> {
    let mut user = ScriptedUser::new(script);
    let mut subscription = session.subscribe();
    let mut records = Vec::new();
    let mut runs = 0;
    while let Some(message) = user.next_message() {
        runs += 1;
        let mut send = MessageSend::text(format!("run_{runs}").into(), "message".into(), message);
        send.wishes.tools_allowed = script.header.tools_allowed.unwrap_or(true);
        let run = session.send(send).await.unwrap();
        loop {
            let Delivery::Record(record) = subscription.next().await else { panic!("an event was lost") };
            see(&record.event);
            match user.react(&record.event) {
                None => {}
                Some(RunCommand::RunCancel) => session.cancel().await.unwrap(),
                Some(RunCommand::PermissionAnswer { call_id, digest, answer }) => {
                    // What was withdrawn meanwhile needs no answer.
                    let _ = session.answer(call_id, digest, answer).await;
                }
            }
            let is_end = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
            let is_stop = matches!(&record.event, Event::Durable(DurableEvent::CallStarted { call_id, .. }) if Some(call_id) == stops_at);
            records.push(record);
            if is_stop {
                return records;
            }
            if is_end {
                break;
            }
        }
        run.finished().await.unwrap();
    }
    records
}

#[tokio::test(start_paused = true)]
async fn every_fixture_plays_on_the_engine_as_it_expects() {
    let mut mismatches = Vec::new();
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        match timeout(Duration::from_secs(7_200), play(&script)).await {
            Err(_) => mismatches.push(format!("{name}: the run never ended")),
            Ok(records) => {
                let events: Vec<&Event> = records.iter().map(|record| &record.event).collect();
                mismatches.extend(script.check_session(&events).iter().map(ToString::to_string));
            }
        }
    }
    assert!(mismatches.is_empty(), "\n{}\n", mismatches.join("\n"));
}

#[tokio::test]
async fn the_examples_play_on_the_real_tools_with_nobody_to_ask() {
    for (name, text) in scripts_in("examples") {
        let mut script = parse(&name, &text);
        script.header.approve = Some(ApproveMode::Never);
        let root = repository().join(script.header.root.as_deref().unwrap_or("."));
        let session = session(&script, builtin(&ToolsConfig::default()), root, Staging::default());
        let records = follow(&script, &session, None, |_| {}).await;
        let events: Vec<&Event> = records.iter().map(|record| &record.event).collect();
        assert_eq!(script.check_session(&events), [], "{name}");
    }
}
