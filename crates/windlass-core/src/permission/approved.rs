//! Approval as a value: an approved call can only be made in this module, and a question is
//! answered by consuming it (wall 4). What cannot be constructed cannot be run.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::audit::{AuditDecision, AuditEntry};
use super::gate::{Gate, NO_REPEAT, Refusal};
use super::held::Held;
use super::judge::{Judgement, Permissions};
use super::limits::DENIAL_CHARS_MAX;
use super::matter::Matter;
use super::mode::ApproveMode;
use super::question::{Decision, Inspection, PermissionAnswer, Preview, Question};
use super::recall::RecalledAnswer;
use super::rule::{Rule, RulePattern, read_reach};
use crate::protocol::ids::{Millis, RunId};
use crate::protocol::tool::{CheckedCall, Risk, ToolCall, ToolSpec};
use crate::text::cut_chars;
use crate::text::redact::Redactor;

/// What a denied call tells the model (Appendix A.5).
const USER_DENIED: &str = "User denied permission for this operation";

/// A call that may run, once: it cannot be cloned.
///
/// Nobody else can make one:
///
/// ```compile_fail
/// use windlass_core::permission::ApprovedCall;
/// let forged = ApprovedCall { call: todo!(), by: "me".into(), decision: todo!(), held: todo!() };
/// ```
#[derive(Debug, PartialEq)]
pub struct ApprovedCall {
    call: CheckedCall,
    by: Cow<'static, str>,
    decision: Decision,
    held: Held,
}

impl ApprovedCall {
    /// A gate let the call run.
    pub(super) fn by_gate(call: CheckedCall, by: Cow<'static, str>, held: Held) -> Self {
        Self { call, by, decision: Decision::Once, held }
    }

    fn by_user(call: CheckedCall, decision: Decision, held: Held) -> Self {
        Self { call, by: Cow::Borrowed(Gate::User.word()), decision, held }
    }

    /// The same, where what was looked at is not on record.
    pub(super) fn unheld(self) -> Self {
        Self { held: Held::default(), ..self }
    }

    /// The call, as the transcript knows it.
    pub fn call(&self) -> &ToolCall {
        &self.call.call
    }

    /// The call, as it was checked.
    pub fn checked(&self) -> &CheckedCall {
        &self.call
    }

    pub fn spec(&self) -> &Arc<ToolSpec> {
        &self.call.spec
    }

    /// The arguments to run it with.
    pub fn args(&self) -> &Map<String, Value> {
        &self.call.args
    }

    /// Who let it run: `user`, `rule:ID`, `grant`, `risk` or `mode`.
    pub fn decision_word(&self) -> &str {
        &self.by
    }

    /// How far the permission reaches; `Once` when nobody was asked.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Whether the user was asked.
    pub fn is_by_user(&self) -> bool {
        self.by == Gate::User.word()
    }

    /// The line for the audit log.
    pub fn audit(&self, ts_ms: Millis) -> AuditEntry {
        let (decision, reason) = if self.is_by_user() {
            (AuditDecision::UserApproved, format!("user: {}", self.decision.word()))
        } else {
            (AuditDecision::AutoApproved, self.by.to_string())
        };
        AuditEntry::new(ts_ms, decision, &self.call.spec.name, reason, &self.call.args)
    }

    /// Takes it apart: the call, who let it run, and what it is held to.
    pub fn into_parts(self) -> (CheckedCall, String, Held) {
        (self.call, self.by.into_owned(), self.held)
    }
}

/// A call that was refused.
#[derive(Debug, PartialEq)]
pub struct Denied {
    pub call: CheckedCall,
    pub refusal: Refusal,
}

impl Denied {
    /// The line for the audit log.
    pub fn audit(&self, ts_ms: Millis) -> AuditEntry {
        let decision = if self.refusal.gate == Gate::User {
            AuditDecision::DeniedByUser
        } else {
            AuditDecision::DeniedByPolicy
        };
        let reason = format!("{}: {}", self.refusal.by(), self.refusal.message);
        AuditEntry::new(ts_ms, decision, &self.call.spec.name, reason, &self.call.args)
    }
}

/// A call that waits for the user's answer.
#[derive(Debug, PartialEq)]
pub struct PendingQuestion {
    call: CheckedCall,
    inspection: Inspection,
    question: Box<Question>,
}

impl PendingQuestion {
    /// Asks about a call: complete arguments, true risk, nothing cut (R-51).
    pub(super) fn new(call: CheckedCall, inspection: Inspection, risk: Risk, secrets: &Redactor) -> Self {
        let arguments = Value::Object(call.args.clone());
        let (needs_preview, needs_word) = match risk {
            Risk::Safe | Risk::Low | Risk::Medium => (false, false),
            Risk::High => (true, false),
            Risk::Critical => (true, true),
        };
        // A tool without a preview of its own still shows what it would do: its arguments, one a line.
        let preview = match &inspection.preview {
            None if needs_preview => Some(Preview::Text(format!("{arguments:#}"))),
            preview => preview.clone(),
        };
        let question = Question {
            call_id: call.call.id.clone(),
            tool: call.spec.name.clone(),
            arguments: arguments.to_string(),
            risk,
            targets: inspection.targets.clone(),
            preview,
            folder: inspection.folder.clone(),
            caution: inspection.caution.clone(),
            sandbox: inspection.sandbox.clone().map(Box::new),
            rule: RulePattern::narrowest(&call.spec, &inspection.targets).to_string(),
            confirm_word: needs_word.then(|| call.spec.name.clone()),
            // It names the run, which is not known here: see `numbered`.
            digest: String::new(),
            position: 0,
            total: 0,
            hidden_chars: 0,
        };
        Self { call, inspection, question: Box::new(question.guarded(secrets)) }
    }

    /// The question says what its context has from outside, too.
    pub(super) fn warned(mut self, warning: Option<String>) -> Self {
        if let Some(warning) = warning {
            let caution = &mut self.question.caution;
            *caution = Some(caution.take().map_or_else(|| warning.clone(), |own| format!("{own} {warning}")));
        }
        self
    }

    /// The question gets its place among those of its step, and the digest that an answer must name.
    pub fn numbered(mut self, run_id: &RunId, position: u32, total: u32) -> Self {
        (self.question.position, self.question.total) = (position, total);
        self.question.digest = self.question.digest_in(run_id);
        self
    }

    pub fn question(&self) -> &Question {
        &self.question
    }

    /// The call that waits.
    pub fn call(&self) -> &CheckedCall {
        &self.call
    }

    /// Takes it apart: the call, what was looked at, what would be asked.
    pub(super) fn into_parts(self) -> (CheckedCall, Inspection, Box<Question>) {
        (self.call, self.inspection, self.question)
    }

    /// Takes the question back: the call is not approved and not denied (cancel).
    pub fn withdraw(self) -> CheckedCall {
        self.call
    }

    /// Judges the call once more: the answer to another question may have settled this one.
    pub fn reconsider(self, permissions: &Permissions) -> Judgement {
        let question = self.question;
        match permissions.judge(self.call, self.inspection) {
            // What is asked stays as it was shown.
            Judgement::Ask(pending) => Judgement::Ask(Self { question, ..pending }),
            Judgement::Stage(pending) => Judgement::Stage(Self { question, ..pending }),
            judgement @ (Judgement::Approved(_) | Judgement::Denied(_)) => judgement,
        }
    }

    /// Takes the user's answer. A deny rule that came up meanwhile still wins.
    pub fn answer(self, permissions: &mut Permissions, answer: &PermissionAnswer) -> Answered {
        // Before all else: the typed word and the rules of then are not on record, what came of them is.
        if let Some(recalled) = permissions.recalled_answer(&self.question.call_id) {
            return self.answer_as_recorded(permissions, recalled);
        }
        match answer.decision {
            // Nobody said no: the model must not be told that the user did (U-8).
            Decision::Deny if answer.is_by_nobody => {
                let refusal = self.unattended(permissions);
                self.deny(refusal)
            }
            Decision::Deny => self.deny(refused_by_user(answer.message.as_deref())),
            Decision::Once | Decision::Session | Decision::Remember => {
                match self.objection(permissions, answer) {
                    Some(refusal) => self.deny(refusal),
                    None => self.approve(permissions, answer),
                }
            }
        }
    }

    /// Takes the answer that is on record: what it led to then, it leads to now.
    fn answer_as_recorded(self, permissions: &mut Permissions, recalled: RecalledAnswer) -> Answered {
        let RecalledAnswer { decision, rule, problem, message, refusal } = recalled;
        if decision == Decision::Deny {
            let refusal = match refusal {
                Some(refusal) => refusal.into_refusal(Gate::User),
                None => refused_by_user(message.as_deref()),
            };
            return self.deny(refusal);
        }
        if self.question.risk == Risk::Low {
            permissions.note_asked(&self.call.spec.name);
        }
        let pattern = rule.as_ref().and_then(|rule| rule.parse::<RulePattern>().ok());
        // What was stored is stored already: here it only has to hold for the rest of the session.
        let stored = pattern.and_then(|pattern| self.keep(permissions, pattern, decision, false));
        let held = Held::to_targets(self.inspection);
        let verdict = Ok(ApprovedCall::by_user(self.call, decision, held));
        Answered { verdict, stored, rule, problem }
    }

    /// Nobody is there to answer.
    fn unattended(&self, permissions: &Permissions) -> Refusal {
        let matter = Matter { risk: self.question.risk, ..Matter::of(&self.call, &self.inspection) };
        if let Some(finding) = matter.taint.filter(|_| permissions.is_tainted(matter)) {
            return Refusal::by_taint(finding, matter);
        }
        Refusal::by_mode(ApproveMode::Never, None, matter)
    }

    /// Why a call stays denied although the user wants it to run.
    fn objection(&self, permissions: &Permissions, answer: &PermissionAnswer) -> Option<Refusal> {
        match &self.question.confirm_word {
            Some(word) if answer.confirmation.as_ref() != Some(word) => {
                let message =
                    format!("The call was not confirmed: a critical call needs '{word}' to be typed");
                Some(Refusal::new(Gate::User, message, format!("{NO_REPEAT}.")))
            }
            Some(_) | None => permissions.forbid(&self.call, &self.inspection),
        }
    }

    fn approve(self, permissions: &mut Permissions, answer: &PermissionAnswer) -> Answered {
        // Also for *once*: a tool of low risk is asked about once a session, whatever the answer covers.
        if self.question.risk == Risk::Low {
            permissions.note_asked(&self.call.spec.name);
        }
        if answer.decision == Decision::Once {
            return self.approve_once(None);
        }
        let (is_everywhere, wanted) = answer.rule.as_deref().map_or((false, None), |text| {
            let (is_everywhere, rule) = read_reach(text);
            // The word alone means the rule that was shown.
            (is_everywhere, Some(rule).filter(|rule| !(is_everywhere && rule.is_empty())))
        });
        let pattern = match self.wanted_pattern(permissions, answer.decision, wanted) {
            Ok(pattern) => pattern,
            Err(problem) => return self.approve_once(Some(problem)),
        };
        let rule = Some(pattern.to_string());
        let stored = self.keep(permissions, pattern, answer.decision, is_everywhere);
        // A rule that asks stands before those that allow: the user is told why they are asked again.
        let asking = permissions.rules().asking(&self.call.spec, &self.inspection.targets);
        let problem = asking
            .filter(|_| stored.is_some())
            .map(|rule| format!("the rule is stored, but rule {} ({rule}) still asks", rule.id));
        let held = Held::to(self.inspection);
        let verdict = Ok(ApprovedCall::by_user(self.call, answer.decision, held));
        Answered { verdict, stored, rule, problem }
    }

    /// The rule the user wants: the narrowest, or one of their own that covers this call.
    fn wanted_pattern(
        &self,
        permissions: &Permissions,
        decision: Decision,
        wanted: Option<&str>,
    ) -> Result<RulePattern, String> {
        let (spec, targets) = (&self.call.spec, &self.inspection.targets);
        let is_tainted = permissions.is_tainted(Matter::of(&self.call, &self.inspection));
        let narrowest = RulePattern::narrowest(spec, targets);
        if is_tainted && !narrowest.is_exact() {
            let told = "allowed once only, no rule was kept: with text from outside in the context a rule must name exactly where a call leads, and this tool does not say it";
            return Err(told.to_owned());
        }
        let Some(text) = wanted else {
            // For a session, one yes to reading is a yes to reading; what is stored for good is narrow.
            let reads = Matter::of(&self.call, &self.inspection).reads_project();
            return Ok(match decision {
                Decision::Session if reads => RulePattern::reading(),
                Decision::Once | Decision::Session | Decision::Remember | Decision::Deny => {
                    RulePattern::narrowest(spec, targets)
                }
            });
        };
        let pattern: RulePattern =
            text.parse().map_err(|error| format!("allowed once only, no rule was kept: {error}"))?;
        if is_tainted && pattern != narrowest {
            return Err(format!(
                "allowed once only, no rule was kept: with text from outside in the context only the exact rule can be, '{narrowest}'"
            ));
        }
        // A rule that misses the very call it was given for is a slip, and would allow what nobody saw.
        if pattern.covers(spec, targets) {
            Ok(pattern)
        } else {
            Err(format!(
                "allowed once only, no rule was kept: '{pattern}' does not cover this call; the narrowest rule that does is '{}'",
                self.question.rule
            ))
        }
    }

    /// Keeps what the user allowed beyond this call, and that they knew of text from outside.
    fn keep(
        &self,
        permissions: &mut Permissions,
        pattern: RulePattern,
        decision: Decision,
        is_everywhere: bool,
    ) -> Option<Rule> {
        if self.inspection.taint.is_some() && decision == Decision::Session {
            permissions.note_tainted(&pattern);
        }
        permissions.keep(pattern, decision, is_everywhere)
    }

    fn approve_once(self, problem: Option<String>) -> Answered {
        let verdict = Ok(ApprovedCall::by_user(self.call, Decision::Once, Held::to(self.inspection)));
        Answered { verdict, stored: None, rule: None, problem }
    }

    fn deny(self, refusal: Refusal) -> Answered {
        let verdict = Err(Denied { call: self.call, refusal });
        Answered { verdict, stored: None, rule: None, problem: None }
    }
}

/// The user's own refusal, with their words if there are some.
fn refused_by_user(words: Option<&str>) -> Refusal {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        None => Refusal::new(Gate::User, USER_DENIED, format!("{NO_REPEAT}.")),
        Some(words) => Refusal::new(
            Gate::User,
            format!("{USER_DENIED}. The user says: {}", cut_chars(words, DENIAL_CHARS_MAX)),
            format!("{NO_REPEAT}. Do what the user says instead."),
        ),
    }
}

/// What an answer led to.
#[derive(Debug, PartialEq)]
pub struct Answered {
    /// Whether the call runs.
    pub verdict: Result<ApprovedCall, Denied>,
    /// The rule to store, with *remember*. It holds in this session already; its time is the caller's
    /// to stamp, and its id is free in the session's rules.
    pub stored: Option<Rule>,
    /// The text of the rule that was granted or stored.
    pub rule: Option<String>,
    /// What the user should know, when the answer could not be taken quite as it was given.
    pub problem: Option<String>,
}

#[cfg(test)]
#[path = "approved_tests.rs"]
mod tests;
