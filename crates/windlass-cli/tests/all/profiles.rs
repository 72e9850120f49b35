//! A profile is a whole: whichever front end chooses it, over whichever profile the program was started with, a run has
//! its limits, its tools, its envelope and its approvals. A provider on loopback plays the model and hears every request.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;
use crate::server::Server;

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");

/// What a system's document says of a run; its table is requirements §6.6. A system without a limit of its own has the
/// ceiling of all.
#[derive(serde::Deserialize)]
struct Seed {
    profile: String,
    steps: usize,
    calls: usize,
    timeout_ms: u64,
    /// The tools of Windlass that are offered; all of them if none is named.
    tools: Vec<String>,
    /// The fields around an outcome, or how it is written without any.
    envelope: String,
    /// A tool that every step calls.
    working: String,
    /// One whose approval tells profiles apart, with what decides about it. ZodoLlama asks before it reads (Z-4, Z-12), and
    /// these programs have nobody to ask.
    probed: (String, String),
}

/// The web app is held to the same numbers, in a browser (`web/e2e/profiles.e2e.ts`).
static SEEDS: LazyLock<Vec<Seed>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../fixtures/profiles/seeds.json")).unwrap());

fn seed(profile: &str) -> &'static Seed {
    SEEDS.iter().find(|seed| seed.profile == profile).unwrap()
}

/// A stream of one answer.
pub(crate) fn streamed(delta: &Value, finish: &str) -> Vec<u8> {
    let piece = |delta: &Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let body =
        [piece(delta, Value::Null), piece(&json!({}), finish.into()), "data: [DONE]\n\n".into()].concat();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

/// Arguments that a tool was not called with before in the run.
fn arguments(tool: &str, number: usize) -> String {
    let args = match tool {
        "calculate" => json!({"expression": format!("1 + {number}")}),
        "add_task" => json!({"content": format!("task {number}")}),
        "read_file" => json!({"path": format!("{number}.txt")}),
        "request_code_context" => json!({"token_budget": 1000, "hint": format!("word{number}")}),
        _ => json!({"query": format!("word{number}")}),
    };
    args.to_string()
}

/// A model that does what the user says: `steps with TOOL` is one call after another for as long as it may,
/// `many with TOOL` is sixteen calls at once and then an answer, `once with TOOL` is one.
fn provider() -> Server {
    Server::answering(|request| {
        let Some((before, after)) = request.rsplit_once(" with ") else {
            return streamed(&json!({"content": "Hello."}), "stop");
        };
        let tool: String = after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        let done = outcomes(after);
        if done > 0 && !before.ends_with("steps") {
            return streamed(&json!({"content": "Done."}), "stop");
        }
        let calls: Vec<Value> = (0..if before.ends_with("many") { 16 } else { 1 })
            .map(|index| {
                let function = json!({"name": tool, "arguments": arguments(&tool, done + index)});
                json!({"index": index, "id": format!("c{done}_{index}"), "type": "function", "function": function})
            })
            .collect();
        streamed(&json!({"tool_calls": calls}), "tool_calls")
    })
}

/// How many outcomes a text tells the model, in whichever dialect.
fn outcomes(text: &str) -> usize {
    let is_line =
        |rest: &&str| rest.split_once(" [").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let as_text = text.split("Tool ").skip(1).filter(is_line).count();
    text.matches("\"role\":\"tool\"").count() + as_text + text.matches("' returned: ").count()
}

/// How the first outcome stands in a request: the fields around it, or how it begins without any.
fn envelope(request: &str, seed: &Seed) -> String {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let outcome = messages.iter().find(|message| message["role"] == "tool");
    let Some(outcome) = outcome else {
        let said = messages.iter().filter_map(|message| message["content"].as_str()).collect::<String>();
        return if said.contains(&seed.envelope) { seed.envelope.clone() } else { String::new() };
    };
    let content: Value = serde_json::from_str(outcome["content"].as_str().unwrap()).unwrap_or_default();
    let keys: BTreeSet<&str> =
        content.as_object().map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default();
    keys.into_iter().collect::<Vec<_>>().join(" ")
}

/// A run as it is on record.
struct Run {
    events: Vec<Value>,
}

impl Run {
    /// The newest run of a server, once it has ended.
    fn newest(served: &Served) -> Self {
        let runs = served.json("GET /api/runs?rows=1", "");
        let run = runs["runs"][0]["run_id"].as_str().unwrap().to_owned();
        served.wait_for(&run, "done");
        let row = served.json(&format!("GET /api/runs/{run}"), "");
        let session = row["session_id"].as_str().unwrap();
        let records = served.json(&format!("GET /api/sessions/{session}/records?rows=1000"), "");
        let own =
            records["records"].as_array().unwrap().iter().filter(|record| record["run_id"] == run.as_str());
        Self { events: own.map(|record| record["event"].clone()).collect() }
    }

    fn count(&self, kind: &str, is_one: impl Fn(&Value) -> bool) -> usize {
        self.events.iter().filter(|event| event["type"] == kind && is_one(event)).count()
    }

    /// What the run began with.
    fn profile(&self) -> &Value {
        let begun = self.events.iter().find(|event| event["type"] == "run_started").unwrap();
        &begun["wishes"]["setup"]["profile"]
    }

    /// Which gate let the first call run; `asked` where the user would have had to.
    fn approval(&self) -> String {
        let started = self.events.iter().find(|event| event["type"] == "call_started");
        let decided = started.and_then(|event| event["by"].as_str());
        decided.unwrap_or("asked").to_owned()
    }
}

/// One front end's runs of a profile, as they were seen from outside.
#[derive(Debug, PartialEq)]
struct Seen {
    steps: usize,
    calls: usize,
    timeout_ms: u64,
    tools: Vec<String>,
    envelope: String,
    approval: String,
}

/// A project and a provider; all programs of it share one data folder.
struct Bench {
    place: Place,
    provider: Server,
    /// All tools that there are.
    tools: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let place = Place::new();
        for number in 0..16 {
            place.write(&format!("{number}.txt"), &format!("word{number} stands here\n"));
        }
        let provider = provider();
        place.configure(&format!("[providers.openai-chat]\nbase_url = \"{}\"\n", provider.address("")));
        let all = place.windlass(&["tools", "list", "--json"]).exits(0).json();
        let tools = all.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        Self { tools: tools.collect(), place, provider }
    }

    fn serve(&self, profile: &str) -> Served {
        let args = ["--model", "openai-chat/some-model", "--profile", profile, "--approve", "never"];
        Served::start_with(&self.place, &args, &[KEY])
    }

    /// Lets a front end say three messages of a seed, and looks at what came of it.
    fn look(&self, served: &Served, seed: &Seed, mut say: impl FnMut(&str)) -> Seen {
        let before = self.provider.bodies().len();
        say(&format!("steps with {}", seed.working));
        let steps = Run::newest(served);
        let asked = self.provider.bodies().split_off(before);
        say(&format!("many with {}", seed.working));
        let many = Run::newest(served);
        say(&format!("once with {}", seed.probed.0));
        let once = Run::newest(served);
        Seen {
            steps: steps.count("step_started", |event| event["purpose"] == "work"),
            calls: many
                .count("call_ended", |event| event["outcome"]["body"]["Err"]["kind"] != "limit_exceeded"),
            timeout_ms: steps.profile()["limits"]["call_timeout_ms"].as_u64().unwrap(),
            tools: self.offered(asked.first().unwrap()),
            envelope: envelope(asked.get(1).map_or("", String::as_str), seed),
            approval: once.approval(),
        }
    }

    /// The tools that a request offers, in whichever dialect.
    fn offered(&self, request: &str) -> Vec<String> {
        let stands = |name: &&String| {
            let ways =
                [format!("\"name\":\"{name}\""), format!("\\\"name\\\":\\\"{name}\\\""), format!("{name}(")];
            ways.iter().any(|way| request.contains(way))
        };
        self.tools.iter().filter(stands).cloned().collect()
    }

    fn expected(&self, seed: &Seed) -> Seen {
        Seen {
            steps: seed.steps,
            calls: seed.calls,
            timeout_ms: seed.timeout_ms,
            tools: if seed.tools.is_empty() { self.tools.clone() } else { seed.tools.clone() },
            envelope: seed.envelope.clone(),
            approval: seed.probed.1.clone(),
        }
    }

    /// What each front end of one server shows of a profile that it chooses, or that its route has.
    fn rows(&self, served: &Served, started_with: &str, profile: &str) -> Vec<(String, &'static Seed, Seen)> {
        let session =
            |body: Value| served.json("POST /api/sessions", &body.to_string())["session_id"].clone();
        let run = |session: &Value, body: Value| {
            served.json(&format!("POST /api/sessions/{}/runs", session.as_str().unwrap()), &body.to_string());
        };
        let chosen = seed(profile);
        let cli = self.look(served, chosen, |text| {
            let model = [
                "run",
                "--model",
                "openai-chat/some-model",
                "--approve",
                "never",
                "-q",
                "--profile",
                profile,
            ];
            self.place.windlass_with(&[&model[..], &[text]].concat(), &[KEY]);
        });
        let chat = self.look(served, seed("edison"), |text| {
            served.ask("POST /chat", &json!({"message": text, "mode": "agent"}).to_string());
        });
        let stream = self.look(served, seed("studio"), |text| {
            served.ask("POST /api/chat/stream", &json!({"prompt": text}).to_string());
        });
        let own = session(json!({"profile": profile}));
        let sessions = self.look(served, chosen, |text| run(&own, json!({"message": text})));
        let v1 = self.look(served, chosen, |text| {
            let message = json!({"role": "user", "content": text});
            served.ask(
                "POST /v1/chat/completions",
                &json!({"messages": [message], "profile": profile}).to_string(),
            );
        });
        let terminal = self.terminal(served, started_with, chosen);
        vec![
            ("CLI run".to_owned(), chosen, cli),
            ("/chat".to_owned(), seed("edison"), chat),
            ("/api/chat/stream".to_owned(), seed("studio"), stream),
            ("/api/sessions".to_owned(), chosen, sessions),
            ("/v1".to_owned(), chosen, v1),
            ("terminal /profile".to_owned(), chosen, terminal),
        ]
    }

    /// The terminal app, started with another profile.
    fn terminal(&self, served: &Served, started_with: &str, chosen: &Seed) -> Seen {
        let pane = Pane::open(&self.place, 120, 30);
        let args = format!("--model openai-chat/some-model --approve never --profile {started_with}");
        pane.launch(&format!("{}={}", KEY.0, KEY.1), &args);
        pane.type_text(&format!("/profile {}", chosen.profile));
        pane.press("Enter");
        pane.wait_for(&format!("profile {} applies from the next run on", chosen.profile));
        let runs =
            |served: &Served| served.json("GET /api/runs?rows=200", "")["runs"].as_array().unwrap().len();
        self.look(served, chosen, |text| {
            let before = runs(served);
            pane.type_text(text);
            pane.press("Enter");
            pane.wait_until("the run is on record", |_| runs(served) > before);
        })
    }
}

#[test]
fn u_30_a_profile_is_a_whole_on_every_front_end() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    println!(
        "| started with | front end | profile | steps | calls a step | call timeout | tools | envelope | approval |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (at, chosen) in SEEDS.iter().enumerate() {
        let started_with = &SEEDS[(at + 1) % SEEDS.len()].profile;
        let served = bench.serve(started_with);
        for (front, seed, seen) in bench.rows(&served, started_with, &chosen.profile) {
            let Seen { steps, calls, timeout_ms, tools, envelope, approval } = &seen;
            println!(
                "| {started_with} | {front} | {} | {steps} | {calls} | {timeout_ms} ms | {} | {envelope} | {} {approval} |",
                seed.profile,
                tools.len(),
                seed.probed.0,
            );
            let expected = bench.expected(seed);
            if seen != expected {
                wrong.push(format!(
                    "{front}, {} over {started_with}:\n  {seen:?}\nnot {expected:?}",
                    seed.profile
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
