//! The project's own collection: its sources and documents, without what is asked.
//!
//! The first sentence of a public item's doc comment should find the item, its doc comment taken away; the first
//! sentence of a paragraph should find the rest of it; the name of an item should find its definition, among all
//! that mention it. Owns how these are made, always the same way from the same tree. Reads sources as text.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::collection::{Collection, Place, Query};

/// Words a sentence must have to be a question.
const WORDS_MIN: usize = 4;
/// Shorter paragraphs say too little without their first sentence.
const SECTION_BYTES_MIN: usize = 60;

/// The tree with three sets of queries: items by their doc comments, items by their names, paragraphs by their first
/// sentences.
pub fn read(root: &Path) -> io::Result<Collection> {
    let mut files = Vec::new();
    let (mut docs, mut prose) = (Vec::new(), Vec::new());
    let mut names: HashMap<String, Vec<Place>> = HashMap::new();
    for path in sources(root)? {
        let text = std::fs::read_to_string(root.join(&path))?;
        let stripped = if path.ends_with(".rs") {
            strip_items(&path, &text, &mut docs, &mut names)
        } else {
            strip_prose(&path, &text, &mut prose)
        };
        files.push((path, stripped));
    }
    let mut named: Vec<Query> = names
        .into_iter()
        .filter(|(name, places)| places.len() == 1 && name.len() > 3)
        .map(|(text, relevant)| Query { text, relevant })
        .collect();
    named.sort_by(|one, two| one.text.cmp(&two.text));
    let sets = [("house-items", docs), ("house-names", named), ("house-prose", prose)];
    Ok(Collection { files, sets: sets.map(|(name, queries)| (name.to_owned(), queries)).into() })
}

/// Sources that are not tests, and documents; sorted.
fn sources(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root)? {
        found.extend(entry?.file_name().into_string().ok().filter(|name| name.ends_with(".md")));
    }
    let mut folders: Vec<String> = vec!["crates".to_owned(), "docs".to_owned(), "xtask/src".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if entry.file_type()?.is_dir() {
                if !["tests", "target", "fixtures", "node_modules"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if (name.ends_with(".rs") && !name.ends_with("_tests.rs")) || name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The source without doc comments of public items; what they say and the items' names are noted.
fn strip_items(
    path: &str,
    text: &str,
    docs: &mut Vec<Query>,
    names: &mut HashMap<String, Vec<Place>>,
) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut stripped = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let comment = lines.iter().skip(at).take_while(|line| line.trim_start().starts_with("///")).count();
        let after = at + comment;
        let attributes =
            lines.iter().skip(after).take_while(|line| line.trim_start().starts_with("#[")).count();
        let name = lines.get(after + attributes).and_then(|line| item_name(line));
        match name {
            Some(name) if comment > 0 => {
                let place = Place { path: path.to_owned(), byte: Some(stripped.len() as u64) };
                let said: Vec<&str> = lines
                    .iter()
                    .skip(at)
                    .take(comment)
                    .map(|line| line.trim_start().trim_start_matches('/').trim())
                    .collect();
                if let Some(text) = question(cut_sentence(&said.join(" ")).0) {
                    docs.push(Query { text, relevant: vec![place.clone()] });
                }
                names.entry(name).or_default().push(place);
                at = after;
            }
            Some(_) | None => {
                stripped.push_str(line);
                stripped.push('\n');
                at += 1;
            }
        }
    }
    stripped
}

/// The name of the public item that a line begins.
fn item_name(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = ["async ", "unsafe "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let rest =
        rest.strip_prefix("const fn ").or_else(|| KINDS.iter().find_map(|kind| rest.strip_prefix(kind)))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.get(..end).map(str::to_owned)
}

const KINDS: [&str; 6] = ["fn ", "struct ", "enum ", "trait ", "type ", "const "];

/// The document without the first sentences of its paragraphs and items; they are noted.
fn strip_prose(path: &str, text: &str, prose: &mut Vec<Query>) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut is_code = false;
    for piece in pieces(text) {
        let (mark, said) = match piece.strip_prefix("- ") {
            Some(said) => ("- ", said),
            None => ("", piece),
        };
        let is_text = !is_code && said.trim_start_matches('*').starts_with(char::is_alphabetic);
        let (sentence, rest) = cut_sentence(said);
        match question(sentence) {
            Some(text) if is_text && rest.len() >= SECTION_BYTES_MIN => {
                stripped.push_str(mark);
                let place = Place { path: path.to_owned(), byte: Some(stripped.len() as u64) };
                prose.push(Query { text, relevant: vec![place] });
                stripped.push_str(rest);
            }
            Some(_) | None => stripped.push_str(piece),
        }
        is_code ^= piece.matches("```").count() % 2 == 1;
    }
    stripped
}

/// Paragraphs and items of lists, each with the line breaks behind it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for paragraph in text.split_inclusive("\n\n") {
        let mut rest = paragraph;
        while let Some(at) = rest.find("\n- ") {
            let (item, after) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
            pieces.push(item);
            rest = after;
        }
        pieces.push(rest);
    }
    pieces
}

/// The first sentence and what is behind it.
fn cut_sentence(text: &str) -> (&str, &str) {
    let end = text.match_indices('.').map(|(at, _)| at + 1);
    let end = end.into_iter().find(|end| text.get(*end..).is_none_or(|rest| rest.starts_with([' ', '\n'])));
    let (sentence, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    (sentence, rest.strip_prefix([' ', '\n']).unwrap_or(rest))
}

/// A sentence as somebody would type it, if it says enough.
fn question(sentence: &str) -> Option<String> {
    let sentence: String = sentence.chars().filter(|c| !matches!(c, '`' | '*' | '[' | ']')).collect();
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    (sentence.split(' ').count() >= WORDS_MIN).then(|| sentence.trim_end_matches('.').to_owned())
}

#[cfg(test)]
#[path = "house_tests.rs"]
mod tests;
