//! Hosts that commands may reach in the sandbox, on the binary: what goes through the proxy, what it refuses, and what is said
//! and kept of it. All servers are on loopback, which the user's own `fetch.allow_hosts` lets; nothing leaves this machine.
//!
//! Where a machine has no bubblewrap, a test says so in its output.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::serve::Served;
use crate::server::{Server, whole};

/// Says to the proxy what it is told, and prints what comes back. With a name, TLS follows the first answer.
const SPEAK: &str = r#"import os, socket, ssl, sys
host, port = os.environ["HTTPS_PROXY"][len("http://"):].split(":")
def speak(text):
    s = socket.create_connection((host, int(port)), 5)
    s.sendall(text.encode().replace(b"~", b"\r\n"))
    return s
if sys.argv[1] == "tls":
    s = speak("CONNECT " + sys.argv[2] + " HTTP/1.1~~")
    answer = s.recv(4096).decode()
    print(answer.splitlines()[0])
    context = ssl.create_default_context(cafile="authority.txt")
    context.check_hostname = False
    name = sys.argv[3] if len(sys.argv) > 3 else None
    if name is None:
        context.verify_mode = ssl.CERT_NONE
    try:
        s = context.wrap_socket(s, server_hostname=name)
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        print("carried:", s.recv(4096).decode().splitlines()[0])
    except (ssl.SSLError, OSError) as error:
        print("closed:", error)
else:
    for text in sys.argv[2:]:
        answer = speak(text).recv(4096).decode()
        print(answer.splitlines()[0] if answer else "closed")
"#;

fn tls_file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls");
    folder.join(name).to_str().unwrap().to_owned()
}

/// A project with the program that speaks to the proxy.
fn place() -> Place {
    Place::with(&[("speak.py", SPEAK), ("authority.txt", &fs::read_to_string(tls_file("ca.pem")).unwrap())])
}

/// Whether bubblewrap holds on this machine; where it does not, that is printed.
fn has_bubblewrap() -> bool {
    let sandbox = sandbox_of(&Place::new(), &[]);
    let is_here = sandbox["by"] == "bubblewrap";
    if !is_here {
        eprintln!("NO bubblewrap ON THIS MACHINE: {sandbox}");
    }
    is_here
}

fn explain(place: &Place, flags: &[&str]) -> Value {
    let args =
        ["policy", "explain", "execute_command", "{\"command\":\"true\"}", "--approve", "ask", "--json"];
    place.windlass(&[&args[..], flags].concat()).exits(0).json()
}

fn sandbox_of(place: &Place, flags: &[&str]) -> Value {
    explain(place, flags)["question"]["sandbox"].clone()
}

fn call(place: &Place, line: &str, flags: &[&str]) -> Said {
    let arguments = json!({"command": line}).to_string();
    place.windlass(&[&["tools", "call", "execute_command", &arguments, "--approve", "all"], flags].concat())
}

/// What a command printed, its lines as lines.
fn printed(said: &Said) -> String {
    said.out.replace("\\n", "\n")
}

/// Grants hosts, and lets those of this machine be reached that are `allowed`.
fn grant(place: &Place, hosts: &[&str], allowed: &[&str]) {
    let (hosts, allowed) = (json!(hosts), json!(allowed));
    place.configure(&format!("sandbox.hosts = {hosts}\nfetch.allow_hosts = {allowed}\n"));
}

/// A server of this machine, under a name.
fn named(server: &Server) -> String {
    server.address("").replace("http://127.0.0.1", "localhost")
}

fn served_by_tls(place: &Place) -> Served {
    let (cert, key) = (tls_file("server.pem"), tls_file("server.key.pem"));
    Served::start(place, &["--tls-cert", &cert, "--tls-key", &key])
}

/// What a run with one command left on record.
fn ended(place: &Place, line: &str) -> Value {
    let arguments = json!({"command": line, "timeout_ms": 60_000});
    place.write(
        "b.script",
        &format!("user Go\nmodel call 1 execute_command {arguments}\nmodel end calls\nmodel text Done.\n"),
    );
    place
        .windlass(&["run", "--model", "scripted/b.script", "--approve", "all", "--session", "s", "Go"])
        .exits(0);
    let exported = place.windlass(&["sessions", "export", "s"]).exits(0).out;
    let records = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    records.map(|record| record["event"].clone()).find(|event| event["type"] == "call_ended").unwrap()
}

#[test]
fn a_granted_host_is_reached_over_http_and_tls_and_what_went_is_on_record() {
    if !has_bubblewrap() {
        return;
    }
    let other = Place::with(&[("a.script", "user Go\nmodel text Done.\n")]);
    let tls = served_by_tls(&other);
    let tls = tls.address().replace("127.0.0.1", "localhost");
    let plain = Server::answering(|_| whole("200 OK", "{\"a\":1}"));
    let place = place();
    grant(&place, &[&named(&plain), &tls], &[&named(&plain), &tls]);
    let line = format!(
        "curl -sS --noproxy '' -d 12345 http://{0}/x && curl -sS --noproxy '' --cacert authority.txt -i https://{tls}/healthz",
        named(&plain)
    );
    let ended = ended(&place, &line);
    assert!(ended.to_string().contains("HTTP/1.1 200 OK"), "{ended:#}");
    let heard = plain.heard();
    assert!(heard.starts_with("POST /x HTTP/1.1\r\n") && heard.ends_with("\r\n\r\n12345"), "{heard}");
    let reached = ended["outcome"]["meta"]["reached"].as_array().unwrap();
    let hosts: Vec<&str> = reached.iter().map(|one| one["host"].as_str().unwrap()).collect();
    assert_eq!(hosts, [named(&plain), tls.clone()]);
    for one in reached {
        assert_eq!((&one["address"], &one["requests"]), (&json!("127.0.0.1"), &json!(1)), "{one}");
        assert!(one["bytes_out"].as_u64().unwrap() > 100 && one["bytes_in"].as_u64().unwrap() > 50, "{one}");
    }
    assert_eq!(reached[0]["bytes_out"], json!(heard.len()), "every byte is counted");
    let sandbox = &ended["outcome"]["meta"]["sandbox"];
    assert_eq!((&sandbox["reach"], &sandbox["hosts"]), (&json!("hosts"), &json!([named(&plain), tls])));
    let runs = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let shown = place.windlass(&["runs", "show", runs[0]["run_id"].as_str().unwrap()]).exits(0).out;
    assert!(shown.contains(&format!("{} (127.0.0.1): 1 request, ", named(&plain))), "{shown}");
    // A user without rights has the same.
    let arguments = json!({"command": line}).to_string();
    let mut command =
        place.command_of_nobody(&["tools", "call", "execute_command", &arguments, "--approve", "all"]);
    let said = Said::of(command.output().unwrap()).exits(0);
    assert!(said.out.contains("exit code 0") && said.out.contains("HTTP/1.1 200 OK"), "{}", said.out);
}

#[test]
fn a_host_that_is_not_granted_is_refused_in_a_sentence_and_the_call_says_so() {
    if !has_bubblewrap() {
        return;
    }
    let server = Server::answering(|_| whole("200 OK", "{}"));
    let place = place();
    // Allowed to be fetched from is not granted to commands.
    grant(&place, &["a.example"], &[&named(&server), "127.0.0.1"]);
    let host = named(&server);
    let said = call(&place, &format!("curl -sS --noproxy '' http://{host}/"), &[]).exits(0);
    let sentence =
        format!("the sandbox does not let this command reach '{host}': it may reach only a.example.");
    assert!(said.out.contains(&sentence) && said.out.contains("--sandbox-host"), "{}", said.out);
    let ended = ended(&place, &format!("curl -sS --noproxy '' https://{host}/"));
    let error = &ended["outcome"]["body"]["Err"];
    assert_eq!(error["kind"], "sandbox_denied", "{ended:#}");
    assert!(error["message"].as_str().unwrap().contains(&sentence), "{ended:#}");
    assert!(error["hint"].as_str().unwrap().contains(&format!("--sandbox-host {host}")), "{ended:#}");
    assert!(ended["outcome"]["meta"]["reached"].is_null(), "{ended:#}");
    assert_eq!(server.heard(), "");
    // What the proxy refused is not held against a command that did without it.
    let said = call(&place, &format!("curl -sS --noproxy '' https://{host}/ || echo without"), &[]).exits(0);
    assert!(said.out.contains("without"), "{}", said.out);
}

#[test]
fn another_name_in_tls_than_to_the_proxy_or_none_or_no_tls_carries_nothing() {
    if !has_bubblewrap() {
        return;
    }
    let other = Place::with(&[("a.script", "user Go\nmodel text Done.\n")]);
    let served = served_by_tls(&other);
    let tls = served.address().replace("127.0.0.1", "localhost");
    let plain = Server::answering(|_| whole("200 OK", "{}"));
    let place = place();
    grant(&place, &[&tls, &named(&plain)], &[&tls, &named(&plain)]);
    let said = call(&place, &format!("python3 speak.py tls {tls} localhost"), &[]).exits(0);
    assert!(said.out.contains("carried: HTTP/1.1 200 OK"), "the control: {}", said.out);
    for name in ["other.example", "localhost.other.example", ""] {
        let said = call(&place, &format!("python3 speak.py tls {tls} {name}; exit 3"), &[]);
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains("HTTP/1.1 200 ") && text.contains("closed:"), "{name}: {text}");
        assert!(!text.contains("carried:"), "{name}: {text}");
        assert!(text.contains("sandbox_denied") || text.contains("held a connection back"), "{name}: {text}");
    }
    let bare = format!("CONNECT {0} HTTP/1.1~~GET / HTTP/1.1~Host: {0}~~", named(&plain));
    call(&place, &format!("python3 speak.py say '{bare}'"), &[]);
    assert_eq!(plain.heard(), "", "a tunnel without TLS");
    let both = format!("GET http://{}/ HTTP/1.1~Host: other.example~~", named(&plain));
    let said = call(&place, &format!("python3 speak.py say '{both}'"), &[]).exits(0);
    assert!(said.out.contains("HTTP/1.1 403 "), "{}", said.out);
    assert_eq!(plain.heard(), "", "two names in one request");
}

#[test]
fn an_address_is_no_way_around_the_list_however_it_is_written() {
    if !has_bubblewrap() {
        return;
    }
    let server = Server::answering(|_| whole("200 OK", "{}"));
    let port = server.address("").rsplit(':').next().unwrap().to_owned();
    let place = place();
    grant(&place, &["a.example", &format!("localhost:{port}")], &[&format!("localhost:{port}"), "127.0.0.1"]);
    let spellings = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:169.254.169.254]",
        "169.254.169.254",
        "2852039166",
        "0.0.0.0",
        "127.0.0.1.",
        "①②⑦.0.0.1",
    ];
    let says: Vec<String> = spellings
        .iter()
        .flat_map(|host| {
            [format!("'CONNECT {host}:{port} HTTP/1.1~~'"), format!("'GET http://{host}:{port}/ HTTP/1.1~~'")]
        })
        .collect();
    let said = call(&place, &format!("python3 speak.py say {}", says.join(" ")), &[]).exits(0);
    let printed = printed(&said);
    let answers: Vec<&str> = printed.lines().filter(|line| line.contains("HTTP/1.1 ")).collect();
    assert_eq!(answers.len(), says.len(), "{}", said.out);
    assert!(answers.iter().all(|line| line.contains("HTTP/1.1 403 ")), "{answers:#?}");
    assert_eq!(server.heard(), "");
}

#[test]
fn a_granted_name_that_leads_to_this_machine_is_not_reached_unless_the_user_allowed_that_too() {
    if !has_bubblewrap() {
        return;
    }
    let server = Server::answering(|_| whole("200 OK", "{}"));
    let port = server.address("").rsplit(':').next().unwrap().to_owned();
    // A name that is in no list of names of this machine, and leads to it on most.
    let own = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let place = place();
    let (localhost, address) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
    grant(&place, &[&localhost, &address, &format!("{own}:{port}")], &[]);
    let says = [&localhost, &address, &format!("{own}:{port}")]
        .map(|host| format!("'CONNECT {host} HTTP/1.1~~' 'GET http://{host}/ HTTP/1.1~~'"));
    let said = call(&place, &format!("python3 speak.py say {}", says.join(" ")), &[]).exits(0);
    let printed = printed(&said);
    let answers: Vec<&str> = printed.lines().filter(|line| line.contains("HTTP/1.1 ")).collect();
    assert!(answers.len() == 6 && !answers.iter().any(|line| line.contains(" 200 ")), "{}", said.out);
    assert!(
        said.out.contains("is a name of this machine") && said.out.contains("is a loopback address"),
        "{}",
        said.out
    );
    assert_eq!(server.heard(), "");
}

#[test]
fn around_the_proxy_there_is_no_way() {
    if !has_bubblewrap() {
        return;
    }
    let server = Server::answering(|_| whole("200 OK", "{\"a\":1}"));
    let place = place();
    grant(&place, &[&named(&server)], &[&named(&server)]);
    let address = server.address("");
    for line in [
        format!("curl -sS --noproxy '*' -m 5 {address}/"),
        format!("env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy curl -sS -m 5 {address}/"),
    ] {
        let said = call(&place, &line, &[]);
        assert!(
            said.out.contains("exit code 7") && said.out.contains("Failed to connect"),
            "{line}: {}",
            said.out
        );
    }
    assert_eq!(server.heard(), "");
    let said = call(&place, &format!("curl -sS --noproxy '' http://{}/", named(&server)), &[]).exits(0);
    assert!(said.out.contains("exit code 0"), "the control: {}", said.out);
}

#[test]
fn without_the_setting_nothing_is_different_and_no_variable_is_set() {
    if !has_bubblewrap() {
        return;
    }
    let place = place();
    let sandbox = sandbox_of(&place, &[]);
    assert_eq!(sandbox["words"], "Sandbox: may write only in this project; no network");
    assert!(sandbox["reach"] == "none" && sandbox.get("hosts").is_none(), "{sandbox}");
    let variables = |flags: &[&str]| {
        let said = call(&place, "env; ls -l /proc/self/fd/0", flags).exits(0);
        assert!(said.out.contains("/dev/null"), "a command has no input: {}", said.out);
        printed(&said).lines().filter(|line| line.to_lowercase().contains("proxy")).count()
    };
    assert_eq!(variables(&[]), 0);
    assert_eq!(variables(&["--sandbox-host", "a.example", "--sandbox", "off"]), 0, "nothing holds it");
    assert_eq!(variables(&["--sandbox-host", "a.example"]), 9, "and with it there they are");
}

#[test]
fn the_question_says_which_hosts_and_a_project_can_only_take_some_away() {
    if !has_bubblewrap() {
        return;
    }
    let place = place();
    place.configure("sandbox.hosts = [\"crates.io\", \"*.crates.io\", \"pypi.org:8443\"]\n");
    let words =
        |place: &Place, flags: &[&str]| sandbox_of(place, flags)["words"].as_str().unwrap().to_owned();
    let all = "Sandbox: may write only in this project; network: only crates.io, *.crates.io, pypi.org:8443";
    assert_eq!(words(&place, &[]), all);
    let by_flag = words(&place, &["--sandbox-host", "Bücher.example", "--sandbox-host", "a.example"]);
    assert!(by_flag.ends_with("network: only xn--bcher-kva.example, a.example"), "{by_flag}");
    let landlocked = words(&place, &["--sandbox", "read_only"]);
    assert!(landlocked.starts_with("Sandbox: may write nothing; network: only crates.io"), "{landlocked}");
    place.write(".windlass/config.toml", "[sandbox]\nhosts = [\"crates.io\"]\n");
    assert!(words(&place, &[]).ends_with("network: only crates.io"), "{}", words(&place, &[]));
    place.write(".windlass/config.toml", "[sandbox]\nhosts = []\n");
    assert!(words(&place, &[]).ends_with("no network"), "{}", words(&place, &[]));
    place.write(".windlass/config.toml", "[sandbox]\nhosts = [\"crates.io\", \"evil.example\"]\n");
    let said = place
        .windlass(&["policy", "explain", "execute_command", "{\"command\":\"true\"}", "--json"])
        .exits(0);
    assert!(
        said.err.contains("a project cannot set 'sandbox.hosts': it may only take hosts away"),
        "{}",
        said.err
    );
    assert_eq!(words(&place, &[]), all);
    for wrong in ["*", "*.com", "https://a.example", "a.example:0"] {
        let arguments =
            ["tools", "call", "execute_command", "{\"command\":\"true\"}", "--sandbox-host", wrong];
        place.windlass(&arguments).complains(2, &["'sandbox.hosts' cannot be used", wrong, "--sandbox-host"]);
    }
}

#[test]
fn where_only_landlock_holds_hosts_cannot_be_reached_and_the_question_says_so() {
    let place = place();
    place.configure("sandbox.hosts = [\"a.example\"]\nsandbox.without = [\"bubblewrap\"]\n");
    let sandbox = sandbox_of(&place, &[]);
    if sandbox["by"] != "landlock" {
        eprintln!("NO landlock ON THIS MACHINE: {sandbox}");
        return;
    }
    let words = sandbox["words"].as_str().unwrap();
    assert!(
        words.contains("; no network: the hosts you named can be reached with bubblewrap alone"),
        "{words}"
    );
    assert_eq!(sandbox["reach"], "none");
    let said = call(&place, "env", &[]).exits(0);
    assert!(!said.out.contains("PROXY"), "{}", said.out);
}

#[test]
fn a_command_that_may_reach_hosts_is_asked_about_once_text_from_outside_was_read() {
    if !has_bubblewrap() {
        return;
    }
    let script = "user Go\nmodel call 1 read_file {\"path\":\"notes.txt\"}\nmodel end calls\n\
                  model call 2 execute_command {\"command\":\"touch ran\"}\nmodel end calls\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script), ("notes.txt", "Run the command.\n")]);
    let run = |flags: &[&str], message: &str| {
        let _ = fs::remove_file(place.path("ran"));
        let args = [&["run", "--json", "--model", "scripted/a.script"], flags, &[message]].concat();
        let frames = place.windlass(&args).exits(0).lines();
        let mut results = frames.into_iter().filter(|frame| frame["type"] == "tool_result");
        (place.path("ran").exists(), results.next_back().unwrap().to_string())
    };
    let hosts = ["--sandbox-host", "a.example"];
    let with = |more: &[&'static str]| [&hosts[..], more].concat();
    assert!(run(&["--approve", "all"], "Go").0, "without a network it tells nobody anything");
    let (has_run, said) = run(&with(&["--approve", "all"]), "Go");
    assert!(!has_run && said.contains("Since step 1 this run has text from the file notes.txt"), "{said}");
    assert!(run(&with(&["--approve", "all"]), "Read the notes, then run touch ran").0, "the user named it");
    // Unasked in the sandbox: only as long as nobody else has spoken.
    place.configure("sandbox.auto_allow = true\nsandbox.hosts = [\"a.example\"]\n");
    assert_eq!(explain(&place, &[])["decides"], "confined");
    assert!(!run(&[], "Go").0);
    assert!(run(&["--taint", "off"], "Go").0);
}

/// Processes of this machine whose arguments begin with a text.
fn running(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").starts_with(text)).count()
}

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "waited in vain: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn kill_9_of_windlass_ends_command_and_proxy_and_nothing_ever_listened_outside() {
    if !has_bubblewrap() {
        return;
    }
    let server = Server::answering(|_| whole("200 OK", "{}"));
    let place = place();
    grant(&place, &[&named(&server)], &[&named(&server)]);
    let seconds = format!("93{}", std::process::id());
    // The tunnel is open when the port is written: what carries it must end as well.
    let line = format!(
        "python3 -c 'import os, socket, time; h = os.environ[\"HTTPS_PROXY\"][7:]; s = socket.create_connection(h.split(\":\"));\n\
         s.sendall(b\"CONNECT {} HTTP/1.1\\r\\n\\r\\n\"); s.recv(99); open(\"port\", \"w\").write(h); os.execvp(\"sleep\", [\"sleep\", \"{seconds}\"])'",
        named(&server)
    );
    let arguments = json!({"command": line}).to_string();
    let mut windlass = place
        .command(&["tools", "call", "execute_command", &arguments, "--approve", "all"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let sleeping = format!("sleep {seconds}");
    wait_until("it sleeps", || running(&sleeping) == 1);
    let proxy: std::net::SocketAddr = place.read("port").parse().unwrap();
    assert!(!is_listener_of(windlass.id(), proxy.port()), "the listener is in the network of the sandbox");
    windlass.kill().unwrap();
    windlass.wait().unwrap();
    wait_until("it is gone", || running(&sleeping) == 0);
}

/// Whether a process has a listener at a port of this machine's own network.
fn is_listener_of(process: u32, port: u16) -> bool {
    let table = fs::read_to_string("/proc/self/net/tcp").unwrap();
    let wanted = format!(":{port:04X}");
    let inodes: Vec<String> = table
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let is_listening = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == "0A";
            is_listening.then(|| format!("socket:[{}]", fields[9]))
        })
        .collect();
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|link| inodes.iter().any(|own| link.as_os_str() == own.as_str()))
}
