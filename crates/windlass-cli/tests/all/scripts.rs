//! The scripts of the repository, played by the binary on the real tools.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::Place;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn the_tour_of_the_readme_plays_to_its_end() {
    let place = Place::new();
    let mut command = place.command(&["run", "--model", "scripted/examples/tour.script", "Show me around"]);
    let output = command.current_dir(repository()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.starts_with("# The harbour\n") && out.contains("2232.75"), "{out}");
    for line in ["✓ get_file_tree", "✓ read_file README.md", "✗ calculate", "⊘ read_file ../../../etc/passwd"]
    {
        assert!(err.contains(line), "no '{line}' in {err}");
    }
}

/// Their calls meet other files than their authors had in mind; what must hold is the frame around them.
#[test]
fn r_25_every_run_of_every_script_ends_with_exactly_one_done() {
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(repository().join("fixtures/scripts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "script"))
        .collect();
    scripts.sort();
    assert!(scripts.len() > 50);
    let place = Place::new();
    for script in scripts {
        let model = format!("scripted/{}", script.display());
        // No commands and no network: the scripts are played for their shape.
        let args = [
            "run",
            "--json",
            "--model",
            &model,
            "--deny",
            "scope:execute_commands",
            "--deny",
            "scope:network_access",
        ];
        let mut command = place.command(&args);
        let vars = [
            ("WINDLASS_LIMITS_RUN_TIMEOUT_MS", "1000"),
            ("WINDLASS_LIMITS_MODEL_RETRY_DELAY_MS", "1"),
            ("WINDLASS_ROOT", "."),
        ];
        let output = command.envs(vars).output().unwrap();
        let code = output.status.code().unwrap_or(-1);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!([0, 1, 3, 130].contains(&code), "{}: {code} {err}", script.display());
        assert!(!err.contains("panicked"), "{err}");
        let events: Vec<Value> = output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        let mut is_running = false;
        for event in &events {
            let (is_start, is_end) = (event["type"] == "run_started", event["type"] == "done");
            assert_eq!(is_running, !is_start, "{}: {event}", script.display());
            is_running = !is_end;
        }
        assert!(!events.is_empty() && !is_running, "{}: {err}", script.display());
    }
}
