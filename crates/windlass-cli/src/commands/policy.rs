//! `windlass policy list / allow / deny / remove / import / explain`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_core::permission::{
    Explanation, PolicyFailure, PolicySet, Rule, RuleEffect, RuleSource, Target, host_note, read_reach,
};
use windlass_engine::clock::Clock;
use windlass_engine::explain::{CallFate, CallJudge};

use crate::args::{ApproveArg, GlobalArgs, PermissionArgs, PolicyCommand};
use crate::commands::run::block_on;
use crate::commands::tools::{read_arguments, unknown_tool};
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::terminal::ask::can_ask;
use crate::terminal::nearest::did_you_mean;
use crate::terminal::out::{print, print_json, print_line, warn};
use crate::terminal::table::lay_out;
use crate::wiring::{Wiring, doubt};

pub(crate) fn run(global: &GlobalArgs, command: PolicyCommand) -> Result<Exit> {
    match command {
        PolicyCommand::List => list(global)?,
        PolicyCommand::Allow { rule, everywhere } => store(global, RuleEffect::Allow, &rule, everywhere)?,
        PolicyCommand::Deny { rule, everywhere } => store(global, RuleEffect::Deny, &rule, everywhere)?,
        PolicyCommand::Remove { id } => remove(global, &id)?,
        PolicyCommand::Import { file } => import(global, file)?,
        PolicyCommand::Explain { tool, arguments, permission } => {
            explain(global, &tool, &arguments, &permission)?
        }
    }
    Ok(Exit::Done)
}

fn list(global: &GlobalArgs) -> Result<()> {
    let wiring = Wiring::plain(global)?;
    let mut rules = wiring.policies.rules().rules().to_vec();
    let root = wiring.config.root.display().to_string();
    rules.extend(wiring.policies.stored().rules().iter().filter(|rule| !rule.holds_in(&root)).cloned());
    offer_import(&wiring, &rules);
    rules.extend(grants(&wiring)?);
    if global.json {
        let rules: Vec<Value> = rules.iter().map(to_json).collect();
        return print_json(&rules);
    }
    if rules.is_empty() {
        return print_line("no rules are stored; windlass policy allow RULE stores one");
    }
    let rows: Vec<[String; 5]> = rules
        .iter()
        .map(|rule| {
            let source = match &rule.session_id {
                Some(session_id) => format!("granted to session {session_id}"),
                None => rule.source.word().to_owned(),
            };
            [rule.id.clone(), rule.effect.word().to_owned(), rule.to_string(), source, reach(rule, &root)]
        })
        .collect();
    print(&lay_out(&rows))
}

/// Where a rule holds, seen from a root; what was not stored says it by its source. Of a host, all paths are meant.
fn reach(rule: &Rule, root: &str) -> String {
    let place = match (rule.source, &rule.root) {
        (RuleSource::User, None) => Some("everywhere".to_owned()),
        (RuleSource::User, Some(own)) if own == root => Some("in this folder".to_owned()),
        (RuleSource::User, Some(own)) => Some(format!("only in {own}")),
        (RuleSource::Project | RuleSource::Flag | RuleSource::Grant, _) => None,
    };
    let note = rule.pattern.host_note().map(str::to_owned);
    [place, note].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The same in the lines that say what was done with a rule.
fn noted(rule: &Rule) -> String {
    rule.pattern.host_note().map_or_else(|| rule.to_string(), |note| format!("{rule}  ({note})"))
}

/// What sessions are granted, in whatever process they run.
fn grants(wiring: &Wiring) -> Result<Vec<Rule>> {
    let Some(archive) = SessionArchive::existing(&wiring.config.folders)? else { return Ok(Vec::new()) };
    block_on(async {
        archive.store.all_grants().await.map_err(|failure| CommandError::failed(failure.to_string()))
    })
}

fn to_json(rule: &Rule) -> Value {
    let mut value = json!({
        "id": rule.id, "effect": rule.effect.word(), "rule": rule.to_string(),
        "source": rule.source.word(), "created_ms": rule.created_ms,
    });
    if let (Value::Object(fields), Some(session_id)) = (&mut value, &rule.session_id) {
        fields.insert("session_id".into(), json!(session_id));
    }
    if let (Value::Object(fields), Some(note)) = (&mut value, rule.pattern.host_note()) {
        fields.insert("covers".into(), json!(note));
    }
    if let (Value::Object(fields), Some(root)) = (&mut value, &rule.root) {
        fields.insert("root".into(), json!(root));
    }
    value
}

/// Stores a rule for the root of the moment, or for all.
fn store(global: &GlobalArgs, effect: RuleEffect, text: &str, everywhere: bool) -> Result<()> {
    let (is_everywhere, text) = read_reach(text);
    let is_everywhere = is_everywhere || everywhere;
    let rule = Rule::parse(effect, text, RuleSource::User)
        .map_err(|error| CommandError::usage(error.to_string()).at(format!("the rule '{text}'")))?
        .stamped(Clock::system().now_ms());
    let wiring = Wiring::plain(global)?;
    let root = wiring.config.root.display().to_string();
    let rule = rule.rooted((!is_everywhere).then(|| root.clone()));
    if let (Some(doubt), false) = (doubt(&rule, &wiring.registry.snapshot().toolset), global.quiet) {
        warn(&doubt);
    }
    let id = wiring.policies.add(rule.clone()).map_err(unstored)?;
    if global.json {
        return print_json(&to_json(&Rule { id, ..rule }));
    }
    let reach = match is_everywhere {
        true => "everywhere".to_owned(),
        false => format!("in {root}; --everywhere stores it for all folders"),
    };
    let note = rule.pattern.host_note().map(|note| format!("{note}; ")).unwrap_or_default();
    print_line(&format!("{id}  {}  {rule}  ({note}{reach})", rule.effect.word()))
}

fn remove(global: &GlobalArgs, id: &str) -> Result<()> {
    let wiring = Wiring::plain(global)?;
    if Rule::grant_number(id).is_some() {
        return revoke(global, &wiring, id);
    }
    let stored = wiring.policies.stored();
    if stored.get(id).is_none() {
        let cure = did_you_mean(id, stored.rules().iter().map(|rule| rule.id.as_str()));
        return Err(CommandError::usage(format!("there is no stored rule '{id}'"))
            .at(wiring.config.folders.policies_file.display())
            .cure(cure.unwrap_or_else(|| "windlass policy list".into())));
    }
    let Some(rule) = wiring.policies.remove(id).map_err(unstored)? else {
        return Err(CommandError::failed(format!("the rule '{id}' was removed by somebody else")));
    };
    if global.json {
        return print_json(&to_json(&rule));
    }
    print_line(&format!("removed {id}  {}  {}", rule.effect.word(), noted(&rule)))
}

/// Says that rules of ZodoLlama are there which do not hold here.
fn offer_import(wiring: &Wiring, rules: &[Rule]) {
    let Some(file) = wiring.config.folders.zodo_policies() else { return };
    let read = read_rules(&file);
    if !read.is_ok_and(|theirs| missing(&theirs, rules).next().is_none()) {
        warn(&format!(
            "ZodoLlama's rules in {} are not used here; windlass policy import imports them",
            file.display()
        ));
    }
}

/// The rules among theirs that are not ours.
fn missing<'a>(theirs: &'a PolicySet, ours: &'a [Rule]) -> impl Iterator<Item = &'a Rule> {
    let is_ours =
        |rule: &Rule| ours.iter().any(|own| (own.effect, &own.pattern) == (rule.effect, &rule.pattern));
    theirs.rules().iter().filter(move |rule| !is_ours(rule))
}

fn read_rules(file: &Path) -> Result<PolicySet> {
    let unread = |problem: String| CommandError::failed(problem).at(file.display());
    let text =
        fs::read_to_string(file).map_err(|error| unread(format!("the file cannot be read: {error}")))?;
    PolicySet::from_json(&text).map_err(|error| unread(error.to_string()))
}

/// Stores the rules of another file that are not stored yet.
fn import(global: &GlobalArgs, file: Option<PathBuf>) -> Result<()> {
    let wiring = Wiring::plain(global)?;
    let Some(file) = file.or_else(|| wiring.config.folders.zodo_policies()) else {
        return Err(CommandError::usage("ZodoLlama has left no rules in your configuration folder")
            .cure("windlass policy import FILE"));
    };
    let (theirs, ours) = (read_rules(&file)?, wiring.policies.stored());
    let mut imported = Vec::new();
    for rule in missing(&theirs, ours.rules()) {
        let rule = Rule { id: String::new(), ..rule.clone() };
        let id = wiring.policies.add(rule.clone()).map_err(unstored)?;
        imported.push(Rule { id, ..rule });
    }
    if global.json {
        return print_json(&imported.iter().map(to_json).collect::<Vec<_>>());
    }
    if imported.is_empty() {
        return print_line(&format!("all rules of {} are stored already", file.display()));
    }
    let rows: Vec<[String; 3]> =
        imported.iter().map(|rule| [rule.id.clone(), rule.effect.word().to_owned(), noted(rule)]).collect();
    print(&lay_out(&rows))
}

fn revoke(global: &GlobalArgs, wiring: &Wiring, id: &str) -> Result<()> {
    let granted = grants(wiring)?;
    let found =
        granted.iter().find(|rule| rule.id == id).zip(SessionArchive::existing(&wiring.config.folders)?);
    let Some((rule, archive)) = found else {
        let cure = did_you_mean(id, granted.iter().map(|rule| rule.id.as_str()));
        return Err(CommandError::usage(format!("there is no grant '{id}'"))
            .cure(cure.unwrap_or_else(|| "windlass policy list".into())));
    };
    let revoked = block_on(async {
        archive.store.revoke(id).await.map_err(|failure| CommandError::failed(failure.to_string()))
    })?;
    if !revoked {
        return Err(CommandError::failed(format!("the grant '{id}' was revoked by somebody else")));
    }
    if global.json {
        return print_json(&to_json(rule));
    }
    print_line(&format!("revoked {id}  {}", noted(rule)))
}

fn unstored(error: PolicyFailure) -> CommandError {
    CommandError::failed(error.to_string())
}

fn explain(global: &GlobalArgs, tool: &str, arguments: &str, permission: &PermissionArgs) -> Result<()> {
    let arguments = read_arguments(arguments)?;
    // Nothing runs here: whoever names the mode *ask* is told what would be asked, with or without a terminal.
    let can_ask = can_ask() || permission.approve == Some(ApproveArg::Ask);
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let wiring = Wiring::build_for(flags, permission, can_ask)?;
    match find_out(&wiring, tool, arguments)? {
        CallFate::Unknown => Err(unknown_tool(tool, wiring.registry.snapshot().toolset.names())),
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
fn find_out(wiring: &Wiring, tool: &str, arguments: String) -> Result<CallFate> {
    let config = &wiring.config;
    let clock = Clock::system();
    let judge = CallJudge {
        registry: &wiring.registry,
        policies: wiring.policies.as_ref(),
        approve: config.approve,
        profile: &config.profile,
        root: &config.root,
        clock: &clock,
        secrets: &config.secrets.redactor(),
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
    let note = host_note(&explanation.rule).map(|note| format!("  ({note})")).unwrap_or_default();
    text.push_str(&format!("the narrowest rule for it: {}{note}\n", explanation.rule));
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
