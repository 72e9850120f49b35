//! Other programs of the same user, commands of tools above all, read nothing of this process: not its environment, not its
//! memory, not what it leaves when it crashes.
//!
//! A child with a clean environment could else read its parent's in `/proc/PID/environ`. A child program begins anew: it is no
//! less open than without us.

use std::io;

/// Closes this process.
pub(crate) fn close() -> io::Result<()> {
    #[cfg(unix)]
    leave_no_core()?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// An image of a process that crashed has every key in it.
#[cfg(unix)]
fn leave_no_core() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    Ok(setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?)
}
