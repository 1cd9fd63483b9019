//! The arguments of each kernel. All structs are compared with the kernels at compile time.

#![allow(missing_docs, reason = "the fields are the parameters of the kernels")]

use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use half::{bf16, f16};
use inference_kernels::mlp;
use kernel_args::{DeviceType, KernelArgs};

/// An element type. The structs bind it to the suffix of its kernels.
pub trait Element: DeviceType + DeviceRepr + ValidAsZeroBits + Unpin {
    /// Its name on the command line, and the suffix for cudarc's builder, which knows no bindings.
    const NAME: &'static str;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
}

impl Element for f16 {
    const NAME: &'static str = "f16";
}

impl Element for bf16 {
    const NAME: &'static str = "bf16";
}

impl Element for F8E4M3 {
    const NAME: &'static str = "f8_e4m3";
}

/// An 8-bit float. Only code for `sm_89` and newer GPUs has its kernels.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "__nv_fp8_e4m3")]
#[repr(transparent)]
pub struct F8E4M3(pub u8);

/// Derives the arguments of a family of kernels, with a kernel for each element type.
macro_rules! family {
    ($entries:literal $item:item) => {
        #[derive(KernelArgs)]
        #[kernel_args(
                    kernel = mlp, entries = $entries,
                    T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16", T = F8E4M3 => "_f8_e4m3" if sm >= 89
                )]
        $item
    };
}

/// A matrix in row-major order.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Matrix {
    pub rows: u32,
    pub columns: u32,
}

/// The sizes of a linear layer.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Linear")]
#[repr(C)]
pub struct LinearShape {
    pub rows: u32,
    pub inputs: u32,
    pub outputs: u32,
}

family! { "init_*"
    /// Uniform values in `[-scale, scale)`.
    pub struct Init<'a, T> {
        pub n: u32,
        pub seed: u32,
        pub scale: f32,
        pub out: &'a mut CudaSlice<T>,
    }
}

family! { "widen_*"
    /// Converts to `f32`.
    pub struct Widen<'a, T> {
        pub n: u32,
        pub x: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<f32>,
    }
}

family! { "layer_norm_*"
    /// Normalizes each row to mean 0 and variance 1.
    pub struct LayerNorm<'a, T> {
        pub shape: Matrix,
        pub epsilon: f32,
        pub x: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<T>,
    }
}

family! { "linear_*"
    /// `out = x * weights^T + bias`.
    pub struct Linear<'a, T> {
        pub shape: LinearShape,
        pub x: &'a CudaSlice<T>,
        pub weights: &'a CudaSlice<T>,
        pub bias: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<T>,
    }
}

family! { "u{relu,gelu}_*"
    /// An activation, `urelu_*` or `ugelu_*`. It is compared with all six kernels.
    pub struct Unary<'a, T> {
        pub n: u32,
        pub x: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<T>,
    }
}

family! { "scale_*"
    /// Multiplies each value by `factor`.
    pub struct Scale<'a, T> {
        pub n: u32,
        pub factor: f32,
        pub values: &'a mut CudaSlice<T>,
    }
}

family! { "softmax_*"
    /// The probabilities of each row.
    pub struct Softmax<'a, T> {
        pub shape: Matrix,
        pub x: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<T>,
    }
}

family! { "argmax_*"
    /// The column with the largest value of each row.
    pub struct ArgMax<'a, T> {
        pub shape: Matrix,
        pub x: &'a CudaSlice<T>,
        pub out: &'a mut CudaSlice<u32>,
    }
}

/// The number of equal values in `a` and `b`.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp::agreement)]
pub struct Agreement<'a> {
    pub n: u32,
    pub a: &'a CudaSlice<u32>,
    pub b: &'a CudaSlice<u32>,
    pub same: &'a mut CudaSlice<u32>,
}
