//! The same model on the host, in `f32`, with values rounded where the kernels store `bf16`.

#![allow(clippy::cast_precision_loss, reason = "the numbers are below 2^24")]

use crate::{
    Result,
    model::{Config, Random, Weights},
    tensor::EPSILON,
};
use half::bf16;

type Vector = Vec<f32>;

/// A model on the host, and the keys and values of its tokens.
pub struct Reference {
    config: Config,
    weights: Weights<Vector>,
    /// For each layer; a row of all heads for each token.
    caches: Vec<[Vec<Vector>; 2]>,
}

impl Reference {
    pub fn random(config: Config) -> Result<Self> {
        let weights = Weights::random(&config, |w| Ok(random(w)))?;
        Ok(Self { config, weights, caches: (0..config.layers).map(|_| Default::default()).collect() })
    }

    /// The logits after `token`.
    pub fn step(&mut self, token: u32) -> Vector {
        let Config { hidden, heads, kv_heads, head_size, rope_base, .. } = self.config;
        let [hidden, size, group] = [hidden, head_size, heads / kv_heads].map(|n| n as usize);
        let mut x = self.weights.embedding[token as usize * hidden..][..hidden].to_vec();
        for (layer, [keys, values]) in self.weights.layers.iter().zip(&mut self.caches) {
            let normal = normalized(&x, &layer.input_norm);
            let linear = |w, bias: &Vector| zip(&product(w, &normal), bias, |a, b| a + b);
            let angles = angles(keys.len(), size, rope_base);
            let q = rotated(&linear(&layer.q, &layer.q_bias), &angles);
            keys.push(rotated(&linear(&layer.k, &layer.k_bias), &angles));
            values.push(linear(&layer.v, &layer.v_bias));
            let attention = q.chunks(size).enumerate().flat_map(|(head, q)| {
                let of_head = |row: &Vector| row[head / group * size..][..size].to_vec();
                let keys: Vector = keys.iter().flat_map(of_head).collect();
                let scores = softmax(&product(&keys, q), (size as f32).sqrt().recip());
                let values: Vec<Vector> = values.iter().map(of_head).collect();
                let column = |i| scores.iter().zip(&values).map(|(score, value)| score * value[i]).sum();
                (0..size).map(|i| rounded(column(i))).collect::<Vector>()
            });
            let attention: Vector = attention.collect();
            x = zip(&x, &product(&layer.o, &attention), |a, b| a + b);
            let normal = normalized(&x, &layer.mlp_norm);
            let gate: Vector = product(&layer.gate, &normal).iter().map(|x| rounded(x / (1.0 + (-x).exp()))).collect();
            let inner = zip(&gate, &product(&layer.up, &normal), |a, b| a * b);
            x = zip(&x, &product(&layer.down, &inner), |a, b| a + b);
        }
        product(&self.weights.head, &normalized(&x, &self.weights.norm))
    }
}

/// `weights * x`, where `weights` has a row for each value of the result.
fn product(weights: &[f32], x: &[f32]) -> Vector {
    weights.chunks(x.len()).map(|row| rounded(row.iter().zip(x).map(|(w, x)| w * x).sum())).collect()
}

fn zip(x: &[f32], y: &[f32], operation: impl Fn(f32, f32) -> f32) -> Vector {
    x.iter().zip(y).map(|(x, y)| rounded(operation(*x, *y))).collect()
}

fn normalized(x: &[f32], weights: &[f32]) -> Vector {
    let mean = x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32;
    let normal: Vector = x.iter().map(|x| rounded(x / (mean + EPSILON).sqrt())).collect();
    zip(&normal, weights, |x, w| x * w)
}

fn softmax(x: &[f32], factor: f32) -> Vector {
    let x: Vector = x.iter().map(|x| rounded(factor * x)).collect();
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vector = x.iter().map(|x| (x - largest).exp()).collect();
    let total: f32 = powers.iter().sum();
    powers.iter().map(|power| rounded(power / total)).collect()
}

/// The cosine and sine of each pair of a head's elements.
fn angles(position: usize, size: usize, base: f32) -> Vec<[f32; 2]> {
    let angle = |i: usize| position as f32 * base.powf(-2.0 * i as f32 / size as f32);
    (0..size / 2).map(|i| [angle(i).cos(), angle(i).sin()]).collect()
}

fn rotated(x: &[f32], angles: &[[f32; 2]]) -> Vector {
    let of_head = |x: &[f32]| {
        let (first, second) = x.split_at(angles.len());
        let pairs = || first.iter().zip(second).zip(angles);
        let firsts = pairs().map(|((a, b), [cos, sin])| rounded(a * cos - b * sin));
        firsts.chain(pairs().map(|((a, b), [cos, sin])| rounded(b * cos + a * sin))).collect::<Vector>()
    };
    x.chunks(2 * angles.len()).flat_map(of_head).collect()
}

fn random(Random { shape: [rows, columns], seed, offset, scale }: Random) -> Vector {
    let value = |i: u32| {
        let hash = (i + 1).wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(2_246_822_519);
        let hash = (hash ^ (hash >> 15)).wrapping_mul(2_246_822_519);
        let hash = (hash ^ (hash >> 13)).wrapping_mul(3_266_489_917);
        let hash = hash ^ (hash >> 16);
        rounded(offset + scale * ((hash >> 8) as f32 / 8_388_608.0 - 1.0))
    };
    (0..rows * columns).map(value).collect()
}

fn rounded(x: f32) -> f32 {
    bf16::from_f32(x).to_f32()
}
