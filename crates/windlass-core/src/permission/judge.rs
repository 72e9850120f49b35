//! The judge: passes a call through the gates and says whether it runs, waits or is refused.
//!
//! First refusal wins; deny beats ask beats allow. `judge` and `explain` put the same question to
//! the same gates, so that what is explained is what happens. Knows no clock and no front end.

use std::borrow::Cow;
use std::sync::Arc;

use super::approved::{ApprovedCall, Denied, PendingQuestion};
use super::confine::Sandbox;
use super::floor::{FloorFinding, look_at};
use super::gate::{Gate, GateSettings, Refusal};
use super::grant::Grants;
use super::held::Held;
use super::mode::ApproveMode;
use super::policy::PolicySet;
use super::question::{Decision, Inspection, Target};
use super::recall::RecalledCalls;
use super::rule::{Rule, RuleEffect, RulePattern, RuleSource};
use crate::profile::Reading;
use crate::protocol::tool::{CheckedCall, Effects, Risk, Scope, ToolSpec};
use crate::text::redact::Redactor;
use crate::text::secret_files::is_secret;

/// What is judged: the facts of a call that gates look at.
#[derive(Clone, Copy)]
pub(super) struct Matter<'a> {
    pub(super) spec: &'a ToolSpec,
    pub(super) targets: &'a [Target],
    pub(super) risk: Risk,
    /// Whether it would change files.
    pub(super) is_edit: bool,
    /// What it is held to, if it is a command.
    pub(super) sandbox: Option<&'a Sandbox>,
    /// Whether the tool warns of it.
    pub(super) has_caution: bool,
}

impl<'a> Matter<'a> {
    /// A tool can raise the risk of one call, never lower it.
    pub(super) fn of(call: &'a CheckedCall, inspection: &'a Inspection) -> Self {
        let risk = inspection.risk.map_or(call.spec.risk, |risk| risk.max(call.spec.risk));
        Self {
            spec: &call.spec,
            targets: &inspection.targets,
            risk,
            is_edit: inspection.is_edit(),
            sandbox: inspection.sandbox.as_ref(),
            has_caution: inspection.caution.is_some(),
        }
    }

    /// Whether it touches a file that holds secrets.
    pub(super) fn is_secret(&self) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Path(path) => is_secret(path),
            Target::Host(_) | Target::Command(_) => false,
        })
    }

    /// Whether it asks to run outside the sandbox that there is.
    pub(super) fn leaves_sandbox(&self) -> bool {
        self.sandbox.is_some_and(|sandbox| sandbox.leaves)
    }

    /// Whether it is a command that a sandbox holds and the user lets run so: nothing in it that the tool warns of, and
    /// nothing that cannot be read beforehand.
    fn runs_confined(&self, root: &str) -> bool {
        self.sandbox.is_some_and(Sandbox::runs_unasked)
            && self.risk <= self.spec.risk
            && !self.has_caution
            && self.floor(root) == FloorFinding::Nothing
    }

    fn is_on_paths(&self) -> bool {
        self.targets.iter().all(|target| match target {
            Target::Path(_) => true,
            Target::Host(_) | Target::Command(_) => false,
        })
    }

    /// Whether it only reads files of the project, none of them secret, and the tool itself saw nothing unusual in it.
    pub(super) fn reads_project(&self) -> bool {
        let is_reader = self.spec.effects.is_read_only()
            // A tool without scopes has not said that it reads files and nothing else.
            && !self.spec.scopes.is_empty()
            && self.spec.scopes.iter().all(|scope| *scope == Scope::ReadFiles);
        is_reader && self.risk <= Risk::Medium && self.is_on_paths() && !self.is_secret()
    }

    /// Whether it changes files of the project, by a diff that was shown, and none that other programs obey.
    fn edits_project(&self) -> bool {
        let is_editor = self.spec.effects == Effects::Write
            && self.spec.scopes.contains(&Scope::WriteFiles)
            && self.spec.scopes.iter().all(|scope| matches!(scope, Scope::ReadFiles | Scope::WriteFiles));
        // An edit that names no file could be one of any file.
        let names_files = !self.targets.is_empty() && self.is_on_paths() && !self.is_secret();
        is_editor && self.is_edit && names_files && self.risk <= Risk::High
    }

    /// Whether it only looks, on this machine, or keeps the session's own list of tasks.
    fn only_looks(&self) -> bool {
        let reaches_out = |scope: &Scope| match scope {
            Scope::WriteFiles | Scope::ExecuteCommands | Scope::NetworkAccess => true,
            Scope::ReadFiles | Scope::SystemInfo | Scope::TaskManagement => false,
        };
        let keeps_tasks = !self.spec.scopes.is_empty()
            && self.spec.scopes.iter().all(|scope| *scope == Scope::TaskManagement);
        let is_looking = self.spec.effects.is_read_only() && !self.spec.scopes.iter().any(reaches_out);
        keeps_tasks || (is_looking && self.is_on_paths())
    }

    /// What the floor finds in the commands of the call.
    fn floor(&self, root: &str) -> FloorFinding {
        let commands = self.targets.iter().filter_map(|target| match target {
            Target::Command(line) => Some(line),
            Target::Path(_) | Target::Host(_) => None,
        });
        commands.map(|line| look_at(line, root)).max().unwrap_or_default()
    }
}

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
        inspection: Inspection,
        risk: Risk,
    ) -> PendingQuestion {
        PendingQuestion::new(call, inspection, risk, &self.secrets)
    }

    /// Whether a call of a tool is asked about, as far as that can be said without its arguments.
    pub(crate) fn expects_question(&self, spec: &ToolSpec) -> bool {
        let matter =
            Matter { spec, targets: &[], risk: spec.risk, is_edit: false, sandbox: None, has_caution: false };
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

    /// What becomes of a call that a gate wants asked.
    fn settle<'a>(&'a self, gate: Gate, rule: Option<&'a Rule>, matter: Matter<'_>) -> Ruling<'a> {
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
    pub(super) fn keep(&mut self, pattern: RulePattern, decision: Decision) -> Option<Rule> {
        match decision {
            Decision::Once | Decision::Deny => None,
            Decision::Session => {
                self.grant(&pattern);
                None
            }
            Decision::Remember => {
                let id = self.rules.free_id();
                let rule = Rule { id, ..Rule::new(RuleEffect::Allow, pattern, RuleSource::User) };
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
