//! `float8`: C++'s `__nv_fp8_e4m3` and `__nv_fp8_e5m2`.
//!
//! cudarc implements slices of them, with its feature `f8`. The feature `float8` of this crate enables it. For vectors
//! such as `__nv_fp8x2_e4m3`, derive a type:
//! `#[device_type(cpp = "__nv_fp8x2_e4m3")] #[repr(C, align(2))] struct F8E4M3x2([F8E4M3; 2]);`

use crate::device::device_types;
use float8::{F8E4M3, F8E5M2};

macro_rules! table {
    (half_scalars $_scalars:tt half_vectors $_half:tt float8_scalars {
        $($scalar:ident = $cpp:literal $size:literal / $align:literal;)*
    } vectors $_vectors:tt objects $_objects:tt) => {
        // C++ passes them as structs.
        device_types! { $($scalar: $size / $align, Bytes, kernel_args_abi::CppType::named($cpp);)* }
    };
}
kernel_args_abi::cuda_types!(table);
