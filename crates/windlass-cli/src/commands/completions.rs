//! `windlass completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::complaint::Result;
use crate::exit::Exit;
use crate::terminal::out::print;

/// Prints the completions of a shell.
pub(crate) fn run(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "windlass", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
