//! Host functions in graphs: when they run, what they keep, and how they panic.

use crate::graphs::saxpy::{LAUNCH, N, Outcome, World, a_while, soon};
use kernel_args::{
    Retained,
    graph::{Graph, HostBuffer},
};
use kernel_args_tests::driver::{Driver, trial, trial_unless};
use libtest_mimic::Trial;
use std::{
    panic::resume_unwind,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Between two kernels: the function sees the result of the first kernel, and the second kernel runs after it.
fn in_the_middle() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let buffer = HostBuffer::from(vec![0.0_f32; N]);
    let mut graph = Graph::new(&world.ctx)?;
    let first = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[])?;
    let read = graph.add_memcpy_dtoh(&buffer, y, &first)?;
    let (list, host_buffer) = (seen.clone(), buffer.clone());
    let host = graph.add_host(
        move || {
            // SAFETY: the copy has finished, and the next launch has not begun.
            let values = unsafe { host_buffer.to_vec() };
            list.lock().expect("not poisoned").push(values[N - 1]);
        },
        read,
    )?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(10.0), &host)?;
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        world.run(&mut exec)?;
    }
    world.y_is(33.0)?;
    assert_eq!(*seen.lock().expect("not poisoned"), [1.0, 12.0, 23.0]);
    assert!(host.take_panic().is_none());
    Ok(())
}

/// The function changes its own state, and is dropped with the graph, when its launches have finished.
fn kept_by_the_graph() -> Outcome {
    let world = World::new()?;
    let counts = Arc::new(AtomicUsize::new(0));
    let memory = Arc::new(world.stream.clone_htod(&[1.0; N])?);
    world.ctx.synchronize()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (own, held, mut calls) = (counts.clone(), memory.clone(), 0);
    let host = graph.add_host(
        move || {
            calls += held.num_bytes() / held.num_bytes();
            own.store(calls, Ordering::SeqCst);
        },
        &[],
    )?;
    let mut exec = graph.instantiate()?;
    for _ in 0..5 {
        world.run(&mut exec)?;
    }
    world.stream.synchronize()?;
    assert_eq!(counts.load(Ordering::SeqCst), 5);
    a_while();
    assert_eq!(Arc::strong_count(&memory), 2, "the graph does not keep it");
    drop(exec);
    soon("the drop of the function", || Arc::strong_count(&memory) == 1)?;
    // The node has only the panic.
    assert!(host.take_panic().is_none());
    // A graph that is never instantiated.
    let mut graph = Graph::new(&world.ctx)?;
    let held = memory.clone();
    graph.add_host(move || assert!(held.num_bytes() > 0), &[])?;
    assert_eq!(Arc::strong_count(&memory), 2);
    drop(graph);
    soon("the drop of the function", || Arc::strong_count(&memory) == 1)
}

/// Panics in its drop.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        resume_unwind(Box::new("of the test"));
    }
}

/// The second call panics. The launch continues; the function is called again only after the panic is taken.
fn a_panic() -> Outcome {
    let world = World::new()?;
    let counts = Arc::new(AtomicUsize::new(0));
    let mut graph = Graph::new(&world.ctx)?;
    let own = counts.clone();
    let host = graph.add_host(
        move || {
            if own.fetch_add(1, Ordering::SeqCst) == 1 {
                // The message would look like a failed trial.
                resume_unwind(Box::new("of the test"));
            }
        },
        &[],
    )?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &host)?;
    let mut exec = graph.instantiate()?;
    let mut launch = |times| -> Outcome<usize> {
        for _ in 0..times {
            world.run(&mut exec)?;
        }
        world.stream.synchronize()?;
        Ok(counts.load(Ordering::SeqCst))
    };
    assert_eq!(launch(4)?, 2);
    world.y_is(4.0)?;
    let panic = host.take_panic().ok_or("there is no panic")?;
    assert_eq!(panic.downcast_ref(), Some(&"of the test"));
    assert!(host.take_panic().is_none());
    assert_eq!(launch(2)?, 4);
    // A panic that nobody takes, and whose drop panics, is dropped with the graph.
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_host(|| resume_unwind(Box::new(Panics)), &[])?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    drop(exec);
    Graph::wait_until_released();
    world.ctx.synchronize()?;
    Ok(())
}

/// A function that calls CUDA gets an error: the test driver rejects each call, a real driver may.
fn a_call_of_cuda() -> Outcome {
    let world = World::new()?;
    let result = Arc::new(Mutex::new(None));
    let (own, ctx) = (result.clone(), world.ctx.clone());
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_host(move || *own.lock().expect("not poisoned") = Some(kernel_args::context(ctx.ordinal())), &[])?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    let result = result.lock().expect("not poisoned").take();
    match result {
        Some(Err(error)) if error.to_string().contains("(800)") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let name = |what: &str| format!("host/{what}");
    vec![
        trial(name("in_the_middle"), in_the_middle),
        trial(name("kept_by_the_graph"), kept_by_the_graph),
        trial(name("a_panic"), a_panic),
        trial_unless(
            driver.is_real().then_some("this machine has its own GPU"),
            name("a_call_of_cuda"),
            a_call_of_cuda,
        ),
    ]
}
