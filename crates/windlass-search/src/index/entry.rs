//! What the index knows of each file: its stamp, its hash, and why it has no passages if it has none.

use std::collections::HashMap;

use tantivy::columnar::Column;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, TantivyDocument, Term};

use super::fields::IndexFields;
use crate::source::walk::{Skip, Stamp};

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) stamp: Stamp,
    pub(crate) hash: u64,
    /// The embedder that made the vectors of its passages, by the hash of its name; 0 for none.
    pub(crate) embedder: u64,
    pub(crate) skip: Option<Skip>,
    pub(crate) passages: u64,
    pub(crate) symbols: u64,
}

impl FileEntry {
    /// Whether its passages, if there are any, have the vectors of an embedder.
    pub(crate) fn has_vectors_of(&self, embedder: u64) -> bool {
        self.passages == 0 || self.embedder == embedder
    }

    /// As it is kept.
    pub(crate) fn document(&self, fields: &IndexFields, file: &str) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(fields.file, file);
        document.add_u64(fields.hash, self.hash);
        document.add_u64(fields.embedder, self.embedder);
        document.add_u64(fields.bytes, self.stamp.bytes);
        document.add_u64(fields.changed_ns, self.stamp.changed_ns);
        document.add_u64(fields.passages, self.passages);
        document.add_u64(fields.symbols, self.symbols);
        if let Some(skip) = self.skip {
            document.add_text(fields.skip, skip.word());
        }
        document
    }
}

/// The columns of a segment that entries are read from.
struct Columns {
    hash: Column<u64>,
    embedder: Column<u64>,
    bytes: Column<u64>,
    changed_ns: Column<u64>,
    passages: Column<u64>,
    symbols: Column<u64>,
    skip: Option<tantivy::columnar::StrColumn>,
}

impl Columns {
    fn of(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            hash: fast.u64("hash")?,
            embedder: fast.u64("embedder")?,
            bytes: fast.u64("bytes")?,
            changed_ns: fast.u64("changed_ns")?,
            passages: fast.u64("passages")?,
            symbols: fast.u64("symbols")?,
            skip: fast.str("skip")?,
        })
    }

    fn entry(&self, document: DocId) -> tantivy::Result<FileEntry> {
        let number = |column: &Column<u64>| column.first(document).unwrap_or_default();
        let skip = match &self.skip {
            Some(column) => text(column, document)?.and_then(|word| Skip::from_word(&word)),
            None => None,
        };
        Ok(FileEntry {
            stamp: Stamp { bytes: number(&self.bytes), changed_ns: number(&self.changed_ns) },
            hash: number(&self.hash),
            embedder: number(&self.embedder),
            skip,
            passages: number(&self.passages),
            symbols: number(&self.symbols),
        })
    }
}

fn text(column: &tantivy::columnar::StrColumn, document: DocId) -> tantivy::Result<Option<String>> {
    let Some(ordinal) = column.term_ords(document).next() else { return Ok(None) };
    let mut text = String::new();
    column.ord_to_str(ordinal, &mut text)?;
    Ok(Some(text))
}

/// All files that the index knows.
pub(crate) fn all(searcher: &Searcher) -> tantivy::Result<HashMap<String, FileEntry>> {
    let mut entries = HashMap::new();
    for segment in searcher.segment_readers() {
        let Some(files) = segment.fast_fields().str("file")? else { continue };
        let columns = Columns::of(segment)?;
        for document in segment.doc_ids_alive() {
            if let Some(file) = text(&files, document)? {
                entries.insert(file, columns.entry(document)?);
            }
        }
    }
    Ok(entries)
}

/// One file, if the index knows it.
pub(crate) fn one(
    searcher: &Searcher,
    fields: &IndexFields,
    file: &str,
) -> tantivy::Result<Option<FileEntry>> {
    let term = Term::from_field_text(fields.file, file);
    for segment in searcher.segment_readers() {
        let postings = segment.inverted_index(fields.file)?.read_postings(&term, IndexRecordOption::Basic)?;
        let Some(mut postings) = postings else { continue };
        while postings.doc() != TERMINATED {
            if !segment.is_deleted(postings.doc()) {
                return Ok(Some(Columns::of(segment)?.entry(postings.doc())?));
            }
            postings.advance();
        }
    }
    Ok(None)
}
