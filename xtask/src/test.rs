//! `cargo xtask test`: every check of the house, in order, until one fails.
//!
//! Owns the list of steps and how they are told. What a step checks is cargo's, a pinned tool's or another task's
//! business. A new check is one row in [`STEPS`].

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::command_line::CommandLine;
use crate::toolbox::{self, PinnedTool};
use crate::{api, checkout, clients, features, requirements, semver, system_package, tidy, web};

/// Fetching the advisory database may hang on a network that swallows packets.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

/// The binary kills itself at chosen places only when it is built for that, and the library is tested with everything.
pub(crate) const TEST_FEATURES: &str = "windlass-cli/crash-points,windlass/full";

/// What `test` may be asked for.
#[derive(clap::Args)]
pub(crate) struct TestOptions {
    /// Run this step and no other; may be given several times
    #[arg(long, value_name = "STEP", value_parser = step_names())]
    only: Vec<String>,
    /// Leave this step out; may be given several times
    #[arg(long, value_name = "STEP", value_parser = step_names())]
    skip: Vec<String>,
    /// While you work: formatting, the walls, the requirements and the tests beside the code, not those of the binary
    #[arg(long, conflicts_with_all = ["only", "skip"])]
    quick: bool,
}

struct TestStep {
    name: &'static str,
    run: fn(&Site) -> Result<()>,
}

/// The steps: cheap ones first, so that a slip is told within seconds.
const STEPS: &[TestStep] = &[
    TestStep { name: "fmt", run: |site| site.cargo(&["fmt", "--all", "--check"]) },
    TestStep { name: "tidy", run: |site| tidy::run(&site.root, &tidy::TidyOptions::default()) },
    TestStep { name: "requirements", run: check_requirements },
    TestStep {
        name: "clippy",
        run: |site| {
            site.cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--features",
                TEST_FEATURES,
                "--",
                "-D",
                "warnings",
            ])
        },
    },
    TestStep { name: "emulator", run: fetch_emulator },
    TestStep { name: "encoder", run: fetch_encoder },
    TestStep {
        name: "bubblewrap",
        run: |site| {
            system_package::BUBBLEWRAP.install_where_possible(&site.root);
            Ok(())
        },
    },
    TestStep { name: "tmux", run: |site| system_package::TMUX.find_or_install(&site.root).map(|_| ()) },
    TestStep { name: "test", run: |site| site.cargo(&["test", "--workspace", "--features", TEST_FEATURES]) },
    TestStep { name: "features", run: |site| features::run(&site.root) },
    TestStep { name: "publish", run: check_packages },
    TestStep { name: "semver", run: |site| semver::run(&site.root, &site.target_folder()?) },
    TestStep { name: "clients", run: |site| clients::run(&site.root, &site.target_folder()?) },
    TestStep { name: "api", run: |site| api::run(&site.root, &site.target_folder()?) },
    TestStep { name: "web", run: |site| web::run(&site.root, &site.target_folder()?) },
    TestStep { name: "browser", run: |site| web::run_in_browser(&site.root, &site.target_folder()?) },
    TestStep { name: "doc", run: check_docs },
    TestStep { name: "deny", run: check_dependencies },
    TestStep { name: "machete", run: find_unused_dependencies },
];

/// What a change is tried with while it is made: seconds once everything is compiled.
const QUICK_STEPS: &[&str] = &["fmt", "tidy", "requirements"];
const UNIT_TESTS: TestStep = TestStep {
    name: "units",
    run: |site| site.cargo(&["test", "--workspace", "--lib", "--bins", "--features", TEST_FEATURES]),
};

fn step_names() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).collect()
}

/// Where the steps run.
struct Site {
    root: PathBuf,
}

impl Site {
    fn cargo(&self, args: &[&str]) -> Result<()> {
        self.must(&CommandLine::cargo(&self.root, args))
    }

    fn must(&self, invocation: &CommandLine) -> Result<()> {
        println!("      {invocation}");
        if !invocation.succeeds()? {
            bail!("`{invocation}` failed");
        }
        Ok(())
    }

    fn target_folder(&self) -> Result<PathBuf> {
        Ok(checkout::read_workspace(&self.root)?.target_folder)
    }

    fn tool(&self, tool: &PinnedTool) -> Result<String> {
        Ok(tool.find_or_install(&self.root, &self.target_folder()?)?.to_string_lossy().into_owned())
    }
}

fn check_requirements(site: &Site) -> Result<()> {
    requirements::run(
        &site.root,
        &requirements::RequirementsOptions { check_docs: true, brief: true, ..Default::default() },
    )
}

/// The tests of the binary start the emulator; it is fetched once.
fn fetch_emulator(site: &Site) -> Result<()> {
    toolbox::EMULATOR.find_or_install(&site.root, &site.target_folder()?)
}

/// The tests of the binary hold its vectors against those of the reference; it is fetched once.
fn fetch_encoder(site: &Site) -> Result<()> {
    toolbox::ENCODER.find_or_install(&site.root, &site.target_folder()?).map(drop)
}

/// Every crate that is meant for others could be published; nothing is uploaded, and nothing compiled again.
fn check_packages(site: &Site) -> Result<()> {
    site.cargo(&["publish", "--dry-run", "--workspace", "--no-verify", "--allow-dirty", "--quiet"])
}

fn check_docs(site: &Site) -> Result<()> {
    site.must(
        &CommandLine::cargo(&site.root, &["doc", "--no-deps", "--workspace", "--features", TEST_FEATURES])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

fn check_dependencies(site: &Site) -> Result<()> {
    let deny = site.tool(&toolbox::DENY)?;
    site.must(&CommandLine::new(
        &site.root,
        &deny,
        &["check", "--hide-inclusion-graph", "bans", "licenses", "sources"],
    ))?;
    if CommandLine::new(&site.root, &deny, &["fetch", "db"]).succeeds_within(FETCH_LIMIT)? {
        return site.must(&CommandLine::new(&site.root, &deny, &["--offline", "check", "advisories"]));
    }
    println!("      advisories NOT checked: the advisory database cannot be fetched from here");
    Ok(())
}

fn find_unused_dependencies(site: &Site) -> Result<()> {
    let machete = site.tool(&toolbox::MACHETE)?;
    site.must(&CommandLine::new(&site.root, &machete, &[]))
}

/// Runs the chosen steps and tells how long each took.
pub(crate) fn run(root: &Path, options: &TestOptions) -> Result<()> {
    let site = Site { root: root.to_owned() };
    let mut chosen: Vec<_> = STEPS.iter().filter(|step| is_chosen(step.name, options)).collect();
    if options.quick {
        chosen.push(&UNIT_TESTS);
    }
    if chosen.is_empty() {
        bail!("no step is left to run; the steps are {}", step_names().join(", "));
    }
    run_steps(&site, &chosen, Style::of_stdout())
}

fn is_chosen(name: &str, options: &TestOptions) -> bool {
    if options.quick {
        return QUICK_STEPS.contains(&name);
    }
    let named = |list: &[String]| list.iter().any(|entry| entry == name);
    (options.only.is_empty() || named(&options.only)) && !named(&options.skip)
}

fn run_steps(site: &Site, steps: &[&TestStep], style: Style) -> Result<()> {
    let started = Instant::now();
    let mut summary = String::new();
    for (number, step) in (1..).zip(steps) {
        println!("{}", style.bold(&format!("[{number}/{}] {}", steps.len(), step.name)));
        let step_started = Instant::now();
        let verdict = (step.run)(site);
        let took = seconds(step_started.elapsed());
        if let Err(error) = verdict {
            println!("{}", style.bold(&format!("      failed after {took}")));
            bail!(
                "step {}: {error:#}\nrepeat it alone with: cargo xtask test --only {}",
                step.name,
                step.name
            );
        }
        println!("      ok, {took}");
        let _ = writeln!(summary, "  {:<13} {took:>9}", step.name);
    }
    println!(
        "{}\n{summary}  {:<13} {:>9}",
        style.bold("all steps passed"),
        "together",
        seconds(started.elapsed())
    );
    Ok(())
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// How headings are told: bold on a terminal, plain in a log.
#[derive(Clone, Copy)]
struct Style {
    decorated: bool,
}

impl Style {
    fn of_stdout() -> Self {
        Self { decorated: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }

    fn bold(self, text: &str) -> String {
        if self.decorated { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
#[path = "test_tests.rs"]
mod tests;
