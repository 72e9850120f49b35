use std::sync::Mutex;

use serde_json::json;
use windlass_core::protocol::message::Reasoning;
use windlass_core::protocol::model::{CallDelta, Kept, Notice, NoticeKind, Sampling, ToolChoice, Usage};
use windlass_core::protocol::tool::{ProviderState, ToolCall};

use super::*;

/// A model that says these deltas, and keeps what it was asked.
struct Said {
    deltas: Vec<DeltaResult>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl ModelPort for Said {
    fn name(&self) -> &str {
        "inner/model"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, DeltaResult> {
        self.asked.lock().unwrap().push(request);
        Box::pin(stream::iter(self.deltas.clone()))
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        Some(WrittenRequest { method: "POST".into(), url: "x".into(), body: json!(request.system) })
    }
}

fn module(more: Value) -> Arc<Module> {
    let mut file = json!({
        "module_id": "m",
        "signature": {"inputs": [{"name": "question"}], "outputs": [{"name": "answer"}]},
    });
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Arc::new(Module::parse("m.json", &file.to_string()).unwrap())
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        run_id: "run".into(),
        step: 1,
        purpose: StepPurpose::Work,
        system: "".into(),
        examples: 0,
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        trailer: Vec::new(),
        tools: Arc::new([]),
        live: Arc::default(),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    }
}

fn model(module: &Arc<Module>, deltas: Vec<DeltaResult>) -> (Arc<Said>, ModuleModel) {
    let said = Arc::new(Said { deltas, asked: Mutex::default() });
    let inner = Arc::clone(&said) as Arc<dyn ModelPort>;
    (said, ModuleModel::new(Arc::clone(module), inner, ToolUse::of(module)))
}

fn heard(model: &ModuleModel, request: ModelRequest) -> Vec<DeltaResult> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(model.stream(request).collect())
}

fn text(text: &str) -> DeltaResult {
    Ok(ModelDelta::Text(text.into()))
}

fn finish(finish: Finish) -> DeltaResult {
    Ok(ModelDelta::Finish(finish))
}

#[test]
fn an_answer_is_one_json_text_and_the_rest_passes() {
    let reasoning: DeltaResult = Ok(ModelDelta::Reasoning("hm".into()));
    let notice = Notice { kind: NoticeKind::Emulated, rule: "x".into(), message: "y".into() };
    let notice: DeltaResult = Ok(ModelDelta::Notice(notice));
    let usage: DeltaResult = Ok(ModelDelta::Usage(Usage { input: 1, ..Usage::default() }));
    let call: DeltaResult = Ok(ModelDelta::Call(CallDelta::default()));
    let said = vec![
        notice.clone(),
        reasoning.clone(),
        text("Ans"),
        call,
        text("wer: yes"),
        finish(Finish::Stop),
        usage.clone(),
    ];
    let (_, model) = model(&module(json!({})), said);
    let told = [notice, reasoning, text(r#"{"answer":"yes"}"#), finish(Finish::Stop), usage];
    assert_eq!(heard(&model, request(vec![Message::user("Really?")])), told);
    assert_eq!(model.name(), "module/m");
}

#[test]
fn what_cannot_be_read_was_cut_or_is_a_piece_goes_on_as_it_is() {
    let own = module(json!({}));
    let ask = || request(vec![Message::user("Really?")]);
    for said in [
        vec![text(r#"{"answer": "#), finish(Finish::Stop)],
        vec![text("yes and"), finish(Finish::Length)],
        vec![text("yes and")],
    ] {
        let (_, model) = model(&own, said.clone());
        assert_eq!(heard(&model, ask()), said);
    }
    let said = vec![text(" no"), finish(Finish::Stop)];
    let (_, model) = model(&own, said.clone());
    let piece = ModelRequest { purpose: StepPurpose::Continuation, ..ask() };
    assert_eq!(heard(&model, piece), said);
}

#[test]
fn a_failure_passes_and_wrong_inputs_are_one() {
    let (said, failing) = model(&module(json!({})), vec![Err(ModelFailure::passing("cut", "lost"))]);
    assert_eq!(
        heard(&failing, request(vec![Message::user("x")])),
        [Err(ModelFailure::passing("cut", "lost"))]
    );
    let told = heard(&failing, request(vec![Message::user(r#"{"question": 7}"#)]));
    let [Err(failure)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((failure.kind.word(), said.asked.lock().unwrap().len()), ("inputs", 1));
}

#[test]
fn what_goes_over_the_wire_is_the_rewritten_request() {
    let (_, model) = model(&module(json!({"instruction": "Be brief."})), Vec::new());
    let written = model.written(&request(vec![Message::user("x")])).unwrap();
    assert!(written.body.as_str().unwrap().starts_with("Be brief."), "{written:?}");
    assert!(model.form().unwrap().check("{").is_err());
}

#[test]
fn state_of_the_inner_model_comes_back_to_it_under_its_own_name() {
    let own = module(json!({"predictor_type": "react"}));
    let (said, model) = model(&own, vec![text("yes"), finish(Finish::Stop)]);
    let part = |name: &str| {
        let state = Some(Box::new(ProviderState { model: name.into(), value: json!(1) }));
        let (id, provider_id) = ("call_1".into(), None);
        let (name_of, arguments) = ("x".into(), "{}".into());
        let thought = Reasoning { text: "t".into(), opaque: Some(json!("sig")), model: Some(name.into()) };
        let call = ToolCall { id, provider_id, step: 1, index: 0, name: name_of, arguments, state };
        Message::Assistant { parts: vec![Part::Reasoning(thought), Part::Call(call)] }
    };
    heard(&model, request(vec![Message::user("x"), part("module/m"), part("other/model")]));
    let asked = said.asked.lock().unwrap();
    assert_eq!(*asked[0].messages[1], part("inner/model"));
    assert_eq!(*asked[0].messages[2], part("other/model"));
}

#[test]
fn d_12_calls_by_field_are_the_whole_profile_and_a_run_on_record_keeps_its_own() {
    let mut dspy = Profile::dspy();
    dspy.limits.run_timeout_ms = 777;
    let mut profile = Profile::edison();
    fit_profile(&module(json!({"tool_enabled": true})), &mut profile, dspy.clone());
    assert_eq!(profile, Profile { answers_in_fields: true, ..dspy });
    let begun = profile.clone();
    fit_profile(&module(json!({"tool_enabled": true})), &mut profile, Profile::dspy());
    assert_eq!(profile, begun);
    let mut plain = Profile::edison();
    fit_profile(&module(json!({})), &mut plain, Profile::dspy());
    assert_eq!(plain, Profile { dialect: Dialect::Native, ..Profile::edison() });
    assert_eq!(ToolUse::of(&module(json!({}))), ToolUse::Plain);
    assert_eq!(ToolUse::of(&module(json!({"predictor_type": "react"}))), ToolUse::Native);
}
