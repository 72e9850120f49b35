//! The run machine as a stage for scripts: tools by name and effect, no time, no runtime.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_core::calls::toolset::{ToolEntry, Toolset};
use windlass_core::permission::{
    GateSettings, Inspection, Permissions, PolicySet, Preview, Rule, RuleEffect, RuleSource, Target,
};
use windlass_core::ports::{ArgsValidator, Violation};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::Event;
use windlass_core::protocol::message::Transcript;
use windlass_core::protocol::model::StepPurpose;
use windlass_core::protocol::tool::{Category, Effects, Risk, ToolFailure, ToolSpec, Visibility};
use windlass_core::run::{Deadline, Effect, Finished, Input, Run, RunSettings, Start, World};
use windlass_scripted::{Move, PendingRun, Script, ScriptHeader, ScriptStage};

/// The schemas here are of types alone, which the core checks itself.
struct TypesOnly;

impl ArgsValidator for TypesOnly {
    fn check(&self, _args: &Value) -> Vec<Violation> {
        Vec::new()
    }
}

fn tool(name: &str, effects: Effects, risk: Risk, args: &[(&str, &str)]) -> ToolSpec {
    let properties: Map<String, Value> =
        args.iter().map(|(name, kind)| ((*name).to_owned(), json!({"type": kind}))).collect();
    let required: Vec<&str> = args.iter().map(|(name, _)| *name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let mut spec = ToolSpec::new(name, format!("{name} as scripts know it"))
        .with_schema(schema)
        .with_effects(effects, risk);
    spec.inspected = args.iter().any(|(name, _)| ["path", "command"].contains(name));
    spec
}

/// The built-in tools that scripts use, with their effects and risks.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let aside = |spec: ToolSpec| spec.with_place(Category::Utility, Visibility::Hidden);
    let search = tool("web_search", Effects::Read, Risk::Low, &[("query", "string")])
        .with_place(Category::Search, Visibility::Primary)
        .with_alias("search_web");
    vec![
        tool("get_file_tree", Effects::Read, Risk::Safe, &[]),
        tool("list_tasks", Effects::Read, Risk::Safe, &[]),
        aside(tool("get_current_time", Effects::Read, Risk::Safe, &[])),
        aside(tool("calculate", Effects::Pure, Risk::Safe, &[("expression", "string")])),
        tool("add_task", Effects::Write, Risk::Safe, &[("content", "string")]),
        aside(tool("read_result", Effects::Read, Risk::Safe, &[("ref", "string")])),
        tool("read_file", Effects::Read, Risk::Medium, &[("path", "string")]),
        tool("write_file", Effects::Write, Risk::High, &[("path", "string"), ("content", "string")]),
        tool("execute_command", Effects::External, Risk::High, &[("command", "string")]),
        search,
    ]
}

fn toolset() -> Toolset {
    let entries = specs().into_iter().map(|spec| ToolEntry::new(Arc::new(spec), Arc::new(TypesOnly)));
    Toolset::new(entries.collect()).unwrap()
}

/// A session of the run machine.
pub(crate) struct Machine {
    settings: Arc<RunSettings>,
    tools: Toolset,
    permissions: Permissions,
    rules: PolicySet,
    gates: GateSettings,
    run: Run,
    runs: u32,
    transcript: Transcript,
    next_call_number: u64,
    pending: PendingRun,
    /// What the model has said of a step that hangs.
    partial: String,
    /// Its runs, input by input.
    pub(crate) log: Vec<PlayedRun>,
}

/// What a run began with, and everything that happened in it.
pub(crate) struct PlayedRun {
    pub(crate) settings: Arc<RunSettings>,
    pub(crate) tools: Toolset,
    pub(crate) permissions: Permissions,
    pub(crate) transcript: Transcript,
    pub(crate) next_call_number: u64,
    pub(crate) inputs: Vec<(Input, Vec<Event>)>,
    pub(crate) finished: Option<Finished>,
}

impl Machine {
    pub(crate) fn new(script: &Script) -> Self {
        let header = &script.header;
        let settings = Arc::new(RunSettings {
            profile: profile(header),
            model: format!("scripted/{}", script.name),
            system: "Be brief.".into(),
            context_tokens: None,
            form: None,
        });
        let rules = rules(header);
        let mode = header.approve.unwrap_or_default();
        Self {
            run: Run::new(Arc::clone(&settings)),
            settings,
            tools: toolset(),
            permissions: Permissions::new(Arc::new(rules.clone()), mode),
            rules,
            gates: GateSettings {
                tools_allowed: header.tools_allowed.unwrap_or(true),
                ..GateSettings::default()
            },
            runs: 0,
            transcript: Transcript::default(),
            next_call_number: 1,
            pending: PendingRun::default(),
            partial: String::new(),
            log: Vec::new(),
        }
    }

    fn start(&mut self, text: &str) -> Input {
        self.runs += 1;
        self.run = Run::new(Arc::clone(&self.settings));
        self.permissions.begin_run(self.gates.clone());
        let mut send = MessageSend::text(format!("run_{}", self.runs).into(), "message".into(), text);
        send.wishes.tools_allowed = self.gates.tools_allowed;
        let transcript = Arc::clone(&self.transcript);
        self.log.push(PlayedRun {
            settings: Arc::clone(&self.settings),
            tools: self.tools.clone(),
            permissions: self.permissions.clone(),
            transcript: Arc::clone(&transcript),
            next_call_number: self.next_call_number,
            inputs: Vec::new(),
            finished: None,
        });
        Input::UserMessage(Box::new(Start {
            send,
            transcript,
            next_call_number: self.next_call_number,
            outer: None,
        }))
    }

    /// Gives the machine an input, and everything that comes of it by itself.
    fn input(&mut self, input: Input) -> Vec<Event> {
        let mut events = Vec::new();
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let (again, from) = (input.clone(), events.len());
            let mut world =
                World { tools: &self.tools, permissions: &mut self.permissions, is_audited: true };
            for effect in self.run.handle(1_000, &mut world, input) {
                match effect {
                    Effect::Emit(event) => events.push(event),
                    Effect::InspectCall(call) => inputs.push_back(Input::CallInspected {
                        call_id: call.call.id.clone(),
                        result: inspect(&call.args).map_err(|failure| *failure),
                    }),
                    other => self.take_note(other),
                }
            }
            if let Some(run) = self.log.last_mut() {
                run.inputs.push((again, events[from..].to_vec()));
            }
        }
        events
    }

    fn take_note(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(_) | Effect::InspectCall(_) | Effect::SetTimer { .. } | Effect::Audit(_) => {}
            Effect::CallModel { request, .. } => self.pending.request = Some(*request),
            Effect::StopModel => self.pending.request = None,
            Effect::AskPermission(question) => self.pending.questions.push(question.call_id),
            Effect::WithdrawQuestion(call_id) => self.pending.questions.retain(|id| *id != call_id),
            Effect::RunTool { call, .. } => self.pending.running.push(call.call().id.clone()),
            Effect::StopCall(call_id) => self.pending.running.retain(|id| *id != call_id),
            Effect::StoreRule(rule) => {
                self.rules.add(*rule);
                self.permissions.set_rules(Arc::new(self.rules.clone()));
            }
            Effect::Finish(finished) => {
                if let Some(run) = self.log.last_mut() {
                    run.finished = Some(finished.as_ref().clone());
                }
                self.transcript = finished.transcript;
                self.next_call_number = finished.next_call_number;
            }
        }
    }
}

impl ScriptStage for Machine {
    fn pending(&self) -> PendingRun {
        self.pending.clone()
    }

    fn perform(&mut self, happening: Move<'_>) -> Vec<Event> {
        match happening {
            Move::User(text) => {
                let input = self.start(text);
                self.input(input)
            }
            Move::Step(step) => match (step.complete(), step.failure()) {
                (Some(whole), _) => {
                    self.pending.request = None;
                    self.input(Input::ModelEnded(whole))
                }
                (None, Some(failure)) => {
                    self.pending.request = None;
                    self.input(Input::ModelFailed { failure, partial: step.partial_parts() })
                }
                (None, None) => {
                    self.partial = step.partial_text();
                    Vec::new()
                }
            },
            Move::Answer { call_id, answer } => {
                self.pending.questions.retain(|id| *id != call_id);
                self.input(Input::PermissionAnswered { call_id, answer })
            }
            Move::CallEnded { call_id, outcome } => {
                self.pending.running.retain(|id| *id != call_id);
                self.input(Input::CallEnded { call_id, outcome: outcome.as_ref().clone() })
            }
            Move::Cancel => {
                let partial = std::mem::take(&mut self.partial);
                self.input(Input::Cancel { partial })
            }
            Move::Deadline => {
                let is_final = |purpose| purpose == StepPurpose::Finalise;
                let deadline = match self.pending.request.as_ref().map(|request| request.purpose) {
                    Some(purpose) if is_final(purpose) => Deadline::Final,
                    Some(_) | None => Deadline::Work,
                };
                self.input(Input::DeadlinePassed(deadline))
            }
        }
    }
}

/// The profile of a header, with its limits.
pub(crate) fn profile(header: &ScriptHeader) -> Profile {
    let name = header.profile.as_deref().unwrap_or("default").parse().unwrap();
    let mut profile = Profile::named(name);
    let mut limits = serde_json::to_value(&profile.limits).unwrap();
    for (name, number) in &header.limits {
        assert!(limits.get(name).is_some(), "there is no limit '{name}'");
        limits[name] = json!(number);
    }
    profile.limits = serde_json::from_value(limits).unwrap();
    profile.limits.steps_max = header.steps_max.unwrap_or(profile.limits.steps_max);
    profile
}

pub(crate) fn rules(header: &ScriptHeader) -> PolicySet {
    let mut rules = PolicySet::new();
    for (effect, texts) in [(RuleEffect::Allow, &header.allow), (RuleEffect::Deny, &header.deny)] {
        for text in texts {
            rules.add(Rule::parse(effect, text, RuleSource::Flag).unwrap());
        }
    }
    rules
}

/// What a call would touch, and a refusal of what lies outside.
pub(crate) fn inspect(args: &Map<String, Value>) -> Result<Inspection, Box<ToolFailure>> {
    let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
    if text("path").is_some_and(|path| path.split('/').any(|name| name == "..")) {
        return Err(Box::new(ToolFailure::denied("The path leads out of the project root")));
    }
    let targets = text("path").map(Target::Path).into_iter().chain(text("command").map(Target::Command));
    let mut inspection = Inspection { targets: targets.collect(), ..Inspection::default() };
    if let (Some(path), Some(content)) = (text("path"), text("content")) {
        let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
        inspection.preview = Some(Preview::Diff(format!("--- /dev/null\n+++ b/{path}\n{lines}")));
        inspection.pins.insert("create_new".to_owned(), json!(true));
    }
    Ok(inspection)
}
