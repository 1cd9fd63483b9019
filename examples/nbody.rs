//! Two galaxies collide. Positions and velocities are `Float4` in device memory; the parameters of a step are a struct
//! by value. The program compares the GPU's energies with the host's, and writes a picture at the end.
//!
//! Run it with `--release`. The argument is the name of the picture; the default is `nbody.png`. Without a GPU the
//! kernels are interpreted, for fewer bodies and steps.

use cudarc::driver::{CudaSlice, CudaStream};
use indicatif::{ProgressBar, ProgressStyle};
use kernel_args::{
    DeviceType, Kernel, KernelArgs,
    abi::LayoutTable,
    launch,
    sequence::Sequence,
    vector::{Float2, Float4},
};
use kernel_args_test_driver::{Control, Settings, interpret_without_gpu};
use std::{env, f32::consts::TAU, fs::File, mem, sync::Arc};

const BODIES: u32 = 1 << 13;
const STEPS: u64 = 1200;
/// The steps that are launched together. After an even number, the positions are in the same slice as before.
const STEPS_OF_A_RUN: u64 = 20;
/// Where the kernels are interpreted: the bodies, the steps, and the time of each, which is longer.
const BODIES_WITHOUT_GPU: u32 = 1 << 8;
const STEPS_WITHOUT_GPU: u64 = 240;
const SECONDS_WITHOUT_GPU: f32 = 0.0125;
/// The mass of a galaxy's core, and the mass of each other body.
const MASSES: (f32, f32) = (0.45, 0.1 / 8192.0);
/// Threads per block, as in the kernels' source.
const TILE: u32 = 256;
/// The width and height of the picture.
const PIXELS: usize = 1024;

/// `nbody::Step` in the kernels' source.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "nbody::Step")]
#[repr(C)]
struct Step {
    bodies: u32,
    gravity: f32,
    softening: f32,
    seconds: f32,
}

/// Whether the driver is the test driver, also if this was started with `kernel-args-test-driver nbody`.
fn is_interpreted() -> bool {
    Control::attach().is_some()
}

fn body_count() -> u32 {
    if is_interpreted() { BODIES_WITHOUT_GPU } else { BODIES }
}

fn step() -> Step {
    if is_interpreted() { Step { bodies: body_count(), seconds: SECONDS_WITHOUT_GPU, ..STEP } } else { STEP }
}

const STEP: Step = Step { bodies: BODIES, gravity: 1.0, softening: 0.05, seconds: 0.005 };

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/nbody.ptx", entry = "nbody::advance")]
struct Advance<'a> {
    step: Step,
    from: &'a CudaSlice<Float4>,
    to: &'a mut CudaSlice<Float4>,
    velocities: &'a mut CudaSlice<Float4>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/nbody.ptx", entry = "nbody::energies")]
struct Energies<'a> {
    step: Step,
    positions: &'a CudaSlice<Float4>,
    velocities: &'a CudaSlice<Float4>,
    result: &'a mut CudaSlice<Float2>,
}

/// Positions, with the mass in `w`, and velocities.
struct Bodies {
    positions: Vec<Float4>,
    velocities: Vec<Float4>,
}

/// Two discs that rotate around heavy cores and move towards each other.
#[allow(clippy::cast_precision_loss, reason = "numbers below 2^13")]
fn galaxies() -> Bodies {
    let half = body_count() / 2;
    let mut bodies = Bodies { positions: Vec::new(), velocities: Vec::new() };
    for i in 0..body_count() {
        let side = if i < half { -1.0 } else { 1.0 };
        // Placed like sunflower seeds, in circular orbits around the core, which is the first body.
        let number = (i % half) as f32;
        let (radius, mass) = match i % half {
            0 => (0.0, MASSES.0),
            _ => (0.15 + 0.85 * (number / half as f32).sqrt(), MASSES.1),
        };
        let (sin, cos) = (number * TAU * 0.618_034).sin_cos();
        let softened = radius.powi(2) + STEP.softening.powi(2);
        let speed = radius * (STEP.gravity * MASSES.0).sqrt() / softened.powf(0.75);
        let x = side * 1.6 + radius * cos;
        let y = side * 0.8 + radius * sin;
        let z = side * 0.3 * radius * sin;
        bodies.positions.push(Float4::new(x, y, z, mass));
        bodies.velocities.push(Float4::new(-side * 0.3 - speed * sin, speed * cos, side * 0.3 * speed * cos, 0.0));
    }
    bodies
}

/// The kinetic and potential energy, computed by the host in double precision.
fn energy_on_host(bodies: &Bodies) -> (f64, f64) {
    let softening = f64::from(STEP.softening).powi(2);
    let components = |v: &Float4| [v.x, v.y, v.z, v.w].map(f64::from);
    let positions: Vec<[f64; 4]> = bodies.positions.iter().map(components).collect();
    let (mut motion, mut place) = (0.0, 0.0);
    for (i, [x, y, z, mass]) in positions.iter().enumerate() {
        let [vx, vy, vz, _] = components(&bodies.velocities[i]);
        motion += 0.5 * mass * (vx * vx + vy * vy + vz * vz);
        for [x2, y2, z2, mass2] in &positions[..i] {
            let squared = (x2 - x).powi(2) + (y2 - y).powi(2) + (z2 - z).powi(2);
            place -= f64::from(STEP.gravity) * mass * mass2 / (squared + softening).sqrt();
        }
    }
    (motion, place)
}

struct Simulation {
    stream: Arc<CudaStream>,
    /// The launches of some steps, which are always the same.
    steps: Sequence,
    advance: Kernel<Advance<'static>>,
    energies: Kernel<Energies<'static>>,
    positions: CudaSlice<Float4>,
    next: CudaSlice<Float4>,
    velocities: CudaSlice<Float4>,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

impl Simulation {
    /// Enqueues this number of steps, as one launch of a graph.
    fn advance(&mut self, steps: u64) -> Result<()> {
        self.steps.run(|s| {
            let mut velocities = s.hold(&mut self.velocities)?;
            let (mut from, mut to) = (s.hold(&mut self.positions)?, s.hold(&mut self.next)?);
            for _ in 0..steps {
                let args = Advance { step: step(), from: &from, to: &mut to, velocities: &mut velocities };
                // SAFETY: all three slices have an element for each body, and the kernel accesses no other memory.
                unsafe { launch!(self.advance, body_count().div_ceil(TILE), TILE, args, stream = s)? };
                mem::swap(&mut from, &mut to);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The kinetic and potential energy, computed by the GPU.
    fn energy(&self) -> Result<(f64, f64)> {
        let mut energies = self.stream.alloc_zeros::<Float2>(body_count() as usize)?;
        let args =
            Energies { step: step(), positions: &self.positions, velocities: &self.velocities, result: &mut energies };
        // SAFETY: all three slices have an element for each body, and the kernel accesses no other memory.
        unsafe { launch!(self.energies, body_count().div_ceil(TILE), TILE, args)? };
        let energies = self.stream.clone_dtoh(&energies)?;
        let sum = |part: fn(&Float2) -> f32| energies.iter().map(|e| f64::from(part(e))).sum();
        Ok((sum(|e| e.x), sum(|e| e.y)))
    }

    fn bodies(&self) -> Result<Bodies> {
        Ok(Bodies {
            positions: self.stream.clone_dtoh(&self.positions)?,
            velocities: self.stream.clone_dtoh(&self.velocities)?,
        })
    }

    /// Compares the GPU's energies with the host's, and returns the total.
    fn checked_energy(&self, when: &str) -> Result<f64> {
        let (gpu, host) = (self.energy()?, energy_on_host(&self.bodies()?));
        println!(
            "{when}: motion {:.6}, place {:.6} on the GPU; {:.6}, {:.6} on the host",
            gpu.0, gpu.1, host.0, host.1
        );
        if (gpu.0 - host.0).abs() > 1e-4 * host.0 || (gpu.1 - host.1).abs() > -1e-4 * host.1 {
            return Err("the energies differ".into());
        }
        Ok(gpu.0 + gpu.1)
    }
}

/// Each body adds light to a disc, in the colour of its galaxy. The disc is larger if there are fewer bodies.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels and colours are small numbers"
)]
fn picture(positions: &[Float4]) -> Vec<[u8; 3]> {
    let radius = (f64::from(BODIES) / positions.len() as f64).sqrt() as i64;
    let mut pixels = vec![[0_u8; 3]; PIXELS * PIXELS];
    for (i, position) in positions.iter().enumerate() {
        let light = if i < positions.len() / 2 { [90_i64, 140, 255] } else { [255, 150, 60] };
        let place = |x: f32| ((x / 8.0 + 0.5) * PIXELS as f32) as i64;
        for (dx, dy) in (-radius..=radius).flat_map(|dx| (-radius..=radius).map(move |dy| (dx, dy))) {
            let distance = dx * dx + dy * dy;
            if distance > radius * radius {
                continue;
            }
            let share = 1 + 3 * distance / (radius * radius);
            let (x, y) = (place(position.x) + dx, place(-position.y) + dy);
            if let (Ok(x @ ..PIXELS), Ok(y @ ..PIXELS)) = (usize::try_from(x), usize::try_from(y)) {
                let pixel = &mut pixels[y * PIXELS + x];
                for (channel, light) in pixel.iter_mut().zip(light) {
                    *channel = channel.saturating_add((light / share) as u8);
                }
            }
        }
    }
    pixels
}

fn save(pixels: &[[u8; 3]], name: &str) -> Result<()> {
    let side = u32::try_from(PIXELS)?;
    let mut encoder = png::Encoder::new(File::create(name)?, side, side);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(())
}

fn main() -> Result<()> {
    interpret_without_gpu(&Settings::new())?;
    println!("{}\n", LayoutTable(&Advance::SIGNATURE));
    let start = galaxies();
    let ctx = kernel_args::context(0)?;
    let stream = ctx.default_stream();
    let mut simulation = Simulation {
        advance: Kernel::load(&ctx)?,
        energies: Kernel::load(&ctx)?,
        positions: stream.clone_htod(&start.positions)?,
        next: stream.alloc_zeros(body_count() as usize)?,
        velocities: stream.clone_htod(&start.velocities)?,
        steps: Sequence::new(&stream),
        stream,
    };

    let before = simulation.checked_energy("before")?;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left")?;
    let steps = if is_interpreted() { STEPS_WITHOUT_GPU } else { STEPS };
    let bar = ProgressBar::new(steps).with_style(style);
    for run in 1..=steps / STEPS_OF_A_RUN {
        simulation.advance(STEPS_OF_A_RUN)?;
        // Launches only enqueue work. The bar shows completed work.
        simulation.stream.synchronize()?;
        bar.set_position(run * STEPS_OF_A_RUN);
    }
    bar.finish();
    let after = simulation.checked_energy("after")?;
    let drift = ((after - before) / before).abs();
    println!("the sum changed by {:.4} %", 100.0 * drift);
    if drift > 0.03 {
        return Err("energy is not conserved".into());
    }

    let name = env::args().nth(1).unwrap_or_else(|| "nbody.png".into());
    save(&picture(&simulation.bodies()?.positions), &name)?;
    println!("the galaxies of {} bodies after {steps} steps: {name}", body_count());
    Ok(())
}
