//! Indexing a tree: by us, and by raw tantivy with one text field.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ignore::WalkBuilder;
use serde_json::{Value, json};
use tantivy::schema::{STORED, Schema, TEXT};
use tantivy::{IndexWriter, TantivyDocument};
use windlass_search::{Index, IndexConfig};

use crate::{cpu_time, resident_bytes_max};

/// The field of the raw index.
pub const FIELD: &str = "text";
/// Memory of each thread that writes, as our index has it.
const WRITER_BYTES: usize = 48 * 1024 * 1024;

/// Indexes a tree with our index; gives what it cost.
pub fn ours(tree: &Path, folder: &Path) -> io::Result<Value> {
    let begun = Instant::now();
    let index = Index::open(folder, tree, IndexConfig::default()).map_err(io::Error::other)?;
    let report = index.update(&mut |_| {}).map_err(io::Error::other)?;
    cost(begun, report.added, &folder.join("index"))
}

/// Indexes a tree with tantivy and one text field, a document a file.
pub fn raw(tree: &Path, folder: &Path) -> io::Result<Value> {
    let begun = Instant::now();
    std::fs::create_dir_all(folder)?;
    let mut schema = Schema::builder();
    let field = schema.add_text_field(FIELD, TEXT | STORED);
    let index = tantivy::Index::create_in_dir(folder, schema.build()).map_err(io::Error::other)?;
    let config = IndexConfig::default();
    let writers = config.threads.div_ceil(2);
    let mut writer: IndexWriter =
        index.writer_with_num_threads(writers, WRITER_BYTES * writers).map_err(io::Error::other)?;
    let files = files(tree);
    let mut added = 0;
    for batch in files.chunks(config.batch_files) {
        let next = AtomicUsize::new(0);
        let read = || -> io::Result<u64> {
            let mut count = 0;
            while let Some(path) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut document = TantivyDocument::new();
                document.add_text(field, String::from_utf8_lossy(&std::fs::read(path)?));
                writer.add_document(document).map_err(io::Error::other)?;
                count += 1;
            }
            Ok(count)
        };
        added += thread::scope(|scope| {
            let readers: Vec<_> = (0..config.threads).map(|_| scope.spawn(read)).collect();
            let count = |reader: thread::ScopedJoinHandle<'_, io::Result<u64>>| {
                reader.join().unwrap_or_else(|_| Err(io::Error::other("a thread that reads files stopped")))
            };
            readers.into_iter().map(count).sum::<io::Result<u64>>()
        })?;
        writer.commit().map_err(io::Error::other)?;
    }
    writer.wait_merging_threads().map_err(io::Error::other)?;
    cost(begun, added, folder)
}

/// The files of a tree, as ripgrep finds them.
fn files(tree: &Path) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(tree).build();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect()
}

fn cost(begun: Instant, files: u64, folder: &Path) -> io::Result<Value> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(json!({
        "files": files,
        "wall_s": begun.elapsed().as_secs_f64(),
        "cpu_s": cpu_time().as_secs_f64(),
        "disk_mb": bytes as f64 / 1e6,
        "memory_mib": resident_bytes_max() as f64 / 1_048_576.0,
    }))
}
