//! The CUDA runtime together with launches, in every order of initialization. On a GPU, if the runtime is installed.
//!
//! The order of initialization matters, so each trial runs in a separate process.

#[path = "../../../examples/src/cudart.rs"]
#[allow(dead_code, unreachable_pub, reason = "the examples use the rest")]
mod cudart;

use cudarc::driver::CudaContext;
use cudart::Cudart;
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs,
    context::{
        BorrowedStream, ContextFlags, ContextName, create_context, current_context, kernel_function, versions,
        with_current,
    },
    error::{ContextError, VerifyError},
    launch,
};
use kernel_args_image::CudaVersion;
use kernel_args_tests::{
    driver::{Driver, context, device, suite, trial_unless},
    process::{self, Outcome},
    saxpy::{Pointers, SAXPY, Saxpy},
};
use libtest_mimic::Trial;
use std::{error, ffi::CString, process::ExitCode, sync::Arc};

/// The actions of a process.
type Case = fn(&Cudart) -> Outcome;

const N: u32 = 1_000_000;
const GRID: u32 = N.div_ceil(256);

/// Too few fields.
#[derive(KernelArgs)]
struct Wrong {
    n: u32,
}

const CASES: [(&str, Case); 7] = [
    ("the_runtime_first", the_runtime_first),
    ("the_driver_first", the_driver_first),
    ("a_launch_first", a_launch_first),
    ("memory_both_ways", memory_both_ways),
    ("a_created_context", a_created_context),
    ("a_kernel_of_the_runtime", a_kernel_of_the_runtime),
    ("a_reset_of_the_device", a_reset_of_the_device),
];

pub(crate) fn main() -> ExitCode {
    if let Some(name) = process::wanted() {
        let case = CASES.iter().find(|(known, _)| *known == name);
        return process::exit_code(match (case, Cudart::load()) {
            (Some((_, case)), Some(cudart)) => case(&cudart),
            _ => Err("there is no such case, or no runtime".into()),
        });
    }
    suite("runtime_api", trials, |_| ())
}

fn trials(driver: &Driver) -> Vec<Trial> {
    let why = match (driver.is_real(), Cudart::load()) {
        (false, _) => Some("NVIDIA's runtime calls functions that are not documented, and that the test driver lacks"),
        (true, None) => Some("there is no CUDA runtime (libcudart) on this machine"),
        (true, Some(_)) => None,
    };
    let mut trials: Vec<Trial> =
        CASES.iter().map(|(name, _)| trial_unless(why, *name, move || process::run(name))).collect();
    // SAFETY: the library's initializers have no precondition.
    let present = driver.is_real() && unsafe { cudarc::curand::sys::is_culib_present() };
    let why = why.or((!present).then_some("there is no cuRAND on this machine"));
    trials.push(trial_unless(why, "a_library_of_the_runtime", a_library));
    trials
}

fn set_device(cudart: &Cudart) -> Outcome {
    // SAFETY: the call has no precondition.
    unsafe { cudart.set_device(i32::try_from(device())?) }?;
    Ok(())
}

/// cudarc slices in a launch on a stream of the runtime.
#[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
fn slices_on(ctx: &Arc<CudaContext>, stream: &BorrowedStream) -> Outcome {
    let default = ctx.default_stream();
    let (x, mut y) = (default.clone_htod(&vec![2.0; N as usize])?, default.alloc_zeros::<f32>(N as usize)?);
    let kernel = Kernel::<Saxpy>::load(ctx)?;
    let args = Saxpy { n: N, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, GRID, 256, args, stream = stream)? };
    assert!(default.clone_dtoh(&y)?.iter().all(|value| *value == 2.0));
    Ok(())
}

/// Memory and a stream of the runtime, and a verified launch on them.
#[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
fn launch_on_the_runtimes(cudart: &Cudart, ctx: &Arc<CudaContext>) -> Outcome {
    let elements = N as usize;
    let (x, y) = (cudart.malloc::<f32>(elements)?, cudart.malloc::<f32>(elements)?);
    let stream = cudart.stream_create()?;
    // SAFETY: both have `N` elements, and nothing else uses them.
    unsafe { cudart.write(x, &vec![2.0; elements])? };
    // SAFETY: both have `N` elements, and nothing else uses them.
    unsafe { cudart.write(y, &vec![1.0; elements])? };
    {
        // SAFETY: the stream is destroyed after this.
        let stream = unsafe { BorrowedStream::new(ctx, stream.cast())? };
        let kernel = Kernel::<Pointers>::load(ctx)?.require_verified()?;
        for _ in 0..3 {
            let args = Pointers {
                n: N,
                alpha: 1.0,
                x: DevicePointer::from_raw(x.addr() as u64),
                y: DevicePointerMut::from_raw(y.addr() as u64),
            };
            // SAFETY: both have `N` elements, and the copies to them have completed.
            unsafe { launch!(kernel, GRID, 256, args, stream = &stream)? };
        }
        slices_on(ctx, &stream)?;
    }
    // SAFETY: the stream is alive: the borrow did not destroy it.
    unsafe { cudart.stream_synchronize(stream)? };
    // SAFETY: it has `N` elements, and all are written.
    let result = unsafe { cudart.read(y, elements)? };
    assert!(result.iter().all(|value| *value == 7.0));
    // SAFETY: nothing uses them after this.
    unsafe { cudart.stream_destroy(stream)? };
    for memory in [x, y] {
        // SAFETY: nothing uses them after this.
        unsafe { cudart.free(memory.cast())? };
    }
    Ok(())
}

fn the_runtime_first(cudart: &Cudart) -> Outcome {
    set_device(cudart)?;
    // `cudaFree(0)` initializes the context.
    // SAFETY: null is freed.
    unsafe { cudart.free(std::ptr::null_mut())? };
    let found = current_context()?.ok_or("the runtime has made its context current")?;
    let ctx = context()?;
    assert_eq!(found, ContextName::of(&ctx), "the primary context is shared");
    let (version, versions) = (u32::try_from(cudart.version()?)?, versions()?);
    println!("{versions}");
    assert_eq!(versions.runtime, Some(CudaVersion::from_number(version)));
    launch_on_the_runtimes(cudart, &ctx)
}

fn the_driver_first(cudart: &Cudart) -> Outcome {
    let ctx = context()?;
    set_device(cudart)?;
    launch_on_the_runtimes(cudart, &ctx)?;
    assert_eq!(current_context()?, Some(ContextName::of(&ctx)));
    Ok(())
}

/// The runtime uses the current context, without `cudaSetDevice`.
fn a_launch_first(cudart: &Cudart) -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let (x, mut y) = (stream.alloc_zeros::<f32>(8)?, stream.alloc_zeros::<f32>(8)?);
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let args = Saxpy { n: 8, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: both slices have 8 elements.
    unsafe { launch!(kernel, 1, 8, args)? };
    launch_on_the_runtimes(cudart, &ctx)
}

/// `cudaMemcpy` reads the data that a launch has written to a slice, and writes the data that the next launch reads.
#[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
fn memory_both_ways(cudart: &Cudart) -> Outcome {
    use cudarc::driver::{DevicePtr, DevicePtrMut};
    set_device(cudart)?;
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let x = stream.clone_htod(&vec![1.0_f32; N as usize])?;
    let mut y = stream.alloc_zeros::<f32>(N as usize)?;
    for round in 0..5_u8 {
        {
            let (address, _guard) = y.device_ptr_mut(&stream);
            let place = std::ptr::with_exposed_provenance_mut::<f32>(usize::try_from(address)?);
            // SAFETY: it has `N` elements; the default stream waits for no other stream.
            unsafe { cudart.write(place, &vec![f32::from(round); N as usize])? };
        }
        let args = Saxpy { n: N, alpha: 1.0, x: &x, y: &mut y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, GRID, 256, args)? };
        let (address, _guard) = y.device_ptr(&stream);
        let place = std::ptr::with_exposed_provenance::<f32>(usize::try_from(address)?);
        // SAFETY: it has `N` elements, and all are written; `cudaMemcpy` waits for the default stream.
        let found = unsafe { cudart.read(place, N as usize)? };
        assert!(found.iter().all(|value| *value == f32::from(round) + 1.0));
    }
    Ok(())
}

/// The contexts of the program, and a runtime stream in each of them: launches in its own context work, and a launch in
/// a different context is rejected with the names of both.
struct Two<'a> {
    cudart: &'a Cudart,
    primary: &'a Arc<CudaContext>,
    own: &'a Arc<CudaContext>,
}

impl Two<'_> {
    /// Creates a stream, and returns whether it belongs to the primary context.
    fn stream_is_primary(&self, when: &str) -> Result<bool, Box<dyn error::Error + Send + Sync>> {
        let current = current_context()?;
        let stream = self.cudart.stream_create()?;
        let mut owners = Vec::new();
        for (ctx, other) in [(self.primary, self.own), (self.own, self.primary)] {
            // SAFETY: the stream is alive until the end of this function.
            match unsafe { BorrowedStream::new(ctx, stream.cast()) } {
                Ok(borrowed) => {
                    slices_on(ctx, &borrowed)?;
                    owners.push(ContextName::of(ctx));
                }
                Err(Error::Context(ContextError::OtherContextStream(contexts))) => {
                    assert_eq!(contexts.expected, ContextName::of(ctx));
                    assert_eq!(contexts.found, ContextName::of(other));
                    let text = Error::Context(ContextError::OtherContextStream(contexts)).to_string();
                    assert!(text.contains("help: ") && text.contains("cudaSetDevice"), "{text}");
                }
                Err(error) => return Err(error.into()),
            }
        }
        println!("{when}: {current:?} is current, and the runtime makes a stream in {owners:?}");
        // SAFETY: nothing uses it after this.
        unsafe { self.cudart.stream_destroy(stream)? };
        match owners[..] {
            [owner] => Ok(owner == ContextName::of(self.primary)),
            _ => Err(format!("a stream of {} contexts", owners.len()).into()),
        }
    }
}

/// If a context other than the primary context is current, the objects that the runtime creates belong to it.
/// `cudaSetDevice` makes the primary context current.
fn a_created_context(cudart: &Cudart) -> Outcome {
    set_device(cudart)?;
    let ctx = context()?;
    let own = create_context(device(), ContextFlags::new())?;
    let (primary, own) = (&ctx, &own);
    let two = Two { cudart, primary, own };
    assert!(two.stream_is_primary("at first")?);
    with_current(own, || two.stream_is_primary("in a context of its own"))??;
    assert_eq!(current_context()?, Some(ContextName::of(primary)));
    two.stream_is_primary("after it")?;
    own.bind_to_thread()?;
    two.stream_is_primary("after a launch in it, which leaves it current")?;
    own.bind_to_thread()?;
    set_device(cudart)?;
    assert!(two.stream_is_primary("after cudaSetDevice")?);
    launch_on_the_runtimes(cudart, primary)
}

/// `cudaKernel_t`, which is verified with the driver's information.
#[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
fn a_kernel_of_the_runtime(cudart: &Cudart) -> Outcome {
    set_device(cudart)?;
    let ctx = context()?;
    let (image, stream) = (CString::new(SAXPY)?, ctx.default_stream());
    let kernel = match cudart.kernel(&image, c"saxpy") {
        Ok(kernel) => kernel,
        Err(error) if error.code == 801 => {
            println!("{error}: the runtime is older than 12.8");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let x = stream.clone_htod(&vec![2.0; N as usize])?;
    let mut y = stream.alloc_zeros::<f32>(N as usize)?;
    // SAFETY: the library is never unloaded.
    let function = unsafe { kernel_function(&ctx, kernel)? };
    let args = Saxpy { n: N, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(function, GRID, 256, args, stream = &stream)? };
    assert!(stream.clone_dtoh(&y)?.iter().all(|value| *value == 2.0));
    // SAFETY: the launch is rejected.
    let error = unsafe { launch!(function, 1, 32, Wrong { n: 1 }, stream = &stream) };
    assert!(matches!(error, Err(Error::Verify(VerifyError::Mismatch(_)))), "{error:?}");
    Ok(())
}

/// A `cudaDeviceReset` during the program.
fn a_reset_of_the_device(cudart: &Cudart) -> Outcome {
    set_device(cudart)?;
    let ctx = context()?;
    let kernel = Kernel::<Pointers>::load(&ctx)?;
    let args = || Pointers { n: 0, alpha: 1.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
    // SAFETY: the kernel accesses no memory, here and below.
    unsafe { launch!(kernel, 1, 32, args())? };
    // SAFETY: the objects on the device are used only in ways that are defined after a reset.
    unsafe { cudart.device_reset()? };
    // SAFETY: as above.
    let error = unsafe { launch!(kernel, 1, 32, args()) }.expect_err("the device was reset");
    println!("{error}");
    assert!(matches!(error, Error::Context(ContextError::Destroyed { .. })), "{error}");
    // The next call of the runtime creates the context again.
    set_device(cudart)?;
    // SAFETY: null is freed.
    unsafe { cudart.free(std::ptr::null_mut())? };
    let error = kernel.require_loaded().expect_err("it was loaded before");
    println!("{error}");
    assert!(matches!(error, Error::Context(ContextError::Destroyed { .. })), "{error}");
    drop(kernel);
    let ctx = context()?;
    launch_on_the_runtimes(cudart, &ctx)
}

/// A library of the runtime between launches, on a cudarc stream.
fn a_library() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let random = cudarc::curand::CudaRng::new(1, stream.clone())?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let mut x = stream.alloc_zeros::<f32>(N as usize)?;
    let mut y = stream.alloc_zeros::<f32>(N as usize)?;
    let mut sum = vec![0.0_f32; N as usize];
    for _ in 0..5 {
        random.fill_with_uniform(&mut x)?;
        let args = Saxpy { n: N, alpha: 1.0, x: &x, y: &mut y };
        // On the default stream: launches and cuRAND wait for each other.
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, GRID, 256, args)? };
        for (sum, x) in sum.iter_mut().zip(stream.clone_dtoh(&x)?) {
            *sum += x;
        }
    }
    let found = stream.clone_dtoh(&y)?;
    assert_eq!(found, sum);
    assert!(sum.iter().any(|value| *value > 1.0), "cuRAND has written");
    Ok(())
}
