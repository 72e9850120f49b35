//! Compares models in the process with what llama.cpp said of the same files, and fails on any difference;
//! `cargo xtask compare-local` makes the files: `windlass-local-compare FOLDER...`.

use std::path::Path;
use std::process::ExitCode;

use windlass_benches::judged::{compare, verdicts};

/// Differences of one file that are shown.
const SHOWN_MAX: usize = 5;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let (mut compared, mut differences) = (0, 0);
    for folder in std::env::args().skip(1) {
        for (model, verdict) in verdicts(Path::new(&folder))? {
            let name = verdict.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let found = compare(&model, &verdict).map_err(|error| format!("{name}: {error}"))?;
            let remarks = found.remarks.join(", ");
            println!("{name}: {} compared, {} different {remarks}", found.compared, found.differences.len());
            for difference in found.differences.iter().take(SHOWN_MAX) {
                println!("  {difference}");
            }
            compared += found.compared;
            differences += found.differences.len();
        }
    }
    println!("{compared} compared, {differences} different");
    if compared == 0 {
        return Err("nothing was compared: give folders with verdicts".to_owned());
    }
    Ok(differences == 0)
}
