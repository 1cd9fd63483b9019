//! Launches without a struct type: lists of arguments, cudarc modules and functions with their image, cached raw
//! functions, and cudarc's `LaunchConfig`.

use crate::launch::results::{Outcome, SAXPY, Saxpy, TYPED};
use cudarc::{
    driver::{CudaSlice, CudaStream, LaunchConfig},
    nvrtc::Ptx,
};
use kernel_args::{ArgList, Error, Function, Kernel, Module, args::Form, launch};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

const N: u32 = 1000;

/// `x` contains ones, and `y` counts the additions.
struct Counted {
    stream: Arc<CudaStream>,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
}

impl Counted {
    fn new(stream: Arc<CudaStream>) -> Result<Self, Error> {
        Ok(Self { x: stream.clone_htod(&vec![1.0; N as usize])?, y: stream.alloc_zeros(N as usize)?, stream })
    }

    fn args(&mut self) -> Saxpy<'_> {
        Saxpy { n: N, alpha: 1.0, x: &self.x, y: &mut self.y }
    }

    #[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
    fn added(&self, times: u16) -> Outcome {
        let y = self.stream.clone_dtoh(&self.y)?;
        let wrong = y.iter().find(|value| **value != f32::from(times));
        assert_eq!(wrong, None, "{times} launches");
        Ok(())
    }
}

/// A list that is launched again, different values, both forms, a stream, and a list that does not match.
fn lists_are_launched() -> Outcome {
    let ctx = context()?;
    let mut counted = Counted::new(ctx.new_stream()?)?;
    let stream = counted.stream.clone();
    let saxpy = Module::load(&ctx, SAXPY)?.function("saxpy")?;
    for form in [Form::KernelParams, Form::Packed, Form::KernelParams] {
        let mut args = ArgList::new();
        args.push(N).push(1.0_f32).push(&counted.x).push(&mut counted.y);
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(saxpy, 8, 128, &mut args, stream = &stream, form = form)? };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(saxpy, 8, 128, &mut args, stream = &stream)? };
    }
    counted.added(6)?;

    let mut args = ArgList::new();
    args.push(N).push(1.0_f64).push(&counted.x).push(&mut counted.y);
    // SAFETY: the launch is rejected.
    let error = unsafe { launch!(saxpy, 8, 128, &mut args, stream = &stream) };
    let error = error.expect_err("an `f64` for a `float`").to_string();
    assert!(error.contains("push `2.0_f32` as argument 1"), "{error}");
    drop(args);
    counted.added(6)
}

/// A module and a function that cudarc loaded are verified against the image. The result can be used with cudarc.
fn cudarc_loads_the_module() -> Outcome {
    let ctx = context()?;
    let mut counted = Counted::new(ctx.default_stream())?;
    let module = ctx.load_module(Ptx::from_src(SAXPY))?;
    let function = module.load_function("saxpy")?;

    let ours = Module::from_cudarc(&ctx, module.clone(), SAXPY)?;
    let kernel = ours.kernel::<Saxpy>("saxpy")?.require_verified()?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    let back = kernel.as_function().to_cudarc()?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(back, 8, 128, counted.args())? };

    let kernel = Kernel::<Saxpy>::from_function_with_image(&ctx, function.clone(), SAXPY)?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    let untyped = Function::from_cudarc(&ctx, function.clone(), SAXPY)?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(untyped, 8, 128, counted.args())? };
    // The image of a different module.
    let error = Function::from_cudarc(&ctx, function, TYPED).expect_err("another image");
    assert!(error.to_string().contains("saxpy"), "{error}");
    counted.added(4)
}

/// After the first launch, the driver is queried about only one parameter.
fn raw_functions_are_cached() -> Outcome {
    let ctx = context()?;
    let mut counted = Counted::new(ctx.new_stream()?)?;
    let stream = counted.stream.clone();
    let function = ctx.load_module(Ptx::from_src(SAXPY))?.load_function("saxpy")?;
    let handle = function.cu_function();
    for _ in 0..3 {
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(function, 8, 128, counted.args(), stream = &stream)? };
        // SAFETY: both slices have `N` elements; `function` keeps the module loaded.
        unsafe { launch!(handle, 8, 128, counted.args(), stream = &stream)? };
    }
    counted.added(6)
}

fn a_configuration_of_cudarc() -> Outcome {
    let ctx = context()?;
    let mut counted = Counted::new(ctx.new_stream()?)?;
    let stream = counted.stream.clone();
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let config = LaunchConfig::for_num_elems(N);
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, config, counted.args(), stream = &stream)? };
    counted.added(1)
}

/// The module caches its kernels: many lookups from many threads, and the module may be dropped first.
fn kernels_are_looked_up_again() -> Outcome {
    let ctx = context()?;
    let mut counted = Counted::new(ctx.default_stream())?;
    let module = Module::load(&ctx, SAXPY)?;
    let looked_up = |_| module.kernel::<Saxpy>("saxpy").map(|kernel| kernel.cu_function() as usize);
    let handles = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..100).map(looked_up).collect::<Result<Vec<_>, _>>())).collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        joined.collect::<Result<Vec<_>, Error>>()
    })?;
    let kernel = module.get::<Saxpy>()?;
    let same = kernel.cu_function() as usize;
    assert!(handles.iter().flatten().all(|handle| *handle == same));
    drop(module);
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    counted.added(1)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("lists_are_launched", lists_are_launched),
        trial("cudarc_loads_the_module", cudarc_loads_the_module),
        trial("raw_functions_are_cached", raw_functions_are_cached),
        trial("a_configuration_of_cudarc", a_configuration_of_cudarc),
        trial("kernels_are_looked_up_again", kernels_are_looked_up_again),
    ]
}
