//! The step `web`: the web app is typed, linted, tested, and committed as it is built.
//!
//! Owns Node, the packages of `web/` and the scripts of its `package.json`. What the scripts do is theirs. [`drift`]
//! compares the build with the committed one, [`bundle`] weighs it, [`browser`] is the step that shows it to Chromium.

mod browser;
mod bundle;
mod drift;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

pub(crate) use self::browser::{ScreenshotOptions, run as run_in_browser, take_screenshots};
use crate::command_line::CommandLine;

/// The oldest Node that the app is built with.
const NODE_MIN: (u32, u32) = (20, 19);
/// A copy of the lock file beside the packages says which packages those are.
const STAMP: &str = "node_modules/.windlass-lock.json";
const LOCK: &str = "package-lock.json";

/// Scripts that judge what is written, in the order in which a slip is told soonest.
const CHECKS: [&str; 4] = ["schema:check", "check", "lint", "test"];

/// Checks the web app and its committed build.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    let app = WebApp::prepare(root)?;
    for script in CHECKS {
        app.npm(&app.script(script))?;
    }
    let built = target_folder.join("xtask-tools/web-dist");
    // What an earlier build left would count as built now.
    let _ = std::fs::remove_dir_all(&built);
    app.npm(&app.script("build").env("WINDLASS_DIST", &built.to_string_lossy()))?;
    drift::check(&app.folder.join("dist"), &built)?;
    println!("      web/dist is what `npm run build` makes");
    bundle::check(&app.folder, &built)
}

/// The folder `web/` with its packages.
struct WebApp {
    folder: PathBuf,
}

impl WebApp {
    /// Makes sure that Node is there and the packages are those of the lock file.
    fn prepare(root: &Path) -> Result<Self> {
        let app = Self { folder: root.join("web") };
        app.check_node()?;
        if !is_stamped(&app.folder) {
            println!("      the packages of web/ are not those of {LOCK}: fetching them");
            app.npm(&app.install())?;
            let (lock, stamp) = (app.folder.join(LOCK), app.folder.join(STAMP));
            std::fs::copy(&lock, &stamp).with_context(|| format!("cannot write {}", stamp.display()))?;
        }
        Ok(app)
    }

    fn check_node(&self) -> Result<()> {
        let missing =
            "install Node 20 (20.19 or later) with its npm; the program itself is built and run without it";
        let asked = |program: &str| CommandLine::new(&self.folder, program, &["--version"]).output();
        let Ok(version) = asked("node") else { bail!("node is not here: {missing}") };
        if !is_new_enough(&version) {
            bail!("node is {}, and the web app needs 20.19 or later: {missing}", version.trim());
        }
        if asked("npm").is_err() {
            bail!("npm is not here: {missing}");
        }
        Ok(())
    }

    /// Nothing that a package brings along is run.
    fn install(&self) -> CommandLine {
        let args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        CommandLine::new(&self.folder, "npm", &args)
    }

    /// A script of `package.json`.
    fn script(&self, name: &str) -> CommandLine {
        CommandLine::new(&self.folder, "npm", &["run", "--silent", name])
    }

    fn npm(&self, invocation: &CommandLine) -> Result<()> {
        println!("      web/ {invocation}");
        if !invocation.succeeds()? {
            bail!("`{invocation}` failed in web/");
        }
        Ok(())
    }
}

/// Whether the packages that are there are those of the lock file.
fn is_stamped(folder: &Path) -> bool {
    let read = |name: &str| std::fs::read(folder.join(name));
    read(LOCK).is_ok_and(|lock| read(STAMP).is_ok_and(|stamp| stamp == lock))
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers =
        version.trim().trim_start_matches('v').split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= NODE_MIN
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
