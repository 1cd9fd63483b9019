//! Memory that a graph allocates: as arguments, after a launch, and every mistake with it.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, N, Outcome, Owned, Pointers, SAXPY, World},
};
use cudarc::driver::DevicePtr;
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Retained,
    graph::{Graph, GraphMemory, HostBuffer, Node, NodeKind},
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;

/// `y` becomes `alpha * x + y`, where `x` is memory of the graph.
fn reading(world: &World, alpha: f32, x: &GraphMemory<f32>) -> Owned {
    Owned { x: x.read(), ..world.args(alpha) }
}

/// Memory of the graph that a memset sets to ones (as bits) is read by the kernel.
fn filled(world: &World, graph: &mut Graph) -> Outcome<(GraphMemory<f32>, Node<Owned>)> {
    let x = graph.add_alloc::<f32>(N, &[])?;
    assert_eq!((x.len(), x.is_empty()), (N, false));
    let ones = graph.add_memcpy_htod(x.pointer(), vec![1.0_f32; N], &[])?;
    let node = graph.add_kernel(&world.kernel, 1, 32, reading(world, 2.0, &x), ones)?;
    Ok((x, node))
}

/// Allocated, used and freed at each launch. The dependencies on the allocation, and of the free, are added.
fn allocated_and_freed() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (x, node) = filled(&world, &mut graph)?;
    let results = HostBuffer::from(vec![0.0_f32; N]);
    let read = graph.add_memcpy_dtoh(&results, x.pointer(), &node)?;
    let free = graph.add_free(&x, &[])?;
    assert_eq!(graph.kind(x.node())?, NodeKind::Alloc);
    assert_eq!(graph.kind(free)?, NodeKind::Free);
    let users = graph.predecessors(free)?;
    for user in [node.any(), read, x.node()] {
        assert!(users.contains(&user), "{user:?} is not in {users:?}");
    }
    assert!(graph.predecessors(&node)?.contains(&x.node()));
    let mut exec = graph.instantiate()?;
    for launch in 1..=3_u8 {
        world.launch(&mut exec, 2.0 * f32::from(launch))?;
    }
    // SAFETY: the launches have completed, and have copied floats.
    assert_eq!(unsafe { results.to_vec() }, [1.0; N]);
    // New arguments use the same memory.
    exec.update(&node, 1, 32, reading(&world, 10.0, &x))?;
    world.launch(&mut exec, 16.0)
}

/// A launch leaves memory allocated that no node frees. It can be taken, and then the graph can be launched again.
fn taken_after_a_launch() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (x, _) = filled(&world, &mut graph)?;
    let mut exec = graph.instantiate()?;
    // SAFETY: nothing else frees the memory.
    let too_early = unsafe { exec.take(&x) };
    says(too_early, &["not taken", "no launch has allocated"])?;
    for launch in 1..=3_u8 {
        world.run(&mut exec)?;
        // SAFETY: the slice is the only owner, and the graph has copied floats.
        let slice = unsafe { exec.take(&x) }?;
        // SAFETY: as above.
        let twice = unsafe { exec.take(&x) };
        says(twice, &["it was taken after the last launch"])?;
        assert_eq!(world.stream.clone_dtoh(&slice)?, [1.0; N]);
        // Another stream waits for the launch.
        let other = world.ctx.new_stream()?;
        assert_eq!(other.clone_dtoh(&slice)?, [1.0; N]);
        world.y_is(2.0 * f32::from(launch))?;
        // SAFETY: the launch is refused.
        let too_early = unsafe { exec.launch(&world.stream) };
        says(
            too_early,
            &["not launched", "(1)", "allocations of the graph: 1; freed by the graph: 0", "instantiate_auto_free"],
        )?;
        drop(slice);
    }
    // Memory of the last launch that is not taken is freed when the graph is dropped.
    world.run(&mut exec)?;
    drop(exec);
    world.stream.synchronize()?;
    world.y_is(8.0)
}

/// A captured allocation that is not freed in the capture is named like a node that allocates.
fn captured_and_not_freed() -> Outcome {
    let world = World::new()?;
    let mut address = 0;
    let capture = || -> Result<(), Error> {
        // SAFETY: nothing reads it.
        let slice = unsafe { world.stream.alloc::<f32>(N) }?;
        address = slice.leak();
        Ok(())
    };
    let mut exec = Graph::capture(&world.stream, capture)?.instantiate()?;
    world.run(&mut exec)?;
    // SAFETY: the launch is refused.
    let refused = unsafe { exec.launch(&world.stream) };
    says(
        refused,
        &["allocations of the graph: 1; freed by the graph: 0", "while it is captured", "instantiate_auto_free"],
    )?;
    // SAFETY: the launch has allocated the memory, and nothing uses it.
    unsafe { cudarc::driver::result::free_async(address, world.stream.cu_stream()) }?;
    world.stream.synchronize()?;
    Ok(())
}

/// Memory that the program frees with a raw call, and allocates again: the drop of the graph frees nothing else.
fn freed_by_the_program() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (x, _) = filled(&world, &mut graph)?;
    let address = x.pointer().address();
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    // SAFETY: the launch has allocated the memory, and nothing uses it.
    unsafe { cudarc::driver::result::free_async(address, world.stream.cu_stream()) }?;
    world.stream.synchronize()?;
    // While the graph exists, its addresses are of no other memory.
    let others = (0..64).map(|_| world.stream.clone_htod(&[3.0_f32; N])).collect::<Result<Vec<_>, _>>()?;
    assert!(others.iter().all(|other| other.device_ptr(&world.stream).0 != address));
    drop(exec);
    for other in others {
        assert_eq!(world.stream.clone_dtoh(&other)?, [3.0; N]);
    }
    world.ctx.check_err()?;
    world.y_is(2.0)
}

fn freed_by_the_next_launch() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (x, _) = filled(&world, &mut graph)?;
    let mut exec = graph.instantiate_auto_free()?;
    for launch in 1..=3_u8 {
        world.launch(&mut exec, 2.0 * f32::from(launch))?;
    }
    // SAFETY: no launch follows.
    let slice = unsafe { exec.take(&x) }?;
    drop(exec);
    assert_eq!(world.stream.clone_dtoh(&slice)?, [1.0; N]);
    Ok(())
}

fn mistakes() -> Outcome {
    const OTHER: &str = "belongs to another graph";
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let x = graph.add_alloc::<f32>(N, &[])?;
    let mut other = Graph::new(&world.ctx)?;
    let stranger = other.add_alloc::<f32>(N, &[])?;
    says(graph.add_free(&stranger, &[]), &["not added", OTHER])?;
    says(graph.add_free(&x, &[stranger.node()]), &["index 0", OTHER])?;
    says(graph.add_alloc::<f32>(0, &[]), &["allocation", "no elements", "at least 1"])?;
    says(graph.add_alloc::<f32>(usize::MAX, &[]), &["the address space"])?;
    says(graph.add_alloc::<u8>(1 << 50, &[]), &["the allocation was not added", "(2)", "Graph::trim_memory"])?;
    says(
        graph.add_memset(x.pointer(), 0, N + 1, &[]),
        &["132 bytes at offset 0 exceed the 128 bytes", "at most as many elements as the memory has"],
    )?;
    says(graph.remove(x.node()), &["not removed", "allocates or frees memory"])?;
    graph.add_free(&x, &[])?;
    says(graph.add_free(&x, &[]), &["frees this memory already"])?;
    says(
        graph.add_kernel(&world.kernel, 1, 32, reading(&world, 1.0, &x), &[]),
        &["kernel `saxpy`: the node was not added", "`x` points to memory that the graph frees"],
    )?;
    // A raw pointer to the same memory.
    let raw = Pointers { x: x.pointer().into(), ..world.raw(1.0) };
    let kernel = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    says(graph.add_kernel(&kernel, 1, 32, raw, &[]), &["`x` points to memory"])?;
    says(graph.add_memset(x.pointer(), 0, N, &[]), &["the node uses memory that the graph frees"])?;
    let mut exec = graph.instantiate()?;
    // SAFETY: nothing else frees the memory.
    says(unsafe { exec.take(&x) }, &["frees this memory itself"])?;
    // SAFETY: as above.
    says(unsafe { exec.take(&stranger) }, &[OTHER])
}

/// An update cannot add dependencies, so the node must run while the memory is allocated.
fn updates_outside_of_the_lifetime() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let before = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[])?;
    let x = graph.add_alloc::<f32>(N, &before)?;
    let ones = graph.add_memcpy_htod(x.pointer(), vec![1.0_f32; N], &[])?;
    let during = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), ones)?;
    let beside = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &during)?;
    graph.add_free(&x, &during)?;
    let mut exec = graph.instantiate()?;
    says(
        exec.update(&before, 1, 32, reading(&world, 1.0, &x)),
        &["kernel `saxpy`: the node was not updated", "`x`", "does not run after the node that allocates it"],
    )?;
    says(
        exec.update(&beside, 1, 32, reading(&world, 1.0, &x)),
        &["`x`", "the free does not wait for the node", "add_free"],
    )?;
    exec.update(&during, 1, 32, reading(&world, 7.0, &x))?;
    world.launch(&mut exec, 9.0)
}

/// `len` of a contract is compared with the elements of the graph's memory.
fn lengths() -> Outcome {
    #[derive(KernelArgs)]
    struct Checked {
        n: u32,
        alpha: f32,
        #[kernel_args(len = "n")]
        x: Retained<DevicePointer<f32>>,
        y: Retained<DevicePointerMut<f32>>,
    }
    let world = World::new()?;
    let kernel = Kernel::<Checked>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let mut graph = Graph::new(&world.ctx)?;
    let x = graph.add_alloc::<f32>(N - 1, &[])?;
    let y = Retained::write(&world.y);
    let args = Checked { n: N as u32, alpha: 1.0, x: x.read(), y };
    match graph.add_kernel_launch(&kernel, LAUNCH(), args, &[]) {
        Err(error @ Error::Launch(_)) => {
            let text = error.to_string();
            assert!(text.contains("31") && text.contains("32"), "{text}");
            Ok(())
        }
        other => Err(format!("{other:?}").into()),
    }
}

fn the_memory_of_a_device() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let x = graph.add_alloc::<u8>(1 << 20, &[])?;
    graph.add_memset(x.pointer(), 0, 1 << 20, &[])?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    let used = Graph::memory_use(&world.ctx)?;
    assert!(used.used >= 1 << 20, "{used:?}");
    assert!(used.reserved >= used.used && used.used_peak >= used.used, "{used:?}");
    drop(exec);
    world.stream.synchronize()?;
    Graph::wait_until_released();
    Graph::trim_memory(&world.ctx)?;
    Graph::reset_memory_peaks(&world.ctx)?;
    let now = Graph::memory_use(&world.ctx)?;
    // Other tests of this process use memory of graphs at the same time.
    assert!(now.reserved_peak >= now.reserved && now.used_peak >= now.used, "{now:?}");
    Ok(())
}

/// For the check that nothing is left.
pub(crate) const RETAINING: [fn() -> Outcome; 3] =
    [allocated_and_freed, taken_after_a_launch, freed_by_the_next_launch];

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("memory/{what}");
    vec![
        trial(name("allocated_and_freed"), allocated_and_freed),
        trial(name("taken_after_a_launch"), taken_after_a_launch),
        trial(name("captured_and_not_freed"), captured_and_not_freed),
        trial(name("freed_by_the_program"), freed_by_the_program),
        trial(name("freed_by_the_next_launch"), freed_by_the_next_launch),
        trial(name("mistakes"), mistakes),
        trial(name("updates_outside_of_the_lifetime"), updates_outside_of_the_lifetime),
        trial(name("lengths"), lengths),
        trial(name("the_memory_of_a_device"), the_memory_of_a_device),
    ]
}
