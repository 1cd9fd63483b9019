//! Events that graphs record and wait for, and joins.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, N, Outcome, World, a_while, soon},
};
use cudarc::driver::sys::CUevent_flags;
use kernel_args::{
    DevicePointerMut, Retained,
    context::{ContextFlags, create_context},
    graph::Graph,
    launch,
};
use kernel_args_tests::driver::{device, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

/// A second stream waits for an event in the middle of the graph.
fn recorded() -> Outcome {
    let world = World::new()?;
    let other = world.ctx.new_stream()?;
    let y = Retained::write(&world.y).pointer();
    let times = CUevent_flags::CU_EVENT_DEFAULT;
    let (start, end) = (Arc::new(world.ctx.new_event(Some(times))?), Arc::new(world.ctx.new_event(Some(times))?));
    let mut graph = Graph::new(&world.ctx)?;
    let begun = graph.add_event_record(&start, &[])?;
    let zero = graph.add_memset(y, 0, N, begun)?;
    let added = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(3.0), &zero)?;
    graph.add_event_record(&end, &added)?;
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        world.run(&mut exec)?;
        other.wait(&end)?;
        let on_other = world.args(1.0);
        // SAFETY: both slices have `N` elements, and the stream has waited for the graph.
        unsafe { launch!(world.kernel, 1, 32, on_other, stream = &other) }?;
        other.synchronize()?;
        world.y_is(4.0)?;
        assert!(start.elapsed_ms(&end)? >= 0.0);
    }
    a_while();
    assert_eq!(Arc::strong_count(&end), 2, "the graph does not keep it");
    drop(exec);
    soon("the drop of the events", || Arc::strong_count(&end) == 1 && Arc::strong_count(&start) == 1)
}

/// The graph waits for work of a second stream, and for an event of a different context.
fn waited_for() -> Outcome {
    let world = World::new()?;
    let other = world.ctx.new_stream()?;
    let event = Arc::new(world.ctx.new_event(None)?);
    let own = create_context(device(), ContextFlags::new())?;
    let (foreign, never) = (Arc::new(own.new_event(None)?), Arc::new(world.ctx.new_event(None)?));
    foreign.record(&*own.new_stream()?)?;
    let mut graph = Graph::new(&world.ctx)?;
    let first = graph.add_event_wait(&event, &[])?;
    let second = graph.add_event_wait(&foreign, first)?;
    let third = graph.add_event_wait(&never, second)?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(2.0), &third)?;
    let mut exec = graph.instantiate()?;
    for launches in 1..4_u8 {
        let on_other = world.args(1.0);
        // SAFETY: both slices have `N` elements; the graph waits for this stream.
        unsafe { launch!(world.kernel, 1, 32, on_other, stream = &other) }?;
        event.record(&other)?;
        world.run(&mut exec)?;
        world.stream.synchronize()?;
        world.y_is(3.0 * f32::from(launches))?;
    }
    assert_eq!(Arc::strong_count(&foreign), 2);
    drop(exec);
    soon("the drop of the events", || Arc::strong_count(&event) == 1 && Arc::strong_count(&foreign) == 1)
}

fn refused() -> Outcome {
    let world = World::new()?;
    let own = create_context(device(), ContextFlags::new())?;
    let event = Arc::new(own.new_event(None)?);
    let mut graph = Graph::new(&world.ctx)?;
    says(
        graph.add_event_record(&event, &[]),
        &["not added", "the event belongs to another context", "graph ", "event "],
    )?;
    let node = Graph::new(&world.ctx)?.add_join(&[])?;
    let event = Arc::new(world.ctx.new_event(None)?);
    let words = ["the dependency at index 0 belongs to another graph"];
    says(graph.add_event_record(&event, node), &words)?;
    says(graph.add_event_wait(&event, node), &words)?;
    says(graph.add_join(node), &words)?;
    says(graph.add_host(|| {}, node), &words)?;
    drop(graph);
    soon("the drop of the event", || Arc::strong_count(&event) == 1)
}

/// One node that waits for several.
fn joined() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let (parts, quarter) = (4, N / 4);
    let zeros: Result<Vec<_>, _> = (0..parts)
        .map(|part| {
            let bytes = part * quarter * size_of::<f32>();
            let start = DevicePointerMut::<f32>::from_raw(y.address() + bytes as u64);
            graph.add_memset(start, 0, quarter, &[])
        })
        .collect();
    let all = graph.add_join(&zeros?)?;
    let added = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(7.0), all)?;
    let end = graph.add_join(&[added.any(), all])?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), end)?;
    let mut exec = graph.instantiate()?;
    for _ in 0..2 {
        world.launch(&mut exec, 8.0)?;
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("events/{what}");
    vec![
        trial(name("recorded"), recorded),
        trial(name("waited_for"), waited_for),
        trial(name("refused"), refused),
        trial(name("joined"), joined),
    ]
}
