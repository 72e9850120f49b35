//! `windlass serve`: where it listens, whom it lets in, how it ends, and what it takes up again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::place::Place;

const SCRIPT: &str = "user Hi\nmodel text Hello there.\nuser Again\nmodel text Once more.\n";

/// A server and where it listens.
pub(crate) struct Served {
    child: Child,
    address: String,
    /// What clients send; nothing where the server made no token.
    token: String,
    _out: BufReader<ChildStdout>,
}

impl Served {
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let args = [&["--model", "scripted/a.script"], args].concat();
        Self::start_with(place, &args, &[])
    }

    /// The same with any model, and with variables.
    pub(crate) fn start_with(place: &Place, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let args = [&["serve", "--addr", "127.0.0.1:0"], args].concat();
        let mut command = place.command(&args);
        command.envs(vars.iter().copied());
        Self::spawn(command)
    }

    /// A server of this command.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let data = command.get_envs().find(|(name, _)| *name == "XDG_DATA_HOME").and_then(|(_, path)| path);
        let token_file = Path::new(data.unwrap()).join("windlass/token");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().split_once("://").unwrap().1.trim_end_matches('/').to_owned();
        assert!(!address.ends_with(":0"), "{line}");
        let token = std::fs::read_to_string(token_file).unwrap_or_default().trim().to_owned();
        Self { child, address, token, _out: out }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The header that lets a client in, and its line end.
    pub(crate) fn key(&self) -> String {
        if self.token.is_empty() {
            String::new()
        } else {
            format!("authorization: Bearer {}\r\n", self.token)
        }
    }

    /// Lines of stderr until one that has this in it.
    pub(crate) fn says(&mut self, text: &str) -> String {
        let err = self.child.stderr.as_mut().unwrap();
        let mut lines = BufReader::with_capacity(1, err).lines().map_while(Result::ok);
        lines.find(|line| line.contains(text)).unwrap_or_else(|| panic!("nothing about '{text}'"))
    }

    pub(crate) fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// One request; the status and the body.
    pub(crate) fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let (status, _, body) = self.ask_as(&format!("host: {}\r\n{}", self.address, self.key()), head, body);
        (status, body)
    }

    /// One request with just these headers, each with its line end; the status, the head and the body.
    pub(crate) fn ask_as(&self, headers: &str, head: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\n{headers}connection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}",
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_owned(), body.to_owned())
    }

    /// A connection on which the events of a run come.
    pub(crate) fn events(&self, run: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, key) = (&self.address, self.key());
        write!(
            stream,
            "GET /api/runs/{run}/events HTTP/1.1\r\nhost: {host}\r\n{key}connection: close\r\n\r\n"
        )
        .unwrap();
        stream
    }

    pub(crate) fn json(&self, head: &str, body: &str) -> Value {
        let (status, answer) = self.ask(head, body);
        assert!((200..300).contains(&status), "{head}: {status} {answer}");
        // A body in chunks has their lengths around it.
        let (from, to) = (answer.find(['{', '[']).unwrap(), answer.rfind(['}', ']']).unwrap());
        serde_json::from_str(&answer[from..=to]).unwrap()
    }

    /// Follows a run until an event of this type.
    pub(crate) fn wait_for(&self, run: &str, kind: &str) {
        let mut lines = BufReader::new(self.events(run)).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains(&format!("\"type\":\"{kind}\""))), "no {kind}");
    }

    /// Waits until it dies by itself.
    #[cfg(feature = "crash-points")]
    pub(crate) fn wait_for_death(&mut self) {
        self.child.wait().unwrap();
    }

    /// The first frame of this type of a run.
    pub(crate) fn first(&self, run: &str, kind: &str) -> Value {
        self.find(run, |frame| frame["type"] == kind)
    }

    /// The first frame of a run that is so; waits for it.
    pub(crate) fn find(&self, run: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let lines = BufReader::new(self.events(run)).lines().map_while(Result::ok);
        let mut frames = lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        frames.find(is_so).expect("a frame that is so")
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let code = self.child.wait().unwrap().code();
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (code, err)
    }
}

/// A test that fails leaves no server behind.
impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn place() -> Place {
    Place::with(&[("a.script", SCRIPT)])
}

#[test]
fn it_says_where_it_listens_serves_and_ends_in_peace() {
    let place = place();
    let served = Served::start(&place, &[]);
    assert_eq!(served.ask("GET /healthz", "").0, 200);
    let session = served.json("POST /api/sessions", "{}");
    let id = session["session_id"].as_str().unwrap();
    served.json(&format!("POST /api/sessions/{id}/runs"), "{\"message\":\"Hi\"}");
    let (code, err) = served.stop();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("model scripted/a.script · root ") && err.contains(" · data in "), "{err}");
    assert!(err.contains("stopping: runs are brought to a safe point"), "{err}");
    // What came over HTTP is in the same folder as everything else.
    assert!(place.windlass(&["sessions", "list"]).exits(0).out.contains(&id[..13]));
}

#[test]
fn an_address_beyond_this_machine_needs_a_token() {
    let place = place();
    let serve = ["serve", "--model", "scripted/a.script", "--addr", "0.0.0.0:0"];
    let open = [&serve[..], &["--no-token"]].concat();
    place.windlass(&open).complains(2, &["can be reached by other machines", "--no-token", "windlass token"]);
    place.write("token", "short\n");
    let args = [&serve[..], &["--token-file", "token"]].concat();
    place.windlass(&args).complains(2, &["has no token in it", "openssl rand -hex 32 > token"]);
    let args = [&serve[..], &["--token-file", "nowhere"]].concat();
    place.windlass(&args).complains(2, &["nowhere"]);
}

#[test]
fn with_a_token_nobody_is_let_in_without_it() {
    let place = place();
    place.write("token", "0123456789abcdef0123456789abcdef\n");
    let served = Served::start(&place, &["--token-file", "token"]);
    assert_eq!(served.ask("GET /api/sessions", "").0, 401);
    let with =
        "GET /api/sessions HTTP/1.1\r\nauthorization: Bearer 0123456789abcdef0123456789abcdef\r\nx-rest:";
    assert_eq!(served.ask(with, "").0, 200);
    let (_, err) = served.stop();
    assert!(!err.contains("0123456789abcdef"), "{err}");
}

#[test]
fn an_address_in_use_or_no_address_is_said_so() {
    let place = place();
    let served = Served::start(&place, &[]);
    let serve = |address: &str| place.windlass(&["serve", "--model", "scripted/a.script", "--addr", address]);
    serve(&served.address).complains(1, &["is in use by another program", "--addr 127.0.0.1:0"]);
    serve("nonsense").complains(2, &["'nonsense' is no address to listen on", "--addr"]);
    // A port alone is one of this machine, here the one that is taken.
    let port = served.address.trim_start_matches("127.0.0.1:");
    place
        .windlass(&["serve", "--model", "scripted/a.script", "--port", port])
        .complains(1, &[&served.address, "is in use by another program"]);
    place.configure("[server]\naddr = \"127.0.0.1:x\"\n");
    place.windlass(&["serve", "--model", "scripted/a.script"]).complains(2, &["config.toml"]);
    place.configure("");
    served.stop();
}

#[test]
fn a_request_cannot_name_a_script_to_be_played() {
    let place = place();
    place.write("b.script", "user x\nmodel text y\n");
    let served = Served::start(&place, &[]);
    let body = "{\"model\":\"scripted/b.script\",\"message\":\"x\"}";
    let session = served.json("POST /api/sessions", "{}");
    let id = session["session_id"].as_str().unwrap();
    let (status, answer) = served.ask(&format!("POST /api/sessions/{id}/runs"), body);
    assert!((400..500).contains(&status), "{status} {answer}");
    assert!(answer.contains("is not played here"), "{answer}");
    served.stop();
}

#[test]
fn two_sessions_of_one_script_do_not_disturb_each_other() {
    let place = place();
    let served = Served::start(&place, &[]);
    let begin = || served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let (one, two) = (begin(), begin());
    let answer_of = |id: &str| {
        let started = served.json(&format!("POST /api/sessions/{id}/runs"), "{\"message\":\"x\"}");
        let run = started["run_id"].as_str().unwrap();
        let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
        assert!(events.contains("\"outcome\":\"completed\""), "{events}");
        served.json(&format!("GET /api/runs/{run}/trace"), "")["answer"].as_str().unwrap().to_owned()
    };
    assert_eq!(answer_of(&one), "Hello there.");
    assert_eq!(answer_of(&two), "Hello there.");
    assert_eq!(answer_of(&one), "Once more.");
    assert_eq!(answer_of(&two), "Once more.");
    served.stop();
}

#[test]
fn a_question_survives_a_kill_and_is_answered_after_the_restart() {
    let script = "user Hi\nmodel call 1 execute_command {\"command\":\"echo once >> effects\"}\nmodel end\n\
                  model text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    let mut served = Served::start(&place, &[]);
    let session = served.json("POST /api/sessions", "{}");
    let id = session["session_id"].as_str().unwrap();
    let started = served.json(&format!("POST /api/sessions/{id}/runs"), "{\"message\":\"Hi\"}");
    let run = started["run_id"].as_str().unwrap().to_owned();
    served.wait_for(&run, "permission_request");
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    assert!(place.windlass(&["runs", "list"]).exits(0).out.contains("unfinished, asks"));

    let served = Served::start(&place, &[]);
    let asked = served.json(&format!("GET /api/runs/{run}/permissions"), "");
    let answer = serde_json::json!({"decision": "once", "digest": asked["questions"][0]["digest"]});
    let (status, answer) =
        served.ask(&format!("POST /api/runs/{run}/permissions/call_1"), &answer.to_string());
    assert!((200..300).contains(&status), "{status} {answer}");
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    assert!(events.contains("\"outcome\":\"completed\""), "{events}");
    assert_eq!(place.read("effects"), "once\n");
    let (code, err) = served.stop();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("interrupted runs: 1 waiting for an answer"), "{err}");
}

/// The bytes of a run's stream after a place, without the frame of the transfer.
fn stream_of(served: &Served, run: &str, after: &str) -> String {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let (host, key) = (served.address(), served.key());
    let head = format!("GET /api/runs/{run}/events HTTP/1.0\r\nhost: {host}\r\n{key}{after}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn s_1_a_stream_is_the_same_bytes_after_a_kill_and_a_restart_from_every_event() {
    let script = "user Hi\nmodel reasoning I look first.\nmodel text One moment, please.\n\
                  model call 1 calculate {\"expression\":\"1 + 1\"}\nmodel end\nmodel text It is two, as ever.\n";
    let place = Place::with(&[("a.script", script)]);
    let mut served = Served::start(&place, &[]);
    let session = served.json("POST /api/sessions", "{}");
    let id = session["session_id"].as_str().unwrap();
    let run = served.json(&format!("POST /api/sessions/{id}/runs"), "{\"message\":\"Hi\"}");
    let run = run["run_id"].as_str().unwrap().to_owned();
    let whole = stream_of(&served, &run, "");
    assert!(whole.contains("\"content\":\"moment, \"") && whole.ends_with("\n\n"), "{whole}");
    served.child.kill().unwrap();
    served.child.wait().unwrap();

    let served = Served::start(&place, &[]);
    assert_eq!(stream_of(&served, &run, ""), whole);
    let frames: Vec<&str> = whole.split_inclusive("\n\n").collect();
    let mut seen = 0;
    for (number, frame) in frames.iter().enumerate().take(frames.len() - 1) {
        let Some(last_id) = frame.strip_prefix("id: ").and_then(|rest| rest.lines().next()) else { continue };
        let rest = stream_of(&served, &run, &format!("last-event-id: {last_id}\r\n"));
        assert_eq!(rest, frames[number + 1..].concat(), "after {last_id}");
        seen += 1;
    }
    assert_eq!(seen, 4, "{whole}");
    served.stop();
}

#[test]
#[cfg(feature = "crash-points")]
fn a_run_that_was_cut_off_goes_on_by_itself_when_a_server_starts() {
    let script = "user Hi\nmodel call 1 calculate {\"expression\":\"1 + 1\"}\nmodel end\nmodel text Two.\n";
    let place = Place::with(&[("a.script", script)]);
    let args = ["run", "--model", "scripted/a.script", "-q"];
    assert_eq!(place.windlass_with(&args, &[("CRASH_IN", "call_1:before")]).code, -1);
    let rows = place.windlass(&["runs", "list", "--unfinished", "--json"]).exits(0).json();
    let run = rows[0]["run_id"].as_str().unwrap();
    // Who begins another run is told of it, on one line.
    let said = place.windlass(&["run", "--model", "scripted/a.script"]).exits(0);
    assert!(
        said.err.starts_with("a run was interrupted; to continue it: windlass runs resume "),
        "{}",
        said.err
    );
    let served = Served::start(&place, &[]);
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    assert!(events.contains("\"outcome\":\"completed\""), "{events}");
    let (_, err) = served.stop();
    assert!(err.contains("interrupted runs: 1 resumed"), "{err}");
}

/// Nobody has a model on the first day: the built-in one answers.
#[test]
fn without_any_other_model_the_built_in_one_answers() {
    let place = Place::new();
    place.write("anchor.txt", "hold\n");
    let served = Served::start_with(&place, &[], &[]);
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let message = r#"{"message":"What files are in this project?"}"#;
    let started = served.json(&format!("POST /api/sessions/{session}/runs"), message);
    let run = started["run_id"].as_str().unwrap();
    served.wait_for(run, "done");
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    assert!(events.contains("\"name\":\"get_file_tree\"") && events.contains("anchor.txt"), "{events}");
    let rows = served.json("GET /api/models", "");
    let row = &rows["models"][0];
    assert_eq!(
        (&row["name"], &row["is_default"], &row["has_tools"]),
        (&"builtin".into(), &true.into(), &true.into())
    );
    assert!(
        row["context_tokens"].is_u64() && row["source"].as_str().unwrap().starts_with("built in: "),
        "{row}"
    );
}

/// A command that writes down where it was sent.
#[cfg(unix)]
const NOTE: &str = "sh note.sh %s";

#[cfg(unix)]
fn opened(place: &Place) -> String {
    loop {
        match std::fs::read_to_string(place.path("opened")) {
            Ok(url) if url.ends_with('\n') => return url.trim().to_owned(),
            Ok(_) | Err(_) => std::thread::yield_now(),
        }
    }
}

#[cfg(unix)]
#[test]
fn u_72_the_app_is_opened_in_the_browser_with_a_code_behind_the_mark_that_is_never_sent() {
    let place = place();
    place.write("note.sh", "echo \"$1\" > opened\n");
    let open = ["--model", "scripted/a.script", "--open"];
    let served = Served::start_with(&place, &open, &[("BROWSER", NOTE)]);
    let link = opened(&place);
    let code = link.strip_prefix(&format!("http://{}/#sign-in=", served.address)).unwrap();
    assert!(!link.contains(&served.token));
    let body = format!("{{\"code\":\"{code}\"}}");
    let host = format!("host: {}\r\n", served.address);
    assert_eq!(served.ask_as(&host, "POST /api/sign-in", &body).0, 204);
    assert_eq!(served.ask_as(&host, "POST /api/sign-in", &body).0, 401, "it works once");
    let token = served.token.clone();
    let (_, err) = served.stop();
    assert!(!err.contains(&token), "{err}");
    std::fs::remove_file(place.path("opened")).unwrap();
    let open = [&open[..], &["--no-token"]].concat();
    let served = Served::start_with(&place, &open, &[("BROWSER", NOTE)]);
    assert_eq!(opened(&place), format!("http://{}/", served.address));
}

#[test]
fn that_there_is_no_browser_is_told_with_the_address_and_ends_nothing() {
    let place = place();
    let vars = [("BROWSER", "windlass-no-browser"), ("PATH", "/windlass-no-folder")];
    let mut served = Served::start_with(&place, &["--model", "scripted/a.script", "--open"], &vars);
    let mut told = BufReader::new(served.child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let warning = told.find(|line| line.contains("no browser could be opened")).unwrap();
    assert!(warning.contains("windlass-no-browser: ") && warning.contains("BROWSER"), "{warning}");
    assert!(warning.contains(&format!("open http://{}/ yourself", served.address)), "{warning}");
    assert_eq!(served.ask("GET /healthz", "").0, 200);
}

#[test]
fn the_doctor_examines_over_http_and_the_list_of_models_keeps_what_it_found() {
    let server = windlass_testkit::provider::ProviderServer::start().unwrap();
    let place = place();
    let model = format!("openai-compatible/{}", windlass_testkit::provider::VendorScript::default());
    let address = server.base_url("openai");
    let vars = [("WINDLASS_BASE_URL", address.as_str())];
    let served = Served::start_with(&place, &["--model", &model], &vars);
    let row = |served: &Served| {
        let models = served.json("GET /api/models", "")["models"].clone();
        models.as_array().unwrap().iter().find(|row| row["name"] == model).unwrap().clone()
    };
    let before = row(&served);
    assert_eq!((&before["provider"], before.get("doctor")), (&"openai-compatible".into(), None));
    let body = serde_json::json!({"name": model}).to_string();
    let found = served.json("POST /api/models/doctor", &body);
    assert_eq!(found["findings"].as_array().unwrap().len(), windlass_models::doctor::Probe::ALL.len());
    assert_eq!(found["findings"][0]["verdict"], "pass", "{found}");
    assert_eq!(row(&served)["doctor"], found);
    served.stop();
    // Another process finds it on disk, as after the command.
    let served = Served::start(&place, &[]);
    assert_eq!((&row(&served)["doctor"], &row(&served)["source"]), (&found, &"doctor".into()));
    let (status, answer) = served.ask("POST /api/models/doctor", "{\"name\":\"scripted/a.script\"}");
    assert!(status == 400 && answer.contains("is a script"), "{status} {answer}");
    let (status, answer) = served.ask("POST /api/models/doctor", "{\"name\":\"nowhere/x\"}");
    assert_eq!(status, 400, "{answer}");
    served.stop();
}

#[test]
fn a_model_that_does_not_answer_is_a_finding_and_nothing_is_kept_of_it() {
    let place = place();
    let vars = [("WINDLASS_BASE_URL", "http://127.0.0.1:1/v1")];
    let served = Served::start_with(&place, &["--model", "openai-compatible/other"], &vars);
    let found = served.json("POST /api/models/doctor", "{\"name\":\"openai-compatible/other\"}");
    assert_eq!(found["findings"][0]["verdict"], "fail", "{found}");
    let models = served.json("GET /api/models", "");
    let usual = models["models"].as_array().unwrap().iter().find(|row| row["is_default"] == true);
    assert_eq!(usual.unwrap()["doctor"], found);
    assert!(!place.data_folder().join("models").exists());
    let (code, err) = served.stop();
    assert_eq!(code, Some(0), "{err}");
}

#[test]
fn a_session_of_the_server_goes_on_in_a_command_with_the_model_of_the_command() {
    let place = place();
    let served = Served::start(&place, &[]);
    let session = served.json("POST /api/sessions", "{}");
    assert_eq!(session["model"], "scripted/a.script");
    served.stop();
    place.configure("model = \"scripted/a.script\"\n");
    let id = session["session_id"].as_str().unwrap();
    let said = place.windlass(&["run", "--session", id, "Hi"]).exits(0);
    assert!(said.out.contains("Hello there."), "{}", said.out);
}
