//! `windlass models eval`: asks a model every request of a set, one step each, and adds up what it called.
//!
//! No tool runs: a call is checked as in a run, and where a second step is due, its outcome is made up.
//!
//! - `case`: reading a set; `judge`: one case against what the model did; `tally`: cases added up. These are pure.

mod case;
mod judge;
mod tally;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use windlass_core::calls::args::read_args;
use windlass_core::calls::assemble::Assembler;
use windlass_core::calls::check::check_call;
use windlass_core::calls::envelope::render_whole;
use windlass_core::calls::toolset::Toolset;
use windlass_core::ports::ModelPort;
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::model::{
    Kept, ModelFailure, ModelRequest, ModelStep, Sampling, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::{RawArgs, RawCall, ToolCall, ToolOutcome, ToolOutput};

use self::case::{EvalCase, read_set};
use self::judge::{Knowledge, MadeCall, judge};
use self::tally::{EvalTally, SeenCase};
use crate::args::{EvalArgs, GlobalArgs};
use crate::commands::run::{block_on, read_bounded};
use crate::complaint::{CommandError, Result};
use crate::exit::Exit;
use crate::providers::choice::choose;
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::short_line::short_line;
use crate::terminal::signals::Signals;
use crate::terminal::table::lay_out;
use crate::wiring::Wiring;

/// The set that is asked unless another is named.
const USUAL: &str = include_str!("usual.jsonl");

/// Characters of a request, and of what was made of it, in the list of misses.
const SHOWN_CHARS_MAX: usize = 160;

pub(crate) fn run(global: &GlobalArgs, args: &EvalArgs) -> Result<Exit> {
    let mut global = global.clone();
    global.model = args.name.clone().or(global.model);
    let (set, cases) = read_cases(args.set.as_deref())?;
    let mut wiring = Wiring::plain(&global)?;
    let chosen = choose(&wiring.config)?;
    chosen.fit(&mut wiring.config.profile, true)?;
    if wiring.config.profile.dialect != Dialect::Native {
        return Err(CommandError::usage(format!("'{}' writes its calls as text", chosen.model.name()))
            .at("only calls that come as calls can be measured")
            .cure("a profile and a model with calls = \"native\" or \"tags\""));
    }
    let setup = EvalSetup::new(&wiring, chosen.model);
    let bar = new_bar(&global, cases.len());
    let (tally, is_whole) = block_on(setup.ask_all(&cases, &bar))?;
    bar.finish_and_clear();
    let memory = memory_peak_bytes();
    if global.json {
        let mut figures = tally.to_json();
        if let Value::Object(fields) = &mut figures {
            fields.insert("model".into(), setup.model.name().into());
            fields.insert("set".into(), set.into());
            fields.insert("is_whole".into(), is_whole.into());
            fields.insert("memory_peak_bytes".into(), memory.into());
            if args.show_misses {
                fields.insert("misses".into(), json!(tally.misses()));
            }
        }
        print_json(&figures)?;
    } else {
        show(&tally, setup.model.name(), &set, (!is_whole).then_some(cases.len()), memory)?;
        if args.show_misses {
            show_misses(&tally)?;
        }
    }
    Ok(if is_whole { Exit::Done } else { Exit::Cancelled })
}

/// The name of a set, and its cases.
fn read_cases(path: Option<&Path>) -> Result<(String, Vec<EvalCase>)> {
    let (name, text) = match path {
        None => ("the usual requests".to_owned(), USUAL.to_owned()),
        Some(path) => {
            let file = std::fs::File::open(path);
            let file = file.map_err(|error| CommandError::file(path, "read", &error).into_usage())?;
            let name = path.display().to_string();
            let text = read_bounded(file, &name)?;
            (name, text)
        }
    };
    let cases = read_set(&text).map_err(|bad| {
        let place = if bad.line == 0 { name.clone() } else { format!("{name}:{}", bad.line) };
        CommandError::usage(format!("the set cannot be used: {}", bad.why))
            .at(place)
            .cure("docs/local-models.md says how a case is written")
    })?;
    Ok((name, cases))
}

/// What every case needs.
struct EvalSetup {
    model: Arc<dyn ModelPort>,
    system: Arc<str>,
    toolset: Arc<Toolset>,
    profile: Profile,
    sampling: Sampling,
}

impl EvalSetup {
    fn new(wiring: &Wiring, model: Arc<dyn ModelPort>) -> Self {
        Self {
            model,
            system: wiring.config.profile.instruction.as_str().into(),
            toolset: Arc::clone(&wiring.registry.snapshot().toolset),
            profile: wiring.config.profile.clone(),
            sampling: wiring.config.sampling(),
        }
    }

    /// Asks all cases until somebody stops it. A model that does not answer the first one is not asked again.
    async fn ask_all(&self, cases: &[EvalCase], bar: &ProgressBar) -> Result<(EvalTally, bool)> {
        let mut signals = Signals::listen()?;
        let mut tally = EvalTally::default();
        for (number, case) in (1_usize..).zip(cases) {
            let seen = tokio::select! {
                seen = self.ask(number, case) => seen,
                () = signals.next() => return Ok((tally, false)),
            };
            if let Some(why) = seen.failure.as_ref().filter(|_| tally.cases() == 0) {
                let name = self.model.name();
                return Err(CommandError::failed(format!("'{name}' does not answer: {why}")));
            }
            tally.add(case, &seen, judge(case, &seen.steps, self));
            bar.inc(1);
        }
        Ok((tally, true))
    }

    /// Asks one case: as many steps as are expected, and one where none is.
    async fn ask(&self, number: usize, case: &EvalCase) -> SeenCase {
        let mut seen = SeenCase::default();
        let mut messages = vec![Arc::new(Message::user(case.user.as_str()))];
        let kept = Kept::default();
        for step in 1..=u32::try_from(case.steps.len().max(1)).unwrap_or(u32::MAX) {
            let request = ModelRequest {
                run_id: RunId::new(format!("eval_{number}")),
                step,
                purpose: StepPurpose::Work,
                system: Arc::clone(&self.system),
                examples: 0,
                messages: Arc::new(messages.clone()),
                trailer: Vec::new(),
                live: Arc::default(),
                tools: self.toolset.specs(),
                tool_choice: ToolChoice::Auto,
                sampling: self.sampling.clone(),
                kept: kept.clone(),
            };
            let begun = Instant::now();
            let answered = self.step(request).await;
            seen.steps_us.push(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
            let answered = match answered {
                Ok(answered) => answered,
                Err(failure) => {
                    seen.failure = Some(failure.message);
                    return seen;
                }
            };
            let made: Vec<MadeCall> = answered.calls.iter().map(|call| self.read(call)).collect();
            let count: usize = seen.steps.iter().map(Vec::len).sum::<usize>() + made.len();
            let is_over = made.is_empty() || count >= case.steps.len();
            self.go_on(&mut messages, step, answered, &made);
            seen.steps.push(made);
            if is_over {
                break;
            }
        }
        seen
    }

    async fn step(&self, request: ModelRequest) -> std::result::Result<ModelStep, ModelFailure> {
        let mut assembler = Assembler::new(self.model.name());
        let mut stream = self.model.stream(request);
        while let Some(delta) = stream.next().await {
            assembler.push(delta?);
        }
        Ok(assembler.finish())
    }

    /// A call as a run would take it.
    fn read(&self, raw: &RawCall) -> MadeCall {
        let name = self.toolset.find(&raw.name).map_or(&raw.name, |entry| &entry.spec.name);
        let arguments = self.check(name, &raw.args).map_err(|why| why.to_string());
        MadeCall { name: name.clone(), written: raw.args.to_text(), arguments }
    }

    fn check(
        &self,
        name: &str,
        args: &RawArgs,
    ) -> std::result::Result<Map<String, Value>, windlass_core::protocol::tool::ToolFailure> {
        let read = read_args(args, self.profile.limits.args_bytes_max)?;
        let call = call_of(0, 1, name, args, None);
        check_call(&self.toolset, call, read.value)
            .map(|checked| checked.args)
            .map_err(|(_, failure)| failure)
    }

    /// Adds a step and made-up outcomes of its calls to the history.
    fn go_on(&self, messages: &mut Vec<Arc<Message>>, step: u32, answered: ModelStep, made: &[MadeCall]) {
        let mut parts = answered.parts;
        let mut outcomes = Vec::new();
        for (index, (raw, made)) in (0_u32..).zip(answered.calls.iter().zip(made)) {
            let number = step.saturating_mul(100).saturating_add(index);
            let call = call_of(number, step, &made.name, &raw.args, raw.provider_id.clone());
            let call = ToolCall { index, state: raw.state.clone(), ..call };
            let outcome = ToolOutcome::ok(ToolOutput::text(made_up(&made.name)));
            outcomes.push(Arc::new(Message::Tool(ToolMessage {
                call_id: call.id.clone(),
                provider_id: call.provider_id.clone(),
                name: made.name.clone(),
                content: render_whole(&self.profile, &made.name, &outcome),
                is_ok: true,
                is_valid_call: true,
                label: None,
            })));
            parts.push(Part::Call(call));
        }
        messages.push(Arc::new(Message::Assistant { parts }));
        messages.append(&mut outcomes);
    }
}

impl Knowledge for EvalSetup {
    fn complete(&self, name: &str, arguments: &Map<String, Value>) -> Map<String, Value> {
        let args = RawArgs::Value(Value::Object(arguments.clone()));
        self.check(name, &args).unwrap_or_else(|_| arguments.clone())
    }

    fn value_of(&self, expression: &str) -> Option<f64> {
        windlass_tools::value_of(expression)
    }
}

fn call_of(number: u32, step: u32, name: &str, args: &RawArgs, provider_id: Option<String>) -> ToolCall {
    let id = CallId::numbered(number.into());
    ToolCall {
        id,
        provider_id,
        step,
        index: 0,
        name: name.to_owned(),
        arguments: args.to_text(),
        state: None,
    }
}

/// What a tool could have said.
fn made_up(tool: &str) -> &'static str {
    match tool {
        "read_file" => "# Notes\n\nOne line.\nAnother line.\n",
        "get_file_tree" => "README.md\nsrc/\nsrc/main.rs",
        "search_text" | "request_code_context" | "search_codebase" => "src/main.rs:12: fn main() {",
        "rag_search" | "web_search" => "1. A page about it: it has been so since 2019.",
        "fetch_url" => "A page with some text.",
        "calculate" => "42",
        "get_current_time" => "2026-03-14T09:26:53Z",
        "list_tasks" => "task_1 pending: water the plants",
        "add_task" | "update_task" => "task_1",
        "execute_command" => "exit code 0",
        _ => "done",
    }
}

fn new_bar(global: &GlobalArgs, cases: usize) -> ProgressBar {
    if !io::stderr().is_terminal() || global.quiet || global.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64);
    if let Ok(style) = ProgressStyle::with_template("asking {bar:30} {pos}/{len} requests {eta:.dim}") {
        bar.set_style(style);
    }
    bar
}

/// The most memory that this process has had, where the system says so.
fn memory_peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn show(tally: &EvalTally, model: &str, set: &str, cut_of: Option<usize>, memory: Option<u64>) -> Result<()> {
    let own = |name: &str, value: String| [name.to_owned(), value, String::new()];
    let mut rows = vec![own("model", model.to_owned()), own("set", set.to_owned())];
    if let Some(all) = cut_of {
        rows.push(own("stopped", format!("after {} of {all} requests", tally.cases())));
    }
    rows.extend(tally.rows());
    let time = |part: f64| tally.step_ms(part).map_or("–".to_owned(), |ms| format!("{ms:.1} ms"));
    rows.push(own("a step, median", time(0.5)));
    rows.push(own("a step, 95 of 100", time(0.95)));
    let memory = memory.map_or("unknown".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
    rows.push(own("memory, at most", memory));
    print(&lay_out(&rows))?;
    let head = ["tool", "cases", "tool right", "call right"].map(str::to_owned);
    let tools: Vec<[String; 4]> = std::iter::once(head).chain(tally.tool_rows()).collect();
    print(&format!("\n{}", lay_out(&tools)))
}

fn show_misses(tally: &EvalTally) -> Result<()> {
    let line = |text: &str| short_line(text, SHOWN_CHARS_MAX);
    for miss in tally.misses() {
        print_line(&format!("\n{}: {}", miss.line, line(&miss.user)))?;
        let expected =
            if miss.expected.is_empty() { "no call".to_owned() } else { miss.expected.join(", then ") };
        print_line(&format!("  expected  {}", line(&expected)))?;
        let is_silent = miss.made.iter().all(String::is_empty);
        let made = if is_silent { "no call".to_owned() } else { miss.made.join(", then ") };
        print_line(&format!("  made      {}", line(&made)))?;
        if let Some(why) = &miss.why {
            print_line(&format!("  because   {}", line(why)))?;
        }
    }
    Ok(())
}
