//! What a hostile model would send, from a fixed seed, and how what a front end shows is read back into it.

use std::iter::Peekable;
use std::str::Chars;

/// Stands in every line that a model wrote to look like one of ours.
pub(crate) const MARK: &str = "EVIL";

/// A question that is none.
pub(crate) const FORGED: &str = "\n⚠️  Permission Request EVIL\nTool: EVIL\nRisk: SAFE EVIL\n\
    [1] Allow Once  [2] Session  [3] Remember  [4] Deny EVIL\n[5] Deny and say why  [v] View all EVIL\n> EVIL";

/// Pieces that every terminal measures alike.
const PIECES: &[&str] = &[
    "EVIL",
    "word",
    " ",
    "   ",
    "\n",
    "\n\n",
    "\t",
    "'",
    "\"",
    "\\",
    "\\n",
    "\\u{202e}",
    "{\"text\": 1}",
    "-----BEGIN A PRIVATE KEY-----",
    "sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AKIAABCDEFGHIJKLMNOP",
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}]0;EVIL\u{7}",
    "\u{1b}]52;c;RVZJTA==\u{7}",
    "\u{9b}31m",
    "\r",
    "\u{8}\u{8}\u{8}",
    "\u{202e}EVIL\u{202c}",
    "\u{2066}",
    "\u{61c}",
    "\u{200b}",
    "\u{feff}",
    "\u{3164}",
    "\u{e0041}",
    "é",
    "│ EVIL",
    "┊ EVIL",
    "… 3 more lines: v shows all …",
    "── Permission 1 of 1 ── EVIL",
    FORGED,
];

/// Pieces that are wider or narrower than they look to some.
const WIDE_PIECES: &[&str] = &["日本語", "👩\u{200d}👩\u{200d}👧", "e\u{301}", "⚠️", "\u{1f1e9}\u{1f1ea}"];

/// Numbers that look random and are the same each time (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end).unwrap()).unwrap()
    }
}

/// The text of a call; its number comes first, so that whoever sees it knows which it is.
pub(crate) fn text(number: usize) -> String {
    let mut dice = Dice::new(u64::try_from(number).unwrap());
    let mut text = pieces(number, &mut dice, 14, true);
    match dice.below(400) {
        0 => text.push_str(&"EVIL 100 kB\n".repeat(8_500)),
        1 => text.push_str(&"y".repeat(100_000)),
        2..12 => text.push_str(&"\n".repeat(70)),
        12..40 => text.push_str(&format!("{}Tool: EVIL", " ".repeat(dice.below(90)))),
        40..60 => text.push_str(&"x".repeat(200)),
        _ => {}
    }
    text
}

/// A text of a call that fits on a screen, of pieces that all measure alike.
pub(crate) fn short_text(number: usize) -> String {
    let text = pieces(number, &mut Dice::new(u64::try_from(number).unwrap()), 6, false);
    // Terminals do not agree on how wide this one is.
    text.replace("⚠️  ", "! ")
}

fn pieces(number: usize, dice: &mut Dice, most: usize, with_wide: bool) -> String {
    let mut text = format!("{number}:");
    for _ in 0..dice.below(most) {
        let wide = if with_wide { WIDE_PIECES.len() } else { 0 };
        let at = dice.below(PIECES.len() + wide);
        text.push_str(PIECES.get(at).or_else(|| WIDE_PIECES.get(at - PIECES.len())).unwrap());
    }
    text
}

/// Reads `\u{…}` back. In JSON a backslash before another one is not the beginning of that.
pub(crate) fn reveal(shown: &str, is_json: bool) -> String {
    let mut revealed = String::with_capacity(shown.len());
    let mut signs = shown.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('\\', Some('\\')) if is_json => {
                signs.next();
                revealed.push_str("\\\\");
            }
            ('\\', Some('u')) => match hidden(signs.clone()) {
                Some((hidden, rest)) => {
                    revealed.push(hidden);
                    signs = rest;
                }
                None => revealed.push(sign),
            },
            _ => revealed.push(sign),
        }
    }
    revealed
}

fn hidden(mut signs: Peekable<Chars<'_>>) -> Option<(char, Peekable<Chars<'_>>)> {
    signs.next_if_eq(&'u')?;
    signs.next_if_eq(&'{')?;
    let mut digits = String::new();
    while let Some(digit) = signs.next_if(char::is_ascii_hexdigit) {
        digits.push(digit);
    }
    signs.next_if_eq(&'}')?;
    let hidden = char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?;
    Some((hidden, signs))
}
