//! The header of a GGUF file: metadata and the list of tensors, read without believing any of it.
//!
//! Every length is held against what is left of the file, and against what all lists and texts may have together, before
//! anything is allocated: a file of sixty megabytes must not take gigabytes. Knows no model.

use std::collections::HashMap;
use std::ops::Range;

use candle_core::quantized::GgmlDType;

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meta {
    Integer(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    List(MetaList),
}

/// A list: all values are of one kind and take the room of that kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MetaList {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    Texts(Vec<String>),
    Lists(Vec<MetaList>),
}

impl Meta {
    pub(crate) fn as_usize(&self) -> Option<usize> {
        match self {
            Meta::Integer(number) => usize::try_from(*number).ok(),
            Meta::Float(_) | Meta::Bool(_) | Meta::Text(_) | Meta::List(_) => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Meta::Float(number) => Some(*number),
            Meta::Integer(number) => Some(*number as f64),
            Meta::Bool(_) | Meta::Text(_) | Meta::List(_) => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Meta::Bool(flag) => Some(*flag),
            Meta::Integer(_) | Meta::Float(_) | Meta::Text(_) | Meta::List(_) => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Meta::Text(text) => Some(text),
            Meta::Integer(_) | Meta::Float(_) | Meta::Bool(_) | Meta::List(_) => None,
        }
    }

    fn as_list(&self) -> Option<&MetaList> {
        match self {
            Meta::List(list) => Some(list),
            Meta::Integer(_) | Meta::Float(_) | Meta::Bool(_) | Meta::Text(_) => None,
        }
    }

    pub(crate) fn as_texts(&self) -> Option<&[String]> {
        match self.as_list()? {
            MetaList::Texts(texts) => Some(texts),
            MetaList::Integers(_) | MetaList::Floats(_) | MetaList::Bools(_) | MetaList::Lists(_) => None,
        }
    }

    pub(crate) fn as_integers(&self) -> Option<&[i64]> {
        match self.as_list()? {
            MetaList::Integers(numbers) => Some(numbers),
            MetaList::Floats(_) | MetaList::Bools(_) | MetaList::Texts(_) | MetaList::Lists(_) => None,
        }
    }

    pub(crate) fn as_floats(&self) -> Option<&[f64]> {
        match self.as_list()? {
            MetaList::Floats(numbers) => Some(numbers),
            MetaList::Integers(_) | MetaList::Bools(_) | MetaList::Texts(_) | MetaList::Lists(_) => None,
        }
    }
}

/// A tensor as the header describes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TensorEntry {
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: GgmlDType,
    /// Where it lies in the file; may reach beyond its end.
    pub(crate) range: Range<usize>,
}

/// The header of a GGUF file.
#[derive(Debug, Clone, Default)]
pub(crate) struct GgufHeader {
    pub(crate) meta: HashMap<String, Meta>,
    pub(crate) tensors: HashMap<String, TensorEntry>,
}

/// Why a header cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HeaderFault {
    /// Not this format at all.
    NotGguf,
    /// It ends in the middle; at least so many bytes were needed.
    Ends(usize),
    /// It says something impossible.
    Wrong(String),
}

const LISTS_DEEP_MAX: usize = 4;
/// Values of all lists together: words, scores and merges of the largest vocabularies are a third of it.
const LIST_VALUES_MAX: usize = 3_000_000;
/// Bytes of all texts together, as they are kept: those of the largest vocabularies are a third of it.
const TEXT_BYTES_MAX: usize = 32 << 20;
/// Entries of the metadata, and tensors: models have hundreds of both. No model has a list of lists; more is not read of one.
const ENTRIES_MAX: usize = 65_536;

/// The bytes that a value of a kind takes at least.
fn least_bytes(kind: u32) -> usize {
    match kind {
        2 | 3 => 2,
        4..=6 => 4,
        8 | 10..=12 => 8,
        9 => 12,
        _ => 1,
    }
}

/// Reads a header from the beginning of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<GgufHeader, HeaderFault> {
    if !bytes.starts_with(b"GGUF") {
        return Err(HeaderFault::NotGguf);
    }
    let mut reader = HeaderReader { bytes, at: 4, values: 0, text_bytes: 0 };
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(HeaderFault::Wrong(format!("version {version} of the format is not known")));
    }
    let (tensors, entries) = (reader.length(24)?, reader.length(13)?);
    if tensors > ENTRIES_MAX || entries > ENTRIES_MAX {
        return Err(HeaderFault::Wrong(format!("it has {tensors} tensors and {entries} entries")));
    }
    let mut header = GgufHeader::default();
    for _ in 0..entries {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind)?;
        header.meta.insert(key, value);
    }
    let mut entries = Vec::with_capacity(tensors);
    for _ in 0..tensors {
        let name = reader.text()?;
        entries.push((name, reader.tensor()?));
    }
    let alignment = header.meta.get("general.alignment").and_then(Meta::as_usize).unwrap_or(32);
    if !alignment.is_power_of_two() || alignment > 1 << 20 {
        return Err(HeaderFault::Wrong(format!("its alignment is {alignment}")));
    }
    let start = reader.at.next_multiple_of(alignment);
    for (name, mut entry) in entries {
        let shifted = |at: usize| at.checked_add(start).ok_or_else(|| impossible(&name));
        entry.range = shifted(entry.range.start)?..shifted(entry.range.end)?;
        header.tensors.insert(name, entry);
    }
    Ok(header)
}

fn impossible(name: &str) -> HeaderFault {
    HeaderFault::Wrong(format!("the tensor '{name}' has an impossible size"))
}

struct HeaderReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many values the lists have had so far.
    values: usize,
    /// And how many bytes the texts.
    text_bytes: usize,
}

impl HeaderReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], HeaderFault> {
        let end = self.at.saturating_add(N);
        let bytes = self.bytes.get(self.at..end).and_then(|bytes| bytes.try_into().ok());
        self.at = end;
        bytes.ok_or(HeaderFault::Ends(end))
    }

    fn u32(&mut self) -> Result<u32, HeaderFault> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    /// A count of things that take at least `least` bytes each.
    fn length(&mut self, least: usize) -> Result<usize, HeaderFault> {
        let count = u64::from_le_bytes(self.take()?);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let end = self.at.saturating_add(count.saturating_mul(least));
        if end > self.bytes.len() { Err(HeaderFault::Ends(end)) } else { Ok(count) }
    }

    fn text(&mut self) -> Result<String, HeaderFault> {
        let length = self.length(1)?;
        let end = self.at.saturating_add(length);
        let bytes = self.bytes.get(self.at..end).ok_or(HeaderFault::Ends(end))?;
        self.at = end;
        // A byte that is no UTF-8 becomes three.
        self.text_bytes = self.text_bytes.saturating_add(length);
        if self.text_bytes > TEXT_BYTES_MAX {
            return Err(HeaderFault::Wrong(format!("its texts have more than {TEXT_BYTES_MAX} bytes")));
        }
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn integer(&mut self, kind: u32) -> Result<i64, HeaderFault> {
        Ok(match kind {
            0 => u8::from_le_bytes(self.take()?).into(),
            1 => i8::from_le_bytes(self.take()?).into(),
            2 => u16::from_le_bytes(self.take()?).into(),
            3 => i16::from_le_bytes(self.take()?).into(),
            4 => self.u32()?.into(),
            5 => i32::from_le_bytes(self.take()?).into(),
            10 => i64::try_from(u64::from_le_bytes(self.take()?)).unwrap_or(i64::MAX),
            11 => i64::from_le_bytes(self.take()?),
            kind => return Err(unknown(kind)),
        })
    }

    fn float(&mut self, kind: u32) -> Result<f64, HeaderFault> {
        match kind {
            6 => Ok(f32::from_le_bytes(self.take()?).into()),
            _ => Ok(f64::from_le_bytes(self.take()?)),
        }
    }

    fn truth(&mut self) -> Result<bool, HeaderFault> {
        Ok(u8::from_le_bytes(self.take()?) != 0)
    }

    fn value(&mut self, kind: u32) -> Result<Meta, HeaderFault> {
        Ok(match kind {
            6 | 12 => Meta::Float(self.float(kind)?),
            7 => Meta::Bool(self.truth()?),
            8 => Meta::Text(self.text()?),
            9 => Meta::List(self.list(0)?),
            kind => Meta::Integer(self.integer(kind)?),
        })
    }

    fn list(&mut self, depth: usize) -> Result<MetaList, HeaderFault> {
        if depth >= LISTS_DEEP_MAX {
            return Err(HeaderFault::Wrong("its lists are nested too deep".to_owned()));
        }
        let kind = self.u32()?;
        // Held against what an element of its kind takes at least, and against what all lists may have together: a value
        // can take many times the place in memory that it has in the file.
        let count = self.length(least_bytes(kind))?;
        self.values = self.values.saturating_add(count);
        if self.values > LIST_VALUES_MAX || (kind == 9 && count > ENTRIES_MAX) {
            return Err(HeaderFault::Wrong(format!(
                "its lists have more than {LIST_VALUES_MAX} values, or lists of {ENTRIES_MAX} lists"
            )));
        }
        Ok(match kind {
            6 | 12 => MetaList::Floats(many(count, || self.float(kind))?),
            7 => MetaList::Bools(many(count, || self.truth())?),
            8 => MetaList::Texts(many(count, || self.text())?),
            9 => MetaList::Lists(many(count, || self.list(depth + 1))?),
            kind => MetaList::Integers(many(count, || self.integer(kind))?),
        })
    }

    /// Its range is counted from where tensors begin.
    fn tensor(&mut self) -> Result<TensorEntry, HeaderFault> {
        let wrong = |message: String| HeaderFault::Wrong(message);
        let dimensions = self.u32()?;
        if !(1..=4).contains(&dimensions) {
            return Err(wrong(format!("a tensor has {dimensions} dimensions")));
        }
        let mut shape = Vec::with_capacity(4);
        for _ in 0..dimensions {
            let size = usize::try_from(u64::from_le_bytes(self.take()?)).ok();
            shape.push(size.ok_or_else(|| wrong("a tensor has an impossible size".to_owned()))?);
        }
        shape.reverse();
        let code = self.u32()?;
        let dtype = dtype_of(code).ok_or_else(|| {
            wrong(format!(
                "a tensor has the quantisation {code}, which is not run here; take Q4_K_M, Q8_0 or Q4_0"
            ))
        })?;
        let offset = usize::try_from(u64::from_le_bytes(self.take()?)).unwrap_or(usize::MAX);
        let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        let count = count.filter(|count| count.is_multiple_of(dtype.block_size()));
        let bytes = count.and_then(|count| (count / dtype.block_size()).checked_mul(dtype.type_size()));
        let end = bytes.and_then(|bytes| offset.checked_add(bytes));
        let end = end.ok_or_else(|| wrong("a tensor has an impossible size".to_owned()))?;
        Ok(TensorEntry { shape, dtype, range: offset..end })
    }
}

/// So many values, which the caller has held against the file: their room is taken once.
fn many<T>(count: usize, mut next: impl FnMut() -> Result<T, HeaderFault>) -> Result<Vec<T>, HeaderFault> {
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(next()?);
    }
    Ok(values)
}

fn unknown(kind: u32) -> HeaderFault {
    HeaderFault::Wrong(format!("a value is of the unknown kind {kind}"))
}

fn dtype_of(code: u32) -> Option<GgmlDType> {
    Some(match code {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        9 => GgmlDType::Q8_1,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        15 => GgmlDType::Q8K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
