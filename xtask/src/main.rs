//! `cargo xtask`: the commands the house keeps itself in order with.
//!
//! Owns the command line and nothing else; each task has a file of its own. No task knows a windlass crate: they read
//! the checkout as text, so they work while the code does not compile.
//!
//! - `agentdojo`: what a model that obeys every injected text can still do
//! - `api`: a fuzzer asks everything that the API document allows, and much that it does not
//! - `bench`: runs the benchmarks and keeps the figures they print
//! - `checkout`: its root, its files as git would track them, and its packages as cargo sees them
//! - `client_sets`: clients that others wrote: which ones, at which versions, and how they come into `target/xtask-tools`
//! - `clients`: programs that nobody here wrote drive the server, and must find what they expect
//! - `compare_local`: models in the process against llama.cpp, token by token and score by score
//! - `eval_builtin`: how well the built-in model calls, on requests it was never trained on
//! - `eval_search`: how well searching finds, on public collections and on this project
//! - `features`: the library compiles with each of its features alone, with none and with all
//! - `command_line`: what to run, how to print it so that a person can repeat it, and how to run it
//! - `pane`: a pane of tmux with the app in it, in a home and a project of its own: keys in, the screen out
//! - `picture`: the terminal app, filmed while it plays a script on real tools, as an SVG that moves
//! - `requirements`: which statements of `docs/requirements.md` a named test proves
//! - `rust_source`: a Rust file seen three ways: its syntax tree, its tokens and its comments
//! - `semver`: programs that were written against the library still compile
//! - `server_process`: servers for the suites: the emulator of a provider, and `windlass serve` in front of it
//! - `system_package`: programs that the system's own packages bring
//! - `test`: every check of the house, in order, until one fails
//! - `tidy`: the walls and budgets of the house, as checks
//! - `toolbox`: tools the checks need that cargo does not bring: found with the pinned version, or fetched once
//! - `web`: the web app is typed, linted, tested, and committed as it is built

mod agentdojo;
mod api;
mod bench;
mod checkout;
mod client_sets;
mod clients;
mod command_line;
mod compare_local;
mod eval_builtin;
mod eval_search;
mod features;
mod pane;
mod picture;
mod requirements;
mod rust_source;
mod semver;
mod server_process;
mod system_package;
mod test;
mod tidy;
mod toolbox;
mod web;

use std::process::ExitCode;

use clap::Parser;

/// The house's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
enum XtaskCommand {
    /// Run every check, in order, and stop at the first that fails
    Test(test::TestOptions),
    /// Enforce the walls and budgets of the house
    Tidy(tidy::TidyOptions),
    /// Count the requirements that a named test proves
    Requirements(requirements::RequirementsOptions),
    /// Run the benchmarks and collect their figures
    Bench(bench::BenchOptions),
    /// Measure how well searching finds
    EvalSearch(eval_search::EvalSearchOptions),
    /// Measure how well the built-in model calls
    EvalBuiltin(eval_builtin::EvalBuiltinOptions),
    /// Measure what a model that obeys every injected text can still do
    Agentdojo(agentdojo::AgentdojoOptions),
    /// Compare models in the process with llama.cpp
    CompareLocal(compare_local::CompareLocalOptions),
    /// Take pictures of every page and state of the web app
    Screenshots(web::ScreenshotOptions),
    /// Compile the library with each feature alone, with none and with all
    Features,
    /// Compare what the library offers with what it offered before
    Semver,
    /// Film the terminal app for the README
    Picture,
}

fn main() -> ExitCode {
    match run(XtaskCommand::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: XtaskCommand) -> anyhow::Result<()> {
    let root = checkout::find_root(&std::env::current_dir()?)?;
    match task {
        XtaskCommand::Test(options) => test::run(&root, &options),
        XtaskCommand::Tidy(options) => tidy::run(&root, &options),
        XtaskCommand::Requirements(options) => requirements::run(&root, &options),
        XtaskCommand::Bench(options) => bench::run(&root, &options),
        XtaskCommand::Agentdojo(options) => {
            agentdojo::run(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        XtaskCommand::EvalSearch(options) => eval_search::run(&root, &options),
        XtaskCommand::EvalBuiltin(options) => {
            eval_builtin::run(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        XtaskCommand::CompareLocal(options) => {
            compare_local::run(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        XtaskCommand::Screenshots(options) => {
            web::take_screenshots(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        XtaskCommand::Features => features::run(&root),
        XtaskCommand::Semver => semver::run(&root, &checkout::read_workspace(&root)?.target_folder),
        XtaskCommand::Picture => picture::run(&root, &checkout::read_workspace(&root)?.target_folder),
    }
}
