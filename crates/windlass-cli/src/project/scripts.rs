//! Rhai tools of the project and of the user, in the registry beside the tools of this program.
//!
//! A script never takes the name of another tool: neither a project's that of the user's, nor any that of a built-in one.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_core::ports::ToolPort;
use windlass_engine::registry::Registry;
use windlass_modules::script::{ScriptGrants, ScriptLibrary, ScriptLimits, ScriptReport, ScriptWatch};

use crate::config::{CliConfig, project_tools};

/// The Rhai tools of a configuration.
pub(crate) struct ScriptTools {
    scripts: Arc<RegisteredScripts>,
    warnings: Vec<String>,
    watches: OnceLock<Vec<ScriptWatch>>,
}

/// The libraries, and which of their tools are registered.
struct RegisteredScripts {
    /// The user's first: of two scripts with one name, the user's counts.
    libraries: Vec<ScriptLibrary>,
    registry: Registry,
    /// Names that are not for scripts.
    taken: BTreeSet<String>,
    registered: Mutex<BTreeMap<String, Arc<dyn ToolPort>>>,
}

impl ScriptTools {
    /// Reads the scripts of a configuration and registers them.
    pub(crate) fn open(config: &CliConfig, registry: &Registry) -> Self {
        let project = match config.settings.text("scripts.folder") {
            Some(folder) => config.root.join(folder),
            None => project_tools(&config.root),
        };
        let folders = vec![config.folders.tools(), project];
        let grants = ScriptGrants { http_hosts: config.settings.items("scripts.http").to_vec() };
        Self::of(folders, &grants, registry)
    }

    fn of(folders: Vec<PathBuf>, grants: &ScriptGrants, registry: &Registry) -> Self {
        let toolset = Arc::clone(&registry.snapshot().toolset);
        let aliases = |spec: &windlass_core::protocol::tool::ToolSpec| {
            std::iter::once(spec.name.clone()).chain(spec.aliases.clone()).collect::<Vec<_>>()
        };
        let taken = toolset.specs().iter().flat_map(|spec| aliases(spec)).collect();
        let mut warnings = Vec::new();
        let mut libraries = Vec::new();
        for folder in folders {
            let (library, report) = ScriptLibrary::open(folder, ScriptLimits::default(), grants.clone());
            warnings.extend(faults(&report));
            libraries.push(library);
        }
        let scripts = Arc::new(RegisteredScripts {
            libraries,
            registry: registry.clone(),
            taken,
            registered: Mutex::default(),
        });
        warnings.extend(scripts.register());
        Self { scripts, warnings, watches: OnceLock::new() }
    }

    /// What the user should know of scripts that are no tools.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Whether a name is that of a tool of this program, or of one of its other names.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.scripts.taken.contains(name)
    }

    /// Takes in changed scripts from now on.
    pub(crate) fn begin(&self) {
        let watch = |library: &ScriptLibrary| {
            let scripts = Arc::clone(&self.scripts);
            let started = ScriptWatch::start(library, move |report| {
                for warning in faults(report).into_iter().chain(scripts.register()) {
                    tracing::warn!("{warning}");
                }
            });
            started.inspect_err(|error| tracing::warn!(%error, "changed scripts are not taken in")).ok()
        };
        drop(self.watches.set(self.scripts.libraries.iter().filter_map(watch).collect()));
    }
}

fn faults(report: &ScriptReport) -> Vec<String> {
    report.failed.iter().map(|error| format!("a Rhai tool is left out: {error}")).collect()
}

impl RegisteredScripts {
    /// Makes the registry have what the libraries have now; what could not be, is told.
    fn register(&self) -> Vec<String> {
        let mut registered = self.registered.lock().unwrap_or_else(PoisonError::into_inner);
        let mut warnings = Vec::new();
        let mut wanted: BTreeMap<String, Arc<dyn ToolPort>> = BTreeMap::new();
        for tool in self.libraries.iter().flat_map(ScriptLibrary::tools) {
            let name = tool.spec().name.clone();
            if self.taken.contains(&name) {
                warnings.push(format!("the Rhai tool {name} is left out: that is a tool of windlass itself"));
                continue;
            }
            match wanted.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(tool);
                }
                Entry::Occupied(place) => warnings.push(format!(
                    "the project's Rhai tool {} is left out: you have one of that name",
                    place.key()
                )),
            }
        }
        let gone: Vec<String> =
            registered.keys().filter(|name| !wanted.contains_key(*name)).cloned().collect();
        for name in gone {
            self.registry.remove(&name);
            registered.remove(&name);
        }
        for (name, tool) in wanted {
            if registered.get(&name).is_some_and(|own| Arc::ptr_eq(own, &tool)) {
                continue;
            }
            match self.registry.register(Arc::clone(&tool)) {
                Ok(_) => {
                    registered.insert(name, tool);
                }
                Err(error) => warnings.push(format!("a Rhai tool is left out: {error}")),
            }
        }
        warnings
    }
}
