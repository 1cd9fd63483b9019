//! What is checked.

use super::kernels::{ALIGNMENTS, InStruct, Lights, N, Outcome, Pointers, SAXPY, Slices, Two, Vectors, World, refused};
use cudarc::driver::{DevicePtr, sys::CUdevice_attribute};
use kernel_args::{
    DevicePointer, DevicePointerMut, Kernel, KernelArgs, Module,
    error::{AlignedBy, PointerProblem},
    launch,
    observe::check_pointers,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("host_memory", host_memory),
        trial("freed_memory", freed_memory),
        trial("an_address_that_was_never_allocated", never_allocated),
        trial("null_pointers", null_pointers),
        trial("the_alignment_of_a_type", alignment_of_a_type),
        trial("the_alignment_of_the_code", alignment_of_the_code),
        trial("a_slice_longer_than_its_allocation", too_long),
        trial("views_and_ends_of_ranges", views_and_ends),
        trial("a_pointer_in_a_struct", in_a_struct),
        trial("an_address_as_an_integer", integer),
        trial("a_pointer_that_is_not_accessed", not_accessed),
        trial("what_the_code_does_with_a_pointer", uses_in_code),
        trial("the_checks_are_switched_off", switched_off),
        trial("the_text_of_an_error", text),
    ]
}

/// Whether kernels access all memory of the process.
pub(crate) fn shares_page_tables(world: &World) -> Outcome<bool> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
    Ok(world.ctx.attribute(attribute)? != 0)
}

/// Memory that was freed. The memory of the test driver is host memory, which still belongs to the process then.
pub(crate) fn is_gone(problem: PointerProblem) -> bool {
    matches!(problem, PointerProblem::NotAllocated | PointerProblem::Host)
}

fn host_memory() -> Outcome {
    let world = World::new()?;
    let saxpy = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let data = vec![1.0_f32; N as usize];
    let x = DevicePointer::from_raw(data.as_ptr().expose_provenance() as u64);
    let args = Pointers { x, ..world.saxpy() };
    // SAFETY: all memory has `N` elements, here and below. Where the GPU cannot access it, the launch is refused.
    let launched = unsafe { launch!(saxpy, 1, N, args) };
    if shares_page_tables(&world)? {
        launched?;
        world.finish()?;
    } else {
        let bad = refused(launched);
        assert_eq!((&*bad.field, bad.problem), ("x", PointerProblem::Host));
        assert_eq!((&*bad.kernel, &*bad.cpp), ("saxpy", "float const*"));
        assert_eq!(bad.address, args.x.address());
    }
    // Pinned and managed memory have addresses for kernels.
    // SAFETY: the memory is written before it is read.
    let mut pinned = unsafe { world.ctx.alloc_pinned::<f32>(N as usize) }?;
    pinned.as_mut_slice()?.fill(2.0);
    let x = DevicePointer::from_raw(pinned.as_ptr()?.expose_provenance() as u64);
    let args = Pointers { x, ..world.saxpy() };
    // SAFETY: see above.
    unsafe { launch!(saxpy, 1, N, args) }?;
    world.finish()?;
    // SAFETY: the memory is written before it is read.
    let mut managed = unsafe { world.ctx.alloc_unified::<f32>(N as usize, true) }?;
    managed.as_mut_slice()?.fill(2.0);
    let (address, guard) = managed.device_ptr(&world.stream);
    let x = DevicePointer::from_raw(address);
    let args = Pointers { x, ..world.saxpy() };
    // SAFETY: see above.
    unsafe { launch!(saxpy, 1, N, args) }?;
    drop(guard);
    world.finish()
}

fn freed_memory() -> Outcome {
    let world = World::new()?;
    let saxpy = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    // The beginning of freed memory can be the end of the memory before it, which a kernel can take.
    let before = world.stream.clone_htod(&[1.0_f32; 4096])?;
    let slice = world.stream.clone_htod(&[1.0_f32; 4096])?;
    let x = DevicePointer::from_raw(world.address(&slice));
    let args = Pointers { x, ..world.saxpy() };
    // SAFETY: both slices have more than `N` elements.
    unsafe { launch!(saxpy, 1, N, args) }?;
    world.finish()?;
    drop((before, slice));
    world.finish()?;
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(saxpy, 1, N, args) });
    assert_eq!(bad.field, "x");
    assert!(is_gone(bad.problem), "{bad}");
    Ok(())
}

fn never_allocated() -> Outcome {
    let world = World::new()?;
    let saxpy = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    for address in [16, 1 << 60, u64::MAX - 3] {
        let y = DevicePointerMut::from_raw(address);
        // SAFETY: the launch is refused.
        let bad = refused(unsafe { launch!(saxpy, 1, N, Pointers { y, ..world.saxpy() }) });
        let expected = ("y", PointerProblem::NotAllocated, address);
        assert_eq!((&*bad.field, bad.problem, bad.address), expected);
    }
    // SAFETY: both slices have more than `N` elements.
    unsafe { launch!(saxpy, 1, N, world.saxpy()) }?;
    world.finish()
}

fn null_pointers() -> Outcome {
    let mut world = World::new()?;
    let module = Module::load(&world.ctx, SAXPY)?;
    let (saxpy, slices) = (module.kernel::<Pointers>("saxpy")?, module.kernel::<Slices<'_>>("saxpy")?);
    let (null, n) = (DevicePointer::NULL, 0);
    // SAFETY: the kernel accesses nothing for `n == 0`, here and below.
    unsafe { launch!(saxpy, 1, N, Pointers { x: null, n, ..world.saxpy() }) }?;
    let args = Slices { n, alpha: 1.0, x: None, y: &mut world.y };
    // SAFETY: see above.
    unsafe { launch!(slices, 1, N, args) }?;
    // A slice with elements is never null.
    // SAFETY: nothing accesses the memory, and `leak` prevents that it is freed.
    let null = unsafe { world.stream.upgrade_device_ptr::<f32>(0, 4) };
    let args = Slices { n, alpha: 1.0, x: Some(&null), y: &mut world.y };
    // SAFETY: see above.
    let bad = refused(unsafe { launch!(slices, 1, N, args) });
    assert_eq!(bad.field, "x");
    assert!(matches!(bad.problem, PointerProblem::Null { elements: 4, .. }), "{bad}");
    null.leak();
    world.finish()
}

fn alignment_of_a_type() -> Outcome {
    let world = World::new()?;
    let kernel = Kernel::<Vectors>::from_image(&world.ctx, ALIGNMENTS, "vectors")?;
    let begin = world.address(&world.x);
    for offset in [4, 8, 12] {
        let p = DevicePointerMut::from_raw(begin + offset);
        // SAFETY: the launch is refused.
        let bad = refused(unsafe { launch!(kernel, 1, 32, Vectors { p, n: 4 }) });
        assert_eq!(bad.field, "p");
        let PointerProblem::Misaligned { required, because, .. } = bad.problem else { panic!("{bad}") };
        assert_eq!((required, because), (16, AlignedBy::Type));
    }
    for offset in [0, 16, 32] {
        let p = DevicePointerMut::from_raw(begin + offset);
        // SAFETY: the slice has `4 * N` elements, and the kernel accesses 4 vectors.
        unsafe { launch!(kernel, 1, 32, Vectors { p, n: 4 }) }?;
    }
    world.finish()
}

fn alignment_of_the_code() -> Outcome {
    let world = World::new()?;
    let module = Module::load(&world.ctx, ALIGNMENTS)?;
    let (x, y) = (world.address(&world.x), world.address(&world.y));
    let args = |p: u64, out: u64| Two { p: DevicePointerMut::from_raw(p), out: DevicePointerMut::from_raw(out), n: 4 };
    // All accesses through `out` have 16 bytes; through `p` some have 4.
    let rest = module.kernel::<Two>("vectors_and_rest")?;
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(rest, 1, 1, args(x, y + 4)) });
    assert_eq!(bad.field, "out");
    let PointerProblem::Misaligned { required, because, .. } = bad.problem else { panic!("{bad}") };
    assert_eq!((required, because), (16, AlignedBy::Code));
    // SAFETY: one thread accesses 16 bytes of each slice, here and below.
    unsafe { launch!(rest, 1, 1, args(x, y + 16)) }?;
    // A kernel that tests the address gets any multiple of 4.
    let tests = module.kernel::<Two>("tests_the_address")?;
    for offset in [0, 4, 8, 12, 16] {
        // SAFETY: one thread accesses 16 bytes of `x` and 4 of `y`.
        unsafe { launch!(tests, 1, 1, args(x + offset, y + 4)) }?;
    }
    // Not even an aligned float.
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(tests, 1, 1, args(x + 2, y)) });
    assert!(matches!(bad.problem, PointerProblem::Misaligned { required: 4, .. }), "{bad}");
    world.finish()
}

fn too_long() -> Outcome {
    let mut world = World::new()?;
    let kernel = Kernel::<Slices<'_>>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let memory = world.stream.clone_htod(&[1.0_f32; 100])?;
    let address = world.address(&memory);
    for (offset, elements, fits) in [(0, 100, true), (0, 101, false), (40, 90, true), (40, 91, false)] {
        // SAFETY: the kernel accesses `N` elements, and `leak` prevents that the memory is freed.
        let slice = unsafe { world.stream.upgrade_device_ptr::<f32>(address + offset, elements) };
        let args = Slices { n: N, alpha: 1.0, x: Some(&slice), y: &mut world.y };
        // SAFETY: both slices have `N` elements.
        let launched = unsafe { launch!(kernel, 1, N, args) };
        slice.leak();
        if fits {
            launched?;
            continue;
        }
        let bad = refused(launched);
        assert_eq!(bad.field, "x");
        let PointerProblem::TooLong { elements: found, bytes, available, allocation, .. } = bad.problem else {
            panic!("{bad}")
        };
        assert_eq!((found, bytes), (elements, 4 * elements as u64));
        assert_eq!((available, allocation), (400 - offset, 400));
    }
    world.finish()
}

fn views_and_ends() -> Outcome {
    #[derive(KernelArgs)]
    struct Views<'a> {
        n: u32,
        alpha: f32,
        x: cudarc::driver::CudaView<'a, f32>,
        y: cudarc::driver::CudaViewMut<'a, f32>,
    }
    let mut world = World::new()?;
    let module = Module::load(&world.ctx, SAXPY)?;
    let (kernel, raw) = (module.kernel::<Views<'_>>("saxpy")?, module.kernel::<Pointers>("saxpy")?);
    let all = 4 * N as usize;
    for (begin, n) in [(0, N), (all - N as usize, N), (3, N), (all, 0)] {
        let args = Views {
            n,
            alpha: 1.0,
            x: world.x.slice(begin..begin + n as usize),
            y: world.y.slice_mut(begin..begin + n as usize),
        };
        // SAFETY: both views have `n` elements.
        unsafe { launch!(kernel, 1, N, args) }?;
    }
    // A kernel with an index can read backwards from the end of a range.
    let end = world.address(&world.x) + 4 * all as u64;
    let args = Pointers { x: DevicePointer::from_raw(end), n: 0, ..world.saxpy() };
    // SAFETY: the kernel accesses nothing for `n == 0`.
    unsafe { launch!(raw, 1, N, args) }?;
    // With a kernel of cudarc, whose code is not known.
    let unknown = world.ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?.load_function("saxpy")?;
    // SAFETY: see above.
    unsafe { launch!(unknown, 1, N, args) }?;
    world.finish()
}

fn in_a_struct() -> Outcome {
    let world = World::new()?;
    let kernel = Kernel::<InStruct>::from_image(&world.ctx, ALIGNMENTS, "in_a_struct")?;
    let (x, y) = (world.address(&world.x), world.address(&world.y));
    let args = |at: u64| InStruct {
        lights: Lights { count: 1, at: DevicePointerMut::from_raw(at) },
        out: DevicePointerMut::from_raw(y),
    };
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(kernel, 1, 1, args(16)) });
    assert_eq!((&*bad.field, &*bad.cpp), ("lights.at", "double2*"));
    assert_eq!(bad.problem, PointerProblem::NotAllocated);
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(kernel, 1, 1, args(x + 8)) });
    assert!(matches!(bad.problem, PointerProblem::Misaligned { required: 16, .. }), "{bad}");
    // SAFETY: one thread accesses 16 bytes of `x` and 4 of `y`.
    unsafe { launch!(kernel, 1, 1, args(x)) }?;
    world.finish()
}

/// An address without a type, in a parameter that the code uses as a pointer.
fn integer() -> Outcome {
    #[derive(KernelArgs)]
    struct Untyped {
        n: u32,
        alpha: f32,
        x: u64,
        y: u64,
    }
    let world = World::new()?;
    let kernel = Kernel::<Untyped>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (x, y) = (world.address(&world.x), world.address(&world.y));
    for (x, y, wrong) in [(x, y, None), (16, y, Some("x")), (x, y + 2, Some("y"))] {
        let args = Untyped { n: N, alpha: 1.0, x, y };
        // SAFETY: both slices have more than `N` elements, or the launch is refused.
        let launched = unsafe { launch!(kernel, 1, N, args) };
        match wrong {
            None => launched?,
            Some(field) => assert_eq!(refused(launched).field, field),
        }
    }
    world.finish()
}

/// A kernel that only stores an address gets any value, if its code is known.
fn not_accessed() -> Outcome {
    const STORES: &str = ".version 7.0\n.target sm_75\n.address_size 64\n\
        .visible .entry stores(.param .u64 p, .param .u64 out)\n{\n.reg .b64 %rd<4>;\n\
        ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [out];\nst.global.u64 [%rd2], %rd1;\nret;\n}\n";
    #[derive(KernelArgs)]
    struct Stores {
        p: DevicePointer<f32>,
        out: DevicePointerMut<u64>,
    }
    let world = World::new()?;
    let kernel = Kernel::<Stores>::from_image(&world.ctx, STORES, "stores")?;
    let args = |p, out| Stores { p: DevicePointer::from_raw(p), out: DevicePointerMut::from_raw(out) };
    // SAFETY: one thread writes 8 bytes of the slice.
    unsafe { launch!(kernel, 1, 1, args(16, world.address(&world.y))) }?;
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(kernel, 1, 1, args(16, 16)) });
    assert_eq!(bad.field, "out");
    world.finish()
}

/// Whether the end of memory, null, and an address at which nothing is can be an argument depends on the accesses of
/// the kernel.
fn uses_in_code() -> Outcome {
    #[derive(KernelArgs, Clone, Copy)]
    struct Args {
        p: DevicePointer<u32>,
        at: u64,
    }
    const CODE: &str = ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .b8 table[64];\n\
        .func reads(.param .u64 q)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n\
        ld.param.u64 %rd1, [q];\nld.volatile.u32 %r1, [%rd1];\nret;\n}\n\
        .visible .entry k(.param .u64 p, .param .u64 at)\n{\n.reg .b64 %rd<8>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n\
        ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [at];\n";
    let world = World::new()?;
    // Memory without other memory at its end: an address is aligned to 256 bytes.
    let memory = world.stream.clone_htod(&[1_u32; 15])?;
    let begin = world.address(&memory);
    let end = begin + 60;
    for (instructions, address, at, is_accepted) in [
        // At the pointer, before it, after it, and where a number decides.
        ("ld.volatile.u32 %r1, [%rd1];", begin, 0, true),
        ("ld.volatile.u32 %r1, [%rd1];", end, 0, false),
        ("ld.volatile.u32 %r1, [%rd1+-4];", end, 0, true),
        ("ld.volatile.u32 %r1, [%rd1+-4];\nld.volatile.u32 %r1, [%rd1+4];", end, 0, false),
        ("sub.s64 %rd3, %rd1, %rd2;\nld.volatile.u32 %r1, [%rd3];", end, 8, true),
        ("mul.lo.s64 %rd3, %rd2, 4;\nsub.s64 %rd3, %rd1, %rd3;\nld.volatile.u32 %r1, [%rd3];", end, 2, true),
        ("mul.lo.s64 %rd3, %rd2, 4;\nsub.s64 %rd3, %rd1, %rd3;\nld.volatile.u32 %r1, [%rd3];", 16, 2, false),
        // Null, if the kernel compares it.
        ("ld.volatile.u32 %r1, [%rd1];", 0, 0, false),
        ("setp.ne.s64 %p1, %rd1, 0;\n@%p1 ld.volatile.u32 %r1, [%rd1];", 0, 0, true),
        ("setp.eq.s64 %p1, %rd1, 0;\n@%p1 bra over;\nld.volatile.u32 %r1, [%rd1];\nover:", 0, 0, true),
        // A function gets the pointer.
        ("{ .param .b64 a;\nst.param.b64 [a], %rd1;\ncall reads, (a); }", 16, 0, false),
        (
            "mov.u64 %rd3, reads;\nproto: .callprototype _ (.param .b64 _);\n\
             { .param .b64 a;\nst.param.b64 [a], %rd1;\ncall %rd3, (a), proto; }",
            16,
            0,
            false,
        ),
        (
            "mov.u64 %rd3, reads;\nproto: .callprototype _ (.param .b64 _);\n\
             { .param .b64 a;\nst.param.b64 [a], %rd1;\ncall %rd3, (a), proto; }",
            begin,
            0,
            true,
        ),
        // A number is an offset.
        ("mov.u64 %rd3, table;\nadd.s64 %rd3, %rd3, %rd2;\nst.global.u32 [%rd3], 1;", 16, 16, true),
        ("add.s64 %rd3, %rd1, %rd2;\nld.volatile.u32 %r1, [%rd3];", begin, 16, true),
        ("ld.volatile.u32 %r1, [%rd2];", begin, 16, false),
    ] {
        let code = format!("{CODE}{instructions}\nret;\n}}\n");
        let kernel = Kernel::<Args>::from_image(&world.ctx, &code, "k")?;
        let args = Args { p: DevicePointer::from_raw(address), at };
        // SAFETY: one thread accesses the memory, the variable, or nothing. Otherwise the launch is refused.
        let launched = unsafe { launch!(kernel, 1, 1, args) };
        let context = format!("{instructions} with {address:#x} and {at}");
        match launched {
            Ok(()) => assert!(is_accepted, "{context} was launched"),
            Err(error) => assert!(!is_accepted, "{context}: {error}"),
        }
        world.finish()?;
    }
    Ok(())
}

fn switched_off() -> Outcome {
    let world = World::new()?;
    let saxpy = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let args = Pointers { n: 0, x: DevicePointer::from_raw(16), ..world.saxpy() };
    check_pointers(false);
    // SAFETY: the kernel accesses nothing for `n == 0`, here and below.
    let launched = unsafe { launch!(saxpy, 1, N, args) };
    check_pointers(true);
    launched?;
    // SAFETY: see above.
    refused(unsafe { launch!(saxpy, 1, N, args) });
    world.finish()
}

fn text() -> Outcome {
    let world = World::new()?;
    let saxpy = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let args = Pointers { x: DevicePointer::from_raw(16), ..world.saxpy() };
    // SAFETY: the launch is refused.
    let error = unsafe { launch!(saxpy, 1, N, args) }.expect_err("nothing is at address 16");
    assert_eq!(
        error.to_string(),
        "kernel `saxpy` was not launched: `x` points to memory that is not allocated\n  \
         float const* x = 0x10, which no allocation contains: it was freed, or never allocated\n\
         help: pass a reference to the slice, which keeps the memory allocated, or free the memory later"
    );
    Ok(())
}
