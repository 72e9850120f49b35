//! A world for the machine: a few tools, permissions, and a watcher that checks every invariant after
//! every input.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::command::MessageSend;
use windlass_core::event::{Event, RunOutcome};
use windlass_core::ids::CallId;
use windlass_core::message::{Message, Transcript};
use windlass_core::model::{ModelRequest, StepPurpose, ToolChoice};
use windlass_core::permission::{ApproveMode, GateSettings, Permissions, PolicySet};
use windlass_core::port::{ArgsValidator, Violation};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::run::{Effect, Finished, Input, Run, RunSettings, Start, World};
use windlass_core::tool::{Category, Effects, Risk, ToolSpec};
use windlass_core::toolset::{ToolEntry, Toolset};

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
            .with_place(Category::Search, windlass_core::tool::Visibility::Primary)
            .with_alias("search_web"),
        inspected,
        ToolSpec::new("touch", "Touches").with_schema(path).with_effects(Effects::Write, Risk::Safe),
        ToolSpec::new("launch", "Launches").with_effects(Effects::External, Risk::Critical),
    ]
}

pub(crate) fn toolset() -> Toolset {
    let entries = specs().into_iter().map(|spec| ToolEntry::new(Arc::new(spec), Arc::new(TypesOnly)));
    Toolset::new(entries.collect()).unwrap()
}

/// The machine in its world, watched.
pub(crate) struct Sim {
    pub(crate) run: Run,
    pub(crate) tools: Toolset,
    pub(crate) permissions: Permissions,
    pub(crate) profile: Profile,
    pub(crate) now: u64,
    pub(crate) events: Vec<Event>,
    pub(crate) requests: Vec<ModelRequest>,
    pub(crate) is_thinking: bool,
    pub(crate) inspecting: BTreeSet<CallId>,
    pub(crate) asking: BTreeSet<CallId>,
    pub(crate) running: BTreeMap<CallId, Effects>,
    pub(crate) stored_rules: Vec<String>,
    pub(crate) audit: Vec<String>,
    pub(crate) timers: Vec<(windlass_core::run::Deadline, u64)>,
    pub(crate) finished: Option<Finished>,
    requested: BTreeSet<CallId>,
    started: BTreeSet<CallId>,
    ended: BTreeSet<CallId>,
    approved_by_machine: BTreeSet<CallId>,
}

impl Sim {
    pub(crate) fn new(profile: Profile, mode: ApproveMode) -> Self {
        Self::with_rules(profile, mode, PolicySet::default())
    }

    pub(crate) fn with_rules(profile: Profile, mode: ApproveMode, rules: PolicySet) -> Self {
        let settings = RunSettings {
            profile: profile.clone(),
            model: "scripted/test".into(),
            system: "Be good.".into(),
        };
        let mut permissions = Permissions::new(Arc::new(rules), mode);
        permissions.begin_run(GateSettings::default());
        Self {
            run: Run::new(Arc::new(settings)),
            tools: toolset(),
            permissions,
            profile,
            now: 1_000,
            events: Vec::new(),
            requests: Vec::new(),
            is_thinking: false,
            inspecting: BTreeSet::new(),
            asking: BTreeSet::new(),
            running: BTreeMap::new(),
            stored_rules: Vec::new(),
            audit: Vec::new(),
            timers: Vec::new(),
            finished: None,
            requested: BTreeSet::new(),
            started: BTreeSet::new(),
            ended: BTreeSet::new(),
            approved_by_machine: BTreeSet::new(),
        }
    }

    pub(crate) fn start(&mut self, text: &str) {
        self.start_from(text, Transcript::default(), 1);
    }

    pub(crate) fn start_from(&mut self, text: &str, transcript: Transcript, next_call_number: u64) {
        let send = MessageSend::text("run_1".into(), "message_1".into(), text);
        self.input(Input::UserMessage(Box::new(Start { send, transcript, next_call_number })));
    }

    /// Gives the machine an input and checks everything that must hold after it.
    pub(crate) fn input(&mut self, input: Input) {
        self.now += 1;
        let was_finished = self.finished.is_some();
        let ends_thinking = matches!(input, Input::ModelEnded(_) | Input::ModelFailed(_)) && self.is_thinking;
        if ends_thinking {
            self.is_thinking = false;
        }
        self.note_input(&input);
        let mut world = World { tools: &self.tools, permissions: &mut self.permissions };
        let effects = self.run.handle(self.now, &mut world, input);
        assert!(!was_finished || effects.is_empty(), "effects after the end: {effects:?}");
        for effect in effects {
            assert!(self.finished.is_none(), "an effect after Finish: {effect:?}");
            self.effect(effect);
        }
        assert_eq!(self.run.is_ended(), self.finished.is_some());
        if self.finished.is_some() {
            self.check_end();
        }
    }

    fn note_input(&mut self, input: &Input) {
        match input {
            Input::CallInspected { call_id, .. } => drop(self.inspecting.remove(call_id)),
            Input::PermissionAnswered { call_id, .. } => drop(self.asking.remove(call_id)),
            Input::CallEnded { call_id, .. } => drop(self.running.remove(call_id)),
            _ => {}
        }
    }

    fn effect(&mut self, effect: Effect) {
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
                    matches!(self.events.last(), Some(Event::CallStarted { call_id, .. }) if *call_id == id),
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
                self.running.insert(id, effects);
            }
            Effect::StopCall(call_id) => {
                let was_there = self.running.remove(&call_id).is_some() | self.inspecting.remove(&call_id);
                assert!(was_there, "stopped a call that did not run");
            }
            Effect::SetTimer { deadline, at_ms } => self.timers.push((deadline, at_ms)),
            Effect::Finish(finished) => {
                assert!(matches!(self.events.last(), Some(Event::RunEnded { .. })));
                self.finished = Some(*finished);
            }
        }
    }

    fn event(&mut self, event: Event) {
        match &event {
            Event::CallRequested { call, .. } => {
                assert!(self.requested.insert(call.id.clone()), "ids repeat")
            }
            Event::CallStarted { call_id, .. } => {
                assert!(self.requested.contains(call_id), "R-37: started before requested");
                assert!(!self.ended.contains(call_id));
                assert!(self.started.insert(call_id.clone()), "started twice");
            }
            Event::CallEnded { call_id, .. } => {
                assert!(self.requested.contains(call_id), "R-37: ended before requested");
                assert!(self.ended.insert(call_id.clone()), "R-38: two terminal events");
            }
            Event::WarningRaised { code, .. } => {
                let again = self
                    .events
                    .iter()
                    .any(|e| matches!(e, Event::WarningRaised { code: c, .. } if c == code));
                assert!(!again, "{code:?} was raised twice");
            }
            Event::RunEnded { .. } => {
                assert!(!self.events.iter().any(|e| matches!(e, Event::RunEnded { .. })), "two ends");
            }
            _ => {}
        }
        self.events.push(event);
    }

    fn check_request(&self, request: &ModelRequest) {
        if self.profile.dialect != Dialect::Text {
            check_transcript(&request.messages);
            let names: Vec<_> = request.tools.iter().map(|spec| &spec.name).collect();
            assert!(names.is_sorted(), "tools are sorted");
        }
        if request.purpose == StepPurpose::Finalise && self.profile.dialect != Dialect::Text {
            assert_eq!(request.tool_choice, ToolChoice::Forbidden);
        }
        if let Some(earlier) = self.requests.last().filter(|_| self.profile.dialect != Dialect::Text) {
            assert_eq!(earlier.system, request.system, "R-56");
            assert_eq!(earlier.tools, request.tools, "R-56");
            let is_prefix = earlier.messages.iter().zip(request.messages.iter()).all(|(a, b)| a == b);
            assert!(
                is_prefix && earlier.messages.len() <= request.messages.len(),
                "R-56: the prefix changed"
            );
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
        let limits = &self.profile.limits;
        let work = self.events.iter().filter(|event| {
            matches!(event, Event::StepStarted { purpose: StepPurpose::Work, attempt: 1, .. })
        });
        assert!(work.count() <= limits.steps_max as usize, "too many steps");
        assert!(self.started.len() <= limits.calls_per_run_max as usize, "too many calls");
        if finished.outcome != RunOutcome::Failed {
            assert!(!finished.answer.trim().is_empty(), "S-36: there is always an answer");
        }
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.events.iter().map(Event::name).collect()
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
