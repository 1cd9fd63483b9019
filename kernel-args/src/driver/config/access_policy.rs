//! The launch attribute of a range of memory that stays in the L2 cache.

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

/// A range of global memory, and how a kernel's accesses to it use the L2 cache: `CUaccessPolicyWindow`.
///
/// It is a hint: any address is allowed. The maximum length of the range is the device attribute
/// `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE`.
///
/// ```no_run
/// use kernel_args::{DevicePointer, Launch, attribute::{AccessPolicyWindow, AccessProperty}};
///
/// # let table = DevicePointer::<f32>::NULL;
/// let window = AccessPolicyWindow::new(table.address(), 1 << 20).miss(AccessProperty::Streaming);
/// let launch = Launch::new(64, 256).access_policy_window(window);
/// ```
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
    /// Creates a window of `bytes` bytes that begins at `base`, all of which persist in the cache.
    pub fn new(base: CUdeviceptr, bytes: usize) -> Self {
        Self { base, bytes, hit_ratio: 1.0, hit: AccessProperty::Persisting, miss: AccessProperty::Normal }
    }

    /// Sets the fraction of the accesses, from 0 to 1, that get the property [`hit`](Self::hit); the remaining accesses
    /// get [`miss`](Self::miss). The default is 1.
    pub fn hit_ratio(mut self, ratio: f32) -> Self {
        self.hit_ratio = ratio;
        self
    }

    /// Sets the property of a hit; the default is [`AccessProperty::Persisting`].
    pub fn hit(mut self, property: AccessProperty) -> Self {
        self.hit = property;
        self
    }

    /// Sets the property of a miss: [`AccessProperty::Normal`], the default, or [`AccessProperty::Streaming`].
    pub fn miss(mut self, property: AccessProperty) -> Self {
        self.miss = property;
        self
    }
}
