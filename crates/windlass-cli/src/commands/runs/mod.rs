//! `windlass runs list / show / trace / replay`, and the wishes of `resume` and `fork`, which go on in
//! `resume`, and of `apply`.

mod apply;
pub(crate) mod conversation;
pub(crate) mod resume;
pub(crate) mod step;

use serde_json::json;
use windlass_core::ports::store::{RunQuery, RunRow};
use windlass_core::protocol::trace::RunTrace;
use windlass_core::text::time::ago;
use windlass_engine::clock::Clock;

use crate::args::{GlobalArgs, PageArgs, RunsCommand};
use crate::commands::runs::apply::{ApplyCommand, apply};
use crate::commands::runs::conversation::tell;
use crate::commands::runs::resume::{ForkCommand, fork, replay, resume};
use crate::commands::runs::step::show_step;
use crate::complaint::Result;
use crate::exit::Exit;
use crate::project::store::{SessionArchive, failed, short};
use crate::providers::target::wait_for;
use crate::telemetry::body_of;
use crate::terminal::out::{print, print_coloured, print_json, print_line, tell_line};
use crate::terminal::short_line::short_line;
use crate::terminal::table::lay_out;

/// Characters of a message or a model in a list.
const CELL_CHARS_MAX: usize = 50;

pub(crate) fn run(global: &GlobalArgs, command: RunsCommand) -> Result<Exit> {
    match command {
        RunsCommand::List { session, unfinished, page } => {
            let archive = SessionArchive::of_user(global)?;
            wait_for(list(global, &archive, session.as_deref(), unfinished, page))??;
        }
        RunsCommand::Show { id, step: Some(step) } => show_step(global, &id, step)?,
        RunsCommand::Show { id, step: None } => {
            wait_for(show(global, &SessionArchive::of_user(global)?, &id))??
        }
        RunsCommand::Trace { id, otlp } => wait_for(trace(&SessionArchive::of_user(global)?, &id, otlp))??,
        RunsCommand::Resume { id, retry, permission } => {
            return resume(global, id.as_deref(), &retry, &permission);
        }
        RunsCommand::Fork { id, at, message, outcome, permission } => {
            return fork(global, ForkCommand { id, at, message, outcome, permission });
        }
        RunsCommand::Replay { id } => return replay(global, &id),
        RunsCommand::Apply { id, call_ids, yes, deny } => {
            return apply(global, ApplyCommand { id, call_ids, is_agreed: yes, deny });
        }
    }
    Ok(Exit::Done)
}

async fn list(
    global: &GlobalArgs,
    archive: &SessionArchive,
    session: Option<&str>,
    is_unfinished: bool,
    page: PageArgs,
) -> Result<()> {
    let session_id = match session {
        Some(wanted) => Some(archive.session(wanted).await?.session_id),
        None => None,
    };
    // One more than is shown says whether there are more.
    let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let query = RunQuery { session_id, is_unfinished, before: None, rows_max: wanted.saturating_add(1) };
    let mut rows = archive.store.runs(query).await.map_err(|failure| failed(&failure))?;
    let has_more = rows.len() > wanted;
    rows.truncate(wanted);
    if global.json {
        return print_json(&rows);
    }
    if rows.is_empty() {
        let none = if is_unfinished { "no unfinished runs" } else { "no runs yet" };
        return print_line(none);
    }
    print(&table(&rows))?;
    if has_more && !global.quiet {
        tell_line(&format!("there are more; --limit {} shows twice as many", wanted.saturating_mul(2)));
    }
    Ok(())
}

fn table(rows: &[RunRow]) -> String {
    let now = Clock::system().now_ms();
    let ids: Vec<&str> = rows.iter().map(|row| row.run_id.as_str()).collect();
    let mut lines =
        vec![["RUN", "STARTED", "STATE", "STEPS", "CALLS", "MODEL", "MESSAGE"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        [
            short_line(short(row.run_id.as_str(), &ids), CELL_CHARS_MAX),
            ago(now, row.started_ms),
            state(row),
            row.steps.to_string(),
            row.calls.to_string(),
            short_line(&row.model, CELL_CHARS_MAX),
            short_line(&row.message, CELL_CHARS_MAX),
        ]
    }));
    lay_out(&lines)
}

fn state(row: &RunRow) -> String {
    match (row.outcome, row.questions) {
        (Some(outcome), _) => outcome.word().to_owned(),
        (None, 0) => "unfinished".to_owned(),
        (None, _) => "unfinished, asks".to_owned(),
    }
}

async fn show(global: &GlobalArgs, archive: &SessionArchive, id: &str) -> Result<()> {
    let row = archive.run(id).await?;
    let records = archive.records_of_run(&row).await?;
    let story = tell(records.iter().map(AsRef::as_ref)).into_iter().next();
    if global.json {
        return print_json(&json!({"run": row, "story": story}));
    }
    print_coloured(&story.map(|story| story.text(global.verbose > 0)).unwrap_or_default())
}

async fn trace(archive: &SessionArchive, id: &str, is_otlp: bool) -> Result<()> {
    let row = archive.run(id).await?;
    let records = archive.records_of_run(&row).await?;
    if is_otlp {
        return print_json(&body_of(records.iter().map(AsRef::as_ref)));
    }
    print_json(&RunTrace::fold(records.iter().map(AsRef::as_ref)))
}

/// The line that tells of runs that were cut off.
pub(crate) fn unfinished_line(rows: &[RunRow]) -> Option<String> {
    let newest = rows.first()?;
    Some(match rows.len() {
        1 => format!("a run was interrupted; to continue it: windlass runs resume {}", newest.run_id),
        _ => "runs were interrupted; windlass runs list --unfinished shows them, windlass runs resume ID continues one"
            .to_owned(),
    })
}
