//! The plots of `docs/performance.md`: bars drawn from the figures of the table, so that they cannot say anything else.
//!
//! Owns which figures are shown side by side. A figure that the table does not have is an error: a plot with a gap would
//! hide that something is no longer measured.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use super::Figure;

struct Plot {
    file: &'static str,
    title: &'static str,
    /// What a short bar means, in a few words.
    reading: &'static str,
    /// Label and name of a figure, top to bottom; the first is ours.
    bars: &'static [(&'static str, &'static str)],
}

const PLOTS: [Plot; 4] = [
    Plot {
        file: "docs/images/plot-step.svg",
        title: "One step of a tool loop over HTTP, against the least that works",
        reading: "times the floor; shorter is better",
        bars: &[
            ("Windlass", "windlass: step of a tool loop over HTTP, against the floor"),
            ("genai", "genai: step of a tool loop over HTTP, against the floor"),
            ("rig", "rig: step of a tool loop over HTTP, against the floor"),
            ("bare socket", "floor_raw: step of a tool loop over HTTP, against the floor"),
        ],
    },
    Plot {
        file: "docs/images/plot-growth.svg",
        title: "What a step costs after 100 steps, against after 10",
        reading: "times; 1 means that a long run costs no more than a short one",
        bars: &[
            ("Windlass", "windlass: growth of a step from 10 to 100 steps"),
            ("genai", "genai: growth of a step from 10 to 100 steps"),
            ("rig", "rig: growth of a step from 10 to 100 steps"),
        ],
    },
    Plot {
        file: "docs/images/plot-search.svg",
        title: "Finding something in 20,000 files",
        reading: "ms of processor, the middle of 300 questions; shorter is better",
        bars: &[
            ("Windlass, hybrid", "windlass: a hybrid search in 20000 files, p50 of CPU time"),
            ("tantivy alone", "raw tantivy, one text field: a search in 20000 files, p50 of CPU time"),
            (
                "ripgrep's crates",
                "ripgrep's crates (grep-searcher, ignore): a word of the query in 20000 files, p50 of CPU time",
            ),
        ],
    },
    Plot {
        file: "docs/images/plot-local.svg",
        title: "A model in the process: tokens of a prompt read in a second",
        reading: "0.13 B parameters, two threads; longer is better",
        bars: &[
            ("Windlass, Q8_0", "windlass: prompt read, 0.13 B Q8_0, 2 threads"),
            ("llama.cpp, Q8_0", "llama.cpp: prompt read, 0.13 B Q8_0, 2 threads"),
            ("Windlass, Q4_0", "windlass: prompt read, 0.13 B Q4_0, 2 threads"),
            ("llama.cpp, Q4_0", "llama.cpp: prompt read, 0.13 B Q4_0, 2 threads"),
        ],
    },
];

const WIDTH: f64 = 720.0;
const LABELS_WIDTH: f64 = 150.0;
const BARS_WIDTH: f64 = 480.0;
const ROW_HEIGHT: f64 = 34.0;
const HEAD_HEIGHT: f64 = 64.0;

/// Every plot with its path.
pub(super) fn draw(figures: &[Figure]) -> Result<Vec<(String, String)>> {
    PLOTS.iter().map(|plot| Ok((plot.file.to_owned(), plot.svg(figures)?))).collect()
}

impl Plot {
    fn svg(&self, figures: &[Figure]) -> Result<String> {
        let mut bars = Vec::new();
        for (label, name) in self.bars {
            bars.push((*label, value_of(figures, name)?));
        }
        let longest = bars.iter().map(|(_, value)| *value).fold(f64::MIN_POSITIVE, f64::max);
        let height = bars.iter().fold(HEAD_HEIGHT + 12.0, |height, _| height + ROW_HEIGHT);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n{STYLE}\n",
            self.title
        );
        let _ = writeln!(out, "<text class=\"title\" x=\"0\" y=\"22\">{}</text>", self.title);
        let _ = writeln!(out, "<text class=\"soft\" x=\"0\" y=\"44\">{}</text>", self.reading);
        let mut y = HEAD_HEIGHT;
        for (label, value) in bars {
            let width = (value / longest * BARS_WIDTH).max(2.0);
            let class = if label.starts_with("Windlass") { "ours" } else { "theirs" };
            let (text_y, shown_x) = (y + 19.0, LABELS_WIDTH + width + 8.0);
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{text_y}\" text-anchor=\"end\">{label}</text>",
                LABELS_WIDTH - 10.0
            );
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{LABELS_WIDTH}\" y=\"{y}\" width=\"{width:.1}\" height=\"26\" rx=\"3\"/>"
            );
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{shown_x:.1}\" y=\"{text_y}\">{}</text>",
                shown(value)
            );
            y += ROW_HEIGHT;
        }
        out.push_str("</svg>\n");
        Ok(out)
    }
}

/// Colours for light and dark pages, both with enough contrast.
const STYLE: &str = "<style>
text { font: 15px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.soft { fill: #59636e }
.ours { fill: #0969da }
.theirs { fill: #9a9fa6 }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .soft { fill: #9198a1 } .ours { fill: #4493f8 } .theirs { fill: #6e7681 } }
</style>";

fn value_of(figures: &[Figure], name: &str) -> Result<f64> {
    let figure = figures.iter().find(|figure| figure.name == name);
    let figure = figure.with_context(|| format!("the table has no figure '{name}', which a plot shows"))?;
    let number = figure.measured.split(' ').next().unwrap_or_default();
    number.parse().with_context(|| format!("'{}' of '{name}' is no number", figure.measured))
}

/// Two digits behind the point for small numbers, none for large ones.
fn shown(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

#[cfg(test)]
#[path = "plots_tests.rs"]
mod tests;
