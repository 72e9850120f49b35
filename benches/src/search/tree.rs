//! A tree of many realistic files, always the same one: this project's sources and documents and the functions of the
//! collection `cosqa`, then copies of them in which a third of the longer names are others.
//!
//! Copies with other names have the vocabulary of a large project, not that of a small one many times over.

use std::fs;
use std::io;
use std::path::Path;

use crate::eval::collection;

/// Functions of the collection in one file.
const FUNCTIONS_A_FILE: usize = 4;
/// Folders whose files are taken.
const FOLDERS: [&str; 6] = ["crates", "web/src", "docs", "xtask/src", "benches", "examples"];
/// Endings of files that are taken.
const ENDINGS: [&str; 8] = [".rs", ".ts", ".svelte", ".md", ".toml", ".css", ".js", ".py"];
/// Names shorter than this stay: most are words of a language.
const NAME_BYTES_MIN: usize = 6;
/// One in so many names is another in each copy.
const RENAMED_SHARE: u64 = 3;
/// What names end with in copies.
const ENDS: [&str; 16] = [
    "anchor", "bilge", "capstan", "davit", "ensign", "fender", "galley", "halyard", "jib", "keel", "ladder",
    "mast", "oar", "pawl", "reef", "shroud",
];
/// Words of languages that are as long as names.
const KEYWORDS: [&str; 40] = [
    "abstract",
    "assert",
    "boolean",
    "continue",
    "default",
    "delete",
    "derive",
    "double",
    "except",
    "export",
    "extends",
    "extern",
    "finally",
    "function",
    "global",
    "implements",
    "import",
    "include",
    "instanceof",
    "interface",
    "lambda",
    "namespace",
    "nonlocal",
    "package",
    "private",
    "protected",
    "public",
    "readonly",
    "return",
    "sizeof",
    "static",
    "String",
    "struct",
    "switch",
    "template",
    "throws",
    "typedef",
    "typeof",
    "unsafe",
    "virtual",
];

/// What a tree has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Size {
    pub files: usize,
    pub bytes: u64,
}

/// Makes the tree in a folder that does not exist yet.
pub fn make(root: &Path, folder: &Path, files_wanted: usize) -> io::Result<Size> {
    let originals = originals(root)?;
    let mut size = Size::default();
    for copy in 0.. {
        for (path, text) in &originals {
            if size.files == files_wanted {
                return Ok(size);
            }
            let path = folder.join(format!("part{copy:02}")).join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let text = renamed(text, copy);
            fs::write(path, &text)?;
            size.files += 1;
            size.bytes += text.len() as u64;
        }
    }
    Ok(size)
}

fn originals(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut folders: Vec<String> = FOLDERS.map(str::to_owned).into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if entry.file_type()?.is_dir() {
                if !["target", "node_modules", "dist"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                found.push((path.clone(), fs::read_to_string(root.join(&path))?));
            }
        }
    }
    let functions = collection::read(root, "cosqa", "py")?.files;
    for (number, functions) in functions.chunks(FUNCTIONS_A_FILE).enumerate() {
        let texts: Vec<&str> = functions.iter().map(|(_, text)| text.as_str()).collect();
        found.push((format!("python/m{}/f{number}.py", number % 40), texts.join("\n\n\n")));
    }
    found.sort();
    Ok(found)
}

/// The text with other names; copy 0 is the text itself.
pub fn renamed(text: &str, copy: u64) -> String {
    if copy == 0 {
        return text.to_owned();
    }
    let mut copied = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let (before, from) = rest.split_at(start);
        copied.push_str(before);
        let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        copied.push_str(name);
        if name.len() >= NAME_BYTES_MIN && !KEYWORDS.contains(&name) {
            push_end(&mut copied, name, copy);
        }
        rest = after;
    }
    copied.push_str(rest);
    copied
}

fn push_end(copied: &mut String, name: &str, copy: u64) {
    let hash = name.bytes().fold(copy.wrapping_mul(0x9e37_79b9_7f4a_7c15), |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = hash ^ (hash >> 29);
    if !hash.is_multiple_of(RENAMED_SHARE) {
        return;
    }
    let end = ENDS.get(usize::try_from(hash >> 7).unwrap_or(0) % ENDS.len()).copied().unwrap_or_default();
    if name.contains('_') || name.chars().all(|c| c.is_ascii_lowercase()) {
        copied.push('_');
        copied.push_str(end);
    } else {
        let (first, others) = end.split_at(1);
        copied.push_str(&first.to_ascii_uppercase());
        copied.push_str(others);
    }
    copied.push_str(&copy.to_string());
}
