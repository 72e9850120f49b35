//! Model files that were downloaded: where they are kept, how they are named, and where they come from.
//!
//! Pure but for looking whether a file is there. How they come here is `models_pull`'s business.

use std::path::{Path, PathBuf};

use crate::complaint::{Complaint, Result};
use crate::providers::diagnosis;

/// The hub that `hf:` means.
pub(crate) const HUB: &str = "https://huggingface.co";

/// The end of the name of a model file.
const FILE_END: &str = ".gguf";

/// The file without which a folder is no model.
pub(crate) const FOLDER_CONFIG: &str = "config.json";

/// What is downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// One file that is a whole model.
    File {
        /// Where it is.
        address: String,
        /// What it is called here.
        name: String,
    },
    /// A folder of safetensors with what belongs to them.
    Folder {
        /// Where its files are: the address of one is this and its name.
        address: String,
        /// What it is called here.
        name: String,
    },
}

impl Source {
    /// Reads `hf:ORG/REPO/FILE`, `hf:ORG/REPO` or an address; `hub` is where `hf:` leads.
    pub(crate) fn parse(text: &str, hub: &str) -> Result<Self> {
        match text.strip_prefix("hf:") {
            Some(path) => Self::of_hub(text, path, hub.trim_end_matches('/')),
            None => Self::of_address(text),
        }
    }

    fn of_hub(text: &str, path: &str, hub: &str) -> Result<Self> {
        let wrong = || {
            Complaint::usage(format!("'{text}' names no model of the hub"))
                .cure("hf:ORG/REPO/FILE.gguf, or hf:ORG/REPO for safetensors; hf:ORG/REPO@REVISION/… for an older one")
        };
        let mut parts = path.splitn(3, '/');
        let (org, repo) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (repo, revision) = repo.split_once('@').unwrap_or((repo, "main"));
        let is_good = |part: &str| !part.is_empty() && part.chars().all(is_plain) && !part.starts_with('.');
        let file = parts.next().unwrap_or_default();
        if !(is_good(org) && is_good(repo) && is_good(revision))
            || !(file.is_empty() || file.split('/').all(is_good))
        {
            return Err(wrong());
        }
        let address = format!("{hub}/{org}/{repo}/resolve/{revision}/{file}");
        match file.rsplit('/').next().filter(|name| !name.is_empty()) {
            None => Ok(Source::Folder { address, name: repo.to_owned() }),
            Some(name) => Ok(Source::File { address, name: file_name(text, name)? }),
        }
    }

    fn of_address(text: &str) -> Result<Self> {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let Some((_, path)) = path.split_once("://") else {
            return Err(Complaint::usage(format!("'{text}' is no source of a model"))
                .cure("hf:ORG/REPO/FILE.gguf, hf:ORG/REPO, or https://HOST/FILE.gguf"));
        };
        let (path, is_folder) = (path.trim_end_matches('/'), path.ends_with('/'));
        let name = path.split_once('/').map_or("", |(_, path)| path.rsplit('/').next().unwrap_or_default());
        match is_folder && is_name(name) {
            true => Ok(Source::Folder { address: text.to_owned(), name: name.to_owned() }),
            false => Ok(Source::File { address: text.to_owned(), name: file_name(text, name)? }),
        }
    }

    /// What it is called here.
    pub(crate) fn name(&self) -> &str {
        match self {
            Source::File { name, .. } | Source::Folder { name, .. } => name,
        }
    }
}

/// A name that is a model file's, and leads nowhere else.
fn file_name(text: &str, name: &str) -> Result<String> {
    match is_name(name) && name.to_ascii_lowercase().ends_with(FILE_END) {
        true => Ok(name.to_owned()),
        false => Err(Complaint::usage(format!("'{text}' does not end with the name of a {FILE_END} file"))
            .cure("for a folder of safetensors: hf:ORG/REPO, or https://HOST/FOLDER/")),
    }
}

/// Whether a text is a name of one file and nothing else.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('.') && text.chars().all(is_plain)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || ['.', '_', '-', '+'].contains(&c)
}

/// The folder in which `local/NAME` looks.
pub(crate) fn folder(data: &Path) -> PathBuf {
    diagnosis::folder(data)
}

/// The downloaded model of that name: a file, with or without the end of its name, or a folder.
pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    if !is_name(name) {
        return None;
    }
    let (own, with_end) = (folder.join(name), folder.join(format!("{name}{FILE_END}")));
    let is_model = |path: &PathBuf| match path.is_dir() {
        true => path.join(FOLDER_CONFIG).is_file(),
        false => path.is_file() && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf")),
    };
    [own, with_end].into_iter().find(is_model)
}

#[cfg(test)]
#[path = "pulled_tests.rs"]
mod tests;
