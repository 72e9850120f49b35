//! Golden files: what something looked like when somebody looked at it and found it right.

use std::path::Path;
use std::{env, fs};

/// The variable that takes over what came out.
const BLESS: &str = "WINDLASS_BLESS";

/// Compares a text with a golden file. With `WINDLASS_BLESS=1` the file is written instead: look at it.
pub fn check(file: &str, text: &str) -> Result<(), String> {
    let path = Path::new(file);
    if env::var_os(BLESS).is_some() {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        return fs::write(path, text).map_err(|error| format!("{file}: {error}"));
    }
    let golden = fs::read_to_string(path).map_err(|error| format!("{file}: {error}; write it with {BLESS}=1"))?;
    if golden == text {
        return Ok(());
    }
    let differs = golden.lines().zip(text.lines()).position(|(one, other)| one != other);
    let line = differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count()));
    Err(format!(
        "{file} differs from line {}:\n  golden: {}\n  now:    {}\nlook, then take it over with {BLESS}=1",
        line.saturating_add(1),
        golden.lines().nth(line).unwrap_or("(the end)"),
        text.lines().nth(line).unwrap_or("(the end)"),
    ))
}
