//! Permission: which calls may run, who said so, and what is remembered.
//!
//! Owns the gates and their order (requirements §6.5), rules, grants, questions and the audit line.
//! Knows no file, no terminal and no clock. `ApprovedCall` can only be made here: what cannot be
//! constructed cannot be run (wall 4).
//!
//! - `pattern`, `rule`: what one rule means, and its text; `command_line`: commands of which a part is unknown
//! - `closed`: paths that no reader may show
//! - `policy`, `legacy`: stored rules, and the text of `policies.json`
//! - `grant`: what lasts for a session
//! - `mode`: what is done with calls that need asking
//! - `taint`: text from outside in the context, and private text in arguments
//! - `matter`, `gate`, `judge`, `explain`: the facts, the gates, the judgement, the reasons
//! - `question`, `approved`: what is asked, and what an answer leads to
//! - `held`: what an approved call is held to when it runs
//! - `staged`: edits that await approval
//! - `recall`: verdicts that are on record
//! - `audit`: the log line
//! - `confine`: what a command is held to while it runs
//! - `port`: where rules are kept and decisions are written down
//! - `floor`: commands that destroy beyond the project
//! - `limits`: the limits of this module, each with its reason
//! - `place`: where a path leads, seen from the project: inside it, above it, to a home, to the system, to a device

mod approved;
mod audit;
mod closed;
mod command_line;
mod confine;
mod explain;
mod floor;
mod gate;
mod grant;
mod held;
mod judge;
mod legacy;
mod limits;
mod matter;
mod mode;
mod pattern;
mod place;
mod policy;
mod port;
mod question;
mod recall;
mod rule;
mod staged;
mod taint;

#[cfg(test)]
#[path = "case_tests.rs"]
mod case;

pub use approved::{Answered, ApprovedCall, Denied, PendingQuestion};
pub use audit::{AuditDecision, AuditEntry, AuditLog};
pub use closed::ClosedPaths;
pub use confine::{ConfinedBy, Confinement, Reach, Sandbox, UNCONFINED};
pub use explain::{Explanation, GateFinding, Stance};
pub use gate::{Gate, GateSettings, NO_REPEAT, Refusal};
pub use grant::Grants;
pub use held::{Held, HeldTargets};
pub use judge::{Judgement, Permissions};
pub use limits::{AUDIT_ARGS_CHARS_MAX, AUDIT_ENTRIES_MAX, AUDIT_VALUE_CHARS_MAX, RULES_MAX};
pub use mode::ApproveMode;
pub use pattern::TargetPattern;
pub use policy::{PolicyError, PolicySet};
pub use port::{AuditFailure, AuditPort, PolicyFailure, PolicyPort};
pub(crate) use question::{BY_NOBODY, BY_USER};
pub use question::{Decision, DeniedBy, Inspection, PermissionAnswer, Preview, Question, Target};
pub(crate) use recall::{Recalled, RecalledAnswer, RecalledRefusal};
pub use rule::{Rule, RuleEffect, RuleError, RulePattern, RuleSource, ToolPattern, host_note, read_reach};
pub use staged::StagedCall;
pub(crate) use taint::find_leak;
pub use taint::{LeakFinding, TaintFinding, TaintMode, TaintSource};
