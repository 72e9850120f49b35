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
    let width = [1, 12, 40, 80][dice.below(4)];
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
        let is_wide = |line: &Line<'_>| crate::text::width(&line.to_string()) > usize::from(width);
        assert!(width < 12 || !whole.iter().any(is_wide), "width {width}, source {so_far:?}");
        if grown != whole {
            let show = |lines: &[Line<'_>]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            panic!("width {width}, source {so_far:?}\n--- grown\n{}--- whole\n{}", show(grown), show(&whole));
        }
    }
}

#[test]
fn a_text_that_grows_looks_at_every_moment_like_the_whole() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..300 {
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
    for _ in 0..12 {
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

/// A text of about 100 KB that repeats something.
fn enormous(opening: &str, line: &str) -> String {
    let mut source = opening.to_owned();
    while source.len() < 100_000 {
        source.push_str(line);
    }
    source
}

#[test]
fn another_text_width_or_theme_begins_anew() {
    let mut growing = Growing::default();
    let theme = Theme::default();
    let plain = Theme::new(crate::theme::ThemeKind::Plain);
    let source = "# Head\n\nSome words that wrap.\n\n```rust\nfn a() {}\nfn b() {}\n";
    for (source, width, theme) in [
        (source, 80, theme),
        (source, 9, theme),
        (source, 9, plain),
        ("# Head\n\nOther", 9, plain),
        ("", 9, plain),
        (source, 9, plain),
        ("# Head\r\n\r\nSome\rwords", 9, plain),
    ] {
        assert_eq!(growing.update(source, width, theme), render(source, width, theme));
    }
}

#[test]
fn what_is_done_is_not_laid_out_again() {
    let mut growing = Growing::default();
    let source = enormous("Look:\n\n```rust\n", "let x = 1;\n");
    growing.update(&source, 80, Theme::default());
    assert!(source.len() - growing.done < 20);
    let source = enormous("Look:\n\n", "- item\n");
    growing.update(&source, 80, Theme::default());
    assert!(source.len() - growing.done < 20);
    let source = enormous("Look:\n\n", "more *and* more words ");
    for end in [source.len() / 2, source.len()] {
        growing.update(&source[..end], 80, Theme::default());
        growing.update(&format!("{}words ", &source[..end]), 80, Theme::default());
    }
    assert!(source.len() - growing.done < 40);
}
