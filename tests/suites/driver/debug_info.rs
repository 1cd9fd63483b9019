//! Structs that are compared at compile time with the debug information of a second file, and the part of it that is
//! available for kernels that are chosen at run time.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Image, Kernel, KernelArgs, Module,
    error::VerifyError,
    image::{DebugInfo, Verification},
    vector::{Float3, Float4},
};
use kernel_args_tests::driver::{context, suite, trial};
use std::process::ExitCode;

kernel_args::kernels! {
    pub mod shade = "../ptx/shade.ptx", debug_info = "../ptx/shade.debug.ptx";
    /// Without debug information.
    pub mod plain = "../ptx/shade.ptx";
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    Flat = -1,
    Smooth,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    intensity: f32,
    range: f32,
    kind: u32,
    color: Float4,
    direction: [f32; 3],
}

/// `Light` with a different spelling.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Light")]
#[repr(C)]
struct Renamed {
    #[device_type(name = "intensity")]
    range: f32,
    #[device_type(name = "range")]
    reach: f32,
    flags: u32,
    rgba: Float4,
    to: Float3,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shade::shade)]
struct Shade {
    r#in: DevicePointer<f32>,
    bias: DevicePointer<f32>,
    out: DevicePointerMut<f32>,
    light: Light,
    mode: Mode,
    n: i32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/shade.ptx", debug_info = "../ptx/shade.debug.ptx", entry = "shade")]
struct Shorthand {
    #[kernel_args(name = "in")]
    bias: DevicePointer<f32>,
    #[kernel_args(name = "bias")]
    offset: DevicePointer<f32>,
    result: DevicePointerMut<f32>,
    light: Renamed,
    mode: i32,
    count: i32,
}

/// A struct of any type parameter is compared where it is used.
#[derive(KernelArgs)]
#[kernel_args(kernel = shade::shade)]
struct Generic<L: DeviceType> {
    r#in: DevicePointer<f32>,
    bias: DevicePointer<f32>,
    out: DevicePointerMut<f32>,
    light: L,
    mode: Mode,
    n: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = shade, entries = "sim::*")]
struct Fade {
    out: DevicePointerMut<f32>,
    from: f32,
    to: f32,
    n: i32,
}

/// The facts about kernels at compile time.
const NAMES: [&str; 2] = [shade::shade.parameter(0).name, shade::fade.parameter(1).name];
const _: () = assert!(shade::shade.parameter(3).members.len() == 5);

#[expect(clippy::unnecessary_wraps, reason = "a trial")]
fn names_types_and_members_are_constants() -> Outcome {
    assert_eq!(NAMES, ["in", "from"]);
    let light = shade::shade.parameter(3);
    assert_eq!(light.cpp, Light::CPP);
    for (actual, own) in light.members.iter().zip(Light::MEMBERS.iter()) {
        assert_eq!((actual.name, actual.offset, actual.size), (own.name, own.offset, own.size));
        assert_eq!(actual.cpp.to_string(), own.cpp.to_string());
    }
    assert!(shade::shade.has_debug_info() && !plain::shade.has_debug_info());
    assert_eq!(plain::shade.parameter(0).name, "shade_param_0");
    assert_eq!(shade::IMAGE.bytes(), plain::IMAGE.bytes());
    assert_eq!(shade::IMAGE.kernels().len(), 2);
    Ok(())
}

/// The error text of loading a struct.
fn refused<A: KernelArgs>(module: &Module, kernel: &str, words: &str) -> Outcome {
    let error = module.kernel::<A>(kernel).expect_err("the struct does not fit");
    let Error::Verify(VerifyError::Mismatch(_)) = &error else {
        return Err(format!("not a mismatch: {error}").into());
    };
    assert!(error.to_string().contains(words), "{error}");
    Ok(())
}

mod swapped {
    use super::{DevicePointer, DevicePointerMut, DeviceType, Float4, KernelArgs, Mode};

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Light {
        range: f32,
        intensity: f32,
        kind: u32,
        color: Float4,
        direction: [f32; 3],
    }

    #[derive(KernelArgs)]
    pub(super) struct Shade<L: DeviceType> {
        pub(super) bias: DevicePointer<f32>,
        pub(super) r#in: DevicePointer<f32>,
        pub(super) out: DevicePointerMut<f32>,
        pub(super) light: L,
        pub(super) mode: Mode,
        pub(super) n: i32,
    }

    #[derive(KernelArgs)]
    pub(super) struct Members {
        a: DevicePointer<f32>,
        b: DevicePointer<f32>,
        c: DevicePointerMut<f32>,
        light: Light,
        mode: Mode,
        n: i32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Mode")]
    #[repr(i32)]
    pub(super) enum Mode2 {
        Flat,
        Smooth,
    }

    #[derive(KernelArgs)]
    pub(super) struct Modes {
        a: DevicePointer<f32>,
        b: DevicePointer<f32>,
        c: DevicePointerMut<f32>,
        light: super::Light,
        mode: Mode2,
        n: i32,
    }

    #[derive(KernelArgs)]
    pub(super) struct Fade {
        pub(super) out: DevicePointerMut<f32>,
        pub(super) to: f32,
        pub(super) from: f32,
        pub(super) n: i32,
    }
}

/// The loaded image has no debug information.
fn kernels_that_are_chosen_at_run_time_are_verified_with_it() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, shade::IMAGE)?;
    module.kernel::<Shade>("shade")?;
    module.kernel::<Generic<Renamed>>("shade")?;
    module.kernel::<Fade>("fade")?;
    let place = "`bias` is parameter 1 of the kernel, but here it is field 0";
    refused::<swapped::Shade<Light>>(&module, "shade", place)?;
    refused::<swapped::Fade>(&module, "fade", "`to` is parameter 2 of the kernel, but here it is field 1")?;
    let member = "has `intensity` at byte 0, where this one has `range`, the name of another member";
    refused::<swapped::Members>(&module, "shade", member)?;
    let variant = "the kernel's enum has `Flat = -1`, `Mode2` has `Flat = 0`";
    refused::<swapped::Modes>(&module, "shade", variant)?;
    // Without debug information they are accepted.
    let module = Module::load(&ctx, plain::IMAGE)?;
    module.kernel::<swapped::Shade<swapped::Light>>("shade")?;
    module.kernel::<swapped::Fade>("fade")?;
    // A cudarc module and function.
    let theirs = ctx.load_module(cudarc::nvrtc::Ptx::from_src(str::from_utf8(plain::IMAGE.bytes())?))?;
    let module = Module::from_cudarc(&ctx, theirs, shade::IMAGE)?;
    refused::<swapped::Members>(&module, "shade", member)?;
    let error = module.function("shade")?.kernel::<swapped::Members>().expect_err("the fields are exchanged");
    assert!(error.to_string().contains(member), "{error}");
    Ok(())
}

fn the_kernel_of_a_struct_is_verified_with_it() -> Outcome {
    let ctx = context()?;
    Kernel::<Shade>::load(&ctx)?;
    Kernel::<Shorthand>::load(&ctx)?;
    Kernel::<Generic<Light>>::load(&ctx)?;
    for source in [Shade::SOURCE, Shorthand::SOURCE] {
        let source = source.expect("it names a kernel");
        let module = Module::load(&ctx, source)?;
        refused::<swapped::Shade<Light>>(&module, source.entry, "`bias` is parameter 1")?;
    }
    Ok(())
}

/// The report on the debug information of a kernel `fade`.
fn debug_info<A: KernelArgs>(image: Image<'_>) -> Result<DebugInfo, Box<dyn std::error::Error>> {
    let kernel = Module::load(&context()?, image)?.kernel::<A>("fade")?;
    match kernel.verification().clone() {
        Verification::Verified { debug_info, .. } => Ok(debug_info),
        other => Err(format!("{other:?}").into()),
    }
}

/// A problem that the program cannot fix is not an error at run time, but is reported.
fn unreadable_debug_information_is_reported() -> Outcome {
    let own = include_str!("../../../ptx/shade.debug.ptx");
    assert_eq!(debug_info::<Fade>(own.into())?, DebugInfo::Verified);
    assert_eq!(debug_info::<Fade>(shade::IMAGE.into())?, DebugInfo::Verified);
    assert_eq!(debug_info::<Fade>(plain::IMAGE.into())?, DebugInfo::None);
    let broken = own.replacen(".b32 .debug_abbrev", ".b32 77777777", 1);
    let DebugInfo::Unreadable(why) = debug_info::<swapped::Fade>((&broken).into())? else {
        return Err("it was read".into());
    };
    assert!(why.contains("cannot be read as DWARF 2 to 5"), "{why}");
    Ok(())
}

pub(crate) fn main() -> ExitCode {
    suite(
        "debug_info",
        |_| {
            vec![
                trial("in_constants", names_types_and_members_are_constants),
                trial("at_run_time", kernels_that_are_chosen_at_run_time_are_verified_with_it),
                trial("of_a_struct", the_kernel_of_a_struct_is_verified_with_it),
                trial("unreadable", unreadable_debug_information_is_reported),
            ]
        },
        |_| (),
    )
}
