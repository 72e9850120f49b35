//! Tools that come from sources and change while runs go on, in the registry beside the tools that are always there.
//!
//! A sourced tool never takes the name of a tool that was registered before the sources were opened, nor of a source
//! that is listed before its own. What a source is, it knows itself.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_core::ports::{SourceWatch, SourcedTools, ToolPort, ToolSource};

use super::registry::Registry;

/// The sources of a registry, opened.
pub struct ToolSources {
    registered: Arc<SourcedRegistry>,
    warnings: Vec<String>,
    watches: OnceLock<Vec<SourceWatch>>,
}

struct SourcedRegistry {
    /// Of two tools with one name, that of the earlier source counts.
    sources: Vec<Arc<dyn ToolSource>>,
    registry: Registry,
    /// Names that are not for sourced tools.
    taken: BTreeSet<String>,
    state: Mutex<SourcedState>,
}

struct SourcedState {
    /// What each source had last.
    tools: Vec<Vec<Arc<dyn ToolPort>>>,
    registered: BTreeMap<String, Arc<dyn ToolPort>>,
}

impl ToolSources {
    /// Registers what the sources have; what could not be, is among the warnings.
    pub fn open(registry: &Registry, sources: Vec<Arc<dyn ToolSource>>) -> Self {
        let specs = registry.snapshot().toolset.specs();
        let names = specs.iter().flat_map(|spec| std::iter::once(&spec.name).chain(&spec.aliases));
        let taken = names.cloned().collect();
        let (tools, faults): (Vec<_>, Vec<_>) = sources
            .iter()
            .map(|source| source.open())
            .map(|SourcedTools { tools, warnings }| (tools, warnings))
            .unzip();
        let state = Mutex::new(SourcedState { tools, registered: BTreeMap::new() });
        let registered = Arc::new(SourcedRegistry { sources, registry: registry.clone(), taken, state });
        let mut warnings: Vec<String> = faults.into_iter().flatten().collect();
        warnings.extend(registered.register(|_| {}));
        Self { registered, warnings, watches: OnceLock::new() }
    }

    /// What the user should know of tools that were left out.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether a name is that of a tool that was there before the sources, or another name of one.
    pub fn is_taken(&self, name: &str) -> bool {
        self.registered.taken.contains(name)
    }

    /// Takes in changes from now on, until this is dropped.
    pub fn watch(&self) {
        let watch = |(at, source): (usize, &Arc<dyn ToolSource>)| {
            let registered = Arc::clone(&self.registered);
            let started = source.watch(Box::new(move |SourcedTools { tools, warnings }| {
                let left_out = registered.register(|state| {
                    if let Some(last) = state.tools.get_mut(at) {
                        *last = tools;
                    }
                });
                for warning in warnings.into_iter().chain(left_out) {
                    tracing::warn!("{warning}");
                }
            }));
            let what = source.describe();
            started.inspect_err(|error| tracing::warn!(%error, what, "changes are not taken in")).ok()
        };
        drop(self.watches.set(self.registered.sources.iter().enumerate().filter_map(watch).collect()));
    }
}

impl SourcedRegistry {
    /// Makes the registry have what the sources have after a change; what could not be, is told.
    fn register(&self, change: impl FnOnce(&mut SourcedState)) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        let mut warnings = Vec::new();
        let mut wanted: BTreeMap<String, (&str, Arc<dyn ToolPort>)> = BTreeMap::new();
        for (source, tools) in self.sources.iter().zip(&state.tools) {
            let what = source.describe();
            for tool in tools {
                let name = tool.spec().name.clone();
                if self.taken.contains(&name) {
                    warnings.push(format!("{what} {name} is left out: Windlass has a tool of that name"));
                    continue;
                }
                match wanted.entry(name) {
                    Entry::Vacant(place) => {
                        place.insert((what, Arc::clone(tool)));
                    }
                    Entry::Occupied(place) => {
                        let (name, (other, _)) = (place.key(), place.get());
                        warnings.push(format!("{what} {name} is left out: {other} has that name"));
                    }
                }
            }
        }
        let SourcedState { registered, .. } = &mut *state;
        // What goes, goes first: its names may be taken by what comes in the same change.
        registered.retain(|name, _| {
            let stays = wanted.contains_key(name);
            if !stays {
                self.registry.remove(name);
            }
            stays
        });
        for (name, (what, tool)) in wanted {
            // Registering the same tool again would only compile its schema again.
            if registered.get(&name).is_some_and(|own| Arc::ptr_eq(own, &tool)) {
                continue;
            }
            match self.registry.register(Arc::clone(&tool)) {
                Ok(_) => drop(registered.insert(name, tool)),
                Err(error) => warnings.push(format!("{what} {name} is left out: {error}")),
            }
        }
        warnings
    }
}
