//! The time that a request's body may take: a client that sends a byte now and then holds no place for longer.

use std::error::Error;
use std::fmt;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::limits::BODY_TIMEOUT;

/// A body that fails when it has not come whole in time, counted from now on.
pub(crate) fn in_time(body: Body) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(TimedBody { body, ends: Box::pin(sleep(BODY_TIMEOUT)) })
}

/// Whether reading a body failed because its time was over.
pub(crate) fn is_too_slow(error: &(dyn Error + 'static)) -> bool {
    error.is::<SlowBody>() || error.source().is_some_and(is_too_slow)
}

#[derive(Debug)]
struct SlowBody;

impl fmt::Display for SlowBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body did not come in time")
    }
}

impl Error for SlowBody {}

struct TimedBody {
    body: Body,
    ends: Pin<Box<Sleep>>,
}

impl http_body::Body for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let own = &mut *self;
        // First: a body of which there is always a little more must end, too.
        if own.ends.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(axum::Error::new(SlowBody))));
        }
        Pin::new(&mut own.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[path = "body_time_tests.rs"]
mod tests;
