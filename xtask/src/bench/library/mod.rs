//! `cargo xtask bench library`: the same four programs by Windlass and by the libraries people know, side by side.
//!
//! Owns which libraries and programs there are, what is measured of them and in which order. The programs are
//! `benches/library/`, packages of their own, so that other libraries stay out of our lock file. Whether the programs
//! answer right is checked before anything is measured of them.

mod builds;
mod steps;
mod table;
mod trial;

pub(super) use table::document;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::Figure;
use crate::client_sets::PYDANTIC_AI;
use crate::command_line::CommandLine;
use crate::server_process::ServerProcess;

const FOLDER: &str = "benches/library";
const LOCK: &str = "Cargo.lock";
const OURS: &str = "windlass";
const PROVIDER: &str = "provider";
/// It has no programs but the one that measures a step.
const FLOOR: &str = "floor";

/// How programs of a library are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
}

/// A library, by its folder.
#[derive(Debug)]
struct Library {
    folder: &'static str,
    title: &'static str,
    version: &'static str,
    language: Language,
}

/// Ours first; they take turns in this order.
const LIBRARIES: [Library; 4] = [
    Library { folder: OURS, title: "Windlass", version: "", language: Language::Rust },
    Library { folder: "rig", title: "rig", version: "0.44.0", language: Language::Rust },
    Library { folder: "async_openai", title: "async-openai", version: "0.43.0", language: Language::Rust },
    Library { folder: "pydantic_ai", title: "Pydantic AI", version: "2.66.0", language: Language::Python },
];

/// One of the four programs.
struct LibraryProgram {
    name: &'static str,
    title: &'static str,
    /// What it prints, whole.
    answer: &'static str,
}

const PROGRAMS: [LibraryProgram; 4] = [
    LibraryProgram { name: "one_tool", title: "one tool", answer: "It is 4200.\n" },
    LibraryProgram { name: "typed", title: "a typed answer", answer: "Bonn: 335975\n" },
    LibraryProgram {
        name: "approval",
        title: "streaming with approval",
        answer: "Two bills are open.\nThe baker is paid, the casino is not.\n",
    },
    LibraryProgram { name: DURABLE, title: "several steps, durable", answer: "Parcel 7 is on its way.\n" },
];

/// The program that is killed in the middle and started again.
const DURABLE: &str = "durable";
/// Ours needs this feature for it, and no other program does.
const DURABLE_FEATURE: &str = "store";

impl Library {
    fn is_ours(&self) -> bool {
        self.folder == OURS
    }

    fn source(&self, program: &str) -> String {
        let ending = match self.language {
            Language::Rust => "rs",
            Language::Python => "py",
        };
        format!("{FOLDER}/{}/{program}.{ending}", self.folder)
    }
}

/// Measures everything, or one part of it: `answers`, `builds` or `steps`.
pub(super) fn measure(root: &Path, target_folder: &Path, part: Option<&str>) -> Result<Vec<Figure>> {
    let place = target_folder.join("library");
    let bench = LibraryBench { root: root.to_owned(), target_folder: target_folder.to_owned(), place };
    std::fs::create_dir_all(&bench.place)?;
    let parts: [(&str, LibraryBenchPart); 3] =
        [("builds", builds::measure), ("answers", trial::check), ("steps", steps::measure)];
    if let Some(other) = part.filter(|part| parts.iter().all(|(name, _)| name != part)) {
        bail!("the comparison of libraries has no part '{other}'; builds, answers and steps are its parts");
    }
    let mut figures = Vec::new();
    for (name, run) in parts {
        if part.is_none_or(|part| part == name) {
            figures.extend(run(&bench)?);
        }
    }
    Ok(figures)
}

type LibraryBenchPart = fn(&LibraryBench) -> Result<Vec<Figure>>;

/// Where the packages are and where they are built.
struct LibraryBench {
    root: PathBuf,
    target_folder: PathBuf,
    place: PathBuf,
}

impl LibraryBench {
    fn package(&self, folder: &str) -> PathBuf {
        self.root.join(FOLDER).join(folder)
    }

    /// Cargo in a package, with a target folder of its own.
    fn cargo(&self, folder: &str, args: &[&str]) -> CommandLine {
        let target = self.place.join(folder).display().to_string();
        CommandLine::cargo(&self.package(folder), args).env("CARGO_TARGET_DIR", &target)
    }

    /// Brings everything that a package needs. What is the house's has the versions of the house.
    fn fetch(&self, folder: &str) -> Result<()> {
        let fetch = self.cargo(folder, &["fetch", "--quiet"]);
        let fetch = if [OURS, PROVIDER].contains(&folder) {
            std::fs::copy(self.root.join(LOCK), self.package(folder).join(LOCK))?;
            fetch
        } else {
            fetch.arg("--locked")
        };
        if !fetch.succeeds()? {
            bail!("`{fetch}` failed in {FOLDER}/{folder}");
        }
        Ok(())
    }

    fn build(&self, folder: &str, args: &[&str]) -> Result<()> {
        self.fetch(folder)?;
        let build = self.cargo(folder, &["build", "--quiet", "--locked"]);
        let build = args.iter().fold(build, |build, arg| build.arg(*arg));
        if !build.succeeds()? {
            bail!("`{build}` failed in {FOLDER}/{folder}");
        }
        Ok(())
    }

    /// A program that was built, with its first arguments.
    fn program(&self, library: &Library, profile: &str, name: &str) -> Result<Vec<String>> {
        match library.language {
            Language::Rust => Ok(vec![self.binary(library.folder, profile, name)]),
            Language::Python => {
                let python = PYDANTIC_AI.find_or_install(&self.root, &self.target_folder)?.join("python");
                let source = self.root.join(library.source(name));
                Ok(vec![python.display().to_string(), source.display().to_string()])
            }
        }
    }

    fn binary(&self, folder: &str, profile: &str, name: &str) -> String {
        self.place.join(folder).join(profile).join(name).display().to_string()
    }

    /// The provider, at the first line of every conversation, on a core of its own.
    fn provider(&self) -> Result<ServerProcess> {
        let script = self.root.join(FOLDER).join("conversations.script").display().to_string();
        let program = self.binary(PROVIDER, "release", PROVIDER);
        let start = CommandLine::new(&self.root, "taskset", &["-c", "1", &program, &script]);
        ServerProcess::start(&start, &self.place.join("provider.log"))
    }
}

/// A figure of a library, told as every benchmark tells its own.
fn figure(folder: &str, what: &str, measured: String, target: &str) -> Figure {
    let figure = Figure { name: figure_name(folder, what), measured, target: target.to_owned() };
    println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
    figure
}

fn figure_name(folder: &str, what: &str) -> String {
    format!("library, {folder}: {what}")
}
