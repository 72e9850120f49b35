//! Which lines the screen shows: from a place, and from the lines of the cells around it.

use super::cache::Transcribed;
use super::cell;
use crate::state::TuiState;
use crate::state::cells::Cells;
use crate::state::transcript::{CellLine, ScrollPosition, TranscriptCell};
use crate::view::transcript::Laid;

/// Cells that are looked at to say how many lines are new.
const NEW_CELLS_MAX: usize = 300;

/// The cells of a state with their lines.
pub(super) struct TranscriptWindow<'a> {
    state: &'a TuiState,
    cells: Cells<'a>,
    laid: &'a mut Transcribed,
    columns: u16,
}

/// What the screen shows.
pub(super) struct ShownWindow {
    pub(super) top: CellLine,
    pub(super) rows: usize,
    /// Whether the last line of all is among them.
    pub(super) is_at_end: bool,
}

impl<'a> TranscriptWindow<'a> {
    pub(super) fn new(state: &'a TuiState, laid: &'a mut Transcribed, columns: u16) -> Self {
        Self { state, cells: Cells::new(state), laid, columns }
    }

    /// The lines of a cell.
    pub(super) fn lay(&mut self, cell: TranscriptCell) -> &Laid {
        cell::lay(self.state, self.cells, cell, self.laid)
    }

    /// Blank lines before a cell.
    pub(super) fn gap(&mut self, cell: TranscriptCell) -> usize {
        if self.lay(cell).len() == 0 { 0 } else { self.cells.gap(cell) }
    }

    fn lines(&mut self, cell: TranscriptCell) -> usize {
        match self.lay(cell).len() {
            0 => 0,
            lines => lines + self.cells.gap(cell),
        }
    }

    fn spot(&mut self, cell: TranscriptCell, line: usize) -> CellLine {
        let lines = self.lines(cell);
        CellLine { cell, line: i64::try_from(line).unwrap_or(i64::MAX), lines, columns: self.columns }
    }

    /// What a screen of so many rows shows; nothing if there is nothing.
    pub(super) fn find(&mut self, rows: usize) -> Option<ShownWindow> {
        let top = match self.state.transcript.place {
            ScrollPosition::End => self.top_of_end(rows)?,
            ScrollPosition::At(spot) => self.settle(spot)?,
        };
        let top = self.reveal(top, rows);
        match self.rows_from(top, rows) {
            count if count < rows => {
                let top = self.top_of_end(rows)?;
                Some(ShownWindow { top, rows, is_at_end: true })
            }
            count if count == rows => Some(ShownWindow { top, rows, is_at_end: true }),
            // The last row says that there is more.
            _ => Some(ShownWindow { top, rows: rows.saturating_sub(1), is_at_end: false }),
        }
    }

    /// Lines from a spot to the end, counted until they are more than the rows.
    fn rows_from(&mut self, top: CellLine, rows: usize) -> usize {
        let mut count = self.lines(top.cell).saturating_sub(usize::try_from(top.line).unwrap_or(0));
        let mut cell = top.cell;
        while count <= rows
            && let Some(next) = self.cells.next(cell)
        {
            count += self.lines(next);
            cell = next;
        }
        count
    }

    /// The spot from which the end can just be seen.
    fn top_of_end(&mut self, rows: usize) -> Option<CellLine> {
        let last = self.cells.last()?;
        Some(self.back_from(last, usize::MAX, rows))
    }

    /// The spot so many rows before the end of the first `lines` lines of a cell.
    fn back_from(&mut self, cell: TranscriptCell, lines: usize, rows: usize) -> CellLine {
        let (mut cell, mut lines, mut missing) = (cell, self.lines(cell).min(lines), rows);
        loop {
            if lines >= missing {
                return self.spot(cell, lines - missing);
            }
            missing -= lines;
            match self.cells.previous(cell) {
                Some(previous) => (cell, lines) = (previous, self.lines(previous)),
                None => return self.spot(cell, 0),
            }
        }
    }

    fn settle(&mut self, spot: CellLine) -> Option<CellLine> {
        let mut cell = self.cells.nearest(spot.cell)?;
        let mut lines = i64::try_from(self.lines(cell)).unwrap_or(i64::MAX);
        let mut line = spot.line;
        if cell != spot.cell {
            line = 0;
        } else if spot.columns != self.columns && spot.lines > 0 && (0..=i64::from(u32::MAX)).contains(&line)
        {
            // The text was wrapped anew: about the same words.
            line = line * lines / i64::try_from(spot.lines).unwrap_or(i64::MAX).max(1);
        }
        while line < 0 {
            match self.cells.previous(cell) {
                Some(previous) => cell = previous,
                None => return Some(self.spot(cell, 0)),
            }
            lines = i64::try_from(self.lines(cell)).unwrap_or(i64::MAX);
            line = line.saturating_add(lines);
        }
        while line >= lines
            && let Some(next) = self.cells.next(cell)
        {
            (cell, line) = (next, line - lines);
            lines = i64::try_from(self.lines(cell)).unwrap_or(i64::MAX);
        }
        Some(self.spot(cell, usize::try_from(line.clamp(0, lines)).unwrap_or(0)))
    }

    /// The same top, or another one from which what must be seen can be seen.
    fn reveal(&mut self, top: CellLine, rows: usize) -> CellLine {
        let thing = self.state.transcript.reveal.as_ref();
        let Some(cell) = thing.and_then(|thing| self.cells.cell_of(thing)) else { return top };
        let head = self.gap(cell);
        let is_above = cell < top.cell || (cell == top.cell && top.line > i64::try_from(head).unwrap_or(0));
        if is_above {
            return self.spot(cell, 0);
        }
        // The last row may be the hint's.
        let rows = rows.saturating_sub(1).max(1);
        let mut row = head;
        let mut before = cell;
        while before > top.cell && row < rows {
            let Some(previous) = self.cells.previous(before) else { break };
            row += self.lines(previous);
            before = previous;
        }
        let row =
            if before == top.cell { row.saturating_sub(usize::try_from(top.line).unwrap_or(0)) } else { row };
        if row < rows {
            return top;
        }
        match self.lines(cell) {
            lines if lines <= rows => self.back_from(cell, lines, rows),
            _ => self.spot(cell, 0),
        }
    }

    /// Where the transcript ends.
    pub(super) fn end(&mut self) -> Option<CellLine> {
        let last = self.cells.last()?;
        let lines = self.lines(last);
        Some(self.spot(last, lines))
    }

    /// Lines that came since the end was left; nothing if they are too many to count.
    pub(super) fn count_new(&mut self) -> Option<usize> {
        let Some(left) = self.state.transcript.left_end else { return Some(0) };
        let Some(mut cell) = self.cells.nearest(left.cell) else { return Some(0) };
        let known = match usize::try_from(left.line) {
            Ok(line) if cell == left.cell && left.columns == self.columns => line,
            // The text was wrapped anew: what was there then is not new.
            Ok(_) if cell == left.cell => usize::MAX,
            Ok(_) | Err(_) => 0,
        };
        let mut count = self.lines(cell).saturating_sub(known);
        for _ in 0..NEW_CELLS_MAX {
            match self.cells.next(cell) {
                Some(next) => cell = next,
                None => return Some(count),
            }
            count += self.lines(cell);
        }
        None
    }

    /// Which share of all cells is shown, from and to.
    pub(super) fn share(&mut self, found: &ShownWindow) -> (f64, f64) {
        let Some(last) = self.cells.last() else { return (0.0, 1.0) };
        let all = to_f64(self.cells.count_before(last) + 1);
        let from = self.fraction(found.top.cell, usize::try_from(found.top.line).unwrap_or(0));
        if found.is_at_end {
            return (from / all, 1.0);
        }
        let (mut cell, mut line) = (found.top.cell, usize::try_from(found.top.line).unwrap_or(0));
        let mut rows = found.rows;
        loop {
            let left = self.lines(cell).saturating_sub(line);
            match self.cells.next(cell) {
                Some(next) if rows >= left => (cell, line, rows) = (next, 0, rows - left),
                Some(_) | None => break,
            }
        }
        (from / all, self.fraction(cell, line + rows) / all)
    }

    fn fraction(&mut self, cell: TranscriptCell, line: usize) -> f64 {
        let within = match self.lines(cell) {
            0 => 0.0,
            lines => to_f64(line.min(lines)) / to_f64(lines),
        };
        to_f64(self.cells.count_before(cell)) + within
    }
}

fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
