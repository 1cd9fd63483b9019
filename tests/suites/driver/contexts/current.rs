//! The current context of a thread: queried, compared, and restored.

use crate::contexts::saxpy::{Counted, Outcome, Saxpy};
use cudarc::driver::{result, sys};
use kernel_args::{
    Error, Kernel,
    context::{ContextFlags, ContextName, create_context, current_context, with_current},
    error::ContextError,
    launch,
};
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::Arc,
    thread,
};

type Context = Arc<cudarc::driver::CudaContext>;

fn own() -> Result<Context, Error> {
    create_context(device(), ContextFlags::new())
}

/// The stack of this thread, starting at the top. Empties the stack.
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

/// Empties the stack of this thread, then makes these contexts current. The last one is the top.
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
    names.map(|context| Some(ContextName::of(context))).collect()
}

/// Every kind of stack is restored, even if the closure makes other contexts current.
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

            // A launch in a third context, and nested contexts.
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

            // The previous context is made current inside the closure.
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

/// cudarc makes a context current to destroy it, replacing the current one, and the driver then removes it from the
/// stack.
fn contexts_are_destroyed_meanwhile() -> Outcome {
    let (a, b) = (context()?, own()?);
    let stacks: [&[&Context]; 5] = [&[], &[&a], &[&b], &[&a, &b], &[&b, &a]];
    for below in stacks {
        for inside in [&a, &b] {
            let made = own()?;
            set_up(below)?;
            with_current(inside, || drop(made))?;
            assert_eq!(stack()?, names(below));
        }
    }
    // Two of them remove the previous context too.
    let made = [own()?, own()?];
    set_up(&[&a])?;
    with_current(&b, || drop(made))?;
    assert_eq!(stack()?, names(&[&a]));
    // The context of the closure replaces the previous context.
    let made = own()?;
    set_up(&[&a])?;
    with_current(&b, || {
        drop(made);
        b.bind_to_thread()
    })??;
    assert_eq!(stack()?, names(&[&a]));
    Ok(())
}

/// The previous context lives until the closure has returned.
fn what_was_current_is_destroyed_meanwhile() -> Outcome {
    let (a, b) = (context()?, own()?);
    for elsewhere in [false, true] {
        let before = own()?;
        let weak = Arc::downgrade(&before);
        set_up(&[&a, &before])?;
        with_current(&b, || {
            if elsewhere {
                thread::scope(|scope| scope.spawn(|| drop(before)).join()).expect("no panic");
            } else {
                drop(before);
            }
            assert_eq!(weak.strong_count(), 1);
        })?;
        assert_eq!(weak.strong_count(), 0);
        assert_eq!(stack()?, names(&[&a]));
    }
    Ok(())
}

/// A destroyed context is never passed to the driver to make it current.
fn a_destroyed_context_is_not_restored() -> Outcome {
    let (a, b) = (context()?, own()?);
    let unknown = || cudarc::driver::CudaContext::new_non_primary(device(), 0);
    for dropped in [None, Some(own()?)] {
        set_up(&[&a])?;
        let mut before = Some(unknown()?);
        let name = before.as_deref().map(ContextName::of);
        assert_eq!(current_context()?, name);
        with_current(&b, || ())?;
        assert_eq!(current_context()?, name);
        let restored = with_current(&b, || match dropped {
            None => drop(before.take()),
            Some(other) => drop(other),
        });
        let error = restored.expect_err("it is not known whether the context is alive");
        assert!(
            matches!(&error, Error::Context(ContextError::NotRestored { before, .. }) if Some(*before) == name),
            "{error}"
        );
        for part in ["could not be restored", "help: "] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(current_context()?, Some(ContextName::of(&a)));
        drop(before);
        stack()?;
    }
    Ok(())
}

/// A thread whose current context was destroyed by a different thread: this crate's own code does not fail, and the
/// driver returns errors.
fn a_destroyed_context_is_current() -> Outcome {
    let live = own()?;
    let kernel = Kernel::<Saxpy>::load(&live)?;
    let mut counted = Counted::new(&live.default_stream())?;
    let made = own()?;
    let name = ContextName::of(&made);
    set_up(&[&made])?;
    thread::scope(|scope| scope.spawn(|| drop(made)).join()).expect("no panic");
    assert_eq!(current_context()?, Some(name));
    // SAFETY: nothing is allocated.
    let allocated = unsafe { result::malloc_sync(16) };
    let error = Error::from(allocated.expect_err("the context is destroyed"));
    for part in ["CUDA_ERROR_CONTEXT_IS_DESTROYED (709)", "help: "] {
        assert!(error.to_string().contains(part), "{error}");
    }
    // The handle is not mistaken for a new context.
    let others: Vec<_> = (0..4).map(|_| own()).collect::<Result<_, _>>()?;
    assert!(others.iter().all(|other| ContextName::of(other) != name));
    with_current(&live, || ())?;
    assert_eq!(current_context()?, Some(name));
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    assert_eq!(current_context()?, Some(ContextName::of(&live)));
    counted.added(1)?;
    drop(others);
    Ok(())
}

/// A random number below `end`: xorshift.
fn random(state: &mut u64, end: usize) -> usize {
    for shift in [13, -7, 17_i32] {
        *state ^= if shift > 0 { *state << shift } else { *state >> -shift };
    }
    usize::try_from(*state % end as u64).expect("it is below `end`")
}

/// Creates, drops (here and on a different thread), binds and uses contexts in a random order, in nested closures.
/// After a closure the previous context is current again, unless it is destroyed; no live context is lost, and the
/// driver does not crash.
fn steps(seed: &mut u64, contexts: &mut [Option<Context>; 3], depth: usize) -> Outcome {
    for _ in 0..8 {
        let slot = random(seed, contexts.len());
        let Some(context) = contexts[slot].clone() else {
            contexts[slot] = Some(own()?);
            continue;
        };
        match random(seed, 6) {
            0 => {
                contexts[slot] = None;
                drop(context);
            }
            1 => {
                contexts[slot] = None;
                thread::scope(|scope| scope.spawn(|| drop(context)).join()).expect("no panic");
            }
            2 => context.bind_to_thread()?,
            3 => context.default_stream().clone_htod(&[1_u8; 16]).map(drop)?,
            _ if depth < 4 => {
                let before = current_context()?;
                let is_alive = |contexts: &[Option<Context>; 3]| {
                    let mut alive = contexts.iter().flatten();
                    before.is_none_or(|name| alive.any(|one| ContextName::of(one) == name))
                };
                let was_alive = is_alive(contexts);
                let run = with_current(&context, || steps(seed, contexts, depth + 1));
                match run {
                    Err(Error::Context(ContextError::NotRestored { .. })) if !was_alive => {}
                    run => run??,
                }
                // Otherwise a new context can have the handle of the previous one.
                if was_alive && is_alive(contexts) {
                    assert_eq!(current_context()?, before);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn contexts_in_random_orders() -> Outcome {
    let rounds = if kernel_args_stand_in::is_active() { 100 } else { 2 };
    for seed in 1..=rounds {
        stack()?;
        steps(&mut (seed << 20 | 1), &mut [None, None, None], 0).map_err(|error| format!("seed {seed}: {error}"))?;
    }
    stack()?;
    Ok(())
}

/// The name contains the device, and whether the context is the primary context.
fn names_of_contexts() -> Outcome {
    let (primary, own) = (context()?, own()?);
    let name = ContextName::of(&primary);
    assert_eq!(name.to_string(), format!("the primary context of device {}", device()));
    let own_name = ContextName::of(&own);
    assert_eq!(own_name.to_string(), format!("context {:#x} of device {}", own_name.handle(), device()));
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
        trial("contexts_are_destroyed_meanwhile", contexts_are_destroyed_meanwhile),
        trial("what_was_current_is_destroyed_meanwhile", what_was_current_is_destroyed_meanwhile),
        trial("a_destroyed_context_is_not_restored", a_destroyed_context_is_not_restored),
        trial("a_destroyed_context_is_current", a_destroyed_context_is_current),
        trial("contexts_in_random_orders", contexts_in_random_orders),
        trial("names_of_contexts", names_of_contexts),
    ]
}
