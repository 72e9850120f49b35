//! A program that is killed at random moments and started again loses nothing and repeats nothing.
//!
//! Two witnesses are compared, which know nothing of each other: the ledger that the tools of the example `durable_bot`
//! write (one whole line for each change, synced before the tool returns, under the key of its call) and the records of the
//! store. A call whose outcome is on record as ok and that has no line is lost; a key with more than one line is
//! repeated. A call that had begun when the program was killed has no outcome yet: one that may run twice runs again,
//! and ends as ok; one that may not is `interrupted` on record, has one line or none, and is never begun again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use windlass::core::protocol::tool::OutcomeStatus;
use windlass::prelude::*;

use crate::examples::program;

const KILLS: u32 = 50;
/// The life of a job is cut into so many parts, and the first kill of each job falls into the next of them.
const PARTS: u32 = 10;
/// What a job comes to: four parcels, each weighed, paid for and handed over.
const CALLS: usize = 12;

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn seeded() -> Self {
        let given = std::env::var("DURABLE_SEED").ok().and_then(|text| text.parse().ok());
        let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = given.unwrap_or_else(now).max(1);
        println!("DURABLE_SEED={seed}");
        Self(seed)
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// What was found in the folders of all jobs.
#[derive(Debug, Default)]
struct Findings {
    lost: Vec<String>,
    repeated: Vec<String>,
    /// Calls of which nobody knows whether they happened, as the record says.
    unknown: usize,
    /// How often a run was taken up again.
    resumed: usize,
}

fn start(folder: &Path) -> Child {
    let mut command = Command::new(program("durable_bot"));
    command.arg(folder).stdout(Stdio::null()).stdin(Stdio::null());
    command.spawn().unwrap()
}

fn finish(folder: &Path) {
    assert!(start(folder).wait().unwrap().success(), "the program failed by itself");
}

/// Starts the program and kills it after a while; whether it was still going on.
fn kill_after(folder: &Path, delay: Duration) -> bool {
    let mut child = start(folder);
    // The moment of the kill is what this test is about: nothing is waited for.
    std::thread::sleep(delay);
    let ended = child.try_wait().unwrap();
    // SIGKILL: the program cannot notice it.
    child.kill().unwrap();
    child.wait().unwrap();
    match ended {
        Some(status) => assert!(status.success(), "the program failed by itself"),
        None => return true,
    }
    false
}

impl Findings {
    /// Compares ledger and records of a job that is done.
    async fn compare(&mut self, folder: &Path) {
        let agent = Windlass::builder()
            .script("user q\nmodel text a\n")
            .unwrap()
            .store(folder)
            .unwrap()
            .build()
            .unwrap();
        let session = agent.session("parcels");
        let runs = session.runs().await.unwrap();
        assert!(runs.iter().all(|run| run.outcome == Some(RunOutcome::Completed)), "{runs:?}");
        assert_eq!(runs.len(), 4, "{runs:?}");
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for line in std::fs::read_to_string(folder.join("ledger.txt")).unwrap().lines() {
            let (key, _) = line.split_once(' ').unwrap();
            *lines.entry(key.to_owned()).or_default() += 1;
        }
        self.repeated.extend(lines.iter().filter(|(_, count)| **count > 1).map(|(key, _)| key.clone()));
        let session_id = session.id().await.unwrap();
        let (mut asked, mut ended) = (BTreeMap::new(), 0);
        for record in session.records(0).await.unwrap() {
            match &record.event {
                Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                    assert!(asked.insert(call.id.clone(), call.name.clone()).is_none(), "{call:?}");
                }
                Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => {
                    ended += 1;
                    let tool = asked.get(call_id).unwrap().as_str();
                    let written = lines.remove(&format!("{session_id}/{call_id}")).unwrap_or_default();
                    match (tool, outcome.status()) {
                        ("weigh_parcel", OutcomeStatus::Ok) => assert_eq!(written, 0),
                        (_, OutcomeStatus::Ok) if written == 0 => self.lost.push(format!("{tool} {call_id}")),
                        ("book_fee" | "hand_over", OutcomeStatus::Ok) => {}
                        ("hand_over", OutcomeStatus::Interrupted) => self.unknown += 1,
                        (tool, status) => panic!("{tool} ended as {status:?}"),
                    }
                }
                Event::Durable(DurableEvent::RunResumed { .. }) => self.resumed += 1,
                _ => {}
            }
        }
        assert_eq!((asked.len(), ended), (CALLS, CALLS), "a call without an outcome, or one too many");
        assert!(lines.is_empty(), "changes of calls that are not on record: {lines:?}");
        agent.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_program_killed_at_fifty_random_moments_loses_nothing_and_repeats_nothing() {
    let mut dice = Dice::seeded();
    let mut findings = Findings::default();
    let undisturbed = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    finish(undisturbed.path());
    let life = begun.elapsed();
    findings.compare(undisturbed.path()).await;
    assert_eq!((findings.unknown, findings.resumed), (0, 0));

    let (mut kills, mut jobs) = (0, 0);
    while kills < KILLS {
        let folder = tempfile::tempdir().unwrap();
        let part = f64::from(jobs % PARTS);
        let mut delay = life.mul_f64((part + dice.share()) / f64::from(PARTS));
        while kills < KILLS && kill_after(folder.path(), delay) {
            kills += 1;
            delay = life.mul_f64(dice.share());
        }
        finish(folder.path());
        findings.compare(folder.path()).await;
        jobs += 1;
    }
    println!("{kills} kills in {jobs} jobs of {life:?}: {findings:?}");
    assert!(findings.lost.is_empty() && findings.repeated.is_empty(), "{findings:?}");
    // Otherwise no kill hit a run.
    assert!(findings.resumed > 0, "{findings:?}");
}
