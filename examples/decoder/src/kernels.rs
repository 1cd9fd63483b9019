//! The kernels and their arguments, which are compared with the kernels at compile time.

use crate::Result;
use cudarc::driver::{CudaContext, CudaSlice};
use half::bf16;
use kernel_args::{DeviceType, Kernel, KernelArgs, Module};
use std::sync::Arc;

kernel_args::kernels! {
    mod decoder = "../../ptx/decoder.ptx";
}

/// Rows that begin every `stride` elements; the first `columns` of them have a meaning.
#[allow(clippy::struct_field_names, reason = "the names of the kernels")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]
#[repr(C)]
pub struct Rows {
    pub rows: u32,
    pub columns: u32,
    pub stride: u32,
}

/// The sizes of a cache `[heads][capacity][size]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]
#[device_type(cpp = "Cache")]
#[repr(C)]
pub struct CacheShape {
    pub heads: u32,
    pub capacity: u32,
    pub size: u32,
}

/// `out[row][column] = sum over i of x[row][i] * w[column][i]`, for each batch. Strides are numbers of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, DeviceType)]
#[device_type(cpp = "Gemm")]
#[repr(C)]
pub struct GemmShape {
    pub batches: u32,
    pub rows: u32,
    pub columns: u32,
    pub inner: u32,
    pub x_batch: u32,
    pub x_row: u32,
    pub w_batch: u32,
    pub w_column: u32,
    pub w_inner: u32,
    pub out_batch: u32,
    pub out_row: u32,
}

/// Derives the arguments of the kernels with these names.
macro_rules! arguments {
    ($($names:literal struct $name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(KernelArgs)]
        #[kernel_args(kernel = decoder, entries = $names)]
        pub struct $name<'a> {
            $(pub $field: $ty,)*
        }
    )*};
}

arguments! {
    "fill" struct Fill { n: u32, seed: u32, offset: f32, scale: f32, out: &'a mut CudaSlice<bf16> }
    "embed" struct Embed {
        shape: Rows, token: &'a CudaSlice<u32>, table: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16>,
    }
    "widen" struct Widen { n: u32, x: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<f32> }
    "narrow" struct Narrow { n: u32, x: &'a CudaSlice<f32>, out: &'a mut CudaSlice<bf16> }
    "square" struct Square { n: u32, x: &'a CudaSlice<f32>, out: &'a mut CudaSlice<f32> }
    "silu" struct Silu { n: u32, x: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16> }
    "scale" struct Scale { n: u32, factor: f32, x: &'a mut CudaSlice<bf16> }
    "{add,multiply}" struct Binary {
        n: u32, x: &'a CudaSlice<bf16>, y: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16>,
    }
    "{add,multiply}_in_place" struct InPlace { n: u32, x: &'a mut CudaSlice<bf16>, y: &'a CudaSlice<bf16> }
    "row_{mean,sum,max}" struct OfRows { shape: Rows, x: &'a CudaSlice<f32>, out: &'a mut CudaSlice<f32> }
    "normalize" struct Normalize {
        shape: Rows, epsilon: f32, mean: &'a CudaSlice<f32>, x: &'a mut CudaSlice<f32>,
    }
    "{exponential,divide}" struct ByRow { shape: Rows, of_row: &'a CudaSlice<f32>, x: &'a mut CudaSlice<f32> }
    "angles" struct Angles { pairs: u32, position: u32, log2_base: f32, out: &'a mut CudaSlice<f32> }
    "rotate" struct Rotate {
        shape: Rows, angles: &'a CudaSlice<f32>, x: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16>,
    }
    "append" struct Append {
        shape: CacheShape, position: u32, x: &'a CudaSlice<bf16>, cache: &'a mut CudaSlice<bf16>,
    }
    "enlarge" struct Enlarge {
        from: CacheShape, capacity: u32, x: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16>,
    }
    "gemm" struct Gemm {
        shape: GemmShape, x: &'a CudaSlice<bf16>, w: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<bf16>,
    }
    "largest" struct Largest { n: u32, x: &'a CudaSlice<bf16>, out: &'a mut CudaSlice<u64> }
    "select" struct Select { n: u32, best_of_blocks: &'a CudaSlice<u64>, index: &'a mut CudaSlice<u32> }
}

/// Loads each kernel of the list by its name.
macro_rules! kernels {
    ($($name:ident: $arguments:ident),* $(,)?) => {
        pub struct Kernels {
            $(pub $name: Kernel<$arguments<'static>>,)*
        }

        impl Kernels {
            pub fn load(ctx: &Arc<CudaContext>) -> Result<Self> {
                let module = Module::load(ctx, decoder::IMAGE)?;
                Ok(Self { $($name: module.family(stringify!($name))?,)* })
            }
        }
    };
}

kernels! {
    fill: Fill, embed: Embed, widen: Widen, narrow: Narrow, square: Square, silu: Silu, scale: Scale, add: Binary, multiply: Binary,
    add_in_place: InPlace, multiply_in_place: InPlace, row_mean: OfRows, row_sum: OfRows, row_max: OfRows, normalize: Normalize,
    exponential: ByRow, divide: ByRow, angles: Angles, rotate: Rotate, append: Append, enlarge: Enlarge, gemm: Gemm, largest: Largest,
    select: Select,
}
