//! Textures and surfaces (PTX ISA, 9.7.10; CUDA C++ programming guide, "Texture Fetching").

use super::{
    Kind,
    code::{Op, Source, Space},
    decode::{Decoder, attempt},
    float::{F16, F32},
    step::{Step, Stop, fault},
    types::{LANES, Type, each, extend, low},
    words::Words,
};
use crate::ptx::Operand;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Sample,
    Load,
    Store,
}

/// A texture instruction.
struct Fetch {
    action: Action,
    dimensions: usize,
    /// The first coordinate is the layer.
    is_layered: bool,
    /// The type of the elements, or of the result.
    kind: Type,
    /// Whether coordinates are integers.
    is_index: bool,
    object: Source,
    coordinates: Vec<Source>,
    to: Vec<u32>,
    from: Vec<Source>,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Unsigned,
    Signed,
    Float,
}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// `CUaddress_mode` of each dimension.
    pub(crate) address: [u32; 3],
    pub(crate) linear: bool,
    /// Integers stay integers.
    pub(crate) as_integer: bool,
    pub(crate) normalized: bool,
    pub(crate) srgb: bool,
    pub(crate) border: [f32; 4],
}

/// The memory of a texture or a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    pub(crate) address: u64,
    /// Width, height, and depth or layers, in texels.
    pub(crate) size: [usize; 3],
    /// The bytes of a row.
    pub(crate) pitch: usize,
    pub(crate) channel: Channel,
    pub(crate) bits: u32,
    pub(crate) channels: usize,
    /// `None` for a surface.
    pub(crate) sampling: Option<Sampling>,
}

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let root = words.part(0)?;
    let (dimensions, is_layered) = match words.any(&["1d", "2d", "3d", "a1d", "a2d"])? {
        "1d" => (1, false),
        "2d" => (2, false),
        "3d" => (3, false),
        "a1d" => (1, true),
        _ => (2, true),
    };
    let kinds = words.kinds();
    let action = match root {
        "tex" if words.any(&["level", "grad", "base"]).is_none() => Action::Sample,
        "suld" if words.has("b") => Action::Load,
        "sust" if words.has("b") => Action::Store,
        _ => return None,
    };
    let (values, address) = match action {
        Action::Store => (operands.get(1)?, operands.first()?),
        _ => (operands.first()?, operands.get(1)?),
    };
    let Operand::Address(Some(name), 0, coordinates) = address else { return None };
    let ([list], 2) = (coordinates.as_slice(), operands.len()) else { return None };
    let object = decoder.from(&Operand::Name(name.clone(), 0), Type::U64)?;
    let coordinates = decoder.sources(list, Type::U32)?;
    let kind = *kinds.first()?;
    let (to, from) = match action {
        Action::Store => (Vec::new(), decoder.sources(values, kind)?),
        _ => (decoder.slots(values)?, Vec::new()),
    };
    if coordinates.len() < dimensions + usize::from(is_layered) || matches!(kind, Type::F16 | Type::F16x2) {
        return None;
    }
    if action == Action::Store {
        decoder.is_ordered();
    }
    let is_index = kinds.get(1) == Some(&Type::S32);
    let fetch = Fetch { action, dimensions, is_layered, kind, is_index, object, coordinates, to, from };
    attempt(move |step| step.texture(&fetch))
}

/// Returns the index of a texel; `None` outside, where the border is.
fn index(mode: u32, at: f64, size: usize) -> Option<usize> {
    let (at, size) = (at as i64, size as i64);
    let inside = match mode {
        0 => at.rem_euclid(size),
        2 => {
            let turn = at.rem_euclid(2 * size);
            if turn < size { turn } else { 2 * size - 1 - turn }
        }
        1 => at.clamp(0, size - 1),
        _ if (0..size).contains(&at) => at,
        _ => return None,
    };
    Some(inside as usize)
}

impl Image {
    fn texel(&self) -> usize {
        self.bits as usize / 8 * self.channels
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> u64 {
        let row = z * self.size[1].max(1) + y;
        self.address + (row * self.pitch + x * self.texel()) as u64
    }

    /// Returns a channel as a number.
    fn number(&self, bits: u64, component: usize) -> f64 {
        let kind = if self.bits == 8 { Type::S8 } else { Type::S16 };
        let sampling = self.sampling.filter(|sampling| !sampling.as_integer && self.bits < 32);
        match (self.channel, self.bits) {
            (Channel::Float, 16) => F16.decode(bits),
            (Channel::Float, _) => F32.decode(bits),
            (Channel::Unsigned, size) => match sampling {
                None => bits as f64,
                Some(sampling) => {
                    let color = bits as f64 / low(size) as f64;
                    match (sampling.srgb && component < 3, color <= 0.04045) {
                        (false, _) => color,
                        (true, true) => color / 12.92,
                        (true, false) => ((color + 0.055) / 1.055).powf(2.4),
                    }
                }
            },
            (Channel::Signed, 32) => f64::from(bits as i32),
            (Channel::Signed, size) => {
                let value = extend(bits, kind).cast_signed() as f64;
                if sampling.is_some() { (value / low(size - 1) as f64).max(-1.0) } else { value }
            }
        }
    }
}

impl Step<'_, '_> {
    fn texture(&mut self, fetch: &Fetch) -> Result<(), Stop> {
        let objects = *self.source(fetch.object);
        let coordinates: Vec<_> = fetch.coordinates.iter().map(|source| *self.source(*source)).collect();
        let values: Vec<_> = fetch.from.iter().map(|source| *self.source(*source)).collect();
        let mut results = [[0; LANES]; 4];
        for lane in each(self.mask) {
            let Some(image) = self.worker.launch.textures.0.get(&objects[lane]).copied() else {
                return Err(fault(Kind::Address, lane));
            };
            let at: Vec<u32> = coordinates.iter().map(|lanes| lanes[lane] as u32).collect();
            let (layer, rest) = if fetch.is_layered { (at[0] as usize, &at[1..]) } else { (0, &at[..]) };
            let layer = layer.min(image.size[2].max(1) - 1);
            match fetch.action {
                Action::Sample => {
                    let sample = self.sample(fetch, &image, layer, rest, lane)?;
                    for (result, value) in results.iter_mut().zip(sample) {
                        result[lane] = value;
                    }
                }
                Action::Load | Action::Store => {
                    let value = |index: usize| values.get(index).map_or(0, |lanes| lanes[lane]);
                    let size = fetch.kind.bytes();
                    let count = fetch.to.len() + fetch.from.len();
                    let Some(place) = surface(fetch, &image, layer, rest, size as usize * count) else {
                        return Err(fault(Kind::Trap, lane));
                    };
                    for element in 0..count {
                        let address = place + u64::from(size) * element as u64;
                        match fetch.action {
                            Action::Load => {
                                results[element][lane] = self.read(Space::Global, address, size, lane)?;
                            }
                            _ => self.put(Space::Global, address, size, lane, value(element))?,
                        }
                    }
                }
            }
        }
        for (slot, result) in fetch.to.iter().zip(&results) {
            self.write(*slot, result);
        }
        Ok(())
    }

    /// Returns the channels of a texel.
    fn channels(&mut self, image: &Image, at: [usize; 3], lane: usize) -> Result<[u64; 4], Stop> {
        let size = image.bits / 8;
        let mut channels = [0; 4];
        for (index, channel) in channels.iter_mut().enumerate().take(image.channels) {
            let address = image.place(at) + u64::from(size) * index as u64;
            *channel = self.read(Space::Global, address, size, lane)?;
        }
        Ok(channels)
    }

    fn sample(
        &mut self,
        fetch: &Fetch,
        image: &Image,
        layer: usize,
        at: &[u32],
        lane: usize,
    ) -> Result<[u64; 4], Stop> {
        let Some(sampling) = image.sampling else { return Err(fault(Kind::Trap, lane)) };
        let blends = sampling.linear && !fetch.is_index;
        // For each dimension, two texels and the weight of the second.
        let mut taps = [([Some(0); 2], 0.0); 3];
        for (dimension, tap) in taps.iter_mut().enumerate().take(fetch.dimensions) {
            let size = image.size[dimension].max(1);
            if fetch.is_index {
                // Outside of memory it is zero.
                *tap = ([index(3, f64::from(at[dimension].cast_signed()), size); 2], 0.0);
                continue;
            }
            let coordinate = f64::from(f32::from_bits(at[dimension]));
            let scaled = if sampling.normalized { coordinate * size as f64 } else { coordinate };
            let scaled = if blends { scaled - 0.5 } else { scaled };
            let first = scaled.floor();
            // Fractions have 8 bits.
            let weight = if blends { ((scaled - first) * 256.0).round() / 256.0 } else { 0.0 };
            let mode = match sampling.address[dimension] {
                // In texels, coordinates are not repeated.
                0 | 2 if !sampling.normalized => 1,
                mode => mode,
            };
            *tap = ([index(mode, first, size), index(mode, first + 1.0, size)], weight);
        }
        if fetch.is_layered {
            taps[2] = ([Some(layer); 2], 0.0);
        }
        let mut sum = [0.0; 4];
        let mut raw = [0; 4];
        for corner in 0..8usize {
            let pick = |dimension: usize| corner >> dimension & 1;
            let weight: f64 = (0..3)
                .map(|dimension| if pick(dimension) == 1 { taps[dimension].1 } else { 1.0 - taps[dimension].1 })
                .product();
            if weight == 0.0 {
                continue;
            }
            let place = [0, 1, 2].map(|dimension| taps[dimension].0[pick(dimension)]);
            let numbers = if let [Some(x), Some(y), Some(z)] = place {
                raw = self.channels(image, [x, y, z], lane)?;
                std::array::from_fn(|component| match component < image.channels {
                    true => image.number(raw[component], component),
                    false => 0.0,
                })
            } else if fetch.is_index {
                [0.0; 4]
            } else {
                sampling.border.map(f64::from)
            };
            for (total, number) in sum.iter_mut().zip(numbers) {
                *total += weight * number;
            }
        }
        Ok(std::array::from_fn(|component| converted(image, fetch.kind, sum[component], raw[component])))
    }
}

/// Returns a result: a float, or the bits of an integer.
fn converted(image: &Image, kind: Type, number: f64, bits: u64) -> u64 {
    match (kind, image.channel) {
        (Type::F32, _) => u64::from((number as f32).to_bits()),
        (_, Channel::Float) => bits,
        // A border is zero.
        _ => (number as i64).cast_unsigned() & low(32),
    }
}

/// Returns the address of `bytes` bytes of a surface. Its x coordinate is in bytes.
fn surface(fetch: &Fetch, image: &Image, layer: usize, at: &[u32], bytes: usize) -> Option<u64> {
    let y = if fetch.dimensions > 1 { at[1] as usize } else { 0 };
    let z = if fetch.dimensions > 2 { at[2] as usize } else { layer };
    let x = at[0] as usize;
    let inside = x + bytes <= image.size[0] * image.texel() && y < image.size[1].max(1) && z < image.size[2].max(1);
    inside.then(|| image.place([0, y, z]) + x as u64)
}
