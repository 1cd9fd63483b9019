// Correct versions of the mistakes in the folders, written as their messages suggest.
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, DeviceType, Error, Function, Kernel, KernelArgs, Module, Retained,
    args::OwnedArgs,
    graph::{Graph, GraphExec, Node},
    launch,
    sequence::Sequence,
    vector::Float3,
};
use std::{marker::PhantomData, sync::Arc};

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Plane")]
#[repr(C)]
struct Plane {
    normal: Float3,
    distance: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Side")]
#[repr(u8)]
enum Side {
    Above,
    Below,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "clip")]
struct Clip<'a> {
    plane: Plane,
    side: Side,
    points: &'a CudaSlice<Float3>,
    kept: &'a mut CudaSlice<bool>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(
    ptx = "ptx/saxpy_typed.ptx",
    entry = "void saxpy<float>(int, float, float const*, float*)"
)]
struct Saxpy<'a> {
    n: i32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// With a capacity, the memory can be behind an array, or a number that is an address.
#[derive(KernelArgs)]
struct Capacities {
    #[kernel_args(len = "n", capacity = "capacity")]
    rows: [DevicePointer<f32>; 2],
    #[kernel_args(len = "n", capacity = "capacity")]
    address: u64,
    n: u32,
    #[kernel_args(skip)]
    capacity: usize,
}

/// A field has no lifetime of a launch.
struct App {
    saxpy: Kernel<Saxpy<'static>>,
}

impl App {
    fn start(&self, args: Saxpy<'_>) -> Result<(), Error> {
        unsafe { launch!(self.saxpy, args.n.cast_unsigned().div_ceil(256), 256, args) }
    }
}

#[derive(KernelArgs)]
struct Args<'a> {
    bytes: [u8; 4],
    data: Option<DevicePointer<f32>>,
    weights: Option<&'a CudaSlice<f32>>,
    #[kernel_args(skip)]
    label: String,
    #[kernel_args(skip)]
    marker: PhantomData<f32>,
}

// A user-defined struct instead of a CUDA vector, and a number instead of a `bool`.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "float4")]
#[repr(C, align(16))]
struct Quad {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/vectors_typed.ptx", entry = "shift")]
struct Shift {
    by: Quad,
    #[kernel_args(opaque)]
    on: u8,
}

// The members of the kernel's struct, in one struct.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Box")]
#[repr(C)]
struct Cuboid {
    low: [f32; 3],
    high: [f32; 3],
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "geometry::grow")]
struct Grow {
    cuboid: Cuboid,
    by: f32,
    out: DevicePointerMut<std::ffi::c_void>,
}

// What the code of a kernel contradicts, with the attributes that turn the comparison off.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "count")]
struct Count<'a> {
    n: u32,
    limit: i32,
    values: &'a CudaSlice<i32>,
    #[kernel_args(shared_write)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "rows")]
struct Rows<'a> {
    n: u32,
    #[kernel_args(opaque)]
    stride: DevicePointer<u8>,
    #[kernel_args(opaque)]
    input: &'a CudaSlice<f32>,
    #[kernel_args(opaque)]
    sums: &'a CudaSlice<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View {
    #[device_type(opaque)]
    data: DevicePointer<f32>,
    stride: i64,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "fill")]
struct Fill {
    view: View,
    value: f32,
}

#[derive(KernelArgs)]
struct Slices<'a> {
    x: &'a CudaSlice<f32>,
    view: CudaView<'a, f32>,
    out: CudaViewMut<'a, f32>,
}

// The content of an owner, and a concrete type instead of a trait object.
fn slices<'a>(
    shared: &'a Arc<CudaSlice<f32>>,
    boxed: &'a mut Box<CudaSlice<f32>>,
) -> Slices<'a> {
    Slices {
        x: shared.as_ref(),
        view: shared.as_view(),
        out: boxed.as_view_mut(),
    }
}

// Options of `launch!`: by name, each with a value.
fn options(kernel: &Kernel<Shift>, s: &CudaStream, args: fn() -> Shift) -> Result<(), Error> {
    unsafe { launch!(kernel, 1, 256, args(), shared = 1024, stream = &s)? };
    unsafe { launch!(kernel, 1, 256, args(), cooperative = true, cluster = 2) }
}

// Arguments that a graph retains, and the nodes after which a node runs.
#[derive(KernelArgs)]
struct Saved {
    n: i32,
    alpha: f32,
    x: Retained<DevicePointer<f32>>,
    y: Retained<DevicePointerMut<f32>>,
}

fn graph(saved: &Kernel<Saved>, shift: &Kernel<Shift>, by: fn() -> Shift, stream: &Arc<CudaStream>) -> Result<(), Box<dyn std::error::Error>> {
    let x = Arc::new(stream.clone_htod(&[1.0_f32; 1024])?);
    let y = Arc::new(stream.alloc_zeros::<f32>(1024)?);
    let args = |alpha| Saved { n: 1024, alpha, x: Retained::read(&x), y: Retained::write(&y) };
    let mut graph = Graph::new(stream.context())?;
    let a = graph.add_kernel(saved, 4, 256, args(1.0), &[])?;
    let b = graph.add_kernel(saved, 4, 256, args(2.0), &a)?;
    let c = graph.add_kernel(shift, 1, 32, by(), [&a, &b])?;
    graph.add_kernel(shift, 1, 32, by(), &[a.any(), c.any()])?;
    let mut exec = graph.instantiate()?;
    update(&mut exec, &b, args(3.0))?;
    unsafe { exec.launch(stream)? };
    let _: Vec<f32> = stream.clone_dtoh(&*y)?;
    Ok(())
}

fn update<A: KernelArgs + OwnedArgs + Send + 'static>(exec: &mut GraphExec, node: &Node<A>, args: A) -> Result<(), Error> {
    exec.update(node, 4, 256, args)
}

// A list that is passed by value no longer borrows its arguments after the launch.
fn list(saxpy: &Function, stream: &Arc<CudaStream>, x: &CudaSlice<f32>, mut y: CudaSlice<f32>) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let mut args = ArgList::new();
    args.push(1024_u32).push(2.0_f32).push(x).push(&mut y);
    unsafe { launch!(saxpy, 4, 256, args)? };
    Ok(stream.clone_dtoh(&y)?)
}

// The launches of a sequence hold their slices; a temporary slice is allocated outside of the closure.
fn sequence(saxpy: &Kernel<Saxpy>, stream: &Arc<CudaStream>, x: &CudaSlice<f32>, mut y: CudaSlice<f32>) -> Result<(), Box<dyn std::error::Error>> {
    let mut step = Sequence::new(stream);
    let mut temporary = stream.alloc_zeros::<f32>(1024)?;
    step.run(|s| {
        let (x, mut y, mut temporary) = (s.hold(x)?, s.hold(&mut y)?, s.hold(&mut temporary)?);
        s.memcpy_dtod(x, &mut temporary)?;
        unsafe { launch!(saxpy, 4, 256, Saxpy { n: 1024, alpha: 1.0, x: &temporary, y: &mut y }, stream = s) }
    })?;
    drop(temporary);
    Ok(())
}

// A struct that names no kernel, and a struct that names several.
fn load(ctx: &Arc<cudarc::driver::CudaContext>, module: &Module, image: &str) -> Result<(), Error> {
    let _ = Kernel::<Args>::from_image(ctx, image, "args")?;
    let _ = module.kernel::<Args>("args")?;
    let _ = Kernel::<Shift>::load(ctx)?;
    Ok(())
}

fn main() {
    let _ = slices;
    let _ = (options, graph, list, load, sequence);
    let _: (Option<Shift>, Option<Grow>) = (None, None);
    let _: (Option<Count<'_>>, Option<Rows<'_>>, Option<Fill>) = (None, None, None);
    let _ = [Side::Above, Side::Below];
    let args = Args {
        bytes: [1, 2, 3, 4],
        data: None,
        weights: None,
        label: String::from("nothing"),
        marker: PhantomData,
    };
    assert!(args.label.is_ascii());
    args.with_packed(|buffer| assert_eq!(buffer.len(), 24));
    let _: Option<Clip<'_>> = None;
    let _: Option<Saxpy<'_>> = None;
}
