//! One kernel per GPU, and objects of the wrong GPU.

use crate::several_gpus::world::{Outcome, SAXPY, Saxpy, all_are, both, filled, grid, launched, n};
use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, Module, context::ContextName, error::ContextError, graph::Graph, launch};
use kernel_args_tests::driver::trial_unless;
use libtest_mimic::Trial;
use std::fmt::Debug;

fn one_kernel_for_each_gpu() -> Outcome {
    let contexts = both()?;
    let kernels: Vec<Kernel<Saxpy<'_>>> = contexts.iter().map(Kernel::load).collect::<Result<_, _>>()?;
    for _ in 0..2 {
        for (ctx, kernel) in contexts.iter().zip(&kernels) {
            let kernel = kernel.clone().require_verified()?;
            assert_eq!(ContextName::of(kernel.context()), ContextName::of(ctx));
            let (default, other) = (ctx.default_stream(), ctx.new_stream()?);
            let (x, mut y) = (filled(&default, 2.0)?, filled(&other, 1.0)?);
            for stream in [&default, &other] {
                let (n, alpha) = (n(), 3.0);
                let args = Saxpy { n, alpha, x: &x, y: &mut y };
                // SAFETY: both slices have `N` elements.
                unsafe { launch!(kernel, grid(), 256, args, stream = stream)? };
                launched();
            }
            all_are(&default, &y, 13.0)?;
        }
    }
    Ok(())
}

/// The error names both GPUs, and does not come from the driver.
fn names_both<T: Debug>(result: Result<T, Error>, launch: usize, found: usize) {
    let error = result.expect_err("it is of the other GPU");
    let text = error.to_string();
    let contexts = match &error {
        Error::Context(
            ContextError::OtherContextArgument { contexts, .. } | ContextError::OtherContextFunction { contexts, .. },
        ) => contexts,
        other => panic!("{other}"),
    };
    assert_eq!(contexts.expected.device(), Some(launch), "{text}");
    assert_eq!(contexts.found.device(), Some(found), "{text}");
    for device in [launch, found] {
        assert!(text.contains(&format!("of device {device}")), "{text}");
    }
}

fn args<'a>(x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32>) -> Saxpy<'a> {
    let (n, alpha) = (n(), 1.0);
    Saxpy { n, alpha, x, y }
}

fn what_is_of_the_other_gpu_is_refused() -> Outcome {
    let contexts = both()?;
    for (here, there) in [(0, 1), (1, 0)] {
        let (ctx, other) = (&contexts[here], &contexts[there]);
        let kernel = Kernel::<Saxpy>::load(ctx)?;
        let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
        let function = module.load_function("saxpy")?;
        let (mut ours, mut theirs) = (filled(&ctx.default_stream(), 1.0)?, filled(&other.default_stream(), 1.0)?);
        // SAFETY: nothing is launched, here and below.
        let launched = unsafe { launch!(kernel, grid(), 256, args(&theirs, &mut ours)) };
        names_both(launched, here, there);
        // SAFETY: nothing is launched.
        let launched = unsafe { launch!(function, grid(), 256, args(&ours, &mut theirs)) };
        names_both(launched, here, there);
        let stream = other.new_stream()?;
        let copy = ours.clone();
        // SAFETY: nothing is launched.
        let launched = unsafe { launch!(kernel, grid(), 256, args(&copy, &mut ours), stream = &stream) };
        names_both(launched, here, there);
        // SAFETY: nothing is launched.
        let launched = unsafe { launch!(function, grid(), 256, args(&copy, &mut ours), stream = &stream) };
        names_both(launched, here, there);
        let adopted = Module::from_cudarc(other, module.clone(), SAXPY)?;
        names_both(adopted.kernel::<Saxpy>("saxpy"), here, there);
        names_both(Kernel::<Saxpy>::from_function(other, function), here, there);

        let mut exec = Graph::new(ctx)?.instantiate()?;
        // SAFETY: nothing is launched.
        let error = unsafe { exec.launch(&stream) }.expect_err("a stream of the other GPU");
        let text = error.to_string();
        assert!(text.contains(&format!("of device {here}")) && text.contains(&format!("of device {there}")), "{text}");
        all_are(&ctx.default_stream(), &ours, 1.0)?;
        all_are(&other.default_stream(), &theirs, 1.0)?;
    }
    Ok(())
}

pub(crate) fn trials(why: Option<&'static str>) -> Vec<Trial> {
    vec![
        trial_unless(why, "one_kernel_for_each_gpu", one_kernel_for_each_gpu),
        trial_unless(why, "what_is_of_the_other_gpu_is_refused", what_is_of_the_other_gpu_is_refused),
    ]
}
