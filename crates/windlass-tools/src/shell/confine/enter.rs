//! The helper: what the program itself does when it stands inside a sandbox.
//!
//! Inside bubblewrap it makes sure that the command begins in the very folder that was held open outside, whatever was put in
//! its place meanwhile (U-6), and becomes the command. For a probe it does deeds.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;

/// The first word of a helper that goes on to a command.
pub(crate) const ENTER: &str = "confine-enter";

/// The first word of a helper that does deeds.
pub(crate) const DEED: &str = "confine-deed";

/// How the helper ends where the command did not begin: what a shell says of a program that cannot be started.
const NOT_STARTED: u8 = 126;

/// What a program does first that is named as the helper of a sandbox: `arguments` are those after its own name. None where it
/// was not called as one; else how it ends, unless it has become the command.
pub fn sandbox_helper(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter();
    match arguments.next()?.to_str()? {
        ENTER => Some(enter(arguments)),
        #[cfg(target_os = "linux")]
        DEED => Some(super::deeds::run(arguments)),
        _ => None,
    }
}

fn enter(mut arguments: impl Iterator<Item = OsString>) -> u8 {
    let (Some(place), Some(program)) = (arguments.next(), arguments.next()) else {
        return refuse("the helper was called without a folder and a command");
    };
    let here = std::fs::metadata(".").map(|facts| format!("{}:{}", facts.dev(), facts.ino()));
    if here.ok().map(OsString::from) != Some(place) {
        return refuse("the folder of the command was replaced while it was started; nothing was run");
    }
    // Returns only where it fails.
    let error = std::process::Command::new(&program).args(arguments).exec();
    refuse(&format!("'{}' could not be started: {error}", program.to_string_lossy()))
}

fn refuse(words: &str) -> u8 {
    // Nobody is left to tell where this fails.
    let _ = writeln!(std::io::stderr(), "windlass: {words}");
    NOT_STARTED
}
