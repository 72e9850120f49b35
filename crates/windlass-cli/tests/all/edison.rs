//! EDISON's routes, and the other systems' first examples, on a program that was started without a word about them.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::place::Place;
use crate::profiles::streamed;
use crate::serve::Served;
use crate::server::{Server, whole};

const FIRST: &str = "user search for python tutorials
model text {\"tool\":\"web_search\",\"args\":{\"query\":\"python tutorials\"}}
expect-request contains User: search for python tutorials
expect-request contains Tool 1 [web_search]: Web search results: Python Tutorial
expect-request contains Step 2 of 5. Provide JSON to call a tool or final answer now.
model text Try the tutorial [source:web_search].
";

const ANSWER: &str =
    "Try the tutorial [source:web_search].\n\nSources: web_search (https://docs.python.org/3/tutorial/)";

const PAGES: &str = r#"{"results":[{"title":"Python Tutorial","url":"https://docs.python.org/3/tutorial/","content":"Learn it."}]}"#;

/// A place with a script, whose searches are answered with these pages.
fn place(script: &str, pages: &'static str) -> (Place, Server) {
    let server = Server::answering(move |_| whole("200 OK", pages));
    let place = Place::with(&[("a.script", script), ("a.txt", "haul the anchor\n")]);
    place.configure(&format!("[web_search]\nbackend = \"searxng\"\nbase_url = \"{}\"\n", server.address("")));
    (place, server)
}

fn chat(served: &Served, message: &str) -> Value {
    served.json("POST /chat", &json!({"message": message, "chat_id": "c1"}).to_string())
}

/// The frames of a stream.
fn frames(body: &str) -> Vec<Value> {
    body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

#[test]
fn u_31_e_29_e_31_e_34_the_first_example_of_edison_is_answered_unasked() {
    let (place, _server) = place(FIRST, PAGES);
    let answer = chat(&Served::start(&place, &[]), "search for python tutorials");
    assert_eq!((&answer["response"], &answer["mode_used"]), (&json!(ANSWER), &json!("agent")), "{answer}");
    assert_eq!(answer["tools_used"], json!(["web_search"]));
    let event = &answer["tool_events"][0];
    assert_eq!((&event["tool"], &event["result"]["ok"]), (&json!("web_search"), &json!(true)), "{event}");
    assert_eq!(event["result"]["data"][0]["url"], "https://docs.python.org/3/tutorial/");
    // Without a backend the model and the user read what is missing, and nothing is cited.
    let script = "user search for tea\nmodel text {\"tool\":\"web_search\",\"args\":{\"query\":\"tea\"}}\n\
        expect-request contains Tool 1 [web_search]: web_search failed: web_search unavailable\nmodel text I cannot search.\n";
    let place = Place::with(&[("a.script", script)]);
    let answer = chat(&Served::start(&place, &[]), "search for tea");
    assert_eq!(answer["response"], "I cannot search.", "{answer}");
    assert!(answer["tool_events"][0].to_string().contains("web_search.backend"), "the cure: {answer}");
}

#[test]
fn u_31_the_first_examples_of_studio_ploke_and_zodo_ask_what_their_systems_ask() {
    let search =
        "user Search\nmodel call 1 search_web {\"query\":\"python\"}\nmodel end\nmodel text Found.\n";
    let (studio, _server) = place(search, PAGES);
    let (_, body) = Served::start(&studio, &[]).ask("POST /api/chat/stream", "{\"prompt\":\"Search\"}");
    let seen = frames(&body);
    assert!(seen.iter().all(|frame| frame["type"] != "permission_request"), "{body}");
    let result = seen.iter().find(|frame| frame["type"] == "tool_result").unwrap();
    assert_eq!(result["result"]["success"], true, "{body}");

    let context = "user Look\nmodel call 1 request_code_context {\"token_budget\":1000,\"hint\":\"anchor\"}\nmodel end\nmodel text Found.\n";
    let ploke = Place::with(&[("a.script", context), ("a.rs", "fn haul_anchor() {}\n")]);
    let said =
        ploke.windlass(&["run", "--model", "scripted/a.script", "--profile", "ploke", "--json", "Look"]);
    let result = said.lines().into_iter().find(|line| line["type"] == "tool_result").expect(&said.err);
    assert_eq!(result["result"]["success"], true, "{result}");

    let read = "user Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\nmodel text Read.\n";
    let zodo = Place::with(&[("a.script", read), ("a.txt", "hello\n")]);
    let served = Served::start(&zodo, &["--approve", "ask"]);
    let session = served.json("POST /api/sessions", "{\"profile\":\"zodo\"}")["session_id"].clone();
    let start = format!("POST /api/sessions/{}/runs", session.as_str().unwrap());
    let run = served.json(&start, "{\"message\":\"Read\"}");
    let question = served.first(run["run_id"].as_str().unwrap(), "permission_request");
    assert_eq!((&question["name"], &question["risk"]), (&json!("read_file"), &json!("medium")), "{question}");
}

#[test]
fn u_32_e_39_a_chat_takes_the_model_that_the_configuration_has_for_a_target() {
    let provider = Server::answering(|_| whole("400 Bad Request", r#"{"error":{"message":"not today"}}"#));
    let place = Place::new();
    place.configure(&format!(
        "[models]\ndeep = \"openai-chat/the-deep-one\"\n[providers.openai-chat]\nbase_url = \"{}\"\n",
        provider.address("")
    ));
    let key = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
    let served = Served::start_with(&place, &["--model", "openai-chat/the-usual-one"], &[key]);
    for (target, model) in [("deep", "the-deep-one"), ("fast", "the-usual-one"), ("vision", "the-usual-one")]
    {
        served.ask("POST /chat", &json!({"message": "Hi", "model": target}).to_string());
        let asked: Value = serde_json::from_str(provider.bodies().last().unwrap()).unwrap();
        assert_eq!(asked["model"], model, "{target}");
    }
}

#[test]
fn u_33_dspy_without_a_module_lists_its_tools_calls_them_and_answers_in_plain_text() {
    let script = "user Hi\nexpect-request contains available_tools: [\nexpect-request contains query: Hi\n\
        model text Hello there.\n";
    let place = Place::with(&[("a.script", script)]);
    let said = place.windlass(&["run", "--model", "scripted/a.script", "--profile", "dspy", "Hi"]).exits(0);
    assert_eq!(said.out.trim(), "Hello there.");
    let script = "user Add\nmodel text {\"tool_call\":{\"name\":\"calculate\",\"args\":{\"expression\":\"1+1\"}}}\n\
        expect-request contains context: Tool 'calculate' returned: \nmodel text It is 2.\n";
    place.write("b.script", script);
    let said = place.windlass(&["run", "--model", "scripted/b.script", "--profile", "dspy", "Add"]).exits(0);
    assert_eq!(said.out.trim(), "It is 2.");
}

/// It reads calls in no text: it is asked as it understands, in the limits and words of the profile.
#[test]
fn u_33_u_31_the_built_in_model_uses_tools_whichever_way_a_profile_writes_calls() {
    let place = Place::with(&[("README.md", "# A project\n"), ("a.txt", "hello\n")]);
    let ask = |profile: &str, message: &str| {
        let said = place.windlass(&["run", "--model", "builtin", "--profile", profile, message]).exits(0);
        assert!(!said.out.contains("beyond"), "{profile}: {}", said.out);
        said.out
    };
    for profile in ["default", "dspy", "ploke", "zodo"] {
        let said = ask(profile, "What files are in this project?");
        assert_eq!(said, "There are 2 files in this project:\n\n```\nREADME.md\na.txt\n```\n", "{profile}");
    }
    for profile in ["dspy", "studio"] {
        assert_eq!(ask(profile, "What is 3 * 4?"), "`3 * 4` = **12**\n", "{profile}");
    }
    assert!(ask("dspy", "read README.md").ends_with("```markdown\n# A project\n```\n"));
    let stats = ask("edison", "How much memory is used?");
    assert!(stats.contains("Memory:") && stats.ends_with("\n\nSources: system_stats\n"), "{stats}");
}

#[test]
fn u_34_a_call_that_is_written_as_text_is_never_content() {
    let (place, _server) = place(FIRST, PAGES);
    let body = json!({"message": "search for python tutorials"}).to_string();
    let (_, own) = Served::start(&place, &[]).ask("POST /chat/stream?format=edison", &body);
    let tokens: String =
        frames(&own).iter().filter_map(|frame| frame["t"].as_str().map(str::to_owned)).collect();
    assert_eq!(tokens, ANSWER, "{own}");
    let (_, usual) = Served::start(&place, &[]).ask("POST /chat/stream", &body);
    let content = |frames: &[Value]| -> String {
        let pieces = frames.iter().filter(|frame| frame["type"] == "content");
        pieces.filter_map(|frame| frame["content"].as_str()).collect()
    };
    assert_eq!(content(&frames(&usual)), ANSWER, "{usual}");
    let run = [
        "run",
        "--model",
        "scripted/a.script",
        "--profile",
        "edison",
        "--json",
        "search for python tutorials",
    ];
    let said = place.windlass(&run).exits(0);
    assert_eq!(content(&said.lines()), ANSWER, "{}", said.out);
}

/// A stream that breaks off in the middle of a call: no half of it is an answer.
#[test]
fn u_34_half_a_call_is_not_kept_as_the_answer() {
    let provider = Server::answering(|_| {
        let piece = json!({"id": "x", "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": "{\"tool\":\"web_sea"}, "finish_reason": null}]});
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {piece}\n\n"
        )
        .into_bytes()
    });
    let place = Place::new();
    place.configure(&format!(
        "[limits]\nmodel_retry_delay_ms = 10\n[providers.openai-chat]\nbase_url = \"{}\"\n",
        provider.address("")
    ));
    let key = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
    let run = ["run", "--model", "openai-chat/m", "--profile", "edison", "--json", "Hi"];
    let said = place.windlass_with(&run, &[key]);
    assert_ne!(said.code, 0);
    assert!(!said.out.contains("web_sea"), "{}", said.out);
}

#[test]
fn u_35_what_stands_in_the_history_is_not_repeated_and_an_empty_search_is_no_source() {
    let provider = Server::answering(|request| {
        let content = match request {
            asked if asked.contains("returned no details") => "The Seine.",
            asked if asked.contains("Which river") => r#"{"tool":"web_search","args":{"query":"river"}}"#,
            _ => "Paris, on the Seine.",
        };
        streamed(&json!({"content": content}), "stop")
    });
    let pages = Server::answering(|_| whole("200 OK", r#"{"results":[]}"#));
    let place = Place::new();
    place.configure(&format!(
        "[web_search]\nbackend = \"searxng\"\nbase_url = \"{}\"\n[providers.openai-chat]\nbase_url = \"{}\"\n",
        pages.address(""),
        provider.address("")
    ));
    let key = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
    let served = Served::start_with(&place, &["--model", "openai-chat/m"], &[key]);
    let ask = |message: &str| {
        served.json("POST /chat", &json!({"message": message, "chat_id": "c1", "mode": "agent"}).to_string())
    };
    assert_eq!(ask("The capital of France?")["response"], "Paris, on the Seine.");
    let answer = ask("Which river, in that capital?");
    assert_eq!(answer["response"], "The Seine.", "{answer}");
    let asked = provider.bodies().pop().unwrap();
    assert_eq!(asked.matches("Paris, on the Seine.").count(), 1, "{asked}");
    assert!(!asked.contains("Earlier, the user said"), "{asked}");
}

/// The context that the last request has, and its letters of each source: `d` of documents, `m` of memory, `p` of the
/// project, `w` of the web.
fn context_of(asked: &str) -> (String, [usize; 4]) {
    let asked: Value = serde_json::from_str(asked).unwrap();
    let texts: Vec<&str> =
        asked["messages"].as_array().unwrap().iter().filter_map(|m| m["content"].as_str()).collect();
    let text = texts.join("\n");
    let from = text.rfind("Context: ").expect("a context") + "Context: ".len();
    let rest = &text[from..];
    let context = rest.split("\nStep ").next().unwrap_or(rest);
    let count = |word: &str| context.matches(word).count() * word.len();
    (context.to_owned(), ["dddd ", "mmmm ", "pppp ", "wwww "].map(count))
}

/// Documents of the chat, forgotten exchanges, the project and pages are all longer than there is room for.
#[test]
fn u_35_e_31_e_40_each_source_has_its_budget_and_documents_are_never_crowded_out() {
    let long = |word: &str| format!("kraken {}\n", word.repeat(600));
    let memory = long("mmmm ");
    let answer = memory.clone();
    let provider = Server::answering(move |request| {
        let is_last = request.contains("What became") || request.contains("Search the web");
        let content = if is_last { "It sank." } else { answer.as_str() };
        streamed(&json!({"content": content}), "stop")
    });
    let page = json!({"results": [
        {"title": "Kraken", "url": "https://kraken.example/", "content": "wwww ".repeat(60)},
        {"title": "Squid", "url": "https://squid.example/", "content": "wwww ".repeat(60)},
    ]});
    let page: &'static str = page.to_string().leak();
    let pages = Server::answering(move |_| whole("200 OK", page));
    let place = Place::with(&[("notes.md", &long("pppp "))]);
    place.configure(&format!(
        "[web_search]\nbackend = \"searxng\"\nbase_url = \"{}\"\n[providers.openai-chat]\nbase_url = \"{}\"\n\
         context_tokens = 4096\n",
        pages.address(""),
        provider.address("")
    ));
    let key = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
    let served = Served::start_with(&place, &["--model", "openai-chat/m"], &[key]);
    let ask = |message: &str, tools: bool| {
        let body = json!({"message": message, "chat_id": "c1", "mode": "agent", "tools_allowed": tools});
        served.json("POST /chat", &body.to_string())
    };
    let session = ask("A long story of the kraken, please", true)["session_id"].clone();
    for number in 2..8 {
        ask(&format!("A long story of the kraken, number {number}"), true);
    }
    for (name, text) in [("handbook.md", long("dddd ")), ("anchors.md", "Anchors rust.\n".to_owned())] {
        let document = json!({"name": name, "text": text, "session_id": session});
        served.json("POST /api/documents", &document.to_string());
    }

    let told = ask("What became of the kraken?", true);
    let (context, [documents, remembered, project, _]) = context_of(&provider.bodies().pop().unwrap());
    assert!(context.chars().count() <= 2_000, "{}: {context}", context.chars().count());
    assert!(documents >= 700, "{documents} of documents: {context}");
    assert!((200..=800).contains(&remembered), "{remembered} of memory: {context}");
    assert!(project >= 300, "{project} of the project: {context}");
    assert_eq!(told["response"], "It sank.\n\nSources: handbook.md", "{told}");

    // Without tools the pages of the old search take the place of the project.
    let told = ask("Search the web for the kraken", false);
    let (context, [documents, remembered, project, pages]) = context_of(&provider.bodies().pop().unwrap());
    assert!(context.chars().count() <= 2_000, "{context}");
    assert!(documents >= 700 && pages >= 300 && remembered >= 200 && project == 0, "{context}");
    let cited = "handbook.md, https://kraken.example/, https://squid.example/";
    assert_eq!(told["response"], format!("It sank.\n\nSources: {cited}"), "{told}");
}

#[test]
fn u_35_e_22_e_35_documents_that_a_call_found_are_cited_and_those_of_other_chats_are_not() {
    let provider = Server::answering(|request| {
        let content = match request {
            asked if asked.contains("RAG search returned no chunks") => "No.",
            asked if asked.contains("quokkas?") => r#"{"tool":"rag_search","args":{"query":"quokka"}}"#,
            asked if asked.contains("Tool 1 [rag_search]: RAG search results: Hemp is soaked") => "In tar.",
            asked if asked.contains("ropes") => r#"{"tool":"rag_search","args":{"query":"soaked"}}"#,
            _ => "Hi.",
        };
        streamed(&json!({"content": content}), "stop")
    });
    let place = Place::new();
    place.configure(&format!("[providers.openai-chat]\nbase_url = \"{}\"\n", provider.address("")));
    let key = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
    let served = Served::start_with(&place, &["--model", "openai-chat/m"], &[key]);
    let chat = |chat_id: &str, message: &str| {
        json!({"message": message, "chat_id": chat_id, "mode": "agent"}).to_string()
    };
    let document = |name: &str, text: &str, session: &Value| {
        let body = json!({"name": name, "text": text, "session_id": session});
        served.json("POST /api/documents", &body.to_string());
    };
    document(
        "tar.md",
        "Hemp is soaked in tar.\n",
        &served.json("POST /chat", &chat("c1", "Hello"))["session_id"],
    );
    document("zoo.md", "Soaked quokka.\n", &served.json("POST /chat", &chat("c2", "Hello"))["session_id"]);
    // Its own words find the document only by the call: it is cited with that.
    let (_, told) = served.ask("POST /chat/stream?format=edison", &chat("c1", "How are ropes kept?"));
    let done = frames(&told).pop().unwrap();
    assert_eq!(done["response"], "In tar.\n\nSources: rag_search (tar.md)", "{told}");
    let told = served.json("POST /chat", &chat("c1", "Anything on quokkas?"));
    assert_eq!(told["response"], "No.", "an empty search is no source: {told}");
}

#[test]
fn u_44_e_46_a_tool_has_the_time_that_is_set_for_it() {
    // It takes connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::new();
    place.configure(&format!(
        "[web_search]\nbackend = \"searxng\"\nbase_url = \"http://{}\"\n[tool_timeouts]\nweb_search = \"300ms\"\nweb_serch = 5\n",
        silent.local_addr().unwrap()
    ));
    let said = place
        .windlass(&["tools", "call", "web_search", "{\"query\":\"tea\"}", "--profile", "edison"])
        .exits(1);
    assert!(said.json()["error"].as_str().unwrap().contains("timed out after 0.3"), "{}", said.out);
    assert!(said.err.contains("there is no tool web_serch; did you mean web_search?"), "{}", said.err);
}

#[test]
fn e_33_e_45_a_call_that_is_not_corrected_is_refused_in_clear_words() {
    for (call, words) in [
        ("{\"tool\":\"execute_command\",\"args\":{\"command\":\"ls\"}}", "Unknown tool 'execute_command'"),
        ("{\"tool\":\"web_search\",\"args\":{}}", "Missing required arg 'query'"),
        (
            "{\"tool\":\"web_search\",\"args\":{\"query\":\"x\",\"max_results\":\"5\"}}",
            "max_results must be int",
        ),
        ("{\"tool\":\"web_search\"}", "Payload must contain exactly 'tool' and 'args' keys"),
    ] {
        let script = format!(
            "user Go\nmodel text {call}\nexpect-request contains Previous tool JSON was invalid ({words}\nmodel text {call}\n"
        );
        let place = Place::with(&[("a.script", &script)]);
        let served = Served::start(&place, &[]);
        let answer = served.json("POST /chat", "{\"message\":\"Go\",\"mode\":\"agent\"}");
        assert_eq!(answer["response"], format!("Tool call rejected: {words}."), "{answer}");
    }
}
