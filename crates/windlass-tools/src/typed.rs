//! What a built-in tool is: its arguments as a struct, a spec of which the schema is made, and the work. A new tool is
//! one file that implements [`TypedTool`] and one line in `builtin`.
//!
//! Owns the way from the port's JSON to that struct and the summary of what comes back. Knows no tool.

use std::future::{Future, ready};
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{LiveState, Probed, ToolContext, ToolPort};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

use crate::summary::summarize;

/// A tool whose arguments are a struct. The methods are those of `ToolPort`, with the arguments read.
pub(crate) trait TypedTool: Send + Sync + 'static {
    const NAME: &'static str;
    /// What it does and when not to use it, for the model.
    const ABOUT: &'static str;
    /// The arguments: doc comments are their descriptions, attributes their bounds.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Fills in what the name, the description and the arguments do not say.
    fn declare(&self, spec: ToolSpec) -> ToolSpec;

    fn run(
        &self,
        args: Self::Args,
        context: &ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolFailure>> + Send;

    fn inspect(
        &self,
        _args: Self::Args,
        _context: &ToolContext,
    ) -> impl Future<Output = Result<Inspection, ToolFailure>> + Send {
        ready(Ok(Inspection::default()))
    }

    fn probe(&self, _args: Self::Args, _context: &ToolContext) -> impl Future<Output = Probed> + Send {
        ready(Probed::Unknown)
    }

    fn live_values(&self, _kind: &str, _state: &LiveState<'_>) -> Vec<String> {
        Vec::new()
    }

    /// `None` sums the output up by its readable text.
    fn summary(&self, _output: &ToolOutput) -> Option<String> {
        None
    }

    fn display(&self, _args: &Map<String, Value>, _value: &Value) -> Option<String> {
        None
    }
}

/// The tool behind its port.
pub(crate) fn port<T: TypedTool>(tool: T) -> Arc<dyn ToolPort> {
    let schema = schemars::schema_for!(T::Args).to_value();
    let spec = tool.declare(ToolSpec::declared(T::NAME, T::ABOUT, schema));
    Arc::new(Typed { spec, tool })
}

struct Typed<T> {
    spec: ToolSpec,
    tool: T,
}

impl<T: TypedTool> Typed<T> {
    fn summarized(&self, mut output: ToolOutput) -> ToolOutput {
        output.summary = output.summary.take().or_else(|| self.summary(&output));
        output
    }
}

#[async_trait]
impl<T: TypedTool> ToolPort for Typed<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let output = self.tool.run(self.spec.read_args(args)?, context).await?;
        Ok(self.summarized(output))
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        self.tool.inspect(self.spec.read_args(args)?, context).await
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        // A call whose arguments cannot be read came to nothing then too.
        let Ok(args) = self.spec.read_args(args) else { return Probed::NotHappened };
        match self.tool.probe(args, context).await {
            Probed::Happened(output) => Probed::Happened(Box::new(self.summarized(*output))),
            probed @ (Probed::NotHappened | Probed::Unknown) => probed,
        }
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.tool.live_values(kind, state)
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        Some(self.tool.summary(output).unwrap_or_else(|| summarize(T::NAME, output)))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        self.tool.display(args, value)
    }
}

/// The arguments of a tool that takes none.
#[derive(serde::Deserialize, JsonSchema)]
pub(crate) struct NoArgs {}

/// A default that is a number, for `#[serde(default = "count::<5>")]`.
pub(crate) fn count<const N: usize>() -> usize {
    N
}

/// The project root, as a default.
pub(crate) fn root_folder() -> String {
    ".".to_owned()
}

/// A default that is true.
pub(crate) fn yes() -> bool {
    true
}

/// An argument that is text, for `display`: what is missing is empty.
pub(crate) fn text_arg<'a>(args: &'a Map<String, Value>, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}
