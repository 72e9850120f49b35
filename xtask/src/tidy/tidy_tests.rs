//! Every rule is seen to bite, and to leave its neighbour alone.

use super::*;
use crate::checkout::tests::Fixture;

const CORE_MANIFEST: &str = "[dependencies]\nasync-trait = \"0.1\"\nbase64 = \"0.23\"\nfutures-core = \"0.3\"\nserde = \"1\"\nserde_json = \"1\"\nsha2 = \"0.10\"\nthiserror = \"2\"";

fn house() -> Fixture {
    Fixture::new().with_package("windlass-core", CORE_MANIFEST)
}

/// `RULE PATH:LINE` of everything wrong with the fixture.
fn untidy(fixture: &Fixture) -> Vec<String> {
    let findings = check(&Checkout::read(fixture.root()).unwrap());
    let findings = exceptions::Exceptions::read(fixture.root()).unwrap().apply(findings);
    findings.iter().map(|finding| format!("{} {}:{}", finding.rule, finding.path, finding.line)).collect()
}

#[track_caller]
fn bites(fixture: &Fixture, expected: &[&str]) {
    assert_eq!(untidy(fixture), expected);
}

#[test]
fn a_clean_house_has_no_finding() {
    bites(&house(), &[]);
}

#[test]
fn core_has_exactly_its_few_dependencies() {
    let more = Fixture::new().with_package("windlass-core", &format!("{CORE_MANIFEST}\nuuid = \"1\""));
    bites(&more, &["core-dependencies crates/windlass-core/Cargo.toml:1"]);
    let fewer = Fixture::new().with_package("windlass-core", "[dependencies]\nserde = \"1\"");
    bites(&fewer, &["core-dependencies crates/windlass-core/Cargo.toml:1"]);
    let in_tests = Fixture::new()
        .with_package("windlass-core", &format!("{CORE_MANIFEST}\n[dev-dependencies]\nproptest = \"1\""));
    bites(&in_tests, &[]);
    let by_feature = |name: &str| {
        let line = format!("{name} = {{ version = \"1\", optional = true }}");
        Fixture::new().with_package("windlass-core", &format!("{CORE_MANIFEST}\n{line}"))
    };
    bites(&by_feature("schemars"), &[]);
    bites(&by_feature("uuid"), &["core-dependencies crates/windlass-core/Cargo.toml:1"]);
}

#[test]
fn crates_form_a_star() {
    let on_core = "[dependencies]\nwindlass-core = { path = \"../windlass-core\" }";
    let on_tools = "[dependencies]\nwindlass-tools = { path = \"../windlass-tools\" }";
    let star =
        house().with_package("windlass-tools", on_core).with_package("windlass", on_tools).with_package(
            "windlass-engine",
            &format!("{on_core}\n[dev-dependencies]\nwindlass-tools = {{ path = \"../windlass-tools\" }}"),
        );
    bites(&star, &[]);
    let tree = star.with_package("windlass-engine", on_tools);
    bites(&tree, &["star crates/windlass-engine/Cargo.toml:1"]);
    let macros = house().with_package("windlass-macros", on_core);
    bites(&macros, &["star crates/windlass-macros/Cargo.toml:1"]);
}

#[test]
fn heavy_dependencies_stay_in_their_rooms() {
    let clap_in_tools =
        house().with_package("windlass-tools", "[dependencies]\nclap = \"4\"\nreqwest = \"0.13\"");
    bites(&clap_in_tools, &["keeps-in crates/windlass-tools/Cargo.toml:1"]);
    let schema_outside = house().with_package("windlass-tools", "[dependencies]\njsonschema = \"0.60\"");
    bites(&schema_outside, &["keeps-in crates/windlass-tools/Cargo.toml:1"]);
    let http_in_engine = house().with_package("windlass-engine", "[dependencies]\nreqwest = \"0.13\"");
    bites(&http_in_engine, &["keeps-in crates/windlass-engine/Cargo.toml:1"]);
    let shipped_testkit = house()
        .with_package("windlass-testkit", "")
        .with_package("windlass", "[dependencies]\nwindlass-testkit = { path = \"../windlass-testkit\" }");
    bites(&shipped_testkit, &["keeps-in crates/windlass/Cargo.toml:1"]);
    let tested_with_it =
        house().with_package("windlass-tools", "[dev-dependencies]\nclap = \"4\"\ntempfile = \"3\"");
    bites(&tested_with_it, &[]);
}

#[test]
fn a_shared_version_that_nobody_uses_is_found() {
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n[workspace.dependencies]\n# --- JSON\nserde = \"1\"\nuuid = \"1\"\n";
    bites(&house().with("Cargo.toml", manifest), &["unused-version Cargo.toml:7"]);
}

#[test]
fn core_names_no_file_clock_environment_thread_or_chance() {
    let lines = [
        "use std::fs;",
        "use std::{collections::BTreeMap, net::IpAddr};",
        "fn a() { let _ = std::env::var(\"X\"); }",
        "use std::time::{Duration, Instant};",
        "fn b() -> std::time::SystemTime { now() }",
        "use std::time;",
        "fn c() { std::thread::yield_now(); }",
        "fn d() { vec![std::process::id()]; }",
        "fn e() -> u8 { rand::random() }",
        "use std::io::*;",
    ];
    for line in lines {
        let fixture = house().with("crates/windlass-core/src/lib.rs", &format!("//! Core.\n{line}\n"));
        bites(&fixture, &["core-purity crates/windlass-core/src/lib.rs:2"]);
    }
    let pure = "//! Core.\nuse std::time::Duration;\nuse std::io::Read;\n// std::fs is only mentioned here\nconst S: &str = \"std::fs\";\n";
    bites(&house().with("crates/windlass-core/src/lib.rs", pure), &[]);
    let test = "//! Tests.\nuse std::fs;\n";
    let with_tests = house()
        .with("crates/windlass-core/src/lib.rs", "//! Core.\n#[path = \"lib_tests.rs\"]\nmod tests;\n")
        .with("crates/windlass-core/src/lib_tests.rs", test);
    bites(&with_tests, &[]);
}

#[test]
fn the_fold_of_the_terminal_app_knows_no_clock_no_files_and_no_runtime() {
    for line in ["use std::fs;", "fn a() { std::time::Instant::now(); }", "use tokio::time::sleep;"] {
        let text = format!("//! Update.\n{line}\n");
        let modules = "//! App.\nmod app;\nmod update;\n";
        let app = || {
            house()
                .with_package("windlass-tui", "")
                .with("crates/windlass-tui/src/lib.rs", modules)
                .with("crates/windlass-tui/src/app.rs", "//! Loop.\n")
                .with("crates/windlass-tui/src/update/mod.rs", "//! Update.\n")
        };
        let fixture = app().with("crates/windlass-tui/src/update/mod.rs", &text);
        bites(&fixture, &["screen-purity crates/windlass-tui/src/update/mod.rs:2"]);
        bites(&app().with("crates/windlass-tui/src/app.rs", &text), &[]);
    }
}

#[test]
fn the_environment_and_processes_stay_in_their_rooms() {
    let code = "//! A room.\nuse std::env;\nuse std::process::{Command, ExitCode};\n";
    let engine = house().with_package("windlass-engine", "").with("crates/windlass-engine/src/lib.rs", code);
    bites(
        &engine,
        &["keeps-in crates/windlass-engine/src/lib.rs:2", "keeps-in crates/windlass-engine/src/lib.rs:3"],
    );
    let tools = house().with_package("windlass-tools", "").with("crates/windlass-tools/src/lib.rs", code);
    bites(&tools, &["keeps-in crates/windlass-tools/src/lib.rs:2"]);
}

#[test]
fn one_file_of_a_crate_names_the_http_client() {
    let fixture = house()
        .with_package("windlass-tools", "[dependencies]\nreqwest = \"0.13\"")
        .with("crates/windlass-tools/src/lib.rs", "//! Tools.\nmod fetch_url;\nmod transport;\n")
        .with("crates/windlass-tools/src/transport.rs", "//! T.\nuse reqwest::Client;\n");
    let clean = fixture.with("crates/windlass-tools/src/fetch_url.rs", "//! F.\n");
    bites(&clean, &[]);
    let second =
        clean.with("crates/windlass-tools/src/fetch_url.rs", "//! F.\nfn f() -> reqwest::Url { todo() }\n");
    bites(&second, &["http-client crates/windlass-tools/src/transport.rs:2"]);
}

#[test]
fn one_file_of_the_server_knows_status_codes() {
    let code = "//! A room.\nuse axum::http::StatusCode;\n";
    let server = || {
        let root = "//! Server.\nmod error;\nmod runs;\n";
        let house =
            house().with_package("windlass-server", "").with("crates/windlass-server/src/lib.rs", root);
        let house = house.with("crates/windlass-server/src/error.rs", "//! Errors.\n");
        house.with("crates/windlass-server/src/runs.rs", "//! Runs.\n")
    };
    bites(&server().with("crates/windlass-server/src/error.rs", code), &[]);
    bites(
        &server().with("crates/windlass-server/src/runs.rs", code),
        &["status-codes crates/windlass-server/src/runs.rs:2"],
    );
}

#[test]
fn only_front_ends_print() {
    let code = "//! A room.\nfn f() { println!(\"x\"); }\n";
    let engine = house().with_package("windlass-engine", "").with("crates/windlass-engine/src/lib.rs", code);
    bites(&engine, &["prints crates/windlass-engine/src/lib.rs:2"]);
    let cli = house().with_package("windlass-cli", "").with("crates/windlass-cli/src/lib.rs", code);
    bites(&cli, &[]);
}

#[test]
fn an_approved_call_is_made_in_the_permission_module_only() {
    let home = "//! Permission.\npub struct ApprovedCall { call: u8 }\nimpl ApprovedCall { fn new() -> Self { Self { call: 1 } } }\n";
    let fixture = house()
        .with("crates/windlass-core/src/lib.rs", "//! Core.\nmod permission;\nmod run;\n")
        .with("crates/windlass-core/src/permission/mod.rs", home);
    let reads = fixture.with(
        "crates/windlass-core/src/run.rs",
        "//! Run.\nfn a(x: ApprovedCall) -> ApprovedCall { let ApprovedCall { .. } = &x; x }\nimpl Show for ApprovedCall { }\n",
    );
    bites(&reads, &[]);
    let makes = reads.with(
        "crates/windlass-core/src/run.rs",
        "//! Run.\nfn a() -> ApprovedCall {\n ApprovedCall { call: 2 } }\n",
    );
    bites(&makes, &["approved-call crates/windlass-core/src/run.rs:3"]);
    let makes_itself = makes.with(
        "crates/windlass-core/src/run.rs",
        "//! Run.\nimpl From<u8> for ApprovedCall { fn from(call: u8) -> Self {\n Self { call } } }\n",
    );
    bites(&makes_itself, &["approved-call crates/windlass-core/src/run.rs:3"]);
}

#[test]
fn an_approved_call_keeps_its_fields_private_and_derives_no_maker() {
    let leaky =
        "//! Permission.\n#[derive(Clone, serde::Deserialize)]\npub struct ApprovedCall { pub call: u8 }\n";
    let fixture = house()
        .with("crates/windlass-core/src/lib.rs", "//! Core.\nmod permission;\n")
        .with("crates/windlass-core/src/permission.rs", leaky);
    let place = "approved-call crates/windlass-core/src/permission.rs:3";
    bites(&fixture, &[place, place]);
}

#[test]
fn files_and_functions_have_a_length() {
    let long_file = format!("//! Long.\n{}", "const A: u8 = 1;\n".repeat(budgets::FILE_LINES_MAX));
    let path = "crates/windlass-core/src/lib.rs";
    bites(&house().with(path, &long_file), &[&format!("file-length {path}:1")]);
    let function =
        |lines: usize| format!("//! F.\n#[inline]\nfn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    bites(&house().with(path, &function(70)), &[]);
    bites(&house().with(path, &function(71)), &[&format!("function-length {path}:3")]);
    let method = function(71).replace("#[inline]\n", "trait T {\n") + "}\n";
    bites(&house().with(path, &method), &[&format!("function-length {path}:3")]);
    let in_tests = house()
        .with(path, "//! Core.\n#[cfg(test)]\nmod a_tests;\n")
        .with("crates/windlass-core/src/a_tests.rs", &(long_file + &function(90).replace("//! F.\n", "")));
    bites(&in_tests, &[]);
}

#[test]
fn every_module_opens_with_a_header() {
    let fixture = house().with("crates/windlass-core/src/lib.rs", "// Core.\nfn f() {}\n");
    bites(&fixture, &["module-header crates/windlass-core/src/lib.rs:1"]);
    let tests_beside = house()
        .with("crates/windlass-core/src/lib.rs", "//! Core.\n#[cfg(test)]\nmod lib_tests;\n")
        .with("crates/windlass-core/src/lib_tests.rs", "fn t() {}\n");
    bites(&tests_beside, &[]);
}

#[test]
fn no_name_says_an_empty_word() {
    let path = "crates/windlass-core/src/lib.rs";
    for item in [
        "struct RunManager;",
        "enum EventHandler {}",
        "trait Helper {}",
        "type CallInfo = u8;",
        "mod utils {}",
    ] {
        bites(&house().with(path, &format!("//! Core.\n{item}\n")), &[&format!("empty-name {path}:2")]);
    }
    bites(&house().with("docs/misc.md", ""), &["empty-name docs/misc.md:1"]);
    bites(&house().with(path, "//! Core.\nstruct Metadata;\nfn data() {}\n"), &[]);
}

#[test]
fn nothing_is_left_unfinished() {
    let path = "crates/windlass-core/src/lib.rs";
    let mark = concat!("TO", "DO");
    bites(&house().with(path, &format!("//! Core.\n// {mark}: later\n")), &[&format!("unfinished {path}:2")]);
    bites(&house().with(path, &format!("//! Core.\nconst S: &str = \"{mark}: found by a search\";\n")), &[]);
    bites(
        &house().with(path, "//! Core.\nfn f() { todo!() }\nfn g() { unimplemented!() }\n"),
        &[&format!("unfinished {path}:2"), &format!("unfinished {path}:3")],
    );
    bites(&house().with("deny.toml", &format!("a = 1\nb = 2 # {mark}\n")), &["unfinished deny.toml:2"]);
}

#[test]
fn no_code_sleeps_in_comments() {
    let path = "crates/windlass-core/src/lib.rs";
    bites(
        &house().with(path, "//! Core.\nfn f() {\n    // let x = g(1);\n}\n"),
        &[&format!("dead-code {path}:3")],
    );
}

#[test]
fn no_tracked_file_names_a_machine_or_its_registry() {
    let home = format!("see /{}/carla/windlass\n", "home");
    bites(&house().with("docs/a.md", &home), &["machine-path docs/a.md:1"]);
    let lock = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nsource = \"registry+https://mirror.example/index\"\n";
    bites(&house().with("fixtures/Cargo.lock", lock), &["registry fixtures/Cargo.lock:2"]);
    bites(&house().with(".cargo/config.toml", "[source.crates-io]\n"), &["registry .cargo/config.toml:1"]);
}

#[test]
fn a_crate_has_one_integration_binary_and_no_forgotten_file() {
    let main = "crates/windlass-core/tests/all/main.rs";
    let fixture = house().with(main, "mod walks;\n").with("crates/windlass-core/tests/all/walks.rs", "");
    bites(&fixture, &[]);
    let second = fixture.with("crates/windlass-core/tests/extra.rs", "");
    bites(&second, &["test-binary crates/windlass-core/tests/extra.rs:1"]);
    let forgotten = house().with(main, "").with("crates/windlass-core/tests/all/walks.rs", "");
    bites(&forgotten, &["forgotten-file crates/windlass-core/tests/all/walks.rs:1"]);
    let unused_tests = house().with("crates/windlass-core/src/run_tests.rs", "//! Tests.\n");
    bites(&unused_tests, &["forgotten-file crates/windlass-core/src/run_tests.rs:1"]);
}

#[test]
fn files_of_the_web_app_are_short_but_for_tests_and_what_is_generated() {
    let long = "let a = 1;\n".repeat(budgets::FILE_LINES_MAX + 1);
    for path in
        ["web/src/view/session.ts", "web/src/shell/Shell.svelte", "web/src/app.css", "web/scripts/a.mjs"]
    {
        bites(&house().with(path, &long), &[&format!("file-length {path}:1")]);
    }
    for path in [
        "web/src/protocol/api.ts",
        "web/dist/assets/a.js",
        "web/src/view/session.test.ts",
        "web/e2e/a.e2e.ts",
    ] {
        bites(&house().with(path, &long), &[]);
    }
    let fetched = house().with("web/.gitignore", "node_modules/\n").with("web/node_modules/a/a.ts", &long);
    bites(&fetched, &[]);
}

#[test]
fn one_component_of_the_web_app_writes_markup() {
    let raw = "<p>a</p>\n{@html text}\n";
    bites(&house().with("web/src/ui/Notice.svelte", raw), &["raw-markup web/src/ui/Notice.svelte:2"]);
    bites(&house().with("web/src/ui/a.ts", "\n\nnode.innerHTML = x;\n"), &["raw-markup web/src/ui/a.ts:3"]);
    bites(&house().with("web/src/transcript/Markdown.svelte", raw), &[]);
    bites(&house().with("web/e2e/a.e2e.ts", "expect(node.innerHTML)\n"), &[]);
}

#[test]
fn the_web_app_names_no_address_but_vocabularies() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" />\n";
    bites(&house().with("web/src/ui/Icon.svelte", svg), &[]);
    let font = "@import url('https://fonts.example/a.css');\n";
    bites(&house().with("web/src/app.css", font), &["origin web/src/app.css:1"]);
    bites(&house().with("web/src/view/a.test.ts", "open('https://example.org')\n"), &[]);
    bites(&house().with("web/vite.config.ts", "const server = 'http://127.0.0.1:4117';\n"), &[]);
}

#[test]
fn the_web_app_has_no_empty_names_nothing_unfinished_and_names_no_machine() {
    bites(&house().with("web/src/ui/utils.ts", ""), &["empty-name web/src/ui/utils.ts:1"]);
    bites(&house().with("web/src/a.ts", "export class RunManager {}\n"), &["empty-name web/src/a.ts:1"]);
    bites(&house().with("web/src/protocol/api.ts", "export interface Info {}\n"), &[]);
    let mark = concat!("TO", "DO");
    bites(
        &house().with("web/src/A.svelte", &format!("<!-- {mark} -->\n")),
        &["unfinished web/src/A.svelte:1"],
    );
    bites(&house().with("web/dist/assets/a.js", &format!("// {mark}\n")), &[]);
    let home = format!("const a = '/{}/carla/a';\n", "home");
    bites(&house().with("web/src/a.ts", &home), &["machine-path web/src/a.ts:1"]);
}

#[test]
fn an_exception_excuses_with_a_reason_and_must_go_when_unused() {
    let path = "crates/windlass-core/src/lib.rs";
    let broken = house().with(path, "fn f() {}\n");
    let excused = broken
        .with("xtask/tidy-exceptions.txt", &format!("# rule path reason\nmodule-header {path} generated\n"));
    bites(&excused, &[]);
    let without_reason = excused.with("xtask/tidy-exceptions.txt", &format!("module-header {path}\n"));
    bites(&without_reason, &["exception xtask/tidy-exceptions.txt:1"]);
    let unused = house().with("xtask/tidy-exceptions.txt", "file-length crates/gone.rs was long\n");
    bites(&unused, &["exception xtask/tidy-exceptions.txt:1"]);
}

#[test]
fn a_file_that_does_not_parse_is_named() {
    let fixture = house().with("crates/windlass-core/src/lib.rs", "//! Core.\nfn (\n");
    let error = Checkout::read(fixture.root()).err().unwrap();
    assert!(format!("{error:#}").contains("crates/windlass-core/src/lib.rs"), "{error:#}");
}

#[test]
fn the_figures_name_the_largest_the_longest_and_the_tests() {
    let fixture = house()
        .with(
            "crates/windlass-core/src/lib.rs",
            "//! Core.\nfn long() {\n    g();\n}\n#[cfg(test)]\nmod a_tests;\n",
        )
        .with("crates/windlass-core/src/a_tests.rs", "//! Tests.\n#[test]\nfn t() {}\n");
    let text = stats::describe(&Checkout::read(fixture.root()).unwrap());
    assert!(text.contains("largest file      crates/windlass-core/src/lib.rs (6 lines of 600)"), "{text}");
    assert!(
        text.contains("longest function  `long` at crates/windlass-core/src/lib.rs:2 (3 lines of 70)"),
        "{text}"
    );
    assert!(
        text.contains(
            "core depends on   async-trait, base64, futures-core, serde, serde_json, sha2, thiserror"
        ),
        "{text}"
    );
    assert!(
        text.contains("windlass-core             1        5         1    16 %           3      1"),
        "{text}"
    );
}

#[test]
fn a_folder_has_at_most_24_modules() {
    let names: Vec<_> = (0..25).map(|number| format!("m{number}")).collect();
    let declared = |names: &[String]| {
        let list: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let lines: Vec<_> = names.iter().map(|name| format!("mod {name};\n")).collect();
        format!("//! {}\n\n{}", list.join(" "), lines.concat())
    };
    let with = |names: &[String]| {
        let root = house()
            .with("crates/windlass-core/src/lib.rs", "//! `rooms`\n\nmod rooms;\n")
            .with("crates/windlass-core/src/rooms/mod.rs", &declared(names));
        names.iter().fold(root, |root, name| {
            root.with(&format!("crates/windlass-core/src/rooms/{name}.rs"), "//! A module.\n")
        })
    };
    bites(&with(&names), &["folder-width crates/windlass-core/src/rooms:1"]);
    bites(&with(names.get(1..).unwrap()), &[]);
}

#[test]
fn documents_name_what_is_there() {
    let core = "[dependencies]\nwindlass-core = { path = \"../windlass-core\" }";
    let two = || house().with_package("windlass-tools", core);
    let whole = "| `windlass-core` | x |\n| `windlass-tools` | y |\n";
    bites(&two().with("README.md", whole), &[]);
    bites(&two().with("README.md", "| `windlass-core` | x |\n"), &["stale-document README.md:1"]);
    bites(
        &two().with("README.md", &format!("{whole}{whole}")),
        &["stale-document README.md:3", "stale-document README.md:4"],
    );
    bites(
        &house().with("ARCHITECTURE.md", "**`windlass-core`** decides.\n**`windlass-gone`** too.\n"),
        &["stale-document ARCHITECTURE.md:2"],
    );
    let paths = "See `crates/windlass-core/Cargo.toml`, `core/src/` and `gone/{here,there}.rs`.\n";
    bites(&house().with("CONTRIBUTING.md", paths), &["stale-document CONTRIBUTING.md:1"; 2]);
}

#[test]
fn tools_and_commands_of_the_readme_are_those_of_the_code() {
    let tools = "//! Tools.\npub fn builtin() -> Vec<u8> {\n    vec![one(), two()]\n}\n";
    let commands = "//! Commands.\nenum CliCommand {\n    Run,\n    Serve,\n}\n";
    let with = |readme: &str| {
        let crates = "| `windlass-core` | x |\n| `windlass-tools` | y |\n| `windlass-cli` | z |\n";
        house()
            .with_package("windlass-tools", "")
            .with_package("windlass-cli", "")
            .with("crates/windlass-tools/src/lib.rs", tools)
            .with("crates/windlass-cli/src/main.rs", "//! The binary.\n\nmod args;\n")
            .with("crates/windlass-cli/src/args/mod.rs", commands)
            .with("README.md", &format!("{crates}{readme}"))
    };
    bites(&with("The 2 built-in tools.\n| `windlass run` | a |\n| `windlass serve --open` | b |\n"), &[]);
    bites(
        &with("The 3 built-in tools.\n| `windlass run` | a |\n| `windlass serve` | b |\n"),
        &["stale-document README.md:1"],
    );
    bites(
        &with("The 2 built-in tools.\n| `windlass run` | a |\n| `windlass halt` | b |\n"),
        &["stale-document README.md:1"; 2],
    );
}

#[test]
fn a_crate_says_which_rooms_it_has() {
    let lib = |header: &str| {
        let text = format!("//! {header}\n\nmod a;\nmod b;\nmod c;\nmod run;\n");
        let root = house().with("crates/windlass-core/src/lib.rs", &text);
        ["a", "b", "c", "run"].iter().fold(root, |root, name| {
            root.with(&format!("crates/windlass-core/src/{name}.rs"), "//! A module.\n")
        })
    };
    bites(&lib("`run/` runs, `a` and `b` `c`."), &[]);
    bites(&lib("`run` runs."), &["room-list crates/windlass-core/src/lib.rs:1"]);
}

#[test]
fn a_match_over_events_has_no_wildcard() {
    let path = "crates/windlass-core/src/lib.rs";
    let folded = |arms: &str| {
        house()
            .with(path, &format!("//! A fold.\nfn f() {{\n    match event {{\n        {arms}\n    }}\n}}\n"))
    };
    let wild = [
        "DurableEvent::RunEnded { .. } => 1, _ => 0,",
        "Some(Event::Delta(DeltaEvent::TextDelta { text })) if text.is_empty() => 1, _ if true => 0, None => 2,",
        "(event::DurableEvent::RunEnded { .. }, _) => 1, (_, _) => 0,",
    ];
    for arms in wild {
        bites(&folded(arms), &[&format!("event-wildcard {path}:4")]);
    }
    let named = [
        "DurableEvent::RunEnded { .. } => 1, other => other.ignored(),",
        "Event::Durable(_) => match 1 { 2 => 3, _ => 4 }, Event::Delta(_) => 0,",
        "1 => Event::Delta(a), _ => Event::Delta(b),",
    ];
    for arms in named {
        bites(&folded(arms), &[]);
    }
}

#[test]
fn the_number_of_shared_type_names_only_falls() {
    let mut few = house();
    for number in 0..=rooms::SHARED_TYPE_NAMES_MAX {
        let text = format!("//! A room.\npub struct Same{number};\n");
        few = few
            .with(&format!("crates/windlass-core/src/a{number}/x.rs"), &text)
            .with(&format!("crates/windlass-core/src/b{number}/x.rs"), &text);
    }
    let found = untidy(&few);
    assert!(found.iter().any(|finding| finding == "type-names xtask/src/tidy/rooms.rs:1"), "{found:?}");
}

#[test]
fn tests_that_documents_of_safety_name_are_there_and_run() {
    let tests = "//! T.\n#[test]\nfn a_wall_holds_for_all() {}\n#[test]\n#[ignore]\nfn a_wall_that_nobody_tries() {}\n";
    let web = "it('U-1: a page holds', () => {});\nit.skip('U-2: a page that nobody opens', () => {});\n";
    let house = |text: &str| {
        house()
            .with("crates/windlass-core/tests/all/main.rs", tests)
            .with("web/e2e/a.e2e.ts", web)
            .with("docs/safety.md", text)
    };
    bites(
        &house("It holds (`a_wall_holds_for_all`, `web: U-1: a page holds`), see `tools.command_env`.\n"),
        &[],
    );
    bites(&house("\nIt holds (`a_wall_holds_for_most`).\n"), &["claim docs/safety.md:2"]);
    bites(&house("It holds (`a_wall_that_nobody_tries`).\n"), &["claim docs/safety.md:1"]);
    bites(&house("It holds (`web: U-2: a page that nobody opens`).\n"), &["claim docs/safety.md:1"]);
}

#[test]
fn every_claim_of_the_promising_parts_names_a_test() {
    let tests = "//! T.\n#[test]\nfn a_wall_holds_for_all() {}\n";
    let house =
        |text: &str| house().with("crates/windlass-core/tests/all/main.rs", tests).with("SECURITY.md", text);
    let proven = "## What is contained\n\n### Walls\n\n| what | shown by |\n|---|---|\n| A wall | `a_wall_holds_for_all` |\n\n- It\n  holds (`a_wall_holds_for_all`).\n\n## What is not\n\n- All else.\n";
    bites(&house(proven), &[]);
    bites(
        &house("## What is contained, and how\n\n- It\n  holds.\n\n- `a_wall_holds_for_all`\n"),
        &["claim SECURITY.md:3"],
    );
    bites(&house("## Threats\n\n| who | held by |\n|---|---|\n| you | a wall |\n"), &["claim SECURITY.md:5"]);
}

#[test]
fn unsafe_code_stands_in_two_rooms_alone() {
    let code = "//! C.\n#[allow(unsafe_code)]\nfn load() {}\n";
    let claims = |path: &str| {
        let found = untidy(&house().with_package("windlass-local", "").with(path, code));
        found.into_iter().filter(|line| line.starts_with("claim")).collect::<Vec<_>>()
    };
    assert!(claims("crates/windlass-local/src/file/mapped.rs").is_empty());
    assert!(claims("crates/windlass-local/src/kernel/blocks/tiles.rs").is_empty());
    let elsewhere = "crates/windlass-local/src/file/gguf.rs";
    assert_eq!(claims(elsewhere), [format!("claim {elsewhere}:2")]);
}
