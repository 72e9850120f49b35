//! `windlass policy list / allow / deny / remove / explain`.

use serde_json::{Value, json};
use windlass_core::permission::{Explanation, Rule, RuleEffect, RuleSource, Target};
use windlass_core::redact::Redactor;
use windlass_engine::clock::Clock;
use windlass_engine::explain::{CallFate, CallJudge};
use windlass_engine::policy_file::PolicyFileError;

use crate::args::{GlobalArgs, PermissionArgs, PolicyCommand};
use crate::complaint::{Complaint, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::nearest::did_you_mean;
use crate::out::{print, print_json, print_line, warn};
use crate::run::block_on;
use crate::table::lay_out;
use crate::tools::{read_arguments, unknown_tool};
use crate::wiring::{House, doubt};

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, command: PolicyCommand) -> Result<Exit> {
    match command {
        PolicyCommand::List => list(global)?,
        PolicyCommand::Allow { rule } => store(global, RuleEffect::Allow, &rule)?,
        PolicyCommand::Deny { rule } => store(global, RuleEffect::Deny, &rule)?,
        PolicyCommand::Remove { id } => remove(global, &id)?,
        PolicyCommand::Explain { tool, arguments, permission } => {
            explain(global, &tool, &arguments, &permission)?
        }
    }
    Ok(Exit::Done)
}

fn list(global: &GlobalArgs) -> Result<()> {
    let house = House::plain(global)?;
    let rules = house.policies.rules();
    if global.json {
        let rules: Vec<Value> = rules.rules().iter().map(to_json).collect();
        return print_json(&rules);
    }
    if rules.rules().is_empty() {
        return print_line("no rules are stored; windlass policy allow RULE stores one");
    }
    let rows: Vec<[String; 4]> = rules
        .rules()
        .iter()
        .map(|rule| {
            let text = rule.to_string();
            [rule.id.clone(), rule.effect.word().to_owned(), text, rule.source.word().to_owned()]
        })
        .collect();
    print(&lay_out(&rows))
}

fn to_json(rule: &Rule) -> Value {
    json!({
        "id": rule.id, "effect": rule.effect.word(), "rule": rule.to_string(),
        "source": rule.source.word(), "created_ms": rule.created_ms,
    })
}

fn store(global: &GlobalArgs, effect: RuleEffect, text: &str) -> Result<()> {
    let rule = Rule::parse(effect, text, RuleSource::User)
        .map_err(|error| Complaint::usage(error.to_string()).at(format!("the rule '{text}'")))?
        .stamped(Clock::system().now_ms());
    let house = House::plain(global)?;
    if let (Some(doubt), false) = (doubt(&rule, &house.registry.snapshot().toolset), global.quiet) {
        warn(&doubt);
    }
    let id = house.policies.add(rule.clone()).map_err(unstored)?;
    if global.json {
        return print_json(&to_json(&Rule { id, ..rule }));
    }
    print_line(&format!("{id}  {}  {rule}", rule.effect.word()))
}

fn remove(global: &GlobalArgs, id: &str) -> Result<()> {
    let house = House::plain(global)?;
    let stored = house.policies.stored();
    if stored.get(id).is_none() {
        let cure = did_you_mean(id, stored.rules().iter().map(|rule| rule.id.as_str()));
        return Err(Complaint::usage(format!("there is no stored rule '{id}'"))
            .at(house.config.folders.policies_file.display())
            .cure(cure.unwrap_or_else(|| "windlass policy list".into())));
    }
    let Some(rule) = house.policies.remove(id).map_err(unstored)? else {
        return Err(Complaint::failed(format!("the rule '{id}' was removed by somebody else")));
    };
    if global.json {
        return print_json(&to_json(&rule));
    }
    print_line(&format!("removed {id}  {}  {rule}", rule.effect.word()))
}

fn unstored(error: PolicyFileError) -> Complaint {
    Complaint::failed(error.to_string())
}

fn explain(global: &GlobalArgs, tool: &str, arguments: &str, permission: &PermissionArgs) -> Result<()> {
    let arguments = read_arguments(arguments)?;
    let house = House::build(Flags { global: global.clone(), ..Flags::default() }, permission)?;
    match find_out(&house, tool, arguments)? {
        CallFate::Unknown => Err(unknown_tool(tool, house.registry.snapshot().toolset.names())),
        CallFate::Explained(explanation) if global.json => print_json(&explanation),
        CallFate::Explained(explanation) => print(&tell(&explanation)),
        CallFate::Refused { gate, failure } if global.json => print_json(&json!({
            "tool": tool, "decides": gate, "stance": "denies", "reason": failure.message, "hint": failure.hint,
        })),
        CallFate::Refused { gate, failure } => {
            let mut text = format!("denied by {}: {}\n", gate.word(), failure.message);
            if let Some(hint) = &failure.hint {
                text.push_str(&format!("  {hint}\n"));
            }
            print(&text)
        }
    }
}

/// What would become of a call; the gates before the rules can refuse it without an explanation.
fn find_out(house: &House, tool: &str, arguments: String) -> Result<CallFate> {
    let config = &house.config;
    let clock = Clock::system();
    let judge = CallJudge {
        registry: &house.registry,
        policies: &house.policies,
        approve: config.approve,
        profile: &config.profile,
        root: &config.root,
        clock: &clock,
        secrets: &Redactor::default(),
    };
    block_on(async { Ok(judge.judge(tool, arguments).await) })
}

/// An explanation for people: every gate, and the one that decides.
fn tell(explanation: &Explanation) -> String {
    let targets: Vec<String> = explanation.targets.iter().map(target).collect();
    let touches = if targets.is_empty() { "nothing it can name".into() } else { targets.join(", ") };
    let mut text = format!("{}  risk {}  touches {touches}\n", explanation.tool, explanation.risk.label());
    let rows: Vec<[String; 3]> = explanation
        .gates
        .iter()
        .map(|finding| {
            let mark = if finding.gate == explanation.decides { "→" } else { " " };
            let gate = format!("{mark} {}", finding.gate.word());
            [gate, finding.stance.word().to_owned(), finding.reason.clone()]
        })
        .collect();
    text.push_str(&lay_out(&rows));
    text.push_str(&format!("the narrowest rule for it: {}\n", explanation.rule));
    text
}

fn target(target: &Target) -> String {
    let (kind, name) = match target {
        Target::Path(path) => ("path", path),
        Target::Host(host) => ("host", host),
        Target::Command(command) => ("command", command),
    };
    format!("{kind} {name}")
}
