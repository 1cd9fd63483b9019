//! Real bugs in the arguments of kernels, reduced: the message for each, as the chapter `real_bugs` of the guide shows
//! it. `KERNEL_ARGS_BLESS=1` writes the messages into the chapter.
#![allow(dead_code, reason = "structs with mistakes, of which no value is made")]

use cudarc::driver::{CudaContext, CudaSlice};
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Launch, Module, launch};
use kernel_args_stand_in::{Settings, within};
use std::{env, fs, path::Path, sync::Arc};

const PTX: &str = include_str!("../../../ptx/real_bugs.ptx");

kernel_args::kernels! {
    mod described = "../ptx/real_bugs.ptx", debug_info = "../ptx/real_bugs.debug.ptx";
    mod variables = "../ptx/globals.ptx", debug_info = "../ptx/globals.debug.ptx";
}

/// What LLVM once made of a struct of 16 bytes as the last parameter.
const WITHOUT_TAIL_PADDING: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry last(.param .u64 out, .param .align 8 .b8 pair[12]) { ret; }
";

/// The error of a struct for a kernel whose image has no debug information.
fn refused<A: KernelArgs>(ctx: &Arc<CudaContext>, image: &str, entry: &str) -> String {
    match Kernel::<A>::from_image(ctx, image, entry) {
        Err(error @ Error::Verify(_)) => error.to_string(),
        other => panic!("`{entry}` is not refused for its arguments: {other:?}"),
    }
}

/// The error of a struct for a kernel with debug information.
fn compared<A: KernelArgs>(ctx: &Arc<CudaContext>, entry: &str) -> String {
    let module = Module::load(ctx, described::IMAGE).expect("it loads");
    match module.kernel::<A>(entry) {
        Err(error @ Error::Verify(_)) => error.to_string(),
        other => panic!("`{entry}` is not refused for its arguments: {other:?}"),
    }
}

/// The error of a launch.
fn broken(launched: Result<(), Error>) -> String {
    match launched {
        Err(error @ Error::Launch(_)) => error.to_string(),
        other => panic!("the launch is not refused: {other:?}"),
    }
}

/// A typedef made `uint32_t` 8 bytes in the kernel.
#[derive(KernelArgs)]
struct Gather<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
    n: u32,
}

/// Coarse and fine are exchanged.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct PowersData {
    fine_log_count: u32,
    coarse_log_count: u32,
    values: DevicePointer<u32>,
}

/// One argument too few.
#[derive(KernelArgs)]
struct LayerNorm<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
    rows: i32,
    cols: i32,
    eps: f32,
}

/// An `f64` literal for a `float`.
#[derive(KernelArgs)]
struct Fill<'a> {
    out: &'a mut CudaSlice<f32>,
    value: f64,
    n: i32,
}

/// The host aligns the struct to 16, the kernel to 8.
#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
struct Range128 {
    low: u64,
    high: u64,
}

#[derive(KernelArgs)]
struct InRange<'a> {
    out: &'a mut CudaSlice<i32>,
    id: i32,
    range: Range128,
}

/// A complex number that the host aligns to 8, the kernel to 16.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Complex {
    re: f64,
    im: f64,
}

#[derive(KernelArgs)]
struct Rotate {
    x: DevicePointerMut<Complex>,
    n: i32,
    by: Complex,
}

/// A tensor map that the host aligns to 8.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct TensorMap {
    opaque: [u64; 16],
}

#[derive(KernelArgs)]
struct Tma<'a> {
    n: i32,
    map: TensorMap,
    out: &'a mut CudaSlice<f32>,
}

/// Its 4 bytes at the end belong to the parameter.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    time: f64,
    index: i32,
}

#[derive(KernelArgs)]
struct Last {
    out: DevicePointerMut<Pair>,
    pair: Pair,
}

/// The kernel reads pairs, so an odd number of elements is wrong.
#[derive(KernelArgs)]
struct AddPairs<'a> {
    #[kernel_args(len = "n")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
    #[kernel_args(multiple_of = 2)]
    n: i32,
}

/// The number of elements exceeds 32 bits.
#[derive(KernelArgs)]
struct Copy32 {
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
    #[kernel_args(as = u32)]
    n: usize,
}

/// A block for which the kernel is not written, and a block and a grid that are exchanged.
#[derive(KernelArgs)]
#[kernel_args(block = (32, 8), grid_covers = ("cols", "rows"))]
struct Transpose<'a> {
    #[kernel_args(len = "rows * cols")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "rows * cols")]
    y: &'a mut CudaSlice<f32>,
    rows: i32,
    cols: i32,
}

/// Bytes where the kernel counts elements.
#[derive(KernelArgs)]
struct Copied<'a> {
    #[kernel_args(len = "n")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
    n: u32,
}

/// Count and pointer are exchanged.
#[derive(KernelArgs)]
struct Shifted<'a> {
    x: &'a CudaSlice<f32>,
    n: u32,
    y: &'a mut CudaSlice<f32>,
}

/// Shape and strides are exchanged.
#[derive(KernelArgs)]
struct Strided<'a> {
    x: &'a mut CudaSlice<f32>,
    strides: &'a CudaSlice<u64>,
    shape: &'a CudaSlice<u64>,
}

/// The kernel must not run on the default stream.
#[derive(KernelArgs)]
#[kernel_args(stream = required)]
struct Enqueued {
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
    n: u32,
}

/// The numbers of the bugs, and their messages.
fn messages() -> Result<Vec<(u32, String)>, Error> {
    let ctx = kernel_args::context(0)?;
    let stream = ctx.default_stream();
    let memory = |len| stream.alloc_zeros::<f32>(len).expect("there is memory");
    let (x, mut y) = (memory(1024), memory(1024));
    let copied: Kernel<Copied<'_>> = Kernel::from_image(&ctx, PTX, "copy")?;
    let copy: Kernel<Copy32> = Kernel::from_image(&ctx, PTX, "copy")?;
    let pairs: Kernel<AddPairs<'_>> = Kernel::from_image(&ctx, PTX, "add_pairs")?;
    let transpose: Kernel<Transpose<'_>> = Kernel::from_image(&ctx, PTX, "transpose")?;
    let enqueued: Kernel<Enqueued> = Kernel::from_image(&ctx, PTX, "copy")?;
    let mut transposed = |grid: (u32, u32), block: (u32, u32)| {
        let (rows, cols) = (32, 32);
        let args = Transpose { x: &x, y: &mut y, rows, cols };
        // SAFETY: the launch is refused.
        broken(unsafe { launch!(transpose, grid, block, args) })
    };
    let (other_block, exchanged) = (transposed((1, 4), (32, 4)), transposed((32, 8), (1, 4)));
    let (p, q) = (DevicePointer::NULL, DevicePointerMut::NULL);
    Ok(vec![
        (1, refused::<Gather<'_>>(&ctx, PTX, "gather")),
        (5, {
            let module = Module::load(&ctx, variables::IMAGE)?;
            let refused = module.global::<PowersData>("powers_data");
            refused.expect_err("two members are exchanged").to_string()
        }),
        (6, refused::<LayerNorm<'_>>(&ctx, PTX, "layer_norm")),
        (8, refused::<Fill<'_>>(&ctx, PTX, "fill")),
        (10, refused::<InRange<'_>>(&ctx, PTX, "in_range")),
        (12, refused::<Rotate>(&ctx, PTX, "rotate")),
        (13, refused::<Tma<'_>>(&ctx, PTX, "tma")),
        (14, refused::<Last>(&ctx, WITHOUT_TAIL_PADDING, "last")),
        (15, {
            let args = AddPairs { x: &x, y: &mut y, n: 1023 };
            // SAFETY: the launch is refused.
            broken(unsafe { launch!(pairs, 1, 512, args) })
        }),
        (16, {
            let args = Copy32 { x: p, y: q, n: (1 << 32) + 1 };
            // SAFETY: the launch is refused.
            broken(unsafe { launch!(copy, 1, 32, args) })
        }),
        (17, other_block),
        (18, exchanged),
        (19, {
            let args = Copied { x: &x, y: &mut y, n: 4 * 1024 };
            // SAFETY: the launch is refused.
            broken(unsafe { launch!(copied, 32, 128, args) })
        }),
        (24, refused::<Shifted<'_>>(&ctx, PTX, "copy")),
        (26, compared::<Strided<'_>>(&ctx, "strided")),
        (29, {
            let args = Enqueued { x: p, y: q, n: 1 };
            // SAFETY: the launch is refused.
            broken(unsafe { kernel_args::launch(&enqueued, Launch::new(1, 32), args) })
        }),
    ])
}

/// The chapter with these messages: each is in a block that follows a line `<!-- 17 -->`.
fn with_messages(chapter: &str, messages: &[(u32, String)]) -> String {
    let mut text = String::new();
    let mut rest = chapter;
    for (number, message) in messages {
        let start = format!("<!-- {number} -->\n```text\n");
        let (before, after) = rest
            .split_once(&start)
            .unwrap_or_else(|| panic!("the chapter has no message of bug {number}, or not in this order"));
        let (_, after) = after.split_once("\n```").expect("the block ends");
        text.extend([before, &start, message, "\n```"]);
        rest = after;
    }
    assert!(!rest.contains("<!-- "), "a message of the chapter has no program");
    text + rest
}

#[test]
fn the_guide_shows_the_messages() {
    within(&Settings::new(), |_| {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-args/guide/real_bugs.md");
        let chapter = fs::read_to_string(&place).expect("the chapter is read");
        let made = with_messages(&chapter, &messages().expect("all else works"));
        if env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1") {
            fs::write(&place, &made).expect("the chapter is written");
        }
        assert_eq!(chapter, made, "KERNEL_ARGS_BLESS=1 writes the messages");
    });
}

/// The kernel of the README, and the report of its mistake.
#[test]
fn the_readme_shows_the_report_of_the_test_driver() {
    #[derive(KernelArgs)]
    struct Mean<'a> {
        x: &'a CudaSlice<f32>,
        y: &'a mut CudaSlice<f32>,
        n: i32,
    }
    const IMAGE: &str = include_str!("../../../ptx/mean.ptx");
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let stream = ctx.default_stream();
        let x = stream.clone_htod(&[1.0_f32; 256]).expect("memory");
        let mut y = stream.alloc_zeros::<f32>(256).expect("memory");
        let mean = Kernel::<Mean<'_>>::from_image(&ctx, IMAGE, "mean").expect("it fits");
        // SAFETY: the test driver notices that `x` is too short.
        unsafe { launch!(mean, 1, 256, Mean { x: &x, y: &mut y, n: 256 }).expect("it is launched") };
        assert!(stream.synchronize().is_err(), "the fault is an error of the context");
        let report = driver.last_fault().expect("a report");
        for document in ["README.md", "kernel-args/src/lib.rs"] {
            let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
            let text = fs::read_to_string(place).expect("the document");
            let word = |word: &'static str| if word.starts_with("0x") { "address" } else { word };
            let words = |text: String| -> String {
                text.leak().split_whitespace().filter(|word| *word != "//!").map(word).collect::<Vec<_>>().join(" ")
            };
            let (text, report) = (words(text), words(report.clone()));
            assert!(text.contains(&report), "{document} does not show\n{report}");
        }
    });
}
