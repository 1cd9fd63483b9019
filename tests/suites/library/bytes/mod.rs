//! Parameters and variables of which PTX declares only bytes, and packed structs: each comparison accepts right types.
//!
//! `rustc.ptx` is the output of rustc for a crate with statics, and kernels that take structs of one field.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use cudarc::driver::CudaSlice;
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Image, KernelArgs, Module, ZeroBits, abi::Layout,
    error::GlobalError, vector::Float4,
};
use kernel_args_stand_in::{Settings, within};
use std::sync::Arc;

const RUSTC: &str = include_str!("rustc.ptx");
const PACKED: &str = include_str!("../../../../ptx/packed.ptx");
const PACKED_DEBUG: &str = include_str!("../../../../ptx/packed.debug.ptx");
const LONG_DOUBLE: &str = include_str!("../../../../ptx/long_double.debug.ptx");

kernel_args::kernels! {
    mod rustc = "suites/library/bytes/rustc.ptx", generate;
    mod packed = "../ptx/packed.ptx", debug_info = "../ptx/packed.debug.ptx", generate;
    mod long_double = "../ptx/long_double.debug.ptx", generate;
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct One(u32);

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Transparent(u32);

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Two(u64, u64);

/// A right struct for the kernel `scalars`: compared with the file, and with the item of `kernels!`.
macro_rules! scalars {
    ($name:ident, $one:ty, $wide:ty) => {
        #[derive(KernelArgs)]
        #[kernel_args(ptx = "suites/library/bytes/rustc.ptx", entry = "scalars")]
        struct $name<'a> {
            n: u32,
            s: u32,
            o: $one,
            w: $wide,
            b: bool,
            out: &'a mut CudaSlice<u32>,
        }

        const _: () = {
            #[derive(KernelArgs)]
            #[kernel_args(kernel = rustc::scalars)]
            struct OfItem<'a> {
                n: u32,
                s: u32,
                o: $one,
                w: $wide,
                b: bool,
                out: &'a mut CudaSlice<u32>,
            }
        };
    };
}

scalars! { OfStruct, One, i128 }
scalars! { OfTransparent, Transparent, u128 }
scalars! { OfInteger, i32, Float4 }
scalars! { OfFloat, f32, i128 }
scalars! { OfBytes, kernel_args::vector::UChar4, i128 }

/// The members of `Rec`, which `packed.cu` declares with `#pragma pack(1)`.
#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Rec {
    tag: u8,
    value: f32,
    n: u16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Frame {
    kind: i8,
    records: [Rec; 2],
    time: f64,
    next: DevicePointerMut<Rec>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed(2))]
struct Pair16 {
    key: u8,
    value: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed(4))]
struct Sample {
    id: i32,
    value: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Holder {
    count: i32,
    rec: Rec,
    pair: Pair16,
}

/// A struct of another layout than `Rec`.
#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
#[device_type(cpp = "Rec")]
struct Exchanged {
    value: f32,
    tag: u8,
    n: u16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Generic<T: DeviceType, const N: usize> {
    first: u8,
    rest: [T; N],
}

#[derive(KernelArgs)]
#[kernel_args(kernel = packed::put)]
struct Put<'a> {
    r: Rec,
    many: &'a mut CudaSlice<Rec>,
    n: i32,
}

#[derive(KernelArgs)]
struct AnyPut<R: DeviceType> {
    r: R,
    many: DevicePointerMut<R>,
    n: i32,
}

#[derive(Clone, Copy, KernelArgs)]
#[kernel_args(kernel = packed::echo_packed)]
struct EchoPacked {
    out: DevicePointerMut<u8>,
    first: u8,
    rec: Rec,
    pair: Pair16,
    sample: Sample,
    frame: Frame,
    holder: Holder,
}

/// The structs that `kernels!` generates are the right ones.
#[derive(KernelArgs)]
#[kernel_args(kernel = packed::echo_packed)]
struct OfGenerated {
    out: DevicePointerMut<u8>,
    first: u8,
    rec: packed::Rec,
    pair: packed::Pair16,
    sample: packed::Sample,
    frame: packed::Frame,
    holder: packed::Holder,
}

/// Vectors and structs with `alignas` in packed structs.
#[derive(KernelArgs)]
#[kernel_args(kernel = packed::draw)]
struct OfVectors {
    out: DevicePointerMut<u8>,
    edge: Edge,
    vertex: packed::Vertex,
    opaque: packed::Opaque,
    end: i8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Edge {
    direction: [f32; 4],
    colors: [[u8; 4]; 2],
    kind: i8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Span {
    first: i32,
    last: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = long_double::scaled)]
struct Scaled<'a> {
    x: &'a mut CudaSlice<f32>,
    by: f64,
    span: Span,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = long_double::only)]
struct Only<'a> {
    x: &'a mut CudaSlice<f64>,
    by: f64,
}

fn module(image: impl Into<Image<'static>>) -> Arc<Module> {
    let ctx = kernel_args::context(0).expect("the test driver has a device");
    Module::load(&ctx, image.into()).expect("it loads")
}

#[track_caller]
fn accepted<A: KernelArgs>(image: &'static str, entry: &str) {
    if let Err(error) = module(image).kernel::<A>(entry) {
        panic!("{entry}: {error}");
    }
}

#[test]
fn a_struct_of_one_field_is_bytes() {
    within(&Settings::new(), |_| {
        accepted::<OfStruct<'_>>(RUSTC, "scalars");
        accepted::<OfTransparent<'_>>(RUSTC, "scalars");
        accepted::<OfInteger<'_>>(RUSTC, "scalars");
        accepted::<OfFloat<'_>>(RUSTC, "scalars");
        accepted::<OfBytes<'_>>(RUSTC, "scalars");
    });
}

#[test]
fn a_hint_for_bytes_names_a_struct_first() {
    #[derive(KernelArgs)]
    struct Scalars<'a> {
        n: u32,
        s: u32,
        o: u16,
        w: i128,
        b: bool,
        out: &'a mut CudaSlice<u32>,
    }

    within(&Settings::new(), |_| {
        let error = module(RUSTC).kernel::<Scalars<'_>>("scalars").map(drop).expect_err("2 bytes are not 4");
        let hint = "declare a `#[repr(C)]` struct of 4 bytes, aligned to 4, `o: Half2`";
        assert!(error.to_string().contains(hint), "{error}");
    });
}

#[test]
fn a_static_of_rustc_has_each_type_of_its_size_and_alignment() {
    within(&Settings::new(), |_| {
        let module = module(RUSTC);
        let get = |result: Result<(), Error>| result.unwrap_or_else(|error| panic!("{error}"));
        get(module.global::<i64>("MY_NUM").map(drop));
        get(module.global::<f64>("MY_NUM").map(drop));
        get(module.global::<DevicePointer<f32>>("MY_NUM").map(drop));
        get(module.global::<[f32; 2]>("MY_NUM").map(drop));
        get(module.global::<u64>("MANGLED").map(drop));
        get(module.global::<f32>("SCALE").map(drop));
        get(module.global::<One>("SCALE").map(drop));
        get(module.global::<[f32; 3]>("TAB").map(drop));
        let is_refused = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::Global(GlobalError::Mismatch(_)))), "{result:?}");
        };
        is_refused(module.global::<f64>("SCALE").map(drop));
        is_refused(module.global::<f32>("MY_NUM").map(drop));
        // `TAB` is aligned to 4.
        is_refused(module.global::<[u64; 2]>("TAB").map(drop));
    });
    // At compile time.
    let _: fn(&Arc<Module>) -> Result<(), Error> = |module| module.global::<i64>(rustc::MY_NUM).map(drop);
    let _: fn(&Arc<Module>) -> Result<(), Error> = |module| module.global::<f32>(rustc::SCALE).map(drop);
}

#[test]
fn a_packed_struct_has_the_layout_of_pragma_pack() {
    fn zero<T: ZeroBits>() {}
    let of = |size, align| Layout::from_size_align(size, align).unwrap();
    assert_eq!(Rec::LAYOUT, of(7, 1));
    assert_eq!(Frame::LAYOUT, of(31, 1));
    assert_eq!(Pair16::LAYOUT, of(6, 2));
    assert_eq!(Sample::LAYOUT, of(12, 4));
    assert_eq!(Holder::LAYOUT, of(20, 4));
    assert_eq!(<Generic<f64, 2>>::LAYOUT, of(17, 1));
    const { assert!(!Rec::HAS_PADDING && Pair16::HAS_PADDING && Holder::HAS_PADDING) };
    zero::<Rec>();
}

#[test]
fn a_packed_struct_is_stored_without_its_padding() {
    let pair = Pair16 { key: 0xab, value: 0x0403_0201 };
    let mut bytes = [0xff_u8; 6];
    // SAFETY: the array has the size of the struct.
    unsafe { pair.store(bytes.as_mut_ptr()) };
    assert_eq!(bytes, [0xab, 0, 1, 2, 3, 4]);
    let generic = Generic { first: 1, rest: [0x0302_u16, 0x0504] };
    let mut bytes = [0xff_u8; 5];
    // SAFETY: the array has the size of the struct.
    unsafe { generic.store(bytes.as_mut_ptr()) };
    assert_eq!(bytes, [1, 2, 3, 4, 5]);
    assert!(Pair16::is_value(&[0; 6]));
}

#[test]
fn a_packed_parameter_follows_a_byte_without_a_gap() {
    let rec = Rec { tag: 1, value: 2.0, n: 3 };
    let (pair, sample) = (Pair16 { key: 4, value: 5 }, Sample { id: 6, value: 7.0 });
    let frame = Frame { kind: 8, records: [rec; 2], time: 9.0, next: DevicePointerMut::from_raw(10) };
    let holder = Holder { count: 11, rec, pair };
    let args = EchoPacked { out: DevicePointerMut::from_raw(12), first: 13, rec, pair, sample, frame, holder };
    let offsets: Vec<_> = EchoPacked::PARAMETERS.iter().map(|parameter| parameter.offset).collect();
    assert_eq!(offsets, [0, 8, 9, 16, 24, 36, 68].map(Some));
    args.with_packed(|bytes| {
        assert_eq!(bytes.len(), 88);
        assert_eq!(bytes[8..16], [13, 1, 0, 0, 0, 64, 3, 0]);
        assert_eq!(bytes[16..24], [4, 0, 5, 0, 0, 0, 0, 0]);
    });
}

#[test]
fn packed_structs_are_accepted_when_a_kernel_is_loaded() {
    within(&Settings::new(), |_| {
        for image in [PACKED, PACKED_DEBUG] {
            accepted::<Put<'_>>(image, "put");
            accepted::<AnyPut<Rec>>(image, "put");
            accepted::<EchoPacked>(image, "echo_packed");
            accepted::<OfGenerated>(image, "echo_packed");
            accepted::<OfVectors>(image, "draw");
            accepted::<packed::Draw<'_>>(image, "draw");
            module(image).global::<Rec>("last").map_or_else(|error| panic!("{error}"), drop);
        }
        let wrong = module(PACKED_DEBUG).kernel::<AnyPut<Exchanged>>("put").map(drop);
        let text = wrong.expect_err("other members").to_string();
        assert!(text.contains("`tag` at byte 0"), "{text}");
        let bytes = module(PACKED_DEBUG).kernel::<AnyPut<[u8; 7]>>("put").map(drop);
        let text = bytes.expect_err("bytes are not the members").to_string();
        assert!(text.contains("this one has `many[]` at byte 1 (`u8`)"), "{text}");
    });
}

/// Debug information contains the host's size of a `long double`. The types of the other parameters are compared.
#[test]
fn a_parameter_that_debug_information_contradicts_is_compared_by_its_declaration() {
    #[derive(KernelArgs)]
    struct Signed<'a> {
        x: &'a mut CudaSlice<f32>,
        by: f64,
        span: Span,
        n: i32,
    }

    #[derive(KernelArgs)]
    struct Single<'a> {
        x: &'a mut CudaSlice<f32>,
        by: f32,
        span: Span,
        n: u32,
    }

    within(&Settings::new(), |_| {
        accepted::<Scaled<'_>>(LONG_DOUBLE, "scaled");
        accepted::<Only<'_>>(LONG_DOUBLE, "only");
        accepted::<long_double::Scaled<'_>>(LONG_DOUBLE, "scaled");
        for image in [Image::from(LONG_DOUBLE), Image::from(long_double::IMAGE)] {
            let module = module(image);
            let signed = module.kernel::<Signed<'_>>("scaled").map(drop).expect_err("`n` is unsigned");
            assert!(signed.to_string().contains("the kernel takes it as `unsigned int`"), "{signed}");
            let single = module.kernel::<Single<'_>>("scaled").map(drop).expect_err("`by` has 8 bytes");
            assert!(single.to_string().contains("declare `by: f64`"), "{single}");
        }
    });
}
