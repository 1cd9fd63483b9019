//! The order of launches and copies on several streams, and of the steps of a sequence.

use super::{HEIGHT, Outcome, WIDTH, World, compare};
use kernel_args::{
    sequence::{RunMode, Sequence},
    texture::{Array, Surface, Texture, TextureOptions},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::sync::Arc;

const TEXELS: usize = WIDTH * HEIGHT;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("launches_wait_for_other_streams", other_streams),
        trial("reads_do_not_wait_for_each_other", reads),
        trial("memory_waits_for_its_writes", memory),
        trial("a_sequence_waits_and_retains", sequence),
        trial("a_parallel_sequence_orders_writes", parallel),
        trial("a_texture_that_ends_before_its_run", ends_in_the_closure),
    ]
}

/// The number of waits that `work` enqueues, on the test driver.
fn waits(work: impl FnOnce() -> Outcome) -> Outcome<Option<u64>> {
    let driver = Control::attach();
    let count = || driver.as_ref().map(|driver| driver.calls("cuStreamWaitEvent"));
    let before = count();
    work()?;
    Ok(count().zip(before).map(|(after, before)| after - before))
}

fn image(world: &World) -> Outcome<(Array<f32>, Texture, Surface)> {
    let image = Array::for_surfaces(&world.ctx, [WIDTH, HEIGHT])?;
    image.write(&world.first, &[0.0; TEXELS])?;
    let (texture, surface) = (Texture::new(&image, &TextureOptions::new())?, Surface::new(&image)?);
    Ok((image, texture, surface))
}

/// Writes and reads alternate between two streams, which no call synchronizes.
fn other_streams() -> Outcome {
    let world = World::new()?;
    let (image, texture, surface) = image(&world)?;
    let mut results = Vec::new();
    for round in 0..40_u8 {
        for _ in 0..4 {
            world.brighten(if round % 2 == 0 { &world.first } else { &world.second }, &surface)?;
        }
        let mut out = world.first.alloc_zeros::<f32>(TEXELS)?;
        world.copy(if round % 3 == 0 { &world.first } else { &world.second }, &texture, &mut out)?;
        results.push(out);
    }
    for (round, out) in (1..).zip(&results) {
        let found = world.first.clone_dtoh(out)?;
        compare(&format!("after {} writes", 4 * round), &found, &vec![4.0 * f32::from(round as u8); TEXELS]);
    }
    compare("the array", &image.read(&world.second)?, &vec![160.0; TEXELS]);
    Ok(())
}

fn reads() -> Outcome {
    let world = World::new()?;
    let (image, texture, surface) = image(&world)?;
    let mut out = [world.first.alloc_zeros::<f32>(TEXELS)?, world.second.alloc_zeros::<f32>(TEXELS)?];
    let [first, second] = &mut out;
    world.first.synchronize()?;
    // The waits of the slice `out` are 2, for its reads and its writes. Each stream that has used the array adds its
    // writes, the own stream also its reads.
    let read = waits(|| Ok(world.copy(&world.first, &texture, first)?))?;
    let read_again = waits(|| Ok(world.copy(&world.second, &texture, second)?))?;
    let write = waits(|| Ok(world.brighten(&world.second, &surface)?))?;
    if let (Some(read), Some(read_again), Some(write)) = (read, read_again, write) {
        assert_eq!((read, read_again, write), (2 + 2, 2 + 3, 4));
    }
    drop(image);
    Ok(())
}

/// A texture of a slice waits for the writes that cudarc has recorded.
fn memory() -> Outcome {
    let world = World::new()?;
    let mut pixels = world.first.alloc_zeros::<f32>(TEXELS)?;
    world.first.memcpy_htod(&vec![5.0; TEXELS], &mut pixels)?;
    let pixels = Arc::new(pixels);
    let texture = Texture::pitched(&pixels, [WIDTH, HEIGHT], WIDTH, &TextureOptions::new())?;
    let mut out = world.second.alloc_zeros::<f32>(TEXELS)?;
    let count = waits(|| Ok(world.copy(&world.second, &texture, &mut out)?))?;
    assert!(count.is_none_or(|count| count == 2 + 1 + 2), "{count:?}");
    compare("the copy", &world.second.clone_dtoh(&out)?, &vec![5.0; TEXELS]);
    Ok(())
}

fn sequence() -> Outcome {
    let world = World::new()?;
    let (image, texture, surface) = image(&world)?;
    let mut out = world.first.alloc_zeros::<f32>(TEXELS)?;
    let mut sequence = Sequence::new(&world.first);
    for round in 1..=5_u8 {
        world.brighten(&world.second, &surface)?;
        let args = |surface| super::Brighten { image: surface, width: WIDTH as i32, height: HEIGHT as i32 };
        sequence.run(|s| {
            let mut out = s.hold(&mut out)?;
            // SAFETY: the kernel accesses only texels of the surface.
            unsafe { kernel_args::launch!(world.brighten, (4, 2), (16, 16), args(&surface), stream = s)? };
            let args = super::CopyTexels { image: &texture, out: &mut out, width: WIDTH as i32, height: HEIGHT as i32 };
            // SAFETY: `out` has `WIDTH * HEIGHT` elements.
            unsafe { kernel_args::launch!(world.copy, (4, 2), (16, 16), args, stream = s) }
        })?;
        let mode = if round == 1 { RunMode::Built } else { RunMode::Updated(0) };
        assert_eq!(*sequence.mode(), mode, "run {round}");
        compare("the copy of a run", &world.first.clone_dtoh(&out)?, &vec![2.0 * f32::from(round); TEXELS]);
        world.brighten(&world.second, &surface)?;
        compare("the array after a run", &image.read(&world.second)?, &vec![2.0 * f32::from(round) + 1.0; TEXELS]);
        image.write(&world.second, &[2.0 * f32::from(round); TEXELS])?;
    }
    Ok(())
}

/// A launch that samples an array waits for the launch that writes it, and for no other.
fn parallel() -> Outcome {
    let world = World::new()?;
    let (_first, texture, surface) = image(&world)?;
    let (_second, other, other_surface) = image(&world)?;
    let mut out = world.first.alloc_zeros::<f32>(TEXELS)?;
    let mut other_out = world.first.alloc_zeros::<f32>(TEXELS)?;
    // SAFETY: the kernels use only the memory of their arguments.
    let mut sequence = unsafe { Sequence::new(&world.first).parallel() };
    for round in 1..=3_u8 {
        sequence.run(|s| {
            let (mut out, mut other_out) = (s.hold(&mut out)?, s.hold(&mut other_out)?);
            for (surface, texture, out) in [(&surface, &texture, &mut *out), (&other_surface, &other, &mut *other_out)]
            {
                let args = super::Brighten { image: surface, width: WIDTH as i32, height: HEIGHT as i32 };
                // SAFETY: the kernel accesses only texels of the surface.
                unsafe { kernel_args::launch!(world.brighten, (4, 2), (16, 16), args, stream = s)? };
                let args = super::CopyTexels { image: texture, out, width: WIDTH as i32, height: HEIGHT as i32 };
                // SAFETY: `out` has `WIDTH * HEIGHT` elements.
                unsafe { kernel_args::launch!(world.copy, (4, 2), (16, 16), args, stream = s)? };
            }
            Ok(())
        })?;
        assert_eq!(sequence.longest_chain(), 2, "run {round}: {:?}", sequence.mode());
        for out in [&out, &other_out] {
            compare("a copy", &world.first.clone_dtoh(out)?, &vec![f32::from(round); TEXELS]);
        }
    }
    Ok(())
}

/// The run of a sequence starts after its closure, which has dropped the texture.
fn ends_in_the_closure() -> Outcome {
    let world = World::new()?;
    let (image, texture, surface) = image(&world)?;
    let mut out = world.first.alloc_zeros::<f32>(TEXELS)?;
    image.write(&world.first, &[7.0; TEXELS])?;
    drop((texture, surface));
    let mut sequence = Sequence::new(&world.first);
    let driver = Control::attach();
    let live = || driver.as_ref().map(|driver| driver.live().textures);
    let before = live();
    sequence.run(|s| {
        let mut out = s.hold(&mut out)?;
        let texture = Texture::new(&image, &TextureOptions::new())?;
        let args = super::CopyTexels { image: &texture, out: &mut out, width: WIDTH as i32, height: HEIGHT as i32 };
        // SAFETY: `out` has `WIDTH * HEIGHT` elements.
        unsafe { kernel_args::launch!(world.copy, (4, 2), (16, 16), args, stream = s) }?;
        drop(texture);
        assert_eq!(live(), before.map(|before| before + 1), "the run has not started");
        Ok(())
    })?;
    assert_eq!(live(), before);
    compare("the copy", &world.first.clone_dtoh(&out)?, &vec![7.0; TEXELS]);
    Ok(())
}
