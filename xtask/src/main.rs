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
    /// Compare models in the process with llama.cpp
    CompareLocal(compare_local::CompareOptions),
    /// Take pictures of every page and state of the web app
    Screenshots(web::ScreenshotOptions),
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
        XtaskCommand::Picture => picture::run(&root, &checkout::read_workspace(&root)?.target_folder),
    }
}
