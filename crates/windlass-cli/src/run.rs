//! `windlass run`: one message, or all messages of a script.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use tokio::runtime::Runtime;
use windlass_core::command::MessageSend;
use windlass_core::event::Event;
use windlass_core::ids::SessionId;
use windlass_core::model::Sampling;
use windlass_core::profile::Dialect;
use windlass_core::run::{Finished, RunError};
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_models::Target;
use windlass_scripted::{Script, ScriptedUser};

use crate::args::{GlobalArgs, RunArgs};
use crate::asker::Asker;
use crate::complaint::{Complaint, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::front::{Ending, Front};
use crate::model_choice::choose;
use crate::progress::Detail;
use crate::screen::{Output, Screen, Telling};
use crate::wiring::House;

/// Largest message and largest context that are read: more than any model takes.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// How long tools may take to stop when the user does not want to wait.
const KILL_MS: u64 = 500;

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, args: RunArgs) -> Result<Exit> {
    let flags = Flags {
        global: global.clone(),
        steps_max: args.max_steps,
        timeout_ms: args.timeout,
        effort: args.effort.clone(),
        temperature: args.temperature,
        output_tokens_max: args.max_output_tokens,
        ..Flags::default()
    };
    let mut house = House::build(flags, &args.permission)?;
    let chosen = choose(&house.config)?;
    chosen.fit(&mut house.config.profile, !args.no_tools)?;
    let prompt = read_prompt(&args.prompt)?;
    let script = house.config.script.as_ref();
    let is_mute = |script: &Script| ScriptedUser::new(script).next_message().is_none();
    if prompt.is_none() && script.is_none_or(is_mute) {
        return Err(Complaint::usage("there is no message to answer")
            .cure("windlass run \"What is in this folder?\""));
    }
    let talk = Talk {
        prompt,
        context: args.context.as_deref().map(read_context).transpose()?,
        tools_allowed: !args.no_tools
            && script.and_then(|script| script.header.tools_allowed).unwrap_or(true),
        sampling: house.config.sampling(),
        script,
    };
    let session_id = session_id(args.session)?;
    let screen = screen(global, &house, talk.prompt.is_none());
    let context_tokens = chosen.target.as_ref().and_then(Target::context_tokens);
    let parts = house.session_parts(session_id, chosen.model, context_tokens);
    let asker = Asker::new(house.can_ask);
    block_on(async {
        let mut front = Front::start(parts, screen, asker, global.quiet)?;
        if let Some(script) = script {
            front = front.with_user(ScriptedUser::new(script)).keeping_events();
        }
        talk.hold(&mut front).await
    })
}

/// Runs a future to its end; tools that still run afterwards are stopped.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Runtime::new()
        .map_err(|error| Complaint::failed(format!("the runtime cannot be started: {error}")))?;
    let result = runtime.block_on(future);
    runtime.shutdown_timeout(Duration::from_millis(KILL_MS));
    result
}

/// What is said in a session.
struct Talk<'a> {
    prompt: Option<String>,
    context: Option<String>,
    tools_allowed: bool,
    sampling: Sampling,
    script: Option<&'a Script>,
}

impl Talk<'_> {
    /// Sends all messages, one after another; the exit code is that of the last run. A message of the
    /// command line stands for the first of the script, and the others are not said.
    async fn hold(mut self, front: &mut Front) -> Result<Exit> {
        let is_played = self.prompt.is_none();
        let mut exit = Exit::Done;
        while let Some(text) = self.next_message(front, is_played) {
            let mut send = MessageSend::text(new_run_id(), new_message_id(), text);
            send.context = self.context.take();
            send.tools_allowed = self.tools_allowed;
            send.sampling = self.sampling.clone();
            let Ending::Finished(finished) = front.run(send).await? else { return Ok(Exit::Cancelled) };
            exit = finished.outcome.into();
            if front.was_stopped() || is_at_odds(&finished) {
                return Ok(exit);
            }
        }
        match self.script {
            Some(script) if is_played || script.runs().len() == 1 => check(script, front).map(|()| exit),
            Some(_) | None => Ok(exit),
        }
    }

    fn next_message(&mut self, front: &mut Front, is_played: bool) -> Option<String> {
        if is_played { front.next_message() } else { self.prompt.take() }
    }
}

/// Whether the script itself does not fit what happened: the rest of it would not either.
fn is_at_odds(finished: &Finished) -> bool {
    matches!(&finished.error, Some(RunError::Model(failure)) if failure.code == "script")
}

/// A script that says what must happen is held to it.
fn check(script: &Script, front: &Front) -> Result<()> {
    let events: Vec<&Event> = front.seen().iter().map(|record| &record.event).collect();
    let mismatches = script.check_session(&events);
    let Some(first) = mismatches.first() else { return Ok(()) };
    let more = match mismatches.len() {
        1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    Err(Complaint::failed(format!("the script expected something else: {first}{more}")))
}

/// The message: words of the command line, or stdin.
fn read_prompt(words: &[String]) -> Result<Option<String>> {
    let text = match words {
        [] => return Ok(None),
        [dash] if dash == "-" => read_bounded(io::stdin().lock(), "stdin")?,
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        return Err(Complaint::usage("the message is empty").cure("windlass run \"What is in this folder?\""));
    }
    Ok(Some(text))
}

fn read_context(path: &Path) -> Result<String> {
    let place = path.display().to_string();
    let file =
        std::fs::File::open(path).map_err(|error| Complaint::file(path, "read", &error).into_usage())?;
    read_bounded(file, &place)
}

/// Reads text, but not without end.
pub(crate) fn read_bounded(source: impl Read, place: &str) -> Result<String> {
    let mut bytes = Vec::new();
    source
        .take(TEXT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Complaint::usage(format!("{place} could not be read: {error}")))?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(Complaint::usage(format!("{place} has more than {TEXT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Complaint::usage(format!("{place} is not UTF-8 text")))
}

fn session_id(wish: Option<String>) -> Result<SessionId> {
    match wish {
        None => Ok(new_session_id()),
        Some(name) if name.trim().is_empty() => {
            Err(Complaint::usage("the name of the session is empty").at("--session"))
        }
        Some(name) => Ok(SessionId::from(name)),
    }
}

fn screen(global: &GlobalArgs, house: &House, is_played: bool) -> Screen {
    let detail = if global.verbose > 0 { Detail::Full } else { Detail::Usual };
    let telling = match (global.quiet, io::stderr().is_terminal()) {
        (true, _) => Telling::Silent,
        (false, _) if global.json && global.verbose == 0 => Telling::Silent,
        (false, true) => Telling::Live(detail),
        (false, false) => Telling::Lines(detail),
    };
    // In other dialects calls are text too, and only the end of a step shows what is the answer.
    let is_native = match house.config.profile.dialect {
        Dialect::Native => true,
        Dialect::Text | Dialect::Field => false,
    };
    let output = match (global.json, io::stdout().is_terminal() && is_native) {
        (true, _) => Output::Events,
        (false, true) => Output::LiveAnswer,
        (false, false) => Output::Answer,
    };
    Screen::new(output, telling, is_played)
}
