use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

use candle_core::quantized::GgmlDType;
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Finish, Kept, Usage};
use windlass_core::protocol::tool::ToolSpec;

use super::*;
use crate::file::ModelFamily;
use crate::grammar::{Constraint, JsonStyle, TokenMask};
use crate::tiny::Tiny;

const QWEN: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if tools %}<tool_call>{% endif %}<|im_start|>assistant{{ '\n' }}";

pub(crate) fn tiny(dtype: GgmlDType) -> &'static [u8] {
    let tiny = Tiny { template: Some(QWEN.into()), ..Tiny::wide(ModelFamily::Qwen2, dtype) };
    tiny.gguf().leak()
}

fn model(config: LocalConfig) -> LocalModel {
    LocalModel::of_bytes(tiny(GgmlDType::Q8_0), config).unwrap()
}

pub(crate) fn greedy() -> LocalConfig {
    LocalConfig { temperature: 0.0, output_tokens_max: 40, ..LocalConfig::new("local/tiny") }
}

pub(crate) fn request(texts: &[&str]) -> ModelRequest {
    ModelRequest {
        live: Arc::default(),
        run_id: RunId::new("run_1"),
        step: 1,
        purpose: StepPurpose::Work,
        system: "Be brief.".into(),
        examples: 0,
        messages: Arc::new(texts.iter().map(|text| Arc::new(Message::user(*text))).collect()),
        trailer: Vec::new(),
        tools: Arc::new([]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[derive(Debug, PartialEq, Default)]
struct Answer {
    text: String,
    calls: Vec<(String, String)>,
    usage: Usage,
    finish: Option<Finish>,
}

async fn read(
    mut stream: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
) -> Result<Answer, ModelFailure> {
    let mut answer = Answer::default();
    while let Some(delta) = stream.next().await {
        match delta? {
            ModelDelta::Text(text) => answer.text.push_str(&text),
            ModelDelta::Call(call) => {
                if let Some(name) = call.name {
                    answer.calls.push((name, String::new()));
                }
                let last = answer.calls.last_mut().unwrap();
                last.1.push_str(&call.args_text.unwrap_or_default());
            }
            ModelDelta::Usage(usage) => answer.usage = usage,
            ModelDelta::Finish(finish) => answer.finish = Some(finish),
            other => panic!("unexpected {other:?}"),
        }
    }
    Ok(answer)
}

fn answer(model: &LocalModel, request: ModelRequest) -> Answer {
    runtime().block_on(read(model.stream(request))).unwrap()
}

#[test]
fn a_model_answers_with_text_counts_and_an_end() {
    let model = model(greedy());
    assert_eq!(model.name(), "local/tiny");
    let answer = answer(&model, request(&["hello"]));
    assert!(!answer.text.is_empty());
    assert_eq!(answer.usage.output, 40);
    assert!(answer.usage.input > 30, "{:?}", answer.usage);
    assert_eq!(answer.usage.cost_usd, Some(0.0), "what runs in this process costs nothing");
    assert_eq!(answer.finish, Some(Finish::Length));
    assert_eq!(
        model.prompt(&request(&["hello"])).unwrap(),
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
    );
}

#[test]
fn the_next_step_reads_only_what_is_new_and_answers_as_if_it_had_read_all() {
    let kept = model(greedy());
    let first = answer(&kept, request(&["hello world, what is in here?"]));
    assert_eq!(first.usage.cached, 0);
    // The same again: everything but the last token was read.
    let again = answer(&kept, request(&["hello world, what is in here?"]));
    assert_eq!((again.text, again.usage.cached), (first.text, first.usage.input - 1));
    let longer = request(&["hello world, what is in here?", "and now?"]);
    let second = answer(&kept, longer.clone());
    let alone = answer(&model(greedy()), longer);
    assert_eq!(second.text, alone.text);
    assert!(second.usage.cached > 30, "{:?}", second.usage);
    assert_eq!(alone.usage.cached, 0);
    assert_eq!(second.usage.input, alone.usage.input);
}

#[test]
fn two_sessions_at_once_answer_as_they_do_alone() {
    let shared = model(greedy());
    let requests = [request(&["hello"]), request(&["a much longer question than the other one has"])];
    let both = runtime().block_on(async {
        let [first, second] = requests.clone().map(|request| shared.stream(request));
        tokio::join!(read(first), read(second))
    });
    let both = [both.0.unwrap(), both.1.unwrap()];
    for (together, request) in both.iter().zip(requests) {
        assert_eq!(together.text, answer(&model(greedy()), request).text);
    }
}

#[test]
fn more_sessions_than_are_served_at_once_wait_and_are_answered() {
    let shared = model(LocalConfig { sessions_max: 2, output_tokens_max: 6, ..greedy() });
    let texts = ["one", "two", "three", "four", "five"];
    let answers = runtime()
        .block_on(futures::future::join_all(texts.map(|text| read(shared.stream(request(&[text]))))));
    assert!(answers.into_iter().all(|answer| answer.unwrap().usage.output <= 6));
}

#[test]
fn a_seed_repeats_an_answer_and_another_does_not() {
    let model = model(LocalConfig { temperature: 1.5, top_p: 1.0, ..greedy() });
    let seeded = |seed: u64| {
        let mut request = request(&["hello"]);
        request.sampling.seed = Some(seed);
        answer(&model, request).text
    };
    assert_eq!(seeded(1), seeded(1));
    assert_ne!(seeded(1), seeded(2));
}

#[test]
fn a_prompt_that_does_not_fit_is_refused_with_numbers() {
    let model = model(LocalConfig { context_tokens: Some(60), ..greedy() });
    let failure = runtime().block_on(read(model.stream(request(&[&"word ".repeat(50)])))).unwrap_err();
    assert_eq!(failure.kind.word(), "context_overflow");
    assert!(failure.message.contains("context 60"), "{}", failure.message);
    let fits = answer(&model, request(&[]));
    assert_eq!(fits.finish, Some(Finish::Length));
    assert_eq!(fits.usage.input + fits.usage.output, 60);
}

/// Counts tokens; each but the first waits for a permit, until nobody gives any.
struct Gate {
    count: Arc<AtomicUsize>,
    permits: Receiver<()>,
}

impl Constraint for Gate {
    fn mask(&mut self) -> Result<Option<&TokenMask>, GrammarError> {
        let _ = self.permits.recv();
        Ok(None)
    }
    fn accept(&mut self, _: u32) -> Result<(), GrammarError> {
        self.count.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
    fn forced(&mut self) -> Vec<u32> {
        Vec::new()
    }
    fn is_done(&self) -> bool {
        false
    }
}

/// Spells one of two texts: the first letters choose, the rest is forced.
struct Spell {
    left: VecDeque<u32>,
    mask: TokenMask,
}

impl Constraint for Spell {
    fn mask(&mut self) -> Result<Option<&TokenMask>, GrammarError> {
        let mut words = vec![0; 32];
        let next = self.left.front().ok_or(GrammarError::Grammar("it is done".into()))?;
        words[usize::try_from(next / 32).unwrap()] = 1 << (next % 32);
        self.mask = TokenMask::of_words(words);
        Ok(Some(&self.mask))
    }
    fn accept(&mut self, token: u32) -> Result<(), GrammarError> {
        match self.left.pop_front() {
            Some(expected) if expected == token => Ok(()),
            _ => Err(GrammarError::Token(token)),
        }
    }
    fn forced(&mut self) -> Vec<u32> {
        // Half of the way, so that both ways are gone.
        self.left.iter().take(self.left.len() / 2).copied().collect()
    }
    fn is_done(&self) -> bool {
        self.left.is_empty()
    }
}

struct Constraints(Mutex<VecDeque<Box<dyn Constraint>>>, Mutex<Vec<GrammarForm>>);

impl GrammarPort for Constraints {
    fn constrain(&self, wish: &AnswerWish) -> Result<Box<dyn Constraint>, GrammarError> {
        self.1.lock().unwrap().push(wish.form.clone());
        self.0.lock().unwrap().pop_front().ok_or(GrammarError::Grammar("no constraint is left".into()))
    }
}

fn held_to(constraints: Vec<Box<dyn Constraint>>) -> (LocalModel, Arc<Constraints>) {
    let port = Arc::new(Constraints(Mutex::new(constraints.into()), Mutex::default()));
    let given = Arc::clone(&port);
    let grammar: GrammarMaker = Arc::new(move |_| Ok(Arc::clone(&given) as Arc<dyn GrammarPort>));
    (model(LocalConfig { grammar: Some(grammar), ..greedy() }), port)
}

#[test]
fn dropping_the_stream_stops_the_model_within_a_token() {
    let count = Arc::new(AtomicUsize::new(0));
    let (permit, permits) = channel();
    let (free, others) = channel();
    drop(free);
    let gates: Vec<Box<dyn Constraint>> = vec![
        Box::new(Gate { count: Arc::clone(&count), permits }),
        Box::new(Gate { count: Arc::default(), permits: others }),
    ];
    let (model, _) = held_to(gates);
    let mut request_of_many = request(&["hello"]);
    request_of_many.sampling.output_tokens_max = Some(300);
    runtime().block_on(async {
        let mut stream = model.stream(request_of_many);
        for _ in 0..4 {
            permit.send(()).unwrap();
        }
        stream.next().await.unwrap().unwrap();
        drop(stream);
        drop(permit);
        let second = read(model.stream(request(&["world"]))).await.unwrap();
        assert_eq!(second.usage.output, 40);
    });
    let written = count.load(Ordering::SeqCst);
    assert!(written <= 5, "{written} tokens were written after the fourth");
}

fn spelled(text: &str) -> Box<dyn Constraint> {
    let tokens = ModelTokens::of_file(&ModelFile::of_program(tiny(GgmlDType::Q8_0)).unwrap()).unwrap();
    let left = tokens.read_pieces([(text, true)].into_iter()).unwrap();
    Box::new(Spell { left: left.into(), mask: TokenMask::of_words(Vec::new()) })
}

#[test]
fn a_grammar_decides_what_is_written_and_calls_come_out_of_it() {
    let call =
        "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"Cargo.toml\"}}</tool_call><|im_end|>";
    let (model, port) = held_to(vec![spelled(call), spelled("All <b>done</b>."), spelled("x")]);
    let mut request = request(&["read Cargo.toml"]);
    request.tools = Arc::new([Arc::new(ToolSpec::new("read_file", "Reads a file"))]);
    request.sampling.output_tokens_max = Some(100);
    request.tool_choice = ToolChoice::Required;
    let called = answer(&model, request.clone());
    assert_eq!(called.calls, [("read_file".to_owned(), "{\"path\":\"Cargo.toml\"}".to_owned())]);
    assert_eq!((called.text.as_str(), called.finish), ("", Some(Finish::Calls)));
    request.purpose = StepPurpose::Finalise;
    let text = answer(&model, request.clone());
    assert_eq!((text.text.as_str(), text.finish), ("All <b>done</b>.", Some(Finish::Stop)));
    request.purpose = StepPurpose::Work;
    request.tool_choice = ToolChoice::Named("read_file".into());
    answer(&model, request.clone());
    let forms = port.1.lock().unwrap().clone();
    assert_eq!(
        forms,
        [GrammarForm::CallRequired, GrammarForm::TextOnly, GrammarForm::CallNamed("read_file".into())]
    );
    // A grammar that cannot be made is a failure with a reason, and the model lives on.
    let failure = runtime().block_on(read(model.stream(request))).unwrap_err();
    assert_eq!(failure.kind.word(), "grammar");
    assert!(failure.message.contains("no constraint is left"), "{}", failure.message);
}

#[test]
fn the_form_of_an_answer_follows_the_request() {
    let mut request = request(&["x"]);
    assert_eq!(form_of(&request), GrammarForm::TextOnly);
    let schema = serde_json::json!({ "type": "object", "required": ["a"] });
    request.sampling.response_format =
        Some(serde_json::json!({ "type": "json_schema", "json_schema": { "schema": schema } }));
    assert_eq!(form_of(&request), GrammarForm::Json(schema));
    request.sampling.response_format = None;
    request.tools = Arc::new([Arc::new(ToolSpec::new("now", "Tells the time"))]);
    assert_eq!(form_of(&request), GrammarForm::Free);
    request.tool_choice = ToolChoice::Forbidden;
    assert_eq!(form_of(&request), GrammarForm::TextOnly);
}

#[test]
fn a_prompt_of_the_callers_own_is_answered() {
    let call = "<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>";
    let (model, _) = held_to(vec![spelled(call)]);
    let form = GrammarForm::Lark("start: \"x\"".into());
    let wish = AnswerWish { form, ..AnswerWish::free(model.syntax().clone(), JsonStyle::Either, Vec::new()) };
    let pieces = vec![("<|im_start|>".to_owned(), true), ("what is <|im_end|>?".to_owned(), false)];
    let prompt = RawPrompt { pieces, wish: Some(wish), sampling: Sampling::default() };
    let answer = runtime().block_on(read(model.stream_raw(prompt))).unwrap();
    assert_eq!(answer.calls, [("now".to_owned(), "{}".to_owned())]);
    let empty = runtime().block_on(read(model.stream_raw(RawPrompt::default()))).unwrap_err();
    assert_eq!(empty.kind.word(), "bad_request");
}

#[test]
fn a_model_that_would_not_fit_is_refused_before_it_is_loaded() {
    let config = LocalConfig { memory_bytes_max: Some(100_000), ..greedy() };
    let Err(error) = LocalModel::of_bytes(tiny(GgmlDType::Q8_0), config) else { panic!("it fits") };
    assert!(matches!(error, LocalError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("smaller quantisation"), "{error}");
}

#[test]
fn little_memory_means_fewer_sessions_at_once_and_all_are_answered() {
    let description = model(greedy()).description().clone();
    let (needed, context) = (description.memory.total_bytes(200), description.memory.cache_bytes(200));
    let limits = |bytes: u64| {
        let config = LocalConfig { memory_bytes_max: Some(bytes), sessions_max: 4, ..greedy() };
        fit(&description, 200, &config).unwrap()
    };
    assert_eq!((limits(needed).sessions_max, limits(needed).kept_bytes_max), (1, 0));
    assert_eq!(limits(needed + 4 * context).sessions_max, 3);
    assert_eq!(limits(u64::MAX).sessions_max, 4);
    let config = LocalConfig {
        memory_bytes_max: Some(needed),
        context_tokens: Some(200),
        output_tokens_max: 6,
        ..greedy()
    };
    let tight = model(config);
    let answers = runtime().block_on(futures::future::join_all(
        ["one", "two", "three"].map(|text| read(tight.stream(request(&[text])))),
    ));
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|answer| answer.usage.output == 6)));
}

#[test]
fn the_families_all_answer() {
    for family in [ModelFamily::Qwen2, ModelFamily::Qwen3, ModelFamily::Llama, ModelFamily::Mistral] {
        for dtype in [GgmlDType::F32, GgmlDType::Q8_0, GgmlDType::Q4_0] {
            let bytes = Tiny::new(family, dtype).gguf().leak();
            let model =
                LocalModel::of_bytes(bytes, LocalConfig { output_tokens_max: 5, ..greedy() }).unwrap();
            assert_eq!(answer(&model, request(&["hello"])).usage.output, 5, "{family:?} {dtype:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        Tiny::new(family, GgmlDType::F32).write_folder(folder.path());
        let config = LocalConfig { output_tokens_max: 5, ..greedy() };
        let model = LocalModel::open(folder.path(), config).unwrap();
        assert!(answer(&model, request(&["hello"])).usage.output <= 5, "{family:?}");
    }
}
