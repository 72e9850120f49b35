//! Pieces of messages: one text, picture, thought or call, as the target may see it.
//!
//! What is already legal is borrowed; a history is healed before every request.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::protocol::message::{Part, Reasoning, ToolMessage};
use windlass_core::protocol::tool::ToolCall;

use super::args::{HealedArgs, sound};
use super::finding::{FindingSpot, Findings, HealthRule};
use super::ids::Ids;
use super::template::escape;
use super::turn::{CallItem, OutcomeItem, TurnItem};
use crate::lower::LoweredTools;
use crate::quirks::ReasoningEcho;
use crate::target::{ModelTarget, WireKind};

/// What stands for an outcome that nobody knows.
const INTERRUPTED: &str = "The call was interrupted before its outcome was known. It may or may not have happened: look before repeating it.";

/// Everything that healing one piece needs.
pub(super) struct Ward<'h, 'a> {
    pub(super) target: &'h ModelTarget,
    pub(super) tools: &'a LoweredTools,
    pub(super) ids: &'h mut Ids,
    pub(super) findings: &'h mut Findings,
    /// Whether the provider writes raw chat templates.
    pub(super) is_raw: bool,
}

impl<'a> Ward<'_, 'a> {
    /// A text without NUL characters, which databases behind some providers refuse.
    pub(super) fn text(&mut self, text: &'a str, spot: FindingSpot) -> Cow<'a, str> {
        if !text.as_bytes().contains(&0) {
            return Cow::Borrowed(text);
        }
        self.findings.add(HealthRule::NulCharacter, spot, || {
            "A NUL character in the history was replaced: providers refuse it".to_owned()
        });
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    }

    /// Text from outside, which must not be able to speak as somebody else.
    pub(super) fn outside_text(&mut self, text: &'a str, spot: FindingSpot) -> Cow<'a, str> {
        let text = self.text(text, spot);
        if !self.is_raw {
            return text;
        }
        let escaped = match &text {
            Cow::Borrowed(text) => escape(text),
            Cow::Owned(text) => Cow::Owned(escape(text).into_owned()),
        };
        if escaped.len() > text.len() {
            self.findings.add(HealthRule::TemplateToken, spot, || {
                "Reserved tokens of chat templates in an outcome were broken up: the model could take them for the end of the message".to_owned()
            });
        }
        escaped
    }

    /// A part of a user message.
    pub(super) fn user_part(&mut self, part: &'a Part, spot: FindingSpot) -> Option<Cow<'a, Part>> {
        match part {
            Part::Text { text } if text.trim().is_empty() => {
                self.note_blank(spot);
                None
            }
            Part::Text { text } => Some(match self.text(text, spot) {
                Cow::Borrowed(_) => Cow::Borrowed(part),
                Cow::Owned(text) => Cow::Owned(Part::Text { text }),
            }),
            Part::Image { media_type, url } => {
                let is_shown = self.target.quirks.has_images && is_picture(self.target.wire, media_type, url);
                let placed = if is_shown {
                    Cow::Borrowed(part)
                } else {
                    Cow::Owned(Part::text(self.placeholder(media_type, spot)))
                };
                Some(placed)
            }
            Part::Reasoning(_) | Part::Call(_) => {
                self.findings.add(HealthRule::MisplacedPart, spot, || {
                    "Thinking or a call in a user message was left out: only models think and call".to_owned()
                });
                None
            }
        }
    }

    fn note_blank(&mut self, spot: FindingSpot) {
        self.findings.add(HealthRule::EmptyText, spot, || {
            "Empty pieces of text are left out of the history: providers refuse them".to_owned()
        });
    }

    fn placeholder(&mut self, media_type: &str, spot: FindingSpot) -> String {
        let name = &self.target.name;
        self.findings.add(HealthRule::Picture, spot, || {
            format!("A picture is not shown to {name}, which cannot take it there or in this form; a remark stands in its place")
        });
        format!("[picture: {media_type}, not shown to this model]")
    }

    /// A part of an assistant message.
    pub(super) fn item(&mut self, part: &'a Part, spot: FindingSpot) -> Option<TurnItem<'a>> {
        match part {
            Part::Text { text } if text.trim().is_empty() => {
                self.note_blank(spot);
                None
            }
            Part::Text { text } => Some(TurnItem::Text(self.text(text, spot))),
            Part::Reasoning(reasoning) => self.reasoning(reasoning, spot),
            Part::Call(call) => Some(TurnItem::Call(self.call(call, spot))),
            Part::Image { media_type, .. } => Some(TurnItem::Text(self.placeholder(media_type, spot).into())),
        }
    }

    /// Thinking, if the target made it and wants it back.
    fn reasoning(&mut self, reasoning: &'a Reasoning, spot: FindingSpot) -> Option<TurnItem<'a>> {
        let echo = self.target.quirks.echo;
        if echo == ReasoningEcho::Never {
            return None;
        }
        if reasoning.model.as_deref() != Some(self.target.name.as_str()) {
            let maker = reasoning.model.as_deref().unwrap_or("an unknown model");
            self.findings.add(HealthRule::ForeignReasoning, spot, || {
                format!("Thinking of {maker} is left out: only the model that made it can take it back")
            });
            return None;
        }
        let state = reasoning.opaque.as_ref();
        let is_wanted = match echo {
            ReasoningEcho::Never => false,
            ReasoningEcho::State => state.is_some(),
            ReasoningEcho::Text | ReasoningEcho::Always => state.is_some() || !reasoning.text.is_empty(),
        };
        // Asked only of what is sent, because `is_first` remembers the item.
        let is_sent = is_wanted && state.is_none_or(|state| self.is_first(state, spot));
        is_sent.then_some(TurnItem::Reasoning { text: &reasoning.text, state })
    }

    /// On the Responses wire items have ids of their own, and none may come twice.
    fn is_first(&mut self, state: &Value, spot: FindingSpot) -> bool {
        let item_id = match self.target.wire {
            WireKind::Responses => state.get("id").and_then(Value::as_str),
            WireKind::Chat | WireKind::Messages | WireKind::Gemini | WireKind::Ollama => None,
        };
        let is_first = item_id.is_none_or(|item_id| self.ids.is_first(item_id, spot));
        if !is_first {
            self.findings.add(HealthRule::DuplicateState, spot, || {
                "The model's own items stand in the history twice; only the first keep their ids".to_owned()
            });
        }
        is_first
    }

    fn call(&mut self, call: &'a ToolCall, spot: FindingSpot) -> CallItem<'a> {
        let wire_id = self.ids.give(self.target.quirks.ids, call, spot);
        if wire_id.is_changed {
            self.findings.add(HealthRule::CallId, spot, || {
                format!(
                    "The id of {} was replaced: it is not legal there, or stands for another call",
                    call.id
                )
            });
        }
        CallItem {
            id: wire_id.id,
            name: self.name(call, spot),
            args: self.args(call, spot),
            state: self.state(call, spot),
        }
    }

    fn name(&mut self, call: &'a ToolCall, spot: FindingSpot) -> Cow<'a, str> {
        let legal = self.tools.name_for(self.target.wire, &call.name);
        if legal != call.name && self.tools.wire_name(&call.name).is_none() {
            self.findings.add(HealthRule::ToolName, spot, || {
                format!("{} called a tool whose name is not legal there; it is shown as '{legal}'", call.id)
            });
        }
        legal
    }

    fn args(&mut self, call: &'a ToolCall, spot: FindingSpot) -> Cow<'a, str> {
        match sound(&call.arguments) {
            HealedArgs::Sound(text) => Cow::Borrowed(text),
            HealedArgs::Noisy(text) => {
                self.findings.add(HealthRule::NoisyArgs, spot, || {
                    format!(
                        "The arguments of {} ({}) are shown without the noise around them",
                        call.id, call.name
                    )
                });
                Cow::Owned(text)
            }
            HealedArgs::Unreadable(text) => {
                self.findings.add(HealthRule::UnreadableArgs, spot, || {
                    format!(
                        "The arguments of {} ({}) are no JSON object; they are shown as quoted text",
                        call.id, call.name
                    )
                });
                Cow::Owned(text)
            }
        }
    }

    fn state(&mut self, call: &'a ToolCall, spot: FindingSpot) -> Option<&'a Value> {
        let state = call.state.as_deref()?;
        if state.model == self.target.name {
            return self.is_first(&state.value, spot).then_some(&state.value);
        }
        self.findings.add(HealthRule::ForeignState, spot, || {
            format!(
                "What {} keeps with {} is left out: only that model can take it back",
                state.model, call.id
            )
        });
        None
    }

    /// The outcome of a call.
    pub(super) fn outcome(
        &mut self,
        call: &CallItem<'a>,
        tool: &'a ToolMessage,
        spot: FindingSpot,
    ) -> OutcomeItem<'a> {
        let content = if tool.content.trim().is_empty() {
            self.findings.add(HealthRule::EmptyOutcome, spot, || {
                format!("The outcome of {} ({}) was empty and says so now", tool.call_id, tool.name)
            });
            Cow::Borrowed(tool.told())
        } else {
            self.outside_text(&tool.content, spot)
        };
        OutcomeItem { id: call.id.clone(), name: call.name.clone(), content, is_ok: tool.is_ok }
    }

    /// What stands for an outcome that is not there.
    pub(super) fn unknown_outcome(
        &mut self,
        call: &CallItem<'a>,
        own: &ToolCall,
        spot: FindingSpot,
    ) -> OutcomeItem<'a> {
        self.findings.add(HealthRule::MissingOutcome, spot, || {
            format!(
                "The outcome of {} ({}) was missing; the model is told that the call was interrupted",
                own.id, own.name
            )
        });
        OutcomeItem {
            id: call.id.clone(),
            name: call.name.clone(),
            content: Cow::Borrowed(INTERRUPTED),
            is_ok: false,
        }
    }
}

/// Whether a picture is of a kind, and at an address, that the wire can carry.
fn is_picture(wire: WireKind, media_type: &str, url: &str) -> bool {
    let is_known = match media_type {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => true,
        "image/heic" | "image/heif" => wire == WireKind::Gemini,
        _ => false,
    };
    let is_inline = || {
        let held = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        held.is_some_and(|(kind, bytes)| kind.contains('/') && !bytes.is_empty())
    };
    let is_address = || match wire {
        // Models on this machine fetch nothing.
        WireKind::Ollama => false,
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Gemini => {
            url.starts_with("https://") || url.starts_with("http://")
        }
    };
    is_known && (is_inline() || is_address())
}
