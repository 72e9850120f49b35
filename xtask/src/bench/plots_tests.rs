//! Plots show the figures of the document, and those that are committed are of today's figures.

use super::*;

fn checkout() -> std::path::PathBuf {
    crate::checkout::find_root(&std::env::current_dir().unwrap()).unwrap()
}

#[test]
fn the_committed_plots_are_drawn_from_the_committed_figures() {
    let root = checkout();
    let figures = super::super::rows(&super::super::read(&root).unwrap()).unwrap();
    for (path, picture) in draw(&figures).unwrap() {
        let committed = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        assert_eq!(
            committed, picture,
            "{path} is older than docs/figures.md: run `cargo xtask bench --plots`"
        );
    }
}

#[test]
fn the_longest_bar_is_the_largest_figure_and_a_missing_one_is_named() {
    let named = |name: &str, measured: &str| Figure {
        name: name.to_owned(),
        measured: measured.to_owned(),
        target: "–".to_owned(),
    };
    let plot = Plot { file: "x.svg", title: "T", reading: "r", bars: &[("Windlass", "a"), ("other", "b")] };
    let svg = plot.svg(&[named("a", "2.00 times"), named("b", "8 times")]).unwrap();
    assert!(svg.contains("class=\"ours\" x=\"150\" y=\"64\" width=\"120.0\""), "{svg}");
    assert!(svg.contains("class=\"theirs\" x=\"150\" y=\"98\" width=\"480.0\""), "{svg}");
    let missing = plot.svg(&[named("a", "2 times")]).unwrap_err().to_string();
    assert!(missing.contains("'b'"), "{missing}");
}
