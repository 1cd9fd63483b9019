//! Each contract fires and passes.

use super::{Outcome, refused};
use crate::attributes::kernels::before_sm90;
use cudarc::driver::{CudaSlice, CudaView};
use kernel_args::{DevicePointer, DeviceType, Error, Kernel, KernelArgs, Retained, args::IntoDim, launch};
use kernel_args_tests::driver::{context, trial, trial_unless};
use libtest_mimic::Trial;
use std::{num::NonZeroU32, sync::Arc};

/// Kernels that do nothing.
const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry one_int(.param .u32 a) { ret; }
.visible .entry two_ints(.param .u32 a, .param .u32 b) { ret; }
.visible .entry counted(.param .u64 x, .param .u32 n) { ret; }
.visible .entry length(.param .u64 p, .param .u64 n) { ret; }
.visible .entry wide(.param .u64 p, .param .u64 a, .param .u64 b) { ret; }
.visible .entry slice(.param .u64 x, .param .u32 a, .param .u32 b) { ret; }
.visible .entry shape(.param .u64 x, .param .align 4 .b8 shape[12]) { ret; }
";

fn kernel<A: KernelArgs>(entry: &str) -> Outcome<Kernel<A>> {
    Ok(Kernel::from_image(&context()?, PTX, entry)?)
}

/// Launches with a block of 32 threads.
fn run<A: KernelArgs, B: KernelArgs<Erased = A::Erased>>(kernel: &Kernel<A>, args: B) -> Result<(), Error> {
    run_with(kernel, 1, 32, args)
}

fn run_with<A: KernelArgs, B: KernelArgs<Erased = A::Erased>>(
    kernel: &Kernel<A>,
    grid: impl IntoDim,
    block: impl IntoDim,
    args: B,
) -> Result<(), Error> {
    // SAFETY: the kernels access no memory.
    unsafe { launch!(kernel, grid, block, args) }
}

#[derive(KernelArgs)]
struct Matrix<'a> {
    #[kernel_args(len = "rows * cols")]
    x: &'a CudaSlice<f32>,
    rows: u32,
    cols: i32,
}

fn a_length_is_a_product() -> Outcome {
    let kernel = kernel::<Matrix>("slice")?;
    let x = context()?.default_stream().alloc_zeros::<f32>(1000)?;
    let matrix = |rows, cols| Matrix { x: &x, rows, cols };
    for (rows, cols) in [(10, 100), (1, 1000), (0, i32::MAX), (u32::MAX, 0), (333, 3)] {
        run(&kernel, matrix(rows, cols))?;
    }
    refused(
        run(&kernel, matrix(32, 32)),
        "`x` of `Matrix` has 1000 elements, but `len = \"rows * cols\"` requires 1024\n  rows = 32, cols = 32\n\
         help: pass memory of at least 1024 elements, or correct the values that the contract uses",
    );
    refused(
        run(&kernel, matrix(32, -32)),
        "`len = \"rows * cols\"` on `x` of `Matrix` results in -1024, which is negative\n  rows = 32, cols = -32\n\
         help: correct the values, or the expression of the contract",
    );
    refused(
        run(&kernel, matrix(u32::MAX, i32::MAX)),
        "`x` of `Matrix` has 1000 elements, but `len = \"rows * cols\"` requires 9223372030412324865\n  \
         rows = 4294967295, cols = 2147483647\n\
         help: pass memory of at least 9223372030412324865 elements, or correct the values that the contract uses",
    );
    Ok(())
}

#[derive(KernelArgs)]
struct Wide {
    #[kernel_args(len = a * b, capacity = c)]
    p: DevicePointer<f32>,
    a: u64,
    b: u64,
    #[kernel_args(skip)]
    c: usize,
}

/// The result exceeds 64 bits, then 127 bits.
fn no_length_overflows() -> Outcome {
    let kernel = kernel::<Wide>("wide")?;
    let wide = |a, b| Wide { p: DevicePointer::NULL, a, b, c: usize::MAX };
    run(&kernel, wide(u64::MAX, 1))?;
    run(&kernel, wide(1 << 32, (1 << 32) - 1))?;
    refused(
        run(&kernel, wide(1 << 32, 1 << 32)),
        "`p` of `Wide` has 18446744073709551615 elements, but `len = a * b` requires 18446744073709551616\n  \
         a = 4294967296, b = 4294967296\n\
         help: pass memory of at least 18446744073709551616 elements, or correct the values that the contract uses",
    );
    refused(
        run(&kernel, wide(u64::MAX, u64::MAX)),
        "`len = a * b` on `p` of `Wide` results in a number of more than 127 bits\n  \
         a = 18446744073709551615, b = 18446744073709551615\n\
         help: correct the values, or the expression of the contract",
    );
    Ok(())
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Shape {
    rows: i32,
    columns: [i32; 2],
}

#[derive(KernelArgs)]
struct Strided<'a> {
    #[kernel_args(len = "(shape.rows - 1) * shape.columns[1] + shape.columns[0]")]
    x: Option<CudaView<'a, f32>>,
    shape: Shape,
}

/// Members, elements, an intermediate result that is negative, and a null pointer.
fn an_expression_is_exact() -> Outcome {
    let kernel = kernel::<Strided>("shape")?;
    let x = context()?.default_stream().alloc_zeros::<f32>(100)?;
    let strided = |rows, columns| Strided { x: Some(x.slice(10..40)), shape: Shape { rows, columns } };
    run(&kernel, strided(3, [10, 10]))?;
    run(&kernel, strided(0, [10, 5]))?;
    refused(
        run(&kernel, strided(3, [11, 10])),
        "`x` of `Strided` has 30 elements, but `len = \"(shape.rows - 1) * shape.columns[1] + shape.columns[0]\"` requires 31\n  \
         shape.rows = 3, shape.columns[1] = 10, shape.columns[0] = 11\n\
         help: pass memory of at least 31 elements, or correct the values that the contract uses",
    );
    let null = Strided { x: None, ..strided(1000, [1000, 1000]) };
    run(&kernel, null)?;
    Ok(())
}

#[derive(KernelArgs)]
struct Signed<'a> {
    #[kernel_args(len = "n")]
    x: Option<CudaView<'a, f32>>,
    n: i32,
}

#[derive(KernelArgs)]
struct Untracked {
    #[kernel_args(len = "n", capacity = "c")]
    p: DevicePointer<f32>,
    n: i64,
    #[kernel_args(skip)]
    c: u64,
}

#[derive(KernelArgs)]
struct Optional {
    #[kernel_args(len = "n", capacity = "c")]
    p: Option<DevicePointer<f32>>,
    n: i64,
    #[kernel_args(skip)]
    c: u64,
}

/// A null pointer has no memory that could be too short. `n` is -1 for "no array".
fn a_null_pointer_has_no_capacity() -> Outcome {
    let kernel = kernel::<Optional>("length")?;
    let x = Arc::new(context()?.default_stream().alloc_zeros::<f32>(8)?);
    let p = Retained::read(&x).pointer();
    for n in [-1, 0, 1000] {
        run(&kernel, Optional { p: None, n, c: 0 })?;
    }
    run(&kernel, Optional { p: Some(p), n: 8, c: 8 })?;
    refused(
        run(&kernel, Optional { p: Some(p), n: 9, c: 8 }),
        "`p` of `Optional` has 8 elements, but `len = \"n\"` requires 9\n\
         help: pass memory of at least 9 elements, or correct the values that the contract uses",
    );
    Ok(())
}

/// No memory is as large as a negative number that is taken for an unsigned one.
fn a_negative_length_is_refused() -> Outcome {
    let nothing = kernel::<Signed>("counted")?;
    let untracked = kernel::<Untracked>("length")?;
    let x = context()?.default_stream().alloc_zeros::<f32>(1)?;
    // Without memory, any number can mean "no array".
    for n in [i32::MAX, -1, i32::MIN] {
        run(&nothing, Signed { x: None, n })?;
    }
    let (p, n) = (DevicePointer::NULL, -1);
    let text = |on, n: i32| {
        format!(
            "`len = \"n\"` on {on} results in {n}, which is negative\nhelp: correct the values, or the expression of the contract"
        )
    };
    for c in [0, u64::MAX >> 1, u64::MAX] {
        refused(run(&untracked, Untracked { p, n, c }), &text("`p` of `Untracked`", -1));
    }
    for n in [-1, i32::MIN] {
        refused(run(&nothing, Signed { x: Some(x.as_view()), n }), &text("`x` of `Signed`", n));
    }
    Ok(())
}

#[derive(KernelArgs)]
struct Partial<'a> {
    #[kernel_args(len = "grid.x * n.div_ceil(block)")]
    sums: &'a mut CudaSlice<f32>,
    n: u32,
    #[kernel_args(range = "0..sums.len() - n")]
    first: u32,
}

/// The grid and the block of the launch, another slice's length, and a range of numbers that the struct contains.
fn contracts_know_the_launch() -> Outcome {
    let kernel = kernel::<Partial>("slice")?;
    let mut sums = context()?.default_stream().alloc_zeros::<f32>(8)?;
    let mut go = |grid, block: (u32, u32), n, first| {
        let sums = &mut sums;
        run_with(&kernel, grid, block, Partial { sums, n, first })
    };
    go(8, (8, 8), 5, 2)?;
    go(4, (4, 1), 5, 0)?;
    refused(
        go(8, (4, 1), 5, 0),
        "`sums` of `Partial` has 8 elements, but `len = \"grid.x * n.div_ceil(block)\"` requires 16\n  \
         grid.x = 8, n = 5, block = 4\n\
         help: pass memory of at least 16 elements, or correct the values that the contract uses",
    );
    refused(
        go(8, (8, 1), 5, 3),
        "`first` of `Partial` is 3, but `range = \"0..sums.len() - n\"` requires a value from 0 to 2\n  \
         sums.len() = 8, n = 5\n\
         help: pass a value from 0 to 2",
    );
    refused(
        go(8, (16, 1), 9, 3),
        "`first` of `Partial` is 3, but `range = \"0..sums.len() - n\"` requires a value from 0 to -2\n  \
         sums.len() = 8, n = 9\n\
         help: no value is in this range: correct the values that it uses",
    );
    Ok(())
}

#[derive(KernelArgs)]
struct Numbers {
    #[kernel_args(multiple_of = 4, range = "-8..=1000")]
    a: i32,
    #[kernel_args(range = "1..", multiple_of = "TILE")]
    b: NonZeroU32,
}

const TILE: u8 = 3;

fn numbers_have_ranges_and_divisors() -> Outcome {
    let kernel = kernel::<Numbers>("two_ints")?;
    let numbers = |a, b| Numbers { a, b: NonZeroU32::new(b).unwrap_or(NonZeroU32::MAX) };
    for a in [-8, -4, 0, 4, 1000] {
        run(&kernel, numbers(a, 3))?;
    }
    run(&kernel, numbers(0, u32::MAX))?;
    refused(
        run(&kernel, numbers(1001, 3)),
        "`a` of `Numbers` is 1001, but `range = \"-8..=1000\"` requires a value from -8 to 1000\n\
         help: pass a value from -8 to 1000",
    );
    refused(
        run(&kernel, numbers(-12, 3)),
        "`a` of `Numbers` is -12, but `range = \"-8..=1000\"` requires a value from -8 to 1000\n\
         help: pass a value from -8 to 1000",
    );
    refused(
        run(&kernel, numbers(-7, 3)),
        "`a` of `Numbers` is -7, but `multiple_of = 4` requires a multiple of 4\n\
         help: pass a multiple, such as -8 or -4",
    );
    refused(
        run(&kernel, numbers(4, 4)),
        "`b` of `Numbers` is 4, but `multiple_of = \"TILE\"` requires a multiple of 3\n\
         help: pass a multiple, such as 3 or 6",
    );
    Ok(())
}

#[derive(KernelArgs)]
struct Divided {
    #[kernel_args(multiple_of = "b", range = "..c")]
    a: u32,
    b: u32,
    #[kernel_args(skip)]
    c: i64,
}

/// Numbers of other fields, also of a skipped one, that make a contract impossible.
fn numbers_depend_on_other_fields() -> Outcome {
    let kernel = kernel::<Divided>("two_ints")?;
    run(&kernel, Divided { a: 12, b: 4, c: 13 })?;
    refused(
        run(&kernel, Divided { a: 12, b: 0, c: 13 }),
        "`multiple_of = \"b\"` on `a` of `Divided` asks for a multiple of 0\n\
         help: correct the values, or the expression of the contract",
    );
    refused(
        run(&kernel, Divided { a: 0, b: 1, c: -1 }),
        "`a` of `Divided` is 0, but `range = \"..c\"` requires a value of at most -2\n\
         help: pass a value of at most -2",
    );
    Ok(())
}

#[derive(KernelArgs)]
struct Narrow(#[kernel_args(as = i32)] usize);

#[derive(KernelArgs)]
struct Unsigned(#[kernel_args(as = u32, range = "0..10")] i64);

fn a_number_that_does_not_fit_is_refused() -> Outcome {
    let narrow = kernel::<Narrow>("one_int")?;
    run(&narrow, Narrow(0))?;
    run(&narrow, Narrow(i32::MAX as usize))?;
    refused(
        run(&narrow, Narrow(i32::MAX as usize + 1)),
        "`0` of `Narrow` is 2147483648, but `as = i32` passes a value from -2147483648 to 2147483647\n\
         help: split the launch into parts of fewer elements, or use a kernel that takes a wider integer",
    );
    let unsigned = kernel::<Unsigned>("one_int")?;
    run(&unsigned, Unsigned(9))?;
    refused(
        run(&unsigned, Unsigned(-1)),
        "`0` of `Unsigned` is -1, but `as = u32` passes a value from 0 to 4294967295\n\
         help: split the launch into parts of fewer elements, or use a kernel that takes a wider integer",
    );
    refused(
        run(&unsigned, Unsigned(10)),
        "`0` of `Unsigned` is 10, but `range = \"0..10\"` requires a value from 0 to 9\n\
         help: pass a value from 0 to 9",
    );
    Ok(())
}

#[derive(KernelArgs)]
#[kernel_args(block = (32, 8))]
struct Tile(u32);

#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = 32, max_block = 256)]
struct Warps(u32);

#[derive(KernelArgs)]
#[kernel_args(max_block = (16, N), block_multiple_of = (4, 1))]
struct Flat<const N: usize>(u32);

fn blocks() -> Outcome {
    let kernel = kernel::<Tile>("one_int")?;
    run_with(&kernel, 7, (32, 8), Tile(0))?;
    refused(
        run_with(&kernel, 7, (8, 32), Tile(0)),
        "the block is (8, 32, 1), but `block = (32, 8)` on `Tile` requires (32, 8, 1)\n\
         help: launch it with `block = (32, 8, 1)`",
    );
    refused(
        run_with(&kernel, (32, 8), 7, Tile(0)),
        "the block is (7, 1, 1), but `block = (32, 8)` on `Tile` requires (32, 8, 1)\n\
         help: the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
    );
    Ok(())
}

fn multiples_and_limits_of_blocks() -> Outcome {
    let warps = kernel::<Warps>("one_int")?;
    run_with(&warps, 7, (32, 8), Warps(0))?;
    run_with(&warps, 7, (2, 2, 8), Warps(0))?;
    refused(
        run_with(&warps, 7, 100, Warps(0)),
        "the block is (100, 1, 1), 100 threads, but `block_multiple_of = 32` on `Warps` requires a multiple of 32\n\
         help: use a multiple, such as 96 or 128 threads",
    );
    refused(
        run_with(&warps, 3, (32, 9), Warps(0)),
        "the block is (32, 9, 1), 288 threads, but `max_block = 256` on `Warps` allows at most 256\n\
         help: the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
    );
    let flat = kernel::<Flat<2>>("one_int")?;
    run_with(&flat, 7, (16, 2), Flat(0))?;
    refused(
        run_with(&flat, 70, (6, 2), Flat(0)),
        "the block is (6, 2, 1), 6 threads along x, but `block_multiple_of = (4, 1)` on `Flat` requires a multiple of 4\n\
         help: use a multiple, such as 4 or 8 threads along x",
    );
    refused(
        run_with(&flat, 70, (16, 3), Flat(0)),
        "the block is (16, 3, 1), 3 threads along y, but `max_block = (16, N)` on `Flat` allows at most 2\n\
         help: the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
    );
    refused(
        run_with(&flat, 70, (16, 1, 2), Flat(0)),
        "the block is (16, 1, 2), 2 threads along z, but `max_block = (16, N)` on `Flat` allows at most 1\n\
         help: the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
    );
    Ok(())
}

#[derive(KernelArgs)]
#[kernel_args(grid_covers = "n / 4")]
struct Covered {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(grid_covers = ("self.0", "self.1"))]
struct Image(u32, i32);

fn grids() -> Outcome {
    let covered = kernel::<Covered>("one_int")?;
    run_with(&covered, 4, 256, Covered { n: 4099 })?;
    run_with(&covered, (2, 2), (16, 16), Covered { n: 4096 })?;
    refused(
        run_with(&covered, 4, 256, Covered { n: 4100 }),
        "grid (4, 1, 1) and block (256, 1, 1) are 1024 threads, but `grid_covers = \"n / 4\"` on `Covered` requires 1025\n  \
         n = 4100\n\
         help: use a grid of at least 5 blocks",
    );
    // More than 64 bits of threads.
    let largest = run_with(&covered, (u32::MAX, u32::MAX, u32::MAX), 1, Covered { n: 1 });
    assert!(matches!(largest, Err(Error::Launch(_))), "{largest:?}");
    let image = kernel::<Image>("two_ints")?;
    run_with(&image, (4, 3), (16, 8), Image(64, 24))?;
    refused(
        run_with(&image, (4, 3), (16, 8), Image(24, 64)),
        "grid (4, 3, 1) and block (16, 8, 1) are 24 threads along y, but `grid_covers = (\"self.0\", \"self.1\")` on `Image` \
         requires 64\n\
         help: use a grid of at least 8 blocks along y",
    );
    refused(
        run_with(&image, (4, 3), (16, 8), Image(64, -1)),
        "`grid_covers = (\"self.0\", \"self.1\")` on `Image` results in -1, which is negative\n\
         help: correct the values, or the expression of the contract",
    );
    Ok(())
}

/// `__block_size__`: the grid of a launch counts clusters of six blocks.
const CLUSTERS: &str = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry one_int(.param .u32 a) .blocksareclusters .reqntid 32, 1, 1 .reqnctapercluster 2, 3, 1 { ret; }
.visible .entry counted(.param .u64 x, .param .u32 n) .blocksareclusters .reqntid 32, 1, 1 .reqnctapercluster 2, 3, 1 { ret; }
";

#[derive(KernelArgs)]
#[kernel_args(requires = "grid.x <= 4")]
struct Few {
    n: u32,
}

#[derive(KernelArgs)]
struct PerThread<'a> {
    #[kernel_args(len = "grid.x * block.x")]
    x: &'a CudaSlice<f32>,
    n: u32,
}

/// Contracts see the blocks of a grid that counts clusters.
fn grids_of_clusters() -> Outcome {
    let context = context()?;
    let covered = Kernel::<Covered>::from_image(&context, CLUSTERS, "one_int")?;
    run_with(&covered, 1, 32, Covered { n: 4 * 192 })?;
    run_with(&covered, (3, 2), 32, Covered { n: 4 * 36 * 32 })?;
    refused(
        run_with(&covered, 1, 32, Covered { n: 4 * 193 }),
        "grid (2, 3, 1) and block (32, 1, 1) are 192 threads, but `grid_covers = \"n / 4\"` on `Covered` requires 193\n  \
         n = 772\n\
         help: use a grid of at least 7 blocks",
    );
    let few = Kernel::<Few>::from_image(&context, CLUSTERS, "one_int")?;
    run_with(&few, 2, 32, Few { n: 0 })?;
    assert!(run_with(&few, 3, 32, Few { n: 0 }).is_err(), "six blocks");
    let per_thread = Kernel::<PerThread>::from_image(&context, CLUSTERS, "counted")?;
    let x = context.default_stream().alloc_zeros::<f32>(128)?;
    run_with(&per_thread, 2, 32, PerThread { x: &x, n: 0 })?;
    refused(
        run_with(&per_thread, 3, 32, PerThread { x: &x, n: 0 }),
        "`x` of `PerThread` has 128 elements, but `len = \"grid.x * block.x\"` requires 192\n  grid.x = 6, block.x = 32\n\
         help: pass memory of at least 192 elements, or correct the values that the contract uses",
    );
    // A block of 1 is the one that the kernel requires.
    run_with(&covered, 1, 1, Covered { n: 4 * 192 })?;
    refused(
        run_with(&covered, 1, 1, Covered { n: 4 * 193 }),
        "grid (2, 3, 1) and block (32, 1, 1) are 192 threads, but `grid_covers = \"n / 4\"` on `Covered` requires 193\n  \
         n = 772\n\
         help: use a grid of at least 7 blocks",
    );
    // 100 elements are 4 blocks, in 2 clusters.
    assert_eq!(covered.grid_and_block_for(100)?, ([2, 1, 1].into(), [32, 1, 1].into()));
    Ok(())
}

/// A struct with type and const parameters; the lengths of retained pointers.
#[derive(KernelArgs)]
#[kernel_args(block = N)]
struct Generic<T: DeviceType, const N: u32> {
    #[kernel_args(len = "n * N")]
    x: Retained<DevicePointer<T>>,
    n: u32,
    #[kernel_args(as = i32)]
    m: isize,
}

fn generic_structs() -> Outcome {
    let kernel = kernel::<Generic<f64, 32>>("slice")?;
    let x = Arc::new(context()?.default_stream().alloc_zeros::<f64>(64)?);
    let args = |n, m| Generic::<f64, 32> { x: Retained::read(&x), n, m };
    run(&kernel, args(2, -1))?;
    refused(
        run(&kernel, args(3, -1)),
        "`x` of `Generic` has 64 elements, but `len = \"n * N\"` requires 96\n  n = 3, N = 32\n\
         help: pass memory of at least 96 elements, or correct the values that the contract uses",
    );
    let result = run_with(&kernel, 1, 64, args(1, 0));
    assert!(result.is_err_and(|error| error.to_string().contains("requires (32, 1, 1)")));
    Ok(())
}

/// What no other contract can express; the driver is not called, and each value is shown.
fn conditions() -> Outcome {
    #[derive(KernelArgs)]
    #[kernel_args(requires = "grid.x * block.x >= a", requires = a < 100 || !is_small && a % self.b == 0)]
    struct Conditions {
        a: u32,
        b: u32,
        #[kernel_args(skip)]
        is_small: bool,
    }
    let kernel = kernel::<Conditions>("two_ints")?;
    let conditions = |a, b, is_small| Conditions { a, b, is_small };
    let help = "help: correct the values, the grid or the block of the launch, or the condition of the contract";
    run_with(&kernel, 4, 32, conditions(128, 2, false))?;
    run_with(&kernel, 4, 32, conditions(99, 0, true))?;
    refused(
        run_with(&kernel, 4, 32, conditions(129, 2, false)),
        &format!(
            "`requires = \"grid.x * block.x >= a\"` on `Conditions` does not hold\n  grid.x = 4, block.x = 32, a = 129\n{help}"
        ),
    );
    let text = "`requires = a < 100 || !is_small && a % self.b == 0` on `Conditions`";
    refused(
        run_with(&kernel, 4, 32, conditions(128, 2, true)),
        &format!("{text} does not hold\n  a = 128, is_small = true, self.b = 2\n{help}"),
    );
    refused(
        run_with(&kernel, 4, 32, conditions(128, 0, false)),
        &format!(
            "{text} divides by zero\n  a = 128, is_small = false, self.b = 0\n\
             help: correct the values, or the expression of the contract"
        ),
    );
    Ok(())
}

/// A length in an expression: of a slice, and of `None`, which has none.
fn conditions_of_lengths() -> Outcome {
    #[derive(KernelArgs)]
    #[kernel_args(requires = "x.len() % 4 == 0 && x.len() >= a * b")]
    struct Rows<'a> {
        x: Option<CudaView<'a, f32>>,
        a: u32,
        b: u32,
    }
    let kernel = kernel::<Rows>("slice")?;
    let x = context()?.default_stream().alloc_zeros::<f32>(100)?;
    run(&kernel, Rows { x: Some(x.as_view()), a: 10, b: 10 })?;
    let text = "`requires = \"x.len() % 4 == 0 && x.len() >= a * b\"` on `Rows`";
    refused(
        run(&kernel, Rows { x: Some(x.slice(..30)), a: 0, b: 0 }),
        &format!(
            "{text} does not hold\n  x.len() = 30, a = 0, b = 0\n\
             help: correct the values, the grid or the block of the launch, or the condition of the contract"
        ),
    );
    refused(
        run(&kernel, Rows { x: None, a: 0, b: 0 }),
        &format!(
            "{text} uses the number of elements of `None`\n  x.len() has no value: it is `None`, a = 0, b = 0\n\
             help: correct the values, or the expression of the contract"
        ),
    );
    Ok(())
}

/// The first field with a broken contract is reported, and the struct's own contracts last.
fn contracts_are_checked_in_order() -> Outcome {
    #[derive(KernelArgs)]
    #[kernel_args(block = 64)]
    struct Ordered {
        #[kernel_args(range = "1..")]
        a: u32,
        #[kernel_args(range = "2..")]
        b: u32,
    }
    let kernel = kernel::<Ordered>("two_ints")?;
    for (a, b, block, named) in [(0, 0, 1, "`a`"), (1, 0, 1, "`b`"), (1, 2, 1, "`block")] {
        let error = run_with(&kernel, 1, block, Ordered { a, b }).expect_err(named);
        assert!(error.to_string().contains(named), "{error}");
    }
    run_with(&kernel, 1, 64, Ordered { a: 1, b: 2 })?;
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_length_is_a_product", a_length_is_a_product),
        trial("no_length_overflows", no_length_overflows),
        trial("an_expression_is_exact", an_expression_is_exact),
        trial("a_null_pointer_has_no_capacity", a_null_pointer_has_no_capacity),
        trial("a_negative_length_is_refused", a_negative_length_is_refused),
        trial("contracts_know_the_launch", contracts_know_the_launch),
        trial("numbers_have_ranges_and_divisors", numbers_have_ranges_and_divisors),
        trial("numbers_depend_on_other_fields", numbers_depend_on_other_fields),
        trial("a_number_that_does_not_fit_is_refused", a_number_that_does_not_fit_is_refused),
        trial("blocks", blocks),
        trial("multiples_and_limits_of_blocks", multiples_and_limits_of_blocks),
        trial("grids", grids),
        trial_unless(before_sm90(), "grids_of_clusters", grids_of_clusters),
        trial("conditions", conditions),
        trial("conditions_of_lengths", conditions_of_lengths),
        trial("generic_structs", generic_structs),
        trial("contracts_are_checked_in_order", contracts_are_checked_in_order),
    ]
}
