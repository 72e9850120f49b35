//! Windlass in the place of a peer: the same workload, the same figures.
//!
//! A workload is a tool loop against a scripted OpenAI-compatible server: `k` steps with `m` calls each, then
//! an answer of `n` pieces. Every session goes the whole way: wire, parse, validate, judge, run, events.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::JournalPort;
use windlass_core::ports::store::{NewSession, StorePort as _};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, RunOutcome};
use windlass_core::protocol::ids::SessionId;
use windlass_core::run::RunSettings;
use windlass_engine::bus::Delivery;
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};
use windlass_models::port::WireModel;
use windlass_models::transport::{Transport, TransportConfig};
use windlass_models::{ModelName, catalog};
use windlass_store::{SqliteStore, StoreConfig};

use crate::loads::Adder;

/// What is asked of a peer, as `name=value` on its command line.
#[derive(Debug, Clone)]
pub struct Workload {
    pub k: usize,
    /// Calls in each of them.
    pub m: usize,
    /// Pieces of the answer.
    pub n: usize,
    /// Events in one write of the server; 0 is all.
    pub c: usize,
    /// Milliseconds before each answer.
    pub b: usize,
    /// Sessions one after another; so many for each of `conc`.
    pub reps: usize,
    pub warm: usize,
    pub conc: usize,
    /// A folder for a store in which every session is kept; without one, records stay in memory.
    pub durable: Option<PathBuf>,
    /// Where the server is.
    pub url: String,
}

impl Workload {
    /// Reads a command line; names it does not know are for other peers.
    pub fn read(args: impl Iterator<Item = String>) -> Self {
        let mut load = Self {
            k: 10,
            m: 1,
            n: 16,
            c: 1,
            b: 0,
            reps: 20,
            warm: 3,
            conc: 1,
            durable: None,
            url: "http://127.0.0.1:9100/v1".into(),
        };
        for arg in args {
            let Some((name, value)) = arg.split_once('=') else { continue };
            let number = value.parse().unwrap_or(0);
            match name {
                "k" => load.k = number,
                "m" => load.m = number,
                "n" => load.n = number,
                "c" => load.c = number,
                "b" => load.b = number,
                "reps" => load.reps = number,
                "warm" => load.warm = number,
                "conc" => load.conc = number,
                "durable" => load.durable = Some(value.into()),
                "url" => load.url = value.to_owned(),
                _ => {}
            }
        }
        load
    }

    /// The script, in the model's name.
    fn model(&self) -> String {
        format!("k{}-m{}-n{}-c{}-b{}", self.k, self.m, self.n, self.c, self.b)
    }
}

/// A session that has not begun.
pub struct PeerSession {
    session_id: SessionId,
    journal: Arc<dyn JournalPort>,
}

/// What every session of a process shares.
pub struct PeerHost {
    parts: SessionParts,
    expected: usize,
    store: Option<Arc<SqliteStore>>,
}

impl PeerHost {
    /// A peer for a workload.
    pub fn new(load: &Workload) -> Result<Self, String> {
        let name = ModelName { provider: "openai-compatible".into(), model: load.model() };
        let overrides =
            catalog::Overrides { base_url: Some(load.url.clone()), ..catalog::Overrides::default() };
        let target = catalog::target(&name, &overrides).map_err(|error| error.to_string())?;
        let transport = Arc::new(Transport::new(TransportConfig::default()));
        let registry = Registry::new();
        registry.register(Arc::new(Adder::default())).map_err(|error| error.to_string())?;
        let mut profile = Profile::default();
        profile.limits.steps_max = 100_000;
        profile.limits.calls_per_run_max = 100_000;
        let model = WireModel::new(target, transport);
        let settings = RunSettings {
            profile,
            model: name.to_string(),
            system: "".into(),
            context_tokens: None,
            form: None,
        };
        let parts = SessionParts {
            session_id: new_session_id(),
            settings: Arc::new(settings),
            model: Arc::new(model),
            registry,
            root: PathBuf::from("."),
            policies: PolicyStore::in_memory(PolicySet::default()),
            approve: ApproveMode::Never,
            journal: Arc::new(MemoryJournal::new()),
            audit: None,
            clock: Clock::system(),
            past: Past::default(),
        };
        let store = load.durable.as_ref().map(|folder| SqliteStore::open(folder, StoreConfig::default()));
        let store = store.transpose().map_err(|error| error.to_string())?.map(Arc::new);
        Ok(Self { parts, expected: load.n, store })
    }

    /// A session that has not begun; one that is kept is known to the store and claimed, as by a host.
    pub async fn open(&self) -> Result<PeerSession, String> {
        let session_id = new_session_id();
        let Some(store) = &self.store else {
            return Ok(PeerSession { session_id, journal: Arc::new(MemoryJournal::new()) });
        };
        let begun = store.create_session(&session_id, NewSession::default(), 0).await;
        begun.map_err(|error| error.to_string())?;
        store.claim(&session_id).await.map_err(|error| error.to_string())?;
        Ok(PeerSession { session_id, journal: Arc::clone(store) as Arc<dyn JournalPort> })
    }

    /// One session from its message to its answer; gives the pieces of text that a reader saw.
    pub async fn session(&self, opened: PeerSession) -> Result<usize, String> {
        let PeerSession { session_id, journal } = opened;
        let session = Session::start(SessionParts { session_id, journal, ..self.parts.clone() });
        let mut events = session.subscribe();
        let handle = session
            .send(MessageSend::text(new_run_id(), new_message_id(), "go"))
            .await
            .map_err(|error| error.to_string())?;
        let mut pieces = 0;
        loop {
            match events.next().await {
                Delivery::Record(record) => match &record.event {
                    Event::Delta(DeltaEvent::TextDelta { .. }) => pieces += 1,
                    Event::Durable(DurableEvent::RunEnded { .. }) => break,
                    Event::Durable(other) => other.ignored(),
                    Event::Delta(other) => other.ignored(),
                },
                Delivery::Snapshot { .. } | Delivery::Gap { .. } => {}
                Delivery::Closed => break,
            }
        }
        let finished = handle.finished().await.map_err(|error| error.to_string())?;
        let is_right = finished.outcome == RunOutcome::Completed
            && (self.expected == 0 || finished.answer.starts_with("tok0000"));
        if is_right { Ok(pieces) } else { Err(format!("{:?}: {}", finished.outcome, finished.answer)) }
    }
}
