//! `cargo xtask picture`: the terminal app, filmed while it plays a script on real tools, as an SVG that moves.
//!
//! Owns what is pressed and when a picture is taken. How a screen becomes a drawing is `svg`'s business.

mod screen;
mod svg;

use std::path::Path;

use anyhow::{Context as _, Result};

use self::screen::PaneScreen;
use crate::pane::Pane;
use crate::server_process::build_binary;
use crate::system_package::TMUX;

const SCRIPT: &str = "fixtures/terminal/tour.script";

/// Where the film goes.
const FILM: &str = "docs/images/terminal.svg";

/// Columns and rows of the film.
const SIZE: (u16, u16) = (104, 32);

/// What the user says.
const MESSAGE: &str = "The crane drops its load when the motor stops. Can you fix it?";

/// The file that the script reads and changes.
const DRUM: &str = "use crate::{motor::Motor, pawl::Pawl};

pub struct Drum {
    motor: Motor,
    pawl: Pawl,
}

impl Drum {
    pub fn stop(&mut self) {
        self.motor.stop();
    }
}
";

/// A picture, and how long it stays.
struct Shot {
    screen: PaneScreen,
    shown_ms: u32,
}

/// Films the app and writes the film.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    let tmux = TMUX.find_or_install(root)?;
    let binary = build_binary(root, target_folder)?;
    let script = std::fs::read_to_string(root.join(SCRIPT))?;
    // The model's name is on the screen: a short one looks better than a path.
    let pane = Pane::new(&tmux, "picture", &[("src/drum.rs", DRUM), ("tour", &script)])?;
    pane.start(SIZE, &binary, &["--model", "scripted/tour"])?;
    let film = svg::draw(&film(&pane)?);
    let file = root.join(FILM);
    std::fs::write(&file, film).with_context(|| format!("cannot write {}", file.display()))?;
    println!("      the film is {FILM}");
    Ok(())
}

fn film(pane: &Pane) -> Result<Vec<Shot>> {
    let mut shots = Vec::new();
    let mut take = |shown_ms: u32| -> Result<()> {
        // Where the project lies is nobody's business.
        let captured = pane.coloured()?.replace(&*pane.project().to_string_lossy(), "~/crane");
        shots.push(Shot { screen: PaneScreen::read(&captured), shown_ms });
        Ok(())
    };
    pane.wait_for("Windlass")?;
    take(1_200)?;
    let words: Vec<&str> = MESSAGE.split_inclusive(' ').collect();
    for part in words.chunks(4) {
        pane.type_text(&part.concat())?;
        pane.wait_for(part.concat().trim())?;
        take(350)?;
    }
    pane.press("Enter")?;
    pane.wait_for("Thinking")?;
    take(1_000)?;
    pane.wait_for("[1] Allow Once")?;
    pane.wait_for("read_file")?;
    take(2_000)?;
    pane.answer("1", "self.pawl.engage")?;
    take(3_200)?;
    pane.answer("1", "grep -n pawl")?;
    take(2_000)?;
    pane.answer("2", "power fails")?;
    pane.wait_for_rest()?;
    take(6_000)?;
    Ok(shots)
}
