//! A model that asks for exactly one call and then says nothing more: a call from outside goes the way of
//! every call, through the one run machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::stream;
use windlass_core::event::{Event, Record};
use windlass_core::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::port::{BoxStream, ModelPort};
use windlass_core::tool::ToolOutcome;

/// A model that asks for one call.
#[derive(Debug)]
pub struct OneCall {
    tool: String,
    arguments: String,
    was_asked: AtomicBool,
}

impl OneCall {
    /// A model that asks for this call, arguments as they were typed.
    pub fn new(tool: String, arguments: String) -> Self {
        Self { tool, arguments, was_asked: AtomicBool::new(false) }
    }
}

/// What became of the one call, by the records of its run.
pub(crate) fn outcome_of(records: &[Arc<Record>]) -> Option<Arc<ToolOutcome>> {
    records.iter().find_map(|record| match &record.event {
        Event::CallEnded { outcome, .. } => Some(Arc::clone(outcome)),
        _ => None,
    })
}

impl ModelPort for OneCall {
    fn name(&self) -> &str {
        "windlass/one-call"
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let deltas = if self.was_asked.swap(true, Ordering::Relaxed) {
            // Corrections and continuations alike: there is nothing more to ask for.
            vec![ModelDelta::Text("done".into()), ModelDelta::Finish(Finish::Stop)]
        } else {
            let call = CallDelta {
                index: Some(0),
                name: Some(self.tool.clone()),
                args_text: Some(self.arguments.clone()),
                ..CallDelta::default()
            };
            vec![ModelDelta::Call(call), ModelDelta::Finish(Finish::Calls)]
        };
        Box::pin(stream::iter(deltas.into_iter().map(Ok)))
    }
}
