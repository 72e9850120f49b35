//! Calls in tags: for models whose endpoint knows no tools but whose training does (Hermes, Qwen).
//!
//! `rewrite` says tools, calls and outcomes in text; `TagReader` finds the calls in what comes back. Both are
//! pure. The tag is another one in every run: a call that somebody else wrote, quoted in an answer, is no call.
//! `TagModel` puts them around any model, which then looks like one with calls of its own. Knows no
//! wire.

mod call;
mod element;
mod extent;
mod opener;
mod reader;
mod rewrite;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::model::{Kept, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::step::WrittenRequest;

pub use opener::RunTag;
pub use reader::TagReader;
pub use rewrite::rewrite;

/// A model that writes its calls in tags, as one with calls of its own.
#[derive(Debug, Clone)]
pub struct TagModel<M> {
    inner: M,
}

impl<M: ModelPort> TagModel<M> {
    pub fn new(inner: M) -> Self {
        Self { inner }
    }
}

impl<M: ModelPort> ModelPort for TagModel<M> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let reader = TagReader::knowing(RunTag::of(&request.run_id), Arc::clone(&request.tools));
        let inner = self.inner.stream(rewrite(request));
        Box::pin(TagStream { inner, reader, ready: VecDeque::new(), is_over: false })
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        // Nothing of what the run keeps is read or changed.
        let request = ModelRequest { kept: Kept::default(), ..request.clone() };
        self.inner.written(&rewrite(request))
    }

    fn uses_live_values(&self) -> bool {
        self.inner.uses_live_values()
    }
}

struct TagStream {
    inner: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
    reader: TagReader,
    ready: VecDeque<ModelDelta>,
    is_over: bool,
}

impl Stream for TagStream {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(delta)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let mut out = Vec::new();
            match ready!(self.inner.as_mut().poll_next(context)) {
                Some(Ok(delta)) => self.reader.push(delta, &mut out),
                // What is held back of a broken stream is the beginning of a tag at most.
                Some(Err(failure)) => {
                    self.is_over = true;
                    return Poll::Ready(Some(Err(failure)));
                }
                None => {
                    self.is_over = true;
                    self.reader.end(&mut out);
                }
            }
            self.ready.extend(out);
        }
    }
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
