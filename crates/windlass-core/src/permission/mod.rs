//! Permission: which calls may run, who said so, and what is remembered.
//!
//! Owns the gates and their order (requirements §6.5), rules, grants, questions and the audit line.
//! Knows no file, no terminal and no clock. `ApprovedCall` can only be made here: what cannot be
//! constructed cannot be run (wall 4).

mod question;

pub use question::{Decision, Inspection, PermissionAnswer, Preview, Question, Target};
