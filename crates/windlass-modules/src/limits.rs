//! The limits of modules, with their reasons.

/// Bytes of a module file or a manifest. The largest honest ones carry hundreds of demos and are a tenth of it.
pub const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Modules in one manifest: all of them are read again when it changes.
pub const MODULES_MAX: usize = 4_096;

/// Characters of a wrong value that an error shows.
pub(crate) const SHOWN_CHARS_MAX: usize = 80;

/// Reload events that wait for a slow reader; the oldest are dropped first.
pub(crate) const EVENTS_WAITING_MAX: usize = 256;

/// How many debounce times a change waits at most while others keep coming.
pub(crate) const DEBOUNCES_MAX: u32 = 10;
