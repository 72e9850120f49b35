//! An embedder whose vectors are kept in a file: an encoder takes minutes for a collection, and its vectors of a text
//! never change.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use windlass_core::ports::search::embed::{EmbedFailure, EmbedPort, Side};

/// An embedder with a file of what it made before.
#[derive(Debug)]
pub struct CachedEmbedder {
    inner: Arc<dyn EmbedPort>,
    made: Mutex<CachedVectors>,
}

#[derive(Debug)]
struct CachedVectors {
    vectors: HashMap<u64, Vec<f32>>,
    file: File,
}

impl CachedEmbedder {
    /// Reads what is in the folder, if the embedder made it. Only for embedders to whom queries are texts like others.
    pub fn new(inner: Arc<dyn EmbedPort>, folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.vectors", inner.name().replace('/', "_")));
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut vectors = HashMap::new();
        let mut rest = bytes.as_slice();
        // What was cut off in the middle is made again.
        while let Some((key, vector, after)) = read_row(rest) {
            vectors.insert(key, vector);
            rest = after;
        }
        Ok(Self { inner, made: Mutex::new(CachedVectors { vectors, file }) })
    }

    fn kept(&self, keys: &[u64]) -> Vec<Option<Vec<f32>>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| made.vectors.get(key).cloned()).collect()
    }

    fn keep(&self, key: u64, vector: &[f32]) -> io::Result<()> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let length = u32::try_from(vector.len()).map_err(io::Error::other)?;
        let mut row = key.to_le_bytes().to_vec();
        row.extend(length.to_le_bytes());
        row.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        made.file.write_all(&row)?;
        made.vectors.insert(key, vector.to_vec());
        Ok(())
    }
}

fn read_row(bytes: &[u8]) -> Option<(u64, Vec<f32>, &[u8])> {
    let (key, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?.checked_mul(4)?;
    let (numbers, rest) = rest.split_at_checked(length)?;
    let (numbers, _) = numbers.as_chunks::<4>();
    Some((u64::from_le_bytes(*key), numbers.iter().map(|it| f32::from_le_bytes(*it)).collect(), rest))
}

#[async_trait]
impl EmbedPort for CachedEmbedder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn weight(&self) -> f64 {
        self.inner.weight()
    }

    async fn embed(&self, texts: &[&str], side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let keys: Vec<u64> = texts.iter().map(|text| key_of(text)).collect();
        let mut found = self.kept(&keys);
        let missing: Vec<usize> =
            (0..texts.len()).filter(|at| found.get(*at).is_some_and(Option::is_none)).collect();
        let asked: Vec<&str> = missing.iter().filter_map(|at| texts.get(*at).copied()).collect();
        if !asked.is_empty() {
            let made = self.inner.embed(&asked, side).await?;
            for (at, vector) in missing.into_iter().zip(made) {
                if let (Some(key), Some(place)) = (keys.get(at), found.get_mut(at)) {
                    self.keep(*key, &vector).map_err(|error| EmbedFailure(error.to_string()))?;
                    *place = Some(vector);
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }
}

fn key_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
