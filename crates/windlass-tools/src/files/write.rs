//! Writing a file whole or not at all: a temporary file beside it, synced, then put in its place.

use std::fs::Permissions;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, OpenOptions};
use windlass_core::protocol::tool::ToolFailure;

use super::file_place::FilePlace;
use super::root::shown;

static TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// Puts bytes in place of a file. With permissions the file exists and keeps them; without, it must
/// not exist, and one that appears meanwhile is not overwritten.
pub(crate) fn put(
    place: &FilePlace,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> Result<(), ToolFailure> {
    let dir = place.make_folder()?;
    let number = TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".windlass-{}-{number}.tmp", std::process::id());
    let result = fill(&dir, &temporary, bytes, permissions.as_ref()).and_then(|()| {
        if permissions.is_some() {
            dir.rename(&temporary, &dir, place.name())
        } else {
            publish_new(&dir, &temporary, place.name())
        }
    });
    if let Err(error) = result {
        // Nothing better can be done about a temporary file that cannot be removed either.
        let _ = dir.remove_file(&temporary);
        return Err(not_written(place.path(), &error));
    }
    // The bytes are in place; a file system that cannot sync folders takes nothing away from that.
    let _ = dir.into_std_file().sync_all();
    Ok(())
}

pub(crate) fn remove(place: &FilePlace) -> Result<(), ToolFailure> {
    let dir = place.make_folder()?;
    dir.remove_file(place.name()).map_err(|error| not_written(place.path(), &error))
}

fn fill(dir: &Dir, name: &str, bytes: &[u8], permissions: Option<&Permissions>) -> io::Result<()> {
    let mut file = dir.open_with(name, OpenOptions::new().write(true).create_new(true))?.into_std();
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        // Before it has its name: a private file is open to nobody else, not for a moment.
        file.set_permissions(permissions.clone())?;
    }
    file.sync_all()
}

/// Gives a finished file its name, unless the name is taken: a link, unlike a rename, never replaces.
fn publish_new(dir: &Dir, temporary: &str, name: &str) -> io::Result<()> {
    match dir.hard_link(temporary, dir, name) {
        Ok(()) => dir.remove_file(temporary),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no hard links.
        Err(_) => dir.rename(temporary, dir, name),
    }
}

fn not_written(path: &str, error: &io::Error) -> ToolFailure {
    ToolFailure::io_error(format!("'{}' was not written: {error}", shown(path)))
}
