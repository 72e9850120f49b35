//! `windlass modules script`: Rhai scripts that call modules, and the sentences of the module engine on the command line.

use serde_json::json;

use crate::place::{Place, Said};

/// A merchant who may look into the player's purse, and a plain module beside him.
const MANIFEST: &str = r#"{"version": "1.0", "modules": {
  "npc.merchant.haggle": {"path": "haggle.json"},
  "npc.greet": {"path": "greet.json"}
}}"#;

const HAGGLE: &str = r#"{
  "module_id": "npc.merchant.haggle",
  "signature": {
    "inputs": [{"name": "query"}, {"name": "context"}, {"name": "available_tools", "field_type": "json"}],
    "outputs": [{"name": "response"}, {"name": "tool_call", "field_type": "json"}]
  },
  "instruction": "Haggle with the player.",
  "tool_enabled": true
}"#;

const GREET: &str = r#"{
  "module_id": "npc.greet",
  "signature": {"inputs": [{"name": "who"}], "outputs": [{"name": "greeting"}]},
  "instruction": "Greet them."
}"#;

/// The script of the original's documents, with its tool as a closure.
const SCRIPT: &str = r#"
dspy_register_tool("get_player_gold", "Get player's current gold amount", || #{gold: 500});
print("haggling");
let r = dspy_invoke_with_tools("npc.merchant.haggle", #{query: "How much gold do I have?", context: ""});
if r.ok { r.value.response } else { r.error_type + ": " + r.message }
"#;

const CALLS: &str = "user Haggle.\n\
    model text {\"response\":\"\",\"tool_call\":{\"name\":\"get_player_gold\",\"args\":{}}}\nmodel end stop\n";
const ANSWERS: &str = "model text {\"response\":\"You have 500 gold coins.\",\"tool_call\":null}\n";

fn place(model: &str) -> Place {
    Place::trusting(&[
        (".windlass/modules/manifest.json", MANIFEST),
        (".windlass/modules/haggle.json", HAGGLE),
        (".windlass/modules/greet.json", GREET),
        ("a.script", model),
        ("haggle.rhai", SCRIPT),
    ])
}

fn scripted(place: &Place, args: &[&str]) -> Said {
    place.windlass(&[&["--model", "scripted/a.script"], args].concat())
}

#[test]
fn u_43_a_script_calls_a_module_whose_tool_is_a_closure_of_the_script() {
    let place = place(&format!("{CALLS}{ANSWERS}"));
    let said = scripted(&place, &["modules", "script", "haggle.rhai"]).exits(0);
    assert_eq!(said.out, "haggling\nYou have 500 gold coins.\n");
    let told = scripted(&place, &["modules", "script", "haggle.rhai", "--json"]).exits(0);
    assert_eq!(told.json(), json!({"value": "You have 500 gold coins."}));
    assert!(told.err.contains("haggling"), "{}", told.err);
    // Each call is a run like any other: on record, with the closure's call and what it gave.
    let runs = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let run_id = runs[0]["run_id"].as_str().unwrap_or_else(|| panic!("{runs}"));
    let shown = place.windlass(&["runs", "show", run_id]).exits(0);
    assert!(shown.out.contains("get_player_gold") && shown.out.contains("500"), "{}", shown.out);
}

#[test]
fn u_43_every_function_of_the_engine_is_there_and_errors_are_values() {
    let place = place("user Greet.\nmodel text {\"greeting\":\"Hello, Ann\"}\n");
    place.write(
        "all.rhai",
        r#"
let unknown = dspy_invoke("npc.nobody", #{});
let without = dspy_invoke_with_tools("npc.greet", #{who: "Ann"});
let inputs = dspy_invoke("npc.greet", 7);
let wrong = dspy_invoke("npc.greet", #{whom: "Ann"});
let taken = dspy_register_tool("read_file", "Reads", || 1);
#{
    modules: dspy_list_modules().value,
    own: dspy_register_tool("gold", "Gold", || 1).ok && dspy_list_tools().value.contains("gold"),
    info: dspy_get_module_info("npc.greet").value.predictor_type,
    unknown: [unknown.error_type, unknown.message],
    without: [without.error_type, without.message],
    inputs: inputs.error_type,
    wrong: wrong.error_type,
    taken: taken.ok,
    greeted: dspy_invoke_with_timeout("npc.greet", #{who: "Ann"}, 60000),
}
"#,
    );
    let told = scripted(&place, &["modules", "script", "all.rhai"]).exits(0).json();
    assert_eq!(
        told,
        json!({
            "modules": ["npc.greet", "npc.merchant.haggle"],
            "own": true,
            "info": "predict",
            "unknown": ["ModuleNotFound", "Module not found: npc.nobody"],
            "without": ["ToolsNotEnabled", "Tools not enabled for module: npc.greet"],
            "inputs": "ConversionError",
            "wrong": "ConversionError",
            "taken": false,
            "greeted": {"ok": true, "value": {"greeting": "Hello, Ann"}},
        })
    );
}

#[test]
fn u_43_a_script_that_is_wrong_is_told_with_its_place() {
    let place = place(CALLS);
    place.write("broken.rhai", "let a = 1;\nlet b = ;\n");
    scripted(&place, &["modules", "script", "broken.rhai"]).complains(1, &["broken.rhai, line 2"]);
    place.write("throws.rhai", "let a = 1;\nthrow \"no gold\";\n");
    scripted(&place, &["modules", "script", "throws.rhai"]).complains(1, &["throws.rhai, line 2", "no gold"]);
    scripted(&place, &["modules", "script", "missing.rhai"]).complains(2, &["missing.rhai"]);
    let said = place.windlass_reading(&["--model", "scripted/a.script", "modules", "script", "-"], "6 * 7");
    assert_eq!(said.exits(0).out, "42\n");
}

#[test]
fn u_43_the_command_line_speaks_the_sentences_of_the_engine() {
    let ask = |place: &Place, more: &[&str]| {
        let input = ["--input", "{\"query\": \"q\"}"];
        let args = [&["modules", "run", "npc.merchant.haggle"][..], &input, more].concat();
        scripted(place, &args)
    };
    let place_of = |model: &str| {
        let place = place(model);
        place.write(
            ".windlass/tools/get_player_gold.rhai",
            "/// Gold\nfn get_player_gold() { #{gold: 500} }\n",
        );
        place
    };
    place_of(CALLS)
        .windlass(&["modules", "run", "npc.nobody"])
        .complains(2, &["Module not found: npc.nobody"]);
    let endless = format!("{CALLS}{}", CALLS.trim_start_matches("user Haggle.\n").repeat(9));
    ask(&place_of(&endless), &["--allow", "get_player_gold"])
        .complains(1, &["Maximum iterations (5) reached during tool execution"]);
    ask(&place_of(&CALLS.replace("get_player_gold", "get_gold")), &[])
        .complains(1, &["Tool error: Tool not found: get_gold"]);
    ask(&place_of("user Haggle.\nmodel hang\n"), &["--timeout", "300ms"])
        .complains(1, &["Operation timed out after 300ms"]);
}

#[test]
fn u_43_a_module_that_changed_after_its_hash_was_written_says_so_and_how_to_write_it_anew() {
    let place = place("user Greet.\nmodel text {\"greeting\":\"Hi\"}\n");
    place.windlass(&["modules", "check", "--write-hashes"]).exits(0);
    place.write(".windlass/modules/greet.json", &GREET.replace("Greet them.", "Greet them twice."));
    let greet = || scripted(&place, &["modules", "run", "npc.greet", "--input", "{\"who\": \"Ann\"}"]);
    greet().complains(2, &["changed after its hash", "windlass modules check --write-hashes"]);
    place.windlass(&["modules", "check", "--write-hashes"]).exits(0);
    // The manifest is another one now.
    place.trust();
    greet().exits(0);
}
