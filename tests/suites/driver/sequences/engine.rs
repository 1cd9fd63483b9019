//! Random steps of an engine: launches, allocations, external work, copies and drops, plainly, plainly with memory of a
//! pool, and as sequences. The bytes are equal.

use crate::sequences::{
    external::{self, Library},
    world::{Outcome, Saxpy, VectorAdd, World, new_sequence, trial},
};
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{
    Error, launch,
    sequence::{Handle, Pool, PoolSlice, Run, RunCounts, Sequence},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{collections::VecDeque, env, ops::DerefMut, sync::Arc};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![trial("random_steps_of_an_engine_have_the_results_of_plain_launches", random)]
}

/// One operation on the tensors of a program, by their index. An operation with a result adds a tensor.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// `new = a + b`, as far as both have elements.
    Add(usize, usize),
    /// `y += alpha * x`.
    Saxpy(f32, usize, usize),
    /// `y += alpha * x`, by the library.
    External(f32, usize, usize),
    Zero(usize),
    /// The tensors one after another: it grows.
    Concatenate(usize, usize),
    /// Elements of the host.
    Upload(usize, f32),
    Drop(usize),
}

/// The largest tensor.
const LARGEST: usize = 64;

fn step(rng: &mut Rng) -> Step {
    let (a, b, alpha) = (rng.below(8), rng.below(8), [0.5, -0.25, 1.0][rng.below(3)]);
    match rng.below(12) {
        0..=2 => Step::Add(a, b),
        3 | 4 => Step::Saxpy(alpha, a, b),
        5 | 6 => Step::External(alpha, a, b),
        7 => Step::Zero(a),
        8 => Step::Concatenate(a, b),
        9 => Step::Upload(1 + rng.below(LARGEST), alpha),
        _ => Step::Drop(a),
    }
}

/// Where a program runs.
trait Engine {
    type Tensor: DerefMut<Target = CudaSlice<f32>>;

    fn zeros(&self, len: usize) -> Result<Self::Tensor, Error>;
    fn upload(&self, values: &[f32]) -> Result<Self::Tensor, Error>;
    fn zero(&self, tensor: &mut Self::Tensor) -> Result<(), Error>;
    fn copy(&self, from: &Self::Tensor, to: &mut Self::Tensor, at: usize) -> Result<(), Error>;
    fn add(&self, world: &World, args: VectorAdd<'_>) -> Result<(), Error>;
    fn saxpy(&self, world: &World, args: Saxpy<'_>) -> Result<(), Error>;
    fn external(&self, library: &Handle<Library>, args: Saxpy<'_>) -> Result<(), Error>;
}

impl Engine for Arc<CudaStream> {
    type Tensor = Box<CudaSlice<f32>>;

    fn zeros(&self, len: usize) -> Result<Self::Tensor, Error> {
        Ok(Box::new(self.alloc_zeros(len)?))
    }

    fn upload(&self, values: &[f32]) -> Result<Self::Tensor, Error> {
        Ok(Box::new(self.clone_htod(values)?))
    }

    fn zero(&self, tensor: &mut Self::Tensor) -> Result<(), Error> {
        Ok(self.memset_zeros(&mut **tensor)?)
    }

    fn copy(&self, from: &Self::Tensor, to: &mut Self::Tensor, at: usize) -> Result<(), Error> {
        Ok(self.memcpy_dtod(&**from, &mut to.slice_mut(at..))?)
    }

    fn add(&self, world: &World, args: VectorAdd<'_>) -> Result<(), Error> {
        // SAFETY: `perform` passes slices with `n` elements.
        unsafe { launch!(world.vector_add, 2, 32, args, stream = self) }
    }

    fn saxpy(&self, world: &World, args: Saxpy<'_>) -> Result<(), Error> {
        // SAFETY: the same.
        unsafe { launch!(world.saxpy, 2, 32, args, stream = self) }
    }

    fn external(&self, library: &Handle<Library>, Saxpy { n, alpha, x, y }: Saxpy<'_>) -> Result<(), Error> {
        // SAFETY: the same.
        Ok(unsafe { library.axpy(n, alpha, x, y) }?)
    }
}

/// Plain launches with memory of a pool.
struct Pooled(Pool, Arc<CudaStream>);

impl Engine for Pooled {
    type Tensor = PoolSlice<f32>;

    fn zeros(&self, len: usize) -> Result<Self::Tensor, Error> {
        self.0.alloc_zeros(len)
    }

    fn upload(&self, values: &[f32]) -> Result<Self::Tensor, Error> {
        // SAFETY: the copy writes all elements.
        let mut tensor = unsafe { self.0.alloc(values.len())? };
        self.1.memcpy_htod(values, &mut *tensor)?;
        Ok(tensor)
    }

    fn zero(&self, tensor: &mut Self::Tensor) -> Result<(), Error> {
        Ok(self.1.memset_zeros(&mut **tensor)?)
    }

    fn copy(&self, from: &Self::Tensor, to: &mut Self::Tensor, at: usize) -> Result<(), Error> {
        Ok(self.1.memcpy_dtod(&**from, &mut to.slice_mut(at..))?)
    }

    fn add(&self, world: &World, args: VectorAdd<'_>) -> Result<(), Error> {
        self.1.add(world, args)
    }

    fn saxpy(&self, world: &World, args: Saxpy<'_>) -> Result<(), Error> {
        self.1.saxpy(world, args)
    }

    fn external(&self, library: &Handle<Library>, args: Saxpy<'_>) -> Result<(), Error> {
        self.1.external(library, args)
    }
}

impl Engine for Run {
    type Tensor = PoolSlice<f32>;

    fn zeros(&self, len: usize) -> Result<Self::Tensor, Error> {
        self.alloc_zeros(len)
    }

    fn upload(&self, values: &[f32]) -> Result<Self::Tensor, Error> {
        self.clone_htod(values)
    }

    fn zero(&self, tensor: &mut Self::Tensor) -> Result<(), Error> {
        self.memset_zeros(tensor)
    }

    fn copy(&self, from: &Self::Tensor, to: &mut Self::Tensor, at: usize) -> Result<(), Error> {
        self.memcpy_dtod(from, &mut to.slice_mut(at..))
    }

    fn add(&self, world: &World, args: VectorAdd<'_>) -> Result<(), Error> {
        // SAFETY: the same.
        unsafe { launch!(world.vector_add, 2, 32, args, stream = self) }
    }

    fn saxpy(&self, world: &World, args: Saxpy<'_>) -> Result<(), Error> {
        // SAFETY: the same.
        unsafe { launch!(world.saxpy, 2, 32, args, stream = self) }
    }

    fn external(&self, library: &Handle<Library>, Saxpy { n, alpha, x, y }: Saxpy<'_>) -> Result<(), Error> {
        external::axpy(self, library, n, alpha, x, y)
    }
}

fn perform<E: Engine>(
    engine: &E,
    world: &World,
    library: &Handle<Library>,
    program: &[Step],
    input: f32,
    tensors: &mut VecDeque<E::Tensor>,
) -> Result<(), Error> {
    if tensors.len() < 2 {
        tensors.extend([engine.upload(&[input; 24])?, engine.upload(&[1.0; 9])?]);
    }
    for step in program {
        let count = tensors.len();
        match *step {
            Step::Add(a, b) => {
                let (a, b) = (&tensors[a % count], &tensors[b % count]);
                let n = a.len().min(b.len());
                let mut c = engine.zeros(n)?;
                engine.add(world, VectorAdd { a, b, c: &mut c, n: n as u32 })?;
                tensors.push_back(c);
            }
            Step::Saxpy(alpha, x, y) | Step::External(alpha, x, y) if x % count != y % count => {
                let all = tensors.make_contiguous();
                let [x, y] = all.get_disjoint_mut([x % count, y % count]).expect("two tensors");
                // The library's workspace has 32 elements.
                let n = x.len().min(y.len()).min(32) as u32;
                let args = Saxpy { n, alpha, x, y };
                match step {
                    Step::External(..) => engine.external(library, args)?,
                    _ => engine.saxpy(world, args)?,
                }
            }
            Step::Zero(a) => engine.zero(&mut tensors[a % count])?,
            Step::Concatenate(a, b) => {
                let (a, b) = (&tensors[a % count], &tensors[b % count]);
                if a.len() + b.len() <= LARGEST {
                    let mut both = engine.zeros(a.len() + b.len())?;
                    engine.copy(a, &mut both, 0)?;
                    engine.copy(b, &mut both, a.len())?;
                    tensors.push_back(both);
                }
            }
            Step::Upload(len, value) => tensors.push_back(engine.upload(&vec![value * input; len])?),
            Step::Drop(a) if count > 2 => drop(tensors.remove(a % count)),
            Step::Saxpy(..) | Step::External(..) | Step::Drop(_) => {}
        }
        if tensors.len() > 8 {
            tensors.pop_front();
        }
    }
    Ok(())
}

fn bits(world: &World, slice: &CudaSlice<f32>) -> Outcome<Vec<u32>> {
    Ok(world.stream.clone_dtoh(slice)?.into_iter().map(f32::to_bits).collect())
}

fn random() -> Outcome {
    let (programs, runs) = if env::var_os("KERNEL_ARGS_FULL").is_some() { (250, 10) } else { (20, 8) };
    let world = World::new()?;
    let (mut total, mut branched) = (RunCounts::default(), 0);
    for seed in 1..=programs {
        let mut rng = Rng::new(seed, 7);
        let library = Library::new(&world)?;
        // SAFETY: the kernels use only the memory of their arguments and of the handle.
        let parallel = unsafe { new_sequence(&world.stream).parallel() };
        let checked = new_sequence(&world.stream).check(true);
        let mut sequences = [new_sequence(&world.stream), parallel, checked];
        let mut plain = VecDeque::new();
        let (mut recorded, mut in_pool) = ([const { VecDeque::new() }; 3], VecDeque::new());
        let pooled = Pooled(Pool::new(&world.stream), world.stream.clone());
        let mut program: Vec<_> = (0..4 + rng.below(30)).map(|_| step(&mut rng)).collect();
        for run in 0..runs {
            let input = (run / 2) as f32 + 1.0;
            // In a second half of the programs, no tensor outlives its run.
            if seed % 2 == 0 {
                plain.clear();
                in_pool.clear();
                recorded.iter_mut().for_each(VecDeque::clear);
            }
            perform(&world.stream, &world, &library, &program, input, &mut plain)?;
            perform(&pooled, &world, &library, &program, input, &mut in_pool)?;
            for (sequence, tensors) in sequences.iter_mut().zip(&mut recorded) {
                let active = sequence.begin()?;
                perform(&active, &world, &library, &program, input, tensors)?;
                active.finish()?;
            }
            for (way, tensors) in recorded.iter().chain([&in_pool]).enumerate() {
                assert_eq!(tensors.len(), plain.len());
                for (index, (found, expected)) in tensors.iter().zip(&plain).enumerate() {
                    if bits(&world, found)? != bits(&world, expected)? {
                        return Err(format!("seed {seed}, run {run}, way {way}, tensor {index}: {program:?}").into());
                    }
                }
            }
            branched += usize::from(sequences[1].longest_chain() < sequences[0].longest_chain());
            for _ in 0..[0, 0, 1, 3][rng.below(4)] {
                let at = rng.below(program.len());
                program[at] = step(&mut rng);
            }
        }
        drop((in_pool, recorded));
        assert_eq!(pooled.0.memory_use().used, 0);
        assert!(sequences.iter().all(|sequence| sequence.memory_use().used == 0));
        for counts in sequences.iter().map(Sequence::counts) {
            total.built += counts.built;
            total.equal += counts.equal;
            total.updated += counts.updated;
            total.updated_nodes += counts.updated_nodes;
            total.captures += counts.captures;
            total.moved += counts.moved;
            total.plain += counts.plain;
        }
    }
    println!("{total:?}; {branched} runs with branches");
    let RunCounts { built, equal, updated, captures, plain, .. } = total;
    assert!([built, equal, updated, captures, branched as u64].iter().all(|count| *count > 20) && plain == 0);
    Ok(())
}
