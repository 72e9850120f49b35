//! Keeping single files and documents up to date, in small commits that are seen at once.

use std::path::{Component, Path};
use std::sync::PoisonError;
use std::time::Duration;

use tantivy::IndexWriter;
use tantivy::indexer::NoMergePolicy;
use windlass_core::ports::search::{DocumentRow, NewDocument};

use super::update::{commit, small_writer};
use super::write::{FileLook, Work, now_ms};
use super::{Index, IndexError, entry};
use crate::limits::{LOCK_GRACE_MS, LOCK_WAIT_MS, SEGMENTS_KEPT, SEGMENTS_MAX};
use crate::source::content;
use crate::source::documents::{Document, DocumentStore};
use crate::source::walk::{self, Skip};

/// What became of one file that was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchOutcome {
    /// Its content is what the index has.
    Unchanged,
    Indexed,
    /// It is gone, and its passages too.
    Removed,
    /// It is not for the index.
    Skipped(Skip),
    /// It is no file of the root.
    Nothing,
}

impl Index {
    /// Brings one file of the root up to date: it was read, written or removed.
    pub fn touch(&self, path: &str) -> Result<TouchOutcome, IndexError> {
        let Some((root, path)) = self.root.as_deref().and_then(|root| Some((root, relative(root, path)?)))
        else {
            return Ok(TouchOutcome::Nothing);
        };
        let (known, found) =
            (entry::one(&self.searcher()?, &self.fields, &path)?, walk::look_at(root, &path));
        let stamp = match (found, known) {
            (Some(Ok(stamp)), Some(known)) if known.stamp == stamp => return Ok(TouchOutcome::Unchanged),
            (Some(Ok(stamp)), _) => stamp,
            (Some(Err(skip)), None) => return Ok(TouchOutcome::Skipped(skip)),
            (None, None) => return Ok(TouchOutcome::Nothing),
            (Some(Err(_)) | None, Some(_)) => {
                self.write_one(&mut |writer| {
                    self.delete(writer, &path);
                    Ok(FileLook::Gone)
                })?;
                return Ok(found.and_then(Result::err).map_or(TouchOutcome::Removed, TouchOutcome::Skipped));
            }
        };
        if let Some(known) = known
            && known.skip.is_none()
            && content::read(&root.join(&path), self.config.file_bytes_max, &self.config.pdfs)
                .is_ok_and(|content| content.hash == known.hash)
        {
            return Ok(TouchOutcome::Unchanged);
        }
        let work = Work { key: path, stamp, known };
        Ok(match self.write_one(&mut |writer| self.look_into(writer, &work))? {
            FileLook::Same => TouchOutcome::Unchanged,
            FileLook::Written { .. } => TouchOutcome::Indexed,
            FileLook::Skipped(skip) => TouchOutcome::Skipped(skip),
            FileLook::Gone => TouchOutcome::Removed,
        })
    }

    /// Adds or replaces a document.
    pub fn add_document(&self, new: NewDocument) -> Result<DocumentRow, IndexError> {
        let document = Document::read(new, now_ms(), &self.config.pdfs)?;
        let stamp = self.documents.put(&document)?;
        let (key, row) = (document.key(), document.row());
        let known = entry::one(&self.searcher()?, &self.fields, &key)?;
        let work = Work { key, stamp, known };
        self.write_one(&mut |writer| self.look_into(writer, &work))?;
        Ok(row)
    }

    /// All documents, by name.
    pub fn all_documents(&self) -> Result<Vec<DocumentRow>, IndexError> {
        self.documents.rows()
    }

    /// Removes a document; whether there was one.
    pub fn remove_document(&self, document_id: &str) -> Result<bool, IndexError> {
        let was_there = self.documents.remove(document_id)?;
        if was_there {
            let key = DocumentStore::key(document_id);
            self.write_one(&mut |writer| {
                self.delete(writer, &key);
                Ok(FileLook::Gone)
            })?;
        }
        Ok(was_there)
    }

    /// One small commit. Parts are not merged here: a change of one file is seen at once (`settle` merges).
    fn write_one(
        &self,
        write: &mut dyn FnMut(&IndexWriter) -> Result<FileLook, IndexError>,
    ) -> Result<FileLook, IndexError> {
        let _lock = self.write_lock(Duration::from_millis(LOCK_WAIT_MS))?;
        self.searcher()?;
        let index = self.shelf.read().unwrap_or_else(PoisonError::into_inner).index.clone();
        let mut writer = small_writer(&index)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let looked = write(&writer)?;
        commit(&mut writer, &self.state())?;
        drop(writer);
        self.reload()?;
        Ok(looked)
    }

    /// Merges the parts that small commits left, if they are many; whether it did.
    pub fn settle(&self) -> Result<bool, IndexError> {
        if self.searcher()?.segment_readers().len() <= SEGMENTS_MAX {
            return Ok(false);
        }
        let _lock = self.write_lock(Duration::from_millis(LOCK_GRACE_MS))?;
        let index = self.shelf.read().unwrap_or_else(PoisonError::into_inner).index.clone();
        let mut writer = small_writer(&index)?;
        // The largest parts stay as they are; all others become one.
        let mut parts = index.searchable_segment_metas()?;
        parts.sort_by_key(|part| std::cmp::Reverse(part.num_docs()));
        let small: Vec<_> = parts.iter().skip(SEGMENTS_KEPT).map(tantivy::SegmentMeta::id).collect();
        writer.set_merge_policy(Box::new(NoMergePolicy));
        writer.merge(&small).wait()?;
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        self.reload()?;
        Ok(true)
    }
}

/// A path as the index knows it; `None` outside of the root.
fn relative(root: &Path, path: &str) -> Option<String> {
    let path = Path::new(path);
    let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let mut parts = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
