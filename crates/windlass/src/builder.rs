//! Putting an agent together.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::permission::{ApproveMode, PermissionAnswer, Question, TaintMode};
use windlass_core::ports::store::StorePort;
use windlass_core::ports::{BoxFuture, ModelPort};
use windlass_core::profile::Profile;
use windlass_engine::clock::Clock;
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;

use crate::agent::Windlass;
use crate::agent_host::{AgentHost, AgentParts};
use crate::error::WindlassError;
#[cfg(feature = "models")]
use crate::model_source::{Connected, ModelSource};
use crate::session_host::SessionHost;
use crate::toolkit::IntoTool;
use crate::toolkit::additions::ToolAdditions;
use crate::toolkit::builtin::BuiltinTools;

/// Answers questions about calls.
pub(crate) type PermissionAsker = Arc<dyn Fn(Question) -> BoxFuture<'static, PermissionAnswer> + Send + Sync>;

/// Threads that read a store: a program that shows a few sessions while others run.
#[cfg(feature = "store")]
const STORE_READERS: usize = 4;

/// The model of an agent.
enum AgentModel {
    /// Somebody's own, and the size of its context where that is known.
    Port(Arc<dyn ModelPort>, Option<u64>),
    /// A script; how it is played depends on what is built.
    #[cfg(feature = "scripted")]
    Script(Box<windlass_scripted::Script>),
    /// One of the catalogue; how it is spoken to depends on the profile.
    #[cfg(feature = "models")]
    Connected(Box<Connected>),
}

impl AgentModel {
    /// The port, the size of its context, and the profile that fits it.
    #[cfg_attr(not(feature = "models"), expect(unused_variables, reason = "own models say nothing of tools"))]
    fn open(self, profile: Profile, has_tools: bool) -> Result<OpenedModel, WindlassError> {
        match self {
            AgentModel::Port(model, context_tokens) => {
                let mut profile = profile;
                profile.dialect = model.dialect().unwrap_or(profile.dialect);
                Ok(OpenedModel { model, profile, context_tokens })
            }
            #[cfg(feature = "scripted")]
            AgentModel::Script(script) => {
                let model = Arc::new(windlass_scripted::ScriptedModel::new(&script));
                Ok(OpenedModel { model, profile, context_tokens: None })
            }
            #[cfg(feature = "models")]
            AgentModel::Connected(connected) => {
                let (mut profile, context_tokens) = (profile, connected.context_tokens());
                let model = connected.port(&mut profile, has_tools)?;
                Ok(OpenedModel { model, profile, context_tokens })
            }
        }
    }
}

/// A model that is ready.
struct OpenedModel {
    model: Arc<dyn ModelPort>,
    profile: Profile,
    context_tokens: Option<u64>,
}

/// Puts an agent together; begin with [`Windlass::builder`].
#[must_use]
pub struct Builder {
    model: Option<AgentModel>,
    /// Tools, states, rules and layers, until they are put together.
    pub(crate) additions: ToolAdditions,
    /// Tools of Windlass itself, among which the profile chooses, and what they search.
    pub(crate) builtin: BuiltinTools,
    profile: Profile,
    system: String,
    root: PathBuf,
    approve: ApproveMode,
    taint: TaintMode,
    asker: Option<PermissionAsker>,
    policies: Option<PathBuf>,
    /// Where sessions are kept; in memory if nowhere else.
    store: Option<Arc<dyn StorePort>>,
    clock: Clock,
    #[cfg(feature = "otel")]
    telemetry: Option<windlass_otlp::OtelConfig>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            model: None,
            additions: ToolAdditions::default(),
            builtin: BuiltinTools::default(),
            profile: Profile::default(),
            system: String::new(),
            root: PathBuf::from("."),
            approve: ApproveMode::Never,
            // Whoever builds an agent chose its tools themselves, and mostly nobody is there to be asked.
            taint: TaintMode::Off,
            asker: None,
            policies: None,
            store: None,
            clock: Clock::system(),
            #[cfg(feature = "otel")]
            telemetry: None,
        }
    }

    /// Chooses a model by name: `ollama/qwen3` and any other `PROVIDER/MODEL` that needs no key; others by
    /// [`model_key`](Self::model_key) or [`model_source`](Self::model_source). `scripted/FILE` plays a script; `builtin`
    /// is the model that is part of the library (feature `builtin`), `local/FILE` a file of weights (feature `local`).
    pub fn model(self, name: &str) -> Result<Self, WindlassError> {
        #[cfg(feature = "scripted")]
        if let Some(path) = name.strip_prefix("scripted/") {
            let failed = |reason: String| WindlassError::Script { path: path.to_owned(), reason };
            let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
            let script =
                windlass_scripted::Script::parse(path, &text).map_err(|error| failed(error.to_string()))?;
            return Ok(self.chosen(AgentModel::Script(Box::new(script))));
        }
        #[cfg(feature = "builtin")]
        if name == windlass_local::BUILTIN {
            return Ok(self.builtin_model());
        }
        #[cfg(feature = "local")]
        if let Some(path) = name.strip_prefix(crate::in_process::FILE_PREFIX) {
            return self.model_file(path);
        }
        #[cfg(feature = "models")]
        return self.model_source(ModelSource::new(name)?);
        #[cfg(not(feature = "models"))]
        Err(WindlassError::UnknownModel(name.to_owned()))
    }

    /// Chooses a model whose provider wants a key. The library reads no environment: the key comes from you.
    #[cfg(feature = "models")]
    pub fn model_key(self, name: &str, key: impl Into<String>) -> Result<Self, WindlassError> {
        self.model_source(ModelSource::new(name)?.key(key))
    }

    /// Chooses a model with everything that can be said about its endpoint.
    #[cfg(feature = "models")]
    pub fn model_source(self, source: ModelSource) -> Result<Self, WindlassError> {
        let connected = Box::new(source.connect()?);
        Ok(self.chosen(AgentModel::Connected(connected)))
    }

    /// Plays a script given as text.
    #[cfg(feature = "scripted")]
    pub fn script(self, text: &str) -> Result<Self, WindlassError> {
        let script = windlass_scripted::Script::parse("inline", text).map_err(|error| {
            WindlassError::Script { path: "inline".to_owned(), reason: error.to_string() }
        })?;
        Ok(self.chosen(AgentModel::Script(Box::new(script))))
    }

    /// Uses a model of your own.
    pub fn model_port(self, model: impl ModelPort + 'static) -> Self {
        self.chosen(AgentModel::Port(Arc::new(model), None))
    }

    #[cfg(feature = "local")]
    pub(crate) fn sized_model(self, model: impl ModelPort + 'static, context_tokens: Option<u64>) -> Self {
        self.chosen(AgentModel::Port(Arc::new(model), context_tokens))
    }

    fn chosen(mut self, model: AgentModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Adds a tool: a `#[tool]` function, a [`tool_fn`](crate::tool_fn), any `ToolPort`, or a
    /// [`HostTool`](crate::dspy::HostTool).
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.additions.pending.push(tool.into_tool());
        self
    }

    /// Adds several tools.
    pub fn tools<T: IntoTool>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.additions.pending.extend(tools.into_iter().map(IntoTool::into_tool));
        self
    }

    /// Adds the built-in tools; the profile chooses among them. Those that search ask the index of this agent, if it has
    /// one, unless the configuration names another.
    #[cfg(feature = "tools")]
    pub fn builtin_tools(mut self, config: &windlass_tools::ToolsConfig) -> Self {
        self.builtin.config = Some(config.clone());
        self
    }

    /// Lends secrets to the built-in tools: `{{secret:NAME}}` in a header of `fetch_url` stands for the one of that name, if it is
    /// lent for the host that the call names. Nothing else of a run ever has its value.
    #[cfg(feature = "tools")]
    pub fn secrets(mut self, secrets: impl windlass_core::ports::SecretsPort + 'static) -> Self {
        self.builtin.secrets = Some(std::sync::Arc::new(secrets));
        self
    }

    /// Chooses the manner of working: limits, tools, dialect, envelope, what is asked.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets the system text.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = text.into();
        self
    }

    /// Sets the project root; the current folder unless given.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// Sets what happens to calls that would need asking: denied unless given.
    pub fn approve(mut self, mode: ApproveMode) -> Self {
        self.approve = mode;
        self
    }

    /// Sets what is asked about once the model has read text from outside: nothing more, unless given. With
    /// [`TaintMode::Ask`] calls that reach out are asked about, whatever allows them; where nobody is asked, they are
    /// denied. Tools whose output nobody else wrote claim that by their spec's `own_output`.
    pub fn taint(mut self, mode: TaintMode) -> Self {
        self.taint = mode;
        self
    }

    /// Asks `asker` about calls that need asking.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// # /// Sends money.
    /// # #[tool(effects = "external", risk = "high")]
    /// # async fn send_money(euros: u32) -> String { format!("{euros} euros are on their way") }
    /// let script = "user Pay.\nmodel call 1 send_money {\"euros\":12}\nmodel end\nmodel text Not paid.\n";
    /// let agent = Windlass::builder()
    ///     .script(script)?
    ///     .tool(send_money)
    ///     .on_permission(|question| async move {
    ///         let is_small = question.arguments == r#"{"euros":5}"#;
    ///         PermissionAnswer::new(if is_small { Decision::Once } else { Decision::Deny })
    ///     })
    ///     .build()?;
    /// assert_eq!(agent.run("Pay.").await?.text, "Not paid.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_permission<F>(mut self, asker: impl Fn(Question) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionAnswer> + Send + 'static,
    {
        self.asker = Some(Arc::new(move |question| Box::pin(asker(question))));
        self.approve = ApproveMode::Ask;
        self
    }

    /// Keeps remembered rules in a file.
    pub fn policies(mut self, path: impl Into<PathBuf>) -> Self {
        self.policies = Some(path.into());
        self
    }

    /// Keeps sessions in a folder, in SQLite: they outlive the program, and [`Windlass::resume_all`] takes up runs that
    /// were in the middle when it stopped. The folder may be one of the binary, whose commands show what is in it.
    #[cfg(feature = "store")]
    pub fn store(mut self, folder: impl AsRef<std::path::Path>) -> Result<Self, WindlassError> {
        self.store = Some((windlass_store::SQLITE.open)(folder.as_ref(), STORE_READERS)?);
        Ok(self)
    }

    /// Keeps sessions in a store of your own; in memory unless given.
    pub fn store_port(mut self, store: impl StorePort + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Tells the time of records; the machine's clock unless given. Limits of time run by that one all the same.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = clock.into();
        self
    }

    /// Sends every run of the agent as OpenTelemetry spans to a collector. A collector that is away holds up nothing;
    /// [`Windlass::close`] sends what is left.
    ///
    /// ```
    /// use windlass::OtelConfig;
    /// use windlass::prelude::*;
    ///
    /// let collector = OtelConfig::new("http://127.0.0.1:4318").service_name("shop").header("x-team", "blue");
    /// let builder = Windlass::builder().telemetry(collector);
    /// ```
    #[cfg(feature = "otel")]
    pub fn telemetry(mut self, config: windlass_otlp::OtelConfig) -> Self {
        self.telemetry = Some(config);
        self
    }

    /// The modules of a folder, asked of the chosen model, with the chosen tools beside the host functions that are
    /// registered later. A module brings its own profile and system text. Of a script, each invocation gets the next
    /// `user` section.
    #[cfg(feature = "modules")]
    pub fn build_modules(
        self,
        folder: impl AsRef<std::path::Path>,
        signatures: windlass_modules::SignatureRegistry,
    ) -> Result<crate::dspy::ModuleEngine, crate::dspy::DSPyEngineError> {
        let index = self.builtin.open_index(&self.root)?;
        let mut additions = self.additions;
        let own = additions.bind_tools()?;
        let model: Arc<dyn ModelPort> = match self.model.ok_or(WindlassError::NoModel)? {
            #[cfg(feature = "scripted")]
            AgentModel::Script(script) => Arc::new(windlass_scripted::ScriptedModel::in_turn(&script)),
            // Calls stand in a field of the answer: the model needs no support for them.
            chosen => chosen.open(self.profile, false)?.model,
        };
        let engine = crate::dspy::ModuleEngine::new(folder, additions.around_model(model), signatures)?;
        let builtin = self.builtin.ports(&index).into_iter().map(|tool| additions.around_tool(tool));
        let tools = builtin.chain(own).collect();
        index.begin()?;
        Ok(engine.with_parts(tools, self.approve, self.root).map_err(WindlassError::from)?)
    }

    /// The agent.
    pub fn build(self) -> Result<Windlass, WindlassError> {
        let chosen = self.model.ok_or(WindlassError::NoModel)?;
        let index = self.builtin.open_index(&self.root)?;
        let builtin = self.builtin.ports(&index);
        let mut additions = self.additions;
        let own = additions.bind_tools()?;
        let OpenedModel { model, profile, context_tokens } =
            chosen.open(self.profile, !(own.is_empty() && builtin.is_empty()))?;
        let model = additions.around_model(model);
        let registry = Registry::new();
        registry.register_own(builtin.into_iter().map(|tool| additions.around_tool(tool)))?;
        for tool in own {
            registry.register(tool)?;
        }
        let is_durable = self.store.is_some();
        let root = match is_durable || self.policies.is_some() {
            // A session that is found again, and a stored rule, must mean the same folder, wherever the program was
            // started.
            true => std::path::absolute(&self.root).unwrap_or(self.root),
            false => self.root,
        };
        let policies = match self.policies {
            Some(path) => PolicyStore::open(path, additions.rule_set().with_taint(self.taint), &root).0,
            None => PolicyStore::in_memory(additions.rule_set().with_taint(self.taint)),
        };
        let agent = AgentHost::open(AgentParts {
            model,
            context_tokens,
            profile: Profile { instruction: self.system, ..profile },
            registry,
            root,
            policies,
            approve: self.approve,
            store: self.store.unwrap_or_else(|| Arc::new(MemoryStore::new())),
            clock: self.clock,
            index,
            #[cfg(feature = "otel")]
            telemetry: self.telemetry,
        })?;
        let host = SessionHost::of_agent(&agent, self.asker, is_durable);
        Ok(Windlass::new(agent, host))
    }
}
