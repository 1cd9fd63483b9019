//! `half`: C++'s `__half` and `__nv_bfloat16`.

use crate::device::{device_types, vector::vectors};
use half::{bf16, f16};

macro_rules! table {
    (half_scalars {
        $($scalar:ident = $cpp:literal $size:literal / $align:literal $(, also $($_alias:literal)+)?;)*
    } half_vectors { $($rows:tt)* } float8_scalars $_float8:tt vectors $_vectors:tt objects $_objects:tt) => {
        device_types! { $($scalar: $size / $align, Float, kernel_args_abi::CppType::named($cpp);)* }

        vectors! { $($rows)* }
    };
}
kernel_args_abi::cuda_types!(table);
