//! The known name that somebody who wrote an unknown one probably meant.

/// Longest name that is compared: no name of ours is longer, and the work grows with the square.
const NAME_CHARS_MAX: usize = 64;

/// The nearest of `known`, if one is near enough to be a slip of the fingers.
pub(crate) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong: Vec<char> = wrong.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect();
    let slips_max = if wrong.len() < 4 { 1 } else { (wrong.len() / 3).max(2) };
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let right: Vec<char> = name.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect();
        let slips = if is_inside(&wrong, &right) { 1 } else { distance(&wrong, &right) };
        if slips <= slips_max && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, name));
        }
    }
    best.map(|(_, name)| name)
}

/// `did you mean 'X'?`, or nothing.
pub(crate) fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(wrong, known).map(|name| format!("did you mean '{name}'?"))
}

/// Whether one is a whole part of the other: `steps_max` of `limits.steps_max`.
fn is_inside(wrong: &[char], right: &[char]) -> bool {
    wrong.len() >= 4 && right.windows(wrong.len()).any(|part| part == wrong)
}

/// How many characters must be put in, taken out or changed.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (place, to) in row.iter_mut().skip(1).zip(b) {
            let changed = diagonal + usize::from(from != to);
            diagonal = *place;
            left = changed.min(*place + 1).min(left + 1);
            *place = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
