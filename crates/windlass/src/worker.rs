//! The library's own runtime: sessions live here, so that they can be used from any runtime, from plain
//! threads and from inside other runtimes' workers, blocking or not.

use std::future::Future;
use std::sync::OnceLock;
use std::sync::mpsc;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::WindlassError;

/// The runtime, made when it is first needed; it lives as long as the process.
pub(crate) fn handle() -> Result<&'static Handle, WindlassError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).thread_name("windlass").enable_all().build().map_err(|error| error.to_string())
    });
    made.as_ref().map(Runtime::handle).map_err(|error| WindlassError::Runtime(error.clone()))
}

/// Does the work on the library's runtime and waits for it here, whatever thread this is.
pub(crate) fn block<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, WindlassError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    handle()?.spawn(async move {
        // The receiver is only gone if the waiting thread is; then nobody needs the value.
        let _ = sender.send(work.await);
    });
    receiver.recv().map_err(|_| WindlassError::Runtime("the work ended without a result".to_owned()))
}
