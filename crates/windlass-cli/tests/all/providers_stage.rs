//! A stage for runs against a provider on loopback: configuration, keys, and a clock that nothing outlives.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use windlass_testkit::provider::{ProviderServer, VendorScript};

use crate::lifeline::PATIENCE;
use crate::place::Place;

/// The key of every provider of these tests; it may be seen by providers and by nobody else.
pub(crate) const KEY: &str = "sk-windlass-test-0123456789abcdef";

/// Providers of the catalogue that these tests speak to, with the variable of their key.
pub(crate) const VENDORS: [(&str, &str); 8] = [
    ("openai", "OPENAI_API_KEY"),
    ("openai-chat", "OPENAI_API_KEY"),
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("gemini", "GEMINI_API_KEY"),
    ("openrouter", "OPENROUTER_API_KEY"),
    ("xai", "XAI_API_KEY"),
    ("deepseek", "DEEPSEEK_API_KEY"),
    ("mistral", "MISTRAL_API_KEY"),
];

/// Limits under which only a hang is slow.
pub(crate) const CALM: &str = "[exchange]\nfirst_byte_timeout_ms = 50000\nidle_timeout_ms = 50000\n[limits]\nmodel_retry_delay_ms = 10\n";

/// Limits under which a hang is noticed soon.
pub(crate) const HASTY: &str =
    "[exchange]\nfirst_byte_timeout_ms = 1500\nidle_timeout_ms = 1500\n[limits]\nmodel_retry_delay_ms = 10\n";

/// A project and a provider.
pub(crate) struct Stage {
    pub(crate) place: Place,
    pub(crate) server: ProviderServer,
}

/// How a run went.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with_limits(CALM)
    }

    /// A stage whose configuration has these further lines.
    pub(crate) fn with_limits(limits: &str) -> Self {
        let stage = Self { place: Place::new(), server: ProviderServer::start().unwrap() };
        let mut config = String::from(limits);
        for (vendor, _) in VENDORS.into_iter().chain([("ollama", "")]) {
            let url = stage.server.base_url(vendor);
            config.push_str(&format!("[providers.{vendor}]\nbase_url = \"{url}\"\n"));
        }
        stage.place.configure(&config);
        stage
    }

    /// `windlass run` with all calls approved, asking `vendor` for the script.
    pub(crate) fn command(&self, vendor: &str, script: &VendorScript, args: &[&str]) -> Command {
        let model = format!("{vendor}/{script}");
        let mut command = self.place.command(&["run", "--model", &model, "--approve", "all"]);
        command.args(args).arg("Go on").env("WINDLASS_BASE_URL", self.server.base_url("openai"));
        with_keys(&mut command);
        command
    }

    pub(crate) fn run(&self, vendor: &str, script: &VendorScript, args: &[&str]) -> Ran {
        run(self.command(vendor, script, args))
    }

    /// The lines that calls left behind, one a call that ran.
    pub(crate) fn ran_log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.place.path("ran.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Asserts that strict vendors found nothing to refuse.
    #[track_caller]
    pub(crate) fn assert_nothing_refused(&self) {
        assert!(self.server.ledger().refusals().is_empty(), "{:#?}", self.server.ledger().refusals());
    }
}

/// Gives a command the keys of all providers.
pub(crate) fn with_keys(command: &mut Command) {
    for (_, variable) in VENDORS {
        command.env(variable, KEY);
    }
}

/// What calls leave behind when these steps ran, each call once.
pub(crate) fn lines_of(steps: usize, parallel: usize) -> Vec<String> {
    (0..steps).flat_map(|step| (0..parallel).map(move |place| format!("{step}.{place}"))).collect()
}

/// Runs a command to its end; one that hangs is ended and fails the test.
pub(crate) fn run(mut command: Command) -> Ran {
    let started = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&child);
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(PATIENCE) else {
        kill_process(pid, Signal::KILL).unwrap();
        let said = ended.recv().unwrap().unwrap();
        panic!("the run hangs\n{}{}", text(&said.stdout), text(&said.stderr));
    };
    let output = output.unwrap();
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
        took: started.elapsed(),
    };
    for said in [&ran.out, &ran.err] {
        assert!(!said.contains(KEY), "the key leaked: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    ran
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Ran {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// The events of `--json`.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no event: {line}"));
        self.out.lines().map(parse).collect()
    }

    /// The events of one type.
    #[track_caller]
    pub(crate) fn of_type(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// The code of the one error, which is the reason why the run ended.
    #[track_caller]
    pub(crate) fn error_code(&self) -> String {
        let errors = self.of_type("error");
        assert_eq!(errors.len(), 1, "{}", self.out);
        assert_eq!(self.of_type("done").len(), 1, "{}", self.out);
        errors[0]["code"].as_str().unwrap_or_else(|| panic!("{}", self.out)).to_owned()
    }
}

/// A run that is watched while it goes on.
pub(crate) struct Watched {
    pub(crate) child: Child,
    lines: mpsc::Receiver<String>,
}

impl Watched {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (said, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = said.send(line);
            }
        });
        Self { child, lines }
    }

    /// Waits for the next event of that type.
    #[track_caller]
    pub(crate) fn wait_for(&self, kind: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {kind} came"));
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    }

    pub(crate) fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    pub(crate) fn end(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Already gone in a test that went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
