//! If debug information is requested, names and members are verified when the source is compiled at run time.

use crate::images::{
    Outcome,
    source::{AXPY, has},
};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Image, Kernel, KernelArgs, Module, compile::CompileOptions,
    error::VerifyError,
};
use kernel_args_test_generator::tools;
use kernel_args_tests::{driver::context, nvrtc::NVRTC};
use libtest_mimic::Trial;

/// `x` and `y` are exchanged. Their types agree, because the kernel writes one of them.
#[derive(KernelArgs)]
struct Exchanged {
    n: u32,
    a: f32,
    y: DevicePointer<f32>,
    x: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
struct Copy {
    src: DevicePointer<f32>,
    dst: DevicePointerMut<f32>,
    n: u32,
    m: u32,
}

#[derive(KernelArgs)]
struct CopyExchanged {
    src: DevicePointer<f32>,
    dst: DevicePointerMut<f32>,
    m: u32,
    n: u32,
}

const COPY: &str = "extern \"C\" __global__ void copy(float const* src, float* dst, unsigned n, unsigned m) { if (n + m) *dst = *src; }";

fn exchanged_names_are_found() -> Outcome {
    let ctx = context()?;
    for (debug, is_found) in [(false, false), (true, true)] {
        let options = CompileOptions::new().debug_info(debug).name_expression("axpy<float>");
        let module = Module::compile(&ctx, AXPY, &options)?;
        let kernel: Result<Kernel<Exchanged>, _> = module.kernel("axpy<float>");
        assert_eq!(matches!(&kernel, Err(Error::Verify(VerifyError::Mismatch(_)))), is_found, "{kernel:?}");
        let module = Module::compile(&ctx, COPY, &CompileOptions::new().debug_info(debug))?;
        drop(module.kernel::<Copy>("copy")?);
        let kernel = module.kernel::<CopyExchanged>("copy");
        match kernel {
            Err(Error::Verify(VerifyError::Mismatch(mismatch))) if is_found => {
                assert_eq!(mismatch.fields, ["m", "n"]);
                has(&mismatch.to_string(), &["`m`", "`n`"]);
            }
            other => assert!(!is_found && other.is_ok(), "{other:?}"),
        }
    }
    Ok(())
}

/// `src` and `dst` are exchanged.
#[derive(KernelArgs)]
struct CopyBackwards {
    dst: DevicePointerMut<f32>,
    src: DevicePointer<f32>,
    n: u32,
    m: u32,
}

/// The PTX that NVRTC also makes shows it, if the program runs a cubin. Without debug information.
fn exchanged_pointers_are_found() -> Outcome {
    let ctx = context()?;
    let compiled = CompileOptions::new().compile(&ctx, COPY)?;
    let module = Module::load(&ctx, &compiled)?;
    drop(module.kernel::<Copy>("copy")?);
    let kernel = module.kernel::<CopyBackwards>("copy");
    let Err(Error::Verify(VerifyError::Mismatch(mismatch))) = kernel else {
        return Err(format!("{kernel:?}").into());
    };
    has(&mismatch.to_string(), &["the kernel writes through `src`", "`dst` and `src` look exchanged"]);
    let module = Module::load(&ctx, Image::from(&compiled).without_code())?;
    drop(module.kernel::<CopyBackwards>("copy")?);
    Ok(())
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Range {
    low: f32,
    high: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Range")]
#[repr(C)]
struct RangeExchanged {
    high: f32,
    low: f32,
}

#[derive(KernelArgs)]
struct Clamp<R: DeviceType> {
    range: R,
    x: DevicePointerMut<f32>,
}

const CLAMP: &str = "struct Range { float low; float high; };
extern \"C\" __global__ void clamp(Range range, float* x) { *x = fminf(fmaxf(*x, range.low), range.high); }";

fn exchanged_members_are_found() -> Outcome {
    let ctx = context()?;
    let plain = Module::compile(&ctx, CLAMP, &CompileOptions::new())?;
    drop(plain.kernel::<Clamp<RangeExchanged>>("clamp")?);
    let module = Module::compile(&ctx, CLAMP, &CompileOptions::new().debug_info(true))?;
    drop(module.kernel::<Clamp<Range>>("clamp")?);
    let kernel = module.kernel::<Clamp<RangeExchanged>>("clamp");
    let Err(Error::Verify(VerifyError::Mismatch(mismatch))) = kernel else {
        return Err(format!("{kernel:?}").into());
    };
    println!("{mismatch}");
    assert_eq!(mismatch.fields, ["range"]);
    has(&mismatch.to_string(), &["low", "high"]);
    Ok(())
}

/// The program runs the kernels of the first compilation: a debug build would be slow.
fn the_debug_build_is_not_loaded() -> Outcome {
    let ctx = context()?;
    let plain = CompileOptions::new().compile(&ctx, COPY)?;
    let debug = CompileOptions::new().debug_info(true).compile(&ctx, COPY)?;
    assert_eq!(plain.image(), debug.image());
    assert_eq!(plain.ptx(), debug.ptx());
    assert!(!String::from_utf8_lossy(debug.ptx()).contains("debug_info"));
    Ok(())
}

/// A source whose image itself has debug information needs no second compilation.
fn an_image_with_debug_information_needs_no_second_compilation() -> Outcome {
    let options = CompileOptions::new().option("--device-debug");
    let module = Module::compile(&context()?, COPY, &options)?;
    let kernel = module.kernel::<CopyExchanged>("copy");
    assert!(matches!(&kernel, Err(Error::Verify(VerifyError::Mismatch(_)))), "{kernel:?}");
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        tools::trial("exchanged_names_are_found", &[NVRTC], exchanged_names_are_found),
        tools::trial("exchanged_pointers_are_found", &[NVRTC], exchanged_pointers_are_found),
        tools::trial("exchanged_members_are_found", &[NVRTC], exchanged_members_are_found),
        tools::trial("the_debug_build_is_not_loaded", &[NVRTC], the_debug_build_is_not_loaded),
        tools::trial(
            "an_image_with_debug_information_needs_no_second_compilation",
            &[NVRTC],
            an_image_with_debug_information_needs_no_second_compilation,
        ),
    ]
}
