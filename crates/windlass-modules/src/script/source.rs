//! A script as its file says it: what is called in it, what it can do, and its spec as a tool.
//!
//! What a script can do is read off its text: a function that the text does not name cannot be called, even by a
//! name that is put together while it runs. So what is computed here is the least that its spec must say.

use rhai::{AST, FnAccess};
use windlass_core::protocol::tool::{Effects, Risk, Scope, ToolSpec};

use super::doc::{Declaration, bare_lines};
use super::fault::ScriptToolError;
use super::limits::ScriptLimits;
use super::sandbox::bounded_engine;
use super::span::find_body;

/// How anonymous functions are named.
const ANONYMOUS: &str = "anon$";

/// Names of functions that only some scripts may call, as their text has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ScriptAbilities {
    pub(crate) calls: bool,
    pub(crate) http: bool,
    pub(crate) files: bool,
    pub(crate) remembers: bool,
    /// Whether its outcome may be another one next time, though nothing changed here.
    varies: bool,
}

impl ScriptAbilities {
    fn of(text: &str) -> Self {
        let names = |name: &str| text.contains(name);
        Self {
            calls: names("call_tool"),
            http: names("http_get"),
            files: names("read_file"),
            remembers: names("state_set"),
            varies: names("state_get") || names("timestamp"),
        }
    }

    /// The least that can be said of its effects. What another tool does cannot be judged here.
    fn effects(self) -> Effects {
        if self.calls || self.http {
            Effects::External
        } else if self.remembers {
            Effects::Write
        } else if self.files || self.varies {
            Effects::Read
        } else {
            Effects::Pure
        }
    }

    /// The least risk. Calls that it makes are judged one by one; what comes from the network is not.
    fn risk(self) -> Risk {
        if self.http { Risk::High } else { Risk::Low }
    }
}

/// What is called in a script.
#[derive(Debug, Clone)]
pub(crate) enum EntryPoint {
    /// A function without parameters, or with one: the arguments.
    Function { name: String, takes_args: bool },
    /// The same, its body standing after the statements of the file: an error that stops a script loses its place on
    /// the way out of a function.
    Unrolled { ast: Box<AST>, param: Option<String> },
    /// Its statements, which find the arguments as `args`. A function that they give is called.
    Body,
}

/// A script that was read and checked.
#[derive(Debug, Clone)]
pub(crate) struct ScriptSource {
    pub(crate) text: String,
    pub(crate) ast: AST,
    pub(crate) entry: EntryPoint,
    pub(crate) abilities: ScriptAbilities,
    pub(crate) spec: ToolSpec,
}

/// A function of the file.
struct ScriptFunction {
    name: String,
    params: usize,
    comments: String,
}

impl ScriptSource {
    /// Reads a script. `file` is how its errors name it, `name` what its tool is called.
    pub(crate) fn read(
        file: &str,
        name: &str,
        text: &str,
        limits: &ScriptLimits,
    ) -> Result<Self, ScriptToolError> {
        let mut ast =
            bounded_engine(limits).compile(text).map_err(|error| ScriptToolError::of_parser(file, &error))?;
        ast.set_source(name);
        let functions = public_functions(&ast);
        let entry = choose_entry(file, name, &functions)?;
        let mut lines = bare_lines(ast.doc());
        if let EntryPoint::Function { name, .. } = &entry {
            let own = functions.iter().filter(|function| function.name == *name);
            lines.extend(own.flat_map(|function| bare_lines(&function.comments)));
        }
        let declared = Declaration::read(&lines)
            .map_err(|bad| ScriptToolError::of_line(file, line_of(text, &bad.line), bad.message))?;
        let takes_args = !matches!(entry, EntryPoint::Function { takes_args: false, .. });
        if !takes_args && !declared.params.is_empty() {
            let message =
                "the function takes no arguments, and its comments declare some; give it one parameter";
            return Err(ScriptToolError::of_line(file, line_of(text, "@param"), message));
        }
        let entry = unroll(entry, &ast, text, limits);
        let abilities = ScriptAbilities::of(text);
        let spec = spec_of(name, &declared, takes_args, abilities);
        spec.check().map_err(|error| ScriptToolError::of_file(file, error.to_string()))?;
        Ok(Self { text: text.to_owned(), ast, entry, abilities, spec })
    }
}

fn public_functions(ast: &AST) -> Vec<ScriptFunction> {
    let mut functions: Vec<ScriptFunction> = ast
        .iter_functions()
        .filter(|function| matches!(function.access, FnAccess::Public))
        .filter(|function| !function.name.starts_with(ANONYMOUS) && function.this_type.is_none())
        .map(|function| ScriptFunction {
            name: function.name.to_owned(),
            params: function.params.len(),
            comments: function.comments.join("\n"),
        })
        .collect();
    functions.sort_by(|a, b| (&a.name, a.params).cmp(&(&b.name, b.params)));
    functions
}

/// The function of the file's name, else the only one, else the file itself.
fn choose_entry(file: &str, name: &str, functions: &[ScriptFunction]) -> Result<EntryPoint, ScriptToolError> {
    let called: Vec<&ScriptFunction> = match functions.iter().any(|function| function.name == name) {
        true => functions.iter().filter(|function| function.name == name).collect(),
        false => functions.iter().collect(),
    };
    // The one with more parameters comes last.
    let Some(chosen) = called.last() else { return Ok(EntryPoint::Body) };
    if called.iter().any(|function| function.name != chosen.name) {
        let names: Vec<&str> = called.iter().map(|function| function.name.as_str()).collect();
        let message = format!(
            "there is no function '{name}', and several others ({}): name one of them '{name}', or the others private",
            names.join(", ")
        );
        return Err(ScriptToolError::of_file(file, message));
    }
    match called.iter().rfind(|function| function.params <= 1) {
        Some(function) => {
            Ok(EntryPoint::Function { name: function.name.clone(), takes_args: function.params == 1 })
        }
        None => {
            let message = format!(
                "function '{}' has {} parameters; a tool has none, or one: the map of its arguments",
                chosen.name, chosen.params
            );
            Err(ScriptToolError::of_file(file, message))
        }
    }
}

/// Puts the body of the entry's function where it loses no places, if it is found in the text. All that is not of the
/// body is blank, so that lines and columns stay.
fn unroll(entry: EntryPoint, ast: &AST, text: &str, limits: &ScriptLimits) -> EntryPoint {
    let EntryPoint::Function { name, takes_args } = &entry else { return entry };
    let Some(found) = find_body(text, name, *takes_args) else { return entry };
    let blank = |(at, c): (usize, char)| if found.range.contains(&at) || c == '\n' { c } else { ' ' };
    let body: String = text.char_indices().map(blank).collect();
    match bounded_engine(limits).compile(&body) {
        Ok(body) => EntryPoint::Unrolled { ast: Box::new(ast.merge(&body)), param: found.param },
        Err(_) => entry,
    }
}

fn spec_of(name: &str, declared: &Declaration, takes_args: bool, abilities: ScriptAbilities) -> ToolSpec {
    let description = match declared.description.as_str() {
        "" => format!("The script {name}."),
        told => told.to_owned(),
    };
    let effects = stronger(abilities.effects(), declared.effects.unwrap_or(Effects::Pure));
    let risk = abilities.risk().max(declared.risk.unwrap_or(Risk::Safe));
    let mut spec = ToolSpec::new(name, description).with_effects(effects, risk);
    if takes_args {
        spec = spec.with_schema(declared.schema());
    }
    if abilities.http {
        spec.scopes.push(Scope::NetworkAccess);
    }
    if abilities.files {
        spec.scopes.push(Scope::ReadFiles);
    }
    spec.idempotent = effects.is_read_only();
    spec.untrusted_output = abilities.calls || abilities.http || abilities.files;
    spec
}

/// The one of two effects that does more.
fn stronger(one: Effects, other: Effects) -> Effects {
    let weight = |effects: Effects| match effects {
        Effects::Pure => 0,
        Effects::Read => 1,
        Effects::Write => 2,
        Effects::External => 3,
    };
    if weight(other) > weight(one) { other } else { one }
}

/// The line of a text that holds this.
fn line_of(text: &str, held: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(held)).map(|index| index.saturating_add(1))
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
