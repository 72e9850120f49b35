//! Tokens of servers, in files that only their owner should read. The server makes its own unless one is named.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;
use windlass_core::text::secret::Secret;

use crate::commands::run::read_bounded;
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, private};
use crate::terminal::out::warn;

/// How tokens of ours begin: they are known for what they are wherever they turn up, and a stream that ends like the
/// beginning of one, which is held back until more has come, is the same for every token.
const BEGINNING: &str = "wl_";

/// Shortest token that is worth the name.
const CHARS_MIN: usize = 16;

/// The token of this user's servers, in the data folder.
const FILE: &str = "token";

/// The token that servers of this configuration want, made if there is none yet; nothing where none is wanted.
pub(crate) fn of_server(config: &CliConfig) -> Result<Option<Secret>> {
    let token = find_or_make(config)?;
    config.secrets.extend(token.clone());
    Ok(token)
}

fn find_or_make(config: &CliConfig) -> Result<Option<Secret>> {
    if config.settings.is_on("server.no_token") {
        return Ok(None);
    }
    if let Some(named) = named(config) {
        return named.map(Some);
    }
    let file = own_file(config);
    if !file.exists() {
        make(&file).map_err(|error| {
            CommandError::file(&file, "write", &error)
                .cure("windlass serve --token-file FILE names another file")
        })?;
    }
    read_own(&file).map(Some)
}

/// The token for a server of this user on this machine, if there is one.
pub(crate) fn of_client(config: &CliConfig) -> Result<Option<Secret>> {
    let file = own_file(config);
    let token = match named(config) {
        Some(named) => Some(named?),
        None if file.exists() => Some(read_own(&file)?),
        None => None,
    };
    config.secrets.extend(token.clone());
    Ok(token)
}

fn named(config: &CliConfig) -> Option<Result<Secret>> {
    let file = config.settings.text("server.token_file")?;
    Some(read(Path::new(file)).map_err(|complaint| {
        complaint.at(config.place("server.token_file")).cure(format!("openssl rand -hex 32 > {file}"))
    }))
}

fn own_file(config: &CliConfig) -> PathBuf {
    config.folders.data.join(FILE)
}

fn read_own(file: &Path) -> Result<Secret> {
    close_to_others(file);
    read(file).map_err(|complaint| {
        complaint.cure(format!("rm {}, and the next start makes another", file.display()))
    })
}

/// Writes a new token whole or not at all, and never over another: two servers may start at once.
fn make(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        private::make_folder(folder)?;
    }
    let half = file.with_file_name(format!("{FILE}.{}", Uuid::new_v4().simple()));
    let token = format!("{BEGINNING}{}{}\n", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let written = private::options().create_new(true).open(&half).and_then(|mut opened| {
        opened.write_all(token.as_bytes())?;
        opened.sync_all()?;
        std::fs::hard_link(&half, file)
    });
    // What is left of it is of no use, and may not be there at all.
    let _ = std::fs::remove_file(&half);
    match written {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        written => written,
    }
}

/// Reads a token; a file that others can read is told.
pub(crate) fn read(file: &Path) -> Result<Secret> {
    let opened = File::open(file).map_err(|error| CommandError::file(file, "read", &error).into_usage())?;
    warn_if_open(file, &opened);
    let text = read_bounded(opened, &file.display().to_string())?;
    let token = text.trim();
    if token.len() < CHARS_MIN || token.contains(char::is_whitespace) {
        let what =
            format!("{} has no token in it: one word of at least {CHARS_MIN} characters", file.display());
        return Err(CommandError::usage(what));
    }
    Ok(Secret::new(token))
}

#[cfg(unix)]
fn warn_if_open(path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata().is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0) {
        warn(&format!("{} can be read by others on this machine; chmod 600 closes it", path.display()));
    }
}

/// Our own file is closed without asking; that it was open should be known.
#[cfg(unix)]
fn close_to_others(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let is_open = std::fs::metadata(file).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0);
    if is_open && std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).is_ok() {
        let file = file.display();
        warn(&format!(
            "{file} could be read by others on this machine; it is closed now, and `rm {file}` makes the next start write another token"
        ));
    }
}

#[cfg(not(unix))]
fn warn_if_open(_path: &Path, _file: &File) {}

#[cfg(not(unix))]
fn close_to_others(_file: &Path) {}
