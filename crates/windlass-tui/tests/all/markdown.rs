//! Markdown as it looks: whole answers in several widths.

use ratatui::text::Line;
use windlass_tui::markdown::{Growing, render};
use windlass_tui::text::width;
use windlass_tui::{Theme, ThemeKind};

use crate::stage::assert_frame;

const ANSWER: &str = include_str!("../samples/answer.md");
const DIFF: &str = include_str!("../samples/change.diff");

fn shown(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| format!("{}\n", line.to_string().trim_end())).collect()
}

#[test]
fn an_answer_looks_as_it_did_at_every_width() {
    for columns in [100, 60, 30] {
        let lines = render(ANSWER, columns, Theme::default());
        assert!(lines.iter().all(|line| width(&line.to_string()) <= usize::from(columns)));
        assert_frame(&format!("markdown-answer.{columns}"), &shown(&lines));
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    let text = |kind| shown(&render(&ANSWER.replace('`', ""), 80, Theme::new(kind)));
    assert_eq!(text(ThemeKind::Dark), text(ThemeKind::Light));
    assert_eq!(text(ThemeKind::Dark), text(ThemeKind::Plain));
}

#[test]
fn an_answer_that_arrives_looks_like_the_one_that_came() {
    let mut growing = Growing::default();
    for end in (0..=ANSWER.len()).filter(|end| ANSWER.is_char_boundary(*end)) {
        let so_far = &ANSWER[..end];
        assert_eq!(growing.update(so_far, 60, Theme::default()), render(so_far, 60, Theme::default()));
    }
}

#[test]
fn a_diff_looks_as_it_did_at_every_width() {
    for columns in [100, 60, 30] {
        let lines = windlass_tui::diff::render(DIFF, columns, Theme::default());
        assert!(lines.iter().all(|line| width(&line.to_string()) <= usize::from(columns)));
        assert_frame(&format!("markdown-diff.{columns}"), &shown(&lines));
    }
}
