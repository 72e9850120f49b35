//! The inspector: a run with everything that is on record of it, over the whole screen.
//!
//! Laid out step by step: of a run that goes on, only the step that changed is laid out again.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;
use windlass_core::protocol::ids::CallId;

use super::inspector_page::{lay_end, lay_head, lay_step};
use super::outcome::OutcomePage;
use super::{Cache, signs};
use crate::state::TuiState;
use crate::state::inspector::{Inspector, InspectorSight, Jump, RunFacts};
use crate::state::overlay::Overlay;
use crate::text::{cut, one_line};
use crate::theme::{TextRole, Theme};

/// Lines of one text.
const TEXT_LINES_MAX: usize = 2_000;

/// What the keys do.
const HINT: &str = "↑↓ scroll · ←→ run · / search · n next · y copy · Esc close";

/// The run that was laid out last.
#[derive(Debug, Default)]
pub(super) struct Inspected {
    key: Option<InspectorKey>,
    seq: u64,
    sections: Vec<InspectorSection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InspectorKey {
    session: u64,
    run: usize,
    columns: u16,
    theme: Theme,
}

/// The head, a step or the end of a run.
#[derive(Debug, Default)]
struct InspectorSection {
    seq: u64,
    lines: Vec<Line<'static>>,
    calls: Vec<(CallId, usize)>,
}

/// Draws it, if it is there.
pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState, cache: &mut Cache) {
    let Some(Overlay::Inspector(inspector)) = &state.overlay else { return };
    let area = frame.area();
    frame.render_widget(Clear, area);
    let rows = usize::from(area.height.saturating_sub(2));
    cache.inspected.lay(state, inspector, area.width.saturating_sub(2));
    let sight = find(&cache.inspected, inspector, rows);
    let body = Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    };
    let shown = cache.inspected.lines().skip(sight.scrolled).take(rows);
    for (row, line) in (body.y..body.bottom()).zip(shown) {
        frame.buffer_mut().set_line(body.x, row, line, body.width);
        if is_found(line, &inspector.sought) {
            let row = Rect { y: row, height: 1, ..body };
            frame.buffer_mut().set_style(row, state.theme.style(TextRole::Chosen));
        }
    }
    draw_bars(frame, area, state, inspector, &sight, cache.inspected.len());
    cache.sight.inspected = Some(sight);
}

fn draw_bars(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &TuiState,
    inspector: &Inspector,
    sight: &InspectorSight,
    lines: usize,
) {
    let runs = state.session.as_ref().map_or(0, |session| session.view.runs.len());
    let last = sight.scrolled.saturating_add(sight.rows).min(lines);
    let title = format!(" Run {} of {runs} · lines to {last} of {lines}", inspector.run + 1);
    let low = match (&state.notice, inspector.is_typing) {
        (_, true) => {
            Span::styled(format!(" /{}█", one_line(&inspector.sought)), state.theme.style(TextRole::Accent))
        }
        (Some(notice), false) => Span::raw(format!(" {}", one_line(&notice.text))),
        (None, false) if !state.questions().is_empty() => {
            Span::styled(" A question waits for you · Esc close", state.theme.style(TextRole::Warn))
        }
        (None, false) => Span::styled(format!(" {HINT}"), state.theme.style(TextRole::Muted)),
    };
    let columns = usize::from(area.width);
    let title = Line::styled(cut(&title, columns).into_owned(), state.theme.style(TextRole::Strong));
    frame.buffer_mut().set_line(area.x, area.y, &title, area.width);
    if area.height > 1 {
        frame.buffer_mut().set_line(area.x, area.bottom() - 1, &Line::from(low), area.width);
    }
}

/// The line to begin with.
fn find(inspected: &Inspected, inspector: &Inspector, rows: usize) -> InspectorSight {
    let most = inspected.len().saturating_sub(rows);
    let mut sight = InspectorSight { scrolled: inspector.scrolled.min(most), rows, is_missing: false };
    if let Some(line) = inspector.reveal.as_ref().and_then(|call_id| inspected.line_of(call_id)) {
        sight.scrolled = line.min(most);
    }
    let Some(jump) = inspector.jump else { return sight };
    let found = |(_, line): &(usize, &Line<'static>)| is_found(line, &inspector.sought);
    let from = sight.scrolled;
    let hits: Vec<usize> = inspected.lines().enumerate().filter(found).map(|(at, _)| at).collect();
    // Those on the last page cannot be brought to the top, and the search goes round.
    let hit = match jump {
        Jump::Here => hits.iter().find(|at| **at >= from).or(hits.first()),
        Jump::Next => hits.iter().find(|at| **at > from).filter(|_| from < most).or(hits.first()),
        Jump::Previous => hits.iter().rev().find(|at| **at < from).or(hits.last()),
    };
    match hit {
        Some(at) => sight.scrolled = (*at).min(most),
        None => sight.is_missing = true,
    }
    sight
}

fn is_found(line: &Line<'_>, sought: &str) -> bool {
    if sought.is_empty() {
        return false;
    }
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    text.to_lowercase().contains(&sought.to_lowercase())
}

impl Inspected {
    fn lines(&self) -> impl Iterator<Item = &Line<'static>> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    fn len(&self) -> usize {
        self.sections.iter().map(|section| section.lines.len()).sum()
    }

    fn line_of(&self, call_id: &CallId) -> Option<usize> {
        let mut before = 0;
        for section in &self.sections {
            if let Some((_, line)) = section.calls.iter().find(|(id, _)| id == call_id) {
                return Some(before + line);
            }
            before += section.lines.len();
        }
        None
    }

    fn lay(&mut self, state: &TuiState, inspector: &Inspector, columns: u16) {
        let Some(session) = &state.session else { return self.sections.clear() };
        let key = InspectorKey { session: session.number, run: inspector.run, columns, theme: state.theme };
        let records = session.records(inspector.run);
        let seq = records.last().map_or(0, |record| record.seq);
        if self.key != Some(key) {
            *self = Self { key: Some(key), ..Self::default() };
        } else if self.seq == seq {
            return;
        }
        self.seq = seq;
        let facts = RunFacts::fold(records);
        let page = || OutcomePage::new(usize::from(columns), state.theme, TEXT_LINES_MAX);
        let mut old = std::mem::take(&mut self.sections).into_iter();
        // The head has what was told before the first step: it is short, and always laid out.
        old.next();
        let mut head = page();
        lay_head(&mut head, &facts);
        self.sections.push(InspectorSection { seq: 0, lines: head.lines, calls: Vec::new() });
        for step in &facts.steps {
            let section = match old.next().filter(|old| old.seq == step.seq) {
                Some(same) => same,
                None => {
                    let mut page = page();
                    let calls = lay_step(&mut page, step, facts.started_ms);
                    InspectorSection { seq: step.seq, lines: page.lines, calls }
                }
            };
            self.sections.push(section);
        }
        let mut end = page();
        match &facts.end {
            Some(end_facts) => lay_end(&mut end, &facts, end_facts),
            None => end.title(&format!("{} still running", signs::FOLDED)),
        }
        self.sections.push(InspectorSection { seq: u64::MAX, lines: end.lines, calls: Vec::new() });
    }
}
