//! How many threads models in the process compute with.
//!
//! Owns the limit. The kernels of quantised weights have threads of their own, whose number candle takes from the
//! environment alone (`CANDLE_NUM_THREADS`, else `RAYON_NUM_THREADS`, else the cores of the machine); all else is
//! done by rayon's threads, which are limited here.

use candle_core::utils::barrier_pool;

/// Most threads that can be asked for: no machine of today has more cores.
pub const THREADS_MAX: usize = 1_024;

/// What a limit came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    /// Threads of the kernels of quantised weights.
    pub kernels: usize,
    /// Threads of everything else.
    pub others: usize,
}

/// Limits the threads, and says how many there are now. It holds for the whole process and is settled by the first
/// call, or by the first model that is loaded: call it before.
pub fn limit_threads(count: usize) -> Threads {
    // Who has settled it before has settled it: what is so is said below.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(count.clamp(1, THREADS_MAX)).build_global();
    Threads { kernels: barrier_pool().n_workers().saturating_add(1), others: rayon::current_num_threads() }
}

#[cfg(test)]
#[path = "threads_tests.rs"]
mod tests;
