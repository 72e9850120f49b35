//! Secrets: what commands inherit, what they can read of their parent, and where values that are known stand. Everything runs as
//! a user without rights: root can read every process.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use windlass_testkit::collector::OtlpCollector;

use crate::lifeline::PATIENCE;
use crate::pane::Pane;
use crate::place::{Place, Said};
use crate::serve::Served;
use crate::server::{Server, whole};

/// Values of the configuration, each in a place of its own.
pub(crate) const CONFIGURED: [&str; 12] = [
    "first-of-config-31",
    "second-of-config-32",
    "third-of-config-33",
    "header-of-config-34",
    "bearer-of-config-35",
    "search-of-config-36",
    "image-of-config-37",
    "collector-of-config-38",
    "password-of-config-39",
    "command-of-config-40",
    "variable-of-config-41",
    "setting-of-config-42",
];

/// What a command can find out about the processes of its user.
const LOOK: &str = "env; cat /proc/*/environ; cat /proc/$PPID/environ; ls -l /proc/$PPID/fd /proc/$PPID/exe; \
                    cat /proc/$PPID/mem; cat /proc/$PPID/limits; echo done";

/// Variables as they stand in real environments, with values of which each is the only one of its kind.
fn variables() -> Vec<(String, String)> {
    let vendors = ["GITHUB", "AWS", "STRIPE", "SLACK", "NPM", "DOCKER", "SENTRY", "TWILIO", "PG", "VAULT"];
    let kinds = ["TOKEN", "PASSWORD", "SECRET_KEY", "URL", "AUTH_SOCK", "CONFIG"];
    let pairs = vendors.iter().flat_map(|vendor| kinds.iter().map(move |kind| format!("{vendor}_{kind}")));
    let value = |(number, name): (usize, String)| {
        let value = match name.ends_with("URL") {
            true => format!("redis://user:env-secret-{number:02}-x@host/0"),
            false => format!("env-secret-{number:02}-x"),
        };
        (name, value)
    };
    pairs.enumerate().map(value).collect()
}

/// What must stand nowhere.
fn secrets() -> Vec<String> {
    let of_environment = (0..60).map(|number| format!("env-secret-{number:02}-x"));
    CONFIGURED.iter().map(|value| (*value).to_owned()).chain(of_environment).collect()
}

#[track_caller]
pub(crate) fn has_none(what: &str, text: &str) {
    for secret in secrets() {
        assert!(!text.contains(&secret), "{what} has {secret}: {}", around(text, &secret));
    }
}

fn around<'a>(text: &'a str, secret: &str) -> &'a str {
    let at = text.find(secret).unwrap();
    let from = (0..=at.saturating_sub(200)).rev().find(|from| text.is_char_boundary(*from)).unwrap();
    &text[from..at + secret.len()]
}

/// Everything that is in the files below a folder.
pub(crate) fn bytes_below(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => bytes_below(&entry.path(), text),
            false => text.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default())),
        }
    }
}

/// A project in which the model looks for secrets, and a file that has all of the configuration in it.
pub(crate) fn place(collector: &str) -> Place {
    let look = json!({"command": LOOK});
    let script = format!(
        "user Look\nmodel call 1 execute_command {look}\nmodel call 2 read_file {{\"path\":\"notes.txt\"}}\n\
         model call 3 execute_command {{\"command\":\"cat notes.txt; cat notes.txt >&2; exit 3\"}}\nmodel end\n\
         model reasoning I have read {0} and {1}.\nmodel text The key is {0}, the other {1}.\n",
        CONFIGURED[0], CONFIGURED[8]
    );
    // What a command would say is secret when it has been asked, and nobody asks it here.
    let notes = CONFIGURED
        .iter()
        .filter(|value| !value.starts_with("command"))
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    let place = Place::with(&[("a.script", &script), ("notes.txt", &notes)]);
    let [first, second, third, header, bearer, search, image, sent, password, command, ..] = CONFIGURED;
    place.configure(&format!(
        "search.enabled = false\nweb_search = {{ backend = \"brave\", api_key = \"{search}\" }}\n\
         image = {{ base_url = \"http://127.0.0.1:9/v1\", model = \"m\", api_key = \"{image}\" }}\n\
         [telemetry]\notlp_endpoint = \"{collector}\"\ncontent = true\nheaders = {{ authorization = \"{sent}\" }}\n\
         [providers.groq]\nkey = \"{first}\"\n[providers.mistral]\nkey = \"{second}\"\n[providers.deepseek]\nkey = \"{third}\"\n\
         [providers.box]\nbase_url = \"http://me:{password}@127.0.0.1:9/v1\"\n\
         headers = {{ x-api-key = \"{header}\", authorization = \"Bearer {bearer}\" }}\n\
         [providers.xai]\nkey_command = [\"echo\", \"{command}\"]\n"
    ));
    place
}

/// The binary as somebody without rights, with all the variables.
pub(crate) fn windlass(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command_of_nobody(args);
    command.envs(variables());
    command.env("CEREBRAS_API_KEY", CONFIGURED[10]).env("WINDLASS_PROVIDERS_NEBIUS_KEY", CONFIGURED[11]);
    command
}

const RUN: [&str; 6] = ["run", "--model", "scripted/a.script", "--approve", "all", "Look"];

#[test]
fn u_76_commands_inherit_what_is_listed_and_what_the_user_named() {
    let place = Place::with(&[(
        "a.script",
        "user Look\nmodel call 1 execute_command {\"command\":\"env | sort\"}\nmodel end\nmodel text Done.\n",
    )]);
    let env = |place: &Place| {
        let said = windlass(place, &[&RUN[..], &["--json"]].concat()).env("PLAIN", "p").output().unwrap();
        let text = Said::of(said).exits(0).out;
        assert!(text.contains("PAGER=cat"), "{text}");
        let names =
            ["SHELL", "LOGNAME", "USER", "PLAIN", "GITHUB_TOKEN", "XDG_DATA_HOME", "TERM", "HOME", "PG_URL"];
        names.into_iter().filter(|name| text.contains(&format!("{name}="))).collect::<Vec<_>>()
    };
    assert_eq!(env(&place), ["TERM", "HOME"]);
    place.configure("tools.command.env = [\"PLAIN\", \"PG_URL\"]\n");
    assert_eq!(env(&place), ["PLAIN", "TERM", "HOME"], "an address with a password is left out");
    let said = Said::of(windlass(&place, &RUN).output().unwrap());
    assert!(said.err.contains("commands do not get the variable PG_URL"), "{}", said.err);
    // A project cannot name any.
    place.configure("");
    place.write(".windlass/config.toml", "tools.command.env = [\"PLAIN\"]\n");
    assert_eq!(env(&place), ["TERM", "HOME"]);
}

#[test]
fn u_76_a_command_reads_nothing_of_the_process_that_started_it() {
    let place = place("");
    let said = Said::of(
        windlass(
            &place,
            &[
                "tools",
                "call",
                "execute_command",
                &json!({"command": LOOK}).to_string(),
                "--approve",
                "all",
                "--json",
                // A sandbox would hide the process altogether.
                "--sandbox",
                "off",
            ],
        )
        .output()
        .unwrap(),
    );
    let said = said.exits(0);
    has_none("what a command sees", &said.out);
    assert!(said.out.contains("done") && said.out.contains("Permission denied"), "{}", said.out);
    // The limit of cores is inherited and says that the parent leaves none either.
    let core = said.out.split("Max core file size").nth(1).unwrap();
    assert!(core.trim_start().starts_with("0 "), "{core}");
    // Key commands are children too.
    let script = "env > seen.txt; echo a-key-that-is-found";
    place.configure(&format!("[providers.xai]\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_command = [\"sh\", \"-c\", \"{script}\"]\n"));
    let _ = windlass(&place, &["run", "--model", "xai/m", "--timeout", "5s", "Hi"]).output().unwrap();
    has_none("what a key command sees", &place.read("seen.txt"));
    assert!(place.read("seen.txt").contains("HOME="));
}

#[test]
fn u_78_no_secret_is_in_an_outcome_a_stream_the_journal_a_log_an_export_or_on_a_screen() {
    let collector = OtlpCollector::start(&[]).unwrap();
    let place = place(collector.endpoint());
    for args in [&[][..], &["-v"], &["--json"], &["--json", "-vvv"]] {
        let said = Said::of(windlass(&place, &[&RUN[..], args].concat()).output().unwrap()).exits(0);
        let shown = format!("{}{}", said.out, said.err);
        has_none(&format!("run {args:?}"), &shown);
        assert!(shown.contains("***"), "{shown}");
        has_none("an export", &collector.next(PATIENCE).unwrap().body.to_string());
    }
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    has_none("the data folder", &kept);
    assert!(kept.contains("execute_command"), "the journal was looked at");

    let served = Served::spawn(windlass(
        &place,
        &["serve", "--addr", "127.0.0.1:0", "--model", "scripted/a.script", "--approve", "all"],
    ));
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let begun = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Look\"}");
    let run = begun["run_id"].as_str().unwrap().to_owned();
    let lines = BufReader::new(served.events(&run)).lines().map_while(Result::ok);
    let mut is_over = false;
    let lines = lines.take_while(|line| !std::mem::replace(&mut is_over, line.contains("\"type\":\"done\"")));
    let stream = lines.collect::<Vec<_>>().join("\n");
    has_none("the stream of a run", &stream);
    assert!(stream.contains("***"), "{stream}");
    for head in [
        &format!("GET /api/sessions/{session}") as &str,
        &format!("GET /api/runs/{run}"),
        "GET /api/sessions",
        "GET /api/models",
    ] {
        has_none(head, &served.ask(head, "").1);
    }
    let token = served.token().to_owned();
    let (_, err) = served.stop();
    has_none("the log of the server", &err);
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    // The token itself is a file.
    assert_eq!(kept.matches(&token).count(), 1);
    has_none("the data folder of the server", &kept);

    let exports: String =
        variables().iter().map(|(name, value)| format!("export {name}='{value}'\n")).collect();
    place.write("vars.sh", &exports);
    let pane = Pane::open(&place, 120, 40);
    let user = match rustix::process::getuid().is_root() {
        true => "setpriv --reuid 65534 --regid 65534 --clear-groups ",
        false => "",
    };
    pane.run(&format!(". ./vars.sh; clear; {user}../windlass --model scripted/a.script --approve all"));
    pane.wait_until("the app has the screen", Pane::has_app);
    pane.type_text("Look");
    pane.press("Enter");
    has_none("the screen", &pane.wait_for("The key is ***"));
}

#[test]
fn u_78_a_key_that_a_model_says_back_is_in_no_stream_and_no_journal() {
    let key = "said-back-by-the-model-51";
    let server = Server::answering(move |_| {
        let piece = |text: &str| {
            format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
        };
        let pieces = ["Your key is said-back-by", "-the-model-51", ", is it not?"].map(piece).concat();
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let body = format!("{pieces}data: {end}\n\ndata: [DONE]\n\n");
        let text = String::from_utf8(whole("200 OK", &body)).unwrap();
        text.replace("application/json", "text/event-stream").into_bytes()
    });
    let place = Place::new();
    // By a command: it is known no sooner than it is needed.
    place.configure(&format!(
        "[providers.box]\nbase_url = \"{}\"\nwire = \"chat\"\nkey_command = [\"echo\", \"{key}\"]\n",
        server.address("/v1")
    ));
    for args in [&[][..], &["--json"]] {
        let said = place.windlass(&[&["run", "--model", "box/m", "Hi"], args].concat()).exits(0);
        assert!(server.heard().contains(key), "the key was sent");
        assert!(!said.out.contains("said-back") && said.out.contains("***"), "{}", said.out);
    }
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    assert!(kept.contains("Your key is") && !kept.contains("said-back"), "the journal has the key");
}

#[test]
fn u_78_passwords_in_addresses_are_not_explained() {
    let place = Place::new();
    place.configure("base_url = \"http://me:pass-word-1@host/v1\"\n[providers.box]\nbase_url = \"https://tok-en-1@host\"\n");
    for args in [&["config", "explain"][..], &["config", "explain", "--json"]] {
        let said = place.windlass(args).exits(0);
        assert!(
            said.out.contains("http://me:***@host/v1") && said.out.contains("https://***@host"),
            "{}",
            said.out
        );
        assert!(!said.out.contains("pass-word-1") && !said.out.contains("tok-en-1"));
    }
}

/// A server that says back what it was sent, or leads to another one.
fn leading_to(other: String) -> Server {
    Server::answering(move |request| {
        let path = request.split_whitespace().nth(1).unwrap_or_default();
        let key = request.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("authorization: bearer ").map(str::to_owned)
        });
        let to = match path {
            "/away" => format!("{other}/landed"),
            "/away-with-it" => format!("{other}/landed?key={}", key.unwrap_or_default()),
            _ => return whole("200 OK", &json!({"you sent": request}).to_string()),
        };
        format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .into_bytes()
    })
}

#[test]
fn u_78_a_secret_that_is_bound_to_a_host_is_in_its_header_and_nowhere_else() {
    let value = "lent-value-of-demo-61";
    let other = Server::answering(|request| whole("200 OK", &json!({"you sent": request}).to_string()));
    let bound = leading_to(other.address(""));
    let host = |server: &Server| server.address("").trim_start_matches("http://").to_owned();
    let headers = json!({"authorization": "Bearer {{secret:DEMO}}"});
    let fetch = |url: String| json!({"url": url, "headers": headers}).to_string();
    let calls = [
        fetch(bound.address("/echo")),
        fetch(other.address("/echo")),
        fetch(bound.address("/away")),
        fetch(bound.address("/away-with-it")),
        json!({"url": bound.address("/in-the-address?key={{secret:DEMO}}")}).to_string(),
        json!({"url": bound.address("/plain")}).to_string(),
    ];
    let steps: String = calls
        .iter()
        .enumerate()
        .map(|(at, call)| format!("model call {} fetch_url {call}\n", at + 1))
        .collect();
    let place = Place::with(&[("a.script", &format!("user Fetch\n{steps}model end\nmodel text Done.\n"))]);
    place.configure(&format!(
        "fetch.stay_on_host = false\nfetch.allow_hosts = [\"{}\", \"{}\"]\n",
        host(&bound),
        host(&other)
    ));
    let said =
        place.windlass(&["secrets", "set", "DEMO", "--host", &host(&bound), "--env", "DEMO_VALUE"]).exits(0);
    assert!(said.out.contains("{{secret:DEMO}} is sent to"), "{}", said.out);
    let vars = [("DEMO_VALUE", value)];
    let run = ["run", "--model", "scripted/a.script", "--approve", "all", "--taint", "off", "Fetch"];
    for args in [&[][..], &["--json"], &["-vvv"]] {
        let said = place.windlass_with(&[&run[..], args].concat(), &vars).exits(0);
        assert!(!said.out.contains(value) && !said.err.contains(value), "{args:?}: {}{}", said.out, said.err);
    }
    place.windlass_with(&[&run[..], &["--session", "s"]].concat(), &vars).exits(0);
    let ended = ended(&place);
    let told = [
        "Bearer ***",
        "is not for 127.0.0.1",
        "landed",
        "redirects to an address with the secret in it",
        "never in an address",
        "/plain",
    ];
    for (ended, text) in ended.iter().zip(told) {
        assert!(ended.to_string().contains(text), "no '{text}' in {ended}");
    }
    assert_eq!(ended.len(), told.len());
    let sent = bound.heard();
    assert!(sent.contains(&format!("Bearer {value}")), "it was sent where it belongs: {sent}");
    let without: String =
        sent.lines().filter(|line| !line.to_ascii_lowercase().starts_with("authorization:")).collect();
    assert!(!without.contains(value), "{without}");
    assert!(other.heard().contains("/landed") && !other.heard().contains(value), "{}", other.heard());
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    assert!(
        kept.contains("{{secret:DEMO}}") && !kept.contains(value),
        "the mark is on record, the value is not"
    );
    // The other one: a name that nobody has bound, and one that is gone.
    place.windlass(&["secrets", "remove", "DEMO"]).exits(0);
    place.windlass(&["secrets", "remove", "DEMO"]).complains(2, &["there is no secret 'DEMO'"]);
    let said = place.windlass_with(&[&run[..], &["--json"]].concat(), &vars).exits(0);
    assert!(said.out.contains("there is no secret 'DEMO'"), "{}", said.out);
}

#[test]
fn u_78_every_host_that_a_call_has_reached_is_on_record() {
    let (other, silent) = (Server::answering(|_| whole("200 OK", "{\"a\":1}")), closed_port());
    let bound = leading_to(other.address(""));
    let host = |server: &Server| server.address("").trim_start_matches("http://").to_owned();
    let search = Server::answering(|_| whole("200 OK", "{\"results\":[]}"));
    let script = format!(
        "user Fetch\nmodel call 1 fetch_url {{\"url\":\"{}\"}}\nmodel call 2 fetch_url {{\"url\":\"http://{silent}/\"}}\n\
         model call 3 web_search {{\"query\":\"ropes\"}}\nmodel call 4 calculate {{\"expression\":\"1+1\"}}\nmodel end\nmodel text Done.\n",
        bound.address("/away")
    );
    let place = Place::with(&[("a.script", &script)]);
    place.configure(&format!(
        "fetch.stay_on_host = false\nfetch.allow_hosts = [\"{}\", \"{}\", \"{silent}\"]\n\
         web_search = {{ backend = \"searxng\", base_url = \"{}\" }}\n",
        host(&bound),
        host(&other),
        search.address("")
    ));
    place
        .windlass(&[
            "run",
            "--model",
            "scripted/a.script",
            "--approve",
            "all",
            "--taint",
            "off",
            "--session",
            "s",
            "Fetch",
        ])
        .exits(0);
    let ended = ended(&place);
    let reached = |at: usize| ended[at]["outcome"]["meta"]["reached"].clone();
    let hosts = |at: usize| {
        let all = reached(at);
        all.as_array()
            .unwrap_or(&Vec::new())
            .iter()
            .map(|one| one["host"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(hosts(0), [host(&bound), host(&other)]);
    assert_eq!((&reached(0)[1]["address"], &reached(0)[1]["bytes_in"]), (&json!("127.0.0.1"), &json!(7)));
    assert!(reached(0)[0]["bytes_out"].as_u64().unwrap() > 20);
    assert_eq!((hosts(1), reached(1)[0].get("address")), (vec![silent], None), "nobody answered");
    assert_eq!(hosts(2), [host(&search)]);
    assert!(hosts(3).is_empty());
    let run =
        place.windlass(&["runs", "list", "--json"]).exits(0).json()[0]["run_id"].as_str().unwrap().to_owned();
    let shown = place.windlass(&["runs", "show", &run]).exits(0).out;
    assert!(shown.contains(&format!("reached {} (127.0.0.1): 1 request", host(&other))), "{shown}");
}

/// The ends of the calls of the session `s`, in the order of the calls.
fn ended(place: &Place) -> Vec<Value> {
    let exported = place.windlass(&["sessions", "export", "s"]).exits(0).out;
    let events = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events = events.map(|record| record["event"].clone()).filter(|event| event["type"] == "call_ended");
    let mut events: Vec<Value> = events.collect();
    events.sort_by_key(|event| event["call_id"].as_str().unwrap().to_owned());
    events
}

/// An address at which nobody listens.
fn closed_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}
