use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, FunctionHandle, api},
        context::current_device,
        query::attribute,
    },
};
use core::sync::atomic::{AtomicU64, Ordering};
use kernel_args_abi::Sm;
use kernel_args_image::Directives;

pub(crate) struct AttributeLimits {
    pub(super) sm: Sm,
    /// `.reqnctapercluster`.
    pub(crate) required_cluster: Option<Dim3>,
    pub(crate) directives: Directives,
    pub(super) cooperative: CooperativeLimit,
}

impl AttributeLimits {
    /// Queries the driver for the cluster that `function` requires on the GPU `sm`. The function's context must be
    /// current.
    pub(crate) fn ask(function: FunctionHandle<'_>, sm: Sm, directives: Directives) -> Result<Self, CallError> {
        let mut required = [0; 3];
        // Older drivers lack these attributes, and older GPUs have no clusters.
        if api()?.cuLaunchKernelEx.is_some() && sm >= Sm(90) {
            for (extent, number) in required.iter_mut().zip(attribute::REQUIRED_CLUSTER) {
                *extent = attribute::get(function, number)?;
            }
        }
        Ok(Self {
            sm,
            required_cluster: (required[0] > 0).then(|| required.into()),
            directives,
            cooperative: CooperativeLimit::default(),
        })
    }

    pub(crate) fn of_raw(function: FunctionHandle<'_>) -> Result<Self, CallError> {
        Self::ask(function, api()?.sm(current_device()?)?, Directives::default())
    }
}

/// Caches how many blocks can run at the same time, for the last block size and shared memory: no other check of a
/// launch takes as long.
#[derive(Default)]
pub(crate) struct CooperativeLimit(AtomicU64);

impl CooperativeLimit {
    /// Threads in the upper 16 bits, bytes of shared memory in the next 24, the number of blocks in the lower 24.
    fn pack(threads: u64, shared: u64, blocks: u64) -> Option<u64> {
        let fits = threads < 1 << 16 && shared < 1 << 24 && blocks < 1 << 24;
        fits.then_some(threads << 48 | shared << 24 | blocks)
    }

    pub(super) fn get(&self, threads: u64, shared: u64) -> Option<u64> {
        let packed = self.0.load(Ordering::Relaxed);
        let key = Self::pack(threads, shared, 0)?;
        (packed & !0xff_ffff == key).then_some(packed & 0xff_ffff)
    }

    pub(super) fn set(&self, threads: u64, shared: u64, blocks: u64) {
        if let Some(packed) = Self::pack(threads, shared, blocks) {
            self.0.store(packed, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CooperativeLimit;

    #[test]
    fn a_limit_is_remembered_for_its_block_and_shared_memory_only() {
        let limit = CooperativeLimit::default();
        assert_eq!(limit.get(32, 0), None);
        limit.set(32, 0, 4224);
        assert_eq!([limit.get(32, 0), limit.get(64, 0), limit.get(32, 1)], [Some(4224), None, None]);
        limit.set(1024, 232_448, 0);
        assert_eq!([limit.get(1024, 232_448), limit.get(32, 0)], [Some(0), None]);
        // Values that do not fit are not stored, and never match.
        for (threads, shared) in [(1 << 16, 0), (1024, 1 << 24)] {
            limit.set(threads, shared, 1);
            assert_eq!(limit.get(threads, shared), None);
        }
    }
}
