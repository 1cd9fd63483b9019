//! The launchers: functions with C's calling convention that enqueue kernels on the stream that they receive, as the
//! functions of a `.cu` file do. They call the driver's entry points, so they also work on the test driver.

use cudarc::driver::{
    CudaContext, CudaSlice,
    sys::{CUfunction, CUresult, CUstream, cuLaunchKernel},
};
use kernel_args::{DevicePointer, DevicePointerMut, Error, KernelArgs, Module, args::LauncherStatus};
use kernel_args_tests::saxpy::SAXPY;
use std::{
    cell::Cell,
    ffi::{c_char, c_uint, c_void},
    mem, ptr,
    sync::{
        Arc,
        atomic::{AtomicPtr, Ordering::Relaxed},
    },
    thread_local,
};

static FUNCTION: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The number of calls of a launcher on this thread, and the stream of the last one.
    static CALLS: Cell<(u32, usize)> = const { Cell::new((0, usize::MAX)) };
}

/// The number of calls since the last question, and the stream of the last call.
pub(super) fn calls() -> (u32, usize) {
    CALLS.replace((0, usize::MAX))
}

/// Loads the kernel that the launchers launch, into this context.
pub(super) fn load(context: &Arc<CudaContext>) -> Result<Arc<Module>, Error> {
    let module = Module::load(context, SAXPY)?;
    FUNCTION.store(module.function("saxpy")?.cu_function().cast(), Relaxed);
    Ok(module)
}

fn enqueue(n: c_uint, alpha: f32, x: *const f32, y: *mut f32, stream: CUstream) -> CUresult {
    CALLS.set((CALLS.get().0 + 1, stream as usize));
    let function: CUfunction = FUNCTION.load(Relaxed).cast();
    let mut params: [*mut c_void; 4] = [
        (&raw const n).cast_mut().cast(),
        (&raw const alpha).cast_mut().cast(),
        (&raw const x).cast_mut().cast(),
        (&raw const y).cast_mut().cast(),
    ];
    let blocks = n.div_ceil(128);
    // SAFETY: these are the parameters of the kernel `saxpy`, and the caller of the launch promises the memory.
    unsafe { cuLaunchKernel(function, blocks, 1, 1, 128, 1, 1, 0, stream, params.as_mut_ptr(), ptr::null_mut()) }
}

/// What a header of a library would declare.
pub(super) mod ffi {
    use super::{CALLS, CUresult, CUstream, Done, c_char, c_uint, c_void, enqueue, ptr};

    pub(crate) unsafe extern "C" fn saxpy(n: c_uint, alpha: f32, x: *const f32, y: *mut f32, stream: CUstream) -> u32 {
        enqueue(n, alpha, x, y, stream) as u32
    }

    /// The stream is not the last argument, and its type is another declaration.
    pub(crate) unsafe extern "C" fn saxpy_between(
        n: c_uint,
        alpha: f32,
        stream: *mut c_void,
        x: *const c_void,
        y: *mut c_void,
    ) -> CUresult {
        enqueue(n, alpha, x.cast(), y.cast(), stream.cast())
    }

    pub(crate) unsafe extern "C" fn saxpy_as_numbers(stream: i64, x: u64, y: u64, n: usize) {
        let n = n.try_into().unwrap_or(0);
        let _ = enqueue(
            n,
            2.0,
            ptr::with_exposed_provenance(x as usize),
            ptr::with_exposed_provenance_mut(y as usize),
            ptr::with_exposed_provenance_mut(stream as usize),
        );
    }

    /// It takes no stream, so it uses the default stream.
    pub(crate) unsafe extern "C" fn saxpy_default(n: c_uint, x: *const f32, y: *mut f32) -> i32 {
        enqueue(n, 2.0, x, y, ptr::null_mut()) as i32
    }

    pub(crate) unsafe extern "C" fn returns(code: i32, _: CUstream) -> i32 {
        CALLS.set((CALLS.get().0 + 1, 0));
        code
    }

    pub(crate) unsafe extern "C" fn returns_unsigned(code: u32, _: CUstream) -> u32 {
        code
    }

    pub(crate) unsafe extern "C" fn returns_own(is_done: c_char, _: CUstream) -> Done {
        if is_done == 1 { Done::Yes } else { Done::No }
    }
}

/// A status of a library's own.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(super) enum Done {
    Yes = 0,
    No = 9,
}

impl LauncherStatus for Done {
    fn code(self) -> i32 {
        self as i32
    }
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::saxpy)]
pub(super) struct Saxpy<'a> {
    pub(super) n: u32,
    pub(super) alpha: f32,
    #[kernel_args(len = "n")]
    pub(super) x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    pub(super) y: &'a mut CudaSlice<f32>,
}

#[derive(Clone, Copy, KernelArgs)]
#[kernel_args(launcher = ffi::saxpy)]
pub(super) struct Untracked {
    pub(super) n: u32,
    pub(super) alpha: f32,
    pub(super) x: DevicePointer<f32>,
    pub(super) y: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::saxpy_between, stream = before(x))]
pub(super) struct Between<'a> {
    pub(super) n: u32,
    pub(super) alpha: f32,
    pub(super) x: &'a CudaSlice<f32>,
    pub(super) y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::saxpy_as_numbers, stream = before(0))]
pub(super) struct AsNumbers<'a, T: KernelArgsMemory>(
    pub(super) &'a CudaSlice<T>,
    pub(super) &'a mut CudaSlice<T>,
    pub(super) usize,
    #[kernel_args(skip)]
    #[expect(dead_code, reason = "it is not passed")]
    pub(super) &'static str,
);

/// The launcher of a generic struct does not depend on its type.
pub(super) trait KernelArgsMemory: kernel_args::DeviceType {}
impl KernelArgsMemory for f32 {}

#[derive(KernelArgs)]
#[kernel_args(launcher = self::ffi::saxpy_default, stream = none)]
pub(super) struct OnDefault<'a> {
    #[kernel_args(as = u32)]
    pub(super) n: usize,
    pub(super) x: Option<&'a CudaSlice<f32>>,
    pub(super) y: Option<&'a mut CudaSlice<f32>>,
}

macro_rules! codes {
    ($($name:ident($ty:ty) = $function:ident;)*) => {$(
        #[derive(KernelArgs)]
        #[kernel_args(launcher = ffi::$function)]
        pub(super) struct $name {
            pub(super) code: $ty,
        }
    )*};
}

codes! {
    Returns(i32) = returns;
    ReturnsUnsigned(u32) = returns_unsigned;
    ReturnsOwn(c_char) = returns_own;
}

/// `x` and `y` on a stream.
pub(super) struct Memory {
    pub(super) x: CudaSlice<f32>,
    pub(super) y: CudaSlice<f32>,
}

pub(super) const N: u32 = 1000;

impl Memory {
    /// `x` counts from 0, and `y` contains ones.
    pub(super) fn new(stream: &Arc<cudarc::driver::CudaStream>) -> Result<Self, Error> {
        let x: Vec<f32> = (0..N).map(|i| i as f32).collect();
        Ok(Self { x: stream.clone_htod(&x)?, y: stream.clone_htod(&vec![1.0; N as usize])? })
    }

    pub(super) fn args(&mut self, alpha: f32) -> Saxpy<'_> {
        Saxpy { n: N, alpha, x: &self.x, y: &mut self.y }
    }

    /// An error unless `y` is `1 + sum * x`.
    pub(super) fn is_added(&self, sum: f32) -> super::Outcome {
        let y = self.y.stream().clone_dtoh(&self.y)?;
        let wrong = y.iter().enumerate().find(|(i, y)| **y != 1.0 + sum * *i as f32);
        wrong.map_or(Ok(()), |(i, y)| Err(format!("y[{i}] is {y} for a sum of {sum}").into()))
    }
}

/// The bytes of a value.
pub(super) fn bytes<T: Copy>(value: T) -> Vec<u8> {
    let len = mem::size_of::<T>();
    // SAFETY: the caller passes types without padding.
    unsafe { std::slice::from_raw_parts((&raw const value).cast::<u8>(), len) }.to_vec()
}
