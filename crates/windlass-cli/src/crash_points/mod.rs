//! Places at which a test build kills itself, a tool that counts what it did, and one that makes calls.
//!
//! Only in builds with the feature `crash-points`, which nothing but the crash tests asks for.
//! `CRASH_AT=N:before` (or `:after`) dies at the N-th write to the store, counted from 1;
//! `CRASH_IN=CALL_ID:before` (or `:after`) in the middle of a call, before or after what it does; `CRASH_IN=TOOL:…` in
//! the first call of a tool, also where another tool made it. `CRASH_TOOLS` adds the tools. With `CRASH_BY=panic` the terminal app answers a signal with a panic.

mod append_line;
mod pass_on;
mod store;
mod tool;

use rustix::process::{Signal, getpid, kill_process};

pub(crate) use self::store::mortal_store;
pub(crate) use self::tool::mortal_tools;

/// Where a variable wants the process to die: a name, and whether after it.
fn place(variable: &str) -> Option<(String, bool)> {
    let said = std::env::var(variable).ok()?;
    let (name, side) = said.split_once(':')?;
    Some((name.to_owned(), side == "after"))
}

/// Panics where the terminal app would have ended by a signal.
pub(crate) fn panic_if_wanted() {
    #[expect(clippy::panic, reason = "it is what the test wants to see")]
    if std::env::var("CRASH_BY").is_ok_and(|how| how == "panic") {
        std::panic::panic_any("wanted by a test");
    }
}

fn die() {
    // Nobody can be told when even this fails.
    let _ = kill_process(getpid(), Signal::KILL);
}
