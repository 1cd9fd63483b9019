//! Raw functions: verified once for each struct. Every launch queries their last parameter.

use crate::arguments::heap::allocations;
use crate::run_time::{Pointers, SAXPY, context, ptx};
use cudarc::{
    driver::{CudaContext, CudaFunction},
    nvrtc::Ptx,
};
use kernel_args::{
    Error, KernelArgs,
    args::Form,
    context::{ContextFlags, ContextName, create_context, current_context, with_current},
    error::VerifyError,
    launch,
};
use kernel_args_stand_in::{Control, Settings, within};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Numbers(u32, u32, u64);

#[derive(KernelArgs)]
struct Named {
    a: u32,
    b: f32,
    c: u64,
}

#[derive(KernelArgs)]
struct Nothing;

fn function(ctx: &Arc<CudaContext>, ptx: &str, name: &str) -> CudaFunction {
    let module = ctx.load_module(Ptx::from_src(ptx)).expect("it loads");
    module.load_function(name).expect("it is there")
}

/// The driver calls, with their counts.
fn calls(driver: &Control, launch: impl FnOnce() -> Result<(), Error>) -> Vec<(String, u64)> {
    driver.reset_calls();
    let (heap, result) = allocations(launch);
    result.expect("it launches");
    assert_eq!(heap, 0, "allocations");
    driver.called().into_iter().collect()
}

fn named(calls: &[(&str, u64)]) -> Vec<(String, u64)> {
    calls.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn the_second_launch_asks_about_the_last_parameter_only() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let stream = ctx.new_stream().expect("a stream");
        let function = function(&ctx, SAXPY, "saxpy");
        let raw = function.cu_function();
        let launches: [&dyn Fn() -> Result<(), Error>; 4] = [
            // SAFETY: in all of these the kernel accesses no memory, and the function is loaded.
            &|| unsafe { launch!(function, 1, 1, Pointers::NONE) },
            // SAFETY: the kernel accesses no memory, and the function is loaded.
            &|| unsafe { launch!(function, 1, 1, Pointers::NONE, stream = &stream) },
            // SAFETY: the kernel accesses no memory, and the function is loaded.
            &|| unsafe { launch!(raw, 1, 1, Pointers::NONE) },
            // SAFETY: the kernel accesses no memory, and the function is loaded.
            &|| unsafe { launch!(raw, 1, 1, Pointers::NONE, stream = &stream) },
        ];
        let expected = [
            // Only cudarc knows the context of its function; finding it needs a driver call.
            named(&[
                ("cuCtxGetCurrent", 2),
                ("cuFuncGetAttribute", 1),
                ("cuFuncGetParamInfo", 1),
                ("cuLaunchKernelEx", 1),
            ]),
            named(&[("cuCtxGetCurrent", 1), ("cuFuncGetParamInfo", 1), ("cuLaunchKernelEx", 1)]),
            named(&[("cuCtxGetCurrent", 1), ("cuFuncGetParamInfo", 1), ("cuLaunchKernelEx", 1)]),
            named(&[("cuCtxGetCurrent", 1), ("cuFuncGetParamInfo", 1), ("cuLaunchKernelEx", 1)]),
        ];
        for (launch, expected) in launches.into_iter().zip(expected) {
            launch().expect("it launches");
            driver.reset_calls();
            assert_eq!(calls(driver, launch), expected);
        }
    });
}

#[test]
fn the_first_launch_asks_about_every_parameter_and_for_each_struct() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let functions: Vec<_> =
            (0..8).map(|_| function(&ctx, &ptx(&[("numbers", "u32 u32 u64")]), "numbers")).collect();
        let asked = |launch: &dyn Fn() -> Result<(), Error>| {
            driver.reset_calls();
            launch().expect("it launches");
            driver.calls("cuFuncGetParamInfo")
        };
        let mut kept = 0;
        for function in &functions {
            // SAFETY: the kernel accesses no memory.
            let tuple = || unsafe { launch!(function, 1, 1, Numbers(1, 2, 3)) };
            // SAFETY: the kernel accesses no memory.
            let named = || unsafe { launch!(function, 1, 1, Named { a: 1, b: 2.0, c: 3 }) };
            assert_eq!([asked(&tuple), asked(&tuple)], [4, 1]);
            assert_eq!([asked(&named), asked(&named)], [4, 1]);
            kept += u64::from(asked(&tuple) == 1);
        }
        // One of 128 pairs has the same place in the cache.
        assert!(kept >= 6, "{kept} of 8");
        // Each thread has its own cache.
        let raw = functions[0].clone();
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                driver.reset_calls();
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!(raw, 1, 1, Numbers(1, 2, 3)) }.expect("it launches");
                driver.calls("cuFuncGetParamInfo")
            });
            assert_eq!(thread.join().expect("nothing panics"), 4);
        });
    });
}

#[test]
fn a_wrong_struct_is_refused_at_every_launch() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let function = function(&ctx, SAXPY, "saxpy");
        for _ in 0..3 {
            // SAFETY: not reached.
            let error = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3)) };
            assert!(matches!(error, Err(Error::Verify(VerifyError::Mismatch(_)))), "{error:?}");
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(function, 1, 1, Pointers::NONE) }.expect("it launches");
        }
        assert_eq!(driver.launches(), 3);
    });
}

/// A handle that the driver reused for a different kernel: a different last parameter is detected, and the kernel is
/// verified again.
#[test]
fn a_handle_that_was_given_to_another_kernel_is_verified_again() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let mut handles = Vec::new();
        // The kernel, whether it is rejected for `Numbers`, and the number of queries.
        for (types, refused, asked) in [
            ("u32 u32 u64", false, 4),
            // A different size, a different offset, fewer, more, none: the last parameter shows the difference.
            ("u32 u32 u32", true, 5),
            ("u32 u32 u64", false, 1),
            ("u64 u64 u64", true, 5),
            ("u32 u64", true, 4),
            ("", true, 2),
            ("u32 f32 u64", false, 1),
        ] {
            let function = function(&ctx, &ptx(&[("numbers", types)]), "numbers");
            handles.push(function.cu_function());
            driver.reset_calls();
            // SAFETY: the kernel accesses no memory.
            let result = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3)) };
            match result {
                Err(Error::Verify(VerifyError::Mismatch(_))) if refused => {}
                Ok(()) if !refused => {}
                other => panic!("{types}: {other:?}"),
            }
            assert_eq!(driver.calls("cuFuncGetParamInfo"), asked, "{types}");
            assert!(driver.calls("cuLaunchKernelEx") == u64::from(!refused), "{types}");
        }
        assert!(handles.iter().all(|handle| *handle == handles[0]), "the handle was reused");
    });
}

/// The documented limits of `launch!`. If this test fails, the documentation lists too many limits. The packed form is
/// used, because the driver reads no more of it than there is.
#[test]
fn reused_handles_have_exactly_the_documented_limits() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        for types in ["u32 u32 u64", "u64 u64", "u32 u32 u64 u32"] {
            let function = function(&ctx, &ptx(&[("numbers", types)]), "numbers");
            // SAFETY: the kernel accesses no memory.
            let result = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3), form = Form::Packed) };
            let refused = matches!(result, Err(Error::Verify(VerifyError::Mismatch(_))));
            assert_eq!(refused, types == "u64 u64", "{types}: {result:?}");
        }
        for types in ["", "u32"] {
            let function = function(&ctx, &ptx(&[("nothing", types)]), "nothing");
            // SAFETY: the kernel accesses no memory.
            let result = unsafe { launch!(function, 1, 1, Nothing, form = Form::Packed) };
            assert!(!matches!(result, Err(Error::Verify(VerifyError::Mismatch(_)))), "{types}");
        }
    });
}

/// A handle in a different context than the cached context.
#[test]
fn a_handle_that_was_given_to_another_context_is_launched_there() {
    within(&Settings::new().devices(2), |_| {
        let contexts = [context(0), context(1)];
        let streams = contexts.clone().map(|ctx| ctx.new_stream().expect("a stream"));
        let mut handles = Vec::new();
        for round in 0..6 {
            let (ctx, stream) = (&contexts[round % 2], &streams[round % 2]);
            let function = function(ctx, SAXPY, "saxpy");
            handles.push(function.cu_function());
            for _ in 0..2 {
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!(function, 1, 1, Pointers::NONE, stream = stream) }.expect("its context");
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!(function, 1, 1, Pointers::NONE) }.expect("its context");
            }
            let foreign = &streams[1 - round % 2];
            // SAFETY: the kernel accesses no memory.
            let refused = unsafe { launch!(function, 1, 1, Pointers::NONE, stream = foreign) };
            assert!(refused.is_err(), "{round}");
        }
        assert!(handles.iter().all(|handle| *handle == handles[0]), "the handle was reused");
    });
}

/// A context that is destroyed, and a new context, stream and function with the same handles: nothing that was stored
/// about the first is used for the second.
#[test]
fn the_handles_of_a_destroyed_context_are_given_to_another_one() {
    within(&Settings::new().devices(2), |driver| {
        let other = context(1);
        let foreign = other.new_stream().expect("a stream");
        let mut handles = Vec::new();
        for types in ["u32 u32 u64", "u32 u32 u32", "u32 u32 u64", "u64 u64 u64"] {
            let ctx = create_context(0, ContextFlags::new()).expect("a context");
            let stream = ctx.new_stream().expect("a stream");
            let function = function(&ctx, &ptx(&[("numbers", types)]), "numbers");
            handles.push((ctx.cu_ctx(), stream.cu_stream(), function.cu_function()));
            for _ in 0..2 {
                // SAFETY: the kernel accesses no memory, here and below.
                let result = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3), stream = &stream) };
                match result {
                    Err(Error::Verify(VerifyError::Mismatch(_))) if types != "u32 u32 u64" => {}
                    Ok(()) if types == "u32 u32 u64" => {}
                    other => panic!("{types}: {other:?}"),
                }
            }
            // SAFETY: as above.
            let refused = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3), stream = &foreign) };
            assert!(matches!(refused, Err(Error::Context(_))), "{types}: {refused:?}");
            // The contexts that `with_current` has seen are found by their handles.
            ctx.bind_to_thread().expect("current");
            let inside = with_current(&other, current_context).expect("restored");
            assert_eq!(inside.expect("current"), Some(ContextName::of(&other)));
            let after = current_context().expect("current");
            assert_eq!(after, Some(ContextName::of(&ctx)));
            other.bind_to_thread().expect("current");
        }
        assert!(handles.iter().all(|handle| *handle == handles[0]), "the handles were reused");
        assert_eq!(driver.launches(), 4);
    });
}

#[test]
fn an_older_driver_is_not_queried() {
    within(&Settings::new().old(), |driver| {
        let ctx = context(0);
        let function = function(&ctx, SAXPY, "saxpy");
        for _ in 0..2 {
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(function, 1, 1, Pointers::NONE) }.expect("it launches");
        }
        assert_eq!(driver.calls("cuFuncGetParamInfo"), 0);
        assert_eq!(driver.launches(), 2);
    });
}

/// The opt-in for shared memory is repeated after the module was loaded again, for any handle.
#[test]
fn shared_memory_is_allowed_for_a_function_and_not_for_its_handle() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        for _ in 0..3 {
            let function = function(&ctx, SAXPY, "saxpy");
            for _ in 0..2 {
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!(function, 1, 1, Pointers::NONE, shared = 64 * 1024) }.expect("it is allowed");
            }
        }
        assert_eq!(driver.calls("cuFuncSetAttribute"), 3);
    });
}

/// More functions than a thread caches: some have the same slot and replace each other.
#[test]
fn many_functions_are_each_verified_for_themselves() {
    within(&Settings::new(), |driver| {
        let names: Vec<String> = (0..400).map(|i| format!("kernel_{i}")).collect();
        // The last parameter of the wrong kernels is correct.
        let types = |i: usize| {
            if i.is_multiple_of(3) { "u16 u32 u64" } else { "u32 u32 u64" }
        };
        let kernels: Vec<_> = names.iter().enumerate().map(|(i, name)| (&**name, types(i))).collect();
        let module = context(0).load_module(Ptx::from_src(ptx(&kernels))).expect("it loads");
        let functions: Vec<_> = names.iter().map(|name| module.load_function(name).expect("it is there")).collect();
        for _ in 0..3 {
            for (i, function) in functions.iter().enumerate() {
                for round in 0..2 {
                    driver.reset_calls();
                    // SAFETY: the kernel accesses no memory.
                    let result = unsafe { launch!(function, 1, 1, Numbers(1, 2, 3)) };
                    let refused = matches!(result, Err(Error::Verify(VerifyError::Mismatch(_))));
                    assert_eq!(refused, i % 3 == 0, "{i}: {result:?}");
                    if round == 1 && !refused {
                        assert_eq!(driver.calls("cuFuncGetParamInfo"), 1, "{i}");
                    }
                }
            }
        }
    });
}
