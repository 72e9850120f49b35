//! The limits of searching, each with its reason.
