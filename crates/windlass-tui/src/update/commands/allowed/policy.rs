//! `/policy`: rules and grants: read, added, removed, and what decides a call.

use windlass_core::permission::{Preview, Rule, RuleEffect, host_note};
use windlass_core::ports::host::Explanation;
use windlass_core::text::time::ago;

use super::super::{open, open_text, refuse, tools};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{
    Action, Confirm, Deed, Overlay, Pager, Picker, PickerKind, PickerRow, StyledLine,
};
use crate::text::one_line;
use crate::theme::TextRole;
use crate::update::overlay;

static ACTIONS: [Action; 1] = [Action { key: 'd', name: "d", verb: "remove" }];

const USAGE: &str = "/policy allow RULE, deny RULE, ask RULE, remove ID, or explain TOOL JSON; \
                     a rule is TOOL or TOOL(pattern): read_file(src/**)";

/// Words that may follow `/policy`, and what they do.
const WORDS: [(&str, &str); 5] = [
    ("allow", "never ask about calls like this"),
    ("deny", "refuse calls like this"),
    ("ask", "ask about calls like this"),
    ("remove", "forget a rule"),
    ("explain", "say what decides a call"),
];

pub(in crate::update) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["permissions", "policies"],
    arguments: "[allow|deny|ask RULE | remove ID | explain TOOL JSON]",
    offer,
    ..SlashCommand::new("policy", "stored rules: read, add, remove, explain", run)
};

/// Lists the rules, or changes them.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let (word, rest_of_it) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let argument = rest_of_it.trim();
    let effect =
        [RuleEffect::Allow, RuleEffect::Deny, RuleEffect::Ask].into_iter().find(|it| it.word() == word);
    match (word, effect) {
        ("", _) => list(state),
        (_, Some(effect)) if !argument.is_empty() => {
            vec![AppEffect::AddRule { effect: effect.word(), pattern: argument.to_owned() }]
        }
        ("remove", _) if !argument.is_empty() => vec![AppEffect::RemoveRule(argument.to_owned())],
        ("explain", _) if !argument.is_empty() => {
            let (tool, arguments) = argument.split_once(char::is_whitespace).unwrap_or((argument, "{}"));
            vec![AppEffect::Explain { tool: tool.to_owned(), arguments: arguments.trim().to_owned() }]
        }
        (_, _) => refuse(state, &format!("/policy {rest}"), USAGE),
    }
}

/// What may follow the word, after what already does.
fn offer(state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    match earlier {
        [] => Some(("policy", WORDS.map(|(word, about)| Suggestion::begun(word, about)).to_vec())),
        [word] if word != "remove" => {
            let rows = tools::suggestions(state).into_iter();
            Some(("tools", rows.map(|row| Suggestion { is_whole: false, ..row }).collect()))
        }
        _ => None,
    }
}

fn list(state: &mut TuiState) -> Vec<AppEffect> {
    let empty = "no rules are stored: every call is judged by its risk. /policy allow RULE stores one, \
                 and so does Remember when a call is asked about.";
    let picker = Picker::loading(PickerKind::Rules, "Rules").with_words("show", empty).with_actions(&ACTIONS);
    open(state, picker);
    vec![AppEffect::ListRules]
}

/// The rules were listed.
pub(in crate::update) fn fill(state: &mut TuiState, rules: &[Rule]) {
    let now_ms = state.now_ms;
    let row = |rule: &Rule| {
        let age = if rule.created_ms == 0 { String::new() } else { ago(now_ms, rule.created_ms) };
        let holds = match (&rule.session_id, &state.session) {
            (Some(id), Some(session)) if *id == session.row.session_id => "this session only".to_owned(),
            (Some(id), _) => format!("session {id} only"),
            (None, _) => String::new(),
        };
        let note = rule.pattern.host_note().unwrap_or_default().to_owned();
        let facts = [rule.source.word().to_owned(), holds, note, rule.id.clone(), age];
        let detail = facts.iter().filter(|fact| !fact.is_empty()).cloned().collect::<Vec<_>>().join(" · ");
        PickerRow::new(&rule.id, rule.pattern.to_string(), detail).with_badge(rule.effect.word())
    };
    if let Some(picker) = state.overlay.as_mut().and_then(|over| over.picker_mut(PickerKind::Rules)) {
        picker.pending = 0;
        picker.set_rows(rules.iter().map(row).collect());
    }
}

/// A rule is gone.
pub(in crate::update) fn removed(state: &mut TuiState, id: &str, rules: &[Rule]) {
    fill(state, rules);
    state.tell(format!("rule {} is removed", one_line(id)));
}

/// A row was chosen: all of the rule.
pub(in crate::update) fn choose(state: &mut TuiState, row: &PickerRow) -> Vec<AppEffect> {
    let lines = vec![
        StyledLine::new(TextRole::Strong, &format!("{} {}", row.badge, row.label)),
        StyledLine::default(),
        StyledLine::new(TextRole::Muted, &row.detail),
        StyledLine::default(),
        StyledLine::new(TextRole::Muted, &format!("/policy remove {} removes it", row.id)),
    ];
    open_text(state, Pager::new("Rule", lines));
    Vec::new()
}

/// A key of the list's own.
pub(in crate::update) fn act(state: &mut TuiState, key: char, row: Option<PickerRow>) -> Vec<AppEffect> {
    if let (Some(row), 'd') = (row, key) {
        let lines = vec![
            StyledLine::new(TextRole::Strong, &format!("{} {}", row.badge, row.label)),
            StyledLine::new(
                TextRole::Muted,
                "Calls that it covers are judged by the other rules and by their risk then.",
            ),
        ];
        let confirm = Confirm::new("Remove this rule?", "remove", Deed::RemoveRule(row.id), lines);
        overlay::open(state, Overlay::Confirm(confirm));
    }
    Vec::new()
}

/// What decides a call.
pub(in crate::update) fn explained(state: &mut TuiState, tool: &str, explanation: &Explanation) {
    let columns = explanation.gates.iter().map(|gate| gate.gate.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for gate in &explanation.gates {
        let (sign, role) = if gate.decides { ("› ", TextRole::Strong) } else { ("  ", TextRole::Muted) };
        lines.push(
            StyledLine::new(TextRole::Accent, sign)
                .and(role, &format!("{:<columns$}  ", gate.gate))
                .and(role, &format!("{:<7} ", gate.opinion))
                .and(if gate.decides { TextRole::Text } else { TextRole::Muted }, &gate.reason),
        );
    }
    if let Some(question) = &explanation.question {
        lines.push(StyledLine::default());
        lines.push(StyledLine::new(TextRole::Heading, "The user would be asked"));
        let mut fact = |name: &str, value: &str| {
            lines.push(StyledLine::new(TextRole::Muted, &format!("  {name:<9}")).and(TextRole::Text, value));
        };
        fact("risk", tools::risk(question.risk));
        fact("rule", &question.rule);
        host_note(&question.rule).iter().for_each(|note| fact("covers", note));
        fact("arguments", &question.arguments);
        question.folder.iter().for_each(|folder| fact("runs in", folder));
        question.caution.iter().for_each(|caution| fact("careful", caution));
        question.sandbox.iter().for_each(|sandbox| fact("sandbox", &sandbox.words));
        let preview = match &question.preview {
            Some(Preview::Diff(text) | Preview::Command(text) | Preview::Text(text)) => text.as_str(),
            None => "",
        };
        lines.extend(StyledLine::all(TextRole::Muted, preview));
    }
    let title = format!("What decides a call of {}", one_line(tool));
    open_text(state, Pager::new(title, lines));
}
