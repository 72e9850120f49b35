//! The committed build against a fresh one, byte by byte.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Fails with the files that differ.
pub(super) fn check(committed: &Path, built: &Path) -> Result<()> {
    let wrong = compare(&read(committed)?, &read(built)?);
    if !wrong.is_empty() {
        bail!(
            "web/dist is not what web/src makes; mend it with `npm run build` in web/ and commit it:\n{}",
            wrong.join("\n")
        );
    }
    Ok(())
}

type Files = BTreeMap<String, Vec<u8>>;

/// The files of a folder, by their path in it.
fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = match std::fs::read_dir(&next) {
            Ok(entries) => entries,
            // Nothing was ever committed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", next.display())),
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.insert(name, bytes);
        }
    }
    Ok(files)
}

fn compare(committed: &Files, built: &Files) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, bytes) in built {
        match committed.get(name) {
            None => wrong.push(format!("  {name} is not committed")),
            Some(old) if old != bytes => {
                let at = old.iter().zip(bytes).take_while(|(old, new)| old == new).count();
                wrong.push(format!("  {name} differs from byte {at} on"));
            }
            Some(_) => {}
        }
    }
    let gone = committed.keys().filter(|name| !built.contains_key(*name));
    wrong.extend(gone.map(|name| format!("  {name} is committed, but not built any more")));
    wrong
}

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;
