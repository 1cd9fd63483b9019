//! What the driver's error codes usually mean, and what to do: CUDA Driver API, `CUresult`, and the observed behavior
//! of drivers.

use crate::driver::api::Status;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meaning {
    pub(crate) what: &'static str,
    /// Can be empty.
    pub(crate) help: &'static str,
}

pub(crate) fn help(f: &mut dyn core::fmt::Write, help: &str) -> core::fmt::Result {
    if help.is_empty() { Ok(()) } else { write!(f, "\nhelp: {help}") }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// Loading, compiling or linking an image.
    Load,
    /// Launching a kernel, or adding a kernel to a graph.
    Launch,
    Other,
}

impl Status {
    /// CUDA Driver API, `CUresult`: the errors of kernels after which "any further CUDA work will return the same
    /// error".
    pub(crate) fn is_fault(self) -> bool {
        matches!(self.0, 700 | 702 | 710 | 714..=719 | 721)
    }

    /// Returns what the code usually means when the driver returns it; `None` if this crate has no explanation.
    ///
    /// The errors of this crate contain the same text, with what to do and with details of the kernel and the launch.
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        meaning(self, Asked::Other).map(|meaning| meaning.what)
    }
}

pub(super) const SANITIZE: &str = "run the program under compute-sanitizer, which reports the kernel and the line; or launch with \
    CUDA_LAUNCH_BLOCKING=1 to see after which launch the error occurs";

const REINSTALL: &str =
    "reboot, or reload the driver's kernel module; then compare the versions that `nvidia-smi` shows";

/// The help for an error of a call on a stream that is being captured. With cudarc, a launch waits for the last use of
/// each slice, and a capture cannot contain such a wait.
const WHILE_CAPTURING: &str = "the stream cannot wait for work outside of the capture: capture a launch with `launch!(kernel, \
    grid, block, args, node, stream = &stream)`, which does not wait";

/// Returns what `status` means for this kind of call; `None` if the code has no row here.
#[rustfmt::skip]
#[expect(clippy::too_many_lines, reason = "one row for each code")]
pub(crate) const fn meaning(status: Status, asked: Asked) -> Option<Meaning> {
    let (load, launch) = (matches!(asked, Asked::Load), matches!(asked, Asked::Launch));
    let (what, help) = match status.0 {
        1 if launch => (
            "the grid, the block or the shared memory exceeds a limit, or the kernel has parameters and received none",
            "compare the launch with what the device and the kernel allow",
        ),
        1 if load => (
            "the driver does not support one of the options, its value, or a combination of options",
            "remove the options one by one",
        ),
        1 => (
            "an argument of the call is outside of the range that the driver allows",
            "compare the arguments of the call with its documentation; a launch with `launch!` reports the limit that it exceeds",
        ),
        2 if launch => (
            "there is not enough memory for the kernel's local memory, or for its module, which is loaded at the first launch",
            "free device memory, or launch before the rest of it is allocated; CUDA_MODULE_LOADING=EAGER loads each module immediately",
        ),
        2 if load => (
            "there is not enough device memory for the image's code and its `__device__` variables",
            "free device memory, or load the image before the rest of it is allocated",
        ),
        2 => ("there is not enough memory", "free device memory: `nvidia-smi` lists the memory of other programs"),
        3 => ("the driver is not initialised", "create a context first: `CudaContext::new(0)`"),
        4 => (
            "the driver is shutting down: the program is ending, or `cudaDeviceReset` has destroyed the context",
            "launch before `main` returns and not from destructors of statics; do not reset a device that is in use",
        ),
        5..=8 => ("a call of the profiler's interface is not allowed now", "run without the profiler"),
        34 => (
            "the loaded library is the stub for linking, which contains no driver",
            "remove the folder `stubs` from the library path; the driver's own libcuda.so.1 is then found",
        ),
        36 => ("the call needs a newer driver", "install a newer driver"),
        46 => (
            "the GPU is busy or unavailable: another program uses it exclusively, or its compute mode does not allow contexts",
            "end the other program; `nvidia-smi -q -d COMPUTE` shows the mode",
        ),
        47 | 911 | 914 | 915 => ("the GPU's hardware resources do not allow this", ""),
        100 => (
            "there is no GPU that CUDA can use",
            "`nvidia-smi` lists the GPUs; check CUDA_VISIBLE_DEVICES, and start containers with `--gpus all`",
        ),
        101 => (
            "no device has this number, or the call is not valid for the device",
            "devices count from 0; CUDA_VISIBLE_DEVICES hides some devices and renumbers the rest",
        ),
        102 => ("the GPU has no licence for this (vGPU)", "ask the administrator of the virtual GPU"),
        200 => (
            "the driver cannot read the image: it is damaged, its format is newer than the driver, or it is not PTX, a cubin or a fat binary",
            "compile it again, and embed or copy it completely",
        ),
        201 => (
            "no context is current on this thread, or the current one was destroyed or reset (`cudaDeviceReset`)",
            "keep the `CudaContext` alive, and call `ctx.bind_to_thread()` before calls that take no context; \
             `kernel_args::context::current_context()` returns the current one",
        ),
        202 | 205..=208 | 210..=213 | 216 | 219 => ("a resource that is shared with a graphics API is not in the state that the call needs", ""),
        209 => (
            "the image contains no code for this GPU",
            "compile for its architecture (`nvcc -arch=native`, or `-gencode arch=compute_XX,code=sm_XX`), or ship PTX, which the driver compiles",
        ),
        214 => ("the GPU has found an error in its memory that ECC cannot correct, and the context is lost", "reset or replace the GPU: `nvidia-smi -q -d ECC`"),
        215 => ("the GPU does not have this limit", ""),
        217 => ("the two GPUs cannot access each other's memory", "copy between them instead; `nvidia-smi topo -p2p r` shows which GPUs can"),
        218 => (
            "the PTX does not compile: it is damaged, or uses features that its `.target` or `.version` does not have",
            "read the compiler's log; `ptxas` finds the same errors",
        ),
        220 => ("an NVLink has failed, and the context is lost", "restart the program; `nvidia-smi nvlink -e` shows the errors"),
        221 => (
            "the driver's compiler for PTX (libnvidia-ptxjitcompiler.so) was not found",
            "install the whole driver; in a container mount its libraries for `compute` (`NVIDIA_DRIVER_CAPABILITIES=compute,utility`); or ship cubins",
        ),
        222 => (
            "the PTX version is newer than the driver's compiler supports",
            "install a driver at least as new as the toolkit that generated the PTX, compile with an older toolkit, or ship cubins",
        ),
        223 => ("the driver's compiler is disabled", "unset `CUDA_DISABLE_JIT` and `CUDA_DISABLE_PTX_JIT`, or ship cubins for this GPU"),
        224 => ("the device cannot be limited to some multiprocessors", ""),
        225 => (
            "the image calls `cudaDeviceSynchronize` on the device, which was removed with CUDA 12",
            "launch the dependent work into the stream `cudaStreamTailLaunch`",
        ),
        226 => ("an error of another program on the same GPU has ended the context", "restart the program"),
        227 => ("the driver's loader is older than the driver", REINSTALL),
        300 => ("the kernel's source is invalid", "read the compiler's log"),
        301 => ("a file was not found", "check its path"),
        302 | 303 if load => (
            "the image refers to an undefined symbol: a device function or an `extern` variable of another file",
            "link the images that define it: `Module::link`",
        ),
        302 => ("a symbol of a shared library was not found", REINSTALL),
        303 => ("a shared library of the driver could not be initialised", REINSTALL),
        304 => (
            "a call of the operating system failed",
            "check the permissions of /dev/nvidia*, the memory limits, and whether the container has the devices",
        ),
        400 if launch => (
            "the function or the stream belongs to another context, or the module was unloaded, or its context was reset",
            "use a stream of the context in which the kernel was loaded, and keep the module alive; \
             `kernel.require_loaded()` detects a reset",
        ),
        400 => ("a handle is invalid: its object was destroyed, or belongs to another context", ""),
        401 => ("an object is not in the state that the call needs", ""),
        402 => ("this call cannot return the result without loss", ""),
        500 if load => ("the image lacks an object that is requested by name", "check its name: C++ names are mangled without `extern \"C\"`"),
        500 => ("nothing has this name", "check its name: C++ names are mangled without `extern \"C\"`"),
        600 => ("the requested work is not finished yet", "synchronize the stream first"),
        700 => (
            "an EARLIER kernel accessed an invalid address (a host pointer, freed memory, an index out of bounds), and the context is lost",
            SANITIZE,
        ),
        701 => (
            "the block needs more registers or shared memory than the GPU has; or, in the packed form, the size of the parameters differs from the kernel's",
            "launch fewer threads per block, or compile with `__launch_bounds__`",
        ),
        702 => (
            "an EARLIER kernel ran longer than the display's watchdog allows, and the context is lost",
            "split the work into shorter kernels, or use a GPU without a display",
        ),
        703 => ("the kernel's textures are used differently than it was compiled for", ""),
        704 => ("access to the other GPU's memory is already enabled", ""),
        705 => ("access to the other GPU's memory is not enabled", "enable it before the launch: `PeerAccess::enable`"),
        708 => ("the primary context is active: its flags can no longer be set", "set them before the first context of the device"),
        709 => (
            "the context was destroyed, or it is a primary context that was reset (`cudaDeviceReset`, `cuDevicePrimaryCtxReset`)",
            "drop everything that was created in the context, then create the context, load and allocate again; or remove the \
             reset: the driver frees everything when the process ends",
        ),
        710 => ("an EARLIER kernel failed an `assert`, which it has written to stderr, and the context is lost", "see the line of the assertion"),
        711 => ("the GPU already has access to the maximum number of other GPUs", "disable the access to a GPU that is not used"),
        712 => ("this host memory is already registered", ""),
        713 => ("this host memory is not registered", ""),
        714 => ("an EARLIER kernel has damaged its call stack or overflowed it, and the context is lost", SANITIZE),
        715 => ("an EARLIER kernel ran an illegal instruction, and the context is lost", SANITIZE),
        716 => (
            "an EARLIER kernel used a pointer that is not aligned for its type, and the context is lost",
            "a `float4*` needs addresses that are multiples of 16: check offsets into slices; compute-sanitizer reports the kernel and the line",
        ),
        717 => ("an EARLIER kernel used an address of the wrong memory (local, shared, global) for its instruction, and the context is lost", SANITIZE),
        718 => ("an EARLIER kernel jumped to an invalid address (a function pointer of the host, or of another module), and the context is lost", SANITIZE),
        719 => ("an EARLIER kernel failed on the device (`__trap`, or a fault without a specific code), and the context is lost", SANITIZE),
        720 => (
            "a cooperative launch has more blocks than the device can run at the same time",
            "launch at most `kernel.max_cooperative_blocks(block, shared)` blocks, and have each loop over its work",
        ),
        721 => ("an EARLIER kernel ended without freeing tensor memory, and the context is lost", SANITIZE),
        800 => (
            "the call is not allowed: the user lacks the permission, or the call is in a callback of the driver",
            "do not call CUDA in callbacks and destructors that the driver runs",
        ),
        801 => ("the GPU, the driver or the operating system does not support this", "`kernel_args::context::versions()` shows their versions"),
        802 => (
            "the system is not ready: GPUs with NVSwitch need the fabric manager",
            "start the service `nvidia-fabricmanager` of the driver's own version",
        ),
        803 => ("the driver's library and its kernel module are of different versions", REINSTALL),
        804 => (
            "the compatibility package's libcuda.so is not for this GPU: forward compatibility is for data-centre GPUs only",
            "remove it from the library path, and install a newer driver",
        ),
        805..=810 => ("the Multi-Process Service (MPS) does not accept this program, or has ended", "see the log of `nvidia-cuda-mps-control`"),
        811 | 812 => ("the kernel itself launches kernels, and this GPU, or the driver with this image, does not support it", "compile the image again with the toolkit of the driver"),
        901 => (
            "an earlier call on the captured streams was not allowed and has ended the capture",
            "see the error of that call: waiting for work outside of the capture, synchronizing, and a rejected launch end the capture. So \
             do cudarc's copies to and from a `Vec` or an array, which wait for the stream: copy before or after the capture",
        ),
        900..=908 => ("the stream is being captured into a graph, and the capture does not allow this call", WHILE_CAPTURING),
        909 => ("a wait has taken longer than allowed", ""),
        910 => ("the instantiated graph does not support this change of the graph", "instantiate the graph again"),
        912 => (
            "the blocks of the cluster do not fit on the GPU at the same time: the cluster is too large, or its blocks need too much shared memory or too many registers",
            "`kernel.max_cluster_size(&launch)` returns the largest cluster",
        ),
        913 => ("the function is not loaded yet, and the call does not load it", "launch it once before, or set CUDA_MODULE_LOADING=EAGER"),
        916 => ("the GPU's confidential-computing keys are being renewed", "call again"),
        917 => ("the stream has lost its resources", "create a new stream"),
        918 => ("the stream was captured into a graph that cannot take the capture", ""),
        919 => ("the fabric of the GPUs is not ready", "start the service `nvidia-fabricmanager`, or wait for it"),
        999 => (
            "the driver reports no details; after a suspend or a driver update, its kernel module is often in a bad state",
            REINSTALL,
        ),
        _ => return None,
    };
    Some(Meaning { what, help })
}
