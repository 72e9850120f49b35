//! Folders and files that their owner alone can read: how they are made, and how those of before are closed.
//!
//! Knows which folders are ours by `Folders`, and nothing of what is in them but that pulled models are no secret.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::Folders;

/// The folder of pulled models in the data folder: what everybody can download need not be kept from anybody. The lists
/// beside them, of keys and of findings, are closed.
const MODELS: &str = "models";

/// What only a data folder of ours has; a folder that a flag names and that has none of it is somebody's own.
const MARKS: [&str; 3] = [windlass_store::FILE_NAME, "token", "audit.log"];

/// Most entries that are looked at: an index has some hundred, and a start must not wait for a folder that is none of ours.
const ENTRIES_MAX: usize = 50_000;

/// How deep ours are nested at most, with room.
const DEPTH_MAX: usize = 8;

/// Makes a folder with all above it that are missing, for their owner alone.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options for a file that is made for its owner alone.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file anew, for its owner alone.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = options().create(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Closes what others can read of the user's folders; that kept sessions were open should be known.
#[cfg(unix)]
pub(crate) fn close(folders: &Folders) -> Option<String> {
    // A file that a flag names may stand in a folder that others use as well.
    if !folders.is_config_named {
        close_one(&folders.user, true);
    }
    for file in [&folders.config_file, &folders.policies_file] {
        if !folders.is_config_named || has_secrets(file) {
            close_one(file, false);
        }
    }
    let was_open = is_ours(folders) && close_tree(&folders.data);
    was_open.then(|| {
        format!(
            "the data folder {} could be read by others on this machine; it is closed now",
            folders.data.display()
        )
    })
}

#[cfg(not(unix))]
pub(crate) fn close(_folders: &Folders) -> Option<String> {
    None
}

/// Whether keys stand in a configuration file: one without any is left as whoever named it made it.
#[cfg(unix)]
fn has_secrets(file: &Path) -> bool {
    let Ok(Some(layer)) = super::layer::read_file(file, false) else { return false };
    layer.values().any(|setting| setting.value.is_secret())
}

/// Whether the data folder is one that nothing but Windlass uses: the usual one, or one that has our files and is neither a
/// home nor shared.
#[cfg(unix)]
fn is_ours(folders: &Folders) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY: u32 = 0o1000;
    let Ok(facts) = fs::metadata(&folders.data) else { return false };
    let is_shared = facts.mode() & STICKY != 0 || folders.home.starts_with(&folders.data);
    let has_mark = || MARKS.iter().any(|mark| folders.data.join(mark).exists());
    facts.is_dir() && !is_shared && (!folders.is_data_named || has_mark())
}

/// Closes a folder and all below it. One that nobody else could enter is left: so is then all below it.
#[cfg(unix)]
fn close_tree(root: &Path) -> bool {
    if !close_one(root, true) {
        return false;
    }
    let mut waiting = vec![(root.to_owned(), 0)];
    let mut left = ENTRIES_MAX;
    while let Some((folder, depth)) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else { return true };
            left = fewer;
            // Links are not followed: what they lead to is not ours.
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let is_of_models = path.strip_prefix(root).is_ok_and(|path| path.starts_with(MODELS));
            let is_list = path.extension().is_some_and(|end| end == "json");
            if kind.is_file() && (!is_of_models || is_list) {
                close_one(&path, false);
            } else if kind.is_dir() {
                close_one(&path, true);
                if depth < DEPTH_MAX {
                    waiting.push((path, depth + 1));
                }
            }
        }
    }
    true
}

/// Takes the rights of others away; says whether there were any. Somebody else's file stays as it is.
#[cfg(unix)]
fn close_one(path: &Path, is_folder: bool) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(facts) = fs::metadata(path) else { return false };
    let mode = facts.permissions().mode();
    facts.is_dir() == is_folder
        && mode & 0o077 != 0
        && fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)).is_ok()
}
