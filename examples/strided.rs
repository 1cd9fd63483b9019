//! Twice the elements of a transposed tensor: the lengths and strides of its dimensions reach the kernel in device
//! memory, in a struct by value, and as separate parameters. By value, nothing is copied before a launch, and a graph
//! keeps nothing but its nodes.
#![allow(clippy::float_cmp, reason = "small whole numbers: exact")]

use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, Kernel, KernelArgs, Retained, graph::Graph, launch};
use std::{error::Error, sync::Arc};

/// In device memory: the lengths, then the strides. They must be copied there before each launch, and stay allocated
/// until it is over.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/strided.ptx", entry = "strided_uploaded")]
struct Uploaded<'a> {
    n: usize,
    dimensions: usize,
    dims: &'a CudaSlice<usize>,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// `struct Dims { size lengths[4]; size strides[4]; }` in the kernel's source: for any tensor with at most 4
/// dimensions.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Dims {
    lengths: [usize; 4],
    strides: [usize; 4],
}

impl Dims {
    fn new(lengths: &[usize], strides: &[usize]) -> Self {
        let padded = |values: &[usize]| {
            let mut all = [0; 4];
            all[..values.len()].copy_from_slice(values);
            all
        };
        Self { lengths: padded(lengths), strides: padded(strides) }
    }
}

/// By value.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/strided.ptx", entry = "strided_by_value")]
struct ByValue {
    n: usize,
    dimensions: usize,
    dims: Dims,
    x: Retained<DevicePointer<f32>>,
    y: Retained<DevicePointerMut<f32>>,
}

/// What every kernel for tensors with `N` dimensions takes.
#[derive(Clone, Copy, KernelArgs)]
struct Layout<const N: usize> {
    n: usize,
    #[kernel_args(spread)]
    length: [usize; N],
    #[kernel_args(spread)]
    stride: [usize; N],
}

/// As separate parameters: for tensors with 3 dimensions.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/strided.ptx", entry = "strided_spread")]
struct Spread<'a> {
    #[kernel_args(flatten)]
    layout: Layout<3>,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// The lengths of the transposed tensor, and its strides in the memory of the original.
const LAYOUT: Layout<3> = Layout { n: 4 * 3 * 2, length: [4, 3, 2], stride: [1, 4, 12] };

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = kernel_args_examples::context()?;
    let stream = ctx.new_stream()?;
    let elements: Vec<f32> = (0..24_u8).map(f32::from).collect();
    let x = Arc::new(stream.clone_htod(&elements)?);
    let Layout { n, length, stride } = LAYOUT;
    let expected: Vec<f32> = (0..n)
        .map(|i| {
            let [a, b, c] = [i / 6, i / 2 % 3, i % 2];
            2.0 * elements[a * stride[0] + b * stride[1] + c * stride[2]]
        })
        .collect();
    let new = |stream: &Arc<CudaStream>| stream.alloc_zeros::<f32>(n);

    let mut y = new(&stream)?;
    let dims = stream.clone_htod(&[length, stride].concat())?;
    let kernel = Kernel::<Uploaded>::load(&ctx)?;
    let args = Uploaded { n, dimensions: length.len(), dims: &dims, x: &x, y: &mut y };
    // SAFETY: `x` and `y` have `n` elements, and the strides stay within them.
    unsafe { launch!(kernel, 1, 32, args, stream = &stream)? };
    compare("in device memory", &stream.clone_dtoh(&y)?, &expected);

    let mut y = new(&stream)?;
    let kernel = Kernel::<Spread>::load(&ctx)?;
    let args = Spread { layout: LAYOUT, x: &x, y: &mut y };
    // SAFETY: `x` and `y` have `n` elements, and the strides stay within them.
    unsafe { launch!(kernel, 1, 32, args, stream = &stream)? };
    compare("as parameters", &stream.clone_dtoh(&y)?, &expected);

    // In a graph: an update replaces the lengths and strides in the node. No memory has to outlive the launch.
    let y = Arc::new(new(&stream)?);
    let kernel = Kernel::<ByValue>::load(&ctx)?;
    let args = |lengths: &[usize], strides: &[usize]| ByValue {
        n,
        dimensions: lengths.len(),
        dims: Dims::new(lengths, strides),
        x: Retained::read(&x),
        y: Retained::write(&y),
    };
    ctx.synchronize()?;
    let mut graph = Graph::new(&ctx)?;
    let node = graph.add_kernel(&kernel, 1, 32, args(&[n], &[1]), &[])?;
    let mut exec = graph.instantiate()?;
    exec.update(&node, 1, 32, args(&length, &stride))?;
    // SAFETY: `x` and `y` have `n` elements, the strides stay within them, and only this stream uses them.
    unsafe { exec.launch(&stream)? };
    compare("by value, in a graph", &stream.clone_dtoh(&*y)?, &expected);
    Ok(())
}

fn compare(way: &str, result: &[f32], expected: &[f32]) {
    println!("{way}: {:?} …", &result[..4]);
    assert_eq!(result, expected, "{way}");
}
