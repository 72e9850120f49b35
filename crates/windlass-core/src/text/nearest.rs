//! The names most like a wrong one: what is suggested when a tool, argument or command does not exist.
//!
//! Case and separators do not count, and neither does the order of words: `ReadFile` and `file-read` both mean
//! `read_file`. It knows names only, not what they name.

/// Characters of a wrong name that are looked at: nothing longer is near a real one.
const NAME_CHARS_MAX: usize = 64;

/// At most `max` candidates that may have been meant, the likeliest first.
pub fn nearest_names<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    max: usize,
) -> Vec<&'a str> {
    let wanted = Spelling::of(name);
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((wanted.distance_to(&Spelling::of(candidate))?, candidate)))
        .collect();
    // By distance, then by name: the order of the candidates does not show.
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(max).map(|(_, name)| name).collect()
}

/// A name without case and separators.
struct Spelling {
    letters: Vec<char>,
    /// The same letters with the words in alphabetical order.
    sorted: Vec<char>,
}

impl Spelling {
    fn of(name: &str) -> Self {
        let mut words: Vec<Vec<char>> = Vec::new();
        let mut is_inside = false;
        let mut is_lower = false;
        for c in name.chars().take(NAME_CHARS_MAX) {
            // `readFile` is two words.
            let goes_on = is_inside && !(is_lower && c.is_uppercase());
            is_inside = c.is_alphanumeric();
            is_lower = c.is_lowercase();
            match words.last_mut() {
                _ if !is_inside => {}
                Some(word) if goes_on => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        let letters = words.concat();
        words.sort_unstable();
        Self { letters, sorted: words.concat() }
    }

    /// How far a candidate is, or `None` if it is too far to have been meant.
    fn distance_to(&self, candidate: &Self) -> Option<usize> {
        if self.letters.is_empty() || candidate.letters.is_empty() {
            return None;
        }
        let as_written = distance(&self.letters, &candidate.letters);
        // Words in another order are a mistake of their own.
        let reordered = distance(&self.sorted, &candidate.sorted) + 1;
        let nearest = as_written.min(reordered);
        let longer = self.letters.len().max(candidate.letters.len());
        let is_near = nearest <= (longer / 3).max(1);
        let is_part = holds(&candidate.letters, &self.letters) || holds(&self.letters, &candidate.letters);
        (is_near || is_part).then_some(nearest)
    }
}

/// Whether `whole` contains `part`; one or two letters are part of almost anything.
fn holds(whole: &[char], part: &[char]) -> bool {
    part.len() >= 3 && whole.windows(part.len()).any(|window| window == part)
}

/// How many letters must be put in, left out, changed or swapped with their neighbour.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (row, letter) in from.iter().enumerate() {
        let mut current = Vec::with_capacity(above.len());
        let mut left = row + 1;
        current.push(left);
        for (column, (pair, other)) in above.windows(2).zip(to).enumerate() {
            let [diagonal, up] = pair else { continue };
            let mut cost = (diagonal + usize::from(letter != other)).min(up + 1).min(left + 1);
            let is_swapped = column > 0 && last == Some(other) && to.get(column - 1) == Some(letter);
            if is_swapped && let Some(two_back) = before.get(column - 1) {
                cost = cost.min(two_back + 1);
            }
            current.push(cost);
            left = cost;
        }
        before = std::mem::replace(&mut above, current);
        last = Some(letter);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
