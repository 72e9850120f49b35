//! `windlass sessions list / show / export / rename / delete`.

use std::path::Path;

use serde_json::json;
use windlass_core::ports::store::{SessionQuery, SessionRow};
use windlass_core::text::time::ago;
use windlass_engine::clock::Clock;

use crate::args::{GlobalArgs, PageArgs, SessionsCommand};
use crate::commands::index::documents;
use crate::commands::runs::conversation::tell;
use crate::complaint::{CommandError, Result};
use crate::config::Folders;
use crate::exit::Exit;
use crate::project::store::{SessionArchive, failed, short};
use crate::providers::target::wait_for;
use crate::terminal::out::{print, print_coloured, print_exact, print_json, print_line, tell_line};
use crate::terminal::short_line::short_line;
use crate::terminal::table::lay_out;

/// Characters of a title in a list.
const COLUMN_CHARS_MAX: usize = 60;

pub(crate) fn run(global: &GlobalArgs, command: SessionsCommand) -> Result<Exit> {
    let archive = SessionArchive::of_user(global)?;
    wait_for(async {
        match command {
            SessionsCommand::List { text, page } => list(global, &archive, text, page).await,
            SessionsCommand::Show { id } => show(global, &archive, &id).await,
            SessionsCommand::Export { id } => export(&archive, &id).await,
            SessionsCommand::Rename { id, title } => rename(&archive, &id, &title).await,
            SessionsCommand::Delete { ids } => delete(global, &archive, &ids).await,
        }
    })??;
    Ok(Exit::Done)
}

async fn list(
    global: &GlobalArgs,
    archive: &SessionArchive,
    text: Option<String>,
    page: PageArgs,
) -> Result<()> {
    // One more than is shown says whether there are more.
    let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let query = SessionQuery { text, before: None, rows_max: wanted.saturating_add(1) };
    let mut rows = archive.store.sessions(query).await.map_err(|failure| failed(&failure))?;
    let has_more = rows.len() > wanted;
    rows.truncate(wanted);
    if global.json {
        return print_json(&rows);
    }
    if rows.is_empty() {
        return print_line("no sessions yet; windlass run \"…\" starts one");
    }
    print(&table(&rows))?;
    if has_more && !global.quiet {
        tell_line(&format!("there are more; --limit {} shows twice as many", wanted.saturating_mul(2)));
    }
    Ok(())
}

fn table(rows: &[SessionRow]) -> String {
    let now = Clock::system().now_ms();
    let ids: Vec<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
    let mut lines = vec![["SESSION", "CHANGED", "RUNS", "MODEL", "TITLE"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        [
            short_line(short(row.session_id.as_str(), &ids), COLUMN_CHARS_MAX),
            ago(now, row.updated_ms),
            row.runs.to_string(),
            short_line(&row.begin.model, COLUMN_CHARS_MAX),
            short_line(&row.begin.title, COLUMN_CHARS_MAX),
        ]
    }));
    lay_out(&lines)
}

async fn show(global: &GlobalArgs, archive: &SessionArchive, id: &str) -> Result<()> {
    let row = archive.session(id).await?;
    let records = archive.records(&row.session_id).await?;
    let stories = tell(records.iter().map(AsRef::as_ref));
    if global.json {
        return print_json(&json!({"session": row, "runs": stories}));
    }
    let title = short_line(&row.begin.title, COLUMN_CHARS_MAX);
    let mut text = format!("session {} · {title}\n", row.session_id);
    for story in stories {
        text.push('\n');
        text.push_str(&story.text(global.verbose > 0));
    }
    print_coloured(&text)
}

async fn export(archive: &SessionArchive, id: &str) -> Result<()> {
    let row = archive.session(id).await?;
    for record in archive.records(&row.session_id).await? {
        let line = serde_json::to_string(record.as_ref())
            .map_err(|error| CommandError::failed(format!("a record could not be written: {error}")))?;
        print_exact(&format!("{line}\n"))?;
    }
    Ok(())
}

async fn rename(archive: &SessionArchive, id: &str, title: &str) -> Result<()> {
    let row = archive.session(id).await?;
    archive.store.rename_session(&row.session_id, title).await.map_err(|failure| failed(&failure))
}

async fn delete(global: &GlobalArgs, archive: &SessionArchive, ids: &[String]) -> Result<()> {
    let folders = Folders::of_user(global.config.as_deref(), global.data.as_deref())?;
    let mut rows = Vec::new();
    for id in ids {
        rows.push(archive.session(id).await?);
    }
    for row in rows {
        let session_id = &row.session_id;
        if let Some(by) = archive.claim(session_id).await? {
            return Err(CommandError::failed(format!("session {session_id} is in use by {by}"))
                .cure("wait for it, or stop that process"));
        }
        archive.store.delete_session(session_id).await.map_err(|failure| failed(&failure))?;
        documents::forget(&folders.data, Path::new(&row.begin.root), session_id)?;
        if !global.quiet {
            tell_line(&format!("session {session_id} is gone"));
        }
    }
    Ok(())
}
