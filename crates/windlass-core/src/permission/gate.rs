//! The gates a call passes, in their order (requirements §6.5), and what a closed one says.

use serde::{Deserialize, Serialize};

use super::matter::Matter;
use super::mode::ApproveMode;
use super::question::DeniedBy;
use super::rule::{Rule, RulePattern, RuleSource};
use super::taint::TaintFinding;
use crate::profile::{Profile, Reading};
use crate::protocol::command::RunWishes;
use crate::protocol::model::ToolChoice;
use crate::protocol::tool::{ToolFailure, ToolSpec};

/// What a model does about a denial: the hint of a refusal begins with it, what a user can do follows.
pub const NO_REPEAT: &str = "Do not repeat the call";

/// The gates, in the order in which they are asked; then what stands behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Before all others: commands that destroy beyond the project never run.
    Floor,
    /// Gate 1: the run.
    ToolsAllowed,
    /// Gate 2: the module.
    Module,
    /// Gate 3: the request's list of tools and its tool choice.
    Request,
    /// Gate 4: the tool's schema.
    Schema,
    /// Gate 5: what the tool itself says of its targets.
    Targets,
    /// Gate 6: rules that deny.
    DenyRule,
    /// The mode *read only*: nothing else than reading, whatever allows it.
    ReadOnly,
    /// Before all that allows: what other programs obey is changed by a rule for just that path, or asked about.
    Protected,
    /// Text from outside in the context, and a call that reaches out.
    Taint,
    /// Gate 7: what this session was granted.
    Grant,
    /// Gate 8: rules that ask.
    AskRule,
    /// Gate 9: rules that allow.
    AllowRule,
    /// Commands that a sandbox holds, where the user lets those run.
    Confined,
    /// Reading in the project, where the profile lets it be free.
    Reading,
    /// Tools that the profile runs without asking.
    Profile,
    /// Gate 10: the risk of the call.
    Risk,
    /// How a run is approved when a gate wants to ask.
    Mode,
    /// What the caller of a sub-agent may do.
    Caller,
    /// The user's own answer.
    User,
}

impl Gate {
    /// All gates, in order.
    pub const ALL: [Gate; 20] = [
        Gate::Floor,
        Gate::ToolsAllowed,
        Gate::Module,
        Gate::Request,
        Gate::Schema,
        Gate::Targets,
        Gate::DenyRule,
        Gate::ReadOnly,
        Gate::Protected,
        Gate::Taint,
        Gate::Grant,
        Gate::AskRule,
        Gate::AllowRule,
        Gate::Confined,
        Gate::Reading,
        Gate::Profile,
        Gate::Risk,
        Gate::Mode,
        Gate::Caller,
        Gate::User,
    ];

    /// The gates that may speak before risk does, in order.
    pub(super) fn before_risk() -> impl Iterator<Item = Gate> {
        Gate::ALL.into_iter().take_while(|gate| *gate != Gate::Risk)
    }

    /// The word of events, logs and traces.
    pub fn word(self) -> &'static str {
        match self {
            Gate::Floor => "floor",
            Gate::ToolsAllowed => "tools_allowed",
            Gate::Module => "module",
            Gate::Request => "request",
            Gate::Schema => "schema",
            Gate::Targets => "targets",
            Gate::DenyRule => "deny_rule",
            Gate::ReadOnly => "read_only",
            Gate::Protected => "protected",
            Gate::Taint => "taint",
            Gate::Grant => "grant",
            Gate::AskRule => "ask_rule",
            Gate::AllowRule => "allow_rule",
            Gate::Confined => "confined",
            Gate::Reading => "reading",
            Gate::Profile => "profile",
            Gate::Risk => "risk",
            Gate::Mode => "mode",
            Gate::Caller => "caller",
            Gate::User => "user",
        }
    }

    /// Who a call was denied by, if this gate refused it.
    pub fn denied_by(self) -> DeniedBy {
        match self {
            Gate::User => DeniedBy::User,
            Gate::ReadOnly | Gate::Taint | Gate::Mode => DeniedBy::Mode,
            Gate::Floor
            | Gate::Confined
            | Gate::Reading
            | Gate::Profile
            | Gate::DenyRule
            | Gate::Protected
            | Gate::Grant
            | Gate::AskRule
            | Gate::AllowRule
            | Gate::Risk
            | Gate::Caller => DeniedBy::Rule,
            Gate::ToolsAllowed | Gate::Module | Gate::Request | Gate::Schema | Gate::Targets => {
                DeniedBy::Limit
            }
        }
    }

    /// What the gate looks at, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Gate::Floor => "No command may destroy anything beyond the project, whatever allows it.",
            Gate::ToolsAllowed => "The run must allow tools.",
            Gate::Module => "The module must have tools enabled.",
            Gate::Request => "The request's list of tools and its tool choice must include the tool.",
            Gate::Schema => "The arguments must fit the tool's schema.",
            Gate::Targets => "The tool must accept its paths, hosts and commands.",
            Gate::DenyRule => "No rule may deny the call.",
            Gate::ReadOnly => "In the mode read_only nothing but reading runs.",
            Gate::Protected => {
                "What git, editors, shells and agents obey is changed only by a rule that names exactly that path, or asked about."
            }
            Gate::Taint => {
                "With text from outside in the context, what reaches out is asked about, unless the user named where it leads."
            }
            Gate::Grant => "A grant of this session lets the call run.",
            Gate::AskRule => "A rule may want the call asked each time.",
            Gate::AllowRule => "A rule may let the call run.",
            Gate::Confined => "The user may let commands run that a sandbox holds.",
            Gate::Reading => "The profile may let reading in the project be free.",
            Gate::Profile => "The profile may let a tool run without asking.",
            Gate::Risk => {
                "Otherwise risk decides: safe runs, low is asked once a session, medium and high each time, critical needs a typed word."
            }
            Gate::Mode => {
                "What needs asking is settled by the mode: ask, edit, all, read_only, never, safe or stage."
            }
            Gate::Caller => "A sub-agent may do no more than its caller.",
            Gate::User => "The user answers.",
        }
    }
}

/// What a run says of tools before any rule does: gates 1 to 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSettings {
    /// Whether tools may be used at all.
    pub tools_allowed: bool,
    /// Whether the module that runs has tools enabled; `None` without a module.
    pub module_tools_enabled: Option<bool>,
    /// The module that runs.
    pub module: Option<String>,
    pub allow_list: Option<Vec<String>>,
    /// What the model may do with tools.
    pub tool_choice: ToolChoice,
    /// Whether reading in the project needs asking; the profile says.
    pub reading: Reading,
    /// Tools that run without asking; the profile says.
    pub unasked_tools: Vec<String>,
    /// The project root, so that what lies beyond it is known.
    pub root: String,
}

impl Default for GateSettings {
    /// All tools, no module.
    fn default() -> Self {
        Self {
            tools_allowed: true,
            module_tools_enabled: None,
            module: None,
            allow_list: None,
            tool_choice: ToolChoice::Auto,
            reading: Reading::ByRisk,
            unasked_tools: Vec::new(),
            root: String::new(),
        }
    }
}

impl GateSettings {
    /// What the wishes of a run say, and the profile that it runs with: that on record, if there is one.
    pub fn of(wishes: &RunWishes, profile: &Profile, root: String) -> Self {
        let profile = wishes.setup.as_ref().map_or(profile, |setup| &setup.profile);
        Self {
            tools_allowed: wishes.tools_allowed,
            allow_list: wishes.tools.clone(),
            tool_choice: wishes.tool_choice.clone().unwrap_or_default(),
            ..Self::of_profile(profile, root)
        }
    }

    /// What a profile says; all tools, no module.
    pub fn of_profile(profile: &Profile, root: String) -> Self {
        let (reading, unasked_tools) = (profile.reading, profile.unasked_tools.clone());
        Self { reading, unasked_tools, root, ..Self::default() }
    }

    /// Gates of a sub-agent that has none of its own: the same place and the same profile.
    pub fn open_like(&self) -> Self {
        let (reading, unasked_tools) = (self.reading, self.unasked_tools.clone());
        Self { reading, unasked_tools, root: self.root.clone(), ..Self::default() }
    }

    /// The first of gates 1 to 3 that is closed for a tool.
    pub(super) fn refuse(&self, spec: &ToolSpec) -> Option<Refusal> {
        self.refuse_run().or_else(|| self.refuse_module()).or_else(|| self.refuse_request(spec))
    }

    pub(super) fn refuse_run(&self) -> Option<Refusal> {
        (!self.tools_allowed).then(|| {
            Refusal::new(
                Gate::ToolsAllowed,
                "Tools are not allowed in this run",
                "Answer without calling tools.",
            )
        })
    }

    pub(super) fn refuse_module(&self) -> Option<Refusal> {
        (self.module_tools_enabled == Some(false)).then(|| {
            let module = self.module.as_deref().unwrap_or("(unnamed)");
            let message = format!("Tools not enabled for module: {module}");
            Refusal::new(Gate::Module, message, "Answer without calling tools.")
        })
    }

    pub(super) fn refuse_request(&self, spec: &ToolSpec) -> Option<Refusal> {
        let is_meant = |name: &String| *name == spec.name || spec.aliases.contains(name);
        match &self.allow_list {
            Some(list) if !list.iter().any(is_meant) => {
                let hint = match list.as_slice() {
                    [] => "Answer without calling tools.".to_owned(),
                    names => format!("Use one of: {}.", names.join(", ")),
                };
                let message = format!("Tool '{}' is not among the tools of this request", spec.name);
                return Some(Refusal::new(Gate::Request, message, hint));
            }
            Some(_) | None => {}
        }
        match &self.tool_choice {
            ToolChoice::Auto | ToolChoice::Required => None,
            ToolChoice::Named(name) if is_meant(name) => None,
            ToolChoice::Named(name) => {
                let message = format!("This request only allows the tool '{name}', not '{}'", spec.name);
                Some(Refusal::new(Gate::Request, message, format!("Call {name}.")))
            }
            ToolChoice::Forbidden => {
                let message = "This request forbids tool calls";
                Some(Refusal::new(Gate::Request, message, "Answer without calling tools."))
            }
        }
    }
}

/// Why a call may not run: `message` is for model and user alike, `hint` says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The gate that refused.
    pub gate: Gate,
    /// The rule that refused.
    pub rule: Option<String>,
    /// By whom, for whoever reads the outcome; a refusal that was recorded before that was told has nobody.
    pub denied_by: Option<DeniedBy>,
    /// What was refused and why.
    pub message: String,
    pub hint: String,
}

impl Refusal {
    pub(super) fn new(gate: Gate, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            gate,
            rule: None,
            denied_by: Some(gate.denied_by()),
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A rule denies the call.
    pub(super) fn by_rule(rule: &Rule) -> Self {
        let lift = match rule.source {
            RuleSource::User => {
                format!("the user can take the rule out with `windlass policy remove {}`", rule.id)
            }
            RuleSource::Project => "the rule is in the project's own policies".to_owned(),
            RuleSource::Flag => "the rule was given with --deny for this run".to_owned(),
            RuleSource::Grant => "the rule lasts until the session ends".to_owned(),
        };
        let message = format!("A rule denies this operation: {rule}");
        let refusal = Self::new(Gate::DenyRule, message, format!("{NO_REPEAT}; {lift}."));
        Self { rule: Some(rule.id.clone()), ..refusal }
    }

    /// The call needs asking, by its risk or by a rule, and the run's mode has nobody to ask.
    pub(super) fn by_mode(mode: ApproveMode, asking: Option<&Rule>, matter: Matter<'_>) -> Self {
        let tool = &matter.spec.name;
        // Other advice than below: `--allow` does not help against a rule that asks.
        if let Some(rule) = asking {
            return Self::new(
                Gate::Mode,
                format!("A rule wants {tool} asked, but nobody is asked in this run: {rule}"),
                format!(
                    "{NO_REPEAT}. The user can be asked with --approve ask, or take out rule {}.",
                    rule.id
                ),
            );
        }
        let because = match mode {
            ApproveMode::ReadOnly => return Self::read_only(matter),
            ApproveMode::Ask
            | ApproveMode::Never
            | ApproveMode::Edit
            | ApproveMode::EditOnly
            | ApproveMode::Stage
            | ApproveMode::StageOnly => "nobody is asked in this run",
            ApproveMode::Safe => "this run approves only safe and low calls by itself",
            ApproveMode::All if matter.leaves_sandbox() => {
                "it would leave the sandbox, and nobody is asked in the mode all"
            }
            ApproveMode::All => "what it runs cannot be read beforehand, and nobody is asked in the mode all",
        };
        let rule = shell_quoted(&RulePattern::narrowest(matter.spec, matter.targets).to_string());
        Self::new(
            Gate::Mode,
            format!("Permission is needed for {tool} (risk {}), but {because}", matter.risk.label()),
            format!(
                "{NO_REPEAT}. The user can allow it with --allow {rule}, for good with `windlass policy allow {rule}`, or be asked with --approve ask."
            ),
        )
    }

    /// The call would change what other programs obey, and the run's mode has nobody to ask.
    pub(super) fn by_protection(matter: Matter<'_>, path: &str) -> Self {
        let rule = shell_quoted(&RulePattern::narrowest(matter.spec, matter.targets).to_string());
        Self::new(
            Gate::Protected,
            format!(
                "'{path}' is a protected path, because other programs obey what is in it: {} needs the user's own word, but nobody is asked in this run",
                matter.spec.name
            ),
            format!(
                "{NO_REPEAT}, and do not write it by another way. The user can be asked with --approve ask, or allow exactly this path with `windlass policy allow {rule}`."
            ),
        )
    }

    /// Text from outside is in the context, and nobody is asked.
    pub(super) fn by_taint(finding: &TaintFinding, matter: Matter<'_>) -> Self {
        let tool = &matter.spec.name;
        let why = finding.sentence().unwrap_or_default();
        let message = format!(
            "{tool} was not run: it reaches out, which must be asked about, and nobody is asked. {why}"
        );
        let rule = RulePattern::narrowest(matter.spec, matter.targets);
        // A rule for a whole tool does not count here, so it is not advised.
        let advice = match rule.is_exact() && finding.leak.is_none() {
            true => format!("allow exactly this with --allow {}, ", shell_quoted(&rule.to_string())),
            false => String::new(),
        };
        let hint = format!(
            "{NO_REPEAT}. The user can {advice}be asked with --approve ask, or turn this off with --taint off."
        );
        Self::new(Gate::Taint, message, hint)
    }

    /// The mode *read only* has no place for the call.
    pub(super) fn read_only(matter: Matter<'_>) -> Self {
        Self::new(
            Gate::Mode,
            format!(
                "{} was not run: the mode is read only, and this would do more than read",
                matter.spec.name
            ),
            format!("{NO_REPEAT}; the user can choose another mode (ask, edit, all)."),
        )
    }

    /// The floor: nobody can lift it.
    pub(super) fn by_floor(reason: &str) -> Self {
        Self::new(
            Gate::Floor,
            format!("This command is never run: it {reason}"),
            format!(
                "{NO_REPEAT}, in no other spelling either. Name exactly what inside the project is meant, or let the user do it by hand."
            ),
        )
    }

    /// Which gate decided, as events and outcomes write it: `rule:ID`, `mode`, `user`, …
    pub fn by(&self) -> String {
        match &self.rule {
            Some(id) => format!("rule:{id}"),
            None => self.gate.word().to_owned(),
        }
    }

    /// The refusal as a call's outcome.
    pub fn to_failure(&self) -> ToolFailure {
        let failure = ToolFailure::denied(self.message.clone()).hint(self.hint.clone());
        ToolFailure { denied_by: self.denied_by, ..failure }
    }
}

/// A word for a shell, so that the advice can be copied as it stands.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
