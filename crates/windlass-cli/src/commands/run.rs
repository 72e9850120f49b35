//! `windlass run`: one message, or all messages of a script.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use windlass_core::ports::host::{HostModels, HostPort, HostRuns, RunStart, ServedPort};
use windlass_core::ports::store::{NewSession, RunQuery, SessionRow, StorePort, title_of};
use windlass_core::profile::Dialect;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::Event;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, ModelsPort};
use windlass_engine::ids::new_session_id;
use windlass_engine::memory_store::MemoryStore;
use windlass_scripted::{Script, ScriptedUser};

use crate::args::answer_form;
use crate::args::{GlobalArgs, RunArgs};
use crate::commands::runs::resume::module_below;
use crate::commands::runs::unfinished_line;
use crate::commands::tools::unknown_tool;
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::{SessionArchive, failed};
use crate::providers::choice::choose;
use crate::providers::open::OpenModels;
use crate::providers::target::wait_for;
use crate::telemetry;
use crate::terminal::ask::TerminalAsker;
use crate::terminal::out::tell_line;
use crate::terminal::progress::Detail;
use crate::terminal::run_follower::{EndedRun, FollowedEnd, RunFollower, refused};
use crate::terminal::screen::{RunScreen, StderrForm, StdoutForm};
use crate::wiring::Wiring;

/// Largest message and largest context that are read: more than any model takes.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Runs that were cut off and are looked at before the user is told of them.
const UNFINISHED_MAX: usize = 3;

/// How long tools may take to stop when the user does not want to wait.
const KILL_MS: u64 = 500;

pub(crate) fn run(global: &GlobalArgs, mut args: RunArgs) -> Result<Exit> {
    let mut global = global.clone();
    let is_named = global.model.is_some() || args.module.is_some();
    let archive = match args.ephemeral {
        true => None,
        false => Some(SessionArchive::of_user(&global)?),
    };
    let old = match (&archive, &args.session) {
        (Some(archive), Some(wanted)) => wait_for(find_old(archive, wanted))??,
        (Some(_) | None, _) => None,
    };
    if let Some(row) = &old {
        // A session that a server began may have neither of its own.
        let own = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        args.module = args.module.take().or_else(|| module_below(&global, &row.begin.model));
        global.model = global.model.take().or_else(|| own(&row.begin.model));
        global.profile = global.profile.take().or_else(|| own(&row.begin.profile));
    }
    let mut wiring = Wiring::build(flags(&global, &args), &args.permission)?;
    let chosen = choose(&wiring.config)?;
    let models = Arc::new(OpenModels::of(&wiring, chosen, !args.no_tools)?);
    models.fit_usual(&mut wiring.config.profile)?;
    let prompt = read_prompt(&args.prompt)?;
    let script = wiring.config.script.as_ref();
    let is_mute = |script: &Script| ScriptedUser::new(script).next_message().is_none();
    if prompt.is_none() && script.is_none_or(is_mute) {
        return Err(CommandError::usage("there is no message to answer")
            .cure("windlass run \"What is in this folder?\""));
    }
    let wishes = wishes(&wiring, &mut args)?;
    let screen = screen(&global, &wiring, prompt.is_none());
    // An old session has a model of its own; what was named now counts for this time.
    let model = (is_named && old.is_some()).then(|| models.usual());
    let talk = Talk { prompt, wishes, script: script.filter(|_| old.is_none()), new_id: args.session, model };
    block_on(async {
        let is_kept = archive.is_some();
        let store = archive.as_ref().map_or_else(memory, |archive| Arc::clone(&archive.store));
        let host = wiring.host(Arc::clone(&store), models);
        let export = telemetry::start(&wiring.config, Arc::clone(&host) as Arc<dyn ServedPort>)?;
        let asker = TerminalAsker::new(wiring.can_ask);
        let mut follower =
            RunFollower::new(Arc::clone(&host) as Arc<dyn HostPort>, screen, asker, wiring.policies.clone())?
                .quiet(global.quiet)
                .kept(is_kept);
        if let Some(script) = script {
            follower = follower.with_user(ScriptedUser::new(script)).keeping_events();
        }
        if let (Some(archive), false) = (&archive, global.quiet || global.json) {
            tell_unfinished(archive).await?;
        }
        if let (Some(archive), Some(row)) = (&archive, &old) {
            let records = archive.records(&row.session_id).await?;
            follower.remember(&records);
        }
        let exit = talk.hold(&wiring, host.as_ref(), store.as_ref(), old, &mut follower).await?;
        if !follower.was_killed() {
            host.close().await.map_err(refused)?;
            export.finish().await;
        }
        Ok(exit)
    })
}

/// What the flags wish for the run.
fn wishes(wiring: &Wiring, args: &mut RunArgs) -> Result<RunWishes> {
    let script = wiring.config.script.as_ref();
    Ok(RunWishes {
        context: args.context.as_deref().map(read_context).transpose()?,
        tools_allowed: !args.no_tools
            && script.and_then(|script| script.header.tools_allowed).unwrap_or(true),
        tools: args.tools.as_deref().map(|names| known_tools(wiring, names)).transpose()?,
        sampling: Sampling {
            response_format: args.format.as_deref().map(answer_form::read).transpose()?,
            ..wiring.config.sampling_of_flags()
        },
        system: args.system.take(),
        tool_choice: args.tool_choice.as_deref().map(ToolChoice::of_word),
        // Not the mode that the session had elsewhere: whoever types this line knows what it says.
        approve: Some(wiring.config.approve),
        ..RunWishes::default()
    })
}

/// Tools by their own names; each must be there.
fn known_tools(wiring: &Wiring, names: &[String]) -> Result<Vec<String>> {
    let snapshot = wiring.registry.snapshot();
    let own = |name: &String| match snapshot.toolset.find(name) {
        Some(entry) => Ok(entry.spec.name.clone()),
        None => Err(unknown_tool(name, snapshot.toolset.names())),
    };
    names.iter().map(own).collect()
}

fn flags(global: &GlobalArgs, args: &RunArgs) -> Flags {
    Flags {
        global: global.clone(),
        module: args.module.clone(),
        steps_max: args.max_steps,
        calls_max: args.max_calls,
        tokens_max: args.max_tokens,
        cost_usd_max: args.max_cost,
        timeout_ms: args.timeout,
        effort: args.effort.clone(),
        temperature: args.temperature,
        top_p: args.top_p,
        seed: args.seed,
        output_tokens_max: args.max_output_tokens,
        ..Flags::default()
    }
}

/// A store that is gone with the process.
pub(crate) fn memory() -> Arc<dyn StorePort> {
    Arc::new(MemoryStore::new())
}

/// The session that is gone on with; none when a new one is named. What looks like an id must be one.
async fn find_old(archive: &SessionArchive, wanted: &str) -> Result<Option<SessionRow>> {
    if wanted.trim().is_empty() {
        return Err(CommandError::usage("the name of the session is empty").at("--session"));
    }
    let row = match archive.find_session(wanted).await? {
        Ok(row) => row,
        Err(_) if is_made(wanted) => return archive.session(wanted).await.map(Some),
        Err(_) => return Ok(None),
    };
    let query = RunQuery {
        session_id: Some(row.session_id.clone()),
        is_unfinished: true,
        rows_max: 1,
        ..RunQuery::default()
    };
    let unfinished = archive.store.runs(query).await.map_err(|failure| failed(&failure))?;
    let Some(run) = unfinished.first() else { return Ok(Some(row)) };
    Err(match archive.writer(&row.session_id).await? {
        Some(by) => CommandError::failed(format!("session {} is in use by {by}", row.session_id))
            .cure("wait for it, or stop that process"),
        None => CommandError::failed(format!("run {} of this session was interrupted", run.run_id))
            .cure(format!("windlass runs resume {}", run.run_id)),
    })
}

/// Whether it is an id of ours, or the beginning of one, and no name that somebody thought of.
fn is_made(wanted: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c) || c == '-';
    wanted.len() >= 8 && wanted.chars().all(is_part) && wanted.starts_with(|c: char| c.is_ascii_digit())
}

async fn tell_unfinished(archive: &SessionArchive) -> Result<()> {
    let rows = archive.unfinished(UNFINISHED_MAX).await?;
    let mut cut_off = Vec::new();
    for row in rows {
        // One that another process is busy with needs nobody.
        if archive.writer(&row.session_id).await?.is_none() {
            cut_off.push(row);
        }
    }
    if let Some(line) = unfinished_line(&cut_off) {
        tell_line(&line);
    }
    Ok(())
}

/// Runs a future to its end; tools that still run afterwards are stopped.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Runtime::new()
        .map_err(|error| CommandError::failed(format!("the runtime cannot be started: {error}")))?;
    let result = runtime.block_on(future);
    runtime.shutdown_timeout(Duration::from_millis(KILL_MS));
    result
}

/// What is said in a session.
struct Talk<'a> {
    prompt: Option<String>,
    wishes: RunWishes,
    /// The script, if what happens is to be held to it.
    script: Option<&'a Script>,
    /// What a new session is called.
    new_id: Option<String>,
    /// The model, where it is not the session's own.
    model: Option<String>,
}

impl Talk<'_> {
    /// Sends all messages, one after another; the exit code is that of the last run. A message of the
    /// command line stands for the first of the script, and the others are not said.
    async fn hold(
        mut self,
        wiring: &Wiring,
        host: &Host,
        store: &dyn StorePort,
        old: Option<SessionRow>,
        follower: &mut RunFollower,
    ) -> Result<Exit> {
        let is_played = self.prompt.is_none();
        let mut exit = Exit::Done;
        let mut session_id = old.map(|row| row.session_id);
        while let Some(text) = self.next_message(follower, is_played) {
            let session_id = match &session_id {
                Some(session_id) => session_id.clone(),
                None => session_id.insert(self.begin(wiring, host, store, &text).await?).clone(),
            };
            let wishes = self.wishes.clone();
            self.wishes.context = None;
            let message = Message::user(text);
            let start = RunStart {
                message,
                wishes,
                model: self.model.clone(),
                profile: None,
                executes_while_streaming: None,
            };
            let started = host.start_run(&session_id, start).await.map_err(refused)?;
            let FollowedEnd::Finished(ended) = follower.follow(&started).await? else {
                return Ok(Exit::Cancelled);
            };
            exit = ended.outcome.into();
            if follower.was_stopped() || is_at_odds(&ended) {
                return Ok(exit);
            }
        }
        match self.script {
            Some(script) if is_played || script.runs().len() == 1 => check(script, follower).map(|()| exit),
            Some(_) | None => Ok(exit),
        }
    }

    async fn begin(
        &self,
        wiring: &Wiring,
        host: &Host,
        store: &dyn StorePort,
        text: &str,
    ) -> Result<SessionId> {
        let config = &wiring.config;
        let model = host.models().await.map_err(refused)?;
        let usual = model.into_iter().find(|row| row.is_default).map(|row| row.name);
        let begin = NewSession {
            title: title_of(text).to_owned(),
            origin: "cli".to_owned(),
            root: config.root.display().to_string(),
            profile: config.profile.name.word().to_owned(),
            model: usual.unwrap_or_default(),
            ..NewSession::default()
        };
        let session_id = self.new_id.as_deref().map_or_else(new_session_id, SessionId::from);
        let created = store.create_session(&session_id, begin, Clock::system().now_ms()).await;
        created.map(|row| row.session_id).map_err(|failure| failed(&failure))
    }

    fn next_message(&mut self, follower: &mut RunFollower, is_played: bool) -> Option<String> {
        if is_played { follower.next_message() } else { self.prompt.take() }
    }
}

/// Whether the script itself does not fit what happened: the rest of it would not either.
fn is_at_odds(ended: &EndedRun) -> bool {
    ended.error.as_ref().is_some_and(|error| error.code == "script")
}

/// A script that says what must happen is held to it.
fn check(script: &Script, follower: &RunFollower) -> Result<()> {
    let events: Vec<&Event> = follower.seen().iter().map(|record| &record.event).collect();
    let mismatches = script.check_session(&events);
    let Some(first) = mismatches.first() else { return Ok(()) };
    let more = match mismatches.len() {
        1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    Err(CommandError::failed(format!("the script expected something else: {first}{more}")))
}

/// The message: words of the command line, or stdin.
fn read_prompt(words: &[String]) -> Result<Option<String>> {
    let text = match words {
        [] => return Ok(None),
        [dash] if dash == "-" => read_bounded(io::stdin().lock(), "stdin")?,
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        return Err(
            CommandError::usage("the message is empty").cure("windlass run \"What is in this folder?\"")
        );
    }
    Ok(Some(text))
}

fn read_context(path: &Path) -> Result<String> {
    let place = path.display().to_string();
    let file =
        std::fs::File::open(path).map_err(|error| CommandError::file(path, "read", &error).into_usage())?;
    read_bounded(file, &place)
}

/// Reads text, but not without end.
pub(crate) fn read_bounded(source: impl Read, place: &str) -> Result<String> {
    let mut bytes = Vec::new();
    source
        .take(TEXT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::usage(format!("{place} could not be read: {error}")))?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(CommandError::usage(format!("{place} has more than {TEXT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| CommandError::usage(format!("{place} is not UTF-8 text")))
}

pub(crate) fn screen(global: &GlobalArgs, wiring: &Wiring, is_played: bool) -> RunScreen {
    let detail = if global.verbose > 0 { Detail::Full } else { Detail::Usual };
    let telling = match (global.quiet, io::stderr().is_terminal()) {
        (true, _) => StderrForm::Silent,
        (false, _) if global.json && global.verbose == 0 => StderrForm::Silent,
        (false, true) => StderrForm::Live(detail),
        (false, false) => StderrForm::Lines(detail),
    };
    // In other dialects calls are text too, and only the end of a step shows what is the answer.
    let is_native = match wiring.config.profile.dialect {
        Dialect::Native => true,
        Dialect::Text | Dialect::Field => false,
    };
    let output = match (global.json, io::stdout().is_terminal() && is_native) {
        (true, _) => StdoutForm::Events,
        (false, true) => StdoutForm::LiveAnswer,
        (false, false) => StdoutForm::Answer,
    };
    RunScreen::new(output, telling, is_played).with_mode(wiring.config.approve)
}
