//! What Windlass keeps is its owner's alone, whichever command makes it, and folders of before are closed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::pane::Pane;
use crate::place::{Place, Said};
use crate::serve::Served;
use crate::server::{Server, whole};

/// What `secret-tool` does, as far as it is used.
const SECRET_TOOL: &str = "#!/bin/sh\ncat > /dev/null\n";

fn place() -> Place {
    let place = Place::with(&[
        ("a.script", "user Hi\nmodel text Hello there.\n"),
        ("a.md", "# Ropes\n\nHemp is soaked in tar.\n"),
        ("bin/secret-tool", SECRET_TOOL),
    ]);
    fs::set_permissions(place.path("bin/secret-tool"), Permissions::from_mode(0o755)).unwrap();
    place
}

/// The binary where everything that is made without a word about rights is open to all.
fn open_handed(place: &Place, args: &[&str]) -> Command {
    let mut command = place.bare("sh");
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    command
        .args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_windlass")])
        .args(args)
        .env("PATH", path);
    command
}

/// Every folder and file below a path that others have a right to, with its rights.
fn open_ones(path: &Path, found: &mut Vec<String>) {
    let facts = fs::symlink_metadata(path).unwrap();
    let mode = facts.permissions().mode() & 0o777;
    if mode & 0o077 != 0 && !facts.is_symlink() {
        found.push(format!("{} {mode:o}", path.display()));
    }
    if facts.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| open_ones(&entry.unwrap().path(), found));
    }
}

/// Asserts that something was made and all of it is closed.
#[track_caller]
fn is_closed(place: &Place, what: &str) {
    let mut found = Vec::new();
    let folders = [place.data_folder(), place.config_file().parent().unwrap().to_owned()];
    let made: Vec<_> = folders.iter().filter(|folder| folder.exists()).collect();
    assert!(!made.is_empty(), "{what} has made nothing");
    made.into_iter().for_each(|folder| open_ones(folder, &mut found));
    // Weights can be downloaded by everybody; their folder is closed all the same.
    found.retain(|line| !line.contains(".gguf"));
    assert!(found.is_empty(), "{what} leaves open: {found:#?}");
}

#[test]
fn u_79_what_is_kept_is_for_its_owner_alone_whichever_command_comes_first() {
    let weights = Server::answering(|_| whole("200 OK", "GGUF"));
    let provider = windlass_testkit::provider::ProviderServer::start().unwrap();
    let (pulled, base_url) = (weights.address("/m.gguf"), provider.base_url("openai"));
    let examined = format!("openai-compatible/{}", windlass_testkit::provider::VendorScript::default());
    let write = "{\"path\":\"b.txt\",\"content\":\"b\"}";
    let commands: [&[&str]; 11] = [
        &["run", "--model", "scripted/a.script", "Hi"],
        &["index", "build"],
        &["index", "add", "a.md"],
        &["search", "hemp"],
        &["token"],
        &["policy", "allow", "write_file(b.txt)"],
        &["config", "init"],
        &["tools", "call", "write_file", write, "--approve", "all"],
        &["models", "key", "set", "groq"],
        &["models", "pull", &pulled],
        &["models", "doctor", &examined],
    ];
    for args in commands {
        let place = place();
        let mut command = open_handed(&place, args);
        command.env("WINDLASS_BASE_URL", &base_url).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // Only one of them listens.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"a-key-for-groq\n");
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!(said.code, 0, "{args:?}: {}{}", said.out, said.err);
        is_closed(&place, &args.join(" "));
    }
    let served_place = place();
    let served = Served::spawn(open_handed(
        &served_place,
        &["serve", "--addr", "127.0.0.1:0", "--model", "scripted/a.script"],
    ));
    served.json("POST /api/sessions", "{}");
    is_closed(&served_place, "serve");
    served.stop();
    let app_place = place();
    let pane = Pane::open(&app_place, 80, 24);
    pane.run("umask 000");
    pane.launch("", "--model scripted/a.script");
    pane.type_text("Hi");
    pane.press("Enter");
    pane.wait_for("Hello there.");
    is_closed(&app_place, "the terminal app");
}

#[test]
fn u_79_folders_of_before_are_closed_and_folders_of_others_are_left() {
    let place = place();
    place.configure("[providers.groq]\nkey = \"a-key-for-groq\"\n");
    place.windlass(&["run", "--model", "scripted/a.script", "Hi"]).exits(0);
    let open = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let data = place.data_folder();
    open(&data, 0o755);
    open(&data.join("windlass.db"), 0o644);
    open(&place.config_file(), 0o644);
    open(place.config_file().parent().unwrap(), 0o755);
    let said = place.windlass(&["sessions", "list"]).exits(0);
    assert!(said.err.contains("could be read by others"), "{}", said.err);
    is_closed(&place, "a later command");
    assert!(place.windlass(&["sessions", "list"]).exits(0).err.is_empty(), "it is said once");
    // A folder that a flag names and that is not known as ours is whoever's it was.
    let shared = place.path("shared");
    fs::create_dir(&shared).unwrap();
    open(&shared, 0o777);
    place.windlass(&["--data", "shared", "config", "path"]).exits(0);
    assert_eq!(fs::metadata(&shared).unwrap().permissions().mode() & 0o777, 0o777);
    // Its file may be anybody's too, unless there is a key in it.
    for (text, mode) in [("approve = \"never\"\n", 0o644), ("image.api_key = \"a-key-for-images\"\n", 0o600)]
    {
        place.write("own.toml", text);
        open(&place.path("own.toml"), 0o644);
        place.windlass(&["--config", "own.toml", "config", "path"]).exits(0);
        assert_eq!(
            fs::metadata(place.path("own.toml")).unwrap().permissions().mode() & 0o777,
            mode,
            "{text}"
        );
    }
}
