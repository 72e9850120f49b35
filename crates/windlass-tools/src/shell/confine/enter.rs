//! The helper: what the program itself does when it stands inside a sandbox.
//!
//! Inside bubblewrap it makes sure that the command begins in the very folder that was held open outside, whatever was put in
//! its place meanwhile (U-6), and becomes the command. Where the command may reach hosts, it makes the listener of the proxy first
//! and hands it out. For a probe it does deeds.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;

use crate::shell::proxy::handover;

/// The first word of a helper that goes on to a command.
pub(crate) const ENTER: &str = "confine-enter";

/// The same where the command may reach hosts: its input is the way by which the listener of the proxy goes out.
pub(crate) const ENTER_REACHING: &str = "confine-enter-reaching";

/// The first word of a helper that does deeds.
pub(crate) const DEED: &str = "confine-deed";

/// Variables that name a proxy.
const PROXY_NAMES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// Variables that say what is reached without it: servers that the command itself starts.
const OWN_NAMES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// How the helper ends where the command did not begin: what a shell says of a program that cannot be started.
const NOT_STARTED: u8 = 126;

/// What a program does first that is named as the helper of a sandbox: `arguments` are those after its own name. None where it
/// was not called as one; else how it ends, unless it has become the command.
pub fn sandbox_helper(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter();
    match arguments.next()?.to_str()? {
        ENTER => Some(enter(arguments, false)),
        ENTER_REACHING => Some(enter(arguments, true)),
        #[cfg(target_os = "linux")]
        DEED => Some(super::deeds::run(arguments)),
        _ => None,
    }
}

fn enter(mut arguments: impl Iterator<Item = OsString>, is_reaching: bool) -> u8 {
    let (Some(place), Some(program)) = (arguments.next(), arguments.next()) else {
        return refuse("the helper was called without a folder and a command");
    };
    let here = std::fs::metadata(".").map(|facts| format!("{}:{}", facts.dev(), facts.ino()));
    if here.ok().map(OsString::from) != Some(place) {
        return refuse("the folder of the command was replaced while it was started; nothing was run");
    }
    let mut command = std::process::Command::new(&program);
    command.args(arguments);
    if is_reaching {
        match handover::hand_over() {
            Ok(port) => command.envs(proxy_variables(port)),
            Err(error) => {
                return refuse(&format!("the sandbox has no way to the hosts that were granted: {error}"));
            }
        };
    }
    // Returns only where it fails.
    let error = command.exec();
    refuse(&format!("'{}' could not be started: {error}", program.to_string_lossy()))
}

/// How programs are told of the proxy: in both spellings, since some know only one.
fn proxy_variables(port: u16) -> impl Iterator<Item = (&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let told = PROXY_NAMES.into_iter().map(move |name| (name, proxy.clone()));
    let own = OWN_NAMES.into_iter().map(|name| (name, "localhost,127.0.0.1,::1".to_owned()));
    // Node reads the others only if it is told to.
    told.chain(own).chain([("NODE_USE_ENV_PROXY", "1".to_owned())])
}

fn refuse(words: &str) -> u8 {
    // Nobody is left to tell where this fails.
    let _ = writeln!(std::io::stderr(), "windlass: {words}");
    NOT_STARTED
}
