//! The memory that a graph keeps allocated, and when it releases it.

use crate::graphs::{
    errors::says,
    memory, removed, replaced,
    saxpy::{LAUNCH, Memory, N, Outcome, Owned, World, a_while, soon},
};
use cudarc::driver::{CudaStream, DevicePtr, DeviceSlice, SyncOnDrop, sys::CUdeviceptr};
use kernel_args::{
    Error, Retained,
    error::LaunchError,
    graph::{Graph, HostBuffer},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial, trial_unless};
use libtest_mimic::Trial;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

fn freed(x: &Memory) -> Outcome {
    soon("the release of the memory", || Arc::strong_count(x) == 1)
}

fn held(x: &Memory, by: usize) {
    a_while();
    assert_eq!(Arc::strong_count(x), 1 + by, "the graph does not hold it");
}

fn until_the_graph_is_dropped() -> Outcome {
    let world = World::new()?;
    let x = world.memory()?;
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&x), &[])?;
    held(&x, 1);
    let mut exec = graph.instantiate()?;
    held(&x, 1);
    world.run(&mut exec)?;
    held(&x, 1);
    drop(exec);
    freed(&x)?;
    // The node contains the address, but does not retain the memory.
    drop(node);
    let never = Graph::new(&world.ctx).and_then(|mut graph| {
        graph.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&x), &[])?;
        Ok(graph)
    })?;
    held(&x, 1);
    drop(never);
    freed(&x)
}

/// The memory of copies and memsets, which have at most the elements of that memory.
fn of_copies() -> Outcome {
    let world = World::new()?;
    let all: [Memory; 3] = [world.memory()?, world.memory()?, world.memory()?];
    let [zeros, from, to] = &all;
    let results = HostBuffer::from(vec![-1.0_f32; N]);
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(Retained::write(zeros), 0, N, &[])?;
    let written = graph.add_memcpy_htod(Retained::write(from), vec![7.0_f32; N], &[])?;
    let copied = graph.add_memcpy(Retained::write(to), Retained::read(from), N, &[written])?;
    let half = graph.add_memcpy(Retained::write(to), Retained::write(zeros), N / 2, &[copied, zero])?;
    graph.add_memcpy_dtoh(&results, Retained::read(to), half)?;
    let short = [
        graph.add_memset(Retained::write(zeros), 0, N + 1, &[]),
        graph.add_memcpy_htod(Retained::write(from), vec![7.0_f32; N + 1], &[]),
        graph.add_memcpy(Retained::write(to), Retained::read(from), N + 1, &[]),
        graph.add_memcpy_dtoh(&HostBuffer::from(vec![0.0_f32; N + 1]), Retained::read(to), &[]),
    ];
    for refused in short {
        says(refused, &["132 bytes at offset 0 exceed the 128 bytes of the memory", "help: pass at most as many"])?;
    }
    for (memory, uses) in all.iter().zip([2, 2, 3]) {
        held(memory, uses);
    }
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    // SAFETY: the launch has finished, and has copied floats.
    let results = unsafe { results.to_vec() };
    let expected: Vec<f32> = (0..N).map(|index| if index < N / 2 { 0.0 } else { 7.0 }).collect();
    assert_eq!(results, expected);
    drop(exec);
    all.iter().try_for_each(freed)
}

/// The new arguments are retained before the old ones are released. The release waits for the launch that uses them.
fn until_an_update_replaces_it() -> Outcome {
    let world = World::new()?;
    let (first, second, third) = (world.memory()?, world.memory()?, world.memory()?);
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&first), &[])?;
    let mut exec = graph.instantiate()?;
    // No launch has used the first arguments.
    exec.update(&node, 1, 32, world.with_x(&second))?;
    freed(&first)?;
    world.run(&mut exec)?;
    exec.update(&node, 1, 32, world.with_x(&third))?;
    freed(&second)?;
    held(&third, 1);
    // A failed update keeps the previous arguments.
    let (fourth, five) = (world.memory()?, 5_000);
    let refused = exec.update(&node, 1, five, world.with_x(&fourth));
    assert!(matches!(refused, Err(Error::Launch(LaunchError::Limit(_)))), "{refused:?}");
    freed(&fourth)?;
    held(&third, 1);
    // An update that retains nothing releases them too.
    // SAFETY: `world` keeps the memory alive.
    unsafe { exec.update_unretained(&node, LAUNCH(), world.args(1.0)) }?;
    freed(&third)?;
    world.launch(&mut exec, 2.0)
}

fn what_a_captured_launch_was_given() -> Outcome {
    let world = World::new()?;
    let (x, other) = (world.memory()?, world.memory()?);
    let (graph, node) = world.captured(world.with_x(&x))?;
    let mut exec = graph.instantiate()?;
    held(&x, 1);
    exec.update(&node, 1, 32, world.with_x(&other))?;
    freed(&x)?;
    drop(exec);
    freed(&other)?;
    // A capture that ends early releases its arguments.
    let error = Graph::capture(&world.stream, || -> Result<(), Error> {
        let args = world.with_x(&x);
        // SAFETY: both slices have `N` elements, on one stream.
        let _node = unsafe { launch!(world.kernel, 1, 32, args, node, stream = &world.stream) }?;
        Err(Error::NoDriver)
    });
    assert!(matches!(error, Err(Error::NoDriver)));
    freed(&x)
}

/// Counts its drops, and records the thread of each drop.
struct Counted(Arc<AtomicUsize>, thread::ThreadId);

impl Drop for Counted {
    fn drop(&mut self) {
        assert_ne!(thread::current().id(), self.1, "dropped by the caller");
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Panics in its drop.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        // The message would look like a failed trial.
        std::panic::resume_unwind(Box::new("of the test"));
    }
}

/// Panics in its drop, with a payload that panics in its drop.
struct PanicsTwice;

impl Drop for PanicsTwice {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new(Panics));
    }
}

/// Waits in its drop until everything is released, but not for itself.
struct Waits(Arc<AtomicUsize>);

impl Drop for Waits {
    fn drop(&mut self) {
        Graph::wait_until_released();
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Drops a graph in its drop, whose values are released after it.
struct Owns(Option<Graph>, #[expect(dead_code, reason = "it is dropped")] Waits);

impl Drop for Owns {
    fn drop(&mut self) {
        drop(self.0.take());
        Graph::wait_until_released();
    }
}

/// No drop keeps the thread from dropping what is released later.
fn drops_that_wait_or_panic() -> Outcome {
    let world = World::new()?;
    let count = Arc::new(AtomicUsize::new(0));
    let mut inner = Graph::new(&world.ctx)?;
    inner.retain(PanicsTwice)?;
    inner.retain(Waits(count.clone()))?;
    let mut graph = Graph::new(&world.ctx)?;
    graph.retain(Waits(count.clone()))?;
    graph.retain(Owns(Some(inner), Waits(count.clone())))?;
    graph.retain(PanicsTwice)?;
    graph.retain(Waits(count.clone()))?;
    drop(graph);
    soon("the drop of each value", || count.load(Ordering::SeqCst) == 4)?;
    let mut later = Graph::new(&world.ctx)?;
    let x = world.memory()?;
    later.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&x), &[])?;
    drop(later);
    freed(&x)?;
    Graph::wait_until_released();
    Ok(())
}

/// Two values of one node panic: each is dropped on its own, so the second panic does not end the process.
fn several_values_that_panic() -> Outcome {
    let world = World::new()?;
    let x = world.memory()?;
    let slice = |x: &Memory| PanickingMemory(x.clone());
    let args = |x: &Memory| Owned { x: Retained::read(&Arc::new(slice(x))), ..world.args(1.0) };
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel_launch(&world.kernel, LAUNCH(), args(&x), &[])?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    Graph::capture(&world.stream, || {
        // No event can be recorded, so these values are released later.
        exec.update(&node, 1, 32, args(&x))?;
        exec.update(&node, 1, 32, args(&x))?;
        held(&x, 3);
        Ok::<(), Error>(())
    })?;
    drop(exec);
    freed(&x)
}

/// An event after the last launch can be recorded only after the capture.
fn dropped_while_its_stream_is_captured() -> Outcome {
    let world = World::new()?;
    let (x, other) = (world.memory()?, world.memory()?);
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&x), &[])?;
    graph.retain(other.clone())?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    Graph::capture(&world.stream, || -> Result<(), Error> {
        drop(exec);
        Graph::wait_until_released();
        assert_eq!((Arc::strong_count(&x), Arc::strong_count(&other)), (2, 2));
        Ok(())
    })?;
    Graph::wait_until_released();
    assert_eq!((Arc::strong_count(&x), Arc::strong_count(&other)), (1, 1));
    Ok(())
}

fn anything_else() -> Outcome {
    let world = World::new()?;
    let count = Arc::new(AtomicUsize::new(0));
    let mut graph = Graph::new(&world.ctx)?;
    graph.retain(Panics)?;
    graph.retain(Counted(count.clone(), thread::current().id()))?;
    graph.retain(Counted(count.clone(), thread::current().id()))?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[])?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    a_while();
    assert_eq!(count.load(Ordering::SeqCst), 0);
    drop(exec);
    soon("the drop of what was retained", || count.load(Ordering::SeqCst) == 2)
}

/// Memory whose drop panics.
struct PanickingMemory(Memory);

impl Drop for PanickingMemory {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("of the test"));
    }
}

impl DeviceSlice<f32> for PanickingMemory {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn stream(&self) -> &Arc<CudaStream> {
        self.0.stream()
    }
}

impl DevicePtr<f32> for PanickingMemory {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.0.device_ptr(stream)
    }
}

/// An event after the last launch is recorded on the stream of that launch, even if the program has dropped it and the
/// driver could reuse its handle.
fn after_the_stream_was_dropped() -> Outcome {
    let world = World::new()?;
    let (first, second) = (world.memory()?, world.memory()?);
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&first), &[])?;
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        let stream = world.ctx.new_stream()?;
        let handle = stream.cu_stream();
        // SAFETY: both slices have `N` elements, and each launch has finished before the next.
        unsafe { exec.launch(&stream) }?;
        stream.synchronize()?;
        drop(stream);
        let next = world.ctx.new_stream()?;
        assert_ne!(next.cu_stream(), handle, "the graph holds the stream");
        exec.update(&node, 1, 32, world.with_x(&second))?;
        freed(&first)?;
        exec.update(&node, 1, 32, world.with_x(&first))?;
        freed(&second)?;
    }
    world.ctx.synchronize()?;
    Ok(())
}

/// The module of a kernel stays loaded for the graph.
fn the_kernel() -> Outcome {
    let World { ctx, stream, kernel, x, y } = World::new()?;
    let world = World { kernel: kernel.clone(), ctx, stream, x, y };
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_kernel_launch(&kernel, LAUNCH(), world.args(3.0), &[])?;
    let World { ctx, stream, kernel: other, x, y } = world;
    drop((kernel, other));
    a_while();
    let mut exec = graph.instantiate()?;
    // SAFETY: both slices have `N` elements, on one stream.
    unsafe { exec.launch(&stream) }?;
    assert_eq!(stream.clone_dtoh(&*y)?, [3.0; N]);
    drop((exec, x, ctx));
    Ok(())
}

/// On the test driver: the live objects at the end. The destructors do not call the driver, which would reject the
/// calls.
fn nothing_is_left() -> Outcome {
    let control = Control::attach().ok_or("this is not the test driver")?;
    let world = World::new()?;
    // Objects that earlier trials have released may not be dropped yet.
    Graph::wait_until_released();
    assert_eq!(control.live().user_objects, 0);
    let before = control.live();
    let trials: [fn() -> Outcome; 5] = [
        until_the_graph_is_dropped,
        until_an_update_replaces_it,
        what_a_captured_launch_was_given,
        dropped_while_its_stream_is_captured,
        the_kernel,
    ];
    let others = memory::RETAINING.into_iter().chain(removed::RETAINING);
    for trial in trials.into_iter().chain(others).chain(replaced::RETAINING) {
        trial()?;
    }
    // What a graph took over is released in two steps: the second begins when the thread has dropped the first objects.
    soon("the release of every object", || {
        Graph::wait_until_released();
        control.live() == before
    })
    .map_err(|error| format!("{error}: {:?}, at first {before:?}", control.live()))?;
    world.ctx.check_err()?;
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let name = |what: &str| format!("retained/{what}");
    vec![
        trial(name("until_the_graph_is_dropped"), until_the_graph_is_dropped),
        trial(name("of_copies_and_memsets"), of_copies),
        trial(name("until_an_update_replaces_it"), until_an_update_replaces_it),
        trial(name("what_a_captured_launch_was_given"), what_a_captured_launch_was_given),
        trial(name("dropped_while_its_stream_is_captured"), dropped_while_its_stream_is_captured),
        trial(name("anything_else"), anything_else),
        trial(name("drops_that_wait_or_panic"), drops_that_wait_or_panic),
        trial(name("several_values_that_panic"), several_values_that_panic),
        trial(name("after_the_stream_was_dropped"), after_the_stream_was_dropped),
        trial(name("the_kernel"), the_kernel),
        trial_unless(
            driver.is_real().then_some("this machine has its own GPU"),
            name("nothing_is_left"),
            nothing_is_left,
        ),
    ]
}
