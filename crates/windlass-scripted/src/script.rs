//! What a script says: its header and its happenings, one a line.
//!
//! Plain data. Reading and writing the text form is the business of `parse` and `print`; what a
//! happening does is decided by whoever plays it.

use serde_json::Value;
use windlass_core::permission::{ApproveMode, PermissionAnswer};
use windlass_core::protocol::event::{RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::model::{Finish, ModelFailure, StepPurpose, ToolChoice, Usage};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, ToolFailure, ToolOutcome, ToolOutput};

#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The file it came from, as the user wrote it; for error messages and the model's name.
    pub name: String,
    /// How it wants to be played.
    pub header: ScriptHeader,
    /// What happens, in order.
    pub lines: Vec<ScriptLine>,
}

/// One happening and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptLine {
    /// Line of the file, from 1.
    pub number: u32,
    pub happening: ScriptHappening,
}

/// How a script wants to be played. What is not said is left to whoever plays it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScriptHeader {
    /// `title`: what the script shows.
    pub title: Option<String>,
    /// `profile`: the profile of its runs.
    pub profile: Option<String>,
    /// `root`: the project root, relative to the current folder.
    pub root: Option<String>,
    /// `approve`: what happens to calls that need asking.
    pub approve: Option<ApproveMode>,
    /// `max-steps`: most steps of a run.
    pub steps_max: Option<u32>,
    /// `limit NAME N`: other limits, by their names in the configuration.
    pub limits: Vec<(String, u64)>,
    /// `allow`: rules that allow.
    pub allow: Vec<String>,
    /// `deny`: rules that deny.
    pub deny: Vec<String>,
    /// `tools-allowed`: whether tools may be used at all.
    pub tools_allowed: Option<bool>,
    /// `chunk`: how text is cut into deltas.
    pub chunk: TextChunking,
    /// `interleave`: whether the calls of a step arrive in turns, piece by piece.
    pub interleave: bool,
}

/// How text is cut into deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextChunking {
    /// A word at a time, with the space after it.
    #[default]
    Words,
    /// So many characters at a time.
    Chars(usize),
    All,
}

/// Something that happens, or that must have happened.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptHappening {
    /// `user TEXT`: a message of the user; begins a run.
    User(String),
    /// `model …`: a piece of a model step.
    Model(ModelLine),
    /// `approve N …`, `deny N`: the user answers the question about a call.
    Answer { call: u32, answer: PermissionAnswer },
    /// `tool N …`: a call ends. Ignored when real tools run.
    Tool { call: u32, ending: CallEnding },
    /// `cancel`: the user stops the run.
    Cancel,
    /// `deadline`: the run is out of time.
    Deadline,
    /// `expect-request …`: what the next model request must look like.
    ExpectRequest(RequestExpectation),
    /// `expect… …`: what must have happened.
    Expect(Expectation),
}

/// A piece of a model step.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelLine {
    /// `text`: a line of the answer.
    Text(String),
    /// `reasoning`: a line of thinking.
    Reasoning(String),
    /// `reasoning-state`: opaque provider state, closing the thinking so far.
    ReasoningState(JsonText),
    /// `call`, `raw-call`, `value-call`: a call.
    Call(CallLine),
    /// `delay`: the model takes its time.
    Delay { delay_ms: u64 },
    /// `usage`: token counts.
    Usage(Usage),
    /// `end`: the step is over.
    End(Finish),
    /// `cut`: the stream ends without a finish.
    Cut,
    /// `hang`: nothing more comes, but the stream stays open.
    Hang,
    /// `fail`, `fail!`: the provider fails.
    Fail(ModelFailure),
}

impl ModelLine {
    /// Whether the step is over after this line.
    pub fn is_ending(&self) -> bool {
        match self {
            ModelLine::End(_) | ModelLine::Cut | ModelLine::Hang | ModelLine::Fail(_) => true,
            ModelLine::Text(_)
            | ModelLine::Reasoning(_)
            | ModelLine::ReasoningState(_)
            | ModelLine::Call(_)
            | ModelLine::Delay { .. }
            | ModelLine::Usage(_) => false,
        }
    }
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct CallLine {
    /// Its number in the script, by which other lines mean it.
    pub number: u32,
    pub id: ProviderId,
    /// The tool, as the model writes it.
    pub name: String,
    /// How the arguments are sent.
    pub form: ArgsForm,
    /// The arguments, as written; empty is empty.
    pub args: String,
}

impl CallLine {
    /// The id that the provider sends with the call.
    pub fn provider_id(&self) -> Option<String> {
        match &self.id {
            ProviderId::Numbered => Some(format!("script_{}", self.number)),
            ProviderId::Given(id) => Some(id.clone()),
            ProviderId::Absent => None,
        }
    }

    /// The arguments as a value, for `value-call`.
    pub fn args_value(&self) -> Value {
        serde_json::from_str(&self.args).unwrap_or(Value::Null)
    }
}

/// The provider's id of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderId {
    /// `script_N`, where N is the call's number.
    Numbered,
    /// `id=TEXT`.
    Given(String),
    /// `id=-`: none is sent.
    Absent,
}

/// How arguments are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgsForm {
    /// `call`: JSON text in pieces.
    Text,
    /// `raw-call`: any text, broken or not, in pieces.
    Raw,
    /// `value-call`: a JSON value in one piece, as Ollama sends it (Z-23).
    Value,
}

/// JSON as it stands in the script, known to be well formed.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonText {
    text: String,
    value: Value,
}

impl JsonText {
    /// Reads JSON; the text is kept as it is.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Ok(Self { text: text.to_owned(), value: serde_json::from_str(text)? })
    }

    /// The JSON as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn value(&self) -> &Value {
        &self.value
    }
}

/// How a scripted call ends.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEnding {
    /// `ok JSON`.
    Ok(JsonText),
    /// `text TEXT`: a success that is text.
    Text(String),
    /// `fill CHARS`: a success that is a long text.
    Fill { chars: usize },
    /// `fail KIND MESSAGE`.
    Fail {
        /// What kind of failure.
        kind: ErrorKind,
        message: String,
    },
    /// `timeout`: stopped by its time limit.
    Timeout,
    /// `hang`: it never ends by itself.
    Hang,
}

impl CallEnding {
    /// The outcome, unless the call hangs.
    pub fn outcome(&self) -> Option<ToolOutcome> {
        let outcome = match self {
            CallEnding::Ok(json) => ToolOutcome::ok(ToolOutput::json(json.value().clone())),
            CallEnding::Text(text) => ToolOutcome::ok(ToolOutput::text(text.clone())),
            CallEnding::Fill { chars } => ToolOutcome::ok(ToolOutput::text(fill(*chars))),
            CallEnding::Fail { kind, message } => {
                ToolOutcome::failed(ToolFailure::new(*kind, message.clone()))
            }
            CallEnding::Timeout => {
                ToolOutcome::failed(ToolFailure::new(ErrorKind::Timeout, "The call took too long"))
            }
            CallEnding::Hang => return None,
        };
        Some(outcome)
    }
}

/// Numbered lines, so that a test can see which part of a long text is left.
fn fill(chars: usize) -> String {
    let mut text = String::with_capacity(chars.saturating_add(16));
    let mut line = 1_u64;
    while text.len() < chars {
        text.push_str(&format!("line {line}\n"));
        line = line.saturating_add(1);
    }
    text.truncate(chars);
    text
}

/// What the next model request must look like.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestExpectation {
    /// `contains TEXT`: somewhere in system text, history or trailer.
    Contains(String),
    /// `lacks TEXT`: nowhere in them.
    Lacks(String),
    /// `tools a,b`: exactly these tools, in this order; `none` is none.
    Tools(Vec<String>),
    /// `tool-choice WORD`: what the model may do with them.
    ToolChoice(ToolChoice),
    /// `purpose WORD`: why the step is asked for.
    Purpose(StepPurpose),
    /// `same-prefix`: begins exactly as the last request of the script.
    SamePrefix,
}

/// What must have happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Expectation {
    /// `expect NAME…`: the durable events since the last such line.
    Events(Vec<EventPattern>),
    /// `expect-outcome OUTCOME [REASON]`: how the last run ended.
    Outcome {
        outcome: RunOutcome,
        /// Why, if it matters.
        reason: Option<StopReason>,
    },
    /// `expect-answer TEXT`: a text in the answer of the last run.
    Answer(String),
    /// `expect-warning CODE`: a warning of this run; `None` (`none`) is no warning at all.
    Warning(Option<WarningCode>),
    /// `expect-call N …`: the outcome of a call.
    Call(CallExpectation),
}

/// A place in a row of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventPattern {
    /// `NAME` or `NAME*TIMES`.
    Named {
        name: &'static str,
        /// How often in a row.
        times: u32,
    },
    /// `...`: any events, or none.
    Any,
}

/// What the outcome of a call must look like. What is not said does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct CallExpectation {
    pub call: u32,
    /// `ok`, `failed`, `denied`, `staged`, `cancelled`, `interrupted`.
    pub status: Option<OutcomeStatus>,
    pub kind: Option<ErrorKind>,
    /// `cached`: an earlier outcome was given again.
    pub is_cached: bool,
    /// `truncated`: the model sees only a part.
    pub is_truncated: bool,
    /// `says TEXT`: a text in the message that the model sees.
    pub says: Option<String>,
}

impl CallExpectation {
    /// An expectation that every outcome of the call meets.
    pub fn new(call: u32) -> Self {
        Self { call, status: None, kind: None, is_cached: false, is_truncated: false, says: None }
    }
}
