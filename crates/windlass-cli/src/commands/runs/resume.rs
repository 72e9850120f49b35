//! `windlass runs resume / fork / replay`: runs of the record go on, or are played again.
//!
//! What a run was begun with (model, profile, root) counts again, unless flags say otherwise.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::ports::host::{
    ForkWish, HostPort, HostRuns, MODULE_PREFIX, ResumeWish, ServedPort, StartedRun,
};
use windlass_core::ports::store::RunRow;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::CallId;
use windlass_engine::host::Host;
use windlass_scripted::ScriptedUser;

use crate::args::{GlobalArgs, PermissionArgs};
use crate::commands::run::{block_on, screen};
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::{SessionArchive, failed};
use crate::providers::choice::choose;
use crate::providers::open::OpenModels;
use crate::providers::target::wait_for;
use crate::telemetry;
use crate::terminal::ask::TerminalAsker;
use crate::terminal::out::{print_json, print_line, tell_line};
use crate::terminal::run_follower::{FollowedEnd, RunFollower, refused};
use crate::wiring::Wiring;

/// `windlass runs fork`.
pub(crate) struct ForkCommand {
    pub(crate) id: String,
    pub(crate) at: u32,
    pub(crate) message: Option<String>,
    pub(crate) outcome: Option<(String, Value)>,
    pub(crate) permission: PermissionArgs,
}

/// Goes on with a run that was cut off.
pub(crate) fn resume(
    global: &GlobalArgs,
    id: Option<&str>,
    retry: &[String],
    permission: &PermissionArgs,
) -> Result<Exit> {
    let archive = SessionArchive::of_user(global)?;
    let row = wait_for(unfinished(&archive, id))??;
    let retry = retry.iter().map(|id| CallId::from(id.as_str())).collect();
    let (global, wiring) = house_of(global, &archive, &row, permission)?;
    // How the run began counts, unless another way is asked for now.
    let approve = permission.approve.map(|_| wiring.config.approve);
    let wish = ResumeWish { retry, approve };
    go_on(&global, &archive, &wiring, async |host: &Host| {
        host.resume(&row.run_id, wish).await.map_err(refused)
    })
}

/// Copies a run and goes on with the copy.
pub(crate) fn fork(global: &GlobalArgs, command: ForkCommand) -> Result<Exit> {
    let archive = SessionArchive::of_user(global)?;
    let row = wait_for(archive.run(&command.id))??;
    // A model that is named for a module's run goes below the module, which is opened anew for it.
    let model = global.model.clone().map(|named| match module_below(global, &row.model) {
        Some(_) => row.model.clone(),
        None => named,
    });
    let wish = ForkWish {
        step: command.at,
        model,
        message: command.message,
        outcome: command.outcome.map(|(call_id, value)| (CallId::from(call_id), value)),
    };
    let (global, wiring) = house_of(global, &archive, &row, &command.permission)?;
    go_on(&global, &archive, &wiring, async |host: &Host| {
        let started = host.fork(&row.run_id, wish).await.map_err(refused)?;
        if !global.quiet {
            tell_line(&format!("forked into session {}", started.session_id));
        }
        Ok(started)
    })
}

/// Plays a run again from its record.
pub(crate) fn replay(global: &GlobalArgs, id: &str) -> Result<Exit> {
    let archive = SessionArchive::of_user(global)?;
    let row = wait_for(archive.run(id))??;
    let (global, wiring) = house_of(global, &archive, &row, &PermissionArgs::default())?;
    let chosen = choose(&wiring.config)?;
    let models = Arc::new(OpenModels::of(&wiring, chosen, true)?);
    let report = block_on(async {
        let host = wiring.host(Arc::clone(&archive.store), models);
        host.replay(&row.run_id).await.map_err(refused)
    })?;
    if global.json {
        print_json(&report)?;
    }
    match &report.divergence {
        None if global.json => {}
        None => print_line(&format!("the same: all {} records came out as they are on record", report.same))?,
        Some(_) if global.json => {}
        Some(at) => {
            print_line(&format!("differs at record {}, after {} that are the same", at.seq, report.same))?;
            print_line(&format!("  on record: {}", at.recorded))?;
            print_line(&format!("  now:       {}", at.replayed))?;
        }
    }
    Ok(if report.divergence.is_none() { Exit::Done } else { Exit::Failed })
}

/// The run that is meant, or the newest that was cut off.
async fn unfinished(archive: &SessionArchive, id: Option<&str>) -> Result<RunRow> {
    let Some(id) = id else {
        let newest = archive.unfinished(1).await?.into_iter().next();
        return newest
            .ok_or_else(|| CommandError::usage("there is no unfinished run").cure("windlass runs list"));
    };
    let row = archive.run(id).await?;
    match row.outcome {
        None => Ok(row),
        Some(outcome) => {
            Err(CommandError::usage(format!("run {} has ended: {}", row.run_id, outcome.word()))
                .cure(format!("windlass run --session {} \"…\"", row.session_id)))
        }
    }
}

/// What the run was begun with, under the flags of now.
pub(crate) fn house_of(
    global: &GlobalArgs,
    archive: &SessionArchive,
    row: &RunRow,
    permission: &PermissionArgs,
) -> Result<(GlobalArgs, Wiring)> {
    let mut global = place_of(global, archive, row)?;
    if global.model.is_none() {
        global.model = model_below(archive, row)?;
    }
    let module = module_below(&global, &row.model);
    global.model.get_or_insert_with(|| row.model.clone());
    let flags = Flags { global: global.clone(), module, ..Flags::default() };
    Ok((global, Wiring::build(flags, permission)?))
}

/// The model below the module of a run, as it is on record.
fn model_below(archive: &SessionArchive, row: &RunRow) -> Result<Option<String>> {
    let records = wait_for(archive.store.load_durable(&row.session_id, row.first_seq.saturating_sub(1), 1))?;
    let records = records.map_err(|failure| CommandError::failed(failure.to_string()))?;
    Ok(records.first().and_then(|record| match &record.event {
        Event::Durable(DurableEvent::RunStarted { wishes, .. }) => wishes.setup.as_ref()?.model_below.clone(),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    }))
}

/// The module of a run whose model was a module, when the flags name another model to stand below it.
pub(crate) fn module_below(global: &GlobalArgs, model: &str) -> Option<String> {
    let is_plain = |word: &String| !word.starts_with(MODULE_PREFIX);
    global.model.as_ref().filter(|word| is_plain(word))?;
    model.strip_prefix(MODULE_PREFIX).map(str::to_owned)
}

/// The profile and the root that the run was begun with, under the flags of now.
pub(crate) fn place_of(global: &GlobalArgs, archive: &SessionArchive, row: &RunRow) -> Result<GlobalArgs> {
    let session = wait_for(archive.store.session(&row.session_id))?.map_err(|failure| failed(&failure))?;
    let mut global = global.clone();
    global.profile.get_or_insert_with(|| row.profile.clone());
    if !session.begin.root.is_empty() {
        global.root.get_or_insert_with(|| PathBuf::from(&session.begin.root));
    }
    Ok(global)
}

/// Starts a run of the record and follows it to its end.
fn go_on(
    global: &GlobalArgs,
    archive: &SessionArchive,
    wiring: &Wiring,
    start: impl AsyncFnOnce(&Host) -> Result<StartedRun>,
) -> Result<Exit> {
    let chosen = choose(&wiring.config)?;
    let models = Arc::new(OpenModels::of(wiring, chosen, true)?);
    let screen = screen(global, wiring, true);
    block_on(async {
        let host = wiring.host(Arc::clone(&archive.store), models);
        let export = telemetry::start(&wiring.config, Arc::clone(&host) as Arc<dyn ServedPort>)?;
        let asker = TerminalAsker::new(wiring.can_ask);
        let port = Arc::clone(&host) as Arc<dyn HostPort>;
        let mut follower =
            RunFollower::new(port, screen, asker, wiring.policies.clone())?.quiet(global.quiet).kept(true);
        if let Some(script) = &wiring.config.script {
            follower = follower.with_user(ScriptedUser::new(script));
        }
        let started = start(&host).await?;
        let mut records = archive.records(&started.session_id).await?;
        records.retain(|record| record.seq <= started.after_seq);
        follower.recall(&started.run_id, &records).await?;
        let FollowedEnd::Finished(ended) = follower.follow(&started).await? else {
            return Ok(Exit::Cancelled);
        };
        host.close().await.map_err(refused)?;
        export.finish().await;
        Ok(ended.outcome.into())
    })
}
