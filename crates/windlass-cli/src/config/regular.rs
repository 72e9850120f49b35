//! Files that a folder brings, opened so that none can make the program wait or eat its memory: no pipe, no device, and of
//! a bounded size.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Largest manifest of modules; a module's own file may be as large.
pub(crate) const MANIFEST_BYTES_MAX: u64 = 4 << 20;

/// Who wrote a file: what a project brings may be no link either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOrigin {
    User,
    Project,
}

fn refused(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// Opens a regular file to read it.
pub(crate) fn open(path: &Path, origin: FileOrigin) -> io::Result<File> {
    // Opening a pipe to read returns at once with this, and not when somebody writes into it.
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    if origin == FileOrigin::Project {
        flags |= OFlags::NOFOLLOW;
    }
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::LOOP) => {
            return Err(refused("it is a link; a project's files must be files".to_owned()));
        }
        opened => File::from(opened?),
    };
    if !file.metadata()?.is_file() {
        return Err(refused("it is no regular file".to_owned()));
    }
    Ok(file)
}

/// The text of a regular file of at most so many bytes.
pub(crate) fn read_text(path: &Path, bytes_max: u64, origin: FileOrigin) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path, origin)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(refused(format!("it has more than {bytes_max} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
