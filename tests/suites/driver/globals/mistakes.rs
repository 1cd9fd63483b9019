//! Types that do not fit, and the texts of their errors.

use crate::globals::{Outcome, PTX, described};
use kernel_args::{DevicePointer, DeviceType, Error, Module, error::GlobalError, global::GlobalType, vector::Float3};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;

/// Coarse and fine are exchanged: both are `u32`.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "PowersData")]
struct Exchanged {
    fine_log_count: u32,
    coarse_log_count: u32,
    values: DevicePointer<u32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "PowersData")]
struct OtherPointee {
    coarse_log_count: u32,
    fine_log_count: u32,
    values: DevicePointer<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Light")]
struct OtherMember {
    kind: i8,
    intensity: f64,
    direction: [i32; 3],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
#[device_type(cpp = "Mode")]
enum OtherMode {
    Fast = 1,
    Exact = 6,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
struct Aligned([f32; 4]);

fn refused<T: GlobalType + ?Sized>(module: &Module, name: &str, parts: &[&str]) {
    let Err(error) = module.global::<T>(name) else {
        panic!("{} fits {name}", std::any::type_name::<T>());
    };
    assert!(matches!(error, Error::Global(GlobalError::Mismatch(_))), "{error}");
    let text = error.to_string();
    for part in parts.iter().chain(&["\n  host ", "\n  image ", "\n  help: "]) {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

/// What the debug information shows.
fn a_type_that_does_not_fit_is_named() -> Outcome {
    let module = Module::load(&context()?, described::IMAGE)?;
    refused::<Exchanged>(
        &module,
        "powers_data",
        &["`powers_data.coarse_log_count` at byte 0", "`powers_data.fine_log_count`, the name of another member"],
    );
    refused::<OtherPointee>(&module, "powers_data", &["`powers_data.values` at byte 8 (unsigned int const*)"]);
    refused::<OtherMember>(&module, "lights", &["the variable is `Light[5]`: use `[Light; 5]`"]);
    refused::<[OtherMember; 5]>(
        &module,
        "lights",
        &["lights.direction` at byte 16 (float[3])", "declare `direction: [f32; 3]`"],
    );
    refused::<[OtherMember]>(&module, "lights", &["lights.direction"]);
    refused::<OtherMode>(&module, "mode", &["`Exact = 5`", "`Exact = 6`"]);
    refused::<u32>(&module, "counter", &["the variable is `int`: use `i32`"]);
    refused::<f32>(&module, "counter", &["use `i32`"]);
    refused::<f64>(&module, "scale", &["the variable is `float`: use `f32`"]);
    refused::<[f32; 128]>(&module, "table", &["the variable is `float[256]`: use `[f32; 256]`"]);
    refused::<[i32; 256]>(&module, "table", &["use `[f32; 256]`"]);
    refused::<[[f32; 3]; 4]>(&module, "grid", &["use `[[f32; 4]; 3]`"]);
    refused::<[u32]>(&module, "table", &["use `[f32; 256]`"]);
    refused::<[Float3]>(&module, "table", &["use `[f32; 256]`"]);
    refused::<DevicePointer<u32>>(
        &module,
        "current",
        &["`DevicePointer<u32>` is not the type", "use `DevicePointerMut<Light>`"],
    );
    refused::<u8>(&module, "flag", &["use `bool`"]);
    Ok(())
}

/// Without debug information: size, alignment and class.
fn a_declaration_shows_size_alignment_and_class() -> Outcome {
    let module = Module::load(&context()?, PTX)?;
    refused::<f64>(&module, "scale", &["the variable has 4 bytes", "8 bytes"]);
    refused::<i32>(&module, "scale", &["float of 4 bytes"]);
    refused::<f32>(&module, "counter", &["integer of 4 bytes"]);
    refused::<[f32; 255]>(&module, "table", &["1024 bytes"]);
    refused::<[Float3]>(&module, "table", &["1024 bytes"]);
    refused::<[Aligned; 64]>(&module, "table", &["aligns the variable to 4"]);
    refused::<Exchanged>(&module, "table", &["`module.global_bytes`"]);
    // These cannot be detected.
    module.global::<Exchanged>("powers_data")?;
    module.global::<[u32; 256]>("table")?;
    Ok(())
}

/// The image of another build is refused by the size that the driver reports.
fn another_image_is_refused() -> Outcome {
    let ctx = context()?;
    let theirs = ctx.load_module(cudarc::nvrtc::Ptx::from_src(PTX))?;
    let other = PTX.replacen("table[1024] = {0, 0, 128, 63", "table[2048] = {0, 0, 128, 63", 1);
    assert_ne!(other, PTX);
    let module = Module::from_cudarc(&ctx, theirs.clone(), other)?;
    let error = module.global::<[f32; 512]>("table").expect_err("it has 1024 bytes").to_string();
    assert!(error.contains("2048 bytes in the image, but 1024 bytes in the module"), "{error}");
    let module = Module::from_cudarc(&ctx, theirs, PTX)?;
    let counter = module.global::<i32>("counter")?;
    counter.write(&12)?;
    assert_eq!(counter.read()?, 12);
    let error = module.global::<i32>("none").expect_err("it does not exist");
    assert!(matches!(error, Error::Global(GlobalError::NotFound { .. })), "{error}");
    Ok(())
}

/// 64 KiB of `__constant__` memory fit, one byte more does not.
fn constants_have_a_limit() -> Outcome {
    let ctx = context()?;
    let image = |bytes: usize| {
        format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 small[16];\n.const .align 4 .b8 large[{bytes}];\n\
             .visible .entry k(.param .u64 p) {{ .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [p]; ld.const.u32 %v, [large]; \
             st.global.u32 [%a], %v; ld.const.u32 %v, [small]; st.global.u32 [%a], %v; ret; }}\n"
        )
    };
    Module::load(&ctx, image(65_520))?;
    let error = Module::load(&ctx, image(65_521)).expect_err("it is too large");
    let text = error.to_string();
    for part in [
        "the `__constant__` variables of the image have more than 64 KiB together",
        "(0x10001 bytes, 0x10000 max)",
        "\nhelp: put the largest into device memory",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("constants_have_a_limit", constants_have_a_limit),
        trial("a_type_that_does_not_fit_is_named", a_type_that_does_not_fit_is_named),
        trial("a_declaration_shows_size_alignment_and_class", a_declaration_shows_size_alignment_and_class),
        trial("another_image_is_refused", another_image_is_refused),
    ]
}
