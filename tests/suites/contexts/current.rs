//! The current context of a thread: asked, compared, and restored.

use crate::saxpy::{Counted, Outcome, Saxpy};
use cudarc::driver::{result, sys};
use kernel_args::{
    ContextFlags, ContextName, Error, Kernel, create_context, current_context, launch, with_current,
};
use kernel_args_tests::driver::{context, device, trial, trial_unless};
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::Arc,
};

type Context = Arc<cudarc::driver::CudaContext>;

fn own() -> Result<Context, Error> {
    create_context(device(), ContextFlags::new())
}

/// The stack of this thread, from the top, which is emptied.
fn stack() -> Result<Vec<Option<ContextName>>, Error> {
    let mut found = Vec::new();
    while let Some(name) = current_context()? {
        found.push(Some(name));
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` outlives the call.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) }.result()?;
    }
    Ok(found)
}

/// Empties the stack of this thread, then makes these current, the last one on top.
fn set_up(contexts: &[&Context]) -> Result<(), Error> {
    stack()?;
    for context in contexts {
        // SAFETY: the context is alive.
        unsafe { sys::cuCtxPushCurrent_v2(context.cu_ctx()) }.result()?;
    }
    Ok(())
}

fn names(contexts: &[&Context]) -> Vec<Option<ContextName>> {
    let names = contexts.iter().rev();
    names
        .map(|context| Some(ContextName::of(context)))
        .collect()
}

/// Each kind of stack is as before, whatever became current meanwhile.
fn what_was_current_is_so_again() -> Outcome {
    let (a, b, c) = (context()?, own()?, own()?);
    let kernel = Kernel::<Saxpy>::load(&c)?;
    let mut counted = Counted::new(&c.default_stream())?;
    let stacks: [&[&Context]; 5] = [&[], &[&a], &[&b], &[&a, &b], &[&b, &a]];
    for stack_before in stacks {
        for inside in [&a, &b, &c] {
            set_up(stack_before)?;
            let was = with_current(inside, current_context)??;
            assert_eq!(was, Some(ContextName::of(inside)));
            assert_eq!(stack()?, names(stack_before));

            // A launch in a third context, and one context in another.
            set_up(stack_before)?;
            with_current(inside, || -> Outcome {
                // SAFETY: both slices have `N` elements.
                unsafe { launch!(kernel, 8, 128, counted.args())? };
                assert_eq!(current_context()?, Some(ContextName::of(&c)));
                with_current(&a, || b.bind_to_thread())??;
                assert_eq!(current_context()?, Some(ContextName::of(&c)));
                Ok(())
            })??;
            assert_eq!(stack()?, names(stack_before));

            // The context that was current before is made current inside.
            if let Some(before) = stack_before.last() {
                set_up(stack_before)?;
                with_current(inside, || before.bind_to_thread())??;
                assert_eq!(stack()?, names(stack_before));
            }
        }
    }
    Ok(())
}

fn a_panic_restores_as_well() -> Outcome {
    let (a, b) = (context()?, own()?);
    for inside in [&a, &b] {
        set_up(&[&a])?;
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            with_current(inside, || {
                b.bind_to_thread().expect("it is alive");
                panic!("meant");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(stack()?, names(&[&a]));
    }
    Ok(())
}

/// The driver takes a context that is destroyed from the top of the stack, where cudarc has put it.
fn contexts_are_destroyed_meanwhile() -> Outcome {
    let (a, b) = (context()?, own()?);
    for inside in [&a, &b] {
        for below in [&[&a][..], &[&b], &[&b, &a]] {
            set_up(below)?;
            let made = own()?;
            with_current(inside, || drop(made))?;
            assert_eq!(current_context()?, names(below)[0]);
            stack()?;
        }
    }
    // The one that was current before is destroyed: none of the two is passed to the driver again.
    let before = own()?;
    set_up(&[&a, &before])?;
    with_current(&b, || drop(before))?;
    stack_of_destroyed()?;

    // What was current before cannot be made current again.
    set_up(&[&a])?;
    let made = own()?;
    let restored = with_current(&b, || -> Result<(), Error> {
        drop(made);
        b.bind_to_thread()?;
        Ok(())
    });
    let error = restored.expect_err("it is no more on the stack");
    assert!(
        matches!(&error, Error::NotRestored { before, .. } if *before == ContextName::of(&a)),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("was not made current again"), "{text}");
    stack()?;
    Ok(())
}

/// Empties a stack on which a destroyed context may stand: it is popped all the same.
fn stack_of_destroyed() -> Result<(), Error> {
    while result::ctx::get_current()?.is_some() {
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` outlives the call.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) }.result()?;
    }
    Ok(())
}

/// A name tells the device, and that a context is the primary one.
fn names_of_contexts() -> Outcome {
    let (primary, own) = (context()?, own()?);
    let name = ContextName::of(&primary);
    assert_eq!(
        name.to_string(),
        format!("the primary context of device {}", device())
    );
    let own_name = ContextName::of(&own);
    assert_eq!(
        own_name.to_string(),
        format!("context {:#x} of device {}", own_name.handle(), device())
    );
    primary.bind_to_thread()?;
    let current = current_context()?.ok_or("a context is current")?;
    assert_eq!(current, name);
    assert_ne!(current, own_name);
    assert_eq!(current.device(), Some(device()));
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("what_was_current_is_so_again", what_was_current_is_so_again),
        trial("a_panic_restores_as_well", a_panic_restores_as_well),
        trial_unless(
            (!kernel_args_test_driver::is_active())
                .then_some("driver 580 crashes while contexts on its stack are destroyed"),
            "contexts_are_destroyed_meanwhile",
            contexts_are_destroyed_meanwhile,
        ),
        trial("names_of_contexts", names_of_contexts),
    ]
}
