//! Waiting that ends when it is dropped, whichever runtime asks: the timers are those of the library's own.

use std::time::Duration;

use tokio::time::Sleep;

use crate::error::WindlassError;
use crate::worker;

/// Waits for a while.
pub(super) fn pause(time: Duration) -> Result<Sleep, WindlassError> {
    // The timer is bound to the runtime in which it is made, not to the one that waits for it.
    let _inside = worker::handle()?.enter();
    Ok(tokio::time::sleep(time))
}
