//! Model files: what is in them, what they need, and their tensors one by one.
//!
//! Owns the formats. Knows nothing of running a model, of tokens or of chats.

mod bounded;
mod folder;
mod gguf;
mod header;
mod mapped;
mod memory;

use std::path::{Path, PathBuf};

use candle_core::quantized::QMatMul;
use candle_core::{Device, Tensor};

pub(crate) use self::bounded::{open_file, read_json};
pub(crate) use self::folder::FolderFiles;
pub(crate) use self::gguf::GgufFile;
pub(crate) use self::header::Meta;
use self::mapped::Bytes;
pub use self::memory::MemoryEstimate;
pub(crate) use self::memory::available_bytes;
use crate::decoder::Matrix;
use crate::decoder::shape::{ModelShape, WeightName};
use crate::error::LocalError;

pub use crate::decoder::shape::ModelFamily;

/// What a model file is, without loading it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileDescription {
    /// The file or folder.
    pub path: PathBuf,
    /// How it is stored.
    pub format: Format,
    pub family: ModelFamily,
    /// What it calls itself.
    pub title: Option<String>,
    /// Under which licence it says it is.
    pub licence: Option<String>,
    /// How many numbers it has.
    pub parameters: u64,
    /// How most of them are stored, `Q4_K` or `bfloat16`.
    pub quantisation: String,
    /// The context it was trained for.
    pub context_tokens: usize,
    pub file_bytes: u64,
    /// What it needs in memory.
    pub memory: MemoryEstimate,
}

/// How a model is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Gguf,
    /// A folder of safetensors.
    Safetensors,
}

/// Says what a model file is: architecture, size, context, memory. Nothing is loaded.
pub fn describe(path: &Path) -> Result<FileDescription, LocalError> {
    Ok(ModelFile::open(path)?.describe())
}

/// An open model file.
#[derive(Debug)]
pub(crate) enum ModelFile {
    Gguf(Box<GgufFile>),
    Folder(Box<FolderFiles>),
}

impl ModelFile {
    /// Opens a GGUF file, a folder, or a file of a folder.
    pub(crate) fn open(path: &Path) -> Result<Self, LocalError> {
        let missing = || LocalError::Missing { path: path.into() };
        let kind = std::fs::metadata(path).map_err(|_| missing())?;
        if kind.is_dir() {
            return FolderFiles::open(path).map(|files| ModelFile::Folder(Box::new(files)));
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension == Some("safetensors") {
            let folder = path.parent().unwrap_or(Path::new("."));
            return FolderFiles::open(folder).map(|files| ModelFile::Folder(Box::new(files)));
        }
        // Opening a pipe would wait for somebody who writes; a device never ends.
        if !kind.is_file() {
            return Err(LocalError::NotAModel { path: path.into(), message: "this is no file".to_owned() });
        }
        if kind.len() == 0 {
            return Err(LocalError::NotAModel { path: path.into(), message: "the file is empty".to_owned() });
        }
        GgufFile::open(path, Bytes::of_file(path)?).map(|file| ModelFile::Gguf(Box::new(file)))
    }

    /// A GGUF file that is part of the program.
    pub(crate) fn of_program(bytes: &'static [u8]) -> Result<Self, LocalError> {
        let file = GgufFile::open(Path::new("(built in)"), Bytes::of_program(bytes)?)?;
        Ok(ModelFile::Gguf(Box::new(file)))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            ModelFile::Gguf(file) => file.path(),
            ModelFile::Folder(files) => files.path(),
        }
    }

    pub(crate) fn shape(&self) -> &ModelShape {
        match self {
            ModelFile::Gguf(file) => file.shape(),
            ModelFile::Folder(files) => files.shape(),
        }
    }

    pub(crate) fn describe(&self) -> FileDescription {
        let (format, parameters, quantisation, file_bytes, title) = match self {
            ModelFile::Gguf(file) => {
                let numbers = file.entries().map(|entry| entry.shape.iter().product::<usize>());
                let title = file.meta("general.name").and_then(Meta::as_text).map(str::to_owned);
                let parameters = numbers.map(count).fold(0, u64::saturating_add);
                (Format::Gguf, parameters, file.quantisation(), file.file_bytes(), title)
            }
            ModelFile::Folder(files) => {
                let title = files.path().file_name().map(|name| name.to_string_lossy().into_owned());
                let title = title.or_else(|| Some(files.architecture().to_owned()));
                let quantisation = files.quantisation();
                (Format::Safetensors, files.parameters(), quantisation, files.file_bytes(), title)
            }
        };
        FileDescription {
            path: self.path().into(),
            format,
            family: self.shape().family,
            title,
            licence: self.licence(),
            parameters,
            quantisation,
            context_tokens: self.shape().context_tokens,
            file_bytes: count(file_bytes),
            memory: MemoryEstimate::of(self, parameters),
        }
    }

    fn licence(&self) -> Option<String> {
        match self {
            ModelFile::Gguf(file) => file.meta("general.license").and_then(Meta::as_text).map(str::to_owned),
            ModelFile::Folder(_) => None,
        }
    }

    /// A matrix that must be there.
    pub(crate) fn matrix(
        &self,
        weight: WeightName,
        size: (usize, usize),
        device: &Device,
    ) -> Result<Matrix, LocalError> {
        self.matrix_if(weight, size, device)?.ok_or_else(|| self.lacks(weight))
    }

    /// A matrix, if it is there.
    pub(crate) fn matrix_if(
        &self,
        weight: WeightName,
        size: (usize, usize),
        device: &Device,
    ) -> Result<Option<Matrix>, LocalError> {
        match self {
            ModelFile::Gguf(file) => {
                let tensor = file.tensor(weight, size, device)?;
                tensor.map(Matrix::of_blocks).transpose()
            }
            ModelFile::Folder(files) => {
                Ok(files.tensor(weight, size, device)?.map(|tensor| Matrix::Candle(QMatMul::Tensor(tensor))))
            }
        }
    }

    /// A vector that must be there, as 32-bit floats.
    pub(crate) fn vector(
        &self,
        weight: WeightName,
        length: usize,
        device: &Device,
    ) -> Result<Tensor, LocalError> {
        self.vector_if(weight, length, device)?.ok_or_else(|| self.lacks(weight))
    }

    /// A vector, if it is there.
    pub(crate) fn vector_if(
        &self,
        weight: WeightName,
        length: usize,
        device: &Device,
    ) -> Result<Option<Tensor>, LocalError> {
        match self {
            ModelFile::Gguf(file) => {
                let tensor = file.tensor(weight, (1, length), device)?;
                Ok(tensor.map(|tensor| tensor.dequantize(device)).transpose()?)
            }
            ModelFile::Folder(files) => files.tensor(weight, (1, length), device),
        }
    }

    fn lacks(&self, weight: WeightName) -> LocalError {
        LocalError::Damaged { path: self.path().into(), message: format!("it has no weights for {weight:?}") }
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
