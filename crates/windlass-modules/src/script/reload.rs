//! Changed scripts, taken in while tools are used: a thread that waits until files are quiet and has the library read them
//! again. A folder that is not there yet is looked for now and then.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::library::{ScriptLibrary, ScriptReport};
use crate::error::ModuleError;

/// How long files must be quiet.
const QUIET_MS: u64 = 100;

/// How long a change waits at most while others keep coming.
const UNQUIET_MS: u64 = 1_000;

/// How often a folder that is not there is looked for: somebody who has just made it waits no longer.
const ABSENT_MS: u64 = 1_000;

/// Watches the folder of a library until it is dropped.
#[derive(Debug)]
pub struct ScriptWatch {
    told: Sender<ReloadOrder>,
}

/// What the thread is told.
enum ReloadOrder {
    Changed,
    Stop,
}

impl ScriptWatch {
    /// Watches the folder of a library; `on_reload` hears of every reload that changed a tool or found a file wrong.
    pub fn start(
        library: &ScriptLibrary,
        on_reload: impl Fn(&ScriptReport) + Send + 'static,
    ) -> Result<Self, ModuleError> {
        if library.folder().is_none() {
            return Err(ModuleError::Config("the scripts have no folder that could be watched".to_owned()));
        }
        let (told, inbox) = channel();
        let (library, happened) = (library.clone(), told.clone());
        let work = move || run(&library, &inbox, &happened, &on_reload);
        let started = thread::Builder::new().name("script-watch".to_owned()).spawn(work);
        started.map_err(|error| ModuleError::Watcher(format!("scripts cannot be watched: {error}")))?;
        Ok(Self { told })
    }
}

impl Drop for ScriptWatch {
    fn drop(&mut self) {
        // The thread may be gone already.
        let _ = self.told.send(ReloadOrder::Stop);
    }
}

fn run(
    library: &ScriptLibrary,
    inbox: &Receiver<ReloadOrder>,
    happened: &Sender<ReloadOrder>,
    on_reload: &dyn Fn(&ScriptReport),
) {
    let Some(folder) = library.folder() else { return };
    let mut watcher = None;
    loop {
        if watcher.is_none() {
            watcher = watch(folder, happened);
            if watcher.is_some() {
                reload(library, on_reload);
            }
        }
        let next = match watcher {
            Some(_) => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            None => inbox.recv_timeout(Duration::from_millis(ABSENT_MS)),
        };
        match next {
            Ok(ReloadOrder::Changed) if settle(inbox) => {
                reload(library, on_reload);
                // A folder that was taken away is another one when it comes back.
                if !folder.is_dir() {
                    watcher = None;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(ReloadOrder::Changed | ReloadOrder::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn watch(folder: &Path, happened: &Sender<ReloadOrder>) -> Option<RecommendedWatcher> {
    if !folder.is_dir() {
        return None;
    }
    let happened = happened.clone();
    let heard = move |event: notify::Result<notify::Event>| {
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            // Nobody listens only when the watch ends.
            let _ = happened.send(ReloadOrder::Changed);
        }
    };
    let mut watcher = notify::recommended_watcher(heard).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}

/// Waits until files are quiet, or have been unquiet for too long. Whether there is more to come.
fn settle(inbox: &Receiver<ReloadOrder>) -> bool {
    let latest = Instant::now() + Duration::from_millis(UNQUIET_MS);
    loop {
        let left = latest.saturating_duration_since(Instant::now());
        match inbox.recv_timeout(left.min(Duration::from_millis(QUIET_MS))) {
            Ok(ReloadOrder::Changed) => {}
            Ok(ReloadOrder::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
}

fn reload(library: &ScriptLibrary, on_reload: &dyn Fn(&ScriptReport)) {
    let report = library.reload();
    if report.is_change() || !report.failed.is_empty() {
        on_reload(&report);
    }
}

#[cfg(test)]
#[path = "reload_tests.rs"]
mod tests;
