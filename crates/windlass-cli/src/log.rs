//! The operator's log: to stderr, and only when it is asked for. While the terminal app has the screen, it is held back.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::EnvFilter;

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

/// Holds the log back for as long as this lives, if it would go to the terminal.
pub(crate) struct Holding;

impl Holding {
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
        match held().as_mut() {
            Some(held) => {
                if held.len() + bytes.len() <= HELD_BYTES_MAX {
                    held.extend_from_slice(bytes);
                }
                Ok(bytes.len())
            }
            None => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
