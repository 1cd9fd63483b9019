//! Tensors and their operations. Each operation allocates its result, or changes a tensor that it owns.

use crate::{
    Result,
    device::{Device, Element, add},
    kernels::{
        Angles, Append, Binary, ByRow, CacheShape, Embed, Enlarge, Fill, Gemm, GemmShape, InPlace, Largest, Narrow,
        Normalize, OfRows, Rotate, Rows, Scale, Select, Silu, Square, Widen,
    },
};
use half::bf16;
use kernel_args::{launch, sequence::Memory};
use std::rc::Rc;

const BLOCK: u32 = 256;
/// Is added to the mean square of a row.
pub const EPSILON: f32 = 1e-6;

/// A matrix in device memory.
pub struct Tensor<T: Element> {
    device: Rc<Device>,
    memory: Memory<T>,
    shape: Rows,
}

/// Launches the kernel `$kernel` of the device, with these arguments.
macro_rules! run {
    ($device:expr, $kernel:ident, $grid:expr, $arguments:expr) => {{
        let device = &$device;
        add(&device.counts.launches, 1);
        // SAFETY: each operation compares the shapes of its tensors, whose memory has the length of their shape. The
        // kernel accesses only elements within the shape.
        unsafe {
            match &*device.run() {
                Some(run) => launch!(device.kernels.$kernel, $grid, BLOCK, $arguments, stream = run)?,
                None => launch!(device.kernels.$kernel, $grid, BLOCK, $arguments, stream = &device.stream)?,
            }
        }
        device.launched();
    }};
}

fn blocks(n: u32) -> u32 {
    n.div_ceil(BLOCK)
}

/// An error if the shapes of an operation do not fit.
fn require(fits: bool, operation: &str, a: Rows, b: Rows) -> Result {
    if fits { Ok(()) } else { Err(format!("{operation}: {a:?} and {b:?} do not fit").into()) }
}

impl<T: Element> Tensor<T> {
    fn with(device: &Rc<Device>, shape: Rows) -> Result<Self> {
        let memory = device.alloc(shape.rows as usize * shape.stride as usize)?;
        Ok(Self { device: device.clone(), memory, shape })
    }

    fn new(device: &Rc<Device>, rows: u32, columns: u32) -> Result<Self> {
        Self::with(device, Rows { rows, columns, stride: columns })
    }

    fn len(&self) -> u32 {
        self.shape.rows * self.shape.stride
    }

    /// The memory, for copies.
    pub fn memory(&self) -> &Memory<T> {
        &self.memory
    }

    /// The same elements as `rows` rows.
    pub fn reshaped(mut self, rows: u32) -> Result<Self> {
        let (n, shape) = (self.len(), self.shape);
        let columns = n / rows;
        self.shape = Rows { rows, columns, stride: columns };
        require(shape.columns == shape.stride && rows * columns == n, "reshaped", shape, self.shape)?;
        Ok(self)
    }
}

impl Tensor<bf16> {
    /// Pseudorandom values in `[offset - scale, offset + scale)`.
    pub fn random(device: &Rc<Device>, [rows, columns]: [u32; 2], seed: u32, offset: f32, scale: f32) -> Result<Self> {
        let mut out = Self::new(device, rows, columns)?;
        let n = out.len();
        run!(device, fill, blocks(n), Fill { n, seed, offset, scale, out: &mut out.memory });
        Ok(out)
    }

    /// The row of this table for a token.
    pub fn embedding(&self, token: &Tensor<u32>) -> Result<Self> {
        let shape = self.shape;
        let mut out = Self::new(&self.device, 1, shape.columns)?;
        let arguments = Embed { shape, token: &token.memory, table: &self.memory, out: &mut out.memory };
        run!(self.device, embed, blocks(shape.columns), arguments);
        Ok(out)
    }

    fn widened(&self) -> Result<Tensor<f32>> {
        let mut out = Tensor::with(&self.device, self.shape)?;
        let n = out.len();
        run!(self.device, widen, blocks(n), Widen { n, x: &self.memory, out: &mut out.memory });
        Ok(out)
    }

    /// Divides each row by the root of its mean square, and multiplies it by `weights`.
    pub fn normalized(&self, weights: &Self) -> Result<Self> {
        let x = self.widened()?;
        let mean = x.squared()?.mean_of_rows()?;
        x.divided_by_root(&mean)?.narrowed()?.multiplied(weights)
    }

    /// `self * weights^T`
    pub fn linear(&self, weights: &Self) -> Result<Self> {
        let (x, w) = (self.shape, weights.shape);
        require(x.columns == w.columns, "linear", x, w)?;
        let mut out = Self::new(&self.device, x.rows, w.rows)?;
        let shape = GemmShape {
            batches: 1,
            rows: x.rows,
            columns: w.rows,
            inner: x.columns,
            x_batch: 0,
            x_row: x.stride,
            w_batch: 0,
            w_column: w.stride,
            w_inner: 1,
            out_batch: 0,
            out_row: out.shape.stride,
        };
        out.product(shape, self, weights)?;
        Ok(out)
    }

    /// Stores a product, of cuBLAS or of a kernel.
    fn product(&mut self, shape: GemmShape, x: &Self, w: &Self) -> Result {
        // SAFETY: the shape is the shape of these tensors.
        if unsafe { !self.device.gemm(shape, &x.memory, &w.memory, &mut self.memory)? } {
            // A warp for each element.
            let grid = (blocks(shape.columns * 32), shape.rows, shape.batches);
            run!(self.device, gemm, grid, Gemm { shape, x: &x.memory, w: &w.memory, out: &mut self.memory });
        }
        Ok(())
    }

    /// Adds `y`, in place.
    pub fn biased(mut self, y: &Self) -> Result<Self> {
        require(self.shape == y.shape, "biased", self.shape, y.shape)?;
        let n = self.len();
        run!(self.device, add_in_place, blocks(n), InPlace { n, x: &mut self.memory, y: &y.memory });
        Ok(self)
    }

    fn multiplied(mut self, y: &Self) -> Result<Self> {
        require(self.shape == y.shape, "multiplied", self.shape, y.shape)?;
        let n = self.len();
        run!(self.device, multiply_in_place, blocks(n), InPlace { n, x: &mut self.memory, y: &y.memory });
        Ok(self)
    }

    pub fn plus(&self, y: &Self) -> Result<Self> {
        require(self.shape == y.shape, "plus", self.shape, y.shape)?;
        let mut out = Self::with(&self.device, self.shape)?;
        let n = self.len();
        run!(self.device, add, blocks(n), Binary { n, x: &self.memory, y: &y.memory, out: &mut out.memory });
        Ok(out)
    }

    pub fn times(&self, y: &Self) -> Result<Self> {
        require(self.shape == y.shape, "times", self.shape, y.shape)?;
        let mut out = Self::with(&self.device, self.shape)?;
        let n = self.len();
        run!(self.device, multiply, blocks(n), Binary { n, x: &self.memory, y: &y.memory, out: &mut out.memory });
        Ok(out)
    }

    /// `x / (1 + exp(-x))`
    pub fn silu(&self) -> Result<Self> {
        let mut out = Self::with(&self.device, self.shape)?;
        let n = self.len();
        run!(self.device, silu, blocks(n), Silu { n, x: &self.memory, out: &mut out.memory });
        Ok(out)
    }

    /// Multiplies by `factor`, in place.
    fn scaled(mut self, factor: f32) -> Result<Self> {
        let n = self.len();
        run!(self.device, scale, blocks(n), Scale { n, factor, x: &mut self.memory });
        Ok(self)
    }

    /// The rotary embedding of a position, for a row per head.
    pub fn rotated(&self, angles: &Tensor<f32>) -> Result<Self> {
        let shape = self.shape;
        let is_even = shape.columns.is_multiple_of(2) && shape.columns == shape.stride;
        require(is_even && shape.columns == angles.shape.columns, "rotated", shape, angles.shape)?;
        let mut out = Self::with(&self.device, shape)?;
        let arguments = Rotate { shape, angles: &angles.memory, x: &self.memory, out: &mut out.memory };
        run!(self.device, rotate, blocks(shape.rows * shape.columns / 2), arguments);
        Ok(out)
    }

    /// The probabilities of each row of `self * factor`.
    fn softmax(self, factor: f32) -> Result<Self> {
        let x = self.scaled(factor)?.widened()?;
        let largest = x.max_of_rows()?;
        let x = x.exponential(&largest)?;
        let total = x.sum_of_rows()?;
        x.divided(&total)?.narrowed()
    }

    /// The attention of these queries, a row per head, over the tokens of a cache. Adjacent heads share the keys and
    /// values of one head of the cache. Matrices are as if a multiple of `rounding` tokens existed, whose keys and
    /// values are 0 and whose probabilities are 0.
    pub fn attention(&self, keys: &Cached, values: &Cached, rounding: u32) -> Result<Self> {
        let Rows { rows: heads, columns: size, stride } = self.shape;
        let cache = keys.shape;
        let fits = keys.shape == values.shape && cache.size == size && stride == size && heads % cache.heads == 0;
        require(fits, "attention", self.shape, keys.tensor.shape)?;
        let (group, tokens) = (heads / cache.heads, keys.tokens);
        let row = tokens.next_multiple_of(rounding).min(cache.capacity);
        let mut scores = Self::with(&self.device, Rows { rows: heads, columns: tokens, stride: row })?;
        let of_cache = cache.capacity * size;
        let shape = GemmShape {
            batches: cache.heads,
            rows: group,
            columns: row,
            inner: size,
            x_batch: group * size,
            x_row: size,
            w_batch: of_cache,
            w_column: size,
            w_inner: 1,
            out_batch: group * row,
            out_row: row,
        };
        scores.product(shape, self, &keys.tensor)?;
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let scores = scores.softmax((size as f32).sqrt().recip())?;
        let mut out = Self::new(&self.device, heads, size)?;
        let shape = GemmShape {
            columns: size,
            inner: row,
            x_batch: group * row,
            x_row: row,
            w_column: 1,
            w_inner: size,
            out_batch: group * size,
            out_row: size,
            ..shape
        };
        out.product(shape, &scores, &values.tensor)?;
        Ok(out)
    }

    /// Stores the column of the largest value of a row in `index`.
    pub fn argmax(&self, index: &mut Tensor<u32>) -> Result {
        let n = self.len();
        let blocks = n.div_ceil(4 * BLOCK);
        let mut best = Tensor::<u64>::new(&self.device, 1, blocks)?;
        run!(self.device, largest, blocks, Largest { n, x: &self.memory, out: &mut best.memory });
        let arguments = Select { n: blocks, best_of_blocks: &best.memory, index: &mut index.memory };
        run!(self.device, select, 1, arguments);
        Ok(())
    }
}

impl Tensor<u32> {
    /// One number.
    pub fn number(device: &Rc<Device>, value: u32) -> Result<Self> {
        let mut out = Self::new(device, 1, 1)?;
        device.stream.memcpy_htod(&[value], &mut *out.memory)?;
        Ok(out)
    }
}

impl Tensor<f32> {
    /// The cosines and sines of the rotary embedding of a position, for heads of this size.
    pub fn angles(device: &Rc<Device>, position: u32, size: u32, base: f32) -> Result<Self> {
        let mut out = Self::new(device, 1, size)?;
        let (pairs, log2_base) = (size / 2, base.log2());
        run!(device, angles, blocks(pairs), Angles { pairs, position, log2_base, out: &mut out.memory });
        Ok(out)
    }

    fn narrowed(&self) -> Result<Tensor<bf16>> {
        let mut out = Tensor::with(&self.device, self.shape)?;
        let n = out.len();
        run!(self.device, narrow, blocks(n), Narrow { n, x: &self.memory, out: &mut out.memory });
        Ok(out)
    }

    fn squared(&self) -> Result<Self> {
        let mut out = Self::with(&self.device, self.shape)?;
        let n = out.len();
        run!(self.device, square, blocks(n), Square { n, x: &self.memory, out: &mut out.memory });
        Ok(out)
    }

    fn mean_of_rows(&self) -> Result<Self> {
        let mut out = Self::new(&self.device, self.shape.rows, 1)?;
        let arguments = OfRows { shape: self.shape, x: &self.memory, out: &mut out.memory };
        run!(self.device, row_mean, self.shape.rows, arguments);
        Ok(out)
    }

    fn sum_of_rows(&self) -> Result<Self> {
        let mut out = Self::new(&self.device, self.shape.rows, 1)?;
        let arguments = OfRows { shape: self.shape, x: &self.memory, out: &mut out.memory };
        run!(self.device, row_sum, self.shape.rows, arguments);
        Ok(out)
    }

    fn max_of_rows(&self) -> Result<Self> {
        let mut out = Self::new(&self.device, self.shape.rows, 1)?;
        let arguments = OfRows { shape: self.shape, x: &self.memory, out: &mut out.memory };
        run!(self.device, row_max, self.shape.rows, arguments);
        Ok(out)
    }

    fn divided_by_root(mut self, mean: &Self) -> Result<Self> {
        let (shape, epsilon) = (self.shape, EPSILON);
        let arguments = Normalize { shape, epsilon, mean: &mean.memory, x: &mut self.memory };
        run!(self.device, normalize, (blocks(shape.stride), shape.rows), arguments);
        Ok(self)
    }

    fn exponential(mut self, largest: &Self) -> Result<Self> {
        let shape = self.shape;
        let arguments = ByRow { shape, of_row: &largest.memory, x: &mut self.memory };
        run!(self.device, exponential, (blocks(shape.stride), shape.rows), arguments);
        // From here on, the columns without a token are 0.
        self.shape.columns = shape.stride;
        Ok(self)
    }

    fn divided(mut self, total: &Self) -> Result<Self> {
        let shape = self.shape;
        let arguments = ByRow { shape, of_row: &total.memory, x: &mut self.memory };
        run!(self.device, divide, (blocks(shape.stride), shape.rows), arguments);
        Ok(self)
    }
}

/// The keys or the values of the tokens so far, `[heads][capacity][size]`. It grows.
pub struct Cached {
    tensor: Tensor<bf16>,
    shape: CacheShape,
    tokens: u32,
    /// The tokens for which there is one more allocation.
    block: u32,
}

impl Cached {
    pub fn new(device: &Rc<Device>, heads: u32, size: u32, block: u32) -> Result<Self> {
        let shape = CacheShape { heads, capacity: block, size };
        let tensor = Tensor::random(device, [heads * block, size], 0, 0.0, 0.0)?;
        Ok(Self { tensor, shape, tokens: 0, block })
    }

    /// Appends a token, a row per head.
    pub fn append(&mut self, x: &Tensor<bf16>) -> Result {
        let fits =
            (x.shape.rows, x.shape.columns, x.shape.stride) == (self.shape.heads, self.shape.size, self.shape.size);
        require(fits, "append", x.shape, self.tensor.shape)?;
        if self.tokens == self.shape.capacity {
            self.enlarge()?;
        }
        let (shape, position) = (self.shape, self.tokens);
        let arguments = Append { shape, position, x: &x.memory, cache: &mut self.tensor.memory };
        run!(x.device, append, blocks(x.len()), arguments);
        self.tokens += 1;
        Ok(())
    }

    fn enlarge(&mut self) -> Result {
        let from = self.shape;
        let capacity = from.capacity + self.block;
        let device = self.tensor.device.clone();
        let mut out = Tensor::new(&device, from.heads * capacity, from.size)?;
        let n = out.len();
        let arguments = Enlarge { from, capacity, x: &self.tensor.memory, out: &mut out.memory };
        run!(device, enlarge, blocks(n), arguments);
        self.shape.capacity = capacity;
        self.tensor = out;
        Ok(())
    }
}
