//! What is sent for a step: what was written of a run's history stays written, and each step only appends to it.
//!
//! Everything but the last turn is kept as bytes, together with what it was made of; whatever differs is
//! written anew. A run of a hundred steps so costs a hundred turns and not five thousand. Sends nothing.

use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Kept, ModelRequest, Notice, Sampling, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::ToolSpec;

use crate::guard::guard;
use crate::health::{Healer, Turn};
use crate::limits::NOTICES_TOLD_MAX;
use crate::lower::{LoweredTools, lower};
use crate::wire::{Encode, RequestPlan, SharedTarget, TurnBefore, TurnPosition, encoder};

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct PreparedRequest {
    /// The path after the base URL.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
    /// What had to be changed, and was not told before in this run.
    pub(crate) notices: Vec<Notice>,
    /// All tools of the request.
    pub(crate) tools: Arc<LoweredTools>,
}

/// What all runs with one model have in common: the tools as the provider sees them, and the last head.
/// A server with a thousand sessions holds one of each.
#[derive(Debug, Default)]
pub(crate) struct SharedEncodings(Mutex<LastHead>);

#[derive(Debug, Default)]
struct LastHead {
    tools: Option<ToolsCache>,
    head: Option<Arc<EncodedHead>>,
}

/// Tools, and what they were lowered from.
#[derive(Debug, Clone)]
struct ToolsCache {
    specs: Arc<[Arc<ToolSpec>]>,
    lowered: Arc<LoweredTools>,
}

impl ToolsCache {
    fn are_of(&self, specs: &Arc<[Arc<ToolSpec>]>) -> bool {
        Arc::ptr_eq(&self.specs, specs)
            || (self.specs.len() == specs.len()
                && self.specs.iter().zip(specs.iter()).all(|(own, new)| Arc::ptr_eq(own, new)))
    }
}

impl SharedEncodings {
    fn tools(&self, target: &SharedTarget, specs: &Arc<[Arc<ToolSpec>]>) -> ToolsCache {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &last.tools {
            Some(tools) if tools.are_of(specs) => tools.clone(),
            Some(_) | None => {
                let tools = ToolsCache { specs: Arc::clone(specs), lowered: Arc::new(lower(target, specs)) };
                last.tools = Some(tools.clone());
                tools
            }
        }
    }

    fn head(&self, encode: &dyn Encode, target: &SharedTarget, parts: HeadParts) -> Arc<EncodedHead> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &last.head {
            Some(head) if head.parts == parts => Arc::clone(head),
            Some(_) | None => {
                let mut bytes = Vec::new();
                encode.head(&plan_of(target, &parts, &[]), &mut bytes);
                let head = Arc::new(EncodedHead { parts, bytes });
                last.head = Some(Arc::clone(&head));
                head
            }
        }
    }
}

/// Writes a request, as far as it was not written before.
pub(crate) fn prepare(
    target: &SharedTarget,
    shared: &SharedEncodings,
    request: &ModelRequest,
) -> PreparedRequest {
    // A run may go on with another model, whose bytes are others.
    let kept = request.kept.take::<KeptHistory>().filter(|kept| Arc::ptr_eq(&kept.target, target));
    let mut kept = kept.unwrap_or_else(|| Box::new(KeptHistory::new(target, shared, request)));
    let prepared = kept.write(shared, request);
    request.kept.put(kept);
    prepared
}

/// A notice, if none of its rule was told in this run before.
pub(crate) fn first_told(kept: &Kept, notice: Notice) -> Option<Notice> {
    let Some(mut history) = kept.take::<KeptHistory>() else { return Some(notice) };
    let is_first = history.told.iter().all(|told| told.rule != notice.rule);
    if is_first {
        history.told.push(notice.clone());
    }
    kept.put(history);
    is_first.then_some(notice)
}

/// What a run's requests have in common.
struct KeptHistory {
    target: SharedTarget,
    tools: ToolsCache,
    healer: Healer,
    /// The turns of `messages`.
    bytes: Vec<u8>,
    head: Option<Arc<EncodedHead>>,
    messages: Vec<Arc<Message>>,
    /// What the last kept turn leaves.
    before: TurnBefore,
    told: Vec<Notice>,
}

/// What a head is made of, beside the target.
#[derive(Debug)]
struct HeadParts {
    system: Arc<str>,
    tools: Arc<LoweredTools>,
    choice: ToolChoice,
    sampling: Sampling,
    purpose: StepPurpose,
}

/// Asked at every step: the same tools are nearly always the very same, and need not be looked into.
impl PartialEq for HeadParts {
    fn eq(&self, other: &Self) -> bool {
        self.purpose == other.purpose
            && self.choice == other.choice
            && self.sampling == other.sampling
            && self.has_context_of(other)
    }
}

impl HeadParts {
    /// Whether turns that were written for those parts are good for these: what they say may depend on the
    /// system text and on the names of tools.
    fn has_context_of(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.system, &other.system) || self.system == other.system)
            && (Arc::ptr_eq(&self.tools, &other.tools) || self.tools == other.tools)
    }
}

#[derive(Debug)]
struct EncodedHead {
    parts: HeadParts,
    bytes: Vec<u8>,
}

impl KeptHistory {
    fn new(target: &SharedTarget, shared: &SharedEncodings, request: &ModelRequest) -> Self {
        Self {
            target: Arc::clone(target),
            tools: shared.tools(target, &request.tools),
            healer: Healer::new(),
            bytes: Vec::new(),
            head: None,
            messages: Vec::new(),
            before: TurnBefore::Nothing,
            told: Vec::new(),
        }
    }

    fn write(&mut self, shared: &SharedEncodings, request: &ModelRequest) -> PreparedRequest {
        if !self.tools.are_of(&request.tools) {
            self.tools = shared.tools(&self.target, &request.tools);
        }
        let (target, tools) = (Arc::clone(&self.target), Arc::clone(&self.tools.lowered));
        let encode = encoder(target.wire);
        let guarded = guard(&target, request, &tools);
        let mut notices = tools.notices.clone();
        notices.extend(guarded.notices);
        let parts = HeadParts {
            system: Arc::clone(&request.system),
            tools: guarded.tools.map_or_else(|| Arc::clone(&tools), Arc::new),
            choice: guarded.choice,
            sampling: guarded.sampling,
            purpose: request.purpose,
        };
        let head = self.find_head(shared, encode, &target, parts);
        let plan = plan_of(&target, &head.parts, &guarded.trailer);
        self.drop_unless_continued(&request.messages);
        let fresh = request.messages.get(self.messages.len()..).unwrap_or_default();
        let turns = self.healer.turns(&target, &tools, fresh, &mut notices);
        let body = self.write_turns(encode, &plan, &head.bytes, fresh, &turns);
        let path = encode.path(&plan);
        self.keep_untold(&mut notices);
        PreparedRequest { path, body, notices, tools }
    }

    /// The head of this request. With another system text or other tools, nothing that was written is good
    /// any more.
    fn find_head(
        &mut self,
        shared: &SharedEncodings,
        encode: &dyn Encode,
        target: &SharedTarget,
        parts: HeadParts,
    ) -> Arc<EncodedHead> {
        let head = match &self.head {
            Some(head) if head.parts == parts => return Arc::clone(head),
            Some(_) | None => shared.head(encode, target, parts),
        };
        if self.head.as_ref().is_some_and(|old| !head.parts.has_context_of(&old.parts)) {
            self.drop_turns();
        }
        self.head = Some(Arc::clone(&head));
        head
    }

    /// Keeps the turns only if the request goes on where they end.
    fn drop_unless_continued(&mut self, messages: &[Arc<Message>]) {
        // The last turn is never kept, so that an equal length means a history that lost its end.
        let is_continued = self.messages.len() < messages.len()
            && self.messages.iter().zip(messages).all(|(own, new)| Arc::ptr_eq(own, new));
        if !is_continued {
            self.drop_turns();
        }
    }

    fn drop_turns(&mut self) {
        self.bytes.clear();
        self.messages.clear();
        self.before = TurnBefore::Nothing;
        self.healer = Healer::new();
    }

    /// The whole body. What may yet change (the last turn, and turns that share a message with it) is not kept.
    fn write_turns(
        &mut self,
        encode: &dyn Encode,
        plan: &RequestPlan<'_>,
        head: &[u8],
        messages: &[Arc<Message>],
        turns: &[(usize, Turn<'_>)],
    ) -> Vec<u8> {
        let last = turns.len().saturating_sub(1);
        let kept_turns = kept_turns(turns);
        let mut before = self.before;
        let mut consumed: usize = 0;
        let mut kept_len = self.bytes.len();
        for (number, (count, turn)) in turns.iter().enumerate() {
            encode.turn(plan, turn, TurnPosition { before, is_last: number == last }, &mut self.bytes);
            before = turn.leaves();
            if number < kept_turns {
                consumed = consumed.saturating_add(*count);
                kept_len = self.bytes.len();
                self.before = before;
            }
        }
        self.messages.extend(messages.iter().take(consumed).cloned());
        encode.tail(plan, before, &mut self.bytes);
        let body = joined(head, &self.bytes);
        self.bytes.truncate(kept_len);
        body
    }

    /// Nobody wants to be told the same at every step.
    fn keep_untold(&mut self, notices: &mut Vec<Notice>) {
        notices.retain(|notice| !self.told.contains(notice));
        let room = NOTICES_TOLD_MAX.saturating_sub(self.told.len());
        self.told.extend(notices.iter().take(room).cloned());
    }
}

fn plan_of<'a>(target: &'a SharedTarget, parts: &'a HeadParts, trailer: &'a [String]) -> RequestPlan<'a> {
    RequestPlan {
        target,
        system: &parts.system,
        tools: &parts.tools,
        choice: &parts.choice,
        sampling: &parts.sampling,
        purpose: parts.purpose,
        trailer,
    }
}

/// A whole body. Turns are written as if they stood first in the list; a head that has put something there
/// before them wants a comma.
fn joined(head: &[u8], rest: &[u8]) -> Vec<u8> {
    let has_comma = head.last() != Some(&b'[') && rest.first() == Some(&b'{');
    let comma: &[u8] = if has_comma { b"," } else { b"" };
    [head, comma, rest].concat()
}

/// How many turns cannot change any more: all before the last one that used up messages. Those that used up
/// none were made of the turn before them.
fn kept_turns(turns: &[(usize, Turn<'_>)]) -> usize {
    let is_empty = |number: usize| turns.get(number).is_some_and(|(count, _)| *count == 0);
    let mut number = turns.len().saturating_sub(1);
    while number > 0 && is_empty(number) {
        number -= 1;
    }
    number
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
