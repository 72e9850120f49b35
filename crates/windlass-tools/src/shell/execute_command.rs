//! `execute_command`: runs a program or a shell line in the project.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::Dir;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{Confinement, Inspection, Preview, Sandbox, Target, UNCONFINED};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, code_span, readable};

use crate::files::limits::{
    COMMAND_BYTES_MAX, COMMAND_OUTPUT_BYTES_MAX, COMMAND_TIMEOUT_MS, COMMAND_TIMEOUT_MS_MAX, SHOWN_CHARS_MAX,
    STREAM_BYTES_KEPT,
};
use crate::files::offload::offload;
use crate::files::root::Root;
use crate::shell::confine::Confining;
use crate::shell::confine::config::SandboxConfig;
use crate::shell::confine::evidence;
use crate::shell::confine::plan::ConfinePlan;
use crate::shell::danger::danger;
use crate::shell::environment::Environment;
use crate::shell::line::CommandLine;
use crate::shell::process::{FinishedProcess, Launch, ProcessEnd, execute};
use crate::shell::proxy::ProxyParts;
use crate::shell::proxy::refusal::RefusalLog;
use crate::summary::{cut, list_items};
use crate::typed::{TypedTool, root_folder, text_arg};
use crate::web::net_guard::NetGuard;

/// Runs a command in its own process group, without input, without secrets in its environment, with
/// limits on time and output. A command that fails is still an outcome: its exit code and output.
pub(crate) struct ExecuteCommand {
    inherited: Arc<Environment>,
    /// None where the user wants none.
    confining: Option<Confining>,
    /// Which addresses hosts may have that commands reach.
    guard: Arc<NetGuard>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ExecuteCommandArgs {
    /// A line for 'sh -c'. Not together with argv.
    #[schemars(length(min = 1, max = COMMAND_BYTES_MAX))]
    command: Option<String>,
    /// Program and arguments, run without a shell. Not together with command.
    #[schemars(length(min = 1))]
    argv: Option<Vec<String>>,
    /// Folder to run in, relative to the project root.
    #[serde(default = "root_folder")]
    cwd: String,
    /// The command is stopped after this many milliseconds.
    #[serde(default = "usual_timeout")]
    #[schemars(range(min = 1, max = COMMAND_TIMEOUT_MS_MAX))]
    timeout_ms: u64,
    /// Further environment variables.
    env: Option<BTreeMap<String, String>>,
    /// Run outside the sandbox: the user is asked. Only after a call that the sandbox held back, with a reason.
    unconfined: Option<bool>,
    /// Why it must run outside the sandbox, for the user.
    reason: Option<String>,
}

fn usual_timeout() -> u64 {
    COMMAND_TIMEOUT_MS
}

/// A call that was understood.
struct CommandPlan {
    command: CommandLine,
    /// Canonical path of the folder, below the root.
    cwd: String,
    cwd_absolute: PathBuf,
    folder: Dir,
    timeout_ms: u64,
    env: BTreeMap<String, String>,
    /// What it is held to; none where there is no sandbox by the user's own choice.
    sandbox: Option<Sandbox>,
    held: Option<Arc<ConfinePlan>>,
}

impl CommandPlan {
    /// What rules see of it: one that leaves the sandbox is named twice, so that what denies the command still does, and
    /// what allows it does not.
    fn targets(&self) -> Vec<Target> {
        let line = self.command.full_line(&self.cwd, &self.env);
        let leaves = self.sandbox.as_ref().is_some_and(|sandbox| sandbox.leaves);
        let second = leaves.then(|| Target::Command(format!("{UNCONFINED}{line}")));
        std::iter::once(Target::Command(line)).chain(second).collect()
    }
}

impl ExecuteCommand {
    pub(crate) fn new(inherited: Environment, sandbox: Option<SandboxConfig>, guard: Arc<NetGuard>) -> Self {
        let confining = sandbox.filter(|config| config.confinement != Confinement::Full).map(Confining::new);
        Self { inherited: Arc::new(inherited), confining, guard }
    }

    /// What a command may reach from its sandbox.
    fn reach(&self, plan: &CommandPlan, context: &ToolContext) -> Option<ProxyParts> {
        let hosts = plan.held.as_ref().map(|held| &held.hosts).filter(|hosts| !hosts.is_empty())?;
        Some(ProxyParts {
            guard: Arc::clone(&self.guard),
            hosts: Arc::clone(hosts),
            reached: context.reached.clone(),
            refused: RefusalLog::default(),
        })
    }

    /// The plan, and what holds the command.
    async fn plan(
        &self,
        args: ExecuteCommandArgs,
        context: &ToolContext,
    ) -> Result<CommandPlan, ToolFailure> {
        let (leaves, reason) = (args.unconfined == Some(true), args.reason.clone().unwrap_or_default());
        let plan = plan(args, context).await?;
        let Some(confining) = &self.confining else { return Ok(plan) };
        let found = confining.look_at(&context.root).await;
        let confined = found
            .map_err(|error| ToolFailure::io_error(format!("The sandbox could not be made: {error}")))?;
        let (sandbox, held) = match (leaves, confined.plan) {
            (true, Some(_)) if reason.trim().is_empty() => {
                return Err(wrong(
                    "reason",
                    "A command that leaves the sandbox needs a 'reason' for the user",
                ));
            }
            (true, Some(_)) => (Sandbox::left(), None),
            (true | false, held) => (confined.sandbox, held.map(Arc::new)),
        };
        Ok(CommandPlan { sandbox: Some(sandbox), held, ..plan })
    }
}

impl TypedTool for ExecuteCommand {
    const NAME: &'static str = "execute_command";
    const ABOUT: &'static str = "Run a command in the project and return its exit code and output. Give either 'argv' (program \
                                 and arguments, no shell) or 'command' (a line for sh). There is no input and no terminal; \
                                 background processes end with the command. To read, search or change files, use read_file, \
                                 search_text and edit_file instead.";
    type Args = ExecuteCommandArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            // The call's own limit is kept by the tool, which then still has the output so far.
            timeout_ms: Some(COMMAND_TIMEOUT_MS_MAX + 5_000),
            inspected: true,
            strict_args: true,
            untrusted_output: true,
            examples: vec![
                json!({"argv": ["cargo", "test", "--quiet"], "timeout_ms": 300_000}),
                json!({"command": "ls -la | head", "cwd": "src"}),
            ],
            ..spec
                .with_effects(Effects::External, Risk::High)
                .with_scopes([Scope::ExecuteCommands])
                .with_place(Category::Other, Visibility::Primary)
                .with_alias("run_command")
                .with_arg_alias("cmd", "command")
        }
    }

    async fn inspect(
        &self,
        args: ExecuteCommandArgs,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        let plan = self.plan(args, context).await?;
        let line = plan.command.full_line(&plan.cwd, &plan.env);
        let danger = danger(&plan.command);
        Ok(Inspection {
            targets: plan.targets(),
            preview: Some(Preview::Command(line)),
            folder: Some(plan.cwd_absolute.display().to_string()),
            caution: danger.map(|danger| format!("This command {danger}.")),
            risk: danger.map(|_| Risk::Critical),
            sandbox: plan.sandbox,
            ..Inspection::default()
        })
    }

    async fn run(&self, args: ExecuteCommandArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let plan = self.plan(args, context).await?;
        // Worked out anew and compared with what was approved (U-6).
        plan.targets().iter().try_for_each(|target| context.targets.check(target))?;
        let words = plan.command.words();
        let program = words.first().cloned().unwrap_or_default();
        let folder = plan.folder.try_clone().map_err(|error| not_started(&program, &error))?;
        let launch = Launch {
            words,
            folder,
            path: plan.cwd_absolute.clone(),
            inherited: Arc::clone(&self.inherited),
            env: plan.env.clone(),
            timeout: Duration::from_millis(plan.timeout_ms),
            // Both streams share what an outcome may have.
            stream_bytes_max: STREAM_BYTES_KEPT.min(context.output_bytes_max / 2),
            held: plan.held.clone(),
            reach: self.reach(&plan, context),
        };
        let refused = launch.reach.as_ref().map(|parts| parts.refused.clone()).unwrap_or_default();
        let on_line = |line: &str| context.progress.report(&context.call_id, &cut(line, SHOWN_CHARS_MAX));
        let finished = execute(launch, &on_line).await.map_err(|error| not_started(&program, &error))?;
        conclude(&plan, &finished, &refused)
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        Some(format!("{}:\n\n{}", code_span(text_arg(args, "command")), code_block("", &readable(value))))
    }
}

/// Understands a call; the folder is resolved below the root.
async fn plan(args: ExecuteCommandArgs, context: &ToolContext) -> Result<CommandPlan, ToolFailure> {
    let command = match (args.command, args.argv) {
        (Some(line), None) => CommandLine::Shell(line),
        (None, Some(words)) => CommandLine::Argv(words),
        (None, None) => {
            return Err(wrong("command", "execute_command requires a 'command' or an 'argv' argument"));
        }
        (Some(_), Some(_)) => return Err(wrong("argv", "Give either 'command' or 'argv', not both")),
    };
    let words = command.words();
    let is_empty = match &command {
        CommandLine::Shell(line) => line.trim().is_empty(),
        CommandLine::Argv(words) => words.first().is_none_or(String::is_empty),
    };
    if is_empty {
        return Err(wrong("command", "The command is empty"));
    }
    if words.iter().map(String::len).sum::<usize>() > COMMAND_BYTES_MAX {
        return Err(wrong("command", format!("The command is longer than {COMMAND_BYTES_MAX} bytes")));
    }
    let env = args.env.unwrap_or_default();
    let has_nul = words.iter().chain(env.values()).chain(env.keys()).any(|text| text.contains('\0'));
    if has_nul {
        return Err(wrong("command", "The command contains a NUL character"));
    }
    let is_name =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if let Some(name) = env.keys().find(|name| !is_name(name)) {
        let name = cut(name, SHOWN_CHARS_MAX);
        return Err(wrong("env", format!("'{name}' is not a name for an environment variable")));
    }
    let (root, asked) = (context.root.clone(), args.cwd);
    let (cwd, cwd_absolute, folder) = offload(context, move |_| {
        let root = Root::open(&root)?;
        let cwd = root.resolve(&asked)?;
        let folder = root.folder(&cwd).map_err(|_| wrong("cwd", format!("'{cwd}' is not a folder")))?;
        let absolute = if cwd == "." { root.path().to_path_buf() } else { root.path().join(&cwd) };
        Ok((cwd, absolute, folder))
    })
    .await?;
    let (sandbox, held) = (None, None);
    Ok(CommandPlan { command, cwd, cwd_absolute, folder, timeout_ms: args.timeout_ms, env, sandbox, held })
}

fn wrong(field: &str, message: impl Into<String>) -> ToolFailure {
    ToolFailure { field: Some(field.to_owned()), ..ToolFailure::invalid_args(message) }
}

fn not_started(program: &str, error: &io::Error) -> ToolFailure {
    let program = cut(program, SHOWN_CHARS_MAX);
    match error.kind() {
        io::ErrorKind::NotFound => ToolFailure::not_found(format!("Program not found: {program}"))
            .hint("Check its name, and whether it is installed."),
        _ => ToolFailure::io_error(format!("'{program}' could not be started: {error}")),
    }
}

fn conclude(
    plan: &CommandPlan,
    finished: &FinishedProcess,
    refused: &RefusalLog,
) -> Result<ToolOutput, ToolFailure> {
    let line = cut(&plan.command.line(), SHOWN_CHARS_MAX);
    match &finished.end {
        ProcessEnd::Exited(status) => match held_back(plan, finished, refused, status.code()) {
            Some(failure) => Err(failure),
            None => Ok(output(plan, finished, status.code(), status.signal())),
        },
        ProcessEnd::TimedOut => Err(stopped(
            ErrorKind::Timeout,
            format!("The command was stopped after {} ms: {line}", plan.timeout_ms),
            finished,
        )
        .hint(format!("Give it less to do, or a higher timeout_ms (at most {COMMAND_TIMEOUT_MS_MAX})."))),
        ProcessEnd::PrintedTooMuch => Err(stopped(
            ErrorKind::LimitExceeded,
            format!("The command was stopped after printing {COMMAND_OUTPUT_BYTES_MAX} bytes: {line}"),
            finished,
        )
        .hint("Let it print less: use quiet flags, 'head', 'grep', or send its output to a file.")),
    }
}

/// The failure of a command that its sandbox probably held back: what it printed, what shows it, and the way out, which is
/// another call with a question of its own. What the proxy refused is no guess, so it comes first.
fn held_back(
    plan: &CommandPlan,
    finished: &FinishedProcess,
    refused: &RefusalLog,
    code: Option<i32>,
) -> Option<ToolFailure> {
    let (held, code) = (plan.held.as_ref()?, code.filter(|code| *code != 0)?);
    let words = plan.sandbox.as_ref().map(|sandbox| sandbox.words.clone());
    if let Some(denial) = refused.first_denial() {
        let message = format!(
            "The command ended with exit code {code} after its sandbox held a connection back: {denial}"
        );
        let failure = stopped(ErrorKind::SandboxDenied, message, finished);
        let hint = format!(
            "{} If nothing else helps, send a new call with unconfined: true and a reason: the user is asked.",
            denial.hint()
        );
        return Some(ToolFailure { expected: words, ..failure }.hint(hint));
    }
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let evidence = evidence::find(held, &plan.cwd_absolute, [&stderr, &stdout])?;
    let message = format!(
        "The command ended with exit code {code}, probably because its sandbox held it back: \"{}\"",
        cut(&evidence, SHOWN_CHARS_MAX)
    );
    let failure = stopped(ErrorKind::SandboxDenied, message, finished);
    let network = match held.hosts.is_empty() {
        true => "no network",
        false => {
            "no host but those that were granted, which answer only through the proxy that HTTPS_PROXY names"
        }
    };
    Some(ToolFailure { expected: words, ..failure }.hint(format!(
        "Do it in a way that needs nothing outside the project and {network}. If there is none, send a new call with \
         unconfined: true and a reason: the user is asked."
    )))
}

/// The failure of a stopped command, with the last it printed.
fn stopped(kind: ErrorKind, message: String, finished: &FinishedProcess) -> ToolFailure {
    let last: Vec<String> = [&finished.stdout, &finished.stderr]
        .iter()
        .filter(|stream| stream.total() > 0)
        .map(|stream| {
            let text = stream.text();
            let skip = text.chars().count().saturating_sub(SHOWN_CHARS_MAX);
            text.chars().skip(skip).collect()
        })
        .collect();
    let received = (!last.is_empty()).then(|| format!("last output: {}", last.join("\n")));
    ToolFailure { received, ..ToolFailure::new(kind, message) }
}

fn output(
    plan: &CommandPlan,
    finished: &FinishedProcess,
    code: Option<i32>,
    signal: Option<i32>,
) -> ToolOutput {
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let exit = match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    let mut text = exit.clone();
    for (name, stream) in [("stdout", &stdout), ("stderr", &stderr)] {
        if !stream.is_empty() {
            text.push_str(&format!("\n--- {name}\n{}", stream.trim_end_matches('\n')));
        }
    }
    let facts = json!({
        "command": plan.command.line(),
        "cwd": plan.cwd,
        "exit_code": code,
        "signal": signal,
        "stdout": stdout,
        "stderr": stderr,
    });
    let summary = list_items("Command", [exit, stdout, stderr], "");
    let mut output = ToolOutput::json(facts).with_text(text).with_summary(summary);
    output.is_truncated = finished.stdout.left_out() + finished.stderr.left_out() > 0;
    output
}
