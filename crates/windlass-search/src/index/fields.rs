//! What the index holds of passages and files: its fields.
//!
//! Two kinds of documents are in it. A passage has `owner`, `scope`, `path`, `text` and what else is found by; a file
//! has `file`, its stamp and its hash. Both go and come in one commit. A change here needs another [`VERSION`].

use tantivy::Index;
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{RAW_TOKENIZER_NAME, TextAnalyzer};

use crate::tokens::CodeTokenizer;

/// Of the fields, the words and the cuts: an index of another version is built again.
pub(crate) const VERSION: u32 = 3;

/// Words of code and prose.
const CODE: &str = "windlass_code";

#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexFields {
    /// Passages: which file or document it is of, as in `file`.
    pub(crate) owner: Field,
    /// Passages: where it may be looked for.
    pub(crate) scope: Field,
    /// Passages: the path or name, as words.
    pub(crate) path: Field,
    /// Passages: the text, as words.
    pub(crate) text: Field,
    /// Passages: the symbol path or the headings, as words.
    pub(crate) symbol: Field,
    /// Passages: names it defines, in lower case, each with the names around it.
    pub(crate) defines: Field,
    /// Passages: names it uses, as they are.
    pub(crate) uses: Field,
    pub(crate) language: Field,
    /// Passages: first byte, byte after the last, first line.
    pub(crate) span: Field,
    /// Passages: where in it names are defined and used.
    pub(crate) places: Field,
    /// Passages: what an embedder made of it.
    pub(crate) vector: Field,
    /// Passages: when the file changed or the document was added.
    pub(crate) time_ms: Field,
    /// Files: the path, or the key of a document.
    pub(crate) file: Field,
    /// Files: the hash of the content.
    pub(crate) hash: Field,
    /// Files: by which embedder their passages have vectors.
    pub(crate) embedder: Field,
    pub(crate) bytes: Field,
    /// Files: when they changed.
    pub(crate) changed_ns: Field,
    /// Files: why they have no passages.
    pub(crate) skip: Field,
    /// Files: how many passages they have.
    pub(crate) passages: Field,
    /// Files: how many definitions they have.
    pub(crate) symbols: Field,
}

pub(crate) fn schema() -> (Schema, IndexFields) {
    let mut builder = Schema::builder();
    let code = |option: IndexRecordOption| {
        TextOptions::default()
            .set_indexing_options(TextFieldIndexing::default().set_tokenizer(CODE).set_index_option(option))
            .set_stored()
    };
    let raw = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(RAW_TOKENIZER_NAME)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::Basic),
    );
    let number = NumericOptions::default().set_fast();
    let fields = IndexFields {
        owner: builder.add_text_field("owner", raw.clone().set_stored().set_fast(RAW_TOKENIZER_NAME)),
        scope: builder.add_text_field("scope", raw.clone()),
        path: builder.add_text_field("path", code(IndexRecordOption::WithFreqsAndPositions)),
        text: builder.add_text_field("text", code(IndexRecordOption::WithFreqs)),
        symbol: builder.add_text_field("symbol", code(IndexRecordOption::WithFreqs)),
        defines: builder.add_text_field("defines", raw.clone()),
        uses: builder.add_text_field("uses", raw.clone()),
        language: builder.add_text_field("language", raw.clone().set_stored()),
        span: builder.add_u64_field("span", number.clone().set_stored()),
        places: builder.add_bytes_field("places", BytesOptions::default().set_stored()),
        vector: builder.add_bytes_field("vector", BytesOptions::default().set_fast()),
        time_ms: builder.add_u64_field("time_ms", number.clone()),
        file: builder.add_text_field("file", raw.clone().set_fast(RAW_TOKENIZER_NAME)),
        hash: builder.add_u64_field("hash", number.clone()),
        embedder: builder.add_u64_field("embedder", number.clone()),
        bytes: builder.add_u64_field("bytes", number.clone()),
        changed_ns: builder.add_u64_field("changed_ns", number.clone()),
        skip: builder.add_text_field("skip", raw.set_fast(RAW_TOKENIZER_NAME)),
        passages: builder.add_u64_field("passages", number.clone()),
        symbols: builder.add_u64_field("symbols", number),
    };
    (builder.build(), fields)
}

/// Tells an index how words are cut.
pub(crate) fn register(index: &Index) {
    index.tokenizers().register(CODE, analyzer());
}

/// How words are cut.
pub(crate) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::from(CodeTokenizer::default())
}
