//! Checks what happened against what was expected.

use std::fmt;

use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::message::Message;

use crate::beat::{Beat, BeatKind};
use crate::calls::CallBook;
use crate::parse::shown;
use crate::script::{CallExpectation, EventPattern, Expectation, Script};
use crate::words::reason_word;

/// What happened is not what the script expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{script}:{line}: {message}")]
pub struct Mismatch {
    pub script: String,
    /// The line that expected it.
    pub line: u32,
    pub message: String,
}

/// What an expectation can look at.
#[derive(Debug, Clone, Copy)]
pub struct SeenRun<'a> {
    /// Events since the last `expect` line.
    pub since: &'a [&'a Event],
    /// Events of the current run.
    pub run: &'a [&'a Event],
    /// Which call has which number.
    pub calls: &'a CallBook,
}

impl Expectation {
    /// Checks the expectation; the error says what is different.
    pub fn check(&self, seen: SeenRun<'_>) -> Result<(), String> {
        match self {
            Expectation::Events(patterns) => check_events(patterns, seen.since),
            Expectation::Outcome { outcome, reason } => check_outcome(*outcome, reason.as_ref(), seen.run),
            Expectation::Answer(text) => check_answer(text, seen.run),
            Expectation::Warning(code) => check_warning(*code, seen.run),
            Expectation::Call(expectation) => expectation.check(seen),
        }
    }
}

/// Checks durable events against a row of patterns. Events that are not durable do not count.
fn check_events(patterns: &[EventPattern], since: &[&Event]) -> Result<(), String> {
    let happened: Vec<&str> =
        since.iter().filter(|event| event.is_durable()).map(|event| event.name()).collect();
    let mut wanted: Vec<Option<&str>> = Vec::new();
    for pattern in patterns {
        match pattern {
            EventPattern::Any => wanted.push(None),
            EventPattern::Named { name, times } => {
                wanted
                    .extend(std::iter::repeat_n(Some(*name), usize::try_from(*times).unwrap_or(usize::MAX)));
            }
        }
    }
    match furthest(&wanted, &happened) {
        Match::Whole => Ok(()),
        Match::UpTo(count) => Err(format!(
            "expected {}; happened: {} (alike up to event {count})",
            NameRow(wanted.iter().map(|name| name.unwrap_or("..."))),
            NameRow(happened.iter().copied())
        )),
    }
}

enum Match {
    Whole,
    /// So many events can be explained.
    UpTo(usize),
}

/// Matches names against wanted names, `None` being any row of names, in linear space.
fn furthest(wanted: &[Option<&str>], happened: &[&str]) -> Match {
    // `reached` holds, for each place among the events, whether the patterns so far can end there.
    let mut reached = vec![false; happened.len().saturating_add(1)];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    let mut furthest = 0;
    for want in wanted {
        let mut next = vec![false; reached.len()];
        let mut is_open = false;
        for (place, slot) in next.iter_mut().enumerate() {
            *slot = match want {
                None => {
                    is_open |= reached.get(place).copied().unwrap_or_default();
                    is_open
                }
                Some(name) => place.checked_sub(1).is_some_and(|before| {
                    reached.get(before).copied().unwrap_or_default() && happened.get(before) == Some(name)
                }),
            };
            if *slot {
                furthest = furthest.max(place);
            }
        }
        reached = next;
    }
    match reached.last() {
        Some(true) => Match::Whole,
        Some(false) | None => Match::UpTo(furthest),
    }
}

/// Names in a row, for readers.
struct NameRow<I>(I);

impl<'a, I: Iterator<Item = &'a str> + Clone> fmt::Display for NameRow<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.clone().collect();
        match names.is_empty() {
            true => f.write_str("nothing"),
            false => f.write_str(&names.join(" ")),
        }
    }
}

fn check_outcome(
    expected: RunOutcome,
    expected_reason: Option<&StopReason>,
    run: &[&Event],
) -> Result<(), String> {
    let Some((outcome, reason, _)) = run_end(run) else {
        return Err(format!("expected the run to end as {}; it has not ended", expected.word()));
    };
    if outcome == expected && expected_reason.is_none_or(|expected| expected == reason) {
        return Ok(());
    }
    let wanted = expected_reason.map(|reason| format!(" {}", reason_word(reason))).unwrap_or_default();
    Err(format!(
        "expected the run to end as {}{wanted}; it ended as {} {}",
        expected.word(),
        outcome.word(),
        reason_word(reason)
    ))
}

fn check_answer(expected: &str, run: &[&Event]) -> Result<(), String> {
    match run_end(run) {
        None => Err(format!("expected an answer with '{}'; the run has not ended", shown(expected))),
        Some((_, _, answer)) if answer.contains(expected) => Ok(()),
        Some((_, _, answer)) => {
            Err(format!("expected an answer with '{}'; it is '{}'", shown(expected), shown(answer)))
        }
    }
}

fn run_end<'a>(run: &[&'a Event]) -> Option<(RunOutcome, &'a StopReason, &'a str)> {
    run.iter().rev().find_map(|event| {
        let Event::Durable(DurableEvent::RunEnded { outcome, reason, answer, .. }) = event else {
            return None;
        };
        Some((*outcome, reason, answer.as_str()))
    })
}

fn check_warning(expected: Option<WarningCode>, run: &[&Event]) -> Result<(), String> {
    let code_of = |event: &&Event| {
        let Event::Durable(DurableEvent::WarningRaised { code, .. }) = event else { return None };
        Some(*code)
    };
    let codes: Vec<WarningCode> = run.iter().filter_map(code_of).collect();
    let is_met = match expected {
        None => codes.is_empty(),
        Some(code) => codes.contains(&code),
    };
    match is_met {
        true => Ok(()),
        false => Err(format!(
            "expected the warning {}; the run has: {}",
            expected.map_or("none", WarningCode::word),
            NameRow(codes.iter().map(|code| code.word()))
        )),
    }
}

impl CallExpectation {
    fn check(&self, seen: SeenRun<'_>) -> Result<(), String> {
        let number = self.call;
        let Some(id) = seen.calls.id(number) else {
            return Err(format!("expected an outcome of call {number}; it was never requested"));
        };
        let ended = seen.run.iter().rev().find_map(|event| {
            let Event::Durable(DurableEvent::CallEnded { call_id, outcome, message, .. }) = event else {
                return None;
            };
            (call_id == id).then_some((outcome, message))
        });
        let Some((outcome, message)) = ended else {
            return Err(format!("expected an outcome of call {number}; it has none in this run"));
        };
        if let Some(status) = self.status
            && status != outcome.status()
        {
            let (wanted, came) = (status.word(), outcome.status().word());
            return Err(format!("expected call {number} to be {wanted}; it is {came}: {}", says(message)));
        }
        let kind = outcome.failure().map(|failure| failure.kind);
        if self.kind.is_some() && self.kind != kind {
            let (wanted, came) =
                (self.kind.map_or("", |kind| kind.word()), kind.map_or("ok", |kind| kind.word()));
            return Err(format!(
                "expected call {number} to give {wanted}; it gave {came}: {}",
                says(message)
            ));
        }
        if self.is_cached && !outcome.meta.is_cached {
            return Err(format!("expected call {number} to be cached; it is not"));
        }
        if self.is_truncated && !outcome.meta.is_truncated {
            return Err(format!("expected call {number} to be truncated; it is not"));
        }
        match &self.says {
            Some(text) if !message.text().contains(text) => Err(format!(
                "expected the outcome of call {number} to say '{}'; it says {}",
                shown(text),
                says(message)
            )),
            Some(_) | None => Ok(()),
        }
    }
}

fn says(message: &Message) -> String {
    format!("'{}'", shown(&message.text()))
}

impl Script {
    /// Checks everything that happened in a real session, after it is over, against all expectations of
    /// the script: the `expect` lines of a run together describe its events, and events after the last
    /// of them are free. Returns every mismatch.
    pub fn check_session(&self, events: &[&Event]) -> Vec<Mismatch> {
        let mut calls = CallBook::new(self);
        let mut runs: Vec<Vec<&Event>> = Vec::new();
        for event in events {
            calls.see(event);
            if matches!(event, Event::Durable(DurableEvent::RunStarted { .. })) {
                runs.push(Vec::new());
            }
            if let Some(run) = runs.last_mut() {
                run.push(event);
            }
        }
        let beats = self.beats();
        let sections: Vec<&[Beat]> =
            beats.chunk_by(|_, next| !matches!(next.kind, BeatKind::User(_))).collect();
        let mut mismatches = Vec::new();
        for (place, section) in sections.iter().enumerate() {
            let run = runs.get(place).map(Vec::as_slice).unwrap_or_default();
            self.check_section(section, SeenRun { since: run, run, calls: &calls }, &mut mismatches);
        }
        mismatches
    }

    fn check_section(&self, section: &[Beat], seen: SeenRun<'_>, mismatches: &mut Vec<Mismatch>) {
        let mut row: Option<(u32, Vec<EventPattern>)> = None;
        for beat in section {
            let BeatKind::Expect(expectation) = &beat.kind else { continue };
            match expectation {
                Expectation::Events(patterns) => {
                    row.get_or_insert((beat.line, Vec::new())).1.extend(patterns.iter().cloned());
                }
                Expectation::Outcome { .. }
                | Expectation::Answer(_)
                | Expectation::Warning(_)
                | Expectation::Call(_) => {
                    mismatches.extend(self.mismatch(beat.line, expectation.check(seen)));
                }
            }
        }
        if let Some((line, mut patterns)) = row {
            patterns.push(EventPattern::Any);
            mismatches.extend(self.mismatch(line, Expectation::Events(patterns).check(seen)));
        }
    }

    fn mismatch(&self, line: u32, checked: Result<(), String>) -> Option<Mismatch> {
        checked.err().map(|message| Mismatch { script: self.name.clone(), line, message })
    }
}

#[cfg(test)]
#[path = "expect_tests.rs"]
mod tests;
