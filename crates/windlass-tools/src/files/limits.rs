//! The limits of the file and command tools, each with its reason.

/// Largest file that is read whole or edited (Z-4): more would not fit any model's context anyway.
pub(crate) const FILE_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// From here on a file read whole comes with the hint to read a line range: about 16,000 tokens.
pub(crate) const LARGE_FILE_BYTES: usize = 64 * 1024;
/// Most bytes that a line range of a file over `FILE_BYTES_MAX` may give; its lines may be endless.
pub(crate) const RANGE_BYTES_MAX: usize = 1024 * 1024;
/// Longest path that is looked at: the kernel's own limit.
pub(crate) const PATH_BYTES_MAX: usize = 4096;
/// Longest name of one file or folder: the limit of all usual file systems.
pub(crate) const NAME_BYTES_MAX: usize = 255;
/// Most characters of a path, a line or a pattern that are repeated in a message.
pub(crate) const SHOWN_CHARS_MAX: usize = 200;

/// Entries of a file tree, unless asked for more: about 20,000 tokens.
pub(crate) const TREE_ENTRIES_DEFAULT: usize = 2_000;
/// Entries of a file tree at most.
pub(crate) const TREE_ENTRIES_MAX: usize = 20_000;
/// Deepest folder that is walked; a deeper one is a mistake or a trap.
pub(crate) const WALK_DEPTH_MAX: usize = 64;
/// Entries looked at in one walk, ignored ones included, so that a walk ends in a disk of any size.
pub(crate) const WALK_ENTRIES_MAX: usize = 500_000;
/// Largest `.gitignore` that is obeyed.
pub(crate) const IGNORE_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Matches of a text search, unless asked for more or less.
pub(crate) const MATCHES_DEFAULT: usize = 200;
/// Matches of a text search at most.
pub(crate) const MATCHES_MAX: usize = 1_000;
/// Lines of context around a match at most.
pub(crate) const MATCH_CONTEXT_MAX: usize = 10;
/// Characters shown of a line that matched: minified files have one line.
pub(crate) const MATCH_LINE_CHARS_MAX: usize = 400;
/// Memory for one line while searching; a longer line ends the search in its file.
pub(crate) const SEARCH_LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Size of a compiled search pattern.
pub(crate) const PATTERN_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Edits in one call.
pub(crate) const EDITS_MAX: usize = 200;
/// Places named when a text to replace is ambiguous.
pub(crate) const AMBIGUOUS_SHOWN_MAX: usize = 10;
/// Bytes of a diff in an outcome; the question to the user always has all of it.
pub(crate) const OUTCOME_DIFF_BYTES_MAX: usize = 32 * 1024;
/// Time for finding a small diff; after it a larger but still correct one is shown.
pub(crate) const DIFF_MS_MAX: u64 = 500;

/// Files whose reading is remembered; a forgotten one has to be read again before it is edited.
pub(crate) const LEDGER_ENTRIES_MAX: usize = 10_000;
pub(crate) const UNDO_COPIES_MAX: usize = 200;
/// Bytes of undo copies kept: six times the largest file that can be edited.
pub(crate) const UNDO_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Time a command gets, unless the call asks for more or less.
pub(crate) const COMMAND_TIMEOUT_MS: u64 = 60_000;
/// Most time a command gets: a long build or test suite.
pub(crate) const COMMAND_TIMEOUT_MS_MAX: u64 = 600_000;
/// Bytes kept of each output stream, half from its beginning and half from its end.
pub(crate) const STREAM_BYTES_KEPT: usize = 256 * 1024;
/// Bytes after which a command counts as printing for ever and is stopped.
pub(crate) const COMMAND_OUTPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Time for reading what is left in the pipes of a command that has ended or was killed.
pub(crate) const DRAIN_MS_MAX: u64 = 500;
/// Longest command line: well below what systems accept.
pub(crate) const COMMAND_BYTES_MAX: usize = 64 * 1024;
