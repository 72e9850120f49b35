//! Searching a tree without an index, by the crates that ripgrep is made of.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_regex::RegexMatcherBuilder;
use grep_searcher::sinks::Bytes;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::{WalkBuilder, WalkState};

/// Lines of a tree that hold a word, whatever its case; looked for by as many threads as our index has.
pub fn count(tree: &Path, word: &str, threads: usize) -> Result<usize, String> {
    let matcher = RegexMatcherBuilder::new().case_insensitive(true).fixed_strings(true).build(word);
    let matcher = matcher.map_err(|error| error.to_string())?;
    let lines = AtomicUsize::new(0);
    WalkBuilder::new(tree).threads(threads).build_parallel().run(|| {
        let mut searcher = SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).build();
        let (matcher, lines) = (&matcher, &lines);
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
            {
                let sink = Bytes(|_, _| {
                    lines.fetch_add(1, Ordering::Relaxed);
                    Ok(true)
                });
                // A file that cannot be read has no lines.
                let _ = searcher.search_path(matcher, entry.path(), sink);
            }
            WalkState::Continue
        })
    });
    Ok(lines.load(Ordering::Relaxed))
}
