//! Histories, legal and broken, on every wire: whatever a session went through, the request is one that the
//! provider takes.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Kept, ModelRequest, Notice, Sampling, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::ToolSpec;
use windlass_models::ModelTarget;
use windlass_models::catalog::providers;
use windlass_models::guard::guard;
use windlass_models::health::Healer;
use windlass_models::lower::{LoweredTools, lower};
use windlass_models::wire::{Encode, RequestPlan, TurnBefore, TurnPosition, encoder};

use crate::histories_cast::{LEADS, target_of};
use crate::histories_harm::harm;
use crate::histories_maker::{Maker, shared, specs};
use crate::validators::validate;

/// One target under test.
pub(crate) struct Row {
    pub(crate) target: ModelTarget,
    pub(crate) tools: LoweredTools,
    pub(crate) encode: &'static dyn Encode,
}

/// A row for each wire, in the order of `WireKind::ALL`.
pub(crate) fn rows() -> Vec<Row> {
    LEADS.iter().map(|provider| Row::of(target_of(provider), &specs())).collect()
}

impl Row {
    pub(crate) fn of(target: ModelTarget, specs: &[Arc<ToolSpec>]) -> Self {
        let tools = lower(&target, specs);
        let encode = encoder(target.wire);
        Self { target, tools, encode }
    }

    /// The body of a request with this history.
    pub(crate) fn body(
        &self,
        messages: &[Arc<Message>],
        choice: ToolChoice,
        notices: &mut Vec<Notice>,
    ) -> Vec<u8> {
        let request = ModelRequest {
            run_id: "run".into(),
            step: 1,
            purpose: StepPurpose::Work,
            system: "Be brief.".into(),
            examples: 0,
            messages: Arc::new(messages.to_vec()),
            trailer: Vec::new(),
            live: Arc::default(),
            tools: self.tools.tools.iter().map(|tool| Arc::clone(&tool.spec)).collect(),
            tool_choice: choice,
            sampling: Sampling { temperature: Some(0.5), seed: Some(1), ..Sampling::default() },
            kept: Kept::default(),
        };
        let guarded = guard(&self.target, &request, &self.tools);
        let plan = RequestPlan {
            target: &self.target,
            system: &request.system,
            tools: guarded.tools.as_ref().unwrap_or(&self.tools),
            choice: &guarded.choice,
            sampling: &guarded.sampling,
            purpose: request.purpose,
            trailer: &guarded.trailer,
        };
        let turns = Healer::new().turns(&self.target, &self.tools, messages, notices);
        let mut out = Vec::new();
        self.encode.head(&plan, &mut out);
        let mut before = TurnBefore::Nothing;
        for (number, (_, turn)) in turns.iter().enumerate() {
            let is_last = number + 1 == turns.len();
            self.encode.turn(&plan, turn, TurnPosition { before, is_last }, &mut out);
            before = turn.leaves();
        }
        self.encode.tail(&plan, before, &mut out);
        out
    }

    /// Fails, with everything needed to see why, unless the provider would take the request.
    fn check(&self, seed: u64, messages: &[Arc<Message>], choice: ToolChoice) {
        let body = self.body(messages, choice, &mut Vec::new());
        let told = |why: String| -> String {
            let history = serde_json::to_string_pretty(messages).unwrap();
            let body = String::from_utf8_lossy(&body);
            format!("{} refuses seed {seed}: {why}\n{history}\n{body}", self.target.name)
        };
        let request: Value =
            serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{}", told(error.to_string())));
        if let Err(why) = validate(&self.target, &request) {
            panic!("{}", told(why));
        }
    }
}

fn choice_of(seed: u64) -> ToolChoice {
    match seed % 8 {
        0 => ToolChoice::Required,
        1 => ToolChoice::Forbidden,
        2 => ToolChoice::Named("files.write".to_owned()),
        _ => ToolChoice::Auto,
    }
}

#[test]
fn r_33_r_36_ten_thousand_histories_legal_and_broken_are_taken_by_every_wire() {
    // All tools in one of ten requests, two in the others: what is said of them is the same each time.
    let (full, light) = (rows(), LEADS.map(|provider| Row::of(target_of(provider), &specs()[1..3])));
    let cast: Vec<ModelTarget> = full.iter().map(|row| row.target.clone()).collect();
    let halves = [0..5_000_u64, 5_000..10_000];
    std::thread::scope(|scope| {
        for seeds in halves {
            let (full, light, cast) = (&full, &light, &cast);
            scope.spawn(move || {
                for seed in seeds {
                    let mut maker = Maker::new(seed, cast);
                    let mut history = maker.history();
                    harm(&mut maker, cast, &mut history);
                    let messages = shared(history);
                    let rows = if seed % 10 == 0 { full.as_slice() } else { light.as_slice() };
                    for row in rows {
                        row.check(seed, &messages, choice_of(seed / 10));
                    }
                }
            });
        }
    });
}

#[test]
fn r_33_histories_are_taken_by_every_provider_of_the_catalogue() {
    for provider in providers() {
        let row = Row::of(target_of(provider.id), &specs());
        let cast = [row.target.clone(), target_of("anthropic"), target_of("openai")];
        for seed in 0..400 {
            let mut maker = Maker::new(seed, &cast);
            let mut history = maker.history();
            harm(&mut maker, &cast, &mut history);
            row.check(seed, &shared(history), choice_of(seed));
        }
    }
}

#[test]
fn r_33_a_history_of_one_model_gives_no_notice_to_that_model() {
    for row in rows() {
        let cast = [row.target.clone()];
        for seed in 0..300 {
            let messages = shared(Maker::new(seed, &cast).history());
            let mut notices = Vec::new();
            row.body(&messages, ToolChoice::Auto, &mut notices);
            let rules: Vec<&str> = notices.iter().map(|notice| notice.rule.as_str()).collect();
            // Tools that nobody offered were called by illegal names in no legal history.
            assert_eq!(rules, Vec::<&str>::new(), "{} seed {seed}", row.target.name);
        }
    }
}

#[test]
fn gemini_4_histories_with_tools_in_the_subset_of_openapi_are_taken_too() {
    let mut target = target_of("gemini");
    target.quirks = target.quirks.patched(json!({"schema": "gemini"}).as_object().unwrap()).unwrap();
    let row = Row::of(target, &specs());
    let cast = [row.target.clone()];
    for seed in 0..50 {
        row.check(seed, &shared(Maker::new(seed, &cast).history()), choice_of(seed));
    }
}
