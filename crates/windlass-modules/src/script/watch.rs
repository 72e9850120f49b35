//! Who looks at a running script: counts its operations, its time and what the program's memory grows by, and hears
//! when nobody wants it any more. It is asked at each operation, so it looks at dear things rarely.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::aside::StopSignal;
use super::fault::StoppedBy;
use super::limits::{LOOK_EVERY_OPERATIONS, MEMORY_LOOK_MS, ScriptLimits};

/// The watch over one call of a script.
pub(crate) struct CallWatch {
    operations_max: u64,
    wall: Duration,
    memory_growth_bytes: u64,
    stop: Arc<StopSignal>,
    started: Instant,
    operations: AtomicU64,
    /// Time that went by while the script waited for its calls.
    waited_us: AtomicU64,
    /// The program's memory when it was first looked at; 0 before that.
    memory_base: AtomicU64,
    memory_looked_us: AtomicU64,
}

impl CallWatch {
    pub(crate) fn new(limits: &ScriptLimits, stop: Arc<StopSignal>) -> Self {
        Self {
            operations_max: limits.operations,
            wall: Duration::from_millis(limits.wall_ms),
            memory_growth_bytes: limits.memory_growth_bytes,
            stop,
            started: Instant::now(),
            operations: AtomicU64::new(0),
            waited_us: AtomicU64::new(0),
            memory_base: AtomicU64::new(0),
            memory_looked_us: AtomicU64::new(0),
        }
    }

    /// Counts one operation. The interpreter's own count begins anew in functions that are called by functions of
    /// the house, such as that of a `map`; this one does not.
    pub(crate) fn count(&self) -> Option<StoppedBy> {
        let operations = self.operations.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if operations > self.operations_max {
            return Some(StoppedBy::Operations);
        }
        if operations.is_multiple_of(LOOK_EVERY_OPERATIONS) { self.look() } else { None }
    }

    /// Looks at everything else.
    pub(crate) fn look(&self) -> Option<StoppedBy> {
        if self.stop.is_given() {
            return Some(StoppedBy::Cancelled);
        }
        let elapsed = self.started.elapsed();
        let waited = Duration::from_micros(self.waited_us.load(Ordering::Relaxed));
        if elapsed.saturating_sub(waited) > self.wall {
            return Some(StoppedBy::Time);
        }
        let now_us = micros(elapsed);
        let looked_us = self.memory_looked_us.load(Ordering::Relaxed);
        if now_us.saturating_sub(looked_us) < MEMORY_LOOK_MS * 1_000 {
            return None;
        }
        self.memory_looked_us.store(now_us, Ordering::Relaxed);
        self.look_at_memory()
    }

    fn look_at_memory(&self) -> Option<StoppedBy> {
        let now = resident_bytes()?;
        let base = self.memory_base.load(Ordering::Relaxed);
        if base == 0 {
            self.memory_base.store(now, Ordering::Relaxed);
            return None;
        }
        (now.saturating_sub(base) > self.memory_growth_bytes).then_some(StoppedBy::Memory)
    }

    /// Waits for something else: neither its time nor its memory is the script's.
    pub(crate) fn aside<T>(&self, wait: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let before = resident_bytes();
        let value = wait();
        if let (Some(before), Some(after)) = (before, resident_bytes()) {
            let base = self.memory_base.load(Ordering::Relaxed);
            let base = if base == 0 { before } else { base };
            self.memory_base.store(base.saturating_add(after.saturating_sub(before)), Ordering::Relaxed);
        }
        self.waited_us.fetch_add(micros(began.elapsed()), Ordering::Relaxed);
        value
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The memory of this program, where the system tells it as Linux does.
fn resident_bytes() -> Option<u64> {
    // Asked for often: read at once, and into no memory.
    let mut buffer = [0_u8; 4_096];
    let length = File::open("/proc/self/status").and_then(|mut file| file.read(&mut buffer)).ok()?;
    let status = std::str::from_utf8(buffer.get(..length)?).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1_024))
}
