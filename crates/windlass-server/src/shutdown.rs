//! Word that the server is asked to stop, for those who would otherwise wait for ever: event streams.

use tokio::sync::watch;
use windlass_core::ports::BoxFuture;

/// Knows whether the server is asked to stop. Connections carry it to their requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Closing(Option<watch::Receiver<bool>>);

impl Closing {
    /// One that hears what a sender says.
    pub(crate) fn new(receiver: watch::Receiver<bool>) -> Self {
        Self(Some(receiver))
    }

    /// Ends when the server is asked to stop, or never.
    pub(crate) fn wait(self) -> BoxFuture<'static, ()> {
        match self.0 {
            Some(mut receiver) => Box::pin(async move {
                // A sender that is gone has asked for nothing.
                if receiver.wait_for(|is_closing| *is_closing).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }),
            None => Box::pin(std::future::pending()),
        }
    }
}
