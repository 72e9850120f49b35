//! The step `browser`, and `cargo xtask screenshots`: the app in a real Chromium, against the real server.
//!
//! Owns finding Chromium, or getting it. Servers and pages belong to the tests themselves.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::WebApp;
use crate::invocation::Invocation;
use crate::served::build_binary;

/// Names that Chromium goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where screenshots go.
const SCREENSHOTS: &str = "screenshots";

/// Pictures that the documents show: as they are taken, and as they are called there.
const SHOWN: [(&str, &str); 5] = [
    ("inspector-drawer-1440-light", "session"),
    ("approval-diff-1440-light", "approval"),
    ("inspector-page-1440-light", "inspector"),
    ("compare-1440-light", "compare"),
    ("tools-form-1440-light", "tools"),
];

/// What `screenshots` may be asked for.
#[derive(clap::Args, Default)]
pub(crate) struct ScreenshotOptions {
    /// Put those that the documents show into docs/images, too
    #[arg(long)]
    write: bool,
}

/// Runs the end-to-end tests.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    let (app, script) = stage(root, target_folder, "e2e")?;
    app.npm(&script)
}

/// Takes pictures of every page and state.
pub(crate) fn take_screenshots(root: &Path, target_folder: &Path, options: &ScreenshotOptions) -> Result<()> {
    let folder = target_folder.join(SCREENSHOTS);
    std::fs::create_dir_all(&folder)?;
    let (app, script) = stage(root, target_folder, "screenshots")?;
    app.npm(&script.env("SCREENSHOTS", &folder.to_string_lossy()))?;
    println!("      the pictures are in {}", folder.display());
    if options.write { keep_shown(&folder, &root.join("docs/images")) } else { Ok(()) }
}

fn keep_shown(taken: &Path, documents: &Path) -> Result<()> {
    std::fs::create_dir_all(documents)?;
    for (name, shown) in SHOWN {
        let from = taken.join(name).with_extension("png");
        std::fs::copy(&from, documents.join(shown).with_extension("png"))
            .with_context(|| format!("cannot copy {}", from.display()))?;
    }
    println!("      those of the documents are in docs/images");
    Ok(())
}

/// The app and one of its scripts, with a binary and a browser to use.
fn stage(root: &Path, target_folder: &Path, script: &str) -> Result<(WebApp, Invocation)> {
    let app = WebApp::prepare(root)?;
    let browser = find_or_install(root)?;
    let binary = build_binary(root, target_folder)?;
    let script = app
        .script(script)
        .env("WINDLASS_BINARY", &binary.to_string_lossy())
        .env("CHROMIUM", &browser.to_string_lossy());
    Ok((app, script))
}

fn find_or_install(root: &Path) -> Result<PathBuf> {
    let named = std::env::var("CHROMIUM").ok().filter(|name| !name.is_empty());
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    if let Some(browser) = find(named.as_deref(), &folders)? {
        return Ok(browser);
    }
    let Some(lead) = install_lead(root, &folders) else { bail!("Chromium is not here: {}", what_to_do()) };
    println!("      Chromium is not here: installing the system's own package, once");
    for invocation in install(root, lead) {
        println!("      {invocation}");
        if !invocation.succeeds()? {
            bail!("`{invocation}` failed: {}", what_to_do());
        }
    }
    match find(None, &folders)? {
        Some(browser) => Ok(browser),
        None => bail!("the package was installed, and there is still no Chromium: {}", what_to_do()),
    }
}

fn what_to_do() -> String {
    format!(
        "install it ({}), or name one with CHROMIUM=PATH, or leave the step out with --skip browser",
        NAMES.join(", ")
    )
}

/// The browser that somebody named, or the first on the path.
fn find(named: Option<&str>, folders: &[PathBuf]) -> Result<Option<PathBuf>> {
    if let Some(name) = named {
        let found = if name.contains('/') { Some(PathBuf::from(name)) } else { on_path(name, folders) };
        return match found.filter(|path| path.is_file()) {
            Some(path) => Ok(Some(path)),
            None => bail!("CHROMIUM names {name}, which is not there: {}", what_to_do()),
        };
    }
    Ok(NAMES.iter().find_map(|name| on_path(name, folders)))
}

fn on_path(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What stands before `apt-get`, if packages can be installed without asking anybody.
fn install_lead(root: &Path, folders: &[PathBuf]) -> Option<&'static [&'static str]> {
    on_path("apt-get", folders)?;
    let is_root = Invocation::new(root, "id", &["-u"]).output().is_ok_and(|id| id.trim() == "0");
    if is_root {
        return Some(&[]);
    }
    on_path("sudo", folders)?;
    Invocation::new(root, "sudo", &["-n", "true"]).output().ok().map(|_| &["sudo", "-n"][..])
}

fn install(root: &Path, lead: &[&str]) -> [Invocation; 2] {
    let steps: [&[&str]; 2] =
        [&["update", "-qq"], &["install", "-y", "-qq", "--no-install-recommends", "chromium"]];
    steps.map(|args| {
        let words: Vec<&str> = lead
            .iter()
            .chain(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .chain(args)
            .copied()
            .collect();
        let (program, args) =
            words.split_first().map_or(("true", &[][..]), |(program, args)| (*program, args));
        Invocation::new(root, program, args)
    })
}

#[cfg(test)]
#[path = "browser_tests.rs"]
mod tests;
