//! Draws the state. Decides nothing, remembers only how lines were laid out.
//!
//! From top to bottom: the transcript (or the welcome), with the task list beside it or below it, the message or the
//! question that stands in its place, the status. Something may lie over all of it.
//!
//! - `composer`: the message that is being written, and what waits to be sent after the run
//! - `figures`: how numbers are written where there is little room: times, how full something is
//! - `inspector`: a run with everything that is on record of it, over the whole screen
//! - `inspector_page`: how what is on record of a run is written down in the inspector
//! - `outcome`: arguments and outcome of a call in full: in the transcript when it is unfolded, and in the inspector
//! - `overlay`: what lies over the screen
//! - `popup`: the list over the message: what the word at the cursor can become
//! - `question`: a question to the user, in place of the message (Z-12…Z-14, R-51): nothing of it is cut
//! - `signs`: one for each state, so that colour never stands alone, and a spinner for what moves
//! - `status`: what goes on, with which model, at what cost, and which keys help now
//! - `tasks`: beside the transcript where the screen is wide, in a few rows over the message where it is not
//! - `transcript`: what was said and done: the cells of the session that the screen has room for
//! - `welcome`: what is seen before the first message

mod composer;
pub(crate) mod figures;
mod inspector;
mod inspector_page;
mod outcome;
mod overlay;
mod popup;
mod question;
mod signs;
mod status;
mod tasks;
mod transcript;
mod welcome;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::state::transcript::TranscriptSight;
use crate::state::{SIZE_MIN, TuiState};
use crate::text::{cut, one_line};
use crate::theme::TextRole;
use question::QuestionPlan;

/// Rows of the transcript that a message leaves.
const MAIN_ROWS_MIN: u16 = 3;

/// Columns of a session's title in the terminal's.
const TITLE_COLUMNS: usize = 60;

/// Lines that were laid out before, and what the last frame showed of them.
#[derive(Debug, Default)]
pub struct Cache {
    question: question::BodyCache,
    transcribed: transcript::Transcribed,
    inspected: inspector::Inspected,
    sight: TranscriptSight,
}

impl Cache {
    /// What the last frame showed, for the state (`Input::Seen`).
    pub fn sight(&self) -> TranscriptSight {
        self.sight.clone()
    }

    /// Lines of the transcript that are kept.
    pub fn lines_kept(&self) -> usize {
        self.transcribed.lines_kept()
    }
}

struct Areas {
    main: Rect,
    side: Option<Rect>,
    tasks: Option<Rect>,
    low: Rect,
    status: Rect,
    plan: Option<QuestionPlan>,
}

impl Areas {
    fn new(area: Rect, state: &TuiState, cache: &mut Cache) -> Self {
        let status_rows = status::rows(area.height);
        let free = area.height.saturating_sub(status_rows);
        let plan = QuestionPlan::new(state, area.width, free, &mut cache.question);
        let low_rows = match &plan {
            Some(plan) => plan.rows,
            None => composer::rows(state).min(free.saturating_sub(MAIN_ROWS_MIN)).max(1),
        };
        let left = free.saturating_sub(low_rows);
        let task_rows = tasks::rows(state).filter(|rows| left >= rows.saturating_add(MAIN_ROWS_MIN));
        let main_rows = left.saturating_sub(task_rows.unwrap_or(0));
        let below =
            |y: u16, height: u16| Rect { y: area.y.saturating_add(y), height, ..area }.intersection(area);
        let top = below(0, main_rows);
        let side_columns = tasks::columns(state).filter(|_| main_rows > 0).unwrap_or(0);
        let main = Rect { width: top.width.saturating_sub(side_columns), ..top };
        let side = Rect { x: main.right(), width: side_columns, ..top };
        Self {
            main,
            side: (side_columns > 0).then_some(side),
            tasks: task_rows.map(|rows| below(main_rows, rows)),
            low: below(left, low_rows),
            status: below(free, status_rows),
            plan,
        }
    }
}

pub fn draw(frame: &mut Frame<'_>, state: &TuiState, cache: &mut Cache) {
    let area = frame.area();
    cache.sight = TranscriptSight::default();
    if area.width < SIZE_MIN.0 || area.height < SIZE_MIN.1 {
        let text = format!("too small: {}x{} at least", SIZE_MIN.0, SIZE_MIN.1);
        let text = cut(&text, usize::from(area.width)).into_owned();
        frame.render_widget(Line::styled(text, state.theme.style(TextRole::Muted)), area);
        return;
    }
    let areas = Areas::new(area, state, cache);
    if state.session.is_none() && state.sending.is_none() {
        welcome::draw(frame, areas.main, state);
    } else {
        transcript::draw(frame, areas.main, state, cache);
    }
    if let Some(side) = areas.side {
        tasks::draw(frame, side, state);
    }
    if let Some(few) = areas.tasks {
        tasks::draw_few(frame, few, state);
    }
    match &areas.plan {
        Some(plan) => question::draw(frame, areas.low, state, plan, &cache.question),
        None => composer::draw(frame, areas.low, state),
    }
    status::draw(frame, areas.status, state);
    overlay::draw(frame, state);
    inspector::draw(frame, state, cache);
}

/// What the terminal's title says: what goes on, and in which session.
pub fn title(state: &TuiState) -> String {
    let sign = match (state.questions().is_empty(), state.running()) {
        (false, _) => "? ",
        (true, Some(_)) => "● ",
        (true, None) => "",
    };
    let title = state.session.as_ref().map(|session| one_line(session.title()));
    match title.filter(|title| !title.is_empty()) {
        Some(title) => format!("{sign}Windlass · {}", cut(&title, TITLE_COLUMNS)),
        None => format!("{sign}Windlass"),
    }
}

/// Lines of the question that cannot be seen at once: so far it can be scrolled.
pub(crate) fn question_hidden_lines(state: &TuiState) -> usize {
    areas_now(state).plan.map_or(0, |plan| plan.hidden_lines)
}

/// Lines of the question that can be seen at once.
pub(crate) fn question_page(state: &TuiState) -> usize {
    areas_now(state).plan.map_or(1, |plan| plan.body_rows.max(1))
}

/// Where the question is, if there is one.
pub(crate) fn question_area(state: &TuiState) -> Option<Rect> {
    let areas = areas_now(state);
    areas.plan.map(|_| areas.low)
}

fn areas_now(state: &TuiState) -> Areas {
    let (columns, rows) = state.size;
    Areas::new(Rect::new(0, 0, columns, rows), state, &mut Cache::default())
}
