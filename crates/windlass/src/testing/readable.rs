//! A trace for people: what was called with what, what it gave, and how the run ended. Decides nothing.

use std::fmt::Write as _;

use windlass_core::protocol::trace::{RunTrace, ToolTrace};

/// Characters of a value that are shown: failures are read on a screen.
const SHOWN_CHARS: usize = 300;

/// A trace as text, one line a happening; what failed expectations print.
pub fn readable(trace: &RunTrace) -> String {
    let mut text = format!("run {} of {}\n", trace.run_id, trace.model);
    for block in &trace.reasoning {
        let _ = writeln!(text, "  thought: {}", cut(&block.content));
    }
    if trace.tools.is_empty() {
        text.push_str("  no calls\n");
    }
    for (number, call) in (1..).zip(&trace.tools) {
        write_call(&mut text, number, call);
    }
    for adjustment in &trace.adjustments {
        let _ = writeln!(text, "  request of step {} changed: {}", adjustment.step, cut(&adjustment.message));
    }
    for delay in &trace.delays {
        let _ = writeln!(text, "  step {} delayed ({}): {}", delay.step, delay.code, cut(&delay.message));
    }
    for warning in &trace.warnings {
        let _ = writeln!(text, "  warning {:?}: {}", warning.code, cut(&warning.message));
    }
    let outcome = trace.outcome.map_or("not ended", |outcome| outcome.word());
    let _ = writeln!(text, "  outcome: {outcome}, {:?}", trace.stop_reason);
    let _ = writeln!(text, "  answer: {}", cut(&trace.answer));
    text
}

fn write_call(text: &mut String, number: usize, call: &ToolTrace) {
    let _ = writeln!(text, "  {number}. {}({})", call.name, cut(&call.parameters.to_string()));
    let _ = match &call.error {
        Some(error) => writeln!(text, "     failed ({}): {}", error.code, cut(&error.message)),
        None => writeln!(text, "     {:?}: {}", call.status, cut(&call.output_raw.to_string())),
    };
}

fn cut(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(SHOWN_CHARS).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}
