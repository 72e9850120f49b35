//! The limits of scripts, with their reasons.

/// What one call of a script may use up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Steps of the interpreter: about a second of work.
    pub operations: u64,
    /// Time, apart from that of the calls it makes: an honest script is done in milliseconds.
    pub wall_ms: u64,
    /// Bytes of text in one value, whatever it is nested in.
    pub string_bytes: usize,
    /// Items in one value, whatever they are nested in.
    pub array_items: usize,
    /// Entries of maps in one value, whatever they are nested in.
    pub map_items: usize,
    /// Calls inside calls of the script's own functions.
    pub call_depth: usize,
    pub expression_depth: usize,
    /// Variables of one function.
    pub variables: usize,
    /// Calls of other tools: more is no longer one call.
    pub calls: u32,
    /// By how much the memory of the whole program may grow while a script runs, where the system tells it. A value
    /// is bounded by the limits above; this bounds what many values in many places hold together.
    pub memory_growth_bytes: u64,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self {
            operations: 10_000_000,
            wall_ms: 10_000,
            string_bytes: 1 << 20,
            array_items: 10_000,
            map_items: 10_000,
            call_depth: 32,
            expression_depth: 32,
            variables: 256,
            calls: 256,
            memory_growth_bytes: 512 << 20,
        }
    }
}

/// Functions of one file.
pub(crate) const FUNCTIONS_MAX: usize = 256;

/// Bytes of one file: a script of that size is a program.
pub(crate) const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Files of one folder that are read.
pub(crate) const FILES_MAX: usize = 256;

/// Nesting of a value that crosses into or out of a script: what JSON readers allow.
pub(crate) const VALUE_DEPTH_MAX: usize = 128;

/// Stack of a script's thread. Values nest as deep as they have items, and they are compared, shown and dropped level
/// by level; only what is touched is ever taken from memory.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// How long a thread waits for the next script: what it took for the deepest is given back then.
pub(crate) const THREAD_IDLE_MS: u64 = 2_000;

/// Scripts that run at the same time, those that wait for their calls among them.
pub(crate) const SCRIPTS_AT_ONCE_MAX: usize = 1_024;

/// Steps of the interpreter between two looks at the clock.
pub(crate) const LOOK_EVERY_OPERATIONS: u64 = 64;

/// Time between two looks at the program's memory: asking costs some microseconds, and in this time no script gets
/// hold of more than some ten megabytes.
pub(crate) const MEMORY_LOOK_MS: u64 = 2;

/// Lines that one call may log.
pub(crate) const LOG_LINES_MAX: u32 = 200;

/// Characters of one such line.
pub(crate) const LOG_CHARS_MAX: usize = 500;

/// Keys that the scripts of one folder keep.
pub(crate) const STATE_KEYS_MAX: usize = 1_024;

/// Bytes of one key.
pub(crate) const STATE_KEY_BYTES_MAX: usize = 256;

/// Bytes of one kept value, as JSON.
pub(crate) const STATE_VALUE_BYTES_MAX: usize = 64 * 1024;

/// Bytes of all of them.
pub(crate) const STATE_BYTES_MAX: usize = 4 << 20;

/// Characters that `http_get` asks for: the most that is given.
pub(crate) const HTTP_CHARS_MAX: u32 = 50_000;
