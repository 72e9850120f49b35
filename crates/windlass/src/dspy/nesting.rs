//! Invocations inside invocations: a tool may invoke a module, whose tool may invoke a module, and so on.
//!
//! Each tool of an invocation runs within the chain of modules that led to it, so that a circle ends with an error
//! that shows it. A tool that goes on in a task or thread of its own leaves the chain; the number of invocations at
//! once is limited for that.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{LiveState, Probed, ToolContext, ToolPort};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};
use windlass_engine::registry::{RegisterError, Registry};

use super::error::DSPyEngineError;

/// How deep invocations may stand inside each other: modules made of modules made of modules are plenty.
const DEPTH_MAX: usize = 8;

tokio::task_local! {
    /// The chain that the running tool stands in.
    static CHAIN: Arc<Chain>;
}

/// The modules that led to where we are, the innermost first.
#[derive(Debug)]
pub(super) struct Chain {
    module_id: String,
    outer: Option<Arc<Chain>>,
    depth: usize,
}

impl Chain {
    /// The chain with one more module, unless it is too deep.
    pub(super) fn enter(module_id: &str) -> Result<Arc<Self>, DSPyEngineError> {
        let outer = Self::current();
        let depth = outer.as_ref().map_or(1, |outer| outer.depth.saturating_add(1));
        let chain = Self { module_id: module_id.to_owned(), outer, depth };
        if depth > DEPTH_MAX {
            let message = format!(
                "module '{module_id}' was not invoked: invocations may stand {DEPTH_MAX} deep in each other's \
                 tools, and this one would stand deeper ({chain}); break the circle of modules and tools"
            );
            return Err(DSPyEngineError::RuntimeError(message));
        }
        Ok(Arc::new(chain))
    }

    /// The chain that this task or thread stands in.
    pub(super) fn current() -> Option<Arc<Self>> {
        CHAIN.try_with(Arc::clone).ok()
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = &self.outer {
            write!(f, "{outer} → ")?;
        }
        f.write_str(&self.module_id)
    }
}

/// Does work within a chain, whatever task it has gone to.
pub(super) async fn carry<T>(chain: Option<Arc<Chain>>, work: impl Future<Output = T>) -> T {
    match chain {
        Some(chain) => CHAIN.scope(chain, work).await,
        None => work.await,
    }
}

/// The tools of an invocation, each within the chain.
pub(super) fn select<'a>(
    sources: impl IntoIterator<Item = &'a Registry>,
    keep: impl Fn(&ToolSpec) -> bool,
    chain: Option<&Arc<Chain>>,
) -> Result<Registry, RegisterError> {
    Registry::select(sources, keep, |port| match chain {
        Some(chain) => Arc::new(Nested { port, chain: Arc::clone(chain) }),
        None => port,
    })
}

/// A tool within a chain.
struct Nested {
    port: Arc<dyn ToolPort>,
    chain: Arc<Chain>,
}

#[async_trait]
impl ToolPort for Nested {
    fn spec(&self) -> &ToolSpec {
        self.port.spec()
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        CHAIN.scope(Arc::clone(&self.chain), self.port.run(args, context)).await
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        self.port.inspect(args, context).await
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        self.port.probe(args, context).await
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.port.live_values(kind, state)
    }
}
