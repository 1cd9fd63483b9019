//! The stages in the life of a kernel.

use crate::fault_injection::world::{Far, Fault, Named, Pointers, SAXPY, Saxpy, World};
use cudarc::driver::{
    CudaGraph, CudaStream,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    ArgList, DevicePointerMut, Function, Image, Kernel, Launch, Module,
    args::Form,
    attribute::{AccessPolicyWindow, DeviceNode, MemorySyncDomain, MemorySyncDomainMap},
    context::{
        BorrowedStream, ContextFlags, GreenContext, PeerAccess, create_context, current_context, kernel_function,
        with_current,
    },
    graph::{Body, Graph, HostBuffer},
    image::JitOptions,
    launch,
    texture::{Array, Surface, Texture, TextureOptions},
};
use std::{any::Any, sync::Arc};

/// The objects of a stage, dropped after the calls of the stage itself were counted.
pub(crate) type Made = Box<dyn Any>;

pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut World) -> Result<Made, Fault>,
    /// Whether the stage begins without a current context.
    pub(crate) unbound: bool,
}

const fn stage(name: &'static str, run: fn(&mut World) -> Result<Made, Fault>) -> Stage {
    Stage { name, run, unbound: true }
}

/// A graph whose launch leaves memory allocated. If the call that frees it fails, it is left.
pub(crate) const LEFT: &str = "graph, memory left";
pub(crate) const LEFT_BYTES: usize = 4096;

/// A graph with the parameters of another graph. If it is not known when its last launch has finished, it is not
/// destroyed.
pub(crate) const REPLACED: &str = "graph, replaced";

/// An array, a texture and a surface. If the driver does not report the end of their uses, they are not destroyed.
pub(crate) const TEXTURES: &str = "textures";

pub(crate) const STAGES: &[Stage] = &[
    stage("load", |world| Ok(Box::new(Module::load(&world.ctx, SAXPY)?))),
    stage("link", |world| {
        let images = [SAXPY, include_str!("../../../../ptx/vector_add.ptx")];
        let options = JitOptions::new();
        let module = Module::link(&world.ctx, images.map(Image::from), &options)?;
        Ok(Box::new(module))
    }),
    stage("verify", |world| {
        // A new module, which has no cached kernels.
        let module = Module::load(&world.ctx, SAXPY)?;
        let kernel: Kernel<Saxpy> = module.kernel("saxpy")?;
        Ok(Box::new(kernel))
    }),
    stage("load a named kernel", |world| Ok(Box::new(Kernel::<Named>::load(&world.ctx)?))),
    stage("verify a function with its image", |world| {
        let function = Function::from_cudarc(&world.ctx, world.function.clone(), SAXPY)?;
        Ok(Box::new(function.kernel::<Pointers>()?))
    }),
    stage("verify a kernel of a module of cudarc", |world| {
        let module = Module::from_cudarc(&world.ctx, world.cudarc_module.clone(), SAXPY)?;
        Ok(Box::new(module.kernel::<Pointers>("saxpy")?))
    }),
    stage("launch a list", |world| {
        let function = Module::load(&world.ctx, SAXPY)?.function("saxpy")?;
        let mut list = ArgList::new();
        list.push(8_u32).push(0.0_f32).push(&world.x).push(&mut world.y);
        // SAFETY: both slices have 8 elements.
        unsafe { launch!(function, 1, 8, list, stream = &world.stream) }?;
        Ok(Box::new(function))
    }),
    stage("verify a function", |world| {
        let module = &world.cudarc_module;
        let kernel = Kernel::<Pointers>::from_cudarc_module(&world.ctx, module, "saxpy")?;
        Ok(Box::new(kernel))
    }),
    stage("global", |world| {
        let module = Module::load(&world.ctx, GLOBAL)?;
        Ok(Box::new(module.global::<u32>("counter")?))
    }),
    stage("read and write a global", |world| {
        let counter = Module::load(&world.ctx, GLOBAL)?.global::<u32>("counter")?;
        counter.write(&7)?;
        assert_eq!(counter.read()?, 7);
        Ok(Box::new(counter))
    }),
    stage("read and write a global on a stream", |world| {
        let counter = Module::load(&world.ctx, GLOBAL)?.global::<u32>("counter")?;
        counter.write_on(&world.stream, &7)?;
        let pending = counter.read_on(&world.stream)?;
        assert_eq!(pending.wait()?, 7);
        Ok(Box::new((counter, pending)))
    }),
    stage("launch, kernelParams", |world| {
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(world.values, 1, 8, Pointers::NONE, form = Form::KernelParams) }?;
        Ok(Box::new(()))
    }),
    stage("launch, packed", |world| {
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(world.values, 1, 8, Pointers::NONE, form = Form::Packed) }?;
        Ok(Box::new(()))
    }),
    stage("launch, slices of another stream", |world| {
        let (kernel, stream) = (world.kernel.clone(), world.stream.clone());
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 1, 8, world.args(), stream = &stream) }?;
        Ok(Box::new(()))
    }),
    stage("launch a function", |world| {
        let function = world.function.clone();
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(function, 1, 8, world.args()) }?;
        Ok(Box::new(()))
    }),
    stage("launch a function on a stream", |world| {
        let (function, stream) = (world.function.clone(), world.stream.clone());
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(function, 1, 8, world.args(), stream = &stream) }?;
        Ok(Box::new(()))
    }),
    stage("launch a raw function on a stream", |world| {
        let (raw, stream) = (world.function.cu_function(), world.stream.clone());
        // SAFETY: the function is loaded; both slices have `n` elements.
        unsafe { launch!(raw, 1, 8, world.args(), stream = &stream) }?;
        Ok(Box::new(()))
    }),
    Stage {
        name: "launch a raw function",
        run: |world| {
            let raw = world.function.cu_function();
            // SAFETY: the function is loaded; both slices have `n` elements.
            unsafe { launch!(raw, 1, 8, world.args()) }?;
            Ok(Box::new(()))
        },
        unbound: false,
    },
    stage("launch, 64 KiB of shared memory", |world| {
        // A new module, whose function has no opt-in for this size.
        let kernel = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 8, Pointers::NONE, shared = 64 * 1024) }?;
        Ok(Box::new(kernel))
    }),
    stage("launch a function, 64 KiB", |world| {
        let ptx = cudarc::nvrtc::Ptx::from_src(SAXPY);
        let function = world.ctx.load_module(ptx)?.load_function("saxpy")?;
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(function, 1, 8, Pointers::NONE, shared = 64 * 1024) }?;
        Ok(Box::new(function))
    }),
    stage("launch, clusters", |world| {
        // A new kernel without cached answers.
        let kernel: Kernel<Pointers> = Module::load(&world.ctx, SAXPY)?.kernel("saxpy")?;
        let launch = Launch::new(16, 8).cluster(16).cooperative(true);
        // SAFETY: the kernel accesses no memory.
        unsafe { kernel_args::launch(&kernel, launch, Pointers::NONE) }?;
        Ok(Box::new(kernel))
    }),
    stage("launch, cooperative", |world| {
        let kernel: Kernel<Pointers> = Module::load(&world.ctx, SAXPY)?.kernel("saxpy")?;
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 8, Pointers::NONE, cooperative = true) }?;
        Ok(Box::new(kernel))
    }),
    stage("launch, other attributes", |world| {
        let map = MemorySyncDomainMap { default: 0, remote: 1 };
        let launch = Launch::new(1, 8)
            .priority(-1)
            .programmatic_stream_serialization(true)
            .programmatic_event(&*world.event)
            .launch_completion_event(&world.event)
            .memory_sync_domain(MemorySyncDomain::Remote)
            .memory_sync_domain_map(map)
            .access_policy_window(AccessPolicyWindow::new(0, 4096))
            .preferred_shared_memory_carveout(50)
            .stream(&world.stream);
        // SAFETY: the kernel accesses no memory.
        unsafe { kernel_args::launch(&world.values, launch, Pointers::NONE) }?;
        Ok(Box::new(()))
    }),
    stage("launch a function, attributes", |world| {
        let (function, stream) = (world.function.clone(), world.stream.clone());
        let launch = Launch::new(2, 8).cluster(2).cooperative(true);
        // SAFETY: both slices have `n` elements.
        unsafe { kernel_args::launch(&function, launch.stream(&stream), world.args()) }?;
        Ok(Box::new(()))
    }),
    stage("ask a kernel", |world| {
        let kernel: Kernel<Pointers> = Module::load(&world.ctx, SAXPY)?.kernel("saxpy")?;
        let launch = Launch::new(2, 8).cluster(2);
        kernel.registers()?;
        kernel.max_cooperative_blocks(8, 64 * 1024)?;
        kernel.suggest_block_size(0)?;
        kernel.max_active_clusters(&launch)?;
        kernel.max_cluster_size(&launch)?;
        kernel.grid_and_block_for(100)?;
        Ok(Box::new(kernel))
    }),
    stage("context of its own", |_| Ok(Box::new(create_context(0, ContextFlags::new())?))),
    Stage {
        name: "context, current",
        run: |world| {
            with_current(&world.own, || world.ctx.bind_to_thread())??;
            current_context()?;
            Ok(Box::new(()))
        },
        unbound: false,
    },
    stage("context, current where none was", |world| {
        with_current(&world.own, current_context)??;
        Ok(Box::new(()))
    }),
    stage("peer access", |world| Ok(Box::new(PeerAccess::enable(&world.ctx, &world.other)?))),
    stage("launch, memory of another device", |world| {
        let args = Far { n: 8, alpha: 1.0, x: &world.x, y: world.peers.memory(&mut world.far) };
        // SAFETY: both slices have 8 elements.
        unsafe { launch!(world.far_kernel, 1, 8, args, stream = &world.stream) }?;
        Ok(Box::new(()))
    }),
    stage("green context", |world| {
        let (part, rest) = GreenContext::split(&world.ctx, 16)?;
        let stream = part.new_stream()?;
        let (kernel, args) = (world.kernel.clone(), world.args());
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 1, 8, args, stream = &stream) }?;
        Ok(Box::new((stream, rest)))
    }),
    stage("stream that is borrowed", |world| {
        // SAFETY: the stream outlives the objects of this stage.
        let stream = unsafe { BorrowedStream::new(&world.ctx, world.stream.cu_stream()) }?;
        Ok(Box::new(stream))
    }),
    stage("kernel of a library", |world| {
        // SAFETY: the library is loaded.
        unsafe { kernel_function(&world.ctx, world.library_kernel) }?;
        Ok(Box::new(()))
    }),
    stage("still loaded", |world| {
        world.kernel.require_loaded()?;
        Ok(Box::new(()))
    }),
    stage("capture", |world| Ok(released(capture(world)?))),
    stage("graph, made", |world| {
        let (launch, memory) = (Launch::new(1, 8), DevicePointerMut::<f32>::NULL);
        let mut graph = Graph::new(&world.ctx)?;
        let zero = graph.add_memset(memory, 0, 8, &[])?;
        let copied = graph.add_memcpy_htod(memory, [1.0; 8], &[zero])?;
        let node = graph.add_kernel_launch(&world.owned, launch, world.retained(), &[copied])?;
        graph.add_kernel_launch(&world.values, launch, Pointers::NONE, &[node.any()])?;
        let attributes = launch.priority(-1).cooperative(true);
        graph.add_kernel_launch(&world.owned, attributes, world.retained(), &[])?;
        let buffer = HostBuffer::from(vec![0.0_f32; 8]);
        let back = graph.add_memcpy_dtoh(&buffer, memory, &[])?;
        graph.retain(world.stream.clone())?;
        let mut exec = graph.instantiate()?;
        exec.set_enabled(back, false)?;
        exec.set_enabled(zero, false)?;
        exec.set_enabled(copied, false)?;
        exec.is_enabled(copied)?;
        exec.upload(&world.stream)?;
        // SAFETY: the kernels access no memory, and the remaining nodes are disabled.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
    stage("graph, other nodes", |world| {
        let launch = Launch::new(1, 8);
        let mut graph = Graph::new(&world.ctx)?;
        let recorded = graph.add_event_record(&world.event, &[])?;
        let waited = graph.add_event_wait(&world.event, recorded)?;
        let joined = graph.add_join(&[recorded, waited])?;
        let called = graph.add_host(|| {}, joined)?;
        let mut innermost = Graph::new(&world.ctx)?;
        let inner = innermost.add_kernel_launch(&world.owned, launch, world.retained(), &[])?;
        let mut child = Graph::new(&world.ctx)?;
        child.add_child_graph(innermost, &[])?;
        graph.add_child_graph(child, &called)?;
        let mut exec = graph.instantiate()?;
        exec.update(&inner, 1, 8, world.retained())?;
        // SAFETY: the kernel accesses no memory.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
    stage("graph, conditions", |world| {
        let launch = Launch::new(1, 8);
        let mut graph = Graph::new(&world.ctx)?;
        let (first, second) = (graph.add_condition(1)?, graph.add_condition(1)?);
        let mut nodes = Vec::new();
        let mut fill = |body: &mut Body<'_>| -> Result<(), kernel_args::Error> {
            nodes.push(body.add_kernel_launch(&world.owned, launch, world.retained(), &[])?);
            Ok(())
        };
        graph.add_if(first, &[], &mut fill)?;
        graph.add_switch(second, 2, &[], |_, body| fill(body))?;
        let mut exec = graph.instantiate()?;
        for node in &nodes {
            exec.update(node, 1, 8, world.retained())?;
        }
        // SAFETY: the kernel accesses no memory.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
    stage("graph, captured", |world| {
        let kernel = &world.owned;
        let graph = Graph::capture(&world.stream, || -> Result<(), kernel_args::Error> {
            let args = world.retained();
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, 1, 8, args, node, stream = &world.stream) }.map(drop)
        })?;
        let mut exec = graph.instantiate()?;
        // SAFETY: the kernel accesses no memory.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
    stage("graph, updated", |world| {
        let launch = Launch::new(1, 8);
        let values = || (&world.values_node, launch, Pointers::NONE);
        world.exec.update_all([values(), values()])?;
        // SAFETY: the kernels access no memory.
        unsafe { world.exec.launch(&world.stream) }?;
        let args = world.retained();
        world.exec.update(&world.owned_node, 1, 8, args)?;
        Ok(released(()))
    }),
    stage("graph, found", |world| {
        let mut graph = Graph::capture(&world.stream, || -> Result<(), kernel_args::Error> {
            (0..2).try_for_each(|_| {
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!(world.values, 1, 8, Pointers::NONE, stream = &world.stream) }
            })
        })?;
        let nodes = graph.kernel_nodes(&world.values)?;
        graph.make_device_updatable(&nodes[1])?;
        Ok(released((graph, nodes)))
    }),
    stage(TEXTURES, |world| {
        let array = Array::<f32>::for_surfaces(&world.ctx, [4, 2])?;
        array.copy_from(&world.stream, &world.x.as_view())?;
        array.copy_to(&world.stream, &mut world.y.as_view_mut())?;
        let surface = Surface::new(&array)?;
        Ok(Box::new((Texture::new(&array, &TextureOptions::new())?, surface)))
    }),
    stage("graph, with memory", |world| {
        let mut graph = Graph::new(&world.ctx)?;
        let memory = graph.add_alloc::<f32>(8, &[])?;
        graph.add_memset(memory.pointer(), 0, 8, &[])?;
        graph.add_kernel(&world.values, 1, 8, Pointers::NONE, memory.node())?;
        graph.add_free(&memory, &[])?;
        let mut exec = graph.instantiate_auto_free()?;
        // SAFETY: the memset stays within the memory, and the kernel accesses no memory.
        unsafe { exec.launch(&world.stream) }?;
        Graph::memory_use(&world.ctx)?;
        Graph::trim_memory(&world.ctx)?;
        Graph::reset_memory_peaks(&world.ctx)?;
        Ok(released(exec))
    }),
    stage(LEFT, |world| {
        let mut graph = Graph::new(&world.ctx)?;
        let memory = graph.add_alloc::<u8>(LEFT_BYTES, &[])?;
        graph.add_memset(memory.pointer(), 0, LEFT_BYTES, &[])?;
        let mut exec = graph.instantiate()?;
        // SAFETY: the memset stays within the memory.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
    stage("graph, nodes removed", |world| {
        let memory = DevicePointerMut::<f32>::NULL;
        let mut graph = Graph::new(&world.ctx)?;
        let first = graph.add_kernel(&world.owned, 1, 8, world.retained(), &[])?;
        let copied = graph.add_memcpy_htod(memory, [1.0; 8], &first)?;
        let last = graph.add_kernel(&world.values, 1, 8, Pointers::NONE, &[copied])?;
        graph.predecessors(&last)?;
        graph.kind(copied)?;
        graph.kernel_node(&first, &world.owned)?;
        graph.remove(copied)?;
        graph.remove(&first)?;
        graph.nodes()?;
        graph.add_kernel(&world.owned, 1, 8, world.retained(), &last)?;
        Ok(released(graph))
    }),
    stage(REPLACED, |world| {
        let new = || -> Result<_, kernel_args::Error> {
            let mut graph = Graph::new(&world.ctx)?;
            graph.add_kernel(&world.owned, 1, 8, world.retained(), &[])?;
            Ok(graph)
        };
        let mut exec = new()?.instantiate()?;
        // SAFETY: the kernel accesses no memory.
        unsafe { exec.launch(&world.stream) }?;
        exec.update_graph(new()?).map_err(kernel_args::Error::from)?;
        // SAFETY: as above.
        unsafe { exec.launch(&world.stream) }?;
        Ok(released(exec))
    }),
];

/// The objects of a stage. Dropping them also waits until the objects that its graphs retained are dropped, to count
/// these calls. A stage itself waits too.
struct Released<T>(Option<T>);

impl<T> Drop for Released<T> {
    fn drop(&mut self) {
        drop(self.0.take());
        Graph::wait_until_released();
    }
}

fn released<T: 'static>(made: T) -> Made {
    Graph::wait_until_released();
    Box::new(Released(Some(made)))
}

/// Captures three launches into a graph of cudarc, and launches it. The capture is ended after any failure.
fn capture(world: &World) -> Result<(Option<CudaGraph>, Arc<CudaStream>), Fault> {
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let stream = world.ctx.new_stream()?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let node = DeviceNode::new();
    let launch = Launch::new(1, 8).stream(&stream);
    let launched = [launch.form(Form::KernelParams), launch.form(Form::Packed), launch.device_updatable_node(&node)]
        .into_iter()
        // SAFETY: the kernel accesses no memory.
        .try_for_each(|launch| unsafe { kernel_args::launch(&world.values, launch, Pointers::NONE) });
    // Only one call fails: the second attempt ends the capture.
    let ended = stream.end_capture(flags).inspect_err(|_| drop(stream.end_capture(flags)));
    launched?;
    let graph = ended?;
    if let Some(graph) = &graph {
        graph.launch()?;
    }
    Ok((graph, stream))
}

const GLOBAL: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry nothing()
{
    ret;
}
";
