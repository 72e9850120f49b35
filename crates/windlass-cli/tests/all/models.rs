//! Models: which one answers, what is listed of them, and where their keys come from.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, Said};
use crate::server::Server;

/// Nobody listens there, so that a server of the tester's own is never found.
const NO_OLLAMA: (&str, &str) = ("WINDLASS_PROVIDERS_OLLAMA_BASE_URL", "http://127.0.0.1:1");

const ONE_MODEL: &[(&str, &str)] = &[("/v1/models", "{\"data\":[{\"id\":\"one\",\"context_length\":4242}]}")];

#[test]
fn without_key_network_or_configuration_the_built_in_model_answers() {
    let place = Place::new();
    place.write("anchor.txt", "hold\n");
    let said = place.windlass_with(&["run", "What files are in this project?"], &[NO_OLLAMA]).exits(0);
    assert!(said.out.contains("anchor.txt"), "{}", said.out);
    let named = place.windlass_with(&["run", "--model", "builtin", "hello there"], &[NO_OLLAMA]).exits(0);
    assert!(named.out.starts_with("Hello!"), "{}", named.out);
}

#[test]
fn where_a_wire_is_needed_three_lines_say_how_to_connect_a_model() {
    let place = Place::new();
    let said = place.windlass_with(&["models", "doctor"], &[NO_OLLAMA]);
    let said = said
        .complains(2, &["no model is connected", "OPENAI_API_KEY", "GROQ_API_KEY", "windlass models list"]);
    assert_eq!(said.err.trim_end().lines().count(), 3, "{}", said.err);
    place.windlass(&["models", "doctor", "builtin"]).complains(2, &["runs locally"]);
}

#[test]
fn a_model_file_that_is_not_there_or_is_none_is_told_with_its_place() {
    let place = Place::new();
    place
        .windlass(&["run", "--model", "local/gone.gguf", "hello"])
        .complains(2, &["there is no model file 'gone.gguf'", "looked in"]);
    place.write("no.gguf", "this is no model");
    place
        .windlass(&["run", "--model", "local/no.gguf", "hello"])
        .complains(2, &["local/no.gguf: ", "no.gguf"]);
}

#[test]
fn the_built_in_model_is_listed_with_what_it_is() {
    let listed = Place::new().windlass(&["models", "list", "--json"]).exits(0).json();
    let row = &listed["models"][0];
    assert_eq!((&row["name"], &row["provider"]), (&"builtin".into(), &"builtin".into()), "{row}");
    let abilities = &row["abilities"];
    assert!(abilities["context_tokens"].as_u64().is_some_and(|tokens| tokens >= 512), "{row}");
    assert_eq!(abilities["calls_tools"], true, "{row}");
    let source = row["source"].as_str().unwrap();
    for word in ["built in: Q8_0", "M parameters", "17 MB", "licence MIT or Apache-2.0", "held to a grammar"]
    {
        assert!(source.contains(word), "no '{word}' in: {source}");
    }
    let text = Place::new().windlass(&["models", "list"]).exits(0).out;
    assert!(text.lines().any(|line| line.starts_with("builtin ") && line.contains("tools")), "{text}");
    // A provider's list has its own models alone.
    let openai = Place::new().windlass(&["models", "list", "openai", "--json"]).exits(0).json();
    assert!(openai["models"].as_array().unwrap().iter().all(|row| row["provider"] == "openai"), "{openai}");
}

#[test]
fn threads_of_models_in_the_process_are_a_number_that_makes_sense() {
    let place = Place::new();
    let run = ["run", "--model", "builtin", "hello there"];
    for wrong in ["0", "1025"] {
        place
            .windlass_with(&run, &[("WINDLASS_LOCAL_THREADS", wrong)])
            .complains(2, &["local.threads", "from 1 to 1024", "WINDLASS_LOCAL_THREADS"]);
    }
    place
        .windlass_with(&run, &[("WINDLASS_LOCAL_THREADS", "many")])
        .complains(2, &["local.threads", "a whole number"]);
    let one = [("WINDLASS_LOCAL_THREADS", "1"), ("CANDLE_NUM_THREADS", "1")];
    let said = place.windlass_with(&run, &one).exits(0);
    assert!(said.out.starts_with("Hello!") && !said.err.contains("warning"), "{}", said.err);
    // Kernels that listen to nobody else are told about.
    let three = [("WINDLASS_LOCAL_THREADS", "1"), ("CANDLE_NUM_THREADS", "3")];
    let said = place.windlass_with(&run, &three).exits(0);
    assert!(said.err.contains("use 3 threads") && said.err.contains("CANDLE_NUM_THREADS=1"), "{}", said.err);
}

#[test]
fn an_ollama_server_on_this_machine_answers_with_its_first_model() {
    let server =
        Server::start(&[("/api/tags", "{\"models\":[{\"name\":\"qwen3:8b\"},{\"name\":\"other\"}]}")]);
    let address = server.address("");
    let place = Place::new();
    let said =
        place.windlass_with(&["run", "hello"], &[("WINDLASS_PROVIDERS_OLLAMA_BASE_URL", &address)]).exits(1);
    assert!(server.heard().contains("GET /api/tags"), "{}", server.heard());
    assert!(said.err.contains("qwen3:8b") || server.heard().contains("\"qwen3:8b\""), "{}", said.err);
}

#[test]
fn a_key_in_the_environment_is_stronger_than_a_server_on_this_machine() {
    let server = Server::start(&[]);
    let (ollama, groq) = (server.address("/ollama"), server.address("/groq"));
    let vars = [
        ("GROQ_API_KEY", "gsk-secret"),
        ("WINDLASS_PROVIDERS_OLLAMA_BASE_URL", ollama.as_str()),
        ("WINDLASS_PROVIDERS_GROQ_BASE_URL", groq.as_str()),
    ];
    let said = Place::new().windlass_with(&["run", "hello"], &vars).exits(1);
    assert!(!server.heard().contains("/api/tags"), "{}", server.heard());
    assert!(!said.err.contains("gsk-secret") && !said.out.contains("gsk-secret"), "{}", said.err);
}

#[test]
fn names_that_mean_nothing_say_what_was_meant() {
    let place = Place::new();
    for (model, texts) in [
        ("opnai/gpt-5.5", &["did you mean 'openai'?", "windlass models list", "--model"][..]),
        ("gpt-5.5", &["'gpt-5.5' is not a model's name", "PROVIDER/MODEL"]),
        ("groq/x", &["'groq' needs a key", "GROQ_API_KEY", "windlass models key set groq"]),
        ("scripted/nowhere", &["'nowhere' cannot be read"]),
        ("azure/mine", &["address of 'azure'", "providers.azure.base_url"]),
        ("openai-compatible/mine", &["address of 'openai-compatible'", "WINDLASS_BASE_URL"]),
    ] {
        place.windlass(&["run", "--model", model, "hello"]).complains(2, texts);
    }
    let vars = [("WINDLASS_BASE_URL", "localhost:8000")];
    place
        .windlass_with(&["run", "--model", "openai-compatible/mine", "hello"], &vars)
        .complains(2, &["'localhost:8000' cannot be the address", "http://"]);
}

#[test]
fn r_41_a_model_without_tools_is_a_clear_error_that_names_the_way_out() {
    let place = Place::new();
    place.configure(
        "[providers.box]\nbase_url = \"http://127.0.0.1:1/v1\"\n[providers.box.quirks]\ncalls = \"none\"\n",
    );
    place
        .windlass(&["run", "--model", "box/mute", "hello"])
        .complains(2, &["the model 'box/mute' calls no tools", "--no-tools", "calls = \"tags\""]);
    let said = place.windlass(&["run", "--model", "box/mute", "--no-tools", "hello"]).exits(1);
    assert!(!said.err.contains("calls no tools"), "{}", said.err);
}

#[test]
fn all_providers_are_listed_with_wire_address_and_key_and_no_key_is_shown() {
    let place = Place::new();
    let said = place.windlass_with(&["models", "list"], &[("OPENAI_API_KEY", "sk-secret")]).exits(0);
    let line = |start: &str| {
        let found = said.out.lines().find(|line| line.starts_with(start));
        found
            .unwrap_or_else(|| panic!("no {start} in {}", said.out))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("openai "), "openai responses https://api.openai.com/v1 environment OPENAI_API_KEY");
    assert_eq!(line("anthropic "), "anthropic messages https://api.anthropic.com missing: ANTHROPIC_API_KEY");
    assert_eq!(line("ollama "), "ollama ollama http://127.0.0.1:11434 none needed");
    assert_eq!(
        line("azure "),
        "azure chat to be set: providers.azure.base_url missing: AZURE_OPENAI_API_KEY"
    );
    assert!(
        line("anthropic/claude-opus-5-5 ").contains("1000k 128k 4 / 0.2 / 20 tools, thinks, sees catalogue:")
    );
    assert!(line("gemini/gemini-3.7-flash ").contains("unknown"), "no price is known of it");
    assert!(!said.out.contains("sk-secret") && !said.err.contains("sk-secret"));
}

#[test]
fn the_list_of_one_provider_is_json_with_the_origin_of_every_figure() {
    let place = Place::new();
    place.configure("model = \"groq/brand-new\"\n[providers.groq]\nkey = \"gsk-secret\"\n");
    let said = place.windlass(&["models", "list", "groq", "--json"]).exits(0);
    let list = said.json();
    assert_eq!(list["providers"].as_array().unwrap().len(), 1);
    assert!(list["providers"][0]["key"].as_str().unwrap().ends_with("config.toml:3"), "{}", said.out);
    let models = list["models"].as_array().unwrap();
    let find = |name: &str| models.iter().find(|model| model["name"] == name).unwrap();
    let known = find("groq/openai/gpt-oss-120b");
    assert_eq!(
        (&known["source"], &known["abilities"]["context_tokens"]),
        (&"catalogue".into(), &131_072.into())
    );
    assert!(known["said_by"].as_str().unwrap().contains("Groq"));
    assert_eq!(find("groq/brand-new")["source"], "configuration");
    assert!(!said.out.contains("gsk-secret"), "{}", said.out);
    place.windlass(&["models", "list", "grok"]).complains(2, &["no provider 'grok'", "did you mean 'groq'?"]);
}

#[test]
fn a_server_is_asked_for_its_own_list() {
    let server = Server::start(ONE_MODEL);
    let place = Place::new();
    place.configure(&format!("[providers.box]\nbase_url = \"{}\"\n", server.address("/v1")));
    let said = place.windlass(&["models", "list", "box", "--live", "--json"]).exits(0);
    let list = said.json();
    assert_eq!(list["models"][0]["name"], "box/one");
    assert_eq!(list["models"][0]["source"], "server");
    assert_eq!(list["models"][0]["abilities"]["context_tokens"], 4_242);
    let broken = Server::start(&[("/v1/models", "<html>")]);
    place.configure(&format!("[providers.box]\nbase_url = \"{}\"\n", broken.address("/v1")));
    place.windlass(&["models", "list", "box", "--live"]).complains(1, &["box", "JSON"]);
}

#[test]
fn what_the_doctor_found_is_laid_under_the_users_word_and_only_where_it_was_found() {
    let place = Place::new();
    let config =
        "[providers.box]\nbase_url = \"http://127.0.0.1:9000/v1\"\n[providers.box.quirks]\nids = \"word\"\n";
    place.configure(config);
    let folder = place.data_folder().join("models");
    fs::create_dir_all(&folder).unwrap();
    let found = "{\"target\":\"box/acme/one\",\"base_url\":\"http://127.0.0.1:9000/v1/\",\"at_ms\":5,\
                 \"patch\":{\"choice\":\"words\",\"ids\":\"nine\"},\
                 \"findings\":[{\"probe\":\"named_choice\",\"verdict\":\"fail\",\"meaning\":\"words only\"},\
                 {\"probe\":\"one_call\",\"verdict\":\"pass\",\"meaning\":\"it calls\"}]}";
    fs::write(folder.join("box--acme-one.json"), found).unwrap();
    let shown = place.windlass(&["models", "show", "box/acme/one", "--json"]).exits(0).json();
    assert_eq!((&shown["quirks"]["choice"], &shown["quirks"]["ids"]), (&"words".into(), &"word".into()));
    assert_eq!(shown["abilities"]["calls_tools"], true);
    let said = place.windlass(&["models", "show", "box/acme/one"]).exits(0);
    assert!(
        said.out.contains("made to call a certain tool") && said.out.contains("words only"),
        "{}",
        said.out
    );
    let listed = place.windlass(&["models", "list", "box", "--json"]).exits(0).json();
    assert_eq!(
        (&listed["models"][0]["name"], &listed["models"][0]["source"]),
        (&"box/acme/one".into(), &"doctor".into())
    );
    place.configure(&config.replace("9000", "9001"));
    let moved = place.windlass(&["models", "show", "box/acme/one", "--json"]).exits(0).json();
    assert_eq!(moved["quirks"]["choice"], "full");
    fs::write(folder.join("box--acme-one.json"), "{").unwrap();
    place
        .windlass(&["models", "show", "box/acme/one"])
        .complains(1, &["findings cannot be read", "examines it again"]);
}

#[test]
fn everything_known_of_a_model_is_shown_without_a_key() {
    let said = Place::new().windlass(&["models", "show", "anthropic/claude-opus-5-5"]).exits(0);
    for text in ["messages", "missing: ANTHROPIC_API_KEY", "1000k", "quirk choice", "auto_or_none", "never"] {
        assert!(said.out.contains(text), "no '{text}' in {}", said.out);
    }
}

/// A keyring of files: what `secret-tool` does, as far as we use it.
#[cfg(unix)]
const SECRET_TOOL: &str = "#!/bin/sh\nverb=$1\nfor last in \"$@\"; do :; done\nfile=\"$HOME/../project/ring/$last\"\n\
    case $verb in\nstore) cat > \"$file\";;\nlookup) cat \"$file\";;\nclear) rm -f \"$file\";;\nesac\n";

#[cfg(unix)]
struct Keys {
    place: Place,
    server: Server,
}

#[cfg(unix)]
impl Keys {
    fn new() -> Self {
        let place = Place::with(&[("bin/secret-tool", SECRET_TOOL), ("ring/.keep", "")]);
        fs::set_permissions(place.path("bin/secret-tool"), fs::Permissions::from_mode(0o755)).unwrap();
        Self { place, server: Server::start(ONE_MODEL) }
    }

    fn run(&self, args: &[&str], stdin: &str, vars: &[(&str, &str)]) -> Said {
        let bin = self.place.path("bin").display().to_string();
        let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
        let mut all = vec![("PATH", path.as_str())];
        all.extend(vars);
        self.place.windlass_told(args, stdin, &all)
    }

    /// The key that a request carries with this configuration and environment.
    fn sent(&self, config: &str, vars: &[(&str, &str)]) -> String {
        self.place
            .configure(&format!("[providers.groq]\nbase_url = \"{}\"\n{config}", self.server.address("/v1")));
        self.run(&["models", "list", "groq", "--live"], "", vars).exits(0);
        let heard = self.server.heard();
        let key = heard.lines().rfind(|line| line.to_ascii_lowercase().starts_with("authorization:"));
        key.and_then(|line| line.rsplit(' ').next()).unwrap_or_default().to_owned()
    }
}

#[cfg(unix)]
#[test]
fn the_environment_is_stronger_than_the_file_than_a_command_than_the_keyring() {
    let keys = Keys::new();
    keys.run(&["models", "key", "set", "groq"], "of-keyring\n", &[]).exits(0);
    assert_eq!(keys.sent("", &[]), "of-keyring");
    let command = "key_command = [\"printf\", \"of-command\\\\nsecond line\"]\n";
    assert_eq!(keys.sent(command, &[]), "of-command");
    let file = format!("{command}key = \"of-file\"\n");
    assert_eq!(keys.sent(&file, &[]), "of-file");
    assert_eq!(keys.sent(&file, &[("GROQ_API_KEY", "of-variable")]), "of-variable");
    let both = [("GROQ_API_KEY", "of-variable"), ("WINDLASS_PROVIDERS_GROQ_KEY", "of-setting")];
    assert_eq!(keys.sent(&file, &both), "of-setting");
}

#[cfg(unix)]
#[test]
fn keys_are_kept_listed_and_forgotten_and_never_shown() {
    let keys = Keys::new();
    let said = keys.run(&["models", "key", "set", "groq"], "gsk-secret\n", &[]).exits(0);
    assert!(!said.out.contains("gsk-secret"), "{}", said.out);
    assert_eq!(keys.run(&["models", "key", "list"], "", &[]).exits(0).out, "groq\n");
    let said = keys.run(&["models", "list", "groq"], "", &[]).exits(0);
    assert!(said.out.contains("keyring") && !said.out.contains("gsk-secret"), "{}", said.out);
    keys.run(&["models", "key", "remove", "groq"], "", &[]).exits(0);
    keys.run(&["models", "key", "remove", "groq"], "", &[]).complains(2, &["no key of 'groq'"]);
    assert!(!keys.place.path("ring/groq").exists());
    keys.run(&["models", "key", "set", "grok"], "k", &[]).complains(2, &["did you mean 'groq'?"]);
    keys.run(&["models", "key", "set", "groq"], "\n", &[]).complains(2, &["the key is empty"]);
    let nowhere = [("PATH", "/nowhere")];
    keys.run(&["models", "key", "set", "groq"], "k", &nowhere)
        .complains(1, &["keyring cannot be reached", "secret-tool", "key_command"]);
}

#[test]
fn a_key_command_that_fails_is_named_and_not_quoted() {
    let place = Place::new();
    let command = "[providers.groq]\nkey_command = [\"sh\", \"-c\", \"echo gsk-secret; exit 3\"]\n";
    place.configure(command);
    let said = place.windlass(&["run", "--model", "groq/x", "hello"]);
    let said = said.complains(2, &["providers.groq.key_command", "code 3", "config.toml:2"]);
    assert!(!said.err.contains("gsk-secret"), "{}", said.err);
}

#[test]
fn settings_of_providers_are_explained_with_their_source_and_without_their_secrets() {
    let place = Place::new();
    place.configure(
        "[providers.groq]\nkey = \"gsk-secret\"\nheaders = { authorization = \"gsk-secret\" }\ncontext_tokens = 5\n",
    );
    let said = place.windlass(&["config", "explain", "providers"]).exits(0);
    assert!(
        said.out.contains("providers.groq.context_tokens") && said.out.contains("config.toml:4"),
        "{}",
        said.out
    );
    assert!(said.out.contains("***") && !said.out.contains("gsk-secret"), "{}", said.out);
    let said = place.windlass(&["config", "explain", "--json"]).exits(0);
    assert_eq!(said.json()["providers.groq.key"]["value"], "***");
    assert!(said.json().get("providers.NAME.key").is_none(), "{}", said.out);
}

#[test]
fn flags_of_a_run_are_checked() {
    let place = Place::with(&[("a.script", "user Go.\nmodel text Done.\n")]);
    let run = |args: &[&str]| {
        let all: Vec<&str> =
            ["run", "--model", "scripted/a.script", "Go."].iter().chain(args).copied().collect();
        place.windlass(&all)
    };
    run(&["--effort", "high", "--temperature", "0.5", "--max-output-tokens", "100"]).exits(0);
    for wrong in [&["--effort", "huge"][..], &["--temperature", "9"], &["--max-output-tokens", "0"]] {
        run(wrong).exits(2);
    }
}

#[test]
fn the_doctor_prints_a_table_and_keeps_what_it_found_and_the_next_run_obeys() {
    let server = windlass_testkit::provider::ProviderServer::start().unwrap();
    let address = server.base_url("openai");
    let place = Place::new();
    let model = format!("openai-compatible/{}", windlass_testkit::provider::VendorScript::default());
    let vars = [("WINDLASS_BASE_URL", address.as_str())];
    let said = place.windlass_with(&["models", "doctor", &model, "-q"], &vars).exits(0);
    assert_eq!(said.out.lines().count(), windlass_models::doctor::Probe::ALL.len(), "{}", said.out);
    assert!(said.out.contains("✓  answers"), "{}", said.out);
    let kept: Vec<_> = fs::read_dir(place.data_folder().join("models")).unwrap().flatten().collect();
    assert_eq!(kept.len(), 1);
    let text = fs::read_to_string(kept[0].path()).unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let shown = place.windlass_with(&["models", "show", &model, "--json"], &vars).exits(0).json();
    for (quirk, value) in found["patch"].as_object().unwrap() {
        assert_eq!(&shown["quirks"][quirk], value, "{quirk}");
    }
    let gone = [("WINDLASS_BASE_URL", "http://127.0.0.1:1/v1")];
    let said = place.windlass_with(&["models", "doctor", "openai-compatible/other", "-q"], &gone);
    said.complains(1, &["'openai-compatible/other' does not answer", "127.0.0.1:1"]);
}
