//! Images that the GPU or the driver cannot run: detected before the driver is called, with the same result as the
//! driver's, and explained if the driver rejects them.

use crate::images::Outcome;
use cudarc::driver::{CudaContext, DriverError, result};
use kernel_args::{Error, Module, context::versions, error::LoadError, image::JitOptions};
use kernel_args_image::{Code, CudaVersion, contents};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, context, trial, trial_unless};
use libtest_mimic::Trial;
use std::{path::Path, sync::Arc};

macro_rules! data {
    ($file:literal) => {
        include_bytes!(concat!("../../../../crates/image/tests/data/", $file)).as_slice()
    };
}

fn ptx(version: &str, target: &str, rest: &str) -> Vec<u8> {
    format!(".version {version}\n.target {target}\n{rest}\n.visible .entry k()\n{{\n    ret;\n}}\n").into()
}

/// Images of every kind, by name.
fn images() -> Vec<(String, Vec<u8>)> {
    let mut images: Vec<(String, Vec<u8>)> = [
        ("kernels.ptx", data!("kernels.ptx")),
        ("kernels.sm_75.cubin", data!("kernels.sm_75.cubin")),
        ("kernels.sm_100.cubin", data!("kernels.sm_100.cubin")),
        ("large.sm_90.cubin", data!("large.sm_90.cubin")),
        ("one.none.fatbin", data!("one.none.fatbin")),
        ("targets.fatbin", data!("targets.fatbin")),
    ]
    .map(|(name, image)| (name.into(), image.to_vec()))
    .into();
    // Each target with the first PTX version that has it, and with the newest version.
    for (target, first) in [
        ("sm_75", "6.3"),
        ("sm_80", "7.0"),
        ("sm_86", "7.1"),
        ("sm_89", "7.8"),
        ("sm_90", "7.8"),
        ("sm_90a", "8.0"),
        ("sm_100", "8.6"),
        ("sm_100a", "8.6"),
        ("sm_100f", "8.8"),
        ("sm_103", "8.8"),
        ("sm_103f", "8.8"),
        ("sm_120", "8.7"),
        ("sm_120a", "8.7"),
        ("sm_121f", "8.8"),
    ] {
        for version in [first, "9.0", "9.1", "9.9"] {
            let name = format!("PTX {version} for {target}");
            images.push((name, ptx(version, target, ".address_size 64")));
        }
    }
    images.push(("PTX without address size".into(), ptx("7.0", "sm_75", "")));
    images.push(("PTX of 32 bits".into(), ptx("7.0", "sm_75", ".address_size 32")));
    images
}

/// CUDA C++ as text, as a file, and the name of its file.
fn cuda_source_is_named_as_such() -> Outcome {
    const SOURCE: &str = include_str!("../../../../ptx/saxpy.cu");
    let ctx = context()?;
    let file = std::env::temp_dir().join(format!("{}.saxpy.cu", std::process::id()));
    std::fs::write(&file, SOURCE)?;
    let loads = [
        Module::load(&ctx, SOURCE),
        Module::load(&ctx, SOURCE.as_bytes()),
        Module::load(&ctx, &file),
        Module::load(&ctx, "kernels/saxpy.cu"),
    ];
    std::fs::remove_file(&file)?;
    for load in loads {
        let error = load.expect_err("it is not compiled").to_string();
        for words in ["CUDA C++", "help: compile it", "`kernel-args-build`", "`Module::compile`"] {
            assert!(error.contains(words), "`{words}` is not in\n{error}");
        }
    }
    Ok(())
}

/// The folder of a missing file is shown, and what is in it; an object file of the host is named with its machine.
fn wrong_files_are_explained() -> Outcome {
    let ctx = context()?;
    let folder = std::env::temp_dir().join(format!("kernel-args-{}-files", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::create_dir_all(folder.join("ptx"))?;
    std::fs::write(folder.join("saxpy.ptx"), "")?;
    std::fs::write(folder.join("ptx/deep.ptx"), "")?;
    std::fs::write(folder.join("host.o"), [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 11], &[183, 0], &[0; 44]].concat())?;
    let load = |path: &Path| Module::load(&ctx, path).map(drop).expect_err("no image").to_string();
    let current = std::env::current_dir()?;
    let errors = [
        (
            load(&folder.join("saxpi.ptx")),
            vec!["the folder has saxpy.ptx".into(), format!("help: load {}", folder.join("saxpy.ptx").display())],
        ),
        // Often the folder of the images is left out.
        (load(&folder.join("deep.ptx")), vec![format!("help: load {}", folder.join("ptx").join("deep.ptx").display())]),
        (
            load(&folder.join("kernels/saxpy.ptx")),
            vec![format!("the folder {} does not exist", folder.join("kernels").display())],
        ),
        (
            load(Path::new("no_such_file.cubin")),
            vec![format!("the path starts at the current folder, {}", current.display())],
        ),
        (
            load(&folder.join("host.o")),
            vec!["host.o is not an image of kernels".into(), "for AArch64, not for NVIDIA GPUs".into()],
        ),
    ];
    std::fs::remove_dir_all(&folder)?;
    for (error, parts) in errors {
        println!("{error}\n");
        for part in parts {
            assert!(error.contains(&part), "`{part}` is not in\n{error}");
        }
    }
    Ok(())
}

/// An image without templates has no instance of one. The name expression is needed when the source is compiled.
fn a_missing_instance_names_the_expression() -> Outcome {
    let module = Module::load(&context()?, include_str!("../../../../ptx/saxpy.ptx"))?;
    let error = module.function("axpy<float>").expect_err("no template").to_string();
    for part in [
        "axpy<float>`: the module has no kernel with this name; the nearest are\n  saxpy\nhelp: ",
        ".name_expression(\"axpy<float>\")",
    ] {
        assert!(error.contains(part), "`{part}` is not in\n{error}");
    }
    Ok(())
}

/// The driver's own error for an image.
fn asked(ctx: &Arc<CudaContext>, image: &[u8]) -> Result<(), DriverError> {
    ctx.bind_to_thread()?;
    let mut image = image.to_vec();
    image.push(0);
    // SAFETY: the images above are complete, and PTX is NUL-terminated.
    let module = unsafe { result::module::load_data(image.as_ptr().cast()) }?;
    // SAFETY: it was loaded, and nothing uses it.
    unsafe { result::module::unload(module) }
}

fn verdict(image: &[u8], gpu: kernel_args::abi::Sm, driver: CudaVersion) -> (bool, bool) {
    let contents: Vec<Code> = contents(image).expect("these are images");
    let runs = contents.iter().map(|code| code.runs_on(gpu, Some(driver)));
    (runs.clone().any(|runs| runs == Ok(true)), runs.clone().all(|runs| runs.is_err()))
}

/// The driver also rejects the images that are rejected before the driver is called, and accepts the images that the
/// rules accept.
fn the_driver_agrees(is_real: bool) -> Outcome {
    let (versions, ctx) = (versions()?, context()?);
    let gpu = versions.gpus[0].sm;
    let mut counts = [0; 2];
    for (name, image) in images() {
        if !is_real && name.contains("fatbin") {
            continue;
        }
        let (runs, refused) = verdict(&image, gpu, versions.driver);
        let asked = asked(&ctx, &image);
        println!("{name:30} runs: {runs:5}  refused: {refused:5}  the driver: {asked:?}");
        let loaded = Module::load(&ctx, &image);
        assert_eq!(matches!(loaded, Err(Error::Load(LoadError::Incompatible(_)))), refused, "{name}: {loaded:?}");
        assert_eq!(loaded.is_ok(), asked.is_ok(), "{name}: {loaded:?}, {asked:?}");
        if runs {
            asked.map_err(|error| format!("{name}: by the rules it runs: {error:?}"))?;
            counts[0] += 1;
        } else if refused {
            assert!(asked.is_err(), "{name}: the driver takes it");
            counts[1] += 1;
        }
    }
    println!("{} run, {} are refused", counts[0], counts[1]);
    assert!(counts.iter().all(|&count| count >= 4), "{counts:?}");
    Ok(())
}

/// Compares images on different GPUs and drivers, which the test driver can simulate.
fn other_gpus_agree() -> Outcome {
    let control = Control::attach().ok_or("this is the test driver")?;
    let ctx = context()?;
    for (sm, name) in [(75, "7.5"), (89, "8.9"), (100, "10.0"), (121, "12.1"), (90, "9.0")] {
        assert!(control.set_sm(sm), "{name}");
        the_driver_agrees(false)?;
    }
    // The driver is older than the test driver's compiler: the image is rejected before the driver is called.
    control.set_version(12040);
    control.reset_calls();
    let error = Module::load(&ctx, ptx("8.5", "sm_90", "")).expect_err("8.5 is 12.5's");
    control.set_version(13000);
    assert_eq!(control.calls("cuModuleLoadDataEx"), 0);
    for part in [
        "the image was not loaded: the image has no code for this GPU (sm_90, with a driver for CUDA 12.4, which compiles PTX 8.4 and older)",
        "PTX 8.5 for sm_90: needs a driver for CUDA 12.5 (555) or newer",
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
    Ok(())
}

/// A fat binary with only LTO-IR, as `nvcc -dlto` makes one.
fn lto_ir_alone() -> Vec<u8> {
    const LTO_IR: u16 = 8;
    let number = |at: &[u8]| u64::from_le_bytes(*at.first_chunk().expect("it is long enough"));
    let image = data!("targets.fatbin");
    let (head, mut members) = image.split_at(16);
    loop {
        let header = (number(members) >> 32) as usize;
        let (member, rest) = members.split_at(header + number(&members[8..]) as usize);
        if member.starts_with(&LTO_IR.to_le_bytes()) {
            let length = (member.len() as u64).to_le_bytes();
            return [&head[..8], &length, member].concat();
        }
        members = rest;
    }
}

/// The error for each kind of image on a GPU that cannot run it. The driver is not called.
fn each_refusal_lists_what_there_is_and_what_is_needed() -> Outcome {
    const NEW_PTX: &[&str] = &[
        "the image was not loaded: the image has no code for this GPU (sm_90, with a driver for CUDA 13.0, which compiles PTX 9.0 and older)",
        "\n  PTX 9.1 for sm_75: needs a driver for CUDA 13.1 (590) or newer",
        "\nhelp: install a driver for CUDA 13.1 (590) or newer, or compile with CUDA 13.0 or older",
        "\nhelp: or ship a cubin",
    ];
    const FAT_BINARY: &[&str] = &[
        "no code for this GPU (sm_120, ",
        "\n  LTO-IR for sm_80: is not executable code: link it with nvcc or nvJitLink",
        "\n  PTX 9.0 for sm_100f: runs on GPUs of compute capability 10.0 and higher 10.x",
        "\n  PTX 9.0 for sm_90a: runs on GPUs of compute capability 9.0 only",
        "\n  a cubin for sm_100f: runs on GPUs of compute capability 10.0 and higher 10.x",
        "\n  a cubin for sm_80: runs on GPUs of compute capability 8.0 and higher 8.x",
        "\n  a cubin for sm_90a: runs on GPUs of compute capability 9.0 only",
        "\nhelp: compile it for this GPU, and for later ones: `nvcc -gencode arch=compute_120,code=[sm_120,compute_120]`",
        " allows instructions that other GPUs lack",
    ];
    const SPECIFIC: &[&str] = &[
        "no code for this GPU (sm_100, ",
        "\n  PTX 8.0 for sm_90a: runs on GPUs of compute capability 9.0 only",
        "\nhelp: the `a` of `sm_90a` allows instructions that other GPUs lack: remove it",
    ];
    const OF_32_BITS: &[&str] = &[
        "\n  PTX 7.0 of 32 bits for sm_75: has 32-bit addresses, but the GPU has 64-bit addresses",
        "\nhelp: compile it for 64 bits: `nvcc -m64`",
    ];
    const LTO_IR: &[&str] = &[
        "\n  LTO-IR for sm_80: is not executable code: link it with nvcc or nvJitLink",
        "\nhelp: compile it for this GPU, and for later ones: `nvcc -gencode arch=compute_80,",
    ];
    const TILE_IR: &[&str] = &[
        "\n  Tile IR for sm_90: needs a driver for CUDA 13.1 or newer",
        "\nhelp: compile it to a cubin, which this driver runs if it is from the same major release of CUDA: `nvcc --enable-tile \
         --tilecubin -arch=sm_90`",
    ];
    let control = Control::attach().ok_or("this is the test driver")?;
    let ctx = context()?;
    control.reset_calls();
    for (sm, image, parts) in [
        (90, data!("no_kernels/tile.fatbin").to_vec(), TILE_IR),
        (90, ptx("9.1", "sm_75", ""), NEW_PTX),
        (120, data!("targets.fatbin").to_vec(), FAT_BINARY),
        (100, ptx("8.0", "sm_90a", ""), SPECIFIC),
        (103, ptx("9.0", "sm_120", ""), &["runs on GPUs of compute capability 12.0 and higher\n"]),
        (90, ptx("7.0", "sm_75", ".address_size 32"), OF_32_BITS),
        (80, lto_ir_alone(), LTO_IR),
    ] {
        assert!(control.set_sm(sm));
        let loaded = Module::load(&ctx, image);
        assert!(control.set_sm(90));
        let text = loaded.expect_err("it cannot run").to_string();
        println!("{text}\n");
        for part in parts {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }
    assert_eq!(control.calls("cuModuleLoadDataEx"), 0);
    Ok(())
}

fn linked_images_are_looked_at_too() -> Outcome {
    let ctx = context()?;
    let images = [ptx("9.0", "sm_75", ""), ptx("9.9", "sm_75", "")];
    let images = images.iter().map(Into::into);
    let error = Module::link(&ctx, images, &JitOptions::new()).expect_err("9.9 is too new");
    assert!(matches!(&error, Error::Load(LoadError::Incompatible(image)) if image.contents.len() == 1), "{error}");
    Ok(())
}

/// After a load of PTX of an unsupported version, `cuLinkComplete` of driver 580.159.04 returns success although a
/// function is undefined: only the error log reports it.
fn an_undefined_function_is_an_error_of_the_link() -> Outcome {
    let ctx = context()?;
    let caller = b".version 7.0\n.target sm_75\n.address_size 64\n.extern .func missing_function();\n\
        .visible .entry k()\n{\n    call.uni missing_function;\n    ret;\n}\n";
    for round in 0..2 {
        let error = Module::link(&ctx, [caller.as_slice().into()], &JitOptions::new())
            .expect_err("`missing_function` is nowhere")
            .to_string();
        println!("{error}\n");
        for part in ["Undefined reference to 'missing_function'", "help: link the image that defines it"] {
            assert!(error.contains(part), "{part}, round {round}: {error}");
        }
        let sm = u32::from(versions()?.gpus[0].sm.0);
        Module::load_with(&ctx, ptx("9.9", "sm_75", ""), &JitOptions::new().target(sm)).expect_err("9.9 is too new");
    }
    Ok(())
}

/// A custom target is not rejected in advance: the driver's own errors are explained.
fn the_driver_s_errors_are_explained(driver: &Driver) -> Outcome {
    let ctx = context()?;
    let sm = u32::from(versions()?.gpus[0].sm.0);
    let load = |image: &[u8]| -> Result<String, String> {
        match Module::load_with(&ctx, image, &JitOptions::new().target(sm)) {
            Err(error @ Error::Load(LoadError::Rejected { .. })) => Ok(error.to_string()),
            other => Err(format!("{other:?}")),
        }
    };
    let other = if sm / 10 == 7 { data!("kernels.sm_100.cubin") } else { data!("kernels.sm_75.cubin") };
    let text = load(other)?;
    println!("{text}\n");
    for part in [
        "NO_BINARY_FOR_GPU (209)",
        "no code for this GPU",
        "the image has\n  a cubin for sm_",
        "help: compile it for this GPU",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = load(&ptx("9.9", "sm_75", ""))?;
    println!("{text}\n");
    for part in [
        "UNSUPPORTED_PTX_VERSION (222)",
        "the PTX version is newer than the driver",
        "PTX 9.9 for sm_75: needs a driver that is newer",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = load(b".version 7.0\n.target sm_75\n.visible .entry k() { no such thing; }")?;
    println!("{text}\n");
    for part in ["INVALID_PTX (218)", "the driver's compiler says:\n", "the image has\n  PTX 7.0 for sm_75"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    if driver.is_real() {
        return Ok(());
    }
    let control = Control::attach().ok_or("this is the test driver")?;
    for (code, part) in [
        (2, "not enough device memory"),
        (200, "it is damaged, its format is newer"),
        (221, "libnvidia-ptxjitcompiler.so"),
        (223, "unset `CUDA_DISABLE_JIT`"),
        (225, "cudaStreamTailLaunch"),
        (303, "help: link the images that define it: `Module::link`"),
        (700, "an EARLIER kernel accessed an invalid address"),
        (803, "different versions"),
    ] {
        control.fail_once("cuModuleLoadDataEx", code);
        let text = load(&ptx("9.0", "sm_75", ""))?;
        assert!(text.contains(part), "{code}: {text}");
    }
    control.fail_once("cuModuleLoadDataEx", 1);
    let options = JitOptions::new().max_registers(1000).verbose();
    let error = Module::load_with(&ctx, ptx("9.0", "sm_75", ""), &options).expect_err("ordered");
    assert!(error.to_string().contains("options: max_registers: 1000, verbose: 1"), "{error}");
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let (is_real, own) = (driver.is_real(), driver.clone());
    vec![
        trial("cuda_source_is_named_as_such", cuda_source_is_named_as_such),
        trial("wrong_files_are_explained", wrong_files_are_explained),
        trial("a_missing_instance_names_the_expression", a_missing_instance_names_the_expression),
        trial("the_driver_agrees", move || the_driver_agrees(is_real)),
        trial_unless(is_real.then_some("this machine has its own GPU"), "other_gpus_agree", other_gpus_agree),
        trial_unless(
            is_real.then_some("this machine has its own GPU"),
            "each_refusal_lists_what_there_is_and_what_is_needed",
            each_refusal_lists_what_there_is_and_what_is_needed,
        ),
        trial("linked_images_are_looked_at_too", linked_images_are_looked_at_too),
        trial("an_undefined_function_is_an_error_of_the_link", an_undefined_function_is_an_error_of_the_link),
        trial("the_driver_s_errors_are_explained", move || the_driver_s_errors_are_explained(&own)),
    ]
}
