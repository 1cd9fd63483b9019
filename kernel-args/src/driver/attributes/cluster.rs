//! Checks how a launch groups its blocks (clusters and cooperative grids) against the grid, the kernel and the GPU.

use super::{AttributeCheck, Encoded, limits::AttributeLimits};
use crate::{
    contract::Geometry,
    device::vector::Dim3,
    driver::{
        config::PortableClusterMode,
        error::{Error, Limit},
        query::{attribute, max_cooperative_blocks, number},
    },
};

const PORTABLE_CLUSTER: u64 = 8;
const ONE: Dim3 = Dim3::new(1, 1, 1);

impl AttributeLimits {
    pub(crate) const fn require_sizes(&self) -> bool {
        self.directives.required_threads.is_some()
            || self.required_cluster.is_some()
            || self.directives.explicit_cluster
    }

    /// Returns the blocks of a launch. If the kernel is compiled with `.blocksareclusters` (`__block_size__`), a launch
    /// specifies the number of clusters, and a block of 1 is the one that the kernel requires.
    pub(crate) fn geometry(&self, launch: Geometry) -> Geometry {
        if !self.directives.blocks_are_clusters {
            return launch;
        }
        let Geometry { grid, block, .. } = launch;
        let cluster = self.required_cluster.unwrap_or(ONE);
        let blocks = |grid: u32, cluster: u32| grid.saturating_mul(cluster);
        let grid = Dim3::new(blocks(grid.x, cluster.x), blocks(grid.y, cluster.y), blocks(grid.z, cluster.z));
        let required = self.directives.required_threads.filter(|_| block == ONE);
        Geometry { grid, block: required.map_or(block, Dim3::from), ..launch }
    }

    pub(crate) fn check_without_cluster(&self, name: impl FnOnce() -> String, grid: Dim3) -> Result<(), Error> {
        match self.required_cluster {
            Some(cluster) => self.check_grid(name, "the kernel's cluster", cluster, grid),
            None if self.directives.explicit_cluster => Err(Limit::error(
                name(),
                "a launch without a cluster",
                "this kernel is compiled for clusters whose size each launch must specify (`.explicitcluster`)",
                "specify it, for example `cluster = (2, 1, 1)`",
            )),
            None => Ok(()),
        }
    }

    #[cold]
    pub(crate) fn check_grid(
        &self,
        kernel: impl FnOnce() -> String,
        name: &str,
        cluster: Dim3,
        grid: Dim3,
    ) -> Result<(), Error> {
        if self.directives.blocks_are_clusters || divides(cluster, grid) {
            return Ok(());
        }
        // This saturates only if the grid exceeds its own limits too.
        let up = |extent: u32, part: u32| extent.div_ceil(part).saturating_mul(part);
        let next = Dim3::new(up(grid.x, cluster.x), up(grid.y, cluster.y), up(grid.z, cluster.z));
        Err(Limit::error(
            kernel(),
            format!("grid {grid} with {name} {cluster}"),
            format!("a grid must be a multiple of its clusters along each axis; the next multiple is {next}"),
            "round the grid up and have the kernel skip threads beyond its data, or use a cluster that divides the grid",
        ))
    }
}

impl AttributeCheck<'_> {
    pub(super) fn cluster(&self, cluster: Dim3) -> Result<(), Error> {
        self.cluster_fits("cluster", cluster)?;
        if let Some(required) = self.limits.required_cluster.filter(|required| *required != cluster) {
            return Err(self.limit(
                format!("cluster {cluster}"),
                format!("this kernel is compiled for clusters of exactly {required}"),
                "launch it with this cluster, which the kernel's `.reqnctapercluster` directive (`__cluster_dims__`) \
                 requires, or without one",
            ));
        }
        self.cluster_size("cluster", cluster)
    }

    pub(super) fn preferred_cluster(&self, preferred: Dim3) -> Result<(), Error> {
        let requested = || format!("preferred_cluster {preferred}");
        let Some(cluster) = self.smallest_cluster() else {
            return Err(self.limit(
                requested(),
                "a preferred cluster replaces several clusters, but the launch has none",
                "specify the smaller cluster too: `cluster = …`",
            ));
        };
        self.cluster_fits("preferred_cluster", preferred)?;
        if !divides(cluster, preferred) {
            return Err(self.limit(
                requested(),
                format!("it must be a multiple of the cluster {cluster} along each axis"),
                "write a multiple of the cluster",
            ));
        }
        self.cluster_size("preferred_cluster", preferred)
    }

    fn smallest_cluster(&self) -> Option<Dim3> {
        self.attributes.cluster.or(self.limits.required_cluster)
    }

    fn cluster_fits(&self, name: &str, cluster: Dim3) -> Result<(), Error> {
        if cluster.count() == 0 {
            return Err(self.limit(
                format!("{name} {cluster}"),
                "a cluster has at least one block along each axis",
                "write 1 for an axis that is not used",
            ));
        }
        self.limits.check_grid(self.name, name, cluster, self.config.grid.into())
    }

    fn cluster_size(&self, name: &str, cluster: Dim3) -> Result<(), Error> {
        let blocks = cluster.count();
        if let Some(max) = self.limits.directives.max_cluster_rank
            && blocks > u64::from(max)
        {
            return Err(self.limit(
                format!("{name} {cluster} of {blocks} blocks"),
                format!("this kernel is compiled for clusters of at most {max} blocks"),
                "use a smaller cluster; the limit is the kernel's `.maxclusterrank` directive (`__launch_bounds__`)",
            ));
        }
        if blocks <= PORTABLE_CLUSTER {
            return Ok(());
        }
        if self.attributes.portable_cluster_size_mode == Some(PortableClusterMode::RequirePortable) {
            return Err(self.limit(
                format!("{name} {cluster} of {blocks} blocks with `portable_cluster_size_mode = RequirePortable`"),
                format!("every GPU with clusters supports {PORTABLE_CLUSTER} blocks"),
                "use a smaller cluster, or `PortableClusterMode::AllowNonPortable`",
            ));
        }
        // The driver stores this setting with the function. It does not affect launches with smaller clusters.
        self.api.cuFuncSetAttribute(self.function, attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        let max = number(|blocks| self.api.cuOccupancyMaxPotentialClusterSize(blocks, self.function, &self.config))?;
        if blocks > u64::from(max) {
            return Err(self.limit(
                format!("{name} {cluster} of {blocks} blocks"),
                format!(
                    "this GPU runs at most {max} blocks of this kernel as one cluster, with these threads and this shared \
                     memory"
                ),
                "use a smaller cluster; up to 8 blocks run on every GPU that has clusters",
            ));
        }
        Ok(())
    }

    pub(super) fn cooperative(&self, _: bool) -> Result<(), Error> {
        let launch = Geometry::new(self.config.grid.into(), self.config.block.into());
        let blocks = self.limits.geometry(launch).grid.count();
        let max = self.max_cooperative_blocks()?;
        if blocks <= max {
            return Ok(());
        }
        Err(self.limit(
            format!("a cooperative grid of {blocks} blocks"),
            format!(
                "all blocks of a cooperative launch run at the same time, and this GPU runs at most {max} blocks of {} threads \
                 of this kernel",
                Dim3::from(self.config.block)
            ),
            "use a grid within this limit, which `Kernel::max_cooperative_blocks` returns, and have each thread process \
             several elements",
        ))
    }

    fn max_cooperative_blocks(&self) -> Result<u64, Error> {
        if let Some(cluster) = self.smallest_cluster() {
            let mut encoded = Encoded::cluster(cluster);
            let config = encoded.attach(self.config);
            let clusters = number(|count| self.api.cuOccupancyMaxActiveClusters(count, self.function, &config))?;
            return Ok(u64::from(clusters) * cluster.count());
        }
        let threads = Dim3::from(self.config.block).count();
        let shared = self.config.shared;
        if let Some(max) = self.limits.cooperative.get(threads, u64::from(shared)) {
            return Ok(max);
        }
        let max = max_cooperative_blocks(self.function, threads, shared)?.into();
        self.limits.cooperative.set(threads, u64::from(shared), max);
        Ok(max)
    }
}

/// Returns whether `part` divides `whole` along each axis; no axis of `part` is 0.
fn divides(part: Dim3, whole: Dim3) -> bool {
    whole.x.is_multiple_of(part.x) && whole.y.is_multiple_of(part.y) && whole.z.is_multiple_of(part.z)
}
