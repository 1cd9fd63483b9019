//! Structs that `kernels!` generates, in launches: every byte must be echoed, and the kernels are verified with all
//! debug information.

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use kernel_args::{
    DevicePointer, DevicePointerMut, Image, Kernel, KernelArgs, Module, Retained,
    args::Form,
    graph::Graph,
    launch,
    vector::{Float3, Float4},
};
use kernel_args_tests::{
    driver::{context, suite, trial},
    tally,
};
use std::{error::Error, process::ExitCode, sync::Arc};

/// With slices, and with device pointers only.
#[allow(missing_docs, reason = "each has its own")]
mod kernels {
    kernel_args::kernels! {
        pub(crate) mod generated = "../ptx/generated.ptx", debug_info = "../ptx/generated.debug.ptx", generate;
        pub(crate) mod raw = "../ptx/generated.ptx", debug_info = "../ptx/generated.debug.ptx", generate(pointers = raw);
        pub(crate) mod views = "../ptx/generated.ptx", debug_info = "../ptx/generated.debug.ptx", generate(pointers = views);
        pub(crate) mod inferred = "../ptx/saxpy.ptx", generate;
        pub(crate) mod retained = "../ptx/generated.ptx", debug_info = "../ptx/generated.debug.ptx", generate(pointers = retained);
    }
}
use kernels::{
    generated::{
        BoxDouble3, BoxFloat3, Cell, EchoBoxDouble, EchoBoxFloat, EchoLight, EchoLines, EchoNumbers, EchoPointers,
        Either, Light, Line, Mode,
    },
    raw, retained, views,
};

type Outcome = Result<(), Box<dyn Error>>;

pub(crate) fn main() -> ExitCode {
    suite(
        "generated_structs",
        |_| {
            vec![
                trial("a_struct_by_value", light),
                trial("slices_and_pointers", pointers),
                trial("device_pointers", raw_pointers),
                trial("slices_and_views", slices_and_views),
                trial("a_node_of_a_graph", retained_pointers),
                trial("numbers", numbers),
                trial("an_over_aligned_struct", lines),
                trial("instances_of_a_template", boxes),
                trial("a_slice_of_a_generated_type", slice_of_lights),
                trial("slices_that_only_the_code_shows", inferred_slices),
            ]
        },
        |driver| tally::print("generated_structs", driver),
    )
}

/// These kernels without the facts that `kernels!` read. `generated.debug.ptx` describes kernels and has no code.
const OPTIMISED: &str = include_str!("../../../ptx/generated.ptx");

/// Launches the kernel with and without these facts, in these forms, and compares the echo with `passed`.
fn echo<A: KernelArgs>(
    entry: &str,
    forms: &[Form],
    passed: &[u8],
    launch: impl Fn(&Kernel<A>, &mut CudaSlice<u8>, Form) -> Result<(), kernel_args::Error>,
) -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    for (build, image) in [
        // This also compares names and members.
        ("described", Image::from(kernels::generated::IMAGE)),
        ("optimised", OPTIMISED.into()),
    ] {
        let kernel = Module::load(&ctx, image)?.kernel::<A>(entry)?.require_verified()?;
        for &form in forms {
            let mut out = stream.clone_htod(&vec![0xa5_u8; passed.len() + 1])?;
            launch(&kernel, &mut out, form)?;
            let echo = stream.clone_dtoh(&out)?;
            let way = format!("{form:?}, {build}");
            tally::compare(entry, &way, &echo[..passed.len()], passed)?;
            assert_eq!(echo[passed.len()], 0xa5, "{entry}: a byte behind the echo");
        }
    }
    Ok(())
}

const BOTH: [Form; 2] = [Form::KernelParams, Form::Packed];

const LIGHT: Light = Light {
    intensity: 1.5,
    mode: Mode::Same,
    either: Either { bytes: [0xde, 0xad, 0xbe, 0xef] },
    on: true,
    direction: Float4 { x: -1.0, y: 2.0, z: -3.0, w: 4.0 },
    cell: Cell { kind: 9, values: [0.25, -0.5] },
};

/// The layout in the comment of `ptx/generated.cu`.
fn light_bytes() -> Vec<u8> {
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    [
        &1.5_f32.to_le_bytes()[..],
        &[7, 0, 0, 0],
        &[0xde, 0xad, 0xbe, 0xef],
        &[1, 0, 0, 0],
        &floats(&[-1.0, 2.0, -3.0, 4.0]),
        &[9, 0, 0, 0, 0, 0, 0, 0],
        &0.25_f64.to_le_bytes(),
        &(-0.5_f64).to_le_bytes(),
        &[0; 8],
    ]
    .concat()
}

fn light() -> Outcome {
    let passed = [&[3][..], &light_bytes(), &(-5_i32).to_le_bytes(), &(-1_i16).to_le_bytes()].concat();
    assert_eq!(passed.len(), 1 + 64 + 4 + 2);
    echo::<EchoLight<'static>>("echo_light", &BOTH, &passed, |kernel, out, form| {
        let args = EchoLight { out, r#type: 3, light: LIGHT, r#in: -5, self_: Mode::Fast };
        // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

/// The address of a slice.
fn address<T: DeviceRepr>(slice: &CudaSlice<T>) -> u64 {
    let stream = Arc::clone(slice.stream());
    let (address, _guard) = slice.device_ptr(&stream);
    address
}

fn pointers() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[1.0_f32; 4])?;
    let y = stream.clone_htod(&[1.0_f64; 4])?;
    let table = stream.clone_htod(&[DevicePointer::<f32>::NULL; 2])?;
    let passed: Vec<u8> =
        [address(&x), address(&y), 0x1234, address(&table), 0x5678].into_iter().flat_map(u64::to_le_bytes).collect();
    let y = std::cell::RefCell::new(y);
    echo::<EchoPointers<'static>>("echo_pointers", &BOTH, &passed, |kernel, out, form| {
        let args = EchoPointers {
            out,
            x: &x,
            y: &mut y.borrow_mut(),
            list: DevicePointerMut::from_raw(0x1234),
            table: &table,
            any: DevicePointer::from_raw(0x5678),
        };
        // SAFETY: `out` has space for the echo; the kernel does not dereference the pointers.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

fn raw_pointers() -> Outcome {
    let passed: Vec<u8> = [1_u64, 2, 3, 4, 5].into_iter().flat_map(u64::to_le_bytes).collect();
    echo::<raw::EchoPointers>("echo_pointers", &BOTH, &passed, |kernel, out, form| {
        let args = raw::EchoPointers {
            out: DevicePointerMut::from_raw(address(out)),
            x: DevicePointer::from_raw(1),
            y: DevicePointerMut::from_raw(2),
            list: DevicePointerMut::from_raw(3),
            table: DevicePointer::from_raw(4),
            any: DevicePointer::from_raw(5),
        };
        // SAFETY: `out` has space for the echo.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

/// One field takes a whole slice, and a part of it; both are tracked.
fn slices_and_views() -> Outcome {
    let stream = context()?.default_stream();
    let x = stream.clone_htod(&[1.0_f32; 4])?;
    let y = stream.clone_htod(&[1.0_f64; 4])?;
    let table = stream.clone_htod(&[DevicePointer::<f32>::NULL; 2])?;
    let (at_y, y) = (address(&y), std::cell::RefCell::new(y));
    for part in [0..4, 1..3] {
        let at = part.start as u64;
        let passed: Vec<u8> = [address(&x) + 4 * at, at_y + 8 * at, 3, address(&table), 5]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
        echo::<views::EchoPointers>("echo_pointers", &BOTH, &passed, |kernel, out, form| {
            let mut y = y.borrow_mut();
            let args = views::EchoPointers {
                out: out.as_view_mut(),
                x: if part.len() == 4 { x.as_view() } else { x.slice(part.clone()) },
                y: y.slice_mut(part.clone()),
                list: DevicePointerMut::from_raw(3),
                table: table.as_view(),
                any: DevicePointer::from_raw(5),
            };
            // SAFETY: `out` has space for the echo.
            unsafe { launch!(kernel, 1, 1, args, form = form) }
        })?;
    }
    Ok(())
}

/// The graph keeps the memory of the struct.
fn retained_pointers() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let x = Arc::new(stream.clone_htod(&[1.0_f32; 4])?);
    let y = Arc::new(stream.clone_htod(&[1.0_f64; 4])?);
    let table = Arc::new(stream.clone_htod(&[DevicePointer::<f32>::NULL; 2])?);
    let out = Arc::new(stream.alloc_zeros::<u8>(40)?);
    stream.synchronize()?;
    let passed: Vec<u8> =
        [address(&x), address(&y), 3, address(&table), 5].into_iter().flat_map(u64::to_le_bytes).collect();
    let kernel = Kernel::<retained::EchoPointers>::load(&ctx)?;
    let args = retained::EchoPointers {
        out: Retained::write(&out),
        x: Retained::read(&x),
        y: Retained::write(&y),
        list: DevicePointerMut::from_raw(3),
        table: Retained::read(&table),
        any: DevicePointer::from_raw(5),
    };
    let mut graph = Graph::new(&ctx)?;
    graph.add_kernel(&kernel, 1, 1, args, &[])?;
    drop((x, y, table));
    let mut exec = graph.instantiate()?;
    // SAFETY: `out` has space for the echo; the kernel does not dereference the other pointers.
    unsafe { exec.launch(&stream) }?;
    assert_eq!(stream.clone_dtoh(&*out)?, passed);
    Ok(())
}

fn numbers() -> Outcome {
    let huge = i128::MIN + 77;
    let passed = [
        &[1, 0xfe][..],
        &(-3_i64).to_le_bytes(),
        &700_u16.to_le_bytes(),
        &huge.to_le_bytes(),
        &[1.0_f32, 2.0, 3.0].map(f32::to_le_bytes).concat(),
    ]
    .concat();
    echo::<EchoNumbers<'static>>("echo_numbers", &BOTH, &passed, |kernel, out, form| {
        let args = EchoNumbers {
            out,
            flag: true,
            letter: std::ffi::c_char::from_ne_bytes([0xfe]),
            wide: -3,
            id: 700,
            huge,
            v: Float3::new(1.0, 2.0, 3.0),
        };
        // SAFETY: `out` has space for the echo.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

/// Its offset depends on the GPU: no packed form is valid for all GPUs.
fn lines() -> Outcome {
    let mut line = [0; 128];
    line[..4].copy_from_slice(&42_i32.to_le_bytes());
    line[64..72].copy_from_slice(&(-43_i64).to_le_bytes());
    let passed = [&[0x11][..], &line, &[0x22]].concat();
    echo::<EchoLines<'static>>("echo_lines", &[Form::KernelParams], &passed, |kernel, out, form| {
        let args =
            EchoLines { out, before: 0x11, line: Line { n: 42, _padding4: [0; 60], position: -43 }, after: 0x22 };
        // SAFETY: `out` has space for the echo.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

fn boxes() -> Outcome {
    let floats =
        [&[1.0_f32, 2.0, 3.0].map(f32::to_le_bytes).concat()[..], &[4, 0, 0, 0], &5.0_f32.to_le_bytes()].concat();
    let float = kernels::generated::echo_box_float.symbol();
    echo::<EchoBoxFloat<'static>>(float, &BOTH, &floats, |kernel, out, form| {
        let args = EchoBoxFloat { out, r#box: BoxFloat3 { items: [1.0, 2.0, 3.0], count: 4 }, last: 5.0 };
        // SAFETY: `out` has space for the echo.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })?;
    let doubles =
        [&[1.0_f64, 2.0, 3.0].map(f64::to_le_bytes).concat()[..], &[4, 0, 0, 0, 0, 0, 0, 0], &5.0_f64.to_le_bytes()]
            .concat();
    let double = kernels::generated::echo_box_double.symbol();
    echo::<EchoBoxDouble<'static>>(double, &BOTH, &doubles, |kernel, out, form| {
        let args = EchoBoxDouble { out, r#box: BoxDouble3 { items: [1.0, 2.0, 3.0], count: 4 }, last: 5.0 };
        // SAFETY: `out` has space for the echo.
        unsafe { launch!(kernel, 1, 1, args, form = form) }
    })
}

/// Copied to the device and back.
/// The image contains neither C++ types nor debug information.
fn inferred_slices() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[1.0_f32, 2.0, 3.0])?;
    let mut y = stream.clone_htod(&[0.5_f32; 3])?;
    let module = Module::load(&ctx, kernels::inferred::IMAGE)?;
    let saxpy: Kernel<kernels::inferred::Saxpy<'_>> = module.kernel("saxpy")?;
    let args = kernels::inferred::Saxpy { arg0: 3, arg1: 2.0, arg2: &x, arg3: &mut y };
    // SAFETY: both slices have three elements.
    unsafe { launch!(saxpy, 1, 32, args)? };
    assert_eq!(stream.clone_dtoh(&y)?, [2.5, 4.5, 6.5]);
    Ok(())
}

fn slice_of_lights() -> Outcome {
    let stream = context()?.default_stream();
    let lights = stream.clone_htod(&[LIGHT; 3])?;
    let back = stream.clone_dtoh(&lights)?;
    assert_eq!(format!("{back:?}"), format!("{:?}", [LIGHT; 3]));
    Ok(())
}
