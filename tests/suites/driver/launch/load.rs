//! Images, the driver's compiler and its linker.

use crate::launch::results::{Outcome, SAXPY, Saxpy};
use cudarc::driver::{CudaSlice, DevicePtrMut};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Module,
    error::{LoadError, VerifyError},
    image::{JitOptions, OptimizationLevel},
    launch,
    vector::Float4,
};
use kernel_args_test_kernels::unary;
use kernel_args_tests::driver::{Driver, context, trial};
use libtest_mimic::Trial;
use std::time::UNIX_EPOCH;

fn the_error_for_broken_ptx_contains_the_reason() -> Outcome {
    let broken = SAXPY.replacen(".param .f32", ".param .f33", 1);
    let error = Module::load(&context()?, broken).expect_err("the driver rejects it");
    let Error::Load(LoadError::Rejected { log, .. }) = &error else {
        return Err(format!("{error:?}").into());
    };
    assert!(!log.is_empty());
    assert!(error.to_string().contains("the driver's compiler says"), "{error}");
    Ok(())
}

fn a_file_that_is_not_an_image_is_rejected() -> Outcome {
    let ctx = context()?;
    assert!(matches!(Module::load(&ctx, ""), Err(Error::Load(LoadError::Image(_)))));
    for cut in [b"\x7fELF not really".as_slice(), b"\x7fELF"] {
        assert!(matches!(Module::load(&ctx, cut), Err(Error::Load(LoadError::Image(_)))));
    }
    assert!(matches!(Module::load(&ctx, "not PTX at all"), Err(Error::Load(LoadError::Rejected { .. }))));
    let file = std::path::Path::new("no/such/file.ptx");
    let error = Module::load(&ctx, file).expect_err("there is no such file");
    assert!(error.to_string().contains("no/such/file.ptx"), "{error}");
    Ok(())
}

/// Files that are often named by mistake are named as what they are, with their path.
fn a_file_of_another_format_is_named() -> Outcome {
    let ctx = context()?;
    let folder = tempfile::tempdir()?;
    let mut object = *b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0";
    object[16] = 1;
    for (bytes, what) in [
        (&b"version https://git-lfs.github.com/spec/v1\noid sha256:0f\nsize 12\n"[..], "git lfs pull"),
        (b"<!DOCTYPE html>\n<html></html>", "a web page (HTML)"),
        (b"extern \"C\" __global__ void k() {}", "CUDA C++"),
        (&[&object[..], &[0; 64]].concat(), "an object file, a library or a program for x86-64"),
        (b"", "empty"),
    ] {
        let file = folder.path().join("kernels.ptx");
        std::fs::write(&file, bytes)?;
        let error = Module::load(&ctx, &*file).expect_err("no image").to_string();
        assert!(error.contains(what) && error.contains("kernels.ptx"), "{error}");
    }
    let empty = Module::load(&ctx, ".version 8.0\n.target sm_80\n.address_size 64\n.global .f32 y;\n")?;
    let error = empty.kernel::<Saxpy>("saxpy").expect_err("no kernels").to_string();
    assert!(!error.contains("nearest"), "{error}");
    Ok(())
}

fn the_error_for_an_unknown_entry_names_a_similar_one() -> Outcome {
    let module = Module::load(&context()?, SAXPY)?;
    let error = module.kernel::<Saxpy>("saxpi").expect_err("no kernel has this name");
    assert!(error.to_string().contains("saxpy"), "{error}");
    assert_eq!(module.entries().collect::<Vec<_>>(), ["saxpy"]);
    Ok(())
}

/// `#[kernel_args(kernel = …)]` of a dependent crate, including an overload, and the image of an item as a module.
fn kernels_that_are_items_are_loaded() -> Outcome {
    #[derive(KernelArgs)]
    #[kernel_args(kernel = kernel_args_test_kernels::typed::saxpy)]
    struct Typed<T: DeviceType> {
        n: i32,
        alpha: T,
        x: DevicePointer<T>,
        y: DevicePointerMut<T>,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = unary, entries = "u*", T = f32 => "_f32", T = f64 => "_f64")]
    struct Unary<T: DeviceType> {
        n: u32,
        x: T,
        y: DevicePointerMut<T>,
    }

    let ctx = context()?;
    assert_eq!(Kernel::<Typed<f32>>::load(&ctx)?.name(), "_Z5saxpyifPKfPf");
    assert_eq!(Kernel::<Typed<f64>>::load(&ctx)?.name(), "_Z5saxpyidPKdPd");
    let module = Module::load(&ctx, unary::IMAGE)?;
    for kernel in unary::KERNELS {
        let fits = module.kernel::<Unary<f32>>(kernel.symbol()).is_ok();
        assert_eq!(fits, kernel.matches("u*", "_f32"), "{kernel:?}");
    }
    assert_eq!(module.entries().count(), unary::KERNELS.len(), "the module has what the items say");
    Ok(())
}

fn options_reach_the_compiler(driver: &Driver) -> Outcome {
    let options = JitOptions::new().max_registers(32).optimization(OptimizationLevel::O1).line_info().verbose();
    // The driver caches compiled code on disk, by options: on a cache hit it does not compile and writes no log.
    let unseen = UNIX_EPOCH.elapsed()?.as_nanos();
    let ptx = format!("{SAXPY}\n.global .b32 made_at_{unseen};\n");
    let module = Module::load_with(&context()?, ptx, &options)?;
    let _: Kernel<Saxpy> = module.kernel("saxpy")?;
    if driver.is_real() {
        assert!(module.log().contains("registers"), "{:?}", module.log());
        // A GPU of a different architecture: compiled, but not loadable here.
        let other = Module::load_with(&context()?, SAXPY, &JitOptions::new().target(75));
        assert!(other.is_err());
    }
    Ok(())
}

/// A kernel in one PTX that calls a device function in another.
const CALLER: &str = "
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 result) twice (.param .b32 x);
.visible .entry call_twice(.param .u64 out, .param .u32 x)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    .param .b32 argument;
    .param .b32 result;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [x];
    st.param.b32 [argument], %r1;
    call.uni (result), twice, (argument);
    ld.param.b32 %r2, [result];
    st.global.u32 [%rd2], %r2;
    ret;
}
";

const CALLEE: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) twice (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
";

#[derive(KernelArgs)]
struct CallTwice {
    out: DevicePointerMut<u32>,
    x: u32,
}

fn two_ptx_are_linked(driver: &Driver) -> Outcome {
    let ctx = context()?;
    let module = Module::link(&ctx, [CALLER.into(), CALLEE.into()], &JitOptions::new())?;
    let kernel: Kernel<CallTwice> = module.kernel("call_twice")?;
    let stream = ctx.default_stream();
    let mut out = stream.alloc_zeros::<u32>(1)?;
    {
        let (address, _guard) = out.device_ptr_mut(&stream);
        let out = DevicePointerMut::from_raw(address);
        // SAFETY: `out` has one element.
        unsafe { launch!(kernel, 1, 1, CallTwice { out, x: 21 })? };
    }
    assert_eq!(stream.clone_dtoh(&out)?, [42]);
    let alone = Module::link(&ctx, [CALLER.into()], &JitOptions::new());
    if driver.is_real() {
        let error = alone.expect_err("`twice` is nowhere");
        assert!(error.to_string().contains("twice"), "{error}");
    }
    Ok(())
}

/// `plain(char c, float4 v, double* out)`: `*out = c + v.x`.
#[derive(KernelArgs)]
struct Plain {
    c: i8,
    v: Float4,
    out: DevicePointerMut<f64>,
}

macro_rules! data {
    ($file:literal) => {
        include_bytes!(concat!("../../../../crates/image/tests/data/", $file)).as_slice()
    };
}

/// Fat binaries in the forms that nvcc writes, compressed or not: read, verified, loaded, launched.
fn fat_binaries() -> Outcome {
    #[derive(KernelArgs)]
    struct Wrong {
        c: i8,
        v: [f32; 4],
        out: DevicePointerMut<f64>,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    for image in [data!("one.none.fatbin"), data!("one.speed.fatbin"), data!("one.size.fatbin")] {
        let module = Module::load(&ctx, image)?;
        assert_eq!(module.entries().collect::<Vec<_>>(), ["plain"]);
        let wrong = module.kernel::<Wrong>("plain");
        assert!(matches!(&wrong, Err(Error::Verify(VerifyError::Mismatch(at))) if at.fields == ["v"]), "{wrong:?}");
        let kernel: Kernel<Plain> = module.kernel("plain")?;
        let mut out = stream.alloc_zeros::<f64>(1)?;
        {
            let (address, _guard) = out.device_ptr_mut(&stream);
            let args = Plain { c: 2, v: Float4::new(0.5, 0.0, 0.0, 0.0), out: DevicePointerMut::from_raw(address) };
            // SAFETY: `out` has one element.
            unsafe { launch!(kernel, 1, 1, args)? };
        }
        assert_eq!(stream.clone_dtoh(&out)?, [2.5]);
    }
    Ok(())
}

/// A cubin whose parameters exceed 4,352 bytes: it has the second kind of records.
fn a_cubin_with_a_large_block() -> Outcome {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Big {
        values: [i32; 1090],
    }
    #[derive(KernelArgs)]
    struct Large {
        big: Big,
        b: bool,
        out: DevicePointerMut<i32>,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel: Kernel<Large> = Kernel::from_image(&ctx, data!("large.sm_90.cubin"), "large")?;
    let mut out = stream.alloc_zeros::<i32>(1)?;
    let mut big = Big { values: [0; 1090] };
    big.values[0] = 41;
    {
        let (address, _guard) = out.device_ptr_mut(&stream);
        let out = DevicePointerMut::from_raw(address);
        // SAFETY: `out` has one element, and one thread runs.
        unsafe { launch!(kernel, 1, 1, Large { big, b: true, out })? };
    }
    assert_eq!(stream.clone_dtoh(&out)?.len(), 1);
    Ok(())
}

/// A kernel of CUDA Tile. The compiler has selected 128 threads for a block, but a launch has blocks of 1 thread.
fn a_tile_kernel(is_real: bool) -> Outcome {
    #[derive(KernelArgs)]
    struct Add<'a> {
        x: &'a mut CudaSlice<f32>,
        by: f32,
        n: i32,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel: Kernel<Add<'_>> = Kernel::from_image(&ctx, data!("tile.sm_90.cubin"), "add")?;
    let mut x = stream.clone_htod(&[1.0_f32; 128])?;
    let mut go = |block: u32| {
        let args = Add { x: &mut x, by: 0.5, n: 100 };
        // SAFETY: `x` has 100 elements.
        unsafe { launch!(kernel, 1, block, args) }
    };
    for block in [32, 64, 128] {
        let text = go(block).expect_err("it is not 1").to_string();
        let wanted = format!(
            "requested block ({block}, 1, 1), but this is a tile kernel, whose blocks are launched as 1 thread\nhelp: write `block = 1`"
        );
        assert!(text.contains(&wanted), "{text}");
    }
    go(1)?;
    let error = kernel.grid_and_block_for(100).expect_err("only the kernel knows");
    assert!(error.to_string().contains("each block computes a tile"), "{error}");
    // The test driver does not execute cubins.
    if is_real {
        let added = [[1.5; 100].as_slice(), &[1.0; 28]].concat();
        assert_eq!(stream.clone_dtoh(&x)?, added);
    }
    Ok(())
}

/// Threads of the compiler and of the loader, if the driver is new enough to know the options.
fn thread_counts_are_taken_or_refused() -> Outcome {
    let ctx = context()?;
    for options in [JitOptions::new().compile_threads(2), JitOptions::new().loader_threads(2)] {
        match Module::load_with(&ctx, SAXPY, &options) {
            Ok(module) => drop(module.kernel::<Saxpy>("saxpy")?),
            Err(Error::Load(LoadError::Rejected { call, .. })) => {
                println!("this driver refuses {options:?}: {call}");
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let (one, two) = (driver.clone(), driver.clone());
    let is_real = driver.is_real();
    vec![
        trial("fat_binaries", fat_binaries),
        trial("a_cubin_with_a_large_block", a_cubin_with_a_large_block),
        trial("a_tile_kernel", move || a_tile_kernel(is_real)),
        trial("thread_counts_are_taken_or_refused", thread_counts_are_taken_or_refused),
        trial("the_error_for_broken_ptx_contains_the_reason", the_error_for_broken_ptx_contains_the_reason),
        trial("a_file_that_is_not_an_image_is_rejected", a_file_that_is_not_an_image_is_rejected),
        trial("a_file_of_another_format_is_named", a_file_of_another_format_is_named),
        trial("kernels_that_are_items_are_loaded", kernels_that_are_items_are_loaded),
        trial("the_error_for_an_unknown_entry_names_a_similar_one", the_error_for_an_unknown_entry_names_a_similar_one),
        trial("options_reach_the_compiler", move || options_reach_the_compiler(&one)),
        trial("two_ptx_are_linked", move || two_ptx_are_linked(&two)),
    ]
}
