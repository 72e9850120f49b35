//! `/model`: which model answers from the next run on.

use windlass_core::ports::host::ModelRow;
use windlass_core::text::nearest::nearest_names;

use super::{open, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::figures;
use crate::figures::dollars;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Picker, PickerKind, PickerRow};
use crate::text::one_line;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["models"],
    arguments: "[NAME]",
    offer,
    ..SlashCommand::new("model", "choose the model of the next run", run)
};

/// Lists the models, or takes the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        return list(state);
    }
    match find(&state.about.models, rest) {
        Ok(name) => take(state, name),
        Err(why) => refuse(state, &format!("/model {rest}"), why),
    }
}

/// What may follow the word, after what already does.
fn offer(state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    let row = |model: &ModelRow| {
        let detail = match (model.is_ready, model.is_default) {
            (false, _) => "not ready: key missing or server not running",
            (true, true) => "the default",
            (true, false) => "",
        };
        Suggestion { is_possible: model.is_ready, ..Suggestion::whole(&one_line(&model.name), detail) }
    };
    earlier.is_empty().then(|| ("models", state.about.models.iter().map(row).collect()))
}

fn list(state: &mut TuiState) -> Vec<AppEffect> {
    let mut picker = Picker::new(PickerKind::Models, "Model of the next run", rows(state))
        .with_words("choose", "the host offers no models; `windlass models doctor` says why");
    picker.pending = 1;
    open(state, picker);
    vec![AppEffect::ListModels]
}

/// The models were listed: those that can be asked come first.
pub(in crate::update) fn fill(state: &mut TuiState, models: Vec<ModelRow>) {
    state.about.models = models;
    let rows = rows(state);
    if let Some(picker) = state.overlay.as_mut().and_then(|over| over.picker_mut(PickerKind::Models)) {
        picker.pending = 0;
        picker.set_rows(rows);
    }
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, name: &str) -> Vec<AppEffect> {
    state.overlay = None;
    take(state, name.to_owned())
}

fn take(state: &mut TuiState, name: String) -> Vec<AppEffect> {
    let known = state.about.models.iter().find(|model| model.name == name);
    let shown = one_line(&name);
    let text = match known {
        Some(model) if model.is_ready => format!("{shown} is used from the next run on"),
        Some(_) => format!(
            "{shown} is chosen, but its key is missing or its server is not running: `windlass models doctor {shown}` says more"
        ),
        None => format!(
            "{shown} is chosen; it is not in the list, so the next message will tell whether it answers"
        ),
    };
    state.about.model = Some(name);
    state.tell(text);
    Vec::new()
}

/// The whole name of a model: as it is listed, without its provider where that is clear, or one that nobody lists but
/// whose provider can be asked for it.
fn find(models: &[ModelRow], wanted: &str) -> Result<String, String> {
    if let Some(model) = models.iter().find(|model| model.name.eq_ignore_ascii_case(wanted)) {
        return Ok(model.name.clone());
    }
    let ends_so = |model: &&ModelRow| model.name.split_once('/').is_some_and(|(_, name)| name == wanted);
    let mut ending = models.iter().filter(ends_so);
    if let (Some(model), None) = (ending.next(), ending.next()) {
        return Ok(model.name.clone());
    }
    let shown = one_line(wanted);
    match nearest_names(wanted, models.iter().map(|model| model.name.as_str()), 1).first() {
        Some(near) => Err(format!("there is no model {shown}; did you mean {near}?")),
        None if wanted.contains('/') || models.is_empty() => Ok(wanted.to_owned()),
        None => {
            Err(format!("there is no model {shown}; /model lists them, and PROVIDER/MODEL names any other"))
        }
    }
}

fn rows(state: &TuiState) -> Vec<PickerRow> {
    let now = state.model();
    let row = |model: &ModelRow| {
        let badge = if model.is_ready { "ready" } else { "not ready" };
        PickerRow::new(&model.name, &model.name, facts(model)).with_badge(badge).current(model.name == now)
    };
    let (ready, others): (Vec<&ModelRow>, Vec<&ModelRow>) =
        state.about.models.iter().partition(|model| model.is_ready);
    ready.into_iter().chain(others).map(row).collect()
}

/// What is known of a model, in a line.
fn facts(model: &ModelRow) -> String {
    let mut facts = Vec::new();
    if !model.is_ready {
        facts.push("key missing or server not running".to_owned());
    }
    if let Some(tokens) = model.context_tokens {
        facts.push(format!("{} context", figures::tokens(tokens)));
    }
    if let Some(price) = model.price {
        let (read, write) = (dollars(price.input), dollars(price.output));
        facts.push(format!("{read} in, {write} out per M"));
    }
    match model.has_tools {
        Some(true) => facts.push("tools".to_owned()),
        Some(false) => facts.push("no tools".to_owned()),
        None => {}
    }
    if model.has_reasoning == Some(true) {
        facts.push("thinks".to_owned());
    }
    facts.join(" · ")
}
