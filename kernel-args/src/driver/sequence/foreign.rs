//! Work of code that this crate does not see: it is captured once, and its nodes become steps.

use super::{Run, run::not_held};
use crate::{
    driver::{
        api::{Api, Graph, NotRead, api},
        config::Captured,
        context::make_current,
        error::{Error, GraphError, OutsideOf},
        launch::within,
    },
    interop::ForeignArgs,
    marshal::Access,
};
use core::{
    any::TypeId,
    hash::{Hash, Hasher},
    panic::Location,
};
use cudarc::driver::{CudaStream, sys::CUdeviceptr};
use std::{
    boxed::Box,
    format,
    hash::DefaultHasher,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// Where work comes from. Work with equal arguments from one place is equal.
#[derive(PartialEq)]
enum Place {
    /// The type of a closure without variables.
    Closure(TypeId),
    Call(&'static Location<'static>),
    /// It is never equal.
    Always,
}

/// # Foreign work
/// Calls that enqueue work on a stream themselves: cuBLAS, cuBLASLt, cuDNN, cuFFT, host launchers, the launches and copies of cudarc.
impl Run {
    /// Adds the work that the closure enqueues on the stream of the run, as steps in the order of the launches.
    ///
    /// The closure is called while the stream is captured, so nothing runs. Its kernels, memsets and copies become steps. In later runs with
    /// equal arguments ([`ForeignArg`](crate::sequence::ForeignArg)), the closure is **not called**: the run has the same steps. With other arguments it is captured
    /// again, and updates the nodes of the graph if the kernels are the same.
    ///
    /// The closure cannot capture variables, so everything that it depends on is an argument. It must not read what changes otherwise, such as a `static`.
    ///
    /// ```no_run
    /// # use cudarc::driver::{CudaSlice, CudaStream};
    /// # use kernel_args::{Error, sequence::{Handle, Run}};
    /// # struct Blas;
    /// # impl Blas { unsafe fn gemm<A, B>(&self, _: usize, _: &A, _: &mut B) -> Result<(), Error> { Ok(()) } }
    /// # fn example(run: &Run, blas: Handle<Blas>, n: usize, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    /// run.foreign((&blas, n, x, y), |_stream, (blas, n, x, mut y)| {
    ///     // SAFETY: both slices have `n` elements.
    ///     unsafe { blas.gemm(n, &x, &mut y) }
    /// })
    /// # }
    /// ```
    ///
    /// The handle of a library must use the stream of the run. A library that allocates memory for its work must get this memory before: for cuBLAS with
    /// `cublasSetWorkspace`. An `unsafe` call in the closure promises what it requires for each run with equal arguments.
    ///
    /// # Errors
    /// The error of the closure. [`Error::Launch`] if the run does not hold the memory of an argument, or cannot record. [`Error::Graph`] if the work cannot be
    /// captured: the stream is a default stream, a call has ended the capture, or a node cannot be a step of a run. Nothing was recorded then, and the stream is
    /// not capturing.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    pub fn foreign<A, E, F>(&self, args: A, work: F) -> Result<(), E>
    where
        A: ForeignArgs,
        E: From<Error>,
        F: for<'a> Fn(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E> + 'static,
    {
        const {
            assert!(
                size_of::<F>() == 0,
                "the closure of foreign work uses a variable of the code around it, which can change while the arguments stay equal\n\
                 help: pass it as an argument: `run.foreign((&x, n), |stream, (x, n)| …)`; or promise it with `foreign_with`"
            );
        }
        self.add_foreign(Place::Closure(TypeId::of::<F>()), &args, true, |stream, input| work(stream, input))
    }

    /// [`foreign`](Self::foreign) for a closure that captures variables, or that reads what is not an argument.
    ///
    /// # Errors
    /// See [`foreign`](Self::foreign).
    ///
    /// # Safety
    /// In each run with equal arguments, from this place in the source, the closure would enqueue the same work with the same addresses. Memory
    /// that the work uses, and that is not an argument, is allocated until the work of the run has finished.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    #[track_caller]
    pub unsafe fn foreign_with<A, E>(
        &self,
        args: A,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        A: ForeignArgs,
        E: From<Error>,
    {
        self.add_foreign(Place::Call(Location::caller()), &args, false, work)
    }

    /// [`foreign`](Self::foreign) for work that differs in each run, such as random numbers of cuRAND: the closure is called in each run.
    ///
    /// # Errors
    /// See [`foreign`](Self::foreign).
    ///
    /// # Safety
    /// All memory that the work uses, and that is not an argument, is allocated until the work of the run has finished.
    #[expect(clippy::needless_pass_by_value, reason = "the arguments can be exclusive borrows")]
    pub unsafe fn foreign_always<A, E>(
        &self,
        args: A,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        A: ForeignArgs,
        E: From<Error>,
    {
        self.add_foreign(Place::Always, &args, false, work)
    }

    /// If `is_checked`, its copies and memsets use only memory of the arguments, unless a handle has memory.
    fn add_foreign<A: ForeignArgs, E: From<Error>>(
        &self,
        place: Place,
        args: &A,
        is_checked: bool,
        work: impl for<'a> FnOnce(&'a Arc<CudaStream>, A::In<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let entered = self.enter("foreign work")?;
        let recording = &*entered;
        let held = &recording.held;
        let found = held.within(|| {
            let field = |index| format!("argument {}", index + 1).into();
            args.find(held).map_err(|index| not_held(held, "foreign work", field(index)))
        })?;
        let is_equal = |key: &(Place, A::Key)| key.0 == place && place != Place::Always && args.matches(found, &key.1);
        let mut accesses = Vec::new();
        let mut memory = 0;
        let known = recording.foreign.borrow().find(
            || {
                args.accesses(found, &mut accesses);
                memory = hash(&accesses);
                memory
            },
            |steps| steps.key.downcast_ref().is_some_and(is_equal),
        );
        let steps = if let Some(steps) = known {
            steps
        } else {
            let untracked = recording.untracked().map_err(|error| {
                Error::cudarc("cuDevicePrimaryCtxRetain, cuDeviceGetAttribute or cuCtxSetCurrent", error)
            })?;
            let mut alias = args.alias(found, untracked);
            let is_free = !is_checked || A::OWNS_MEMORY;
            let allows = |address, bytes, writes| is_free || is_inside(&accesses, address, bytes, writes);
            let graph = capture(held.stream(), |stream| work(stream, A::input(&mut alias)))?;
            let captured = read_captured(graph, is_checked, &allows)?;
            if let Captured::Steps(_, 0) = captured {
                return Err(failed(
                    "the closure has enqueued nothing on the stream of the run".into(),
                    "create the handle of the library on the stream of the run, `run.stream()`; leave out work of size 0",
                )
                .into());
            }
            let key = Box::new((place, args.key(found)));
            recording.foreign.borrow_mut().insert(memory, key, captured)
        };
        recording.push_foreign(steps, |uses| {
            if !is_checked {
                return uses.add_ordered();
            }
            if accesses.is_empty() {
                args.accesses(found, &mut accesses);
            }
            uses.add(accesses.iter().copied());
        });
        Ok(())
    }
}

/// A hash of the memory of arguments.
fn hash(accesses: &[Access]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for access in accesses {
        access.address.hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether an argument has this memory, which the work reads or writes.
fn is_inside(arguments: &[Access], address: CUdeviceptr, bytes: usize, writes: bool) -> bool {
    arguments.iter().any(|argument| {
        let offset = address.checked_sub(argument.address);
        let has =
            offset.is_some_and(|offset| bytes <= argument.bytes && offset <= (argument.bytes - bytes) as CUdeviceptr);
        has && (argument.writes || !writes)
    })
}

/// Captures what `work` enqueues on the stream.
pub(crate) fn capture<E: From<Error>>(
    stream: &Arc<CudaStream>,
    work: impl FnOnce(&Arc<CudaStream>) -> Result<(), E>,
) -> Result<Graph, E> {
    let mut capture = Capture::begin(stream)?;
    // If `work` returns an error or panics, dropping the capture ends it.
    within(OutsideOf::Capture, || work(stream))?;
    Ok(capture.end()?)
}

/// The nodes of a captured graph as steps. If the driver does not report the parameters of its kernels, it is a child graph; also if it has a node of
/// another kind, for which an `unsafe` caller has promised what each launch needs.
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

/// A capture in progress. Drop ends it.
struct Capture<'s> {
    api: &'static Api,
    stream: &'s CudaStream,
    is_over: bool,
}

impl<'s> Capture<'s> {
    fn begin(stream: &'s Arc<CudaStream>) -> Result<Self, Error> {
        if stream.cu_stream().is_null() {
            return Err(failed(
                "the stream of the sequence is the legacy default stream, which cannot be captured".into(),
                "create the sequence on a stream of its own: `Sequence::new(&ctx.new_stream()?)`",
            ));
        }
        let api = api()?;
        make_current(stream.context())?;
        let begun = api.begin_foreign_capture((&**stream).into());
        begun.map_err(|error| {
            failed(
                Error::from(error).to_string(),
                "if the stream is being captured, run the sequence before or after the capture",
            )
        })?;
        Ok(Self { api, stream, is_over: false })
    }

    fn end(&mut self) -> Result<Graph, Error> {
        self.is_over = true;
        let broken = |reason| {
            // A wait that cudarc could not report has ended the capture.
            let _ = self.stream.context().check_err();
            failed(
                reason,
                "the closure must not synchronize, query or wait for other streams; pass each slice that it uses as an argument, and use \
                 the slices that it receives; if another thread uses the stream, record the run when it does not",
            )
        };
        match self.api.end_capture(self.stream) {
            Ok(Some(graph)) => Ok(graph),
            Ok(None) => Err(broken("the capture of the stream was ended in the closure".into())),
            Err(error) => Err(broken(Error::from(error).to_string())),
        }
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.api.abandon_capture(self.stream);
            // The error or the panic of the closure takes precedence.
            let _ = self.stream.context().check_err();
        }
    }
}

#[cold]
fn not_read(why: NotRead) -> Error {
    match why {
        NotRead::Call(error) => failed(Error::from(error).to_string(), ""),
        NotRead::Parameters => failed("the driver does not report the parameters of its kernels".into(), ""),
        NotRead::Allocation => failed(
            "the work allocates memory, which no later run would have".into(),
            "give the library its memory before: for cuBLAS a workspace, `cublasSetWorkspace`, in a slice that is kept with the handle; for cudarc \
             allocate outside of the closure, and pass the slice as an argument",
        ),
        NotRead::Node(what) => failed(
            format!("the work contains {what}, which cannot be a step of a run"),
            "call it before or after the run; or promise with `foreign_with` that each run can repeat it",
        ),
        NotRead::Memory { is_host: true, .. } => failed(
            "the work copies from or to memory of the host, which can be freed before a later run".into(),
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
fn failed(reason: String, help: &'static str) -> Error {
    let action = "the foreign work was not recorded";
    Error::Graph(Box::new(GraphError { kernel: None, action, reason, status: None, help }))
}
