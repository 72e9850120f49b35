//! `windlass modules …`, `run --module`, Rhai tools: the binary on real folders, with a script or a listed server as the
//! model.

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::serve::Served;
use crate::server::Server;

const MANIFEST: &str =
    r#"{"version": "1.0", "modules": {"sort.mail": {"path": "sort.json", "tags": ["mail"]}}}"#;

const SORT: &str = r#"{
  "module_id": "sort.mail",
  "signature": {
    "inputs": [{"name": "mail", "description": "The text of a mail"}],
    "outputs": [{"name": "folder", "description": "work, friends or spam"}, {"name": "urgent", "field_type": "boolean"}]
  },
  "instruction": "Sort the mail.",
  "metadata": {"version": "1.2", "optimizer": "hand"}
}"#;

const SCRIPT: &str = "user Sort.\nmodel text {\"folder\":\"work\",\"urgent\":true}\n";

/// A project with one module and a script that answers it.
fn place() -> Place {
    Place::trusting(&[
        (".windlass/modules/manifest.json", MANIFEST),
        (".windlass/modules/sort.json", SORT),
        ("a.script", SCRIPT),
    ])
}

fn scripted(place: &Place, args: &[&str]) -> Said {
    place.windlass(&[&["--model", "scripted/a.script"], args].concat())
}

#[test]
fn modules_are_listed_for_people_and_for_programs() {
    let place = place();
    let said = place.windlass(&["modules", "list"]).exits(0);
    assert!(said.out.contains("sort.mail") && said.out.contains("mail → folder, urgent"), "{}", said.out);
    let listed = place.windlass(&["modules", "list", "--json"]).exits(0).json();
    assert_eq!(listed["modules"][0]["model"], "module/sort.mail");
    assert_eq!(listed["modules"][0]["tags"], json!(["mail"]));
    assert!(
        place.windlass(&["modules", "list", "--tag", "npc"]).exits(0).out.contains("no module with the tag")
    );
}

#[test]
fn without_modules_it_is_said_where_they_live() {
    let said = Place::new().windlass(&["modules", "list"]).exits(0);
    assert!(said.out.contains(".windlass/modules") && said.out.contains("manifest.json"), "{}", said.out);
}

#[test]
fn a_module_is_shown_with_its_signature_and_the_prompt_that_it_would_send() {
    let place = place();
    let said = place.windlass(&["modules", "show", "sort.mail", "--input", "{\"mail\": \"hi\"}"]).exits(0);
    for text in ["Sort the mail.", "urgent", "boolean", "Prompt", "system", "hi", "module/sort.mail"] {
        assert!(said.out.contains(text), "no '{text}' in: {}", said.out);
    }
    let shown = place.windlass(&["modules", "show", "sort.mail", "--json"]).exits(0).json();
    let last = shown["prompt"]["messages"].as_array().unwrap().last().unwrap().clone();
    assert!(last["text"].as_str().unwrap().contains("<mail>"), "{last}");
}

#[test]
fn a_wrong_id_is_answered_with_the_nearest() {
    let place = place();
    for args in [
        &["modules", "show", "sort.male"][..],
        &["modules", "run", "sort.male"],
        &["run", "--module", "sort.male", "hi"],
        &["run", "--model", "module/sort.male", "hi"],
    ] {
        place.windlass(args).complains(2, &["Module not found: sort.male", "sort.mail"]);
    }
}

#[test]
fn a_module_runs_and_its_outputs_are_json() {
    let place = place();
    let said = scripted(&place, &["modules", "run", "sort.mail", "--input", "{\"mail\": \"hi\"}"]).exits(0);
    assert_eq!(said.json(), json!({"folder": "work", "urgent": true}));
    place.write("in.json", "{\"mail\": \"from a file\"}");
    let told =
        scripted(&place, &["modules", "run", "sort.mail", "--input", "@in.json", "--json"]).exits(0).json();
    assert_eq!(told["outputs"]["folder"], "work");
    assert_eq!(told["version"], "1.2");
    let run_id = told["run_id"].as_str().unwrap();
    let shown = place.windlass(&["runs", "show", run_id]).exits(0);
    assert!(shown.out.contains("from a file"), "{}", shown.out);
}

#[test]
fn plain_text_is_enough_for_a_module_with_one_input() {
    let place = place();
    let said = scripted(&place, &["run", "--module", "sort.mail", "--ephemeral", "hi there"]).exits(0);
    let outputs: Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!(outputs["urgent"], true);
}

#[test]
fn a_module_stands_before_the_model_of_weaker_layers_and_a_stronger_model_stands_alone() {
    let place = place();
    place.configure("model = \"scripted/a.script\"\n");
    let said =
        place.windlass(&["run", "--model", "module/sort.mail", "--json", "--ephemeral", "hi"]).exits(0);
    assert!(said.out.contains("\"model\":\"module/sort.mail\""), "{}", said.out);
    place.configure("model = \"module/sort.mail\"\n");
    let explained = place.windlass(&["config", "explain", "module", "--json"]).exits(0).json();
    assert_eq!(explained["module"]["value"], "sort.mail");
    place.write("a.script", "user Hi\nmodel text Hello there.\n");
    let said = scripted(&place, &["run", "--ephemeral", "hi"]).exits(0);
    assert_eq!(said.out.trim(), "Hello there.");
}

#[test]
fn a_project_may_name_folders_of_its_own_and_no_host_for_its_scripts() {
    let place = Place::trusting(&[
        ("mods/manifest.json", MANIFEST),
        ("mods/sort.json", SORT),
        (
            ".windlass/config.toml",
            "[modules]\nfolder = \"mods\"\n[scripts]\nfolder = \"../tools\"\nhttp = [\"*\"]\n",
        ),
    ]);
    let said = place.windlass(&["modules", "list"]).exits(0);
    assert!(said.out.contains("sort.mail"), "{}", said.out);
    for key in ["scripts.folder", "scripts.http"] {
        assert!(said.err.contains(&format!("a project cannot set '{key}'")), "{}", said.err);
    }
}

#[test]
fn inputs_of_the_wrong_type_are_told_before_any_model_is_asked() {
    let place = place();
    // There is no model at all: whoever asked one would complain of that.
    let run = |input: &str| place.windlass(&["modules", "run", "sort.mail", "--input", input]);
    run("{\"mail\": 7}").complains(2, &["'mail'", "string", "windlass modules show sort.mail"]);
    run("{\"mails\": \"x\"}").complains(2, &["'mails'", "did you mean 'mail'?"]);
    run("{}").complains(2, &["'mail' is missing"]);
}

#[test]
fn an_answer_out_of_its_form_is_corrected_once_and_then_an_error_never_an_empty_object() {
    let place = place();
    let ask = || scripted(&place, &["modules", "run", "sort.mail", "--input", "{\"mail\": \"hi\"}"]);
    place.write("a.script", "user Sort.\nmodel text {\"folder\":\"work\"}\nmodel end stop\nmodel text {\"folder\":\"work\",\"urgent\":false}\n");
    assert_eq!(ask().exits(0).json()["urgent"], false);
    place.write(
        "a.script",
        "user Sort.\nmodel text {\"folder\":\"work\"}\nmodel end stop\nmodel text nothing\n",
    );
    let said = ask().complains(1, &["urgent"]);
    assert_eq!(said.out, "");
}

#[test]
fn a_session_of_a_module_goes_on_and_another_model_goes_below_it() {
    let place = place();
    let begin = ["run", "--module", "sort.mail", "--session", "mails", "first"];
    scripted(&place, &begin).exits(0);
    place.write("b.script", "user Sort.\nmodel text {\"folder\":\"spam\",\"urgent\":false}\n");
    let again =
        place.windlass(&["--model", "scripted/b.script", "run", "--session", "mails", "second"]).exits(0);
    let outputs: Value = serde_json::from_str(again.out.trim()).unwrap();
    assert_eq!(outputs["folder"], "spam");
    let sessions = place.windlass(&["sessions", "show", "mails", "--json"]).exits(0);
    assert!(sessions.out.contains("module/sort.mail"), "{}", sessions.out);
}

#[test]
fn every_file_is_checked_with_line_and_column_and_hashes_are_written() {
    let place = place();
    let said = place.windlass(&["modules", "check"]).exits(0);
    assert!(said.out.contains("1 right, 0 wrong") && said.out.contains("no hash pinned"), "{}", said.out);
    let written = place.windlass(&["modules", "check", "--write-hashes", "--json"]).exits(0).json();
    assert_eq!(written["hashes_written"], json!(["sort.mail"]));
    assert_eq!(written["files"][0]["is_pinned"], true);
    place.write(".windlass/modules/sort.json", &SORT.replace("Sort the", "Sort this"));
    let said = place.windlass(&["modules", "check"]).exits(1);
    assert!(said.out.contains("Hash mismatch for module sort.mail"), "{}", said.out);
    place.write(".windlass/modules/sort.json", "{\n  \"module_id\": \"sort.mail\",\n  nonsense\n}");
    place.windlass(&["modules", "check", "--write-hashes"]).exits(1);
    let found = place.windlass(&["modules", "check", "--json"]).exits(1).json();
    let message = found["files"][0]["message"].as_str().unwrap();
    assert!(message.contains("line 3") || message.contains(":3:"), "{message}");
    place.write(".windlass/modules/old.json", SORT);
    let found = place.windlass(&["modules", "check", ".windlass/modules", "--json"]).exits(1).json();
    assert!(found["files"].as_array().unwrap().iter().any(|file| file["state"] == "unnamed"), "{found}");
    place.windlass(&["modules", "check", "nowhere"]).complains(2, &["there is no folder nowhere"]);
}

#[test]
fn a_broken_module_is_told_by_its_file_when_it_is_asked_for() {
    let place = place();
    place.write(".windlass/modules/sort.json", "{\"module_id\": \"sort.mail\"}");
    let complaint = ["the module 'sort.mail' cannot be used", "sort.json", "windlass modules check"];
    place.windlass(&["modules", "show", "sort.mail"]).complains(2, &complaint);
    let listed = place.windlass(&["modules", "list"]).exits(0);
    assert!(listed.err.contains("sort.json is left out"), "{}", listed.err);
}

#[test]
fn u_71_a_module_of_the_user_beats_one_of_the_project() {
    let place = place();
    let folder = place.config_file().with_file_name("modules");
    std::fs::create_dir_all(&folder).unwrap();
    let two =
        r#"{"version": "1.0", "modules": {"sort.mail": {"path": "a.json"}, "own": {"path": "b.json"}}}"#;
    std::fs::write(folder.join("manifest.json"), two).unwrap();
    std::fs::write(folder.join("a.json"), SORT.replace("Sort the mail.", "The user's.")).unwrap();
    std::fs::write(folder.join("b.json"), SORT.replace("\"sort.mail\"", "\"own\"")).unwrap();
    let listed = place.windlass(&["modules", "list", "--json"]).exits(0).json();
    let rows = listed["modules"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["module_id"].clone()).collect::<Vec<_>>(), ["own", "sort.mail"]);
    assert_eq!(rows[1]["instruction"], "The user's.");
}

const CASES: &str = r#"{"inputs":{"mail":"buy pills"},"outputs":{"folder":"spam"}}
{"inputs":{"mail":"see you tonight"},"outputs":{"folder":"friends"}}
{"inputs":{"mail":"win a prize"},"outputs":{"folder":"spam"}}
{"inputs":{"mail":"the report is due"},"outputs":{"folder":"work"}}
{"inputs":{"mail":"cheap watches"},"outputs":{"folder":"spam"}}
{"inputs":{"mail":"lunch?"},"outputs":{"folder":"friends"}}
"#;

/// A model that takes everything for spam, unless it has seen examples or a better instruction.
fn answer(request: &str) -> Vec<u8> {
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let text = |message: &Value| {
        let content = &message["content"];
        content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default().to_owned()
    };
    let system: String = messages.iter().filter(|message| message["role"] == "system").map(text).collect();
    let users: Vec<String> = messages.iter().filter(|message| message["role"] == "user").map(text).collect();
    let mail = users.last().cloned().unwrap_or_default();
    let content = if system.contains("improve the instruction") {
        json!({"instruction": "Sort the mail. Read closely."})
    } else if system.contains("You are the judge") {
        json!({"score": if mail.contains("spam") { 0.5 } else { 1.0 }, "reason": "so so"})
    } else {
        let knows = users.len() > 1 || system.contains("Read closely.");
        let folder = match mail.as_str() {
            mail if mail.contains("report") && knows => "work",
            mail if (mail.contains("lunch") || mail.contains("tonight")) && knows => "friends",
            _ => "spam",
        };
        json!({"folder": folder, "urgent": false})
    };
    let event = |value: Value| format!("data: {value}\n\n");
    let events = event(json!({"choices": [{"index": 0, "delta": {"content": content.to_string()}}]}))
        + event(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})).as_str()
        + "data: [DONE]\n\n";
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}")
        .into_bytes()
}

/// The command with the listed model.
fn listed(place: &Place, server: &Server, args: &[&str]) -> Said {
    let address = server.address("/v1");
    let line = ["--model", "openai-compatible/listed"];
    place.windlass_with(&[&line, args].concat(), &[("WINDLASS_BASE_URL", &address)])
}

#[test]
fn a_module_is_measured_case_by_case_and_each_case_is_a_run_on_record() {
    let (place, server) = (place(), Server::answering(answer));
    place.write("cases.jsonl", CASES);
    let args = ["modules", "eval", "sort.mail", "--data", "cases.jsonl", "--metric", "exact"];
    let said = listed(&place, &server, &args).exits(0);
    assert!(said.out.contains("3 of 6") && said.out.contains("0.500"), "{}", said.out);
    assert!(said.out.contains("folder: expected \"friends\", got \"spam\""), "{}", said.out);
    let told = listed(&place, &server, &[&args[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(told["tally"], json!({"cases": 6, "passed": 3, "unanswered": 0, "score": 0.5}));
    let run_id = told["cases"][3]["run_id"].as_str().unwrap();
    let shown = place.windlass(&["runs", "show", run_id]).exits(0);
    assert!(shown.out.contains("the report is due"), "{}", shown.out);
    listed(&place, &server, &[&args[..], &["--at-least", "0.6"]].concat()).exits(1);
    let limited = listed(&place, &server, &[&args[..], &["--limit", "1", "--json"]].concat()).exits(0).json();
    assert_eq!(limited["tally"]["score"], 1.0);
}

#[test]
fn a_module_judges_another_one() {
    let (place, server) = (place(), Server::answering(answer));
    place.write("cases.jsonl", CASES);
    let judge = r#"{"module_id": "judge", "signature": {"inputs": [{"name": "actual"}],
        "outputs": [{"name": "score", "field_type": "number"}, {"name": "reason"}]}, "instruction": "You are the judge."}"#;
    place.write(".windlass/modules/judge.json", judge);
    let two = MANIFEST.replace("\"sort.mail\"", "\"judge\": {\"path\": \"judge.json\"}, \"sort.mail\"");
    place.write(".windlass/modules/manifest.json", &two);
    let args =
        ["modules", "eval", "sort.mail", "--data", "cases.jsonl", "--metric", "module:judge", "--json"];
    let told = listed(&place, &server, &args).exits(0).json();
    assert_eq!(told["tally"]["score"], 0.5);
    assert_eq!(told["cases"][0]["why"], "so so");
    let args = ["modules", "eval", "sort.mail", "--data", "cases.jsonl", "--metric", "module:jugde"];
    listed(&place, &server, &args).complains(2, &["Module not found: jugde", "judge"]);
}

#[test]
fn cases_that_do_not_fit_are_named_by_line_and_a_silent_model_is_not_asked_twice() {
    let place = place();
    place.write("cases.jsonl", "{\"inputs\":{\"mail\":\"a\"}}\n{\"inputs\":{\"male\":\"a\"}}\n");
    let args = ["modules", "eval", "sort.mail", "--data", "cases.jsonl"];
    scripted(&place, &args).complains(2, &["cases.jsonl:2", "'male'"]);
    place.windlass(&[&args[..], &["--metric", "fuzzy"]].concat()).exits(2);
    place.write("cases.jsonl", CASES);
    place.write("a.script", "user Sort.\nmodel fail auth no key\n");
    scripted(&place, &args).complains(1, &["does not answer"]);
    let twice = [&["--data", "folder"], &args[..]].concat();
    place.windlass(&twice).complains(2, &["--data", "WINDLASS_DATA"]);
}

#[test]
fn a_better_version_is_written_with_its_score_and_the_old_file_stays() {
    let (place, server) = (place(), Server::answering(answer));
    place.write("cases.jsonl", CASES);
    let args = ["modules", "optimize", "sort.mail", "--data", "cases.jsonl", "--demos", "2"];
    let dry = listed(&place, &server, &[&args[..], &["--dry-run"]].concat()).exits(0);
    assert!(dry.out.contains("would be written as version 1.3"), "{}", dry.out);
    assert!(!place.path(".windlass/modules/sort.v1.3.json").exists());
    let told = listed(&place, &server, &[&args[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(
        (&told["is_better"], &told["score_before"], &told["score"]),
        (&json!(true), &json!(0.0), &json!(1.0))
    );
    assert_eq!(place.read(".windlass/modules/sort.json"), SORT);
    let version: Value = serde_json::from_str(&place.read(".windlass/modules/sort.v1.3.json")).unwrap();
    assert_eq!(version["metadata"]["metric_score"], 1.0);
    assert_eq!(version["metadata"]["optimizer"], "few_shot");
    assert_eq!(version["demos"].as_array().unwrap().len(), 2);
    place.windlass(&["modules", "check"]).exits(0);
    let listed_now = place.windlass(&["modules", "list", "--json"]).exits(0).json();
    assert_eq!(listed_now["modules"][0]["version"], "1.3");
    // What is as good as it gets is left alone.
    let again = listed(&place, &server, &args).exits(0);
    assert!(again.out.contains("nothing was written"), "{}", again.out);
}

#[test]
fn instructions_are_proposed_by_a_model_that_is_named() {
    let (place, server) = (place(), Server::answering(answer));
    place.write("cases.jsonl", CASES);
    let args = ["modules", "optimize", "sort.mail", "--data", "cases.jsonl", "--demos", "0"];
    let proposing = ["--propose-with", "openai-compatible/listed", "--json"];
    let told = listed(&place, &server, &[&args[..], &proposing].concat()).exits(0).json();
    assert_eq!((&told["is_better"], &told["score"]), (&json!(true), &json!(1.0)), "{told}");
    let version: Value = serde_json::from_str(&place.read(".windlass/modules/sort.v1.3.json")).unwrap();
    assert_eq!(version["instruction"], "Sort the mail. Read closely.");
    assert_eq!(version["metadata"]["optimizer"], "instruction");
}

const DOUBLE: &str =
    "/// Doubles a number\n/// @param n integer the number\nfn double(args) { args.n * 2 }\n";

#[test]
fn rhai_tools_of_the_project_are_listed_and_run_and_never_take_another_tools_name() {
    let place = place();
    place.write(".windlass/tools/double.rhai", DOUBLE);
    let listed = place.windlass(&["tools", "list", "--json"]).exits(0).json();
    assert!(listed.as_array().unwrap().iter().any(|tool| tool["name"] == "double"), "{listed}");
    let said = place.windlass(&["tools", "call", "double", "{\"n\": 21}", "--approve", "all"]).exits(0);
    assert!(said.out.contains("42"), "{}", said.out);
    place.windlass(&["tools", "call", "double", "{\"n\": \"x\"}", "--approve", "all"]).exits(1);
    place.write(".windlass/tools/read_file.rhai", "/// Reads\nfn read_file() { 1 }\n");
    place.write(".windlass/tools/broken.rhai", "fn broken( {");
    let said = place.windlass(&["tools", "list"]).exits(0);
    assert!(said.err.contains("read_file is left out") && said.err.contains("broken.rhai"), "{}", said.err);
}

#[test]
fn a_tool_enabled_module_calls_a_rhai_tool_by_field_and_others_have_none() {
    let place = place();
    place.write(".windlass/tools/double.rhai", DOUBLE);
    let tools =
        SORT.replace("\"instruction\"", "\"tool_enabled\": true, \"tools\": [\"double\"], \"instruction\"");
    place.write(".windlass/modules/sort.json", &tools);
    place.write(
        "a.script",
        "allow double\nuser Sort.\nmodel text {\"folder\":\"\",\"urgent\":false,\"tool_call\":{\"name\":\"double\",\"args\":{\"n\":4}}}\nmodel end stop\n\
         model text {\"folder\":\"work\",\"urgent\":true,\"tool_call\":null}\n",
    );
    let args =
        ["modules", "run", "sort.mail", "--input", "{\"mail\": \"hi\"}", "--json", "--allow", "double"];
    let told = scripted(&place, &args).exits(0).json();
    assert_eq!(told["outputs"]["folder"], "work", "{told}");
    let shown = place.windlass(&["runs", "show", told["run_id"].as_str().unwrap()]).exits(0);
    assert!(shown.out.contains("double") && shown.out.contains('8'), "{}", shown.out);
}

#[test]
fn u_30_d_12_a_module_that_calls_by_field_has_the_whole_profile_dspy_and_what_the_user_set_in_it() {
    let place = place();
    place.configure("[limits]\nsteps_max = 2\n");
    place.write(
        ".windlass/modules/sort.json",
        &SORT.replace("\"instruction\"", "\"tool_enabled\": true, \"instruction\""),
    );
    let call = |number: u32| {
        let call = json!({"tool_call": {"name": "calculate", "args": {"expression": format!("1+{number}")}}});
        format!("model text {call}\nmodel end stop\n")
    };
    place.write("a.script", &format!("user Sort.\n{}{}{}", call(1), call(2), call(3)));
    for profile in ["default", "studio", "zodo"] {
        let said = scripted(&place, &["run", "--profile", profile, "--module", "sort.mail", "--json", "hi"]);
        let lines = said.exits(1).lines();
        assert_eq!(lines[0]["profile"], "dspy", "{profile}");
        let error = lines.iter().find(|line| line["type"] == "error").unwrap();
        assert_eq!(error["message"], "Maximum iterations (2) reached during tool execution", "{profile}");
    }
}

#[test]
fn e_46_a_running_server_takes_in_changed_modules_and_scripts_of_the_user_and_none_of_the_project() {
    let place = place();
    let own = |name: &str| place.config_file().with_file_name(name);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(own(name).parent().unwrap()).unwrap();
        std::fs::write(own(name), text).unwrap();
    };
    let mine = SORT.replace("\"sort.mail\"", "\"my.mail\"");
    write("modules/manifest.json", &MANIFEST.replace("\"sort.mail\"", "\"my.mail\""));
    write("modules/sort.json", &mine);
    let served = Served::start(&place, &[]);
    let version = |id: &str| served.json(&format!("GET /api/modules/{id}"), "")["version"].clone();
    assert_eq!((version("my.mail"), version("sort.mail")), ("1.2".into(), "1.2".into()));
    // What the project brings is as it was when it was trusted, whatever comes.
    place.write(".windlass/modules/sort.json", &SORT.replace("\"1.2\"", "\"1.3\""));
    place.write(".windlass/tools/sneaked.rhai", DOUBLE);
    write("modules/sort.json", &mine.replace("\"1.2\"", "\"1.3\""));
    until(|| version("my.mail") == "1.3");
    write("modules/sort.json", "{");
    until(|| {
        served.json("GET /api/modules", "")["faults"].as_array().is_some_and(|faults| !faults.is_empty())
    });
    assert_eq!(version("my.mail"), "1.3", "the last good version stays");
    write("tools/double.rhai", DOUBLE);
    let has_double = || {
        let tools = served.json("GET /api/tools", "");
        tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "double")
    };
    until(has_double);
    assert_eq!(version("sort.mail"), "1.2");
    let tools = served.json("GET /api/tools", "");
    assert!(tools["tools"].as_array().unwrap().iter().all(|tool| tool["name"] != "sneaked"), "{tools}");
    std::fs::remove_file(own("tools/double.rhai")).unwrap();
    until(|| !has_double());
    let models = served.json("GET /api/models", "");
    assert!(
        models["models"].as_array().unwrap().iter().any(|row| row["name"] == "module/sort.mail"),
        "{models}"
    );
}

/// Asks again until it is so, for as long as any machine needs.
fn until(is: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is() {
        assert!(begun.elapsed().as_secs() < 30, "waited in vain");
        std::thread::yield_now();
    }
}
