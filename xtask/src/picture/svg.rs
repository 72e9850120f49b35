//! Screens, drawn: one SVG that shows them one after another, or the last of them where motion is not wanted.

use std::fmt::Write as _;

use super::screen::{PaneScreen, PaneText, TextLook};
use super::{SIZE, Shot};

/// Width of a sign and height of a row.
const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 14.0;
const BAR: f32 = 28.0;
const GROUND: &str = "#16181d";
const INK: &str = "#d7dae0";

pub(super) fn draw(shots: &[Shot]) -> String {
    let width = f32::from(SIZE.0) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(SIZE.1) * CELL.1 + MARGIN + BAR;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"The terminal app reads a file, asks before it changes it, and answers\">\n"
    );
    svg.push_str(&style(shots));
    let _ = writeln!(svg, "<rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"{GROUND}\"/>");
    for (x, colour) in [(18, "#e06c62"), (36, "#e0b354"), (54, "#7fb069")] {
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"15\" r=\"5\" fill=\"{colour}\"/>");
    }
    for (number, shot) in shots.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"s s{number}\">");
        draw_screen(&mut svg, &shot.screen);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Each screen is visible in its part of the whole; who wants no motion sees the last one.
fn style(shots: &[Shot]) -> String {
    let whole: u32 = shots.iter().map(|shot| shot.shown_ms).sum();
    let mut style = format!(
        "<style>\ntext{{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:{INK};\
         white-space:pre}}\n.s{{visibility:hidden}}\n.b{{font-weight:700}}.i{{font-style:italic}}\
         .u{{text-decoration:underline}}.d{{opacity:.6}}\n"
    );
    let mut at = 0;
    let percent = |ms: u32| f64::from(ms) * 100.0 / f64::from(whole.max(1));
    let mut moving = String::new();
    for (number, shot) in shots.iter().enumerate() {
        let (from, to) = (percent(at), percent(at + shot.shown_ms));
        at += shot.shown_ms;
        let _ = writeln!(
            style,
            "@keyframes k{number}{{0%{{visibility:hidden}}{from:.3}%{{visibility:visible}}{to:.3}%\
             {{visibility:{}}}100%{{visibility:hidden}}}}",
            if at == whole { "visible" } else { "hidden" }
        );
        let _ = write!(moving, ".s{number}{{animation:k{number} {whole}ms step-end infinite}}");
    }
    let last = shots.len().saturating_sub(1);
    let _ = writeln!(style, "@media (prefers-reduced-motion:no-preference){{{moving}}}");
    let _ =
        writeln!(style, "@media (prefers-reduced-motion:reduce){{.s{last}{{visibility:visible}}}}\n</style>");
    style
}

fn draw_screen(svg: &mut String, screen: &PaneScreen) {
    for (row, pieces) in (0_u16..).zip(&screen.rows) {
        let y = BAR + f32::from(row) * CELL.1;
        for piece in pieces {
            draw_piece(svg, piece, y);
        }
    }
}

fn draw_piece(svg: &mut String, piece: &PaneText, y: f32) {
    let (ink, ground) = colours(&piece.look);
    let (signs, column) = (piece.text.chars().count(), piece.column);
    #[expect(clippy::cast_precision_loss, reason = "a row has some hundred columns")]
    let (x, width) = (MARGIN + column as f32 * CELL.0, signs as f32 * CELL.0);
    if let Some(ground) = ground {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{ground}\"/>",
            CELL.1
        );
    }
    if piece.text.trim().is_empty() {
        return;
    }
    let mut class = String::new();
    let look = &piece.look;
    for (is_so, name) in
        [(look.is_bold, "b"), (look.is_italic, "i"), (look.is_underlined, "u"), (look.is_dim, "d")]
    {
        if is_so {
            class.push_str(if class.is_empty() { "" } else { " " });
            class.push_str(name);
        }
    }
    let class = if class.is_empty() { class } else { format!(" class=\"{class}\"") };
    let fill = if ink == INK { String::new() } else { format!(" fill=\"{ink}\" style=\"fill:{ink}\"") };
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\"{class}{fill}>{}</text>",
        y + 13.5,
        escaped(&piece.text)
    );
}

fn colours(look: &TextLook) -> (String, Option<String>) {
    let ink = look.colour.map_or_else(|| INK.to_owned(), xterm);
    let ground = look.ground.map(xterm);
    match look.is_reversed {
        true => (ground.unwrap_or_else(|| GROUND.to_owned()), Some(ink)),
        false => (ink, ground),
    }
}

/// The colour of a number, as xterm has them.
fn xterm(index: u8) -> String {
    const OLD: [&str; 16] = [
        "#000000", "#cd4a4a", "#5fa85f", "#c9a94b", "#5f87d7", "#af5fd7", "#4fa8a8", "#d0d0d0", "#767676",
        "#ff6b6b", "#87d787", "#ffd75f", "#87afff", "#d787ff", "#87d7d7", "#ffffff",
    ];
    if let Some(old) = OLD.get(usize::from(index)) {
        return (*old).to_owned();
    }
    if index >= 232 {
        let level = 8 + (u16::from(index) - 232) * 10;
        return format!("#{level:02x}{level:02x}{level:02x}");
    }
    let place = u16::from(index) - 16;
    let level = |part: u16| if part == 0 { 0 } else { 55 + part * 40 };
    format!("#{:02x}{:02x}{:02x}", level(place / 36), level(place / 6 % 6), level(place % 6))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "\u{a0}")
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
