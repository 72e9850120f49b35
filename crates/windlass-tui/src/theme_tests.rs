use ratatui::style::Color;

use super::{TextRole, Theme, ThemeKind, spinner};

/// Least contrast of text that is to be read (WCAG 2, level AA).
const CONTRAST_MIN: f64 = 4.5;

type Rgb = [u8; 3];

/// The grounds that terminals usually have.
const DARK: [Rgb; 3] = [[0x00, 0x00, 0x00], [0x1e, 0x1e, 0x1e], [0x00, 0x2b, 0x36]];
const LIGHT: [Rgb; 3] = [[0xff, 0xff, 0xff], [0xfd, 0xf6, 0xe3], [0xfa, 0xfa, 0xfa]];

/// A colour of the palette of 256: sixteen that users change, a cube, a ramp of greys.
fn palette(index: u8) -> Rgb {
    match index {
        0..=15 => panic!("colour {index} is the user's own: nobody knows what it looks like"),
        16..=231 => {
            let at = index - 16;
            [at / 36, at / 6 % 6, at % 6].map(|level| if level == 0 { 0 } else { 55 + 40 * level })
        }
        232..=255 => [8 + 10 * (index - 232); 3],
    }
}

fn luminance(colour: Rgb) -> f64 {
    let [red, green, blue] = colour.map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.040_45 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_role_can_be_read_on_the_grounds_of_its_theme() {
    for (kind, grounds) in [(ThemeKind::Dark, DARK), (ThemeKind::Light, LIGHT)] {
        for role in TextRole::ALL {
            let style = Theme::new(kind).style(role);
            assert_eq!(style.bg, None, "{role:?}: the ground is the terminal's");
            let colour = match style.fg {
                None => continue,
                Some(Color::Indexed(index)) => palette(index),
                Some(other) => panic!("{role:?} is {other:?}, which the terminal's own palette decides"),
            };
            for ground in grounds {
                let contrast = contrast(colour, ground);
                assert!(contrast >= CONTRAST_MIN, "{kind:?} {role:?}: {contrast:.2} on {ground:02x?}");
            }
        }
    }
}

#[test]
fn the_plain_theme_has_no_colour() {
    for role in TextRole::ALL {
        let style = Theme::new(ThemeKind::Plain).style(role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
    }
}

#[test]
fn what_goes_on_is_seen_to_move() {
    assert_ne!(spinner(0), spinner(200));
    assert_eq!(spinner(100), spinner(900));
}
