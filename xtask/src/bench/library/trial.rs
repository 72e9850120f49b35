//! Whether every program answers right: it prints what it must, and the provider saw the outcomes it must have seen.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use anyhow::{Result, bail};

use super::{
    DURABLE, DURABLE_FEATURE, LIBRARIES, Language, Library, LibraryBench, LibraryProgram, PROGRAMS, PROVIDER,
};
use crate::bench::Figure;
use crate::command_line::CommandLine;

/// A program that takes longer waits for something that never comes.
const PROGRAM_LIMIT: Duration = Duration::from_secs(60);

/// Builds and runs everything; gives no figure.
pub(super) fn check(bench: &LibraryBench) -> Result<Vec<Figure>> {
    bench.build(PROVIDER, &["--release"])?;
    for library in &LIBRARIES {
        if library.language == Language::Rust {
            let durable: &[&str] = if library.is_ours() { &["--features", DURABLE_FEATURE] } else { &[] };
            bench.build(library.folder, &[&["--bins"], durable].concat())?;
        }
        for program in &PROGRAMS {
            bench.check_program(library, program)?;
            println!("{} {}: right", library.title, program.title);
        }
    }
    Ok(Vec::new())
}

impl LibraryBench {
    fn check_program(&self, library: &Library, program: &LibraryProgram) -> Result<()> {
        let provider = self.provider()?;
        let mut words = self.program(library, "debug", program.name)?;
        words.push(provider.url.clone());
        if program.name != DURABLE {
            return must_say(library, program, &run(&self.root, &words)?);
        }
        let folder = self.place.join("durable");
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        words.push(folder.display().to_string());
        if run(&self.root, &words)?.status.success() {
            bail!("{}: {} was not killed in the middle", library.title, program.name);
        }
        must_say(library, program, &run(&self.root, &words)?)?;
        let ledger = std::fs::read_to_string(folder.join("ledger"))?;
        let lines: Vec<_> = ledger.lines().collect();
        match lines.as_slice() {
            ["weighed", fee] if fee.starts_with("fee of 7 ") => Ok(()),
            _ => bail!("{}: something was lost or happened twice: {lines:?}", library.title),
        }
    }
}

fn run(root: &Path, words: &[String]) -> Result<Output> {
    let (program, args) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    CommandLine::new(root, program, &args).output_within(PROGRAM_LIMIT)
}

fn must_say(library: &Library, program: &LibraryProgram, output: &Output) -> Result<()> {
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said == program.answer {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    bail!("{}: {} said {said:?}, not {:?}: {}", library.title, program.name, program.answer, errors.trim())
}
