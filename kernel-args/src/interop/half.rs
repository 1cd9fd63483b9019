//! `half`: C++'s `__half` and `__nv_bfloat16`.

use crate::device::device_types;
use half::{bf16, f16};
use kernel_args_abi::CppType;

device_types! {
    f16: 2 / 2, Float, CppType::named("__half");
    bf16: 2 / 2, Float, CppType::named("__nv_bfloat16");
}

crate::device::vector::vectors! {
    Half2(f16) = "__half2" [x y; 2] 4 / 4;
    BFloat162(bf16) = "__nv_bfloat162" [x y; 2] 4 / 4;
}
