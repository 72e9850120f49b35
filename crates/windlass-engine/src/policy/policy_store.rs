//! The rules of all sessions: what is stored in the policy file, and what holds for this process alone.
//!
//! Reading is a cheap clone of a shared set, made anew when the file has changed: a rule that another process
//! stores holds here for the next call. Storing goes to disk first and takes effect everywhere at once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use windlass_core::permission::{PolicyFailure, PolicyPort, PolicySet, Rule, RuleEffect};

use crate::policy_file::{FileStamp, PolicyFile, PolicyFileError};

/// Rules of a file, or of the process alone.
pub struct PolicyStore {
    file: Option<PolicyFile<PolicySet>>,
    /// Rules of other roots do not hold here; without a root all do.
    root: Option<String>,
    rules: RwLock<HeldRules>,
}

struct HeldRules {
    /// What the file says.
    stored: PolicySet,
    /// Rules of flags and of the project, and what is done about text from outside: never stored.
    extra: PolicySet,
    /// Both together, as sessions see them.
    all: Arc<PolicySet>,
    /// Whether the file could not be read.
    is_lost: bool,
    /// The file that they were read from.
    stamp: Option<FileStamp>,
}

impl HeldRules {
    fn new(stored: PolicySet, extra: PolicySet, root: Option<&str>) -> Self {
        let held = root.map_or_else(|| stored.clone(), |root| stored.held_in(root));
        let mut all = held.with_taint(extra.taint());
        all.extend(extra.rules().iter().cloned());
        Self { stored, extra, all: Arc::new(all), is_lost: false, stamp: None }
    }

    fn in_memory(rules: PolicySet) -> Self {
        let extra = PolicySet::new().with_taint(rules.taint());
        Self::new(rules, extra, None)
    }
}

impl PolicyStore {
    /// Rules that live and die with the process.
    pub fn in_memory(rules: PolicySet) -> Arc<dyn PolicyPort> {
        Arc::new(Self { file: None, root: None, rules: RwLock::new(HeldRules::in_memory(rules)) })
    }

    /// Rules of a file, as they hold in a root. A file that cannot be understood is kept, nothing of it holds, every call is asked
    /// about, and the warning says so.
    pub fn open(
        path: impl Into<PathBuf>,
        extra: PolicySet,
        root: &Path,
    ) -> (Arc<dyn PolicyPort>, Option<String>) {
        let root = Some(root.display().to_string());
        let file = PolicyFile::new(
            path,
            |text| PolicySet::from_json(text).map_err(|error| error.to_string()),
            PolicySet::to_json,
        );
        let (rules, warning) = read(&file, extra, Vec::new(), root.as_deref());
        (Arc::new(Self { file: Some(file), root, rules: RwLock::new(rules) }), warning)
    }

    /// The rules, read again if their file has changed.
    fn renewed(&self) -> RwLockReadGuard<'_, HeldRules> {
        let known = self.rules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = self.file.as_ref().filter(|file| file.stamp() != known.stamp) else {
            return known;
        };
        // Let go of first: waiting for the other lock with this one in hand would never end.
        drop(known);
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let denying = rules.stored.rules().iter().filter(|rule| rule.effect == RuleEffect::Deny);
        let (denying, extra) = (denying.cloned().collect(), std::mem::take(&mut rules.extra));
        let (fresh, warning) = read(file, extra, denying, self.root.as_deref());
        if let Some(warning) = warning {
            tracing::warn!("{warning}");
        }
        *rules = fresh;
        drop(rules);
        self.rules.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut PolicySet) -> T) -> Result<T, PolicyFileError> {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = None;
        let stored = match &self.file {
            Some(file) => file.update(|stored| changed = Some(change(stored)))?,
            None => {
                let mut stored = rules.stored.clone();
                changed = Some(change(&mut stored));
                stored
            }
        };
        let extra = std::mem::take(&mut rules.extra);
        // Without a stamp it is read once more: another process may have written in between.
        *rules = HeldRules::new(stored, extra, self.root.as_deref());
        // `update` runs its closure exactly once before it returns without an error.
        changed.ok_or(PolicyFileError::Unchanged)
    }
}

impl PolicyPort for PolicyStore {
    fn rules(&self) -> Arc<PolicySet> {
        Arc::clone(&self.renewed().all)
    }

    fn is_lost(&self) -> bool {
        self.renewed().is_lost
    }

    fn stored(&self) -> PolicySet {
        self.renewed().stored.clone()
    }

    fn add(&self, rule: Rule) -> Result<String, PolicyFailure> {
        self.change(|rules| rules.add(rule)).map_err(|error| PolicyFailure(error.to_string()))
    }

    fn remove(&self, id: &str) -> Result<Option<Rule>, PolicyFailure> {
        self.change(|rules| rules.remove(id)).map_err(|error| PolicyFailure(error.to_string()))
    }
}

/// Reads the rules of a file. What cannot be understood is asked about, and what was known to be denied stays so.
fn read(
    file: &PolicyFile<PolicySet>,
    extra: PolicySet,
    denying: Vec<Rule>,
    root: Option<&str>,
) -> (HeldRules, Option<String>) {
    // Looked at before it is read: a change in between is seen the next time.
    let stamp = file.stamp();
    let loaded = file.load();
    let is_lost = loaded.warning.is_some();
    let mut stored = if is_lost { PolicySet::ask_always() } else { loaded.rules };
    for rule in denying.into_iter().filter(|_| is_lost) {
        stored.add(rule);
    }
    (HeldRules { is_lost, stamp, ..HeldRules::new(stored, extra, root) }, loaded.warning)
}
