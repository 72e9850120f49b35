use ratatui::style::Modifier;
use ratatui::text::Span;

use super::*;
use crate::theme::{TextRole, ThemeKind};

fn shown(source: &str, width: u16) -> String {
    let lines = render(source, width, Theme::default());
    lines.iter().map(|line| format!("{}\n", line.to_string().trim_end())).collect()
}

fn span(source: &str, text: &str) -> Span<'static> {
    let lines = render(source, 80, Theme::default());
    let spans: Vec<Span<'_>> = lines.into_iter().flat_map(|line| line.spans).collect();
    spans.iter().find(|span| span.content == text).unwrap_or_else(|| panic!("{spans:?}")).clone()
}

#[test]
fn emphasis_is_seen_and_not_written() {
    assert_eq!(shown("*a* **b** ~~c~~ `d` ***e***", 80), "a b c d e\n");
    assert!(span("x *a* y", "a").style.add_modifier.contains(Modifier::ITALIC));
    assert!(span("x **a** y", "a").style.add_modifier.contains(Modifier::BOLD));
    assert!(span("x ~~a~~ y", "a").style.add_modifier.contains(Modifier::CROSSED_OUT));
    assert_eq!(span("x `a` y", "a").style, Theme::default().style(TextRole::Code));
    assert!(span("# a `b`", "a ").style.add_modifier.contains(Modifier::BOLD));
}

#[test]
fn without_colours_code_keeps_its_ticks() {
    let lines = render("x `a` y", 80, Theme::new(ThemeKind::Plain));
    assert_eq!(lines[0].to_string(), "x `a` y");
}

#[test]
fn links_say_where_they_lead_once() {
    assert_eq!(shown("[a](http://x.y)", 80), "a (http://x.y)\n");
    assert_eq!(shown("<http://x.y> [http://x.y](http://x.y) <a@b.c>", 80), "http://x.y http://x.y a@b.c\n");
    assert_eq!(shown("![a *b*](i.png) ![](j.png)", 80), "[image: a b] (i.png) [image: ] (j.png)\n");
    assert_eq!(shown("[a][r]\n\n[r]: http://z 'title'", 80), "a (http://z)\n");
    assert_eq!(span("[a](http://x.y)", " (http://x.y)").style, Theme::default().style(TextRole::Muted));
}

#[test]
fn html_is_text() {
    assert_eq!(
        shown("a <b>c</b><br>\n\n<script>\n  x\n</script>", 80),
        "a <b>c</b><br>\n\n<script>\n  x\n</script>\n"
    );
}

/// Entities and addresses can spell what the source does not show.
#[test]
fn nothing_speaks_to_the_terminal() {
    let hostile = "a\u{1b}[31m &#27;[32m `\u{7}` [x](<\u{9b}y&#27;&#10;>) ![\u{1b}](\u{1b})\n\n```\u{1b}\n\u{1b}[0m\u{202e}\n```\n\n\
        <b\u{1b}>\n\n| \u{1b} |\n|---|\n| &#27; |\n";
    for width in [0, 5, 80] {
        let text = shown(hostile, width);
        assert!(
            !text.contains(|sign: char| (sign.is_control() && sign != '\n') || sign == '\u{202e}'),
            "{text:?}"
        );
    }
}

#[test]
fn lists_hang_and_are_as_dense_as_they_were_written() {
    assert_eq!(shown("- a\n- b\n\n- c\n  - d\n\n    e\n- f", 80), "• a\n• b\n\n• c\n  - d\n\n    e\n• f\n");
    assert_eq!(shown("9. one two\n1. three", 9), "9. one\n   two\n10. three\n");
    assert_eq!(shown("- [x] a\n- [ ] b\n\n1. [x] c", 80), "✓ a\n○ b\n\n1. ✓ c\n");
    assert_eq!(shown("- - a\n-\n- b", 80), "• - a\n•\n• b\n");
    assert_eq!(shown("- a\n  ```sh\n  b\n  ```\n- > c", 80), "• a\n    sh\n    b\n• │ c\n");
}

#[test]
fn deep_inside_half_of_the_columns_stay_for_text() {
    let deep: String =
        (0..12).map(|depth| format!("{}- word{depth} word word\n", "  ".repeat(depth))).collect();
    let text = shown(&deep, 20);
    assert!(text.lines().all(|line| crate::text::width(line) <= 20), "{text}");
    assert!(text.contains("- word11"), "{text}");
}

#[test]
fn tables_fit_or_become_fields() {
    let table = "| name | count | description |\n|---|--:|:-:|\n| a | 1 | several words that wrap |\n| **b** | 10 | |";
    let wide = "\
name │ count │       description
─────┼───────┼────────────────────────
a    │     1 │ several words that wrap
b    │    10 │
";
    let narrow = "\
name │ count │  description
─────┼───────┼──────────────
a    │     1 │ several words
     │       │   that wrap
─────┼───────┼──────────────
b    │    10 │
";
    let fields = "\
name: a
count: 1
description:
  several words
  that wrap

name: b
count: 10
description:
";
    assert_eq!(shown(table, 80), wide);
    assert_eq!(shown(table, 28), narrow);
    assert_eq!(shown(table, 16), fields);
    assert_eq!(shown("| a | b |\n|---|---|", 3), "a\nb\n");
}

#[test]
fn code_is_coloured_and_nothing_of_it_is_lost() {
    let source = "```rust\nlet x = \"0123456789\";\n\n\tdone\n```";
    assert_eq!(shown(source, 12), "  rust\n  let x = \"0\n╰ 123456789\"\n╰ ;\n\n      done\n");
    assert_eq!(span(source, "let").style, Theme::default().style(TextRole::Keyword));
    assert_eq!(shown("    a  b\n\n```", 80), "  a  b\n\n");
}

#[test]
fn all_ends_of_lines_are_alike() {
    let source = "# a\n\nb\nc  \nd\n\n```\ne\n\nf\n```\n";
    assert_eq!(shown(source, 80), shown(&source.replace('\n', "\r\n"), 80));
    assert_eq!(shown(source, 80), shown(&source.replace('\n', "\r"), 80));
}
