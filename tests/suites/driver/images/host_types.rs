//! C types that differ between platforms: NVRTC of this platform compiles the kernel, and structs of this platform are
//! compared with it.

use crate::images::Outcome;
use cudarc::driver::CudaSlice;
use kernel_args::{
    DeviceType, Error, KernelArgs, Module,
    args::Pointee,
    compile::CompileOptions,
    error::VerifyError,
    launch,
    vector::{CLong, CULong, Long2},
};
use kernel_args_test_generator::tools;
use kernel_args_tests::{driver::context, nvrtc::NVRTC};
use libtest_mimic::Trial;
use std::{error, ffi::c_char};

/// `wchar_t` of this platform; then `long`, `wchar_t` and `unsigned long` of another platform.
#[cfg(windows)]
mod types {
    pub(super) type Wide = u16;
    pub(super) type OtherLong = i64;
    pub(super) type OtherWide = i32;
    pub(super) type OtherULong = u64;
}
#[cfg(not(windows))]
mod types {
    pub(super) type Wide = i32;
    pub(super) type OtherLong = i32;
    pub(super) type OtherWide = u16;
    pub(super) type OtherULong = u32;
}
use types::{OtherLong, OtherULong, OtherWide, Wide};

const SOURCE: &str = "
__global__ void widths(long a, wchar_t b, long2 c, unsigned long const* d, char e, long long* out)
{
    long long values[] = {a, b, c.y, (long long)d[threadIdx.x + 1], e, sizeof(a), sizeof(b), sizeof(c)};
    for (int i = 0; i < 8; i++) out[i] = values[i];
}
";

#[derive(KernelArgs)]
struct Widths<'a, A: DeviceType, B: DeviceType, D: DeviceType + Pointee> {
    a: A,
    b: B,
    c: Long2,
    d: &'a CudaSlice<D>,
    e: c_char,
    out: &'a mut CudaSlice<i64>,
}

/// The fields that do not fit.
fn refused<K: KernelArgs>(module: &Module) -> Result<String, Box<dyn error::Error>> {
    match module.kernel::<K>("widths") {
        Err(Error::Verify(VerifyError::Mismatch(mismatch))) => {
            println!("{mismatch}\n");
            Ok(mismatch.fields.concat())
        }
        other => Err(format!("{:?}", other.map(drop)).into()),
    }
}

#[allow(clippy::useless_conversion, reason = "the types differ between platforms")]
fn sizes_are_the_sizes_of_this_platform() -> Outcome {
    let ctx = context()?;
    let module = Module::compile(&ctx, SOURCE, &CompileOptions::new().to_ptx().name_expression("widths"))?;
    let kernel = module.kernel::<Widths<'_, CLong, Wide, CULong>>("widths")?.require_verified()?;
    let stream = ctx.default_stream();
    let (d, mut out) = (stream.clone_htod(&[1, CULong::MAX >> 1])?, stream.alloc_zeros(8)?);
    let e = c_char::from_ne_bytes([0xf0]);
    let args = Widths { a: -5, b: 0x7ffe, c: Long2 { x: 1, y: CLong::MIN }, d: &d, e, out: &mut out };
    // SAFETY: the kernel reads two elements of `d`, and writes eight of `out`.
    unsafe { launch!(kernel, 1, 1, args)? };
    let values = [-5, 0x7ffe, CLong::MIN.into(), i64::try_from(CULong::MAX >> 1)?, e.into()];
    let sizes = [size_of::<CLong>(), size_of::<Wide>(), size_of::<Long2>()];
    let sizes = sizes.map(i64::try_from).into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(stream.clone_dtoh(&out)?, [&values[..], &sizes].concat());
    Ok(())
}

fn sizes_of_another_platform_are_refused() -> Outcome {
    let options = CompileOptions::new().to_ptx().name_expression("widths");
    let module = Module::compile(&context()?, SOURCE, &options)?;
    assert_eq!(refused::<Widths<'_, OtherLong, Wide, CULong>>(&module)?, "a");
    assert_eq!(refused::<Widths<'_, CLong, OtherWide, CULong>>(&module)?, "b");
    let behind = refused::<Widths<'_, CLong, Wide, OtherULong>>(&module);
    // A program for Windows can have an image from Linux, where `unsigned long` has 8 bytes.
    assert!(if cfg!(windows) { behind.is_err() } else { behind? == "d" });
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        tools::trial("sizes_are_the_sizes_of_this_platform", &[NVRTC], sizes_are_the_sizes_of_this_platform),
        tools::trial("sizes_of_another_platform_are_refused", &[NVRTC], sizes_of_another_platform_are_refused),
    ]
}
