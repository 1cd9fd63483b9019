//! Work of code that this crate does not see: it is captured once, and its nodes become steps.

use super::{Run, run::not_held};
use crate::{
    driver::{
        api::{CallError, Graph, NotRead, Steps, api},
        error::{Error, GraphError, OutsideOf},
        graph::Capture,
        launch::{not_recording, within},
        run::{Captured, ExternalCache, ExternalSteps, NotRecording, Recording},
    },
    memory::{Access, ExternalArgs, StepUses},
};
use core::{
    any::{Any, TypeId},
    cell::{OnceCell, RefMut},
    hash::{Hash, Hasher},
    panic::Location,
};
use cudarc::driver::{CudaStream, sys::CUdeviceptr};
use std::{hash::DefaultHasher, sync::Arc};

/// The place of work that is never equal.
#[derive(Clone, Copy)]
struct Always;

impl PartialEq for Always {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

/// # External work
/// Calls that enqueue work on a stream themselves: cuBLAS, cuBLASLt, cuDNN, cuFFT, host launchers, the launches and
/// copies of cudarc.
impl Run {
    /// Adds the work that the closure enqueues on the stream of the run, as steps in the order of the launches.
    ///
    /// The closure is called while the stream is captured, so nothing runs. Its kernels, memsets and copies become
    /// steps. In later runs with equal arguments ([`ExternalArg`](crate::sequence::ExternalArg)), the closure is **not
    /// called**: the run has the same steps. With other arguments it is captured again, and updates the nodes of the
    /// graph if the kernels are the same.
    ///
    /// Often only addresses differ, as in the layers of a model. Three captures then show where the addresses are in
    /// the steps, and the sequence replaces them there. To be sure, it captures one of 256 such calls, and compares.
    ///
    /// The closure cannot capture variables, so everything that it depends on is an argument. It must not read what
    /// changes otherwise, such as a `static`.
    ///
    /// The sequence cannot see which memory a kernel of a library uses, so the caller promises it, for safe functions
    /// of a library too. The memory of copies and memsets is compared with the arguments, if none of them is a
    /// [`Handle`](crate::sequence::Handle).
    ///
    /// ```no_run
    /// # use cudarc::driver::{CudaSlice, CudaStream};
    /// # use kernel_args::{Error, sequence::{Handle, Run}};
    /// # struct Blas;
    /// # impl Blas { unsafe fn gemm<A, B>(&self, _: usize, _: &A, _: &mut B) -> Result<(), Error> { Ok(()) } }
    /// # fn example(run: &Run, blas: Handle<Blas>, n: usize, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    /// // SAFETY: both slices have `n` elements. The product uses only them, and the workspace of the handle.
    /// unsafe { run.external((&blas, n, x, y), |_stream, (blas, n, x, mut y)| blas.gemm(n, &x, &mut y)) }
    /// # }
    /// ```
    ///
    /// The promise covers safe functions too. A later run would copy from this slice, even if it was freed:
    ///
    /// ```compile_fail,E0133
    /// # use cudarc::driver::CudaSlice;
    /// # use kernel_args::{Error, sequence::{Handle, Run}};
    /// # use std::sync::Mutex;
    /// static SCRATCH: Mutex<Option<CudaSlice<f32>>> = Mutex::new(None);
    ///
    /// # fn example(run: &Run, handle: Handle<()>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    /// run.external((&handle, y), |stream, (_, mut y)| {
    ///     let scratch = SCRATCH.lock().unwrap();
    ///     Ok(stream.memcpy_dtod(scratch.as_ref().unwrap(), &mut y)?)
    /// })
    /// # }
    /// ```
    ///
    /// The handle of a library must use the stream of the run. A library that allocates memory for its work must get
    /// this memory before: for cuBLAS with `cublasSetWorkspace`.
    ///
    /// # Errors
    /// The error of the closure. [`Error::Launch`] if the run does not hold the memory of an argument, or cannot
    /// record. [`Error::Graph`] if the work cannot be captured: the stream is a default stream, a call has ended the
    /// capture, or a node cannot be a step of a run. Nothing was recorded then, and the stream is not capturing.
    ///
    /// # Safety
    /// For each run with equal arguments, in which the closure is not called:
    /// - The work uses only memory of the arguments, which it writes only if they are `&mut`, and memory that is
    ///   allocated as long as the [`Handle`](crate::sequence::Handle) or the `Arc` that it belongs to. Other memory,
    ///   such as a slice in a `static`, can be freed before the run.
    /// - Memory that is not an argument is used by the work of one handle only.
    /// - The requirements of the `unsafe` functions that the closure calls are met.
    ///
    /// For arguments with other addresses, but the same sizes, alignment to 512 bytes and overlaps, the closure would
    /// enqueue the same work with these addresses.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    pub unsafe fn external<A, E, F>(&self, args: A, work: F) -> Result<(), E>
    where
        A: ExternalArgs,
        E: From<Error>,
        F: for<'a> Fn(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E> + 'static,
    {
        const {
            assert!(
                size_of::<F>() == 0,
                "the closure of external work uses a variable of the code around it, which can change while the arguments stay equal\n\
                 help: pass it as an argument: `run.external((&x, n), |stream, (x, n)| …)`; or promise it with `external_with`"
            );
        }
        self.add_external(TypeId::of::<F>(), &args, true, |stream, input| work(stream, input))
    }

    /// [`external`](Self::external) for a closure that captures variables, or that reads what is not an argument.
    ///
    /// # Errors
    /// See [`external`](Self::external).
    ///
    /// # Safety
    /// In each run with equal arguments, from this place in the source, the closure would enqueue the same work with
    /// the same addresses. Memory that the work uses, and that is not an argument, is allocated until the work of the
    /// run has finished.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    #[track_caller]
    pub unsafe fn external_with<A, E>(
        &self,
        args: A,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        A: ExternalArgs,
        E: From<Error>,
    {
        self.add_external(Location::caller(), &args, false, work)
    }

    /// [`external`](Self::external) for work that differs in each run, such as random numbers of cuRAND: the closure is
    /// called in each run.
    ///
    /// # Errors
    /// See [`external`](Self::external).
    ///
    /// # Safety
    /// All memory that the work uses, and that is not an argument, is allocated until the work of the run has finished.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    pub unsafe fn external_always<A, E>(
        &self,
        args: A,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        A: ExternalArgs,
        E: From<Error>,
    {
        self.add_external(Always, &args, false, work)
    }

    /// Work with equal arguments from one `place` is equal: the type of a closure without variables, or a place in the
    /// source. If it `is_checked`, its copies and memsets use only memory of the arguments, unless a handle has memory.
    fn add_external<P: Copy + PartialEq + Send + Sync + 'static, A: ExternalArgs, E: From<Error>>(
        &self,
        place: P,
        args: &A,
        is_checked: bool,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let entered = self.enter("external work")?;
        let recording = &*entered;
        let held = &recording.held;
        let found = held.within(|| {
            let field = |index| format!("args.{index}").into();
            args.find(held).map_err(|index| not_held(held, "the external work", field(index)))
        })?;
        let matches = |key: &dyn Any, anywhere| {
            let key = key.downcast_ref::<(P, A::Key)>();
            key.is_some_and(|key| key.0 == place && args.matches(found, &key.1, anywhere))
        };
        let is_equal = |steps: &ExternalSteps| matches(&*steps.key, false);
        let accesses = OnceCell::new();
        let accesses = || {
            accesses.get_or_init(|| {
                let mut list = Vec::new();
                args.accesses(found, &mut list);
                list
            })
        };
        let hash = || {
            let mut hasher = DefaultHasher::new();
            for access in accesses() {
                access.address.hash(&mut hasher);
            }
            hasher.finish()
        };
        let capture = || {
            let key = || Box::new((place, args.key(found))) as Box<dyn Any + Send + Sync>;
            let (is_like, accesses) = (|key: &dyn Any| matches(key, true), accesses());
            let moved = is_checked.then(|| recording.external.borrow_mut().predict(accesses, is_like));
            if let Some(moved) = moved.flatten() {
                return Ok((key(), moved));
            }
            let captured = capture_work(recording, args, found, is_checked, accesses, work)?;
            if is_checked {
                recording.external.borrow_mut().learn(accesses, &captured, is_like, key);
            }
            Ok((key(), captured))
        };
        add_work::<E>(recording, "external work", hash, is_equal, capture, |uses| {
            if is_checked { uses.add(accesses().iter().copied()) } else { uses.add_ordered() }
        })?;
        self.end_step(&entered);
        Ok(())
    }
}

/// Adds the work that the previous run has at this place in its order, or an earlier run with this `hash`, if it is
/// equal; otherwise what `capture` returns, with its key. `note` adds the uses of memory of one step.
#[inline]
pub(crate) fn add_work<E: From<Error>>(
    recording: &Recording,
    what: &str,
    hash: impl Fn() -> u64,
    is_equal: impl Fn(&ExternalSteps) -> bool,
    capture: impl FnOnce() -> Result<(Box<dyn Any + Send + Sync>, Captured), E>,
    mut note: impl FnMut(&mut StepUses),
) -> Result<(), E> {
    // The comparison of a value can run user code.
    let comparing = |_| not_recording(what.into(), NotRecording::Comparing);
    let mut external = recording.external.try_borrow_mut().map_err(comparing)?;
    if !external.repeats(&is_equal) {
        external = set_next(recording, external, hash, is_equal, capture)?;
    }
    let work = external.advance();
    recording.log.borrow_mut().push_captured(Steps::of(&work.words), work.steps);
    if recording.held.notes_uses.get() {
        let mut uses = recording.held.steps.borrow_mut();
        (0..work.steps).for_each(|_| note(&mut uses));
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn set_next<'r, E>(
    recording: &'r Recording,
    mut external: RefMut<'r, ExternalCache>,
    hash: impl Fn() -> u64,
    is_equal: impl Fn(&ExternalSteps) -> bool,
    capture: impl FnOnce() -> Result<(Box<dyn Any + Send + Sync>, Captured), E>,
) -> Result<RefMut<'r, ExternalCache>, E> {
    if !external.recall(&hash, is_equal) {
        drop(external);
        let (key, captured) = capture()?;
        external = recording.external.borrow_mut();
        external.insert(hash(), key, captured);
    }
    Ok(external)
}

#[cold]
fn capture_work<A: ExternalArgs, E: From<Error>>(
    recording: &Recording,
    args: &A,
    found: A::Found,
    is_checked: bool,
    accesses: &[Access],
    work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
) -> Result<Captured, E> {
    let untracked = recording
        .untracked()
        .map_err(|error| Error::cudarc("cuDevicePrimaryCtxRetain, cuDeviceGetAttribute or cuCtxSetCurrent", error))?;
    let mut alias = args.alias(found, untracked);
    let is_free = !is_checked || A::OWNS_MEMORY;
    let allows = |address, bytes, writes| is_free || is_inside(accesses, address, bytes, writes);
    let graph = capture(recording.held.stream(), |stream| work(stream, A::input(&mut alias)))?;
    match read_captured(graph, is_checked, &allows)? {
        Captured::Steps(_, 0) => Err(failed(
            "the closure has enqueued nothing on the stream of the run",
            "create the handle of the library on the stream of the run, `run.stream()`; leave out work of size 0",
        )
        .into()),
        captured => Ok(captured),
    }
}

/// Returns whether an argument has this memory, which the work reads or writes.
fn is_inside(arguments: &[Access], address: CUdeviceptr, bytes: usize, writes: bool) -> bool {
    arguments.iter().any(|argument| {
        let offset = address.wrapping_sub(argument.address);
        (argument.writes || !writes) && bytes <= argument.bytes && offset <= (argument.bytes - bytes) as CUdeviceptr
    })
}

pub(crate) fn capture<E: From<Error>>(
    stream: &Arc<CudaStream>,
    work: impl FnOnce(&Arc<CudaStream>) -> Result<(), E>,
) -> Result<Graph, E> {
    if stream.cu_stream().is_null() {
        return Err(failed(
            "the stream of the sequence is the legacy default stream, which cannot be captured",
            "create the sequence on a stream of its own: `Sequence::new(&ctx.new_stream()?)`",
        )
        .into());
    }
    let mut capture = Capture::begin(stream, None, |api| {
        api.begin_external_capture((&**stream).into()).map_err(|error| {
            returned(error, "if the stream is being captured, run the sequence before or after the capture")
        })
    })?;
    // If `work` returns an error or panics, dropping the capture ends it.
    let help = "the closure must not synchronize, query or wait for other streams; pass each slice that it uses as an argument, \
                and use the slices that it receives; if another thread uses the stream, record the run when it does not";
    let worked = within(OutsideOf::Capture, || work(stream));
    if worked.is_err()
        && let Ok(api) = api()
        && let Ok(Some(info)) = api.capture_info(stream)
        && info.graph.is_none()
    {
        return Err(failed(
            "a call in the closure is not possible while the stream is being captured, and has ended the capture",
            help,
        )
        .into());
    }
    worked?;
    let error = match capture.end() {
        Ok(Some(graph)) => return Ok(graph),
        Ok(None) => failed("the capture of the stream was ended in the closure", help),
        Err(error) => returned(error, help),
    };
    // A wait that cudarc could not report has ended the capture.
    let _ = stream.context().check_err();
    Err(error.into())
}

/// Returns the nodes of a captured graph as steps. If the driver does not report the parameters of its kernels, it is a
/// child graph; also if it has a node of another kind, for which an `unsafe` caller has promised what each launch
/// needs.
pub(crate) fn read_captured(
    graph: Graph,
    is_checked: bool,
    allows: &dyn Fn(CUdeviceptr, usize, bool) -> bool,
) -> Result<Captured, Error> {
    let mut words = Vec::new();
    match graph.read_steps(&mut words, allows) {
        Ok(steps) => Ok(Captured::Steps(words, steps)),
        Err(NotRead::Parameters) => Ok(Captured::Child(graph)),
        Err(NotRead::Node(_)) if !is_checked => Ok(Captured::Child(graph)),
        Err(error) => Err(not_read(error)),
    }
}

#[cold]
fn not_read(why: NotRead) -> Error {
    match why {
        NotRead::Call(error) => returned(error, ""),
        NotRead::Parameters => failed("the driver does not report the parameters of its kernels", ""),
        NotRead::Allocation => failed(
            "the work allocates memory, which no later run would have",
            "give the library its memory before: for cuBLAS a workspace, `cublasSetWorkspace`, in a slice that is kept with the handle; for cudarc \
             allocate outside of the closure, and pass the slice as an argument",
        ),
        NotRead::Node(what) => failed(
            format!("the work contains {what}, which cannot be a step of a run"),
            "call it before or after the run; or promise with `external_with` that each run can repeat it",
        ),
        NotRead::Memory { is_host: true, .. } => failed(
            "the work copies from or to memory of the host, which can be freed before a later run",
            "copy with the run: `run.memcpy_htod(&values, &mut y)`, `run.clone_dtoh(&x)`",
        ),
        NotRead::Memory { is_written, .. } => {
            let verb = if is_written { "writes" } else { "reads" };
            failed(
                format!("a copy or a memset of the work {verb} memory that is not an argument of it"),
                "pass the slice as an argument, `&mut` if the work writes it, and use what the closure receives; if it is memory of a handle, pass a \
                 `sequence::Handle`",
            )
        }
    }
}

#[cold]
fn returned(error: CallError, help: &'static str) -> Error {
    let error = Error::from(error);
    if error.lost_context().is_some() { error } else { failed(error.to_string(), help) }
}

#[cold]
fn failed(reason: impl Into<String>, help: &'static str) -> Error {
    let (action, reason) = ("the external work was not recorded", reason.into());
    Error::Graph(Box::new(GraphError { kernel: None, action, reason, status: None, help, lost: None }))
}
