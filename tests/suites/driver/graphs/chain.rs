//! Nodes with dependencies: kernels, copies, memsets; and disabled nodes.

use crate::graphs::saxpy::{LAUNCH, N, Outcome, World};
use kernel_args::{
    Retained,
    graph::{Graph, HostBuffer},
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;

/// Set to zero, add 2, add 3: in this order at each launch.
fn a_chain() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(y, 0, N, &[])?;
    let two = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(2.0), &[zero])?;
    let three = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(3.0), &[two.any()])?;
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        world.launch(&mut exec, 5.0)?;
    }
    exec.update(&two, 1, 32, world.args(20.0))?;
    world.launch(&mut exec, 23.0)?;
    // Half of the elements: the grid and the block also change.
    exec.update(&three, 2, 8, world.args(3.0))?;
    world.run(&mut exec)?;
    let values = world.stream.clone_dtoh(&*world.y)?;
    assert_eq!(values[..16], [23.0; 16]);
    assert_eq!(values[16..], [20.0; 16]);

    exec.set_enabled(&two, false)?;
    exec.set_enabled(zero, false)?;
    assert!(!exec.is_enabled(&two)? && !exec.is_enabled(zero)? && exec.is_enabled(&three)?);
    world.run(&mut exec)?;
    assert_eq!(world.stream.clone_dtoh(&*world.y)?[..16], [26.0; 16]);
    exec.set_enabled(&two, true)?;
    world.run(&mut exec)?;
    assert_eq!(world.stream.clone_dtoh(&*world.y)?[..16], [49.0; 16]);
    Ok(())
}

/// From host memory that the graph retains, and within the device.
fn copies() -> Outcome {
    let world = World::new()?;
    let other = std::sync::Arc::new(world.stream.clone_htod(&[0.0_f32; N])?);
    world.ctx.synchronize()?;
    let (x, y) = (Retained::write(&other).pointer(), Retained::write(&world.y).pointer());
    let host: [f32; N] = std::array::from_fn(|i| f32::from(i as u16));
    let mut graph = Graph::new(&world.ctx)?;
    let first = graph.add_memcpy_htod(x, host, &[])?;
    let second = graph.add_memcpy(y, x, N, &[first])?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[second])?;
    let mut exec = graph.instantiate()?;
    for _ in 0..2 {
        world.run(&mut exec)?;
        let expected = host.map(|value| value + 1.0);
        assert_eq!(world.stream.clone_dtoh(&*world.y)?, expected);
        assert_eq!(world.stream.clone_dtoh(&*other)?, host);
    }
    Ok(())
}

/// To host memory that the graph retains.
fn copies_to_the_host() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let results = HostBuffer::from(vec![-1.0_f32; N]);
    let zero = graph.add_memset(y, 0, N, &[])?;
    let first = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(2.0), &[zero])?;
    let read = graph.add_memcpy_dtoh(&results, y, &[first.any()])?;
    let second = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(3.0), &[read])?;
    let halves = HostBuffer::from(vec![-1.0_f32; N / 2]);
    graph.add_memcpy_dtoh(&halves, y, &[second.any()])?;
    let mut exec = graph.instantiate()?;
    // SAFETY: no kernel is running.
    assert_eq!(unsafe { results.to_vec() }, [-1.0; N]);
    for alpha in [2.0, 5.0] {
        exec.update(&first, 1, 32, world.args(alpha))?;
        world.run(&mut exec)?;
        world.stream.synchronize()?;
        // SAFETY: the launch has completed, and has copied floats.
        assert_eq!(unsafe { results.to_vec() }, [alpha; N]);
        // SAFETY: the launch has completed, and has copied floats.
        assert_eq!(unsafe { halves.to_vec() }, [alpha + 3.0; N / 2]);
    }
    // The graph still has the memory, and so does the program after the graph is dropped.
    let other = halves.clone();
    drop((results, halves));
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    drop(exec);
    Graph::wait_until_released();
    // SAFETY: the launch has completed, and has copied floats.
    assert_eq!(unsafe { other.to_vec() }, [8.0; N / 2]);
    Ok(())
}

/// The dependencies decide the order of the nodes, not the order of creation.
fn two_branches() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(y, 0, N, &[])?;
    let one = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[zero])?;
    // This branch does nothing: it has 0 elements.
    let mut none = world.args(9.0);
    none.n = 0;
    let branch = graph.add_kernel_launch(&world.kernel, LAUNCH(), none, &[])?;
    let joined = [one.any(), branch.any()];
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(4.0), &joined)?;
    let mut exec = graph.instantiate()?;
    world.launch(&mut exec, 5.0)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_chain", a_chain),
        trial("copies", copies),
        trial("copies_to_the_host", copies_to_the_host),
        trial("two_branches", two_branches),
    ]
}
