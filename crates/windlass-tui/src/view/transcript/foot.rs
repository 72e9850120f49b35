//! What is to be said of a run as a whole: what it waits for, warnings, how it ended, what it took.

use ratatui::text::Line;
use windlass_core::protocol::event::RunOutcome;
use windlass_core::protocol::view::{CallState, Entry, RunView, Waiting};
use windlass_core::text::time::{duration, running};

use super::cache::Laid;
use super::cell::CellLook;
use crate::figures::{plural, tokens};
use crate::state::timing::RunTiming;
use crate::text::{clean, cut, one_line};
use crate::theme::TextRole;
use crate::view::signs;
use crate::words;

/// The lines of a foot.
pub(super) fn lay(look: &CellLook<'_>, run: &RunView) -> Laid {
    let timing = look.state.session.as_ref().and_then(|session| session.timing.run(&run.run_id));
    let mut head = Vec::new();
    for (code, message) in &run.warnings {
        let text = format!("{}: {message}", code.word());
        head.extend(look.signed(signs::WARNING, TextRole::Warn, &text, TextRole::Warn));
    }
    for (kind, message) in &run.adjustments {
        head.extend(look.signed(
            "·",
            TextRole::Muted,
            &format!("{}: {message}", kind.word()),
            TextRole::Muted,
        ));
    }
    if let Some(error) = &run.error {
        head.extend(look.signed(signs::FAILED, TextRole::Bad, error, TextRole::Bad));
    }
    match &run.ended {
        Some((outcome, reason)) => {
            if let Some(text) = words::end_words(*outcome, reason) {
                let (sign, role) = match outcome {
                    RunOutcome::Completed => ("✓", TextRole::Good),
                    RunOutcome::LimitReached => (signs::WARNING, TextRole::Warn),
                    RunOutcome::Cancelled => (signs::STOPPED, TextRole::Muted),
                    RunOutcome::Failed => (signs::FAILED, TextRole::Bad),
                };
                head.extend(look.signed(sign, role, &text, role));
            }
            let summary = summary(run, timing);
            let line = cut(&summary, look.columns).into_owned();
            head.push(Line::from(look.span(line, TextRole::Muted)));
        }
        None => head.extend(going_on(look, run, timing)),
    }
    Laid { head, ..Laid::default() }
}

/// `2.4 s · 2 steps · 3 calls · 1.2k in, 60 out · $0.0031 · model`: what is long and the same every time comes last.
fn summary(run: &RunView, timing: Option<&RunTiming>) -> String {
    let calls = run.entries.iter().filter(|entry| matches!(entry, Entry::Call(_))).count();
    let mut facts = Vec::new();
    if let Some(timing) = timing {
        facts.extend(timing.ended_ms.map(|ended| duration(ended.saturating_sub(timing.started_ms))));
        if let Ok(steps) = usize::try_from(timing.step) {
            facts.extend((steps > 0).then(|| plural(steps, "step")));
        }
    }
    facts.extend((calls > 0).then(|| plural(calls, "call")));
    if run.usage.total() > 0 {
        facts.push(format!("{} in, {} out", tokens(run.usage.input), tokens(run.usage.output)));
    }
    facts.extend(words::cost_words(&run.usage));
    // Who offers it is in the inspector.
    let model = timing.and_then(|timing| timing.model.rsplit('/').next());
    facts.extend(model.map(one_line));
    format!("  {}", facts.join(" · "))
}

/// What the run waits for, where no line above says it.
fn going_on(look: &CellLook<'_>, run: &RunView, timing: Option<&RunTiming>) -> Option<Line<'static>> {
    let now = look.now_ms;
    let text = match (&run.waiting, timing) {
        (Some(waiting), timing) => retry(waiting, timing, now),
        (None, Some(RunTiming { writing: Some((name, chars)), .. })) => {
            let name = name.as_deref().map(one_line).unwrap_or_default();
            format!("Writing a call {name} · {}", plural(usize::try_from(*chars).unwrap_or(0), "character"))
        }
        (None, _) if run.reading.is_some() => {
            run.reading.as_ref().map(words::reading_words).unwrap_or_default()
        }
        (None, timing) if !says_what_it_does(run, timing) => {
            let since = timing.and_then(|timing| timing.step_started_ms);
            match since {
                Some(since) => format!("Waiting for the model {}", running(now.saturating_sub(since))),
                None => "Working".to_owned(),
            }
        }
        (None, _) => return None,
    };
    let sign = look.span(format!("{} ", signs::spinner(now)), TextRole::Accent);
    let text = cut(&clean(&text), look.body_columns()).into_owned();
    Some(Line::from(vec![sign, look.span(text, TextRole::Muted)]))
}

fn retry(waiting: &Waiting, timing: Option<&RunTiming>, now: u64) -> String {
    let passed = timing.and_then(|timing| timing.delayed_ms).map_or(0, |since| now.saturating_sub(since));
    let left = waiting.delay_ms.saturating_sub(passed).div_ceil(1_000);
    let when = if left == 0 { "now".to_owned() } else { format!("in about {left} s") };
    let Waiting { attempt, attempts_max, message, .. } = waiting;
    format!("retry {attempt} of {attempts_max} {when}: {}", one_line(message))
}

/// Whether something above the foot moves, or waits for the user.
fn says_what_it_does(run: &RunView, timing: Option<&RunTiming>) -> bool {
    let is_open = |entry: &Entry| match entry {
        Entry::Call(call) => match call.state {
            CallState::Asking | CallState::Running => true,
            CallState::Requested | CallState::Ended(_) => false,
        },
        Entry::Text(_) | Entry::Reasoning { .. } => false,
    };
    let is_told = match run.entries.last() {
        Some(Entry::Text(_) | Entry::Reasoning { .. }) => timing.is_some_and(|timing| timing.is_telling),
        Some(Entry::Call(_)) | None => false,
    };
    is_told || run.entries.iter().rev().take(64).any(is_open)
}
