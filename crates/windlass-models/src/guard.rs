//! Guardrails: wishes of a request as the target can take them (S-18).
//!
//! A choice of tools that the target cannot be told is imitated: by the list of tools, else by a remark
//! behind the history. Wishes that it refuses are left out. Both are told as notices. Knows no wire.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{
    Effort, ModelRequest, Notice, NoticeKind, Sampling, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::ToolSpec;

use crate::lower::{LoweredTool, LoweredTools};
use crate::quirks::{AnswerForms, CallDialect, ChoiceForm, ReasoningAsk};
use crate::target::{ModelTarget, WireKind};

/// Tools that are declared because the history speaks of them; a provider only wants to see some.
const PAST_TOOLS_MAX: usize = 64;

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
pub fn guard(target: &ModelTarget, request: &ModelRequest, tools: &LoweredTools) -> Guarded {
    let mut guarded = Guarded {
        choice: ToolChoice::Auto,
        sampling: request.sampling.clone(),
        trailer: request.trailer.clone(),
        tools: None,
        notices: Vec::new(),
    };
    // First, because what may be forced and sampled depends on whether the model thinks.
    guarded.think(target, request);
    if !tools.tools.is_empty() {
        guarded.choose(target, request, tools);
    }
    guarded.declare_past(target, request, tools);
    // Behind the choice: where one is forced, some take no form of the answer (Mistral).
    guarded.format(target);
    guarded.sample(target);
    guarded.sample_one_way(target);
    // Last, because a remark that imitates a wish is already a word of the user.
    guarded.end_with_user(target, request);
    guarded
}

/// Whether the model will think: it was asked to, or it does by itself and cannot be or was not told to stop.
fn thinks(target: &ModelTarget, sampling: &Sampling) -> bool {
    let quirks = &target.quirks;
    match sampling.reasoning_effort {
        Some(Effort::Off) => quirks.thinks_unasked && !quirks.stops_thinking,
        Some(_) => quirks.ask != ReasoningAsk::Absent || quirks.thinks_unasked,
        None => quirks.thinks_unasked,
    }
}

impl Guarded {
    /// Leaves out wishes about thinking that would be refused here.
    fn think(&mut self, target: &ModelTarget, request: &ModelRequest) {
        let (quirks, name) = (&target.quirks, &target.name);
        if !thinks(target, &self.sampling) {
            return;
        }
        if self.sampling.reasoning_effort == Some(Effort::Off) {
            self.sampling.reasoning_effort = None;
            self.emulate("reasoning_effort", format!("{name} cannot be told not to think"));
        }
        if !quirks.thinks_midway && is_unthought(&request.messages, name) {
            let can_stop = quirks.thinks_unasked && quirks.stops_thinking;
            self.sampling.reasoning_effort = can_stop.then_some(Effort::Off);
            self.emulate(
                "thinking_midway",
                format!("{name} cannot begin to think in the middle of calls that it did not make: it thinks again with the next message"),
            );
        }
    }

    fn choose(&mut self, target: &ModelTarget, request: &ModelRequest, tools: &LoweredTools) {
        // Where calls are written as text, nothing on the wire knows of tools.
        let form = match target.quirks.calls {
            CallDialect::Native => target.quirks.choice,
            CallDialect::Tags | CallDialect::Text | CallDialect::None => ChoiceForm::Absent,
        };
        let forces = target.quirks.forces_while_thinking || !thinks(target, &self.sampling);
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

    fn name(
        &mut self,
        target: &ModelTarget,
        form: ChoiceForm,
        forces: bool,
        name: &str,
        tools: &LoweredTools,
    ) {
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

    fn forbid(&mut self, target: &ModelTarget, form: ChoiceForm) {
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

    /// Where calls of the history want their tools declared and there are none, those calls' names stand in.
    fn declare_past(&mut self, target: &ModelTarget, request: &ModelRequest, tools: &LoweredTools) {
        let quirks = &target.quirks;
        let is_bare = self.tools.as_ref().unwrap_or(tools).tools.is_empty();
        if !quirks.declares_past_tools || quirks.calls != CallDialect::Native || !is_bare {
            return;
        }
        let mut past: Vec<LoweredTool> = Vec::new();
        for call in request.messages.iter().flat_map(|message| message.calls()) {
            let name = tools.name_for(target.wire, &call.name);
            if past.len() < PAST_TOOLS_MAX && past.iter().all(|tool| tool.name != name) {
                past.push(LoweredTool {
                    spec: Arc::new(ToolSpec::new(call.name.as_str(), "It is no longer available.")),
                    name: name.into_owned(),
                    schema: json!({"type": "object", "properties": {}}),
                    is_strict: false,
                });
            }
        }
        if past.is_empty() {
            return;
        }
        self.notices.push(Notice {
            kind: NoticeKind::Healed,
            rule: "past_tools".to_owned(),
            message: format!(
                "{} wants tools declared for the calls of the history, and there are none now: their names are",
                target.provider
            ),
        });
        self.tools = Some(LoweredTools { tools: past, notices: Vec::new() });
        let says_none = quirks.has_none_with_tools && quirks.choice != ChoiceForm::Absent;
        self.choice = if says_none { ToolChoice::Forbidden } else { ToolChoice::Auto };
    }

    /// The form of the answer, as far as it can be prescribed; what cannot be is asked for in a remark.
    fn format(&mut self, target: &ModelTarget) {
        let (quirks, name) = (&target.quirks, &target.name);
        let Some(format) = self.sampling.response_format.take() else { return };
        let is_forced = matches!(self.choice, ToolChoice::Required | ToolChoice::Named(_));
        if is_forced && !quirks.formats_while_forced {
            let why = "takes no form of the answer beside a forced choice: response_format is left out";
            return self.emulate("response_format", format!("{name} {why}"));
        }
        let kind = format.get("type").and_then(Value::as_str).unwrap_or_default();
        match (quirks.response_format, kind) {
            (AnswerForms::Absent, _) => {
                let why = "takes no form of the answer here: response_format is left out";
                self.emulate("response_format", format!("{name} {why}"));
            }
            (AnswerForms::ObjectOnly, "json_schema") => {
                let inner = format.get("json_schema").and_then(|inner| inner.get("schema"));
                if let Some(schema) = inner.or_else(|| format.get("schema")) {
                    self.trailer.push(format!(
                        "When you answer, answer with one JSON object that fits this JSON Schema: {schema}"
                    ));
                }
                self.sampling.response_format = Some(json!({"type": "json_object"}));
                let why = "can be made to answer in JSON, but not by a schema: that is asked for in a remark";
                self.emulate("response_format", format!("{name} {why}"));
            }
            (AnswerForms::SchemaOnly, "json_object") => {
                self.trailer
                    .push("When you answer, answer with one JSON object and nothing else.".to_owned());
                let why = "cannot be made to answer in JSON without a schema: that is asked for in a remark";
                self.emulate("response_format", format!("{name} {why}"));
            }
            (AnswerForms::Full | AnswerForms::ObjectOnly | AnswerForms::SchemaOnly, _) => {
                self.sampling.response_format = Some(format);
            }
        }
    }

    fn sample(&mut self, target: &ModelTarget) {
        let quirks = &target.quirks;
        let name = &target.name;
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

    /// Anthropic refuses newer models both at once.
    fn sample_one_way(&mut self, target: &ModelTarget) {
        let has_both = self.sampling.temperature.is_some() && self.sampling.top_p.is_some();
        if target.wire == WireKind::Messages && has_both {
            self.sampling.top_p = None;
            let name = &target.name;
            self.emulate("top_p", format!("{name} takes temperature or top_p, not both: top_p is left out"));
        }
    }

    /// Some providers do not go on from their own words; a history may end with them.
    fn end_with_user(&mut self, target: &ModelTarget, request: &ModelRequest) {
        let wants_user = match target.wire {
            WireKind::Messages | WireKind::Gemini => true,
            // Mistral's roles are as strict at the end as between outcomes and users.
            WireKind::Chat => target.quirks.bridges_outcomes,
            WireKind::Responses | WireKind::Ollama => false,
        };
        // A model that paused goes on from its own words, and from nothing else.
        let is_paused = target.wire == WireKind::Messages
            && request.purpose == StepPurpose::Continuation
            && request.trailer.is_empty();
        if wants_user && !is_paused && self.trailer.is_empty() && ends_with_answer(&request.messages) {
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

/// Whether a history ends in the middle of calls, and this model thought about none of them.
fn is_unthought(messages: &[Arc<Message>], model: &str) -> bool {
    let is_own = |part: &Part| match part {
        Part::Reasoning(thought) => thought.opaque.is_some() && thought.model.as_deref() == Some(model),
        Part::Text { .. } | Part::Call(_) | Part::Image { .. } => false,
    };
    let mut has_calls = false;
    for message in messages.iter().rev() {
        match message.as_ref() {
            Message::User { .. } => break,
            Message::Tool(_) | Message::Note { .. } => {}
            Message::Assistant { parts } => {
                has_calls |= message.calls().next().is_some();
                if !has_calls || parts.iter().any(is_own) {
                    return false;
                }
            }
        }
    }
    has_calls
}

/// Whether the last thing said was an answer. Outcomes at the end may lead to a call or to nothing: what is
/// before them decides, and a remark too many does no harm.
fn ends_with_answer(messages: &[Arc<Message>]) -> bool {
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
