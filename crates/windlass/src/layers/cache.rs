//! Outputs of calls that change nothing, kept for the same call.
//!
//! Outputs are kept by tool, arguments and root; what a tool reads may differ from session to session, so it is kept for
//! its session alone unless the program says otherwise.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::calls::json::canonical::canonical_text;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{Effects, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::json_bytes;

use super::ToolLayer;

/// Bytes of an output that is kept: a cache of larger ones would fill the memory that it should save time for.
const OUTPUT_BYTES_MAX: u64 = 256 * 1024;

/// Bytes of arguments by which an output is kept.
const ARGS_BYTES_MAX: usize = 64 * 1024;

/// How long what was read is believed, unless said.
const READ_AGE_MAX: Duration = Duration::from_secs(60);

/// Answers a call of a tool that changes nothing from its last output, if the arguments are the same. Only tools with the
/// effects pure and read are answered so; what is `repeatable` asks the world each time, and failures are not kept. A
/// call through the same layer that may change something makes it forget what was read. Clones share what is kept.
///
/// ```
/// use windlass::layers::ToolCache;
/// use windlass::prelude::*;
///
/// let builder = Windlass::builder().tool_layer(ToolCache::new(500));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ToolCache {
    entries_max: usize,
    read_age_max: Duration,
    is_for_all: bool,
    kept: Arc<Mutex<KeptOutputs>>,
}

#[derive(Debug, Default)]
struct KeptOutputs {
    entries: HashMap<String, KeptOutput>,
    /// The keys, oldest first.
    order: VecDeque<String>,
    /// Changes with every call that may change something: what was read before is then no longer true.
    age: u64,
}

#[derive(Debug)]
struct KeptOutput {
    output: ToolOutput,
    since: Instant,
    is_pure: bool,
}

impl ToolCache {
    /// Keeps at most so many outputs; the oldest goes first.
    pub fn new(entries_max: usize) -> Self {
        Self { entries_max, read_age_max: READ_AGE_MAX, is_for_all: false, kept: Arc::default() }
    }

    /// Sets how long what was read is believed: a minute unless said. What is pure is true for ever.
    pub fn keep_reads_for(mut self, time: Duration) -> Self {
        self.read_age_max = time;
        self
    }

    /// Answers one session with what another has read: for tools to which all sessions are the same.
    pub fn across_sessions(mut self) -> Self {
        self.is_for_all = true;
        self
    }

    fn kept(&self) -> MutexGuard<'_, KeptOutputs> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By what an output is kept; none where it is not.
    fn key(&self, spec: &ToolSpec, args: &Map<String, Value>, context: &ToolContext) -> Option<String> {
        let args = canonical_text(&Value::Object(args.clone()));
        if args.len() > ARGS_BYTES_MAX {
            return None;
        }
        let session = if self.is_for_all { "" } else { context.session_id.as_str() };
        Some(format!("{}\n{session}\n{}\n{args}", spec.name, context.root.display()))
    }

    fn find(&self, key: &str) -> Option<ToolOutput> {
        let kept = self.kept();
        let found = kept.entries.get(key)?;
        (found.is_pure || found.since.elapsed() < self.read_age_max).then(|| found.output.clone())
    }

    fn keep(&self, key: String, output: &ToolOutput, is_pure: bool, age: u64) {
        let bytes = json_bytes(&output.json) + output.text.as_ref().map_or(0, |text| text.len() as u64);
        let mut kept = self.kept();
        if self.entries_max == 0 || bytes > OUTPUT_BYTES_MAX || (!is_pure && kept.age != age) {
            return;
        }
        let entry = KeptOutput { output: output.clone(), since: Instant::now(), is_pure };
        if kept.entries.insert(key.clone(), entry).is_some() {
            kept.order.retain(|known| *known != key);
        }
        kept.order.push_back(key);
        while kept.order.len() > self.entries_max {
            if let Some(oldest) = kept.order.pop_front() {
                kept.entries.remove(&oldest);
            }
        }
    }

    fn forget_reads(&self) {
        let mut kept = self.kept();
        kept.age = kept.age.wrapping_add(1);
        let KeptOutputs { entries, order, .. } = &mut *kept;
        entries.retain(|_, entry| entry.is_pure);
        order.retain(|key| entries.contains_key(key));
    }
}

/// Forgets when a call that may change something is over, however it ended.
struct ForgetReads<'a>(&'a ToolCache);

impl Drop for ForgetReads<'_> {
    fn drop(&mut self) {
        self.0.forget_reads();
    }
}

#[async_trait]
impl ToolLayer for ToolCache {
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let spec = inner.spec();
        let is_pure = match spec.effects {
            Effects::Pure => true,
            Effects::Read => false,
            Effects::Write | Effects::External => {
                // Before it too: what is read meanwhile is of neither time.
                self.forget_reads();
                let _forget = ForgetReads(self);
                return inner.run(args, context).await;
            }
        };
        let key = if spec.repeatable { None } else { self.key(spec, args, context) };
        let Some(key) = key else { return inner.run(args, context).await };
        if let Some(output) = self.find(&key) {
            return Ok(output);
        }
        let age = self.kept().age;
        let output = inner.run(args, context).await?;
        self.keep(key, &output, is_pure, age);
        Ok(output)
    }
}
