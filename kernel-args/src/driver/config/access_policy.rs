//! How a launch's accesses to a part of memory use the L2 cache.

use cudarc::driver::sys::CUdeviceptr;

/// How an access uses the L2 cache: `CUaccessProperty`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum AccessProperty {
    /// `CU_ACCESS_PROPERTY_NORMAL`.
    #[default]
    Normal = 0,
    /// Not likely to be read again: `CU_ACCESS_PROPERTY_STREAMING`.
    Streaming = 1,
    /// Likely to be read again: `CU_ACCESS_PROPERTY_PERSISTING`.
    Persisting = 2,
}

/// A range of global memory and how a kernel's accesses to it use the L2 cache: `CUaccessPolicyWindow`.
///
/// It is a hint: any address is allowed. The range may be as long as `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE`
/// says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct AccessPolicyWindow {
    pub(crate) base: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) hit_ratio: f32,
    pub(crate) hit: AccessProperty,
    pub(crate) miss: AccessProperty,
}

impl AccessPolicyWindow {
    /// `bytes` bytes from `base` on, all of which persist in the cache.
    pub fn new(base: CUdeviceptr, bytes: usize) -> Self {
        Self {
            base,
            bytes,
            hit_ratio: 1.0,
            hit: AccessProperty::Persisting,
            miss: AccessProperty::Normal,
        }
    }

    /// The part of the accesses that get the property [`hit`](Self::hit), from 0 to 1; the others get
    /// [`miss`](Self::miss). The default is 1.
    pub fn hit_ratio(mut self, ratio: f32) -> Self {
        self.hit_ratio = ratio;
        self
    }

    /// The property of a hit; the default is [`AccessProperty::Persisting`].
    pub fn hit(mut self, property: AccessProperty) -> Self {
        self.hit = property;
        self
    }

    /// The property of a miss: [`AccessProperty::Normal`], the default, or [`AccessProperty::Streaming`].
    pub fn miss(mut self, property: AccessProperty) -> Self {
        self.miss = property;
        self
    }
}
