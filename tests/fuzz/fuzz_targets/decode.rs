//! Any values of any types can be shown. Their names specify the types, and may be wrong.
#![cfg_attr(fuzzing, no_main)]

use kernel_args::{
    DevicePointer, DeviceType, KernelArgs,
    vector::{Double2, Float4, UChar4},
};
use libfuzzer_sys::fuzz_target;

/// Bytes with a wrong type.
macro_rules! named {
    ($($name:ident($cpp:literal, $bytes:ty),)*) => {
        $(
            #[derive(Clone, Copy, DeviceType)]
            #[repr(transparent)]
            #[device_type(cpp = $cpp)]
            struct $name($bytes);
        )*
    };
}

named! {
    Int4T("int4_t", u8),
    Int4("int4", u16),
    Half("__half", u8),
    Half2("half2", u16),
    Double4("double4_32a", u8),
    Complex("thrust::complex<double>", u32),
    Tensor("CUtensorMap", u8),
    Vector0("float0", [u8; 3]),
    Vector9("char9", [u8; 7]),
    Empty("", u8),
    Path("a::", u64),
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    small: u8,
    large: u64,
}

#[derive(KernelArgs)]
struct Args {
    int4_t: Int4T,
    int4: Int4,
    half: Half,
    half2: Half2,
    double4: Double4,
    complex: Complex,
    tensor: Tensor,
    vector0: Vector0,
    vector9: Vector9,
    empty: Empty,
    path: Path,
    byte: u8,
    flag: bool,
    wide: i128,
    float: f32,
    double: f64,
    float4: Float4,
    double2: Double2,
    uchar4: UChar4,
    array: [f32; 3],
    bytes: [u8; 40],
    inner: Inner,
    pointer: DevicePointer<f32>,
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter().copied();
    let mut take = || u64::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
    let args = Args {
        int4_t: Int4T(take() as u8),
        int4: Int4(take() as u16),
        half: Half(take() as u8),
        half2: Half2(take() as u16),
        double4: Double4(take() as u8),
        complex: Complex(take() as u32),
        tensor: Tensor(take() as u8),
        vector0: Vector0([take() as u8; 3]),
        vector9: Vector9([take() as u8; 7]),
        empty: Empty(take() as u8),
        path: Path(take()),
        byte: take() as u8,
        flag: take() & 1 == 1,
        wide: i128::from(take()) << 64 | i128::from(take()),
        float: f32::from_bits(take() as u32),
        double: f64::from_bits(take()),
        float4: Float4::new(f32::from_bits(take() as u32), f32::from_bits(take() as u32), 0.0, -0.0),
        double2: Double2::new(f64::from_bits(take()), f64::from_bits(take())),
        uchar4: UChar4::new(take() as u8, 0, 255, 1),
        array: [f32::from_bits(take() as u32); 3],
        bytes: std::array::from_fn(|_| take() as u8),
        inner: Inner { small: take() as u8, large: take() },
        pointer: DevicePointer::from_raw(take()),
    };
    args.with_arguments(|arguments| {
        let shown = arguments.to_string();
        assert_eq!(shown.lines().count(), arguments.iter().count());
    });
});

#[cfg(not(fuzzing))]
fn main() {}
