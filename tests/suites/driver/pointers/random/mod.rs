//! Random kernels: right arguments are launched and have the right effect, and one wrong pointer that the code accesses
//! is refused.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_POINTERS` | the number of kernels | 300 | 3,000 |

mod kernel;

use super::{
    checks::{is_gone, shares_page_tables},
    kernels::{Outcome, World, refused},
};
use cudarc::driver::CudaSlice;
use kernel::{Argument, Form, Kernel, Pointer, Right, WORDS, images, kernel, word};
use kernel_args::{
    ArgList, DevicePointerMut, DeviceType, Error, Function, Module, error::PointerProblem, image::JitOptions, launch,
};
use kernel_args_test_generator::{Rng, size};
use kernel_args_tests::driver::{Driver, trial};
use libtest_mimic::Trial;
use std::{collections::BTreeMap, env};

/// The number of kernels in an image.
const EACH: usize = 20;
const BYTES: u64 = 4 * WORDS.cast_unsigned();

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Holder {
    tag: u64,
    at: DevicePointerMut<u32>,
}

/// What is wrong with an argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wrong {
    Freed,
    Null,
    Host,
    Nowhere,
    /// The end of an allocation, where the code accesses memory at the pointer itself.
    End,
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let is_real = driver.is_real();
    vec![trial("random_kernels", move || random_kernels(is_real))]
}

/// Memory for the trials of a kernel.
struct Memory {
    /// For each argument that is a pointer.
    own: BTreeMap<usize, CudaSlice<u32>>,
    freed: u64,
    host: Vec<u32>,
}

impl Memory {
    fn new(world: &World, kernel: &Kernel) -> Outcome<Self> {
        let mut own = BTreeMap::new();
        for (index, _) in pointers(kernel) {
            let words: Vec<u32> = (0..WORDS).map(|at| word(index, at)).collect();
            own.insert(index, world.stream.clone_htod(&words)?);
        }
        let freed = world.stream.clone_htod(&[0_u32; WORDS as usize])?;
        let address = world.address(&freed);
        drop(freed);
        world.finish()?;
        Ok(Self { own, freed: address, host: vec![0; WORDS as usize] })
    }

    fn right(&self, world: &World, index: usize, pointer: &Pointer) -> u64 {
        let begin = world.address(&self.own[&index]);
        match pointer.right {
            Right::Begin => begin,
            Right::End => begin + BYTES,
            Right::Null => 0,
            Right::Anything => 16,
        }
    }

    /// Whether an address is in an allocation, or at its end.
    fn is_allocated(&self, world: &World, address: u64) -> bool {
        self.own.values().any(|slice| (0..=BYTES).contains(&address.wrapping_sub(world.address(slice))))
    }

    /// A wrong address of this kind, if it is wrong for this pointer.
    fn wrong(&self, world: &World, (index, pointer): (usize, &Pointer), wrong: Wrong, rng: &mut Rng) -> Option<u64> {
        let is_slice = pointer.form == Form::Slice;
        let by = if pointer.right == Right::End { BYTES } else { 0 };
        match wrong {
            Wrong::Freed => Some(self.freed + by).filter(|address| !self.is_allocated(world, *address)),
            Wrong::Null => (is_slice || pointer.is_always).then_some(0),
            Wrong::Host => Some(self.host.as_ptr().expose_provenance() as u64 + by / 2),
            Wrong::Nowhere => Some(*rng.pick(&[16, 4096, 1 << 60, u64::MAX - 15])),
            Wrong::End => {
                let end = world.address(&self.own[&index]) + BYTES;
                let is_next = self.own.values().any(|slice| world.address(slice) == end);
                ((is_slice || pointer.is_at_start) && !is_next).then_some(end)
            }
        }
    }
}

fn pointers(kernel: &Kernel) -> impl Iterator<Item = (usize, &Pointer)> {
    let all = kernel.arguments.iter().enumerate();
    all.filter_map(|(index, argument)| match argument {
        Argument::Pointer(pointer) => Some((index, pointer)),
        _ => None,
    })
}

fn random_kernels(is_real: bool) -> Outcome {
    let count = match env::var("KERNEL_ARGS_POINTERS") {
        Ok(text) => text.parse()?,
        Err(_) => size::choose(300, 3000),
    };
    let world = World::new()?;
    let mut kinds = vec![Wrong::Freed, Wrong::Null, Wrong::Nowhere, Wrong::End];
    if !shares_page_tables(&world)? {
        kinds.push(Wrong::Host);
    }
    let mut rng = Rng::new(41, 0);
    let (mut launched, mut found, mut mistakes) = (0, BTreeMap::<Wrong, usize>::new(), Vec::new());
    for first in (0..count).step_by(EACH) {
        let kernels: Vec<_> = (first..count.min(first + EACH)).map(|index| kernel(6, index)).collect();
        let [own, library] = images(&kernels);
        let module = Module::link(&world.ctx, [(&own).into(), (&library).into()], &JitOptions::new())?;
        for kernel in &kernels {
            let function = module.function(&kernel.name)?;
            let memory = Memory::new(&world, kernel)?;
            let right: BTreeMap<_, _> =
                pointers(kernel).map(|(index, pointer)| (index, memory.right(&world, index, pointer))).collect();
            match attempt(&world, &function, kernel, &right) {
                Err(error) => mistakes.push(format!("right arguments: {error}\n{}", kernel.ptx)),
                Ok(()) => launched += 1,
            }
            world.finish()?;
            if let Some(difference) = difference(&world, kernel, &memory)? {
                mistakes.push(format!("{difference}\n{}", kernel.ptx));
            }
            for (index, pointer) in pointers(kernel).filter(|(_, pointer)| pointer.is_accessed) {
                let wrong = *rng.pick(&kinds);
                let Some(address) = memory.wrong(&world, (index, pointer), wrong, &mut rng) else {
                    continue;
                };
                let mut arguments = right.clone();
                arguments.insert(index, address);
                let launched = attempt(&world, &function, kernel, &arguments);
                if launched.is_ok() {
                    mistakes.push(format!("argument {index} is {wrong:?} ({address:#x}), accepted\n{}", kernel.ptx));
                    // On a GPU, the next kernels would fail.
                    if is_real {
                        return Err(mistakes.join("\n").into());
                    }
                    continue;
                }
                let bad = refused(launched);
                let is_right_field = bad.field.split('.').next() == Some(&index.to_string());
                let is_right_problem = match wrong {
                    Wrong::Null => matches!(bad.problem, PointerProblem::Null { .. } | PointerProblem::NullAccess),
                    Wrong::Host => bad.problem == PointerProblem::Host,
                    Wrong::Freed => is_gone(bad.problem),
                    Wrong::Nowhere | Wrong::End => {
                        bad.problem == PointerProblem::NotAllocated || !is_real && is_gone(bad.problem)
                    }
                };
                if !is_right_field || !is_right_problem {
                    mistakes.push(format!("argument {index} is {wrong:?}: {bad}\n{}", kernel.ptx));
                }
                *found.entry(wrong).or_default() += 1;
            }
            world.finish()?;
        }
    }
    println!(
        "random_kernels: {launched} of {count} launched with right arguments; wrong pointers that were refused: {found:?}"
    );
    assert!(mistakes.is_empty(), "{} mistakes, the first: {}", mistakes.len(), mistakes[0]);
    let few = kinds.iter().find(|kind| found.get(kind).is_none_or(|refused| *refused < count / 30));
    assert!(few.is_none(), "few wrong pointers of the kind {few:?}");
    Ok(())
}

/// Launches a kernel with these pointers.
fn attempt(world: &World, function: &Function, kernel: &Kernel, addresses: &BTreeMap<usize, u64>) -> Result<(), Error> {
    let of_slices = pointers(kernel).filter(|(_, pointer)| pointer.form == Form::Slice);
    // SAFETY: `leak` prevents that the memory is freed, and a launch with wrong memory is refused.
    let slice = |index| unsafe { world.stream.upgrade_device_ptr::<u32>(addresses[&index], WORDS as usize) };
    let mut slices: Vec<_> = of_slices.map(|(index, _)| slice(index)).collect();
    let mut rest = slices.iter_mut();
    let mut list = ArgList::new();
    for (index, argument) in kernel.arguments.iter().enumerate() {
        match argument {
            Argument::Count(count) => list.push(*count),
            Argument::Number(number) => list.push(*number),
            Argument::Pointer(pointer) => {
                let at = DevicePointerMut::<u32>::from_raw(addresses[&index]);
                match pointer.form {
                    Form::Pointer => list.push(at),
                    Form::Integer => list.push(at.address()),
                    Form::InStruct => list.push(Holder { tag: 16, at }),
                    Form::Slice => list.push(rest.next().expect("a slice for each")),
                }
            }
        };
    }
    // SAFETY: right arguments have the memory that the kernel accesses. With a wrong one, the launch is refused.
    let launched = unsafe { launch!(function, 1, 1, list) };
    for slice in slices {
        slice.leak();
    }
    launched
}

/// A difference between the memory after a launch and what the kernel writes.
fn difference(world: &World, kernel: &Kernel, memory: &Memory) -> Outcome<Option<String>> {
    for (index, pointer) in pointers(kernel) {
        let mut expected: Vec<u32> = (0..WORDS).map(|at| word(index, at)).collect();
        for (at, value) in &pointer.written {
            expected[usize::try_from(*at)?] = *value;
        }
        let found = world.stream.clone_dtoh(&memory.own[&index])?;
        if found != expected {
            return Ok(Some(format!("argument {index}: {found:?} instead of {expected:?}")));
        }
    }
    Ok(None)
}
