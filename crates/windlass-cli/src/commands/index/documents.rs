//! `windlass index add / list / remove`: documents and notes of the index of the project.

use std::io::{self, Read as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use windlass_core::ports::search::{DocumentRow, NewDocument};
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::time::ago;
use windlass_search::{Index, IndexError};

use crate::args::GlobalArgs;
use crate::commands::index::{failed, open_index};
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::config::regular::{self, FileOrigin};
use crate::project::index::{folder_of, open};
use crate::project::store::{SessionArchive, pick, unknown};
use crate::providers::target::wait_for;
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::table::lay_out;

/// What stands for stdin.
const STDIN: &str = "-";
/// The name of a note that has none.
const NOTE: &str = "note.md";
/// Largest file that is read at all: the index refuses less and says so.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Digits of an id in a list.
const ID_SHOWN: usize = 12;

pub(crate) fn add(
    global: &GlobalArgs,
    config: &CliConfig,
    files: &[impl AsRef<Path>],
    session: Option<&str>,
    name: Option<&str>,
) -> Result<()> {
    if name.is_some() && files.len() > 1 {
        return Err(CommandError::usage("--name is for a single document").cure("one FILE, or no --name"));
    }
    let session_id = session.map(|wanted| find_session(global, wanted)).transpose()?;
    let index = open_index(config)?;
    let mut added = Vec::new();
    for file in files {
        let file = file.as_ref();
        let own = file.file_name().and_then(|name| name.to_str()).filter(|name| *name != STDIN);
        let name = name.or(own).unwrap_or(NOTE).to_owned();
        let document = NewDocument { name, session_id: session_id.clone(), bytes: read(file)? };
        added.push(index.add_document(document).map_err(|error| refused(file, &error))?);
    }
    if global.json {
        return print_json(&json!({"documents": added}));
    }
    for row in &added {
        print_line(&format!("{}  {}  {} bytes of text", shown_id(row), row.name, row.bytes))?;
    }
    Ok(())
}

fn refused(file: &Path, error: &IndexError) -> CommandError {
    match error {
        IndexError::Document(text) => CommandError::usage(text.clone()).at(file.display()),
        error => failed(error),
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file == Path::new(STDIN) {
        io::stdin().take(BYTES_MAX).read_to_end(&mut bytes)
    } else {
        regular::open(file, FileOrigin::User).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes))
    };
    read.map_err(|error| CommandError::file(file, "read", &error))?;
    Ok(bytes)
}

fn find_session(global: &GlobalArgs, wanted: &str) -> Result<SessionId> {
    let archive = SessionArchive::of_user(global)?;
    Ok(wait_for(archive.session(wanted))??.session_id)
}

pub(crate) fn list(global: &GlobalArgs, config: &CliConfig, session: Option<&str>) -> Result<()> {
    let mut rows = open_index(config)?.all_documents().map_err(failed)?;
    if let Some(wanted) = session {
        let session_id = find_session(global, wanted)?;
        rows.retain(|row| row.session_id.as_ref() == Some(&session_id));
    }
    if global.json {
        return print_json(&json!({"documents": rows}));
    }
    if rows.is_empty() {
        return print_line("no documents; windlass index add FILE adds one");
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    let shown = |row: &DocumentRow| {
        let session = row.session_id.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string);
        [
            shown_id(row).to_owned(),
            row.name.clone(),
            format!("{} bytes", row.bytes),
            ago(now_ms, row.added_ms),
            session,
        ]
    };
    print(&lay_out(&rows.iter().map(shown).collect::<Vec<_>>()))
}

/// Removes the documents of a session that is gone from the index of its root, if there is one.
pub(crate) fn forget(data: &Path, root: &Path, session_id: &SessionId) -> Result<()> {
    let folder = folder_of(data, root);
    if !folder.join("documents").exists() {
        return Ok(());
    }
    let index = open(&folder, root, None).map_err(failed)?;
    for row in index.all_documents().map_err(failed)? {
        if row.session_id.as_ref() == Some(session_id) {
            index.remove_document(&row.document_id).map_err(failed)?;
        }
    }
    Ok(())
}

fn shown_id(row: &DocumentRow) -> &str {
    row.document_id.get(..ID_SHOWN).unwrap_or(&row.document_id)
}

/// Removes them; all are found before the first is gone.
pub(crate) fn remove(global: &GlobalArgs, config: &CliConfig, wanted: &[String]) -> Result<()> {
    let index = open_index(config)?;
    let meant = wanted.iter().map(|wanted| find(&index, wanted)).collect::<Result<Vec<_>>>()?;
    for row in &meant {
        index.remove_document(&row.document_id).map_err(failed)?;
    }
    if global.json {
        return print_json(&json!({"removed": meant}));
    }
    for row in &meant {
        print_line(&format!("removed {}", row.name))?;
    }
    Ok(())
}

/// The document that is meant by its id, the beginning of it, or its name.
fn find(index: &Index, wanted: &str) -> Result<DocumentRow> {
    let rows = index.all_documents().map_err(failed)?;
    let named: Vec<&DocumentRow> = rows.iter().filter(|row| row.name == wanted).collect();
    match named.as_slice() {
        [row] => return Ok((*row).clone()),
        [] => {}
        [..] => {
            let ids: Vec<&str> = named.iter().map(|row| row.document_id.as_str()).collect();
            return Err(CommandError::usage(format!("{} documents are called '{wanted}'", ids.len()))
                .at(ids.join(", "))
                .cure("one of these ids"));
        }
    }
    pick("document", wanted, rows, |row| row.document_id.as_str())?.map_err(|known| {
        unknown("document", wanted, known.iter().map(|row| row.name.as_str()), "windlass index list")
    })
}
