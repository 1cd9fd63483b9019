//! The code of kernels, compared with arguments when they are loaded: without debug information and without types in
//! the symbols.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use cudarc::{
    driver::{CudaContext, CudaSlice, CudaView},
    nvrtc::Ptx,
};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Image, Kernel, KernelArgs, Module, error::VerifyError,
    vector::Float4,
};
use kernel_args_stand_in::{Settings, within};
use std::sync::Arc;

const CODE: &str = include_str!("../../../ptx/code.ptx");
/// A cubin and PTX of the same kernel, `plain(char, float4, double*)`.
const FATBIN: &[u8] = include_bytes!("../../../crates/image/tests/data/one.none.fatbin");
/// This kernel without PTX.
const CUBIN: &[u8] = include_bytes!("../../../crates/image/tests/data/kernels.sm_75.cubin");

kernel_args::kernels! { mod table = "../ptx/code.ptx"; }

fn context() -> Arc<CudaContext> {
    kernel_args::context(0).expect("the test driver has a device")
}

/// The wrong fields and the error, or `None` if the kernel is accepted.
fn refused<A: KernelArgs>(module: &Module, entry: &str) -> Option<(Vec<String>, String)> {
    match module.kernel::<A>(entry) {
        Ok(_) => None,
        Err(Error::Verify(VerifyError::Mismatch(mismatch))) => Some((mismatch.fields.clone(), mismatch.to_string())),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn assert_refused<A: KernelArgs>(module: &Module, entry: &str, field: &str, words: &str) {
    let (fields, error) = refused::<A>(module, entry).expect("the struct is wrong");
    assert!(fields.contains(&field.to_owned()), "{fields:?} {error}");
    assert!(error.contains(words), "{error}");
}

#[derive(KernelArgs)]
struct Scale<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Shared<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f32>,
    y: CudaView<'a, f32>,
}

#[derive(KernelArgs)]
struct Exchanged<'a> {
    n: u32,
    factor: f32,
    y: &'a mut CudaSlice<f32>,
    x: &'a CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Doubles<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<f64>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Rows<'a> {
    n: u32,
    stride: DevicePointer<i64>,
    input: &'a CudaSlice<f64>,
    sums: &'a mut CudaSlice<f32>,
}

/// Like `Rows`, and each remark is an error.
#[derive(KernelArgs)]
#[kernel_args(strict_code)]
struct StrictRows<'a> {
    n: u32,
    stride: DevicePointer<i64>,
    input: &'a CudaSlice<f64>,
    sums: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Integers<'a> {
    n: u32,
    factor: f32,
    x: &'a CudaSlice<i32>,
    y: u64,
}

#[derive(KernelArgs)]
#[kernel_args(strict_code)]
struct StrictIntegers<'a> {
    #[kernel_args(flatten)]
    inner: Integers<'a>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View<P> {
    data: P,
    stride: i64,
}

#[derive(KernelArgs)]
struct Fill<P: DeviceType> {
    view: View<P>,
    value: f32,
}

#[derive(KernelArgs)]
#[kernel_args(strict_code)]
struct StrictFill<P: DeviceType> {
    view: View<P>,
    value: f32,
}

#[derive(KernelArgs)]
struct PlainCounter<'a> {
    n: u32,
    limit: i32,
    values: &'a CudaSlice<i32>,
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
struct SharedCounter<'a> {
    n: u32,
    limit: i32,
    values: &'a CudaSlice<i32>,
    #[kernel_args(shared_write)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
struct OpaqueDoubles<'a> {
    n: u32,
    factor: f32,
    #[kernel_args(opaque)]
    x: &'a CudaSlice<f64>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Bytes {
    n: u32,
    factor: f32,
    x: DevicePointer<u8>,
    y: DevicePointerMut<Float4>,
}

#[derive(KernelArgs)]
struct Plain<P: DeviceType> {
    c: i8,
    v: Float4,
    out: P,
}

/// Each mistake, at the load of PTX and of an image of `kernels!`, which is not analysed again.
#[test]
fn each_mistake_is_refused_when_the_kernel_is_loaded() {
    within(&Settings::new(), |_| {
        let ctx = context();
        for module in [Module::load(&ctx, CODE), Module::load(&ctx, table::IMAGE)] {
            let module = module.expect("it loads");
            let written =
                "the kernel writes through `y` (`st.global.f32` at code.cu:14): declare `y: CudaViewMut<'a, f32>`";
            assert_refused::<Shared<'_>>(&module, "scale", "y", written);
            assert_refused::<Exchanged<'_>>(&module, "scale", "x", "look exchanged");
            let elements = "the kernel accesses `float` elements through `x` (`ld.global.f32` at code.cu:14)";
            assert_refused::<Doubles<'_>>(&module, "scale", "x", elements);
            let member = "the kernel writes through `data`";
            assert_refused::<Fill<DevicePointer<f32>>>(&module, "fill", "view", member);
            let atomic = "the kernel writes through `counter` (`atom.global.add.u32` at code.cu:32)";
            assert_refused::<PlainCounter<'_>>(&module, "count", "counter", atomic);
        }
    });
}

/// What right programs can show, too: an address that is only a number, integers for the bits of floats, an address in
/// an integer.
#[test]
fn remarks_are_errors_only_if_the_struct_asks_for_them() {
    within(&Settings::new(), |_| {
        let ctx = context();
        for module in [Module::load(&ctx, CODE), Module::load(&ctx, table::IMAGE)] {
            let module = module.expect("it loads");
            assert_eq!(refused::<Rows<'_>>(&module, "rows"), None);
            let integer = "the kernel uses `stride` as an integer (`mul.lo.s64` at code.cu:23): declare `stride: u64`";
            assert_refused::<StrictRows<'_>>(&module, "rows", "stride", integer);
            assert_eq!(refused::<Integers<'_>>(&module, "scale"), None);
            let elements = "accesses `float` elements through `inner.x` (`ld.global.f32` at code.cu:14)";
            assert_refused::<StrictIntegers<'_>>(&module, "scale", "inner.x", elements);
            assert_refused::<StrictIntegers<'_>>(&module, "scale", "inner.y", "inner.y");
            // A copy of 4 bytes is no arithmetic.
            assert_eq!(refused::<Fill<DevicePointerMut<f64>>>(&module, "fill"), None);
            let member = "the kernel accesses `float` elements through `data`";
            assert_refused::<StrictFill<DevicePointerMut<f64>>>(&module, "fill", "view", member);
        }
    });
}

#[test]
fn right_structs_and_fields_that_are_not_compared_are_accepted() {
    within(&Settings::new(), |_| {
        let ctx = context();
        for module in [Module::load(&ctx, CODE), Module::load(&ctx, table::IMAGE)] {
            let module = module.expect("it loads");
            assert_eq!(refused::<Scale<'_>>(&module, "scale"), None);
            assert_eq!(refused::<Fill<DevicePointerMut<f32>>>(&module, "fill"), None);
            assert_eq!(refused::<SharedCounter<'_>>(&module, "count"), None);
            assert_eq!(refused::<OpaqueDoubles<'_>>(&module, "scale"), None);
            // Buffers of bytes and vectors can contain anything.
            assert_eq!(refused::<Bytes>(&module, "scale"), None);
        }
    });
}

#[test]
fn the_comparison_can_be_turned_off() {
    within(&Settings::new(), |_| {
        let ctx = context();
        for image in [Image::from(CODE), Image::from(table::IMAGE)] {
            let module = Module::load(&ctx, image.without_code()).expect("it loads");
            assert_eq!(refused::<Shared<'_>>(&module, "scale"), None);
            assert_eq!(refused::<StrictRows<'_>>(&module, "rows"), None);
            assert_eq!(refused::<Fill<DevicePointer<f32>>>(&module, "fill"), None);
        }
        let shared = Kernel::<Shared<'_>>::from_image(&ctx, CODE, "scale");
        assert!(shared.is_err(), "without the option it is compared");
    });
}

/// The driver runs the cubin, which does not show what it does. The test driver reads no fat binaries, so cudarc
/// loads the cubin.
#[test]
fn ptx_in_a_fat_binary_answers_for_its_cubin() {
    within(&Settings::new().sm(75), |_| {
        let ctx = context();
        let theirs = ctx.load_module(Ptx::from_binary(CUBIN.to_vec()));
        let theirs = theirs.expect("it loads");
        let module = Module::from_cudarc(&ctx, theirs, FATBIN).expect("it is an image");
        let written = "the kernel writes through `out` (`st.global.f64`)";
        assert_refused::<Plain<DevicePointer<f64>>>(&module, "plain", "out", written);
        let elements = "the kernel accesses `double` elements through `out`";
        assert_refused::<Plain<DevicePointerMut<f32>>>(&module, "plain", "out", elements);
        assert_eq!(refused::<Plain<DevicePointerMut<f64>>>(&module, "plain"), None);
        let module = Module::load(&ctx, CUBIN).expect("it loads");
        assert_eq!(refused::<Plain<DevicePointer<f64>>>(&module, "plain"), None);
        assert_eq!(refused::<Plain<DevicePointerMut<f32>>>(&module, "plain"), None);
    });
}

/// A symbol with types decides, even if the code contradicts it: here an `atomicAdd` through a pointer to `const`.
#[test]
fn types_in_a_symbol_decide() {
    const TYPED: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z1kPKj(.param .u64 p)
{
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd2, %rd1;
red.global.add.u32 [%rd2], 1;
ret;
}
";
    #[derive(KernelArgs)]
    struct K {
        p: DevicePointer<u32>,
    }
    within(&Settings::new(), |_| {
        let ctx = context();
        let module = Module::load(&ctx, TYPED).expect("it loads");
        assert_eq!(refused::<K>(&module, "k"), None);
        let untyped = TYPED.replace("_Z1kPKj", "k");
        let module = Module::load(&ctx, untyped).expect("it loads");
        assert_refused::<K>(&module, "k", "p", "`red.global.add.u32`");
    });
}
