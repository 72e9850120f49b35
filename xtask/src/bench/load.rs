//! `cargo xtask bench server`: the real server under load, and what a durable step costs.
//!
//! Owns the processes, the conversations they play and the order of the measurements; the client's side is
//! `windlass-load`. The scripted model server and the bare relay are not ours: `WINDLASS_PEERS` names their folder.
//! Everything happens on this machine and stops by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::Figure;
use super::peers::{self, FLOOR, OURS, Peers, Server, least, middle, values};
use crate::command_line::CommandLine;
use crate::server_process::{ServerProcess, serve_args};

/// The bare relay asks for its model there.
const MOCK_PORT: &str = "9100";
const METRONOME_PORT: &str = "9138";
/// Where the bare relay listens, and what its pieces look like.
const RELAY_ADDRESS: &str = "127.0.0.1:9201";
const RELAY_MARK: &str = "text-delta";
const ROUNDS: usize = 3;
const PIECES: usize = 500;
/// Answers one after another, and sixteen at once.
const RELAYED: [(usize, [&str; 2]); 2] = [(1, ["conc=1", "reps=200"]), (16, ["conc=16", "reps=20"])];
const RUNS: usize = 1_000;
const SILENT: usize = 5_000;
/// A server that does not answer by then is broken.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Steps of durable sessions, 16 and 64 of them at once.
const DURABLE: [(usize, [&str; 5]); 2] = [
    (16, ["k=10", "n=16", "conc=16", "reps=10", "warm=15"]),
    (64, ["k=10", "n=16", "conc=64", "reps=4", "warm=15"]),
];
/// The floor's step is that of the other comparisons: one session after another.
const DURABLE_FLOOR: [&str; 4] = ["k=10", "n=16", "reps=160", "warm=15"];

/// Builds our side and measures everything.
pub(crate) fn measure(root: &Path, only: Option<&str>) -> Result<Vec<Figure>> {
    let bench = ServerBench::build(root)?;
    let mut figures = Vec::new();
    let parts: [(&str, ServerBenchPart); 5] = [
        ("relay", ServerBench::relay),
        ("durable", ServerBench::durable),
        ("recovery", ServerBench::recovery),
        ("crowd", ServerBench::crowd),
        ("silent", ServerBench::silent),
    ];
    for (name, part) in parts {
        if only.is_none_or(|only| only == name) {
            for figure in part(&bench)? {
                println!("figure: {} = {} (target {})", figure.name, figure.measured, figure.target);
                figures.push(figure);
            }
        }
    }
    Ok(figures)
}

type ServerBenchPart = fn(&ServerBench) -> Result<Vec<Figure>>;

/// The programs, and a folder for what they write.
struct ServerBench {
    root: PathBuf,
    peers: Peers,
    load: PathBuf,
    relay: PathBuf,
    place: PathBuf,
}

/// How a server is started.
struct ServerStart<'a> {
    model: &'a str,
    base_url: &'a str,
    /// The cores it runs on.
    cores: &'a str,
    /// A name for its data; what is there already stays.
    data: &'a str,
}

impl ServerBench {
    fn build(root: &Path) -> Result<Self> {
        let folder = peers::folder()?;
        let peers = Peers::build(root, &folder)?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let place = target.join("load");
        // The last time's data would be recovered.
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("project"))?;
        fs::write(place.join("config.toml"), "")?;
        fs::write(place.join("load.script"), load_script())?;
        fs::write(place.join("unfinished.script"), unfinished_script())?;
        let load = target.join("release/windlass-load");
        let relay = folder.join("peers_rs/target/release/relay");
        Ok(Self { root: root.to_owned(), peers, load, relay, place })
    }

    fn path(&self, name: &str) -> String {
        self.place.join(name).display().to_string()
    }

    /// `windlass serve`, with its data on the disk.
    fn serve(&self, start: &ServerStart<'_>) -> Result<ServerProcess> {
        let binary = self.peers.binary.display().to_string();
        let serve = serve_args(&self.place, start.data, start.model);
        let mut args = vec!["-c", start.cores, &binary];
        args.extend(serve.iter().map(String::as_str));
        // What is measured is streams, not who may read them.
        args.push("--no-token");
        let serve = CommandLine::new(&self.place, "taskset", &args)
            .env("WINDLASS_LOG", "error")
            .env("WINDLASS_BASE_URL", start.base_url);
        ServerProcess::start(&serve, &self.place.join(format!("{}.log", start.data)))
    }

    /// Puts a load on a server and gives what it printed.
    fn put(&self, load: &str, address: &str, pid: u32, cores: &str, more: &[&str]) -> Result<Value> {
        let (program, address) = (self.load.display().to_string(), format!("addr={address}"));
        let pid = format!("pid={pid}");
        let mut args = vec!["-c", cores, &program, load, &address, &pid];
        args.extend(more);
        let printed = CommandLine::new(&self.root, "taskset", &args).output()?;
        println!("{load} {}: {}", more.join(" "), printed.trim());
        serde_json::from_str(printed.trim()).with_context(|| format!("{load} printed {printed}"))
    }

    /// Pieces a CPU-second of the server, beside a bare relay.
    fn relay(&self) -> Result<Vec<Figure>> {
        let _mock = Server::start(&self.root, &self.peers.mock, MOCK_PORT)?;
        let mut figures = Vec::new();
        for (name, writes) in [("one write an event", 1), ("coalesced", 0)] {
            for (sessions, load) in RELAYED {
                let (mut ours, mut bare) = (0.0_f64, 0.0_f64);
                for _ in 0..ROUNDS {
                    let script = format!("k0-n{PIECES}-c{writes}");
                    ours = ours.max(self.relay_ours(&script, &load)?);
                    bare = bare.max(self.relay_bare(&script, &load)?);
                }
                let name = format!("pieces through a server, {name}, {sessions} at once");
                let unit = "pieces a CPU-second";
                figures.push(figure(&format!("windlass serve: {name}"), ours, unit, "at least 200000"));
                figures.push(figure(&format!("bare axum relay: {name}"), bare, unit, "–"));
            }
        }
        Ok(figures)
    }

    fn relay_ours(&self, script: &str, load: &[&str]) -> Result<f64> {
        let (model, data) = (format!("openai-compatible/{script}"), format!("relay-{script}"));
        let base_url = format!("http://127.0.0.1:{MOCK_PORT}/v1");
        let served =
            self.serve(&ServerStart { model: &model, base_url: &base_url, cores: "0", data: &data })?;
        let seen = self.put("relay", served.address(), served.pid(), "1", load)?;
        number(&seen, "frames_per_cpu_s")
    }

    fn relay_bare(&self, script: &str, load: &[&str]) -> Result<f64> {
        let relay = self.relay.display().to_string();
        let start = CommandLine::new(&self.root, "taskset", &["-c", "0", &relay, "event"]);
        let other = Server::spawn(&start, RELAY_ADDRESS)?;
        let (path, mark) = (format!("path=/chat?model={script}"), format!("mark={RELAY_MARK}"));
        let mut more = load.to_vec();
        more.extend([path.as_str(), mark.as_str()]);
        let seen = self.put("relay", RELAY_ADDRESS, other.pid(), "1", &more)?;
        number(&seen, "frames_per_cpu_s")
    }

    /// A step whose records are on the disk, against the same step of the floor.
    fn durable(&self) -> Result<Vec<Figure>> {
        let _mock = Server::start(&self.root, &self.peers.mock, peers::PORT)?;
        let mut figures = Vec::new();
        for (sessions, load) in DURABLE {
            let at_once = format!("conc={sessions}");
            let crowded = ["k=10", "n=16", "reps=1", "warm=15", &at_once];
            let mut floor_at_once = f64::INFINITY;
            let mut rounds = peers::Rounds::new();
            for round in 0..ROUNDS {
                floor_at_once = floor_at_once.min(self.peers.once(FLOOR, "us_cpu_per_step", &crowded)?);
                let folder = format!("durable={}", self.path(&format!("durable-{sessions}-{round}")));
                let mut ours = load.to_vec();
                ours.push(&folder);
                for (peer, load) in [(FLOOR, &DURABLE_FLOOR[..]), (OURS, &ours)] {
                    let seen = self.peers.once(peer, "us_cpu_per_step", load)?;
                    println!("{peer} {} round {round}: us_cpu_per_step {seen:.2}", load.join(" "));
                    rounds.entry(peer).or_default().push(seen);
                }
            }
            let ratios =
                values(&rounds, OURS)?.iter().zip(values(&rounds, FLOOR)?).map(|(own, floor)| own / floor);
            let name =
                format!("windlass: durable step of a tool loop over HTTP, {sessions} sessions at once");
            figures.push(figure(&name, least(&rounds, OURS)?, "µs CPU", "–"));
            let against = format!("{name}, against the floor");
            figures.push(figure(&against, middle(ratios.collect()), "times", "at most 2.5"));
            let against = format!("{name}, against the floor with as many at once");
            figures.push(figure(&against, least(&rounds, OURS)? / floor_at_once, "times", "–"));
        }
        Ok(figures)
    }

    /// From the end of a killed server's successor's start to its first answer: all runs are taken up before it.
    fn recovery(&self) -> Result<Vec<Figure>> {
        let model = format!("scripted/{}", self.path("unfinished.script"));
        let start = ServerStart { model: &model, base_url: "", cores: "0,1", data: "unfinished" };
        let served = self.serve(&start)?;
        let runs = format!("runs={RUNS}");
        self.put("unfinished", served.address(), served.pid(), "0,1", &[&runs])?;
        // Dropping it kills it, without a word.
        drop(served);
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let served = self.serve(&start)?;
            let began = Instant::now();
            while !answers(served.address()) {
                if began.elapsed() > ANSWER_LIMIT {
                    bail!("the server does not answer after {RUNS} runs were left in the middle");
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            best = best.min(began.elapsed().as_secs_f64() * 1e3);
            drop(served);
            let said = fs::read_to_string(self.place.join("unfinished.log"))?;
            if !said.contains(&format!("{RUNS} taken up again")) {
                bail!("not all runs were taken up again: {said}");
            }
        }
        let name = format!("{RUNS} unfinished sessions taken up again after kill -9, to the first answer");
        Ok(vec![figure(&name, best, "ms", "under 1000")])
    }

    /// Many runs, twice as many readers, half of them slow.
    fn crowd(&self) -> Result<Vec<Figure>> {
        let model = format!("scripted/{}", self.path("load.script"));
        let start = ServerStart { model: &model, base_url: "", cores: "0,1", data: "crowd" };
        let served = self.serve(&start)?;
        let runs = format!("runs={RUNS}");
        let seen = self.put("crowd", served.address(), served.pid(), "0,1", &[&runs])?;
        let all = format!("{}", RUNS * 2);
        let name =
            |what: &str| format!("{RUNS} runs at once, {} readers, half of them slow: {what}", RUNS * 2);
        Ok(vec![
            figure(&name("runs that went on together"), number(&seen, "at_once")?, "runs", "–"),
            figure(&name("whole streams, the same bytes as the record"), streams(&seen)?, "streams", &all),
            figure(&name("readers that broke off and came back"), number(&seen, "resumed")?, "readers", "–"),
            figure(&name("runs that were cancelled"), number(&seen, "cancelled")?, "runs", "–"),
            figure(&name("frames read"), number(&seen, "frames")?, "frames", "–"),
            figure(&name("CPU of the server"), number(&seen, "server_cpu_s")?, "s CPU", "–"),
            figure(&name("memory of the server at the end"), number(&seen, "server_rss_mb")?, "MiB", "–"),
        ])
    }

    /// Readers that do not read, beside one that does.
    fn silent(&self) -> Result<Vec<Figure>> {
        let base_url = format!("http://127.0.0.1:{METRONOME_PORT}/v1");
        let start = ServerStart {
            model: "openai-compatible/metronome",
            base_url: &base_url,
            cores: "0,1",
            data: "silent",
        };
        let served = self.serve(&start)?;
        let more = [format!("readers={SILENT}"), format!("port={METRONOME_PORT}")];
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let seen = self.put("silent", served.address(), served.pid(), "0,1", &more)?;
        let name = |what: &str| format!("{SILENT} readers that do not read: {what}");
        let p99 = |when: &str| number(seen.get(when).unwrap_or(&Value::Null), "p99_us");
        Ok(vec![
            figure(
                &name("memory of the server for each"),
                number(&seen, "kib_a_reader")?,
                "KiB",
                "at most 32",
            ),
            figure(&name("a fast reader's p99 without them"), p99("alone")?, "µs", "–"),
            figure(&name("a fast reader's p99 beside them"), p99("beside")?, "µs", "–"),
            figure(&name("the one against the other"), number(&seen, "p99_times")?, "times", "at most 2"),
        ])
    }
}

/// Readers that saw all of their run, byte for byte; none counts of a run of which one did not.
fn streams(seen: &Value) -> Result<f64> {
    Ok(number(seen, "whole")?.min(number(seen, "same")?) * 2.0)
}

fn number(value: &Value, field: &str) -> Result<f64> {
    value.get(field).and_then(Value::as_f64).with_context(|| format!("no {field} in {value}"))
}

fn figure(name: &str, value: f64, unit: &str, target: &str) -> Figure {
    Figure { name: name.to_owned(), measured: format!("{value:.2} {unit}"), target: target.to_owned() }
}

/// Whether a server answers a request.
fn answers(address: &str) -> bool {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return false };
    let asked = write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut said = [0; 12];
    asked.is_ok() && stream.read_exact(&mut said).is_ok() && said.ends_with(b"200")
}

/// Six steps of 51 pieces with pauses, and five calls.
fn load_script() -> String {
    let mut script = "title A run under load\napprove all\nchunk 240\n\nuser Go.\n".to_owned();
    for step in 0..6 {
        for part in 0..3 {
            let words: Vec<String> =
                (0..226).map(|word| format!("step{step}part{part}word{word:03}")).collect();
            script += &format!("model text {}\nmodel delay 1000ms\n", words.join(" "));
        }
        if step < 5 {
            script += &format!("model call {} calculate {{\"expression\":\"{step} + 1\"}}\n", step + 1);
        }
    }
    script
}

/// Four steps with a call each; the fifth says something and then nothing more.
fn unfinished_script() -> String {
    let mut script = "title A run that is left in the middle\napprove all\n\nuser Go.\n".to_owned();
    for call in 1..=4 {
        script += "model text I shall calculate that first.\n";
        script += &format!("model call {call} calculate {{\"expression\":\"{call} + 1\"}}\n");
    }
    script + "model text WAITING\nmodel hang\n"
}
