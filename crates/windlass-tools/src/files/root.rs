//! The project root: paths are looked up below it and nowhere else.
//!
//! Containment is not a check on text. The root is an open folder; a path is first resolved beneath it
//! by the kernel (or component by component where the kernel cannot), which refuses `..`, absolute
//! paths and symbolic links that lead out. The canonical path found so is then walked again without
//! following any link, so what is opened is what was judged, even if links are swapped meanwhile.

use std::collections::VecDeque;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags, openat};
use windlass_core::protocol::tool::ToolFailure;

use super::file_place::FilePlace;
use super::limits::{NAME_BYTES_MAX, PATH_BYTES_MAX, SHOWN_CHARS_MAX};
use super::secrets;
use crate::summary::cut;

/// The open project root.
pub(crate) struct Root {
    dir: Dir,
    /// As it was given, for absolute paths that begin with it.
    given: PathBuf,
    path: PathBuf,
}

impl Root {
    pub(crate) fn open(given: &Path) -> Result<Self, ToolFailure> {
        let open = || {
            let path = given.canonicalize()?;
            let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
            io::Result::Ok(Self { dir, given: given.to_path_buf(), path })
        };
        open().map_err(|error| {
            ToolFailure::io_error(format!("The project root '{}' cannot be opened: {error}", given.display()))
        })
    }

    /// Where the root is, without symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The canonical path of something that exists: relative, `/`-separated, `.` for the root.
    pub(crate) fn resolve(&self, asked: &str) -> Result<String, ToolFailure> {
        let relative = self.relative(asked)?;
        let canonical = self.dir.canonicalize(&relative).map_err(|error| failure(asked, &relative, error))?;
        unicode(asked, &canonical)
    }

    /// A folder by its canonical path, opened without following any link.
    pub(crate) fn folder(&self, canonical: &str) -> Result<Dir, ToolFailure> {
        let mut dir = self.dir.try_clone().map_err(|error| unreachable(canonical, &error))?;
        for part in canonical.split('/').filter(|part| !matches!(*part, "." | "")) {
            dir = open_folder(&dir, part).map_err(|error| swapped(canonical, error))?;
        }
        Ok(dir)
    }

    /// A file that exists.
    pub(crate) fn locate(&self, asked: &str) -> Result<FilePlace, ToolFailure> {
        let canonical = self.resolve(asked)?;
        self.place(asked, &canonical, VecDeque::new())
    }

    /// A file that exists or could be made.
    pub(crate) fn locate_new(&self, asked: &str) -> Result<FilePlace, ToolFailure> {
        let relative = self.relative(asked)?;
        match self.dir.canonicalize(&relative) {
            Ok(canonical) => self.place(asked, &unicode(asked, &canonical)?, VecDeque::new()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.locate_missing(asked, &relative),
            Err(error) => Err(failure(asked, &relative, error)),
        }
    }

    /// A file that does not exist: its deepest existing folder is resolved instead.
    fn locate_missing(&self, asked: &str, relative: &Path) -> Result<FilePlace, ToolFailure> {
        if asked.ends_with('/') {
            return Err(is_folder(asked));
        }
        let mut missing = VecDeque::new();
        let mut rest = relative;
        let base = loop {
            let (Some(name), Some(parent)) = (rest.file_name(), rest.parent()) else {
                return Err(failure(asked, relative, io::ErrorKind::NotFound.into()));
            };
            missing.push_front(unicode(asked, Path::new(name))?);
            rest = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            match self.dir.canonicalize(rest) {
                Ok(canonical) => break unicode(asked, &canonical)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failure(asked, relative, error)),
            }
        };
        self.place(asked, &base, missing)
    }

    /// The place of `missing` below an existing folder, or of an existing file when nothing is missing.
    fn place(
        &self,
        asked: &str,
        canonical: &str,
        mut missing: VecDeque<String>,
    ) -> Result<FilePlace, ToolFailure> {
        let is_missing = !missing.is_empty();
        let (folder, name) = match missing.pop_back() {
            Some(name) => (canonical, name),
            None => {
                let (folder, name) = canonical.rsplit_once('/').unwrap_or((".", canonical));
                (folder, name.to_owned())
            }
        };
        if name == "." {
            return Err(is_folder(asked));
        }
        let above = std::iter::once(folder).filter(|folder| *folder != ".");
        let parts: Vec<&str> =
            above.chain(missing.iter().map(String::as_str)).chain([name.as_str()]).collect();
        let path = parts.join("/");
        // By the path that was found: a link with a harmless name may lead to a secret.
        secrets::refuse(&path)?;
        let dir = self.folder(folder)?;
        let first_missing = missing.front().unwrap_or(&name);
        // Not there for the look-up but there by name: writing would follow the link to wherever it points.
        if is_missing && dir.symlink_metadata(first_missing).is_ok() {
            return Err(ToolFailure::denied(format!(
                "'{}' is a symbolic link to a place that does not exist or cannot be reached",
                shown(asked)
            ))
            .hint("Choose another name."));
        }
        Ok(FilePlace::new(self.path.join(&path), path, dir, missing.into(), name))
    }

    /// The path as asked, relative to the root, after refusing what no file system should be asked.
    fn relative(&self, asked: &str) -> Result<PathBuf, ToolFailure> {
        let wrong = |what: &str| {
            ToolFailure::invalid_args(format!("'{}' is not a usable path: {what}", shown(asked))).at(
                "path",
                "a path relative to the project root",
                cut(asked, SHOWN_CHARS_MAX),
            )
        };
        if asked.is_empty() {
            return Err(wrong("it is empty"));
        }
        if asked.contains('\0') {
            return Err(wrong("it contains a NUL character"));
        }
        if asked.len() > PATH_BYTES_MAX {
            return Err(wrong(&format!("it is longer than {PATH_BYTES_MAX} bytes")));
        }
        if asked.split('/').any(|name| name.len() > NAME_BYTES_MAX) {
            return Err(wrong(&format!("a name in it is longer than {NAME_BYTES_MAX} bytes")));
        }
        let path = Path::new(asked);
        if !path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        let inside = path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.given));
        let inside = inside.map_err(|_| outside(asked))?;
        Ok(if inside.as_os_str().is_empty() { PathBuf::from(".") } else { inside.to_path_buf() })
    }
}

/// Opens a folder by its name alone, never through a link.
pub(crate) fn open_folder(dir: &Dir, name: &str) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    Ok(Dir::from_std_file(opened.into()))
}

/// A path for a message.
pub(crate) fn shown(path: &str) -> String {
    cut(&path.replace('\0', "\\0"), SHOWN_CHARS_MAX)
}

/// The refusal of a path that leads out of the root.
fn outside(asked: &str) -> ToolFailure {
    ToolFailure::denied(format!("'{}' leads outside the project root", shown(asked)))
        .hint("Only files below the project root can be reached; give a path relative to it.")
}

/// The refusal of a folder where a file is wanted.
pub(crate) fn is_folder(asked: &str) -> ToolFailure {
    ToolFailure::invalid_args(format!("'{}' is a folder, not a file", shown(asked)))
        .hint("Call get_file_tree with this path to see what is in it.")
}

fn unicode(asked: &str, path: &Path) -> Result<String, ToolFailure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        ToolFailure::invalid_args(format!("'{}' leads to a name that is not Unicode text", shown(asked)))
            .hint("Such a file cannot be reached; tell the user.")
    })
}

/// What a failed look-up means: each cause has its own kind, never all of them "not found".
pub(crate) fn failure(asked: &str, relative: &Path, error: io::Error) -> ToolFailure {
    let name = shown(asked);
    match error.kind() {
        io::ErrorKind::NotFound if leaves_root(relative) => outside(asked),
        io::ErrorKind::NotFound => ToolFailure::not_found(format!("File not found: {name}"))
            .hint("Paths are relative to the project root; call get_file_tree to see what there is."),
        // The look-up's own refusal carries no number of the operating system.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => outside(asked),
        io::ErrorKind::NotADirectory => ToolFailure::invalid_args(format!(
            "'{name}' is not a usable path: a part of it is a file, not a folder"
        ))
        .hint("Call get_file_tree to see what there is."),
        io::ErrorKind::IsADirectory => is_folder(asked),
        io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => {
            ToolFailure::invalid_args(format!("'{name}' is not a usable path: {error}"))
                .hint("Give a shorter path of plain names.")
        }
        _ => unreachable(asked, &error),
    }
}

/// A look-up or an access that the operating system refused.
pub(crate) fn unreachable(asked: &str, error: &io::Error) -> ToolFailure {
    ToolFailure::io_error(format!("'{}' cannot be accessed: {error}", shown(asked)))
}

/// A failed second walk: the first one found no link, so a link there now was put there meanwhile.
pub(crate) fn swapped(canonical: &str, error: io::Error) -> ToolFailure {
    match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            ToolFailure::denied(format!("'{}' was replaced while it was opened", shown(canonical)))
                .hint("Somebody changes this place just now; tell the user.")
        }
        _ => failure(canonical, Path::new(canonical), error),
    }
}

/// Whether a path goes above its start when read as text.
fn leaves_root(relative: &Path) -> bool {
    let mut depth = 0_i64;
    relative.components().any(|part| {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        depth < 0
    })
}
