//! `cargo xtask`: the commands the house keeps itself in order with.
//!
//! Owns the command line and nothing else; each task has a file of its own. No task knows a windlass crate: they read
//! the checkout as text, so they work while the code does not compile.

mod api;
mod bench;
mod checkout;
mod client_sets;
mod clients;
mod compare_local;
mod eval_builtin;
mod eval_search;
mod invocation;
mod load;
mod local_load;
mod pane;
mod peers;
mod picture;
mod requirements;
mod rust_source;
mod search_load;
mod served;
mod system_package;
mod terminal_load;
mod test;
mod tidy;
mod toolbox;
mod web;

use std::process::ExitCode;

use clap::Parser;

/// The house's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
enum Task {
    /// Run every check, in order, and stop at the first that fails
    Test(test::Options),
    /// Enforce the walls and budgets of the house
    Tidy(tidy::Options),
    /// Count the requirements that a named test proves
    Requirements(requirements::Options),
    /// Run the benchmarks and collect their figures
    Bench(bench::Options),
    /// Measure how well searching finds
    EvalSearch(eval_search::Options),
    /// Measure how well the built-in model calls
    EvalBuiltin(eval_builtin::Options),
    /// Compare models in the process with llama.cpp
    CompareLocal(compare_local::Options),
    /// Take pictures of every page and state of the web app
    Screenshots(web::ScreenshotOptions),
    /// Film the terminal app for the README
    Picture,
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> anyhow::Result<()> {
    let root = checkout::find_root(&std::env::current_dir()?)?;
    match task {
        Task::Test(options) => test::run(&root, &options),
        Task::Tidy(options) => tidy::run(&root, &options),
        Task::Requirements(options) => requirements::run(&root, &options),
        Task::Bench(options) => bench::run(&root, &options),
        Task::EvalSearch(options) => eval_search::run(&root, &options),
        Task::EvalBuiltin(options) => {
            eval_builtin::run(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        Task::CompareLocal(options) => {
            compare_local::run(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        Task::Screenshots(options) => {
            web::take_screenshots(&root, &checkout::read_workspace(&root)?.target_folder, &options)
        }
        Task::Picture => picture::run(&root, &checkout::read_workspace(&root)?.target_folder),
    }
}
