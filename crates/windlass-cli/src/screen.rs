//! Where a run is shown: the answer on stdout, progress on stderr, and the two never in each other's way.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use windlass_core::event::{Event, Record};
use windlass_core::frame;

use crate::complaint::Result;
use crate::live::LiveAnswer;
use crate::out::{print, print_line, tell_line};
use crate::progress::{Detail, Progress};

/// How often the spinner turns.
const TICK_MS: u64 = 100;

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// The answer, once it is there.
    Answer,
    /// The answer while it comes: somebody watches.
    LiveAnswer,
    /// One event a line.
    Events,
    /// Nothing: somebody else prints.
    Nothing,
}

/// What goes to stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Nothing.
    Silent,
    /// Lines.
    Lines(Detail),
    /// Lines, and a spinner below them.
    Live(Detail),
}

/// Shows the runs of one session.
pub(crate) struct Screen {
    output: Output,
    live: LiveAnswer,
    progress: Option<Progress>,
    has_spinner: bool,
    spinner: Option<ProgressBar>,
    is_paused: bool,
    /// Lines that wait while somebody is asked.
    held: Vec<String>,
}

impl Screen {
    /// A screen for one session; `tells_messages` when the user's messages come from a script.
    pub(crate) fn new(output: Output, telling: Telling, tells_messages: bool) -> Self {
        let (detail, has_spinner) = match telling {
            Telling::Silent => (None, false),
            Telling::Lines(detail) => (Some(detail), false),
            Telling::Live(detail) => (Some(detail), true),
        };
        Self {
            output,
            live: LiveAnswer::default(),
            // What a model says before its calls is told as progress, unless it was streamed.
            progress: detail.map(|detail| Progress::new(detail, tells_messages, output != Output::LiveAnswer)),
            has_spinner,
            spinner: None,
            is_paused: false,
            held: Vec::new(),
        }
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, record: &Record) -> Result<()> {
        let lines = self.progress.as_mut().map_or_else(Vec::new, |progress| progress.see(record));
        match self.output {
            Output::Events => {
                if let Some(payload) = frame::payload(record) {
                    self.hide_spinner();
                    print_line(&payload.to_string())?;
                }
            }
            Output::LiveAnswer => {
                let text = self.live.see(&record.event);
                if !text.is_empty() {
                    self.hide_spinner();
                    print(&text)?;
                }
            }
            Output::Answer => print_answer(&record.event)?,
            Output::Nothing => {}
        }
        self.tell(lines)?;
        self.turn_spinner(&record.event);
        Ok(())
    }

    /// Leaves the terminal to a question.
    pub(crate) fn pause(&mut self) -> Result<()> {
        self.hide_spinner();
        self.is_paused = true;
        print(&self.live.break_line())
    }

    /// Goes on after a question.
    pub(crate) fn resume(&mut self) -> Result<()> {
        self.is_paused = false;
        let held = std::mem::take(&mut self.held);
        self.tell(held)
    }

    fn tell(&mut self, lines: Vec<String>) -> Result<()> {
        if self.is_paused {
            self.held.extend(lines);
        } else if !lines.is_empty() {
            self.hide_spinner();
            print(&self.live.break_line())?;
            lines.iter().for_each(|line| tell_line(line));
        }
        Ok(())
    }

    fn turn_spinner(&mut self, event: &Event) {
        let activity = self.progress.as_ref().map_or("", Progress::activity);
        let is_over = matches!(event, Event::RunEnded { .. });
        if !self.has_spinner || is_over || self.is_paused || self.live.is_speaking() || activity.is_empty() {
            self.hide_spinner();
            return;
        }
        let spinner = self.spinner.get_or_insert_with(new_spinner);
        if spinner.message() != activity {
            spinner.set_message(activity.to_owned());
        }
    }

    fn hide_spinner(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}

fn print_answer(event: &Event) -> Result<()> {
    match event {
        Event::RunEnded { answer, .. } if !answer.is_empty() => print_line(answer.trim_end_matches('\n')),
        _ => Ok(()),
    }
}

fn new_spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed:.dim}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(TICK_MS));
    spinner
}
