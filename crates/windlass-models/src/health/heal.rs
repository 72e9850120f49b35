//! The healer: a history, legal or broken, as legal turns.
//!
//! ```text
//! assistant  call a, call b      ┐                     exchange: a, b, outcome a, outcome b
//! note                           │ one group, up to    note
//! outcome b                      │ its last outcome    note: the stray outcome
//! stray outcome                  │
//! outcome a                      ┘
//! ```
//!
//! A group never reaches beyond the next assistant message, so that a turn depends on nothing that comes
//! later than that: what was sent stays as it was sent. Costs grow with the messages that are passed in.

use std::borrow::Cow;
use std::sync::Arc;

use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::model::Notice;
use windlass_core::protocol::tool::ToolCall;

use super::finding::{FindingSpot, Findings, HealthRule};
use super::ids::Ids;
use super::limits::STRAY_OUTCOME_CHARS_MAX;
use super::piece::Ward;
use super::template::is_raw;
use super::turn::{CallExchange, Turn, TurnItem};
use crate::lower::LoweredTools;
use crate::target::{ModelTarget, WireKind};

/// What stands in front of a history that does not begin with the user.
const BEGINNING: &str = "(The beginning of this conversation is not shown.)";
/// What stands for a history of which nothing is left.
const NOTHING: &str = "(The message was empty.)";

/// Heals one history for one target, in as many pieces as it grows by. It remembers the ids it gave, so that
/// a turn may be healed again; another history or another target needs a new healer.
#[derive(Debug, Default)]
pub struct Healer {
    ids: Ids,
    findings: Findings,
    has_begun: bool,
}

impl Healer {
    /// A healer of a history that nobody has seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The turns of some messages, each with the number of messages it used up.
    ///
    /// `messages` begin where an earlier pass ended, or again at a turn of it. Turns that used up nothing
    /// belong to the turn before them: to heal the end of a history again, go back to the last turn that
    /// used up something and forget everything from it on.
    pub fn turns<'a>(
        &mut self,
        target: &ModelTarget,
        tools: &'a LoweredTools,
        messages: &'a [Arc<Message>],
        notices: &mut Vec<Notice>,
    ) -> Vec<(usize, Turn<'a>)> {
        let ward = Ward {
            target,
            tools,
            ids: &mut self.ids,
            findings: &mut self.findings,
            is_raw: is_raw(&target.provider),
        };
        let turns = Vec::with_capacity(messages.len());
        let mut pass = HealPass { ward, turns, dropped: 0, has_begun: &mut self.has_begun };
        pass.run(messages);
        let turns = pass.turns;
        self.findings.tell(notices);
        turns
    }
}

struct HealPass<'h, 'a> {
    ward: Ward<'h, 'a>,
    turns: Vec<(usize, Turn<'a>)>,
    /// Messages of which nothing was left, since the last turn.
    dropped: usize,
    has_begun: &'h mut bool,
}

impl<'a> HealPass<'_, 'a> {
    fn run(&mut self, messages: &'a [Arc<Message>]) {
        let mut at = 0;
        while let Some(message) = messages.get(at) {
            at += match message.as_ref() {
                Message::Assistant { parts } => {
                    let rest = messages.get(at + 1..).unwrap_or_default();
                    self.exchange(parts, address(message), rest)
                }
                Message::User { .. } | Message::Tool(_) | Message::Note { .. } => {
                    match self.single(message) {
                        Some(turn) => self.push(1, turn),
                        None => self.dropped += 1,
                    }
                    1
                }
            };
        }
        if self.turns.is_empty() && !*self.has_begun && self.dropped > 0 {
            let used = std::mem::take(&mut self.dropped);
            self.turns.push((used, Turn::User(vec![Cow::Owned(Part::text(NOTHING))])));
        }
        // Every message must be counted to a turn, or the next pass begins at the wrong one.
        if let Some((used, _)) = self.turns.iter_mut().rfind(|(used, _)| *used > 0) {
            *used += std::mem::take(&mut self.dropped);
        }
    }

    fn push(&mut self, used: usize, turn: Turn<'a>) {
        if !*self.has_begun {
            *self.has_begun = true;
            self.begin(&turn);
        }
        self.turns.push((used + std::mem::take(&mut self.dropped), turn));
    }

    /// Some providers want to hear the user first; a cut history may begin with the model.
    fn begin(&mut self, first: &Turn<'_>) {
        let target = self.ward.target;
        let wants_user = match target.wire {
            WireKind::Messages | WireKind::Gemini => true,
            WireKind::Chat | WireKind::Responses | WireKind::Ollama => false,
        };
        let is_user = match first {
            Turn::User(_) => true,
            // Where the endpoint has no role for notes they are sent as the user's.
            Turn::Note(_) => !target.quirks.has_notes,
            Turn::Exchange(_) => false,
        };
        if wants_user && !is_user {
            self.ward.findings.add(HealthRule::UserFirst, (0, 0), || {
                format!(
                    "The history does not begin with the user, as {} wants: a remark stands in front",
                    target.provider
                )
            });
            self.turns.push((0, Turn::User(vec![Cow::Owned(Part::text(BEGINNING))])));
        }
    }

    /// A message that is a turn of its own; `None` if nothing is left of it.
    fn single(&mut self, message: &'a Arc<Message>) -> Option<Turn<'a>> {
        let place = address(message);
        match message.as_ref() {
            Message::User { parts } => {
                let parts: Vec<Cow<'a, Part>> = parts
                    .iter()
                    .enumerate()
                    .filter_map(|(index, part)| self.ward.user_part(part, (place, index)))
                    .collect();
                self.unless_empty(parts.is_empty(), place)?;
                Some(Turn::User(parts))
            }
            Message::Note { text } => {
                self.unless_empty(text.trim().is_empty(), place)?;
                Some(Turn::Note(self.ward.text(text, (place, 0))))
            }
            Message::Tool(tool) => self.stray(tool, (place, 0)).map(|text| Turn::Note(text.into())),
            // Only exchanges hold assistant messages.
            Message::Assistant { .. } => None,
        }
    }

    fn unless_empty(&mut self, is_empty: bool, place: usize) -> Option<()> {
        if is_empty {
            self.ward.findings.add(HealthRule::EmptyMessage, (place, 0), || {
                "An empty message is left out of the history: providers refuse it".to_owned()
            });
        }
        (!is_empty).then_some(())
    }

    /// An outcome that does not stand with its call, as a remark.
    fn stray(&mut self, tool: &'a ToolMessage, spot: FindingSpot) -> Option<String> {
        let (rule, what) = match self.ward.ids.find(&tool.call_id) {
            Some(true) => {
                self.ward.findings.add(HealthRule::DuplicateOutcome, spot, || {
                    format!(
                        "A second outcome of {} ({}) is left out: the first one counts",
                        tool.call_id, tool.name
                    )
                });
                return None;
            }
            Some(false) => (HealthRule::LateOutcome, "came later than the conversation went on"),
            None => (HealthRule::OrphanOutcome, "belongs to a call that is not shown"),
        };
        self.ward.findings.add(rule, spot, || {
            format!("The outcome of {} ({}) {what}: the model sees it as a remark", tool.call_id, tool.name)
        });
        let content = self.ward.outside_text(&tool.content, spot);
        let clipped = clip_chars(&content, STRAY_OUTCOME_CHARS_MAX);
        Some(format!("This outcome of the tool '{}' {what}:\n{clipped}", tool.name))
    }

    /// An assistant message with its outcomes; says how many messages it used up.
    fn exchange(&mut self, parts: &'a [Part], place: usize, rest: &'a [Arc<Message>]) -> usize {
        let items = self.items(parts, place);
        if items.is_empty() {
            let _ = self.unless_empty(true, place);
            self.dropped += 1;
            return 1;
        }
        let group = CallGroup::of(parts, place, rest);
        let mut exchange = CallExchange { items, outcomes: Vec::new() };
        let answered = group.slots.iter().zip(exchange.calls()).map(|(slot, call)| match slot.outcome {
            Some(tool) => {
                self.ward.ids.answer(&slot.call.id, slot.spot);
                self.ward.outcome(call, tool, slot.spot)
            }
            None => self.ward.unknown_outcome(call, slot.call, slot.spot),
        });
        exchange.outcomes = answered.collect();
        if !group.is_ordered {
            self.ward.findings.add(HealthRule::OutcomeOrder, (place, 0), || {
                "Outcomes were put into the order of their calls".to_owned()
            });
        }
        self.push(1 + group.used, Turn::Exchange(exchange));
        if group.used > group.filled {
            self.move_behind(&group, rest);
        }
        1 + group.used
    }

    fn items(&mut self, parts: &'a [Part], place: usize) -> Vec<TurnItem<'a>> {
        let mut items: Vec<TurnItem<'a>> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            items.extend(self.ward.item(part, (place, index)));
        }
        // Thinking alone is no message. On the Messages wire it may be more than thinking: the provider's own
        // calls and their results; its encoder knows.
        let may_stand = |item: &TurnItem<'_>| match item {
            TurnItem::Reasoning { state, .. } => {
                self.ward.target.wire == WireKind::Messages && state.is_some()
            }
            TurnItem::Text(_) | TurnItem::Call(_) => true,
        };
        if !items.is_empty() && !items.iter().any(may_stand) {
            self.ward.findings.add(HealthRule::DanglingReasoning, (place, 0), || {
                "Thinking that led to no answer and no call is left out".to_owned()
            });
            items.clear();
        }
        items
    }

    /// Messages between a call and its outcomes go behind them.
    fn move_behind(&mut self, group: &CallGroup<'a>, rest: &'a [Arc<Message>]) {
        for message in rest.iter().take(group.used) {
            let is_outcome = match message.as_ref() {
                Message::Tool(tool) => group.holds(tool),
                Message::User { .. } | Message::Note { .. } | Message::Assistant { .. } => false,
            };
            if is_outcome {
                continue;
            }
            if let Some(turn) = self.single(message) {
                self.ward.findings.add(HealthRule::MovedMessage, (address(message), 0), || {
                    "A message between a call and its outcome was moved behind the outcome".to_owned()
                });
                self.turns.push((0, turn));
            }
        }
    }
}

/// The calls of an assistant message and what answers them.
struct CallGroup<'a> {
    slots: Vec<OutcomeSlot<'a>>,
    /// Calls with an outcome.
    filled: usize,
    /// Messages up to the last outcome.
    used: usize,
    is_ordered: bool,
}

struct OutcomeSlot<'a> {
    call: &'a ToolCall,
    spot: FindingSpot,
    outcome: Option<&'a ToolMessage>,
}

impl<'a> CallGroup<'a> {
    fn of(parts: &'a [Part], place: usize, rest: &'a [Arc<Message>]) -> Self {
        let slots = parts.iter().enumerate().filter_map(|(index, part)| match part {
            Part::Call(call) => Some(OutcomeSlot { call, spot: (place, index), outcome: None }),
            Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => None,
        });
        let mut group = Self { slots: slots.collect(), filled: 0, used: 0, is_ordered: true };
        let mut next = 0;
        for (index, message) in rest.iter().enumerate() {
            if group.filled == group.slots.len() {
                break;
            }
            let tool = match message.as_ref() {
                Message::Assistant { .. } => break,
                Message::User { .. } | Message::Note { .. } => continue,
                Message::Tool(tool) => tool,
            };
            let is_answer = |slot: &OutcomeSlot<'_>| slot.outcome.is_none() && slot.call.id == tool.call_id;
            let Some(place) = group.slots.iter().position(is_answer) else { continue };
            if let Some(slot) = group.slots.get_mut(place) {
                slot.outcome = Some(tool);
            }
            group.is_ordered &= place >= next;
            next = place;
            group.filled += 1;
            group.used = index + 1;
        }
        group
    }

    fn holds(&self, tool: &ToolMessage) -> bool {
        // By place and not by id: a second outcome of a call is not the one that was taken.
        self.slots.iter().any(|slot| slot.outcome.is_some_and(|outcome| std::ptr::eq(outcome, tool)))
    }
}

/// Where a message stands in memory: the same message is the same Arc from step to step.
fn address(message: &Arc<Message>) -> usize {
    Arc::as_ptr(message).addr()
}

#[cfg(test)]
#[path = "heal_tests.rs"]
mod tests;
