//! Surfaces: each size of a texel and each shape, written and read by kernels.

use super::{
    Outcome, PTX, compare,
    model::{Bits, Numbers, sizes},
};
use kernel_args::{
    KernelArgs, Module, launch,
    texture::{Array, ArrayShape, Surface},
    vector::{Char2, Float2, Float4, Int3, Int4, Short2, UChar4, UInt2, UShort4},
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::fmt::Debug;

/// `__global__ void mirror_4(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)`, and for other
/// sizes.
#[derive(KernelArgs)]
struct Mirror<'a> {
    from: &'a Surface,
    to: &'a mut Surface,
    shape: i32,
    size: Int3,
}

pub(super) fn trials() -> Vec<Trial> {
    vec![trial("surfaces_of_each_shape", each_shape), trial("arrays_keep_their_texels", copies)]
}

/// The kernel writes each row from its end to its beginning.
fn mirrored<T: Numbers + PartialEq + Debug>(shape: ArrayShape, number: i32) -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Module::load(&ctx, PTX)?.kernel::<Mirror>(&format!("mirror_{}", size_of::<T>()))?;
    let mut bits = Bits(size_of::<T>() as u32 + 99);
    let texels: Vec<T> = (0..shape.texels()).map(|_| T::from_bits(&mut bits)).collect();
    let (from, to) = (Array::for_surfaces(&ctx, shape)?, Array::<T>::for_surfaces(&ctx, shape)?);
    from.write(&stream, &texels)?;
    let ([width, height, depth], layers) = sizes(shape);
    let size = Int3::new(width as i32, height as i32, (depth * layers) as i32);
    let (source, mut destination) = (Surface::new(&from)?, Surface::new(&to)?);
    let args = Mirror { from: &source, to: &mut destination, shape: number, size };
    // SAFETY: the kernel accesses only texels of the surfaces.
    unsafe { launch!(kernel, (shape.texels() as u32).div_ceil(128), 128, args, stream = &stream) }?;
    let expected: Vec<T> = texels.chunks(width).flat_map(|row| row.iter().rev().copied()).collect();
    compare(&format!("{shape}, {}", T::FORMAT), &to.read(&stream)?, &expected);
    assert!(from.read(&stream)? == texels, "{shape}: the source was changed");
    Ok(())
}

fn each_shape() -> Outcome {
    let shapes = [
        ArrayShape::OneD(100),
        ArrayShape::TwoD([24, 10]),
        ArrayShape::ThreeD([12, 6, 4]),
        ArrayShape::Layered1D([24, 3]),
        ArrayShape::Layered2D([12, 6, 5]),
    ];
    for (number, shape) in (0..).zip(shapes) {
        mirrored::<u8>(shape, number)?;
        mirrored::<Char2>(shape, number)?;
        mirrored::<u16>(shape, number)?;
        mirrored::<UChar4>(shape, number)?;
        mirrored::<f32>(shape, number)?;
        mirrored::<Short2>(shape, number)?;
        mirrored::<UShort4>(shape, number)?;
        mirrored::<Float2>(shape, number)?;
        mirrored::<UInt2>(shape, number)?;
        mirrored::<Float4>(shape, number)?;
        mirrored::<Int4>(shape, number)?;
    }
    Ok(())
}

/// Copies from and to the host and slices, on both drivers.
fn copies() -> Outcome {
    fn one<T: Numbers + PartialEq>(shape: ArrayShape) -> Outcome {
        let ctx = context()?;
        let stream = ctx.new_stream()?;
        let mut bits = Bits(5);
        let texels: Vec<T> = (0..2 * shape.texels()).map(|_| T::from_bits(&mut bits)).collect();
        let (first, second) = texels.split_at(shape.texels());
        let array = Array::<T>::new(&ctx, shape)?;
        array.write(&stream, first)?;
        assert!(array.read(&stream)? == first, "{shape}");
        let both = stream.clone_htod(&texels)?;
        array.copy_from(&stream, &both.slice(shape.texels()..))?;
        let mut found = stream.clone_htod(first)?;
        array.clone().copy_to(&stream, &mut found.as_view_mut())?;
        assert!(stream.clone_dtoh(&found)? == second, "{shape}");
        Ok(())
    }
    for shape in [
        ArrayShape::from(100),
        ArrayShape::from([25, 10]),
        ArrayShape::from([13, 7, 5]),
        ArrayShape::Layered1D([25, 3]),
        ArrayShape::Layered2D([13, 7, 5]),
    ] {
        one::<u8>(shape)?;
        one::<[u8; 4]>(shape)?;
        one::<f32>(shape)?;
        one::<Int4>(shape)?;
    }
    Ok(())
}
