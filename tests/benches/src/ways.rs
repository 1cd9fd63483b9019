//! The names of the cases and ways to launch, for tables, targets and the chart. The peers (`peers/launch.cu`,
//! `peers/launch.py`) use the same names.

/// Cases of 8-byte parameters, and the number of parameters.
pub const COUNTS: &[(&str, u32)] = &[
    ("1 parameter", 1),
    ("8 parameters", 8),
    ("32 parameters", 32),
    ("64 parameters", 64),
    ("128 parameters", 128),
    ("512 parameters", 512),
];
/// One parameter of 4,096 bytes.
pub const STRUCT_4_KIB: &str = "a struct of 4 KiB";
/// One parameter of 32,760 bytes.
pub const STRUCT_32_KIB: &str = "a struct of 32 KiB";
/// Tracked memory, in a context with one stream.
pub const SLICES: &str = "3 slices, 5 scalars";
/// Tracked memory, in a context with two streams.
pub const SLICES_TWO_STREAMS: &str = "3 slices, 5 scalars, a second stream";
/// The steps that `launch!` adds to a bare launch, one by one.
pub const STEPS: &str = "8 parameters, step by step";
/// A kernel that needs the lengths and strides of a tensor.
pub const DIMS: &str = "lengths and strides of 3 dimensions";
/// A graph whose kernels all get new arguments before each launch. Nanoseconds are per kernel.
pub const GRAPH: &str = "200 kernels of 8 parameters";

/// `launch!` with a verified `Kernel`.
pub const OURS: &str = "launch!";
/// `launch!` in a form that it would not choose itself.
pub const OURS_PARAMS: &str = "launch!, kernelParams";
/// `launch!` in a form that it would not choose itself.
pub const OURS_PACKED: &str = "launch!, packed";
/// `launch!` with cudarc's `CudaFunction`.
pub const OURS_FUNCTION: &str = "launch!, CudaFunction";
/// `Kernel::from_function`, once.
pub const VERIFIED_FUNCTION: &str = "verified once, from a function";
/// `Module::kernel` for a kernel that the module has cached.
pub const LOOKED_UP: &str = "kernel looked up in its module again";
/// The nodes of a [`GRAPH`] are updated with `GraphExec::update`, then the graph is launched.
pub const OURS_GRAPH: &str = "kernel-args, graph updated and launched";

/// The graph, launched with its current arguments.
pub const OURS_GRAPH_UNCHANGED: &str = "kernel-args, launched unchanged";

/// `cuGraphExecKernelNodeSetParams` for each node of a graph without retained objects, then `cuGraphLaunch`, in Rust.
pub const BARE_GRAPH_PARAMS: &str = "bare, kernelParams";
/// In the packed form.
pub const BARE_GRAPH_PACKED: &str = "bare, packed";
/// `cuGraphLaunch` of that graph.
pub const BARE_GRAPH_UNCHANGED: &str = "bare, launched unchanged";
/// `cuLaunchKernel` in Rust, with prepared arguments.
pub const BARE_PARAMS: &str = "bare cuLaunchKernel, kernelParams";
/// In the packed form.
pub const BARE_PACKED: &str = "bare cuLaunchKernel, packed";
/// `cuLaunchKernelEx` in Rust, with prepared arguments.
pub const BARE_EX_PARAMS: &str = "bare cuLaunchKernelEx, kernelParams";
/// In the packed form.
pub const BARE_EX_PACKED: &str = "bare cuLaunchKernelEx, packed";
/// The steps of [`STEPS`], in order.
pub const STEP_BOUND: &str = "and the context made current";
/// The arguments are marshalled, then the bare launch.
pub const STEP_MARSHALLED: &str = "bare, arguments marshalled";
/// Both previous steps.
pub const STEP_BOTH: &str = "both";
/// All checks of `launch!`.
pub const STEP_CHECKS: &str = "launch!: and every check";

/// The ways of [`DIMS`]: copied to memory that is allocated for each launch.
pub const DIMS_ALLOCATED: &str = "launch!, uploaded to new memory";
/// Copied to memory that is allocated once.
pub const DIMS_COPIED: &str = "launch!, uploaded to kept memory";
/// A struct with two arrays.
pub const DIMS_BY_VALUE: &str = "launch!, by value";
/// Two arrays that are spread.
pub const DIMS_SPREAD: &str = "launch!, spread";

/// cudarc's `launch_builder`.
pub const CUDARC: &str = "cudarc";
/// Both with the cudarc version that `cudarc/waits.patch` changes.
pub const OURS_PATCHED: &str = "launch!, cudarc patched";
/// See [`OURS_PATCHED`].
pub const CUDARC_PATCHED: &str = "cudarc, patched";
/// C++ through the CUDA runtime.
pub const CHEVRONS: &str = "C++, <<<>>>";
/// The runtime's function with a configuration.
pub const RUNTIME_EX: &str = "C++, cudaLaunchKernelExC";
/// The driver's functions in C, with prepared arguments.
pub const C_PARAMS: &str = "C, cuLaunchKernel, kernelParams";
/// See [`C_PARAMS`].
pub const C_EX_PACKED: &str = "C, cuLaunchKernelEx, packed";
/// `cuGraphExecKernelNodeSetParams` for each node, then `cuGraphLaunch`.
pub const C_GRAPH_PARAMS: &str = "C, graph updated and launched, kernelParams";
/// In the packed form.
pub const C_GRAPH_PACKED: &str = "C, graph updated and launched, packed";
/// Only `cuGraphLaunch`.
pub const C_GRAPH_UNCHANGED: &str = "C, graph launched unchanged";
/// cuda-python's `launch`.
pub const CUDA_CORE: &str = "cuda.core";
/// CuPy.
pub const CUPY: &str = "CuPy RawKernel";
/// Triton.
pub const TRITON: &str = "Triton";
