//! Arrays, copies to and from them, texture objects and surface objects.

use std::ptr::{null, null_mut};

use crate::raw::*;
use cudarc::driver::{
    CudaContext,
    sys::{
        self, CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC,
        CUDA_TEXTURE_DESC, CUarray, CUarray_format as Format, CUmemorytype, CUresourcetype,
    },
};
use kernel_args_test_driver::{Settings, within};

fn array(size: [usize; 3], format: Format, channels: u32, flags: u32) -> Result<CUarray, u32> {
    let [width, height, depth] = size;
    let shape = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format,
        NumChannels: channels,
        Flags: flags,
    };
    let mut array = null_mut();
    call!(sys::cuArray3DCreate_v2(&raw mut array, &raw const shape)).map(|()| array)
}

/// A copy of rows from the host to an array, or back.
fn copy(array: CUarray, host: &mut [u8], at: [usize; 3], size: [usize; 3], to_array: bool) -> Result<(), u32> {
    let mut copy = CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcDevice: 0,
        srcArray: array,
        reserved0: null_mut(),
        srcPitch: size[0],
        srcHeight: size[1],
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: host.as_mut_ptr().cast(),
        dstDevice: 0,
        dstArray: array,
        reserved1: null_mut(),
        dstPitch: size[0],
        dstHeight: size[1],
        WidthInBytes: size[0],
        Height: size[1],
        Depth: size[2],
    };
    if to_array {
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        [copy.dstXInBytes, copy.dstY, copy.dstZ] = at;
    } else {
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        [copy.srcXInBytes, copy.srcY, copy.srcZ] = at;
    }
    call!(sys::cuMemcpy3DAsync_v2(&raw const copy, null_mut()))
}

#[test]
fn arrays_have_the_shapes_of_the_driver() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let u8s = |size, flags| array(size, Format::CU_AD_FORMAT_UNSIGNED_INT8, 1, flags);
        let destroy = |array: Result<CUarray, u32>| call!(sys::cuArrayDestroy(array.expect("an array")));
        for (size, flags) in
            [([8, 0, 0], 0), ([8, 4, 0], 0), ([8, 4, 2], 0), ([8, 0, 2], 1), ([8, 4, 2], 1), ([8, 4, 0], 2)]
        {
            let made = u8s(size, flags);
            assert_eq!(driver.live().arrays, 1, "{size:?}");
            assert_eq!(driver.live().allocations, 0, "an array is no allocation");
            assert_eq!(destroy(made), Ok(()));
        }
        for (size, flags) in [
            ([0, 0, 0], 0),
            ([8, 0, 2], 0),
            ([8, 4, 0], 1),
            ([8, 4, 0], 0x100),
            ([131_073, 0, 0], 0),
            ([32_769, 0, 0], 2),
            ([8, 65_537, 0], 0),
            ([8, 8, 16_385], 0),
            ([8, 8, 2_049], 1),
        ] {
            assert_eq!(u8s(size, flags).err(), Some(1), "{size:?} {flags}");
        }
        assert_eq!(array([8, 0, 0], Format::CU_AD_FORMAT_FLOAT, 3, 0).err(), Some(1));
        let shape = CUDA_ARRAY_DESCRIPTOR { Width: 8, Height: 4, Format: Format::CU_AD_FORMAT_HALF, NumChannels: 4 };
        let mut made = null_mut();
        assert_eq!(call!(sys::cuArrayCreate_v2(&raw mut made, &raw const shape)), Ok(()));
        assert_eq!(destroy(Ok(made)), Ok(()));
        assert_eq!(destroy(Ok(made)), INVALID_HANDLE);
        assert_eq!(driver.live().arrays, 0);
    });
}

#[test]
fn copies_are_inside_of_the_array() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let volume = array([4, 3, 2], Format::CU_AD_FORMAT_UNSIGNED_INT16, 1, 0).expect("an array");
        let mut bytes: Vec<u8> = (0..48).collect();
        assert_eq!(copy(volume, &mut bytes, [0; 3], [8, 3, 2], true), Ok(()));
        let mut part = [0; 8];
        assert_eq!(copy(volume, &mut part, [4, 1, 0], [2, 2, 2], false), Ok(()));
        assert_eq!(part, [12, 13, 20, 21, 36, 37, 44, 45]);
        for at in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            assert_eq!(copy(volume, &mut bytes, at, [8, 3, 2], true), INVALID_VALUE, "{at:?}");
        }
        // Rows with a pitch, in device memory.
        let image = array([2, 2, 0], Format::CU_AD_FORMAT_UNSIGNED_INT8, 1, 0).expect("an array");
        let mut address = 0;
        assert_eq!(call!(sys::cuMemAlloc_v2(&raw mut address, 8)), Ok(()));
        assert_eq!(call!(sys::cuMemcpyHtoD_v2(address, [1_u8, 2, 9, 9, 3, 4, 9, 9].as_ptr().cast(), 8)), Ok(()));
        let rows = |pitch| CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcHost: null(),
            srcDevice: address,
            srcArray: null_mut(),
            srcPitch: pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstHost: null_mut(),
            dstDevice: 0,
            dstArray: image,
            dstPitch: 0,
            WidthInBytes: 2,
            Height: 2,
        };
        assert_eq!(call!(sys::cuMemcpy2D_v2(&rows(4))), Ok(()));
        assert_eq!(call!(sys::cuMemcpy2DAsync_v2(&rows(1), null_mut())), INVALID_VALUE, "a short pitch");
        let mut found = [0; 4];
        assert_eq!(copy(image, &mut found, [0; 3], [2, 2, 1], false), Ok(()));
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!(call!(sys::cuMemFree_v2(address)), Ok(()));
        for array in [volume, image] {
            assert_eq!(call!(sys::cuArrayDestroy(array)), Ok(()));
        }
    });
}

/// A resource; the arguments are the fields of its union, as 64-bit numbers.
fn resource(kind: CUresourcetype, fields: &[u64]) -> CUDA_RESOURCE_DESC {
    let mut reserved = [0; 32];
    for (i, field) in fields.iter().enumerate() {
        (reserved[2 * i], reserved[2 * i + 1]) = (*field as i32, (*field >> 32) as i32);
    }
    let reserved = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved };
    CUDA_RESOURCE_DESC { resType: kind, res: sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved }, flags: 0 }
}

#[test]
fn objects_are_checked_and_counted() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let texture = |resource: &CUDA_RESOURCE_DESC, flags: u32, linear: bool| {
            let point = sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT;
            let sampler = CUDA_TEXTURE_DESC {
                addressMode: [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3],
                filterMode: if linear { sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR } else { point },
                flags,
                maxAnisotropy: 0,
                mipmapFilterMode: point,
                mipmapLevelBias: 0.0,
                minMipmapLevelClamp: 0.0,
                maxMipmapLevelClamp: 0.0,
                borderColor: [0.0; 4],
                reserved: [0; 12],
            };
            let mut texture = 0;
            call!(sys::cuTexObjectCreate(&raw mut texture, resource, &raw const sampler, null())).map(|()| texture)
        };
        let bytes = array([8, 4, 0], Format::CU_AD_FORMAT_UNSIGNED_INT8, 1, 0).expect("an array");
        let floats = array([8, 4, 0], Format::CU_AD_FORMAT_FLOAT, 1, 2).expect("an array");
        let of = |array: CUarray| resource(CUresourcetype::CU_RESOURCE_TYPE_ARRAY, &[array.addr() as u64]);
        let made = texture(&of(floats), 0, true).expect("a texture");
        // `CU_TRSF_READ_AS_INTEGER`
        assert_eq!(texture(&of(bytes), 1, true).err(), Some(1), "a filter of integers");
        assert_eq!(texture(&of(bytes), 0x100, false).err(), Some(1), "an unknown flag");
        assert_eq!(driver.live().textures, 1);
        assert_eq!(call!(sys::cuArrayDestroy(floats)), INVALID_VALUE, "a texture uses the array");

        let mut surface = 0;
        assert_eq!(call!(sys::cuSurfObjectCreate(&raw mut surface, &of(bytes))), INVALID_VALUE);
        assert_eq!(call!(sys::cuSurfObjectCreate(&raw mut surface, &of(floats))), Ok(()));
        assert_eq!((driver.live().arrays, driver.live().surfaces), (2, 1));
        assert_eq!(call!(sys::cuSurfObjectDestroy(surface)), Ok(()));
        assert_eq!(
            (call!(sys::cuTexObjectDestroy(made)), call!(sys::cuTexObjectDestroy(made))),
            (Ok(()), INVALID_HANDLE)
        );
        for array in [bytes, floats] {
            assert_eq!(call!(sys::cuArrayDestroy(array)), Ok(()));
        }

        // `CU_AD_FORMAT_FLOAT`, one channel.
        let (mut address, format) = (0, 0x20 | 1 << 32);
        assert_eq!(call!(sys::cuMemAlloc_v2(&raw mut address, 1024)), Ok(()));
        let linear = |address, bytes| resource(CUresourcetype::CU_RESOURCE_TYPE_LINEAR, &[address, format, bytes]);
        let rows =
            |pitch, height| resource(CUresourcetype::CU_RESOURCE_TYPE_PITCH2D, &[address, format, 8, height, pitch]);
        for right in [linear(address, 1024), rows(32, 32), rows(64, 16)] {
            assert_eq!(call!(sys::cuTexObjectDestroy(texture(&right, 0, false).expect("a texture"))), Ok(()));
        }
        for (wrong, why) in [
            (linear(address, 1025 * 4), "too long"),
            (linear(address + 4, 16), "not aligned"),
            (rows(48, 2), "the pitch is not aligned"),
            (rows(32, 33), "too many rows"),
            (rows(0, 1), "rows that overlap"),
        ] {
            assert_eq!(texture(&wrong, 0, false).err(), Some(1), "{why}");
        }
        assert_eq!(call!(sys::cuMemFree_v2(address)), Ok(()));
        assert_eq!((driver.live().arrays, driver.live().textures, driver.live().surfaces), (0, 0, 0));
    });
}

#[test]
fn a_reset_destroys_them() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        let made = array([8, 0, 0], Format::CU_AD_FORMAT_FLOAT, 1, 0).expect("an array");
        assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(context.cu_device())), Ok(()));
        assert_eq!(driver.live().arrays, 0);
        drop(context);
        let _context = CudaContext::new(0).expect("a device");
        assert_eq!(call!(sys::cuArrayDestroy(made)), INVALID_HANDLE);
    });
}
