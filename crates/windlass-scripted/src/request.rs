//! Checks what a model was asked: proof of what really goes into a request.

use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::ModelRequest;

use crate::expect::Mismatch;
use crate::parse::shown;
use crate::script::RequestExpectation;
use crate::step::ScriptedStep;
use crate::words::{choice_word, purpose_word};

impl ScriptedStep {
    /// Checks a request against the `expect-request` lines before the step. `last` is the request
    /// before it in the same script.
    pub fn check_request(
        &self,
        script: &str,
        request: &ModelRequest,
        last: Option<&ModelRequest>,
    ) -> Result<(), Mismatch> {
        for (line, check) in &self.checks {
            if let Err(message) = check.check(request, last) {
                return Err(Mismatch { script: script.to_owned(), line: *line, message });
            }
        }
        Ok(())
    }

    /// Whether the check needs the request before.
    pub(crate) fn compares_requests(&self) -> bool {
        self.checks.iter().any(|(_, check)| matches!(check, RequestExpectation::SamePrefix))
    }
}

impl RequestExpectation {
    /// Checks one request; the error says what is different.
    fn check(&self, request: &ModelRequest, last: Option<&ModelRequest>) -> Result<(), String> {
        match self {
            RequestExpectation::Contains(text) => match request_text(request).contains(text) {
                true => Ok(()),
                false => Err(format!("the request does not contain '{}'", shown(text))),
            },
            RequestExpectation::Lacks(text) => match request_text(request).contains(text) {
                true => Err(format!("the request contains '{}'", shown(text))),
                false => Ok(()),
            },
            RequestExpectation::Tools(expected) => {
                let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
                match names == *expected {
                    true => Ok(()),
                    false => Err(format!(
                        "the request has the tools [{}], expected [{}]",
                        names.join(","),
                        expected.join(",")
                    )),
                }
            }
            RequestExpectation::ToolChoice(expected) => match request.tool_choice == *expected {
                true => Ok(()),
                false => Err(format!(
                    "the request has the tool choice {}, expected {}",
                    choice_word(&request.tool_choice),
                    choice_word(expected)
                )),
            },
            RequestExpectation::Purpose(expected) => match request.purpose == *expected {
                true => Ok(()),
                false => Err(format!(
                    "the request is for {}, expected {}",
                    purpose_word(request.purpose),
                    purpose_word(*expected)
                )),
            },
            RequestExpectation::SamePrefix => match last {
                None => Err("there is no request before this one".to_owned()),
                Some(last) => same_prefix(last, request),
            },
        }
    }
}

/// Whether a request begins exactly as the last one did. The trailer is meant to change.
fn same_prefix(last: &ModelRequest, now: &ModelRequest) -> Result<(), String> {
    if last.system != now.system {
        return Err("the system text is not the same as in the last request".to_owned());
    }
    if last.tools != now.tools {
        return Err("the tools are not the same as in the last request".to_owned());
    }
    match now.messages.starts_with(&last.messages) {
        true => Ok(()),
        false => Err("the history does not begin with the history of the last request".to_owned()),
    }
}

/// Everything in a request that a model reads, one entry a line: what `contains` and `lacks` look at.
/// The tools' schemas are not in it.
pub fn request_text(request: &ModelRequest) -> String {
    let mut lines = vec![format!("system: {}", request.system)];
    for message in request.messages.iter() {
        match message.as_ref() {
            Message::User { parts } => lines.extend(parts.iter().map(|part| part_line("user", part))),
            Message::Assistant { parts } => {
                lines.extend(parts.iter().map(|part| part_line("assistant", part)));
            }
            Message::Tool(tool) => {
                lines.push(format!("tool {} {}: {}", tool.call_id, tool.name, tool.content))
            }
            Message::Note { text } => lines.push(format!("note: {text}")),
        }
    }
    lines.extend(request.trailer.iter().map(|note| format!("trailer: {note}")));
    lines.join("\n")
}

fn part_line(role: &str, part: &Part) -> String {
    match part {
        Part::Text { text } => format!("{role}: {text}"),
        Part::Reasoning(reasoning) => format!("{role} reasoning: {}", reasoning.text),
        Part::Call(call) => format!("{role} call {} {} {}", call.id, call.name, call.arguments),
        Part::Image { url, .. } => format!("{role} image: {url}"),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
