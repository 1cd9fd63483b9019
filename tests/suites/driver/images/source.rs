//! Sources that are compiled at run time: the results, and the error for each mistake.

use crate::images::Outcome;
use cudarc::driver::CudaSlice;
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, KernelArgs, Module,
    abi::CppBase,
    args::Pointee,
    compile::{CompileOptions, CppStandard},
    error::{CompileError, LoadError, VerifyError},
    image::JitOptions,
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_test_generator::tools;
use kernel_args_tests::{
    driver::{Driver, context},
    nvrtc::NVRTC,
};
use libtest_mimic::{Completion, Trial};

pub(crate) const AXPY: &str = "\
template <typename T>
__global__ void axpy(unsigned n, T a, T const* x, T* y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
";

#[derive(KernelArgs)]
pub(crate) struct Axpy<T: DeviceType + Pointee> {
    pub(crate) n: u32,
    pub(crate) a: T,
    pub(crate) x: DevicePointer<T>,
    pub(crate) y: DevicePointerMut<T>,
}

#[derive(KernelArgs)]
struct AxpySlices<'a> {
    n: u32,
    a: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// The text of the error that the compilation returns.
fn refused(source: &str, options: &CompileOptions) -> Result<String, Box<dyn std::error::Error>> {
    match Module::compile(&context()?, source, options) {
        Err(error @ Error::Compile(CompileError::Nvrtc(_))) => Ok(error.to_string()),
        other => Err(format!("{other:?}").into()),
    }
}

/// All of `parts` are in `text`.
pub(crate) fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

fn a_template_is_found_by_its_name_expression(driver: &Driver) -> Outcome {
    let ctx = context()?;
    let options =
        CompileOptions::new().name("axpy.cu").name_expression("axpy<float>").name_expression("&axpy< double >");
    // The test driver executes PTX, and no machine code.
    let options = if driver.is_real() { options } else { options.to_ptx() };
    let module = Module::compile(&ctx, AXPY, &options)?;
    assert_eq!(module.entries().count(), 2);
    let kernel = module.kernel::<AxpySlices>("axpy<float>")?.require_verified()?;
    assert_eq!(kernel.name(), "_Z4axpyIfEvjT_PKS0_PS0_");
    let double = module.kernel::<Axpy<f64>>("&axpy< double >")?;
    assert_eq!(double.name(), "_Z4axpyIdEvjT_PKS0_PS0_");
    assert_eq!(module.function("&axpy< double >")?.name(), double.name());
    // The plain name has two instances: the struct selects one.
    assert_eq!(module.kernel::<Axpy<f64>>("axpy")?.name(), double.name());
    let wrong = module.kernel::<Axpy<f64>>("axpy<float>");
    assert!(matches!(&wrong, Err(Error::Verify(VerifyError::Mismatch(_)))), "{wrong:?}");
    let missing = module.kernel::<Axpy<f32>>("axpy<int>").expect_err("it was not asked for");
    has(&missing.to_string(), &["axpy<int>", "name_expression", "axpy<float>"]);

    // Without any expression the module has no kernel at all.
    let none = Module::compile(&ctx, AXPY, &CompileOptions::new().name("axpy.cu"))?;
    let missing = none.kernel::<Axpy<f32>>("axpy<float>").expect_err("it was not asked for");
    has(&missing.to_string(), &["cannot find kernel `axpy<float>`", "help: ", ".name_expression(\"axpy<float>\")"]);

    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[1.0_f32, 2.0, 3.0])?;
    let mut y = stream.clone_htod(&[10.0_f32; 3])?;
    let args = AxpySlices { n: 3, a: 2.0, x: &x, y: &mut y };
    // SAFETY: both slices have `n` elements.
    unsafe { launch!(kernel, 1, 32, args)? };
    assert_eq!(stream.clone_dtoh(&y)?, [12.0, 14.0, 16.0]);
    Ok(())
}

/// A cubin contains no types of `extern "C"` kernels and no alignments: they come from the PTX of the same source.
fn a_cubin_is_verified_by_the_ptx_it_was_made_from() -> Outcome {
    #[derive(KernelArgs)]
    struct Wrong {
        x: u32,
        out: DevicePointerMut<f32>,
    }
    #[derive(KernelArgs)]
    struct Right {
        x: f32,
        out: DevicePointerMut<f32>,
    }
    const SOURCE: &str = "extern \"C\" __global__ void store(float x, float* out) { *out = x; }";
    let ctx = context()?;
    let compiled = CompileOptions::new().compile(&ctx, SOURCE)?;
    assert!(compiled.image().starts_with(b"\x7fELF"), "{compiled:?}");
    assert!(compiled.architecture().starts_with("sm_"));
    let module = Module::load(&ctx, &compiled)?;
    drop(module.kernel::<Right>("store")?);
    let wrong = module.kernel::<Wrong>("store");
    assert!(matches!(&wrong, Err(Error::Verify(VerifyError::Mismatch(at))) if at.fields == ["x"]), "{wrong:?}");
    // The cubin alone does not contain them.
    drop(Module::load(&ctx, compiled.image())?.kernel::<Wrong>("store")?);
    Ok(())
}

fn errors_point_at_the_line_of_the_named_source() -> Outcome {
    let source = "__global__ void k(float* y)\n{\n    y[0] = missing;\n}\n";
    let text = refused(source, &CompileOptions::new().name("kernels/k.cu"))?;
    println!("{text}\n");
    has(
        &text,
        &[
            "`kernels/k.cu` was not compiled: nvrtcCompileProgram returned NVRTC_ERROR_COMPILATION (6)",
            "kernels/k.cu(3): error: identifier \"missing\" is undefined",
            "y[0] = missing;\n             ^",
        ],
    );
    // In a header, by the header's name.
    let options = CompileOptions::new().header("a.h", "\nint f() { return missing; }\n");
    let text = refused("#include \"a.h\"\n", &options)?;
    has(&text, &["`source.cu` was not compiled", "a.h(2): error: identifier \"missing\" is undefined"]);
    let text = refused("#include \"nowhere.h\"\n", &CompileOptions::new())?;
    println!("{text}\n");
    has(&text, &["source.cu(1)", "nowhere.h", "help: add the header's folder with `include_path`"]);
    let text = refused(AXPY, &CompileOptions::new().name_expression("axpy<Missing>"))?;
    println!("{text}\n");
    has(&text, &["identifier \"Missing\" is undefined", "help: a name expression is"]);
    let text = refused(AXPY, &CompileOptions::new().option("--no-such-option"))?;
    has(&text, &["--no-such-option", "help: NVRTC has its own options"]);
    let text = refused(AXPY, &CompileOptions::new().architecture("sm_12345"))?;
    has(&text, &["help: this NVRTC does not support the architecture"]);
    let text = refused(AXPY, &CompileOptions::new().architecture("hopper"))?;
    has(&text, &["`hopper` is not an architecture", "help: write it as nvcc does: `sm_90`"]);
    let text = refused("int a;\0", &CompileOptions::new())?;
    has(&text, &["the source contains a NUL"]);
    let text = refused(AXPY, &CompileOptions::new().option("-dlto"))?;
    has(&text, &["it made neither PTX nor a cubin", "help: leave out"]);
    Ok(())
}

fn warnings_are_in_the_log() -> Outcome {
    let source = "__global__ void k() {\n    int unused;\n}\n";
    let module = Module::compile(&context()?, source, &CompileOptions::new().name("w.cu"))?;
    has(module.log(), &["w.cu(2)", "warning", "unused"]);
    let quiet = CompileOptions::new().option("--disable-warnings");
    assert_eq!(Module::compile(&context()?, source, &quiet)?.log(), "");
    Ok(())
}

fn headers_macros_and_the_standard_reach_the_compiler() -> Outcome {
    let folder = std::env::temp_dir().join(format!("kernel-args-headers-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("in_folder.h"), "#define IN_FOLDER 3\n")?;
    let source = "
#include \"as_text.h\"
#include <in_folder.h>
static_assert(AS_TEXT == 1 && IN_FOLDER == 3 && DEFINED == 7, \"\");
static_assert(__cplusplus >= 202002L, \"\");
template <typename T> concept Any = true;
extern \"C\" __global__ void k(float x[N]) {}
";
    let options = CompileOptions::new()
        .header("as_text.h", "#define AS_TEXT 1\n")
        .include_path(&folder)
        .define("DEFINED", 7)
        .define("N", "(2 + 3)")
        .standard(CppStandard::Cpp20)
        .flush_denormals(true)
        .precise_division(false)
        .precise_square_root(false)
        .fused_multiply_add(false)
        .max_registers(40)
        .line_info();
    let module = Module::compile(&context()?, source, &options)?;
    assert_eq!(module.entries().collect::<Vec<_>>(), ["k"]);
    let options = options.standard(CppStandard::Cpp17);
    has(&refused(source, &options)?, &["error"]);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// PTX for the driver's compiler, with its options.
fn ptx_is_compiled_by_the_driver() -> Outcome {
    let ctx = context()?;
    let options = CompileOptions::new().to_ptx().name_expression("axpy<float>");
    let compiled = options.compile(&ctx, AXPY)?;
    assert!(compiled.architecture().starts_with("compute_"), "{compiled:?}");
    assert_eq!(compiled.image(), compiled.ptx());
    let symbol = compiled.symbol("axpy<float>").ok_or("no symbol")?;
    assert_eq!((symbol, compiled.symbol("axpy<int>")), ("_Z4axpyIfEvjT_PKS0_PS0_", None));
    let module = Module::load_with(&ctx, &compiled, &JitOptions::new().verbose())?;
    drop(module.kernel::<Axpy<f32>>("axpy<float>")?);
    // An older virtual architecture, by its name.
    let older = CompileOptions::new().architecture("compute_75").compile(&ctx, AXPY)?;
    has(std::str::from_utf8(older.ptx())?, &[".target sm_75"]);
    drop(Module::load(&ctx, older)?);
    Ok(())
}

/// Code for a different GPU is rejected when it is loaded, as for any image.
fn another_gpu_s_code_is_refused() -> Outcome {
    let other = if context()?.compute_capability()?.0 == 12 { "sm_80" } else { "sm_120" };
    let options = CompileOptions::new().architecture(other);
    let error = Module::compile(&context()?, AXPY, &options.name_expression("axpy<int>")).expect_err("another GPU");
    assert!(matches!(error, Error::Load(LoadError::Incompatible(_))), "{error}");
    Ok(())
}

/// For a GPU that NVRTC does not know, it compiles PTX for the newest architecture that it knows.
fn a_gpu_that_nvrtc_does_not_know_gets_ptx() -> Outcome {
    let control = Control::attach().ok_or("this is the test driver")?;
    assert!(control.set_sm(102));
    let compiled = CompileOptions::new().compile(&context()?, AXPY);
    assert!(control.set_sm(90));
    assert_eq!(compiled?.architecture(), "compute_100");
    Ok(())
}

/// The C++ types of one kernel come from its symbol, as for any image.
fn types_come_from_the_symbol() -> Outcome {
    let ctx = context()?;
    let options = CompileOptions::new().name_expression("axpy<float>");
    let compiled = options.compile(&ctx, AXPY)?;
    let image = kernel_args_image::Image::read(compiled.image())?;
    let kernels = image.kernels()?;
    let kernel = kernels.kernel("_Z4axpyIfEvjT_PKS0_PS0_", None).ok_or("no kernel")?;
    assert_eq!(kernel.parameters()[2].cpp.depth, 1);
    assert_ne!(kernel.parameters()[1].cpp.base, CppBase::Unknown);
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let own = driver.clone();
    let real = driver.is_real().then_some("this machine has its own GPU");
    vec![
        tools::trial("a_template_is_found_by_its_name_expression", &[NVRTC], move || {
            a_template_is_found_by_its_name_expression(&own)
        }),
        tools::trial(
            "a_cubin_is_verified_by_the_ptx_it_was_made_from",
            &[NVRTC],
            a_cubin_is_verified_by_the_ptx_it_was_made_from,
        ),
        tools::trial(
            "errors_point_at_the_line_of_the_named_source",
            &[NVRTC],
            errors_point_at_the_line_of_the_named_source,
        ),
        tools::trial("warnings_are_in_the_log", &[NVRTC], warnings_are_in_the_log),
        tools::trial(
            "headers_macros_and_the_standard_reach_the_compiler",
            &[NVRTC],
            headers_macros_and_the_standard_reach_the_compiler,
        ),
        tools::trial("ptx_is_compiled_by_the_driver", &[NVRTC], ptx_is_compiled_by_the_driver),
        tools::trial("another_gpu_s_code_is_refused", &[NVRTC], another_gpu_s_code_is_refused),
        tools::trial("a_gpu_that_nvrtc_does_not_know_gets_ptx", &[NVRTC], move || match real {
            Some(why) => Ok(Completion::ignored_with(why)),
            None => a_gpu_that_nvrtc_does_not_know_gets_ptx().map(|()| Completion::Completed),
        }),
        tools::trial("types_come_from_the_symbol", &[NVRTC], types_come_from_the_symbol),
    ]
}
