//! Folders of people who mean harm, opened by the command line, the terminal app and the server: nothing of them runs,
//! nothing hangs, and memory stays below a bound. With `--nocapture` the figures of each are printed.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::hostile_kinds::{self, HostileFolder};
use crate::lifeline::{Lifeline, PATIENCE};
use crate::measured::{self, Watchdog, peak_mb};
use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;

/// The most memory that any process may have.
const PEAK_MB_MAX: u64 = 300;
/// Time for one command, and for all that is asked of one server: a debug build on a machine with other work.
const TIME_MAX: Duration = Duration::from_secs(120);

/// What the model does in each of them: it looks at everything.
fn script(read: &str) -> String {
    let path = json!({ "path": read });
    format!(
        "user Go\nmodel call 1 get_file_tree {{}}\nmodel call 2 search_text {{\"pattern\":\"needle\"}}\n\
         model call 3 search_codebase {{\"query\":\"needle\"}}\nmodel call 4 read_file {path}\nmodel end calls\n\
         model text Done.\n"
    )
}

const MODEL: &str = "scripted/../talk.script";

/// One folder on its stage.
struct HostileStage {
    place: Place,
    folder: HostileFolder,
    /// What is there when something that was planted has run.
    marker: PathBuf,
}

impl HostileStage {
    fn new(folder: HostileFolder) -> Self {
        let place = Place::new();
        let marker = place.path("").with_file_name("PWNED");
        (folder.make)(&place.path(""), &format!("touch {}", marker.display()));
        std::fs::write(place.path("").with_file_name("talk.script"), script(folder.read)).unwrap();
        if folder.is_trusted {
            place.trust();
        }
        Self { place, folder, marker }
    }

    /// Asserts what holds after each deed, and says what it took.
    #[track_caller]
    fn holds(&self, deed: &str, time: Duration, peak_mb: u64) {
        let name = self.folder.name;
        println!("{name} | {deed} | {:.1} s | {peak_mb} MB", time.as_secs_f64());
        assert!(!self.marker.exists(), "{name}, {deed}: what was planted ran");
        assert!(peak_mb < PEAK_MB_MAX, "{name}, {deed}: {peak_mb} MB");
        assert!(time < TIME_MAX, "{name}, {deed}: {time:?}");
    }

    /// A command: it ends by itself, and not by a fault.
    #[track_caller]
    fn command(&self, args: &[&str]) -> (i32, String) {
        let took = measured::run(self.place.command(args), TIME_MAX);
        let deed = args.join(" ");
        let said = format!("{}\n{}", took.out, took.err);
        let code = took.status.code();
        self.holds(&deed, took.time, took.peak_mb);
        assert!(
            code.is_some() && !said.contains("panicked"),
            "{}, {deed}: {:?} {said}",
            self.folder.name,
            took.status
        );
        assert!(code == Some(0) || took.err.contains("error: "), "{}, {deed}: {said}", self.folder.name);
        (code.unwrap(), said)
    }

    /// Whether the settings can be read at all: where not, every command ends with a complaint.
    fn is_refused(&self) -> bool {
        self.command(&["config", "explain"]).0 != 0
    }

    fn by_command_line(&self, is_refused: bool) {
        let (code, said) = self.command(&["run", "--model", MODEL, "Go"]);
        assert_eq!(
            (code == 0, said.contains("Done.")),
            (!is_refused, !is_refused),
            "{}: {said}",
            self.folder.name
        );
        for args in [
            &["index"][..],
            &["search", "needle"],
            &["trust", "show"],
            &["tools", "list"],
            &["modules", "list"],
        ] {
            self.command(args);
        }
        if let Some(model) = self.folder.model {
            let (code, said) = self.command(&["run", "--model", model, "Go"]);
            assert!(code != 0 && said.contains("error: "), "{}: {said}", self.folder.name);
        }
    }

    /// Forgets the index: each way of opening the folder has to read its files itself.
    fn forget_index(&self) {
        let index = self.place.data_folder().join("index");
        assert!(!index.exists() || std::fs::remove_dir_all(index).is_ok());
    }

    fn by_terminal_app(&self, is_refused: bool) {
        self.forget_index();
        let begun = Instant::now();
        let pane = Pane::open(&self.place, 100, 30);
        pane.run(&format!("{} --model {MODEL}", env!("CARGO_BIN_EXE_windlass")));
        if is_refused {
            pane.wait_until("it says why not", |pane| pane.screen().contains("error: "));
            self.holds("terminal app, refused", begun.elapsed(), 0);
            return;
        }
        pane.wait_until("the app has the screen", Pane::has_app);
        pane.type_text("Go");
        pane.press("Enter");
        pane.wait_for("Done.");
        let peak = peak_mb(pane.app_process().parse().unwrap());
        pane.type_text("/quit");
        pane.press("Enter");
        pane.wait_for_end();
        self.holds("terminal app", begun.elapsed(), peak);
        if let Some(model) = self.folder.model {
            pane.run(&format!("clear; {} --model {model}", env!("CARGO_BIN_EXE_windlass")));
            pane.wait_until("it says why not", |pane| pane.screen().contains("error: "));
        }
    }

    fn by_server(&self, is_refused: bool) {
        if is_refused {
            self.command(&["serve", "--model", MODEL, "--addr", "127.0.0.1:0"]);
            return;
        }
        self.forget_index();
        let begun = Instant::now();
        let served = Served::start_with(&self.place, &["--model", MODEL], &[]);
        let process = served.process();
        // Whoever waits for a server that hangs is told so by its end.
        let watchdog = Watchdog::on(process, TIME_MAX);
        let session = served.json("POST /api/sessions", "{}");
        let runs = format!("POST /api/sessions/{}/runs", session["session_id"].as_str().unwrap());
        let run = served.json(&runs, "{\"message\":\"Go\"}");
        let events = served.ask(&format!("GET /api/runs/{}/events", run["run_id"].as_str().unwrap()), "").1;
        assert!(events.contains("\"outcome\":\"completed\""), "{}: {events}", self.folder.name);
        assert_eq!(served.ask("GET /api/search?q=needle", "").0, 200);
        while served.json("GET /api/index", "")["completed_ms"].is_null() {
            assert!(begun.elapsed() < TIME_MAX, "{}: the index is never complete", self.folder.name);
            std::thread::sleep(measured::LOOK);
        }
        if let Some(model) = self.folder.model {
            let (status, answer) = served.ask(&runs, &json!({"message": "Go", "model": model}).to_string());
            assert!((400..600).contains(&status), "{}: {status} {answer}", self.folder.name);
        }
        assert_eq!(served.ask("GET /healthz", "").0, 200);
        let peak = peak_mb(u32::try_from(process.as_raw_nonzero().get()).unwrap());
        let (code, err) = served.stop();
        drop(watchdog);
        assert_eq!(code, Some(0), "{}: {err}", self.folder.name);
        self.holds("server", begun.elapsed(), peak);
    }

    /// The terminal app gives up on a screen that does not come; a command and a server are ended.
    fn by_all_three(&self) {
        const { assert!(PATIENCE.as_secs() <= TIME_MAX.as_secs()) };
        let is_refused = self.is_refused();
        self.by_command_line(is_refused);
        self.by_terminal_app(is_refused);
        self.by_server(is_refused);
    }
}

fn all_three(folders: Vec<HostileFolder>) {
    folders.into_iter().for_each(|folder| HostileStage::new(folder).by_all_three());
}

#[test]
fn u_77_settings_scripts_and_hooks_of_a_hostile_folder_run_nothing_and_hang_nothing() {
    all_three(hostile_kinds::of_settings());
}

#[test]
fn u_77_links_pipes_names_and_trees_of_a_hostile_folder_hang_nothing() {
    all_three(hostile_kinds::of_trees());
}

#[test]
fn u_77_large_deep_and_packed_files_of_a_hostile_folder_take_little_memory() {
    all_three(hostile_kinds::of_sources());
}

#[test]
fn u_77_model_files_of_a_hostile_folder_are_refused_with_little_memory() {
    all_three(hostile_kinds::of_models());
}

#[test]
fn u_77_pdfs_of_a_hostile_folder_cost_their_own_text_alone() {
    all_three(hostile_kinds::of_pdfs());
}

#[test]
fn there_are_thirty_hostile_folders_and_each_is_another() {
    let all = [
        hostile_kinds::of_settings(),
        hostile_kinds::of_trees(),
        hostile_kinds::of_sources(),
        hostile_kinds::of_models(),
        hostile_kinds::of_pdfs(),
    ]
    .concat();
    let names: std::collections::BTreeSet<&str> = all.iter().map(|folder| folder.name).collect();
    assert!(all.len() >= 30 && names.len() == all.len(), "{}", all.len());
}

#[test]
fn the_plants_are_real() {
    let place = Place::new();
    let marker = place.path("PLANTED");
    let folders = hostile_kinds::of_settings();
    let planted = folders.iter().find(|folder| folder.read == ".git/config").unwrap();
    (planted.make)(&place.path(""), &format!("touch {}", marker.display()));
    let status = Command::new("git").arg("status").current_dir(place.path("")).output();
    assert!(status.is_ok() && marker.exists(), "git itself obeys it");
}

#[test]
fn u_77_a_pdf_that_is_given_up_is_named_with_why_and_the_others_are_read() {
    let place = Place::new();
    for (name, bytes) in [
        ("a.pdf", crate::hostile_pdf::pdf_of_many_lists()),
        ("b.pdf", crate::hostile_pdf::pdf_of_a_chain()),
        ("c.pdf", b"%PDF-1.5 and nothing more".to_vec()),
    ] {
        std::fs::write(place.path(name), bytes).unwrap();
    }
    let good = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/documents/capstan.pdf");
    std::fs::copy(good, place.path("d.pdf")).unwrap();
    let said = place.windlass(&["index"]).exits(0);
    for text in ["a.pdf is left out: too large", "b.pdf is left out: too large", "c.pdf is left out: damaged"]
    {
        assert!(said.err.contains(text), "no '{text}' in: {}", said.err);
    }
    assert!(said.out.contains("left out: 1 damaged, 2 too large"), "{}", said.out);
    assert!(place.windlass(&["search", "greased capstan"]).exits(0).out.contains("d.pdf"));
    // As documents they are refused, and it is said why.
    place.windlass(&["index", "add", "a.pdf"]).complains(2, &["a.pdf", "too much memory"]);
    place.windlass(&["index", "add", "c.pdf"]).complains(2, &["c.pdf", "damaged"]);
    place.windlass(&["index", "add", "d.pdf"]).exits(0);
    // So is a pipe that a pattern of the shell came upon: nobody waits for who writes into it.
    Lifeline::make(&place, "e.pdf");
    let took = measured::run(place.command(&["index", "add", "e.pdf"]), TIME_MAX);
    assert!(!took.status.success() && took.err.contains("no regular file"), "{}", took.err);
}
