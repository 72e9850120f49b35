//! A closure as a tool: its arguments are a struct, of which the schema is made.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use windlass_core::ports::{BoxFuture, ToolContext, ToolPort};
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};

use super::pending::millis;
use crate::__private::{output_of, spec_of, usual_risk};

type ClosureWork =
    dyn Fn(&ToolSpec, &Map<String, Value>, &ToolContext) -> Result<ClosureRun, ToolFailure> + Send + Sync;
type ClosureRun = BoxFuture<'static, Result<ToolOutput, ToolFailure>>;

/// Makes a tool of a closure. Its argument is a struct: the fields are the schema, their doc comments what the model
/// reads of them. The tool is pure unless [`effects`](ClosureTool::effects) says more.
///
/// ```
/// use windlass::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum {
///     /// The first summand.
///     a: i64,
///     /// The second one.
///     b: i64,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let offset = 100;
/// let add = tool_fn("add", "Adds two integers.", move |sum: Sum| async move {
///     Ok::<_, ToolError>(sum.a + sum.b + offset)
/// });
/// let script = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text 103.\n";
/// let agent = Windlass::builder().script(script)?.tool(add).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, 103);
/// # Ok(())
/// # }
/// ```
///
/// Arguments without a schema are refused when the program is compiled:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// #[derive(serde::Deserialize)]
/// struct Sum { a: i64, b: i64 }
///
/// let add = tool_fn("add", "Adds two integers.", |sum: Sum| async move { Ok::<_, ToolError>(sum.a + sum.b) });
/// ```
pub fn tool_fn<Args, F, Fut, T, E>(name: impl AsRef<str>, description: impl AsRef<str>, run: F) -> ClosureTool
where
    Args: DeserializeOwned + JsonSchema,
    F: Fn(Args) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize,
    E: Into<ToolFailure>,
{
    tool_fn_with_context(name, description, move |args, _| run(args))
}

/// Like [`tool_fn`], for a closure that uses the context of its call: progress, cancel, the project's root.
///
/// ```
/// use windlass::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// let where_am_i = tool_fn_with_context("say_root", "Says where the project is.", |_: Nothing, context| async move {
///     Ok::<_, ToolError>(context.root.display().to_string())
/// });
/// ```
pub fn tool_fn_with_context<Args, F, Fut, T, E>(
    name: impl AsRef<str>,
    description: impl AsRef<str>,
    run: F,
) -> ClosureTool
where
    Args: DeserializeOwned + JsonSchema,
    F: Fn(Args, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize,
    E: Into<ToolFailure>,
{
    let work = move |spec: &ToolSpec, args: &Map<String, Value>, context: &ToolContext| {
        let running = run(spec.read_args(args)?, context.clone());
        Ok(Box::pin(async move { output_of(running.await) }) as ClosureRun)
    };
    let spec = spec_of::<Args>(name.as_ref(), description.as_ref());
    ClosureTool { spec, work: Arc::new(work) }
}

/// A closure as a tool; made by [`tool_fn`]. Dropping a call drops the closure's future.
///
/// ```
/// use std::time::Duration;
/// use windlass::core::ports::ToolPort;
/// use windlass::core::protocol::tool::{Effects, Risk};
/// use windlass::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Letter { to: String }
///
/// let send = tool_fn("send_letter", "Sends a letter.", |letter: Letter| async move {
///     Ok::<_, ToolError>(format!("on its way to {}", letter.to))
/// })
/// .effects(Effects::External)
/// .timeout(Duration::from_secs(5))
/// .alias("post_letter");
/// assert_eq!(send.spec().risk, Risk::High);
/// ```
#[derive(Clone)]
#[must_use]
pub struct ClosureTool {
    spec: ToolSpec,
    work: Arc<ClosureWork>,
}

impl ClosureTool {
    /// Sets what it does to the world, and with it what is usually asked: nothing for pure, little for reading, each
    /// time for the rest.
    pub fn effects(mut self, effects: Effects) -> Self {
        self.spec.effects = effects;
        self.spec.risk = usual_risk(effects);
        self
    }

    /// Sets what is asked before a call.
    pub fn risk(mut self, risk: Risk) -> Self {
        self.spec.risk = risk;
        self
    }

    /// Sets the time limit of one call.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.spec.timeout_ms = Some(millis(limit));
        self
    }

    /// Adds another name.
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.spec.aliases.push(name.into());
        self
    }

    /// Says that sending the same call twice does no more than once.
    pub fn idempotent(mut self) -> Self {
        self.spec.idempotent = true;
        self
    }

    /// Claims that nothing of others is in its output: it is made of the arguments, or of this program's own words.
    pub fn own_output(mut self) -> Self {
        self.spec.own_output = true;
        self
    }

    /// Says that its output is text from outside, which is never taken for an instruction.
    pub fn untrusted(mut self) -> Self {
        self.spec.untrusted_output = true;
        self
    }
}

#[async_trait]
impl ToolPort for ClosureTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        (self.work)(&self.spec, args, context)?.await
    }
}
