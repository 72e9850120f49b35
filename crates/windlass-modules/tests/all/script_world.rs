//! Scripts for the tests: alone, and in a session whose model calls them.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::{ApproveMode, PolicySet, Rule, RuleEffect, RuleSource};
use windlass_core::ports::{JournalPort, ToolContext, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome, ToolOutput, ToolSpec};
use windlass_core::run::RunSettings;
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};
use windlass_modules::script::{ScriptGrants, ScriptLimits, ScriptTool};
use windlass_scripted::{Script, ScriptedModel};
use windlass_testkit::NullContext;

pub(crate) type Outcome = Result<ToolOutput, ToolFailure>;

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("arguments are an object, not {other}"),
    }
}

/// An hour: on a busy machine the usual clocks would be the first to stop a script, and nothing would be proved
/// about the other limits.
const PATIENCE_MS: u64 = 3_600_000;

/// The usual limits without the clock's.
pub(crate) fn patient() -> ScriptLimits {
    ScriptLimits { wall_ms: PATIENCE_MS, ..ScriptLimits::default() }
}

pub(crate) fn script(name: &str, text: &str) -> ScriptTool {
    limited(name, text, patient())
}

pub(crate) fn limited(name: &str, text: &str, limits: ScriptLimits) -> ScriptTool {
    ScriptTool::parse(&format!("{name}.rhai"), name, text, limits, ScriptGrants::default()).unwrap()
}

/// Runs a script that stands alone.
pub(crate) async fn run(tool: &ScriptTool, args: Value) -> Outcome {
    tool.run(&object(args), &NullContext::new().build()).await
}

/// The value that a script gives.
pub(crate) async fn value(text: &str, args: Value) -> Value {
    run(&script("probe", text), args).await.unwrap().json
}

type Work = dyn Fn(&Map<String, Value>) -> Outcome + Send + Sync;

/// A tool of the house: gives what its work makes of its arguments.
pub(crate) struct Plain {
    spec: ToolSpec,
    work: Box<Work>,
}

pub(crate) fn plain(
    spec: ToolSpec,
    work: impl Fn(&Map<String, Value>) -> Outcome + Send + Sync + 'static,
) -> Arc<dyn ToolPort> {
    Arc::new(Plain { spec, work: Box::new(work) })
}

#[async_trait]
impl ToolPort for Plain {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, _: &ToolContext) -> Outcome {
        (self.work)(args)
    }
}

/// A session in which the model calls one tool, and `allow` are rules.
pub(crate) fn session(
    tools: Vec<Arc<dyn ToolPort>>,
    allow: &[&str],
    call: &str,
    args: &Value,
) -> (Session, Arc<MemoryJournal>) {
    let text = format!("user Go.\nmodel call 1 {call} {args}\nmodel end\nmodel text Done.\n");
    let played = Script::parse("test.script", &text).unwrap();
    let registry = Registry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    let mut rules = PolicySet::default();
    for rule in allow {
        rules.add(Rule::parse(RuleEffect::Allow, rule, RuleSource::User).unwrap());
    }
    let mut profile = Profile::default();
    (profile.limits.call_timeout_ms, profile.limits.run_timeout_ms) = (PATIENCE_MS, 2 * PATIENCE_MS);
    let journal = Arc::new(MemoryJournal::new());
    let session = Session::start(SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile,
            model: "scripted/test.script".into(),
            system: "".into(),
            context_tokens: None,
            form: None,
        }),
        model: Arc::new(ScriptedModel::new(&played)),
        registry,
        root: std::env::temp_dir(),
        policies: PolicyStore::in_memory(rules),
        approve: ApproveMode::Never,
        journal: Arc::clone(&journal) as Arc<dyn JournalPort>,
        audit: None,
        clock: Clock::system(),
        past: Past::default(),
    });
    (session, journal)
}

pub(crate) fn go() -> MessageSend {
    MessageSend::text(new_run_id(), new_message_id(), "Go.")
}

/// What the model's call gave.
pub(crate) async fn called(
    tools: Vec<Arc<dyn ToolPort>>,
    allow: &[&str],
    call: &str,
    args: Value,
) -> Arc<ToolOutcome> {
    let (session, journal) = session(tools, allow, call, &args);
    session.send(go()).await.unwrap().finished().await.unwrap();
    let records = journal.load(session.id(), 0).await.unwrap();
    let ended = records.iter().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::CallEnded { outcome, .. }) => Some(Arc::clone(outcome)),
        _ => None,
    });
    ended.expect("every call gets an outcome")
}
