//! Heat diffusion on a plate. The build script compiles the kernel and generates its structs.

// The module `heat`: the image, the struct `Diffuse` with the kernel's parameters, the struct `Plate` with its members,
// and the constant `BLOCK`.
kernel_args::include_kernels!();

use heat::{BLOCK, Diffuse, Plate};
use kernel_args::{Module, launch};
use kernel_args_test_driver::{Settings, interpret_without_gpu};

const PLATE: Plate = Plate { width: 200, height: 120 };
const RATE: f32 = 0.125;
const STEPS: usize = 100;

/// Hot at the left edge, cold elsewhere.
fn initial() -> Vec<f32> {
    let points = 0..PLATE.width * PLATE.height;
    points.map(|i| if i % PLATE.width == 0 { 100.0 } else { 0.0 }).collect()
}

fn on_the_host() -> Vec<f32> {
    let (width, height) = (PLATE.width as usize, PLATE.height as usize);
    let mut from = initial();
    for _ in 0..STEPS {
        let mut to = from.clone();
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                let around = from[i - 1] + from[i + 1] + from[i - width] + from[i + width];
                to[i] = from[i] + RATE * (around - 4.0 * from[i]);
            }
        }
        from = to;
    }
    from
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    interpret_without_gpu(&Settings::new())?;
    let ctx = kernel_args::context(0)?;
    let stream = ctx.default_stream();
    let diffuse = Module::load(&ctx, heat::IMAGE)?.kernel::<Diffuse>("diffuse")?;
    let mut from = stream.clone_htod(&initial())?;
    let mut to = stream.alloc_zeros::<f32>(from.len())?;
    let block = (BLOCK, BLOCK);
    let grid = (PLATE.width.div_ceil(BLOCK), PLATE.height.div_ceil(BLOCK));
    for _ in 0..STEPS {
        let args = Diffuse { plate: PLATE, rate: RATE, from: &from, to: &mut to };
        // SAFETY: the contracts in `build.rs` check the lengths of both slices, and the kernel accesses nothing else.
        unsafe { launch!(diffuse, grid, block, args, stream = &stream)? };
        std::mem::swap(&mut from, &mut to);
    }
    let host = on_the_host();
    let device = stream.clone_dtoh(&from)?;
    let differences: Vec<f32> = host.iter().zip(&device).map(|(a, b)| (a - b).abs()).collect();
    let largest = differences.iter().copied().fold(0.0, f32::max);
    println!("{STEPS} steps of {} points; the largest difference from the host is {largest:.1e}", host.len());
    // Checks each value, because `max` ignores NaN.
    assert!(differences.iter().all(|d| *d < 1e-3), "the device computes something else");
    Ok(())
}
