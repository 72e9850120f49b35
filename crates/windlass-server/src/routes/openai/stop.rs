//! Stop words: the answer ends before the first of them, whatever the provider thinks of stop words.

/// Most stop words of one request, as OpenAI has it.
pub(super) const STOP_WORDS_MAX: usize = 4;

/// Cuts a growing text at the first stop word. What may be the beginning of one is held back.
#[derive(Debug, Default)]
pub(super) struct StopCut {
    words: Vec<String>,
    held: String,
    is_cut: bool,
}

impl StopCut {
    pub(super) fn new(words: &[String]) -> Self {
        let words = words.iter().filter(|word| !word.is_empty()).cloned().collect();
        Self { words, held: String::new(), is_cut: false }
    }

    /// Whether a stop word has come.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Takes in more text; gives what may be shown.
    pub(super) fn push(&mut self, text: &str) -> String {
        if self.is_cut {
            return String::new();
        }
        if self.words.is_empty() {
            return text.to_owned();
        }
        self.held.push_str(text);
        let first = self.words.iter().filter_map(|word| self.held.find(word.as_str())).min();
        if let Some(at) = first {
            self.is_cut = true;
            self.held.truncate(at);
            return std::mem::take(&mut self.held);
        }
        let keep = self.words.iter().map(|word| overlap(&self.held, word)).max().unwrap_or_default();
        let rest = self.held.split_off(self.held.len().saturating_sub(keep));
        std::mem::replace(&mut self.held, rest)
    }

    /// What was held back: no stop word came of it.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Bytes at the end of a text that are the beginning of a word.
fn overlap(text: &str, word: &str) -> usize {
    word.char_indices()
        .map(|(at, _)| at)
        .rev()
        .find(|at| word.get(..*at).is_some_and(|begin| text.ends_with(begin)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(words: &[&str], pieces: &[&str]) -> (Vec<String>, bool) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut cut = StopCut::new(&words);
        let mut shown: Vec<String> = pieces.iter().map(|piece| cut.push(piece)).collect();
        shown.push(cut.finish());
        (shown, cut.is_cut())
    }

    #[test]
    fn a_text_ends_before_the_first_stop_word() {
        assert_eq!(
            cut(&["END", "."], &["One", " two. END"]),
            (vec!["One".into(), " two".into(), "".into()], true)
        );
        assert_eq!(cut(&[], &["a", "b"]), (vec!["a".into(), "b".into(), "".into()], false));
        assert_eq!(cut(&[""], &["a"]), (vec!["a".into(), "".into()], false));
    }

    #[test]
    fn the_beginning_of_a_stop_word_is_held_back_until_it_is_known() {
        assert_eq!(
            cut(&["END"], &["a E", "N", "X"]),
            (vec!["a ".into(), "".into(), "ENX".into(), "".into()], false)
        );
        assert_eq!(cut(&["END"], &["a E", "N", "D b", "c"]).0.concat(), "a ");
        assert_eq!(cut(&["END"], &["a EN"]), (vec!["a ".into(), "EN".into()], false));
        assert_eq!(cut(&["aab"], &["aa", "ab", "x"]).0.concat(), "a");
        assert_eq!(cut(&["äöü"], &["xä", "ö", "y"]).0.concat(), "xäöy");
    }
}
