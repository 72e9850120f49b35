//! The binary `windlass`: reads the command line and the configuration, wires the house, runs a command.
//!
//! The only part of the house that knows all others, the environment and the home folder.
//!
//! # Layout
//!
//! - `args`, `config`: what was typed, and what it means together with files and the environment
//! - `wiring`, `model_choice`, `provider`, `diagnosis`: settings become tools, rules, models, sessions
//! - `telemetry`: what goes to an OpenTelemetry collector
//! - `key_source`, `key_command`, `keyring`: where keys are
//! - `archive`, `conversation`, `open_models`: what was kept, how it is told, and models for a host
//! - `project_index`, `embedder`: the index of the project, opened when it is needed, and who makes its vectors
//! - `eval`, `models_eval`: how well a model calls; `pulled`, `part_file`, `models_pull`: model files of the data folder
//! - `module_shelf`, `script_tools`: modules and Rhai tools of the project and of the user; `modules_cmd`: their commands
//! - `app`, `desk`: the terminal app and what lies around it
//! - `run`, `serve`, `sessions`, `runs`, `going_on`, `apply`, `search_cmd`, `index_cmd`, `tools`, `models`, `policy`, `config_cmd`, `completions`: the commands, one file each
//! - `front`: one run as a person at a terminal or a script sees it; `screen`, `progress`, `live` show it,
//!   `asker`, `prompt` ask, `signals` stop
//! - `complaint`, `exit`, `out`, `quote`, `short_line`, `table`, `nearest`, `duration`: how things are said

mod answer_form;
mod app;
mod apply;
mod archive;
mod args;
mod asker;
mod attach;
mod browser;
mod complaint;
mod completions;
mod config;
mod config_cmd;
mod conversation;
#[cfg(feature = "crash-points")]
mod crash_points;
mod desk;
mod diagnosis;
mod documents_cmd;
mod duration;
mod embedder;
mod eval;
mod exit;
mod front;
mod going_on;
mod index_cmd;
mod key_command;
mod key_source;
mod keyring;
mod live;
mod local_models;
mod lock_wait;
mod log;
mod model_choice;
mod models;
mod models_doctor;
mod models_eval;
mod models_key;
mod models_list;
mod models_pull;
mod module_shelf;
mod modules_cmd;
mod nearest;
mod open_models;
mod out;
mod part_file;
mod policy;
mod progress;
mod project_index;
mod prompt;
mod provider;
mod pulled;
mod quote;
mod remote;
mod run;
mod runs;
mod screen;
mod script_tools;
mod search_cmd;
mod serve;
mod sessions;
mod short_line;
mod signals;
mod step;
mod table;
mod telemetry;
mod token;
mod tools;
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
    log::start(args.global.verbose);
    let exit = dispatch(args).unwrap_or_else(|complaint| {
        out::complain(&complaint.to_string());
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
        Some(Command::Run(run)) => run::run(&global, run),
        Some(Command::Serve(args)) => serve::run(&global, &args),
        Some(Command::Attach(args)) => attach::run(&global, &args),
        Some(Command::Sessions(command)) => sessions::run(&global, command),
        Some(Command::Runs(command)) => runs::run(&global, command),
        Some(Command::Search(args)) => search_cmd::run(&global, &args),
        Some(Command::Index { command }) => index_cmd::run(&global, command),
        Some(Command::Tools(command)) => tools::run(&global, command),
        Some(Command::Modules(command)) => modules_cmd::run(&global, command),
        Some(Command::Models(command)) => models::run(&global, command),
        Some(Command::Policy(command)) => policy::run(&global, command),
        Some(Command::Config(command)) => config_cmd::run(&global, &command),
        Some(Command::Completions { shell }) => completions::run(shell),
        None if app::has_terminal() => app::run(&global, &app),
        None => {
            out::print(&Args::command().render_help().to_string())?;
            Ok(Exit::Done)
        }
    }
}
