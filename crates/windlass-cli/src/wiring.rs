//! Settings become parts: tools, rules, sessions.

use std::sync::Arc;

use windlass_core::calls::toolset::Toolset;
use windlass_core::permission::{
    ApproveMode, ConfinedBy, Confinement, PolicyPort, PolicySet, Rule, RuleEffect, RuleSource, ToolPattern,
};
use windlass_core::ports::host::HostError;
use windlass_core::ports::search::SharedSearch;
use windlass_core::ports::store::StorePort;
use windlass_core::profile::ProfileName;
use windlass_engine::audit_file::AuditFile;
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort};
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::sources::ToolSources;
use windlass_search::ProjectIndex;
use windlass_tools::{
    AllowedHost, Environment, FetchConfig, GRANTED_HOSTS_MAX, GrantedHost, ImageConfig, SandboxConfig,
    Secret, ToolsConfig, WebSearchConfig, builtin,
};

use crate::args::{GlobalArgs, PermissionArgs};
use crate::complaint::{CommandError, MissingKey, Result};
use crate::config::{CliConfig, Flags, MECHANISM_WORDS, ProcessEnvironment};
use crate::project::index;
use crate::project::modules::ProjectModules;
use crate::project::scripts;
use crate::providers::user_secrets::UserSecrets;
use crate::terminal::ask::can_ask;
use crate::terminal::nearest::nearest;
use crate::terminal::out::warn;

/// The configuration and what is made of it.
pub(crate) struct Wiring {
    pub(crate) config: CliConfig,
    pub(crate) registry: Registry,
    /// The index of the project, unless it is switched off.
    pub(crate) search: Option<Arc<ProjectIndex>>,
    /// The modules of the project and of the user.
    pub(crate) modules: Arc<ProjectModules>,
    /// The Rhai tools of both.
    pub(crate) sources: ToolSources,
    pub(crate) policies: Arc<dyn PolicyPort>,
    /// Whether somebody can be asked.
    pub(crate) can_ask: bool,
}

impl Wiring {
    /// Reads the configuration and makes the parts; warnings are told.
    pub(crate) fn build(flags: Flags, permission: &PermissionArgs) -> Result<Self> {
        Self::build_for(flags, permission, can_ask())
    }

    /// The same where it is known whether somebody can be asked.
    pub(crate) fn build_for(mut flags: Flags, permission: &PermissionArgs, can_ask: bool) -> Result<Self> {
        flags.approve = permission.approve.map(crate::args::ApproveArg::word);
        flags.taint = permission.taint.map(crate::args::TaintArg::word);
        let mut config = CliConfig::resolve(&ProcessEnvironment::of_process(can_ask)?, &flags)?;
        let search = index::of_project(&config);
        let environment = command_environment(&config);
        config.warnings.extend(
            environment.left_out().iter().map(|name| {
                format!("commands do not get the variable {name}: its value looks like a secret")
            }),
        );
        let registry = register(&config, environment, search.clone())?;
        let modules = ProjectModules::of(&config, &registry);
        let sources = ToolSources::open(&registry, scripts::sources(&config));
        config.warnings.extend(sources.warnings().iter().cloned());
        let rules = rules_of_this_time(&config, permission)?;
        let snapshot = registry.snapshot();
        config.warnings.extend(rules.iter().filter_map(|rule| doubt(rule, &snapshot.toolset)));
        let timed = config.profile.tool_timeouts_ms.keys();
        config.warnings.extend(timed.filter_map(|name| unknown(name, "tool_timeouts", &snapshot.toolset)));
        config.warnings.extend(config.folders.settle_policies());
        config.warnings.extend(offered_rules(&config));
        let rules = PolicySet::from_iter(rules).with_taint(config.taint());
        let (policies, warning) = PolicyStore::open(&config.folders.policies_file, rules, &config.root);
        if warning.is_some() && config.approve == ApproveMode::All {
            // Rules that forbid may be lost with the file: nothing may run on their absence.
            config.approve = if can_ask { ApproveMode::Ask } else { ApproveMode::Never };
            config.warnings.push("--approve all is ignored while the policy file cannot be read".to_owned());
        }
        config.warnings.extend(warning);
        if !flags.global.quiet {
            config.warnings.iter().for_each(|warning| warn(warning));
        }
        Ok(Self { config, registry, search, modules, sources, policies, can_ask })
    }

    /// The same for a command without rules of its own.
    pub(crate) fn plain(global: &GlobalArgs) -> Result<Self> {
        Self::build(Flags { global: global.clone(), ..Flags::default() }, &PermissionArgs::default())
    }

    /// Takes in files that change from now on: of the index, of modules and of Rhai tools. Needs a tokio runtime.
    pub(crate) fn begin(&self) {
        self.search.as_ref().inspect(|search| search.begin());
        self.modules.begin();
        self.sources.watch();
    }

    /// A host over a store, with these models.
    pub(crate) fn host(&self, store: Arc<dyn StorePort>, models: Arc<dyn ModelsPort>) -> Arc<Host> {
        let config = &self.config;
        let profiles = config.clone();
        let parts = HostParts {
            store,
            models,
            profiles: Arc::new(move |word| match word {
                None => Ok(profiles.profile.clone()),
                Some(word) => profiles.profile_named(word).map_err(|complaint| wrong("profile", &complaint)),
            }),
            registry: self.registry.clone(),
            search: self.search.clone().map(|search| search as SharedSearch),
            root: config.root.clone(),
            policies: self.policies.clone(),
            approve: config.approve,
            audit: Some(Arc::new(AuditFile::new(config.folders.audit_file()))),
            sampling: config.sampling(),
            clock: Clock::system(),
            limits: HostLimits::default(),
        };
        Host::new_guarded(parts, config.secrets.redactor())
    }
}

/// Who comes from ZodoLlama and has no rules here yet is told where they are.
fn offered_rules(config: &CliConfig) -> Option<String> {
    let is_new = config.profile.name == ProfileName::Zodo && !config.folders.policies_file.exists();
    let file = config.folders.zodo_policies().filter(|_| is_new)?;
    Some(format!(
        "ZodoLlama's rules in {} are not used yet; windlass policy import imports them",
        file.display()
    ))
}

/// A complaint about a field of a request. Flags and commands that would help here mean nothing to whoever sent it.
pub(crate) fn wrong(field: &'static str, complaint: &CommandError) -> HostError {
    if let Some(MissingKey { model, variables }) = complaint.missing_key().cloned() {
        return HostError::Unkeyed { model, variables };
    }
    HostError::Invalid { field: Some(field), message: complaint.what().to_owned() }
}

/// The variables of this process that commands of tools get.
fn command_environment(config: &CliConfig) -> Environment {
    let named = config.settings.items("tools.command.env");
    Environment::allowed(std::env::vars_os(), named, &config.secrets.redactor())
}

fn register(
    config: &CliConfig,
    environment: Environment,
    search: Option<Arc<ProjectIndex>>,
) -> Result<Registry> {
    let registry = Registry::new();
    let tools = builtin(&tools_config(config, environment, search)?);
    #[cfg(feature = "crash-points")]
    let tools = crate::crash_points::mortal_tools(tools);
    registry
        .register_own(tools)
        .map_err(|error| CommandError::failed(format!("the built-in tools do not fit together: {error}")))?;
    Ok(registry)
}

fn tools_config(
    config: &CliConfig,
    environment: Environment,
    search: Option<Arc<ProjectIndex>>,
) -> Result<ToolsConfig> {
    let settings = &config.settings;
    let secret = |name: &str| settings.text(name).map(Secret::new);
    let allow_hosts: Vec<AllowedHost> = settings
        .items("fetch.allow_hosts")
        .iter()
        .map(|host| host.parse().map_err(|error| config.wrong("fetch.allow_hosts", &error)))
        .collect::<Result<_>>()?;
    let image = match (settings.text("image.base_url"), settings.text("image.model")) {
        (Some(base_url), Some(model)) => Some(ImageConfig {
            base_url: base_url.to_owned(),
            api_key: secret("image.api_key"),
            model: model.to_owned(),
        }),
        (Some(_), None) => return Err(config.wrong("image.base_url", &"'image.model' is needed as well")),
        (None, _) => None,
    };
    Ok(ToolsConfig {
        web_search: WebSearchConfig { backend: config.search_backend() },
        fetch: FetchConfig { allow_hosts, stay_on_host: settings.is_on("fetch.stay_on_host"), lookup: None },
        image,
        search: search.map(|search| search as SharedSearch),
        undo_dir: Some(config.folders.data.join("undo")),
        secrets: Some(Arc::new(UserSecrets::of(config))),
        environment,
        sandbox: Some(sandbox_config(config)?),
    })
}

/// What commands are held to, and with what.
pub(crate) fn sandbox_config(config: &CliConfig) -> Result<SandboxConfig> {
    let settings = &config.settings;
    let confinement = match settings.text("sandbox.mode") {
        Some("off") => Confinement::Full,
        Some("read_only") => Confinement::ReadOnly,
        Some(_) | None => Confinement::WorkspaceWrite,
    };
    let without = settings.items("sandbox.without").iter();
    let without = without.map(|word| mechanism(word).ok_or_else(|| unknown_mechanism(config, word)));
    let folders = &config.folders;
    let at_home = |text: &String| match text.strip_prefix("~/") {
        Some(rest) => folders.home.join(rest),
        None => config.root.join(text),
    };
    Ok(SandboxConfig {
        confinement,
        auto_allow: settings.is_on("sandbox.auto_allow"),
        write: settings.items("sandbox.write").iter().map(at_home).collect(),
        home: Some(folders.home.clone()),
        hosts: granted_hosts(config)?,
        hidden: vec![folders.data.clone(), folders.config_file.clone(), folders.policies_file.clone()],
        helper: std::env::current_exe().ok(),
        search: std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default(),
        scratch: folders.data.join("sandbox"),
        without: without.collect::<Result<_>>()?,
    })
}

/// The hosts that commands may reach in the sandbox.
fn granted_hosts(config: &CliConfig) -> Result<Vec<GrantedHost>> {
    let hosts = config.settings.items("sandbox.hosts");
    if hosts.len() > GRANTED_HOSTS_MAX {
        let what = format!("these are {} hosts, and a list has at most {GRANTED_HOSTS_MAX}", hosts.len());
        return Err(config.wrong("sandbox.hosts", &what));
    }
    hosts.iter().map(|host| host.parse().map_err(|error| config.wrong("sandbox.hosts", &error))).collect()
}

/// The mechanism of a word.
pub(crate) fn mechanism(word: &str) -> Option<ConfinedBy> {
    let known = [ConfinedBy::Bubblewrap, ConfinedBy::Landlock, ConfinedBy::Seatbelt];
    known.into_iter().find(|by| by.word() == word)
}

fn unknown_mechanism(config: &CliConfig, word: &str) -> CommandError {
    let what = format!("there is no mechanism '{word}'; use {}", MECHANISM_WORDS.join(", "));
    config.wrong("sandbox.without", &what)
}

/// Rules of flags, of the script and of the project: they hold for this time and are never stored.
fn rules_of_this_time(config: &CliConfig, permission: &PermissionArgs) -> Result<Vec<Rule>> {
    let mut rules = Vec::new();
    let mut take = |effect: RuleEffect, texts: &[String], source: RuleSource, place: &str| -> Result<()> {
        for text in texts {
            let rule = Rule::parse(effect, text, source)
                .map_err(|error| CommandError::usage(error.to_string()).at(format!("{place}: '{text}'")))?;
            let id = format!("{}-{}", source.word(), rules.len() + 1);
            rules.push(Rule { id, ..rule });
        }
        Ok(())
    };
    take(RuleEffect::Allow, &permission.allow, RuleSource::Flag, "--allow")?;
    take(RuleEffect::Deny, &permission.deny, RuleSource::Flag, "--deny")?;
    if let Some(script) = &config.script {
        take(
            RuleEffect::Allow,
            &script.header.allow,
            RuleSource::Flag,
            &format!("allow in {}", script.name),
        )?;
        take(RuleEffect::Deny, &script.header.deny, RuleSource::Flag, &format!("deny in {}", script.name))?;
    }
    for (name, effect) in [("permissions.deny", RuleEffect::Deny), ("permissions.ask", RuleEffect::Ask)] {
        let place = config.place(name);
        take(effect, config.settings.items(name), RuleSource::Project, &place)?;
    }
    Ok(rules)
}

/// Why a rule probably does not mean what was meant.
pub(crate) fn doubt(rule: &Rule, toolset: &Toolset) -> Option<String> {
    if let Some(path) = rule.pattern.path_of_host() {
        return Some(format!(
            "rule '{rule}': {path} is no host, so the rule matches nothing; name the host alone, which covers every path of it"
        ));
    }
    let ToolPattern::Named(name) = &rule.pattern.tool else { return None };
    match toolset.find(name) {
        Some(entry) if entry.spec.name == *name => None,
        Some(entry) => Some(format!(
            "rule '{rule}': {name} is another name of {}; write {} in rules",
            entry.spec.name, entry.spec.name
        )),
        None => unknown(name, &format!("rule '{rule}'"), toolset),
    }
}

/// That a tool is not there, if it is not.
fn unknown(name: &str, place: &str, toolset: &Toolset) -> Option<String> {
    if toolset.find(name).is_some_and(|entry| entry.spec.name == name) {
        return None;
    }
    let meant = nearest(name, toolset.names());
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
    Some(format!("{place}: there is no tool {name}{meant}"))
}
