//! Watching the root: a file that is saved is looked into at once.
//!
//! Only folders that a walk enters are watched, each by itself: what tools make changes all the time. A change that
//! cannot be told file by file (a folder moved, an ignore list, too many events) is an update of everything. Owns a
//! thread that ends when the [`IndexWatch`] is dropped.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use notify::event::{EventKind, RemoveKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::find::searcher::Searcher;
use crate::index::IndexError;
use crate::limits::WATCHED_FOLDERS_MAX;
use crate::source::walk;

/// Keeps an index up to date until it is dropped.
#[derive(Debug)]
pub struct IndexWatch {
    stop: Sender<WatchOrder>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread is told.
enum WatchOrder {
    Happened(notify::Result<Event>),
    Stop,
}

impl IndexWatch {
    /// Starts watching the root of a searcher's index.
    pub fn start(searcher: Searcher) -> Result<Self, IndexError> {
        let (sender, told) = channel();
        let events = sender.clone();
        let watcher = notify::recommended_watcher(move |event| {
            // Nobody listens only when the watch ends.
            let _ = events.send(WatchOrder::Happened(event));
        });
        let root = searcher.index().root().map(Path::to_owned);
        let root = root.ok_or_else(|| IndexError::Watch("it is an index of no folder".to_owned()))?;
        let watcher = watcher.map_err(|error| IndexError::Watch(error.to_string()))?;
        let mut watching = WatchedTree { root, searcher, watcher, watched: HashSet::new() };
        watching.watch_folders()?;
        let thread =
            thread::Builder::new().name("search-watch".to_owned()).spawn(move || watching.run(&told));
        let thread = thread.map_err(|error| IndexError::Watch(error.to_string()))?;
        Ok(Self { stop: sender, thread: Some(thread) })
    }
}

impl Drop for IndexWatch {
    fn drop(&mut self) {
        let _ = self.stop.send(WatchOrder::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct WatchedTree {
    root: PathBuf,
    searcher: Searcher,
    watcher: RecommendedWatcher,
    watched: HashSet<String>,
}

impl WatchedTree {
    /// Watches folders that are not watched yet.
    fn watch_folders(&mut self) -> Result<(), IndexError> {
        let folders = walk::folders(&self.root, WATCHED_FOLDERS_MAX + 1);
        if folders.len() > WATCHED_FOLDERS_MAX {
            let text = format!("the project has more than {WATCHED_FOLDERS_MAX} folders");
            return Err(IndexError::Watch(text));
        }
        for folder in folders {
            if self.watched.contains(&folder) {
                continue;
            }
            let watched = self.watcher.watch(&self.root.join(&folder), RecursiveMode::NonRecursive);
            match watched {
                Ok(()) => {
                    self.watched.insert(folder);
                }
                // A folder may be gone again; the root may not.
                Err(error) if folder.is_empty() => return Err(IndexError::Watch(error.to_string())),
                Err(error) => tracing::debug!(folder, %error, "a folder is not watched"),
            }
        }
        Ok(())
    }

    fn run(mut self, told: &Receiver<WatchOrder>) {
        while let Ok(WatchOrder::Happened(event)) = told.recv() {
            match event {
                Ok(event) if !event.need_rescan() => self.take(&event),
                Ok(_) | Err(_) => self.searcher.refresh(),
            }
        }
    }

    fn take(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            let Some(inside) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) else { continue };
            let is_list = inside.ends_with(".gitignore") || inside.ends_with(".ignore");
            let is_folder_gone = event.kind == EventKind::Remove(RemoveKind::Folder)
                || (!path.exists() && self.watched.contains(&format!("{inside}/")));
            if path.is_dir() || is_folder_gone || is_list {
                // The system forgets a folder that is gone, so one of the same name is watched anew.
                let below = format!("{inside}/");
                self.watched.retain(|folder| !folder.starts_with(&below));
                if let Err(error) = self.watch_folders() {
                    tracing::warn!(%error, "new folders are not watched");
                }
                self.searcher.refresh();
            } else {
                windlass_core::ports::search::SearchPort::touch(&self.searcher, inside);
            }
        }
    }
}
