//! The folder of the index on disk, flushed once a commit.
//!
//! Tantivy's own folder flushes each file of a part, and its list of files before each of them, one
//! after the other. Here files are written as they come; all of them are flushed, by several threads so that the file
//! system takes them together, before the list of parts that names them is replaced. So the rule holds that makes a
//! commit safe, even when the power fails: what the list names is on the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::limits::FLUSH_THREADS_MAX;
use crate::private;

/// The list of parts: what it names is the index.
pub(super) const LIST: &str = "meta.json";
/// The ending of lists of what is deleted.
const DELETED: &str = "del";

#[derive(Debug, Clone)]
pub(super) struct FlushedDirectory {
    mapped: MmapDirectory,
    folder: PathBuf,
    /// Files written since the last flush.
    waiting: Arc<Mutex<Vec<PathBuf>>>,
}

impl FlushedDirectory {
    pub(super) fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { mapped: MmapDirectory::open(folder)?, folder: folder.to_owned(), waiting: Arc::default() })
    }

    /// Brings everything written so far to the disk.
    fn flush(&self) -> io::Result<()> {
        let files = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let flush_some = |first: usize| -> io::Result<()> {
            files.iter().skip(first).step_by(FLUSH_THREADS_MAX).try_for_each(|path| flush_file(path))
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..FLUSH_THREADS_MAX.min(files.len()))
                .map(|first| scope.spawn(move || flush_some(first)))
                .collect();
            let own = flush_some(0);
            let stopped = |_| Err(io::Error::other("a thread that flushes files stopped"));
            others.into_iter().fold(own, |result, other| result.and(other.join().unwrap_or_else(stopped)))
        })?;
        self.mapped.sync_directory()
    }
}

/// Flushes a file, unless it is gone already.
fn flush_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) => file.sync_data(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// A file that is flushed later.
struct LateFile(File);

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for LateFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        Ok(())
    }
}

impl Directory for FlushedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let full = self.folder.join(path);
        let create = || private::options().create_new(true).open(&full);
        // Lists of what is deleted are numbered by changes, and a process that was killed may have left one of the same
        // number behind. No list of parts names it, or it would not be written: it is replaced.
        let file = create().or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if full.extension().is_some_and(|it| it == DELETED) => {
                fs::remove_file(&full)?;
                create()
            }
            _ => Err(error),
        });
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(full);
        Ok(BufWriter::new(Box::new(LateFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        if path == Path::new(LIST) {
            self.flush()?;
            return self.mapped.atomic_write(path, content);
        }
        // The list of files that may be removed: an older one costs space, nothing else.
        let full = self.folder.join(path);
        let unfinished = full.with_extension("part");
        private::write(&unfinished, content)?;
        fs::rename(unfinished, full)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        // What is there keeps its rights; why it cannot be made is said by whoever opens it next.
        let _ = private::options().create(true).truncate(false).open(self.folder.join(&lock.filepath));
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}
