//! Asks the person at the terminal: one question after another, each answer read from the terminal itself.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};

use tokio::sync::mpsc;
use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::protocol::ids::CallId;

use crate::terminal::out::tell;
use crate::terminal::prompt::{PermissionPrompt, PromptReply};
use crate::terminal::quote::TerminalSize;

/// Lines that may wait; a person types one at a time.
const LINES_WAITING_MAX: usize = 16;

/// Whether there is somebody who sees a question and can answer it.
pub(crate) fn can_ask() -> bool {
    io::stderr().is_terminal() && (io::stdin().is_terminal() || open_terminal().is_some())
}

/// Questions that wait for the person, and what the person types.
pub(crate) struct TerminalAsker {
    can_ask: bool,
    current: Option<PermissionPrompt>,
    waiting: VecDeque<Question>,
    lines: Option<mpsc::Receiver<String>>,
}

impl TerminalAsker {
    /// An asker without questions.
    pub(crate) fn new(can_ask: bool) -> Self {
        Self { can_ask, current: None, waiting: VecDeque::new(), lines: None }
    }

    /// Takes a question; it is shown when those before it are answered.
    pub(crate) fn ask(&mut self, question: Question) {
        self.waiting.push_back(question);
        self.show_next();
    }

    /// Forgets a question that was settled without the person.
    pub(crate) fn withdraw(&mut self, call_id: &CallId) {
        self.waiting.retain(|question| question.call_id != *call_id);
        if self.current.as_ref().is_some_and(|prompt| prompt.question().call_id == *call_id) {
            self.current = None;
            tell("\n(this is no longer asked)\n");
            self.show_next();
        }
    }

    /// Whether the person is being asked.
    pub(crate) fn is_asking(&self) -> bool {
        self.current.is_some()
    }

    /// The next answer; waits for ever when nothing is asked. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> (Question, PermissionAnswer) {
        loop {
            let Some(prompt) = self.current.as_mut() else { return std::future::pending().await };
            let line = match self.lines.as_mut() {
                Some(lines) if self.can_ask => lines.recv().await,
                Some(_) | None => None,
            };
            match prompt.hear(line.as_deref(), room()) {
                PromptReply::Say(text) => tell(&text),
                PromptReply::Answer(answer) => {
                    let question = prompt.question().clone();
                    self.current = None;
                    self.show_next();
                    return (question, answer);
                }
            }
        }
    }

    fn show_next(&mut self) {
        if self.current.is_some() {
            return;
        }
        let Some(question) = self.waiting.pop_front() else { return };
        let prompt = PermissionPrompt::new(question);
        if self.can_ask {
            self.forget_typed();
            tell(&prompt.text(room()));
        }
        self.current = Some(prompt);
    }

    /// What was typed before a question was shown cannot be its answer.
    fn forget_typed(&mut self) {
        match self.lines.as_mut() {
            None => self.lines = Some(read_lines()),
            Some(lines) => {
                // Also what stands on the line without Enter.
                if let Some(terminal) = open_terminal() {
                    flush_typed(&terminal);
                }
                while lines.try_recv().is_ok() {}
            }
        }
    }
}

/// The terminal that questions are shown on.
pub(crate) fn room() -> TerminalSize {
    TerminalSize::of(&console::Term::stderr())
}

/// Asks for one line; nothing if nobody can type one.
pub(crate) fn ask_line(text: &str) -> Option<String> {
    if !can_ask() {
        return None;
    }
    let mut line = String::new();
    // What was typed before the question stood there is no answer to it; what comes after that is.
    let read = match open_terminal() {
        Some(terminal) => {
            flush_typed(&terminal);
            tell(text);
            BufReader::new(terminal).read_line(&mut line)
        }
        None => {
            flush_typed(&io::stdin());
            tell(text);
            io::stdin().lock().read_line(&mut line)
        }
    };
    read.is_ok_and(|bytes| bytes > 0).then_some(line)
}

/// Reads lines on a thread of its own: reading from a terminal cannot be stopped, and must not keep the
/// process from ending.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(LINES_WAITING_MAX);
    match open_terminal() {
        Some(terminal) => {
            flush_typed(&terminal);
            std::thread::spawn(move || send_lines(BufReader::new(terminal), &sender));
        }
        None => {
            flush_typed(&io::stdin());
            std::thread::spawn(move || send_lines(io::stdin().lock(), &sender));
        }
    }
    receiver
}

fn send_lines(source: impl BufRead, sender: &mpsc::Sender<String>) {
    for line in source.lines().map_while(Result::ok) {
        if sender.blocking_send(line).is_err() {
            return;
        }
    }
}

#[cfg(unix)]
fn open_terminal() -> Option<File> {
    File::open("/dev/tty").ok()
}

#[cfg(not(unix))]
fn open_terminal() -> Option<File> {
    None
}

/// Throws away what waits in the terminal.
#[cfg(unix)]
fn flush_typed(terminal: &impl std::os::fd::AsFd) {
    // A terminal that cannot be flushed has nothing worth flushing.
    let _ = rustix::termios::tcflush(terminal, rustix::termios::QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn flush_typed<T>(_terminal: &T) {}
