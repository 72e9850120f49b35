//! Folders and files that their owner alone can read: an index holds the text of a project.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes a folder with all above it that are missing.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options for a file to be made.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file anew.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    options().create(true).truncate(true).open(path)?.write_all(bytes)
}
