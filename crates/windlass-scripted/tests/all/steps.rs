//! What a step asked of its model is made again from the record: for every script, exactly what the model got.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::time::Instant;
use windlass_core::ports::host::{
    HostDelivery, HostError, HostRuns, HostSessions, ModelRow, RunStart, RunWishes, ServedPort,
};
use windlass_core::ports::store::NewSession;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::RunCommand;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::step::AskedRequest;
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{Script, ScriptedModel, ScriptedUser};

use crate::engine::tools;
use crate::machine::{profile, rules};
use crate::scripts::{parse, scripts_in};

/// A scripted model that remembers what it was asked.
#[derive(Clone)]
struct Overheard {
    model: Arc<ScriptedModel>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelPort for Overheard {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.asked.lock().unwrap().push(request.clone());
        self.model.stream(request)
    }
}

impl ModelsPort for Overheard {
    fn open(&self, _name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        Ok(OpenModel { model: Arc::new(self.clone()), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        Vec::new()
    }
}

fn host(script: &Script, registry: Registry, model: &Overheard) -> Arc<Host> {
    let (profile, began) = (profile(&script.header), Instant::now());
    Host::new(HostParts {
        store: Arc::new(MemoryStore::new()),
        models: Arc::new(model.clone()),
        profiles: Arc::new(move |_| Ok(Profile { instruction: "Be brief.".into(), ..profile.clone() })),
        registry,
        search: None,
        root: std::env::temp_dir(),
        policies: PolicyStore::in_memory(rules(&script.header)),
        approve: script.header.approve.unwrap_or_default(),
        audit: None,
        sampling: windlass_core::protocol::model::Sampling::default(),
        clock: Clock::from_fn(move || u64::try_from(began.elapsed().as_millis()).unwrap()),
        limits: HostLimits::default(),
    })
}

async fn next(events: &mut BoxStream<'static, HostDelivery>) -> Option<HostDelivery> {
    std::future::poll_fn(|context| events.as_mut().poll_next(context)).await
}

/// Plays a script in a session of a host; gives what the model was asked.
async fn play(script: &Script) -> (Arc<Host>, Vec<ModelRequest>) {
    let (tools, mut see) = tools(script);
    let registry = Registry::new();
    registry.register_all(tools).unwrap();
    let model = Overheard { model: Arc::new(ScriptedModel::new(script)), asked: Arc::default() };
    let host = host(script, registry, &model);
    let session = host.create_session(NewSession::default()).await.unwrap().session_id;
    let mut user = ScriptedUser::new(script);
    while let Some(message) = user.next_message() {
        let tools_allowed = script.header.tools_allowed.unwrap_or(true);
        let start = RunStart {
            message: Message::user(message),
            wishes: RunWishes { tools_allowed, ..RunWishes::default() },
            model: None,
            profile: None,
            executes_while_streaming: None,
        };
        let run = host.start_run(&session, start).await.unwrap();
        let mut events = host.events(&run.run_id, run.after_seq).await.unwrap();
        while let Some(HostDelivery::Record(record)) = next(&mut events).await {
            see(&record.event);
            match user.react(&record.event) {
                None => {}
                Some(RunCommand::RunCancel) => host.cancel(&run.run_id).await.unwrap(),
                Some(RunCommand::PermissionAnswer { call_id, digest, answer }) => {
                    host.answer(&run.run_id, &call_id, &digest, answer).await.unwrap();
                }
            }
            if matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })) {
                break;
            }
        }
    }
    let asked = std::mem::take(&mut *model.asked.lock().unwrap());
    (host, asked)
}

#[tokio::test(start_paused = true)]
async fn the_request_of_every_step_of_every_fixture_is_the_one_that_its_model_got() {
    let mut steps = 0;
    for (name, text) in scripts_in("fixtures/scripts") {
        let (host, asked) = play(&parse(&name, &text)).await;
        assert!(!asked.is_empty(), "{name}");
        // A step may be asked for several times; its last try is shown.
        let mut tries = BTreeMap::new();
        for request in &asked {
            let (count, last) = tries.entry((request.run_id.clone(), request.step)).or_insert((0, request));
            (*count, *last) = (*count + 1, request);
        }
        for ((run_id, step), (count, request)) in tries {
            let report = host.step_report(&run_id, step).await.unwrap();
            assert_eq!(report.problem, None, "{name}, step {step}");
            assert_eq!(report.request, Some(AskedRequest::from(request)), "{name}, step {step}");
            assert_eq!(report.attempts.len(), count, "{name}, step {step}");
            assert_eq!(report.wire, None, "a script goes over no wire");
            steps += 1;
        }
        host.close().await.unwrap();
    }
    assert!(steps > 100, "only {steps} steps");
}
