//! Chance for waits: those who failed together must not come back together. The core knows no chance.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// How far a wait is moved at most, in percent, to either side.
const SPREAD_PERCENT: u64 = 25;

/// A number that nobody can foresee.
pub(crate) fn new_dice() -> u64 {
    // The seeds of hash maps are chance enough for a wait, and need no crate.
    RandomState::new().build_hasher().finish()
}

/// A wait moved by chance: the same dice, the same wait.
pub(crate) fn spread(delay_ms: u64, dice: u64) -> u64 {
    // In thousandths, so that long waits do not fall on a few moments.
    let per_mille = 1_000 - SPREAD_PERCENT * 10 + dice % (SPREAD_PERCENT * 20 + 1);
    delay_ms.saturating_mul(per_mille) / 1_000
}

#[cfg(test)]
#[path = "jitter_tests.rs"]
mod tests;
