//! The port: a model at an endpoint, as the rest of the house sees it.
//!
//! A request is written (`request`), sent (`transport`), cut into frames (`frame`) and read (`wire`); deltas
//! are given as they come. A small machine instead of a task, so that dropping the stream drops it all.

use std::collections::VecDeque;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use windlass_core::ports::{BoxFuture, BoxStream, ModelPort};
use windlass_core::protocol::model::{Kept, ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, Usage};
use windlass_core::protocol::step::WrittenRequest;

use crate::answer::AnswerReader;
use crate::failure::{of_nothing, of_page, of_status, shown_url};
use crate::frame::Framing;
use crate::limits::ERROR_BODY_BYTES_MAX;
use crate::lower::LoweredTools;
use crate::request::{PreparedRequest, SharedEncodings, first_told, prepare};
use crate::target::ModelTarget;
use crate::transport::unread;
use crate::transport::{ReplyBody, Transport, TransportReply};
use crate::wire::{SharedTarget, decoder, framing};

/// A model at an endpoint.
#[derive(Debug, Clone)]
pub struct WireModel {
    target: SharedTarget,
    transport: Arc<Transport>,
    shared: Arc<SharedEncodings>,
}

impl WireModel {
    pub fn new(target: ModelTarget, transport: Arc<Transport>) -> Self {
        Self { target: Arc::new(target), transport, shared: Arc::default() }
    }

    /// What is known of the model.
    pub fn target(&self) -> &SharedTarget {
        &self.target
    }
}

impl ModelPort for WireModel {
    fn name(&self) -> &str {
        &self.target.name
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let PreparedRequest { path, body, notices, tools } = prepare(&self.target, &self.shared, &request);
        let sent_chars = unread::chars_judged(&self.target, &body, &request.messages);
        let asking = send(Arc::clone(&self.transport), Arc::clone(&self.target), path, body);
        let is_renamed = tools.tools.iter().any(|tool| tool.name != tool.spec.name);
        Box::pin(ModelExchange {
            target: Arc::clone(&self.target),
            renamed: is_renamed.then_some(tools),
            ready: notices.into_iter().map(ModelDelta::Notice).collect(),
            has_finish: false,
            sent_chars,
            usage: None,
            kept: request.kept,
            phase: ExchangePhase::Asking(Box::pin(asking)),
        })
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        // Nothing of what runs keep is read or changed.
        let request = ModelRequest { kept: Kept::default(), ..request.clone() };
        let PreparedRequest { path, body, .. } = prepare(&self.target, &SharedEncodings::default(), &request);
        let base_url = &self.target.base_url;
        // A query that somebody configured may be a key; the wires' own are not.
        let is_own = |path: &&str| !base_url.contains('?') || !path.contains('?');
        let path = Some(path.as_str()).filter(is_own).or(path.split('?').next());
        Some(WrittenRequest {
            method: "POST".to_owned(),
            url: [shown_url(base_url).as_str(), path.unwrap_or_default()].concat(),
            body: serde_json::from_slice(&body).ok()?,
        })
    }
}

/// Sends a request; what is no answer of a model is a failure.
async fn send(
    transport: Arc<Transport>,
    target: SharedTarget,
    path: String,
    body: Vec<u8>,
) -> Result<TransportReply, ModelFailure> {
    let accept = match framing(target.wire) {
        Framing::Sse => "text/event-stream, application/json",
        Framing::Lines => "application/x-ndjson, application/json",
    };
    let mut reply = transport.post(&target, &path, body, accept).await?;
    let is_page = reply.media_type == "text/html";
    if (200..300).contains(&reply.status) && !is_page {
        return Ok(reply);
    }
    // What a server says of a failure is welcome, and not worth another failure.
    let text = reply.body.read_text(ERROR_BODY_BYTES_MAX).await.unwrap_or_default();
    if (200..300).contains(&reply.status) {
        return Err(if text.trim().is_empty() { of_nothing(&target) } else { of_page(&target, &text) });
    }
    Err(of_status(&target, reply.status, reply.retry_after_ms, &text))
}

/// One request and its answer.
struct ModelExchange {
    target: SharedTarget,
    /// The tools, if some have another name on the wire.
    renamed: Option<Arc<LoweredTools>>,
    ready: VecDeque<ModelDelta>,
    /// Whether the provider said that the model was done.
    has_finish: bool,
    /// Characters that the model was to read, where they are judged by.
    sent_chars: u64,
    /// What it read by its own count.
    usage: Option<Usage>,
    kept: Kept,
    phase: ExchangePhase,
}

enum ExchangePhase {
    /// Until the headers of the answer are there.
    Asking(BoxFuture<'static, Result<TransportReply, ModelFailure>>),
    /// Until the answer is over.
    Reading(ReplyBody, Box<AnswerReader>),
    /// The model has said its last word; the connection is only good for another request once the answer
    /// was read to its end.
    Draining(ReplyBody),
    Ended,
    /// Told once what was ready has been given.
    Failed(ModelFailure),
    Over,
}

impl Stream for ModelExchange {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(delta) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(this.complete(delta))));
            }
            match &mut this.phase {
                ExchangePhase::Asking(asking) => {
                    this.phase = match ready!(asking.as_mut().poll(cx)) {
                        Ok(reply) => {
                            let decoder = decoder(this.target.wire, Arc::clone(&this.target));
                            let answer = AnswerReader::new(&this.target, &reply.media_type, decoder);
                            ExchangePhase::Reading(reply.body, Box::new(answer))
                        }
                        Err(failure) => ExchangePhase::Failed(failure),
                    };
                }
                ExchangePhase::Reading(..) => ready!(this.poll_reading(cx)),
                ExchangePhase::Draining(body) => {
                    ready!(body.poll_drain(cx));
                    this.phase = ExchangePhase::Ended;
                }
                ExchangePhase::Ended if this.has_finish => {
                    this.phase = ExchangePhase::Over;
                    this.ready.extend(this.told_of_unread());
                }
                ExchangePhase::Ended => this.phase = ExchangePhase::Failed(this.cut()),
                ExchangePhase::Failed(_) => {
                    let ExchangePhase::Failed(failure) = mem::replace(&mut this.phase, ExchangePhase::Over)
                    else {
                        continue;
                    };
                    return Poll::Ready(Some(Err(failure)));
                }
                ExchangePhase::Over => return Poll::Ready(None),
            }
        }
    }
}

impl ModelExchange {
    /// Reads the next piece of the answer.
    fn poll_reading(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let ExchangePhase::Reading(body, answer) = &mut self.phase else { return Poll::Ready(()) };
        // Nothing is ready, and the list keeps its room: no allocation for a piece, let alone a delta.
        let mut deltas = Vec::from(mem::take(&mut self.ready));
        let mut read = Ok(());
        let polled = body.poll_read(cx, &mut |piece| read = answer.push(piece, &mut deltas));
        let result = match polled {
            Poll::Pending => {
                self.ready = VecDeque::from(deltas);
                return Poll::Pending;
            }
            Poll::Ready(Some(Ok(()))) => read.map(|()| false),
            Poll::Ready(Some(Err(failure))) => Err(failure),
            Poll::Ready(None) => answer.end(&mut deltas).map(|()| true),
        };
        self.ready = VecDeque::from(deltas);
        let is_over = answer.is_over();
        match result {
            Ok(true) => self.phase = ExchangePhase::Ended,
            Ok(false) if !is_over => {}
            Ok(false) => {
                if let ExchangePhase::Reading(body, _) = mem::replace(&mut self.phase, ExchangePhase::Over) {
                    self.phase = ExchangePhase::Draining(body);
                }
            }
            // The connection is closed here, and not when the reader is done with what was ready.
            Err(failure) => self.phase = ExchangePhase::Failed(failure),
        }
        Poll::Ready(())
    }

    /// Puts in what the wire cannot know: prices, and the tools' own names.
    fn complete(&mut self, delta: ModelDelta) -> ModelDelta {
        match delta {
            ModelDelta::Usage(mut usage) => {
                let prices = self.target.abilities.prices;
                self.usage = Some(usage);
                usage.cost_usd = usage.cost_usd.or_else(|| Some(prices?.cost_usd(&usage)));
                ModelDelta::Usage(usage)
            }
            ModelDelta::Call(mut call) => {
                if let (Some(tools), Some(name)) = (&self.renamed, &mut call.name) {
                    let own_name = tools.own_name(name);
                    if own_name != name {
                        *name = own_name.to_owned();
                    }
                }
                ModelDelta::Call(call)
            }
            ModelDelta::Text(_)
            | ModelDelta::Reasoning(_)
            | ModelDelta::ReasoningState(_)
            | ModelDelta::Progress(_)
            | ModelDelta::Notice(_) => delta,
            ModelDelta::Finish(_) => {
                self.has_finish = true;
                delta
            }
        }
    }

    /// What the user is told if the prompt was not read whole, once a run.
    fn told_of_unread(&self) -> Option<ModelDelta> {
        let notice = unread::notice(&self.target, self.sent_chars, self.usage.as_ref()?)?;
        first_told(&self.kept, notice).map(ModelDelta::Notice)
    }

    /// An end that nobody announced: nothing of the answer may run.
    fn cut(&self) -> ModelFailure {
        let provider = &self.target.provider;
        ModelFailure::passing(ModelFailureKind::Cut, format!("the answer of {provider} ended in the middle"))
    }
}

#[cfg(test)]
#[path = "port_tests.rs"]
mod tests;
