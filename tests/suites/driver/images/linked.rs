//! Sources that are compiled at run time, linked with each other and with existing images.

use crate::images::{Outcome, source::has};
use cudarc::driver::{CudaContext, DevicePtrMut};
use kernel_args::{
    DevicePointerMut, KernelArgs, Module,
    compile::{CompileOptions, CompiledSource},
    image::JitOptions,
    launch,
};
use kernel_args_test_generator::tools;
use kernel_args_tests::{
    driver::{Driver, context},
    nvrtc::NVRTC,
};
use libtest_mimic::Trial;
use std::sync::Arc;

#[derive(KernelArgs)]
struct Scale {
    out: DevicePointerMut<i32>,
    x: i32,
}

const KERNEL: &str = "
extern __device__ int scaled(int x);
template <int N> __global__ void scale(int* out, int x) { *out = scaled(x) + N; }
";
const LIBRARY: &str = "__device__ int scaled(int x) { return 2 * x; }";

/// `scaled` as a device library in hand-written PTX.
const LIBRARY_PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) _Z6scaledi (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
";

fn linked_sources_run(driver: &Driver) -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let options = CompileOptions::new().relocatable(true);
    let compile = |options: &CompileOptions, source: &str| -> Result<CompiledSource, kernel_args::Error> {
        options.compile(&ctx, source)
    };
    for to_ptx in [false, true] {
        let options = if to_ptx { options.clone().to_ptx() } else { options.clone() };
        let kernel = compile(&options.clone().name_expression("scale<40>"), KERNEL)?;
        let library = compile(&options, LIBRARY)?;
        for library in [library.into(), LIBRARY_PTX.into()] {
            let module = Module::link(&ctx, [(&kernel).into(), library], &JitOptions::new())?;
            let scale = module.kernel::<Scale>("scale<40>")?;
            let mut out = stream.alloc_zeros::<i32>(1)?;
            {
                let (address, _guard) = out.device_ptr_mut(&stream);
                let args = Scale { out: DevicePointerMut::from_raw(address), x: 1 };
                // SAFETY: `out` has one element.
                unsafe { launch!(scale, 1, 1, args)? };
            }
            // The test driver executes PTX, and no machine code.
            if to_ptx || driver.is_real() {
                assert_eq!(stream.clone_dtoh(&out)?, [42]);
            }
        }
        // The test driver reports no undefined functions.
        if driver.is_real() {
            alone(&ctx, &kernel, to_ptx)?;
            let alone = Module::link(&ctx, [(&kernel).into()], &JitOptions::new()).expect_err("`scaled` is nowhere");
            println!("{alone}\n");
            has(&alone.to_string(), &["scaled"]);
        }
    }
    Ok(())
}

/// Errors of driver 580 for a kernel that calls an undefined function: PTX does not compile; a cubin is loaded, but its
/// kernel is not found.
fn alone(ctx: &Arc<CudaContext>, kernel: &CompiledSource, is_ptx: bool) -> Outcome {
    let module = match Module::load(ctx, kernel) {
        Ok(module) => module,
        Err(error) => {
            println!("{error}\n");
            return Ok(());
        }
    };
    assert!(!is_ptx);
    let stream = ctx.default_stream();
    let mut out = stream.alloc_zeros::<i32>(1)?;
    let mut launched = || -> Outcome {
        let scale = module.kernel::<Scale>("scale<40>")?;
        let (address, _guard) = out.device_ptr_mut(&stream);
        let args = Scale { out: DevicePointerMut::from_raw(address), x: 1 };
        // SAFETY: `out` has one element.
        unsafe { launch!(scale, 1, 1, args)? };
        Ok(stream.synchronize()?)
    };
    let error = launched().err().ok_or("a kernel ran whose function is nowhere")?;
    println!("{error}\n");
    has(&error.to_string(), &["is relocatable code", "`Module::link`"]);
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let own = driver.clone();
    vec![tools::trial("linked_sources_run", &[NVRTC], move || linked_sources_run(&own))]
}
