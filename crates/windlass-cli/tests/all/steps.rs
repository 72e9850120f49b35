//! `windlass runs show --step`: what was asked and answered, as the provider saw it.

use windlass_testkit::provider::VendorScript;

use crate::place::Place;
use crate::providers_stage::{KEY, Stage};

const SCRIPT: &str = "user Go\nmodel text One.\nmodel call 1 calculate {\"expression\":\"1 + 1\"}\nmodel end\n\
                      model text Two.\n";

fn newest(place: &Place) -> String {
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    rows[0]["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_step_is_shown_for_people_and_for_programs() {
    let place = Place::with(&[("a.script", SCRIPT)]);
    place.windlass(&["run", "--model", "scripted/a.script", "Go"]).exits(0);
    let id = newest(&place);
    let shown = place.windlass(&["runs", "show", &id, "--step", "2"]).exits(0).out;
    for text in [
        "step 2\n  attempt 1  ",
        "\nrequest\n  system:\n    You help the user",
        "  user:\n    Go\n  assistant:\n    One.\n    call_1 calculate {\"expression\":\"1 + 1\"}\n  outcome of call_1 calculate:",
        "  tool choice: \"auto\"\n",
        "\nresponse\n  assistant:\n    Two.\n",
    ] {
        assert!(shown.contains(text), "no {text:?} in {shown}");
    }
    let step = place.windlass(&["runs", "show", &id, "--step", "1", "--json"]).exits(0).json();
    assert_eq!(step["request"]["messages"].as_array().unwrap().len(), 1);
    assert!(step["problem"].is_null() && step["wire"].is_null(), "{step}");
    place.windlass(&["runs", "show", &id, "--step", "7"]).complains(2, &["no step '7 of run", "runs show"]);
    place.windlass(&["runs", "show", &id, "--step", "0"]).exits(2);
}

#[test]
fn a_script_that_is_gone_leaves_the_answer_and_says_so() {
    let place = Place::with(&[("a.script", SCRIPT)]);
    place.windlass(&["run", "--model", "scripted/a.script", "Go"]).exits(0);
    std::fs::remove_file(place.path("a.script")).unwrap();
    let step = place.windlass(&["runs", "show", &newest(&place), "--step", "2", "--json"]).exits(0).json();
    assert!(step["problem"].as_str().unwrap().contains("cannot be opened"), "{step}");
    assert_eq!(step["response"]["message"]["parts"][0]["text"], "Two.");
}

/// Without a key, and although other requests were sent before and after: byte for byte what was sent, as JSON.
#[test]
fn the_body_that_is_shown_is_the_body_that_the_provider_got_on_every_wire() {
    for vendor in ["openai-compatible", "openai", "anthropic", "gemini", "ollama", "mistral"] {
        let stage = Stage::new();
        let script = VendorScript { steps: 2, parallel: 2, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &[]);
        assert_eq!(ran.code, 0, "{vendor}: {}", ran.err);
        let ledger = stage.server.ledger();
        let (id, vars) = (newest(&stage.place), [("WINDLASS_BASE_URL", stage.server.base_url("openai"))]);
        let vars = vars.each_ref().map(|(name, value)| (*name, value.as_str()));
        for (number, (request, body)) in ledger.requests.iter().zip(ledger.bodies()).enumerate() {
            let step = (number + 1).to_string();
            let shown =
                stage.place.windlass_with(&["runs", "show", &id, "--step", &step, "--json"], &vars).exits(0);
            let shown_json = shown.json();
            assert!(shown_json["problem"].is_null(), "{vendor} {step}: {}", shown_json["problem"]);
            let wire = &shown_json["wire"];
            assert_eq!(wire["body"], body, "{vendor} {step}");
            assert_eq!(wire["method"], request.method.as_str());
            assert!(
                wire["url"].as_str().unwrap().ends_with(&request.path),
                "{} {}",
                wire["url"],
                request.path
            );
            assert!(!shown.out.contains(KEY));
        }
        assert_eq!(ledger.requests.len(), 3, "{vendor}");
    }
}
