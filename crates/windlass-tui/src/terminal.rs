//! The terminal: taken over for the app, and given back as it was found, also after a panic.
//!
//! Owns raw mode, the alternate screen, mouse and paste reports. Draws nothing.

use std::io::{self, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::execute;
use crossterm::style::Print;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;

/// Puts the terminal's title aside, and back; terminals that cannot do it pay no attention.
const TITLE_KEEP: &str = "\u{1b}[22;0t";
const TITLE_RESTORE: &str = "\u{1b}[23;0t";

/// Whether the terminal is ours now: a panic hook has no other way to know.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Panics of other threads while the terminal is ours: they are told when it is given back.
static UNTOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The terminal while the app has it. Dropping it gives it back.
#[derive(Debug)]
pub struct OwnTerminal {
    inner: ratatui::Terminal<CrosstermBackend<Stdout>>,
}

impl OwnTerminal {
    /// Takes the terminal over.
    pub fn take(has_mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        let taken = Self::set_up(has_mouse);
        if taken.is_err() {
            give_back();
        }
        taken
    }

    fn set_up(has_mouse: bool) -> io::Result<Self> {
        execute!(io::stdout(), Print(TITLE_KEEP), EnterAlternateScreen, EnableBracketedPaste)?;
        // Terminals that can tell Shift-Enter from Enter do so only when they are asked; the others do not listen.
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
        let _ = execute!(io::stdout(), PushKeyboardEnhancementFlags(flags));
        if has_mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        let inner = ratatui::Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(Self { inner })
    }

    pub fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        self.inner.draw(draw).map(|_| ())
    }

    /// Its size in columns and rows.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.inner.size().map(|size| (size.width, size.height))
    }

    /// Says on the terminal's title what goes on. The text must be clean.
    pub fn set_title(&mut self, title: &str) -> io::Result<()> {
        execute!(io::stdout(), SetTitle(title))
    }

    pub fn ring(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Print('\u{7}'))
    }

    /// Puts text on the clipboard of the terminal, which may be on another machine (OSC 52).
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for OwnTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, if it is ours: whoever looks at it next finds it as it was.
pub fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Nothing is left to be done about a terminal that does not take this.
    let _ = execute!(io::stdout(), PopKeyboardEnhancementFlags);
    let _ = execute!(
        io::stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Print(TITLE_RESTORE),
        crossterm::cursor::Show
    );
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
    for panic in UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = writeln!(io::stderr(), "{panic}");
    }
}

/// From now on a panic of this thread, which is the one that draws, gives the terminal back before it is told. One of
/// another thread ends no app and does not write over its screen.
pub fn give_back_on_panic() {
    let told = std::panic::take_hook();
    let own = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == own || !IS_TAKEN.load(Ordering::SeqCst) {
            give_back();
            told(panic);
        } else {
            UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
        }
    }));
}
