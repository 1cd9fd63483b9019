//! The arguments of each kernel. All structs are compared with the kernels at compile time.

#![allow(missing_docs, reason = "the fields are the parameters of the kernels")]

use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use half::{bf16, f16};
use inference_kernels::mlp;
use kernel_args::{DeviceType, KernelArgs};

/// An element type that every family of kernels supports.
pub trait Element: DeviceType + DeviceRepr + ValidAsZeroBits + Unpin {
    /// The suffix of its kernels.
    const SUFFIX: &'static str;
}

impl Element for f32 {
    const SUFFIX: &'static str = "f32";
}

impl Element for f16 {
    const SUFFIX: &'static str = "f16";
}

impl Element for bf16 {
    const SUFFIX: &'static str = "bf16";
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

/// Uniform values in `[-scale, scale)`.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "init_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Init<'a, T> {
    pub n: u32,
    pub seed: u32,
    pub scale: f32,
    pub out: &'a mut CudaSlice<T>,
}

/// Converts to `f32`.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "widen_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Widen<'a, T> {
    pub n: u32,
    pub x: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<f32>,
}

/// Normalizes each row to mean 0 and variance 1.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "layer_norm_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct LayerNorm<'a, T> {
    pub shape: Matrix,
    pub epsilon: f32,
    pub x: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<T>,
}

/// `out = x * weights^T + bias`.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "linear_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Linear<'a, T> {
    pub shape: LinearShape,
    pub x: &'a CudaSlice<T>,
    pub weights: &'a CudaSlice<T>,
    pub bias: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<T>,
}

/// An activation, `urelu_*` or `ugelu_*`. It is compared with all six kernels.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "u*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Unary<'a, T> {
    pub n: u32,
    pub x: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<T>,
}

/// Multiplies each value by `factor`.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "scale_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Scale<'a, T> {
    pub n: u32,
    pub factor: f32,
    pub values: &'a mut CudaSlice<T>,
}

/// The probabilities of each row.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "softmax_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct Softmax<'a, T> {
    pub shape: Matrix,
    pub x: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<T>,
}

/// The column with the largest value of each row.
#[derive(KernelArgs)]
#[kernel_args(kernel = mlp, entries = "argmax_*", T = f32 => "_f32", T = f16 => "_f16", T = bf16 => "_bf16")]
pub struct ArgMax<'a, T> {
    pub shape: Matrix,
    pub x: &'a CudaSlice<T>,
    pub out: &'a mut CudaSlice<u32>,
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
