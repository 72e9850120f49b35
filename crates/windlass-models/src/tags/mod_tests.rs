use std::sync::{Arc, Mutex};
use std::task::Waker;

use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Finish, Kept, Sampling, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::ToolSpec;

use super::*;

/// Says a fixed answer and remembers what it was asked.
struct Speaker {
    answer: Mutex<Vec<Result<ModelDelta, ModelFailure>>>,
    asked: Arc<Mutex<Option<ModelRequest>>>,
}

struct Said(VecDeque<Result<ModelDelta, ModelFailure>>);

impl Stream for Said {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}

impl ModelPort for Speaker {
    fn name(&self) -> &str {
        "test/speaker"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        *self.asked.lock().unwrap() = Some(request);
        Box::pin(Said(self.answer.lock().unwrap().drain(..).collect()))
    }
}

fn ask(
    answer: Vec<Result<ModelDelta, ModelFailure>>,
) -> (Vec<Result<ModelDelta, ModelFailure>>, ModelRequest) {
    let asked = Arc::new(Mutex::new(None));
    let model = TagModel::new(Speaker { answer: Mutex::new(answer), asked: Arc::clone(&asked) });
    assert_eq!(model.name(), "test/speaker");
    let request = ModelRequest {
        run_id: "run".into(),
        step: 1,
        purpose: StepPurpose::Work,
        system: "".into(),
        examples: 0,
        messages: Arc::new(vec![Arc::new(Message::user("Hi"))]),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: Arc::new([Arc::new(ToolSpec::new("list_tasks", "Lists tasks"))]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    };
    let mut stream = model.stream(request);
    let mut context = Context::from_waker(Waker::noop());
    let mut said = Vec::new();
    while let Poll::Ready(Some(delta)) = stream.as_mut().poll_next(&mut context) {
        said.push(delta);
    }
    let asked = asked.lock().unwrap().take().unwrap();
    (said, asked)
}

fn text(text: &str) -> Result<ModelDelta, ModelFailure> {
    Ok(ModelDelta::Text(text.to_owned()))
}

#[test]
fn a_model_without_tools_looks_like_one_with_tools() {
    let call = format!("{}{{\"name\":\"list_tasks\"}}", RunTag::of(&"run".into()).open);
    let (begun, rest) = call.split_at(7);
    let (said, asked) = ask(vec![text(begun), text(rest), Ok(ModelDelta::Finish(Finish::Stop))]);
    assert!(asked.tools.is_empty() && asked.system.contains("list_tasks"));
    let [Ok(ModelDelta::Call(call)), Ok(ModelDelta::Finish(Finish::Calls))] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(call.name.as_deref(), Some("list_tasks"));
}

#[test]
fn a_failure_ends_the_stream() {
    let failure = ModelFailure::passing("cut", "gone");
    let (said, _) = ask(vec![
        text(&format!("{}{{\"na", RunTag::of(&"run".into()).open)),
        Err(failure.clone()),
        text("more"),
    ]);
    assert_eq!(said, [Err(failure)]);
}

#[test]
fn a_cut_stream_stays_without_a_finish() {
    let (said, _) = ask(vec![text("half an <")]);
    assert_eq!(said, [text("half an "), text("<")]);
}
