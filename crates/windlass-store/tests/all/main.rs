//! The store against its contract and against real faults.

mod conformance;
