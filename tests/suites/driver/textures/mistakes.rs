//! What is refused, and the text of each error. The driver is not called for them.

use super::{HEIGHT, Outcome, WIDTH, World};
use cudarc::driver::sys::CUstreamCaptureMode;
use kernel_args::{
    Error,
    context::{ContextFlags, create_context},
    error::{ContextError, TextureError},
    sequence::Sequence,
    texture::{AddressMode, Array, ArrayShape, FilterMode, ReadMode, Surface, Texture, TextureOptions},
    vector::UChar4,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("options_that_contradict", options),
        trial("sizes_that_the_gpu_does_not_support", wrong_sizes),
        trial("sizes_near_every_boundary_are_supported_or_errors", boundaries),
        trial("memory_that_does_not_fit", memory),
        trial("copies_that_do_not_fit", copies),
        trial("objects_of_another_context", contexts),
    ]
}

fn text<T>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Texture(error)) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it was accepted"),
    }
}

fn boundaries() -> Outcome {
    const LARGEST: usize = isize::MAX as usize;
    const SIZES: [usize; 9] = [0, 1, 8, 64, 1 << 21, 1 << 32, LARGEST, LARGEST + 1, usize::MAX];
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let slice = Arc::new(stream.alloc_zeros::<f32>(1024)?);
    let is_small = |sizes: &[usize]| sizes.iter().all(|size| (1..=64).contains(size));
    let check = |shape: ArrayShape, sizes: &[usize]| {
        let product = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        let texels = if sizes.contains(&0) { Some(0) } else { product };
        assert!(shape.texels() == texels.unwrap_or(usize::MAX) || sizes.contains(&0), "{shape}");
        assert_eq!(Array::<[f32; 4]>::new(&ctx, shape).is_ok(), is_small(sizes), "{shape}");
        assert_eq!(Array::<u8>::for_surfaces(&ctx, shape).is_ok(), is_small(sizes), "{shape}");
    };
    for a in SIZES {
        check(ArrayShape::OneD(a), &[a]);
        for b in SIZES {
            check(ArrayShape::TwoD([a, b]), &[a, b]);
            check(ArrayShape::Layered1D([a, b]), &[a, b]);
            for c in SIZES {
                check(ArrayShape::ThreeD([a, b, c]), &[a, b, c]);
                check(ArrayShape::Layered2D([a, b, c]), &[a, b, c]);
                let pitched = Texture::pitched(&slice, [a, b], c, &TextureOptions::new());
                let fits = is_small(&[a, b]) && c >= a && c as u128 * b as u128 <= 1024 && c % 8 == 0;
                assert_eq!(pitched.is_ok(), fits, "{a} × {b}, pitch {c}");
            }
        }
    }
    Ok(())
}

fn options() -> Outcome {
    let ctx = context()?;
    let bytes = Array::<u8>::new(&ctx, [16, 16])?;
    let words = Array::<u32>::new(&ctx, 16)?;
    let floats = Array::<f32>::new(&ctx, [16, 16])?;
    let plain = TextureOptions::new();
    let driver = Control::attach();
    let created = || driver.as_ref().map(|driver| driver.calls("cuTexObjectCreate"));
    let before = created();

    for (mode, name) in [(AddressMode::Wrap, "AddressMode::Wrap"), (AddressMode::Mirror, "AddressMode::Mirror")] {
        assert_eq!(
            text(Texture::new(&floats, &plain.address([AddressMode::Clamp, mode, AddressMode::Clamp]))),
            format!(
                "`{name}` needs normalized coordinates: CUDA clamps coordinates in texels\n\
                 help: add `.normalized_coordinates()`, and pass coordinates from 0 to 1 in the kernel; or use `AddressMode::Clamp`"
            )
        );
    }
    assert_eq!(
        text(Texture::new(&bytes, &plain.filter(FilterMode::Linear))),
        "`FilterMode::Linear` needs floats, and the texture returns u8\n\
         help: add `.read(ReadMode::NormalizedFloat)`, and use `tex2D<float>` in the kernel; or use `FilterMode::Point`"
    );
    assert_eq!(
        text(Texture::new(&words, &plain.filter(FilterMode::Linear))),
        "`FilterMode::Linear` needs floats, and the texture returns u32\n\
         help: convert the texels to `f32`, or use `FilterMode::Point`"
    );
    assert_eq!(
        text(Texture::new(&floats, &plain.read(ReadMode::NormalizedFloat))),
        "`ReadMode::NormalizedFloat` is for integers of 8 and 16 bits, and the texels are f32\n\
         help: remove it: `ReadMode::Element` returns the numbers as they are"
    );
    assert_eq!(
        text(Texture::new(&bytes, &plain.read(ReadMode::NormalizedFloat).srgb())),
        "`srgb` is for 4 × u8 that are returned as floats, and the texels are u8 with NormalizedFloat\n\
         help: use `[u8; 4]` or `UChar4` with `.read(ReadMode::NormalizedFloat)`, or remove `.srgb()`"
    );
    assert_eq!(
        text(Texture::new(&floats, &plain.border_color([1.0; 4]))),
        "`border_color` has no effect without `AddressMode::Border`\n\
         help: add `.address(AddressMode::Border)`, or remove it"
    );
    assert_eq!(
        text(Texture::new(&words, &plain.border_color([1.0; 4]).address(AddressMode::Border))),
        "`border_color` is a float color, and the texture returns u32\n\
         help: remove it: the border is 0; or add `.read(ReadMode::NormalizedFloat)` for integers of 8 and 16 bits"
    );
    assert_eq!(created(), before, "the driver was called");

    // The neighbours of these mistakes. The mode of a dimension that a texture does not have is not used.
    let normalized = plain.normalized_coordinates();
    Texture::new(&floats, &normalized.address(AddressMode::Wrap).filter(FilterMode::Linear))?;
    Texture::new(&words, &plain.address([AddressMode::Border, AddressMode::Wrap, AddressMode::Mirror]))?;
    Texture::new(&bytes, &plain.read(ReadMode::NormalizedFloat).filter(FilterMode::Linear))?;
    Texture::new(&floats, &plain.border_color([1.0; 4]).address(AddressMode::Border))?;
    let colors = Array::<UChar4>::new(&ctx, [16, 16])?;
    Texture::new(&colors, &plain.read(ReadMode::NormalizedFloat).srgb())?;
    assert_eq!(
        text(Surface::new(&colors)),
        "the array was created for textures only, so a surface cannot write it\n\
         help: create it with `Array::for_surfaces`"
    );
    Ok(())
}

fn wrong_sizes() -> Outcome {
    let ctx = context()?;
    let fails = |shape: ArrayShape, dimension: &str, expected: usize| {
        let Err(Error::Texture(error)) = Array::<u8>::new(&ctx, shape) else {
            panic!("{shape} was accepted");
        };
        let TextureError::Size { dimension: found, size, limit, .. } = &error else { panic!("{error}") };
        assert_eq!((*found, *size), (dimension, expected), "{shape}");
        assert!(*limit >= 2048, "{shape}: {limit}");
        error.to_string()
    };
    let zero = fails([16, 0].into(), "height", 0);
    assert!(zero.starts_with("the height of a 2D array is 0, but it must be 1 to "), "{zero}");
    let large = fails([16, 1 << 40].into(), "height", 1 << 40);
    assert!(large.starts_with("the height of a 2D array is 1099511627776, but this GPU supports at most "), "{large}");
    fails(0.into(), "width", 0);
    fails((1 << 40).into(), "width", 1 << 40);
    fails([4, 4, 1 << 20].into(), "depth", 1 << 20);
    fails([1 << 20, 4, 4].into(), "width", 1 << 20);
    fails(ArrayShape::Layered1D([4, 0]), "number of layers", 0);
    fails(ArrayShape::Layered2D([4, 4, usize::MAX]), "number of layers", usize::MAX);
    // The limit of surfaces is lower.
    let surfaces = text(Array::<f32>::for_surfaces(&ctx, 1 << 17));
    assert_eq!(surfaces, "the width of a 1D array for surfaces is 131072, but this GPU supports at most 32768");
    Array::<f32>::new(&ctx, 1 << 17)?;
    Ok(())
}

fn memory() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let plain = TextureOptions::new();
    let floats = Arc::new(stream.alloc_zeros::<f32>(32 * 10)?);
    assert_eq!(
        text(Texture::pitched(&floats, [21, 10], 21, &plain)),
        "the memory does not fit the texture: a row begins every 84 bytes, but this GPU needs a multiple of 32 bytes (width 21, pitch 21)\n\
         help: allocate rows of 24 elements, and pass this pitch"
    );
    assert_eq!(
        text(Texture::pitched(&floats, [33, 5], 32, &plain)),
        "the memory does not fit the texture: the width is 33, but the pitch is only 32 elements\n\
         help: pass the number of elements from the beginning of a row to the beginning of the next row"
    );
    assert_eq!(
        text(Texture::pitched(&floats, [32, 11], 32, &plain)),
        "the memory does not fit the texture: 11 rows of 32 elements are 352 elements, but the slice has 320\n\
         help: allocate a slice of `pitch * height` elements"
    );
    let zero = text(Texture::pitched(&floats, [32, 0], 32, &plain));
    assert!(zero.starts_with("the height of a 2D texture of a slice is 0"), "{zero}");
    let pitch = text(Texture::pitched(&floats, [32, 1], usize::MAX, &plain));
    assert!(pitch.starts_with("the pitch in bytes of a 2D texture of a slice is "), "{pitch}");
    assert!(text(Texture::linear(&floats, ReadMode::NormalizedFloat)).starts_with("`ReadMode::NormalizedFloat`"));
    let empty = Arc::new(stream.null::<f32>()?);
    let empty = text(Texture::linear(&empty, ReadMode::Element));
    assert!(empty.starts_with("the length of a texture of a slice is 0"), "{empty}");
    Texture::pitched(&floats, [21, 10], 32, &plain)?;
    Ok(())
}

fn copies() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let array = Array::<f32>::new(&ctx, [64, 48])?;
    assert_eq!(
        text(array.write(&stream, &[0.0; 64])),
        "the 2D array of 64 × 48 texels has 3072 elements, but the slice has 64\n\
         help: pass exactly the elements of the array, for a view: `slice.slice(..3072)`"
    );
    let mut long = stream.alloc_zeros::<f32>(3073)?;
    assert!(text(array.copy_from(&stream, &long.as_view())).contains("but the slice has 3073"));
    assert!(text(array.copy_to(&stream, &mut long.as_view_mut())).contains("but the slice has 3073"));
    array.copy_from(&stream, &long.slice(1..))?;

    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let captured = text(array.copy_from(&stream, &long.slice(1..)));
    assert!(captured.starts_with("the stream is being captured"), "{captured}");
    assert!(matches!(array.read(&stream), Err(Error::Texture(TextureError::Capturing))));
    let mode = cudarc::driver::sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    stream.end_capture(mode)?;

    let other = create_context(device(), ContextFlags::new())?;
    let foreign = array.write(&other.default_stream(), &[0.0; 3072]);
    assert!(matches!(foreign, Err(Error::Context(ContextError::OtherContextStream(_)))), "{foreign:?}");
    Ok(())
}

/// A launch with a texture of a different context, on a stream and in a sequence.
fn contexts() -> Outcome {
    let world = World::new()?;
    let other = create_context(device(), ContextFlags::new())?;
    let array = Array::<f32>::for_surfaces(&other, [WIDTH, HEIGHT])?;
    let surface = Surface::new(&array)?;
    let names = |error: Result<(), Error>| {
        let Err(Error::Context(error)) = error else { panic!("{error:?}") };
        let text = error.to_string();
        assert!(text.contains("`brighten`") && text.contains("`image`"), "{text}");
    };
    names(world.brighten(&world.first, &surface));
    let mut sequence = Sequence::new(&world.first);
    names(sequence.run(|s| {
        let args = super::Brighten { image: &surface, width: WIDTH as i32, height: HEIGHT as i32 };
        // SAFETY: the kernel accesses only texels of the surface.
        unsafe { kernel_args::launch!(world.brighten, (4, 2), (16, 16), args, stream = s) }
    }));
    Ok(())
}
