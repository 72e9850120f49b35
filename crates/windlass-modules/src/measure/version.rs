//! New versions of modules in their folder. A version is a file of its own: the old one stays beside it, and the manifest
//! says which one counts.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::ModuleError;
use crate::folder::hash_of;
use crate::manifest::Manifest;
use crate::module::Module;

/// The manifest of a folder.
const MANIFEST: &str = "manifest.json";

/// Names that are tried for a new file before it is given up.
const NAMES_MAX: usize = 1_000;

/// A version that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenVersion {
    pub path: PathBuf,
    /// The file that counted before.
    pub kept: PathBuf,
    /// What the manifest says its hash is.
    pub hash: String,
}

/// The version after this one: its last number, one higher. A version without a number gets one.
pub fn next_version(version: &str) -> String {
    let version = version.trim();
    let digits = version.chars().rev().take_while(char::is_ascii_digit).count();
    let (head, last) = version.split_at(version.len().saturating_sub(digits));
    match last.parse::<u64>() {
        Ok(number) => format!("{head}{}", number.saturating_add(1)),
        Err(_) if version.is_empty() => "2".to_owned(),
        Err(_) => format!("{version}.2"),
    }
}

/// Writes a version of a module beside the one that there is, and makes it the one that counts.
pub fn write_version(folder: &Path, module: &Module) -> Result<WrittenVersion, ModuleError> {
    let mut manifest = read_manifest(folder)?;
    let entry = manifest
        .modules
        .get_mut(&module.module_id)
        .ok_or_else(|| ModuleError::ModuleNotFound(module.module_id.clone()))?;
    let kept = folder.join(&entry.path);
    let text = serde_json::to_string_pretty(module)
        .map_err(|error| ModuleError::Json(format!("{}: {error}", module.module_id)))?
        + "\n";
    let (relative, path) = write_new(folder, &entry.path, &module.metadata.version, &text)?;
    let hash = written_hash(text.as_bytes());
    entry.path = relative;
    entry.hash = Some(hash.clone());
    replace_manifest(folder, &manifest)?;
    Ok(WrittenVersion { path, kept, hash })
}

/// Puts the hashes of the files as they are into the manifest; the modules whose hash changed.
pub fn write_hashes(folder: &Path) -> Result<Vec<String>, ModuleError> {
    let mut manifest = read_manifest(folder)?;
    let mut changed = Vec::new();
    for (id, entry) in &mut manifest.modules {
        // A file that cannot be read keeps its hash: whoever checks the folder hears of it anyway.
        let Ok(bytes) = fs::read(folder.join(&entry.path)) else { continue };
        let hash = written_hash(&bytes);
        if entry.hash.as_ref() != Some(&hash) {
            entry.hash = Some(hash);
            changed.push(id.clone());
        }
    }
    if !changed.is_empty() {
        replace_manifest(folder, &manifest)?;
    }
    Ok(changed)
}

fn written_hash(bytes: &[u8]) -> String {
    format!("sha256:{}", hash_of(bytes))
}

fn io_error(path: &Path, verb: &str, error: &std::io::Error) -> ModuleError {
    ModuleError::Io(format!("{} could not be {verb}: {error}", path.display()))
}

fn read_manifest(folder: &Path) -> Result<Manifest, ModuleError> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path).map_err(|error| io_error(&path, "read", &error))?;
    Manifest::parse(&path.display().to_string(), &text)
}

/// A reader sees the old manifest or the new one, never half of one.
fn replace_manifest(folder: &Path, manifest: &Manifest) -> Result<(), ModuleError> {
    let path = folder.join(MANIFEST);
    let text = serde_json::to_string_pretty(manifest)
        .map_err(|error| ModuleError::Json(format!("{}: {error}", path.display())))?;
    let part = folder.join(format!(".{MANIFEST}.{}.part", std::process::id()));
    fs::write(&part, text + "\n").map_err(|error| io_error(&part, "written", &error))?;
    fs::rename(&part, &path).map_err(|error| {
        // What is left of the attempt is of no use to anybody.
        let _ = fs::remove_file(&part);
        io_error(&path, "replaced", &error)
    })
}

/// Writes a file that was not there: `haggle.json` and version 1.3 make `haggle.v1.3.json`.
fn write_new(folder: &Path, old: &str, version: &str, text: &str) -> Result<(String, PathBuf), ModuleError> {
    let stem = old.strip_suffix(".json").unwrap_or(old);
    let stem = stem.rsplit_once(".v").filter(|(_, rest)| is_version(rest)).map_or(stem, |(stem, _)| stem);
    let version: String = version
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' })
        .collect();
    for number in 1..=NAMES_MAX {
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        let relative = format!("{stem}.v{version}{again}.json");
        let path = folder.join(&relative);
        match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(|error| io_error(&path, "written", &error))?;
                return Ok((relative, path));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io_error(&path, "written", &error)),
        }
    }
    Err(ModuleError::Io(format!("there are already {NAMES_MAX} files {stem}.v{version}-N.json")))
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
