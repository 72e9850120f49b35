//! The judge: passes a call through the gates and says whether it runs, waits or is refused.
//!
//! First refusal wins; deny beats ask beats allow. `judge` and `explain` put the same question to
//! the same gates, so that what is explained is what happens. Knows no clock and no front end.

use std::borrow::Cow;
use std::sync::Arc;

use super::approved::{ApprovedCall, Denied, PendingQuestion};
use super::closed::ClosedPaths;
use super::floor::FloorFinding;
use super::gate::{Gate, GateSettings, Refusal};
use super::grant::Grants;
use super::held::Held;
use super::matter::Matter;
use super::mode::ApproveMode;
use super::policy::PolicySet;
use super::question::{Decision, Inspection};
use super::recall::RecalledCalls;
use super::rule::{Rule, RuleEffect, RulePattern, RuleSource};
use super::taint::{TaintFinding, TaintMode};
use crate::profile::Reading;
use crate::protocol::tool::{CheckedCall, Risk, ToolSpec};
use crate::text::redact::Redactor;

/// What a question about a protected path says beside what its tool says.
const PROTECTED_CAUTION: &str = "This path is protected: git, editors, shells or agents obey what is in it, so a change can make them run something later.";

/// What one gate says of a call.
#[derive(Debug, PartialEq)]
pub(super) enum Opinion<'a> {
    Silent,
    /// It may run, perhaps by a rule.
    Allow(Option<&'a Rule>),
    /// The user must be asked, perhaps by a rule.
    Ask(Option<&'a Rule>),
    /// It is put off until the user approves it.
    Stage,
    /// It may not run.
    Deny(Refusal),
}

impl Opinion<'_> {
    /// Deny beats stage beats ask beats allow.
    fn severity(&self) -> u8 {
        match self {
            Opinion::Silent => 0,
            Opinion::Allow(_) => 1,
            Opinion::Ask(_) => 2,
            Opinion::Stage => 3,
            Opinion::Deny(_) => 4,
        }
    }
}

/// The gate that decides, and what it says.
pub(super) struct Ruling<'a> {
    pub(super) gate: Gate,
    pub(super) opinion: Opinion<'a>,
}

/// What becomes of a call.
#[derive(Debug, PartialEq)]
pub enum Judgement {
    Approved(ApprovedCall),
    /// The user is asked.
    Ask(PendingQuestion),
    /// It is an edit that is put off.
    Stage(PendingQuestion),
    Denied(Denied),
}

/// What a session may do: its rules, its grants, and how the current run is approved.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    rules: Arc<PolicySet>,
    grants: Grants,
    mode: ApproveMode,
    settings: GateSettings,
    caller: Option<Box<Permissions>>,
    /// Secret values that no front end may show.
    secrets: Redactor,
    pub(super) recollection: RecalledCalls,
}

impl Permissions {
    /// The permissions of a new session.
    pub fn new(rules: Arc<PolicySet>, mode: ApproveMode) -> Self {
        Self { rules, mode, ..Self::default() }
    }

    /// Begins a run with its own gates 1 to 3; grants stay.
    pub fn begin_run(&mut self, settings: GateSettings) {
        self.settings = settings;
    }

    /// Puts in other rules, for the calls from now on.
    pub fn set_rules(&mut self, rules: Arc<PolicySet>) {
        if let Some(caller) = &mut self.caller {
            // Its own copy, to which a sub-agent is held: a changed rule must reach it, too (U-39).
            caller.set_rules(Arc::clone(&rules));
        }
        self.rules = rules;
    }

    /// Holds on to these grants only; the others were revoked.
    pub fn retain_grants(&mut self, granted: &[Rule]) {
        self.grants.retain(granted);
        if let Some(caller) = &mut self.caller {
            caller.retain_grants(granted);
        }
    }

    /// Changes how calls are approved that need asking.
    pub fn set_mode(&mut self, mode: ApproveMode) {
        self.mode = mode;
    }

    /// Says which secret values no front end may show: a question that has one in it is critical.
    pub fn set_secrets(&mut self, redactor: &Redactor) {
        self.secrets = redactor.known_values();
    }

    pub fn rules(&self) -> &Arc<PolicySet> {
        &self.rules
    }

    /// The paths that no reader may show: those that the rules close, here and for the caller.
    pub fn closed_paths(&self) -> ClosedPaths {
        let own = self.rules.closed_paths();
        self.caller().map_or(own.clone(), |caller| own.and(&caller.closed_paths()))
    }

    /// What this session was granted.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// How calls are approved that need asking.
    pub fn mode(&self) -> ApproveMode {
        self.mode
    }

    /// The gates of the current run.
    pub fn settings(&self) -> &GateSettings {
        &self.settings
    }

    /// What the caller of this sub-agent may do, if it is one.
    pub(super) fn caller(&self) -> Option<&Permissions> {
        self.caller.as_deref()
    }

    /// These permissions, held within another's: what either denies is denied, what either asks is
    /// asked. The caller's are taken as they stand; both keep their own grants.
    pub fn narrowed(&self, by: &Permissions) -> Permissions {
        let caller = match &self.caller {
            Some(own) => own.narrowed(by),
            None => by.clone(),
        };
        Permissions { caller: Some(Box::new(caller)), ..self.clone() }
    }

    /// The permissions of a sub-agent: those of its caller, with gates of its own in front.
    pub fn child(&self, settings: GateSettings) -> Permissions {
        Permissions { settings, caller: Some(Box::new(self.clone())), ..self.clone() }
    }

    /// Gates 1 to 3: whether a tool may be called at all. Asked before its arguments are looked at.
    pub fn admit(&self, spec: &ToolSpec) -> Result<(), Refusal> {
        match self.settings.refuse(spec) {
            Some(refusal) => Err(refusal),
            None => self.caller().map_or(Ok(()), |caller| caller.admit(spec)),
        }
    }

    /// Whether every call of a tool is denied, whatever its arguments: by gates 1 to 3 or by a rule that denies the
    /// whole tool. What only needs asking is not refused.
    pub fn refuses(&self, spec: &ToolSpec) -> bool {
        self.settings.refuse(spec).is_some()
            // Without targets only rules match that name none: they deny the whole tool.
            || self.rules.denying(spec, &[]).is_some()
            || self.caller().is_some_and(|caller| caller.refuses(spec))
    }

    /// Passes a call through the gates as they stand.
    pub(super) fn judge_now(&self, call: CheckedCall, inspection: Inspection) -> Judgement {
        let matter = Matter::of(&call, &inspection);
        let risk = matter.risk;
        let Ruling { gate, opinion } = self.rule_on(matter);
        match opinion {
            Opinion::Deny(refusal) => Judgement::Denied(Denied { call, refusal }),
            // Risk is never silent; if it were, asking is the safe side.
            Opinion::Silent | Opinion::Ask(_) => Judgement::Ask(self.question_of(call, inspection, risk)),
            Opinion::Stage => Judgement::Stage(self.question_of(call, inspection, risk)),
            Opinion::Allow(rule) => {
                let by = approver(gate, rule);
                Judgement::Approved(ApprovedCall::by_gate(call, by, Held::to(inspection)))
            }
        }
    }

    pub(super) fn question_of(
        &self,
        call: CheckedCall,
        mut inspection: Inspection,
        risk: Risk,
    ) -> PendingQuestion {
        if Matter::of(&call, &inspection).protected_path().is_some() {
            let own = inspection.caution.get_or_insert_default();
            if !own.contains(PROTECTED_CAUTION) {
                own.push_str(if own.is_empty() { "" } else { " " });
                own.push_str(PROTECTED_CAUTION);
            }
        }
        let warning = self.warning_of(Matter::of(&call, &inspection));
        PendingQuestion::new(call, inspection, risk, &self.secrets).warned(warning)
    }

    /// What the user is told of text from outside, where that counts.
    fn warning_of(&self, matter: Matter<'_>) -> Option<String> {
        let own =
            matter.taint.filter(|_| matter.is_guarded(self.rules.taint())).and_then(TaintFinding::sentence);
        own.or_else(|| self.caller()?.warning_of(matter))
    }

    /// Whether a call of a tool is asked about, as far as that can be said without its arguments.
    pub(crate) fn expects_question(&self, spec: &ToolSpec) -> bool {
        let matter = Matter {
            spec,
            targets: &[],
            risk: spec.risk,
            is_edit: false,
            taint: None,
            sandbox: None,
            has_caution: false,
        };
        matches!(self.rule_on(matter).opinion, Opinion::Silent | Opinion::Ask(_))
    }

    /// The ruling of these permissions and, if it is harder, of the caller's.
    pub(super) fn rule_on(&self, matter: Matter<'_>) -> Ruling<'_> {
        let own = self.rule_alone(matter);
        self.harder_caller(&own, matter).unwrap_or(own)
    }

    /// The caller's ruling, if it is harder than our own.
    pub(super) fn harder_caller(&self, own: &Ruling<'_>, matter: Matter<'_>) -> Option<Ruling<'_>> {
        let theirs = self.caller()?.rule_on(matter);
        (theirs.opinion.severity() > own.opinion.severity()).then_some(theirs)
    }

    /// The first gate that speaks; what it wants asked, the mode may settle.
    pub(super) fn rule_alone(&self, matter: Matter<'_>) -> Ruling<'_> {
        let spoken = Gate::before_risk().find_map(|gate| match self.opinion(gate, matter) {
            Opinion::Silent => None,
            opinion => Some(Ruling { gate, opinion }),
        });
        let ruling =
            spoken.unwrap_or_else(|| Ruling { gate: Gate::Risk, opinion: self.opinion(Gate::Risk, matter) });
        match ruling.opinion {
            Opinion::Ask(rule) => self.settle(ruling.gate, rule, matter),
            Opinion::Silent | Opinion::Allow(_) | Opinion::Stage | Opinion::Deny(_) => ruling,
        }
    }

    /// What one gate says of a call, whatever the others say.
    pub(super) fn opinion(&self, gate: Gate, matter: Matter<'_>) -> Opinion<'_> {
        let Matter { spec, targets, risk, .. } = matter;
        let refusal = match gate {
            Gate::Floor => self.beneath_floor(matter),
            Gate::ToolsAllowed => self.settings.refuse_run(),
            Gate::Module => self.settings.refuse_module(),
            Gate::Request => self.settings.refuse_request(spec),
            Gate::DenyRule => self.rules.denying(spec, targets).map(Refusal::by_rule),
            Gate::ReadOnly => (self.mode == ApproveMode::ReadOnly && !matter.only_looks())
                .then(|| Refusal::read_only(matter)),
            Gate::Protected => {
                let is_closed = matter.protected_path().is_some()
                    && self.rules.naming(spec, targets).is_none()
                    && self.grants.naming(spec, targets).is_none();
                return if is_closed { Opinion::Ask(None) } else { Opinion::Silent };
            }
            Gate::Grant if risk == Risk::Critical => return allowed_by(self.grants.naming(spec, targets)),
            Gate::Taint => return self.tainted(matter),
            Gate::Grant => {
                let covering = self.grants.covering(spec, targets);
                // What was granted for reading in general is not granted for secrets.
                return allowed_by(
                    covering.filter(|rule| !matter.is_secret() || !rule.pattern.targets.is_empty()),
                );
            }
            Gate::AskRule => {
                let rule = self.rules.asking(spec, targets);
                return rule.map_or(Opinion::Silent, |rule| Opinion::Ask(Some(rule)));
            }
            // What destroys much is not allowed with a group of calls: who wrote the rule did not see this one.
            Gate::AllowRule if risk == Risk::Critical => return allowed_by(self.rules.naming(spec, targets)),
            Gate::AllowRule => return allowed_by(self.rules.allowing(spec, targets)),
            Gate::Confined => {
                let is_free = matter.runs_confined(&self.settings.root);
                return if is_free { Opinion::Allow(None) } else { Opinion::Silent };
            }
            Gate::Reading => {
                let is_free = self.settings.reading == Reading::Free && matter.reads_project();
                return if is_free { Opinion::Allow(None) } else { Opinion::Silent };
            }
            Gate::Profile => {
                // What is riskier than the tool itself is asked about, whatever the profile.
                let is_unasked = self.settings.unasked_tools.contains(&spec.name)
                    && risk <= spec.risk
                    && !matter.leaves_sandbox();
                return if is_unasked { Opinion::Allow(None) } else { Opinion::Silent };
            }
            Gate::Risk => {
                return match risk {
                    Risk::Safe => Opinion::Allow(None),
                    Risk::Low if self.grants.was_asked(&spec.name) => Opinion::Allow(None),
                    Risk::Low | Risk::Medium | Risk::High | Risk::Critical => Opinion::Ask(None),
                };
            }
            // A checked and inspected call is through the first two; the others are no gates of a call.
            Gate::Schema | Gate::Targets | Gate::Mode | Gate::Caller | Gate::User => None,
        };
        refusal.map_or(Opinion::Silent, Opinion::Deny)
    }

    /// What text from outside in the context says of a call.
    fn tainted(&self, matter: Matter<'_>) -> Opinion<'_> {
        let mode = self.rules.taint();
        let Some(finding) = matter.taint.filter(|_| matter.is_guarded(mode)) else { return Opinion::Silent };
        if finding.leak.is_some() {
            return Opinion::Ask(None);
        }
        let is_named = (mode == TaintMode::Ask && finding.is_named)
            || self.rules.naming_destination(matter.spec, matter.targets).is_some()
            || self.grants.name_destination(matter.spec, matter.targets);
        if is_named || finding.source.is_none() { Opinion::Silent } else { Opinion::Ask(None) }
    }

    /// Whether it is text from outside that a call is asked about.
    pub(super) fn is_tainted(&self, matter: Matter<'_>) -> bool {
        self.tainted(matter) != Opinion::Silent
            || self.caller().is_some_and(|caller| caller.is_tainted(matter))
    }

    /// What becomes of a call that text from outside may have led to, whatever allows it.
    fn settle_tainted(&self, matter: Matter<'_>) -> Ruling<'_> {
        let opinion = match matter.taint {
            Some(finding) if !self.mode.asks() => Opinion::Deny(Refusal::by_taint(finding, matter)),
            Some(_) | None => Opinion::Ask(None),
        };
        Ruling { gate: Gate::Taint, opinion }
    }

    /// What becomes of a call that a gate wants asked.
    fn settle<'a>(&'a self, gate: Gate, rule: Option<&'a Rule>, matter: Matter<'_>) -> Ruling<'a> {
        if gate == Gate::Protected {
            return self.settle_protected(matter);
        }
        if gate == Gate::Taint {
            return self.settle_tainted(matter);
        }
        let runs = match self.mode {
            // Also where a rule wants it asked: nobody writes a staged edit before the user has seen it.
            ApproveMode::Stage | ApproveMode::StageOnly if matter.is_edit => {
                return Ruling { gate: Gate::Mode, opinion: Opinion::Stage };
            }
            // An edit runs unless a rule wants just that one asked.
            ApproveMode::Edit | ApproveMode::EditOnly if rule.is_none() && matter.edits_project() => true,
            ApproveMode::Ask | ApproveMode::Edit | ApproveMode::Stage => {
                return Ruling { gate, opinion: Opinion::Ask(rule) };
            }
            ApproveMode::ReadOnly | ApproveMode::Never | ApproveMode::EditOnly | ApproveMode::StageOnly => {
                false
            }
            ApproveMode::Safe => match matter.risk {
                // A rule that wants it asked is stronger than a low risk, and here nobody is asked.
                Risk::Safe | Risk::Low => gate == Gate::Risk,
                Risk::Medium | Risk::High | Risk::Critical => false,
            },
            // What cannot be read beforehand would run with nobody looking at it (decision 0026).
            // The same for what leaves the sandbox (decision 0035).
            ApproveMode::All => {
                matter.floor(&self.settings.root) != FloorFinding::Unreadable && !matter.leaves_sandbox()
            }
        };
        let opinion = if runs {
            Opinion::Allow(None)
        } else {
            Opinion::Deny(Refusal::by_mode(self.mode, rule, matter))
        };
        Ruling { gate: Gate::Mode, opinion }
    }

    /// What becomes of a change to what other programs obey: no mode lets it run.
    fn settle_protected(&self, matter: Matter<'_>) -> Ruling<'static> {
        let opinion = match self.mode {
            // The user sees a staged edit before it is made.
            ApproveMode::Stage | ApproveMode::StageOnly if matter.is_edit => {
                return Ruling { gate: Gate::Mode, opinion: Opinion::Stage };
            }
            ApproveMode::Ask | ApproveMode::Edit | ApproveMode::Stage => Opinion::Ask(None),
            ApproveMode::ReadOnly
            | ApproveMode::Never
            | ApproveMode::EditOnly
            | ApproveMode::StageOnly
            | ApproveMode::Safe
            | ApproveMode::All => {
                let path = matter.protected_path().unwrap_or_default();
                Opinion::Deny(Refusal::by_protection(matter, path))
            }
        };
        Ruling { gate: Gate::Protected, opinion }
    }

    fn beneath_floor(&self, matter: Matter<'_>) -> Option<Refusal> {
        match matter.floor(&self.settings.root) {
            FloorFinding::Destroys(reason) => Some(Refusal::by_floor(reason)),
            FloorFinding::Unreadable | FloorFinding::Nothing => None,
        }
    }

    /// The refusal of a rule or gate that no answer of the user can lift.
    pub(super) fn forbid(&self, call: &CheckedCall, inspection: &Inspection) -> Option<Refusal> {
        let targets = &inspection.targets;
        let own =
            self.beneath_floor(Matter::of(call, inspection)).or_else(|| self.settings.refuse(&call.spec));
        own.or_else(|| self.rules.denying(&call.spec, targets).map(Refusal::by_rule))
            .or_else(|| self.caller()?.forbid(call, inspection))
    }

    /// Keeps what the user allowed beyond this call; gives the rule that is to be stored.
    /// One belongs to the root that it was given in, unless it is to hold everywhere.
    pub(super) fn keep(
        &mut self,
        pattern: RulePattern,
        decision: Decision,
        is_everywhere: bool,
    ) -> Option<Rule> {
        match decision {
            Decision::Once | Decision::Deny => None,
            Decision::Session => {
                self.grant(&pattern);
                None
            }
            Decision::Remember => {
                let id = self.rules.free_id();
                let root = Some(&self.settings.root).filter(|root| !is_everywhere && !root.is_empty());
                let rule = Rule::new(RuleEffect::Allow, pattern, RuleSource::User).rooted(root.cloned());
                let rule = Rule { id, ..rule };
                self.remember(&rule);
                Some(rule)
            }
        }
    }

    /// Puts in a rule that is about to be stored, here and in what the caller may do.
    pub(super) fn remember(&mut self, rule: &Rule) {
        Arc::make_mut(&mut self.rules).add(rule.clone());
        if let Some(caller) = &mut self.caller {
            // A copy that holds this sub-agent: without the rule it would ask again.
            caller.remember(rule);
        }
    }

    /// Adds a grant, here and in what the caller may do: the user gave it for this very sub-agent.
    pub(super) fn grant(&mut self, pattern: &RulePattern) {
        self.grants.add(pattern.clone());
        if let Some(caller) = &mut self.caller {
            caller.grant(pattern);
        }
    }

    /// Notes that a grant was given although text from outside is in the context.
    pub(super) fn note_tainted(&mut self, pattern: &RulePattern) {
        self.grants.note_tainted(pattern);
        if let Some(caller) = &mut self.caller {
            caller.note_tainted(pattern);
        }
    }

    /// Notes that the user was asked about a tool of low risk and let it run.
    pub(super) fn note_asked(&mut self, tool: &str) {
        self.grants.note_asked(tool);
        if let Some(caller) = &mut self.caller {
            caller.note_asked(tool);
        }
    }
}

fn allowed_by(rule: Option<&Rule>) -> Opinion<'_> {
    rule.map_or(Opinion::Silent, |rule| Opinion::Allow(Some(rule)))
}

/// Who let a call run, as events and outcomes write it.
fn approver(gate: Gate, rule: Option<&Rule>) -> Cow<'static, str> {
    match (gate, rule) {
        (Gate::AllowRule, Some(rule)) => Cow::Owned(format!("rule:{}", rule.id)),
        (gate, _) => Cow::Borrowed(gate.word()),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
