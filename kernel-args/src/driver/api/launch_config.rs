//! `CUlaunchConfig` and `CUlaunchAttribute`, as `cuda.h` defines them.
//!
//! cudarc has them from `cuda-11080` on only, and its enum of attributes is that of the `cuda-NNNNN` feature that the
//! application chose. These are the same for every version; the tests compare them with cudarc's.

use core::{ffi::c_void, ptr};
use cudarc::driver::sys::CUstream;

/// `CUlaunchConfig`: what `cuLaunchKernelEx` takes beside the function and its parameters.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    /// In blocks, along x, y and z.
    pub(crate) grid: [u32; 3],
    /// In threads.
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub(crate) shared: u32,
    pub(crate) stream: CUstream,
    pub(crate) attributes: *mut LaunchAttribute,
    pub(crate) attribute_count: u32,
}

impl LaunchConfig {
    /// A launch without attributes.
    #[inline(always)]
    pub(crate) const fn new(
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        stream: CUstream,
    ) -> Self {
        Self {
            grid,
            block,
            shared,
            stream,
            attributes: ptr::null_mut(),
            attribute_count: 0,
        }
    }
}

/// `CUlaunchAttribute`: an id, and a union of 64 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct LaunchAttribute {
    pub(crate) id: u32,
    padding: u32,
    pub(crate) value: [u8; 64],
}

const _: () = assert!(size_of::<LaunchConfig>() == 56 && align_of::<LaunchConfig>() == 8);
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && align_of::<LaunchAttribute>() == 8);

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_IGNORE`; all bytes are zero.
    pub(crate) const IGNORE: Self = Self {
        id: 0,
        padding: 0,
        value: [0; 64],
    };

    /// The attribute `id` whose value is all zeros.
    pub(crate) const fn new(id: u32) -> Self {
        Self { id, ..Self::IGNORE }
    }

    /// Writes a member of the union's value: an integer's bytes at its offset in the C struct.
    pub(crate) fn put<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        self.value[offset..offset + N].copy_from_slice(&bytes);
    }

    /// Reads an address from the union's value.
    pub(crate) fn address(&self, offset: usize) -> *mut c_void {
        let mut bytes = [0; size_of::<usize>()];
        bytes.copy_from_slice(&self.value[offset..][..size_of::<usize>()]);
        ptr::with_exposed_provenance_mut(usize::from_ne_bytes(bytes))
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
            ($($ours:ident $our_field:ident = $theirs:ident $their_field:ident;)*) => {$(
                assert_eq!(offset_of!($ours, $our_field), offset_of!($theirs, $their_field));
            )*};
        }
        same! {
            LaunchConfig grid = CUlaunchConfig gridDimX;
            LaunchConfig block = CUlaunchConfig blockDimX;
            LaunchConfig shared = CUlaunchConfig sharedMemBytes;
            LaunchConfig stream = CUlaunchConfig hStream;
            LaunchConfig attributes = CUlaunchConfig attrs;
            LaunchConfig attribute_count = CUlaunchConfig numAttrs;
            LaunchAttribute id = CUlaunchAttribute id;
            LaunchAttribute value = CUlaunchAttribute value;
        }
        assert_eq!(size_of::<LaunchConfig>(), size_of::<CUlaunchConfig>());
        assert_eq!(align_of::<LaunchConfig>(), align_of::<CUlaunchConfig>());
        assert_eq!(size_of::<LaunchAttribute>(), size_of::<CUlaunchAttribute>());
        assert_eq!(
            align_of::<LaunchAttribute>(),
            align_of::<CUlaunchAttribute>()
        );
    }
}
