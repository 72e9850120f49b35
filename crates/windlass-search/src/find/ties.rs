//! The order of passages that are equally good: by their id, whatever part of the index they are in.
//!
//! Parts come and go as files change and merge, so the address of a passage says nothing; its file and its place in it
//! do. Ids are looked up for ties alone. Knows no scores but to compare them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use tantivy::{DocAddress, Searcher};

/// What a passage is called by: its file or document, its first byte and the byte after its last.
type PassageId = Rc<(String, u64, u64)>;

/// Ids of passages, looked up once.
pub(crate) struct Ties<'a> {
    searcher: &'a Searcher,
    known: RefCell<HashMap<DocAddress, PassageId>>,
}

impl<'a> Ties<'a> {
    pub(crate) fn new(searcher: &'a Searcher) -> Self {
        Self { searcher, known: RefCell::default() }
    }

    /// Sorts by score, best first; ties by id.
    pub(crate) fn sort<S: Copy>(
        &self,
        list: &mut [S],
        score: impl Fn(S) -> f64,
        place: impl Fn(S) -> DocAddress,
    ) {
        list.sort_by(|one, two| {
            score(*two).total_cmp(&score(*one)).then_with(|| self.compare(place(*one), place(*two)))
        });
    }

    fn compare(&self, one: DocAddress, two: DocAddress) -> Ordering {
        if one == two { Ordering::Equal } else { self.id(one).cmp(&self.id(two)).then(one.cmp(&two)) }
    }

    fn id(&self, at: DocAddress) -> PassageId {
        if let Some(id) = self.known.borrow().get(&at) {
            return Rc::clone(id);
        }
        // One that cannot be read comes first here, and is told as a failure when its text is read.
        let id = Rc::new(self.read(at).unwrap_or_default());
        self.known.borrow_mut().insert(at, Rc::clone(&id));
        id
    }

    fn read(&self, at: DocAddress) -> Option<(String, u64, u64)> {
        let fast = self.searcher.segment_reader(at.segment_ord).fast_fields();
        let owners = fast.str("owner").ok()??;
        let mut owner = String::new();
        owners.ord_to_str(owners.term_ords(at.doc_id).next()?, &mut owner).ok()?;
        let span = fast.u64("span").ok()?;
        let mut span = span.values_for_doc(at.doc_id);
        Some((owner, span.next()?, span.next()?))
    }
}
