//! The store against its contract and against real faults.

mod child;
mod claims;
mod conformance;
mod crash;
mod fixture;
mod folder;
mod full;
mod place;
mod torn;
mod writing;
