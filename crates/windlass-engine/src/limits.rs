//! The limits of the engine's own parts, with their reasons. Those of a run are in the core.

/// How deep calls may stand inside calls: a tool made of tools made of tools is plenty.
pub const CALLS_INSIDE_DEPTH_MAX: usize = 3;

/// Calls that all calls of one run may make themselves, together.
pub const CALLS_INSIDE_MAX: u32 = 256;

/// Bytes of an argument schema. The largest honest ones, generated from whole APIs, are a third of it.
pub const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// Nesting of an argument schema: compiling and checking descend once a level.
pub const SCHEMA_DEPTH_MAX: usize = 64;

/// Steps back that a pattern may take on one text: an evil pattern fails instead of hanging.
pub const PATTERN_STEPS_BACK_MAX: usize = 100_000;

/// Bytes of one compiled pattern.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Violations reported for one call; a model corrects a few at a time.
pub const VIOLATIONS_MAX: usize = 16;

/// Characters of a violation's texts.
pub const VIOLATION_CHARS_MAX: usize = 300;

/// Tools in a registry: above it, no model can choose among them and every change copies them all.
pub const TOOLS_MAX: usize = 10_000;

/// Records that a bus keeps for its subscribers; who falls further behind reads the journal.
pub const RING_RECORDS_MAX: usize = 1_024;

/// Records that a subscriber takes at once, so that it does not lock the bus for each.
pub const DELIVERY_BATCH: usize = 32;

/// Deltas that wait for the next durable record. More are written without it, so that a very long step holds
/// no more memory than the ring does.
pub const HELD_DELTAS_MAX: usize = 1_024;

/// How long a running call that changes something is waited for when its session is parked: a service manager
/// waits about three times as long before it kills.
pub const PARK_GRACE_MS: u64 = 10_000;

/// Deltas that the memory journal holds of one session; the oldest half goes when there are more. They are
/// for late readers only, and a program that embeds sessions has few of those and many sessions.
pub const MEMORY_JOURNAL_DELTAS_MAX: usize = 64;

/// Deltas that the memory store holds of one session: its readers come and go, as those of a server do.
pub const MEMORY_STORE_DELTAS_MAX: usize = 65_536;

/// Durable records that the memory journal holds of one session: some thousand runs.
pub const MEMORY_JOURNAL_RECORDS_MAX: usize = 100_000;

/// Bytes of outcomes that a session keeps for `$ref` and handles.
pub const RESULTS_BYTES_MAX: usize = 64 << 20;

/// Tasks of one session.
pub const TASKS_MAX: usize = 1_000;

/// Characters of one task.
pub const TASK_CHARS_MAX: usize = 4_000;

/// How long a tool may take to say what a call would touch: somebody waits for the question.
pub const INSPECT_TIMEOUT_MS: u64 = 5_000;

/// How long a tool may take to find out whether a call of it happened before the program stopped: the run
/// waits, and other sessions do not.
pub const PROBE_TIMEOUT_MS: u64 = 10_000;

/// How often it is looked whether somebody whom a call asks has answered, once the call's own time is over: seldom enough
/// to cost nothing, and nobody sees a quarter of a second.
pub const WAITING_LOOK_MS: u64 = 250;

/// How long a stopped tool is waited for before its call ends without it.
pub const STOP_GRACE_MS: u64 = 1_000;

/// Sources that one output may name.
pub const LINKS_MAX: usize = 256;

/// Characters of a failure's message, hint and detail: they go to the model whole.
pub const FAILURE_CHARS_MAX: usize = 8_000;

/// Bytes of a policy file that is still read.
pub const POLICY_BYTES_MAX: u64 = 4 << 20;

/// Broken policy files that are kept before a store is refused: somebody should look at them.
pub const POLICY_CORRUPT_MAX: u32 = 100;

/// Bytes of an audit file before it is rotated; one older file is kept.
pub const AUDIT_BYTES_MAX: u64 = 8 << 20;

/// Bytes of an audit file that are read back: some thousand of the newest lines, more than anybody scrolls through.
pub const AUDIT_READ_BYTES_MAX: u64 = 2 << 20;

/// Sessions that the memory store holds: a long day of tests; a server keeps its sessions on disk.
pub const MEMORY_SESSIONS_MAX: usize = 100_000;

/// Audit lines that the memory store holds; the oldest go first.
pub const MEMORY_AUDIT_LINES_MAX: usize = 10_000;

/// Sessions that a host keeps open: some ten kilobytes each, and most of them idle.
pub const SESSIONS_OPEN_MAX: usize = 16_384;

/// Places of sessions that are not worth tidying up.
pub const SLOTS_FEW: usize = 1_024;

/// Runs that go on at once: each is a model stream and a few tools.
pub const RUNS_AT_ONCE_MAX: usize = 4_096;

/// Runs that wait for one of those places; who comes after them is told to come later.
pub const RUNS_WAITING_MAX: usize = 1_024;

/// How long a run waits for a place before its caller is told to come later.
pub const RUN_WAIT_MS: u64 = 5_000;

/// Questions that wait for an answer before new runs are refused: nobody reads that many.
pub const QUESTIONS_WAITING_MAX: usize = 16_384;

/// When a caller should try again who was told to come later.
pub const RETRY_AFTER_MS: u64 = 1_000;

/// How long a session stays open after its last run: loading it again costs a few milliseconds.
pub const SESSION_IDLE_MS: u64 = 5 * 60_000;

/// How often idle sessions are looked for.
pub const SWEEP_MS: u64 = 30_000;

/// Records that a reader of a run takes from the journal at once: a reader that stops reading keeps them.
pub const PAGE_RECORDS_MAX: usize = 16;

/// How often a reader looks whether another process wrote more of a run that nobody here has open.
pub const FOREIGN_LOOK_MS: u64 = 1_000;

/// How often a reader of a session looks for that while nobody here has it open. Most such sessions are quiet,
/// and a browser keeps a reader on each that it shows: rarer than for a run that goes on.
pub const SESSION_LOOK_MS: u64 = 3_000;

/// Records of all sessions that an observer may be behind before it loses some.
pub const OBSERVED_RECORDS_MAX: usize = 8_192;

/// How long sessions have to stop when the host closes: parking takes at most `PARK_GRACE_MS`, and then the store
/// has to write.
pub const CLOSE_GRACE_MS: u64 = 15_000;

/// How long a session is waited for that another process holds: one that was just killed lets go of it within moments.
pub const CLAIM_WAIT_MS: u64 = 5_000;

/// How often that is tried.
pub const CLAIM_PAUSE_MS: u64 = 50;

/// Unfinished runs that are taken up at the same time when a host starts.
pub const TAKEN_UP_AT_ONCE_MAX: usize = 64;

/// Unfinished runs that are looked at when a host starts; more than one store ever holds.
pub const UNFINISHED_MAX: usize = 100_000;

/// Values of one kind that a model in the process is held to; with more the argument stays free, for each is a branch
/// of the grammar.
pub const LIVE_VALUES_MAX: usize = 1_000;

/// Bytes of those values: a grammar is compiled of them before the step.
pub const LIVE_BYTES_MAX: usize = 64 << 10;

/// Executors at once: each is a program that somebody started.
pub const EXECUTORS_MAX: usize = 64;

/// Tools of one executor: each is sent with every request of every session.
pub const EXECUTOR_TOOLS_MAX: usize = 64;

/// Characters of an executor's name: it stands beside its tools in lists.
pub const EXECUTOR_NAME_CHARS_MAX: usize = 64;

/// Characters of what an executor says of a tool: models read it with every request.
pub const EXECUTOR_DESCRIPTION_CHARS_MAX: usize = 2_000;

/// Calls that wait for one executor or that it runs.
pub const EXECUTOR_CALLS_MAX: usize = 256;

/// News that an executor has not said to have, calls and stops together: one that never says so gets no more.
pub const EXECUTOR_NEWS_MAX: usize = 1_024;

/// Calls that are handed out at once: their arguments are one answer over HTTP.
pub const EXECUTOR_CALLS_AT_ONCE: usize = 16;

/// The least silence after which an executor counts as gone: a pause of a busy machine is shorter.
pub const EXECUTOR_LEASE_MS_MIN: u64 = 1_000;

/// The longest such silence: a run waits so long for somebody who is not there.
pub const EXECUTOR_LEASE_MS_MAX: u64 = 300_000;

/// The longest time limit that an executor may give a tool of its own.
pub const EXECUTOR_TIMEOUT_MS_MAX: u64 = 300_000;

/// How long a call that may run again waits for an executor that went away: restarting one takes seconds.
pub const EXECUTOR_RETURN_MS: u64 = 20_000;

/// How long before its time limit such a call gives up, so that it is told why.
pub const EXECUTOR_RETURN_SPARE_MS: u64 = 500;
