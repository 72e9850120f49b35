//! Bringing the index up to date: all of it, one file, one document.
//!
//! A file is looked into when its stamp changed, and its passages are written when its content did. Old passages go and
//! new ones come in the same commit. Commits are made every few thousand files, so a kill loses the last of them alone
//! and memory is bounded whatever the size of the root.

use std::collections::{BTreeMap, HashMap};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tantivy::indexer::IndexWriterOptions;
use tantivy::{IndexWriter, Term};
use windlass_core::ports::search::IndexProgress;

use super::batch::FileBatch;
use super::entry::{self, FileEntry};
use super::write::{Work, now_ms};
use super::{Index, IndexError, IndexState};
use crate::limits::{FILES_MAX, LOCK_GRACE_MS, TOUCH_WRITER_BYTES, WRITER_BYTES};
use crate::source::walk::{FileWalk, Stamp};

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Files that were new.
    pub added: u64,
    /// Files whose content was another.
    pub changed: u64,
    /// Files that were gone.
    pub removed: u64,
    /// Files that were as before.
    pub unchanged: u64,
    pub passages: u64,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Files left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The first of them that were expected to be read: path and reason.
    pub skipped_files: Vec<(String, &'static str)>,
    /// Set when the index could not be used and was built again: why.
    pub rebuilt: Option<String>,
    /// Set when the embedder failed, so that some files have no vectors: why. They get them by a later update.
    pub embedder_failure: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
}

/// The files on disk against those in the index.
struct Compared {
    /// To be looked into.
    work: Vec<Work>,
    /// In the index and nowhere else.
    removed: Vec<String>,
    /// Not for the index, by reason.
    left_out: BTreeMap<String, u64>,
}

/// A writer for a single file: one thread to write, one to merge.
pub(super) fn small_writer(index: &tantivy::Index) -> tantivy::Result<IndexWriter> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(TOUCH_WRITER_BYTES)
        .build();
    index.writer_with_options(options)
}

/// Writes a commit with its state.
pub(super) fn commit(writer: &mut IndexWriter, state: &IndexState) -> Result<(), IndexError> {
    let payload = serde_json::to_string(state).map_err(|error| IndexError::Damaged(error.to_string()))?;
    let mut prepared = writer.prepare_commit()?;
    prepared.set_payload(&payload);
    prepared.commit()?;
    Ok(())
}

impl Index {
    /// Brings everything up to date. Fails while another process is writing. One that is stopped loses what it did since
    /// its last commit, and the next one goes on from there.
    pub fn update(&self, on_progress: &mut dyn FnMut(IndexProgress)) -> Result<UpdateReport, IndexError> {
        let begun = Instant::now();
        let _lock = self.write_lock(Duration::from_millis(LOCK_GRACE_MS))?;
        let (known, rebuilt) = self.known()?;
        let mut report = UpdateReport { rebuilt, ..UpdateReport::default() };
        let wanted = self.wanted_vectors(&known);
        let Compared { work, removed, left_out } = self.compare(known, wanted, &mut report)?;
        let before = self.state();
        let is_due = !work.is_empty() || !removed.is_empty() || before.completed_ms.is_none();
        if is_due || before.left_out != left_out {
            let total = work.len() as u64;
            let state = IndexState { completed_ms: None, done: 0, total, left_out, ..before };
            let result = self.write_all(&work, &removed, state, &mut report, on_progress);
            self.set_progress(None);
            self.reload()?;
            result?;
        }
        report.embedder_failure = self.embedder_failure();
        report.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(report)
    }

    /// The files that the index knows; an index that cannot be read is emptied, and it is said why.
    fn known(&self) -> Result<(HashMap<String, FileEntry>, Option<String>), IndexError> {
        let is_suspect = self.is_suspect.swap(false, Ordering::Relaxed);
        let read = self.searcher().and_then(|searcher| {
            let damaged = if is_suspect { searcher.index().validate_checksum()?.len() } else { 0 };
            if damaged > 0 {
                return Err(IndexError::Damaged(format!("{damaged} of its files are damaged")));
            }
            Ok(entry::all(&searcher)?)
        });
        match read {
            Ok(known) => Ok((known, None)),
            Err(error) => {
                tracing::warn!(%error, "the index is built again");
                self.empty()?;
                Ok((HashMap::new(), Some(error.to_string())))
            }
        }
    }

    /// Whose vectors files must have to be up to date; `None` for anybody's or none, as long as nobody makes any.
    fn wanted_vectors(&self, known: &HashMap<String, FileEntry>) -> Option<u64> {
        let key = self.embedder_key();
        let lacks_some = known.values().any(|entry| !entry.has_vectors_of(key));
        // One that does not answer is no reason to write again what is there.
        (key != 0 && (!lacks_some || self.is_embedding())).then_some(key)
    }

    /// Walks the root and the documents: what has to be looked into, what is gone, what was left out.
    fn compare(
        &self,
        mut known: HashMap<String, FileEntry>,
        wanted: Option<u64>,
        report: &mut UpdateReport,
    ) -> Result<Compared, IndexError> {
        let mut work = Vec::new();
        let mut left_out = BTreeMap::new();
        let walk = self.root.as_deref().map(|root| {
            FileWalk::new(root).map_err(|source| IndexError::Root { path: root.to_owned(), source })
        });
        for walked in walk.transpose()?.into_iter().flatten() {
            self.check_stop()?;
            match walked.found {
                Ok(stamp) if work.len() < FILES_MAX => {
                    note(&mut known, &mut work, report, walked.path, stamp, wanted);
                }
                Ok(_) => *left_out.entry("too_many".to_owned()).or_default() += 1,
                Err(skip) => *left_out.entry(skip.word().to_owned()).or_default() += 1,
            }
        }
        for (key, stamp) in self.documents.all()? {
            note(&mut known, &mut work, report, key, stamp, wanted);
        }
        report.skipped.extend(left_out.clone());
        let mut removed: Vec<String> = known.into_keys().collect();
        removed.sort_unstable();
        report.removed = removed.len() as u64;
        Ok(Compared { work, removed, left_out })
    }

    fn write_all(
        &self,
        work: &[Work],
        removed: &[String],
        mut state: IndexState,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<(), IndexError> {
        let threads = self.config.threads.max(1);
        let index = self.shelf.read().unwrap_or_else(PoisonError::into_inner).index.clone();
        let mut writer: IndexWriter =
            index.writer_with_num_threads(threads.div_ceil(2), WRITER_BYTES * threads.div_ceil(2))?;
        // The first change of a new writer has the number of the last commit, and a merge that starts before the next one
        // may take it for done where it is not: a passage would stay for ever. So the first change is none.
        writer.delete_term(Term::from_field_text(self.fields.owner, ""));
        for key in removed {
            self.delete(&writer, key);
        }
        let mut done = 0;
        while done < work.len() {
            let rest = work.get(done..).unwrap_or_default();
            let batch = FileBatch::new(self, &writer, rest, threads);
            batch.run(report, &mut |files| {
                let progress = IndexProgress { done: (done + files) as u64, total: work.len() as u64 };
                self.set_progress(Some(progress));
                on_progress(progress);
            })?;
            self.check_stop()?;
            done += batch.taken();
            state.done = done as u64;
            if done < work.len() {
                commit(&mut writer, &state)?;
                self.reload()?;
            }
        }
        commit(&mut writer, &IndexState { completed_ms: Some(now_ms()), ..state })?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    /// Whether whoever owns the index wants no more of it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.config.stop.load(Ordering::Relaxed)
    }

    fn check_stop(&self) -> Result<(), IndexError> {
        if self.is_stopped() { Err(IndexError::Stopped) } else { Ok(()) }
    }

    fn set_progress(&self, progress: Option<IndexProgress>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }
}

/// Sorts a file into what is as before and what has to be looked into.
fn note(
    known: &mut HashMap<String, FileEntry>,
    work: &mut Vec<Work>,
    report: &mut UpdateReport,
    key: String,
    stamp: Stamp,
    wanted: Option<u64>,
) {
    let known = known.remove(&key);
    match known {
        Some(entry) if entry.stamp == stamp && wanted.is_none_or(|key| entry.has_vectors_of(key)) => {
            report.unchanged += 1;
            if let Some(skip) = entry.skip {
                *report.skipped.entry(skip.word().to_owned()).or_default() += 1;
            }
        }
        Some(_) | None => work.push(Work { key, stamp, known }),
    }
}
