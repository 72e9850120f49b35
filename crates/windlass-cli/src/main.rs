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
//! - `telemetry`: what goes to an OpenTelemetry collector
//! - `complaint`, `exit`: how a command fails
//! - `crash_points`: where a build for crash tests kills itself

mod args;
mod commands;
mod complaint;
mod config;
#[cfg(feature = "crash-points")]
mod crash_points;
mod exit;
mod project;
mod providers;
mod telemetry;
mod terminal;
mod wiring;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Args, Command};
use crate::complaint::{Complaint, Result};
use crate::exit::Exit;

/// Calls are many small allocations: with this allocator a checked call costs about an eighth less.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::of_process();
    terminal::log::start(args.global.verbose);
    let exit = dispatch(args).unwrap_or_else(|complaint| {
        terminal::out::complain(&complaint.to_string());
        complaint.exit()
    });
    exit.into()
}

fn dispatch(args: Args) -> Result<Exit> {
    let Args { global, app, command } = args;
    if command.is_some() && (app.session.is_some() || app.resume_last || app.approve.is_some()) {
        let what = "--session, --continue and --approve of the terminal app stand before no command";
        return Err(Complaint::usage(what).cure("windlass run --session ID \"…\""));
    }
    match command {
        Some(Command::Run(run)) => commands::run::run(&global, run),
        Some(Command::Serve(args)) => commands::serve::run(&global, &args),
        Some(Command::Attach(args)) => commands::attach::run(&global, &args),
        Some(Command::Sessions(command)) => commands::sessions::run(&global, command),
        Some(Command::Runs(command)) => commands::runs::run(&global, command),
        Some(Command::Search(args)) => commands::search::run(&global, &args),
        Some(Command::Index { command }) => commands::index::run(&global, command),
        Some(Command::Tools(command)) => commands::tools::run(&global, command),
        Some(Command::Modules(command)) => commands::modules::run(&global, command),
        Some(Command::Models(command)) => commands::models::run(&global, command),
        Some(Command::Policy(command)) => commands::policy::run(&global, command),
        Some(Command::Config(command)) => commands::config::run(&global, &command),
        Some(Command::Completions { shell }) => commands::completions::run(shell),
        None if commands::app::has_terminal() => commands::app::run(&global, &app),
        None => {
            terminal::out::print(&Args::command().render_help().to_string())?;
            Ok(Exit::Done)
        }
    }
}
