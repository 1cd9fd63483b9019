//! Launches of kernels that do nothing, with cudarc's types: our launch, cudarc's builder, and bare driver calls.

use core::{error::Error, ffi::c_void, hint::black_box, ptr};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, LaunchArgs, LaunchConfig, PushKernelArg,
        sys::{self, CUfunction, CUlaunchConfig},
    },
    nvrtc::Ptx,
};
use kernel_args::{DeviceType, Kernel, KernelArgs, args::Form, launch};
use std::sync::Arc;

/// The kernels, `ptx/launch_cost.cu`.
pub const PTX: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ptx/launch_cost.ptx"));

pub(crate) const CONFIG: LaunchConfig =
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };

/// Arguments of one of the kernels.
pub trait Example: KernelArgs {
    /// The kernel.
    const ENTRY: &'static str;

    /// Example arguments.
    fn example() -> Self;

    /// Adds each argument to cudarc's builder.
    fn push<'a>(&'a self, builder: &mut LaunchArgs<'a>);
}

/// One large argument of `N` words.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Words<const N: usize> {
    words: [u64; N],
}

macro_rules! large {
    ($($(#[$doc:meta])* $name:ident, $words:literal, $entry:literal;)*) => {$(
        $(#[$doc])*
        #[derive(KernelArgs)]
        pub struct $name {
            words: Words<$words>,
        }

        impl Example for $name {
            const ENTRY: &'static str = $entry;

            fn example() -> Self {
                Self { words: Words { words: core::array::from_fn(|i| i as u64) } }
            }

            #[inline(always)]
            fn push<'a>(&'a self, builder: &mut LaunchArgs<'a>) {
                builder.arg(&self.words);
            }
        }
    )*};
}

large! {
    /// A struct of 4 KiB.
    Large4096, 512, "bytes_4096";
    /// A struct of 32 KiB, reduced to the limit.
    Large32760, 4095, "bytes_32760";
}

/// A context, its default stream, and the kernels.
pub struct Device {
    /// The context.
    pub context: Arc<CudaContext>,
    /// Its default stream.
    pub stream: Arc<CudaStream>,
    /// The kernels as a cudarc module.
    pub module: Arc<CudaModule>,
}

impl Device {
    /// Opens the first device.
    ///
    /// # Errors
    /// If there is no driver or no device.
    pub fn first() -> Result<Self, Box<dyn Error>> {
        let context = kernel_args::context(0)?;
        let stream = context.default_stream();
        let module = context.load_module(Ptx::from_src(PTX))?;
        Ok(Self { context, stream, module })
    }
}

/// A kernel and its arguments.
pub struct Case<A: Example> {
    /// The kernel, verified.
    pub kernel: Kernel<A>,
    /// The kernel as a cudarc type.
    pub function: CudaFunction,
    /// The arguments.
    pub args: Box<A>,
    params: Vec<*mut c_void>,
    packed: Vec<u8>,
    stream: Arc<CudaStream>,
}

impl<A: Example> Case<A> {
    /// Gets the kernel from the device's module.
    ///
    /// # Errors
    /// If it does not match.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let function = device.module.load_function(A::ENTRY)?;
        let kernel = Kernel::from_function(&device.context, function.clone())?.require_verified()?;
        let mut args = Box::new(A::example());
        // The box keeps the values at a fixed address, so the pointers stay valid as long as the box.
        let params = (&mut *args).with_kernel_params(|params| params.to_vec());
        let packed = (&mut *args).with_packed(<[u8]>::to_vec);
        let stream = device.stream.clone();
        Ok(Self { kernel, function, args, params, packed, stream })
    }

    /// `launch!` with the verified kernel, in its default form.
    #[inline(always)]
    pub fn ours(&mut self) {
        let args = black_box(&mut *self.args);
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch!(self.kernel, 1, 32, args, stream = &self.stream) };
        done(&launched);
    }

    /// `launch!` in the given form.
    #[inline(always)]
    pub fn ours_as(&mut self, form: Form) {
        let args = black_box(&mut *self.args);
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch!(self.kernel, 1, 32, args, stream = &self.stream, form = form) };
        done(&launched);
    }

    /// `launch!` with cudarc's function. It is verified at the first launch, and its last parameter is queried at each
    /// launch.
    #[inline(always)]
    pub fn ours_function(&mut self) {
        let args = black_box(&mut *self.args);
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch!(self.function, 1, 32, args, stream = &self.stream) };
        done(&launched);
    }

    /// cudarc's builder.
    #[inline(always)]
    pub fn cudarc(&mut self) {
        let args = black_box(&*self.args);
        let mut builder = self.stream.launch_builder(&self.function);
        args.push(&mut builder);
        // SAFETY: the kernel does nothing.
        done(&unsafe { builder.launch(CONFIG) });
    }

    /// `cuLaunchKernel` with prepared `kernelParams`.
    #[inline(always)]
    pub fn bare_params(&mut self) {
        let params = black_box(self.params.as_mut_ptr());
        bare(self.kernel.cu_function(), &self.stream, params, ptr::null_mut());
    }

    /// `cuLaunchKernel` with a prepared packed buffer.
    #[inline(always)]
    pub fn bare_packed(&mut self) {
        let mut size = self.packed.len();
        let mut extra = [
            sys::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as *mut c_void,
            black_box(self.packed.as_mut_ptr()).cast(),
            sys::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as _,
            (&raw mut size).cast(),
            sys::CU_LAUNCH_PARAM_END_AS_INT as _,
        ];
        bare(self.kernel.cu_function(), &self.stream, ptr::null_mut(), extra.as_mut_ptr());
    }

    /// `cuLaunchKernelEx` with prepared `kernelParams`.
    #[inline(always)]
    pub fn bare_ex_params(&mut self) {
        let params = black_box(self.params.as_mut_ptr());
        bare_ex(self.kernel.cu_function(), &self.stream, params, ptr::null_mut());
    }

    /// `cuLaunchKernelEx` with a prepared packed buffer.
    #[inline(always)]
    pub fn bare_ex_packed(&mut self) {
        let size = self.packed.len();
        let buffer = black_box(self.packed.as_mut_ptr());
        packed_ex(self.kernel.cu_function(), &self.stream, buffer, size);
    }

    /// The bare launch after a driver call that makes the context current, as our launch makes it.
    #[inline(always)]
    pub fn bare_bound(&mut self) {
        done(&self.stream.context().bind_to_thread());
        self.bare_ex_packed();
    }

    /// Marshals the arguments, then makes the bare launch: our launch without the context and checks.
    #[inline(always)]
    pub fn marshalled(&mut self) {
        let (function, stream) = (self.kernel.cu_function(), &self.stream);
        black_box(&mut *self.args).with_packed(|buffer| {
            packed_ex(function, stream, buffer.as_ptr().cast_mut(), buffer.len());
        });
    }

    /// [`Self::marshalled`] after the context is made current.
    #[inline(always)]
    pub fn marshalled_bound(&mut self) {
        done(&self.stream.context().bind_to_thread());
        self.marshalled();
    }
}

/// Three slices and five scalars, like a typical kernel.
#[derive(KernelArgs)]
pub struct Slices<'a> {
    pub(crate) x: &'a CudaSlice<f32>,
    pub(crate) y: &'a CudaSlice<f32>,
    pub(crate) out: &'a mut CudaSlice<f32>,
    pub(crate) n: i32,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
    pub(crate) stride: u32,
    pub(crate) seed: u64,
}

type Scalars = (i32, f32, f32, u32, u64);

/// The kernel that takes [`Slices`], and its memory.
pub struct SlicesCase {
    kernel: Kernel<Slices<'static>>,
    function: CudaFunction,
    memory: [CudaSlice<f32>; 3],
    scalars: Scalars,
    /// The values that `params` points to.
    _packed: Vec<u8>,
    params: Vec<*mut c_void>,
    stream: Arc<CudaStream>,
}

impl SlicesCase {
    /// Gets the kernel from the device's module.
    ///
    /// # Errors
    /// If it does not match, or there is not enough memory.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let function = device.module.load_function("slices")?;
        let kernel = Kernel::from_function(&device.context, function.clone())?.require_verified()?;
        let stream = device.stream.clone();
        let memory = [(); 3].map(|()| stream.alloc_zeros(1024));
        let [x, y, out] = memory;
        let mut memory = [x?, y?, out?];
        let scalars = (1024, 1.0, 2.0, 4, 7);
        let mut packed = arguments(&mut memory, scalars).with_packed(<[u8]>::to_vec);
        let offsets = Slices::PARAMETERS.iter().filter_map(|parameter| parameter.offset);
        let params = offsets.map(|offset| packed[offset..].as_mut_ptr().cast()).collect();
        Ok(Self { kernel, function, memory, scalars, _packed: packed, params, stream })
    }

    /// `cuLaunchKernel` with prepared `kernelParams`, without tracking.
    #[inline(always)]
    pub fn bare_params(&mut self) {
        let params = black_box(self.params.as_mut_ptr());
        bare(self.kernel.cu_function(), &self.stream, params, ptr::null_mut());
    }

    /// `launch!` with the verified kernel.
    #[inline(always)]
    pub fn ours(&mut self) {
        let args = arguments(black_box(&mut self.memory), *black_box(&self.scalars));
        // SAFETY: the kernel does nothing.
        done(&unsafe { launch!(self.kernel, 1, 32, args, stream = &self.stream) });
    }

    /// cudarc's builder.
    #[inline(always)]
    pub fn cudarc(&mut self) {
        let [x, y, out] = black_box(&mut self.memory);
        let (n, alpha, beta, stride, seed) = black_box(&self.scalars);
        let mut builder = self.stream.launch_builder(&self.function);
        builder.arg(&*x).arg(&*y).arg(out).arg(n).arg(alpha).arg(beta).arg(stride).arg(seed);
        // SAFETY: the kernel does nothing.
        done(&unsafe { builder.launch(CONFIG) });
    }
}

#[inline(always)]
fn arguments(memory: &mut [CudaSlice<f32>; 3], scalars: Scalars) -> Slices<'_> {
    let [x, y, out] = memory;
    let (n, alpha, beta, stride, seed) = scalars;
    Slices { x, y, out, n, alpha, beta, stride, seed }
}

#[inline(always)]
fn bare(function: CUfunction, stream: &CudaStream, params: *mut *mut c_void, extra: *mut *mut c_void) {
    let stream = stream.cu_stream();
    // SAFETY: the kernels do nothing, and callers pass the parameters of the kernel.
    let status = unsafe { sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, extra) };
    done(&status.result());
}

#[inline(always)]
fn bare_ex(function: CUfunction, stream: &CudaStream, params: *mut *mut c_void, extra: *mut *mut c_void) {
    let config = CUlaunchConfig {
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 32,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream.cu_stream(),
        attrs: ptr::null_mut(),
        numAttrs: 0,
    };
    // SAFETY: the kernels do nothing, and callers pass the parameters of the kernel.
    let status = unsafe { sys::cuLaunchKernelEx(&raw const config, function, params, extra) };
    done(&status.result());
}

/// `cuLaunchKernelEx` with a packed buffer, which the driver only reads.
#[inline(always)]
fn packed_ex(function: CUfunction, stream: &CudaStream, buffer: *mut u8, mut size: usize) {
    let mut extra = [
        sys::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as *mut c_void,
        buffer.cast(),
        sys::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as _,
        (&raw mut size).cast(),
        sys::CU_LAUNCH_PARAM_END_AS_INT as _,
    ];
    bare_ex(function, stream, ptr::null_mut(), extra.as_mut_ptr());
}

#[inline(always)]
pub(crate) fn done<T, E: core::fmt::Debug>(result: &Result<T, E>) {
    if let Err(error) = result {
        panic!("{error:?}");
    }
}
