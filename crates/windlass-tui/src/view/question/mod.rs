//! A question to the user, in place of the message (Z-12…Z-14, R-51): nothing of it is cut. Of what has no room, the
//! beginning and the end are seen and how much is between; the beginning scrolls, and a key gives it all of the screen.
//!
//! - `body`: what scrolls: warning, targets, preview, arguments, rule
//! - `arguments`: how arguments are written
//! - `quote`: the gutter of what others wrote
//! - `foot`: what always stands: tool and risk, answers, who else waits

mod arguments;
mod body;
mod foot;
mod quote;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use windlass_core::permission::Question;
use windlass_core::protocol::ids::{CallId, RunId};

use crate::state::TuiState;
use crate::state::question::Writing;
use crate::text::width;
use crate::theme::{TextRole, ThemeKind};
use foot::Foot;

/// Screens below these rows give all of themselves to a question.
const SHARED_ROWS: u16 = 24;

/// What a question may take of a taller screen.
const SHARE_PERCENT: u16 = 60;

/// Which part of the rows that can be seen is the end of what has no room.
const TAIL_PART: usize = 3;

/// A question's body as it was laid out before.
#[derive(Debug, Default)]
pub(super) struct BodyCache {
    key: Option<BodyKey>,
    lines: Vec<Line<'static>>,
}

/// What a body depends on: a question does not change.
type BodyKey = (RunId, CallId, usize, ThemeKind);

/// How a question lies on the screen.
pub(super) struct QuestionPlan {
    /// Rows of all of it.
    pub(super) rows: u16,
    /// Rows of the body that can be seen.
    pub(super) body_rows: usize,
    /// How many of them are its end.
    tail_rows: usize,
    /// Lines of the body that cannot.
    pub(super) hidden_lines: usize,
    columns: usize,
    /// Whether a blank row stands over the foot.
    has_gap: bool,
    foot: Foot,
}

impl QuestionPlan {
    /// Plans the question that is looked at for a screen, of which so many rows are not taken.
    pub(super) fn new(state: &TuiState, columns: u16, rows_free: u16, cache: &mut BodyCache) -> Option<Self> {
        let question = state.question()?;
        // One column is left free at each side.
        let columns = usize::from(columns).saturating_sub(2).max(1);
        let screen = state.size.1;
        let rows_max = match screen {
            0..SHARED_ROWS => rows_free,
            _ if state.asking.is_whole => rows_free,
            _ => rows_free.min(screen.saturating_mul(SHARE_PERCENT) / 100),
        };
        let rows_max = usize::from(rows_max.max(1));
        // A row each for the title, the body and the mark of what is hidden.
        let foot = foot::lay_out(state, question, columns, rows_max.saturating_sub(3));
        let lines = cache.refresh(state, question, columns).len();
        let fixed = 1 + foot.lines.len();
        let is_all = fixed + lines <= rows_max;
        let has_gap = fixed + lines < rows_max && screen >= SHARED_ROWS;
        let rows = if is_all { fixed + lines + usize::from(has_gap) } else { rows_max };
        let body_rows = if is_all { lines } else { rows_max.saturating_sub(fixed + 1) };
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let hidden_lines = lines - body_rows.min(lines);
        let tail_rows = if is_all || state.asking.is_whole { 0 } else { body_rows / TAIL_PART };
        Some(Self { rows, body_rows, tail_rows, hidden_lines, columns, has_gap, foot })
    }
}

impl BodyCache {
    fn refresh(&mut self, state: &TuiState, question: &Question, columns: usize) -> &[Line<'static>] {
        let run_id = state.running().cloned().unwrap_or_else(|| RunId::new(""));
        let key = (run_id, question.call_id.clone(), columns, state.theme.kind());
        if self.key.as_ref() != Some(&key) {
            self.lines = body::lay_out(question, columns, state.theme);
            self.key = Some(key);
        }
        &self.lines
    }
}

pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &TuiState,
    plan: &QuestionPlan,
    cache: &BodyCache,
) {
    let Some(question) = state.question() else { return };
    let scrolled = state.asking.scrolled.min(plan.hidden_lines);
    let mut row = QuestionRow { frame, area, y: area.y };
    row.draw(0, title(state, question, usize::from(area.width)));
    let head_rows = plan.body_rows - plan.tail_rows;
    for line in cache.lines.iter().skip(scrolled).take(head_rows) {
        row.draw(1, line.clone());
    }
    if plan.hidden_lines > 0 {
        row.draw(1, Line::styled(hidden(plan.hidden_lines, scrolled), state.theme.style(TextRole::Muted)));
    }
    for line in cache.lines.iter().skip(plan.hidden_lines + head_rows).take(plan.tail_rows) {
        row.draw(1, line.clone());
    }
    if plan.has_gap {
        row.draw(0, Line::default());
    }
    for (at, line) in plan.foot.lines.iter().enumerate() {
        let y = row.y;
        row.draw(1, line.clone());
        if plan.foot.typing == Some(at) {
            let lead = u16::try_from(width(foot::PROMPT)).unwrap_or(0).saturating_add(1);
            let columns = u16::try_from(plan.columns).unwrap_or(u16::MAX).saturating_sub(lead);
            let place = Rect { x: area.x.saturating_add(lead), y, width: columns, height: 1 };
            draw_typing(row.frame, place.intersection(area), state);
        }
    }
}

fn draw_typing(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    match &state.asking.writing {
        Writing::Nothing => {}
        Writing::Rule(text) | Writing::Reason(text) | Writing::Word(_, text) => {
            frame.render_widget(text.as_ref(), area)
        }
    }
}

/// Puts lines one below the other.
struct QuestionRow<'a, 'b> {
    frame: &'a mut Frame<'b>,
    area: Rect,
    y: u16,
}

impl QuestionRow<'_, '_> {
    fn draw(&mut self, indent: u16, line: Line<'static>) {
        let x = self.area.x.saturating_add(indent);
        let width = self.area.width.saturating_sub(indent);
        let place = Rect { x, y: self.y, width, height: 1 };
        self.frame.render_widget(line, place.intersection(self.area));
        self.y = self.y.saturating_add(1);
    }
}

/// Which question it is.
fn title(state: &TuiState, question: &Question, columns: usize) -> Line<'static> {
    let (at, all) = state.counted(question);
    let rule = state.theme.style(body::risk_role(question.risk));
    let lead = format!("── Permission {at} of {all} ");
    let rest = "─".repeat(columns.saturating_sub(width(&lead)));
    Line::from(vec![Span::styled(lead, rule), Span::styled(rest, rule)])
}

fn hidden(lines: usize, scrolled: usize) -> String {
    let below = lines.saturating_sub(scrolled);
    let plural = if below == 1 { "" } else { "s" };
    match (below, scrolled) {
        (0, above) => format!("… {above} above, the end below …"),
        (below, 0) => format!("… {below} more line{plural} · Up/Down, v shows all …"),
        (below, above) => format!("… {below} more line{plural} · {above} above …"),
    }
}
