//! Contexts that the program creates in addition to the primary context.

use crate::contexts::saxpy::{Counted, N, Outcome, Saxpy};
use cudarc::driver::sys::CUlimit;
use kernel_args::{
    Error, Kernel,
    context::{ContextFlags, ContextName, Scheduling, create_context, current_context},
    launch,
};
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;
use std::{sync::Arc, thread};

/// A created context works like the primary context, and the thread's current context does not change.
fn an_own_context_launches() -> Outcome {
    let primary = context()?;
    primary.bind_to_thread()?;
    let own = create_context(device(), ContextFlags::new())?;
    assert_eq!(current_context()?, Some(ContextName::of(&primary)));
    assert_ne!(ContextName::of(&own), ContextName::of(&primary));
    assert!(!own.is_primary() && own.ordinal() == device());

    let kernel = Kernel::<Saxpy>::load(&own)?.require_verified()?;
    kernel.require_loaded()?;
    let mut counted = Counted::new(&own.default_stream())?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    let stream = own.new_stream()?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args(), stream = &stream)? };
    stream.synchronize()?;
    counted.added(2)
}

/// The flags reach the driver: `cuCtxGetFlags`.
fn the_flags_are_set_in_the_context() -> Outcome {
    let flags = ContextFlags::new().scheduling(Scheduling::BlockingSync).keep_local_memory(true);
    let own = create_context(device(), flags)?;
    own.bind_to_thread()?;
    let mut found = 0;
    // SAFETY: `found` outlives the call.
    unsafe { cudarc::driver::sys::cuCtxGetFlags(&raw mut found) }.result()?;
    // Drivers add their own flags.
    assert_eq!(found & 0x14, 0x14, "{found:#x}");
    own.get_limit(CUlimit::CU_LIMIT_STACK_SIZE)?;
    Ok(())
}

fn a_device_that_there_is_not() -> Outcome {
    let before = current_context()?;
    for ordinal in [1000, usize::MAX] {
        let error = create_context(ordinal, ContextFlags::new()).expect_err("no such device");
        let text = error.to_string();
        assert!(text.contains("cuDeviceGet returned CUDA_ERROR_INVALID_DEVICE"), "{text}");
    }
    assert_eq!(current_context()?, before);
    Ok(())
}

/// Objects of a context keep it alive: the program may drop its handle first.
fn a_context_lives_as_long_as_what_is_made_in_it() -> Outcome {
    let own = create_context(device(), ContextFlags::new())?;
    let kernel = Kernel::<Saxpy>::load(&own)?;
    let mut counted = Counted::new(&own.default_stream())?;
    let weak = Arc::downgrade(&own);
    drop(own);
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    counted.added(1)?;
    kernel.require_loaded()?;
    drop(counted);
    assert!(weak.strong_count() > 0, "the kernel holds the context");
    drop(kernel);
    assert_eq!(weak.strong_count(), 0);
    Ok(())
}

/// Sixteen threads without a current context launch in two contexts of one GPU.
fn threads_need_no_preparation() -> Outcome {
    let contexts = [context()?, create_context(device(), ContextFlags::new())?];
    let kernels: Vec<_> = contexts.iter().map(Kernel::<Saxpy>::load).collect::<Result<_, _>>()?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|number| {
                let (contexts, kernels) = (&contexts, &kernels);
                scope.spawn(move || -> Outcome {
                    assert_eq!(current_context()?, None, "a new thread has none");
                    let mut counted = Vec::new();
                    for (context, kernel) in contexts.iter().zip(kernels) {
                        let mut one = Counted::new(&context.new_stream()?)?;
                        // SAFETY: both slices have `N` elements.
                        unsafe { launch!(kernel, 8, 128, one.args())? };
                        counted.push(one);
                    }
                    // Alternates between the contexts.
                    for _ in 0..number {
                        for (one, kernel) in counted.iter_mut().zip(kernels) {
                            // SAFETY: both slices have `N` elements.
                            unsafe { launch!(kernel, 8, 128, one.args())? };
                        }
                    }
                    counted.iter().try_for_each(|one| one.added(number + 1))
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

/// Contexts are created and destroyed: none stays on the stack of the thread.
fn contexts_come_and_go() -> Outcome {
    let primary = context()?;
    primary.bind_to_thread()?;
    for _ in 0..20 {
        let own = create_context(device(), ContextFlags::new())?;
        let other = create_context(device(), ContextFlags::new())?;
        let stream = own.new_stream()?;
        let x = stream.clone_htod(&vec![1.0_f32; N as usize])?;
        drop((other, x, stream, own));
    }
    let error: Result<_, Error> = Kernel::<Saxpy>::load(&primary).map(drop);
    error?;
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("an_own_context_launches", an_own_context_launches),
        trial("the_flags_are_set_in_the_context", the_flags_are_set_in_the_context),
        trial("a_device_that_there_is_not", a_device_that_there_is_not),
        trial("a_context_lives_as_long_as_what_is_made_in_it", a_context_lives_as_long_as_what_is_made_in_it),
        trial("threads_need_no_preparation", threads_need_no_preparation),
        trial("contexts_come_and_go", contexts_come_and_go),
    ]
}
