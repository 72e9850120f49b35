//! What is asked of a tree: names that are defined in it, questions that people typed, sentences of its comments.

use std::io;
use std::path::Path;

use crate::eval::{collection, house};

/// QuestionSet of each kind.
const EACH: usize = 100;
/// Words of a sentence that are asked.
const WORDS_MAX: usize = 8;

#[derive(Debug, Default)]
pub struct QuestionSet {
    pub texts: Vec<String>,
    /// Those that are names.
    pub names: Vec<String>,
}

/// The questions, always the same from the same checkout.
pub fn read(root: &Path) -> io::Result<QuestionSet> {
    let own = house::read(root)?;
    let of = |name: &str| {
        let set = own.sets.iter().find(|(set, _)| set == name);
        set.map(|(_, queries)| queries.iter().map(|it| it.text.clone()).collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let typed = collection::read(root, "cosqa", "py")?.sets.into_iter().flat_map(|(_, queries)| queries);
    let names = spread(of("house-names"));
    let mut texts = names.clone();
    texts.extend(spread(typed.map(|it| it.text).collect()));
    let sentences = spread(of("house-items"));
    texts.extend(
        sentences.iter().map(|it| it.split_whitespace().take(WORDS_MAX).collect::<Vec<_>>().join(" ")),
    );
    Ok(QuestionSet { texts, names })
}

/// So many of them, from the first to the last.
fn spread(texts: Vec<String>) -> Vec<String> {
    let step = (texts.len() / EACH).max(1);
    texts.into_iter().step_by(step).take(EACH).collect()
}
