//! Guardrails: wishes of a request as the target can take them (S-18).
//!
//! A choice of tools that the target cannot be told is imitated: by the list of tools, else by a remark
//! behind the history. Wishes that it refuses are left out. Both are told as notices. Knows no wire.

use windlass_core::message::{Message, Part};
use windlass_core::model::{ModelRequest, Notice, NoticeKind, Sampling, ToolChoice};

use crate::lower::LoweredTools;
use crate::quirks::{CallDialect, ChoiceForm, ReasoningAsk};
use crate::target::{Target, WireKind};

/// What may be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarded {
    /// The choice, in a form that the target takes; a tool is named as on the wire.
    pub choice: ToolChoice,
    /// Wishes that the target takes.
    pub sampling: Sampling,
    /// The request's trailer, and remarks that imitate a choice.
    pub trailer: Vec<String>,
    /// The tools of this request, if they are fewer than all.
    pub tools: Option<LoweredTools>,
    /// What is imitated or left out.
    pub notices: Vec<Notice>,
}

/// Fits a request's wishes to a target.
pub fn guard(target: &Target, request: &ModelRequest, tools: &LoweredTools) -> Guarded {
    let mut guarded = Guarded {
        choice: ToolChoice::Auto,
        sampling: request.sampling.clone(),
        trailer: request.trailer.clone(),
        tools: None,
        notices: Vec::new(),
    };
    if !tools.tools.is_empty() {
        guarded.choose(target, request, tools);
    }
    guarded.sample(target);
    guarded.end_with_user(target, request);
    guarded
}

/// Whether the model will think: it was asked to, or it does by itself and was not asked to stop.
fn thinks(target: &Target, sampling: &Sampling) -> bool {
    let does_by_itself = match target.wire {
        // Anthropic's models think when they are asked.
        WireKind::Messages => false,
        WireKind::Chat | WireKind::Responses | WireKind::Gemini | WireKind::Ollama => {
            target.abilities.reasons == Some(true)
        }
    };
    match sampling.reasoning_effort.as_deref() {
        Some("none" | "off") => false,
        Some(_) => target.quirks.ask != ReasoningAsk::Absent || does_by_itself,
        None => does_by_itself,
    }
}

impl Guarded {
    fn choose(&mut self, target: &Target, request: &ModelRequest, tools: &LoweredTools) {
        // Where calls are written as text, nothing on the wire knows of tools.
        let form = match target.quirks.calls {
            CallDialect::Native => target.quirks.choice,
            CallDialect::Tags | CallDialect::Text | CallDialect::None => ChoiceForm::Absent,
        };
        let forces = target.quirks.forces_while_thinking || !thinks(target, &request.sampling);
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Forbidden => self.forbid(target, form),
            ToolChoice::Required => match form {
                ChoiceForm::Full | ChoiceForm::Words if forces => self.choice = ToolChoice::Required,
                ChoiceForm::Full | ChoiceForm::Words | ChoiceForm::AutoOrNone | ChoiceForm::Absent => {
                    self.trailer.push("Call one of the tools now.".to_owned());
                    self.emulate(
                        "tool_choice_required",
                        format!(
                            "{} cannot be made to call a tool here: it is asked to in a remark",
                            target.name
                        ),
                    );
                }
            },
            ToolChoice::Named(own) => match tools.wire_name(own) {
                Some(name) => self.name(target, form, forces, name, tools),
                None => self.emulate(
                    "tool_choice_named",
                    format!("There is no tool '{own}' to be called: the model chooses by itself"),
                ),
            },
        }
    }

    fn name(&mut self, target: &Target, form: ChoiceForm, forces: bool, name: &str, tools: &LoweredTools) {
        match form {
            ChoiceForm::Full if forces => self.choice = ToolChoice::Named(name.to_owned()),
            ChoiceForm::Words if forces => {
                let only = tools.tools.iter().filter(|tool| tool.name == name).cloned().collect();
                self.tools = Some(LoweredTools { tools: only, notices: Vec::new() });
                self.choice = ToolChoice::Required;
                self.emulate(
                    "tool_choice_named",
                    format!(
                        "{} cannot be told which tool to call: '{name}' is the only one it sees",
                        target.name
                    ),
                );
            }
            ChoiceForm::Full | ChoiceForm::Words | ChoiceForm::AutoOrNone | ChoiceForm::Absent => {
                self.trailer.push(format!("Call the tool {name} now."));
                self.emulate(
                    "tool_choice_named",
                    format!(
                        "{} cannot be made to call '{name}' here: it is asked to in a remark",
                        target.name
                    ),
                );
            }
        }
    }

    fn forbid(&mut self, target: &Target, form: ChoiceForm) {
        if !target.quirks.has_none_with_tools {
            self.tools = Some(LoweredTools::default());
            self.emulate(
                "tool_choice_forbidden",
                format!("{} cannot be told to call no tool: it is shown none", target.name),
            );
            return;
        }
        match form {
            ChoiceForm::Full | ChoiceForm::Words | ChoiceForm::AutoOrNone => {
                self.choice = ToolChoice::Forbidden
            }
            ChoiceForm::Absent => {
                self.trailer.push("Call no tool now: answer in words.".to_owned());
                self.emulate(
                    "tool_choice_forbidden",
                    format!("{} cannot be told to call no tool: it is asked to in a remark", target.name),
                );
            }
        }
    }

    fn sample(&mut self, target: &Target) {
        let quirks = &target.quirks;
        let name = &target.name;
        let is_forced = matches!(self.choice, ToolChoice::Required | ToolChoice::Named(_));
        // Mistral, which says `any`, takes a forced choice or a form of the answer, not both.
        let has_format = quirks.has_response_format && !(quirks.says_any && is_forced);
        if !has_format && self.sampling.response_format.take().is_some() {
            self.emulate(
                "response_format",
                format!("{name} takes no form of the answer here: response_format is left out"),
            );
        }
        if !quirks.has_seed && self.sampling.seed.take().is_some() {
            self.emulate("seed", format!("{name} takes no seed: answers may differ"));
        }
        if !quirks.samples_while_thinking && thinks(target, &self.sampling) {
            let temperature = self.sampling.temperature.take().is_some();
            let top_p = self.sampling.top_p.take().is_some();
            if temperature || top_p {
                self.emulate(
                    "sampling",
                    format!("{name} takes no temperature or top_p while it thinks: they are left out"),
                );
            }
        }
    }

    /// Some providers do not go on from their own words; a history may end with them.
    fn end_with_user(&mut self, target: &Target, request: &ModelRequest) {
        let wants_user = match target.wire {
            WireKind::Messages | WireKind::Gemini => true,
            // Mistral's roles are as strict at the end as between outcomes and users.
            WireKind::Chat => target.quirks.bridges_outcomes,
            WireKind::Responses | WireKind::Ollama => false,
        };
        if wants_user && self.trailer.is_empty() && ends_with_answer(&request.messages) {
            self.trailer.push("Go on.".to_owned());
            self.notices.push(Notice {
                kind: NoticeKind::Healed,
                rule: "user_last".to_owned(),
                message: format!(
                    "The history ends with the model's own words, which {} refuses: it is asked to go on",
                    target.provider
                ),
            });
        }
    }

    fn emulate(&mut self, rule: &str, message: String) {
        self.notices.push(Notice { kind: NoticeKind::Emulated, rule: rule.to_owned(), message });
    }
}

/// Whether the last thing said was an answer. Outcomes at the end may lead to a call or to nothing: what is
/// before them decides, and a remark too many does no harm.
fn ends_with_answer(messages: &[std::sync::Arc<Message>]) -> bool {
    for message in messages.iter().rev() {
        match message.as_ref() {
            Message::Tool(_) => {}
            Message::Note { text } if text.trim().is_empty() => {}
            Message::User { parts } if parts.iter().all(is_blank) => {}
            Message::User { .. } | Message::Note { .. } => return false,
            Message::Assistant { parts } => {
                if message.calls().next().is_some() {
                    return false;
                }
                if !parts.iter().all(is_blank) {
                    return true;
                }
            }
        }
    }
    false
}

fn is_blank(part: &Part) -> bool {
    match part {
        Part::Text { text } => text.trim().is_empty(),
        Part::Reasoning(_) => true,
        Part::Call(_) | Part::Image { .. } => false,
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
