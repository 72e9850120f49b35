//! The transcript.

use crate::stage::{Stage, session_names};

#[test]
fn show() {
    for name in session_names() {
        let mut stage = Stage::new(80, 30);
        stage.follow(&name);
        println!("=== {name}\n{}", stage.screen());
    }
}
