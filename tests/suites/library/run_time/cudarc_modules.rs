//! cudarc modules and functions with their image: verified as if this crate had loaded them.

use crate::run_time::{Pointers, SAXPY, context, ptx};
use cudarc::{
    driver::{CudaFunction, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use kernel_args::{
    Error, Function, Image, Kernel, KernelArgs, Module,
    error::{ContextError, GlobalError, LoadError, VerifyError},
    image::Verification,
    launch,
};
use kernel_args_stand_in::{Settings, within};
use kernel_args_test_kernels::saxpy;
use std::sync::Arc;

/// Equal to `Pointers` in sizes and offsets, but with different types.
#[derive(KernelArgs)]
struct SameSizes {
    n: u32,
    alpha: u32,
    x: u64,
    y: u64,
}

fn function(ctx: &Arc<cudarc::driver::CudaContext>, ptx: &str) -> CudaFunction {
    let module = ctx.load_module(Ptx::from_src(ptx)).expect("it loads");
    module.load_function("saxpy").expect("it is there")
}

#[test]
fn a_function_with_its_image_is_verified_by_types() {
    let _ = |it: SameSizes| (it.n, it.alpha, it.x, it.y);
    within(&Settings::new(), |_| {
        let ctx = context(0);
        let theirs = function(&ctx, SAXPY);
        Kernel::<SameSizes>::from_function(&ctx, theirs.clone()).expect("sizes alone agree");
        let refused = Kernel::<SameSizes>::from_function_with_image(&ctx, theirs.clone(), SAXPY);
        assert!(
            matches!(&refused, Err(Error::Verify(VerifyError::Mismatch(it))) if it.fields.contains(&"alpha".into())),
            "{refused:?}"
        );
        let ours = Function::from_cudarc(&ctx, theirs.clone(), SAXPY).expect("its image");
        let all = Verification::clone(ours.verification());
        assert_eq!(format!("{all:?}"), "Verified { driver: true, image: true, debug_info: None, not_compared: [] }");
        assert!(matches!(ours.kernel::<SameSizes>(), Err(Error::Verify(VerifyError::Mismatch(_)))));
        let kernel = ours.kernel::<Pointers>().expect("it fits");
        assert_eq!(kernel.as_function().name(), "saxpy");
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 1, Pointers::NONE) }.expect("it launches");
        let out = ours.to_cudarc().expect("cudarc loaded it");
        assert_eq!(out.cu_function(), theirs.cu_function());
    });
}

/// cudarc loaded the module: its image may differ from the given image.
#[test]
fn a_kernel_of_another_image_than_the_modules_is_not_there() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        let theirs = ctx.load_module(Ptx::from_src(SAXPY)).expect("it loads");
        let other = SAXPY.replace("saxpy", "other");
        let module = Module::from_cudarc(&ctx, theirs, &other).expect("it is an image");
        let text = module.function("other").expect_err("only the image has it").to_string();
        assert!(text.contains("help: pass the image from which the module was loaded"), "{text}");
        assert!(text.contains("if this is the image"), "{text}");
    });
}

#[test]
fn an_image_that_is_not_the_functions_is_refused() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        let theirs = function(&ctx, SAXPY);
        let given = |image: &str| Function::from_cudarc(&ctx, theirs.clone(), image).expect_err("not its image");
        let other = given(&ptx(&[("saxpi", "u32"), ("other", "u32")])).to_string();
        for words in ["saxpy", "the image has no kernel with this name", "saxpi"] {
            assert!(other.contains(words), "{other}");
        }
        for types in ["u32 f32 u64", "u32 f32 u64 u64 u32", "u32 f64 u64 u64", ""] {
            let error = given(&ptx(&[("saxpy", types)])).to_string();
            for words in ["saxpy", "not the image from which the function was loaded", "4, 4, 8, 8", "help: "] {
                assert!(error.contains(words), "`{words}` is not in\n{error}");
            }
        }
        assert!(matches!(given("no PTX"), Error::Load(LoadError::Image(_))));

        let module = ctx.load_module(Ptx::from_src(SAXPY)).expect("it loads");
        let wrong = ptx(&[("saxpy", "u32 f64 u64 u64")]);
        let ours = Module::from_cudarc(&ctx, module, wrong).expect("PTX");
        for refused in [ours.function("saxpy").map(drop), ours.kernel::<Pointers>("saxpy").map(drop)] {
            assert!(
                matches!(refused, Err(Error::Verify(VerifyError::Mismatch(_)) | Error::Load(LoadError::Image(_)))),
                "{refused:?}"
            );
        }
    });
}

/// One module in both crates: functions, variables, lifetime.
#[test]
fn a_module_of_cudarc_is_the_same_module_here() {
    const GLOBAL: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 counter;\n\
                          .visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)\n{\n    ret;\n}\n";
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let theirs = ctx.load_module(Ptx::from_src(GLOBAL)).expect("it loads");
        let ours = Module::from_cudarc(&ctx, theirs.clone(), GLOBAL).expect("its image");
        assert_eq!(driver.live_modules(), 1);
        assert!(Arc::ptr_eq(ours.cudarc().expect("cudarc's"), &theirs));
        assert_eq!(ours.entries().collect::<Vec<_>>(), ["saxpy"]);
        let function = ours.function("saxpy").expect("it is there");
        let their_function = theirs.load_function("saxpy").expect("it is there");
        assert_eq!(function.cu_function(), their_function.cu_function());

        let stream = ctx.default_stream();
        let counter = ours.global::<u32>("counter").expect("it is there");
        let their_global = theirs.get_global("counter", &stream).expect("it is there");
        let their_address = cudarc::driver::DevicePtr::device_ptr(&their_global, &stream).0;
        assert_eq!((counter.as_ptr().address(), counter.size()), (their_address, 4));
        for name in ["none", "a\0b"] {
            let error = ours.global::<u32>(name).expect_err("it does not exist");
            assert!(matches!(error, Error::Global(GlobalError::NotFound { .. })));
        }

        // cudarc's builder launches a function of this crate, and this crate launches a cudarc function.
        let out = function.to_cudarc().expect("cudarc loaded it");
        let mut builder = stream.launch_builder(&out);
        builder.arg(&0_u32).arg(&1.0_f32).arg(&0_u64).arg(&0_u64);
        // SAFETY: the kernel accesses no memory.
        unsafe { builder.launch(LaunchConfig::for_num_elems(1)) }.expect("it launches");
        let kernel = ours.kernel::<Pointers>("saxpy").expect("it fits");
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, LaunchConfig::for_num_elems(1), Pointers::NONE) }.expect("it launches");
        driver.reset_calls();
        ours.kernel::<Pointers>("saxpy").expect("it is remembered");
        assert!(driver.called().is_empty());

        drop((theirs, ours, kernel, function, their_function));
        assert_eq!(driver.live_modules(), 1, "cudarc's function keeps it");
        drop(out);
        assert_eq!(driver.live_modules(), 1, "the variable keeps it");
        drop(counter);
        assert_eq!(driver.live_modules(), 0);
    });
}

#[test]
fn a_module_of_this_crate_has_no_function_of_cudarc() {
    within(&Settings::new(), |_| {
        let module = Module::load(&context(0), SAXPY).expect("it loads");
        assert!(module.cudarc().is_none());
        let error = module.function("saxpy").expect("it is there").to_cudarc();
        let error = error.expect_err("cudarc did not load it").to_string();
        for words in ["saxpy", "cudarc did not load", "help: ", "Module::from_cudarc"] {
            assert!(error.contains(words), "`{words}` is not in\n{error}");
        }
    });
}

#[test]
fn an_image_that_cudarc_loads_has_functions_of_both() {
    within(&Settings::new(), |_| {
        for image in [Image::from(SAXPY), Image::from(saxpy::IMAGE)] {
            let module = Module::load_with_cudarc(&context(0), image).expect("it loads");
            assert!(module.cudarc().is_some());
            let kernel = module.kernel::<Pointers>("saxpy").expect("it fits");
            let theirs = kernel.as_function().to_cudarc().expect("cudarc loaded it");
            let again = Kernel::<Pointers>::from_function(&context(0), theirs).expect("it fits");
            assert_eq!(again.cu_function(), kernel.cu_function());
        }
        let error = Module::load_with_cudarc(&context(0), "no PTX").expect_err("no image");
        assert!(error.to_string().starts_with("cuModuleLoadData"), "{error}");
        let error = Module::load_with_cudarc(&context(0), "").expect_err("no image");
        assert!(matches!(error, Error::Load(LoadError::Image(_))), "{error:?}");
    });
}

#[test]
fn a_module_of_another_context_is_refused() {
    within(&Settings::new().devices(2), |_| {
        let (ctx, other) = (context(0), context(1));
        let theirs = other.load_module(Ptx::from_src(SAXPY)).expect("it loads");
        let ours = Module::from_cudarc(&ctx, theirs.clone(), SAXPY).expect("an image");
        let refused = ours.kernel::<Pointers>("saxpy");
        assert!(matches!(refused, Err(Error::Context(ContextError::OtherContextFunction { .. }))), "{refused:?}");
        let refused = Kernel::<Pointers>::from_cudarc_module(&ctx, &theirs, "saxpy");
        assert!(matches!(refused, Err(Error::Context(ContextError::OtherContextFunction { .. }))), "{refused:?}");
        let function = theirs.load_function("saxpy").expect("it is there");
        let refused = Function::from_cudarc(&ctx, function, SAXPY);
        assert!(matches!(refused, Err(Error::Context(ContextError::OtherContextFunction { .. }))), "{refused:?}");
    });
}

/// A driver that does not return names: the only kernel of the image is used, or the error contains the solution.
#[test]
fn without_names_from_the_driver_the_image_must_have_one_kernel() {
    within(&Settings::new().old().without("cuFuncGetName"), |_| {
        let ctx = context(0);
        let theirs = function(&ctx, SAXPY);
        let ours = Function::from_cudarc(&ctx, theirs.clone(), SAXPY).expect("one kernel");
        assert_eq!(ours.name(), "saxpy");
        ours.require_verified().expect("by the image");
        let several = ptx(&[("saxpy", "u32 f32 u64 u64"), ("other", "u32")]);
        let theirs = function(&ctx, &several);
        let error = Function::from_cudarc(&ctx, theirs, &several).expect_err("which one?").to_string();
        for words in ["does not report the name", "Module::from_cudarc"] {
            assert!(error.contains(words), "{error}");
        }
    });
}
