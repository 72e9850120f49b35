//! Layers: what happens around every call of a tool, or around every request to a model.
//!
//! A layer is one method; everything else of the port that it stands before is passed on unchanged, in one place
//! (`around`). Layers are put on by [`Builder::tool_layer`](crate::Builder::tool_layer),
//! [`Builder::model_layer`](crate::Builder::model_layer), [`ToolGroup::layer`](crate::ToolGroup::layer) and
//! [`IntoTool::with_layer`](crate::IntoTool::with_layer). A call was judged before it comes to a layer, so no layer can
//! let something run that rules forbid.
//!
//! | layer | around tools | around models |
//! |---|---|---|
//! | [`ToolCache`] | answers what was asked before | |
//! | [`SecretMask`] | takes secrets out of outputs | |
//! | [`CallLog`] | says what ran and how long | the same |
//! | [`CallRecorder`] | tells the program what went in and what came out | the same |
//! | [`RateLimit`] | so many calls in a time | so many requests in a time |
//! | [`ModelRetry`] | | tries again when a provider fails before it answers |
//!
//! - `around`: the ports with a layer around them
//! - `cache`, `log`, `mask`, `rate`, `record`, `retry`: the layers of the table
//! - `pause`: waiting, whichever runtime asks

mod around;
mod cache;
mod log;
mod mask;
mod pause;
mod rate;
mod record;
mod retry;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

pub(crate) use around::{LayeredModel, LayeredTool};
pub use cache::ToolCache;
pub use log::CallLog;
pub use mask::SecretMask;
pub use rate::RateLimit;
pub use record::{CallRecord, CallRecorder};
pub use retry::ModelRetry;

/// What happens around the calls of tools. One layer may stand around many tools.
///
/// ```
/// use serde_json::{Map, Value};
/// use windlass::core::ports::ToolPort;
/// use windlass::layers::ToolLayer;
/// use windlass::prelude::*;
///
/// /// Writes all texts large.
/// struct Loud;
///
/// #[windlass::async_trait]
/// impl ToolLayer for Loud {
///     async fn run(
///         &self,
///         inner: &dyn ToolPort,
///         args: &Map<String, Value>,
///         context: &ToolContext,
///     ) -> Result<ToolOutput, ToolFailure> {
///         let output = inner.run(args, context).await?;
///         Ok(ToolOutput::text(output.readable().to_uppercase()))
///     }
/// }
///
/// /// Greets somebody.
/// #[tool]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user q\nmodel call 1 greet {\"name\":\"Ann\"}\nmodel end\nmodel text Done.\n";
/// let agent = Windlass::builder().script(script)?.tool(greet).tool_layer(Loud).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, "HELLO, ANN!");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait ToolLayer: Send + Sync {
    /// Whether the layer has something to do around a tool; asked once.
    fn applies(&self, _spec: &ToolSpec) -> bool {
        true
    }

    /// Runs one approved call, by `inner` or without it. Dropping the future must stop the work.
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure>;
}

/// What happens around the requests to a model.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use windlass::core::ports::{BoxStream, ModelPort};
/// use windlass::core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
/// use windlass::layers::ModelLayer;
/// use windlass::prelude::*;
///
/// /// Counts requests.
/// struct Counted(Arc<AtomicU64>);
///
/// impl ModelLayer for Counted {
///     fn stream(
///         &self,
///         inner: &Arc<dyn ModelPort>,
///         request: ModelRequest,
///     ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         inner.stream(request)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let count = Arc::new(AtomicU64::new(0));
/// let agent = Windlass::builder()
///     .script("user q\nmodel text Hello.\n")?
///     .model_layer(Counted(Arc::clone(&count)))
///     .build()?;
/// agent.run_sync("q")?;
/// assert_eq!(count.load(Ordering::Relaxed), 1);
/// # Ok(())
/// # }
/// ```
pub trait ModelLayer: Send + Sync {
    /// Asks for one step. Dropping the stream must stop the model.
    fn stream(
        &self,
        inner: &Arc<dyn ModelPort>,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>>;
}
