//! Kept history: what was written of a run's history stays written, and each step only appends to it.
//!
//! Everything but the last turn is kept as bytes, together with what it was made of; whatever differs is
//! written anew. A run of a hundred steps so costs a hundred turns and not five thousand. Sends nothing.

use std::sync::Arc;

use windlass_core::message::Message;
use windlass_core::model::{ModelRequest, Notice, Sampling, StepPurpose, ToolChoice};
use windlass_core::tool::ToolSpec;

use crate::guard::guard;
use crate::health::{Healer, Turn};
use crate::limits::NOTICES_TOLD_MAX;
use crate::lower::{LoweredTools, lower};
use crate::wire::{Before, Encode, Place, Plan, SharedTarget, encoder};

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The path after the base URL.
    pub(crate) path: String,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// What had to be changed, and was not told before in this run.
    pub(crate) notices: Vec<Notice>,
    /// All tools of the request.
    pub(crate) tools: Arc<LoweredTools>,
}

/// Writes a request, as far as it was not written before.
pub(crate) fn prepare(target: &SharedTarget, request: &ModelRequest) -> Prepared {
    let kept = request.kept.take::<KeptHistory>().filter(|kept| Arc::ptr_eq(&kept.target, target));
    let mut kept = kept.unwrap_or_else(|| Box::new(KeptHistory::new(target, request)));
    let prepared = kept.write(request);
    request.kept.put(kept);
    prepared
}

/// What a run's requests have in common.
struct KeptHistory {
    target: SharedTarget,
    specs: Arc<[Arc<ToolSpec>]>,
    tools: Arc<LoweredTools>,
    healer: Healer,
    /// The head and the turns of `messages`.
    bytes: Vec<u8>,
    head: Option<Head>,
    messages: Vec<Arc<Message>>,
    /// What the last kept turn leaves.
    before: Before,
    told: Vec<Notice>,
}

/// What the head was made of, beside target and tools.
#[derive(PartialEq)]
struct HeadParts {
    system: Arc<str>,
    choice: ToolChoice,
    sampling: Sampling,
    purpose: StepPurpose,
    narrowed: Option<LoweredTools>,
}

struct Head {
    parts: Arc<HeadParts>,
    len: usize,
}

impl KeptHistory {
    fn new(target: &SharedTarget, request: &ModelRequest) -> Self {
        Self {
            target: Arc::clone(target),
            specs: Arc::clone(&request.tools),
            tools: Arc::new(lower(target, &request.tools)),
            healer: Healer::new(),
            bytes: Vec::new(),
            head: None,
            messages: Vec::new(),
            before: Before::Nothing,
            told: Vec::new(),
        }
    }

    fn write(&mut self, request: &ModelRequest) -> Prepared {
        self.lower_again(request);
        let (target, tools) = (Arc::clone(&self.target), Arc::clone(&self.tools));
        let encode = encoder(target.wire);
        let guarded = guard(&target, request, &tools);
        let mut notices = tools.notices.clone();
        notices.extend(guarded.notices);
        let parts = Arc::new(HeadParts {
            system: Arc::clone(&request.system),
            choice: guarded.choice,
            sampling: guarded.sampling,
            purpose: request.purpose,
            narrowed: guarded.tools,
        });
        let plan = Plan {
            target: &target,
            system: &parts.system,
            tools: parts.narrowed.as_ref().unwrap_or(&tools),
            choice: &parts.choice,
            sampling: &parts.sampling,
            purpose: parts.purpose,
            trailer: &guarded.trailer,
        };
        self.write_head(encode, &plan, &parts);
        self.drop_unless_continued(&request.messages);
        let fresh = request.messages.get(self.messages.len()..).unwrap_or_default();
        let turns = self.healer.turns(&target, &tools, fresh, &mut notices);
        let body = self.write_turns(encode, &plan, fresh, &turns);
        let path = encode.path(&plan);
        self.keep_untold(&mut notices);
        Prepared { path, body, notices, tools }
    }

    /// Other tools are other names on the wire: nothing that was written is good any more.
    fn lower_again(&mut self, request: &ModelRequest) {
        let is_same = Arc::ptr_eq(&self.specs, &request.tools)
            || (self.specs.len() == request.tools.len()
                && self.specs.iter().zip(request.tools.iter()).all(|(own, new)| Arc::ptr_eq(own, new)));
        if !is_same {
            self.specs = Arc::clone(&request.tools);
            self.tools = Arc::new(lower(&self.target, &request.tools));
            self.head = None;
            self.drop_turns(0);
        }
    }

    fn write_head(&mut self, encode: &dyn Encode, plan: &Plan<'_>, parts: &Arc<HeadParts>) {
        let old_len = match &self.head {
            Some(head) if head.parts == *parts => return,
            Some(head) => head.len,
            None => 0,
        };
        let mut bytes = Vec::new();
        encode.head(plan, &mut bytes);
        // Whether the first turn has a comma before it depends on how the head ends.
        let had_comma = self.bytes.get(..old_len).and_then(<[u8]>::last) != Some(&b'[');
        if old_len == 0 || had_comma != (bytes.last() != Some(&b'[')) {
            self.drop_turns(old_len);
        }
        let len = bytes.len();
        self.bytes.splice(..old_len, bytes);
        self.head = Some(Head { parts: Arc::clone(parts), len });
    }

    /// Keeps the turns only if the request goes on where they end.
    fn drop_unless_continued(&mut self, messages: &[Arc<Message>]) {
        let is_continued = self.messages.len() < messages.len()
            && self.messages.iter().zip(messages).all(|(own, new)| Arc::ptr_eq(own, new));
        if !is_continued {
            self.drop_turns(self.head.as_ref().map_or(0, |head| head.len));
        }
    }

    fn drop_turns(&mut self, head_len: usize) {
        self.bytes.truncate(head_len);
        self.messages.clear();
        self.before = Before::Nothing;
        self.healer = Healer::new();
    }

    /// The whole body. What may yet change (the last turn, and turns that share a message with it) is not kept.
    fn write_turns(
        &mut self,
        encode: &dyn Encode,
        plan: &Plan<'_>,
        messages: &[Arc<Message>],
        turns: &[(usize, Turn<'_>)],
    ) -> Vec<u8> {
        let last = turns.len().saturating_sub(1);
        let kept_turns = kept_turns(turns);
        let mut before = self.before;
        let mut consumed: usize = 0;
        let mut kept_len = self.bytes.len();
        for (number, (count, turn)) in turns.iter().enumerate() {
            encode.turn(plan, turn, Place { before, is_last: number == last }, &mut self.bytes);
            before = turn.leaves();
            if number < kept_turns {
                consumed = consumed.saturating_add(*count);
                kept_len = self.bytes.len();
                self.before = before;
            }
        }
        self.messages.extend(messages.iter().take(consumed).cloned());
        encode.tail(plan, before, &mut self.bytes);
        let body = self.bytes.as_slice().to_vec();
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
#[path = "kept_tests.rs"]
mod tests;
