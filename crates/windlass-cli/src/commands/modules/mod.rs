//! `windlass modules list / show / check / run / script / eval / optimize`.
//!
//! - `check`: every file of a folder, looked at
//! - `trial`: runs of modules that are not on a shelf yet, one after another
//! - `exam`: cases put to a module, and what its answers are worth
//! - `runs`: runs of modules that are on a shelf, followed by a front end
//! - `once`, `script`, `eval`, `optimize`: one run, a script that calls modules, many cases, a better version

mod check;
mod eval;
mod exam;
mod once;
mod optimize;
mod runs;
mod script;
mod trial;

use serde_json::{Map, Value, json};
use windlass_core::ports::host::{ModuleField, ModuleRow, ModulesPort};
use windlass_modules::{FieldType, Module};

use crate::args::{GlobalArgs, ModulesCommand};
use crate::commands::tools::read_arguments;
use crate::complaint::{CommandError, Result};
use crate::exit::Exit;
use crate::project::modules::{prompt_of, row_of};
use crate::terminal::out::{print, print_json, print_line, warn};
use crate::terminal::short_line::short_line;
use crate::terminal::table::lay_out;
use crate::wiring::Wiring;

/// Characters of an instruction in the list.
const INSTRUCTION_CHARS_MAX: usize = 70;

pub(crate) fn run(global: &GlobalArgs, command: ModulesCommand) -> Result<Exit> {
    match command {
        ModulesCommand::List { tag } => list(global, tag.as_deref())?,
        ModulesCommand::Show { id, input } => show(global, &id, input.as_deref())?,
        ModulesCommand::Check { folder, write_hashes } => {
            return check::run(global, folder.as_deref(), write_hashes);
        }
        ModulesCommand::Run(args) => return once::run(global, &args),
        ModulesCommand::Script(args) => return script::run(global, &args),
        ModulesCommand::Eval(args) => return eval::run(global, &args),
        ModulesCommand::Optimize(args) => return optimize::run(global, &args),
    }
    Ok(Exit::Done)
}

fn list(global: &GlobalArgs, tag: Option<&str>) -> Result<()> {
    let wiring = Wiring::plain(global)?;
    let mut shelf = wiring.modules.shelf();
    if let Some(tag) = tag {
        shelf.modules.retain(|row| row.tags.iter().any(|own| own == tag));
    }
    if global.json {
        return print_json(&shelf);
    }
    for fault in shelf.faults.iter().filter(|_| !global.quiet) {
        warn(&format!("{} is left out: {}", fault.path, fault.message));
    }
    if shelf.modules.is_empty() {
        let folders = shelf.folders.join(" and ");
        return print_line(&match tag {
            Some(tag) => format!("there is no module with the tag '{tag}'"),
            None => format!(
                "there are no modules; they live in {folders}, each named in manifest.json (docs/modules.md)"
            ),
        });
    }
    let head = ["MODULE", "VERSION", "PREDICTOR", "TOOLS", "SCORE", "TAKES → GIVES"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(shelf.modules.iter().map(list_row)).collect();
    print(&lay_out(&rows))
}

fn list_row(row: &ModuleRow) -> [String; 6] {
    let names = |fields: &[ModuleField]| {
        fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let signature = format!("{} → {}", names(&row.inputs), names(&row.outputs));
    [
        row.module_id.clone(),
        dash(&row.version),
        row.predictor.clone(),
        tools_of(row),
        row.metric_score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}")),
        short_line(&signature, INSTRUCTION_CHARS_MAX),
    ]
}

fn dash(text: &str) -> String {
    if text.is_empty() { "–".to_owned() } else { text.to_owned() }
}

fn tools_of(row: &ModuleRow) -> String {
    match (&row.tools, row.has_tools) {
        (_, false) => "none".to_owned(),
        (None, true) => "all".to_owned(),
        (Some(tools), true) => tools.join(", "),
    }
}

fn show(global: &GlobalArgs, id: &str, input: Option<&str>) -> Result<()> {
    let wiring = Wiring::plain(global)?;
    let module = wiring.modules.get(id)?;
    let row = wiring.modules.shelf().modules.into_iter().find(|row| row.module_id == id);
    let row = row.unwrap_or_else(|| row_of(&module, Vec::new()));
    let message = match input {
        Some(typed) => Value::Object(read_input(&module, typed)?).to_string(),
        None => Value::Object(in_words(&module)).to_string(),
    };
    let request = wiring.modules.request(&module, &message).map_err(CommandError::usage)?;
    let prompt = prompt_of(&request);
    if global.json {
        return print_json(&json!({"module": row, "prompt": prompt}));
    }
    let mut text = describe(&row);
    text.push_str("\nPrompt\n");
    text.push_str(&section("system", &prompt.system));
    for message in &prompt.messages {
        text.push_str(&section(&message.role, &message.text));
    }
    print(&text)
}

/// Words in place of values, so that a prompt can be shown without inputs. What needs another type has the plainest one.
fn in_words(module: &Module) -> Map<String, Value> {
    let fields = module.signature.inputs.iter().filter(|field| !field.is_optional());
    let stand_in = |field_type: FieldType, name: &str| match field_type {
        FieldType::String | FieldType::Json => Value::String(format!("<{name}>")),
        FieldType::Integer | FieldType::Number => 0.into(),
        FieldType::Boolean => false.into(),
        FieldType::Array => Value::Array(Vec::new()),
        FieldType::Object => Value::Object(Map::new()),
    };
    fields.map(|field| (field.name.clone(), stand_in(field.field_type, &field.name))).collect()
}

fn section(name: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
    format!("  {name}\n{lines}")
}

/// A module for people.
fn describe(row: &ModuleRow) -> String {
    let mut text = format!("{}\n\n{}\n\n", row.module_id, row.instruction.trim());
    for (name, fields) in [("Inputs", &row.inputs), ("Outputs", &row.outputs)] {
        let rows: Vec<[String; 3]> = fields
            .iter()
            .map(|field| {
                let about = field.description.as_deref().unwrap_or_default();
                [format!("  {}", field.name), field.field_type.clone(), about.to_owned()]
            })
            .collect();
        text.push_str(&format!("{name}\n{}\n", lay_out(&rows)));
    }
    let own = |name: &str, value: String| [name.to_owned(), value];
    text.push_str(&lay_out(&[
        own("predictor", row.predictor.clone()),
        own("tools", tools_of(row)),
        own("examples", row.demos.to_string()),
        own("version", dash(&row.version)),
        own("made by", dash(&row.optimizer)),
        own("score", row.metric_score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"))),
        own("tags", dash(&row.tags.join(", "))),
        own("model name", row.model.clone()),
    ]));
    text
}

/// The inputs of a module as they were typed: an object, or text for its one input.
fn read_input(module: &Module, typed: &str) -> Result<Map<String, Value>> {
    let text = read_arguments(typed)?;
    // An object is meant as one, also where its names are wrong; anything else is text for the one input.
    let inputs = match serde_json::from_str(&text) {
        Ok(Value::Object(inputs)) => Ok(inputs),
        Ok(_) | Err(_) => windlass_modules::read_inputs(module, &text),
    };
    let inputs = inputs.and_then(|inputs| module.signature.check_inputs(&inputs).map(|()| inputs));
    inputs.map_err(|error| {
        CommandError::usage(error.to_string())
            .at(format!("--input of module '{}'", module.module_id))
            .cure(format!("windlass modules show {}", module.module_id))
    })
}
