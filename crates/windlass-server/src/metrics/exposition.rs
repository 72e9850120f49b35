//! Prometheus' text form: heads, samples, histograms. Knows nothing of what is counted.

use std::fmt::{Display, Write};

/// Upper bounds of the buckets of a duration, in seconds: from a quick tool to a long run.
const BOUNDS: [f64; 14] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// How long things took.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum_ms: u64,
}

impl Histogram {
    pub(super) fn observe(&mut self, ms: u64) {
        let seconds = seconds(ms);
        for (bucket, bound) in self.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        self.count += 1;
        self.sum_ms = self.sum_ms.saturating_add(ms);
    }

    /// Writes the samples, with labels such as `tool="read_file"` or none.
    pub(super) fn write(&self, out: &mut String, name: &str, labels: &str) {
        let (comma, braces) =
            if labels.is_empty() { ("", String::new()) } else { (",", format!("{{{labels}}}")) };
        for (count, bound) in self.buckets.iter().zip(BOUNDS) {
            line(out, format_args!("{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {count}"));
        }
        line(out, format_args!("{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", self.count));
        line(out, format_args!("{name}_sum{braces} {}", seconds(self.sum_ms)));
        line(out, format_args!("{name}_count{braces} {}", self.count));
    }
}

/// The head of a counter.
pub(super) fn counter(out: &mut String, name: &str, help: &str) {
    head(out, name, help, "counter");
}

/// The head of a histogram.
pub(super) fn histogram(out: &mut String, name: &str, help: &str) {
    head(out, name, help, "histogram");
}

/// A gauge with its only sample.
pub(super) fn gauge(out: &mut String, name: &str, help: &str, value: impl Display) {
    head(out, name, help, "gauge");
    line(out, format_args!("{name} {value}"));
}

pub(super) fn sample(out: &mut String, name: &str, labels: &[(&str, &str)], value: impl Display) {
    line(out, format_args!("{name}{{{}}} {value}", label_text(labels)));
}

/// Labels as they stand within the braces.
pub(super) fn label_text(labels: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
    pairs.join(",")
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    line(out, format_args!("# HELP {name} {help}"));
    line(out, format_args!("# TYPE {name} {kind}"));
}

fn line(out: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(words);
    out.push('\n');
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}
