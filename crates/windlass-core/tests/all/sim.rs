//! A world for the machine: a few tools, permissions, and a watcher that checks every invariant after
//! every input.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::calls::toolset::{ToolEntry, Toolset};
use windlass_core::permission::{
    ApproveMode, Decision, GateSettings, Inspection, PermissionAnswer, Permissions, PolicySet, Target,
};
use windlass_core::ports::{ArgsValidator, Violation};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, WarningCode};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Transcript};
use windlass_core::protocol::model::{
    ModelFailure, ModelRequest, ModelStep, NoticeKind, StepPurpose, ToolChoice,
};
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, RawArgs, RawCall, Risk, ToolFailure, ToolOutcome, ToolOutput, ToolSpec,
};
use windlass_core::run::{Deadline, Effect, Finished, Input, Run, RunSettings, Start, World};

/// A schema of types alone is wholly checked by the core itself.
pub(crate) struct TypesOnly;

impl ArgsValidator for TypesOnly {
    fn check(&self, _args: &Value) -> Vec<Violation> {
        Vec::new()
    }
}

/// The tools of the tests: one of every effect class and risk.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let sum = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}}, "required": ["a"]});
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}, "max_results": {"type": "integer", "default": 5}}, "required": ["query"]});
    let mut inspected = ToolSpec::new("write_file", "Writes")
        .with_schema(path.clone())
        .with_effects(Effects::Write, Risk::High);
    inspected.inspected = true;
    vec![
        ToolSpec::new("add", "Adds").with_schema(sum),
        ToolSpec::new("look", "Looks").with_effects(Effects::Read, Risk::Safe),
        ToolSpec::new("read_file", "Reads")
            .with_schema(path.clone())
            .with_effects(Effects::Read, Risk::Medium),
        ToolSpec::new("web_search", "Searches")
            .with_schema(query)
            .with_effects(Effects::Read, Risk::Low)
            .with_place(Category::Search, windlass_core::protocol::tool::Visibility::Primary)
            .with_alias("search_web"),
        inspected,
        ToolSpec::new("touch", "Touches").with_schema(path).with_effects(Effects::Write, Risk::Safe),
        ToolSpec::new("launch", "Launches").with_effects(Effects::External, Risk::Critical),
    ]
}

pub(crate) fn toolset(specs: Vec<ToolSpec>) -> Toolset {
    let entries = specs.into_iter().map(|spec| ToolEntry::new(Arc::new(spec), Arc::new(TypesOnly)));
    Toolset::new(entries.collect()).unwrap()
}

/// What the machine had done, besides events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Done {
    CallModel { delay_ms: u64, is_exact: bool },
    StopModel,
    Inspect(String),
    Ask(String),
    Withdraw(String),
    Run { id: String, timeout_ms: u64 },
    StopCall(String),
    Timer { deadline: Deadline, at_ms: u64 },
    Finish,
}

/// A call with an object as arguments.
pub(crate) fn call(name: &str, args: Value) -> RawCall {
    RawCall { provider_id: None, name: name.into(), args: RawArgs::Value(args), after_parts: 0, state: None }
}

/// A call with text as arguments.
pub(crate) fn text_call(name: &str, args: &str) -> RawCall {
    RawCall {
        provider_id: None,
        name: name.into(),
        args: RawArgs::Text(args.into()),
        after_parts: 0,
        state: None,
    }
}

/// A call with the provider's own id.
pub(crate) fn named_call(provider_id: &str, name: &str, args: Value) -> RawCall {
    RawCall { provider_id: Some(provider_id.into()), ..call(name, args) }
}

fn settings(profile: &Profile, context_tokens: Option<u64>) -> RunSettings {
    RunSettings {
        profile: profile.clone(),
        model: "scripted/test".into(),
        system: "Be good.".into(),
        context_tokens,
        form: None,
    }
}

/// The machine in its world, watched.
pub(crate) struct Sim {
    pub(crate) run: Run,
    pub(crate) tools: Toolset,
    pub(crate) permissions: Permissions,
    pub(crate) profile: Profile,
    context_tokens: Option<u64>,
    pub(crate) now: u64,
    pub(crate) events: Vec<Event>,
    pub(crate) requests: Vec<ModelRequest>,
    pub(crate) is_thinking: bool,
    pub(crate) inspecting: BTreeSet<CallId>,
    /// Calls that would change files, and which, by what their tools said.
    edits: BTreeMap<CallId, Vec<Target>>,
    pub(crate) asking: BTreeSet<CallId>,
    pub(crate) running: BTreeMap<CallId, Effects>,
    pub(crate) stored_rules: Vec<String>,
    pub(crate) audit: Vec<String>,
    /// Everything that was asked to be done, in order, without events and audit lines.
    pub(crate) done: Vec<Done>,
    /// The arguments each call ran with.
    pub(crate) args: BTreeMap<CallId, Value>,
    pub(crate) finished: Option<Finished>,
    requested: BTreeSet<CallId>,
    started: BTreeSet<CallId>,
    ended: BTreeSet<CallId>,
    approved_by_machine: BTreeSet<CallId>,
    /// How often the history was shortened since the last request.
    trims_since: u32,
    /// Calls that started while the model speaks.
    early: Vec<CallId>,
    /// Those of them whose model failed: nothing of them may be lost.
    kept: BTreeSet<CallId>,
    /// Whether the input being handled is such a failure.
    has_kept_now: bool,
    /// Everything that happened, if somebody wants to know.
    pub(crate) log: Option<Vec<Handled>>,
}

/// One input, and what was the case after it.
pub(crate) struct Handled {
    pub(crate) now: u64,
    pub(crate) input: Input,
    /// Whether somebody waited for it.
    pub(crate) is_wanted: bool,
    pub(crate) events: Vec<Event>,
    pub(crate) running: Vec<CallId>,
    pub(crate) asking: Vec<CallId>,
}

impl Sim {
    pub(crate) fn new(profile: Profile, mode: ApproveMode) -> Self {
        Self::with_rules(profile, mode, PolicySet::default())
    }

    pub(crate) fn with_rules(profile: Profile, mode: ApproveMode, rules: PolicySet) -> Self {
        let settings = settings(&profile, None);
        let mut permissions = Permissions::new(Arc::new(rules), mode);
        permissions.begin_run(GateSettings::default());
        Self {
            run: Run::new(Arc::new(settings)),
            tools: toolset(specs()),
            permissions,
            profile,
            context_tokens: None,
            now: 1_000,
            events: Vec::new(),
            requests: Vec::new(),
            is_thinking: false,
            inspecting: BTreeSet::new(),
            edits: BTreeMap::new(),
            asking: BTreeSet::new(),
            running: BTreeMap::new(),
            stored_rules: Vec::new(),
            audit: Vec::new(),
            done: Vec::new(),
            args: BTreeMap::new(),
            finished: None,
            requested: BTreeSet::new(),
            started: BTreeSet::new(),
            ended: BTreeSet::new(),
            approved_by_machine: BTreeSet::new(),
            trims_since: 0,
            early: Vec::new(),
            kept: BTreeSet::new(),
            has_kept_now: false,
            log: None,
        }
    }

    pub(crate) fn start(&mut self, text: &str) {
        self.start_from(text, Transcript::default(), 1);
    }

    pub(crate) fn start_from(&mut self, text: &str, transcript: Transcript, next_call_number: u64) {
        let send = MessageSend::text("run_1".into(), "message_1".into(), text);
        self.send(send, transcript, next_call_number);
    }

    pub(crate) fn send(&mut self, send: MessageSend, transcript: Transcript, next_call_number: u64) {
        self.input(Input::UserMessage(Box::new(Start { send, transcript, next_call_number, outer: None })));
    }

    /// Gives the machine an input and checks everything that must hold after it.
    pub(crate) fn input(&mut self, input: Input) {
        self.now += 1;
        let was_finished = self.finished.is_some();
        let ends_thinking =
            matches!(input, Input::ModelEnded(_) | Input::ModelFailed { .. }) && self.is_thinking;
        if ends_thinking {
            self.is_thinking = false;
        }
        self.has_kept_now = false;
        if ends_thinking && matches!(input, Input::ModelFailed { .. }) {
            self.has_kept_now = !self.early.is_empty();
            self.kept.extend(self.early.drain(..));
        }
        let logged = self.log.as_ref().map(|_| (input.clone(), self.is_wanted(&input), self.events.len()));
        self.note_input(&input);
        let mut world = World { tools: &self.tools, permissions: &mut self.permissions, is_audited: true };
        let effects = self.run.handle(self.now, &mut world, input);
        assert!(!was_finished || effects.is_empty(), "effects after the end: {effects:?}");
        for effect in effects {
            assert!(self.finished.is_none(), "an effect after Finish: {effect:?}");
            self.effect(effect);
        }
        assert_eq!(self.run.is_ended(), self.finished.is_some());
        if let (Some(log), Some((input, is_wanted, from))) = (&mut self.log, logged) {
            log.push(Handled {
                now: self.now,
                input,
                is_wanted,
                events: self.events[from..].to_vec(),
                running: self.running.keys().cloned().collect(),
                asking: self.asking.iter().cloned().collect(),
            });
        }
        if self.finished.is_some() {
            self.check_end();
        }
    }

    fn is_wanted(&self, input: &Input) -> bool {
        match input {
            Input::CallInspected { call_id, .. } => self.inspecting.contains(call_id),
            _ => true,
        }
    }

    fn note_input(&mut self, input: &Input) {
        match input {
            Input::CallInspected { call_id, result } => {
                let was_inspected = self.inspecting.remove(call_id);
                let edit = result.as_ref().ok().filter(|inspection| was_inspected && inspection.is_edit());
                self.edits.extend(edit.map(|edit| (call_id.clone(), edit.targets.clone())));
            }
            Input::PermissionAnswered { call_id, .. } => drop(self.asking.remove(call_id)),
            Input::ModeChanged(mode) => self.permissions.set_mode(*mode),
            Input::CallEnded { call_id, .. } => drop(self.running.remove(call_id)),
            _ => {}
        }
    }

    fn note_done(&mut self, effect: &Effect) {
        let id = |call_id: &CallId| call_id.as_str().to_owned();
        self.done.push(match effect {
            Effect::Emit(_) | Effect::Audit(_) | Effect::StoreRule(_) => return,
            Effect::CallModel { delay_ms, is_exact, .. } => {
                Done::CallModel { delay_ms: *delay_ms, is_exact: *is_exact }
            }
            Effect::StopModel => Done::StopModel,
            Effect::InspectCall(checked) => Done::Inspect(id(&checked.call.id)),
            Effect::AskPermission(question) => Done::Ask(id(&question.call_id)),
            Effect::WithdrawQuestion(call_id) => Done::Withdraw(id(call_id)),
            Effect::RunTool { call, timeout_ms } => {
                Done::Run { id: id(&call.call().id), timeout_ms: *timeout_ms }
            }
            Effect::StopCall(call_id) => Done::StopCall(id(call_id)),
            Effect::SetTimer { deadline, at_ms } => Done::Timer { deadline: *deadline, at_ms: *at_ms },
            Effect::Finish(_) => Done::Finish,
        });
    }

    fn effect(&mut self, effect: Effect) {
        self.note_done(&effect);
        match effect {
            Effect::Emit(event) => self.event(event),
            Effect::CallModel { request, .. } => {
                assert!(!self.is_thinking, "two models at once");
                assert_eq!(
                    self.requested, self.ended,
                    "wall 5: a call without outcome before the next request"
                );
                assert!(self.running.is_empty() && self.asking.is_empty() && self.inspecting.is_empty());
                self.is_thinking = true;
                self.check_request(&request);
                self.trims_since = 0;
                self.early.clear();
                self.requests.push(*request);
            }
            Effect::StopModel => self.is_thinking = false,
            Effect::InspectCall(call) => assert!(self.inspecting.insert(call.call.id.clone())),
            Effect::AskPermission(question) => assert!(self.asking.insert(question.call_id.clone())),
            Effect::WithdrawQuestion(call_id) => assert!(self.asking.remove(&call_id)),
            Effect::Audit(entry) => self.audit.push(entry.to_string()),
            Effect::StoreRule(rule) => self.stored_rules.push(rule.to_string()),
            Effect::RunTool { call, timeout_ms } => {
                let id = call.call().id.clone();
                assert!(timeout_ms > 0);
                assert!(
                    matches!(self.events.last(), Some(Event::Durable(DurableEvent::CallStarted { call_id, .. })) if *call_id == id),
                    "wall 6: intent is written before the call runs"
                );
                let effects = call.spec().effects;
                if effects.is_read_only() {
                    assert!(
                        self.running.values().all(|other| other.is_read_only()),
                        "a read beside an effect"
                    );
                    assert!(
                        self.running.len() < self.profile.limits.parallel_reads_max,
                        "too many reads at once"
                    );
                } else {
                    assert!(self.running.is_empty(), "an effect beside another call");
                }
                assert!(self.approved_by_machine.insert(id.clone()), "a call ran twice");
                let is_behind = self.edits.get(&id).is_some_and(|targets| self.has_staged(targets));
                assert!(!is_behind, "R-39: an edit of a file behind a staged one");
                self.args.insert(id.clone(), Value::Object(call.args().clone()));
                self.running.insert(id, effects);
            }
            Effect::StopCall(call_id) => {
                let was_there = self.running.remove(&call_id).is_some() | self.inspecting.remove(&call_id);
                assert!(was_there, "stopped a call that did not run");
            }
            Effect::SetTimer { .. } => {}
            Effect::Finish(finished) => {
                assert!(matches!(self.events.last(), Some(Event::Durable(DurableEvent::RunEnded { .. }))));
                self.finished = Some(*finished);
            }
        }
    }

    /// Whether an edit of the same file is staged.
    fn has_staged(&self, targets: &[Target]) -> bool {
        let is_same = |target: &Target| targets.contains(target);
        self.events.iter().any(|event| match event {
            Event::Durable(DurableEvent::CallEnded { outcome, .. }) => {
                outcome.meta.proposal.as_deref().is_some_and(|proposal| proposal.targets.iter().any(is_same))
            }
            _ => false,
        })
    }

    fn event(&mut self, event: Event) {
        match &event {
            Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                assert!(self.requested.insert(call.id.clone()), "ids repeat")
            }
            Event::Durable(DurableEvent::CallStarted { call_id, .. }) => {
                assert!(self.requested.contains(call_id), "R-37: started before requested");
                assert!(!self.ended.contains(call_id));
                assert!(self.started.insert(call_id.clone()), "started twice");
                if self.is_thinking {
                    self.early.push(call_id.clone());
                }
            }
            Event::Durable(DurableEvent::CallEnded { call_id, .. }) => {
                assert!(self.requested.contains(call_id), "R-37: ended before requested");
                assert!(self.ended.insert(call_id.clone()), "R-38: two terminal events");
            }
            Event::Durable(DurableEvent::StepStarted { attempt, .. }) => {
                assert!(
                    *attempt == 1 || !self.has_kept_now,
                    "a step is asked for again after a call of it ran"
                );
            }
            Event::Durable(DurableEvent::WarningRaised { code, .. }) => {
                let again = self.events.iter().any(
                    |e| matches!(e, Event::Durable(DurableEvent::WarningRaised { code: c, .. }) if c == code),
                );
                assert!(!again, "{code:?} was raised twice");
            }
            Event::Durable(DurableEvent::RequestAdjusted { kind: NoticeKind::Trimmed, .. }) => {
                self.trims_since += 1
            }
            // A step that was cut is told of each time; what was changed of requests, once a run.
            Event::Durable(DurableEvent::RequestAdjusted { step, rule, message, .. }) => {
                let again = self.events.iter().any(|event| {
                    matches!(event, Event::Durable(DurableEvent::RequestAdjusted { step: s, rule: r, message: m, .. })
                        if (r, m) == (rule, message) && (s == step || rule != "cut_step"))
                });
                assert!(!again, "{rule} was told twice");
            }
            Event::Durable(DurableEvent::RunEnded { .. }) => {
                assert!(
                    !self.events.iter().any(|e| matches!(e, Event::Durable(DurableEvent::RunEnded { .. }))),
                    "two ends"
                );
            }
            _ => {}
        }
        self.events.push(event);
    }

    fn check_request(&self, request: &ModelRequest) {
        if !self.profile.has_text_calls() {
            check_transcript(&request.messages);
            let names: Vec<_> = request.tools.iter().map(|spec| &spec.name).collect();
            assert!(names.is_sorted(), "tools are sorted");
        }
        if request.purpose == StepPurpose::Finalise && !self.profile.has_text_calls() {
            assert_eq!(request.tool_choice, ToolChoice::Forbidden);
        }
        if let Some(earlier) = self.requests.last().filter(|_| !self.profile.has_text_calls()) {
            assert_eq!(earlier.system, request.system, "R-56");
            assert_eq!(earlier.tools, request.tools, "R-56");
            let is_prefix = earlier.messages.iter().zip(request.messages.iter()).all(|(a, b)| a == b);
            let is_same = is_prefix && earlier.messages.len() <= request.messages.len();
            assert!(is_same || self.trims_since > 0, "R-56: the prefix changed and nobody was told");
        }
    }

    fn check_end(&self) {
        let finished = self.finished.as_ref().unwrap();
        assert_eq!(self.requested, self.ended, "every call has its outcome at the end");
        assert!(
            self.running.is_empty()
                && self.asking.is_empty()
                && self.inspecting.is_empty()
                && !self.is_thinking,
            "something goes on after the end"
        );
        check_transcript(&finished.transcript);
        let told: BTreeSet<&CallId> =
            finished.transcript.iter().flat_map(|message| message.calls()).map(|call| &call.id).collect();
        assert!(
            self.kept.iter().all(|id| told.contains(id)),
            "a call that ran was lost when the model failed"
        );
        let limits = &self.profile.limits;
        let work = self.events.iter().filter(|event| {
            matches!(
                event,
                Event::Durable(DurableEvent::StepStarted { purpose: StepPurpose::Work, attempt: 1, .. })
            )
        });
        assert!(work.count() <= limits.steps_max as usize, "too many steps");
        assert!(self.started.len() <= limits.calls_per_run_max as usize, "too many calls");
        if finished.outcome != RunOutcome::Failed {
            assert!(!finished.answer.trim().is_empty(), "S-36: there is always an answer");
        }
    }

    /// All event names in order, in one text.
    pub(crate) fn story(&self) -> String {
        self.events.iter().map(Event::name).collect::<Vec<_>>().join(" ")
    }
}

/// Steps of a test: what the world says to the machine.
impl Sim {
    /// A machine of a profile in which everything is allowed.
    pub(crate) fn of(profile: Profile) -> Self {
        Self::new(profile, ApproveMode::All)
    }

    /// The same machine of a model whose context is known.
    pub(crate) fn with_context(mut self, context_tokens: u64) -> Self {
        self.context_tokens = Some(context_tokens);
        self.run = Run::new(Arc::new(self.settings()));
        self
    }

    /// What the machine was made with.
    pub(crate) fn settings(&self) -> RunSettings {
        settings(&self.profile, self.context_tokens)
    }

    /// The same world with other tools.
    pub(crate) fn with_tools(mut self, specs: Vec<ToolSpec>) -> Self {
        self.tools = toolset(specs);
        self
    }

    /// The model is done: text alone.
    pub(crate) fn say(&mut self, text: &str) {
        self.input(Input::ModelEnded(ModelStep::text(text)));
    }

    /// The model is done: calls alone.
    pub(crate) fn want(&mut self, calls: Vec<RawCall>) {
        self.input(Input::ModelEnded(ModelStep::calls(calls)));
    }

    /// A running call worked.
    pub(crate) fn ended(&mut self, number: u64, json: Value) {
        self.ended_with(number, ToolOutcome::ok(ToolOutput::json(json)));
    }

    /// A running call failed.
    pub(crate) fn failed(&mut self, number: u64, failure: ToolFailure) {
        self.ended_with(number, ToolOutcome::failed(failure));
    }

    pub(crate) fn ended_with(&mut self, number: u64, outcome: ToolOutcome) {
        let call_id = CallId::numbered(number);
        assert!(self.running.contains_key(&call_id), "{call_id} does not run");
        self.input(Input::CallEnded { call_id, outcome });
    }

    pub(crate) fn decide(&mut self, number: u64, decision: Decision) {
        let call_id = CallId::numbered(number);
        assert!(self.asking.contains(&call_id), "{call_id} is not asked about");
        self.input(Input::PermissionAnswered { call_id, answer: PermissionAnswer::new(decision) });
    }

    /// A tool says what its call would touch.
    pub(crate) fn inspected(&mut self, number: u64, result: Result<Inspection, ToolFailure>) {
        let call_id = CallId::numbered(number);
        assert!(self.inspecting.contains(&call_id), "{call_id} is not inspected");
        self.input(Input::CallInspected { call_id, result });
    }

    /// The model fails before it said anything.
    pub(crate) fn model_fails(&mut self, failure: ModelFailure) {
        self.model_fails_after("", failure);
    }

    /// The model fails in the middle of its answer.
    pub(crate) fn model_fails_after(&mut self, text: &str, failure: ModelFailure) {
        let partial = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
        self.input(Input::ModelFailed { failure, partial });
    }

    pub(crate) fn cancel(&mut self, partial: &str) {
        self.input(Input::Cancel { partial: partial.into() });
    }

    pub(crate) fn deadline(&mut self, deadline: Deadline) {
        self.input(Input::DeadlinePassed(deadline));
    }
}

/// What a test looks at.
impl Sim {
    pub(crate) fn finished(&self) -> &Finished {
        self.finished.as_ref().expect("the run is over")
    }

    pub(crate) fn answer(&self) -> &str {
        &self.finished().answer
    }

    pub(crate) fn request(&self) -> &ModelRequest {
        self.requests.last().expect("the model was asked")
    }

    /// The whole text of the last request: what a model of a text dialect reads.
    pub(crate) fn prompt(&self) -> String {
        self.request().messages.iter().map(|message| message.text()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn warnings(&self) -> Vec<(WarningCode, &str)> {
        let mut warnings = Vec::new();
        for event in &self.events {
            if let Event::Durable(DurableEvent::WarningRaised { code, message }) = event {
                warnings.push((*code, message.as_str()));
            }
        }
        warnings
    }

    /// What was changed of requests: kind, rule and message.
    pub(crate) fn adjustments(&self) -> Vec<(NoticeKind, &str, &str)> {
        let mut adjustments = Vec::new();
        for event in &self.events {
            if let Event::Durable(DurableEvent::RequestAdjusted { kind, rule, message, .. }) = event {
                adjustments.push((*kind, rule.as_str(), message.as_str()));
            }
        }
        adjustments
    }

    /// The errors that were raised: code and message.
    pub(crate) fn errors(&self) -> Vec<(&str, &str)> {
        let mut errors = Vec::new();
        for event in &self.events {
            if let Event::Durable(DurableEvent::ErrorRaised { code, message }) = event {
                errors.push((code.as_str(), message.as_str()));
            }
        }
        errors
    }

    /// How a call ended: its outcome, and the message the model sees.
    fn end_of(&self, number: u64) -> (&ToolOutcome, &Message) {
        let id = CallId::numbered(number);
        for event in &self.events {
            if let Event::Durable(DurableEvent::CallEnded { call_id, outcome, message, .. }) = event
                && *call_id == id
            {
                return (outcome.as_ref(), message);
            }
        }
        panic!("{id} has no outcome");
    }

    /// The outcome of a call.
    pub(crate) fn outcome(&self, number: u64) -> &ToolOutcome {
        self.end_of(number).0
    }

    /// The failure of a call: kind and message.
    pub(crate) fn failure(&self, number: u64) -> (ErrorKind, &str) {
        let failure = self.outcome(number).failure().expect("the call failed");
        (failure.kind, failure.message.as_str())
    }

    /// What the model sees of a call.
    pub(crate) fn content(&self, number: u64) -> String {
        self.end_of(number).1.text()
    }

    pub(crate) fn content_json(&self, number: u64) -> Value {
        serde_json::from_str(&self.content(number)).expect("the content is JSON")
    }

    /// The numbers of the calls that run now.
    pub(crate) fn running(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.running.keys().filter_map(CallId::number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The calls that ran, in the order in which they started, with their time limits.
    pub(crate) fn ran(&self) -> Vec<(&str, u64)> {
        let mut ran = Vec::new();
        for done in &self.done {
            if let Done::Run { id, timeout_ms } = done {
                ran.push((id.as_str(), *timeout_ms));
            }
        }
        ran
    }

    /// A transcript in short: `user`, `assistant+2`, `tool`, `note`.
    pub(crate) fn roles(transcript: &Transcript) -> String {
        let role = |message: &std::sync::Arc<Message>| match message.as_ref() {
            Message::User { .. } => "user".to_owned(),
            Message::Assistant { .. } => match message.calls().count() {
                0 => "assistant".to_owned(),
                calls => format!("assistant+{calls}"),
            },
            Message::Tool(_) => "tool".to_owned(),
            Message::Note { .. } => "note".to_owned(),
        };
        transcript.iter().map(role).collect::<Vec<_>>().join(" ")
    }

    /// The events as a journal would number them, one second apart.
    pub(crate) fn records(&self) -> Vec<Record> {
        let record = |(seq, event): (u64, &Event)| Record {
            seq,
            ts_ms: seq * 1_000,
            session_id: "session_1".into(),
            run_id: "run_1".into(),
            parent_id: "message_1".into(),
            event: event.clone(),
            cause: None,
        };
        (1..).zip(&self.events).map(record).collect()
    }
}

/// an assistant message with calls is followed by exactly its tool messages, in order.
pub(crate) fn check_transcript(transcript: &Transcript) {
    let mut seen = BTreeSet::new();
    let mut provider_ids = BTreeSet::new();
    let mut messages = transcript.iter().peekable();
    while let Some(message) = messages.next() {
        assert!(!matches!(message.as_ref(), Message::Tool(_)), "a tool message without its call");
        for call in message.calls() {
            assert!(seen.insert(call.id.clone()), "R-54: call ids repeat");
            if let Some(id) = &call.provider_id {
                assert!(provider_ids.insert(id.clone()), "R-36: provider ids repeat");
            }
            match messages.next().map(AsRef::as_ref) {
                Some(Message::Tool(tool)) => {
                    assert_eq!(tool.call_id, call.id, "R-33: order");
                    assert_eq!(tool.provider_id, call.provider_id);
                }
                other => panic!("R-33: call {} is followed by {other:?}", call.id),
            }
        }
    }
}
