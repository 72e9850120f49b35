//! What a block is inside of, quotes and list items, and what therefore stands before its lines.

use ratatui::text::Span;

use super::inline::task_sign;
use crate::text::width;
use crate::theme::{TextRole, Theme};

/// One thing around a block.
#[derive(Debug)]
enum BlockFrame {
    Quote { has_content: bool },
    List { number: Option<u64>, items: usize },
    Item { marker: Option<Span<'static>>, columns: usize, has_content: bool },
}

/// Everything around a block, the innermost last.
#[derive(Debug)]
pub(super) struct BlockFrames {
    theme: Theme,
    columns: usize,
    frames: Vec<BlockFrame>,
}

/// What stands before the first line of a block, and before its others.
pub(super) type Indents = (Vec<Span<'static>>, Vec<Span<'static>>);

impl BlockFrames {
    pub(super) fn new(columns: usize, theme: Theme) -> Self {
        Self { theme, columns, frames: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn push_quote(&mut self) {
        self.frames.push(BlockFrame::Quote { has_content: false });
    }

    pub(super) fn push_list(&mut self, number: Option<u64>) {
        self.frames.push(BlockFrame::List { number, items: 0 });
    }

    pub(super) fn pop(&mut self) {
        self.frames.pop();
    }

    /// A block begins inside. Whether a blank line comes before it, if the source has one there.
    pub(super) fn begin(&mut self, has_blank: bool) -> bool {
        match self.frames.last_mut() {
            Some(BlockFrame::Quote { has_content }) => std::mem::replace(has_content, true),
            Some(BlockFrame::Item { has_content, .. }) => std::mem::replace(has_content, true) && has_blank,
            Some(BlockFrame::List { .. }) | None => false,
        }
    }

    /// The number of the next item, if this is a list that nothing is around.
    pub(super) fn next_of_outermost(&self) -> Option<Option<u64>> {
        match self.frames.as_slice() {
            [BlockFrame::List { number, .. }] => Some(*number),
            _ => None,
        }
    }

    /// Whether the list has items already.
    pub(super) fn has_items(&self) -> bool {
        matches!(self.frames.last(), Some(BlockFrame::List { items, .. }) if *items > 0)
    }

    /// The next item begins.
    pub(super) fn push_item(&mut self) {
        let depth = self.frames.iter().filter(|frame| matches!(frame, BlockFrame::List { .. })).count();
        let Some(BlockFrame::List { number, items }) = self.frames.last_mut() else { return };
        *items += 1;
        let marker = match number {
            Some(next) => {
                let marker = format!("{next}. ");
                *number = next.checked_add(1);
                marker
            }
            None if depth % 2 == 1 => "• ".to_owned(),
            None => "- ".to_owned(),
        };
        let columns = width(&marker);
        let marker = Some(Span::styled(marker, self.theme.style(TextRole::Accent)));
        self.frames.push(BlockFrame::Item { marker, columns, has_content: false });
    }

    /// Whether the marker of the item was not shown yet.
    pub(super) fn has_marker(&self) -> bool {
        matches!(self.frames.last(), Some(BlockFrame::Item { marker: Some(_), .. }))
    }

    /// The sign of a task takes the place of its bullet; numbers stay.
    pub(super) fn mark_task(&mut self, is_done: bool) -> bool {
        match self.frames.as_mut_slice() {
            [
                ..,
                BlockFrame::List { number: None, .. },
                BlockFrame::Item { marker: marker @ Some(_), .. },
            ] => {
                let (sign, role) = task_sign(is_done);
                *marker = Some(Span::styled(sign, self.theme.style(role)));
                true
            }
            _ => false,
        }
    }

    /// What stands before the lines of the next block. Takes the markers of items.
    pub(super) fn indents(&mut self) -> Indents {
        self.indents_of(true)
    }

    /// What stands before a line with nothing on it.
    pub(super) fn blank(&mut self) -> Vec<Span<'static>> {
        self.indents_of(false).1
    }

    /// Deep inside, the outer indents go: half of the columns are for text.
    fn indents_of(&mut self, takes_markers: bool) -> Indents {
        let quote = Span::styled("│ ", self.theme.style(TextRole::Muted));
        let (mut first, mut hanging) = (Vec::new(), Vec::new());
        let mut room = self.columns / 2;
        for frame in self.frames.iter_mut().rev() {
            let (sign, blank) = match frame {
                BlockFrame::Quote { .. } => (quote.clone(), quote.clone()),
                BlockFrame::List { .. } => continue,
                BlockFrame::Item { marker, columns, .. } => {
                    let blank = Span::raw(" ".repeat(*columns));
                    let sign = if takes_markers { marker.take() } else { None };
                    (sign.unwrap_or_else(|| blank.clone()), blank)
                }
            };
            let columns = width(&blank.content);
            if columns <= room {
                room -= columns;
                first.push(sign);
                hanging.push(blank);
            } else {
                room = 0;
            }
        }
        first.reverse();
        hanging.reverse();
        (first, hanging)
    }
}
