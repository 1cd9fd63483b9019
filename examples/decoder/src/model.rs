//! A decoder as in Llama and Qwen: it knows tensors, and nothing of streams, graphs and allocations.

use crate::{
    Result,
    device::Device,
    tensor::{Cached, Tensor},
};
use half::bf16;
use std::rc::Rc;

/// The sizes of a model.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub layers: u32,
    pub hidden: u32,
    /// Heads of queries.
    pub heads: u32,
    /// Heads of keys and values: each is shared by `heads / kv_heads` adjacent heads.
    pub kv_heads: u32,
    pub head_size: u32,
    pub intermediate: u32,
    pub vocabulary: u32,
    pub rope_base: f32,
    /// A cache has capacity for this number of tokens, and grows by it.
    pub cache_block: u32,
    /// Matrices are multiplied as for a multiple of this number of tokens, so cuBLAS gets another shape only after as
    /// many tokens. A multiple of 8: cuBLAS prefers rows that begin at multiples of 16 bytes.
    pub rounding: u32,
}

/// The parameters of random weights.
#[derive(Clone, Copy)]
pub struct Random {
    pub shape: [u32; 2],
    pub seed: u32,
    pub offset: f32,
    pub scale: f32,
}

/// The weights of a layer. `W` is a tensor, or a vector in the reference.
pub struct Layer<W> {
    pub input_norm: W,
    pub q: W,
    pub q_bias: W,
    pub k: W,
    pub k_bias: W,
    pub v: W,
    pub v_bias: W,
    pub o: W,
    pub mlp_norm: W,
    pub gate: W,
    pub up: W,
    pub down: W,
}

/// All weights of a model.
pub struct Weights<W> {
    pub embedding: W,
    pub layers: Vec<Layer<W>>,
    pub norm: W,
    pub head: W,
}

impl<W> Weights<W> {
    /// Makes each weight with `make`, from a seed of its own.
    pub fn random(config: &Config, make: impl Fn(Random) -> Result<W>) -> Result<Self> {
        let mut seed = 0;
        let mut next = |shape, offset, scale| {
            seed += 1;
            make(Random { shape, seed, offset, scale })
        };
        let c = *config;
        let (q, kv) = (c.heads * c.head_size, c.kv_heads * c.head_size);
        // A matrix keeps the mean square of a vector.
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let scale = |inputs: u32| (3.0 / inputs as f32).sqrt();
        let layers = (0..c.layers).map(|_| {
            Ok(Layer {
                input_norm: next([1, c.hidden], 1.0, 0.2)?,
                q: next([q, c.hidden], 0.0, 2.0 * scale(c.hidden))?,
                q_bias: next([1, q], 0.0, 0.2)?,
                k: next([kv, c.hidden], 0.0, 2.0 * scale(c.hidden))?,
                k_bias: next([1, kv], 0.0, 0.2)?,
                v: next([kv, c.hidden], 0.0, scale(c.hidden))?,
                v_bias: next([1, kv], 0.0, 0.2)?,
                o: next([c.hidden, q], 0.0, scale(q))?,
                mlp_norm: next([1, c.hidden], 1.0, 0.2)?,
                gate: next([c.intermediate, c.hidden], 0.0, scale(c.hidden))?,
                up: next([c.intermediate, c.hidden], 0.0, scale(c.hidden))?,
                down: next([c.hidden, c.intermediate], 0.0, scale(c.intermediate))?,
            })
        });
        Ok(Self {
            layers: layers.collect::<Result<_>>()?,
            embedding: next([c.vocabulary, c.hidden], 0.0, 1.0)?,
            norm: next([1, c.hidden], 1.0, 0.2)?,
            head: next([c.vocabulary, c.hidden], 0.0, scale(c.hidden))?,
        })
    }
}

/// The first token.
pub const BEGIN: u32 = 1;

/// A model with its weights, and the tokens so far.
pub struct Model {
    config: Config,
    weights: Weights<Tensor<bf16>>,
    caches: Vec<[Cached; 2]>,
    position: u32,
    /// The last token, in device memory.
    pub token: Tensor<u32>,
}

impl Model {
    /// A model that continues [`BEGIN`].
    pub fn random(device: &Rc<Device>, config: Config) -> Result<Self> {
        let make = |w: Random| Tensor::random(device, w.shape, w.seed, w.offset, w.scale);
        let cache = || Cached::new(device, config.kv_heads, config.head_size, config.cache_block);
        let caches = (0..config.layers).map(|_| Ok([cache()?, cache()?]));
        Ok(Self {
            config,
            weights: Weights::random(&config, make)?,
            caches: caches.collect::<Result<_>>()?,
            position: 0,
            token: Tensor::number(device, BEGIN)?,
        })
    }

    /// Replaces the token by the next one.
    pub fn step(&mut self, device: &Rc<Device>) -> Result {
        let Config { heads, kv_heads, head_size, rope_base, rounding, .. } = self.config;
        let angles = Tensor::angles(device, self.position, head_size, rope_base)?;
        let mut x = self.weights.embedding.embedding(&self.token)?;
        for (layer, [keys, values]) in self.weights.layers.iter().zip(&mut self.caches) {
            let normal = x.normalized(&layer.input_norm)?;
            let q = normal.linear(&layer.q)?.biased(&layer.q_bias)?.reshaped(heads)?.rotated(&angles)?;
            let k = normal.linear(&layer.k)?.biased(&layer.k_bias)?.reshaped(kv_heads)?.rotated(&angles)?;
            let v = normal.linear(&layer.v)?.biased(&layer.v_bias)?.reshaped(kv_heads)?;
            keys.append(&k)?;
            values.append(&v)?;
            let attention = q.attention(keys, values, rounding)?.reshaped(1)?;
            x = x.plus(&attention.linear(&layer.o)?)?;
            let normal = x.normalized(&layer.mlp_norm)?;
            let gate = normal.linear(&layer.gate)?.silu()?;
            let inner = gate.times(&normal.linear(&layer.up)?)?;
            x = x.plus(&inner.linear(&layer.down)?)?;
        }
        x.normalized(&self.weights.norm)?.linear(&self.weights.head)?.argmax(&mut self.token)?;
        self.position += 1;
        Ok(())
    }
}
