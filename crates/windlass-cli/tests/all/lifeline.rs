//! A named pipe that processes hold open: when the last of them is dead, its reader hears the end.

use std::fs;
use std::io::Read;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use crate::place::Place;

/// Long enough for a loaded machine, short enough to notice what hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The pipe `lifeline` of a project, with somebody listening.
pub(crate) struct Lifeline {
    first_byte: mpsc::Receiver<()>,
    end: mpsc::Receiver<()>,
}

impl Lifeline {
    pub(crate) fn new(place: &Place) -> Self {
        Self::make(place, "lifeline");
        let path = place.path("lifeline");
        let (began, first_byte) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || {
            let mut pipe = fs::File::open(path).unwrap();
            let mut bytes = [0; 64];
            while pipe.read(&mut bytes).is_ok_and(|read| read > 0) {
                let _ = began.send(());
            }
            let _ = ended.send(());
        });
        Self { first_byte, end }
    }

    /// Makes a named pipe in the project.
    pub(crate) fn make(place: &Place, name: &str) {
        assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
    }

    /// Waits until somebody wrote to it.
    pub(crate) fn wait_for_life(&self) {
        self.first_byte.recv_timeout(PATIENCE).expect("nobody came to life");
    }

    /// Waits until everybody who held it is dead.
    pub(crate) fn assert_cut(&self) {
        self.end.recv_timeout(PATIENCE).expect("somebody still lives");
    }
}
