//! Taking up a run again that stopped in the middle.

use crate::actor::Actor;
use crate::session::{RunDone, Unfinished};

impl Actor {
    /// Takes up a run again.
    pub(crate) async fn resume(&mut self, _unfinished: Unfinished, _done: RunDone) {}
}
