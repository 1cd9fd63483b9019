//! Two mistakes at a time: each way to the driver reports the one that the order of the checks names first
//! (`launch/prepare.rs` of the library).

use super::results::Outcome;
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream,
        sys::{CUfunction, CUstream},
    },
    nvrtc::Ptx,
};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Launch, Retained,
    context::{ContextFlags, create_context},
    graph::Graph,
    launch,
    sequence::{Run, Sequence},
};
use kernel_args_tests::{
    driver::{context, device, trial},
    saxpy::SAXPY,
};
use libtest_mimic::Trial;
use std::sync::Arc;

/// In their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mistake {
    /// The launch is not part of the capture, the run or the graph.
    Place,
    Contract,
    /// The kernel belongs to a different context than the stream or the graph.
    Context,
    Argument,
    Limit,
    Attribute,
}

use Mistake::{Argument, Attribute, Context, Contract, Limit, Place};

const ALL: [Mistake; 6] = [Place, Contract, Context, Argument, Limit, Attribute];

#[derive(KernelArgs)]
struct Borrowed<'a> {
    n: u32,
    alpha: f32,
    #[kernel_args(len = "n")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Owned {
    n: u32,
    alpha: f32,
    #[kernel_args(len = "n")]
    x: Retained<DevicePointer<f32>>,
    #[kernel_args(len = "n")]
    y: Retained<DevicePointerMut<f32>>,
}

unsafe extern "C" fn launcher(_: u32, _: *mut f32, _: CUstream) -> u32 {
    0
}

#[derive(KernelArgs)]
#[kernel_args(launcher = launcher)]
struct Called<'a> {
    n: u32,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
}

/// A context, and what belongs to it.
struct World {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    borrowed: Kernel<Borrowed<'static>>,
    owned: Kernel<Owned>,
    cudarc: CudaFunction,
    y: Arc<CudaSlice<f32>>,
}

const N: usize = 32;

impl World {
    fn new(context: Arc<CudaContext>) -> Outcome<Self> {
        let stream = context.new_stream()?;
        let world = Self {
            borrowed: Kernel::from_image(&context, SAXPY, "saxpy")?,
            owned: Kernel::from_image(&context, SAXPY, "saxpy")?,
            cudarc: context.load_module(Ptx::from_src(SAXPY))?.load_function("saxpy")?,
            y: Arc::new(stream.alloc_zeros(N)?),
            stream,
            context,
        };
        world.context.synchronize()?;
        Ok(world)
    }

    fn raw(&self) -> CUfunction {
        self.borrowed.cu_function()
    }
}

/// The launch with some mistakes: own memory, and the memory of a different context.
struct Case<'w> {
    own: &'w World,
    other: &'w World,
    mistakes: Vec<Mistake>,
}

impl<'w> Case<'w> {
    fn has(&self, mistake: Mistake) -> bool {
        self.mistakes.contains(&mistake)
    }

    fn n(&self) -> u32 {
        if self.has(Contract) { N as u32 + 1 } else { N as u32 }
    }

    fn world(&self, mistake: Mistake) -> &'w World {
        if self.has(mistake) { self.other } else { self.own }
    }

    fn launch(&self) -> Launch<'w> {
        let launch = Launch::new(1, 32);
        let launch = if self.has(Limit) { launch.shared(1 << 20) } else { launch };
        if self.has(Attribute) { launch.preferred_shared_memory_carveout(101) } else { launch }
    }

    fn owned(&self) -> Owned {
        let [x, y] = [&self.own.y, &self.world(Argument).y];
        Owned { n: self.n(), alpha: 1.0, x: Retained::read(x), y: Retained::write(y) }
    }

    /// Calls `launch` with its arguments; in the closure of a capture of a different stream, if this is a mistake.
    fn borrowed(&self, launch: impl FnOnce(Borrowed<'_>) -> Result<(), Error>) -> Outcome {
        let (x, mut y) = (self.own.stream.alloc_zeros(N)?, self.world(Argument).stream.alloc_zeros(N)?);
        self.placed(|| launch(Borrowed { n: self.n(), alpha: 1.0, x: &x, y: &mut y }))
    }

    fn placed(&self, launch: impl FnOnce() -> Result<(), Error>) -> Outcome {
        if self.has(Place) {
            Graph::capture(&self.own.context.new_stream()?, launch)?;
        } else {
            launch()?;
        }
        Ok(())
    }
}

fn kernel(case: &Case<'_>) -> Outcome {
    let launch = case.launch().stream(&case.own.stream);
    // SAFETY: both slices have `N` elements, and so below.
    case.borrowed(|args| unsafe { kernel_args::launch(&case.world(Context).borrowed, launch, args) })
}

fn function(case: &Case<'_>) -> Outcome {
    let launch = case.launch().stream(&case.own.stream);
    // SAFETY: see `kernel`.
    case.borrowed(|args| unsafe { kernel_args::launch(case.world(Context).borrowed.as_function(), launch, args) })
}

fn of_cudarc(case: &Case<'_>) -> Outcome {
    let launch = case.launch().stream(&case.own.stream);
    // SAFETY: see `kernel`.
    case.borrowed(|args| unsafe { kernel_args::launch(&case.world(Context).cudarc, launch, args) })
}

fn raw(case: &Case<'_>) -> Outcome {
    let launch = case.launch().stream(&case.own.stream);
    // SAFETY: see `kernel`.
    case.borrowed(|args| unsafe { kernel_args::launch(&case.own.raw(), launch, args) })
}

fn called(case: &Case<'_>) -> Outcome {
    let mut y = case.world(Argument).stream.alloc_zeros(N)?;
    // SAFETY: the function does nothing.
    case.placed(|| unsafe { launch!(launcher, Called { n: case.n(), y: &mut y }, stream = &case.own.stream) })
}

/// Calls `launch` with a run, which is over if this is a mistake, and with memory of the run.
fn with_run(case: &Case<'_>, launch: impl FnOnce(&Run, Borrowed<'_>) -> Result<(), Error>) -> Outcome {
    let run = Sequence::new(&case.own.stream).begin()?;
    let (x, mut y) = (run.alloc_zeros::<f32>(N)?, run.alloc_zeros::<f32>(N)?);
    let mut foreign = case.other.stream.alloc_zeros(N)?;
    if case.has(Place) {
        run.clone().finish()?;
    }
    let y = if case.has(Argument) { &mut foreign } else { &mut *y };
    Ok(launch(&run, Borrowed { n: case.n(), alpha: 1.0, x: &x, y })?)
}

fn recorded(case: &Case<'_>) -> Outcome {
    with_run(case, |run, args| {
        let launch = case.launch().stream(run);
        // SAFETY: see `kernel`.
        unsafe { kernel_args::launch(&case.world(Context).borrowed, launch, args) }
    })
}

fn recorded_call(case: &Case<'_>) -> Outcome {
    with_run(case, |run, args| {
        // SAFETY: see `called`.
        unsafe { launch!(launcher, Called { n: args.n, y: args.y }, stream = run) }
    })
}

fn added(case: &Case<'_>) -> Outcome {
    let launch = if case.has(Place) { case.launch().stream(&case.own.stream) } else { case.launch() };
    Graph::new(&case.own.context)?.add_kernel_launch(&case.world(Context).owned, launch, case.owned(), &[])?;
    Ok(())
}

fn updated(case: &Case<'_>) -> Outcome {
    let mut graph = Graph::new(&case.own.context)?;
    let right = Case { mistakes: Vec::new(), ..*case };
    let node = graph.add_kernel_launch(&case.own.owned, right.launch(), right.owned(), &[])?;
    let launch = if case.has(Place) { case.launch().stream(&case.own.stream) } else { case.launch() };
    graph.instantiate()?.update_launch(&node, launch, case.owned())?;
    Ok(())
}

fn captured(case: &Case<'_>) -> Outcome {
    let capture = || {
        // SAFETY: see `kernel`.
        unsafe { case.world(Context).owned.capture(case.launch().stream(&case.own.stream), case.owned()) }.map(drop)
    };
    if case.has(Place) {
        capture()?;
    } else {
        Graph::capture(&case.own.stream, capture)?;
    }
    Ok(())
}

type Door = fn(&Case<'_>) -> Outcome;

/// Each way to the driver with the mistakes that it can have. The context of a raw function is not known, and an update
/// cannot name attributes.
const DOORS: [(&str, Door, &[Mistake]); 10] = [
    ("a kernel", kernel, &ALL),
    ("a function", function, &ALL),
    ("a function of cudarc", of_cudarc, &ALL),
    ("a raw function", raw, &[Place, Contract, Argument, Limit, Attribute]),
    ("a launcher", called, &[Place, Contract, Argument]),
    ("a recorded launch", recorded, &ALL),
    ("a recorded call of a launcher", recorded_call, &[Place, Contract, Argument]),
    ("a node that is added", added, &ALL),
    ("a node that is updated", updated, &[Place, Contract, Argument, Limit]),
    ("a launch that is captured as a node", captured, &ALL),
];

fn of_two_mistakes_the_first_is_reported() -> Outcome {
    let own = World::new(context()?)?;
    let other = World::new(create_context(device(), ContextFlags::new())?)?;
    let mut wrong = Vec::new();
    for (name, door, possible) in DOORS {
        let text = |mistakes: &[Mistake]| {
            let case = Case { own: &own, other: &other, mistakes: mistakes.to_vec() };
            door(&case).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(text(&[]), "", "{name}");
        let single: Vec<String> = possible.iter().map(|mistake| text(&[*mistake])).collect();
        for (i, first) in possible.iter().enumerate() {
            let alike = single.iter().filter(|text| **text == single[i]).count();
            assert!(alike == 1 && !single[i].is_empty(), "{name}, {first:?}: {single:#?}");
            for second in &possible[i + 1..] {
                let found = text(&[*first, *second]);
                // A run does not hold the slice; a launch with attributes reports its context.
                let of_run = name.contains("recorded") && found.contains("`y`") && !found.contains("has 32 elements");
                let is_argument = *first == Argument && of_run;
                if found != single[i] && !is_argument {
                    wrong.push(format!("{name}: {first:?} and {second:?}: {found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("of_two_mistakes_the_first_is_reported", of_two_mistakes_the_first_is_reported)]
}
