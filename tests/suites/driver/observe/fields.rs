//! Each field of an observed launch.

use crate::observe::seen::{self, Argument, Launch, Outcome, launched, taken};
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, DeviceType, Kernel, KernelArgs, Module, Retained,
    args::Form,
    launch,
    vector::{CLong, Dim3, Float4},
};
use kernel_args_tests::{
    driver::{context, trial},
    saxpy::Pointers,
};
use libtest_mimic::Trial;
use std::{fs, sync::Arc};

const TYPED: &str = include_str!("../../../../ptx/saxpy_typed.ptx");

/// A kernel for [`All`], which does nothing.
const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry all(
    .param .u8 flag, .param .u8 small, .param .u16 port, .param .u32 count, .param .u64 large, .param .u64 offset,
    .param .f32 alpha, .param .f64 beta, .param .align 16 .b8 color[16], .param .align 4 .b8 light[12],
    .param .align 4 .b8 shape[12], .param .u32 mode, .param .u64 x, .param .u64 part, .param .u64 part_mut, .param .u64 y,
    .param .u64 none, .param .u64 some, .param .u64 raw, .param .u64 kept, .param .u32 spread_0, .param .u32 spread_1
) { ret; }
";

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    intensity: f32,
    index: i16,
    rank: u16,
    kind: Mode,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    Off = -1,
    On = 1,
}

#[derive(KernelArgs)]
struct All<'a> {
    flag: bool,
    small: i8,
    port: u16,
    count: u32,
    large: u64,
    offset: CLong,
    alpha: f32,
    beta: f64,
    color: Float4,
    light: Light,
    shape: [i32; 3],
    mode: Mode,
    x: &'a CudaSlice<f32>,
    part: CudaView<'a, u8>,
    part_mut: CudaViewMut<'a, f64>,
    y: &'a mut CudaSlice<f32>,
    none: Option<&'a CudaSlice<f32>>,
    some: Option<&'a CudaSlice<u8>>,
    raw: DevicePointer<f32>,
    kept: Retained<DevicePointerMut<f32>>,
    #[kernel_args(spread)]
    spread: [u32; 2],
}

/// The C++ type, the value, and the length of each argument; the address of memory is not compared here.
const EXPECTED: [(&str, &str, &str, Option<usize>); 22] = [
    ("flag", "bool", "true", None),
    ("small", "signed char", "-7", None),
    ("port", "unsigned short", "65535", None),
    ("count", "unsigned int", "4000000000", None),
    ("large", "unsigned long long", "18446744073709551615", None),
    ("offset", "long long", "-5", None),
    ("alpha", "float", "0.1", None),
    ("beta", "double", "-1e300", None),
    ("color", "float4", "(1.0, 2.0, -3.0, inf)", None),
    ("light", "Light", "{intensity: 0.5, index: -2, rank: 65534, kind: Off (-1)}", None),
    ("shape", "int[3]", "[1, -2, 3]", None),
    ("mode", "Mode", "On (1)", None),
    ("x", "float const*", "", Some(100)),
    ("part", "unsigned char const*", "", Some(3)),
    ("part_mut", "double*", "", Some(5)),
    ("y", "float*", "", Some(200)),
    ("none", "float const*", "null", None),
    ("some", "unsigned char const*", "", Some(16)),
    ("raw", "float const*", "0x1234560", None),
    ("kept", "float*", "", Some(64)),
    ("spread[0]", "unsigned int", "1", None),
    ("spread[1]", "unsigned int", "2", None),
];

fn each_argument_has_its_name_type_value_and_length() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel: Kernel<All> = Kernel::from_image(&ctx, PTX, "all")?;
    let x = stream.alloc_zeros::<f32>(100)?;
    let mut y = stream.alloc_zeros::<f32>(200)?;
    let bytes = stream.alloc_zeros::<u8>(16)?;
    let mut doubles = stream.alloc_zeros::<f64>(8)?;
    let kept = Arc::new(stream.alloc_zeros::<f32>(64)?);
    let (_installed, log) = seen::install();
    for form in [Form::KernelParams, Form::Packed] {
        let args = All {
            flag: true,
            small: -7,
            port: u16::MAX,
            count: 4_000_000_000,
            large: u64::MAX,
            offset: CLong::from(-5_i8),
            alpha: 0.1,
            beta: -1e300,
            color: Float4::new(1.0, 2.0, -3.0, f32::INFINITY),
            light: Light { intensity: 0.5, index: -2, rank: u16::MAX - 1, kind: Mode::Off },
            shape: [1, -2, 3],
            mode: Mode::On,
            x: &x,
            part: bytes.slice(4..7),
            part_mut: doubles.slice_mut(1..6),
            y: &mut y,
            none: None,
            some: Some(&bytes),
            raw: DevicePointer::from_raw(0x123_4560),
            kept: Retained::write(&kept),
            spread: [1, 2],
        };
        // SAFETY: the kernel does nothing.
        unsafe { launch!(kernel, 1, 1, args, stream = &stream, form = form)? };
        let launch = launched(&log)?;
        assert_eq!(launch.form, form);
        let parts = launch.arguments.iter().zip(EXPECTED);
        for (argument, (name, cpp, value, elements)) in parts {
            let context = format!("{form:?}: {argument:#?}");
            assert_eq!(argument.name, name, "{context}");
            assert_eq!(argument.cpp, cpp, "{context}");
            assert_eq!(argument.elements, elements, "{context}");
            if !value.is_empty() {
                assert_eq!(argument.value, value, "{context}");
            }
        }
        assert_eq!(launch.arguments.len(), EXPECTED.len());
        assert_places(&launch);
        // The part is 4 bytes behind the beginning of the whole.
        let address = |name: &str| address_of(&launch, name);
        assert_eq!(address("part"), address("some") + 4);
        assert_eq!(launch.arguments[12].rust, "&'a CudaSlice<f32>");
    }
    Ok(())
}

/// Each argument is behind the previous one, and the sum of their bytes is reported.
fn assert_places(launch: &Launch) {
    let mut end = 0;
    for argument in &launch.arguments {
        assert!(argument.offset >= end, "{argument:?}");
        end = argument.offset + argument.bytes.len();
    }
    let sum: usize = launch.arguments.iter().map(|one| one.bytes.len()).sum();
    assert_eq!(launch.bytes, sum);
}

fn address_of(launch: &Launch, name: &str) -> u64 {
    let argument = launch.arguments.iter().find(|one| one.name == name);
    let bytes = argument.map(|one| one.bytes.as_slice());
    bytes.and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?))).unwrap_or_default()
}

#[derive(KernelArgs)]
struct Saxpy<'a> {
    n: i32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn geometry_stream_names_and_attributes_are_what_the_program_passed() -> Outcome {
    let ctx = context()?;
    let (stream, other) = (ctx.new_stream()?, ctx.new_stream()?);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("saxpy_typed.ptx");
    fs::write(&file, TYPED)?;
    let module = Module::load(&ctx, file.as_path())?;
    let kernel = module.kernel::<Saxpy>("saxpy")?;
    let x = stream.alloc_zeros::<f32>(64)?;
    let mut y = stream.alloc_zeros::<f32>(64)?;
    ctx.synchronize()?;
    let (_installed, log) = seen::install();
    for on in [&stream, &other] {
        let args = Saxpy { n: 64, alpha: 2.0, x: &x, y: &mut y };
        // SAFETY: both slices have 64 elements.
        unsafe {
            launch!(kernel, (2, 3, 4), (32, 2), args, stream = on, shared = 1024, priority = -1)?;
        }
        let launch = launched(&log)?;
        assert_eq!(launch.name, "_Z5saxpyifPKfPf");
        let demangled = "saxpy(int, float, float const*, float*)";
        assert_eq!(launch.demangled.as_deref(), Some(demangled));
        assert_eq!(launch.module.as_deref(), file.to_str());
        assert_eq!(launch.function, kernel.cu_function() as usize);
        assert_eq!(launch.grid, Dim3::new(2, 3, 4));
        assert_eq!(launch.block, Dim3::new(32, 2, 1));
        assert_eq!(launch.shared, 1024);
        let handle = on.cu_stream() as usize;
        assert_eq!(launch.stream, (handle, Some(handle)));
        assert_eq!(launch.context, Some(ctx.cu_ctx() as usize));
        assert_eq!(launch.attributes, [("priority", "-1".to_owned())]);
        assert!(!launch.is_recorded);
        let (x, y) = (address_of(&launch, "x"), address_of(&launch, "y"));
        let text = format!("n = 64, alpha = 2.0, x = {x:#x} [64], y = {y:#x} [64]");
        assert_eq!(launch.text, text);
    }
    ctx.synchronize()?;
    Ok(())
}

/// A kernel, a function with a struct and with a list, cudarc's function, and a raw function: with and without a
/// stream.
fn each_kind_of_function_is_observed() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let saxpy = include_str!("../../../../ptx/saxpy.ptx");
    let module = Module::load(&ctx, saxpy)?;
    let kernel = module.kernel::<Pointers>("saxpy")?;
    let function = module.function("saxpy")?;
    let theirs = Module::load_with_cudarc(&ctx, saxpy)?.function("saxpy")?.to_cudarc()?;
    let raw = kernel.cu_function();
    let args = Pointers { n: 0, alpha: 1.5, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
    let mut list = ArgList::new();
    list.push(args.n).push(args.alpha).push(args.x).push(args.y);
    let (_installed, log) = seen::install();
    let (default, own) = (ctx.default_stream().cu_stream() as usize, stream.cu_stream() as usize);
    macro_rules! launch_one {
        ($function:expr, $args:expr $(, stream = $stream:expr)?) => {{
            // SAFETY: `n` is 0, so the kernel accesses nothing.
            unsafe { launch!($function, 1, 32, $args $(, stream = $stream)?)? };
            launched(&log)?
        }};
    }
    check(&launch_one!(kernel, args), (default, Some(default)), false);
    let own = (own, Some(own));
    check(&launch_one!(kernel, args, stream = &stream), own, false);
    check(&launch_one!(function, args, stream = &stream), own, false);
    check(&launch_one!(function, &mut list, stream = &stream), own, true);
    check(&launch_one!(theirs, args, stream = &stream), own, false);
    check(&launch_one!(raw, args, stream = &stream), own, false);
    check(&launch_one!(raw, args), (0, None), false);
    assert_eq!(taken(&log)?, []);
    Ok(())
}

fn check(launch: &Launch, stream: (usize, Option<usize>), is_list: bool) {
    assert_eq!(launch.name, "saxpy");
    assert_eq!(launch.demangled, None);
    assert_eq!(launch.module, None);
    assert_eq!(launch.stream, stream);
    assert_eq!(launch.bytes, 24);
    let names = if is_list { ["0", "1", "2", "3"] } else { ["n", "alpha", "x", "y"] };
    let types = ["u32", "f32", "DevicePointer<f32>", "DevicePointerMut<f32>"];
    let values = ["0", "1.5", "null", "null"];
    for (i, argument) in launch.arguments.iter().enumerate() {
        let Argument { name, rust, value, .. } = argument;
        assert_eq!((&**name, &**rust), (names[i], types[i]));
        assert_eq!(value, values[i]);
    }
    assert_eq!(launch.arguments.len(), 4);
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("each_argument_has_its_name_type_value_and_length", each_argument_has_its_name_type_value_and_length),
        trial(
            "geometry_stream_names_and_attributes_are_what_the_program_passed",
            geometry_stream_names_and_attributes_are_what_the_program_passed,
        ),
        trial("each_kind_of_function_is_observed", each_kind_of_function_is_observed),
    ]
}
