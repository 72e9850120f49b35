//! Looking into many files with several threads, between two commits.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tantivy::IndexWriter;

use super::update::UpdateReport;
use super::write::{FileLook, Work};
use super::{Index, IndexError};
use crate::limits::{BATCH_BYTES_MAX, BATCH_MS_MAX, SKIPPED_SHOWN_MAX};

/// Files that are looked into between two commits, by several threads.
pub(super) struct FileBatch<'a> {
    index: &'a Index,
    writer: &'a IndexWriter,
    work: &'a [Work],
    threads: usize,
    next: AtomicUsize,
    bytes: AtomicU64,
    deadline: Instant,
}

impl<'a> FileBatch<'a> {
    pub(super) fn new(index: &'a Index, writer: &'a IndexWriter, rest: &'a [Work], threads: usize) -> Self {
        let work = rest.get(..rest.len().min(index.config.batch_files.max(1))).unwrap_or_default();
        let deadline = Instant::now() + Duration::from_millis(BATCH_MS_MAX);
        Self { index, writer, work, threads, next: AtomicUsize::new(0), bytes: AtomicU64::new(0), deadline }
    }

    /// How many files were taken from the rest.
    pub(super) fn taken(&self) -> usize {
        self.next.load(Ordering::Acquire).min(self.work.len())
    }

    /// The next file, unless the batch is full or nobody wants it any more.
    fn take(&self) -> Option<&'a Work> {
        if self.index.is_stopped() {
            return None;
        }
        let is_full = self.bytes.load(Ordering::Relaxed) > BATCH_BYTES_MAX || Instant::now() > self.deadline;
        if is_full && self.next.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let work = self.work.get(self.next.fetch_add(1, Ordering::AcqRel))?;
        self.bytes.fetch_add(work.stamp.bytes.min(BATCH_BYTES_MAX / 16), Ordering::Relaxed);
        Some(work)
    }

    pub(super) fn run(
        &self,
        report: &mut UpdateReport,
        on_done: &mut dyn FnMut(usize),
    ) -> Result<(), IndexError> {
        let shared = Mutex::new(report);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|_| {
                    let (shared, sender) = (&shared, sender.clone());
                    scope.spawn(move || self.work_off(shared, &sender))
                })
                .collect();
            drop(sender);
            let mut files = 0;
            while receiver.recv().is_ok() {
                files += 1;
                on_done(files);
            }
            let mut result = Ok(());
            for worker in workers {
                let stopped = |_| Err(IndexError::Damaged("a thread that reads files stopped".to_owned()));
                result = result.and(worker.join().unwrap_or_else(stopped));
            }
            result
        })
    }

    fn work_off(&self, report: &Mutex<&mut UpdateReport>, done: &mpsc::Sender<()>) -> Result<(), IndexError> {
        while let Some(work) = self.take() {
            let looked = self.index.look_into(self.writer, work)?;
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            match looked {
                FileLook::Same => report.unchanged += 1,
                FileLook::Gone => report.removed += 1,
                FileLook::Written { is_new, passages, bytes } => {
                    *(if is_new { &mut report.added } else { &mut report.changed }) += 1;
                    report.passages += passages;
                    report.bytes += bytes;
                }
                FileLook::Skipped(skip) => {
                    *report.skipped.entry(skip.word().to_owned()).or_default() += 1;
                    if report.skipped_files.len() < SKIPPED_SHOWN_MAX {
                        report.skipped_files.push((work.key.clone(), skip.word()));
                    }
                }
            }
            drop(report);
            // Nobody listens only when the update itself ends.
            let _ = done.send(());
        }
        Ok(())
    }
}
