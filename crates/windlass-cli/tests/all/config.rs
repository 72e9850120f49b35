//! `windlass config …`, and the layers of the configuration seen from outside.

use std::fs;

use crate::place::Place;

#[test]
fn explain_shows_each_value_with_its_source() {
    let place = Place::trusting(&[(".windlass/config.toml", "limits.steps_max = 4\n")]);
    place.configure("profile = \"zodo\"\nweb_search.api_key = \"s3cret\"\n");
    let args = ["config", "explain", "--json", "--profile", "studio"];
    let said = place.windlass_with(&args, &[("WINDLASS_LIMITS_CALLS_PER_RUN_MAX", "9")]).exits(0);
    let explained = said.json();
    let of = |key: &str| {
        (explained[key]["value"].to_string(), explained[key]["source"].as_str().unwrap().to_owned())
    };
    assert_eq!(of("profile"), ("\"studio\"".into(), "--profile".into()));
    assert_eq!(of("limits.search_calls_max"), ("6".into(), "profile studio".into()));
    assert_eq!(
        of("limits.calls_per_run_max"),
        ("9".into(), "environment WINDLASS_LIMITS_CALLS_PER_RUN_MAX".into())
    );
    let (value, source) = of("limits.steps_max");
    assert!(value == "4" && source.ends_with("project/.windlass/config.toml:1"), "{value} {source}");
    let (value, source) = of("web_search.api_key");
    assert!(value == "\"***\"" && source.ends_with("config/windlass/config.toml:2"), "{value} {source}");
    assert!(!said.out.contains("s3cret"));

    let said = place.windlass(&["config", "explain"]).exits(0);
    assert!(
        said.out.contains("profile") && said.out.contains("\"zodo\"") && !said.out.contains("s3cret"),
        "{}",
        said.out
    );
}

#[test]
fn explain_takes_one_key_or_a_group() {
    let place = Place::new();
    let said = place.windlass(&["config", "explain", "limits.steps_max"]).exits(0);
    assert_eq!(said.out, "limits.steps_max  10  profile default\n");
    let said = place.windlass(&["config", "explain", "limits"]).exits(0);
    assert!(said.out.lines().count() > 15 && said.out.lines().all(|line| line.starts_with("limits.")));
    place
        .windlass(&["config", "explain", "limits.step_max"])
        .complains(2, &["did you mean 'limits.steps_max'?"]);
}

#[test]
fn path_says_where_the_files_are() {
    let place = Place::new();
    let paths = place.windlass(&["config", "path", "--json"]).exits(0).json();
    assert_eq!(paths["config"], place.config_file().display().to_string());
    assert_eq!(paths["policies"], place.policies_file().display().to_string());
    assert_eq!(paths["audit"], place.audit_file().display().to_string());
    let said = place.windlass(&["config", "path", "--data", "elsewhere"]).exits(0);
    assert!(said.out.contains("elsewhere") && said.out.contains("(not there)"), "{}", said.out);
}

#[test]
fn init_writes_a_file_that_can_be_read_and_never_overwrites() {
    let place = Place::new();
    let said = place.windlass(&["config", "init"]).exits(0);
    assert!(said.out.contains(&place.config_file().display().to_string()));
    place.windlass(&["config", "explain"]).exits(0);
    let text = fs::read_to_string(place.config_file()).unwrap();
    assert!(text.contains("#steps_max = 10") && text.contains("#model = "), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(place.config_file()).unwrap().permissions().mode() & 0o777, 0o600);
    }
    place.windlass(&["config", "init"]).complains(2, &["already", "try: "]);
    assert_eq!(fs::read_to_string(place.config_file()).unwrap(), text);
}

#[test]
fn a_wrong_configuration_stops_every_command_with_exit_code_2() {
    let place = Place::new();
    place.configure("[limits]\nstep_max = 3\n");
    for args in [&["tools", "list"][..], &["policy", "list"], &["config", "explain"], &["run", "hi"]] {
        place
            .windlass(args)
            .complains(2, &["there is no setting 'limits.step_max'", "config.toml:2", "try: did you mean"]);
    }
    place.configure("model = ");
    place.windlass(&["tools", "list"]).complains(2, &["is no TOML", "config.toml:1"]);
    place.configure("");
    place
        .windlass_with(&["tools", "list"], &[("WINDLASS_APPROVE", "perhaps")])
        .complains(2, &["WINDLASS_APPROVE"]);
    place
        .windlass(&["--config", "nowhere.toml", "tools", "list"])
        .complains(2, &["nowhere.toml", "--config"]);
    place.windlass(&["--profile", "zod", "tools", "list"]).complains(2, &["did you mean 'zodo'?"]);
    place.windlass(&["--root", "nowhere", "tools", "list"]).complains(2, &["the root 'nowhere'", "--root"]);
}

#[test]
fn a_project_that_would_loosen_is_told_and_not_heeded() {
    let place = Place::with(&[
        (
            ".windlass/config.toml",
            "approve = \"all\"\nfetch.allow_hosts = [\"127.0.0.1\"]\npermissions.allow = [\"*\"]\n",
        ),
        ("a.txt", "hello\n"),
    ]);
    let write = "{\"path\":\"b.txt\",\"content\":\"x\"}";
    let said = place.windlass(&["tools", "call", "write_file", write]).exits(1);
    for key in ["approve", "fetch.allow_hosts", "permissions.allow"] {
        assert!(said.err.contains(&format!("a project cannot set '{key}'")), "{}", said.err);
    }
    assert_eq!(said.json()["error"]["kind"], "permission_denied");
    let said = place.windlass(&[
        "tools",
        "call",
        "fetch_url",
        "{\"url\":\"http://127.0.0.1/\"}",
        "--approve",
        "all",
        "-q",
    ]);
    assert_eq!(said.exits(1).json()["error"]["kind"], "permission_denied");
}

#[test]
fn a_project_that_tightens_is_heeded() {
    let place = Place::with(&[
        (
            ".windlass/config.toml",
            "permissions.deny = [\"calculate\"]\npermissions.ask = [\"get_file_tree\"]\n",
        ),
        ("a.txt", "hello\n"),
    ]);
    let said =
        place.windlass(&["tools", "call", "calculate", "{\"expression\":\"1+1\"}", "--allow", "*"]).exits(1);
    assert_eq!(said.json()["error"]["kind"], "permission_denied");
    assert!(said.out.contains("project"), "{}", said.out);
    let said = place.windlass(&["tools", "call", "get_file_tree", "{}"]).exits(1);
    assert_eq!(said.json()["error"]["kind"], "permission_denied");
    place.write(".windlass/config.toml", "permissions.deny = [\"read_file(\"]\n");
    place.windlass(&["tools", "list"]).complains(2, &["config.toml:1", "read_file("]);
}

#[test]
fn the_loop_switch_of_existing_environments_works() {
    let place = Place::new();
    let args = ["config", "explain", "tool_loop_v2"];
    let said = place.windlass_with(&args, &[("TOOL_LOOP_V2", "yes")]).exits(0);
    assert_eq!(said.out, "tool_loop_v2  true  environment TOOL_LOOP_V2\n");
}

#[test]
fn e_39_a_speed_name_stands_for_the_model_that_the_configuration_says() {
    let place = Place::with(&[("deep.script", "user Go.\nmodel text From the deep one.\n")]);
    place.configure("[models]\ndeep = \"scripted/deep.script\"\n");
    let said = place.windlass(&["run", "--model", "deep", "Go."]).exits(0);
    assert_eq!(said.out.trim(), "From the deep one.");
    place
        .windlass(&["run", "--model", "fast", "Go."])
        .complains(2, &["no model is set for 'fast'", "--model", "models.fast = \"PROVIDER/MODEL\""]);
}
