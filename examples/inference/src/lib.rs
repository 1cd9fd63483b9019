//! A two-layer perceptron whose kernels are in a separate crate with a build script.
//!
//! `arguments` describes the kernels, `checked` launches them, `with_builder` does the same with cudarc only, and `reference`
//! computes the result on the host.

pub mod arguments;
pub mod checked;
pub mod reference;
pub mod with_builder;

use arguments::{Element, LinearShape, Matrix};
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// The threads of a block: a power of two, because a block halves a row in each reduction step.
pub const BLOCK: u32 = 128;

/// The dynamic shared memory of a row reduction, in bytes: a `float` for each thread.
pub const SCRATCH: u32 = 4 * BLOCK;

/// An error of a launch, of the driver, or of cudarc.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A result with any of these errors.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// The activation between the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `x` times the probability that a normal variable is less than `x`.
    Gelu,
}

impl Activation {
    /// The name of its kernels, without the element type.
    #[must_use]
    pub fn family(self) -> &'static str {
        match self {
            Self::Relu => "urelu",
            Self::Gelu => "ugelu",
        }
    }
}

/// A row of weights and a bias for each output, in device memory.
pub struct Layer<T> {
    /// In row-major order.
    pub weights: CudaSlice<T>,
    /// One for each output.
    pub bias: CudaSlice<T>,
}

/// The launches of each kernel.
///
/// # Safety
/// In every method, the slices have the lengths of the shape; slices without a shape have the same length. `agreement` takes
/// one number that is zero.
#[allow(clippy::missing_safety_doc, clippy::missing_errors_doc, reason = "above; errors are the driver's")]
pub trait Launches<T: Element> {
    /// Uniform values in `[-scale, scale)`.
    unsafe fn init(&self, stream: &Arc<CudaStream>, seed: u32, scale: f32, out: &mut CudaSlice<T>) -> Result;
    /// Multiplies each value by `factor`.
    unsafe fn scale(&self, stream: &Arc<CudaStream>, factor: f32, values: &mut CudaSlice<T>) -> Result;
    /// Normalizes each row to mean 0 and variance 1.
    unsafe fn layer_norm(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result;
    /// `out = x * weights^T + bias`.
    unsafe fn linear(
        &self,
        stream: &Arc<CudaStream>,
        shape: LinearShape,
        x: &CudaSlice<T>,
        layer: &Layer<T>,
        out: &mut CudaSlice<T>,
    ) -> Result;
    /// Applies the activation to each value.
    unsafe fn activate(
        &self,
        stream: &Arc<CudaStream>,
        activation: Activation,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result;
    /// The probabilities of each row.
    unsafe fn softmax(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result;
    /// The column with the largest value of each row.
    unsafe fn argmax(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<u32>,
    ) -> Result;
    /// Converts to `f32`.
    unsafe fn widen(&self, stream: &Arc<CudaStream>, x: &CudaSlice<T>, out: &mut CudaSlice<f32>) -> Result;
    /// Adds the number of equal values in `a` and `b` to `same`.
    unsafe fn agreement(
        &self,
        stream: &Arc<CudaStream>,
        a: &CudaSlice<u32>,
        b: &CudaSlice<u32>,
        same: &mut CudaSlice<u32>,
    ) -> Result;
}

/// A perceptron of two layers.
pub struct Perceptron<T, L> {
    /// Inputs, hidden units and outputs.
    pub sizes: [u32; 3],
    /// The launches of its kernels.
    pub launches: L,
    /// From the inputs to the hidden units, and from the hidden units to the outputs.
    pub layers: [Layer<T>; 2],
}

/// The result of a forward pass.
pub struct Output {
    /// The probability of each class, for each row.
    pub probabilities: CudaSlice<f32>,
    /// The most probable class, for each row.
    pub classes: CudaSlice<u32>,
}

/// Uniform values in `[-factor, factor)`.
///
/// # Errors
/// If a launch or an allocation fails.
pub fn uniform<T: Element>(
    launches: &impl Launches<T>,
    stream: &Arc<CudaStream>,
    n: u32,
    seed: u32,
    factor: f32,
) -> Result<CudaSlice<T>> {
    let mut values = stream.alloc_zeros::<T>(n as usize)?;
    // SAFETY: there is one slice.
    unsafe { launches.init(stream, seed, 1.0, &mut values)? };
    // SAFETY: there is one slice.
    unsafe { launches.scale(stream, factor, &mut values)? };
    Ok(values)
}

impl<T: Element, L: Launches<T>> Perceptron<T, L> {
    /// A perceptron with the weights of [`reference::layers`].
    ///
    /// # Errors
    /// If a launch or an allocation fails.
    pub fn new(launches: L, stream: &Arc<CudaStream>, sizes: [u32; 3]) -> Result<Self> {
        let fill = |(n, seed, factor)| uniform(&launches, stream, n, seed, factor);
        let [first, second] = reference::layers(sizes);
        let layers = [
            Layer { weights: fill(first[0])?, bias: fill(first[1])? },
            Layer { weights: fill(second[0])?, bias: fill(second[1])? },
        ];
        Ok(Self { sizes, launches, layers })
    }

    /// Returns the probabilities and the class of each row of `x`.
    ///
    /// # Errors
    /// If a launch or an allocation fails.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "the slices of all launches have the lengths of their shapes"
    )]
    pub fn forward(&self, stream: &Arc<CudaStream>, activation: Activation, x: &CudaSlice<T>) -> Result<Output> {
        let [inputs, hidden, outputs] = self.sizes;
        let rows = x.len() as u32 / inputs;
        let zeros = |columns: u32| stream.alloc_zeros::<T>((rows * columns) as usize);
        let (mut normal, mut before, mut after) = (zeros(inputs)?, zeros(hidden)?, zeros(hidden)?);
        let (mut logits, mut probabilities) = (zeros(outputs)?, zeros(outputs)?);
        let mut wide = stream.alloc_zeros::<f32>(probabilities.len())?;
        let mut classes = stream.alloc_zeros::<u32>(rows as usize)?;
        let launches = &self.launches;
        let [first, second] = &self.layers;
        let columns = |columns| Matrix { rows, columns };
        // SAFETY: for all launches: the slices were allocated with the lengths of these shapes.
        unsafe {
            launches.layer_norm(stream, columns(inputs), x, &mut normal)?;
            launches.linear(stream, LinearShape { rows, inputs, outputs: hidden }, &normal, first, &mut before)?;
            launches.activate(stream, activation, &before, &mut after)?;
            launches.linear(stream, LinearShape { rows, inputs: hidden, outputs }, &after, second, &mut logits)?;
            launches.softmax(stream, columns(outputs), &logits, &mut probabilities)?;
            launches.argmax(stream, columns(outputs), &probabilities, &mut classes)?;
            launches.widen(stream, &probabilities, &mut wide)?;
        }
        Ok(Output { probabilities: wide, classes })
    }
}
