//! `windlass runs show ID --step N`: the exact request and response of a model step.
//!
//! Nothing is asked of anybody: no key is needed, and the model is only opened to see what it would write.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use windlass_core::ports::host::{HostError, HostRuns, MODULE_PREFIX, ModelRow};
use windlass_core::ports::store::RunRow;
use windlass_core::profile::Profile;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::step::{AskedRequest, StepAttempt, StepReport, StepResponse};
use windlass_core::text::time::duration;
use windlass_core::text::time::rfc3339;
use windlass_engine::host::{ModelsPort, OpenModel};
use windlass_models::transport::Transport;
use windlass_modules::{ModuleModel, ToolUse};
use windlass_scripted::ScriptedModel;

use crate::args::{GlobalArgs, PermissionArgs};
use crate::commands::run::block_on;
use crate::commands::runs::resume::house_of;
use crate::complaint::Result;
use crate::config::CliConfig;
use crate::project::modules::ProjectModules;
use crate::project::store::SessionArchive;
use crate::providers::choice::{ChosenModel, name_of};
use crate::providers::target::{self, wait_for};
use crate::terminal::out::{print, print_json};
use crate::terminal::run_follower::refused;
use crate::wiring::{Wiring, wrong};

/// Shows one step of a run.
pub(crate) fn show_step(global: &GlobalArgs, id: &str, step: u32) -> Result<()> {
    let archive = SessionArchive::of_user(global)?;
    let row = wait_for(archive.run(id))??;
    let wiring = wiring(global, &archive, &row)?;
    let models = Arc::new(ModelsToLookAt {
        config: wiring.config.clone(),
        modules: Arc::clone(&wiring.modules),
        transport: OnceLock::new(),
    });
    let report = block_on(async {
        let host = wiring.host(Arc::clone(&archive.store), models);
        host.step_report(&row.run_id, step).await.map_err(refused)
    })?;
    if global.json { print_json(&report) } else { print(&tell(&report)) }
}

/// What the run was begun with. A script that is gone takes only the request with it.
fn wiring(global: &GlobalArgs, archive: &SessionArchive, row: &RunRow) -> Result<Wiring> {
    let (permission, is_named) = (PermissionArgs::default(), global.model.is_some());
    match house_of(global, archive, row, &permission) {
        Ok((_, wiring)) => Ok(wiring),
        Err(complaint) if is_named => Err(complaint),
        Err(complaint) => {
            let any = RunRow { model: "builtin/none".to_owned(), ..row.clone() };
            house_of(global, archive, &any, &permission).map(|(_, wiring)| wiring).map_err(|_| complaint)
        }
    }
}

/// Models that nobody asks anything.
struct ModelsToLookAt {
    config: CliConfig,
    modules: Arc<ProjectModules>,
    transport: OnceLock<Arc<Transport>>,
}

impl ModelsToLookAt {
    /// A module as it is now, before the model that the configuration names.
    fn find_module(&self, id: &str, profile: &mut Profile) -> Result<ChosenModel> {
        let module = self.modules.get(id)?;
        self.config.fit_module(&module, profile)?;
        let below = self.find(self.config.settings.model()?.unwrap_or_default(), profile)?;
        let mode = ToolUse::of(&module);
        let model = Arc::new(ModuleModel::new(module, Arc::clone(&below.model), mode));
        Ok(ChosenModel { model, ..below })
    }

    fn find(&self, word: &str, profile: &mut Profile) -> Result<ChosenModel> {
        if let Some(script) = &self.config.script {
            let model = ScriptedModel::new(script);
            return Ok(ChosenModel::plain(Arc::new(model)));
        }
        let target = target::description(&self.config, &name_of(&self.config, word)?)?;
        let transport = match self.transport.get() {
            Some(transport) => Arc::clone(transport),
            None => {
                let made = Arc::new(target::transport(&self.config)?);
                Arc::clone(self.transport.get_or_init(|| made))
            }
        };
        let model = target::port(target.clone(), transport, profile.dialect);
        let chosen = ChosenModel::of_target(model, target);
        // Whether it may have tools was found out when it ran.
        chosen.fit(profile, false)?;
        Ok(chosen)
    }
}

impl ModelsPort for ModelsToLookAt {
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> std::result::Result<OpenModel, HostError> {
        let chosen = match name.and_then(|name| name.strip_prefix(MODULE_PREFIX)) {
            Some(id) => self.find_module(id, profile),
            None => self.find(name.unwrap_or_default(), profile),
        };
        let chosen = chosen.map_err(|complaint| wrong("model", &complaint))?;
        let context_tokens = chosen.context_tokens;
        Ok(OpenModel { model: chosen.model, context_tokens })
    }

    fn list(&self) -> Vec<ModelRow> {
        Vec::new()
    }
}

/// A step for people.
fn tell(report: &StepReport) -> String {
    let mut text = format!("step {}\n", report.step);
    for attempt in &report.attempts {
        tell_attempt(&mut text, attempt);
    }
    if let Some(problem) = &report.problem {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "! {problem}");
    }
    if let Some(request) = &report.request {
        tell_request(&mut text, request);
    }
    if let Some(wire) = &report.wire {
        let _ = writeln!(text, "\nwire\n  {} {}", wire.method, wire.url);
        indent(&mut text, &pretty(&wire.body));
    }
    if let Some(response) = &report.response {
        tell_response(&mut text, response);
    }
    text
}

fn tell_attempt(text: &mut String, attempt: &StepAttempt) {
    let _ = write!(text, "  attempt {}  {}", attempt.attempt, rfc3339(attempt.started_ms));
    let _ = match attempt.ended_ms {
        Some(ended_ms) => write!(text, "  {}", duration(ended_ms.saturating_sub(attempt.started_ms))),
        None => write!(text, "  not over"),
    };
    if let Some(delay_ms) = attempt.delay_ms {
        let _ = write!(text, "  after a wait of {}", duration(delay_ms));
    }
    if let Some(failure) = &attempt.failure {
        let _ = write!(text, "  {}: {}", failure.code, failure.message);
    }
    text.push('\n');
}

fn tell_request(text: &mut String, request: &AskedRequest) {
    text.push_str("\nrequest\n");
    if !request.system.is_empty() {
        text.push_str("  system:\n");
        indent(text, &indented(&request.system));
    }
    for message in request.messages.iter() {
        tell_message(text, message);
    }
    for note in &request.trailer {
        let _ = writeln!(text, "  note:");
        indent(text, &indented(note));
    }
    let names: Vec<&str> = request.tools.iter().map(|spec| spec.name.as_str()).collect();
    let _ = writeln!(text, "  tools: {}", names.join(", "));
    let _ = writeln!(text, "  tool choice: {}", compact(&request.tool_choice));
    let _ = writeln!(text, "  sampling: {}", compact(&request.sampling));
}

fn tell_response(text: &mut String, response: &StepResponse) {
    text.push_str("\nresponse\n");
    tell_message(text, &response.message);
    let _ = writeln!(text, "  finish: {}", compact(&response.finish));
    if let Some(usage) = &response.usage {
        let _ = writeln!(text, "  tokens: {} in, {} out", usage.input, usage.output);
    }
}

fn tell_message(text: &mut String, message: &Message) {
    let parts = match message {
        Message::User { parts } => ("user", parts),
        Message::Assistant { parts } => ("assistant", parts),
        Message::Tool(tool) => {
            let _ = writeln!(text, "  outcome of {} {}:", tool.call_id, tool.name);
            return indent(text, &indented(&tool.content));
        }
        Message::Note { text: note } => {
            text.push_str("  note:\n");
            return indent(text, &indented(note));
        }
    };
    let (role, parts) = parts;
    let _ = writeln!(text, "  {role}:");
    for part in parts {
        match part {
            Part::Text { text: said } => indent(text, &indented(said)),
            Part::Reasoning(reasoning) => indent(text, &indented(&format!("(thinks) {}", reasoning.text))),
            Part::Call(call) => {
                indent(text, &indented(&format!("{} {} {}", call.id, call.name, call.arguments)));
            }
            Part::Image { media_type, .. } => indent(text, &indented(&format!("(picture, {media_type})"))),
        }
    }
}

fn indent(text: &mut String, block: &str) {
    for line in block.lines() {
        let _ = writeln!(text, "  {line}");
    }
}

fn indented(block: &str) -> String {
    block.lines().map(|line| format!("  {line}\n")).collect()
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
