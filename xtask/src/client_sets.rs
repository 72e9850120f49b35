//! Clients that others wrote: which ones, at which versions, and how they come into `target/xtask-tools`.
//!
//! Owns sets of packages. A set that is there with the same list is taken as it is; anything else is made anew.
//! Knows nothing of what is run with them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::command_line::CommandLine;

/// What makes environments of Python packages in seconds; pip's own resolver takes minutes.
const UV_VERSION: &str = "0.13.7";

/// The list that a set was made of, kept in its folder.
const LIST_FILE: &str = "list-of-this-set.txt";

/// Packages of PyPI in an environment of their own.
pub(crate) struct PythonSet {
    /// Its folder below `target/xtask-tools`.
    folder: &'static str,
    /// The file of exact versions, from the root of the checkout.
    list: &'static str,
    /// What is said to packages that are compiled here.
    cmake_args: &'static str,
}

/// The official client, frameworks over it, a reader of event streams, a runner of tests.
pub(crate) const PYTHON_CLIENTS: PythonSet =
    PythonSet { folder: "python-clients", list: "fixtures/clients/python/requirements.txt", cmake_args: "" };
/// Wants an older client than the others.
pub(crate) const INSTRUCTOR: PythonSet =
    PythonSet { folder: "python-instructor", list: "fixtures/clients/python/instructor.txt", cmake_args: "" };
/// Asks everything that the API document allows, and much that it does not; and OTLP's own messages.
pub(crate) const API_CHECKERS: PythonSet =
    PythonSet { folder: "python-api", list: "fixtures/clients/python/schemathesis.txt", cmake_args: "" };

/// llama.cpp, which comes as source alone: the library and nothing around it, for this machine's own processor.
pub(crate) const LLAMA: PythonSet = PythonSet {
    folder: "python-llama",
    list: "benches/local/requirements.txt",
    cmake_args: "-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
                 -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF",
};

/// A library that ours is compared with, and what it needs.
pub(crate) const PYDANTIC_AI: PythonSet = PythonSet {
    folder: "python-pydantic-ai",
    list: "benches/library/pydantic_ai/requirements.txt",
    cmake_args: "",
};

/// Tasks, tools and attacks that others wrote, for agents that read what others wrote.
pub(crate) const AGENTDOJO: PythonSet =
    PythonSet { folder: "python-agentdojo", list: "fixtures/agentdojo/requirements.txt", cmake_args: "" };

/// Packages of npm, in one folder.
pub(crate) struct NodeSet {
    folder: &'static str,
    packages: &'static [&'static str],
}

/// The official client, the AI SDK, an `EventSource`.
pub(crate) const NODE_CLIENTS: NodeSet = NodeSet {
    folder: "node-clients",
    packages: &[
        "openai@7.53.0",
        "ai@7.0.169",
        "@ai-sdk/openai-compatible@3.0.90",
        "zod@4.6.7",
        "eventsource@5.1.4",
    ],
};

impl PythonSet {
    /// The folder of the environment's programs; made when it is not there.
    pub(crate) fn find_or_install(&self, root: &Path, target_folder: &Path) -> Result<PathBuf> {
        let tools = target_folder.join("xtask-tools");
        let folder = tools.join(self.folder);
        let programs = folder.join("bin");
        let list = std::fs::read_to_string(root.join(self.list))
            .with_context(|| format!("cannot read {}", self.list))?;
        if is_made_of(&folder, &list) {
            return Ok(programs);
        }
        println!("      {} is not here as listed: fetching it once into {}", self.list, folder.display());
        let uv = find_uv(root, &tools)?;
        let folder_text = folder.to_string_lossy().into_owned();
        let python = programs.join("python").to_string_lossy().into_owned();
        let made =
            CommandLine::new(root, &uv, &["venv", "--quiet", "--clear", "--python", "python3", &folder_text]);
        let filled = CommandLine::new(
            root,
            &uv,
            &[
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--compile-bytecode",
                "--python",
                &python,
                "-r",
                self.list,
            ],
        )
        .env("CMAKE_ARGS", self.cmake_args);
        if !made.succeeds()? || !filled.succeeds()? {
            bail!(
                "cannot fetch {}; packages of Python need Python 3.10 or later, a package index, and a C++ compiler for some",
                self.list
            );
        }
        std::fs::write(folder.join(LIST_FILE), list)?;
        Ok(programs)
    }
}

impl NodeSet {
    /// The folder with `node_modules`; made when it is not there.
    pub(crate) fn find_or_install(&self, root: &Path, target_folder: &Path) -> Result<PathBuf> {
        let folder = target_folder.join("xtask-tools").join(self.folder);
        let list = self.packages.join("\n");
        if is_made_of(&folder, &list) {
            return Ok(folder);
        }
        println!("      clients of Node are not here: fetching them once into {}", folder.display());
        std::fs::create_dir_all(&folder)?;
        let prefix = folder.to_string_lossy().into_owned();
        // Nothing that a package brings along is run, and nothing is written outside the folder.
        let quiet = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        let args: Vec<&str> = ["install", "--prefix", &prefix]
            .into_iter()
            .chain(quiet)
            .chain(self.packages.iter().copied())
            .collect();
        if !CommandLine::new(root, "npm", &args).succeeds()? {
            bail!("cannot fetch {list}; the clients of Node need Node 20 or later with its npm");
        }
        std::fs::write(folder.join(LIST_FILE), list)?;
        Ok(folder)
    }
}

fn is_made_of(folder: &Path, list: &str) -> bool {
    std::fs::read_to_string(folder.join(LIST_FILE)).is_ok_and(|made_of| made_of == list)
}

/// `uv` from PATH, from the tools, or fetched now by pip.
fn find_uv(root: &Path, tools: &Path) -> Result<String> {
    let own = tools.join("uv/bin/uv").to_string_lossy().into_owned();
    for candidate in ["uv".to_owned(), own.clone()] {
        if CommandLine::new(root, &candidate, &["--version"]).output().is_ok() {
            return Ok(candidate);
        }
    }
    let folder = tools.join("uv").to_string_lossy().into_owned();
    let pip = tools.join("uv/bin/pip").to_string_lossy().into_owned();
    let package = format!("uv=={UV_VERSION}");
    let made = CommandLine::new(root, "python3", &["-m", "venv", &folder]);
    let filled =
        CommandLine::new(root, &pip, &["install", "--quiet", "--disable-pip-version-check", &package]);
    if !made.succeeds()? || !filled.succeeds()? {
        bail!(
            "cannot fetch uv {UV_VERSION}; install Python 3.10 or later with its venv module, or uv itself"
        );
    }
    Ok(own)
}

#[cfg(test)]
#[path = "client_sets_tests.rs"]
mod tests;
