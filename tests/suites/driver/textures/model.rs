//! The sampling rules of the CUDA C++ programming guide, "Texture Fetching", computed on the host.

use half::f16;
use kernel_args::{
    texture::{AddressMode, ArrayShape, FilterMode, ReadMode, Texel, TextureOptions},
    vector::{Char2, Float2, Float4, Half2, Int4, Short2, UChar4, UInt2, UShort4},
};

/// A texel whose numbers the model knows.
pub(super) trait Numbers: Texel {
    /// The largest number, by which normalized floats are divided; `None` for floats and integers of 32 bits.
    const LARGEST: Option<f64>;
    /// Whether kernels receive `int4` or `uint4`; `None` for floats.
    const IS_SIGNED: Option<bool>;

    /// A texel with numbers from this source of bits.
    fn from_bits(bits: &mut Bits) -> Self;

    /// Its numbers; 0 for channels that it does not have.
    fn numbers(self) -> [f64; 4];
}

macro_rules! numbers {
    ($($ty:ty = [$scalar:ty; $channels:literal], $largest:expr, $is_signed:expr, |$bits:ident| $random:expr;)*) => {$(
        impl Numbers for $ty {
            const LARGEST: Option<f64> = $largest;
            const IS_SIGNED: Option<bool> = $is_signed;

            fn from_bits($bits: &mut Bits) -> Self {
                let texel: [$scalar; $channels] = std::array::from_fn(|_| $random);
                bytemuck::cast(texel)
            }

            fn numbers(self) -> [f64; 4] {
                let channels: [$scalar; $channels] = bytemuck::cast(self);
                let mut numbers = [0.0; 4];
                for (number, channel) in numbers.iter_mut().zip(channels) {
                    *number = f64::from(channel);
                }
                numbers
            }
        }
    )*};
}

numbers! {
    u8 = [u8; 1], Some(255.0), Some(false), |bits| bits.next() as u8;
    [u8; 4] = [u8; 4], Some(255.0), Some(false), |bits| bits.next() as u8;
    UChar4 = [u8; 4], Some(255.0), Some(false), |bits| bits.next() as u8;
    i8 = [i8; 1], Some(127.0), Some(true), |bits| bits.next() as i8;
    Char2 = [i8; 2], Some(127.0), Some(true), |bits| bits.next() as i8;
    u16 = [u16; 1], Some(65535.0), Some(false), |bits| bits.next() as u16;
    UShort4 = [u16; 4], Some(65535.0), Some(false), |bits| bits.next() as u16;
    i16 = [i16; 1], Some(32767.0), Some(true), |bits| bits.next() as i16;
    Short2 = [i16; 2], Some(32767.0), Some(true), |bits| bits.next() as i16;
    u32 = [u32; 1], None, Some(false), |bits| bits.next();
    UInt2 = [u32; 2], None, Some(false), |bits| bits.next();
    i32 = [i32; 1], None, Some(true), |bits| bits.next().cast_signed();
    Int4 = [i32; 4], None, Some(true), |bits| bits.next().cast_signed();
    f32 = [f32; 1], None, None, |bits| bits.small();
    [f32; 2] = [f32; 2], None, None, |bits| bits.small();
    Float2 = [f32; 2], None, None, |bits| bits.small();
    Float4 = [f32; 4], None, None, |bits| bits.small();
    f16 = [f16; 1], None, None, |bits| f16::from_f32(bits.small());
    Half2 = [f16; 2], None, None, |bits| f16::from_f32(bits.small());
}

/// Random bits: xorshift.
pub(super) struct Bits(pub(super) u32);

impl Bits {
    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number from -64 to 64 that has the same value as a `f16`.
    fn small(&mut self) -> f32 {
        f32::from((self.next() % 1025) as u16) / 8.0 - 64.0
    }
}

/// Options of a texture, as the model needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) address: [AddressMode; 3],
    pub(super) filter: FilterMode,
    pub(super) read: ReadMode,
    pub(super) is_normalized: bool,
    pub(super) is_srgb: bool,
    pub(super) border: [f32; 4],
}

impl Rules {
    pub(super) fn options(&self) -> TextureOptions {
        let options = TextureOptions::new().address(self.address).filter(self.filter).read(self.read);
        let options = if self.is_normalized { options.normalized_coordinates() } else { options };
        let options = if self.is_srgb { options.srgb() } else { options };
        if self.border.iter().any(|color| *color != 0.0) { options.border_color(self.border) } else { options }
    }

    /// Whether samples are floats.
    pub(super) fn returns_floats<T: Numbers>(&self) -> bool {
        T::IS_SIGNED.is_none() || self.read == ReadMode::NormalizedFloat
    }
}

/// Texels, and how they are sampled.
pub(super) struct Model<'a, T> {
    pub(super) shape: ArrayShape,
    pub(super) texels: &'a [T],
    pub(super) rules: Rules,
}

/// A sample, and how much the device may differ from it, for each channel.
pub(super) struct Sample {
    pub(super) value: [f64; 4],
    pub(super) tolerance: [f64; 4],
}

/// Width, height, depth; and the number of layers.
pub(super) fn sizes(shape: ArrayShape) -> ([usize; 3], usize) {
    match shape {
        ArrayShape::OneD(width) => ([width, 1, 1], 1),
        ArrayShape::TwoD([width, height]) => ([width, height, 1], 1),
        ArrayShape::ThreeD(size) => (size, 1),
        ArrayShape::Layered1D([width, layers]) => ([width, 1, 1], layers),
        ArrayShape::Layered2D([width, height, layers]) => ([width, height, 1], layers),
    }
}

/// The number of coordinates, without the layer.
pub(super) fn coordinates(shape: ArrayShape) -> usize {
    match shape {
        ArrayShape::OneD(_) | ArrayShape::Layered1D(_) => 1,
        ArrayShape::TwoD(_) | ArrayShape::Layered2D(_) => 2,
        ArrayShape::ThreeD(_) => 3,
    }
}

/// The index of the texel for an index that can be outside; `None` for the border.
fn address(mode: AddressMode, index: i64, size: i64) -> Option<i64> {
    match mode {
        AddressMode::Wrap => Some(index.rem_euclid(size)),
        AddressMode::Clamp => Some(index.clamp(0, size - 1)),
        AddressMode::Mirror => {
            let index = index.rem_euclid(2 * size);
            Some(if index < size { index } else { 2 * size - 1 - index })
        }
        AddressMode::Border => (0..size).contains(&index).then_some(index),
    }
}

impl<T: Numbers> Model<'_, T> {
    /// The value of a texel, as the texture returns it without a filter.
    fn texel(&self, [x, y, z]: [i64; 3], layer: usize) -> [f64; 4] {
        let ([width, height, depth], _) = sizes(self.shape);
        let slice = layer * depth + z as usize;
        let texel = self.texels[(slice * height + y as usize) * width + x as usize].numbers();
        match T::LARGEST {
            Some(largest) if self.rules.read == ReadMode::NormalizedFloat => {
                let mut value = texel.map(|number| (number / largest).max(-1.0));
                if self.rules.is_srgb {
                    // Not the fourth channel: IEC 61966-2-1.
                    for color in &mut value[..3] {
                        let high = ((*color + 0.055) / 1.055).powf(2.4);
                        *color = if *color <= 0.04045 { *color / 12.92 } else { high };
                    }
                }
                value
            }
            _ => texel,
        }
    }

    /// `at` is x, y, z, and the number of the layer.
    pub(super) fn sample(&self, at: [f32; 4]) -> Sample {
        let (size, _) = sizes(self.shape);
        let dimensions = coordinates(self.shape);
        let is_linear = self.rules.filter == FilterMode::Linear;
        // For each dimension the texels with their weights, and the error of the weights.
        let mut taps = [[(Some(0), 1.0), (Some(0), 0.0)]; 3];
        let mut inexact = 0.0;
        for dimension in 0..dimensions {
            let extent = size[dimension] as f64;
            let x = f64::from(at[dimension]) * if self.rules.is_normalized { extent } else { 1.0 };
            let x = if is_linear { x - 0.5 } else { x };
            let index = x.floor();
            // Fractions are fixed-point numbers with 8 bits behind the point. The guide does not specify how they are
            // rounded.
            let fraction = if is_linear { x - index } else { 0.0 };
            inexact += if (fraction * 256.0).fract() == 0.0 { 0.0 } else { 1.0 / 256.0 };
            let of = |index: f64| address(self.rules.address[dimension], index as i64, extent as i64);
            taps[dimension] = [(of(index), 1.0 - fraction), (of(index + 1.0), fraction)];
        }
        if is_linear {
            // The product of two weights is rounded too.
            inexact += (dimensions - 1) as f64 / 256.0;
        }
        let (mut value, mut low, mut high) = ([0.0; 4], [f64::MAX; 4], [f64::MIN; 4]);
        for (x, x_weight) in taps[0] {
            for (y, y_weight) in taps[1] {
                for (z, z_weight) in taps[2] {
                    let weight = x_weight * y_weight * z_weight;
                    // The rounded fraction of an inexact coordinate can include the other texel.
                    if weight == 0.0 && inexact == 0.0 {
                        continue;
                    }
                    let texel = match (x, y, z) {
                        (Some(x), Some(y), Some(z)) => self.texel([x, y, z], at[3] as usize),
                        _ => self.rules.border.map(f64::from),
                    };
                    for channel in 0..4 {
                        value[channel] += weight * texel[channel];
                        low[channel] = low[channel].min(texel[channel]);
                        high[channel] = high[channel].max(texel[channel]);
                    }
                }
            }
        }
        // The conversion to a float. The filter computes with fewer bits.
        let rounding = match (T::LARGEST, is_linear) {
            _ if !self.rules.returns_floats::<T>() => 0.0,
            // The steps of a GPU's table.
            _ if self.rules.is_srgb => 1.0 / 128.0,
            (Some(_), true) => 1.0 / 256.0,
            (None, true) => 1.0 / 512.0,
            _ => 1.0 / f64::from(1 << 17),
        };
        let tolerance = std::array::from_fn(|channel| {
            let largest = low[channel].abs().max(high[channel].abs());
            (high[channel] - low[channel]) * inexact + largest * rounding
        });
        Sample { value, tolerance }
    }
}
