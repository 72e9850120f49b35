//! Random walks: hostile inputs in any order, every invariant checked after every input.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{
    ApproveMode, Decision, Inspection, PermissionAnswer, PolicySet, Preview, Target,
};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::event::{StopReason, WarningCode};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Transcript};
use windlass_core::protocol::model::{Finish, ModelFailure, ModelStep, Notice, NoticeKind, Usage};
use windlass_core::protocol::tool::{
    ErrorKind, RawArgs, RawCall, Risk, ToolFailure, ToolOutcome, ToolOutput,
};
use windlass_core::run::{Deadline, Input};

use crate::sim::Sim;

/// SplitMix64: small, good, and the same on every machine.
pub(crate) struct Dice(pub u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const NAMES: [&str; 12] = [
    "add",
    "look",
    "read_file",
    "web_search",
    "search_web",
    "write_file",
    "touch",
    "launch",
    "nope",
    "",
    "Read_File",
    "🧨",
];

fn raw_call(dice: &mut Dice) -> RawCall {
    let name = (*dice.pick(&NAMES)).to_owned();
    let args = match dice.below(14) {
        0 => RawArgs::Text(String::new()),
        1 => RawArgs::Text("{\"path\": ".into()),
        2 => RawArgs::Text("[1,2]".into()),
        3 => RawArgs::Value(json!(null)),
        4 => RawArgs::Value(json!({"path": {"$ref": format!("call_{}", dice.below(6)), "path": ""}})),
        5 => RawArgs::Value(json!({"a": true, "path": 7, "query": []})),
        6 => RawArgs::Text("\"{\\\"path\\\":\\\"x\\\"}\"".into()),
        7 => RawArgs::Value(json!({"path": "same", "a": 1, "query": "same"})),
        8 => RawArgs::Value(json!({"a": dice.below(5), "b": 2, "path": "p", "query": "q", "bogus": 1})),
        _ => RawArgs::Value(
            json!({"a": dice.below(50), "path": format!("f{}", dice.below(50)), "query": format!("q{}", dice.below(50))}),
        ),
    };
    let provider_id = match dice.below(4) {
        0 => None,
        1 => Some(String::new()),
        2 => Some("dup".to_owned()),
        _ => Some(format!("p{}", dice.below(1000))),
    };
    RawCall { provider_id, name, args, after_parts: dice.below(4), state: None }
}

fn step(dice: &mut Dice) -> ModelStep {
    let calls = match dice.below(10) {
        0..=2 => 0,
        3..=6 => 1,
        7 | 8 => 2 + dice.below(4),
        _ => dice.below(20),
    };
    let mut parts = Vec::new();
    if dice.chance(30) {
        parts.push(Part::Reasoning(windlass_core::protocol::message::Reasoning {
            text: "hm".into(),
            ..Default::default()
        }));
    }
    let text = *dice.pick(&[
        "",
        " ",
        "An answer.",
        "{\"tool\":\"add\",\"args\":{\"a\":1}}",
        "{\"tool\":\"nope\",\"args\":{}}",
        "{\"tool\": \"add\", \"args\": {",
        "```json\n{\"tool\":\"look\",\"args\":{}}\n```",
        "{\"answer\":1}",
        "{\"tool_call\":{\"name\":\"add\",\"args\":{\"a\":2}}}",
        "{\"response\":\"x\",\"tool_call\":null}",
    ]);
    if !text.is_empty() {
        parts.push(Part::text(text));
    }
    let finish = dice
        .pick(&[
            Finish::Stop,
            Finish::Calls,
            Finish::Length,
            Finish::Paused,
            Finish::Filtered,
            Finish::Other("?".into()),
        ])
        .clone();
    let usage = dice.chance(50).then(|| Usage {
        input: 10,
        output: dice.below(100) as u64,
        cost_usd: dice.chance(70).then(|| dice.below(5) as f64 / 100.0),
        ..Usage::default()
    });
    ModelStep { parts, calls: (0..calls).map(|_| raw_call(dice)).collect(), usage, finish }
}

fn outcome(dice: &mut Dice) -> ToolOutcome {
    match dice.below(6) {
        0 => ToolOutcome::failed(ToolFailure::new(*dice.pick(&ErrorKind::ALL), "it did not work")),
        1 => ToolOutcome::ok(ToolOutput::text("x".repeat(dice.below(3_000)))),
        2 => ToolOutcome::ok(ToolOutput::json(json!({"v": dice.below(3)}))),
        3 => ToolOutcome::ok(ToolOutput::text("é\u{0}\u{1}🧨".repeat(dice.below(40)))),
        _ => ToolOutcome::ok(ToolOutput::json(json!([dice.below(10)]))),
    }
}

fn answer(dice: &mut Dice) -> PermissionAnswer {
    let decision = *dice.pick(&[Decision::Once, Decision::Session, Decision::Remember, Decision::Deny]);
    let rule =
        dice.chance(20).then(|| (*dice.pick(&["write_file", "((", "*", "read_file(src/**)"])).to_owned());
    let confirmation = dice.chance(50).then(|| (*dice.pick(&["launch", "no"])).to_owned());
    let message =
        dice.chance(50).then(|| (*dice.pick(&["look first", " ", "", "no\nand\u{202e}never"])).to_owned());
    PermissionAnswer { rule, confirmation, message, ..PermissionAnswer::new(decision) }
}

fn inspection(dice: &mut Dice) -> Result<Inspection, ToolFailure> {
    if dice.chance(20) {
        return Err(ToolFailure::denied("outside of the root"));
    }
    let mut inspection =
        Inspection { targets: vec![Target::Path(format!("f{}", dice.below(4)))], ..Inspection::default() };
    if dice.chance(70) {
        inspection.preview = Some(Preview::Diff(format!("+{}", dice.below(4))));
        inspection.risk = dice.chance(20).then_some(Risk::Critical);
    }
    if dice.chance(50) {
        inspection.pins.insert("expected_sha256".to_owned(), json!(dice.below(1_000)));
    }
    Ok(inspection)
}

/// The id of something that waits, or of something that does not.
fn some_id<'a>(dice: &mut Dice, waiting: impl Iterator<Item = &'a CallId>) -> CallId {
    let waiting: Vec<_> = waiting.collect();
    if waiting.is_empty() || dice.chance(10) {
        return CallId::numbered(dice.below(30) as u64);
    }
    (*dice.pick(&waiting)).clone()
}

fn model_failed(dice: &mut Dice, failure: ModelFailure) -> Input {
    let mut partial = step(dice).parts;
    if dice.chance(20) {
        partial.extend(step(dice).parts);
    }
    Input::ModelFailed { failure, partial }
}

fn notice(dice: &mut Dice) -> Notice {
    let kind = *dice.pick(&[NoticeKind::Healed, NoticeKind::Lowered, NoticeKind::Emulated]);
    Notice { kind, rule: format!("rule_{}", dice.below(3)), message: "changed".into() }
}

fn hostile_input(dice: &mut Dice, sim: &Sim) -> Input {
    match dice.below(40) {
        0 => Input::Cancel { partial: (*dice.pick(&["", "half an ans"])).into() },
        1 => Input::DeadlinePassed(*dice.pick(&[Deadline::Work, Deadline::Final])),
        2 => model_failed(dice, ModelFailure::fatal("auth", "no key")),
        3 => model_failed(dice, ModelFailure::fatal("context_overflow", "too long")),
        4 | 5 => model_failed(dice, ModelFailure::passing("overloaded", "later")),
        6 => Input::JournalFailed { message: "disk full".into() },
        7 => Input::ModelNoticed(notice(dice)),
        8..=10 => Input::CallReady(raw_call(dice)),
        11..=15 => {
            Input::CallInspected { call_id: some_id(dice, sim.inspecting.iter()), result: inspection(dice) }
        }
        16..=20 => {
            Input::PermissionAnswered { call_id: some_id(dice, sim.asking.iter()), answer: answer(dice) }
        }
        21 => Input::ModeChanged(*dice.pick(&ApproveMode::ALL)),
        22..=29 => Input::CallEnded { call_id: some_id(dice, sim.running.keys()), outcome: outcome(dice) },
        _ => Input::ModelEnded(step(dice)),
    }
}

fn profile(dice: &mut Dice) -> Profile {
    let mut profile = Profile::named(*dice.pick(&ProfileName::ALL));
    profile.executes_while_streaming = dice.chance(30);
    if dice.chance(20) {
        profile.limits.calls_per_run_max = 3;
    }
    if dice.chance(20) {
        profile.limits.tokens_max = Some(2_100);
    }
    if dice.chance(20) {
        profile.limits.cost_usd_max = Some(0.05);
    }
    if dice.chance(20) {
        profile.limits.run_output_bytes_max = 500;
        profile.limits.result_chars_max = 100;
    }
    profile
}

/// The world of a walk before its first step.
pub(crate) fn world(dice: &mut Dice) -> Sim {
    let mode = *dice.pick(&[
        ApproveMode::Ask,
        ApproveMode::Ask,
        ApproveMode::Never,
        ApproveMode::Safe,
        ApproveMode::All,
        ApproveMode::Stage,
        ApproveMode::StageOnly,
    ]);
    let rules = match dice.below(4) {
        0 => "{\"policies\":[{\"tool_name\":\"add\",\"decision\":\"always_deny\",\"created_at\":1}]}",
        1 => "{\"policies\":[{\"tool_name\":\"write_file\",\"decision\":\"always_allow\",\"created_at\":1}]}",
        _ => "{\"version\":1,\"rules\":[]}",
    };
    let sim = Sim::with_rules(profile(dice), mode, PolicySet::from_json(rules).unwrap());
    if dice.chance(20) { sim.with_context(500 + dice.below(3_000) as u64) } else { sim }
}

/// What was said before a walk, and the number of its first call.
pub(crate) fn past(dice: &mut Dice) -> (Transcript, u64) {
    let exchanges = if dice.chance(30) { dice.below(30) } else { 0 };
    let exchange = |_| [Message::user("q".repeat(200)), Message::assistant("a".repeat(200))];
    let history: Vec<_> = (0..exchanges).flat_map(exchange).map(Arc::new).collect();
    (Transcript::new(history), 1 + dice.below(3) as u64)
}

fn walk(seed: u64) -> Sim {
    let mut dice = Dice(seed);
    let mut sim = world(&mut dice);
    if dice.chance(5) {
        let early = hostile_input(&mut dice, &sim);
        if !matches!(early, Input::UserMessage(_)) {
            sim.input(early);
        }
    }
    let (history, first_call) = past(&mut dice);
    wander(&mut dice, &mut sim, history, first_call);
    let late = hostile_input(&mut dice, &sim);
    sim.input(late);
    check_cost(&sim);
    sim
}

/// Money stops a run, and is told of, only where somebody set a budget of it; and nothing that is not known stops one.
fn check_cost(sim: &Sim) {
    let is_told = sim.warnings().iter().any(|(code, _)| *code == WarningCode::CostUnknown);
    let finished = sim.finished();
    let (is_over, spent) = (finished.reason == StopReason::CostMax, finished.usage.cost_usd);
    match sim.profile.limits.cost_usd_max {
        // Half of it is gone at least: the other half is what the last step cost.
        Some(max) => assert!(!is_over || spent > Some(max / 2.0), "{spent:?} of {max}"),
        None => assert!(!is_told && !is_over, "nobody set a budget"),
    }
}

/// From a user message to the end of the run.
pub(crate) fn wander(dice: &mut Dice, sim: &mut Sim, history: Transcript, first_call: u64) {
    sim.start_from("Do it.", history, first_call);
    for _ in 0..60 {
        if sim.finished.is_some() {
            break;
        }
        let input = hostile_input(dice, sim);
        sim.input(input);
    }
    sim.input(Input::Cancel { partial: String::new() });
    assert!(sim.finished.is_some(), "cancel ends every run");
}

#[test]
fn e_36_r_7_r_33_r_37_r_38_random_walks_with_hostile_inputs_keep_every_invariant() {
    const WALKS: u64 = 100_000;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let workers: Vec<_> = (0..threads)
        .map(|worker| {
            std::thread::spawn(move || {
                let mut ends = std::collections::BTreeMap::new();
                for seed in (worker..WALKS).step_by(threads as usize) {
                    let sim = std::panic::catch_unwind(|| walk(seed)).unwrap_or_else(|_| {
                        panic!("the walk with seed {seed} broke an invariant (see above)")
                    });
                    for (_, rule, _) in sim.adjustments() {
                        *ends.entry(rule.to_owned()).or_insert(0u64) += 1;
                    }
                    let reason = sim.finished.unwrap().reason;
                    *ends.entry(format!("{reason:?}")).or_insert(0u64) += 1;
                }
                ends
            })
        })
        .collect();
    let mut ends = std::collections::BTreeMap::new();
    for worker in workers {
        for (reason, count) in worker.join().unwrap() {
            *ends.entry(reason).or_insert(0) += count;
        }
    }
    // The walks are worth nothing if they never get anywhere: every way to end must be among them, and every
    // way in which the machine itself changes a request.
    for reason in [
        "cut_step",
        "context_overflow",
        "history_budget",
        "Answered",
        "StepsMax",
        "CallsMax",
        "TokensMax",
        "CostMax",
        "BytesMax",
        "Deadline",
        "RepeatedCall",
        "CorrectionFailed",
        "AnswerCut",
        "Cancelled",
        "ModelFailed",
        "ToolFailed",
        "JournalFailed",
    ] {
        assert!(ends.get(reason).copied().unwrap_or(0) > 0, "no walk came to {reason}: {ends:?}");
    }
}
