//! Where a run is shown: the answer on stdout, progress on stderr, and the two never in each other's way.

use console::style;
use indicatif::{ProgressBar, ProgressStyle};
use windlass_core::permission::ApproveMode;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::frame;
use windlass_core::text::visible;

use crate::complaint::Result;
use crate::terminal::answer_stream::LiveAnswer;
use crate::terminal::log::{HeldLog, take_lines};
use crate::terminal::out::{print_coloured, print_exact, tell_progress, without_secrets};
use crate::terminal::progress::{Detail, RunProgress};
use crate::terminal::quote::{Flow, TerminalSize};

/// How often the spinner turns. What takes less is not worth showing.
pub(crate) const TICK_MS: u64 = 100;

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StdoutForm {
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
pub(crate) enum StderrForm {
    Silent,
    Lines(Detail),
    /// Lines, and a spinner below them.
    Live(Detail),
}

/// Shows the runs of one session.
pub(crate) struct RunScreen {
    output: StdoutForm,
    live: LiveAnswer,
    progress: Option<RunProgress>,
    has_spinner: bool,
    spinner: Option<ProgressBar>,
    is_paused: bool,
    /// Lines that wait while somebody is asked.
    held: Vec<String>,
    /// The part of the answer that waits so.
    held_answer: String,
    /// The mode, where a person watches: it stands above what is told of a run.
    mode: Option<ApproveMode>,
    /// Lines of the log come as lines of this screen.
    _log: Option<HeldLog>,
}

impl RunScreen {
    /// A screen for one session; `tells_messages` when the user's messages come from a script.
    pub(crate) fn new(output: StdoutForm, telling: StderrForm, tells_messages: bool) -> Self {
        let (detail, has_spinner) = match telling {
            StderrForm::Silent => (None, false),
            StderrForm::Lines(detail) => (Some(detail), false),
            StderrForm::Live(detail) => (Some(detail), true),
        };
        Self {
            output,
            live: LiveAnswer::default(),
            // What a model says before its calls is told as progress, unless it was streamed.
            progress: detail
                .map(|detail| RunProgress::new(detail, tells_messages, output != StdoutForm::LiveAnswer)),
            has_spinner,
            spinner: None,
            is_paused: false,
            held: Vec::new(),
            held_answer: String::new(),
            mode: None,
            _log: detail.map(|_| HeldLog::lines()),
        }
    }

    /// Tells with each run how its calls are approved, if a person watches.
    pub(crate) fn with_mode(mut self, mode: ApproveMode) -> Self {
        self.mode = self.has_spinner.then_some(mode);
        self
    }

    pub(crate) fn show(&mut self, record: &Record) -> Result<()> {
        let mut lines = self.progress.as_mut().map_or_else(Vec::new, |progress| progress.see(record));
        if let (Some(mode), Event::Durable(DurableEvent::RunStarted { model, .. })) =
            (self.mode, &record.event)
        {
            let head = format!("mode {} · {}", mode.word(), visible(model));
            lines.insert(0, style(head).for_stderr().dim().to_string());
        }
        match self.output {
            StdoutForm::Events => {
                if let Some(payload) = frame::payload(record) {
                    self.hide_spinner();
                    let text = payload.to_string();
                    // What went wrong is told in a provider's words, which may have a key in them.
                    let is_error = matches!(
                        record.event,
                        Event::Durable(DurableEvent::ErrorRaised { .. })
                            | Event::Durable(DurableEvent::StepDelayed { .. })
                    );
                    let text = if is_error { without_secrets(&text) } else { text };
                    print_exact(&format!("{text}\n"))?;
                }
            }
            StdoutForm::LiveAnswer => {
                let text = self.live.see(&record.event, stdout_columns());
                if self.is_paused {
                    self.held_answer.push_str(&text);
                } else if !text.is_empty() {
                    self.hide_spinner();
                    print_coloured(&text)?;
                }
            }
            StdoutForm::Answer => self.print_answer(&record.event)?,
            StdoutForm::Nothing => {}
        }
        self.tell(lines)
    }

    /// Takes in what happened before this screen was there, without a word.
    pub(crate) fn recall(&mut self, record: &Record) {
        if let Some(progress) = self.progress.as_mut() {
            progress.see(record);
        }
    }

    /// Leaves the terminal to a question.
    pub(crate) fn pause(&mut self) -> Result<()> {
        self.hide_spinner();
        if std::mem::replace(&mut self.is_paused, true) {
            return Ok(());
        }
        print_coloured(&self.live.break_line())
    }

    /// Goes on after a question.
    pub(crate) fn resume(&mut self) -> Result<()> {
        self.is_paused = false;
        print_coloured(&std::mem::take(&mut self.held_answer))?;
        let held = std::mem::take(&mut self.held);
        self.tell(held)
    }

    fn tell(&mut self, lines: Vec<String>) -> Result<()> {
        let logged = take_lines().into_iter().map(|line| logged(&line));
        let lines: Vec<String> = logged.chain(lines).collect();
        if self.is_paused {
            self.held.extend(lines);
        } else if !lines.is_empty() {
            self.hide_spinner();
            print_coloured(&self.live.break_line())?;
            lines.iter().for_each(|line| tell_progress(line));
        }
        Ok(())
    }

    /// Turns the spinner, if something goes on that a person could wait for.
    pub(crate) fn tick(&mut self) {
        // A log that cannot be written is no reason to stop.
        let _ = self.tell(Vec::new());
        let activity = self.progress.as_ref().map_or("", RunProgress::activity);
        if !self.has_spinner || self.is_paused || self.live.is_speaking() || activity.is_empty() {
            self.hide_spinner();
            return;
        }
        let spinner = self.spinner.get_or_insert_with(new_spinner);
        spinner.set_message(activity.to_owned());
        spinner.tick();
    }

    fn print_answer(&mut self, event: &Event) -> Result<()> {
        let Event::Durable(DurableEvent::RunEnded { answer, .. }) = event else { return Ok(()) };
        if answer.is_empty() {
            return Ok(());
        }
        self.hide_spinner();
        let answer = answer.trim_end_matches('\n');
        // A file gets the answer as it is; on a terminal it must not be taken for words of ours.
        match console::Term::stdout().is_term() {
            true => print_coloured(&format!("{}\n", Flow::default().put(answer, stdout_columns()))),
            false => print_exact(&format!("{answer}\n")),
        }
    }

    fn hide_spinner(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}

fn stdout_columns() -> usize {
    TerminalSize::of(&console::Term::stdout()).columns
}

/// A line of the log, told apart from progress.
fn logged(line: &str) -> String {
    style(format!("log: {}", visible(&console::strip_ansi_codes(line)))).for_stderr().dim().to_string()
}

fn new_spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed:.dim}") {
        spinner.set_style(style);
    }
    spinner
}
