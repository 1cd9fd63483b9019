//! The programs that are traced. Each prints what it launches, as JSON: what the trace must contain.

use cudarc::{
    driver::{
        CudaContext, CudaSlice, DevicePtr as _, LaunchConfig, PushKernelArg as _,
        sys::{self, CUdevice_attribute},
    },
    nvrtc::Ptx,
};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Kernel, KernelArgs, Module,
    args::Form,
    graph::Graph,
    launch,
    vector::{Dim3, Float4},
};
use kernel_args_tests::driver::{context, device};
use serde_json::{Value, json};
use std::{
    env,
    error::Error,
    ffi::{CString, c_void},
    fmt::Write as _,
    mem,
    process::{self, Command, ExitCode},
    ptr,
    sync::Arc,
    thread,
    time::Duration,
};

/// The variable that names the program.
pub(super) const VARIABLE: &str = "KERNEL_ARGS_TRACED";

/// Kernels that do nothing. The first two have C++ names.
pub(super) const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry _Z5scalePfif(.param .u64 x, .param .u32 n, .param .f32 by) { ret; }
.visible .entry _ZN3sim4stepIdEEvPT_6float4c(.param .u64 x, .param .align 16 .b8 at[16], .param .u8 flag) { ret; }
.visible .entry mixed(.param .u8 a, .param .f64 b, .param .align 2 .b8 c[6], .param .align 8 .b8 d[24]) { ret; }
.visible .entry nothing() { ret; }
.visible .entry _Z4fillP6float4(.param .u64 x) { ret; }
";

#[derive(Clone, Copy, KernelArgs)]
struct Scale {
    x: DevicePointerMut<f32>,
    n: i32,
    by: f32,
}

#[derive(Clone, Copy, KernelArgs)]
struct Step {
    x: DevicePointerMut<f64>,
    at: Float4,
    flag: i8,
}

#[repr(C)]
#[derive(Clone, Copy, DeviceType)]
struct Inner {
    pointer: DevicePointer<u8>,
    number: i64,
    small: u16,
    tail: [u8; 6],
}

#[derive(Clone, Copy, KernelArgs)]
struct Mixed {
    a: u8,
    b: f64,
    c: [u16; 3],
    d: Inner,
}

#[derive(Clone, Copy, KernelArgs)]
struct Nothing;

#[derive(Clone, Copy, KernelArgs)]
struct Fill {
    x: DevicePointerMut<Float4>,
}

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub(super) fn run(name: &str) -> ExitCode {
    match program(name) {
        Ok(()) => ExitCode::from(7),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn program(name: &str) -> Outcome {
    match name {
        "random" => random(&context()?, 0x1234_5678, 200),
        "threads" => {
            let ctx = context()?;
            thread::scope(|scope| {
                let threads: Vec<_> = (1..=4)
                    .map(|seed| {
                        scope.spawn(move || {
                            random(&context().map_err(|error| error.to_string())?, seed, 50)
                                .map_err(|error| error.to_string())
                        })
                    })
                    .collect();
                threads
                    .into_iter()
                    .try_for_each(|thread| Ok::<(), Box<dyn Error>>(thread.join().map_err(|_| "a panic")??))
            })?;
            drop(ctx);
            Ok(())
        }
        "processes" => {
            random(&context()?, 5, 10)?;
            let status = Command::new(env::current_exe()?).env(VARIABLE, "random").status()?;
            if status.code() == Some(7) { Ok(()) } else { Err(status.to_string().into()) }
        }
        "graph" => graph(),
        "lazy" => lazy(),
        "saxpy" => saxpy(),
        "refused" => refused(),
        "pointers" => pointers(),
        "abort" => {
            random(&context()?, 9, 5)?;
            process::abort()
        }
        "none" => Ok(()),
        other => Err(other.into()),
    }
}

/// Random launches of every kernel, in both forms.
fn random(ctx: &Arc<CudaContext>, seed: u64, count: u32) -> Outcome {
    let module = Module::load(ctx, PTX)?;
    let (scale, step) =
        (module.kernel::<Scale>("_Z5scalePfif")?, module.kernel::<Step>("_ZN3sim4stepIdEEvPT_6float4c")?);
    let (mixed, nothing) = (module.kernel::<Mixed>("mixed")?, module.kernel::<Nothing>("nothing")?);
    let streams = [ctx.default_stream(), ctx.new_stream()?];
    let mut random = seed;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for _ in 0..count {
        let [a, b, c, d] = [next(), next(), next(), next()];
        let grid = Dim3::new((a % 5) as u32 + 1, (a >> 8) as u32 % 3 + 1, (a >> 16) as u32 % 3 + 1);
        let block = Dim3::new((b % 64) as u32 + 1, (b >> 8) as u32 % 4 + 1, (b >> 16) as u32 % 2 + 1);
        let form = if a >> 40 & 1 == 0 { Form::KernelParams } else { Form::Packed };
        let shared = (c >> 50) as u32;
        let stream = &*streams[(b >> 40 & 1) as usize];
        let pointer = c & 0x7fff_ffff_fff0;
        macro_rules! one {
            ($kernel:ident, $symbol:expr, $args:expr) => {{
                let args = $args;
                println!("{}", expected($symbol, args, [grid, block], shared));
                // SAFETY: the kernel does nothing.
                unsafe { launch!($kernel, grid, block, args, shared = shared, form = form, stream = stream) }?;
            }};
        }
        match d % 4 {
            0 => one!(
                scale,
                "_Z5scalePfif",
                Scale {
                    x: DevicePointerMut::from_raw(pointer),
                    n: d as i32,
                    by: f32::from_bits((d >> 32) as u32 & 0x7f7f_ffff)
                }
            ),
            1 => one!(
                step,
                "_ZN3sim4stepIdEEvPT_6float4c",
                Step {
                    x: DevicePointerMut::from_raw(pointer),
                    at: Float4::new(1.5, f32::from(a as u16), -0.0, 4.0),
                    flag: d as i8
                }
            ),
            2 => one!(
                mixed,
                "mixed",
                Mixed {
                    a: a as u8,
                    b: f64::from(b as u32),
                    c: [b as u16, c as u16, d as u16],
                    d: Inner {
                        pointer: DevicePointer::from_raw(pointer),
                        number: d.cast_signed(),
                        small: c as u16,
                        tail: [1, 2, 3, 4, 5, 6]
                    },
                }
            ),
            _ => one!(nothing, "nothing", Nothing),
        }
    }
    ctx.synchronize()?;
    Ok(())
}

/// What the trace must contain of a launch.
fn expected<A: KernelArgs>(symbol: &str, args: A, [grid, block]: [Dim3; 2], shared: u32) -> Value {
    let parameters: Vec<Value> = args.with_packed(|packed| {
        let each = A::PARAMETERS.iter().map(|parameter| {
            let offset = parameter.offset.unwrap_or_default();
            let mut bytes = String::new();
            for byte in &packed[offset..][..parameter.size] {
                let _ = write!(bytes, "{byte:02x}");
            }
            json!([offset, bytes])
        });
        each.collect()
    });
    let [grid, block] = [grid, block].map(|dim| [dim.x, dim.y, dim.z]);
    json!({ "symbol": symbol, "grid": grid, "block": block, "shared": shared, "parameters": parameters })
}

/// Launches of cudarc that compute something: `y = alpha * x + y` for `alpha` 1, 2 and 3.
fn saxpy() -> Outcome {
    const N: usize = 100;
    let ctx = context()?;
    let stream = ctx.default_stream();
    let module = ctx.load_module(Ptx::from_src(include_str!("../../../../ptx/saxpy.ptx")))?;
    let saxpy = module.load_function("saxpy")?;
    let (x, mut y) = (stream.clone_htod(&[2.0_f32; N])?, stream.clone_htod(&[1.0_f32; N])?);
    for alpha in [1.0_f32, 2.0, 3.0] {
        let mut launch = stream.launch_builder(&saxpy);
        launch.arg(&(N as u32)).arg(&alpha).arg(&x).arg(&mut y);
        let config = LaunchConfig { grid_dim: (4, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: both slices have `N` elements.
        unsafe { launch.launch(config) }?;
    }
    assert_eq!(stream.clone_dtoh(&y)?, [13.0; N]);
    Ok(())
}

/// Three launches of a graph with one node.
fn graph() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Nothing>::from_image(&ctx, PTX, "nothing")?;
    let mut graph = Graph::new(&ctx)?;
    // SAFETY: the kernel does nothing.
    graph.add_kernel(&kernel, 1, 1, Nothing, &[])?;
    let mut exec = graph.instantiate()?;
    let stream = ctx.default_stream();
    for _ in 0..3 {
        // SAFETY: as before.
        unsafe { exec.launch(&stream) }?;
    }
    stream.synchronize()?;
    Ok(())
}

/// Two launches of a kernel of a library, whose module is loaded by the first use of the kernel. The process ends if
/// they do not.
fn lazy() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(60);
    thread::spawn(|| {
        thread::sleep(LIMIT);
        eprintln!("the launches have not ended after {LIMIT:?}");
        process::abort()
    });
    let ctx = context()?;
    let image = CString::new(PTX)?;
    let none: *mut c_void = ptr::null_mut();
    let (mut library, mut kernel) = (ptr::null_mut(), ptr::null_mut());
    let code = image.as_ptr().cast();
    // SAFETY: NUL-terminated PTX, and no options.
    unsafe { sys::cuLibraryLoadData(&raw mut library, code, none.cast(), none.cast(), 0, none.cast(), none.cast(), 0) }
        .result()?;
    // SAFETY: the library is loaded.
    unsafe { sys::cuLibraryGetKernel(&raw mut kernel, library, c"_Z5scalePfif".as_ptr()) }.result()?;
    for (mut n, mut by) in [(1, 2.0), (-3, 0.5)] {
        let scale = Scale { x: DevicePointerMut::NULL, n, by };
        let [grid, block] = [1, 32].map(|x| Dim3::new(x, 1, 1));
        println!("{}", expected("_Z5scalePfif", scale, [grid, block], 0));
        let mut x = 0_u64;
        let mut params = [(&raw mut x).cast(), (&raw mut n).cast(), (&raw mut by).cast()];
        let params = params.as_mut_ptr();
        // SAFETY: the parameters of the kernel, which does nothing; a launch takes a `CUkernel` too.
        unsafe { sys::cuLaunchKernel(kernel.cast(), 1, 1, 1, 32, 1, 1, 0, none.cast(), params, none.cast()) }
            .result()?;
    }
    ctx.synchronize()?;
    Ok(())
}

/// Launches with pointers, most of which the kernels cannot use: it prints the address of each launch and what is wrong
/// with it.
fn pointers() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, PTX)?;
    let scale = module.kernel::<Scale>("_Z5scalePfif")?;
    let fill = module.kernel::<Fill>("_Z4fillP6float4")?;
    let stream = ctx.default_stream();
    let address = |slice: &CudaSlice<f32>| slice.device_ptr(&stream).0;
    let memory = stream.alloc_zeros::<f32>(64)?;
    let good = address(&memory);
    let host = [0.0_f32; 4];
    let pageable = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
    let of_host = match ctx.attribute(pageable)? {
        0 => "host memory",
        _ => "",
    };
    let mut cases = vec![
        (good, ""),
        (good + 4, ""),
        (0, ""),
        (good + 256, ""),
        (16, "not allocated"),
        (host.as_ptr().addr() as u64, of_host),
        (good + 2, "not aligned to 4 bytes"),
    ];
    // Its memory stays allocated until the process ends.
    if let Ok(other) = kernel_args::context(device() + 1) {
        let there = other.default_stream().alloc_zeros::<f32>(64)?;
        cases.push((address(&there), "memory of GPU"));
        mem::forget(there);
    }
    for (address, problem) in cases {
        println!("{}", json!([address, problem]));
        let x = DevicePointerMut::from_raw(address);
        // SAFETY: the kernel does nothing.
        unsafe { launch!(scale, 1, 1, Scale { x, n: 1, by: 2.0 }) }?;
    }
    for (address, problem) in [(good, ""), (good + 4, "not aligned to 16 bytes")] {
        println!("{}", json!([address, problem]));
        let x = DevicePointerMut::from_raw(address);
        // SAFETY: as before.
        unsafe { launch!(fill, 1, 1, Fill { x }, form = Form::Packed) }?;
    }
    ctx.synchronize()?;
    Ok(())
}

/// A launch that the driver refuses.
fn refused() -> Outcome {
    let ctx = context()?;
    let scale = ctx.load_module(Ptx::from_src(PTX))?.load_function("_Z5scalePfif")?;
    let stream = ctx.default_stream();
    let mut launch = stream.launch_builder(&scale);
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (4096, 1, 1), shared_mem_bytes: 0 };
    launch.arg(&0_u64).arg(&1_i32).arg(&2.0_f32);
    // SAFETY: the parameters are the kernel's.
    let outcome = unsafe { launch.launch(config) };
    match outcome {
        Ok(_) => Err("4096 threads were accepted".into()),
        Err(_) => Ok(()),
    }
}
