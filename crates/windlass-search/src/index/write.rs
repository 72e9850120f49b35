//! Looking into one file or document, and writing what changed: old passages go and new ones come in one commit.

use std::time::{SystemTime, UNIX_EPOCH};

use tantivy::{IndexWriter, Term};
use windlass_core::protocol::ids::SessionId;

use super::entry::FileEntry;
use super::passage::{self, Owner, PROJECT, SESSIONS, SHARED};
use super::{Index, IndexError};
use crate::limits::RACY_NS;
use crate::parse::cut::cut;
use crate::parse::language::{MARKDOWN, SourceLanguage};
use crate::source::content::{self, FileText};
use crate::source::documents::{Document, KEY_MARK};
use crate::source::walk::{Skip, Stamp};

/// A file that has to be looked into.
pub(super) struct Work {
    pub(super) key: String,
    pub(super) stamp: Stamp,
    pub(super) known: Option<FileEntry>,
}

/// What looking into a file gave.
pub(super) enum FileLook {
    Same,
    Written { is_new: bool, passages: u64, bytes: u64 },
    Skipped(Skip),
    Gone,
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The scope of one session's documents.
pub(crate) fn session_scope(session_id: &SessionId) -> String {
    format!("session:{session_id}")
}

impl Index {
    /// Removes a file's passages and its entry, in the commit that follows.
    pub(super) fn delete(&self, writer: &IndexWriter, key: &str) {
        writer.delete_term(Term::from_field_text(self.fields.owner, key));
        writer.delete_term(Term::from_field_text(self.fields.file, key));
    }

    /// Looks into one file or document and writes what changed.
    pub(super) fn look_into(&self, writer: &IndexWriter, work: &Work) -> Result<FileLook, IndexError> {
        let is_document = work.key.starts_with(KEY_MARK);
        let read_ns = now_ms().saturating_mul(1_000_000);
        let is_racy = work.stamp.changed_ns.saturating_add(RACY_NS) > read_ns;
        let stamp = if is_racy { Stamp::default() } else { work.stamp };
        let content = if is_document {
            self.read_document(&work.key)
        } else {
            self.read_file(work).map(|it| (it, None))
        };
        let (content, document) = match content {
            Ok(content) => content,
            Err(skip) => {
                self.write_skipped(writer, work, stamp, skip)?;
                return Ok(if is_document { FileLook::Gone } else { FileLook::Skipped(skip) });
            }
        };
        let is_same = |known: &FileEntry| known.skip.is_none() && known.hash == content.hash;
        let known = work.known.filter(is_same);
        if let Some(known) =
            known.filter(|known| known.has_vectors_of(self.embedder_key()) || !self.makes_vectors())
        {
            if known.stamp != stamp {
                writer.delete_term(Term::from_field_text(self.fields.file, &work.key));
                writer.add_document(FileEntry { stamp, ..known }.document(&self.fields, &work.key))?;
            }
            return Ok(FileLook::Same);
        }
        let bytes = content.text.len() as u64;
        let passages = self.write_content(writer, work, stamp, &content, document.as_ref())?;
        Ok(FileLook::Written { is_new: work.known.is_none(), passages, bytes })
    }

    fn read_file(&self, work: &Work) -> Result<FileText, Skip> {
        let root = self.root.as_deref().ok_or(Skip::Unreadable)?;
        content::read(&root.join(&work.key), self.config.file_bytes_max, &self.config.pdfs)
    }

    fn read_document(&self, key: &str) -> Result<(FileText, Option<Document>), Skip> {
        let (document, bytes) = self.documents.read(key).map_err(|_| Skip::Unreadable)?;
        Ok((FileText { text: document.text.clone(), hash: content::hash(&bytes) }, Some(document)))
    }

    fn write_skipped(
        &self,
        writer: &IndexWriter,
        work: &Work,
        stamp: Stamp,
        skip: Skip,
    ) -> Result<(), IndexError> {
        // Reading may be allowed again, or somebody may read PDFs, without the file changing: it is tried each time.
        let is_tried_again = matches!(skip, Skip::Unreadable | Skip::Pdf);
        let stamp = if is_tried_again { Stamp::default() } else { stamp };
        let embedder = self.embedder_key();
        let entry = FileEntry { stamp, hash: 0, embedder, skip: Some(skip), passages: 0, symbols: 0 };
        if work.known != Some(entry) {
            self.delete(writer, &work.key);
            writer.add_document(entry.document(&self.fields, &work.key))?;
        }
        Ok(())
    }

    fn write_content(
        &self,
        writer: &IndexWriter,
        work: &Work,
        stamp: Stamp,
        content: &FileText,
        document: Option<&Document>,
    ) -> Result<u64, IndexError> {
        let shown = document.map_or(work.key.as_str(), |document| document.name.as_str());
        let is_note = document.is_some() && !shown.contains('.');
        let language = if is_note { MARKDOWN } else { SourceLanguage::of(shown, &content.text) };
        let scopes = match document {
            Some(document) => {
                let own = document.session_id.as_ref().map_or_else(|| SHARED.to_owned(), session_scope);
                vec![own, SESSIONS.to_owned()]
            }
            None => vec![PROJECT.to_owned()],
        };
        let time_ms = document.map_or(work.stamp.changed_ns / 1_000_000, |document| document.added_ms);
        let cut_text = cut(&content.text, language);
        let owner = Owner { key: &work.key, shown, scopes, language: language.word, time_ms };
        let texts: Vec<String> =
            cut_text.cuts.iter().map(|cut| passage::meant(&owner, &content.text, cut)).collect();
        let (vectors, embedder) = self.embed_passages(&texts);
        let documents = passage::documents(&self.fields, &owner, &content.text, &cut_text, &vectors);
        let passages = documents.len() as u64;
        let symbols = cut_text.symbols.definitions.len() as u64;
        self.delete(writer, &work.key);
        for document in documents {
            writer.add_document(document)?;
        }
        let entry = FileEntry { stamp, hash: content.hash, embedder, skip: None, passages, symbols };
        writer.add_document(entry.document(&self.fields, &work.key))?;
        Ok(passages)
    }
}
