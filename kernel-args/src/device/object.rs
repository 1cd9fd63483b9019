//! Opaque handles that kernels take by value: texture and surface objects, conditions of graphs, tensor maps.

use crate::device::device_types;
use kernel_args_abi::{CppType, Meaning, Members};

macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident: $members:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// 8 bytes, aligned to 8; C++'s `unsigned long long`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[cfg_attr(
            feature = "zerocopy",
            derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)
        )]
        #[repr(transparent)]
        pub struct $name(pub u64);

        // SAFETY: `repr(transparent)` over a zeroable type.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: `repr(transparent)` over a `Pod` type.
        unsafe impl bytemuck::Pod for $name {}

        device_types! { $name: 8 / 8, Integer, CppType::integer(false, 64), $members; }
    )*};
}

objects! {
    /// A texture object: `CUtexObject`, `cudaTextureObject_t`.
    TextureObject: Members::meaning(Meaning::Texture);
    /// A surface object: `CUsurfObject`, `cudaSurfaceObject_t`. A kernel takes it like a [`TextureObject`].
    SurfaceObject: Members::meaning(Meaning::Surface);
    /// The handle of a condition of a graph: `cudaGraphConditionalHandle`. Kernels set the condition with
    /// `cudaGraphSetConditional(handle, value)`.
    /// [`graphs`](crate::guide::graphs#conditions) has an example.
    ConditionalHandle: Members::UNKNOWN;
}

macro_rules! tensor_maps {
    ($($(#[$doc:meta])* $name:ident $align:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// The functions `cuTensorMapEncode…` create one (CUDA Driver API, "Tensor Map Object Management").
        /// 128 bytes; the kernel should take it as `const __grid_constant__`. Its offset in the packed form
        /// depends on the GPU.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(
            feature = "zerocopy",
            derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)
        )]
        #[doc = concat!("Aligned to ", $align, " bytes.")]
        #[repr(C, align($align))]
        pub struct $name(pub [u64; 16]);

        impl Default for $name {
            fn default() -> Self {
                Self([0; 16])
            }
        }

        /// From the numbers of a `CUtensorMap`: cudarc's field `opaque`, with the feature `cuda-12000` or newer.
        impl From<[u64; 16]> for $name {
            fn from(opaque: [u64; 16]) -> Self {
                Self(opaque)
            }
        }

        // SAFETY: an array of integers is zeroable.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: `repr(C)` around an array of integers of the same size: no padding.
        unsafe impl bytemuck::Pod for $name {}

        device_types! { $name: 128 / $align, Bytes, CppType::named("CUtensorMap_st"); }
    )*};
}

tensor_maps! {
    /// A tensor map for kernels compiled with CUDA 13 headers.
    ///
    /// ```
    /// use kernel_args::{KernelArgs, TensorMap};
    ///
    /// #[derive(KernelArgs)]
    /// struct Load { map: TensorMap, n: u32 }
    ///
    /// # let opaque = [0_u64; 16];
    /// let load = Load { map: TensorMap::from(opaque), n: 64 };
    /// ```
    TensorMap 128;
    /// A [`TensorMap`] for kernels compiled with CUDA 12 headers.
    TensorMapA64 64;
}
