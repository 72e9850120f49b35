//! How a module asks a model: one request becomes another. Pure, without a clock, in the order of the signature.
//!
//! The system text and the demos are the same in every request of a module, so that providers may keep them. The
//! inputs are the last thing that the user said; what was said before is no business of a module.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_core::calls::dialect::field::{CALL_FIELD, TOOLS_FIELD, next_input, tool_items};
use windlass_core::calls::json::parse::parse_value;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind, ModelRequest, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::ToolSpec;

use crate::error::ModuleError;
use crate::model::ToolUse;
use crate::module::{Demo, Module, Predictor};
use crate::outputs::{fit_value, read_text};
use crate::signature::{CONTEXT_FIELD, Field, FieldType, REASONING_FIELD};

/// Characters that providers allow in the name of an answer's form.
const FORM_NAME_CHARS_MAX: usize = 64;

/// Writes the request that a module asks its model by, of the request that the run machine made.
pub fn write_request(
    module: &Module,
    mode: &ToolUse,
    request: ModelRequest,
) -> Result<ModelRequest, ModelFailure> {
    FixedPrompt::of(module, mode).write(module, mode, request)
}

/// The part of a module's requests that never changes.
#[derive(Debug, Clone)]
pub(crate) struct FixedPrompt {
    system: Arc<str>,
    examples: Vec<Arc<Message>>,
}

impl FixedPrompt {
    pub(crate) fn of(module: &Module, mode: &ToolUse) -> Self {
        Self { system: system_text(module, mode).into(), examples: examples(module, mode) }
    }

    pub(crate) fn write(
        &self,
        module: &Module,
        mode: &ToolUse,
        request: ModelRequest,
    ) -> Result<ModelRequest, ModelFailure> {
        let said =
            request.messages.iter().rposition(|message| matches!(message.as_ref(), Message::User { .. }));
        let said = said.ok_or_else(|| failure("nothing was said, so the module has no inputs".to_owned()))?;
        let (_, from_said) = request.messages.split_at_checked(said).unwrap_or_default();
        let Some((user, after)) = from_said.split_first() else {
            return Err(failure("the inputs are gone".to_owned()));
        };
        let tools = shown_tools(module, mode, &request);
        let inputs = read_inputs(module, &user.text()).map_err(|error| failure(reason(error)))?;
        let inputs = match mode {
            ToolUse::Fields { context_field } => {
                let items = tool_items(tools.iter().map(AsRef::as_ref));
                next_input(&inputs, &items, context_field, after)
            }
            ToolUse::Plain | ToolUse::Native => inputs,
        };
        let mut messages = self.examples.clone();
        messages.push(Arc::new(input_message(module, mode, &inputs, user)));
        messages.extend(tail(mode, request.purpose, after));
        let is_reform = is_reform(request.purpose, after);
        let mut written = ModelRequest {
            system: Arc::clone(&self.system),
            examples: self.examples.len(),
            messages: Arc::new(messages),
            ..request
        };
        fit_tools(&mut written, mode, &tools, is_reform);
        let answers_only = written.tools.is_empty() || written.tool_choice == ToolChoice::Forbidden;
        // Few providers take a form of the answer while calls are open; there the answer is checked at its end.
        written.sampling.response_format = answers_only.then(|| response_format(module, mode, &tools));
        Ok(written)
    }
}

fn failure(message: String) -> ModelFailure {
    ModelFailure::fatal(ModelFailureKind::Inputs, message)
}

fn reason(error: ModuleError) -> String {
    match error {
        ModuleError::Parse(message) => message,
        other => other.to_string(),
    }
}

/// Reads the inputs of a module: an object of them, or plain text where one alone is the caller's.
pub fn read_inputs(module: &Module, text: &str) -> Result<Map<String, Value>, ModuleError> {
    let signature = &module.signature;
    let is_free = |field: &&Field| field.name != CONTEXT_FIELD && field.name != TOOLS_FIELD;
    let free: Vec<&Field> = signature.inputs.iter().filter(is_free).collect();
    let own = match free.as_slice() {
        [own] => Some(*own),
        // A module may take nothing but context.
        [] => signature.input(CONTEXT_FIELD),
        _ => None,
    };
    let object = match parse_value(text.trim()) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    };
    let names_input = |object: &Map<String, Value>| object.keys().any(|key| signature.input(key).is_some());
    let inputs = match (object, own) {
        (Some(object), None) => object,
        (Some(object), Some(_)) if object.is_empty() || names_input(&object) => object,
        (_, Some(own)) => Map::from_iter([(own.name.clone(), read_text(own, text))]),
        (None, None) => {
            let names: Vec<&str> = signature.inputs.iter().map(|field| field.name.as_str()).collect();
            let message = format!(
                "the module {} takes a JSON object with the inputs {}",
                module.module_id,
                names.join(", ")
            );
            return Err(ModuleError::Parse(message));
        }
    };
    let fit = |(name, value): (String, Value)| match signature.input(&name) {
        Some(field) if field.field_type != FieldType::String => {
            let value = fit_value(field, &value);
            (name, value)
        }
        Some(_) | None => (name, value),
    };
    let mut inputs: Map<String, Value> = inputs.into_iter().map(fit).collect();
    // Where outcomes are appended, what is no text counts as empty.
    if signature.input(TOOLS_FIELD).is_some() && !inputs.get(CONTEXT_FIELD).is_some_and(Value::is_string) {
        inputs.shift_remove(CONTEXT_FIELD);
    }
    signature.check_inputs(&inputs)?;
    Ok(inputs)
}

/// The tools that the model gets to know.
fn shown_tools(module: &Module, mode: &ToolUse, request: &ModelRequest) -> Arc<[Arc<ToolSpec>]> {
    let is_shown = |spec: &Arc<ToolSpec>| module.may_use(&spec.name);
    match mode {
        ToolUse::Plain => Arc::new([]),
        ToolUse::Fields { .. } if request.tool_choice == ToolChoice::Forbidden => Arc::new([]),
        ToolUse::Fields { .. } => request.tools.iter().filter(|spec| is_shown(spec)).cloned().collect(),
        ToolUse::Native if request.tools.iter().all(is_shown) => Arc::clone(&request.tools),
        ToolUse::Native => request.tools.iter().filter(|spec| is_shown(spec)).cloned().collect(),
    }
}

fn fit_tools(request: &mut ModelRequest, mode: &ToolUse, tools: &Arc<[Arc<ToolSpec>]>, is_reform: bool) {
    match mode {
        ToolUse::Native => {
            request.tools = Arc::clone(tools);
            // What is wrong with an answer is not put right by another call.
            if is_reform {
                request.tool_choice = ToolChoice::Forbidden;
            }
        }
        ToolUse::Plain | ToolUse::Fields { .. } => {
            request.tools = Arc::new([]);
            request.tool_choice = ToolChoice::Auto;
        }
    }
}

/// Whether the model is asked for an answer once more, and not for a call.
fn is_reform(purpose: StepPurpose, after: &[Arc<Message>]) -> bool {
    purpose == StepPurpose::Correction && after.last().is_some_and(|last| is_words(last))
}

fn is_words(message: &Message) -> bool {
    matches!(message, Message::Assistant { .. }) && message.calls().next().is_none()
}

/// What was said after the inputs and still counts. Outcomes of field calls are in the context already; an answer
/// that must be put right or continued has to be seen.
fn tail(mode: &ToolUse, purpose: StepPurpose, after: &[Arc<Message>]) -> Vec<Arc<Message>> {
    match mode {
        ToolUse::Native => return after.to_vec(),
        ToolUse::Plain | ToolUse::Fields { .. } => {}
    }
    let shows_answer = match purpose {
        StepPurpose::Correction | StepPurpose::Continuation => true,
        StepPurpose::Work | StepPurpose::Finalise => false,
    };
    let answers = after.iter().rev().take_while(|message| shows_answer && is_words(message)).count();
    let begin = after.len().saturating_sub(answers);
    let is_kept = |(at, message): &(usize, &Arc<Message>)| {
        *at >= begin || matches!(message.as_ref(), Message::Note { .. })
    };
    after.iter().enumerate().filter(is_kept).map(|(_, message)| Arc::clone(message)).collect()
}

fn system_text(module: &Module, mode: &ToolUse) -> String {
    let signature = &module.signature;
    let mut blocks = Vec::new();
    if !module.instruction.trim().is_empty() {
        blocks.push(module.instruction.trim().to_owned());
    }
    let inputs: Vec<&Field> = match mode {
        // Tools come by the provider's own way.
        ToolUse::Native => signature.inputs.iter().filter(|field| field.name != TOOLS_FIELD).collect(),
        ToolUse::Plain | ToolUse::Fields { .. } => signature.inputs.iter().collect(),
    };
    if !inputs.is_empty() {
        blocks.push(format!("You are given:\n{}", list(inputs.into_iter())));
    }
    let ask = match mode {
        ToolUse::Native => {
            "Call the tools you need. Once you know enough, answer with one JSON object and nothing else. Its fields, in this order:"
        }
        ToolUse::Plain | ToolUse::Fields { .. } => {
            "Answer with one JSON object and nothing else. Its fields, in this order:"
        }
    };
    blocks.push(format!("{ask}\n{}", list(signature.outputs.iter())));
    match module.predictor {
        Predictor::ChainOfThought => blocks.push(format!(
            "Think step by step in '{REASONING_FIELD}' first; the other fields follow from what you found there."
        )),
        Predictor::Predict | Predictor::React => {}
    }
    if let ToolUse::Fields { context_field } = mode {
        blocks.push(format!(
            "If you need one of the {TOOLS_FIELD} before you can answer, put {{\"name\": its name, \"args\": its arguments}} into '{CALL_FIELD}': you are asked again with what it returned in '{context_field}'. Once you can answer, '{CALL_FIELD}' is null."
        ));
    }
    blocks.join("\n\n")
}

fn list<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
    let line = |field: &'a Field| {
        let kind = match field.field_type {
            FieldType::Json => "JSON or null",
            FieldType::String
            | FieldType::Integer
            | FieldType::Number
            | FieldType::Boolean
            | FieldType::Array
            | FieldType::Object => field.field_type.word(),
        };
        match &field.description {
            Some(description) => format!("- {} ({kind}): {description}", field.name),
            None => format!("- {} ({kind})", field.name),
        }
    };
    fields.map(line).collect::<Vec<_>>().join("\n")
}

/// The demos, as if they had been said.
fn examples(module: &Module, mode: &ToolUse) -> Vec<Arc<Message>> {
    let write = |demo: &Demo| {
        let outputs: Map<String, Value> = module
            .signature
            .outputs
            .iter()
            .filter_map(|field| Some((field.name.clone(), fit_value(field, demo.outputs.get(&field.name)?))))
            .collect();
        let user = Message::user(input_text(module, mode, &demo.inputs));
        [Arc::new(user), Arc::new(Message::assistant(Value::Object(outputs).to_string()))]
    };
    module.demos.iter().flat_map(write).collect()
}

/// The inputs as one message; pictures stay with it.
fn input_message(module: &Module, mode: &ToolUse, inputs: &Map<String, Value>, user: &Message) -> Message {
    let mut parts = vec![Part::text(input_text(module, mode, inputs))];
    if let Message::User { parts: given } = user {
        parts.extend(given.iter().filter(|part| matches!(part, Part::Image { .. })).cloned());
    }
    Message::User { parts }
}

/// One line `name: value` for each input; text as it is, so that what tools returned stands there literally.
fn input_text(module: &Module, mode: &ToolUse, inputs: &Map<String, Value>) -> String {
    let own = module.signature.inputs.iter().map(|field| field.name.as_str());
    // The caller may want outcomes in a field of its own choice.
    let added = match mode {
        ToolUse::Fields { context_field } if module.signature.input(context_field).is_none() => {
            Some(context_field.as_str())
        }
        ToolUse::Plain | ToolUse::Fields { .. } | ToolUse::Native => None,
    };
    let line = |name: &str| match inputs.get(name)? {
        Value::String(text) => Some(format!("{name}: {text}")),
        other => Some(format!("{name}: {other}")),
    };
    own.chain(added).filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The form of the answer, in OpenAI's words.
fn response_format(module: &Module, mode: &ToolUse, tools: &[Arc<ToolSpec>]) -> Value {
    let signature = &module.signature;
    let mut schema = signature.outputs_schema();
    if let (ToolUse::Fields { .. }, Some(name)) =
        (mode, schema.pointer_mut(&format!("/properties/{CALL_FIELD}/anyOf/0/properties/name")))
        && !tools.is_empty()
    {
        let names: Vec<&str> = tools.iter().map(|spec| spec.name.as_str()).collect();
        *name = json!({"type": "string", "enum": names});
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = module
        .module_id
        .chars()
        .take(FORM_NAME_CHARS_MAX)
        .map(|c| if is_allowed(c) { c } else { '_' })
        .collect();
    // Strict forms describe everything to the last field; a list or an object of a signature does not.
    let is_strict = signature.outputs.iter().all(|field| match field.field_type {
        FieldType::String | FieldType::Integer | FieldType::Number | FieldType::Boolean => true,
        FieldType::Array | FieldType::Object | FieldType::Json => false,
    });
    json!({"type": "json_schema", "json_schema": {"name": name, "strict": is_strict, "schema": schema}})
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
