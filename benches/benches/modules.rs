//! What modules and scripts cost beside a bare run and a tool in Rust: run by `cargo xtask bench modules`.

#![allow(clippy::expect_used, missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use tokio::runtime::{Builder, Runtime};
use windlass_benches::loads::parts;
use windlass_benches::{best_of, cpu_time, figure};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::model::{Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::run::RunSettings;
use windlass_engine::ids::{new_message_id, new_run_id};
use windlass_engine::registry::Registry;
use windlass_engine::session::{Session, SessionParts};
use windlass_modules::script::{ScriptGrants, ScriptLimits, ScriptTool};
use windlass_modules::{Module, ModuleModel, ToolUse};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: u32 = 15;
const RUNS: u32 = 200;
const STEPS: usize = 200;
const INPUTS: &str = r#"{"text":"What a fine day."}"#;
const MODULE: &str = r#"{"module_id":"mood","signature":{"inputs":[{"name":"text"}],"outputs":[{"name":"mood"},
    {"name":"score","field_type":"integer"}]},"instruction":"Tell the mood of a text.",
    "demos":[{"inputs":{"text":"It rains."},"outputs":{"mood":"gloomy","score":3}}]}"#;
const SCRIPT: &str = "/// Adds two integers.\n/// @param a integer one\n/// @param b integer the other\n\
    fn add(args) { args.a + args.b }\n";

/// A model that answers at once.
struct PromptModel;

impl ModelPort for PromptModel {
    fn name(&self) -> &str {
        "bench/prompt"
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let text = ModelDelta::Text(r#"{"mood":"calm","score":7}"#.into());
        Box::pin(stream::iter([Ok(text), Ok(ModelDelta::Finish(Finish::Stop))]))
    }
}

fn main() {
    // Benchmarks of one run share their filter: this one answers to its own name alone.
    let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    if wanted.peek().is_some() && !wanted.any(|filter| "modules".contains(filter.as_str())) {
        return;
    }
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    invocations(&runtime);
    scripts(&runtime);
}

fn answered_by(model: Arc<dyn ModelPort>) -> SessionParts {
    let bare = parts(0, 0);
    let settings = RunSettings { form: model.form(), ..bare.settings.as_ref().clone() };
    SessionParts { settings: Arc::new(settings), model, registry: Registry::new(), ..bare }
}

/// CPU of one run in a session of its own.
fn run(runtime: &Runtime, parts: SessionParts, says: &str) -> Duration {
    runtime.block_on(async {
        let before = cpu_time();
        let session = Session::start(parts);
        let send = MessageSend::text(new_run_id(), new_message_id(), says);
        let finished = session.send(send).await.expect("sent").finished().await.expect("finished");
        let spent = cpu_time() - before;
        assert!(finished.error.is_none(), "{:?}", finished.error);
        spent
    })
}

fn invocations(runtime: &Runtime) {
    let module = Arc::new(Module::parse("mood.json", MODULE).expect("a module"));
    let many = |make: &dyn Fn() -> Arc<dyn ModelPort>| {
        let all = best_of(ROUNDS, || (0..RUNS).map(|_| run(runtime, answered_by(make()), INPUTS)).sum());
        all.as_secs_f64() * 1e6 / f64::from(RUNS)
    };
    let bare = many(&|| Arc::new(PromptModel));
    let through = many(&|| {
        Arc::new(ModuleModel::new(Arc::clone(&module), Arc::new(PromptModel), ToolUse::of(&module)))
    });
    figure("a bare run of one step, with its session", bare, "µs CPU", "");
    figure("the same through a module: prompt, example, form, typed outputs", through, "µs CPU", "");
    figure("a module invocation against a bare run", through / bare, "times", "");
}

fn scripts(runtime: &Runtime) {
    let each = |is_script: bool| {
        let spent = best_of(ROUNDS, || {
            let mut parts = parts(STEPS, 0);
            parts.approve = ApproveMode::All;
            if is_script {
                let (limits, grants) = (ScriptLimits::default(), ScriptGrants::default());
                let tool = ScriptTool::parse("add.rhai", "add", SCRIPT, limits, grants).expect("a script");
                parts.registry.register(Arc::new(tool)).expect("a tool");
            }
            run(runtime, parts, "Go.")
        });
        spent.as_secs_f64() * 1e6 / STEPS as f64
    };
    let (native, script) = (each(false), each(true));
    figure("a step whose call is a Rhai tool", script, "µs CPU", "");
    figure("what a Rhai tool adds to a call of a Rust tool", script - native, "µs CPU", "");
}
