//! Plays the conversations of a script to whoever asks, over the chat wire; prints where, and listens until it is ended.

use windlass_scripted::{ModelLine, RequestExpectation, Script, ScriptedStep};
use windlass_testkit::provider::{ProviderServer, TaughtCall, TaughtStep};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name the file of the conversations")?;
    let script = Script::parse(&path, &std::fs::read_to_string(&path)?)?;
    let server = ProviderServer::start()?;
    // The model `conversation-qN` plays the section of the N-th `user` line, from 0.
    for steps in script.runs() {
        server.teach_steps(steps.iter().map(|step| taught(step)).collect());
    }
    println!("{}", server.base_url("openai"));
    loop {
        std::thread::park();
    }
}

fn taught(step: &ScriptedStep) -> TaughtStep {
    let mut taught = TaughtStep::default();
    for line in &step.lines {
        match line {
            ModelLine::Text(text) => taught.text.push_str(text),
            ModelLine::Call(call) => taught.calls.push(TaughtCall {
                id: call.provider_id().unwrap_or_default(),
                name: call.name.clone(),
                arguments: call.args.clone(),
            }),
            // Nothing else is said in these conversations.
            ModelLine::Reasoning(_)
            | ModelLine::ReasoningState(_)
            | ModelLine::Delay { .. }
            | ModelLine::Usage(_)
            | ModelLine::End(_)
            | ModelLine::Cut
            | ModelLine::Hang
            | ModelLine::Fail(_) => {}
        }
    }
    for (_, expected) in &step.checks {
        match expected {
            RequestExpectation::Contains(words) => taught.contains.push(words.clone()),
            RequestExpectation::Lacks(words) => taught.lacks.push(words.clone()),
            // How tools and history are written is each library's own business.
            RequestExpectation::Tools(_)
            | RequestExpectation::ToolChoice(_)
            | RequestExpectation::Purpose(_)
            | RequestExpectation::SamePrefix => {}
        }
    }
    taught
}
