//! An index of a few passages in memory: finds what shares a word with the question, and notes what it is told.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use windlass_core::ports::search::{
    DocumentRow, Found, IndexProgress, IndexStatus, NewDocument, Passage, ScoreParts, SearchFailure,
    SearchPort, SearchQuery, SearchScope, SymbolPlace,
};
use windlass_core::protocol::ids::SessionId;
use windlass_tools::ToolsConfig;

#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) passages: Vec<Passage>,
    pub(crate) documents: Vec<(SessionId, &'static str)>,
    pub(crate) places: Vec<SymbolPlace>,
    pub(crate) indexing: Option<IndexProgress>,
    pub(crate) notice: Option<String>,
    pub(crate) failure: Option<SearchFailure>,
    pub(crate) asked: Mutex<Vec<SearchQuery>>,
    pub(crate) touched: Mutex<Vec<String>>,
}

impl Shelf {
    pub(crate) fn config(self) -> (Arc<Self>, ToolsConfig) {
        let shelf = Arc::new(self);
        let search = Some(Arc::clone(&shelf) as Arc<dyn SearchPort>);
        (shelf, ToolsConfig { search, ..ToolsConfig::default() })
    }

    fn fail(&self) -> Result<(), SearchFailure> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

/// A passage of a file.
pub(crate) fn passage(path: &str, line: u32, text: &str) -> Passage {
    let end = text.len() as u64;
    Passage {
        id: format!("{path}#0:{end}"),
        path: path.to_owned(),
        document_id: None,
        start: 0,
        end,
        line,
        language: "rust".to_owned(),
        symbol: Some("haul".to_owned()),
        text: text.to_owned(),
        score: 0.0,
        parts: ScoreParts::default(),
    }
}

fn best(query: &SearchQuery, texts: impl Iterator<Item = Passage>) -> Vec<Passage> {
    let shared = |text: &str| query.text.split(' ').filter(|word| text.contains(word)).count();
    let mut found: Vec<Passage> = texts
        .map(|passage| Passage { score: shared(&passage.text) as f32 / 10.0, ..passage })
        .filter(|passage| passage.score > 0.0)
        .collect();
    found.sort_by(|one, two| two.score.total_cmp(&one.score));
    found.truncate(query.top_k);
    found
}

#[async_trait]
impl SearchPort for Shelf {
    async fn search(&self, query: SearchQuery) -> Result<Found, SearchFailure> {
        self.asked.lock().unwrap().push(query.clone());
        self.fail()?;
        let note = |(_, text): &(SessionId, &'static str)| passage("note", 1, text);
        let passages = match &query.scope {
            SearchScope::Project | SearchScope::Everything => best(&query, self.passages.iter().cloned()),
            SearchScope::AllSessions => best(&query, self.documents.iter().map(note)),
            SearchScope::Session(own) | SearchScope::Reachable(own) => {
                best(&query, self.documents.iter().filter(|(owner, _)| owner == own).map(note))
            }
        };
        Ok(Found { passages, indexing: self.indexing, notice: self.notice.clone() })
    }

    async fn find_symbol(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        self.fail()?;
        let own = self.places.iter().filter(|it| it.symbol.ends_with(name) && it.kind == "function");
        Ok(own.take(rows_max).cloned().collect())
    }

    async fn find_references(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        self.fail()?;
        let own = self.places.iter().filter(|it| it.symbol.ends_with(name) && it.kind == "call");
        Ok(own.take(rows_max).cloned().collect())
    }

    async fn status(&self) -> Result<IndexStatus, SearchFailure> {
        self.fail().map(|()| IndexStatus::default())
    }

    fn touch(&self, path: &str) {
        self.touched.lock().unwrap().push(path.to_owned());
    }

    async fn add_document(&self, _document: NewDocument) -> Result<DocumentRow, SearchFailure> {
        Err(SearchFailure::Invalid("this shelf takes no documents".to_owned()))
    }

    async fn documents(&self) -> Result<Vec<DocumentRow>, SearchFailure> {
        self.fail().map(|()| Vec::new())
    }

    async fn remove_document(&self, _document_id: &str) -> Result<bool, SearchFailure> {
        self.fail().map(|()| false)
    }
}
