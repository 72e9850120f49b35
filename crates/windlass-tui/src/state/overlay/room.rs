//! How much room overlays have: the view draws into it, and scrolling ends where it does.

/// Columns beyond which a line is hard to read.
const COLUMNS_MAX: u16 = 120;

/// Below so many columns an overlay takes the whole width.
const NARROW_COLUMNS: u16 = 80;

/// Below so many rows an overlay takes the whole height.
const LOW_ROWS: u16 = 16;

/// Columns beside the text: a border and a blank on each side.
const BESIDE: u16 = 4;

/// Rows above and below the text: two borders and the line of keys.
const AROUND: u16 = 3;

/// A box on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverlayBox {
    pub x: u16,
    pub y: u16,
    /// Its columns, borders included.
    pub columns: u16,
    /// Its rows, borders included.
    pub rows: u16,
}

impl OverlayBox {
    /// The box of an overlay on a screen of so many columns and rows.
    pub fn on((columns, rows): (u16, u16)) -> Self {
        let beside = if columns < NARROW_COLUMNS { 0 } else { 4 };
        let around = if rows < LOW_ROWS { 0 } else { 2 };
        let (wide, high) = (columns.saturating_sub(beside).min(COLUMNS_MAX), rows.saturating_sub(around));
        let (x, y) = (columns.saturating_sub(wide) / 2, rows.saturating_sub(high) / 2);
        Self { x, y, columns: wide, rows: high }
    }

    /// The same, not higher than so many rows of text need.
    #[must_use]
    pub fn lowered(mut self, text_rows: usize) -> Self {
        let wanted = u16::try_from(text_rows).unwrap_or(u16::MAX).saturating_add(AROUND);
        let rows = self.rows.min(wanted.max(AROUND + 1));
        self.y += (self.rows - rows) / 2;
        self.rows = rows;
        self
    }

    pub fn text_columns(self) -> usize {
        usize::from(self.columns.saturating_sub(BESIDE)).max(1)
    }

    pub fn text_rows(self) -> usize {
        usize::from(self.rows.saturating_sub(AROUND)).max(1)
    }
}
