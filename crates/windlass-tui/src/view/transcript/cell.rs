//! How a cell becomes lines.

use ratatui::text::{Line, Span};
use windlass_core::protocol::ids::Millis;
use windlass_core::text::time;

use super::cache::{BODY_INDENT, CellBody, CellKey, Laid, Transcribed};
use super::{call, foot};
use crate::figures;
use crate::markdown::Growing;
use crate::state::TuiState;
use crate::state::cells::{CellContent, Cells};
use crate::state::transcript::TranscriptCell;
use crate::text::{clean, wrap_spans};
use crate::theme::{TextRole, Theme};
use crate::view::signs;

/// A thought that came in one piece has no time to tell.
const THOUGHT_MS_MIN: u64 = 50;

/// Lines of a message that has no run yet.
const UNSENT_LINES_MAX: usize = 40;

/// When the lines of a cell are old even if nothing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellAge {
    /// Nothing in it moves.
    Still,
    /// It shows a time: they are good for this picture of the spinner.
    At(Millis),
    /// What they are made of has no revision: they are good for nothing but this frame.
    Never,
}

/// The lines of a cell.
pub(super) fn lay<'c>(
    state: &TuiState,
    cells: Cells<'_>,
    cell: TranscriptCell,
    laid: &'c mut Transcribed,
) -> &'c Laid {
    let content = cells.content(cell);
    let now_ms = state.now_ms - state.now_ms % signs::SPIN_MS;
    let look = CellLook { state, cell, columns: usize::from(laid.columns), theme: state.theme, now_ms };
    let key = CellKey {
        seq: state.session.as_ref().map_or(0, |session| session.cell_seq(cell)),
        columns: laid.columns,
        theme: state.theme,
        is_unfolded: cells.foldable(cell).is_some_and(|thing| state.transcript.is_unfolded(&thing)),
        moment: moment(content, now_ms),
    };
    laid.keep(cell, key, |old| match content {
        None | Some(CellContent::Hidden) => Laid::default(),
        Some(CellContent::User(run)) => {
            Laid { head: user(&look, &run.user, TextRole::User), ..Laid::default() }
        }
        Some(CellContent::Text(text)) => Laid { body: prose(&look, old.body, text), ..Laid::default() },
        Some(CellContent::Thinking { phase, block, text, is_going_on }) => {
            let head = thinking(&look, (phase, block), is_going_on, key.is_unfolded);
            let body = if key.is_unfolded { prose(&look, old.body, text) } else { CellBody::default() };
            Laid { head: vec![head], body, tone: Some(look.theme.style(TextRole::Muted)) }
        }
        Some(CellContent::Call(shown)) => call::lay(&look, shown, key.is_unfolded),
        Some(CellContent::Foot(run)) => foot::lay(&look, run),
        Some(CellContent::Tail) => tail(&look),
    })
}

fn moment(content: Option<CellContent<'_>>, now_ms: Millis) -> CellAge {
    let moves = match content {
        Some(CellContent::Thinking { is_going_on, .. }) => is_going_on,
        Some(CellContent::Call(shown)) => call::is_moving(shown),
        Some(CellContent::Foot(run)) => run.ended.is_none(),
        Some(CellContent::Tail) => return CellAge::Never,
        Some(CellContent::User(_) | CellContent::Text(_) | CellContent::Hidden) | None => false,
    };
    if moves { CellAge::At(now_ms) } else { CellAge::Still }
}

/// What a cell is laid out for.
pub(super) struct CellLook<'a> {
    pub(super) state: &'a TuiState,
    pub(super) cell: TranscriptCell,
    pub(super) columns: usize,
    pub(super) theme: Theme,
    /// The time, as exactly as it is shown.
    pub(super) now_ms: Millis,
}

impl CellLook<'_> {
    pub(super) fn span(&self, text: impl Into<String>, role: TextRole) -> Span<'static> {
        Span::styled(text.into(), self.theme.style(role))
    }

    /// A text behind a sign, wrapped beside it.
    pub(super) fn signed(
        &self,
        sign: &'static str,
        sign_role: TextRole,
        text: &str,
        role: TextRole,
    ) -> Vec<Line<'static>> {
        let text = Span::styled(clean(text).into_owned(), self.theme.style(role));
        let indent = Span::raw("  ");
        wrap_spans(&[text], self.columns, &[self.span(format!("{sign} "), sign_role)], &[indent])
    }

    pub(super) fn body_columns(&self) -> usize {
        self.columns.saturating_sub(usize::from(BODY_INDENT))
    }
}

fn user(look: &CellLook<'_>, text: &str, role: TextRole) -> Vec<Line<'static>> {
    look.signed(signs::USER, role, text.trim_end(), role)
}

/// Text as Markdown; what was laid out of its beginning is not laid out again.
fn prose(look: &CellLook<'_>, old: CellBody, text: &str) -> CellBody {
    let mut growing = match old {
        CellBody::Prose(growing) => growing,
        CellBody::Lines(_) => Box::new(Growing::default()),
    };
    growing.update(text, u16::try_from(look.body_columns()).unwrap_or(u16::MAX), look.theme);
    CellBody::Prose(growing)
}

fn thinking(look: &CellLook<'_>, block: (u32, usize), is_going_on: bool, is_unfolded: bool) -> Line<'static> {
    let run_id = Cells::new(look.state).run(look.cell).map(|run| run.run_id.clone());
    let timing = look.state.session.as_ref().zip(run_id);
    let timing = timing.as_ref().and_then(|(session, run_id)| session.timing.run(run_id));
    let times = timing.and_then(|timing| timing.thought_ms(block.0, block.1));
    let fold = if is_unfolded { signs::UNFOLDED } else { signs::FOLDED };
    let (sign, words) = match (is_going_on, times) {
        (true, Some((began, _))) => {
            let time = time::running(look.now_ms.saturating_sub(began));
            (signs::spinner(look.now_ms), format!("Thinking {time}"))
        }
        (true, None) => (signs::spinner(look.now_ms), "Thinking".to_owned()),
        (false, Some((_, took))) if took >= THOUGHT_MS_MIN => {
            (fold, format!("Thought for {}", time::running(took)))
        }
        (false, _) => (fold, "Thought".to_owned()),
    };
    let sign_role = if is_going_on { TextRole::Accent } else { TextRole::Muted };
    Line::from(vec![look.span(format!("{sign} "), sign_role), look.span(words, TextRole::Muted)])
}

/// The message on its way, and those that wait for the run to end.
fn tail(look: &CellLook<'_>) -> Laid {
    let state = look.state;
    let mut head = Vec::new();
    if let Some((text, sent_ms)) = &state.sending {
        head.extend(shorten(look, user(look, text, TextRole::User)));
        let time = time::running(look.now_ms.saturating_sub(*sent_ms));
        let sign = look.span(format!("{} ", signs::spinner(look.now_ms)), TextRole::Accent);
        head.push(Line::default());
        head.push(Line::from(vec![sign, look.span(format!("Sending {time}"), TextRole::Muted)]));
    }
    for text in &state.waiting {
        if !head.is_empty() {
            head.push(Line::default());
        }
        head.extend(shorten(look, user(look, text, TextRole::Muted)));
        head.push(Line::from(look.span("  queued: sent when the run has ended", TextRole::Muted)));
    }
    Laid { head, ..Laid::default() }
}

fn shorten(look: &CellLook<'_>, mut lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
    let more = lines.len().saturating_sub(UNSENT_LINES_MAX);
    if more > 0 {
        lines.truncate(UNSENT_LINES_MAX);
        lines.push(Line::from(
            look.span(format!("  … {}", figures::plural(more, "more line")), TextRole::Muted),
        ));
    }
    lines
}
