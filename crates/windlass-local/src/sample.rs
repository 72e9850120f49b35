//! Chooses the next token from scores: the best, or by chance among the likely ones.
//!
//! Chance is seeded: the same request gives the same answer. Knows no model and no grammar, only a set of tokens.

use crate::grammar::TokenMask;

/// Tokens that chance may choose from; the rest is too unlikely to matter.
const CANDIDATES_MAX: usize = 256;

/// How tokens are chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sampler {
    temperature: f32,
    top_p: f32,
    state: u64,
}

impl Sampler {
    /// `temperature` 0 takes the best token always.
    pub(crate) fn new(temperature: f64, top_p: f64, seed: u64) -> Self {
        Self { temperature: temperature as f32, top_p: top_p as f32, state: seed }
    }

    /// A token out of those a mask allows, if any.
    pub(crate) fn choose(&mut self, scores: &[f32], mask: Option<&TokenMask>) -> Option<u32> {
        if self.temperature <= 0.0 {
            return best(allowed(scores, mask));
        }
        let mut candidates: Vec<(u32, f32)> = allowed(scores, mask).collect();
        let by_score = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if candidates.len() > CANDIDATES_MAX {
            candidates.select_nth_unstable_by(CANDIDATES_MAX, by_score);
            candidates.truncate(CANDIDATES_MAX);
        }
        candidates.sort_unstable_by(by_score);
        let (_, top) = *candidates.first()?;
        let mut sum = 0.0;
        for (_, score) in &mut candidates {
            *score = ((*score - top) / self.temperature).exp();
            sum += *score;
        }
        // The likeliest tokens that together have the share `top_p`; always one at least.
        let mut share = 0.0;
        let kept = candidates.iter().position(|(_, weight)| {
            share += weight;
            share >= sum * self.top_p
        });
        candidates.truncate(kept.map_or(candidates.len(), |last| last + 1));
        let sum: f32 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut left = self.chance() * sum;
        let chosen = candidates.iter().find(|(_, weight)| {
            left -= weight;
            left <= 0.0
        });
        chosen.or(candidates.last()).map(|(token, _)| *token)
    }

    /// A number from 0 up to 1: splitmix64.
    fn chance(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1_u64 << 24) as f32
    }
}

fn allowed(scores: &[f32], mask: Option<&TokenMask>) -> impl Iterator<Item = (u32, f32)> {
    let is_allowed = move |token: u32| mask.is_none_or(|mask| mask.allows(token));
    (0_u32..).zip(scores.iter().copied()).filter(move |(token, score)| !score.is_nan() && is_allowed(*token))
}

fn best(candidates: impl Iterator<Item = (u32, f32)>) -> Option<u32> {
    // The first of equals, so that an answer never depends on chance.
    let better = |best: Option<(u32, f32)>, next: (u32, f32)| match best {
        Some(best) if best.1 >= next.1 => Some(best),
        _ => Some(next),
    };
    candidates.fold(None, better).map(|(token, _)| token)
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
