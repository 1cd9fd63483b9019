//! Kernels that compute a result, which must be correct.

use cudarc::driver::{CudaFunction, CudaSlice, sys};
use kernel_args::{Error, Kernel, KernelArgs, Module, args::Form, error::VerifyError, launch, vector::Dim3};
use kernel_args_tests::driver::{Driver, context, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

pub(crate) use kernel_args_tests::saxpy::{Outcome, SAXPY, Saxpy};

pub(crate) const TYPED: &str = include_str!("../../../../ptx/saxpy_typed.ptx");
const REDUCE: &str = include_str!("../../../../ptx/reduce.ptx");

/// A handle in a struct, launched with arguments of any lifetime, from a function with a user-defined error type.
struct Engine {
    saxpy: Kernel<Saxpy<'static>>,
}

#[derive(Debug)]
struct EngineError(String);

impl From<Error> for EngineError {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl Engine {
    fn run(&self, alpha: f32, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), EngineError> {
        let n = u32::try_from(x.len()).map_err(|error| EngineError(error.to_string()))?;
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(self.saxpy, n.div_ceil(128), 128, Saxpy { n, alpha, x, y })? };
        Ok(())
    }
}

fn saxpy() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let engine = Engine { saxpy: Kernel::<Saxpy>::load(&ctx)?.require_verified()? };
    let host: Vec<f32> = (0..1000_u16).map(f32::from).collect();
    let x = stream.clone_htod(&host)?;
    let mut y = stream.clone_htod(&vec![1.0_f32; 1000])?;
    engine.run(2.0, &x, &mut y).map_err(|error| error.0)?;
    engine.run(0.5, &x, &mut y).map_err(|error| error.0)?;
    let result = stream.clone_dtoh(&y)?;
    let right: Vec<f32> = host.iter().map(|x| 2.5 * x + 1.0).collect();
    assert_eq!(result, right);
    Ok(())
}

fn every_spelling_of_a_launch() -> Outcome {
    let ctx = context()?;
    let streams = [ctx.default_stream(), ctx.new_stream()?];
    let kernel = Arc::new(Kernel::<Saxpy>::load(&ctx)?);
    let x = streams[0].clone_htod(&[1.0_f32; 8])?;
    let mut y = streams[0].alloc_zeros::<f32>(8)?;
    let stream = &streams[1];
    let mut launched = 0.0;
    macro_rules! run {
        ($func:expr, $grid:expr, $block:expr $(, $option:ident = $value:expr)*) => {
            let mut args = Saxpy { n: 8, alpha: 1.0, x: &x, y: &mut y };
            // SAFETY: both slices have `n` elements.
            unsafe { launch!($func, $grid, $block, &mut args $(, $option = $value)*,)? };
            launched += 1.0;
        };
    }
    run!(kernel, 1, 8);
    run!(*kernel, (1,), (8,));
    run!(&kernel, (1, 1), (8, 1));
    run!(&*kernel, (1, 1, 1), (8, 1, 1));
    run!(kernel, [1], [8], stream = stream);
    run!(kernel, [1, 1], [8, 1], stream = stream, shared = 1024);
    run!(kernel, [1, 1, 1], [8, 1, 1], shared = 0, stream = &**stream);
    run!(kernel.clone(), Dim3::new(1, 1, 1), Dim3::new(8, 1, 1));
    let handle: sys::CUfunction = kernel.cu_function();
    run!(handle, 1, 8, stream = stream);
    run!(handle, 1, 8);
    ctx.synchronize()?;
    let result = stream.clone_dtoh(&y)?;
    assert_eq!(result, [launched; 8]);
    Ok(())
}

fn each_argument_of_the_macro_is_evaluated_once() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[1.0_f32; 8])?;
    let mut y = stream.alloc_zeros::<f32>(8)?;
    let mut order = Vec::new();
    // SAFETY: both slices have 8 elements.
    unsafe {
        launch!(
            {
                order.push("func");
                &kernel
            },
            {
                order.push("grid");
                1
            },
            {
                order.push("block");
                8
            },
            {
                order.push("args");
                Saxpy { n: 8, alpha: 1.0, x: &x, y: &mut y }
            },
            stream = {
                order.push("stream");
                &stream
            },
        )?;
    }
    assert_eq!(order, ["func", "grid", "block", "stream", "args"]);
    Ok(())
}

#[derive(KernelArgs)]
struct ReduceSum<'a> {
    input: &'a CudaSlice<f32>,
    out: &'a mut CudaSlice<f32>,
    n: u32,
}

fn reduction_with_shared_memory() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let reduce: Kernel<ReduceSum> = Kernel::from_image(&ctx, REDUCE, "reduce_sum")?;
    let host: Vec<f32> = (0..4096_u16).map(|i| f32::from(i % 16)).collect();
    let input = stream.clone_htod(&host)?;
    for shared in [256 * 4, 64 * 1024, 200 * 1024] {
        let mut out = stream.alloc_zeros::<f32>(1)?;
        let args = ReduceSum { input: &input, out: &mut out, n: 4096 };
        // SAFETY: `input` has `n` elements, `out` one; the shared memory holds one float for each thread.
        unsafe { launch!(reduce, 8, 256, args, shared = shared)? };
        assert_eq!(stream.clone_dtoh(&out)?, [host.iter().sum::<f32>()]);
    }
    Ok(())
}

/// The one of two overloads that matches the fields, and template instances by their spelling.
fn overloads_and_templates() -> Outcome {
    #[derive(KernelArgs)]
    struct Axpy<'a, T> {
        n: i32,
        a: T,
        x: &'a CudaSlice<T>,
        y: &'a mut CudaSlice<T>,
    }
    let ctx = context()?;
    let module = Module::load(&ctx, TYPED)?;
    let single: Kernel<Axpy<f32>> = module.kernel("saxpy<float>")?;
    assert_eq!(single.name(), "_Z5saxpyIfEviT_PKS0_PS0_");
    let double: Kernel<Axpy<f64>> = module.kernel("saxpy<double>")?;
    assert_eq!(double.name(), "_Z5saxpyIdEviT_PKS0_PS0_");
    let overload: Kernel<Axpy<f64>> = module.kernel("saxpy(int, double, double const*, double*)")?;
    assert_eq!(overload.name(), "_Z5saxpyidPKdPd");
    let plain: Kernel<Axpy<f32>> = module.kernel("saxpy")?;
    assert_eq!(plain.name(), "_Z5saxpyifPKfPf", "as C++, an overload before a template");
    Ok(())
}

/// A function that cudarc loaded is verified at every launch with the driver's information.
fn a_function_of_cudarc() -> Outcome {
    #[derive(KernelArgs)]
    struct Wrong<'a> {
        n: u64,
        x: &'a CudaSlice<f32>,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
    let function: CudaFunction = module.load_function("saxpy")?;
    let x = stream.clone_htod(&[3.0_f32; 8])?;
    let mut y = stream.alloc_zeros::<f32>(8)?;
    let by_function: Kernel<Saxpy> = Kernel::from_function(&ctx, function.clone())?.require_verified()?;
    let by_module: Kernel<Saxpy> = Kernel::from_cudarc_module(&ctx, &module, "saxpy")?;
    macro_rules! run {
        ($func:expr $(, $option:ident = $value:expr)*) => {
            let args = Saxpy { n: 8, alpha: 1.0, x: &x, y: &mut y };
            // SAFETY: both slices have 8 elements.
            unsafe { launch!($func, 1, 8, args $(, $option = $value)*) }?;
        };
    }
    run!(function);
    run!(function, stream = &stream);
    run!(by_function);
    run!(by_module);
    assert_eq!(stream.clone_dtoh(&y)?, [12.0; 8]);

    // SAFETY: nothing is launched: the struct does not match.
    let error = unsafe { launch!(function, 1, 8, Wrong { n: 8, x: &x }) };
    assert!(matches!(error, Err(Error::Verify(VerifyError::Mismatch(_)))), "{error:?}");
    Ok(())
}

/// Slices may be dropped when `launch!` has returned: cudarc frees them in stream order.
fn slices_dropped_right_after_the_launch() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let (one, two) = (ctx.new_stream()?, ctx.new_stream()?);
    let mut y = one.alloc_zeros::<f32>(1 << 16)?;
    for i in 0..50 {
        let stream = if i % 2 == 0 { &one } else { &two };
        let x = stream.clone_htod(&vec![1.0_f32; 1 << 16])?;
        let args = Saxpy { n: 1 << 16, alpha: 1.0, x: &x, y: &mut y };
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 256, 256, args, stream = stream)? };
        drop(x);
    }
    assert_eq!(one.clone_dtoh(&y)?, vec![50.0; 1 << 16]);
    Ok(())
}

/// Launches that a stream records into a graph, in both forms. The graph is launched twice.
fn captured_into_a_graph() -> Outcome {
    use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let x = stream.clone_htod(&[1.0_f32; 8])?;
    let mut y = stream.alloc_zeros::<f32>(8)?;
    stream.synchronize()?;
    // SAFETY: all following work is on one stream, so no tracking is needed.
    unsafe { ctx.disable_event_tracking() };
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    for form in [Form::KernelParams, Form::Packed] {
        let args = Saxpy { n: 8, alpha: 1.5, x: &x, y: &mut y };
        // SAFETY: both slices have 8 elements.
        unsafe { launch!(kernel, 1, 8, args, stream = &stream, form = form)? };
    }
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.end_capture(flags)?.ok_or("nothing was captured")?;
    graph.launch()?;
    graph.launch()?;
    stream.synchronize()?;
    assert_eq!(stream.clone_dtoh(&y)?, [6.0; 8]);
    // SAFETY: restores the previous state.
    unsafe { ctx.enable_event_tracking() };
    Ok(())
}

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("saxpy_from_a_handle_in_a_struct", saxpy),
        trial("every_spelling_of_a_launch", every_spelling_of_a_launch),
        trial("each_argument_of_the_macro_is_evaluated_once", each_argument_of_the_macro_is_evaluated_once),
        trial("reduction_with_shared_memory_beyond_48_kib", reduction_with_shared_memory),
        trial("overloads_and_templates", overloads_and_templates),
        trial("captured_into_a_graph", captured_into_a_graph),
        trial("a_function_of_cudarc", a_function_of_cudarc),
        trial("slices_dropped_right_after_the_launch", slices_dropped_right_after_the_launch),
    ]
}
