//! The command line as it is typed. What a flag means together with files and the environment is
//! `config`'s business.

pub(crate) mod answer_form;
mod models;
mod modules;
mod question;
mod safety;
mod secrets;
mod server;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use windlass_core::limits::{WISHED_CALLS_MAX, WISHED_TOKENS_MAX};

pub(crate) use self::models::{EvalArgs, KeyCommand, ModelsCommand, PullArgs};
pub(crate) use self::modules::{
    MeasureArgs, ModuleEvalArgs, ModuleRunArgs, ModuleScriptArgs, ModulesCommand, OptimizeArgs,
};
pub(crate) use self::safety::{SandboxCommand, TaintArg, TrustCommand};
pub(crate) use self::secrets::{SecretsCommand, SetSecretArgs};
pub(crate) use self::server::{AttachArgs, ServeArgs, TokenArgs};
use crate::config::duration::parse_positive_ms;
use crate::config::{EFFORT_WORDS, SANDBOX_WORDS, parse_dollars};

/// Runs the tool calls of a language model, step by step, and never loses one.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, arg_required_else_help = false, disable_help_subcommand = true)]
#[command(override_usage = "windlass [OPTIONS] [COMMAND]\n       windlass [OPTIONS] \"QUESTION\"")]
#[command(
    after_help = "Without a command: the terminal app; with a question in quotes: its answer, as `windlass run` gives it.\n\n\
                        Which model: --model, else the configuration, else the first provider with a key in the \
                        environment, else an Ollama server on this machine, else the built-in model (--model builtin), \
                        which needs neither.\n\n\
                        Exit codes: 0 done · 1 failed · 2 usage or configuration · 3 limit reached (an answer was \
                        still given) · 130 cancelled"
)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(flatten)]
    pub(crate) app: AppArgs,
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

/// Flags of the terminal app, which is what a terminal shows when no command is given.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Terminal app")]
pub(crate) struct AppArgs {
    /// Open this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Open the newest session
    #[arg(long = "continue", conflicts_with = "session")]
    pub(crate) resume_last: bool,
    /// What runs without asking; Shift-Tab changes it [default: ask]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) approve: Option<ApproveArg>,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// The model, PROVIDER/MODEL; module/ID is a module; scripted/FILE plays a script [default: what a key in the environment or
    /// an Ollama server on this machine has, else the built-in model, `builtin`]
    #[arg(long, global = true, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// Limits and behaviour: default, edison, dspy, studio, ploke or zodo
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The project root: files are only reached below it [default: the current folder]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// The configuration file [env: WINDLASS_CONFIG]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// The data folder [env: WINDLASS_DATA]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// What commands may write: workspace_write, read_only, or off for no sandbox [default: workspace_write]
    #[arg(long, global = true, value_name = "MODE", value_parser = SANDBOX_WORDS)]
    pub(crate) sandbox: Option<String>,
    /// A host that commands may reach in the sandbox: crates.io, *.crates.io or pypi.org:8443; several times for several, instead
    /// of `sandbox.hosts` [default: none]
    #[arg(long = "sandbox-host", global = true, value_name = "HOST")]
    pub(crate) sandbox_hosts: Vec<String>,
    /// Print JSON: for `run`, one event a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress and no warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show the arguments of calls and the model's thinking; twice: the log as well
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Answer one message: the answer goes to stdout, progress to stderr; `windlass "QUESTION"` does the same
    Run(RunArgs),
    /// Start the web app and the API; interrupted runs continue
    Serve(ServeArgs),
    /// Open the terminal app over a server: its sessions, its tools, its models
    Attach(AttachArgs),
    /// Print the token of your servers, for scripts and other clients
    Token(TokenArgs),
    /// Secrets that tools may send to the hosts they are for: list, set, remove
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Saved sessions: list, show, export, rename, delete
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Recorded runs: list, show, trace, resume, fork, replay, apply
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Find code and notes of the project: by words, by names, by meaning
    Search(SearchArgs),
    /// The search index: build (the default), status, clear, and documents: add, list, remove
    Index {
        #[command(subcommand)]
        command: Option<IndexCommand>,
    },
    /// Tools: list, show, call
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Modules: list, show, check, run, script, eval, optimize
    #[command(subcommand)]
    Modules(ModulesCommand),
    /// Models and providers: list, show, doctor, eval, pull, key
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Stored permissions: list, allow, deny, remove, import, explain
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Folders whose own settings, modules and tools count: list, show, add, revoke
    Trust {
        #[command(subcommand)]
        command: TrustCommand,
    },
    /// The sandbox around commands: doctor
    #[command(subcommand)]
    Sandbox(SandboxCommand),
    /// Configuration: explain (where each setting comes from), path, init
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// `windlass run`.
#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// The message; `-` reads it from stdin. A script with `user` lines needs none
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Continue this session; a new name starts one
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Run the message through this module; the message is its inputs: a JSON object, or text for its one input
    #[arg(long, value_name = "ID")]
    pub(crate) module: Option<String>,
    /// Keep the session in memory only; nothing is saved to disk
    #[arg(long, conflicts_with = "session")]
    pub(crate) ephemeral: bool,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
    /// Maximum number of steps with tools
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Maximum number of calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(WISHED_CALLS_MAX)))]
    pub(crate) max_calls: Option<u32>,
    /// Maximum number of tokens, those of all steps together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=WISHED_TOKENS_MAX))]
    pub(crate) max_tokens: Option<u64>,
    /// Maximum cost in US dollars, such as 0.50; steps whose cost is not known do not count, and you are told
    #[arg(long, value_name = "DOLLARS", value_parser = parse_dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Time limit, such as 5s, 2m or 1h; time spent waiting for your answers does not count
    #[arg(long, value_name = "DURATION", visible_alias = "max-time", value_parser = parse_positive_ms)]
    pub(crate) timeout: Option<u64>,
    /// Answer without tools
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// Only these tools, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_tools")]
    pub(crate) tools: Option<Vec<String>>,
    /// How hard the model thinks; its thinking is shown as well
    #[arg(long, value_name = "EFFORT", value_parser = EFFORT_WORDS)]
    pub(crate) effort: Option<String>,
    /// Sampling temperature, 0 to 2
    #[arg(long, value_name = "NUMBER", value_parser = parse_temperature)]
    pub(crate) temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1
    #[arg(long, value_name = "NUMBER", value_parser = parse_top_p)]
    pub(crate) top_p: Option<f64>,
    /// Seed for repeatable answers, where the provider supports it
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Text that is added to the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// The form of the answer: text, json, or a file with a JSON Schema
    #[arg(long, value_name = "FORM", value_hint = ValueHint::FilePath)]
    pub(crate) format: Option<String>,
    /// What the model may do with tools until it has called one: auto, required, none, or the name of a tool
    #[arg(long, value_name = "CHOICE", conflicts_with = "no_tools")]
    pub(crate) tool_choice: Option<String>,
    /// Maximum number of tokens of one answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_output_tokens: Option<u32>,
    /// Background for the message, read from a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) context: Option<PathBuf>,
}

/// `windlass search`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct SearchArgs {
    /// Words, a question, a name
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Maximum number of passages
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) top_k: u32,
    /// Which kinds of search to use
    #[arg(long, value_enum, value_name = "KIND", default_value_t = KindArg::Hybrid)]
    pub(crate) kind: KindArg,
    /// Where to look
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = ScopeArg::Everything)]
    pub(crate) scope: ScopeArg,
}

/// The words of `--kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// By words alone
    Lexical,
    /// By meaning alone
    Semantic,
    /// By definitions and uses of names
    Structural,
    /// All of them
    Hybrid,
}

/// The words of `--scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Files of the project
    Project,
    /// Documents and notes that were added
    Documents,
    /// Both
    Everything,
}

/// `windlass index …`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum IndexCommand {
    /// Bring the index up to date: what changed is read again
    Build,
    /// Show what it holds
    Status,
    /// Empty it; the next search builds it again
    Clear,
    /// Add documents or notes: Markdown, text, HTML or PDF; one of the same name is replaced
    Add {
        /// The files; `-` reads a note from stdin
        #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// Only this session finds them, as `rag_search`; without it, searches in all documents do
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Under this name, for a single one
        #[arg(long)]
        name: Option<String>,
    },
    /// Documents and notes that were added
    List {
        /// Only those of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Remove documents or notes
    Remove {
        /// Their ids, the beginnings of them, or their names
        #[arg(required = true, value_name = "DOCUMENT")]
        documents: Vec<String>,
    },
}

/// `windlass sessions …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Sessions, newest first
    List {
        /// Only those with this text in their title or messages
        text: Option<String>,
        #[command(flatten)]
        page: PageArgs,
    },
    /// One session: everything that was said and called
    Show {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Its records, one JSON document a line
    Export {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Give it another title
    Rename {
        /// Its id, or the beginning of it
        id: String,
        /// The title
        title: String,
    },
    /// Delete it, with its runs and outcomes
    Delete {
        /// Its id, or the beginning of it; several may be given
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// How much of a list is shown.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub(crate) struct PageArgs {
    /// Maximum number of entries
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
}

/// `windlass runs …`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Runs, newest first
    List {
        /// Only those of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Only those that have not ended
        #[arg(long)]
        unfinished: bool,
        #[command(flatten)]
        page: PageArgs,
    },
    /// One run: what was said and called, step by step
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// One step of it: the exact request and response of the model
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        step: Option<u32>,
    },
    /// Its trace as JSON: times, tokens, every call with its outcome
    Trace {
        /// Its id, or the beginning of it
        id: String,
        /// As OpenTelemetry spans: the body of an OTLP export, without content
        #[arg(long)]
        otlp: bool,
    },
    /// Continue a run that was interrupted
    Resume {
        /// Its id, or the beginning of it [default: the newest unfinished run]
        id: Option<String>,
        /// Run this call again, although it may have happened already
        #[arg(long, value_name = "CALL_ID")]
        retry: Vec<String>,
        #[command(flatten)]
        permission: PermissionArgs,
    },
    /// Copy a run up to a step into a new session, and continue there
    Fork {
        /// Its id, or the beginning of it
        id: String,
        /// The last step to copy; 0 copies the message alone
        #[arg(long, value_name = "STEP")]
        at: u32,
        /// Another message instead of the user's, with --at 0
        #[arg(long, value_name = "TEXT")]
        message: Option<String>,
        /// Another outcome for a call of that step
        #[arg(long, value_name = "CALL_ID=JSON", value_parser = parse_outcome)]
        outcome: Option<(String, serde_json::Value)>,
        #[command(flatten)]
        permission: PermissionArgs,
    },
    /// Replay a run from its record and report where it differs
    Replay {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Review the edits that the run has staged, and apply those you want
    Apply {
        /// Its id, or the beginning of it
        id: String,
        /// The staged calls; all that wait if none is named
        call_ids: Vec<String>,
        /// Apply them without asking; you are still asked about critical ones
        #[arg(long)]
        yes: bool,
        /// Deny calls this time only; overrides approval
        #[arg(long, value_name = "RULE")]
        deny: Vec<String>,
    },
}

/// Flags of commands that run calls.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct PermissionArgs {
    /// Allow calls this time only, such as read_file(src/**)
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Deny calls this time only; overrides every other rule
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// The mode: what runs without asking [default: ask on a terminal, else never]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) approve: Option<ApproveArg>,
    /// What is asked about while the context has text from outside [default: ask]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) taint: Option<TaintArg>,
}

/// The words of `--approve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveArg {
    /// Reading runs, all else is denied
    #[value(name = "read_only", alias = "read-only")]
    ReadOnly,
    /// You are asked before writing, commands and the network
    Ask,
    /// Edits of files in the project run; you are asked about the rest
    Edit,
    /// Everything runs, except commands that destroy beyond the project
    All,
    /// Anything you would be asked about is denied
    Never,
    /// Safe and low calls run, the others are denied
    Safe,
    /// Edits are staged until you apply them (`windlass runs apply`); you are asked about the rest
    Stage,
}

impl ApproveArg {
    /// The word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ApproveArg::ReadOnly => "read_only",
            ApproveArg::Edit => "edit",
            ApproveArg::Ask => "ask",
            ApproveArg::Never => "never",
            ApproveArg::Safe => "safe",
            ApproveArg::All => "all",
            ApproveArg::Stage => "stage",
        }
    }
}

/// `windlass tools …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// All tools
    List,
    /// One tool with its arguments
    Show {
        /// Its name
        name: String,
    },
    /// Call a tool as a model would: same validation, permission and limits
    Call {
        /// Its name
        name: String,
        /// The arguments; `-` reads them from stdin, @FILE from a file
        #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
        arguments: String,
        #[command(flatten)]
        permission: PermissionArgs,
        /// Time limit, such as 5s
        #[arg(long, value_name = "DURATION", value_parser = parse_positive_ms)]
        timeout: Option<u64>,
    },
}

/// `windlass policy …`.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// All stored rules
    List,
    /// Store a rule that lets calls run without asking
    Allow {
        /// The rule, such as read_file(src/**) or execute_command(git status *)
        rule: String,
        /// In every folder, and not only in this project root
        #[arg(long)]
        everywhere: bool,
    },
    /// Store a rule that refuses calls, whatever else allows them
    Deny {
        /// The rule, such as read_file(secrets/**)
        rule: String,
        /// In every folder, and not only in this project root
        #[arg(long)]
        everywhere: bool,
    },
    /// Remove a rule
    Remove {
        /// Its id, from `windlass policy list`
        id: String,
    },
    /// Import the rules of another file: that of ZodoLlama, or any other
    Import {
        /// The file; without it, the one that ZodoLlama has left in your configuration folder
        file: Option<PathBuf>,
    },
    /// Explain which gate decides a call, and why; the call does not run
    Explain {
        /// The tool
        tool: String,
        /// The arguments; `-` reads them from stdin, @FILE from a file
        #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
        arguments: String,
        #[command(flatten)]
        permission: PermissionArgs,
    },
}

/// `windlass config …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every setting with its value and where it comes from
    Explain {
        /// Only this one, or those below it, such as limits
        key: Option<String>,
    },
    /// Where the files are
    Path,
    /// Write a first configuration file, with everything in it commented out
    Init,
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=2.0).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err("a number from 0 to 2 is needed".to_owned()),
    }
}

fn parse_top_p(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err("a number from 0 to 1 is needed".to_owned()),
    }
}

fn parse_outcome(text: &str) -> Result<(String, serde_json::Value), String> {
    let form = "a call and what it gave is needed, such as call_2='{\"lines\": 3}'";
    let (call_id, json) = text.split_once('=').ok_or(form)?;
    let value = serde_json::from_str(json).map_err(|error| format!("{form}: {error}"))?;
    Ok((call_id.trim().to_owned(), value))
}

impl CommandLine {
    /// Reads the arguments of this process; help, version and wrong usage end it here.
    pub(crate) fn of_process() -> Self {
        Self::parse_from(question::as_run(std::env::args_os().collect()))
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
