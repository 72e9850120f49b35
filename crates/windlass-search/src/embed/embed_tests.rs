use std::collections::HashMap;

use super::*;

struct Counts(u64, HashMap<String, u64>);

impl WordCounts for Counts {
    fn passages(&self) -> u64 {
        self.0
    }

    fn holding(&self, word: &str) -> u64 {
        self.1.get(word).copied().unwrap_or_default()
    }
}

fn counts_of(texts: &[&str]) -> Counts {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for text in texts {
        let mut words: Vec<_> = crate::tokens::words(text).into_iter().map(|word| word.text).collect();
        words.sort();
        words.dedup();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    Counts(texts.len() as u64, counts)
}

fn nearest(query: &str, texts: &[&str]) -> usize {
    let embedder = HashedEmbedder;
    let query = embedder.query(query, &counts_of(texts));
    let cosines: Vec<f32> = texts.iter().map(|text| cosine(&query, &embedder.passage(text))).collect();
    (0..texts.len()).max_by(|one, two| cosines[*one].total_cmp(&cosines[*two])).expect("texts")
}

#[test]
fn a_question_finds_code_that_has_other_forms_of_its_words() {
    let texts = [
        "fn unlink_folder(dir: &Path) { fs::remove_dir_all(dir) }",
        "fn average(values: &[f64]) -> f64 { values.iter().sum::<f64>() / values.len() as f64 }",
        "fn open_socket(host: &str, port: u16) -> TcpStream { TcpStream::connect((host, port)) }",
    ];
    assert_eq!(nearest("removing folders", &texts), 0);
    assert_eq!(nearest("averages of some value", &texts), 1);
    assert_eq!(nearest("connecting to a server", &texts), 2);
}

#[test]
fn a_misspelt_word_is_near_the_right_one() {
    let embedder = HashedEmbedder;
    let right = embedder.passage("authentication");
    assert!(cosine(&right, &embedder.passage("authentification")) > 0.3);
    assert!(cosine(&right, &embedder.passage("rectangle")) < 0.2);
}

#[test]
fn rare_words_of_a_query_count_more() {
    let texts = ["read file journal", "read file table", "read file window", "read file rope"];
    assert_eq!(nearest("read file table read file", &texts), 1);
}

#[test]
fn vectors_are_the_same_each_time_and_of_length_one() {
    let embedder = HashedEmbedder;
    let text = "pub fn haul(&mut self, load: Load) -> Outcome";
    let vector = embedder.passage(text);
    assert_eq!(vector.len(), 2_048);
    assert_eq!(vector, embedder.passage(text));
    assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
    assert!(embedder.passage(" \n!? ").iter().all(|x| *x == 0.0));
}

#[test]
fn cosines_of_nothing_are_nothing() {
    assert_eq!(cosine(&[1.0], &[1.0, 2.0]), 0.0);
    assert_eq!(cosine(&[0.0, 0.0], &[1.0, 2.0]), 0.0);
    assert!((cosine(&[2.0, 0.0], &[1.0, 0.0]) - 1.0).abs() < 1e-6);
}

#[tokio::test]
async fn the_port_gives_a_vector_for_each_text_in_their_order() {
    let embedder: &dyn EmbedPort = &HashedEmbedder;
    let texts = ["one", "two"];
    let counts = counts_of(&texts);
    let passages = embedder.embed(&texts, Side::Passage).await.expect("vectors");
    assert_eq!(passages, [HashedEmbedder.passage("one"), HashedEmbedder.passage("two")]);
    let queries = embedder.embed(&texts, Side::Query(&counts)).await.expect("vectors");
    assert_eq!(queries.len(), 2);
    assert_eq!(embedder.name(), "builtin-2");
}
