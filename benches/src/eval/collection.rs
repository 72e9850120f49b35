//! Collections: files to search, queries, and what each should find.
//!
//! Owns reading the public collections of `fixtures/retrieval`. How the project's own is made is in `house`.

use std::io::{self, Read as _};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

/// Something to search and what should be found in it.
#[derive(Debug, Default)]
pub struct Collection {
    pub files: Vec<(String, String)>,
    /// What is asked, by the name of the set.
    pub sets: Vec<(String, Vec<Query>)>,
}

/// A query with its answers.
#[derive(Debug)]
pub struct Query {
    pub text: String,
    /// Where the answers are; each counts once.
    pub relevant: Vec<AnswerPlace>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPlace {
    pub path: String,
    /// A byte of the answer; any passage of the file will do without one.
    pub byte: Option<u64>,
}

/// Reads a public collection: each document becomes a file with this ending.
pub fn read(root: &Path, name: &str, ending: &str) -> io::Result<Collection> {
    let folder = root.join("fixtures/retrieval").join(name);
    let path = |id: u64| format!("{id:05}.{ending}");
    let (mut files, mut queries) = (Vec::new(), Vec::new());
    for row in rows(&folder.join("corpus.jsonl.gz"))? {
        files.push((path(number(field(&row, "id")?)?), text(field(&row, "text")?)?));
    }
    for row in rows(&folder.join("queries.jsonl.gz"))? {
        let ids =
            field(&row, "relevant")?.as_array().ok_or_else(|| io::Error::other("'relevant' is no list"))?;
        let relevant = ids.iter().map(|id| Ok(AnswerPlace { path: path(number(id)?), byte: None }));
        queries.push(Query {
            text: text(field(&row, "text")?)?,
            relevant: relevant.collect::<io::Result<_>>()?,
        });
    }
    Ok(Collection { files, sets: vec![(name.to_owned(), queries)] })
}

fn rows(path: &Path) -> io::Result<Vec<Value>> {
    let mut lines = String::new();
    GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut lines)?;
    lines.lines().map(|line| serde_json::from_str(line).map_err(io::Error::from)).collect()
}

fn field<'a>(row: &'a Value, name: &str) -> io::Result<&'a Value> {
    row.get(name).ok_or_else(|| io::Error::other(format!("a row lacks '{name}'")))
}

fn number(value: &Value) -> io::Result<u64> {
    value.as_u64().ok_or_else(|| io::Error::other(format!("{value} is no id")))
}

fn text(value: &Value) -> io::Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| io::Error::other(format!("{value} is no text")))
}
