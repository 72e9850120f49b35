//! The model request: a prefix that stays byte-identical, a window over the history, a trailer.
//!
//! How large the history may be is decided here: the profile's limit, or what the model's context leaves over
//! once the answer, the system text and the tools have their place. Which part of it is shown is `window`'s
//! business.
//!
//! A request lists the tools that may be called and no others: which these are is settled when the run begins, so that
//! the prefix stays the same in all its requests.

use std::sync::Arc;

use super::digest::DIGEST_CHARS_MAX;
use super::window::tokens_of_bytes;
use super::{Goal, Pass, Run};
use crate::calls::dialect::{field, text};
use crate::calls::phrase::{
    phrase_continue, phrase_correction, phrase_finalise, phrase_manners, phrase_reform,
};
use crate::calls::toolset::prompt_bytes;
use crate::profile::Dialect;
use crate::protocol::event::DurableEvent;
use crate::protocol::message::Message;
use crate::protocol::model::{ModelRequest, NoticeKind, Sampling, ToolChoice};
use crate::protocol::tool::ToolSpec;

/// Tokens kept for an answer whose length nobody limited, if the context is large enough for that.
const OUTPUT_RESERVE_TOKENS: u64 = 4_096;

/// The rule by which the history is shortened to its budget.
pub(crate) const BUDGET_RULE: &str = "history_budget";

/// The tools that requests list.
#[derive(Debug)]
pub(super) struct Offered {
    /// All tools that there were when the run began.
    first: Arc<[Arc<ToolSpec>]>,
    /// All tools, of which these were taken.
    all: Arc<[Arc<ToolSpec>]>,
    specs: Arc<[Arc<ToolSpec>]>,
    /// About how many bytes they take in a request.
    bytes: u64,
    /// The system text, with what is to be known about calling them.
    system: Arc<str>,
}

impl Run {
    /// Sees to it that it is known which tools requests list. Those of the beginning stay, as far as they are there, and
    /// tools that came since are added; where nobody said which these are, it is those that may be called now.
    pub(super) fn offer_tools(&mut self, pass: &Pass<'_, '_>) {
        let (tools, permissions) = (pass.world.tools, &*pass.world.permissions);
        let all = tools.specs();
        // The same set by identity: list and system text, the prefix of requests, stay as they are.
        if self.offered.as_ref().is_some_and(|offered| Arc::ptr_eq(&offered.all, &all)) {
            return;
        }
        let first =
            self.offered.as_ref().map_or_else(|| Arc::clone(&all), |offered| Arc::clone(&offered.first));
        let was_there = |spec: &ToolSpec| first.iter().any(|own| own.name == spec.name);
        let setup = self.wishes.asked.setup.as_deref();
        let is_offered = |spec: &ToolSpec| match setup {
            // Settled when the run began, also against rules that came since: the prefix must not change.
            Some(setup) if setup.tools.contains_key(&spec.name) => true,
            Some(_) => !was_there(spec) && !permissions.refuses(spec),
            None => !permissions.refuses(spec),
        };
        // Mostly everything is offered: then the set's own list is shared, which was measured already.
        let (specs, bytes) = if all.iter().all(|spec| is_offered(spec)) {
            (Arc::clone(&all), tools.prompt_bytes())
        } else {
            let specs: Arc<[_]> = all.iter().filter(|spec| is_offered(spec)).cloned().collect();
            let bytes = prompt_bytes(&specs);
            (specs, bytes)
        };
        let system = self.system_with_manners(&specs);
        let offered = Offered { first, all, specs, bytes, system };
        self.offered = Some(offered);
    }

    /// The system text with one line about what calls can do that no schema says. Text dialects have an instruction
    /// of their own.
    fn system_with_manners(&self, specs: &[Arc<ToolSpec>]) -> Arc<str> {
        let (profile, system) = (&self.settings.profile, &self.settings.system);
        if specs.is_empty() || profile.dialect != Dialect::Native {
            return Arc::clone(system);
        }
        let can_read = specs.iter().any(|spec| spec.name == "read_result");
        let manners = phrase_manners(profile.caches_repeats, can_read);
        if system.is_empty() { manners.into() } else { format!("{system}\n\n{manners}").into() }
    }

    /// What may be done with tools: once a tool was called, the model may answer.
    fn tool_choice(&self) -> ToolChoice {
        match self.wishes.asked.tool_choice.clone().unwrap_or_default() {
            // A call that is forced in every step would leave none for the answer.
            ToolChoice::Required | ToolChoice::Named(_) if !self.outcomes.is_empty() => ToolChoice::Auto,
            choice => choice,
        }
    }

    fn offered_specs(&self) -> Arc<[Arc<ToolSpec>]> {
        self.offered.as_ref().map_or_else(Arc::default, |offered| Arc::clone(&offered.specs))
    }

    /// Leaves out what does not fit, and says so.
    pub(super) fn fit_history(&mut self, pass: &mut Pass<'_, '_>) {
        let budget = self.history_budget();
        if let Some(trimmed) = self.window.fit(&self.transcript, budget) {
            self.tell_trimmed(pass, BUDGET_RULE, trimmed.to_string());
        }
    }

    /// The provider said that the request was too long: leaves out more, and says so. Whether there was
    /// anything to leave out.
    pub(super) fn shrink_history(&mut self, pass: &mut Pass<'_, '_>) -> bool {
        let budget = self.history_budget();
        let trimmed = self.window.shrink(&self.transcript, budget);
        if let Some(trimmed) = trimmed {
            self.tell_trimmed(pass, "context_overflow", trimmed.to_string());
        }
        trimmed.is_some()
    }

    /// Every move of the window is told, also one that reads like an earlier one.
    fn tell_trimmed(&mut self, pass: &mut Pass<'_, '_>, rule: &str, message: String) {
        pass.emit(DurableEvent::RequestAdjusted {
            step: self.counters.steps,
            kind: NoticeKind::Trimmed,
            rule: rule.to_owned(),
            message,
        });
    }

    /// Tokens that the history may have.
    fn history_budget(&self) -> u64 {
        let limit = self.settings.profile.limits.history_tokens_max;
        let Some(context) = self.settings.context_tokens else { return limit };
        let answer = match self.wishes.asked.sampling.output_tokens_max {
            // A wish beyond what the context holds must not leave the history nothing.
            Some(wished) => u64::from(wished).min(context / 2),
            None => OUTPUT_RESERVE_TOKENS.min(context / 4),
        };
        let taken = answer
            // Scaled, because the context is counted in the provider's tokens.
            .saturating_add(self.window.scaled(self.overhead_tokens()))
            // The digest is in no size of the window, but in every request once something is left out.
            .saturating_add(tokens_of_bytes(DIGEST_CHARS_MAX as u64));
        limit.min(context.saturating_sub(taken))
    }

    /// Estimated tokens of everything in a request that is not history.
    fn overhead_tokens(&self) -> u64 {
        let tool_bytes = self.offered.as_ref().map_or(0, |offered| offered.bytes);
        let system = self.offered.as_ref().map_or(&self.settings.system, |offered| &offered.system);
        tokens_of_bytes(system.len() as u64).saturating_add(tokens_of_bytes(tool_bytes))
    }

    /// Learns from the provider's own count how long its tokens are.
    pub(super) fn calibrate(&mut self, counted_tokens: u64) {
        let overhead = self.overhead_tokens();
        self.window.calibrate(counted_tokens, overhead);
    }

    pub(super) fn build_request(&self, goal: &Goal) -> ModelRequest {
        let mut request = ModelRequest {
            run_id: self.wishes.run_id.clone(),
            step: self.counters.steps,
            purpose: goal.purpose(),
            system: self
                .offered
                .as_ref()
                .map_or_else(|| Arc::clone(&self.settings.system), |it| Arc::clone(&it.system)),
            examples: 0,
            messages: self.window.view(&self.transcript),
            trailer: self.trailer(goal),
            tools: self.offered_specs(),
            // The engine knows what exists; deciding needs none of it.
            live: Arc::default(),
            tool_choice: match goal {
                Goal::Finalise(_) => ToolChoice::Forbidden,
                // The answer was there, only not as it must be: what samples by a grammar is held to it now.
                Goal::Reform(_) if self.wishes.asked.form.is_some() => ToolChoice::Forbidden,
                Goal::Work
                | Goal::Correction(_)
                | Goal::Reform(_)
                | Goal::Continuation
                | Goal::Resumption => self.tool_choice(),
            },
            sampling: self.sampling(),
            kept: self.kept.clone(),
        };
        match self.settings.profile.dialect {
            Dialect::Text => self.write_as_text(&mut request, goal),
            // A module writes its own prompt.
            Dialect::Field if !self.settings.profile.answers_in_fields => self.write_as_fields(&mut request),
            Dialect::Field | Dialect::Native => {}
        }
        request
    }

    /// The wishes that go to the provider; the form of the run is among them, in the words of its wire.
    fn sampling(&self) -> Sampling {
        let asked = &self.wishes.asked;
        let mut sampling = asked.sampling.clone();
        if let Some(form) = &asked.form {
            sampling.response_format = Some(form.response_format());
        }
        sampling
    }

    /// What belongs to this request alone.
    fn trailer(&self, goal: &Goal) -> Vec<String> {
        let mut trailer = Vec::new();
        match goal {
            Goal::Work => {}
            Goal::Correction(error) => match self.settings.profile.dialect {
                // Its prompt ends with words of its own for that (Appendix A.1).
                Dialect::Text => {}
                Dialect::Native | Dialect::Field => trailer.push(format!(
                    "The last call was not run: {error}. Send it once more, corrected to the schema in its outcome, or answer."
                )),
            },
            Goal::Reform(wrong) => trailer.push(phrase_reform(wrong)),
            Goal::Continuation => trailer.push(phrase_continue().to_owned()),
            // What it said so far is all that a paused model wants to see; a prompt of text has to say it.
            Goal::Resumption => match self.settings.profile.dialect {
                Dialect::Text => trailer.push(phrase_continue().to_owned()),
                Dialect::Native | Dialect::Field => {}
            },
            Goal::Finalise(reason) => {
                trailer.push(phrase_finalise(&self.settings.profile, &capitalised(&self.why(reason))));
                trailer.extend(self.wishes.asked.finalize_hint.clone());
            }
        }
        trailer
    }

    /// The prompt of the text dialect: one user message, its beginning stable from step to step (E-31).
    fn write_as_text(&self, request: &mut ModelRequest, goal: &Goal) {
        self.instruct(request, &text::instructions(request.tools.iter().map(AsRef::as_ref)));
        let mut lines = Vec::new();
        let mut number = 0;
        for message in request.messages.iter() {
            write_line(&mut lines, &mut number, message);
        }
        match goal {
            Goal::Finalise(_) | Goal::Reform(_) | Goal::Continuation | Goal::Resumption => {
                lines.append(&mut request.trailer);
            }
            Goal::Work | Goal::Correction(_) => {
                lines.push(text::step_line(self.counters.work_steps, self.settings.profile.limits.steps_max));
            }
        }
        if let Goal::Correction(error) = goal {
            lines.push(phrase_correction(error));
        }
        write_all(request, &lines);
    }

    /// The prompt of the field dialect where no module writes one: the query, and what calls returned as its context.
    fn write_as_fields(&self, request: &mut ModelRequest) {
        let tools = field::tool_items(request.tools.iter().map(AsRef::as_ref));
        self.instruct(request, &field::instructions(&tools));
        let asked = request.messages.iter().rposition(|message| matches!(**message, Message::User { .. }));
        let mut lines = Vec::new();
        let mut context = Vec::new();
        for (at, message) in request.messages.iter().enumerate() {
            match message.as_ref() {
                Message::User { .. } if Some(at) == asked => lines.push(format!("query: {}", message.text())),
                Message::User { .. } => lines.push(format!("User: {}", message.text())),
                Message::Assistant { .. } if Some(at) < asked => {
                    lines.push(format!("Assistant: {}", message.text()));
                }
                Message::Assistant { .. } => {}
                Message::Tool(_) if Some(at) < asked => {}
                Message::Tool(tool) => context.push(field::context_line(&tool.name, tool.told())),
                Message::Note { text } => context.push(text.clone()),
            }
        }
        lines.push(format!("context: {}", context.join("\n")));
        lines.append(&mut request.trailer);
        write_all(request, &lines);
    }

    fn instruct(&self, request: &mut ModelRequest, instructions: &str) {
        request.system = match self.settings.system.as_ref() {
            "" => instructions.into(),
            system => format!("{system}\n\n{instructions}").into(),
        };
    }
}

/// A prompt of text is one message, and its tools are a part of it.
fn write_all(request: &mut ModelRequest, lines: &[String]) {
    request.messages = Arc::new(vec![Arc::new(Message::user(lines.join("\n")))]);
    request.trailer = Vec::new();
    request.tools = Arc::new([]);
    // Without tools on the wire a choice would be about nothing.
    request.tool_choice = ToolChoice::Auto;
}

/// One message as lines of a text prompt (Appendix A.1).
fn write_line(lines: &mut Vec<String>, number: &mut u32, message: &Message) {
    match message {
        Message::User { .. } => lines.push(format!("User: {}", message.text())),
        Message::Assistant { .. } => {
            let text = message.text();
            if !text.trim().is_empty() {
                lines.push(format!("Assistant: {text}"));
            }
        }
        Message::Tool(tool) if tool.is_valid_call => {
            *number = number.saturating_add(1);
            lines.push(format!("Tool {number} [{}]: {}", tool.name, tool.content));
        }
        // A bad call has no number (E-34); what was wrong with it stands in the correction.
        Message::Tool(_) => {}
        Message::Note { text } => lines.push(text.clone()),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
