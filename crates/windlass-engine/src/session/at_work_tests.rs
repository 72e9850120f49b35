//! Whoever waits for calls hears of each, and is woken by none but them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};

use tokio::sync::oneshot;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome};

use super::*;

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn call(at: &str) -> (oneshot::Sender<()>, BoxFuture<'static, WorkDone>) {
    let (end, ended) = oneshot::channel();
    let call_id = CallId::new(at.to_owned());
    let work = async move {
        let _ = ended.await;
        WorkDone::Ended { call_id, outcome: ToolOutcome::failed(ToolFailure::internal("nothing".to_owned())) }
    };
    (end, Box::pin(work))
}

fn id(done: Poll<Option<WorkDone>>) -> Option<String> {
    match done {
        Poll::Ready(Some(WorkDone::Ended { call_id, .. } | WorkDone::Inspected { call_id, .. })) => {
            Some(call_id.to_string())
        }
        Poll::Ready(None) => Some("nothing goes on".to_owned()),
        Poll::Pending => None,
    }
}

#[test]
fn each_call_is_heard_of_once_and_nobody_is_woken_before() {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let cx = &mut Context::from_waker(&waker);
    let mut at_work = CallsAtWork::default();
    assert_eq!(id(at_work.poll(cx)).unwrap(), "nothing goes on");
    let (first, one) = call("one");
    let (second, two) = call("two");
    at_work.push(one);
    at_work.push(two);
    assert_eq!(id(at_work.poll(cx)), None);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 0, "a waiter that is woken for nothing wakes a thread");
    second.send(()).unwrap();
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert_eq!(id(at_work.poll(cx)).unwrap(), "two");
    assert_eq!(id(at_work.poll(cx)), None);
    first.send(()).unwrap();
    assert_eq!(id(at_work.poll(cx)).unwrap(), "one");
    assert!(at_work.is_empty());
}
