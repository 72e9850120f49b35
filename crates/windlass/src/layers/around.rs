//! A tool and a model with a layer around them: the layer does its one thing, all else is passed on. What a port can do
//! besides is listed here and nowhere else.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{AnswerForm, BoxStream, LiveState, ModelPort, Probed, ToolContext, ToolPort};
use windlass_core::profile::Dialect;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest, Sampling, ToolChoice};
use windlass_core::protocol::step::WrittenRequest;
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

use super::{ModelLayer, ToolLayer};

/// A tool with a layer around it, or with another spec than its own.
pub(crate) struct LayeredTool {
    inner: Arc<dyn ToolPort>,
    layer: Option<Arc<dyn ToolLayer>>,
    spec: Option<ToolSpec>,
}

impl LayeredTool {
    /// The tool in the layer; the tool itself where the layer has nothing to do.
    pub(crate) fn around(inner: Arc<dyn ToolPort>, layer: Arc<dyn ToolLayer>) -> Arc<dyn ToolPort> {
        if !layer.applies(inner.spec()) {
            return inner;
        }
        Arc::new(Self { inner, layer: Some(layer), spec: None })
    }

    /// The tool under another spec.
    pub(crate) fn showing(inner: Arc<dyn ToolPort>, spec: ToolSpec) -> Arc<dyn ToolPort> {
        Arc::new(Self { inner, layer: None, spec: Some(spec) })
    }
}

#[async_trait]
impl ToolPort for LayeredTool {
    fn spec(&self) -> &ToolSpec {
        self.spec.as_ref().unwrap_or_else(|| self.inner.spec())
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        match &self.layer {
            Some(layer) => layer.run(&*self.inner, args, context).await,
            None => self.inner.run(args, context).await,
        }
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        self.inner.inspect(args, context).await
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        self.inner.probe(args, context).await
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.inner.live_values(kind, state)
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        self.inner.summary(output)
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        self.inner.display(args, value)
    }
}

/// A model with a layer around it.
pub(crate) struct LayeredModel {
    inner: Arc<dyn ModelPort>,
    layer: Arc<dyn ModelLayer>,
}

impl LayeredModel {
    /// The model in the layer.
    pub(crate) fn around(inner: Arc<dyn ModelPort>, layer: Arc<dyn ModelLayer>) -> Arc<dyn ModelPort> {
        Arc::new(Self { inner, layer })
    }
}

impl ModelPort for LayeredModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn below(&self) -> Option<&str> {
        self.inner.below()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.layer.stream(&self.inner, request)
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        self.inner.written(request)
    }

    fn uses_live_values(&self) -> bool {
        self.inner.uses_live_values()
    }

    fn refusal(&self, choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
        self.inner.refusal(choice, sampling)
    }

    fn dialect(&self) -> Option<Dialect> {
        self.inner.dialect()
    }

    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        self.inner.form()
    }
}
