//! Matrix products by cuBLAS.

use crate::{Result, kernels::GemmShape};
use cudarc::{
    cublas::{
        CudaBlas, Gemm, GemmConfig, StridedBatchedConfig,
        sys::{cublasOperation_t, cublasSetWorkspace_v2},
    },
    driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut},
};
use half::bf16;
use kernel_args::sequence::Handle;
use std::sync::Arc;

/// 32 MiB, as NVIDIA recommends for Hopper. Without a workspace of its own, cuBLAS would allocate one in a capture.
const WORKSPACE: usize = 32 << 20;

/// A handle of cuBLAS with its workspace.
pub struct Blas {
    handle: CudaBlas,
    _workspace: CudaSlice<u8>,
}

impl Blas {
    pub fn new(stream: &Arc<CudaStream>) -> Result<Handle<Self>> {
        let handle = CudaBlas::new(stream.clone())?;
        let workspace = stream.alloc_zeros::<u8>(WORKSPACE)?;
        let address = workspace.device_ptr(stream).0 as *mut _;
        // SAFETY: the workspace lives as long as the handle, and only this handle uses it.
        unsafe { cublasSetWorkspace_v2(*handle.handle(), address, WORKSPACE) }.result()?;
        // SAFETY: it owns the workspace; the rest of the memory of a product is arguments.
        Ok(unsafe { Handle::new(Self { handle, _workspace: workspace }) })
    }

    /// `out = x * w^T`
    ///
    /// # Safety
    /// The memory has the lengths of the shape.
    pub unsafe fn product(
        &self,
        shape: GemmShape,
        x: &impl DevicePtr<bf16>,
        w: &impl DevicePtr<bf16>,
        out: &mut impl DevicePtrMut<bf16>,
    ) -> Result {
        // cuBLAS has columns where this example has rows: `out^T = w * x^T`.
        let (transa, lda) = if shape.w_inner == 1 {
            (cublasOperation_t::CUBLAS_OP_T, shape.w_column)
        } else {
            (cublasOperation_t::CUBLAS_OP_N, shape.w_inner)
        };
        let gemm = GemmConfig {
            transa,
            transb: cublasOperation_t::CUBLAS_OP_N,
            m: shape.columns.cast_signed(),
            n: shape.rows.cast_signed(),
            k: shape.inner.cast_signed(),
            alpha: bf16::ONE,
            lda: lda.cast_signed(),
            ldb: shape.x_row.cast_signed(),
            beta: bf16::ZERO,
            ldc: shape.out_row.cast_signed(),
        };
        if shape.batches == 1 {
            // SAFETY: the caller guarantees the lengths.
            unsafe { self.handle.gemm(gemm, w, x, out)? };
            return Ok(());
        }
        let config = StridedBatchedConfig {
            gemm,
            batch_size: shape.batches.cast_signed(),
            stride_a: shape.w_batch.into(),
            stride_b: shape.x_batch.into(),
            stride_c: shape.out_batch.into(),
        };
        // SAFETY: the caller guarantees the lengths.
        unsafe { self.handle.gemm_strided_batched(config, w, x, out)? };
        Ok(())
    }
}
