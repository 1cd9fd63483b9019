//! The effect of each attribute, observed in a kernel.

use crate::attributes::kernels::{
    ATTRIBUTES, Barrier, Busy, Dependent, Outcome, Ranks, SM90, before_sm90, kernel, zeros,
};
use kernel_args::{
    Error, Kernel, Launch, args::IntoDim, attribute::ProgrammaticEvent, error::LaunchError, launch, vector::Dim3,
};
use kernel_args_tests::driver::{Driver, context, trial, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let (old, simulated) = (before_sm90(), (!driver.is_real()).then_some("kernels take no time on the test driver"));
    vec![
        trial_unless(old, "effects/clusters", clusters),
        trial_unless(old, "effects/a_cluster_that_is_not_portable", not_portable_cluster),
        trial_unless(old, "effects/clusters_of_the_kernel", clusters_of_the_kernel),
        trial("effects/a_barrier_of_the_grid", grid_barrier),
        trial_unless(old.or(simulated), "effects/a_dependent_kernel_overlaps", dependent_launch),
        trial_unless(old, "effects/a_programmatic_event", programmatic_event),
        trial("effects/a_launch_completion_event", completion_event),
        trial("effects/a_hint_for_nvlink", nvlink),
    ]
}

/// The expected rank and size of each block's cluster.
fn expected(grid: Dim3, cluster: Dim3) -> Vec<u32> {
    let mut ranks = Vec::new();
    for z in 0..grid.z {
        for y in 0..grid.y {
            for x in 0..grid.x {
                let [x, y, z] = [x % cluster.x, y % cluster.y, z % cluster.z];
                ranks.push((z * cluster.y + y) * cluster.x + x);
                ranks.push(cluster.x * cluster.y * cluster.z);
            }
        }
    }
    ranks
}

/// Launches `kernel` and compares the ranks with the expected ranks for `cluster`.
fn ranks(kernel: &Kernel<Ranks<'_>>, launch: Launch<'_>, grid: Dim3, cluster: Dim3) -> Outcome {
    let blocks = grid.x * grid.y * grid.z;
    let (stream, mut ranks) = zeros::<u32>(2 * blocks as usize)?;
    let args = Ranks { ranks: &mut ranks };
    // SAFETY: there is space for two numbers of each block.
    unsafe { kernel_args::launch(kernel, launch.stream(&stream), args)? };
    assert_eq!(stream.clone_dtoh(&ranks)?, expected(grid, cluster), "grid {grid}, cluster {cluster}");
    Ok(())
}

fn clusters() -> Outcome {
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    let none = Dim3::new(1, 1, 1);
    ranks(&kernel, Launch::new(5, 32), 5.into_dim(), none)?;
    for (grid, cluster) in [
        (8.into_dim(), 2.into_dim()),
        (8.into_dim(), 8.into_dim()),
        ((6, 4).into_dim(), (3, 2).into_dim()),
        ((4, 2, 2).into_dim(), (2, 1, 2).into_dim()),
    ] {
        let launch = Launch::new(grid, 32).cluster(cluster);
        ranks(&kernel, launch, grid, cluster)?;
    }
    // Through the macro.
    let (stream, mut memory) = zeros::<u32>(8)?;
    let args = Ranks { ranks: &mut memory };
    // SAFETY: there is space for two numbers of each block.
    unsafe { launch!(kernel, 4, 32, args, stream = &stream, cluster = 4)? };
    assert_eq!(stream.clone_dtoh(&memory)?, expected(4.into_dim(), 4.into_dim()));
    Ok(())
}

fn not_portable_cluster() -> Outcome {
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    assert_eq!(kernel.max_cluster_size(&Launch::new(16, 32))?, 8);
    let cluster = 16.into_dim();
    ranks(&kernel, Launch::new(32, 32).cluster(16), 32.into_dim(), cluster)?;
    assert_eq!(kernel.max_cluster_size(&Launch::new(16, 32))?, 16);
    Ok(())
}

fn clusters_of_the_kernel() -> Outcome {
    let two = kernel::<Ranks<'_>>(SM90, "cluster_of_two")?;
    ranks(&two, Launch::new(6, 32), 6.into_dim(), 2.into_dim())?;
    ranks(&two, Launch::new(6, 32).cluster(2), 6.into_dim(), 2.into_dim())?;
    let four = kernel::<Ranks<'_>>(SM90, "clusters_up_to_four")?;
    ranks(&four, Launch::new(8, 32).cluster(4), 8.into_dim(), 4.into_dim())
}

/// The largest grid that fits passes a barrier of all its blocks, which is only possible if all blocks run at the same
/// time.
fn grid_barrier() -> Outcome {
    let kernel = kernel::<Barrier<'_>>(ATTRIBUTES, "grid_barrier")?;
    for (block, shared) in [(1024, 0), (64, 0), (256, 48 * 1024), (32, 96 * 1024)] {
        let grid = kernel.max_cooperative_blocks(block, shared)?;
        assert!(grid > 0);
        let (stream, mut arrived) = zeros::<u32>(1)?;
        let mut seen = stream.alloc_zeros::<u32>(grid as usize)?;
        let args = Barrier { arrived: &mut arrived, seen: &mut seen };
        let launch = Launch::new(grid, block).shared(shared).cooperative(true);
        // SAFETY: `seen` has an element for each block.
        unsafe { kernel_args::launch(&kernel, launch.stream(&stream), args)? };
        assert_eq!(stream.clone_dtoh(&seen)?, vec![grid; grid as usize]);
    }
    Ok(())
}

/// If the attribute permits it, the dependent kernel begins before the previous kernel ends, otherwise after it. In
/// both cases it waits for the results.
fn dependent_launch() -> Outcome {
    let primary = kernel::<Busy<'_>>(SM90, "primary")?;
    let dependent = kernel::<Dependent<'_>>(SM90, "dependent")?;
    for allowed in [false, true, false, true] {
        let (stream, mut times) = zeros::<u64>(4)?;
        let busy = Busy { times: &mut times, nanoseconds: 5_000_000 };
        // SAFETY: there is space for four times.
        unsafe { launch!(primary, 1, 1, busy, stream = &stream)? };
        let args = Dependent { times: &mut times };
        // SAFETY: there is space for four times, and the two kernels write different ones.
        unsafe {
            launch!(dependent, 1, 1, args, stream = &stream, programmatic_stream_serialization = allowed)?;
        };
        let [first, end, second, waited] = stream.clone_dtoh(&times)?[..] else {
            return Err("four times".into());
        };
        assert!(first < end && end <= waited, "{first} {end} {waited}");
        assert_eq!(second < end, allowed, "{second} {end}: overlap is {allowed}");
    }
    Ok(())
}

fn programmatic_event() -> Outcome {
    let ctx = context()?;
    let primary = kernel::<Busy<'_>>(SM90, "primary")?;
    for at_block_start in [false, true] {
        let (stream, mut times) = zeros::<u64>(2)?;
        let event = ctx.new_event(None)?;
        let mut option = ProgrammaticEvent::new(&event);
        if at_block_start {
            option = option.trigger_at_block_start();
        }
        let args = Busy { times: &mut times, nanoseconds: 1000 };
        // SAFETY: there is space for two times.
        unsafe {
            launch!(primary, 1, 1, args, stream = &stream, programmatic_event = option)?;
        };
        event.synchronize()?;
        stream.synchronize()?;
        assert!(event.is_complete());
    }
    Ok(())
}

fn completion_event() -> Outcome {
    let ctx = context()?;
    let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy")?;
    let (stream, mut times) = zeros::<u64>(2)?;
    let event = ctx.new_event(None)?;
    let args = Busy { times: &mut times, nanoseconds: 1000 };
    // SAFETY: there is space for two times.
    unsafe {
        launch!(busy, 1, 1, args, stream = &stream, launch_completion_event = &event)?;
    };
    event.synchronize()?;
    stream.synchronize()?;
    assert!(event.is_complete());
    Ok(())
}

/// A hint without an observable effect: the driver accepts it, if it has the attribute.
fn nvlink() -> Outcome {
    let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy")?;
    let (stream, mut times) = zeros::<u64>(2)?;
    let args = Busy { times: &mut times, nanoseconds: 0 };
    // SAFETY: there is space for two times.
    let launched = unsafe { launch!(busy, 1, 1, args, stream = &stream, nvlink_util_centric_scheduling = true) };
    match launched {
        Err(Error::Launch(LaunchError::UnsupportedAttribute(_))) => {}
        launched => launched?,
    }
    Ok(stream.synchronize()?)
}
