//! A pane of tmux: a real pseudo-terminal with a shell in it, keys in, the screen out.
//!
//! The shell stays when the app has gone, so that what it left of the terminal can be looked at.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::lifeline::PATIENCE;
use crate::place::Place;

/// How often the screen is looked at while something is waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Panes that were opened: each has a tmux server of its own.
static PANES: AtomicU32 = AtomicU32::new(0);

/// The program; another one can be named.
fn program() -> String {
    std::env::var("TMUX_PROGRAM").unwrap_or_else(|_| "tmux".to_owned())
}

/// A pane; its tmux server ends with it.
pub(crate) struct Pane {
    socket: String,
}

/// What a terminal is like, beside what is on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manners {
    /// Every setting of the line discipline.
    settings: String,
    /// Alternate screen, visible cursor, mouse reports.
    flags: String,
}

impl Pane {
    /// A shell in the project of a place, in a window of this size.
    pub(crate) fn open(place: &Place, columns: u16, rows: u16) -> Self {
        let number = PANES.fetch_add(1, Ordering::Relaxed);
        let pane = Self { socket: format!("windlass-{}-{number}", std::process::id()) };
        let (width, height) = (columns.to_string(), rows.to_string());
        let mut tmux = place.bare(&program());
        // A shell of the tester's own would greet in its own way.
        tmux.args(["-L", &pane.socket, "-f", "/dev/null", "new-session", "-d", "-x", &width, "-y", &height])
            .args(["env", "PS1=$ ", "ENV=", "sh"])
            .env("LANG", "C.UTF-8");
        let opened = tmux.output().expect("tmux is needed: apt-get install tmux");
        assert!(opened.status.success(), "{}", String::from_utf8_lossy(&opened.stderr));
        pane.tmux(&["set-option", "-g", "default-terminal", "tmux-256color"]);
        pane.wait_for("$");
        pane
    }

    /// The app in it: the binary with these arguments, typed as a user types it.
    pub(crate) fn start(place: &Place, columns: u16, rows: u16, args: &str) -> Self {
        let pane = Self::open(place, columns, rows);
        pane.launch("", args);
        pane
    }

    /// Starts the app, with variables before it. What is typed before it has the screen goes to the shell.
    pub(crate) fn launch(&self, variables: &str, args: &str) {
        self.run(&format!("{variables} {} {args}", env!("CARGO_BIN_EXE_windlass")));
        self.wait_until("the app has the screen", Self::has_app);
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let output = Command::new(program()).args(["-L", &self.socket]).args(args).output().unwrap();
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn ask(&self, format: &str) -> String {
        let output = self.tmux(&["display-message", "-p", format]);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Types a command into the shell.
    pub(crate) fn run(&self, line: &str) {
        self.type_text(line);
        self.press("Enter");
    }

    /// Types text, sign by sign.
    pub(crate) fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Presses a key by tmux's name for it.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Ctrl-C twice, without a pause in which a slow machine could forget the first; a shell takes no harm from the second.
    pub(crate) fn insist(&self) {
        self.tmux(&["send-keys", "C-c", "C-c"]);
    }

    /// Pastes text, as a terminal does it.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Gives the window another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).unwrap()
    }

    /// The screen with its colours.
    pub(crate) fn coloured(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-e"]).stdout).unwrap()
    }

    /// Whether the app has the screen.
    pub(crate) fn has_app(&self) -> bool {
        self.ask("#{alternate_on}") == "1"
    }

    /// The process of the app: what the shell started.
    pub(crate) fn app_process(&self) -> String {
        let shell = self.ask("#{pane_pid}");
        let found = Command::new("pgrep").args(["-P", &shell]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().to_owned()
    }

    /// What the terminal is like now; the shell must have it.
    pub(crate) fn manners(&self) -> Manners {
        self.press("C-l");
        self.run("stty -a | tr '\\n' ' '; echo; echo settings-end");
        let screen = self.wait_for("\nsettings-end");
        let settings = screen.split("\nsettings-end").next().unwrap().to_owned();
        let flags = self.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag}");
        Manners { settings, flags }
    }

    /// Waits until the screen shows a text; the screen.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |pane| pane.screen().contains(text));
        self.screen()
    }

    /// Waits until the app has left the screen to the shell.
    #[track_caller]
    pub(crate) fn wait_for_end(&self) {
        self.wait_until("the shell has the screen", |pane| !pane.has_app() && pane.app_process().is_empty());
    }

    /// Presses Escape and waits until a text is gone. What is typed right behind an Escape would be read as one key with it.
    #[track_caller]
    pub(crate) fn escape_from(&self, text: &str) {
        self.press("Escape");
        self.wait_until(&format!("{text} is gone"), |pane| !pane.screen().contains(text));
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            assert!(begun.elapsed() < PATIENCE, "'{what}' never came; on the screen:\n{}", self.screen());
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until it is so in two looks, one after the other: a single look can meet a screen that is half drawn.
    pub(crate) fn wait_until_it_stays(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        self.wait_until(what, |pane| {
            is_so(pane) && {
                std::thread::sleep(LOOK);
                is_so(pane)
            }
        });
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        // A server without sessions has ended by itself.
        let _ = Command::new(program()).args(["-L", &self.socket, "kill-server"]).output();
    }
}
