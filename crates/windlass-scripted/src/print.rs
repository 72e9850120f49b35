//! Writes scripts in their text form. Comments and spacing are not kept; everything else is: what is
//! printed reads back as the same script.

use std::fmt::{self, Write as _};

use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::protocol::model::{ModelFailure, Usage};

use crate::parse::here_word;
use crate::script::{
    ArgsForm, CallEnding, CallExpectation, CallLine, EventPattern, Expectation, ModelLine, ProviderId,
    RequestExpectation, Script, ScriptHappening, ScriptHeader, TextChunking,
};
use crate::words::{choice_word, finish_word, purpose_word, reason_word};

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.header)?;
        for line in &self.lines {
            if matches!(line.happening, ScriptHappening::User(_)) {
                f.write_char('\n')?;
            }
            writeln!(f, "{}", line.happening)?;
        }
        Ok(())
    }
}

impl fmt::Display for ScriptHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = &self.title {
            writeln!(f, "title {}", Tail(title))?;
        }
        if let Some(profile) = &self.profile {
            writeln!(f, "profile {profile}")?;
        }
        if let Some(root) = &self.root {
            writeln!(f, "root {}", Tail(root))?;
        }
        if let Some(mode) = self.approve {
            writeln!(f, "approve {}", mode.word())?;
        }
        if let Some(steps) = self.steps_max {
            writeln!(f, "max-steps {steps}")?;
        }
        for (name, number) in &self.limits {
            writeln!(f, "limit {name} {number}")?;
        }
        for rule in &self.allow {
            writeln!(f, "allow {}", Tail(rule))?;
        }
        for rule in &self.deny {
            writeln!(f, "deny {}", Tail(rule))?;
        }
        if let Some(allowed) = self.tools_allowed {
            writeln!(f, "tools-allowed {allowed}")?;
        }
        match self.chunk {
            TextChunking::Words => {}
            TextChunking::Chars(chars) => writeln!(f, "chunk {chars}")?,
            TextChunking::All => writeln!(f, "chunk all")?,
        }
        if self.interleave {
            writeln!(f, "interleave true")?;
        }
        Ok(())
    }
}

impl fmt::Display for ScriptHappening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptHappening::User(text) => write!(f, "user {}", Tail(text)),
            ScriptHappening::Model(line) => write!(f, "model {line}"),
            ScriptHappening::Answer { call, answer } => write_answer(f, *call, answer),
            ScriptHappening::Tool { call, ending } => write!(f, "tool {call} {ending}"),
            ScriptHappening::Cancel => f.write_str("cancel"),
            ScriptHappening::Deadline => f.write_str("deadline"),
            ScriptHappening::ExpectRequest(expectation) => write!(f, "expect-request {expectation}"),
            ScriptHappening::Expect(expectation) => write!(f, "{expectation}"),
        }
    }
}

fn write_answer(f: &mut fmt::Formatter<'_>, call: u32, answer: &PermissionAnswer) -> fmt::Result {
    if answer.decision == Decision::Deny {
        return write!(f, "deny {call}");
    }
    write!(f, "approve {call}")?;
    if let Some(word) = &answer.confirmation {
        write!(f, " confirm={word}")?;
    }
    write!(f, " {}", answer.decision.word())?;
    match &answer.rule {
        Some(rule) => write!(f, " {}", Tail(rule)),
        None => Ok(()),
    }
}

impl fmt::Display for ModelLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelLine::Text(text) => write!(f, "text {}", Tail(text)),
            ModelLine::Reasoning(text) => write!(f, "reasoning {}", Tail(text)),
            ModelLine::ReasoningState(json) => write!(f, "reasoning-state {}", Tail(json.as_str())),
            ModelLine::Call(call) => write_call(f, call),
            ModelLine::Delay { delay_ms } => write!(f, "delay {delay_ms}ms"),
            ModelLine::Usage(usage) => write_usage(f, usage),
            ModelLine::End(finish) => write!(f, "end {}", finish_word(finish)),
            ModelLine::Cut => f.write_str("cut"),
            ModelLine::Hang => f.write_str("hang"),
            ModelLine::Fail(failure) => write_failure(f, failure),
        }
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, call: &CallLine) -> fmt::Result {
    let word = match call.form {
        ArgsForm::Text => "call",
        ArgsForm::Raw => "raw-call",
        ArgsForm::Value => "value-call",
    };
    write!(f, "{word} {}", call.number)?;
    match &call.id {
        ProviderId::Numbered => {}
        ProviderId::Given(id) => write!(f, " id={id}")?,
        ProviderId::Absent => f.write_str(" id=-")?,
    }
    write!(f, " {}", call.name)?;
    match call.args.is_empty() {
        true => Ok(()),
        false => write!(f, " {}", Tail(&call.args)),
    }
}

fn write_usage(f: &mut fmt::Formatter<'_>, usage: &Usage) -> fmt::Result {
    write!(f, "usage input={} output={}", usage.input, usage.output)?;
    if usage.cached > 0 {
        write!(f, " cached={}", usage.cached)?;
    }
    if usage.reasoning > 0 {
        write!(f, " reasoning={}", usage.reasoning)?;
    }
    match usage.cost_usd {
        Some(cost) => write!(f, " cost_usd={cost}"),
        None => Ok(()),
    }
}

fn write_failure(f: &mut fmt::Formatter<'_>, failure: &ModelFailure) -> fmt::Result {
    let word = if failure.is_retryable { "fail" } else { "fail!" };
    write!(f, "{word} {}", failure.kind.word())?;
    if let Some(ms) = failure.retry_after_ms {
        write!(f, " after={ms}ms")?;
    }
    write!(f, " {}", Tail(&failure.message))
}

impl fmt::Display for CallEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallEnding::Ok(json) => write!(f, "ok {}", Tail(json.as_str())),
            CallEnding::Text(text) => write!(f, "text {}", Tail(text)),
            CallEnding::Fill { chars } => write!(f, "fill {chars}"),
            CallEnding::Fail { kind, message } => write!(f, "fail {} {}", kind.word(), Tail(message)),
            CallEnding::Timeout => f.write_str("timeout"),
            CallEnding::Hang => f.write_str("hang"),
        }
    }
}

impl fmt::Display for RequestExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestExpectation::Contains(text) => write!(f, "contains {}", Tail(text)),
            RequestExpectation::Lacks(text) => write!(f, "lacks {}", Tail(text)),
            RequestExpectation::Tools(names) if names.is_empty() => f.write_str("tools none"),
            RequestExpectation::Tools(names) => write!(f, "tools {}", names.join(",")),
            RequestExpectation::ToolChoice(choice) => write!(f, "tool-choice {}", choice_word(choice)),
            RequestExpectation::Purpose(purpose) => write!(f, "purpose {}", purpose_word(*purpose)),
            RequestExpectation::SamePrefix => f.write_str("same-prefix"),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Events(patterns) => {
                f.write_str("expect")?;
                patterns.iter().try_for_each(|pattern| write!(f, " {pattern}"))
            }
            Expectation::Outcome { outcome, reason } => {
                write!(f, "expect-outcome {}", outcome.word())?;
                match reason {
                    Some(reason) => write!(f, " {}", reason_word(reason)),
                    None => Ok(()),
                }
            }
            Expectation::Answer(text) => write!(f, "expect-answer {}", Tail(text)),
            Expectation::Warning(code) => {
                write!(f, "expect-warning {}", code.map_or("none", |code| code.word()))
            }
            Expectation::Call(expectation) => write_call_expectation(f, expectation),
        }
    }
}

impl fmt::Display for EventPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventPattern::Named { name, times: 1 } => f.write_str(name),
            EventPattern::Named { name, times } => write!(f, "{name}*{times}"),
            EventPattern::Any => f.write_str("..."),
        }
    }
}

fn write_call_expectation(f: &mut fmt::Formatter<'_>, expectation: &CallExpectation) -> fmt::Result {
    let CallExpectation { call, status, kind, is_cached, is_truncated, says } = expectation;
    write!(f, "expect-call {call}")?;
    if let Some(status) = status {
        write!(f, " {}", status.word())?;
    }
    if let Some(kind) = kind {
        write!(f, " {}", kind.word())?;
    }
    if *is_cached {
        f.write_str(" cached")?;
    }
    if *is_truncated {
        f.write_str(" truncated")?;
    }
    match says {
        Some(text) => write!(f, " says {}", Tail(text)),
        None => Ok(()),
    }
}

/// A text at the end of a line: as it is, or as a here-text where the line could not hold it.
struct Tail<'a>(&'a str);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0;
        let fits =
            !text.is_empty() && !text.contains('\n') && text.trim() == text && here_word(text).is_none();
        if fits {
            return f.write_str(text);
        }
        let is_free = |end: &str| text.split('\n').all(|line| line.trim() != end);
        let mut end = "END".to_owned();
        let mut number = 1_u32;
        while !is_free(&end) {
            number = number.saturating_add(1);
            end = format!("END{number}");
        }
        write!(f, "<<{end}\n{text}\n{end}")
    }
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
