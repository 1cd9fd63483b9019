//! Grids that are rejected before the driver is called: because of their clusters, or as cooperative grids.

use crate::attributes::{
    kernels::{ATTRIBUTES, Barrier, Outcome, Ranks, SM90, before_sm90, kernel, zeros},
    refused::limit,
};
use kernel_args::{Kernel, KernelArgs, Launch, Module};
use kernel_args_tests::driver::{context, trial, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let old = before_sm90();
    vec![
        trial_unless(old, "refused/clusters", clusters),
        trial_unless(old, "refused/clusters_of_the_kernel", clusters_of_the_kernel),
        trial_unless(old, "refused/clusters_of_a_cubin", clusters_of_a_cubin),
        trial("refused/a_cooperative_grid_that_is_too_large", cooperative),
    ]
}

fn clusters() -> Outcome {
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    let (_stream, mut ranks) = zeros::<u32>(128)?;
    let mut check = |launch: Launch<'_>, words: &[&str]| {
        limit(&kernel, launch, Ranks { ranks: &mut ranks }, words);
    };
    let grid = Launch::new(8, 32);
    check(grid.cluster((2, 0, 1)), &["cluster (2, 0, 1)", "at least one block along each axis"]);
    check(Launch::new(7, 32).cluster(2), &["grid (7, 1, 1) with cluster (2, 1, 1)", "the next multiple is (8, 1, 1)"]);
    check(Launch::new((4, 3), 32).cluster((2, 2)), &["the next multiple is (4, 4, 1)"]);
    check(Launch::new(64, 32).cluster(32), &["cluster (32, 1, 1) of 32 blocks", "at most 16 blocks"]);
    check(grid.cluster((u32::MAX, u32::MAX, u32::MAX)), &["the next multiple is (4294967295, 4294967295, 4294967295)"]);
    check(grid.preferred_cluster(4), &["preferred_cluster (4, 1, 1)", "has none", "`cluster = …`"]);
    check(grid.cluster(2).preferred_cluster((3, 1)), &["grid (8, 1, 1) with preferred_cluster (3, 1, 1)"]);
    check(Launch::new(12, 32).cluster(2).preferred_cluster(3), &["a multiple of the cluster (2, 1, 1)"]);
    Ok(())
}

fn clusters_of_the_kernel() -> Outcome {
    let (_stream, mut ranks) = zeros::<u32>(128)?;
    let two = kernel::<Ranks<'_>>(SM90, "cluster_of_two")?;
    let four = kernel::<Ranks<'_>>(SM90, "clusters_up_to_four")?;
    let explicit = SM90.replace(".reqnctapercluster 2, 1, 1", "");
    let explicit = kernel::<Ranks<'_>>(&explicit, "cluster_of_two")?;
    let mut check = |kernel: &Kernel<Ranks<'_>>, launch: Launch<'_>, words: &[&str]| {
        limit(kernel, launch, Ranks { ranks: &mut ranks }, words);
    };
    check(&two, Launch::new(7, 32), &["the kernel's cluster (2, 1, 1)", "the next multiple is (8, 1, 1)"]);
    check(&two, Launch::new(8, 32).cluster(4), &["clusters of exactly (2, 1, 1)", ".reqnctapercluster"]);
    check(
        &four,
        Launch::new(8, 32).cluster(8),
        &["cluster (8, 1, 1) of 8 blocks", "at most 4 blocks", ".maxclusterrank"],
    );
    check(&explicit, Launch::new(8, 32), &["a launch without a cluster", "`cluster = (2, 1, 1)`"]);
    Ok(())
}

/// The cluster limits of a kernel are also read from a cubin.
fn clusters_of_a_cubin() -> Outcome {
    #[derive(KernelArgs)]
    struct Address(u64);

    const CUBIN: &[u8] = include_bytes!("../../../../crates/image/tests/data/clusters.sm_90.cubin");
    let ctx = context()?;
    if ctx.compute_capability()? != (9, 0) {
        return Ok(());
    }
    let module = Module::load(&ctx, CUBIN)?;
    let check = |entry: &str, launch: Launch<'_>, words: &[&str]| -> Outcome {
        limit(&module.kernel::<Address>(entry)?, launch, Address(0), words);
        Ok(())
    };
    check("rank_4", Launch::new(8, 32).cluster(8), &["cluster (8, 1, 1) of 8 blocks", "at most 4 blocks"])?;
    check("explicit_cluster", Launch::new(8, 32), &["a launch without a cluster"])?;
    check("dims", Launch::new(8, 32).cluster(4), &["clusters of exactly (2, 1, 1)"])
}

/// The largest grid that fits is launched; one block more is rejected. The same with clusters.
fn cooperative() -> Outcome {
    let kernel = kernel::<Barrier<'_>>(ATTRIBUTES, "grid_barrier")?;
    let max = kernel.max_cooperative_blocks(256, 0)?;
    let (_stream, mut arrived) = zeros::<u32>(1)?;
    let (_other, mut seen) = zeros::<u32>(max as usize + 1)?;
    // Twice, because the second answer comes from the cache.
    for _ in 0..2 {
        let args = Barrier { arrived: &mut arrived, seen: &mut seen };
        limit(
            &kernel,
            Launch::new(max + 1, 256).cooperative(true),
            args,
            &[
                &format!("a cooperative grid of {} blocks", max + 1),
                &format!("at most {max} blocks of (256, 1, 1) threads"),
                "max_cooperative_blocks",
            ],
        );
    }
    if before_sm90().is_none() {
        let launch = Launch::new(2 * max, 256).cluster(2).cooperative(true);
        let args = Barrier { arrived: &mut arrived, seen: &mut seen };
        limit(&kernel, launch, args, &["a cooperative grid of", "at most"]);
    }
    Ok(())
}
