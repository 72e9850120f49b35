//! The file: locked for one process, read from its beginning, appended and synced.
//!
//! Knows lines and no sessions.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::limits::LOG_BYTES_MAX;
use crate::line::LogLine;

/// The file in the folder of the store.
pub(crate) const FILE_NAME: &str = "sessions.jsonl";

/// The file, held open and locked.
#[derive(Debug)]
pub(crate) struct LogFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl LogFile {
    /// Opens the file of a folder, makes both if need be, and gives every whole line to `fold`. A last line without its
    /// end was never answered as kept, and is cut off.
    pub(crate) fn open(folder: &Path, mut fold: impl FnMut(LogLine)) -> Result<Self, String> {
        let path = folder.join(FILE_NAME);
        let failed = |error: io::Error| format!("{} cannot be used: {error}", path.display());
        let file = open_private(folder, &path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{} is used by another process; end that one first", path.display()));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let (mut reader, mut line, mut bytes) = (BufReader::new(&file), Vec::new(), 0_u64);
        for number in 1_u64.. {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(failed)?;
            if !line.ends_with(b"\n") {
                break;
            }
            let change = serde_json::from_slice(&line);
            fold(change.map_err(|error| format!("{}, line {number}: {error}", path.display()))?);
            bytes += read as u64;
        }
        file.set_len(bytes).map_err(failed)?;
        (&file).seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self { file, path, bytes })
    }

    /// Appends a line; returns when it is on the disk. Of a line that failed nothing is left.
    pub(crate) fn append(&mut self, line: &LogLine) -> Result<(), String> {
        let mut text =
            serde_json::to_vec(line).map_err(|error| format!("a line cannot be written: {error}"))?;
        text.push(b'\n');
        let end = self.bytes + text.len() as u64;
        if end > LOG_BYTES_MAX {
            let path = self.path.display();
            return Err(format!(
                "{path} would have more than {LOG_BYTES_MAX} bytes; begin another with --data DIR"
            ));
        }
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A torn end that stays is cut off when the file is opened the next time.
            let _ = self.file.set_len(self.bytes).and_then(|()| self.file.seek(SeekFrom::End(0)));
            return Err(format!("{} cannot be written: {error}", self.path.display()));
        }
        self.bytes = end;
        Ok(())
    }
}

/// For its owner alone, the folder too.
fn open_private(folder: &Path, path: &Path) -> io::Result<File> {
    let (mut builder, mut options) = (DirBuilder::new(), OpenOptions::new());
    builder.recursive(true);
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    options.open(path)
}
