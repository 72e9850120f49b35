//! Cases: inputs of a module and the outputs that are expected, one JSON object a line.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::module::Module;

/// Cases that a file may have: more take days to ask.
const CASES_MAX: usize = 100_000;

#[derive(Debug, Clone, PartialEq)]
pub struct ModuleCase {
    /// The line of the file.
    pub line: usize,
    /// What the module is given.
    pub inputs: Map<String, Value>,
    /// What is expected of it; outputs that are not named do not count.
    pub outputs: Map<String, Value>,
}

/// Why a file of cases cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct BadCase {
    /// The line, from 1; 0 when it is the whole.
    pub line: usize,
    /// The column, from 1; 0 when it is the whole line.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCase {
    inputs: Map<String, Value>,
    #[serde(default)]
    outputs: Map<String, Value>,
}

/// Reads a file of cases for a module: `{"inputs": {…}, "outputs": {…}}` a line, empty lines left out. Inputs must be
/// what the module takes, and outputs must be of those that it gives.
pub fn read_cases(text: &str, module: &Module) -> Result<Vec<ModuleCase>, BadCase> {
    let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let cases: Vec<ModuleCase> =
        lines.map(|(line, text)| read_case(line, text, module)).collect::<Result<_, _>>()?;
    let whole = |why: &str| BadCase { line: 0, column: 0, why: why.to_owned() };
    match cases.len() {
        0 => Err(whole("there is no case in it")),
        count if count > CASES_MAX => {
            Err(whole(&format!("there are {count} cases in it; {CASES_MAX} are the most")))
        }
        _ => Ok(cases),
    }
}

fn read_case(line: usize, text: &str, module: &Module) -> Result<ModuleCase, BadCase> {
    let written: WrittenCase = serde_json::from_str(text).map_err(|error| BadCase {
        line,
        column: error.column(),
        why: words_of(&error),
    })?;
    let whole = |why: String| BadCase { line, column: 0, why };
    module.signature.check_inputs(&written.inputs).map_err(|error| whole(error.to_string()))?;
    let known: Vec<&str> = module.signature.outputs.iter().map(|field| field.name.as_str()).collect();
    if let Some(name) = written.outputs.keys().find(|name| !known.contains(&name.as_str())) {
        let known = known.join(", ");
        return Err(whole(format!(
            "'{name}' is expected, but the outputs of {} are: {known}",
            module.module_id
        )));
    }
    Ok(ModuleCase { line, inputs: written.inputs, outputs: written.outputs })
}

/// What is wrong, without the place: it is said beside it.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

#[cfg(test)]
#[path = "case_tests.rs"]
mod tests;
