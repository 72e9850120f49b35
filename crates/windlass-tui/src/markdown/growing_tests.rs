use super::*;

/// Pieces that mean something else together than alone.
const PIECES: [&str; 62] = [
    "word ",
    "a few words to wrap ",
    "**bold** ",
    "*open ",
    "_",
    "`code` ",
    "`",
    "~~gone~~ ",
    "[link](http://x.y) ",
    "[ref] ",
    "[",
    "](u)",
    "<b>",
    "<http://x.y> ",
    "&amp; ",
    "\\",
    "漢字 ",
    "![alt](i.png) ",
    "|",
    "\n",
    "\n",
    "\n\n",
    "\n\n\n",
    "  \n",
    "\n- item ",
    "\n- ",
    "\n  - nested ",
    "\n* star ",
    "\n1. one ",
    "\n2) two ",
    "\n10. ten ",
    "\n   ",
    "\n    ",
    "\n\t",
    "\n- [ ] task ",
    "\n- [x] done",
    "\n> quote ",
    "\n>",
    "\n> - in quote\n> \n> - more ",
    "\n# ",
    "#",
    "\n## Heading\n",
    "\n---\n",
    "\n===\n",
    "-",
    "=",
    "\n```rust\nfn main() {\n",
    "\n```\n",
    "``",
    "```",
    "\n~~~~\ncode\n",
    "\n~~~~\n",
    "| a | b |\n",
    "|---|--:|\n",
    "\n| a | b |\n|---|--:|\n| c | d |\n",
    "a|b\n-|-\n",
    "\n<div>\n",
    "</div>\n\n",
    "\n<!-- x\n",
    "-->\n",
    "\n[ref]: http://z\n",
    "\n\n    indented\n",
];

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit
    }

    /// A text of so many pieces; half of them from the last few kinds, so that long blocks come about.
    fn text(&mut self, pieces: usize) -> String {
        let favourites = [self.below(PIECES.len()), self.below(PIECES.len()), 1];
        (0..pieces)
            .map(|_| match self.below(2) {
                0 => PIECES[self.below(PIECES.len())],
                _ => PIECES[favourites[self.below(favourites.len())]],
            })
            .collect()
    }
}

/// Gives a text piece by piece and holds every state against the whole.
fn grow(source: &str, dice: &mut Dice, piece_bytes: usize) {
    let theme = Theme::default();
    let width = [12, 40, 80][dice.below(3)];
    let mut growing = Growing::default();
    let mut end = 0;
    while end < source.len() {
        end = (end + 1 + dice.below(piece_bytes)).min(source.len());
        while !source.is_char_boundary(end) {
            end += 1;
        }
        let so_far = &source[..end];
        let grown = growing.update(so_far, width, theme);
        let whole = render(so_far, width, theme);
        if grown != whole {
            let show = |lines: &[Line<'_>]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            panic!("width {width}, source {so_far:?}\n--- grown\n{}--- whole\n{}", show(grown), show(&whole));
        }
    }
}

#[test]
fn a_text_that_grows_looks_at_every_moment_like_the_whole() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let rounds: usize = std::env::var("ROUNDS").map_or(400, |text| text.parse().unwrap());
    for _ in 0..rounds {
        let pieces = 5 + dice.below(40);
        let source = dice.text(pieces);
        grow(&source, &mut dice, 6);
    }
}

/// Paragraphs long enough to be cut, with all that can still change them.
#[test]
fn a_long_paragraph_that_grows_looks_at_every_moment_like_the_whole() {
    const RARE: [&str; 14] = [
        "*",
        "**",
        "`",
        "[",
        "](u) ",
        "|",
        "\n---\n",
        "\n-",
        "\n|---|\n",
        "\n\n",
        "<",
        "_",
        "\n[ref]: u\n",
        "漢字",
    ];
    const USUAL: [&str; 9] = [
        "several words, ",
        "*soft* ",
        "and **hard**; ",
        "`x  y` ",
        "[a](b) ",
        "line\n",
        "hard  \n",
        "&copy; ",
        "a\\\nb ",
    ];
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let rounds: usize = std::env::var("ROUNDS").map_or(12, |text| text.parse().unwrap());
    for _ in 0..rounds {
        let pieces = 200 + dice.below(300);
        let rare_every = 60 + dice.below(400);
        let source: String = (0..pieces)
            .map(|_| match dice.below(rare_every) {
                0 => RARE[dice.below(RARE.len())],
                _ => USUAL[dice.below(USUAL.len())],
            })
            .collect();
        grow(&format!("Before.\n\n{source}"), &mut dice, 40);
    }
}
