//! The library's own runtime: sessions live here, so that they can be used from any runtime, from plain
//! threads and from inside other runtimes' workers, blocking or not.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::mpsc;
use std::task::{Context, Poll};

use futures::Stream;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{JoinError, JoinHandle, block_in_place};
use windlass_core::ports::{BoxFuture, BoxStream};

use crate::error::WindlassError;

/// Threads that drive sessions. Tools that block do so in the pool for blocking work, not here.
const THREADS: usize = 2;

thread_local! {
    /// Whether this thread drives sessions.
    static IS_OURS: Cell<bool> = const { Cell::new(false) };
}

/// The runtime, made when it is first needed; it lives as long as the process.
pub(crate) fn handle() -> Result<&'static Handle, WindlassError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("windlass").enable_all();
        builder.on_thread_start(|| IS_OURS.set(true));
        builder.build().map_err(|error| error.to_string())
    });
    made.as_ref().map(Runtime::handle).map_err(|error| WindlassError::Runtime(error.clone()))
}

/// Does the work on the library's runtime and waits for it here, whatever thread this is.
pub(crate) fn block<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, WindlassError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    handle()?.spawn(async move {
        // The receiver is only gone if the waiting thread is; then nobody needs the value.
        let _ = sender.send(work.await);
    });
    // A tool that asks another agent waits on one of the very threads that the other agent needs.
    let received = if IS_OURS.get() { block_in_place(|| receiver.recv()) } else { receiver.recv() };
    received.map_err(|_| WindlassError::Runtime("the work ended without a result".to_owned()))
}

/// Does the work on the library's runtime, where most of what it waits for happens, so that the caller's thread is woken
/// once, with the result. Dropping this stops the work where it waits next.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl Future<Output = Result<T, WindlassError>> + Send + 'static,
) -> Result<T, WindlassError> {
    // Boxed, because a runtime moves what it is given more than once.
    let done = ApartTask(handle()?.spawn(Box::pin(work))).await;
    done.map_err(|_| WindlassError::Runtime("the work ended without a result".to_owned()))?
}

/// A task that nobody is left to wait for ends.
struct ApartTask<T>(JoinHandle<T>);

impl<T> Drop for ApartTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> Future for ApartTask<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

/// Does the work wherever the caller awaits it, in any runtime or in none: its timers and tasks are the library's.
pub(crate) async fn inside<T>(
    work: impl Future<Output = Result<T, WindlassError>> + Send,
) -> Result<T, WindlassError> {
    Inside { runtime: handle()?, work: Box::pin(work) as BoxFuture<'_, _> }.await
}

/// The same for what comes piece by piece. Without a runtime nothing comes.
pub(crate) fn inside_stream<T: Send + 'static>(
    pieces: impl Stream<Item = T> + Send + 'static,
) -> BoxStream<'static, T> {
    match handle() {
        Ok(runtime) => Box::pin(Inside { runtime, work: Box::pin(pieces) as BoxStream<'static, T> }),
        Err(_) => Box::pin(futures::stream::empty()),
    }
}

/// Work that finds itself in the library's runtime whenever it is polled.
struct Inside<W> {
    runtime: &'static Handle,
    work: W,
}

impl<F: Future + ?Sized> Future for Inside<Pin<Box<F>>> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _inside = self.runtime.enter();
        self.work.as_mut().poll(context)
    }
}

impl<S: Stream + ?Sized> Stream for Inside<Pin<Box<S>>> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let _inside = self.runtime.enter();
        self.work.as_mut().poll_next(context)
    }
}
