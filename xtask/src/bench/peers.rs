//! `cargo xtask bench models`: Windlass beside its peers, in one run.
//!
//! Owns the workloads, the order in which peers take their turns, and the ratios. The scripted server and the other
//! peers are not ours: `WINDLASS_PEERS` names the folder they were built in. Every figure is CPU time of the client
//! process; client and server run on different cores.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context as _, Result, bail};

use super::Figure;
use crate::command_line::CommandLine;

pub(crate) const PORT: &str = "9137";
const ROUNDS: usize = 5;
/// The floor, two libraries of our trade, and us; they take turns in this order.
const PEERS: [&str; 4] = ["floor_raw", "genai", "rig", OURS];
pub(crate) const OURS: &str = "windlass";
pub(crate) const FLOOR: &str = "floor_raw";
/// Whole runs of the binary, for what one costs on average.
const STARTS: u32 = 20;

/// What every peer is asked to do, as the peers' own `name=value` arguments.
const LOOP: [&str; 4] = ["k=10", "n=16", "reps=150", "warm=15"];
const LONG: [&str; 4] = ["k=100", "n=16", "reps=12", "warm=1"];
const STREAM: [&str; 5] = ["k=0", "n=2000", "c=1", "reps=30", "warm=5"];
const COALESCED: [&str; 5] = ["k=0", "n=2000", "c=0", "reps=60", "warm=5"];
const ALONE: [&str; 6] = ["k=3", "n=64", "b=300", "conc=1", "reps=1", "warm=0"];
const CROWD: [&str; 6] = ["k=3", "n=64", "b=300", "conc=1000", "reps=1", "warm=0"];

/// What each peer showed in one workload, round by round.
pub(crate) type Rounds = BTreeMap<&'static str, Vec<f64>>;

/// Where the peers were built.
pub(crate) fn folder() -> Result<PathBuf> {
    std::env::var_os("WINDLASS_PEERS").map(PathBuf::from).context(
        "WINDLASS_PEERS is not set: name the folder in which `mock` and `peers_rs` were built (docs/figures.md)",
    )
}

/// Builds our side, starts the server, lets the peers take turns.
pub(crate) fn measure(root: &Path) -> Result<Vec<Figure>> {
    let peers = Peers::build(root, &folder()?)?;
    let _server = Server::start(root, &peers.mock, PORT)?;
    let mut figures = Vec::new();
    let steps = peers.rounds("us_cpu_per_step", &LOOP, &PEERS)?;
    report_ratios(&mut figures, "step of a tool loop over HTTP", &steps)?;
    let late = peers.rounds("us_cpu_per_step", &LONG, &PEERS)?;
    for peer in PEERS {
        let growth = least(&late, peer)? / least(&steps, peer)?;
        figures.push(figure(
            &format!("{peer}: growth of a step from 10 to 100 steps"),
            growth,
            "times",
            peer,
            "at most 1.2",
        ));
    }
    for (name, load) in [("one write an event", &STREAM), ("coalesced", &COALESCED)] {
        let rates = peers.rounds("chunks_per_cpu_s", load, &PEERS)?;
        for peer in PEERS {
            let name = format!("{peer}: streamed pieces, {name}");
            figures.push(figure(&name, most(&rates, peer)?, "pieces a CPU-second", peer, "at least 400000"));
        }
    }
    let alone = peers.rounds("maxrss_mb", &ALONE, &[FLOOR, OURS])?;
    let crowd = peers.rounds("maxrss_mb", &CROWD, &[FLOOR, OURS])?;
    for peer in [FLOOR, OURS] {
        let kib = (median(&crowd, peer)? - median(&alone, peer)?) * 1024.0 / 999.0;
        figures.push(figure(
            &format!("{peer}: a session in flight, 1,000 at once"),
            kib,
            "KiB",
            peer,
            "at most 40",
        ));
    }
    figures.push(peers.start_up()?);
    for figure in &figures {
        println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
    }
    Ok(figures)
}

/// The best round in µs, and the median of the rounds' ratios: peer and floor of one round ran in the same minute.
fn report_ratios(figures: &mut Vec<Figure>, name: &str, rounds: &Rounds) -> Result<()> {
    let floor = values(rounds, FLOOR)?;
    for (peer, micros) in rounds {
        figures.push(figure(&format!("{peer}: {name}"), least(rounds, peer)?, "µs CPU", peer, "–"));
        let ratios: Vec<f64> = micros.iter().zip(floor).map(|(own, floor)| own / floor).collect();
        let name = format!("{peer}: {name}, against the floor");
        figures.push(figure(&name, middle(ratios), "times", peer, "at most 1.8"));
    }
    Ok(())
}

/// A figure; only our own have a target.
fn figure(name: &str, value: f64, unit: &str, peer: &str, target: &str) -> Figure {
    let target = if peer == OURS { target } else { "–" };
    Figure { name: name.to_owned(), measured: format!("{value:.2} {unit}"), target: target.to_owned() }
}

pub(crate) fn values<'a>(rounds: &'a Rounds, peer: &str) -> Result<&'a [f64]> {
    rounds.get(peer).map(Vec::as_slice).with_context(|| format!("{peer} gave no figure"))
}

/// The smallest time: noise only ever adds.
pub(crate) fn least(rounds: &Rounds, peer: &str) -> Result<f64> {
    Ok(values(rounds, peer)?.iter().copied().fold(f64::INFINITY, f64::min))
}

/// The largest rate, for the same reason.
fn most(rounds: &Rounds, peer: &str) -> Result<f64> {
    Ok(values(rounds, peer)?.iter().copied().fold(0.0, f64::max))
}

fn median(rounds: &Rounds, peer: &str) -> Result<f64> {
    values(rounds, peer).map(|values| middle(values.to_vec()))
}

pub(crate) fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Where the programs are.
pub(crate) struct Peers {
    root: PathBuf,
    pub(crate) mock: PathBuf,
    others: PathBuf,
    ours: PathBuf,
    pub(crate) binary: PathBuf,
}

impl Peers {
    pub(crate) fn build(root: &Path, folder: &Path) -> Result<Self> {
        let build = CommandLine::cargo(
            root,
            &["build", "--release", "-p", "windlass-benches", "-p", "windlass-cli", "--bins"],
        );
        if !build.succeeds()? {
            bail!("`{build}` failed");
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let peers = Self {
            root: root.to_owned(),
            mock: folder.join("mock/target/release/mock"),
            others: folder.join("peers_rs/target/release/peers_rs"),
            ours: target.join("release/windlass-peer"),
            binary: target.join("release/windlass"),
        };
        for program in [&peers.mock, &peers.others, &peers.ours, &peers.binary] {
            if !program.is_file() {
                bail!("{} does not exist: build it first", program.display());
            }
        }
        Ok(peers)
    }

    /// Lets the peers take turns.
    fn rounds(&self, field: &str, load: &[&str], peers: &[&'static str]) -> Result<Rounds> {
        let mut rounds = Rounds::new();
        for round in 1..=ROUNDS {
            for peer in peers {
                let seen = self.once(peer, field, load)?;
                println!("{peer} {} round {round}: {field} {seen:.2}", load.join(" "));
                rounds.entry(*peer).or_default().push(seen);
            }
        }
        Ok(rounds)
    }

    pub(crate) fn once(&self, peer: &str, field: &str, load: &[&str]) -> Result<f64> {
        let mut args = vec!["-c".to_owned(), "0".to_owned()];
        if peer == OURS {
            args.push(self.ours.display().to_string());
        } else {
            args.extend([self.others.display().to_string(), peer.to_owned(), "stream=1".to_owned()]);
        }
        args.extend(load.iter().map(|arg| (*arg).to_owned()));
        args.push(format!("url=http://127.0.0.1:{PORT}/v1"));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let printed = CommandLine::new(&self.root, "taskset", &args).output()?;
        let line = printed.lines().last().with_context(|| format!("{peer} printed nothing"))?;
        let value: serde_json::Value =
            serde_json::from_str(line).with_context(|| format!("{peer} printed {line}"))?;
        if let Some(error) = value.get("err").and_then(serde_json::Value::as_str) {
            bail!("{peer} failed: {error}");
        }
        value
            .get(field)
            .and_then(serde_json::Value::as_f64)
            .with_context(|| format!("{peer} printed no {field}: {line}"))
    }

    /// CPU of whole runs of the binary with one request; what comes before the request is less.
    fn start_up(&self) -> Result<Figure> {
        let script = format!(
            "TIMEFORMAT='%U %S'; time (for i in $(seq {STARTS}); do {} run --model openai-compatible/k0-n1 hello >/dev/null 2>&1 \
             || exit 1; done)",
            self.binary.display()
        );
        let home = self.root.join("target/bench-home");
        std::fs::create_dir_all(&home)?;
        let command = CommandLine::new(&self.root, "bash", &["-c", &format!("{script} 2>&1")])
            .env("WINDLASS_BASE_URL", &format!("http://127.0.0.1:{PORT}/v1"))
            .env("HOME", &home.display().to_string());
        let mut command = command.command();
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            bail!("`windlass run` failed: {}", String::from_utf8_lossy(&output.stdout).trim());
        }
        let printed =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let seconds: f64 = printed.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).sum();
        let millis = seconds * 1000.0 / f64::from(STARTS);
        Ok(figure(
            "`windlass run`, from its start to the end of a run with one request",
            millis,
            "ms CPU",
            OURS,
            "at most 12",
        ))
    }
}

/// A server that is not ours; ends with this value.
pub(crate) struct Server(Child);

impl Server {
    /// The scripted one, on a core of its own.
    pub(crate) fn start(root: &Path, mock: &Path, port: &str) -> Result<Self> {
        let program = mock.display().to_string();
        let start = CommandLine::new(root, "taskset", &["-c", "1", &program, port]);
        Self::spawn(&start, &format!("127.0.0.1:{port}"))
    }

    /// Any other, which listens there.
    pub(crate) fn spawn(start: &CommandLine, address: &str) -> Result<Self> {
        let child = start.command().stdin(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = Self(child);
        for _ in 0..100 {
            if std::net::TcpStream::connect(address).is_ok() {
                return Ok(server);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        bail!("`{start}` does not listen on {address}")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
