//! A matrix of weights, multiplied in the best way that this machine has.

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{CpuStorage, CustomOp1, Layout, Module, Shape, Tensor};

use crate::error::LocalError;
use crate::kernel::{self, ProductSizes};

/// Weights of a model, in their file or written out.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    Candle(QMatMul),
    /// Blocks that our own products are for.
    Blocks(SharedBlocks),
}

/// Blocks where they lie, on the CPU.
#[derive(Debug, Clone)]
pub(crate) struct SharedBlocks(Arc<QTensor>);

impl Matrix {
    /// A matrix of blocks, as its file has them.
    pub(crate) fn of_blocks(tensor: QTensor) -> Result<Self, LocalError> {
        let sizes = tensor.shape().dims2();
        let is_ours = tensor.device().is_cpu()
            && sizes.is_ok_and(|(columns, width)| kernel::can_multiply(tensor.dtype(), width, columns));
        let tensor = Arc::new(tensor);
        Ok(if is_ours {
            Matrix::Blocks(SharedBlocks(tensor))
        } else {
            Matrix::Candle(QMatMul::from_arc(tensor)?)
        })
    }

    /// The products of rows with all columns.
    pub(crate) fn forward(&self, rows: &Tensor) -> candle_core::Result<Tensor> {
        match self {
            Matrix::Candle(matrix) => matrix.forward(rows),
            Matrix::Blocks(blocks) => rows.contiguous()?.apply_op1_no_bwd(blocks),
        }
    }

    /// The columns of these numbers, as rows.
    pub(crate) fn embedding(&self, tokens: &Tensor) -> candle_core::Result<Tensor> {
        match self {
            Matrix::Candle(matrix) => matrix.embedding(tokens),
            Matrix::Blocks(SharedBlocks(tensor)) => tensor.embedding(tokens),
        }
    }

    /// Several products with the same rows; in one go where candle can: rows are rounded once, threads meet once.
    pub(crate) fn forward_all<const N: usize>(
        matrices: [&Matrix; N],
        rows: &Tensor,
    ) -> candle_core::Result<[Tensor; N]> {
        let quantised = matrices.map(|matrix| match matrix {
            Matrix::Candle(QMatMul::QTensor(tensor)) => Some(tensor.as_ref()),
            Matrix::Candle(_) | Matrix::Blocks(_) => None,
        });
        if let Some(quantised) = quantised.into_iter().collect::<Option<Vec<_>>>()
            && let Some(products) = QTensor::gemv_fused_shared_lhs(&quantised, rows)?
            && let Ok(products) = products.try_into()
        {
            return Ok(products);
        }
        let mut products = matrices.map(|_| rows.clone());
        for (product, matrix) in products.iter_mut().zip(matrices) {
            *product = matrix.forward(rows)?;
        }
        Ok(products)
    }
}

impl CustomOp1 for SharedBlocks {
    fn name(&self) -> &'static str {
        "product-with-blocks"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> candle_core::Result<(CpuStorage, Shape)> {
        let ((columns, width), (count, _)) = (self.0.shape().dims2()?, layout.shape().dims2()?);
        let CpuStorage::F32(rows) = storage else { candle_core::bail!("rows are 32-bit floats") };
        let rows = layout.contiguous_offsets().and_then(|(begin, end)| rows.get(begin..end));
        let mut products = vec![0.0; count * columns];
        let sizes = ProductSizes { count, width, columns };
        let weights = self.0.data()?;
        let is_done =
            rows.is_some_and(|rows| kernel::multiply(self.0.dtype(), &weights, sizes, rows, &mut products));
        if !is_done {
            candle_core::bail!("{count} rows of {width} numbers cannot meet {:?}", self.0.shape());
        }
        Ok((CpuStorage::F32(products), (count, columns).into()))
    }
}
