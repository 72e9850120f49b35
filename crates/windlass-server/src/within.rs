//! Routes that work in the runtime of their host, whichever runtime serves them.
//!
//! A server of somebody else polls requests and bodies in its own runtime. Sessions, timers and what is stopped when a
//! reader goes away belong to the host's: they must not end with the server.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use bytes::Bytes;
use http_body::Frame;
use tokio::runtime::Handle;
use windlass_core::ports::BoxFuture;

/// The routes with all their work, and all that their answers still bring, in a runtime.
pub fn within(app: Router, runtime: Handle) -> Router {
    app.layer(from_fn(move |request: Request, next: Next| {
        let runtime = runtime.clone();
        async move {
            let work = WithinWork { runtime: runtime.clone(), work: Some(Box::pin(next.run(request))) };
            let response: Response = work.await;
            response.map(|body| Body::new(WithinBody { runtime, body: Some(body) }))
        }
    }))
}

/// A request at work.
struct WithinWork {
    runtime: Handle,
    /// There until it is dropped, which may stop something.
    work: Option<BoxFuture<'static, Response>>,
}

impl Future for WithinWork {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let own = &mut *self;
        let _within = own.runtime.enter();
        match &mut own.work {
            Some(work) => work.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl Drop for WithinWork {
    fn drop(&mut self) {
        let _within = self.runtime.enter();
        self.work = None;
    }
}

/// The body of an answer on its way.
struct WithinBody {
    runtime: Handle,
    /// There until it is dropped: a reader that goes away may cancel its run.
    body: Option<Body>,
}

impl http_body::Body for WithinBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let own = &mut *self;
        let _within = own.runtime.enter();
        match &mut own.body {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.as_ref().map(http_body::Body::size_hint).unwrap_or_default()
    }
}

impl Drop for WithinBody {
    fn drop(&mut self) {
        let _within = self.runtime.enter();
        self.body = None;
    }
}
