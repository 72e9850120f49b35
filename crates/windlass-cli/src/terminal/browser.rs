//! Opens the web app in a browser: the one that `BROWSER` names, else the system's.
//!
//! Knows nothing of servers but where one is. That no browser is there is worth a note, no more.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::providers::child_environment::of_desktop_program;
use crate::terminal::out::warn;

/// A program that fails later than this was a browser that somebody used and closed.
const OPENING: Duration = Duration::from_secs(10);

/// The place of the URL in a command of `BROWSER`.
const URL_MARK: &str = "%s";

/// Opens a link; the URL is what is shown of it.
pub(crate) fn open(link: &str, url: String) {
    let commands = commands(std::env::var("BROWSER").ok().as_deref(), link);
    // Some browsers stay until they are closed.
    thread::spawn(move || {
        if let Err(why) = try_each(commands) {
            warn(&format!(
                "no browser could be opened ({why}); open {url} yourself, or name a browser in BROWSER"
            ));
        }
    });
}

/// The commands to try: those of `BROWSER`, separated by colons as everywhere, then the system's own.
fn commands(named: Option<&str>, url: &str) -> Vec<Vec<String>> {
    let usual = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let named = named.unwrap_or_default().split(':').filter(|command| !command.trim().is_empty());
    named
        .chain([usual])
        .map(|command| {
            let mut words: Vec<String> =
                command.split_whitespace().map(|word| word.replace(URL_MARK, url)).collect();
            if !command.contains(URL_MARK) {
                words.push(url.to_owned());
            }
            words
        })
        .collect()
}

fn try_each(commands: Vec<Vec<String>>) -> Result<(), String> {
    let mut failures = Vec::new();
    for words in commands {
        let Some((program, args)) = words.split_first() else { continue };
        match run(program, args) {
            Ok(()) => return Ok(()),
            Err(why) => failures.push(format!("{program}: {why}")),
        }
    }
    Err(failures.join("; "))
}

fn run(program: &str, args: &[String]) -> Result<(), String> {
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(of_desktop_program())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Ctrl-C is for the server, not for the browser.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let begun = Instant::now();
    let ended = command.spawn().and_then(|mut child| child.wait()).map_err(|error| error.to_string())?;
    if ended.success() || begun.elapsed() > OPENING { Ok(()) } else { Err(ended.to_string()) }
}

#[cfg(test)]
#[path = "browser_tests.rs"]
mod tests;
