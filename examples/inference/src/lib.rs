//! A two-layer perceptron whose kernels are in a separate crate with a build script.
//!
//! `arguments` describes the kernels, `checked` launches them, `with_builder` does the same with cudarc only, and
//! `reference` computes the result on the host.

pub mod arguments;
pub mod checked;
pub mod reference;
pub mod with_builder;

use arguments::{Element, LinearShape, Matrix};
use checked::Checked;
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::sequence::Sequence;
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

/// The launches of each kernel on a stream of type `S`, which can be the recorder of a sequence.
///
/// # Safety
/// In every method, the slices have the lengths of the shape; slices without a shape have the same length. `agreement`
/// takes one number that is zero.
#[allow(clippy::missing_safety_doc, clippy::missing_errors_doc, reason = "above; errors are the driver's")]
pub trait Launches<T: Element, S> {
    /// Uniform values in `[-scale, scale)`.
    unsafe fn init(&self, on: &S, seed: u32, scale: f32, out: &mut CudaSlice<T>) -> Result;
    /// Multiplies each value by `factor`.
    unsafe fn scale(&self, on: &S, factor: f32, values: &mut CudaSlice<T>) -> Result;
    /// Normalizes each row to mean 0 and variance 1.
    unsafe fn layer_norm(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result;
    /// `out = x * weights^T + bias`.
    unsafe fn linear(
        &self,
        on: &S,
        shape: LinearShape,
        x: &CudaSlice<T>,
        layer: &Layer<T>,
        out: &mut CudaSlice<T>,
    ) -> Result;
    /// Applies the activation to each value.
    unsafe fn activate(&self, on: &S, activation: Activation, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result;
    /// The probabilities of each row.
    unsafe fn softmax(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result;
    /// The column with the largest value of each row.
    unsafe fn argmax(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<u32>) -> Result;
    /// Converts to `f32`.
    unsafe fn widen(&self, on: &S, x: &CudaSlice<T>, out: &mut CudaSlice<f32>) -> Result;
    /// Adds the number of equal values in `a` and `b` to `same`.
    unsafe fn agreement(&self, on: &S, a: &CudaSlice<u32>, b: &CudaSlice<u32>, same: &mut CudaSlice<u32>) -> Result;
}

/// A perceptron of two layers.
pub struct Perceptron<T> {
    /// Inputs, hidden units and outputs.
    pub sizes: [u32; 3],
    /// The launches of its kernels.
    pub launches: Checked<T>,
    /// From the inputs to the hidden units, and from the hidden units to the outputs.
    pub layers: [Layer<T>; 2],
}

/// The launches of a forward pass, with their temporary slices. They are repeated for each batch of rows.
pub struct Pass<T> {
    sequence: Sequence,
    rows: u32,
    sizes: [u32; 3],
    normal: CudaSlice<T>,
    before: CudaSlice<T>,
    after: CudaSlice<T>,
    logits: CudaSlice<T>,
    likely: CudaSlice<T>,
    probabilities: CudaSlice<f32>,
    classes: CudaSlice<u32>,
}

impl<T> Pass<T> {
    /// The probability of each class, for each row.
    #[must_use]
    pub fn probabilities(&self) -> &CudaSlice<f32> {
        &self.probabilities
    }

    /// The most probable class, for each row.
    #[must_use]
    pub fn into_classes(self) -> CudaSlice<u32> {
        self.classes
    }
}

/// Uniform values in `[-factor, factor)`.
///
/// # Errors
/// If a launch or an allocation fails.
pub fn uniform<T: Element>(
    launches: &impl Launches<T, Arc<CudaStream>>,
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

impl<T: Element> Perceptron<T> {
    /// A perceptron with the weights of [`reference::layers`].
    ///
    /// # Errors
    /// If a launch or an allocation fails.
    pub fn new(launches: Checked<T>, stream: &Arc<CudaStream>, sizes: [u32; 3]) -> Result<Self> {
        let fill = |(n, seed, factor)| uniform(&launches, stream, n, seed, factor);
        let [first, second] = reference::layers(sizes);
        let layers = [
            Layer { weights: fill(first[0])?, bias: fill(first[1])? },
            Layer { weights: fill(second[0])?, bias: fill(second[1])? },
        ];
        Ok(Self { sizes, launches, layers })
    }

    /// A forward pass for `rows` rows on `stream`.
    ///
    /// # Errors
    /// If an allocation fails.
    pub fn pass(&self, stream: &Arc<CudaStream>, rows: u32) -> Result<Pass<T>> {
        let [inputs, hidden, outputs] = self.sizes;
        let zeros = |columns: u32| stream.alloc_zeros::<T>((rows * columns) as usize);
        Ok(Pass {
            sequence: Sequence::new(stream),
            rows,
            sizes: self.sizes,
            normal: zeros(inputs)?,
            before: zeros(hidden)?,
            after: zeros(hidden)?,
            logits: zeros(outputs)?,
            likely: zeros(outputs)?,
            probabilities: stream.alloc_zeros((rows * outputs) as usize)?,
            classes: stream.alloc_zeros(rows as usize)?,
        })
    }

    /// Computes the probabilities and the class of each row of `x`, with one launch of a graph.
    ///
    /// # Errors
    /// If a launch fails, or if `pass` was created for another number of rows or another perceptron.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "the slices of all launches have the lengths of their shapes"
    )]
    pub fn forward(&self, pass: &mut Pass<T>, activation: Activation, x: &CudaSlice<T>) -> Result {
        let [inputs, hidden, outputs] = self.sizes;
        let rows = pass.rows;
        if pass.sizes != self.sizes || x.len() != (rows * inputs) as usize {
            return Err("the pass has other sizes".into());
        }
        let launches = &self.launches;
        let [first, second] = &self.layers;
        let columns = |columns| Matrix { rows, columns };
        pass.sequence.try_run(|s| {
            let x = s.hold(x)?;
            for slice in [&first.weights, &first.bias, &second.weights, &second.bias] {
                s.hold(slice)?;
            }
            let (mut normal, mut before, mut after) =
                (s.hold(&mut pass.normal)?, s.hold(&mut pass.before)?, s.hold(&mut pass.after)?);
            let (mut logits, mut likely) = (s.hold(&mut pass.logits)?, s.hold(&mut pass.likely)?);
            let (mut probabilities, mut classes) = (s.hold(&mut pass.probabilities)?, s.hold(&mut pass.classes)?);
            // SAFETY: for all launches: the slices were allocated with the lengths of these shapes.
            unsafe {
                launches.layer_norm(s, columns(inputs), x, &mut normal)?;
                launches.linear(s, LinearShape { rows, inputs, outputs: hidden }, &normal, first, &mut before)?;
                launches.activate(s, activation, &before, &mut after)?;
                launches.linear(s, LinearShape { rows, inputs: hidden, outputs }, &after, second, &mut logits)?;
                launches.softmax(s, columns(outputs), &logits, &mut likely)?;
                launches.argmax(s, columns(outputs), &likely, &mut classes)?;
                launches.widen(s, &likely, &mut probabilities)
            }
        })
    }
}
