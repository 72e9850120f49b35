//! A screen: rows of signs with their looks, read from what tmux captures.

pub(super) struct PaneScreen {
    /// Its rows: pieces of text that look the same.
    pub(super) rows: Vec<Vec<PaneText>>,
}

/// Signs that look the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaneText {
    pub(super) column: usize,
    pub(super) text: String,
    pub(super) look: TextLook,
}

/// How a sign looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TextLook {
    /// One of the 256 colours; the terminal's own unless there is one.
    pub(super) colour: Option<u8>,
    /// The same for the ground.
    pub(super) ground: Option<u8>,
    pub(super) is_bold: bool,
    pub(super) is_dim: bool,
    pub(super) is_italic: bool,
    pub(super) is_underlined: bool,
    /// Colour and ground exchanged.
    pub(super) is_reversed: bool,
}

impl PaneScreen {
    /// Reads lines with SGR sequences.
    pub(super) fn read(captured: &str) -> Self {
        let mut look = TextLook::default();
        let rows = captured.lines().map(|line| read_row(line, &mut look)).collect();
        Self { rows }
    }
}

fn read_row(line: &str, look: &mut TextLook) -> Vec<PaneText> {
    let mut pieces: Vec<PaneText> = Vec::new();
    let mut column = 0;
    let mut rest = line;
    while let Some(sign) = rest.chars().next() {
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(sequence.len());
            let (codes, after) = sequence.split_at(end);
            if after.starts_with('m') {
                look.change(codes);
            }
            rest = after.get(1..).unwrap_or_default();
            continue;
        }
        rest = rest.get(sign.len_utf8()..).unwrap_or_default();
        match pieces.last_mut() {
            Some(piece) if piece.look == *look => piece.text.push(sign),
            Some(_) | None => pieces.push(PaneText { column, text: sign.to_string(), look: *look }),
        }
        column += 1;
    }
    pieces
}

impl TextLook {
    fn change(&mut self, codes: &str) {
        let mut numbers = codes.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                1 => self.is_bold = true,
                2 => self.is_dim = true,
                3 => self.is_italic = true,
                4 => self.is_underlined = true,
                7 => self.is_reversed = true,
                22 => (self.is_bold, self.is_dim) = (false, false),
                23 => self.is_italic = false,
                24 => self.is_underlined = false,
                27 => self.is_reversed = false,
                30..=37 => self.colour = u8::try_from(number - 30).ok(),
                40..=47 => self.ground = u8::try_from(number - 40).ok(),
                90..=97 => self.colour = u8::try_from(number - 82).ok(),
                38 | 48 => {
                    let is_indexed = numbers.next() == Some(5);
                    let index =
                        numbers.next().and_then(|index| u8::try_from(index).ok()).filter(|_| is_indexed);
                    *(if number == 38 { &mut self.colour } else { &mut self.ground }) = index;
                }
                39 => self.colour = None,
                49 => self.ground = None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
