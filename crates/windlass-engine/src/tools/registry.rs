//! The tools that sessions share: registered, replaced and removed while runs go on.
//!
//! Readers take a [`ToolShelf`], an immutable set that one step works with from beginning to end;
//! writers put a new shelf in its place. The lock is held only to swap a pointer, never while a tool
//! runs, so a tool may register a tool.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use serde_json::Value;
use tokio::sync::Notify;
use windlass_core::calls::toolset::{NameClash, ToolEntry, Toolset};
use windlass_core::ports::{ArgsValidator, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::tool::{SpecError, ToolSpec};

use crate::limits::TOOLS_MAX;
use crate::validate::{LateValidator, SchemaError, compile};

/// The tools of one moment: what the core needs to check calls, and what the engine needs to run them.
pub struct ToolShelf {
    /// Specs and validators, sorted by name.
    pub toolset: Arc<Toolset>,
    ports: BTreeMap<String, Arc<dyn ToolPort>>,
    /// What profiles offer of it, by the names that they list: made once, so that a step finds the same set again.
    offered: Mutex<BTreeMap<Vec<String>, Arc<ToolShelf>>>,
}

impl ToolShelf {
    fn new(toolset: Toolset, ports: BTreeMap<String, Arc<dyn ToolPort>>) -> Self {
        Self { toolset: Arc::new(toolset), ports, offered: Mutex::default() }
    }

    /// The tools that a profile offers.
    fn of_profile(self: Arc<Self>, profile: &Profile) -> Arc<Self> {
        let Some(listed) = &profile.tools else { return self };
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = offered.get(listed) {
            return Arc::clone(known);
        }
        let shelf = Arc::new(Self::new(self.toolset.of_profile(profile), self.ports.clone()));
        offered.insert(listed.clone(), Arc::clone(&shelf));
        shelf
    }

    /// The tool of that name or alias.
    pub fn port(&self, name: &str) -> Option<Arc<dyn ToolPort>> {
        let entry = self.toolset.find(name)?;
        self.ports.get(&entry.spec.name).cloned()
    }
}

impl std::fmt::Debug for ToolShelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.toolset.fmt(f)
    }
}

/// Whether a registration took the place of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// A tool of that name was there before; steps that began with it end with it.
    Yes,
    /// The name is new.
    No,
}

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The spec breaks a rule.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The schema cannot be compiled.
    #[error("tool '{tool}': {error}")]
    Schema {
        tool: String,
        /// What is wrong with it.
        error: SchemaError,
    },
    /// A default is not of its argument's type, so every call that relies on it would be refused.
    #[error("tool '{tool}': the default of argument '{arg}' is not of the argument's type")]
    Default { tool: String, arg: String },
    /// Another tool has one of the names.
    #[error(transparent)]
    Clash(#[from] NameClash),
    /// There are too many tools.
    #[error("there are already {TOOLS_MAX} tools; remove some first")]
    Full,
}

/// The tools that sessions share; clones are the same registry.
#[derive(Clone, Default)]
pub struct Registry {
    inner: Arc<RegistryState>,
}

struct RegistryState {
    shelf: RwLock<Arc<ToolShelf>>,
    /// Taken by writers for the whole change, so that two changes do not lose each other.
    change: Mutex<()>,
    /// Tells those who wait for a tool that the shelf is another.
    changed: Notify,
}

impl Default for RegistryState {
    fn default() -> Self {
        let shelf = ToolShelf::new(Toolset::empty(), BTreeMap::new());
        Self { shelf: RwLock::new(Arc::new(shelf)), change: Mutex::new(()), changed: Notify::new() }
    }
}

impl Registry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts in a tool; one of the same name is replaced (D-7).
    pub fn register(&self, tool: Arc<dyn ToolPort>) -> Result<Replaced, RegisterError> {
        let name = tool.spec().name.clone();
        let had_it = self.register_all([tool])?;
        Ok(if had_it.contains(&name) { Replaced::Yes } else { Replaced::No })
    }

    /// Puts in many tools at once, all or none; gives the names of those that were replaced.
    pub fn register_all(
        &self,
        tools: impl IntoIterator<Item = Arc<dyn ToolPort>>,
    ) -> Result<Vec<String>, RegisterError> {
        // Compiling is slow and needs no lock.
        let mut prepared = Vec::new();
        for tool in tools {
            prepared.push((prepare(&*tool, |schema| compile(schema).map(into_shared))?, tool));
        }
        self.put_in(&prepared, |_| true)
    }

    /// The same for tools that take nobody's place: no name of theirs may be that of another tool.
    pub(crate) fn register_new(
        &self,
        tools: impl IntoIterator<Item = Arc<dyn ToolPort>>,
    ) -> Result<(), RegisterError> {
        let mut prepared = Vec::new();
        for tool in tools {
            prepared.push((prepare(&*tool, |schema| compile(schema).map(into_shared))?, tool));
        }
        self.put_in(&prepared, |_| false).map(drop)
    }

    /// The same for tools of Windlass itself, among which profiles choose. Tests compile their schemas: here each is
    /// compiled when it is first called, since most runs call few, and compiling all of them is a quarter of a start.
    pub fn register_own(
        &self,
        tools: impl IntoIterator<Item = Arc<dyn ToolPort>>,
    ) -> Result<Vec<String>, RegisterError> {
        let mut prepared = Vec::new();
        for tool in tools {
            let mut entry = prepare(&*tool, |schema| Ok(into_shared(LateValidator::new(schema))))?;
            entry.is_builtin = true;
            prepared.push((entry, tool));
        }
        self.put_in(&prepared, |_| true)
    }

    fn put_in(
        &self,
        prepared: &[(ToolEntry, Arc<dyn ToolPort>)],
        may_replace: impl Fn(&ToolSpec) -> bool,
    ) -> Result<Vec<String>, RegisterError> {
        let _change = self.begin_change();
        let now = self.snapshot();
        let mut entries: BTreeMap<&str, &ToolEntry> =
            now.toolset.entries().iter().map(|entry| (entry.spec.name.as_str(), entry)).collect();
        let mut ports = now.ports.clone();
        let mut replaced = Vec::new();
        for (entry, port) in prepared {
            let name = &entry.spec.name;
            if let Some(holder) = entries.insert(name, entry) {
                if !may_replace(&holder.spec) {
                    let (name, tool) = (name.clone(), name.clone());
                    return Err(NameClash { name, holder: tool.clone(), tool }.into());
                }
                replaced.push(name.clone());
            }
            ports.insert(name.clone(), Arc::clone(port));
        }
        if entries.len() > TOOLS_MAX {
            return Err(RegisterError::Full);
        }
        let toolset = Toolset::new(entries.into_values().cloned().collect())?;
        self.put(ToolShelf::new(toolset, ports));
        Ok(replaced)
    }

    /// A registry of its own with tools of others: those that pass, each behind what `wrap` puts before it. Of one
    /// name, the later source has it. Nothing is compiled again.
    pub fn select<'a>(
        sources: impl IntoIterator<Item = &'a Registry>,
        keep: impl Fn(&ToolSpec) -> bool,
        wrap: impl Fn(Arc<dyn ToolPort>) -> Arc<dyn ToolPort>,
    ) -> Result<Self, RegisterError> {
        let mut entries: BTreeMap<String, ToolEntry> = BTreeMap::new();
        let mut ports = BTreeMap::new();
        for source in sources {
            let shelf = source.snapshot();
            for entry in shelf.toolset.entries().iter().filter(|entry| keep(&entry.spec)) {
                let name = &entry.spec.name;
                if let Some(port) = shelf.ports.get(name) {
                    entries.insert(name.clone(), entry.clone());
                    ports.insert(name.clone(), wrap(Arc::clone(port)));
                }
            }
        }
        if entries.len() > TOOLS_MAX {
            return Err(RegisterError::Full);
        }
        let toolset = Toolset::new(entries.into_values().collect())?;
        let registry = Self::new();
        registry.put(ToolShelf::new(toolset, ports));
        Ok(registry)
    }

    /// Takes out a tool by its canonical name; whether it was there.
    pub fn remove(&self, name: &str) -> bool {
        let _change = self.begin_change();
        let now = self.snapshot();
        if !now.ports.contains_key(name) {
            return false;
        }
        let mut ports = now.ports.clone();
        ports.remove(name);
        let toolset = now.toolset.filter(|spec| spec.name != name);
        self.put(ToolShelf::new(toolset, ports));
        true
    }

    /// Takes out these tools, where no other has taken their place.
    pub(crate) fn take_out(&self, tools: &[Arc<dyn ToolPort>]) {
        let _change = self.begin_change();
        let now = self.snapshot();
        let is_out = |name: &str| {
            let own = tools.iter().find(|tool| tool.spec().name == name);
            own.zip(now.ports.get(name)).is_some_and(|(own, held)| Arc::ptr_eq(own, held))
        };
        let mut ports = now.ports.clone();
        ports.retain(|name, _| !is_out(name));
        self.put(ToolShelf::new(now.toolset.filter(|spec| !is_out(&spec.name)), ports));
    }

    /// The tool of that name, once there is one that passes.
    pub(crate) async fn wait_for(&self, name: &str, passes: impl Fn(&ToolSpec) -> bool) -> Arc<dyn ToolPort> {
        loop {
            // Made before the look: a change in between is heard.
            let changed = self.inner.changed.notified();
            if let Some(port) = self.get(name).filter(|port| passes(port.spec())) {
                return port;
            }
            changed.await;
        }
    }

    /// The tool of that name or alias (D-8).
    pub fn get(&self, name: &str) -> Option<Arc<dyn ToolPort>> {
        self.snapshot().port(name)
    }

    /// The tools of this moment; later changes do not touch it.
    pub fn snapshot(&self) -> Arc<ToolShelf> {
        Arc::clone(&self.inner.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools of this moment that a profile offers.
    pub fn snapshot_of(&self, profile: &Profile) -> Arc<ToolShelf> {
        self.snapshot().of_profile(profile)
    }

    fn begin_change(&self) -> MutexGuard<'_, ()> {
        self.inner.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, shelf: ToolShelf) {
        let mut place = self.inner.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, Arc::new(shelf));
        drop(place);
        self.inner.changed.notify_waiters();
        // The last reference to a tool may run its destructor: not under the lock.
        drop(before);
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.snapshot().fmt(f)
    }
}

/// Checks a tool's declaration and makes the validator of its schema.
fn prepare(
    tool: &dyn ToolPort,
    validator_of: impl FnOnce(&Value) -> Result<Arc<dyn ArgsValidator>, SchemaError>,
) -> Result<ToolEntry, RegisterError> {
    let spec = tool.spec();
    spec.check()?;
    let validator = validator_of(&spec.schema)
        .map_err(|error| RegisterError::Schema { tool: spec.name.clone(), error })?;
    let entry = ToolEntry::new(Arc::new(spec.clone()), validator);
    match entry.wrong_default() {
        Some(arg) => Err(RegisterError::Default { tool: spec.name.clone(), arg: arg.to_owned() }),
        None => Ok(entry),
    }
}

fn into_shared(validator: impl ArgsValidator + 'static) -> Arc<dyn ArgsValidator> {
    Arc::new(validator)
}
