//! `windlass runs apply`: shows edits that a run has staged, asks about each, and makes those that are wanted, through
//! the same validation, permission and limits as every call. A file must be as it was when its edit was proposed.

use std::sync::Arc;

use windlass_core::permission::{Preview, Question};
use windlass_core::ports::host::{Consent, EditApproval, HostTools, ServedPort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::tool::{OutcomeStatus, ToolFailure, ToolOutcome};
use windlass_core::text::visible_line;
use windlass_engine::host::Host;
use windlass_engine::one_call::OneCall;

use crate::args::{ApproveArg, GlobalArgs, PermissionArgs};
use crate::commands::run::block_on;
use crate::commands::runs::resume::place_of;
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::providers::open::OneModel;
use crate::providers::target::wait_for;
use crate::terminal::ask::{ask_line, room};
use crate::terminal::out::{print_json, print_line, tell, tell_line, warn};
use crate::terminal::quote::{quote, quote_diff};
use crate::terminal::run_follower::refused;
use crate::wiring::Wiring;

/// `windlass runs apply`.
pub(crate) struct ApplyCommand {
    pub(crate) id: String,
    /// The staged calls that are meant; all that wait if there are none.
    pub(crate) call_ids: Vec<String>,
    /// Whether the user has said yes already.
    pub(crate) is_agreed: bool,
    pub(crate) deny: Vec<String>,
}

pub(crate) fn apply(global: &GlobalArgs, command: ApplyCommand) -> Result<Exit> {
    let archive = SessionArchive::of_user(global)?;
    let row = wait_for(archive.run(&command.id))??;
    let records = wait_for(archive.records_of_run(&row))??;
    let proposals = find(&records, row.run_id.as_str(), &command.call_ids)?;
    let wiring = house_for(&place_of(global, &archive, &row)?, command.deny)?;
    let again = format!("windlass runs apply {} --yes", row.run_id);
    let (mut applied, mut problem) = (0_usize, None);
    for proposal in &proposals {
        if !global.quiet || !command.is_agreed {
            show(proposal);
        }
        let Some(consent) = agree(proposal, command.is_agreed, &again)? else {
            tell_line(&format!("{} is not applied; it still waits", proposal.call_id));
            continue;
        };
        let outcome = block_on(async {
            let models = Arc::new(OneModel(Arc::new(OneCall::new(proposal.tool.clone(), String::new()))));
            let host = wiring.host(Arc::clone(&archive.store), models);
            call(&host, row.run_id.clone(), proposal, consent).await
        })?;
        match tell_outcome(global, &outcome, &row.session_id) {
            Ok(()) => applied = applied.saturating_add(1),
            Err(complaint) => {
                if let Some(earlier) = problem.replace(complaint) {
                    warn(earlier.what());
                }
            }
        }
    }
    match problem {
        Some(complaint) => Err(complaint),
        None if applied == 0 => Ok(Exit::Cancelled),
        None => Ok(Exit::Done),
    }
}

/// The staged edits that are meant and wait.
fn find(records: &[Arc<Record>], run_id: &str, wanted: &[String]) -> Result<Vec<Question>> {
    let staged = records.iter().filter_map(|record| match &record.event {
        Event::Durable(DurableEvent::CallEnded { outcome, .. }) => outcome.meta.proposal.as_deref(),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    let staged: Vec<&Question> = staged.collect();
    let Some(first) = staged.first() else {
        return Err(CommandError::usage(format!("run {run_id} has no staged edit"))
            .cure("windlass run --approve stage … stages the edits of a run"));
    };
    let cure = format!("windlass runs apply {run_id} {}", first.call_id);
    for wanted in wanted {
        if !staged.iter().any(|proposal| proposal.call_id.as_str() == wanted) {
            return Err(
                CommandError::usage(format!("call '{wanted}' of run {run_id} is no staged edit")).cure(cure)
            );
        }
    }
    let is_applied = |proposal: &Question| {
        records.iter().any(|record| match &record.event {
            Event::Durable(DurableEvent::EditApplied { call_id, .. }) => *call_id == proposal.call_id,
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => false,
        })
    };
    let is_meant = |proposal: &&Question| {
        wanted.is_empty() || wanted.iter().any(|wanted| proposal.call_id.as_str() == wanted)
    };
    let waiting = staged.into_iter().filter(is_meant).filter(|proposal| !is_applied(proposal));
    let waiting: Vec<Question> = waiting.cloned().collect();
    if waiting.is_empty() {
        let what = format!("no edit of run {run_id} waits any more: what is meant was applied already");
        return Err(CommandError::failed(what).cure("windlass tools call undo_edit … takes an edit back"));
    }
    Ok(waiting)
}

/// What is applied, whole; its tool and risk last, above what is asked.
fn show(proposal: &Question) {
    let columns = room().columns;
    let rows = match &proposal.preview {
        Some(Preview::Diff(diff)) => quote_diff(diff, columns),
        Some(Preview::Command(text) | Preview::Text(text)) => quote(text, columns),
        None => quote(&proposal.arguments, columns),
    };
    tell(&format!("{}\n", rows.join("\n")));
    let tool = visible_line(&proposal.tool);
    tell_line(&format!("{} {tool} ({})", proposal.call_id, proposal.risk.label()));
}

/// What the user says; nothing if that is no.
fn agree(proposal: &Question, is_agreed: bool, again: &str) -> Result<Option<Consent>> {
    let consent = |confirmation| Consent { digest: proposal.digest.clone(), confirmation };
    if let Some(word) = &proposal.confirm_word {
        let typed = ask_line(&format!("This edit is critical. Type {} to apply it: ", visible_line(word)));
        let Some(typed) = typed else {
            return Err(CommandError::usage("a critical edit needs a word typed, and nobody can type here")
                .cure("the same command on a terminal"));
        };
        let typed = typed.trim().to_owned();
        return Ok((typed == *word).then(|| consent(Some(typed))));
    }
    if is_agreed {
        return Ok(Some(consent(None)));
    }
    let Some(line) = ask_line("Apply this edit? [y/N] ") else {
        return Err(CommandError::usage("nobody can be asked without a terminal").cure(again));
    };
    let is_yes = matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    Ok(is_yes.then(|| consent(None)))
}

/// The run's own place; the user has been asked, whatever is configured for runs.
fn house_for(global: &GlobalArgs, deny: Vec<String>) -> Result<Wiring> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let permission = PermissionArgs { deny, approve: Some(ApproveArg::Ask), ..PermissionArgs::default() };
    Wiring::build_for(flags, &permission, true)
}

async fn call(host: &Host, run_id: RunId, proposal: &Question, consent: Consent) -> Result<Arc<ToolOutcome>> {
    let approval = EditApproval { run_id, call_id: proposal.call_id.clone(), consent };
    let answer = host.apply_edit(approval).await.map_err(refused)?;
    host.close().await.map_err(refused)?;
    Ok(answer.outcome)
}

fn tell_outcome(global: &GlobalArgs, outcome: &ToolOutcome, session_id: &SessionId) -> Result<()> {
    if global.json {
        print_json(outcome)?;
    }
    match &outcome.body {
        Ok(_) if global.json => Ok(()),
        Ok(output) => print_line(output.readable().lines().next().unwrap_or("applied")),
        Err(failure) => Err(not_applied(failure, outcome.status(), session_id)),
    }
}

/// Why the edit was not made.
fn not_applied(failure: &ToolFailure, status: OutcomeStatus, session_id: &SessionId) -> CommandError {
    let is_changed = matches!(failure.field.as_deref(), Some("expected_sha256" | "create_new"));
    let message = failure.message.trim_end_matches('.');
    if is_changed {
        let what =
            format!("the file has changed since the edit was staged, so nothing was written: {message}");
        let cure =
            format!("windlass run --session {session_id} \"The file has changed; propose the edit again.\"");
        return CommandError::failed(what).cure(cure);
    }
    let complaint = CommandError::failed(format!("the edit was not applied: {message}"));
    match (&failure.hint, status) {
        (Some(hint), OutcomeStatus::Failed) => complaint.cure(hint.clone()),
        (Some(_) | None, _) => complaint,
    }
}
