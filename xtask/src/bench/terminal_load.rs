//! `cargo xtask bench terminal`: the terminal app in a real terminal: at rest, and while an answer streams in.
//!
//! Owns the sessions that are played and when the clock of the process is read. What a frame costs by itself is measured
//! without a terminal, in `windlass-benches`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Figure;
use crate::checkout;
use crate::command_line::CommandLine;
use crate::pane::Pane;
use crate::system_package::TMUX;

/// Runs of the long session: a message and an answer each.
const RUNS: usize = 2_500;

/// Words that stream in, and in how many bursts.
const BURSTS: usize = 400;
const BURST_WORDS: usize = 50;

const SIZE: (u16, u16) = (120, 40);
const REST: Duration = Duration::from_secs(10);
const STREAM_LIMIT: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(50);

/// Clock ticks of `/proc/PID/stat` in a second, on every Linux.
const TICKS_A_SECOND: f64 = 100.0;

/// Builds the app and measures it.
pub(crate) fn measure(root: &Path) -> Result<Vec<Figure>> {
    let build = CommandLine::cargo(root, &["build", "--release", "--package", "windlass-cli"]);
    if !build.succeeds()? {
        bail!("`{build}` failed");
    }
    let binary = checkout::read_workspace(root)?.target_folder.join("release/windlass");
    let tmux = TMUX.find_or_install(root)?;
    let pane = Pane::new(&tmux, "load", &[("long", &long_script())])?;
    play(&pane, &binary)?;
    let opened = Instant::now();
    pane.start(SIZE, &binary, &["--model", "scripted/long", "--continue"])?;
    pane.wait_for(&format!("Answer {RUNS}"))?;
    let opened = opened.elapsed();
    pane.wait_for_rest()?;
    let process = pane.process()?;
    let figures = vec![
        figure(
            "terminal app: start to the end of a session of 5,000 messages on the screen",
            opened.as_secs_f64() * 1e3,
            "ms",
            "–",
        ),
        at_rest(process)?,
        while_streaming(&pane, process)?,
        figure("terminal app: memory with that session", resident_mib(process)?, "MiB", "–"),
    ];
    for figure in &figures {
        println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
    }
    Ok(figures)
}

fn figure(name: &str, value: f64, unit: &str, target: &str) -> Figure {
    Figure { name: name.to_owned(), measured: format!("{value:.2} {unit}"), target: target.to_owned() }
}

/// A session of many messages, then one answer that streams.
fn long_script() -> String {
    let mut script = "title A long session\n".to_owned();
    for number in 1..=RUNS {
        let _ = write!(
            script,
            "user Question {number}?\nmodel text <<END\n## Answer {number} \n\nThe drum turns **one way**, as `pawl` {number} \
             holds it.\n\n- haul\n- hold\n\n```rust\nlet held = pawl.hold(load);\n```\nEND\n"
        );
    }
    script.push_str("user Stream.\n");
    for burst in 0..BURSTS {
        let words: Vec<String> =
            (0..BURST_WORDS).map(|word| format!("word{}", burst * BURST_WORDS + word)).collect();
        let _ = writeln!(script, "model delay 5ms\nmodel text {}", words.join(" "));
    }
    script.push_str("model text The stream ends here.\n");
    script
}

/// Plays the long part without a screen: everything but the last message.
fn play(pane: &Pane, binary: &Path) -> Result<()> {
    let whole = std::fs::read_to_string(pane.project().join("long"))?;
    let (long, _) = whole.split_once("user Stream.").context("the script has a last message")?;
    std::fs::write(pane.project().join("part"), long)?;
    let play = CommandLine::new(
        &pane.project(),
        &binary.to_string_lossy(),
        &["run", "-q", "--model", "scripted/part"],
    )
    .env("HOME", &pane.home().to_string_lossy())
    .env("XDG_DATA_HOME", "")
    .env("XDG_CONFIG_HOME", "");
    play.output().map(|_| ())
}

fn at_rest(process: u32) -> Result<Figure> {
    let before = cpu_seconds(process)?;
    std::thread::sleep(REST);
    let used = (cpu_seconds(process)? - before) * 100.0 / REST.as_secs_f64();
    Ok(figure("terminal app: CPU at rest, over 10 s", used, "%", "0"))
}

fn while_streaming(pane: &Pane, process: u32) -> Result<Figure> {
    pane.type_text("Stream.")?;
    let (before, begun) = (cpu_seconds(process)?, Instant::now());
    pane.press("Enter")?;
    while !pane.text()?.contains("The stream ends here.") {
        if begun.elapsed() > STREAM_LIMIT {
            bail!("the stream did not end; on the screen:\n{}", pane.text()?);
        }
        std::thread::sleep(LOOK);
    }
    let (used, took) = (cpu_seconds(process)? - before, begun.elapsed().as_secs_f64());
    let name = format!(
        "terminal app: 20,000 words streamed into 5,000 messages in {took:.1} s, engine and store included"
    );
    Ok(figure(&name, used, "s CPU", "–"))
}

fn stat(process: u32) -> PathBuf {
    Path::new("/proc").join(process.to_string())
}

fn cpu_seconds(process: u32) -> Result<f64> {
    let text = std::fs::read_to_string(stat(process).join("stat"))?;
    // The name in parentheses may have blanks in it.
    let (_, rest) = text.rsplit_once(')').context("/proc/PID/stat has a name")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / TICKS_A_SECOND)
}

fn resident_mib(process: u32) -> Result<f64> {
    let text = std::fs::read_to_string(stat(process).join("status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has a size")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1024.0)
}
