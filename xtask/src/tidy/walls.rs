//! Rules on what code may name: core's purity, the rooms of the outside world, the one file with the HTTP client.

use std::collections::BTreeMap;

use super::rooms::{self, CORE};
use super::{Checkout, ParsedFile, TidyFinding};

fn starts_with(segments: &[String], path: &str) -> bool {
    let mut own = segments.iter().map(String::as_str);
    path.split("::").all(|wanted| own.next() == Some(wanted))
}

fn room(parsed: &ParsedFile) -> &str {
    parsed.file.room().unwrap_or_default()
}

/// No IO, clock, environment, thread or randomness in core.
pub(super) fn core_is_pure(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in house.shipped().filter(|parsed| room(parsed) == CORE) {
        for named in parsed.source.paths() {
            let whole = named.segments.join("::");
            let impure = rooms::IMPURE_PATHS.iter().any(|path| starts_with(&named.segments, path));
            if impure || rooms::IMPURE_IMPORTS.contains(&whole.as_str()) {
                let text = format!("core names {whole}: time, ids and the world come in as data");
                findings.push(TidyFinding::new("core-purity", &parsed.file.path, named.line, text));
            }
        }
    }
    findings
}

/// State, update and view of the terminal app know no clock, no files and no runtime.
pub(super) fn screen_is_a_fold(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let is_of_screen = |parsed: &&ParsedFile| {
        rooms::SCREEN_FOLDERS.iter().any(|folder| parsed.file.path.starts_with(folder))
    };
    for parsed in house.shipped().filter(is_of_screen) {
        for named in parsed.source.paths() {
            let mut paths = rooms::IMPURE_PATHS.iter().chain(&rooms::LOOP_PATHS);
            if let Some(path) = paths.find(|path| starts_with(&named.segments, path)) {
                let text = format!(
                    "{path} is named in the fold of the terminal app: it comes in as an input, or goes out as an effect"
                );
                findings.push(TidyFinding::new("screen-purity", &parsed.file.path, named.line, text));
            }
        }
    }
    findings
}

/// The environment and processes are named only in the rooms that keep them.
pub(super) fn outside_things_stay_in_their_rooms(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in house.shipped().filter(|parsed| room(parsed) != CORE) {
        for named in parsed.source.paths() {
            for kept in rooms::PATHS_KEPT.iter().filter(|kept| !kept.rooms.contains(&room(parsed))) {
                if let Some(path) = kept.what.iter().find(|path| starts_with(&named.segments, path)) {
                    let text = format!("{path} is named outside {}: {}", kept.rooms.join(", "), kept.why);
                    findings.push(TidyFinding::new("keeps-in", &parsed.file.path, named.line, text));
                }
            }
        }
    }
    findings
}

/// Only one file of the server knows which failure has which status.
pub(super) fn one_file_knows_status_codes(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let others = house.shipped().filter(|parsed| parsed.file.path != rooms::STATUS_FILE);
    for parsed in others.filter(|parsed| room(parsed) == "windlass-server") {
        let paths = parsed.source.paths();
        if let Some(named) =
            paths.iter().find(|named| named.segments.iter().any(|part| part == rooms::STATUS))
        {
            let text = format!("only {} knows status codes: give it a kind of answer", rooms::STATUS_FILE);
            findings.push(TidyFinding::new("status-codes", &parsed.file.path, named.line, text));
        }
    }
    findings
}

/// In each crate at most one file names the HTTP client.
pub(super) fn one_file_names_the_http_client(house: &Checkout) -> Vec<TidyFinding> {
    let mut first_file: BTreeMap<&str, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for parsed in house.shipped() {
        let paths = parsed.source.paths();
        let Some(named) = paths.iter().find(|named| starts_with(&named.segments, rooms::HTTP_CLIENT)) else {
            continue;
        };
        let first = first_file.entry(room(parsed)).or_insert(&parsed.file.path);
        if *first != parsed.file.path {
            let text =
                format!("{} is named here and in {first}: one file of a crate may", rooms::HTTP_CLIENT);
            findings.push(TidyFinding::new("http-client", &parsed.file.path, named.line, text));
        }
    }
    findings
}

/// Only front ends write to the terminal.
pub(super) fn only_front_ends_print(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in house.shipped().filter(|parsed| !rooms::FRONT_ENDS.contains(&room(parsed))) {
        if room(parsed) == "benches" {
            continue;
        }
        for call in parsed.source.macro_calls() {
            if ["print", "println", "eprint", "eprintln"].contains(&call.name.as_str()) {
                let text = format!("{}! outside a front end: emit an event or a tracing record", call.name);
                findings.push(TidyFinding::new("prints", &parsed.file.path, call.line, text));
            }
        }
    }
    findings
}
