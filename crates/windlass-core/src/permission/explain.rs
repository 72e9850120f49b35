//! Why a call would run, wait or be refused: each gate, what it says, and which one decides.

use serde::Serialize;

use super::gate::Gate;
use super::judge::{Opinion, Permissions, Ruling};
use super::matter::Matter;
use super::question::{Inspection, Question, Target};
use super::rule::{Rule, RulePattern};
use super::taint::TaintMode;
use crate::protocol::tool::{CheckedCall, Risk};

/// What a gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Nothing: the next gate is asked.
    Passes,
    Allows,
    /// The user is asked.
    Asks,
    /// The edit is staged until the user approves it.
    Stages,
    /// The call is refused.
    Denies,
}

impl Stance {
    /// The word of tables.
    pub fn word(self) -> &'static str {
        match self {
            Stance::Passes => "passes",
            Stance::Allows => "allows",
            Stance::Asks => "asks",
            Stance::Stages => "stages",
            Stance::Denies => "denies",
        }
    }

    fn of(opinion: &Opinion<'_>) -> Self {
        match opinion {
            Opinion::Silent => Stance::Passes,
            Opinion::Allow(_) => Stance::Allows,
            Opinion::Ask(_) => Stance::Asks,
            Opinion::Stage => Stance::Stages,
            Opinion::Deny(_) => Stance::Denies,
        }
    }
}

/// One gate of an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateFinding {
    pub gate: Gate,
    /// What it says of this call.
    pub stance: Stance,
    pub reason: String,
}

/// Why a call would run, wait or be refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub tool: String,
    /// True risk of the call.
    pub risk: Risk,
    /// What it would touch.
    pub targets: Vec<Target>,
    /// Every gate in order, also those behind the one that decides.
    pub gates: Vec<GateFinding>,
    pub decides: Gate,
    /// What becomes of the call.
    pub stance: Stance,
    /// The narrowest rule that would cover the call.
    pub rule: String,
    /// What the user would be asked, at once or when a staged edit is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Permissions {
    /// Says which gate decides a call and why; changes nothing.
    pub fn explain(&self, call: &CheckedCall, inspection: &Inspection) -> Explanation {
        let matter = Matter::of(call, inspection);
        let own = self.rule_alone(matter);
        let mut gates: Vec<GateFinding> =
            Gate::before_risk().chain([Gate::Risk]).map(|gate| self.found(gate, matter)).collect();
        let settled = if own.gate == Gate::Mode { Stance::of(&own.opinion) } else { Stance::Passes };
        let reason = format!("what needs asking is settled by '{}'", self.mode().word());
        gates.push(GateFinding { gate: Gate::Mode, stance: settled, reason });
        if let Some(caller) = self.caller() {
            let Ruling { gate, opinion } = caller.rule_on(matter);
            let theirs = finding(gate, &opinion, matter.risk);
            let reason = format!("its caller's {}: {}", gate.word(), theirs.reason);
            gates.push(GateFinding { gate: Gate::Caller, reason, ..theirs });
        }
        let (decides, stance) = match self.harder_caller(&own, matter) {
            Some(theirs) => (Gate::Caller, Stance::of(&theirs.opinion)),
            None => (own.gate, Stance::of(&own.opinion)),
        };
        let question = matches!(stance, Stance::Asks | Stance::Stages)
            .then(|| self.question_of(call.clone(), inspection.clone(), matter.risk).question().clone());
        Explanation {
            tool: call.spec.name.clone(),
            risk: matter.risk,
            targets: inspection.targets.clone(),
            gates,
            decides,
            stance,
            rule: RulePattern::narrowest(&call.spec, &inspection.targets).to_string(),
            question,
        }
    }
}

impl Permissions {
    /// What one gate says of a call.
    fn found(&self, gate: Gate, matter: Matter<'_>) -> GateFinding {
        let opinion = self.opinion(gate, matter);
        let said = finding(gate, &opinion, matter.risk);
        match (gate, opinion) {
            (Gate::Taint, Opinion::Silent) => {
                GateFinding { reason: self.untainted(matter).to_owned(), ..said }
            }
            _ => said,
        }
    }

    /// Why text from outside has nothing to say of a call, or would have.
    fn untainted(&self, matter: Matter<'_>) -> &'static str {
        let mode = self.rules().taint();
        if mode == TaintMode::Off {
            "it is switched off"
        } else if !matter.is_guarded(mode) {
            "the call tells nobody outside anything"
        } else if self.rules().naming_destination(matter.spec, matter.targets).is_some() {
            "a rule of the user's names exactly where the call leads"
        } else if matter.taint.is_some() {
            "the user named where the call leads"
        } else {
            "no text from outside is known here; with some, this call would be asked about"
        }
    }
}

fn finding(gate: Gate, opinion: &Opinion<'_>, risk: Risk) -> GateFinding {
    let reason = match opinion {
        Opinion::Deny(refusal) => refusal.message.clone(),
        Opinion::Allow(Some(rule)) | Opinion::Ask(Some(rule)) => named(rule),
        Opinion::Ask(None) if gate == Gate::Taint => {
            "text from outside is in the context, and it reaches out".to_owned()
        }
        Opinion::Stage => "an edit is staged until the user approves it".to_owned(),
        Opinion::Ask(None) if gate == Gate::Protected => {
            "other programs obey what is at this path; only a rule that names exactly it opens it".to_owned()
        }
        Opinion::Allow(None) if gate == Gate::Mode => "approved without asking".to_owned(),
        Opinion::Allow(None) if gate == Gate::Confined => {
            "a sandbox holds it, and sandbox.auto_allow lets it run".to_owned()
        }
        Opinion::Allow(None) if gate == Gate::Reading => "reading in the project is free".to_owned(),
        Opinion::Allow(None) if gate == Gate::Profile => "the profile runs it without asking".to_owned(),
        Opinion::Allow(None) if risk == Risk::Low => "low, and asked before in this session".to_owned(),
        Opinion::Allow(None) | Opinion::Ask(None) => risk_default(risk).to_owned(),
        Opinion::Silent => silence(gate).to_owned(),
    };
    GateFinding { gate, stance: Stance::of(opinion), reason }
}

fn named(rule: &Rule) -> String {
    format!("rule {} ({}): {rule}", rule.id, rule.source.word())
}

fn risk_default(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe calls run",
        Risk::Low => "low calls are asked once a session",
        Risk::Medium => "medium calls are asked each time",
        Risk::High => "high calls are asked each time, with a preview",
        Risk::Critical => "critical calls need the tool's name typed",
    }
}

fn silence(gate: Gate) -> &'static str {
    match gate {
        Gate::Floor => "it destroys nothing beyond the project",
        Gate::ToolsAllowed => "the run allows tools",
        Gate::Module => "no module forbids tools",
        Gate::Request => "the request includes the tool",
        Gate::Schema => "the arguments fit",
        Gate::Targets => "the tool accepts its targets",
        Gate::DenyRule => "no rule denies it",
        Gate::ReadOnly => "the mode is not read_only, or it only reads",
        Gate::Protected => "it changes nothing that other programs obey, or a rule names exactly that path",
        Gate::Taint => "no text from outside is in this context, or the user named where the call leads",
        Gate::Grant => "not granted in this session",
        Gate::AskRule => "no rule wants it asked",
        Gate::AllowRule => "no rule allows it",
        Gate::Confined => "no sandbox that lets it run unasked",
        Gate::Reading => "no free reading in the project",
        Gate::Profile => "the profile leaves it to the risk",
        Gate::Risk | Gate::Mode | Gate::Caller | Gate::User => "nothing to say",
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
