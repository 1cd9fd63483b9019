//! The same computation on the host, in `f32`.

#![allow(clippy::cast_precision_loss, reason = "the numbers are below 2^24")]

use crate::Activation;

/// The number, seed and factor of uniform values.
pub type Values = (u32, u32, f32);

/// The values of the weights and the bias of both layers.
#[must_use]
pub fn layers([inputs, hidden, outputs]: [u32; 3]) -> [[Values; 2]; 2] {
    let layer = |inputs: u32, outputs: u32, seed| {
        [(inputs * outputs, seed, (inputs as f32).sqrt().recip()), (outputs, seed + 1, 0.1)]
    };
    [layer(inputs, hidden, 1), layer(hidden, outputs, 3)]
}

/// The values that the kernels `init_*` and `scale_*` write.
#[must_use]
pub fn uniform((n, seed, factor): Values) -> Vec<f32> {
    let value = |i: u32| {
        let hash = (i + 1).wrapping_mul(2_654_435_761) ^ seed;
        let hash = (hash ^ (hash >> 15)).wrapping_mul(2_246_822_519);
        let hash = (hash ^ (hash >> 13)).wrapping_mul(3_266_489_917);
        let hash = hash ^ (hash >> 16);
        factor * ((hash >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    (0..n).map(value).collect()
}

/// The probabilities of each row of `x`.
#[must_use]
pub fn forward(sizes: [u32; 3], activation: Activation, x: &[f32]) -> Vec<f32> {
    let [first, second] = layers(sizes).map(|layer| layer.map(uniform));
    let inputs = sizes[0] as usize;
    let mut probabilities = Vec::new();
    for row in x.chunks(inputs) {
        let mean = row.iter().sum::<f32>() / inputs as f32;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / inputs as f32;
        let normal: Vec<f32> = row.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt()).collect();
        let hidden: Vec<f32> = linear(&first, &normal).into_iter().map(|x| activate(activation, x)).collect();
        let logits = linear(&second, &hidden);
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = logits.iter().map(|x| (x - largest).exp()).collect();
        let total: f32 = powers.iter().sum();
        probabilities.extend(powers.iter().map(|power| power / total));
    }
    probabilities
}

fn linear([weights, bias]: &[Vec<f32>; 2], x: &[f32]) -> Vec<f32> {
    let dot = |row: &[f32]| row.iter().zip(x).map(|(w, x)| w * x).sum::<f32>();
    weights.chunks(x.len()).zip(bias).map(|(row, bias)| bias + dot(row)).collect()
}

fn activate(activation: Activation, x: f32) -> f32 {
    match activation {
        Activation::Relu => x.max(0.0),
        Activation::Gelu => 0.5 * x * (1.0 + erf(x / std::f32::consts::SQRT_2)),
    }
}

/// The error function, within 2e-7: Abramowitz and Stegun, 7.1.26.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let polynomial = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - polynomial * (-x * x).exp()).copysign(x)
}
