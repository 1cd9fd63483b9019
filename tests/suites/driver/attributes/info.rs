//! Queries of a kernel, compared with the driver's answers to cudarc.

use crate::attributes::kernels::{ATTRIBUTES, Barrier, Outcome, Ranks, SM90, Uses, before_sm90, kernel, zeros};
use kernel_args::{Error, Kernel, KernelArgs, Launch, error::LaunchError, launch, vector::Dim3};
use kernel_args_tests::driver::{context, trial, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("info/what_the_kernel_uses", uses),
        trial("info/occupancy", occupancy),
        trial_unless(before_sm90(), "info/clusters", clusters),
        trial("info/a_grid_for_some_elements", grid_and_block),
    ]
}

fn uses() -> Outcome {
    let ctx = context()?;
    let kernel = kernel::<Uses<'_>>(ATTRIBUTES, "uses")?;
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(ATTRIBUTES))?;
    let theirs = module.load_function("uses")?;
    let same = |ours: u32, theirs: i32, what: &str| {
        assert_eq!(i64::from(ours), i64::from(theirs), "{what}");
    };
    same(kernel.registers()?, theirs.num_regs()?, "registers");
    same(kernel.static_shared_memory()?, theirs.shared_size_bytes()?, "shared");
    same(kernel.local_memory()?, theirs.local_size_bytes()?, "local");
    same(kernel.constant_memory()?, theirs.const_size_bytes()?, "constant");
    same(kernel.max_threads_per_block(), theirs.max_threads_per_block()?, "threads");
    same(kernel.ptx_version()?, theirs.ptx_version()?, "PTX");
    same(kernel.binary_version()?, theirs.binary_version()?, "binary");
    assert_eq!(kernel.static_shared_memory()?, 1024);
    assert_eq!(kernel.max_threads_per_block(), 256);
    assert!(kernel.registers()? > 0);
    Ok(())
}

fn occupancy() -> Outcome {
    let ctx = context()?;
    let kernel = kernel::<Barrier<'_>>(ATTRIBUTES, "grid_barrier")?;
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(ATTRIBUTES))?;
    let theirs = module.load_function("grid_barrier")?;
    for (block, shared) in [(32, 0), (1000, 0), (64, 1024), (256, 16 * 1024), (1024, 48 * 1024)] {
        let active = kernel.max_active_blocks(block, shared)?;
        let bytes = shared as usize;
        assert_eq!(active, theirs.occupancy_max_active_blocks_per_multiprocessor(block, bytes, None)?);
        assert_eq!(active, kernel.max_active_blocks((block / 8, 8), shared)?);
    }
    // The query opts in, like a launch. A value beyond the GPU's limit is an error.
    assert!(kernel.max_active_blocks(32, 96 * 1024)? > 0);
    let error = kernel.max_active_blocks(32, 1 << 20);
    assert!(matches!(error, Err(Error::Launch(LaunchError::Limit(_)))), "{error:?}");
    let suggested = kernel.suggest_block_size(0)?;
    let each = kernel.max_active_blocks(suggested.block, 0)?;
    assert!(suggested.block > 0 && each > 0);
    assert_eq!(suggested.min_grid, kernel.max_cooperative_blocks(suggested.block, 0)?);
    Ok(())
}

fn clusters() -> Outcome {
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    let launch = Launch::new(64, 256);
    let by = |size: u32| kernel.max_active_clusters(&launch.cluster(size));
    let (two, eight) = (by(2)?, by(8)?);
    assert!(two > eight && eight > 0, "{two} of 2, {eight} of 8");
    assert_eq!(kernel.max_cluster_size(&launch)?, 8);
    Ok(())
}

const REQUIRED: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry exactly() .reqntid 8, 4, 1 { ret; }
";

#[derive(KernelArgs)]
struct Nothing;

fn grid_and_block() -> Outcome {
    let uses = kernel::<Uses<'_>>(ATTRIBUTES, "uses")?;
    let best = uses.suggest_block_size(0)?.block;
    for elements in [1, 255, 256, 257, 100_000] {
        let (grid, block) = uses.grid_and_block_for(elements)?;
        assert_eq!(block, Dim3::new(best, 1, 1));
        let threads = grid.x as usize * best as usize;
        assert!(threads >= elements && threads - elements < best as usize);
        assert_eq!((grid.y, grid.z), (1, 1));
    }
    let (_stream, mut out) = zeros::<f32>(256)?;
    let (grid, block) = uses.grid_and_block_for(256)?;
    // SAFETY: each thread of a block writes one of 256 elements.
    unsafe { launch!(uses, grid, block, Uses { out: &mut out })? };

    let exactly = Kernel::<Nothing>::from_image(&context()?, REQUIRED, "exactly")?;
    let (grid, block) = exactly.grid_and_block_for(100)?;
    assert_eq!((grid, block), (Dim3::new(4, 1, 1), Dim3::new(8, 4, 1)));

    let error = exactly.grid_and_block_for(usize::MAX);
    assert!(matches!(error, Err(Error::Launch(LaunchError::Limit(_)))), "{error:?}");
    // For 0 elements there is no grid.
    let (grid, block) = exactly.grid_and_block_for(0)?;
    // SAFETY: the kernel accesses no memory.
    let error = unsafe { launch!(exactly, grid, block, Nothing) }.expect_err("an empty grid");
    assert!(error.to_string().contains("for zero elements"), "{error}");

    if before_sm90().is_none() {
        let two = kernel::<Ranks<'_>>(SM90, "cluster_of_two")?;
        let (grid, block) = two.grid_and_block_for(1)?;
        assert_eq!(grid, Dim3::new(2, 1, 1), "a whole cluster");
        assert!(block.x > 0);
    }
    Ok(())
}
