//! Hot reload: a module whose file is saved is the new one a moment later, and runs that go on keep theirs.
//!
//! Owns a thread that waits until files have settled and then has the library read them again. What happened is
//! told to whoever listens; nobody who listens slowly can hold it up. Decides nothing about what is a good file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use notify::event::EventKind;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::error::ModuleError;
use crate::library::{ChangedModules, ModuleLibrary, Refreshed};
use crate::limits::{DEBOUNCES_MAX, EVENTS_WAITING_MAX};
use crate::manifest::MANIFEST_FILE;

/// How files are watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotReloadConfig {
    /// How long files must be quiet before they are read.
    pub debounce_ms: u64,
    /// Whether changes of the manifest count.
    pub watch_manifest: bool,
}

impl Default for HotReloadConfig {
    fn default() -> Self {
        Self { debounce_ms: 100, watch_manifest: true }
    }
}

/// What happened to modules while they were watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HotReloadEvent {
    /// A module is another version now, is new, or has moved to another file.
    ModuleChanged { module_id: String, path: PathBuf },
    /// There is another manifest.
    ManifestChanged,
    /// A module is gone.
    ModuleDeleted { module_id: String },
    /// A file is no good; what was there before stays.
    ReloadError { path: PathBuf, error: ModuleError },
    /// The file of a module was written, and is what it was.
    ModuleSkipped { module_id: String },
}

/// How often files were read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HotReloadStats {
    /// Modules that were taken in, and files that were no good.
    pub reloads_total: u64,
    /// Files that were no good.
    pub reloads_failed: u64,
    /// Files that were what they were.
    pub reloads_skipped: u64,
    /// When a module was last taken in, in milliseconds of Unix time; 0 if never.
    pub last_reload_ms: u64,
}

#[derive(Debug)]
pub struct HotReload;

/// Watches until it is stopped or dropped.
#[derive(Debug)]
pub struct HotReloadHandle {
    told: Sender<WatchOrder>,
    events: broadcast::Sender<HotReloadEvent>,
    counts: Arc<ReloadCounts>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A reader of events, from the moment it was made.
#[derive(Debug)]
pub struct HotReloadEvents {
    receiver: broadcast::Receiver<HotReloadEvent>,
    missed: u64,
}

/// What the thread is told.
enum WatchOrder {
    Happened(notify::Result<notify::Event>),
    Stop,
}

#[derive(Debug, Default)]
struct ReloadCounts {
    total: AtomicU64,
    failed: AtomicU64,
    skipped: AtomicU64,
    last_ms: AtomicU64,
    is_running: AtomicBool,
}

impl HotReload {
    /// Watches the folder of a library. One watcher is enough: a second is refused.
    pub fn start(library: &ModuleLibrary, config: HotReloadConfig) -> Result<HotReloadHandle, ModuleError> {
        let Some(folder) = library.folder() else {
            return Err(ModuleError::Config("the modules have no folder that could be watched".to_owned()));
        };
        if !library.begin_watching() {
            return Err(ModuleError::Config("Hot reload already running".to_owned()));
        }
        let started = start_thread(library, folder, config);
        if started.is_err() {
            library.end_watching();
        }
        started
    }
}

fn start_thread(
    library: &ModuleLibrary,
    folder: &Path,
    config: HotReloadConfig,
) -> Result<HotReloadHandle, ModuleError> {
    let unwatched = |error: &dyn std::fmt::Display| {
        ModuleError::Watcher(format!("{} cannot be watched: {error}", folder.display()))
    };
    let (told, inbox) = channel();
    let happened = told.clone();
    let watcher = notify::recommended_watcher(move |event| {
        // Nobody listens only when the watch ends.
        let _ = happened.send(WatchOrder::Happened(event));
    });
    let mut watcher: RecommendedWatcher = watcher.map_err(|error| unwatched(&error))?;
    watcher.watch(folder, RecursiveMode::Recursive).map_err(|error| unwatched(&error))?;
    // What changed between the first load and now is nobody's event.
    library.refresh(&ChangedModules {
        manifest: config.watch_manifest,
        everything: true,
        paths: BTreeSet::new(),
    });
    let (events, _) = broadcast::channel(EVENTS_WAITING_MAX);
    let counts = Arc::new(ReloadCounts::default());
    counts.is_running.store(true, Ordering::Release);
    let watching = WatchThread {
        library: library.clone(),
        folder: folder.to_owned(),
        config,
        events: events.clone(),
        counts: Arc::clone(&counts),
        _watcher: watcher,
    };
    let thread = thread::Builder::new().name("module-watch".to_owned()).spawn(move || watching.run(&inbox));
    let thread = Mutex::new(Some(thread.map_err(|error| unwatched(&error))?));
    Ok(HotReloadHandle { told, events, counts, thread })
}

impl HotReloadHandle {
    /// What happens from now on.
    pub fn events(&self) -> HotReloadEvents {
        HotReloadEvents { receiver: self.events.subscribe(), missed: 0 }
    }

    /// How often files were read again.
    pub fn stats(&self) -> HotReloadStats {
        HotReloadStats {
            reloads_total: self.counts.total.load(Ordering::Acquire),
            reloads_failed: self.counts.failed.load(Ordering::Acquire),
            reloads_skipped: self.counts.skipped.load(Ordering::Acquire),
            last_reload_ms: self.counts.last_ms.load(Ordering::Acquire),
        }
    }

    /// Whether files are watched.
    pub fn is_running(&self) -> bool {
        self.counts.is_running.load(Ordering::Acquire)
    }

    /// Stops watching, and waits until that has happened. Stopping twice changes nothing.
    pub fn stop(&self) {
        let _ = self.told.send(WatchOrder::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for HotReloadHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

impl HotReloadEvents {
    /// The next event; nothing once the watch has ended. A reader that is too slow misses the oldest.
    pub async fn next(&mut self) -> Option<HotReloadEvent> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(missed)) => self.missed = self.missed.saturating_add(missed),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// The next event, if there is one already.
    pub fn try_next(&mut self) -> Option<HotReloadEvent> {
        loop {
            match self.receiver.try_recv() {
                Ok(event) => return Some(event),
                Err(TryRecvError::Lagged(missed)) => self.missed = self.missed.saturating_add(missed),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }

    /// How many events this reader was too slow for.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

struct WatchThread {
    library: ModuleLibrary,
    folder: PathBuf,
    config: HotReloadConfig,
    events: broadcast::Sender<HotReloadEvent>,
    counts: Arc<ReloadCounts>,
    /// Files are watched for as long as it lives.
    _watcher: RecommendedWatcher,
}

impl Drop for WatchThread {
    fn drop(&mut self) {
        self.counts.is_running.store(false, Ordering::Release);
        self.library.end_watching();
    }
}

impl WatchThread {
    fn run(self, inbox: &Receiver<WatchOrder>) {
        while let Ok(WatchOrder::Happened(event)) = inbox.recv() {
            let mut touched = ChangedModules::default();
            self.note(&mut touched, event);
            let goes_on = self.settle(inbox, &mut touched);
            if touched.manifest || touched.everything || !touched.paths.is_empty() {
                self.tell(&touched, self.library.refresh(&touched));
            }
            if !goes_on {
                break;
            }
        }
    }

    /// Waits until files are quiet, or have been unquiet for too long. Whether there is more to come.
    fn settle(&self, inbox: &Receiver<WatchOrder>, touched: &mut ChangedModules) -> bool {
        let quiet = Duration::from_millis(self.config.debounce_ms);
        let latest = Instant::now() + quiet * DEBOUNCES_MAX;
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            match inbox.recv_timeout(quiet.min(left)) {
                Ok(WatchOrder::Happened(event)) => self.note(touched, event),
                Ok(WatchOrder::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => return true,
            }
        }
    }

    /// What an event says must be read again.
    fn note(&self, touched: &mut ChangedModules, event: notify::Result<notify::Event>) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            // Events were lost: everything may be another.
            Ok(_) | Err(_) => {
                touched.manifest |= self.config.watch_manifest;
                touched.everything = true;
                return;
            }
        };
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in event.paths {
            if path == self.folder.join(MANIFEST_FILE) {
                touched.manifest |= self.config.watch_manifest;
            } else if path.extension().is_some_and(|extension| extension == "json") {
                touched.paths.insert(path);
            } else if path.is_dir() || !path.exists() {
                // A folder with modules in it may have come or gone.
                touched.everything |=
                    self.library.all().iter().any(|shelved| shelved.path.starts_with(&path)) || path.is_dir();
            }
        }
    }

    fn tell(&self, touched: &ChangedModules, refreshed: Refreshed) {
        let Refreshed { report, has_new_manifest } = refreshed;
        let count = |place: &AtomicU64, by: usize| place.fetch_add(by as u64, Ordering::AcqRel);
        let is_touched =
            |id: &String| self.library.find(id).is_some_and(|shelved| touched.paths.contains(&shelved.path));
        let skipped: Vec<String> = report.unchanged.into_iter().filter(is_touched).collect();
        count(&self.counts.total, report.loaded.len().saturating_add(report.failed.len()));
        count(&self.counts.failed, report.failed.len());
        count(&self.counts.skipped, skipped.len());
        if !report.loaded.is_empty() {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.counts.last_ms.store(u64::try_from(now.as_millis()).unwrap_or(u64::MAX), Ordering::Release);
        }
        if has_new_manifest {
            self.send(HotReloadEvent::ManifestChanged);
        }
        for module_id in report.loaded {
            let path = self.library.find(&module_id).map(|shelved| shelved.path).unwrap_or_default();
            self.send(HotReloadEvent::ModuleChanged { module_id, path });
        }
        for module_id in report.removed {
            self.send(HotReloadEvent::ModuleDeleted { module_id });
        }
        for (path, error) in report.failed {
            self.send(HotReloadEvent::ReloadError { path, error });
        }
        for module_id in skipped {
            self.send(HotReloadEvent::ModuleSkipped { module_id });
        }
    }

    fn send(&self, event: HotReloadEvent) {
        // Nobody has to listen.
        let _ = self.events.send(event);
    }
}
