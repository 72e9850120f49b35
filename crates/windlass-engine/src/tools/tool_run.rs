//! Running one call: in a task of its own, with a time limit, a way to stop it and a bound on what it
//! gives back. Whatever happens to the tool, the call gets exactly one outcome.
//!
//! Decides nothing: only an approved call can be run (wall 4).

use std::any::Any;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use windlass_core::permission::{ApprovedCall, Inspection};
use windlass_core::ports::{CancelFlag, Probed, ToolContext, ToolPort, WaitingTime};
use windlass_core::protocol::tool::{CheckedCall, ErrorKind, Label, ToolFailure, ToolOutcome, Trust};
use windlass_core::text::cut_chars;
use windlass_core::text::time::seconds;

use crate::cancel::CancelSignal;
use crate::clock::Clock;
use crate::limits::{
    FAILURE_CHARS_MAX, INSPECT_TIMEOUT_MS, PROBE_TIMEOUT_MS, STOP_GRACE_MS, WAITING_LOOK_MS,
};
use crate::tools::alarm::KeptAlarm;
use crate::tools::output::cap_output;

/// Runs a call and says what it gave. Dropping the future stops the tool. A call that would now do something else than
/// what was judged is refused.
///
/// At most `context.output_bytes_max` bytes of its output are kept. `context.cancel` is made anew for
/// this call, so that stopping it stops no other.
pub async fn run_call(
    port: Arc<dyn ToolPort>,
    call: ApprovedCall,
    mut context: ToolContext,
    timeout_ms: u64,
    stop: CancelSignal,
    clock: Clock,
) -> ToolOutcome {
    let started_ms = clock.now_ms();
    let (CheckedCall { spec, args, dropped_args, .. }, decision, held) = call.into_parts();
    let output_bytes_max = context.output_bytes_max;
    let (flag, waiting) = (own_flag(&mut context), context.waiting.clone());
    context.deadline_ms = started_ms.saturating_add(timeout_ms);
    let reached = context.reached.clone();
    context.targets = context.targets.held_to(&held);
    let label = Label::of(&spec, context.targets.listed());
    let sandbox = held.sandbox().cloned().map(Box::new);
    let is_looked_at = spec.inspected && held.is_known();
    let work = async move {
        if is_looked_at {
            // What was approved may lead elsewhere by now; the tool itself checks what it opens once more.
            held.check(&port.inspect(&args, &context).await?)?;
        }
        let mut output = port.run(&args, &context).await?;
        if output.summary.is_none() {
            // In the task as well: this too is the tool's own code, and may break or take long.
            output.summary = port.summary(&output);
        }
        Ok(output)
    };
    let body = match supervise(work, flag, (timeout_ms, waiting), &stop).await {
        WorkEnding::Done(body) => body,
        ending => Err(failure_of(&spec.name, ending, timeout_ms)),
    };
    let outcome = match body {
        Ok(output) => ToolOutcome::ok(cap_output(output, output_bytes_max)),
        Err(failure) => ToolOutcome::failed(bounded(failure)),
    };
    let mut outcome = outcome.timed(started_ms, clock.now_ms());
    outcome.meta.dropped_args = dropped_args;
    outcome.meta.decision = Some(decision);
    // Also of a call that failed or was stopped: what was sent was sent.
    outcome.meta.reached = reached.take();
    outcome.meta.sandbox = sandbox;
    outcome.meta.trust = if spec.untrusted_output { Trust::Untrusted } else { Trust::Own };
    outcome.meta.label = label.map(Box::new);
    outcome
}

/// Asks a tool what a call would touch, within 5 seconds. A failure refuses the call.
pub async fn inspect_call(
    port: Arc<dyn ToolPort>,
    call: CheckedCall,
    mut context: ToolContext,
    stop: CancelSignal,
) -> Result<Inspection, ToolFailure> {
    let CheckedCall { spec, args, .. } = call;
    if !spec.inspected {
        return Ok(Inspection::default());
    }
    let flag = own_flag(&mut context);
    let work = async move { port.inspect(&args, &context).await };
    match supervise(work, flag, (INSPECT_TIMEOUT_MS, WaitingTime::default()), &stop).await {
        WorkEnding::Done(said) => said.map_err(bounded),
        ending => Err(failure_of(&spec.name, ending, INSPECT_TIMEOUT_MS)),
    }
}

/// Asks a tool whether a call that ran when the program stopped has happened, within 10 seconds. Who cannot say
/// it in time, or breaks, does not know.
pub async fn probe_call(port: Arc<dyn ToolPort>, call: CheckedCall, mut context: ToolContext) -> Probed {
    let args = call.args;
    let output_bytes_max = context.output_bytes_max;
    let flag = own_flag(&mut context);
    let work = async move { port.probe(&args, &context).await };
    match supervise(work, flag, (PROBE_TIMEOUT_MS, WaitingTime::default()), &CancelSignal::new()).await {
        WorkEnding::Done(Probed::Happened(output)) => {
            Probed::Happened(Box::new(cap_output(*output, output_bytes_max)))
        }
        WorkEnding::Done(probed @ (Probed::NotHappened | Probed::Unknown)) => probed,
        WorkEnding::Panicked(_) | WorkEnding::TimedOut | WorkEnding::Cancelled | WorkEnding::Interrupted => {
            Probed::Unknown
        }
    }
}

fn own_flag(context: &mut ToolContext) -> CancelFlag {
    context.cancel = CancelFlag::default();
    context.cancel.clone()
}

/// How the work of a tool ended.
enum WorkEnding<T> {
    Done(T),
    Panicked(String),
    TimedOut,
    Cancelled,
    /// The runtime itself is going down.
    Interrupted,
}

/// The task of a tool; it does not outlive the wish for it.
struct ToolTask<T> {
    task: JoinHandle<T>,
    flag: CancelFlag,
}

impl<T> ToolTask<T> {
    fn pull(&self) {
        // The flag is for work on threads, which an abort does not reach.
        self.flag.cancel();
        self.task.abort();
    }
}

impl<T> Drop for ToolTask<T> {
    fn drop(&mut self) {
        self.pull();
    }
}

async fn supervise<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    flag: CancelFlag,
    limit: (u64, WaitingTime),
    stop: &CancelSignal,
) -> WorkEnding<T> {
    if stop.is_cancelled() {
        return WorkEnding::Cancelled;
    }
    // In a task of its own: a tool that panics or blocks takes no session with it (E-18).
    let mut leash = ToolTask { task: tokio::spawn(work), flag };
    let ending = tokio::select! {
        // What is done is done, also when the time ran out in the same moment.
        biased;
        joined = &mut leash.task => return joined.map_or_else(ending_of, WorkEnding::Done),
        () = stop.cancelled() => WorkEnding::Cancelled,
        () = time_limit(limit) => WorkEnding::TimedOut,
    };
    leash.pull();
    let grace = Duration::from_millis(STOP_GRACE_MS);
    if tokio::time::timeout(grace, &mut leash.task).await.is_err() {
        tracing::warn!("a tool blocks its thread and did not stop within {STOP_GRACE_MS} ms");
    }
    ending
}

/// Ready when the time is up; while somebody is asked, it stands still.
async fn time_limit((timeout_ms, waiting): (u64, WaitingTime)) {
    let (begun, limit) = (Instant::now(), Duration::from_millis(timeout_ms));
    let mut alarm = KeptAlarm::default();
    loop {
        let next_look = if waiting.is_open() {
            Duration::from_millis(WAITING_LOOK_MS)
        } else {
            let with_waits = limit.saturating_add(Duration::from_millis(waiting.over_ms()));
            with_waits.saturating_sub(begun.elapsed())
        };
        if next_look.is_zero() {
            return;
        }
        alarm.wait_until(after(next_look)).await;
    }
}

/// So long from now; a time that no clock reaches is in many years.
fn after(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or(now + Duration::from_secs(1 << 30))
}

fn ending_of<T>(error: JoinError) -> WorkEnding<T> {
    match error.try_into_panic() {
        Ok(payload) => WorkEnding::Panicked(panic_text(&*payload)),
        Err(_) => WorkEnding::Interrupted,
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the tool broke without a word").to_owned()
}

fn failure_of<T>(name: &str, ending: WorkEnding<T>, timeout_ms: u64) -> ToolFailure {
    let failure = match ending {
        WorkEnding::TimedOut => {
            let message = format!("Tool '{name}' timed out after {} seconds", seconds(timeout_ms));
            ToolFailure::new(ErrorKind::Timeout, message)
                .hint("Ask for less at once, or do without this call.")
        }
        WorkEnding::Cancelled => ToolFailure::new(ErrorKind::Cancelled, "The call was cancelled"),
        WorkEnding::Panicked(text) => ToolFailure::internal(format!("Runtime error: {text}"))
            .hint("The fault is in the tool, not in the call; do not send it again."),
        WorkEnding::Interrupted | WorkEnding::Done(_) => {
            ToolFailure::new(ErrorKind::Interrupted, "The program went down while the call ran")
        }
    };
    bounded(failure)
}

/// Cuts the texts of a failure: a tool may have put a whole page into one.
fn bounded(mut failure: ToolFailure) -> ToolFailure {
    let cut = |text: &mut String| {
        let end = cut_chars(text, FAILURE_CHARS_MAX).len();
        text.truncate(end);
    };
    cut(&mut failure.message);
    let ToolFailure { field, expected, received, hint, detail, .. } = &mut failure;
    [field, expected, received, hint, detail].into_iter().flatten().for_each(cut);
    failure
}

#[cfg(test)]
#[path = "tool_run_tests.rs"]
mod tests;
