//! The objects that the stages use, and the launch that must work after each stage.

use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DriverError, result,
    sys::{self, CUcontext},
};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Launch, Module, Retained,
    context::{ContextFlags, Peer, PeerAccess, create_context},
    graph::{Graph, GraphExec, Node},
    launch,
};
use std::{
    ffi::{CString, c_void},
    ptr,
    sync::Arc,
};

pub(crate) use kernel_args_tests::saxpy::{Owned, Pointers, SAXPY, Saxpy};

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub(crate) struct Named {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: DevicePointer<f32>,
    pub(crate) y: DevicePointerMut<f32>,
}

/// `y` is memory of the second device.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub(crate) struct Far<'a> {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: &'a CudaSlice<f32>,
    pub(crate) y: Peer<'a, &'a mut CudaSlice<f32>>,
}

/// An error of a stage.
#[derive(Debug)]
pub(crate) enum Fault {
    /// An error of this crate, which names the call.
    Ours(Error),
    /// An error of cudarc, from a call that the stage made directly.
    Cudarc(DriverError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<DriverError> for Fault {
    fn from(error: DriverError) -> Self {
        Self::Cudarc(error)
    }
}

pub(crate) struct World {
    pub(crate) kernel: Kernel<Saxpy<'static>>,
    pub(crate) values: Kernel<Pointers>,
    pub(crate) function: CudaFunction,
    pub(crate) cudarc_module: Arc<CudaModule>,
    pub(crate) owned: Kernel<Owned>,
    /// An instantiated graph of two nodes.
    pub(crate) exec: GraphExec,
    pub(crate) owned_node: Node<Owned>,
    pub(crate) values_node: Node<Pointers>,
    /// Created once: cudarc returns an error of it from its next call.
    pointers: (Retained<DevicePointer<f32>>, Retained<DevicePointerMut<f32>>),
    pub(crate) x: CudaSlice<f32>,
    pub(crate) y: CudaSlice<f32>,
    /// Launches run here; the slices were created on a different stream.
    pub(crate) stream: Arc<CudaStream>,
    _home: Arc<CudaStream>,
    pub(crate) event: Arc<CudaEvent>,
    pub(crate) far_kernel: Kernel<Far<'static>>,
    pub(crate) far: CudaSlice<f32>,
    pub(crate) peers: PeerAccess,
    /// A `CUkernel` of a library that stays loaded.
    pub(crate) library_kernel: *mut c_void,
    pub(crate) own: Arc<CudaContext>,
    /// A slice of the second device.
    pub(crate) other: Arc<CudaContext>,
    pub(crate) ctx: Arc<CudaContext>,
}

impl World {
    pub(crate) fn new() -> Result<Self, Fault> {
        let ctx = kernel_args::context(0)?;
        let (stream, home) = (ctx.new_stream()?, ctx.new_stream()?);
        let module = Module::load(&ctx, SAXPY)?;
        let cudarc_module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
        let (owned, values): (Kernel<Owned>, Kernel<Pointers>) = (module.kernel("saxpy")?, module.kernel("saxpy")?);
        let shared = Arc::new(home.clone_htod(&[1.0; 8])?);
        let (mut graph, launch) = (Graph::new(&ctx)?, Launch::new(1, 8));
        let pointers = (Retained::read(&shared), Retained::write(&shared));
        let args = Self::retained_from(&pointers);
        let owned_node = graph.add_kernel_launch(&owned, launch, args, &[])?;
        let (own, other) = (create_context(0, ContextFlags::new())?, kernel_args::context(1)?);
        let values_node = graph.add_kernel_launch(&values, launch, Pointers::NONE, &[owned_node.any()])?;
        Ok(Self {
            kernel: module.kernel("saxpy")?,
            exec: graph.instantiate()?,
            owned,
            owned_node,
            values_node,
            pointers,
            values,
            function: cudarc_module.load_function("saxpy")?,
            cudarc_module,
            x: home.clone_htod(&[1.0; 8])?,
            y: home.clone_htod(&[0.0; 8])?,
            stream,
            _home: home,
            event: Arc::new(ctx.new_event(None)?),
            far_kernel: module.kernel("saxpy")?,
            far: other.new_stream()?.clone_htod(&[0.0; 8])?,
            peers: PeerAccess::enable(&ctx, &other)?,
            library_kernel: library_kernel()?,
            own,
            other,
            ctx,
        })
    }

    pub(crate) fn args(&mut self) -> Saxpy<'_> {
        Saxpy { n: 8, alpha: 1.0, x: &self.x, y: &mut self.y }
    }

    fn retained_from((x, y): &(Retained<DevicePointer<f32>>, Retained<DevicePointerMut<f32>>)) -> Owned {
        Owned { n: 0, alpha: 1.0, x: x.clone(), y: y.clone() }
    }

    /// Arguments that a graph retains.
    pub(crate) fn retained(&self) -> Owned {
        Self::retained_from(&self.pointers)
    }

    /// Adds `x` to `y`, and reads `y`.
    pub(crate) fn works(&mut self) -> Result<(), Fault> {
        let before = self.stream.clone_dtoh(&self.y)?;
        let (kernel, stream) = (self.kernel.clone(), self.stream.clone());
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 1, 8, self.args(), stream = &stream) }?;
        let after = self.stream.clone_dtoh(&self.y)?;
        assert_eq!(after, before.iter().map(|y| y + 1.0).collect::<Vec<_>>());
        Ok(())
    }
}

/// `saxpy` of a library that is never unloaded.
pub(crate) fn library_kernel() -> Result<*mut c_void, DriverError> {
    let image = CString::new(SAXPY).expect("PTX has no NUL");
    let (mut library, mut kernel) = (ptr::null_mut(), ptr::null_mut());
    let none = ptr::null_mut();
    // SAFETY: NUL-terminated PTX, and no options.
    let loaded = unsafe {
        sys::cuLibraryLoadData(
            &raw mut library,
            image.as_ptr().cast(),
            none,
            none.cast(),
            0,
            none.cast(),
            none.cast(),
            0,
        )
    };
    loaded.result()?;
    // SAFETY: the library is loaded.
    unsafe { sys::cuLibraryGetKernel(&raw mut kernel, library, c"saxpy".as_ptr()) }.result()?;
    Ok(kernel.cast())
}

/// Makes `context` current on this thread; null makes no context current.
pub(crate) fn make_current(context: CUcontext) {
    // SAFETY: the context is alive, or null.
    unsafe { result::ctx::set_current(context) }.expect("no failure is ordered");
}

pub(crate) const NO_CONTEXT: CUcontext = ptr::null_mut();
