//! Samples of textures, compared with the model.

use super::{
    Outcome, PTX,
    model::{Bits, Model, Numbers, Rules, coordinates, sizes},
};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use half::f16;
use kernel_args::{
    DeviceType, KernelArgs, Module, launch,
    texture::{AddressMode, Array, ArrayShape, FilterMode, ReadMode, Texture},
    vector::{Char2, Float2, Float4, Half2, Int4, Short2, UChar4, UInt2, UInt4, UShort4},
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

macro_rules! kernels {
    ($($args:ident $name:literal $out:ident;)*) => {$(
        #[derive(KernelArgs)]
        #[kernel_args(ptx = "../ptx/textures.ptx", entry = $name)]
        struct $args<'a> {
            texture: &'a Texture,
            shape: i32,
            n: i32,
            at: &'a CudaSlice<Float4>,
            out: &'a mut CudaSlice<$out>,
        }
    )*};
}

kernels! {
    Floats "sample_floats" Float4;
    Ints "sample_ints" Int4;
    Uints "sample_uints" UInt4;
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("the_model_follows_the_guide", guide),
        trial("texels_of_each_format", formats),
        trial("shapes_and_layers", shapes),
        trial("address_modes_with_and_without_a_filter", address_modes),
        trial("filters_between_texels", filters),
        trial("colors_in_srgb", srgb),
        trial("memory_that_is_not_in_an_array", linear),
        trial("rows_with_a_pitch", pitched),
    ]
}

const PLAIN: Rules = Rules {
    address: [AddressMode::Clamp; 3],
    filter: FilterMode::Point,
    read: ReadMode::Element,
    is_normalized: false,
    is_srgb: false,
    border: [0.0; 4],
};

/// `enum Shape` of the kernels.
fn number_of(shape: ArrayShape) -> i32 {
    match shape {
        ArrayShape::OneD(_) => 0,
        ArrayShape::TwoD(_) => 1,
        ArrayShape::ThreeD(_) => 2,
        ArrayShape::Layered1D(_) => 3,
        ArrayShape::Layered2D(_) => 4,
    }
}

const MEMORY: i32 = 5;

struct World {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    module: Arc<Module>,
    compared: usize,
}

impl World {
    fn new() -> Outcome<Self> {
        let ctx = context()?;
        Ok(Self { stream: ctx.new_stream()?, module: Module::load(&ctx, PTX)?, ctx, compared: 0 })
    }

    /// Samples an array with texels of its own.
    fn array<T: Numbers>(&mut self, shape: ArrayShape, rules: Rules) -> Outcome {
        let texels = texels::<T>(shape);
        let array = Array::new(&self.ctx, shape)?;
        array.write(&self.stream, &texels)?;
        let texture = Texture::new(&array, &rules.options())?;
        drop(array);
        self.check(&Model { shape, texels: &texels, rules }, &texture, number_of(shape), &places(shape, &rules))
    }

    /// Samples the texture at these places.
    fn check<T: Numbers>(
        &mut self,
        model: &Model<'_, T>,
        texture: &Texture,
        shape: i32,
        places: &[[f32; 4]],
    ) -> Outcome {
        let at = places.iter().map(|place| Float4::from(*place)).collect::<Vec<_>>();
        let (at, n) = (self.stream.clone_htod(&at)?, places.len() as i32);
        let grid = (places.len() as u32).div_ceil(128);
        macro_rules! sampled {
            ($args:ident $name:literal) => {{
                let kernel = self.module.kernel::<$args>($name)?;
                let mut out = self.zeros(places.len())?;
                let args = $args { texture, shape, n, at: &at, out: &mut out };
                // SAFETY: `at` and `out` have `n` elements.
                unsafe { launch!(kernel, grid, 128, args, stream = &self.stream) }?;
                let samples = self.stream.clone_dtoh(&out)?;
                samples.into_iter().map(<[_; 4]>::from).map(|sample| sample.map(f64::from)).collect::<Vec<_>>()
            }};
        }
        let samples = match T::IS_SIGNED {
            _ if model.rules.returns_floats::<T>() => sampled!(Floats "sample_floats"),
            Some(true) => sampled!(Ints "sample_ints"),
            _ => sampled!(Uints "sample_uints"),
        };
        self.compare(model, places, &samples)
    }

    fn zeros<T: DeviceType + DeviceRepr + ValidAsZeroBits>(&self, len: usize) -> Outcome<CudaSlice<T>> {
        Ok(self.stream.alloc_zeros(len)?)
    }

    fn compare<T: Numbers>(&mut self, model: &Model<'_, T>, places: &[[f32; 4]], samples: &[[f64; 4]]) -> Outcome {
        let mut wrong = Vec::new();
        for (place, sample) in places.iter().zip(samples) {
            let expected = model.sample(*place);
            for (channel, found) in sample.iter().enumerate().take(T::FORMAT.channels()) {
                self.compared += 1;
                let difference = (found - expected.value[channel]).abs();
                if difference.is_nan() || difference > expected.tolerance[channel] {
                    wrong.push(format!(
                        "  at {place:?}, channel {channel}: the device returned {found}, the model {} (they may differ by {:e})",
                        expected.value[channel], expected.tolerance[channel]
                    ));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let (count, all) = (wrong.len(), places.len() * T::FORMAT.channels());
        wrong.truncate(8);
        Err(format!(
            "{:?} of {}, {:?}: {count} of {all} samples differ:\n{}",
            model.shape,
            T::FORMAT,
            model.rules,
            wrong.join("\n")
        )
        .into())
    }

    fn finish(&self, what: &str) {
        println!("textures: {what}: {} numbers compared", self.compared);
    }
}

fn texels<T: Numbers>(shape: ArrayShape) -> Vec<T> {
    let mut bits = Bits(0x9E37_79B9);
    (0..shape.texels()).map(|_| T::from_bits(&mut bits)).collect()
}

/// Places from one and a half times the size below the texture to the same above it, in each layer.
///
/// Without a filter they are not near the edges of texels. With a filter, and with sizes that are powers of two, most
/// fractions have 8 bits.
fn places(shape: ArrayShape, rules: &Rules) -> Vec<[f32; 4]> {
    let (size, layers) = sizes(shape);
    let dimensions = coordinates(shape);
    let mut bits = Bits(0x1234_5679);
    let count = 600;
    (0..count)
        .map(|i| {
            let mut place = [0.0; 4];
            for dimension in 0..dimensions {
                let extent = size[dimension] as f32;
                let span = 4 * size[dimension] as u32;
                let texel = (bits.next() % span) as f32 - (span / 2) as f32 + extent / 2.0;
                let texel = texel.floor();
                let inside = if rules.filter == FilterMode::Linear {
                    // Every fourth fraction does not have 8 bits.
                    let more = if i % 4 == 3 { 0.37 } else { 0.0 };
                    ((bits.next() % 255) as f32 + more) / 256.0
                } else {
                    0.1 + 0.8 * (bits.next() % 64) as f32 / 64.0
                };
                place[dimension] = (texel + inside) / if rules.is_normalized { extent } else { 1.0 };
            }
            place[3] = (i % layers) as f32;
            place
        })
        .collect()
}

/// The formulas of the guide, computed by hand for four texels.
fn guide() -> Outcome {
    let sample = |texels: &[f32], x, rules| {
        let model = Model { shape: ArrayShape::OneD(4), texels, rules };
        model.sample([x, 0.0, 0.0, 0.0]).value[0]
    };
    let linear = Rules { filter: FilterMode::Linear, ..PLAIN };
    let mode = |mode, rules: Rules| Rules { address: [mode; 3], ..rules };
    let normalized = |rules: Rules| Rules { is_normalized: true, ..rules };
    for (x, rules, expected) in [
        (2.9, PLAIN, 40.0),
        (-3.0, PLAIN, 10.0),
        (9.0, PLAIN, 80.0),
        (-0.1, mode(AddressMode::Border, PLAIN), 0.0),
        (1.3, mode(AddressMode::Wrap, normalized(PLAIN)), 20.0),
        (1.3, mode(AddressMode::Mirror, normalized(PLAIN)), 40.0),
        (-0.2, mode(AddressMode::Wrap, normalized(PLAIN)), 80.0),
        (-0.2, mode(AddressMode::Mirror, normalized(PLAIN)), 10.0),
        (0.5, linear, 10.0),
        (1.0, linear, 15.0),
        (2.75, linear, 50.0),
        (0.0, linear, 10.0),
        (0.0, mode(AddressMode::Border, linear), 5.0),
        (0.0, mode(AddressMode::Wrap, normalized(linear)), 45.0),
        (0.0, mode(AddressMode::Mirror, normalized(linear)), 10.0),
    ] {
        let found = sample(&[10.0, 20.0, 40.0, 80.0], x, rules);
        if (found - expected).abs() > 1e-5 {
            return Err(format!("at {x}, {rules:?}: {found} instead of {expected}").into());
        }
    }
    Ok(())
}

fn formats() -> Outcome {
    let mut world = World::new()?;
    let shape = ArrayShape::TwoD([24, 16]);
    macro_rules! each {
        ($($ty:ty),*) => { $(world.array::<$ty>(shape, PLAIN)?;)* };
    }
    each!(
        u8, [u8; 4], UChar4, i8, Char2, u16, UShort4, i16, Short2, u32, UInt2, i32, Int4, f32, [f32; 2], Float2,
        Float4, f16, Half2
    );
    let floats = Rules { read: ReadMode::NormalizedFloat, ..PLAIN };
    macro_rules! normalized {
        ($($ty:ty),*) => { $(world.array::<$ty>(shape, floats)?;)* };
    }
    normalized!(u8, [u8; 4], UChar4, i8, Char2, u16, UShort4, i16, Short2);
    world.finish("formats");
    Ok(())
}

const SHAPES: [ArrayShape; 8] = [
    ArrayShape::OneD(32),
    ArrayShape::OneD(37),
    ArrayShape::TwoD([32, 16]),
    ArrayShape::TwoD([21, 13]),
    ArrayShape::ThreeD([16, 8, 4]),
    ArrayShape::ThreeD([9, 7, 5]),
    ArrayShape::Layered1D([16, 3]),
    ArrayShape::Layered2D([16, 8, 5]),
];

fn shapes() -> Outcome {
    let mut world = World::new()?;
    for shape in SHAPES {
        for is_normalized in [false, true] {
            world.array::<f32>(shape, Rules { is_normalized, ..PLAIN })?;
            world.array::<UShort4>(shape, Rules { is_normalized, ..PLAIN })?;
        }
    }
    world.finish("shapes");
    Ok(())
}

/// The address modes that are allowed with these coordinates.
fn modes(is_normalized: bool) -> &'static [AddressMode] {
    let modes = &[AddressMode::Clamp, AddressMode::Border, AddressMode::Wrap, AddressMode::Mirror];
    if is_normalized { modes } else { &modes[..2] }
}

fn address_modes() -> Outcome {
    let mut world = World::new()?;
    for shape in SHAPES {
        for filter in [FilterMode::Point, FilterMode::Linear] {
            for is_normalized in [false, true] {
                for (i, mode) in modes(is_normalized).iter().enumerate() {
                    let rules = Rules { address: [*mode; 3], filter, is_normalized, ..PLAIN };
                    world.array::<f32>(shape, rules)?;
                    // Another mode for each dimension, and a border that is not 0.
                    let others = modes(is_normalized);
                    let address = std::array::from_fn(|dimension| others[(i + dimension) % others.len()]);
                    let has_border = address[..coordinates(shape)].contains(&AddressMode::Border);
                    let border = if has_border { [3.0, -1.5, 0.25, 1.0] } else { [0.0; 4] };
                    world.array::<Float4>(shape, Rules { address, border, ..rules })?;
                }
            }
        }
    }
    world.finish("address modes");
    Ok(())
}

fn filters() -> Outcome {
    let mut world = World::new()?;
    for shape in SHAPES {
        for is_normalized in [false, true] {
            let rules = Rules { filter: FilterMode::Linear, is_normalized, ..PLAIN };
            world.array::<f32>(shape, rules)?;
            world.array::<Float2>(shape, rules)?;
            world.array::<Half2>(shape, rules)?;
            let rules = Rules { read: ReadMode::NormalizedFloat, ..rules };
            world.array::<u8>(shape, rules)?;
            world.array::<UChar4>(shape, rules)?;
            world.array::<i16>(shape, rules)?;
        }
    }
    world.finish("filters");
    Ok(())
}

fn srgb() -> Outcome {
    let mut world = World::new()?;
    for filter in [FilterMode::Point, FilterMode::Linear] {
        let rules = Rules { filter, read: ReadMode::NormalizedFloat, is_srgb: true, ..PLAIN };
        world.array::<UChar4>(ArrayShape::TwoD([32, 16]), rules)?;
        world.array::<[u8; 4]>(ArrayShape::TwoD([32, 16]), rules)?;
    }
    world.finish("sRGB");
    Ok(())
}

fn linear() -> Outcome {
    fn one<T: Numbers>(world: &mut World, read: ReadMode) -> Outcome {
        let shape = ArrayShape::OneD(1000);
        let texels = texels::<T>(shape);
        let memory = Arc::new(world.stream.clone_htod(&texels)?);
        let texture = Texture::linear(&memory, read)?;
        drop(memory);
        let places: Vec<_> = (0..1000_u16).map(|i| [f32::from(i), 0.0, 0.0, 0.0]).collect();
        world.check(&Model { shape, texels: &texels, rules: Rules { read, ..PLAIN } }, &texture, MEMORY, &places)
    }
    let mut world = World::new()?;
    one::<u8>(&mut world, ReadMode::Element)?;
    one::<u8>(&mut world, ReadMode::NormalizedFloat)?;
    one::<Short2>(&mut world, ReadMode::NormalizedFloat)?;
    one::<i32>(&mut world, ReadMode::Element)?;
    one::<UInt2>(&mut world, ReadMode::Element)?;
    one::<f32>(&mut world, ReadMode::Element)?;
    one::<Float4>(&mut world, ReadMode::Element)?;
    one::<f16>(&mut world, ReadMode::Element)?;
    world.finish("memory that is not in an array");
    Ok(())
}

fn pitched() -> Outcome {
    fn one<T: Numbers>(world: &mut World, size: [usize; 2], pitch: usize, rules: Rules) -> Outcome {
        let shape = ArrayShape::TwoD(size);
        let texels = texels::<T>(shape);
        let mut bits = Bits(77);
        // What is between the rows is different.
        let rows = texels.chunks(size[0]).flat_map(|row| {
            let gap: Vec<T> = (row.len()..pitch).map(|_| T::from_bits(&mut bits)).collect();
            row.iter().copied().chain(gap).collect::<Vec<_>>()
        });
        let memory = Arc::new(world.stream.clone_htod(&rows.collect::<Vec<_>>())?);
        let texture = Texture::pitched(&memory, size, pitch, &rules.options())?;
        drop(memory);
        world.check(&Model { shape, texels: &texels, rules }, &texture, 1, &places(shape, &rules))
    }
    let mut world = World::new()?;
    for is_normalized in [false, true] {
        for mode in modes(is_normalized) {
            for filter in [FilterMode::Point, FilterMode::Linear] {
                let rules = Rules { address: [*mode; 3], filter, is_normalized, ..PLAIN };
                one::<f32>(&mut world, [32, 16], 32, rules)?;
                one::<f32>(&mut world, [21, 13], 24, rules)?;
                one::<UChar4>(&mut world, [21, 13], 32, Rules { read: ReadMode::NormalizedFloat, ..rules })?;
            }
        }
    }
    one::<u16>(&mut world, [21, 13], 32, PLAIN)?;
    one::<Int4>(&mut world, [7, 5], 8, PLAIN)?;
    world.finish("rows with a pitch");
    Ok(())
}
