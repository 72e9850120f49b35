//! `/context` (Z-26): the project's file tree as background for the next message, and how full the context is.

use windlass_core::profile::{Profile, ProfileName};

use super::open_text;
use crate::command::SlashCommand;
use crate::effect::{AppEffect, MessageBackground};
use crate::figures;
use crate::state::TuiState;
use crate::state::overlay::{Action, Overlay, Pager, PagerKind, StyledLine};
use crate::text::clean;
use crate::theme::TextRole;
use crate::view::figures::gauge;

static ACTIONS: [Action; 1] = [Action { key: 'a', name: "a", verb: "add to the next message" }];

/// Characters that make about a token.
const CHARS_PER_TOKEN: u64 = 4;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["usage"],
    ..SlashCommand::new("context", "the project's files as background, and how full the context is", run)
};

/// Shows the file tree; if it is to go with the next message already, takes it away.
fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    if let Some(background) = state.background.take() {
        state.tell(format!("removed: {}", background.label));
        return Vec::new();
    }
    let pager = Pager { kind: PagerKind::Context, is_loading: true, ..Pager::new("Context", Vec::new()) };
    open_text(state, pager);
    vec![AppEffect::ReadTree]
}

/// The paths were read.
pub(in crate::update) fn fill(state: &mut TuiState, paths: &[String], is_cut: bool) {
    let tree = tree_of(paths);
    let label = format!("file tree, {}", figures::plural(paths.len(), "path"));
    let mut lines = held(state);
    lines.extend(sizes(state, paths.len(), &tree, is_cut));
    lines.push(StyledLine::default());
    lines.extend(StyledLine::all(TextRole::Text, &tree));
    let Some(Overlay::Pager(pager)) = state.overlay.as_mut() else { return };
    if pager.kind != PagerKind::Context || !pager.is_loading {
        return;
    }
    (pager.is_loading, pager.lines) = (false, lines);
    if !paths.is_empty() {
        pager.actions = &ACTIONS;
        let text = format!("The files of the project:\n{tree}");
        pager.background = Some(MessageBackground { label, text });
    }
}

/// `a`: the tree goes with the next message.
pub(in crate::update) fn act(state: &mut TuiState, key: char) -> Vec<AppEffect> {
    let Some(Overlay::Pager(pager)) = state.overlay.as_mut() else { return Vec::new() };
    if let (PagerKind::Context, 'a') = (pager.kind, key)
        && let Some(background) = pager.background.take()
    {
        state.overlay = None;
        state.tell(format!("added to the next message: {}; /context removes it", background.label));
        state.background = Some(background);
    }
    Vec::new()
}

/// What the context of the session holds: what the model read and wrote in its last step.
fn held(state: &TuiState) -> Vec<StyledLine> {
    let session = state.session.as_ref();
    let step = session.and_then(|session| {
        let run = session.newest()?;
        session.timing.run(&run.run_id)?.last_step
    });
    let size = state.about.model_row(state.model()).and_then(|row| row.context_tokens);
    let text = match (step, size) {
        (None, _) => "nothing yet: no step has ended in it".to_owned(),
        (Some(step), None) => format!("about {} tokens after the last step", figures::tokens(step.total())),
        (Some(step), Some(size)) => {
            let (gauge, _) = gauge(step.total(), size);
            format!(
                "{} of {} tokens after the last step {gauge}",
                figures::tokens(step.total()),
                figures::tokens(size)
            )
        }
    };
    vec![StyledLine::new(TextRole::Muted, "This session    ").and(TextRole::Text, &text)]
}

fn sizes(state: &TuiState, paths: usize, tree: &str, is_cut: bool) -> Vec<StyledLine> {
    let chars = u64::try_from(tree.chars().count()).unwrap_or(u64::MAX);
    let tokens = figures::tokens(chars.div_ceil(CHARS_PER_TOKEN));
    let more = if is_cut { ", and there are more" } else { "" };
    let text = match paths {
        0 => "no files: the folder is empty, or all of it is left out".to_owned(),
        paths => format!("{paths} paths, about {tokens} tokens{more}"),
    };
    let mut lines = vec![StyledLine::new(TextRole::Muted, "The file tree   ").and(TextRole::Text, &text)];
    let profile = state.profile().parse::<ProfileName>().map(Profile::named).unwrap_or_default();
    let most = u64::try_from(profile.limits.context_chars_max).unwrap_or(u64::MAX);
    if chars > most {
        let text =
            format!("profile {} passes on the first {most} of its {chars} characters", state.profile());
        lines.push(StyledLine::new(TextRole::Muted, "                ").and(TextRole::Warn, &text));
    }
    lines
}

/// Paths as a tree: each folder once, what is in it below it.
fn tree_of(paths: &[String]) -> String {
    let mut tree = String::new();
    let mut folders: Vec<&str> = Vec::new();
    for path in paths {
        let mut parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let shared = folders.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        for (depth, folder) in parts.iter().enumerate().skip(shared) {
            tree.push_str(&format!("{}{}/\n", "  ".repeat(depth), clean(folder)));
        }
        let end = if path.ends_with('/') { "/" } else { "" };
        tree.push_str(&format!("{}{}{end}\n", "  ".repeat(parts.len()), clean(name)));
        folders = parts;
    }
    tree
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
