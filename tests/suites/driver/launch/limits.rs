//! A launch that exceeds a limit is an error before the driver is called.

use crate::launch::results::{Outcome, Saxpy};
use kernel_args::{
    Error, Kernel, KernelArgs, Launch, Module,
    error::{ContextError, LaunchError},
    launch,
};
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;

/// A kernel that may be launched with at most 64 threads, and one that must be launched with exactly (8, 4, 1).
const DIRECTIVES: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry at_most() .maxntid 64, 1, 1 { ret; }
.visible .entry exactly() .reqntid 8, 4, 1 { ret; }
";

const SAXPY: &str = include_str!("../../../../ptx/saxpy.ptx");

#[derive(KernelArgs)]
struct Nothing;

fn refused(kernel: &Kernel<Nothing>, launch: Launch<'_>, words: &str) -> Outcome {
    // SAFETY: the kernels access no memory, and the launch is rejected.
    let error = match unsafe { kernel_args::launch(kernel, launch, Nothing) } {
        Err(error @ Error::Launch(LaunchError::Limit(_))) => error.to_string(),
        other => return Err(format!("{launch:?}: {other:?}").into()),
    };
    assert!(error.contains(words), "{error}");
    Ok(())
}

fn grids_and_blocks() -> Outcome {
    let kernel = Kernel::<Nothing>::from_image(&context()?, DIRECTIVES, "at_most")?;
    refused(&kernel, Launch::new(0, 1), "a grid has at least one block")?;
    refused(&kernel, Launch::new((1, 0), 1), "a grid has at least one block")?;
    refused(&kernel, Launch::new((1, 1, 0), 1), "a grid has at least one block")?;
    refused(&kernel, Launch::new(1, 0), "a block has at least one thread")?;
    refused(&kernel, Launch::new(1, (1, 1, 0)), "a block has at least one thread")?;
    refused(&kernel, Launch::new((1, 65_536), 1), "65535")?;
    refused(&kernel, Launch::new((1, 1, 65_536), 1), "65535")?;
    refused(&kernel, Launch::new(1, (1, 1, 65)), "64")?;
    refused(&kernel, Launch::new(1, 65), "at most 64 threads")?;
    refused(&kernel, Launch::new(1, u32::MAX), "1024")?;
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(kernel, (65_535, 2, 3), (4, 4, 4), Nothing)? };
    Ok(())
}

fn a_required_block() -> Outcome {
    let kernel = Kernel::<Nothing>::from_image(&context()?, DIRECTIVES, "exactly")?;
    refused(&kernel, Launch::new(1, 32), "exactly (8, 4, 1)")?;
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(kernel, 1, (8, 4), Nothing)? };
    Ok(())
}

fn shared_memory() -> Outcome {
    let kernel = Kernel::<Nothing>::from_image(&context()?, DIRECTIVES, "at_most")?;
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(kernel, 1, 1, Nothing, shared = 100 * 1024)? };
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(kernel, 1, 1, Nothing, shared_mem_bytes = 100 * 1024)? };
    refused(&kernel, Launch::new(1, 1).shared(1 << 20), "1048576 bytes of dynamic shared memory")?;
    refused(&kernel, Launch::new(1, 1).shared_mem_bytes(1 << 20), "1048576 bytes of dynamic shared memory")?;
    refused(&kernel, Launch::new(1, 1).shared(u32::MAX), "this device allows at most")
}

/// `dynamic` uses `extern __shared__` through a function; `fixed` has only a static array.
const DYNAMIC: &str = "
.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 pool[];
.shared .align 4 .b8 own[64];
.func fill() { .reg .b32 %r<2>; mov.u32 %r1, pool; ret; }
.visible .entry dynamic() { call.uni fill, (); ret; }
.visible .entry fixed() { .reg .b32 %r<2>; mov.u32 %r1, own; ret; }
";

fn dynamic_shared_memory_that_is_not_given() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, DYNAMIC)?;
    let dynamic: Kernel<Nothing> = module.kernel("dynamic")?;
    let fixed: Kernel<Nothing> = module.kernel("fixed")?;
    refused(
        &dynamic,
        Launch::new(1, 32),
        "requested a launch without `shared`, but this kernel uses dynamic shared memory (`extern __shared__`)\n\
         help: add `shared = bytes`",
    )?;
    // Other errors are reported first.
    refused(&dynamic, Launch::new(0, 32), "a grid has at least one block")?;
    refused(&dynamic, Launch::new(1, 2048), "1024")?;
    refused(&dynamic, Launch::new(256, 4096), "at most (1024, 1024, 64)\nhelp: grid and block look exchanged")?;
    refused(&dynamic, Launch::new((16, 16), (64, 32)), "1024 threads per block\nhelp: grid and block look exchanged")?;
    refused(&dynamic, Launch::new(5, 4096), "at most (1024, 1024, 64)\nhelp: use a smaller block")?;
    // SAFETY: the kernels access no memory.
    unsafe { launch!(dynamic, 1, 32, Nothing, shared = 64)? };
    // SAFETY: the kernels access no memory.
    unsafe { launch!(dynamic, 1, 32, Nothing, shared = 0)? };
    // SAFETY: the kernels access no memory.
    unsafe { launch!(dynamic, 1, 32, Nothing, shared_mem_bytes = 0)? };
    // SAFETY: the kernels access no memory.
    unsafe { launch!(fixed, 1, 32, Nothing)? };

    // For a function without its image this is not known.
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(DYNAMIC))?;
    let raw = module.load_function("dynamic")?;
    // SAFETY: the kernels access no memory.
    unsafe { launch!(raw, 1, 32, Nothing)? };
    let unread = Kernel::<Nothing>::from_function(&ctx, raw)?;
    // SAFETY: the kernels access no memory.
    unsafe { launch!(unread, 1, 32, Nothing)? };
    ctx.synchronize()?;
    Ok(())
}

/// The driver stores the opt-in for shared memory per function: a second handle or thread must not reduce it.
fn shared_memory_of_two_handles() -> Outcome {
    const KIB: u32 = 1024;
    let module = Module::load(&context()?, DIRECTIVES)?;
    let (one, two): (Kernel<Nothing>, Kernel<Nothing>) = (module.kernel("at_most")?, module.kernel("at_most")?);
    for (kernel, kib) in [(&one, 96), (&two, 64), (&one, 96), (&two, 80)] {
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 1, Nothing, shared = kib * KIB)? };
    }
    let ctx = context()?;
    let launches = |kernel: &Kernel<Nothing>, kibs: [u32; 4]| -> Result<(), Error> {
        for kib in kibs.into_iter().cycle().take(200) {
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, 1, 1, Nothing, shared = kib * KIB)? };
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Outcome {
        let other = scope.spawn(|| launches(&one, [49, 97, 60, 98]));
        let this = launches(&two, [99, 50, 100, 70]);
        other.join().map_err(|_| "a thread panicked")??;
        Ok(this?)
    })?;
    ctx.synchronize()?;
    Ok(())
}

/// A cudarc function is launched without a stream and without a current context, and is rejected as a function of a
/// different context.
fn a_function_of_cudarc() -> Outcome {
    let ctx = context()?;
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
    let function = module.load_function("saxpy")?;
    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[1.0_f32; 4])?;
    let mut y = stream.alloc_zeros::<f32>(4)?;
    let other = cudarc::driver::CudaContext::new_non_primary(device(), 0)?;
    other.bind_to_thread()?;
    let args = Saxpy { n: 4, alpha: 2.0, x: &x, y: &mut y };
    // SAFETY: both slices have 4 elements.
    unsafe { launch!(function, 1, 4, args)? };
    assert_eq!(stream.clone_dtoh(&y)?, [2.0; 4]);

    let refused = Kernel::<Saxpy>::from_function(&other, function.clone());
    assert!(matches!(refused, Err(Error::Context(ContextError::OtherContextFunction { .. }))), "{refused:?}");
    Kernel::<Saxpy>::from_function(&ctx, function)?;
    Ok(())
}

/// A stream or a slice of a different context.
fn another_context() -> Outcome {
    let ctx = context()?;
    let other = cudarc::driver::CudaContext::new_non_primary(device(), 0)?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let (ours, theirs) = (ctx.default_stream(), other.default_stream());
    let x = ours.clone_htod(&[1.0_f32; 4])?;
    let mut y = theirs.alloc_zeros::<f32>(4)?;
    // SAFETY: nothing is launched.
    let error = unsafe { launch!(kernel, 1, 4, Saxpy { n: 4, alpha: 1.0, x: &x, y: &mut y }) };
    let text = match error {
        Err(error @ Error::Context(ContextError::OtherContextArgument { field: Some(_), .. })) => error.to_string(),
        other => return Err(format!("{other:?}").into()),
    };
    assert!(text.contains("`y` belongs to another context"), "{text}");

    let mut y = ours.alloc_zeros::<f32>(4)?;
    let args = Saxpy { n: 4, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: nothing is launched.
    let error = unsafe { launch!(kernel, 1, 4, args, stream = &theirs) };
    assert!(matches!(error, Err(Error::Context(ContextError::OtherContextArgument { field: None, .. }))), "{error:?}");

    // Rejected calls have no effect in either context.
    ctx.check_err()?;
    other.check_err()?;
    let args = Saxpy { n: 4, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: both slices have 4 elements.
    unsafe { launch!(kernel, 1, 4, args)? };
    assert_eq!(ours.clone_dtoh(&y)?, [1.0; 4]);
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("limits/grids_and_blocks", grids_and_blocks),
        trial("limits/a_required_block", a_required_block),
        trial("limits/shared_memory", shared_memory),
        trial("limits/dynamic_shared_memory_that_is_not_given", dynamic_shared_memory_that_is_not_given),
        trial("limits/shared_memory_of_two_handles", shared_memory_of_two_handles),
        trial("limits/a_function_of_cudarc", a_function_of_cudarc),
        trial("limits/another_context", another_context),
    ]
}
