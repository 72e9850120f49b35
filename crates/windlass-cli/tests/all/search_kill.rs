//! The real binary, killed while it indexes: the index opens, says what it lacks, and the next time completes it.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::Place;

/// More than one commit's worth.
const FILES: usize = 2_400;
const POINTS: usize = 50;
/// Another third of the files is changed for each point, so that something is always left to do.
const SHARE: usize = 3;

/// Numbers that look random and are the same in every test run.
fn numbers() -> impl Iterator<Item = u64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 33
    })
}

fn write(place: &Place, number: usize, version: usize) {
    let text =
        format!("/// Hauls load {number}.\npub fn haul_{number}() -> u32 {{\n    wind_{version}()\n}}\n");
    place.write(&format!("deck{}/haul_{number}.rs", number % 40), &text);
}

fn status(place: &Place) -> Value {
    place.windlass(&["index", "status", "--json"]).exits(0).json()
}

/// Starts indexing and kills it after a while; whether it was still at it.
fn index_and_kill(place: &Place, after: Duration) -> bool {
    let mut command = place.command(&["index", "build"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let mut ended = None;
    while begun.elapsed() < after && ended.is_none() {
        ended = child.try_wait().unwrap();
        thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    ended.is_none()
}

#[test]
fn indexing_killed_at_fifty_points_opens_says_what_is_missing_and_completes() {
    let place = Place::new();
    for number in 0..FILES {
        write(&place, number, 0);
    }
    let begun = Instant::now();
    place.windlass(&["index", "build"]).exits(0);
    let whole_ms = u64::try_from(begun.elapsed().as_millis()).unwrap();
    place.windlass(&["index", "clear"]).exits(0);
    let (mut numbers, mut killed, mut incomplete) = (numbers(), 0, 0);
    for point in 1..=POINTS {
        for number in (point % SHARE..FILES).step_by(SHARE) {
            write(&place, number, point);
        }
        let after = Duration::from_millis(numbers.next().unwrap() % whole_ms);
        killed += usize::from(index_and_kill(&place, after));
        let status = status(&place);
        if status["completed_ms"].is_null() {
            incomplete += 1;
            assert!(status["indexing"]["total"].is_u64(), "point {point}: it says what it lacks: {status}");
        }
    }
    assert!(killed >= POINTS / 4, "{killed} of {POINTS} were killed in the middle");
    assert!(incomplete > 0, "{killed} were killed, and none of them left anything open");
    let built = place.windlass(&["index", "build", "--json"]).exits(0).json();
    assert!(built["update"]["rebuilt"].is_null(), "nothing was damaged: {built}");
    assert_eq!((&built["status"]["files"], &built["status"]["indexing"]), (&FILES.into(), &Value::Null));
    assert!(built["status"]["completed_ms"].is_u64(), "{built}");
    for number in [0, 1_234, FILES - 1] {
        let name = format!("haul_{number}");
        let found = place.windlass(&["search", &name, "--json"]).exits(0).json();
        let path = format!("deck{}/{name}.rs", number % 40);
        assert_eq!(found["passages"][0]["path"], path, "{found}");
    }
}
