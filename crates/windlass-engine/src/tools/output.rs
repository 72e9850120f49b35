//! The bound on what a tool gives back.
//!
//! A tool is told how much it may give; here what it gave in spite of that is cut, so that one call
//! cannot fill the memory of a session.

use serde_json::Value;
use windlass_core::protocol::tool::ToolOutput;
use windlass_core::text::cut_bytes;

use crate::limits::LINKS_MAX;

/// Cuts an output to about `bytes_max` bytes and marks it as truncated. Text is cut between
/// characters. JSON that is too large cannot be cut and stay JSON: it becomes its text, cut.
pub(crate) fn cap_output(mut output: ToolOutput, bytes_max: usize) -> ToolOutput {
    let mut is_cut = false;
    for text in [&mut output.text, &mut output.summary].into_iter().flatten() {
        is_cut |= cut_text(text, bytes_max);
    }
    match &mut output.json {
        Value::String(text) => is_cut |= cut_text(text, bytes_max),
        json => {
            // Counted and not written out: nearly every output fits, and its text would be as large again.
            if json_bytes(json) > bytes_max {
                let mut text = json.to_string();
                cut_text(&mut text, bytes_max);
                output.json = Value::String(text);
                is_cut = true;
            }
        }
    }
    is_cut |= output.links.len() > LINKS_MAX;
    output.links.truncate(LINKS_MAX);
    output.links.shrink_to_fit();
    output.is_truncated |= is_cut;
    output
}

fn cut_text(text: &mut String, bytes_max: usize) -> bool {
    let end = cut_bytes(text, bytes_max).len();
    let is_cut = end < text.len();
    if is_cut {
        text.truncate(end);
        // What was cut off would stay in memory for as long as the outcome does.
        text.shrink_to_fit();
    }
    is_cut
}

/// Counts what is written to it.
struct CountingWriter(usize);

impl std::io::Write for CountingWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn json_bytes(value: &Value) -> usize {
    let mut count = CountingWriter(0);
    // Counting does not fail, and neither does writing out a value.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
