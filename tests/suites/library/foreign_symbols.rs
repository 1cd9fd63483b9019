//! Kernels of numba and rustc, whose mangled symbols are not C++: each comparison accepts right structs, and each name
//! finds its kernel.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use cudarc::driver::{CudaSlice, CudaView};
use half::f16;
use kernel_args::{
    DeviceType, Error, Image, KernelArgs, Module,
    error::{LoadError, VerifyError},
    image::CompiledImage,
};
use kernel_args_stand_in::{Settings, within};

const NUMBA: &str = include_str!("../../../crates/image/tests/data/numba_kernels.ptx");
const RUSTC: &str = include_str!("../../../crates/image/tests/data/rustc.ptx");
const LEGACY: &str = include_str!("../../../crates/image/tests/data/rustc.legacy.ptx");

const COPY: &str = "_ZN8__main__4copyB2v1B3cw5E10float32_2a10float32_2ai";
const ONE_INTEGER: &str = "_ZN8__main__12tuple_of_oneB2v1B3cw5E8UniTupleIxLi1EE8int64_2a";

kernel_args::kernels! {
    mod numba = "../crates/image/tests/data/numba_kernels.ptx", generate;
    mod rustc = "../crates/image/tests/data/rustc.ptx";
    mod legacy = "../crates/image/tests/data/rustc.legacy.ptx";
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Element {
    a: f32,
    b: i32,
    c: f64,
}

/// A right struct for a kernel of an image: compared at compile time, with the file and with the item of `kernels!`.
macro_rules! right {
    ($name:ident $(<$life:lifetime>)? { $($field:ident: $ty:ty),* } = $file:literal, $entry:literal, $item:path) => {
        #[derive(KernelArgs)]
        #[kernel_args(ptx = $file, entry = $entry)]
        struct $name $(<$life>)? { $($field: $ty),* }

        const _: () = {
            #[derive(KernelArgs)]
            #[kernel_args(kernel = $item)]
            struct OfItem $(<$life>)? { $($field: $ty),* }
        };
    };
}

right! { Record<'a> { r: &'a mut CudaSlice<Element> } = "../crates/image/tests/data/numba_kernels.ptx", "record", numba::record }
right! { OneDouble<'a> { t: f64, p: &'a mut CudaSlice<f64> } = "../crates/image/tests/data/numba_kernels.ptx", "tuple_of_one", numba::tuple_of_one }
right! { OneInteger<'a> { t: i64, p: &'a mut CudaSlice<i64> } = "../crates/image/tests/data/numba_kernels.ptx",
"_ZN8__main__12tuple_of_oneB2v1B3cw5E8UniTupleIxLi1EE8int64_2a", numba::tuple_of_one }
right! { Copy<'a> { p: &'a mut CudaSlice<f32>, q: &'a CudaSlice<f32>, n: i32 } = "../crates/image/tests/data/numba_kernels.ptx", "__main__::copy", numba::copy }
right! { Half<'a> { x: f16, p: &'a mut CudaSlice<f16> } = "../crates/image/tests/data/numba_kernels.ptx", "half", numba::half }
right! { Tuples<'a> { a: i32, b: i32, p: &'a mut CudaSlice<i32> } = "../crates/image/tests/data/numba_kernels.ptx", "tuples", numba::tuples }
right! { Time<'a> { t: i64, p: &'a mut CudaSlice<i64> } = "../crates/image/tests/data/numba_kernels.ptx", "time", numba::time }
right! { Unused<'a> { n: i32, p: CudaView<'a, f32> } = "../crates/image/tests/data/numba_kernels.ptx", "unused", numba::unused }
right! { Marked<'a> { n: i32, p: CudaView<'a, f32> } = "../crates/image/tests/data/numba_kernels.ptx", "marked", numba::marked }
right! { Numbers<'a> { a: i8, b: u8, c: isize, d: f32, e: f64, p: &'a mut CudaSlice<f64> } = "../crates/image/tests/data/numba_kernels.ptx", "numbers", numba::numbers }
right! { ComplexNumber { re: f32, im: f32 } = "../crates/image/tests/data/numba_kernels.ptx", "complex_number", numba::complex_number }
right! { Step<'a> { x: u32, p: &'a mut CudaSlice<u32> } = "../crates/image/tests/data/rustc.ptx", "device::sim::step", rustc::step_device_sim }
right! { InnerStep<'a> { x: f32, p: &'a mut CudaSlice<f32> } = "../crates/image/tests/data/rustc.ptx", "inner::step", rustc::step_device_sim_inner }
right! { Fill<'a> { x: f32, p: &'a mut CudaSlice<f32> } = "../crates/image/tests/data/rustc.ptx", "fill::<f32>", rustc::fill_f32 }
right! { Run<'a> { p: &'a mut CudaSlice<u32> } = "../crates/image/tests/data/rustc.legacy.ptx", "Solver::run", legacy::run }

/// PTX and an image of `kernels!`, then both without their code.
fn images<'i>(ptx: &'i str, compiled: &'static CompiledImage) -> [Image<'i>; 4] {
    let (ptx, compiled) = (Image::from(ptx), Image::from(compiled));
    let without = |image: &Image<'i>| image.clone().without_code();
    [ptx.clone(), compiled.clone(), without(&ptx), without(&compiled)]
}

fn accepted<A: KernelArgs>(images: &[Image<'_>], names: &[&str]) {
    let ctx = kernel_args::context(0).expect("the test driver has a device");
    for image in images {
        let module = Module::load(&ctx, image.clone()).expect("it loads");
        for name in names {
            if let Err(error) = module.kernel::<A>(name) {
                panic!("{name}: {error}");
            }
        }
    }
}

#[derive(KernelArgs)]
struct UnsignedCopy<'a> {
    p: &'a mut CudaSlice<f32>,
    q: &'a CudaSlice<f32>,
    n: u32,
}

#[test]
fn right_structs_for_kernels_of_numba_are_accepted() {
    within(&Settings::new(), |_| {
        let numba = &images(NUMBA, numba::IMAGE);
        accepted::<Record<'_>>(numba, &["record", "__main__::record"]);
        accepted::<OneDouble<'_>>(numba, &["tuple_of_one"]);
        accepted::<OneInteger<'_>>(numba, &[ONE_INTEGER]);
        accepted::<Copy<'_>>(numba, &[COPY]);
        // The types are also ignored if the code is not compared with arguments.
        accepted::<UnsignedCopy<'_>>(numba, &[COPY]);
        // The code shows which of both it is.
        accepted::<Copy<'_>>(&numba[..2], &["copy"]);
        accepted::<Half<'_>>(numba, &["half"]);
        accepted::<Tuples<'_>>(numba, &["tuples"]);
        accepted::<Time<'_>>(numba, &["time"]);
        accepted::<Unused<'_>>(numba, &["unused"]);
        accepted::<Marked<'_>>(numba, &["marked"]);
        accepted::<Numbers<'_>>(numba, &["numbers"]);
        accepted::<ComplexNumber>(numba, &["complex_number"]);
    });
}

#[test]
fn kernels_of_rustc_are_found_by_their_names() {
    within(&Settings::new(), |_| {
        let (v0, legacy) = (&images(RUSTC, rustc::IMAGE), &images(LEGACY, legacy::IMAGE));
        for image in [v0, legacy] {
            accepted::<Step<'_>>(image, &["device::sim::step", "sim::step", "step"]);
            accepted::<InnerStep<'_>>(image, &["device::sim::inner::step", "inner::step", "step"]);
            accepted::<Run<'_>>(image, &["run"]);
        }
        accepted::<Fill<'_>>(v0, &["fill<f32>", "fill::<f32>", "device::sim::inner::fill::<f32>"]);
        accepted::<Run<'_>>(v0, &["<device::sim::Solver>::run"]);
        accepted::<Run<'_>>(legacy, &["device::sim::Solver::run"]);
    });
}

#[test]
fn variables_of_rustc_are_found_by_their_names() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        for image in [Image::from(RUSTC), LEGACY.into(), rustc::IMAGE.into(), legacy::IMAGE.into()] {
            let module = Module::load(&ctx, image).expect("it loads");
            for (name, length) in
                [("device::sim::DT", 4), ("sim::DT", 4), ("DT", 4), ("device::COUNT", 8), ("COUNT", 8)]
            {
                assert_eq!(module.global_bytes(name).expect(name).len(), length);
            }
            assert!(module.global_bytes("device::DT").is_err());
        }
        // The items of `kernels!`.
        let module = Module::load(&ctx, rustc::IMAGE).expect("it loads");
        module.global::<[f32; 1]>(rustc::DT).expect("it fits");
    });
}

#[derive(KernelArgs)]
struct WideCount<'a> {
    p: &'a mut CudaSlice<f32>,
    q: &'a CudaSlice<f32>,
    n: i64,
}

#[derive(KernelArgs)]
struct Reading<'a> {
    r: CudaView<'a, Element>,
}

/// What PTX declares and what the code does is still compared.
#[test]
fn wrong_structs_for_kernels_of_numba_are_refused_without_the_types_of_the_symbol() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        for image in [Image::from(NUMBA), numba::IMAGE.into()] {
            let module = Module::load(&ctx, image).expect("it loads");
            let refused = |error: Error| {
                let text = error.to_string();
                assert!(matches!(error, Error::Verify(VerifyError::Mismatch(_))), "{text}");
                assert!(text.starts_with("kernel `__main__::record`"), "{text}");
                assert!(!text.contains("_2a") && !text.contains("Record<457>"), "{text}");
            };
            refused(module.kernel::<Reading<'_>>("record").unwrap_err());
            refused(module.kernel::<ComplexNumber>("record").unwrap_err());
            let text = module.kernel::<WideCount<'_>>("copy").unwrap_err().to_string();
            assert!(!text.contains("_2a"), "{text}");
        }
    });
}

/// A hint that names a kernel names only one.
#[test]
fn kernels_of_one_name_are_listed_by_their_symbols() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        for image in [Image::from(NUMBA), numba::IMAGE.into()] {
            let module = Module::load(&ctx, image.without_code()).expect("it loads");
            let error = module.function("__main__::tuple_of_one").unwrap_err();
            let Error::Load(LoadError::NotFound { candidates, .. }) = &error else {
                panic!("{error}");
            };
            println!("{error}");
            assert_eq!(candidates.len(), 2, "{error}");
            for candidate in candidates {
                module.function(candidate).expect("it names one kernel");
            }
        }
    });
}
