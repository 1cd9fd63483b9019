//! Kernels whose parameters are easily confused (`ptx/confused.cuh`), each with right and wrong structs: pointers and
//! integers in each other's place, memory instead of textures and surfaces, values instead of addresses, elements of
//! which only a part is used.
//!
//! A row is the name of a kernel, the fields of a struct, and its verdicts for four sources of types: the code of the
//! kernel, the same if the struct is strict, C++ names, and debug information. A dot is accepted, a cross is refused;
//! then follow the fields that the error names.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use cudarc::driver::{CudaSlice, CudaView, sys::CUdeviceptr};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, KernelArgs, Module, SurfaceObject, TextureObject,
    error::VerifyError, vector::*,
};
use kernel_args_stand_in::{Settings, within};
use std::sync::Arc;

const CODE: &str = include_str!("../../../ptx/confused_c.ptx");
const TYPED: &str = include_str!("../../../ptx/confused.ptx");
const DEBUG: &str = include_str!("../../../ptx/confused_c.debug.ptx");

kernel_args::kernels! {
    mod code = "../ptx/confused_c.ptx";
    mod typed = "../ptx/confused.ptx";
    mod debug = "../ptx/confused_c.debug.ptx";
}

type In<T> = &'static CudaSlice<T>;
type Out<T> = &'static mut CudaSlice<T>;

/// The kernels' structs, with members of any type.
macro_rules! structs {
    ($($name:ident { $($member:ident: $of:ident),* })*) => {$(
        #[derive(Clone, Copy, DeviceType)]
        #[repr(C)]
        struct $name<$($of),*> { $($member: $of),* }
    )*};
}

structs! {
    Span { data: A, count: B }
    Source { texture: A, scale: B }
    Pair { texture: A, surface: B, out: C }
    Layers { textures: A }
    Batch { inputs: A, outputs: B }
}

/// The wrong fields, or `None` if the kernel is accepted.
type Verdict = fn(&Arc<Module>, &str) -> Option<Vec<String>>;

fn verdict<A: KernelArgs>(module: &Arc<Module>, entry: &str) -> Option<Vec<String>> {
    match module.kernel::<A>(entry) {
        Ok(_) => None,
        Err(Error::Verify(VerifyError::Mismatch(mismatch))) => Some(mismatch.fields.clone()),
        Err(other) => panic!("{other}"),
    }
}

struct Row {
    kernel: &'static str,
    fields: &'static str,
    plain: Verdict,
    strict: Verdict,
    /// For each source of types.
    expected: &'static str,
    wrong: &'static [&'static str],
}

macro_rules! rows {
    ($($kernel:ident { $($field:ident: $ty:ty),* } $expected:literal $($wrong:literal)*;)*) => {
        const ROWS: &[Row] = &[$({
            #[derive(KernelArgs)]
            struct Plain { $($field: $ty),* }
            #[derive(KernelArgs)]
            #[kernel_args(strict_code)]
            struct Strict { $($field: $ty),* }
            Row {
                kernel: stringify!($kernel),
                fields: stringify!($($field: $ty),*),
                plain: verdict::<Plain>,
                strict: verdict::<Strict>,
                expected: $expected,
                wrong: &[$($wrong),*],
            }
        }),*];
    };
}

rows! {
    // Pointers and integers.
    gather { x: In<f32>, at: i64, out: Out<f32>, unused: i64 } "....";
    gather { x: usize, at: i64, out: Out<f32>, unused: i64 } ".xxx" "x";
    gather { x: i64, at: i64, out: Out<f32>, unused: i64 } ".xxx" "x";
    gather { x: u64, at: i64, out: Out<f32>, unused: i64 } ".x.." "x";
    gather { x: CUdeviceptr, at: i64, out: Out<f32>, unused: i64 } ".x.." "x";
    gather { x: i64, at: i64, out: Out<f32>, unused: In<f32> } "xxxx" "x";
    gather { x: usize, at: i64, out: Out<f32>, unused: In<f32> } "xxxx" "x";
    gather { x: i64, at: In<f32>, out: Out<f32>, unused: i64 } "xxxx" "x" "at";
    gather { x: In<f32>, at: Out<f32>, out: i64, unused: i64 } "xxxx" "at" "out";
    gather { x: In<f32>, at: DevicePointerMut<f32>, out: usize, unused: i64 } "xxxx" "at" "out";
    gather { x: CUdeviceptr, at: i64, out: Out<f32>, unused: CudaView<'static, f32> } ".xxx" "x";
    gather { x: In<f32>, at: In<f32>, out: Out<f32>, unused: i64 } ".xxx" "at";
    copy_less { x: In<f32>, count: u64, out: Out<f32> } "....";
    copy_less { x: In<f32>, count: usize, out: Out<f32> } "....";
    copy_less { x: usize, count: In<f32>, out: Out<f32> } "xxxx" "x" "count";
    copy_less { x: In<f32>, count: Out<f32>, out: i64 } "xxxx" "count" "out";
    copy_less { x: CUdeviceptr, count: u64, out: CUdeviceptr } ".x.." "x";
    fill_span { span: Span<DevicePointerMut<f32>, i64>, value: f32 } "....";
    fill_span { span: Span<i64, DevicePointerMut<f32>>, value: f32 } "xxxx" "span";
    fill_span { span: Span<u64, DevicePointer<f32>>, value: f32 } "xxxx" "span";
    fill_span { span: Span<u64, i64>, value: f32 } ".x.." "span";
    clear_span { span: Span<DevicePointerMut<f32>, i64> } "....";
    clear_span { span: Span<usize, DevicePointerMut<f32>> } "xxxx" "span";
    sum_between { begin: In<f32>, end: In<f32>, out: Out<f32> } "....";
    sum_between { begin: u64, end: In<f32>, out: Out<f32> } ".x.." "begin";
    from_address { address: u64, out: Out<f32> } ".x.." "address";
    from_address { address: CUdeviceptr, out: Out<f32> } ".x.." "address";
    from_address { address: In<f32>, out: Out<f32> } "..xx" "address";

    // Textures, surfaces and memory.
    render { texture: TextureObject, surface: SurfaceObject, out: Out<f32>, n: i32 } "....";
    render { texture: u64, surface: u64, out: Out<f32>, n: i32 } "....";
    render { texture: In<f32>, surface: SurfaceObject, out: Out<f32>, n: i32 } "xxxx" "texture";
    render { texture: TextureObject, surface: DevicePointerMut<f32>, out: Out<f32>, n: i32 } "xxxx" "surface";
    render { texture: SurfaceObject, surface: TextureObject, out: Out<f32>, n: i32 } "xxxx" "texture" "surface";
    render { texture: SurfaceObject, surface: SurfaceObject, out: Out<f32>, n: i32 } "xxxx" "texture";
    render { texture: TextureObject, surface: TextureObject, out: Out<f32>, n: i32 } "xxxx" "surface";
    render { texture: TextureObject, surface: SurfaceObject, out: TextureObject, n: i32 } "xxxx" "out";
    render { texture: Out<f32>, surface: SurfaceObject, out: TextureObject, n: i32 } "xxxx" "texture" "out";
    blur { texture: TextureObject, out: Out<f32>, n: i32 } "....";
    blur { texture: SurfaceObject, out: Out<f32>, n: i32 } "xxxx" "texture";
    blur { texture: In<Float4>, out: Out<f32>, n: i32 } "xxxx" "texture";
    blur { texture: TextureObject, out: SurfaceObject, n: i32 } "xxxx" "out";
    layered { texture: SurfaceObject, out: Out<f32>, n: i32 } "xxxx" "texture";
    layered { texture: In<f32>, out: Out<f32>, n: i32 } "xxxx" "texture";
    gathered { texture: SurfaceObject, out: Out<Float4>, n: i32 } "xxxx" "texture";
    gathered { texture: In<u8>, out: Out<Float4>, n: i32 } "xxxx" "texture";
    read_surface { surface: SurfaceObject, out: Out<i32>, n: i32 } "....";
    read_surface { surface: TextureObject, out: Out<i32>, n: i32 } "xxxx" "surface";
    read_surface { surface: In<i32>, out: Out<i32>, n: i32 } "xxxx" "surface";
    write_surface { surface: SurfaceObject, value: UChar4, n: i32 } "....";
    write_surface { surface: TextureObject, value: UChar4, n: i32 } "xxxx" "surface";
    write_surface { surface: Out<UChar4>, value: UChar4, n: i32 } "xxxx" "surface";
    scaled { source: Source<TextureObject, f32>, out: Out<f32> } "....";
    scaled { source: Source<u64, f32>, out: Out<f32> } "....";
    scaled { source: Source<SurfaceObject, f32>, out: Out<f32> } "xxxx" "source";
    scaled { source: Source<DevicePointer<f32>, f32>, out: Out<f32> } "xxxx" "source";
    both { pair: Pair<TextureObject, SurfaceObject, DevicePointerMut<f32>>, n: i32 } "....";
    both { pair: Pair<u64, u64, DevicePointerMut<f32>>, n: i32 } "....";
    both { pair: Pair<SurfaceObject, TextureObject, DevicePointerMut<f32>>, n: i32 } "xxxx" "pair";
    both { pair: Pair<TextureObject, DevicePointerMut<f32>, SurfaceObject>, n: i32 } "xxxx" "pair";
    both { pair: Pair<TextureObject, SurfaceObject, TextureObject>, n: i32 } "xxxx" "pair";
    two_layers { layers: Layers<[TextureObject; 2]>, out: Out<f32>, n: i32 } "....";
    two_layers { layers: Layers<[u64; 2]>, out: Out<f32>, n: i32 } "....";
    two_layers { layers: Layers<[SurfaceObject; 2]>, out: Out<f32>, n: i32 } "xxxx" "layers";
    two_layers { layers: [SurfaceObject; 2], out: Out<f32>, n: i32 } "xxxx" "layers";
    two_layers { layers: Layers<[DevicePointer<f32>; 2]>, out: Out<f32>, n: i32 } "xxxx" "layers";
    selected { a: TextureObject, b: TextureObject, out: Out<f32>, n: i32 } "....";
    selected { a: u64, b: u64, out: Out<f32>, n: i32 } "....";
    of_list { list: In<TextureObject>, out: Out<f32>, n: i32 } "....";
    of_list { list: In<u64>, out: Out<f32>, n: i32 } "....";

    // Tables of addresses.
    batched { a: In<DevicePointer<f32>>, c: Out<DevicePointerMut<f32>>, n: i32 } "....";
    batched { a: In<CUdeviceptr>, c: Out<CUdeviceptr>, n: i32 } "....";
    batched { a: In<u64>, c: Out<u64>, n: i32 } "....";
    batched { a: In<f32>, c: Out<f32>, n: i32 } "xxxx" "a" "c";
    batched { a: In<f64>, c: Out<CUdeviceptr>, n: i32 } "xxxx" "a";
    batched { a: In<CUdeviceptr>, c: Out<f64>, n: i32 } "xxxx" "c";
    batched_doubles { a: In<DevicePointer<f64>>, c: Out<f64>, n: i32 } "....";
    batched_doubles { a: In<CUdeviceptr>, c: Out<f64>, n: i32 } "....";
    batched_doubles { a: In<f64>, c: Out<f64>, n: i32 } "xxxx" "a";
    batched_doubles { a: In<DevicePointer<f64>>, c: Out<DevicePointerMut<f64>>, n: i32 } "..xx" "c";
    batched_members { batch: Batch<DevicePointer<DevicePointer<f32>>, DevicePointerMut<DevicePointerMut<f32>>>, n: i32 } "....";
    batched_members { batch: Batch<DevicePointer<DevicePointer<f32>>, DevicePointer<DevicePointerMut<f32>>>, n: i32 } "...x" "batch";
    batched_members { batch: Batch<DevicePointer<u64>, DevicePointerMut<CUdeviceptr>>, n: i32 } "....";
    batched_members { batch: Batch<DevicePointer<f32>, DevicePointerMut<CUdeviceptr>>, n: i32 } "xxxx" "batch";
    batched_members { batch: Batch<DevicePointer<u64>, DevicePointerMut<f32>>, n: i32 } "xxxx" "batch";
    by_offset { base: Out<f32>, offsets: In<u64>, n: i32 } "....";

    // Parts of elements, and bits of other types.
    low_16 { keys: In<u32>, out: Out<u16>, n: i32 } "....";
    low_32 { keys: In<u64>, out: Out<u32>, n: i32 } "....";
    exponent { x: In<f64>, out: Out<i32>, n: i32 } "....";
    float_bits { out: Out<u32>, x: In<f32>, n: i32 } ".x.." "out";
    store_half_word { out: Out<u32>, x: In<f32>, n: i32 } ".x.." "out";
    top_byte { x: In<f32>, out: Out<u8>, n: i32 } ".x.." "x";
    low_nibbles { packed: In<u32>, out: Out<u8>, n: i32 } ".x.." "packed";
    bfloat_bits { out: Out<i16>, x: In<f32>, n: i32 } ".x.." "out";
    half_bits { out: Out<u16>, x: In<f32>, n: i32 } ".x.." "out";
    double_it { x: In<f32>, out: Out<f32>, n: i32 } "....";
    double_it { x: In<f64>, out: Out<f32>, n: i32 } "xxxx" "x";
    double_it { x: In<half::f16>, out: Out<half::bf16>, n: i32 } "xxxx" "x" "out";
    double_it { x: In<i32>, out: Out<f32>, n: i32 } ".xxx" "x";
    double_it { x: In<f32>, out: Out<u16>, n: i32 } ".xxx" "out";
    double_it { x: In<f32>, out: Out<i64>, n: i32 } ".xxx" "out";
    half_bits { out: Out<half::f16>, x: In<f32>, n: i32 } "..xx" "out";
    half_bits { out: Out<half::bf16>, x: In<f32>, n: i32 } "xxxx" "out";
}

/// With PTX that is analysed when it is loaded, and with an image of `kernels!`.
#[test]
fn each_struct_has_the_verdict_of_its_row() {
    within(&Settings::new().sm(80), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let modules = [Module::load(&ctx, CODE), Module::load(&ctx, TYPED), Module::load(&ctx, DEBUG)];
        let compiled = [code::IMAGE, typed::IMAGE, debug::IMAGE].map(|image| Module::load(&ctx, image));
        let mut wrong = Vec::new();
        for [code, typed, debug] in [modules, compiled].map(|all| all.map(|module| module.expect("it loads"))) {
            for row in ROWS {
                let plain = |module| (row.plain)(module, row.kernel);
                let verdicts = [plain(&code), (row.strict)(&code, row.kernel), plain(&typed), plain(&debug)];
                let letters: String = verdicts.iter().map(|found| if found.is_some() { 'x' } else { '.' }).collect();
                let first = verdicts.iter().flatten().next().cloned().unwrap_or_default();
                let is_named = row.wrong.iter().all(|field| first.iter().any(|named| named == field));
                if letters != row.expected || !is_named || first.is_empty() != row.wrong.is_empty() {
                    wrong.push(format!(
                        "{} {{ {} }}: {letters} {first:?}, expected {}",
                        row.kernel, row.fields, row.expected
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
