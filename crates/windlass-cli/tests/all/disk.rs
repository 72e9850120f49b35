//! A disk that does not do its part: full, read-only, torn. It is said clearly, nothing that was kept is lost,
//! and when the disk is well again the run goes on.

use std::fs;
use std::process::Command;

use crate::place::{Place, Said};

/// One call, and then more text than fits below the limit of `on_a_small_disk`.
fn talkative() -> String {
    let line = "All work and no play makes a long answer of a short one. ".repeat(16);
    let text = vec![line; 400].join("\n");
    format!(
        "approve all\nuser Talk\nmodel call 1 execute_command {{\"command\":\"echo once >> effects\"}}\n\
         model end\nmodel text <<END\n{text}\nEND\n"
    )
}

/// Runs the binary where no file can grow beyond the limit, as on a full disk.
fn on_a_small_disk(place: &Place, args: &[&str]) -> Said {
    let mut command: Command = place.bare("sh");
    // The signal that a file is too large is ignored, so that the write fails as it does on a full disk.
    let line = "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\"";
    command.args(["-c", line, env!("CARGO_BIN_EXE_windlass")]).args(args);
    Said::of(command.output().unwrap())
}

#[test]
fn a_full_disk_in_the_middle_of_a_run_is_said_and_the_run_goes_on_when_there_is_room() {
    let place = Place::with(&[("a.script", &talkative()), ("small.script", "user Hi\nmodel text Hello.\n")]);
    place.windlass(&["run", "--model", "scripted/small.script", "--session", "small"]).exits(0);
    let said = on_a_small_disk(&place, &["run", "--model", "scripted/a.script", "--session", "long"])
        .complains(1, &["windlass.db", "what was kept before is safe", "to continue: windlass runs resume "]);
    assert!(!said.out.contains("All work"), "nothing is shown that was not kept");

    let rows = place.windlass(&["runs", "list", "--session", "long", "--json"]).exits(0).json();
    assert!(rows[0]["outcome"].is_null(), "{rows}");
    assert_eq!(place.read("effects"), "once\n");
    let said = place.windlass(&["runs", "resume"]).exits(0);
    assert!(said.out.starts_with("All work"));
    assert_eq!(place.read("effects"), "once\n");
    let other = place.windlass(&["sessions", "show", "small"]).exits(0).out;
    assert!(other.contains("Hello."), "{other}");
}

#[test]
fn a_damaged_file_is_left_as_it_is_and_named() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello.\n")]);
    let file = place.data_folder().join("windlass.db");
    fs::create_dir_all(place.data_folder()).unwrap();
    fs::write(&file, "this was never a database, whatever its name says").unwrap();
    let said = place
        .windlass(&["run", "--model", "scripted/a.script"])
        .complains(1, &["windlass.db", "--ephemeral"]);
    assert_eq!(said.out, "");
    assert_eq!(fs::read_to_string(&file).unwrap(), "this was never a database, whatever its name says");
}

#[test]
#[cfg(feature = "crash-points")]
fn a_torn_end_of_the_journal_loses_at_most_what_was_torn() {
    let script = "user Count\nmodel call 1 calculate {\"expression\":\"1 + 1\"}\nmodel end\n\
                  model call 2 calculate {\"expression\":\"2 + 2\"}\nmodel end\nmodel text Four.\n";
    for (at, torn) in [(5, 1), (6, 100), (7, 4_000), (8, 4_121)] {
        let place = Place::with(&[("a.script", script)]);
        let args = ["run", "--model", "scripted/a.script", "--session", "s", "-q"];
        let said = place.windlass_with(&args, &[("CRASH_AT", &format!("{at}:after"))]);
        assert_eq!(said.code, -1, "{}", said.err);
        let journal = place.data_folder().join("windlass.db-wal");
        let file = fs::OpenOptions::new().write(true).open(&journal).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length - torn).unwrap();
        drop(file);
        place.windlass(&["runs", "list"]).exits(0);
        assert_eq!(place.windlass(&["runs", "resume", "-q"]).exits(0).out, "Four.\n", "{at}");
    }
}
