//! The operator's log: to stderr, and only when it is asked for. While the terminal app has the screen, it is held back.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::EnvFilter;

use crate::terminal::out::without_secrets;

/// The variable that chooses what is logged, such as `windlass_engine=debug`.
const VARIABLE: &str = "WINDLASS_LOG";

/// Most that is held back; what comes first says most.
const HELD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What is held back, while something is.
static HELD: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Starts the log if the environment or `-vv` asks for it.
pub(crate) fn start(verbose: u8) {
    let wish = std::env::var(VARIABLE).ok().filter(|wish| !wish.is_empty());
    let usual = match verbose {
        0 => None,
        1 => Some("warn"),
        2 => Some("info"),
        _ => Some("debug"),
    };
    let Some(wish) = wish.as_deref().or(usual) else { return };
    let has_colours = io::stderr().is_terminal() && console::colors_enabled_stderr();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(wish))
        .with_writer(|| Log)
        .with_ansi(has_colours)
        .init();
}

/// Lines that were held back, for whoever shows lines of its own between them.
pub(crate) fn take_lines() -> Vec<String> {
    let mut held = held();
    let Some(bytes) = held.as_mut() else { return Vec::new() };
    // A line that is being written waits for its end.
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
    let rest = bytes.split_off(end + 1);
    let whole = std::mem::replace(bytes, rest);
    String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
}

/// Holds the log back for as long as this lives, if it would go to the terminal.
pub(crate) struct Holding;

impl Holding {
    /// Holds it back wherever it goes: somebody takes its lines.
    pub(crate) fn lines() -> Self {
        held().get_or_insert_default();
        Self
    }

    /// Begins to hold it back.
    pub(crate) fn begin() -> Self {
        if io::stderr().is_terminal() {
            *held() = Some(Vec::new());
        }
        Self
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        if let Some(bytes) = held().take() {
            // Nobody reads a log on a terminal that is gone.
            let _ = io::stderr().write_all(&bytes);
        }
    }
}

fn held() -> std::sync::MutexGuard<'static, Option<Vec<u8>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where lines of the log go.
struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let clean = without_secrets(&String::from_utf8_lossy(bytes));
        match held().as_mut() {
            Some(held) => {
                if held.len() + clean.len() <= HELD_BYTES_MAX {
                    held.extend_from_slice(clean.as_bytes());
                }
            }
            None => io::stderr().write_all(clean.as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
