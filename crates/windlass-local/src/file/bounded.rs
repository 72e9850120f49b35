//! Files of a model's folder, opened and read so that none can make the program wait or eat its memory.
//!
//! Owns how they are opened, and how much JSON is taken apart. Links are followed: the user named the folder, and caches of
//! downloaded models are made of links. Knows no format.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Bytes of a text beside the weights: the largest vocabularies are a quarter of it.
const TEXT_BYTES_MAX: u64 = 64 << 20;
/// Values of a JSON text: the largest vocabularies have two and a half million with their merges. A value of two bytes
/// takes tens of them once it is taken apart.
const JSON_VALUES_MAX: usize = 4_000_000;

/// Opens a file that has an end: neither a pipe, at which opening would wait for somebody who writes, nor a device.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // The flag fits: the system takes it as this very type.
        options.custom_flags(i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused("this is no file")) }
}

/// A text of JSON that can be taken apart without taking more memory than a large vocabulary does.
pub(crate) fn read_json(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_file(path)?.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(refused("the file is too large"));
    }
    if !has_values_at_most(&bytes, JSON_VALUES_MAX) {
        return Err(refused("the file has too many values"));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Whether a text of JSON has no more values than this: each but the first comes after one of these signs. Those within
/// strings count too, so it may say no to a text that has fewer.
pub(super) fn has_values_at_most(json: &[u8], values_max: usize) -> bool {
    json.iter().filter(|sign| matches!(sign, b',' | b'[' | b'{' | b':')).take(values_max).count() < values_max
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what.to_owned())
}
