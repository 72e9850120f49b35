//! How screens are drawn.

use super::*;

fn shot(text: &str) -> Shot {
    Shot { screen: Screen::read(text), shown_ms: 500 }
}

#[test]
fn colours_are_those_of_xterm() {
    assert_eq!(xterm(16), "#000000");
    assert_eq!(xterm(231), "#ffffff");
    assert_eq!(xterm(80), "#5fd7d7");
    assert_eq!(xterm(245), "#8a8a8a");
}

#[test]
fn what_is_on_a_screen_is_no_markup_in_the_film() {
    let film = draw(&[shot("<b>&\u{1b}[7mx\u{1b}[0m")]);
    assert!(film.contains("&lt;b&gt;&amp;"), "{film}");
    assert!(!film.contains("<b>"), "{film}");
}

#[test]
fn every_screen_has_its_time_and_the_last_one_stays_where_nothing_may_move() {
    let film = draw(&[shot("one"), shot("two")]);
    assert!(film.contains("@keyframes k0{0%{visibility:hidden}0.000%{visibility:visible}50.000%"), "{film}");
    assert!(film.contains("animation:k1 1000ms step-end infinite"), "{film}");
    assert!(film.contains("(prefers-reduced-motion:reduce){.s1{visibility:visible}}"), "{film}");
}
