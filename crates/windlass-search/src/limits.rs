//! The limits of searching, each with its reason.

/// Largest file that is indexed: larger ones are data or made by programs, and would drown what people wrote.
pub(crate) const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Deepest folder that is walked; a deeper one is a mistake or a trap.
pub(crate) const WALK_DEPTH_MAX: usize = 64;
/// Files of one root: enough for the largest repositories, and the list of known files still fits in memory.
pub(crate) const FILES_MAX: usize = 1_000_000;
/// Largest `.gitignore` that is obeyed.
pub(crate) const IGNORE_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Largest PDF that is read: most of its bytes are fonts and pictures.
pub(crate) const PDF_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What one stream of a PDF may unpack to: more is a trap.
pub(crate) const PDF_STREAM_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Pages of a PDF that are read.
pub(crate) const PDF_PAGES_MAX: usize = 2_000;
/// Text of a PDF that is kept: that of a thick book.
pub(crate) const PDF_TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Time of the processor for one PDF.
pub(crate) const PDF_MS_MAX: u64 = 10_000;
/// Time by the clock until a process that reads one is ended: the machine may have other work.
pub(crate) const PDF_WAIT_MS_MAX: u64 = 30_000;
/// Processes that read one at the same time: each may take the memory below.
pub(crate) const PDF_CHILDREN_MAX: usize = 2;
/// Memory of a process that reads one: a book of 14 MB and 500 pages takes a quarter of it, and 33 KB can be made to take gigabytes.
pub(crate) const PDF_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
/// The same with the program itself, whose code lies in the file and takes no memory of its own.
pub(crate) const PDF_ADDRESS_BYTES: u64 = 1024 * 1024 * 1024;
/// The stack of the thread that reads one: objects nest.
pub(crate) const PDF_STACK_BYTES: usize = 8 * 1024 * 1024;
/// Bytes at the beginning of a file in which a zero byte tells that it is binary, as git and grep do.
pub(crate) const BINARY_PROBE_BYTES: usize = 8 * 1024;
/// From this size on a file with endless lines counts as made by a program.
pub(crate) const GENERATED_BYTES_MIN: usize = 16 * 1024;
/// Bytes of an average line from which on nobody wrote it by hand.
pub(crate) const GENERATED_LINE_BYTES: usize = 500;

/// Longest passage: 600 tokens, below the default budget of one passage.
pub(crate) const PASSAGE_BYTES_MAX: usize = 2_400;
/// A class or an impl block up to this size stays one passage; a larger one is cut into its members.
pub(crate) const WHOLE_BYTES_MAX: usize = 900;
/// A piece below this size says too little alone and is joined to its neighbour.
pub(crate) const SMALL_BYTES: usize = 300;
/// Joined pieces grow up to this size.
pub(crate) const JOINED_BYTES_MAX: usize = 1_000;
/// A piece of this size is a brace or a keyword and is joined to anything.
pub(crate) const TINY_BYTES: usize = 40;
/// Statements of a function that is too long, and paragraphs of prose, are filled up to this size.
pub(crate) const FILLED_BYTES_MAX: usize = 1_600;
/// Deepest nesting in which a piece that is too long is cut at syntax; below it, at lines.
pub(crate) const CUT_DEPTH_MAX: usize = 48;
/// Longest text that is parsed: a tree of nothing but brackets takes 150 times as much memory. Hardly anybody writes a longer file
/// by hand; it is cut at blank lines.
pub(crate) const PARSE_BYTES_MAX: usize = 512 * 1024;
/// Longest text that is parsed beside others: with eight threads these take no more than one of the longest.
pub(crate) const PARSE_TOGETHER_BYTES_MAX: usize = 64 * 1024;
/// Time for parsing one file; hostile input takes very long, and then the file is cut at blank lines.
pub(crate) const PARSE_MS_MAX: u64 = 2_000;
/// Longest symbol path; outer names are dropped first.
pub(crate) const SYMBOL_BYTES_MAX: usize = 256;
/// Shortest name whose uses are kept: `i` and `x` are everywhere.
pub(crate) const USE_BYTES_MIN: usize = 2;
/// Longest name whose uses are kept: longer ones are encoded data.
pub(crate) const USE_BYTES_MAX: usize = 128;

/// Files between two commits: a kill loses at most so many.
pub(crate) const BATCH_FILES_MAX: usize = 2_000;
/// Bytes of files between two commits: bounds what the writer holds.
pub(crate) const BATCH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Time between two commits: a kill loses at most so much work.
pub(crate) const BATCH_MS_MAX: u64 = 5_000;
/// Memory of each thread that writes the index, before it goes to disk.
pub(crate) const WRITER_BYTES: usize = 48 * 1024 * 1024;
/// The same for a single file: the least that is allowed.
pub(crate) const TOUCH_WRITER_BYTES: usize = 15 * 1024 * 1024;
/// Threads that read, cut and write; more of them wait for the disk.
pub(crate) const THREADS_MAX: usize = 8;
/// Parts of the index on disk from which on they are merged: every query looks into each.
pub(crate) const SEGMENTS_MAX: usize = 12;
/// Parts that stay when the others are merged into one: the largest are not written again for a few small ones.
pub(crate) const SEGMENTS_KEPT: usize = 7;
/// Files that are brought to the disk at once: the file system takes them together.
pub(crate) const FLUSH_THREADS_MAX: usize = 8;
/// Time that a change of one file waits for another process that is writing.
pub(crate) const LOCK_WAIT_MS: u64 = 5_000;
/// Time that an update waits for the lock: a process that this one is just starting holds all its locks for a moment.
pub(crate) const LOCK_GRACE_MS: u64 = 500;
/// Between two looks at the lock of another process.
pub(crate) const LOCK_POLL_MS: u64 = 20;
/// A file changed so shortly before it was read may change again within the same tick of its clock, so it is looked
/// into again next time; the coarsest file systems tick every two seconds.
pub(crate) const RACY_NS: u64 = 2_000_000_000;
/// Skipped files named in a report; the rest is counted.
pub(crate) const SKIPPED_SHOWN_MAX: usize = 20;
/// Largest document, as it is given.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Documents of one index: they are notes of people, and each update looks at all of them.
pub(crate) const DOCUMENTS_MAX: usize = 10_000;
/// Longest name of a document.
pub(crate) const DOCUMENT_NAME_BYTES_MAX: usize = 512;

/// How long an embedder that failed is left alone: each try may take as long as its server's time limit.
pub(crate) const EMBEDDER_REST_MS: u64 = 30_000;

/// Longest query that is looked at: a pasted error message with its trace.
pub const QUERY_BYTES_MAX: usize = 4 * 1024;
/// Words of a query that count; the rarest of a long text do.
pub(crate) const QUERY_WORDS_MAX: usize = 32;
/// Passages that each way of finding brings to the fusion.
pub(crate) const POOL: usize = 100;
/// Passages that are read and ranked after the fusion (A.4).
pub(crate) const RANKED: usize = 50;
/// Passages that a search gives at most.
pub(crate) const TOP_K_MAX: usize = 200;
/// Rows of definitions or uses at most.
pub(crate) const ROWS_MAX: usize = 1_000;
/// Passages looked into for definitions or uses of one name: one that is everywhere is no good question.
pub(crate) const NAMED_PASSAGES_MAX: usize = 2_000;
/// Words that a word of a path may begin.
pub(crate) const PREFIX_WORDS_MAX: u32 = 50;
/// Bytes of a line that is shown with a place.
pub(crate) const LINE_BYTES_MAX: usize = 240;
/// Files waiting to be looked into again; more of them are left to the next update.
pub(crate) const TOUCHES_MAX: usize = 10_000;
/// Folders that are watched: older systems allow a user 8,192 in all.
pub(crate) const WATCHED_FOLDERS_MAX: usize = 8_000;
/// Quiet after a change before files are looked into: editors write in several steps.
pub(crate) const QUIET_MS: u64 = 20;
/// Longest that a file waits for quiet.
pub(crate) const QUIET_MS_MAX: u64 = 500;
