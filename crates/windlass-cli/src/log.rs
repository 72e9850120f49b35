//! The operator's log: to stderr, and only when it is asked for.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// The variable that chooses what is logged, such as `windlass_engine=debug`.
const VARIABLE: &str = "WINDLASS_LOG";

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
    let has_colours = std::io::stderr().is_terminal() && console::colors_enabled_stderr();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(wish))
        .with_writer(std::io::stderr)
        .with_ansi(has_colours)
        .init();
}
