//! Files as memory: weights are used where they lie in the file, and nothing is copied to load them.
//!
//! Owns two unsafe lines: one maps a file, one reads mapped bytes as blocks of numbers. Nothing safe does either: every mapping interface there is can be broken by somebody who shortens the
//! file meanwhile, and the blocks' type has private fields. Knows no format and no model.

use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, GgmlType, QStorage, QTensor, QuantizedType, k_quants};
use candle_core::{CpuStorage, Device};
use half::f16;
use memmap2::{Mmap, MmapMut};

use super::bounded::open_file;
use crate::error::LocalError;

/// Bytes that stay where they are: of a file, or of the program itself.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    /// A part of the program.
    Static(&'static [u8]),
}

/// Blocks begin at multiples of this in memory.
const ALIGNMENT: usize = 8;

impl Bytes {
    #[allow(unsafe_code)]
    pub(crate) fn of_file(path: &Path) -> Result<Self, LocalError> {
        let unreadable =
            |error: std::io::Error| LocalError::Unreadable { path: path.into(), message: error.to_string() };
        let file = open_file(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LocalError::Missing { path: path.into() },
            _ => unreadable(error),
        })?;
        // Invariant: nobody shortens a model file while it is in use. Who replaces one writes a new file and
        // renames it, as every downloader does; the mapping then keeps the old one.
        let mapping = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        Ok(Bytes::Mapped(mapping))
    }

    /// Takes bytes of the program; copies them only where they lie askew.
    pub(crate) fn of_program(bytes: &'static [u8]) -> Result<Self, LocalError> {
        if bytes.as_ptr().align_offset(ALIGNMENT) == 0 {
            return Ok(Bytes::Static(bytes));
        }
        let fault = |error: std::io::Error| LocalError::Compute(error.to_string());
        let mut copy = MmapMut::map_anon(bytes.len().max(1)).map_err(fault)?;
        copy.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Ok(Bytes::Mapped(copy.make_read_only().map_err(fault)?))
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapping) => mapping,
            Bytes::Static(bytes) => bytes,
        }
    }
}

/// A matrix of blocks in mapped bytes, as candle's kernels read it.
struct MappedBlocks<T> {
    bytes: Arc<Bytes>,
    range: Range<usize>,
    kind: PhantomData<T>,
}

impl<T: GgmlType> MappedBlocks<T> {
    /// Only for the types of `tensor` below, each of which is plain numbers.
    fn boxed(bytes: Arc<Bytes>, range: Range<usize>) -> Option<Box<dyn QuantizedType>>
    where
        T: 'static,
    {
        let blocks = Self { bytes, range, kind: PhantomData };
        let is_whole = blocks.raw().len().is_multiple_of(size_of::<T>());
        let is_aligned = blocks.raw().as_ptr().align_offset(align_of::<T>()) == 0;
        (is_whole && is_aligned).then(|| Box::new(blocks) as Box<dyn QuantizedType>)
    }

    fn raw(&self) -> &[u8] {
        self.bytes.as_slice().get(self.range.clone()).unwrap_or_default()
    }

    #[allow(unsafe_code)]
    fn as_slice(&self) -> &[T] {
        // Invariant: `T` is one of candle's blocks or a float, `repr(C)` of integers and floats without padding:
        // every pattern of bits is a value of it. `align_to` keeps to alignment and length by itself.
        let (_, blocks, _) = unsafe { self.raw().align_to::<T>() };
        blocks
    }
}

impl<T: GgmlType> QuantizedType for MappedBlocks<T> {
    fn dtype(&self) -> GgmlDType {
        T::DTYPE
    }

    fn matmul_t(&self, mkn: (usize, usize, usize), lhs: &[f32], dst: &mut [f32]) -> candle_core::Result<()> {
        k_quants::matmul(mkn, lhs, self.as_slice(), dst)
    }

    fn matmul_t_f16(
        &self,
        mkn: (usize, usize, usize),
        lhs: &[f16],
        dst: &mut [f16],
    ) -> candle_core::Result<()> {
        k_quants::matmul_f16(mkn, lhs, self.as_slice(), dst)
    }

    fn embedding(&self, ids: &[u32], rows: usize, hidden: usize) -> candle_core::Result<CpuStorage> {
        let row_blocks = hidden / T::BLCK_SIZE;
        let mut numbers = vec![0_f32; ids.len().saturating_mul(hidden)];
        for (id, into) in ids.iter().zip(numbers.chunks_exact_mut(hidden.max(1))) {
            let row = usize::try_from(*id).unwrap_or(usize::MAX);
            let begin = row.saturating_mul(row_blocks);
            let blocks = self.as_slice().get(begin..begin.saturating_add(row_blocks));
            match blocks {
                Some(blocks) if row < rows => T::to_float(blocks, into),
                _ => candle_core::bail!("token {row} is beyond the {rows} of the model"),
            }
        }
        Ok(CpuStorage::F32(numbers))
    }

    fn dequantize(&self, elem_count: usize) -> candle_core::Result<CpuStorage> {
        let mut numbers = vec![0_f32; elem_count];
        T::to_float(self.as_slice(), &mut numbers);
        Ok(CpuStorage::F32(numbers))
    }

    fn storage_size_in_bytes(&self) -> usize {
        self.range.len()
    }

    fn as_ptr(&self) -> *const u8 {
        self.raw().as_ptr()
    }

    fn block_size(&self) -> usize {
        T::BLCK_SIZE
    }

    // A mapped file is never written to.
    fn from_float(&mut self, _xs: &[f32]) {}

    fn from_float_imatrix(&mut self, _xs: &[f32], _imatrix_weights: &[f32], _n_per_row: usize) {}

    fn size(&self) -> usize {
        self.range.len()
    }
}

/// A matrix of a file: in place on the CPU, copied to other devices. `None` when its bytes do not lie as they must.
pub(crate) fn tensor(
    bytes: &Arc<Bytes>,
    range: Range<usize>,
    dtype: GgmlDType,
    shape: &[usize],
    device: &Device,
) -> candle_core::Result<Option<QTensor>> {
    let storage = if device.is_cpu() {
        blocks(bytes, range, dtype).map(QStorage::Cpu)
    } else {
        let raw = bytes.as_slice().get(range);
        raw.map(|raw| QStorage::from_data(raw.into(), device, dtype)).transpose()?
    };
    storage.map(|storage| QTensor::new(storage, shape)).transpose()
}

fn blocks(bytes: &Arc<Bytes>, range: Range<usize>, dtype: GgmlDType) -> Option<Box<dyn QuantizedType>> {
    let bytes = Arc::clone(bytes);
    match dtype {
        GgmlDType::F32 => MappedBlocks::<f32>::boxed(bytes, range),
        GgmlDType::F16 => MappedBlocks::<f16>::boxed(bytes, range),
        GgmlDType::BF16 => MappedBlocks::<half::bf16>::boxed(bytes, range),
        GgmlDType::Q4_0 => MappedBlocks::<k_quants::BlockQ4_0>::boxed(bytes, range),
        GgmlDType::Q4_1 => MappedBlocks::<k_quants::BlockQ4_1>::boxed(bytes, range),
        GgmlDType::Q5_0 => MappedBlocks::<k_quants::BlockQ5_0>::boxed(bytes, range),
        GgmlDType::Q5_1 => MappedBlocks::<k_quants::BlockQ5_1>::boxed(bytes, range),
        GgmlDType::Q8_0 => MappedBlocks::<k_quants::BlockQ8_0>::boxed(bytes, range),
        GgmlDType::Q8_1 => MappedBlocks::<k_quants::BlockQ8_1>::boxed(bytes, range),
        GgmlDType::Q2K => MappedBlocks::<k_quants::BlockQ2K>::boxed(bytes, range),
        GgmlDType::Q3K => MappedBlocks::<k_quants::BlockQ3K>::boxed(bytes, range),
        GgmlDType::Q4K => MappedBlocks::<k_quants::BlockQ4K>::boxed(bytes, range),
        GgmlDType::Q5K => MappedBlocks::<k_quants::BlockQ5K>::boxed(bytes, range),
        GgmlDType::Q6K => MappedBlocks::<k_quants::BlockQ6K>::boxed(bytes, range),
        GgmlDType::Q8K => MappedBlocks::<k_quants::BlockQ8K>::boxed(bytes, range),
    }
}
