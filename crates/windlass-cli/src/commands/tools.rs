//! `windlass tools list / show / call`.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use serde_json::Value;
use windlass_core::calls::envelope::render_whole;
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostPort, HostRuns, HostSessions, RunStart};
use windlass_core::ports::store::NewSession;
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::tool::{ToolOutcome, ToolSpec};
use windlass_engine::one_call::OneCall;

use crate::args::{GlobalArgs, PermissionArgs, ToolsCommand};
use crate::commands::run::{block_on, memory, read_bounded};
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::providers::open::OneModel;
use crate::terminal::ask::TerminalAsker;
use crate::terminal::nearest::did_you_mean;
use crate::terminal::out::{print, print_exact, print_json};
use crate::terminal::progress::Detail;
use crate::terminal::run_follower::{FollowedEnd, RunFollower, refused};
use crate::terminal::screen::{RunScreen, StderrForm, StdoutForm};
use crate::terminal::short_line::short_line;
use crate::terminal::table::lay_out;
use crate::wiring::Wiring;

/// Characters of a description in the list.
const DESCRIPTION_CHARS_MAX: usize = 90;

pub(crate) fn run(global: &GlobalArgs, command: ToolsCommand) -> Result<Exit> {
    match command {
        ToolsCommand::List => list(global),
        ToolsCommand::Show { name } => show(global, &name),
        ToolsCommand::Call { name, arguments, permission, timeout } => {
            call(global, name, &arguments, &permission, timeout)
        }
    }
}

fn list(global: &GlobalArgs) -> Result<Exit> {
    let wiring = Wiring::plain(global)?;
    let specs = wiring.registry.snapshot_of(&wiring.config.profile).toolset.specs();
    if global.json {
        print_json(&specs)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<[String; 4]> = specs
        .iter()
        .map(|spec| {
            let description = short_line(&spec.description, DESCRIPTION_CHARS_MAX);
            [spec.name.clone(), word(&spec.risk), word(&spec.effects), description]
        })
        .collect();
    print(&lay_out(&rows))?;
    Ok(Exit::Done)
}

/// The word by which a value is serialised.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

fn show(global: &GlobalArgs, name: &str) -> Result<Exit> {
    let wiring = Wiring::plain(global)?;
    let snapshot = wiring.registry.snapshot();
    let Some(entry) = snapshot.toolset.find(name) else {
        return Err(unknown_tool(name, snapshot.toolset.names()));
    };
    if global.json {
        print_json(&entry.spec)?;
    } else {
        print(&describe(&entry.spec))?;
    }
    Ok(Exit::Done)
}

/// There is no such tool.
pub(crate) fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> CommandError {
    let cure = did_you_mean(name, known);
    CommandError::usage(format!("there is no tool '{name}'"))
        .cure(cure.unwrap_or_else(|| "windlass tools list".into()))
}

/// A tool for people.
fn describe(spec: &ToolSpec) -> String {
    let mut text = format!("{}\n\n{}\n\n", spec.signature(), spec.description.trim());
    let args: Vec<[String; 4]> = spec
        .args()
        .iter()
        .map(|arg| {
            let need = match (arg.required, arg.default) {
                (true, _) => "required".to_owned(),
                (false, Some(default)) => format!("default {default}"),
                (false, None) => "optional".to_owned(),
            };
            let about = arg.description.unwrap_or_default();
            [format!("  {}", arg.name), arg.kind.word().to_owned(), need, about.to_owned()]
        })
        .collect();
    if !args.is_empty() {
        text.push_str("Arguments\n");
        text.push_str(&lay_out(&args));
        text.push('\n');
    }
    let list = |items: Vec<String>| if items.is_empty() { "-".to_owned() } else { items.join(", ") };
    let own = |name: &str, value: String| [name.to_owned(), value];
    text.push_str(&lay_out(&[
        own("risk", word(&spec.risk)),
        own(
            "effects",
            format!("{}{}", word(&spec.effects), if spec.idempotent { ", idempotent" } else { "" }),
        ),
        own("touches", list(spec.scopes.iter().map(word).collect())),
        own("other names", list(spec.aliases.clone())),
        own(
            "time limit",
            spec.timeout_ms.map_or_else(|| "the profile's".into(), windlass_core::text::time::duration),
        ),
    ]));
    for example in &spec.examples {
        text.push_str(&format!("\nwindlass tools call {} '{example}'", spec.name));
    }
    if !spec.examples.is_empty() {
        text.push('\n');
    }
    text
}

/// The arguments of a call: as typed, from stdin or from a file.
pub(crate) fn read_arguments(typed: &str) -> Result<String> {
    match typed.strip_prefix('@') {
        None if typed == "-" => read_bounded(io::stdin().lock(), "stdin"),
        None => Ok(typed.to_owned()),
        Some(path) => {
            let file = File::open(path).map_err(|error| {
                CommandError::usage(format!("the arguments in '{path}' cannot be read: {error}"))
            })?;
            read_bounded(file, path)
        }
    }
}

fn call(
    global: &GlobalArgs,
    name: String,
    arguments: &str,
    permission: &PermissionArgs,
    timeout_ms: Option<u64>,
) -> Result<Exit> {
    let arguments = read_arguments(arguments)?;
    let mut wiring = Wiring::build(Flags { global: global.clone(), ..Flags::default() }, permission)?;
    // The call is given as a call, by somebody who may use every tool, whatever a model of this profile would do; its
    // outcome keeps the profile's envelope.
    wiring.config.profile.dialect = Dialect::Native;
    wiring.config.profile.tools = None;
    // Nobody would find an edit that was staged in a session which is not kept.
    wiring.config.approve = match wiring.config.approve {
        ApproveMode::Stage => ApproveMode::Ask,
        ApproveMode::StageOnly => ApproveMode::Never,
        mode => mode,
    };
    if let Some(timeout_ms) = timeout_ms {
        // Work is all there is: the time for a final answer comes on top.
        let limits = &mut wiring.config.profile.limits;
        limits.run_timeout_ms = timeout_ms.saturating_add(limits.final_reserve_ms);
    }
    let telling = match global.verbose {
        0 => StderrForm::Silent,
        _ => StderrForm::Lines(Detail::Full),
    };
    let models = Arc::new(OneModel(Arc::new(OneCall::new(name.clone(), arguments))));
    let (outcome, is_cancelled) = block_on(async {
        let host = wiring.host(memory(), models);
        let screen = RunScreen::new(StdoutForm::Nothing, telling, false);
        let (port, asker) = (Arc::clone(&host) as Arc<dyn HostPort>, TerminalAsker::new(wiring.can_ask));
        let mut follower = RunFollower::new(port, screen, asker, wiring.policies.clone())?
            .quiet(global.quiet)
            .keeping_events();
        let session = host.create_session(NewSession::default()).await.map_err(refused)?;
        let start = RunStart {
            message: Message::user(format!("Call {name}")),
            wishes: RunWishes::default(),
            model: None,
            profile: None,
            executes_while_streaming: None,
        };
        let started = host.start_run(&session.session_id, start).await.map_err(refused)?;
        let is_cancelled = match follower.follow(&started).await? {
            FollowedEnd::Finished(ended) => ended.outcome == RunOutcome::Cancelled,
            FollowedEnd::Killed => true,
        };
        Ok((outcome_of(&follower), is_cancelled))
    })?;
    let Some(outcome) = outcome else {
        return if is_cancelled {
            Ok(Exit::Cancelled)
        } else {
            Err(CommandError::failed("the call never ended"))
        };
    };
    print_outcome(global, &wiring.config.profile, &name, &outcome)?;
    match (is_cancelled, outcome.is_ok()) {
        (true, _) => Ok(Exit::Cancelled),
        (false, true) => Ok(Exit::Done),
        (false, false) => Ok(Exit::Failed),
    }
}

fn outcome_of(follower: &RunFollower) -> Option<Arc<ToolOutcome>> {
    follower.seen().iter().find_map(|record| {
        let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = &record.event else { return None };
        Some(Arc::clone(outcome))
    })
}

/// The envelope of the profile; with room around it for people.
fn print_outcome(global: &GlobalArgs, profile: &Profile, name: &str, outcome: &ToolOutcome) -> Result<()> {
    let envelope = render_whole(profile, name, outcome);
    match serde_json::from_str::<Value>(&envelope) {
        Ok(value) if !global.json && io::stdout().is_terminal() => print_json(&value),
        Ok(_) | Err(_) => print_exact(&format!("{envelope}\n")),
    }
}
