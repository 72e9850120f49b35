//! The binary `windlass`: reads the command line and the configuration, wires the house, runs a command.
//!
//! The only part of the house that knows all others, the environment and the home folder.
//!
//! # Layout
//!
//! - `args`, `config`: what was typed, and what it means together with files and the environment
//! - `commands`: what each command does
//! - `wiring`: settings become tools, rules and sessions; `providers`: models; `project`: store, index, modules, scripts
//! - `terminal`: the person at the terminal
//! - `trust`: whether what a folder brings counts
//! - `telemetry`: what goes to an OpenTelemetry collector
//! - `complaint`, `exit`: how a command fails
//! - `process_guard`: other programs of the same user read nothing of this one
//! - `crash_points`: where a build for crash tests kills itself

mod args;
mod commands;
mod complaint;
mod config;
#[cfg(feature = "crash-points")]
mod crash_points;
mod exit;
mod process_guard;
mod project;
mod providers;
mod telemetry;
mod terminal;
mod trust;
mod wiring;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{CliCommand, CommandLine};
use crate::complaint::{CommandError, Result};
use crate::config::{Folders, private};
use crate::exit::Exit;

/// Calls are many small allocations: with this allocator a checked call costs about an eighth less.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before all else: inside a sandbox this program is only the door to a command.
    if let Some(code) = windlass_tools::sandbox_helper(std::env::args_os().skip(1)) {
        return ExitCode::from(code);
    }
    // And here it is only the reader of one PDF.
    if let Some(code) = windlass_search::pdf_helper(std::env::args_os().skip(1)) {
        return ExitCode::from(code);
    }
    // Before anything is read that is secret.
    if let Err(why) = process_guard::close() {
        terminal::out::warn(&format!("other programs of yours may be able to read this one's memory: {why}"));
    }
    let args = CommandLine::of_process();
    terminal::log::start(args.global.verbose);
    let exit = dispatch(args).unwrap_or_else(|complaint| {
        terminal::out::complain(&complaint.to_string());
        complaint.exit()
    });
    exit.into()
}

fn dispatch(args: CommandLine) -> Result<Exit> {
    let CommandLine { global, app, command } = args;
    if command.is_some() && (app.session.is_some() || app.resume_last || app.approve.is_some()) {
        let what = "--session, --continue and --approve are for the terminal app; they cannot stand before a command";
        return Err(CommandError::usage(what).cure("windlass run --session ID \"…\""));
    }
    // Whichever command it is. A home that is not known is complained of by those who need it.
    let folders = Folders::of_user(global.config.as_deref(), global.data.as_deref());
    if let Some(warning) = folders.ok().as_ref().and_then(private::close)
        && !global.quiet
    {
        terminal::out::warn(&warning);
    }
    match command {
        Some(CliCommand::Run(run)) => commands::run::run(&global, run),
        Some(CliCommand::Serve(args)) => commands::serve::run(&global, &args),
        Some(CliCommand::Attach(args)) => commands::attach::run(&global, &args),
        Some(CliCommand::Token(args)) => commands::token::run(&global, &args),
        Some(CliCommand::Secrets(command)) => commands::secrets::run(&global, command),
        Some(CliCommand::Sessions(command)) => commands::sessions::run(&global, command),
        Some(CliCommand::Runs(command)) => commands::runs::run(&global, command),
        Some(CliCommand::Search(args)) => commands::search::run(&global, &args),
        Some(CliCommand::Index { command }) => commands::index::run(&global, command),
        Some(CliCommand::Tools(command)) => commands::tools::run(&global, command),
        Some(CliCommand::Modules(command)) => commands::modules::run(&global, command),
        Some(CliCommand::Models(command)) => commands::models::run(&global, command),
        Some(CliCommand::Policy(command)) => commands::policy::run(&global, command),
        Some(CliCommand::Trust { command }) => commands::trust::run(&global, command),
        Some(CliCommand::Sandbox(command)) => commands::sandbox::run(&global, &command),
        Some(CliCommand::Config(command)) => commands::config::run(&global, &command),
        Some(CliCommand::Completions { shell }) => commands::completions::run(shell),
        None if commands::app::has_terminal() => commands::app::run(&global, &app),
        None => {
            terminal::out::print(&CommandLine::command().render_help().to_string())?;
            Ok(Exit::Done)
        }
    }
}
