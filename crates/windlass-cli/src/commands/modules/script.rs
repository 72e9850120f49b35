//! `windlass modules script`: a Rhai script that calls modules, each call a run of its own.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::runtime::Handle;
use windlass_core::ports::ToolPort;
use windlass_core::protocol::event::StopReason;
use windlass_core::protocol::tool::ErrorKind;
use windlass_modules::script::{
    CallerError, CallerErrorType, ModuleCaller, ProgramUser, describe_module, run_program,
};
use windlass_modules::{Module, ModuleError};

use super::runs::{ModuleAsk, Runs, UnansweredRun};
use crate::args::{GlobalArgs, ModuleScriptArgs};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::providers::choice::choose;
use crate::providers::open::OpenModels;
use crate::terminal::out::{print_exact, print_json, tell_line};
use crate::terminal::signals::Signals;
use crate::wiring::Wiring;

const SCRIPT_BYTES_MAX: u64 = 1 << 20;

pub(super) fn run(global: &GlobalArgs, args: &ModuleScriptArgs) -> Result<Exit> {
    let text = read(&args.file)?;
    let flags = Flags { global: global.clone(), timeout_ms: args.timeout, ..Flags::default() };
    let wiring = Arc::new(Wiring::build(flags, &args.permission)?);
    let models = OpenModels::of(&wiring, choose(&wiring.config)?, true)?;
    let archive = SessionArchive::open(&wiring.config.folders, 1)?;
    let file = args.file.display().to_string();
    let json_only = global.json;
    block_on(async {
        let mut signals = Signals::listen()?;
        let runs = Arc::new(Runs::begin(global, wiring, &archive, models));
        let caller = Arc::new(ScriptCaller {
            runs: Arc::clone(&runs),
            runtime: Handle::current(),
            name: file.clone(),
        });
        let is_stopped = Arc::new(AtomicBool::new(false));
        let print = Box::new(move |line: &str| match json_only {
            true => tell_line(line),
            // Whoever stopped reading needs no line.
            false => drop(print_exact(&format!("{line}\n"))),
        });
        let user = ProgramUser { print, is_stopped: Arc::clone(&is_stopped) };
        let mut program = tokio::task::spawn_blocking(move || run_program(&file, &text, caller, user));
        let ended = loop {
            tokio::select! {
                ended = &mut program => break ended,
                () = signals.next() => {
                    if is_stopped.swap(true, Ordering::Relaxed) {
                        return Ok(Exit::Cancelled);
                    }
                }
            }
        };
        runs.close().await?;
        let value = match ended {
            Ok(Ok(value)) => value,
            Ok(Err(_)) if is_stopped.load(Ordering::Relaxed) => return Ok(Exit::Cancelled),
            Ok(Err(error)) => return Err(CommandError::failed(error.to_string())),
            Err(error) => {
                return Err(CommandError::failed(format!("the script broke its interpreter: {error}")));
            }
        };
        match value {
            value if json_only => print_json(&json!({"value": value}))?,
            Value::Null => {}
            Value::String(text) => print_exact(&format!("{text}\n"))?,
            value => print_json(&value)?,
        }
        Ok(Exit::Done)
    })
}

fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text),
        false => std::fs::File::open(file)
            .and_then(|open| open.take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text)),
    };
    match read {
        Err(error) => Err(CommandError::file(file, "read", &error).into_usage()),
        Ok(bytes) if bytes as u64 > SCRIPT_BYTES_MAX => {
            Err(CommandError::usage(format!("{} is no script: it has more than a megabyte", file.display())))
        }
        Ok(_) => Ok(text),
    }
}

/// Modules as the script calls them: from threads that may wait, each call a run in a session of its own.
struct ScriptCaller {
    runs: Arc<Runs>,
    runtime: Handle,
    /// The script, as sessions are called.
    name: String,
}

impl ScriptCaller {
    fn module(&self, id: &str) -> std::result::Result<Arc<Module>, CallerError> {
        self.runs.wiring().modules.find(id).ok_or_else(|| {
            CallerError::new(
                CallerErrorType::ModuleNotFound,
                ModuleError::ModuleNotFound(id.to_owned()).to_string(),
            )
        })
    }

    fn call(
        &self,
        module: &Module,
        input: Value,
        timeout_ms: Option<u64>,
        has_tools: bool,
    ) -> std::result::Result<Value, CallerError> {
        let Value::Object(inputs) = input else {
            let message = format!("the inputs of a module are an object, not {input}");
            return Err(CallerError::new(CallerErrorType::ConversionError, message));
        };
        module
            .signature
            .check_inputs(&inputs)
            .map_err(|error| CallerError::new(CallerErrorType::ConversionError, error.to_string()))?;
        let title = format!("{}: {}", self.name, module.module_id);
        let asked = ModuleAsk { inputs, has_tools, timeout_ms, title };
        let broken = |message: String| CallerError::new(CallerErrorType::RuntimeError, message);
        match self.runtime.block_on(self.runs.run(module, asked)) {
            Err(complaint) => Err(broken(complaint.what().to_owned())),
            Ok(None) => Err(broken("the run was cancelled".to_owned())),
            Ok(Some(ran)) => ran.outputs.map(Value::Object).map_err(error_of),
        }
    }
}

fn error_of(unanswered: UnansweredRun) -> CallerError {
    let UnansweredRun { reason, failure, .. } = unanswered;
    let error_type = match reason {
        StopReason::Deadline => CallerErrorType::Timeout,
        StopReason::ModelFailed => CallerErrorType::InferenceError,
        StopReason::ToolFailed if failure.code == ErrorKind::UnknownTool.word() => {
            CallerErrorType::ToolNotFound
        }
        StopReason::ToolFailed => CallerErrorType::ToolExecutionFailed,
        StopReason::Answered | StopReason::AnswerCut | StopReason::CorrectionFailed => {
            CallerErrorType::ConversionError
        }
        StopReason::StepsMax
        | StopReason::CallsMax
        | StopReason::TokensMax
        | StopReason::CostMax
        | StopReason::BytesMax
        | StopReason::RepeatedCall
        | StopReason::Cancelled
        | StopReason::JournalFailed
        | StopReason::Interrupted => CallerErrorType::RuntimeError,
    };
    CallerError::new(error_type, failure.message)
}

impl ModuleCaller for ScriptCaller {
    fn invoke(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: Option<u64>,
    ) -> std::result::Result<Value, CallerError> {
        self.call(&*self.module(module_id)?, input, timeout_ms, false)
    }

    fn invoke_with_tools(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: Option<u64>,
    ) -> std::result::Result<Value, CallerError> {
        let module = self.module(module_id)?;
        if !module.tool_enabled {
            let message = format!("Tools not enabled for module: {module_id}");
            return Err(CallerError::new(CallerErrorType::ToolsNotEnabled, message));
        }
        self.call(&module, input, timeout_ms, true)
    }

    fn register_tool(&self, tool: Arc<dyn ToolPort>) -> std::result::Result<(), CallerError> {
        let refused = |message: String| CallerError::new(CallerErrorType::RuntimeError, message);
        let registry = &self.runs.wiring().registry;
        let name = &tool.spec().name;
        if self.runs.wiring().sources.is_taken(name) {
            return Err(refused(format!("'{name}' is a tool of this program; give yours another name")));
        }
        registry.register(tool).map(drop).map_err(|error| refused(error.to_string()))
    }

    fn module_ids(&self) -> Vec<String> {
        self.runs.wiring().modules.ids()
    }

    fn tool_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .runs
            .wiring()
            .registry
            .snapshot()
            .toolset
            .specs()
            .iter()
            .map(|spec| spec.name.clone())
            .collect();
        names.sort();
        names
    }

    fn module_info(&self, module_id: &str) -> std::result::Result<Value, CallerError> {
        Ok(describe_module(&*self.module(module_id)?))
    }
}
