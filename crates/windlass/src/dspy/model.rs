//! A predictor behind the port that the engine asks models by.
//!
//! The port only passes questions on: the predictor itself runs where the wrapper was called, so it may
//! borrow and need not be sendable. Decides nothing.

use futures::stream::{self, StreamExt};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use windlass_core::calls::dialect::field::next_input;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::model::{Finish, ModelDelta, ModelFailure, ModelFailureKind, ModelRequest};

/// A step that the predictor is asked for.
pub(super) struct PredictorAsk {
    /// The fields it gets.
    pub(super) input: Value,
    /// Where its output goes, as text.
    pub(super) reply: oneshot::Sender<Result<String, ModelFailure>>,
}

/// The predictor as the engine sees it.
pub(super) struct PredictorModel {
    pub(super) input: Map<String, Value>,
    pub(super) tools: Value,
    pub(super) context_field: String,
    pub(super) asks: mpsc::Sender<PredictorAsk>,
}

impl ModelPort for PredictorModel {
    fn name(&self) -> &str {
        "dspy/predictor"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let fields = next_input(&self.input, &self.tools, &self.context_field, &request.messages);
        let asks = self.asks.clone();
        let step = async move {
            let (reply, answer) = oneshot::channel();
            let gone = || {
                ModelFailure::fatal(
                    ModelFailureKind::Predictor,
                    "the caller does not wait for the output any more",
                )
            };
            asks.send(PredictorAsk { input: Value::Object(fields), reply }).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        };
        let deltas = |output: Result<String, ModelFailure>| {
            stream::iter(match output {
                Ok(text) => vec![Ok(ModelDelta::Text(text)), Ok(ModelDelta::Finish(Finish::Stop))],
                Err(failure) => vec![Err(failure)],
            })
        };
        Box::pin(stream::once(step).flat_map(deltas))
    }
}
