//! The step `browser`, and `cargo xtask screenshots`: the app in a real Chromium, against the real server.
//!
//! Owns what the tests are started with. Servers and pages belong to the tests themselves.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::WebApp;
use crate::command_line::CommandLine;
use crate::server_process::build_binary;
use crate::system_package::SystemPackage;

/// The browser.
const CHROMIUM: SystemPackage = SystemPackage {
    title: "Chromium",
    names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    package: "chromium",
    variable: "CHROMIUM",
    step: "browser",
};

/// Where screenshots go.
const SCREENSHOTS: &str = "screenshots";

/// Pictures that the documents show: as they are taken, and as they are called there.
const SHOWN: [(&str, &str); 9] = [
    ("builtin-1440-light", "builtin"),
    ("builtin-360-dark", "phone"),
    ("tools-list-1440-dark", "dark"),
    ("modules-outputs-1440-light", "modules"),
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
fn stage(root: &Path, target_folder: &Path, script: &str) -> Result<(WebApp, CommandLine)> {
    let app = WebApp::prepare(root)?;
    let browser = CHROMIUM.find_or_install(root)?;
    let binary = build_binary(root, target_folder)?;
    let script = app
        .script(script)
        .env("WINDLASS_BINARY", &binary.to_string_lossy())
        .env("CHROMIUM", &browser.to_string_lossy());
    Ok((app, script))
}
