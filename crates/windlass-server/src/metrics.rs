//! What is counted.

use std::sync::Mutex;

/// Counts of the server.
#[derive(Default)]
pub(crate) struct Metrics {
    answers: Mutex<std::collections::BTreeMap<u16, u64>>,
}

impl Metrics {
    /// Counts an answer by its status.
    pub(crate) fn count_answer(&self, status: u16) {
        if let Ok(mut answers) = self.answers.lock() {
            *answers.entry(status).or_default() += 1;
        }
    }
}
