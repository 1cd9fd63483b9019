//! Structs that spread and flatten fields, and lists with slices: in launches, graphs and sequences.

use crate::echo::{
    counts::drawn,
    ways::{Echo, Outcome, ROUNDS},
};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, DeviceType, KernelArg, KernelArgs, Module, Retained,
    args::Form,
    context::{ContextFlags, create_context},
    graph::Graph,
    launch,
    sequence::Sequence,
    vector::Float4,
};
use kernel_args_tests::{
    driver::{context, device, trial},
    tally,
    values::{Bytes, Draw, Source, at},
};
use libtest_mimic::Trial;
use std::sync::Arc;

kernel_args::kernels! {
    mod kernels = "../ptx/echo_spread.ptx", debug_info = "../ptx/echo_spread.debug.ptx";
}

const PTX: &str = include_str!("../../../../ptx/echo_spread.ptx");

#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread, strict_names)]
struct Spread<P: KernelArg<Device = DevicePointerMut<u8>>> {
    out: P,
    before: i8,
    #[kernel_args(spread)]
    shape: [i32; 3],
    scale: f64,
    #[kernel_args(spread, name = ["pad_0", "pad_1"])]
    margins: [i16; 2],
    after: i8,
}

impl<P: KernelArg<Device = DevicePointerMut<u8>>> Spread<P> {
    fn draw(seed: u64, out: P) -> (Self, Vec<u8>) {
        let (from, passed) = (&mut Source::new(seed), &mut Vec::new());
        let args = Self {
            out,
            before: drawn(from, passed),
            shape: drawn(from, passed),
            scale: drawn(from, passed),
            margins: drawn(from, passed),
            after: drawn(from, passed),
        };
        (args, std::mem::take(passed))
    }
}

fn numbers() -> Outcome {
    let echo = Echo::<Spread<DevicePointerMut<u8>>>::load(PTX, "echo_spread")?;
    for seed in 0..ROUNDS {
        let (_, passed) = Spread::draw(seed, DevicePointerMut::NULL);
        echo.check(&passed, |out| Spread::draw(seed, out).0)?;
    }
    Ok(())
}

/// The elements of an array of structs are separate parameters, each with its padding.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Item {
    value: f64,
    index: i32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread_structs)]
struct Structs<const N: usize> {
    out: DevicePointerMut<u8>,
    #[kernel_args(spread)]
    size: [Float4; N],
    middle: i8,
    #[kernel_args(spread)]
    item: [Item; N],
}

fn structs() -> Outcome {
    let echo = Echo::<Structs<2>>::load(PTX, "echo_spread_structs")?;
    let (from, mut passed) = (&mut Source::new(5), Vec::new());
    let (size, middle) = (drawn(from, &mut passed), drawn(from, &mut passed));
    let item = [0; 2].map(|_| Item { value: Draw::draw(from), index: Draw::draw(from) });
    for item in item {
        passed.extend(at(16, &[(0, item.value.bytes()), (8, item.index.bytes())]));
    }
    echo.check(&passed, |out| Structs { out, size, middle, item })
}

/// What several kernels take.
#[derive(KernelArgs)]
struct Common<T> {
    alpha: T,
    #[kernel_args(spread)]
    shape: [i32; 2],
    beta: f64,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_flatten, strict_names)]
struct Flatten<X: KernelArg<Device = DevicePointer<f32>>, O: KernelArg<Device = DevicePointerMut<u8>>> {
    out: O,
    first: i8,
    #[kernel_args(flatten)]
    common: Common<f32>,
    x: X,
    last: i8,
}

impl<X, O> Flatten<X, O>
where
    X: KernelArg<Device = DevicePointer<f32>>,
    O: KernelArg<Device = DevicePointerMut<u8>>,
{
    /// `address` is the address of `x`.
    fn draw(seed: u64, out: O, x: X, address: u64) -> (Self, Vec<u8>) {
        let (from, passed) = (&mut Source::new(seed), &mut Vec::new());
        let first = drawn(from, passed);
        let common = Common { alpha: drawn(from, passed), shape: drawn(from, passed), beta: drawn(from, passed) };
        passed.extend(address.bytes());
        let args = Self { out, first, common, x, last: drawn(from, passed) };
        (args, std::mem::take(passed))
    }
}

fn flattened() -> Outcome {
    type Args = Flatten<DevicePointer<f32>, DevicePointerMut<u8>>;
    let echo = Echo::<Args>::load(PTX, "echo_flatten")?;
    for seed in 0..ROUNDS {
        let draw = |out| Args::draw(seed, out, DevicePointer::from_raw(seed), seed);
        echo.check(&draw(DevicePointerMut::NULL).1, |out| draw(out).0)?;
    }
    Ok(())
}

/// An array of slices, and a second one that the kernel could write.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::echo_spread_pointers)]
struct Slices<'a> {
    out: &'a mut CudaSlice<u8>,
    #[kernel_args(spread, name = "x{}")]
    x: [&'a CudaSlice<f32>; 2],
    #[kernel_args(spread, name = "y{}")]
    y: [&'a mut CudaSlice<f32>; 2],
    #[kernel_args(flatten)]
    size: &'a mut Size,
}

#[derive(KernelArgs)]
struct Size {
    rows: u32,
    columns: u32,
}

fn address<T: DeviceRepr>(slice: &CudaSlice<T>, stream: &CudaStream) -> u64 {
    slice.device_ptr(stream).0
}

fn slices() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Module::load(&ctx, PTX)?.kernel::<Slices<'_>>("echo_spread_pointers")?;
    let x = [stream.alloc_zeros::<f32>(4)?, stream.alloc_zeros(4)?];
    let [mut y0, mut y1] = [stream.alloc_zeros::<f32>(4)?, stream.alloc_zeros(4)?];
    let mut size = Size { rows: 7, columns: 9 };
    let mut passed = Vec::new();
    for slice in [&x[0], &x[1], &y0, &y1] {
        passed.extend(address(slice, &stream).bytes());
    }
    passed.extend([size.rows.bytes(), size.columns.bytes()].concat());
    for form in [Form::KernelParams, Form::Packed] {
        let mut out = stream.clone_htod(&vec![0xa5_u8; passed.len()])?;
        let args = Slices { out: &mut out, x: x.each_ref(), y: [&mut y0, &mut y1], size: &mut size };
        // SAFETY: `out` has space for the echo; the kernel does not access the memory of the pointers.
        unsafe { launch!(kernel, 1, 1, args, stream = &stream, form = form)? };
        let echo = stream.clone_dtoh(&out)?;
        tally::compare("echo_spread_pointers", &format!("{form:?}"), &echo, &passed)?;
    }
    Ok(())
}

/// A list spreads a slice whose length is known only at run time.
fn lists() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let function = Module::load(&ctx, PTX)?.function("echo_spread")?;
    for seed in 0..ROUNDS {
        let (flat, passed) = Spread::draw(seed, DevicePointerMut::NULL);
        let (shape, margins) = (flat.shape.to_vec(), flat.margins.to_vec());
        for form in [Form::KernelParams, Form::Packed] {
            let mut out = stream.clone_htod(&vec![0xa5_u8; passed.len()])?;
            let mut args = ArgList::new();
            args.push(&mut out).push(flat.before).spread(&shape);
            args.push(flat.scale).spread(&margins).push(flat.after);
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            unsafe { launch!(function, 1, 1, args, stream = &stream, form = form)? };
            let echo = stream.clone_dtoh(&out)?;
            tally::compare("echo_spread", &format!("a list, {form:?}"), &echo, &passed)?;
        }
    }
    let mut short = ArgList::new();
    short.push(DevicePointerMut::<u8>::NULL).push(1_i8).spread(&[1_i32; 2]);
    short.push(0.5_f64).spread(&[1_i16; 2]).push(1_i8);
    // SAFETY: the arguments do not fit, so nothing is launched.
    let refused = unsafe { launch!(function, 1, 1, short) };
    let text = refused.expect_err("a dimension is missing").to_string();
    let hint = "push `1_u32` or `1_i32` as argument 4";
    assert!(text.contains(hint), "{text}");
    Ok(())
}

/// The nodes of a graph: added, captured and updated.
fn graphs() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Module::load(&ctx, PTX)?.kernel::<Flatten<_, _>>("echo_flatten")?;
    let x = Arc::new(stream.clone_htod(&[1.0_f32; 4])?);
    let (_, first) = Flatten::draw(0, DevicePointerMut::NULL, DevicePointer::NULL, 0);
    let out = Arc::new(stream.clone_htod(&vec![0xa5_u8; first.len()])?);
    let of = address(&x, &stream);
    ctx.synchronize()?;
    let draw = |seed| Flatten::draw(seed, Retained::write(&out), Retained::read(&x), of);
    let captured = {
        let mut node = None;
        let graph = Graph::capture(&stream, || -> Result<(), kernel_args::Error> {
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            node = Some(unsafe { launch!(kernel, 1, 1, draw(0).0, node, stream = &stream)? });
            Ok(())
        })?;
        (graph, node.ok_or("nothing was captured")?)
    };
    let added = {
        let mut graph = Graph::new(&ctx)?;
        let node = graph.add_kernel(&kernel, 1, 1, draw(0).0, &[])?;
        (graph, node)
    };
    for (way, (graph, node)) in [("captured", captured), ("added", added)] {
        let mut exec = graph.instantiate()?;
        for seed in 0..ROUNDS {
            let (args, passed) = draw(seed);
            exec.update(&node, 1, 1, args)?;
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            unsafe { exec.launch(&stream)? };
            let echo = stream.clone_dtoh(&*out)?;
            tally::compare("echo_flatten", way, &echo, &passed)?;
        }
    }
    Ok(())
}

#[derive(KernelArgs)]
struct Step<'a> {
    out: &'a mut CudaSlice<u8>,
    first: i8,
    #[kernel_args(flatten)]
    common: Common<f32>,
    x: &'a CudaSlice<f32>,
    last: i8,
}

fn sequences() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Module::load(&ctx, PTX)?.kernel::<Step<'_>>("echo_flatten")?;
    let x = stream.clone_htod(&[1.0_f32; 4])?;
    let of = address(&x, &stream);
    let mut sequence = Sequence::new(&stream);
    let draw = |seed| Flatten::draw(seed, DevicePointerMut::NULL, DevicePointer::NULL, of);
    let mut out = stream.clone_htod(&vec![0xa5_u8; draw(0).1.len()])?;
    for seed in 0..ROUNDS {
        let (Flatten { first, common, last, .. }, passed) = draw(seed);
        sequence.run(|s| {
            let (x, mut out) = (s.hold(&x)?, s.hold(&mut out)?);
            let args = Step { out: &mut out, first, common, x, last };
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            unsafe { launch!(kernel, 1, 1, args, stream = s) }
        })?;
        let echo = stream.clone_dtoh(&out)?;
        tally::compare("echo_flatten", "a sequence", &echo, &passed)?;
    }
    Ok(())
}

/// A struct whose last element has another type, and whose flattened struct is in another order.
#[derive(KernelArgs)]
struct Wrong {
    out: DevicePointerMut<u8>,
    #[kernel_args(flatten)]
    inner: Between,
    scale: f64,
    #[kernel_args(spread)]
    pad: [i16; 2],
    after: i8,
}

#[derive(KernelArgs)]
struct Between {
    before: i8,
    #[kernel_args(spread)]
    shape: [f32; 3],
}

/// When a kernel is loaded, each element and each field is compared and named.
fn mistakes() -> Outcome {
    let module = Module::load(&context()?, PTX)?;
    let refused = module.kernel::<Wrong>("echo_spread");
    let text = refused.expect_err("the elements are integers").to_string();
    for name in ["inner.shape[0]", "inner.shape[1]", "inner.shape[2]"] {
        let line = text.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains("<-")), "{text}");
    }
    for name in ["inner.before", "pad[0]", "pad[1]"] {
        let line = text.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| !line.contains("<-")), "{text}");
    }
    let module = Module::load(&context()?, PTX)?;
    let short = module.kernel::<Structs<1>>("echo_spread_structs");
    assert!(short.is_err() && module.kernel::<Structs<2>>("echo_spread_structs").is_ok());
    Ok(())
}

/// An element or a flattened field with memory of another context is named, and nothing is launched.
fn another_context() -> Outcome {
    let ctx = context()?;
    let other = create_context(device(), ContextFlags::new())?;
    let (stream, elsewhere) = (ctx.new_stream()?, other.new_stream()?);
    let kernel = Module::load(&ctx, PTX)?.kernel::<Slices<'_>>("echo_spread_pointers")?;
    let (here, there) = (stream.alloc_zeros::<f32>(4)?, elsewhere.alloc_zeros(4)?);
    let [mut y0, mut y1] = [stream.alloc_zeros::<f32>(4)?, stream.alloc_zeros(4)?];
    let mut theirs = elsewhere.alloc_zeros::<f32>(4)?;
    let mut out = stream.alloc_zeros(64)?;
    let mut size = Size { rows: 7, columns: 9 };
    for (field, x, is_theirs) in
        [("x[0]", [&there, &here], false), ("x[1]", [&here, &there], false), ("y[1]", [&here, &here], true)]
    {
        let args =
            Slices { out: &mut out, x, y: [&mut y0, if is_theirs { &mut theirs } else { &mut y1 }], size: &mut size };
        // SAFETY: the arguments are refused, so nothing is launched.
        let refused = unsafe { launch!(kernel, 1, 1, args, stream = &stream) };
        let text = refused.expect_err("two contexts are mixed").to_string();
        assert!(text.contains(&format!("`{field}`")), "{text}");
    }
    // A flattened struct of slices: the index of its fields is an index of all parameters.
    let kernel = Module::load(&ctx, PTX)?.kernel::<Outer<'_>>("echo_spread_pointers")?;
    let args = Outer {
        out: &mut out,
        pointers: Pointers { x: [&here, &here], y: [&mut y0, &mut theirs] },
        rows: 1,
        columns: 2,
    };
    // SAFETY: the arguments are refused, so nothing is launched.
    let refused = unsafe { launch!(kernel, 1, 1, args, stream = &stream) };
    let text = refused.expect_err("two contexts are mixed").to_string();
    assert!(text.contains("`pointers.y[1]`"), "{text}");
    Ok(())
}

#[derive(KernelArgs)]
struct Pointers<'a> {
    #[kernel_args(spread)]
    x: [&'a CudaSlice<f32>; 2],
    #[kernel_args(spread)]
    y: [&'a mut CudaSlice<f32>; 2],
}

#[derive(KernelArgs)]
struct Outer<'a> {
    out: &'a mut CudaSlice<u8>,
    #[kernel_args(flatten)]
    pointers: Pointers<'a>,
    rows: u32,
    columns: u32,
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_spread_array_of_numbers", numbers),
        trial("a_spread_array_of_vectors_and_structs", structs),
        trial("a_flattened_struct", flattened),
        trial("spread_slices_and_a_flattened_reference", slices),
        trial("a_list_that_spreads_slices", lists),
        trial("mistakes_are_found_at_load", mistakes),
        trial("an_element_of_another_context_is_named", another_context),
        trial("spread_and_flattened_fields_in_graphs", graphs),
        trial("spread_and_flattened_fields_in_a_sequence", sequences),
    ]
}
