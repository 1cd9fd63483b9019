//! Random programs, run as plain launches and as a sequence: the memory is the same after each run.

use crate::sequences::world::{N, Outcome, Saxpy, VectorAdd, World, new_sequence, trial};
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{
    Error, Launch,
    args::{AsStream, Form},
    launch,
    sequence::{Recorder, RunMode},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{env, ops::DerefMut, sync::Arc};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![trial("random_programs_have_the_results_of_plain_launches", random)]
}

const SLICES: usize = 5;

/// One operation on the slices with these indices. The slices of an operation are different.
#[derive(Clone, Copy, Debug)]
enum Step {
    Saxpy { alpha: f32, n: u32, threads: u32, slices: [usize; 2] },
    Add { n: u32, threads: u32, slices: [usize; 3] },
    Zero { slice: usize },
    Copy { slices: [usize; 2] },
}

fn different<const K: usize>(rng: &mut Rng) -> [usize; K] {
    let mut all: Vec<usize> = (0..SLICES).collect();
    std::array::from_fn(|_| all.swap_remove(rng.below(all.len())))
}

fn step(rng: &mut Rng) -> Step {
    let n = 1 + rng.below(N as usize) as u32;
    let threads = [32, 64, N][rng.below(3)];
    match rng.below(10) {
        0 => Step::Zero { slice: rng.below(SLICES) },
        1 => Step::Copy { slices: different(rng) },
        2..=4 => Step::Add { n, threads, slices: different(rng) },
        _ => Step::Saxpy { alpha: [0.5, -0.25, 0.125, 1.0][rng.below(4)], n, threads, slices: different(rng) },
    }
}

/// The next program: often the same, or with other arguments, sometimes with other steps.
fn change(rng: &mut Rng, program: &mut Vec<Step>) {
    for _ in 0..[0, 0, 1, 2, 10][rng.below(5)] {
        let (at, other) = (rng.below(program.len()), rng.below(program.len()));
        match (rng.below(12), &mut program[at]) {
            (0, _) => program.insert(at, step(rng)),
            (1, _) if at != other => drop(program.remove(at)),
            (2, old) => *old = step(rng),
            (3, _) => program.swap(at, other),
            (4, Step::Saxpy { slices, .. } | Step::Copy { slices }) => *slices = different(rng),
            (_, Step::Saxpy { alpha, n, threads, .. }) => {
                (*alpha, *n) = (-*alpha, 1 + rng.below(N as usize) as u32);
                *threads = [32, 64][rng.below(2)];
            }
            (_, Step::Add { slices, n, .. }) => {
                (*slices, *n) = (different(rng), 1 + rng.below(N as usize) as u32);
            }
            _ => {}
        }
    }
}

/// Where a program runs: as plain launches, or in a sequence.
pub(crate) trait Place: AsStream {
    fn zero(&self, slice: &mut CudaSlice<f32>) -> Result<(), Error>;
    fn copy(&self, from: &CudaSlice<f32>, to: &mut CudaSlice<f32>) -> Result<(), Error>;
}

impl Place for Arc<CudaStream> {
    fn zero(&self, slice: &mut CudaSlice<f32>) -> Result<(), Error> {
        Ok(self.memset_zeros(slice)?)
    }

    fn copy(&self, from: &CudaSlice<f32>, to: &mut CudaSlice<f32>) -> Result<(), Error> {
        Ok(self.memcpy_dtod(from, to)?)
    }
}

impl Place for Recorder<'_, '_> {
    fn zero(&self, slice: &mut CudaSlice<f32>) -> Result<(), Error> {
        self.memset_zeros(slice)
    }

    fn copy(&self, from: &CudaSlice<f32>, to: &mut CudaSlice<f32>) -> Result<(), Error> {
        self.memcpy_dtod(from, to)
    }
}

fn perform(
    world: &World,
    program: &[Step],
    slices: &mut [impl DerefMut<Target = CudaSlice<f32>>],
    place: &impl Place,
) -> Result<(), Error> {
    for step in program {
        match *step {
            Step::Saxpy { alpha, n, threads, slices: at } => {
                let [x, y] = slices.get_disjoint_mut(at).expect("different slices");
                let args = Saxpy { n, alpha, x, y };
                let mut launch = Launch::new(1, threads).stream(place);
                if n % 5 == 0 {
                    launch = launch.form(Form::KernelParams);
                }
                if n % 7 == 0 {
                    launch = launch.priority(-1);
                }
                // SAFETY: each slice has at least `n` elements.
                unsafe { kernel_args::launch(&world.saxpy, launch, args)? };
            }
            Step::Add { n, threads, slices: at } => {
                let [a, b, c] = slices.get_disjoint_mut(at).expect("different slices");
                let args = VectorAdd { a, b, c, n };
                // SAFETY: each slice has at least `n` elements.
                unsafe { launch!(world.vector_add, 1, threads, args, stream = place)? };
            }
            Step::Zero { slice } => place.zero(&mut slices[slice])?,
            Step::Copy { slices: at } => {
                let [from, to] = slices.get_disjoint_mut(at).expect("different slices");
                place.copy(from, to)?;
            }
        }
    }
    Ok(())
}

fn random() -> Outcome {
    let programs = if env::var_os("KERNEL_ARGS_FULL").is_some() { 400 } else { 40 };
    let world = World::new()?;
    let (mut launches, mut modes, mut shortened) = (0, [0; 3], 0);
    for seed in 1..=programs {
        let mut rng = Rng::new(seed, 0);
        let mut sequence = new_sequence(&world.stream);
        // SAFETY: the kernels use only the memory of their arguments.
        let mut parallel = unsafe { new_sequence(&world.stream).parallel() };
        let new = || -> Outcome<Vec<_>> { (0..SLICES).map(|i| world.slice(1.0 + i as f32)).collect() };
        let (mut plain, mut recorded, mut branched) = (new()?, new()?, new()?);
        let mut program: Vec<_> = (0..=rng.below(30)).map(|_| step(&mut rng)).collect();
        for run in 0..20 {
            let mut borrowed: Vec<_> = plain.iter_mut().collect();
            perform(&world, &program, &mut borrowed, &world.stream)?;
            for (sequence, slices) in [(&mut sequence, &mut recorded), (&mut parallel, &mut branched)] {
                sequence.run(|s| {
                    let held: Result<Vec<_>, _> = slices.iter_mut().map(|one| s.hold(one)).collect();
                    perform(&world, &program, &mut held?, s)
                })?;
            }
            shortened += usize::from(parallel.longest_chain() < program.len());
            launches += program.len();
            modes[match sequence.mode() {
                RunMode::Built => 0,
                RunMode::Updated(0) => 1,
                RunMode::Updated(_) => 2,
                mode => return Err(format!("seed {seed}: {mode:?}").into()),
            }] += 1;
            for (index, plain) in plain.iter().enumerate() {
                let bits = |slice| -> Outcome<Vec<u32>> {
                    let values = world.stream.clone_dtoh(slice)?;
                    Ok(values.into_iter().map(f32::to_bits).collect())
                };
                let expected = bits(plain)?;
                if expected != bits(&recorded[index])? || expected != bits(&branched[index])? {
                    return Err(format!("seed {seed}, run {run}, slice {index}: {program:?}").into());
                }
            }
            change(&mut rng, &mut program);
        }
    }
    let [built, unchanged, updated] = modes;
    println!(
        "{launches} launches; {built} graphs built, {unchanged} runs unchanged, {updated} updated; {shortened} runs with branches"
    );
    assert!(launches >= 10_000 && shortened > 100 && modes.iter().all(|count| *count > 20));
    Ok(())
}
