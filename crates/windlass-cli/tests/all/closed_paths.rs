//! Paths that a rule denies to one reader, and files that hold secrets: no tool shows anything of them.

use serde_json::json;

use crate::place::Place;

/// Every way in which a tool shows what is in files, or that they are there.
fn readings() -> Vec<(&'static str, String)> {
    let of = |name, arguments: serde_json::Value| (name, arguments.to_string());
    vec![
        of("get_file_tree", json!({})),
        of("search_text", json!({"pattern": "kraken"})),
        of("search_text", json!({"pattern": "kraken", "path": "hidden"})),
        of("search_codebase", json!({"query": "kraken"})),
        of("find_symbol", json!({"name": "kraken"})),
        of("find_references", json!({"name": "kraken"})),
    ]
}

/// What all of them say together.
fn all_said(place: &Place, flags: &[&str]) -> String {
    let said = readings()
        .into_iter()
        .map(|(name, arguments)| place.windlass(&[&["tools", "call", name, &arguments], flags].concat()).out);
    said.collect::<Vec<_>>().join("\n")
}

#[test]
fn u_74_a_path_that_is_denied_to_one_reader_is_left_out_by_all() {
    let place = Place::with(&[
        ("hidden/deep/a.rs", "/// Sleeps.\nfn kraken() {}\nfn wake() { kraken() }\n"),
        ("open/b.rs", "/// Feeds.\nfn kraken() {}\nfn feed() { kraken() }\n"),
    ]);
    // The control: without the rule each of them shows it.
    let free = all_said(&place, &["--approve", "all"]);
    assert_eq!(free.matches("hidden/deep/a.rs").count() > 4, free.contains("open/b.rs"), "{free}");
    for rule in ["read_file(hidden/**)", "search_text(hidden/**)", "scope:read_files(hidden/**)"] {
        let said = all_said(&place, &["--approve", "all", "--deny", rule]);
        assert!(!said.contains("a.rs") && !said.contains("Sleeps"), "{rule}: {said}");
        assert!(said.contains("open/b.rs"), "{rule}: {said}");
    }
    // A stored rule does the same.
    place.windlass(&["policy", "deny", "read_file(hidden/**)"]).exits(0);
    let said = all_said(&place, &["--approve", "all", "--allow", "*"]);
    assert!(!said.contains("a.rs") && said.contains("open/b.rs"), "{said}");
}

#[test]
fn u_82_files_that_hold_secrets_are_read_searched_and_indexed_by_nothing() {
    let names = [
        ".env~",
        "production.env",
        "#.env#",
        ".docker/config.json",
        ".config/gh/hosts.yml",
        "main.tfvars",
        "service-account-1.json",
        ".git/config",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "kraken = precious\n")).collect();
    let place = Place::with(&files);
    place.write("plain.md", "A kraken for everybody.\n");
    for name in names {
        let arguments = json!({"path": name}).to_string();
        let said = place.windlass(&["tools", "call", "read_file", &arguments, "--approve", "all"]);
        assert!(
            !said.out.contains("precious") && said.out.contains("permission_denied"),
            "{name}: {}",
            said.out
        );
    }
    let said = all_said(&place, &["--approve", "all"]);
    assert!(!said.contains("precious") && said.contains("plain.md"), "{said}");
}
