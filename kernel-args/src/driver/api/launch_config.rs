//! `CUlaunchConfig` and `CUlaunchAttribute`, as `cuda.h` defines them.
//!
//! cudarc has them only from `cuda-11080` on.

use super::{EventHandle, StreamHandle};
use core::{ffi::c_void, marker::PhantomData, ptr};
use cudarc::driver::CudaEvent;

/// The stream and the objects that the attributes refer to are alive for `'a`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig<'a> {
    /// In blocks, along x, y and z.
    pub(crate) grid: [u32; 3],
    /// In threads.
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub(crate) shared: u32,
    pub(crate) stream: StreamHandle<'a>,
    /// Only for the driver, which can write to an attribute.
    attributes: *mut LaunchAttribute<'static>,
    pub(super) attribute_count: u32,
    borrowed: PhantomData<&'a mut ()>,
}

impl<'a> LaunchConfig<'a> {
    #[inline(always)]
    pub(crate) const fn new(grid: [u32; 3], block: [u32; 3], shared: u32, stream: StreamHandle<'a>) -> Self {
        Self { grid, block, shared, stream, attributes: ptr::null_mut(), attribute_count: 0, borrowed: PhantomData }
    }

    pub(crate) fn with_attributes<'b>(self, attributes: &'b mut [LaunchAttribute<'_>]) -> LaunchConfig<'b>
    where
        'a: 'b,
    {
        LaunchConfig {
            attributes: attributes.as_mut_ptr().cast(),
            attribute_count: attributes.len() as u32,
            ..LaunchConfig::new(self.grid, self.block, self.shared, self.stream)
        }
    }
}

/// `CUlaunchAttributeValue`: a union of 64 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct AttributeValue([u8; 64]);

/// An event in the value is alive for `'e`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchAttribute<'e> {
    pub(super) id: u32,
    padding: u32,
    pub(super) value: AttributeValue,
    event: PhantomData<EventHandle<'e>>,
}

const _: () = assert!(size_of::<LaunchConfig<'_>>() == 56 && align_of::<LaunchConfig<'_>>() == 8);
const _: () = assert!(size_of::<LaunchAttribute<'_>>() == 72 && align_of::<LaunchAttribute<'_>>() == 8);

impl<'e> LaunchAttribute<'e> {
    /// `CU_LAUNCH_ATTRIBUTE_IGNORE`; all bytes are zero.
    pub(crate) const IGNORE: Self = Self { id: 0, padding: 0, value: AttributeValue([0; 64]), event: PhantomData };

    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT` and `CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT`: their values begin
    /// with an event.
    const WITH_EVENT: [u32; 2] = [7, 12];

    /// With a value of zeros.
    ///
    /// # Panics
    /// If the value begins with an event, which the driver accesses.
    pub(crate) fn new(id: u32) -> Self {
        assert!(!Self::WITH_EVENT.contains(&id), "an attribute without its event");
        Self { id, ..Self::IGNORE }
    }

    /// With a value that begins with an event, followed by zeros.
    pub(crate) fn with_event(id: u32, event: &'e CudaEvent) -> Self {
        let mut attribute = Self { id, ..Self::IGNORE };
        let address = EventHandle::from(event).raw().expose_provenance();
        attribute.value.0[..size_of::<usize>()].copy_from_slice(&address.to_ne_bytes());
        attribute
    }

    /// Writes at the offset of a member in the C struct.
    ///
    /// # Panics
    /// If it would overwrite an event.
    pub(crate) fn put<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        let is_event = offset < size_of::<usize>() && Self::WITH_EVENT.contains(&self.id);
        assert!(!is_event, "a number instead of an event");
        self.value.0[offset..offset + N].copy_from_slice(&bytes);
    }

    pub(crate) fn address(&self, offset: usize) -> *mut c_void {
        let address = &self.value.0[offset..][..size_of::<usize>()];
        ptr::with_exposed_provenance_mut(bytemuck::pod_read_unaligned(address))
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    #[cfg(feature = "graphs")]
    pub(super) fn to_bytes(self) -> [u8; 72] {
        let mut bytes = [0; 72];
        bytes[..4].copy_from_slice(&self.id.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.value.0);
        bytes
    }

    /// Returns whether the value differs from what a driver returns for an attribute that was not set: zeros, or
    /// clusters of one block.
    #[cfg(feature = "graphs")]
    pub(super) fn is_set(&self) -> bool {
        /// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION` and `CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`.
        const CLUSTERS: [u32; 2] = [4, 11];
        let (numbers, _) = self.value.0.as_chunks::<4>();
        let limit = u32::from(CLUSTERS.contains(&self.id));
        numbers.iter().any(|number| u32::from_ne_bytes(*number) > limit)
    }

    /// An event in its value is still alive.
    #[cfg(feature = "graphs")]
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut attribute = Self { id: bytemuck::pod_read_unaligned(&bytes[..4]), ..Self::IGNORE };
        attribute.value.0.copy_from_slice(&bytes[8..]);
        attribute
    }

    #[cfg(any(feature = "record", test))]
    pub(crate) fn bytes(&self) -> &[u8; 64] {
        &self.value.0
    }
}

#[cfg(test)]
mod tests {
    use super::{LaunchAttribute, LaunchConfig};
    use core::mem::offset_of;
    use cudarc::driver::sys::{CUlaunchAttribute, CUlaunchConfig};

    #[test]
    fn the_structs_lie_as_those_of_cudarc() {
        macro_rules! same {
            ($($ours:ident: $theirs:ident { $($our:ident = $their:ident)* })*) => {$(
                assert_eq!(size_of::<$ours>(), size_of::<$theirs>());
                assert_eq!(align_of::<$ours>(), align_of::<$theirs>());
                $(assert_eq!(offset_of!($ours, $our), offset_of!($theirs, $their));)*
            )*};
        }
        same! {
            LaunchConfig: CUlaunchConfig {
                grid = gridDimX block = blockDimX shared = sharedMemBytes stream = hStream attributes = attrs attribute_count = numAttrs
            }
            LaunchAttribute: CUlaunchAttribute { id = id value = value }
        }
    }
}
