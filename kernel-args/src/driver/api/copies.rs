//! Parameters of copies: `CUDA_MEMCPY3D`.

#[cfg(feature = "graphs")]
use core::ffi::c_void;
use core::ptr;
#[cfg(feature = "textures")]
use cudarc::driver::sys::CUarray;
use cudarc::driver::sys::{CUDA_MEMCPY3D, CUarray_st, CUdeviceptr, CUmemorytype};

#[derive(Clone, Copy)]
pub(crate) enum CopyPlace {
    Device(CUdeviceptr),
    /// The address must be valid when the graph is launched.
    #[cfg(feature = "graphs")]
    Host(*mut c_void),
    #[cfg(feature = "textures")]
    Array(CUarray),
}

/// Returns a copy of this many bytes, rows and slices; memory outside of an array has no gaps between them. Without an
/// array it is one row, whose pitch is not used: it can be longer than the largest pitch.
pub(super) fn copy(to: CopyPlace, from: CopyPlace, [width, height, depth]: [usize; 3]) -> CUDA_MEMCPY3D {
    let split = |memory| match memory {
        CopyPlace::Device(address) => {
            (CUmemorytype::CU_MEMORYTYPE_DEVICE, address, ptr::null_mut(), ptr::null_mut::<CUarray_st>())
        }
        #[cfg(feature = "graphs")]
        CopyPlace::Host(pointer) => (CUmemorytype::CU_MEMORYTYPE_HOST, 0, pointer, ptr::null_mut()),
        #[cfg(feature = "textures")]
        CopyPlace::Array(array) => (CUmemorytype::CU_MEMORYTYPE_ARRAY, 0, ptr::null_mut(), array),
    };
    let (from, to) = (split(from), split(to));
    let (pitch, rows) = if from.3.is_null() && to.3.is_null() { (0, 0) } else { (width, height) };
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: from.0,
        srcDevice: from.1,
        srcHost: from.2,
        srcArray: from.3,
        reserved0: ptr::null_mut(),
        srcPitch: pitch,
        srcHeight: rows,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: to.0,
        dstDevice: to.1,
        dstHost: to.2,
        dstArray: to.3,
        reserved1: ptr::null_mut(),
        dstPitch: pitch,
        dstHeight: rows,
        WidthInBytes: width,
        Height: height,
        Depth: depth,
    }
}
