//! Pointers: typed, const, void, to pointers, null; and cudarc's slices, whose address must be passed.

use crate::echo::ways::{Echo, Outcome, ROUNDS, echo_between};
use core::ffi::c_void;
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, UnifiedSlice};
use kernel_args::{DevicePointer, DevicePointerMut, Kernel, KernelArgs, Module, launch};
use kernel_args_tests::{
    driver::{context, trial},
    tally,
    values::{Bytes, Draw, Source},
};
use libtest_mimic::Trial;

const POINTERS: &str = include_str!("../../../../ptx/echo_pointers.ptx");

/// `echo_pointers_mixed`: pointers between scalars, each at an offset that depends on padding.
#[derive(KernelArgs)]
struct Mixed {
    out: DevicePointerMut<u8>,
    n: u32,
    x: DevicePointer<f32>,
    flag: u8,
    context: Option<DevicePointerMut<c_void>>,
    rows: u16,
    table: DevicePointerMut<DevicePointerMut<f32>>,
    scale: f64,
    y: cudarc::driver::sys::CUdeviceptr,
}

fn mixed() -> Outcome {
    let echo = Echo::<Mixed>::load(POINTERS, "echo_pointers_mixed")?;
    for seed in 0..ROUNDS {
        let mut from = Source::new(seed);
        let (n, x, flag) = (u32::draw(&mut from), DevicePointer::draw(&mut from), u8::draw(&mut from));
        let context = Option::<DevicePointerMut<c_void>>::draw(&mut from);
        let (rows, table) = (u16::draw(&mut from), DevicePointerMut::draw(&mut from));
        let (scale, y) = (f64::draw(&mut from), u64::draw(&mut from));
        let passed = [
            n.bytes(),
            x.bytes(),
            flag.bytes(),
            context.bytes(),
            rows.bytes(),
            table.bytes(),
            scale.bytes(),
            y.bytes(),
        ]
        .concat();
        echo.check(&passed, |out| Mixed { out, n, x, flag, context, rows, table, scale, y })?;
    }
    Ok(())
}

/// cudarc's types as fields of a struct with a lifetime.
macro_rules! slices {
    ($($name:ident: $ty:ty, |$slice:ident| $make:expr => $address:expr;)*) => {$(
        fn $name() -> Outcome {
            #[derive(KernelArgs)]
            struct Slices<'a> {
                out: &'a mut CudaSlice<u8>,
                before: i8,
                pointer: $ty,
                after: i8,
            }
            let ctx = context()?;
            let stream = ctx.default_stream();
            let kernel: Kernel<Slices<'static>> = Module::load(&ctx, POINTERS)?.kernel("echo_pointer_f32")?;
            let mut memory = stream.alloc_zeros::<f32>(64)?;
            let start = { let (start, _guard) = memory.device_ptr(&stream); start };
            let mut out = stream.clone_htod(&[0xa5_u8; 10])?;
            {
                let $slice = &mut memory;
                let args = Slices { out: &mut out, before: -3, pointer: $make, after: 7 };
                // SAFETY: `out` has space for two chars and a pointer, and the kernel writes no other memory.
                unsafe { launch!(kernel, 1, 1, args)? };
            }
            let address: fn(u64) -> u64 = $address;
            let mut passed = vec![(-3_i8).cast_unsigned()];
            passed.extend(address(start).to_ne_bytes());
            passed.push(7);
            let echo = stream.clone_dtoh(&out)?;
            Ok(tally::compare(concat!("echo_pointer_f32 of ", stringify!($ty)), "launch!", &echo, &passed)?)
        }
    )*};
}

slices! {
    slice_mut: &'a mut CudaSlice<f32>, |memory| memory => |start| start;
    view_mut: CudaViewMut<'a, f32>, |memory| memory.slice_mut(3..) => |start| start + 12;
    view_mut_by_reference: &'a mut CudaViewMut<'a, f32>, |memory| Box::leak(Box::new(memory.slice_mut(5..)))
        => |start| start + 20;
    some_slice: Option<&'a mut CudaSlice<f32>>, |memory| Some(memory) => |start| start;
    no_slice: Option<&'a mut CudaSlice<f32>>, |_memory| None => |_| 0;
}

fn read_only() -> Outcome {
    #[derive(KernelArgs)]
    struct Reads<'a> {
        out: &'a mut CudaSlice<u8>,
        before: i8,
        pointer: &'a CudaView<'a, f32>,
        after: i8,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel: Kernel<Reads<'static>> = Module::load(&ctx, POINTERS)?.kernel("echo_pointer_const_f32")?;
    let memory = stream.alloc_zeros::<f32>(64)?;
    let mut out = stream.clone_htod(&[0xa5_u8; 10])?;
    let view = memory.slice(9..);
    let args = Reads { out: &mut out, before: 1, pointer: &view, after: 2 };
    // SAFETY: `out` has space for two chars and a pointer, and the kernel writes no other memory.
    unsafe { launch!(kernel, 1, 1, args)? };
    let start = {
        let (start, _guard) = memory.device_ptr(&stream);
        start
    };
    let passed = [vec![1], (start + 36).bytes(), vec![2]].concat();
    Ok(tally::compare("echo_pointer_const_f32", "view", &stream.clone_dtoh(&out)?, &passed)?)
}

fn unified() -> Outcome {
    #[derive(KernelArgs)]
    struct Unified<'a> {
        out: &'a mut CudaSlice<u8>,
        before: i8,
        pointer: &'a mut UnifiedSlice<f32>,
        after: i8,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel: Kernel<Unified<'static>> = Module::load(&ctx, POINTERS)?.kernel("echo_pointer_f32")?;
    // SAFETY: every bit pattern is an `f32`.
    let mut memory = unsafe { ctx.alloc_unified::<f32>(16, true)? };
    let start = {
        let (start, _guard) = memory.device_ptr(&stream);
        start
    };
    let mut out = stream.clone_htod(&[0xa5_u8; 10])?;
    let args = Unified { out: &mut out, before: 1, pointer: &mut memory, after: 2 };
    // SAFETY: `out` has space for two chars and a pointer, and the kernel writes no other memory.
    unsafe { launch!(kernel, 1, 1, args)? };
    let passed = [vec![1], start.bytes(), vec![2]].concat();
    Ok(tally::compare("echo_pointer_f32 of unified memory", "launch!", &stream.clone_dtoh(&out)?, &passed)?)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("echo_pointer_f32", || echo_between::<DevicePointerMut<f32>>(POINTERS, "echo_pointer_f32")),
        trial("echo_pointer_const_f32", || echo_between::<DevicePointer<f32>>(POINTERS, "echo_pointer_const_f32")),
        trial("echo_pointer_void", || echo_between::<DevicePointerMut<c_void>>(POINTERS, "echo_pointer_void")),
        trial("echo_pointer_const_void", || echo_between::<DevicePointer<c_void>>(POINTERS, "echo_pointer_const_void")),
        trial("echo_pointer_pointer", || {
            echo_between::<DevicePointerMut<DevicePointerMut<f32>>>(POINTERS, "echo_pointer_pointer")
        }),
        trial("echo_pointer_const_pointer", || {
            echo_between::<DevicePointer<DevicePointer<f32>>>(POINTERS, "echo_pointer_const_pointer")
        }),
        trial("echo_pointers_mixed", mixed),
        trial("a_slice_arrives_as_its_address", slice_mut),
        trial("a_view_arrives_as_its_own_address", view_mut),
        trial("a_borrowed_view_arrives_as_its_own_address", view_mut_by_reference),
        trial("some_slice_arrives_as_its_address", some_slice),
        trial("no_slice_arrives_as_null", no_slice),
        trial("a_view_that_is_read_arrives_as_its_own_address", read_only),
        trial("unified_memory_arrives_as_its_address", unified),
    ]
}
