//! Launchers: functions of the host that take a struct's arguments and a stream, and launch kernels.

use super::KernelArgs;
use crate::device::{DevicePointer, DevicePointerMut, DeviceType, Pointee, SurfaceObject, TextureObject};
use core::ffi::c_void;

/// The arguments of a launcher: a struct with `#[derive(KernelArgs)]` and `#[kernel_args(launcher = path)]`.
///
/// A launcher is a function of the host, usually `extern "C"` in a `.cu` file, that launches kernels. The struct has a
/// field for each of its arguments, in order, without the stream. [`launch!`](crate::launch!) calls it.
#[diagnostic::on_unimplemented(
    message = "`launch!` needs a grid and a block: `{Self}` does not hold the arguments of a launcher",
    label = "neither a grid with a block, nor a launcher's struct",
    note = "a kernel is launched with a grid and a block: `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc \
            `LaunchConfig`",
    note = "a function of the host that launches kernels is called with a struct that names it: `#[kernel_args(launcher = path)]`"
)]
pub trait LauncherArgs: KernelArgs {
    /// The name of the function.
    const LAUNCHER: &'static str;
    /// Whether the function takes a stream.
    const TAKES_STREAM: bool;

    /// Calls the function.
    ///
    /// # Safety
    /// `params` has a pointer to each parameter, whose bytes are a value of the field's device type. The caller of
    /// [`launch!`](crate::launch!) promises that the function may be called with them.
    #[doc(hidden)]
    unsafe fn call(params: *const *mut c_void, stream: StreamArgument) -> Returned;
}

impl<A: LauncherArgs> LauncherArgs for &mut A {
    const LAUNCHER: &'static str = A::LAUNCHER;
    const TAKES_STREAM: bool = A::TAKES_STREAM;

    #[inline(always)]
    unsafe fn call(params: *const *mut c_void, stream: StreamArgument) -> Returned {
        // SAFETY: the caller makes the same promise.
        unsafe { A::call(params, stream) }
    }
}

/// The status that a launcher has returned.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only launches read it"))]
pub struct Returned {
    pub(crate) code: i32,
    pub(crate) is_cuda: bool,
}

/// Returns the status of a launcher whose function has returned `status`.
#[inline(always)]
pub fn returned<S: LauncherStatus>(status: S) -> Returned {
    Returned { code: status.code(), is_cuda: S::IS_CUDA }
}

/// What a launcher returns: nothing, or the status of the runtime or the driver. A launch returns an error if the
/// status is not 0.
///
/// Implement it for an enum of your own:
///
/// ```
/// #[derive(Clone, Copy)]
/// #[repr(i32)]
/// enum Outcome { Done = 0, Unsupported = 1 }
///
/// impl kernel_args::args::LauncherStatus for Outcome {
///     fn code(self) -> i32 {
///         self as i32
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the status of a launcher",
    label = "this function returns no status",
    note = "a launcher returns nothing, or a status: declare `cudaError_t` and `CUresult` as `u32`, C's `int` as `i32`",
    note = "implement `kernel_args::args::LauncherStatus` for a type of your own: the launch is an error if its code is not 0"
)]
pub trait LauncherStatus {
    /// Whether the number is a `cudaError_t` or `CUresult`, which an error explains.
    const IS_CUDA: bool = false;

    /// Returns the status as a number; 0 is success.
    fn code(self) -> i32;
}

macro_rules! statuses {
    ($($(#[$when:meta])* $ty:ty, |$this:pat_param| $code:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        $(#[$when])*
        impl LauncherStatus for $ty {
            const IS_CUDA: bool = true;

            #[inline(always)]
            fn code(self) -> i32 {
                let $this = self;
                $code
            }
        }
    )*};
}

statuses! {
    (), |()| 0;
    i32, |code| code;
    u32, |code| code.cast_signed();
    #[cfg(feature = "cudarc")] cudarc::driver::sys::CUresult, |result| result as i32;
}

/// The argument of a launcher for a value of the device type `Self`, if the function takes a `C`.
#[diagnostic::on_unimplemented(
    message = "the launcher takes `{C}` here, but this field is passed as `{Self}`",
    label = "does not match the function's parameter",
    note = "for `*mut T` or `*mut c_void`, declare `&'a mut CudaSlice<T>` or `DevicePointerMut<T>`; if the function writes through a shared \
            pointer, add `#[kernel_args(shared_write)]`",
    note = "a slice is passed as `*const T`, `*const c_void` or `u64`, everything else exactly as its type; if the function declares another \
            type behind the pointer, add `#[kernel_args(opaque)]`",
    note = "the stream is no field: `launch!(…, stream = &stream)` passes it",
    note = "to pass an integer as a narrower one, if it fits, add `#[kernel_args(as = i32)]` or the like"
)]
pub trait CArgument<C> {
    /// Converts to the type in the function's declaration.
    fn to_c(self) -> C;
}

/// With a second impl for each type, rustc does not choose `C` by the impl, but by the function: it then compares each
/// field with its parameter, and not all types with all parameters.
pub enum Unused {}

#[diagnostic::do_not_recommend]
impl<D: DeviceType> CArgument<Unused> for D {
    fn to_c(self) -> Unused {
        unreachable!("no function takes it")
    }
}

#[diagnostic::do_not_recommend]
impl<D: DeviceType> CArgument<D> for D {
    #[inline(always)]
    fn to_c(self) -> D {
        self
    }
}

/// The pointer of a field that is `opaque`: to any type.
#[repr(transparent)]
pub struct OpaqueArgument<D>(D);

/// The pointer of a field that is `shared_write`.
#[repr(transparent)]
pub struct SharedWriteArgument<D>(D);

/// The stream of a launch.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct StreamArgument(pub(crate) *mut c_void);

macro_rules! addresses {
    ($($from:ty, |$this:ident| $address:expr => $([$($generics:tt)*] $to:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> CArgument<$to> for $from {
            #[inline(always)]
            fn to_c(self) -> $to {
                let $this = self;
                ($address) as $to
            }
        }
    )+)*};
}

addresses! {
    DevicePointer<T>, |this| this.address() => [T: DeviceType] *const T, [T: Pointee] *const c_void, [T: Pointee] u64;
    DevicePointerMut<T>, |this| this.address() => [T: DeviceType] *const T, [T: Pointee] *const c_void, [T: Pointee] u64;
    DevicePointerMut<T>, |this| this.address() => [T: DeviceType] *mut T, [T: Pointee] *mut c_void;
    DevicePointer<DevicePointer<T>>, |this| this.address() => [T: Pointee] *const *const T;
    DevicePointer<DevicePointerMut<T>>, |this| this.address() => [T: Pointee] *const *mut T;
    DevicePointerMut<DevicePointer<T>>, |this| this.address() => [T: Pointee] *const *const T, [T: Pointee] *mut *const T;
    DevicePointerMut<DevicePointerMut<T>>, |this| this.address() => [T: Pointee] *const *mut T, [T: Pointee] *mut *mut T;
    OpaqueArgument<DevicePointer<T>>, |this| this.0.address() => [T, U] *const U, [T, U] *mut U, [T] u64;
    OpaqueArgument<DevicePointerMut<T>>, |this| this.0.address() => [T, U] *const U, [T, U] *mut U, [T] u64;
    TextureObject, |this| this.0 => [] u64;
    SurfaceObject, |this| this.0 => [] u64;
}

#[diagnostic::do_not_recommend]
impl<T, C> CArgument<C> for SharedWriteArgument<DevicePointer<T>>
where
    DevicePointerMut<T>: CArgument<C>,
{
    #[inline(always)]
    fn to_c(self) -> C {
        DevicePointerMut::from_raw(self.0.address()).to_c()
    }
}

/// Returns an argument of a launcher.
///
/// # Safety
/// The pointer at `index` of `params` points to a value of `D`. Its address need not be aligned.
#[inline(always)]
pub unsafe fn c_argument<D: CArgument<C>, C>(params: *const *mut c_void, index: usize) -> C {
    // SAFETY: the caller guarantees a pointer at this index.
    let pointer = unsafe { params.add(index) };
    // SAFETY: the same.
    let value = unsafe { pointer.read() };
    // SAFETY: the caller guarantees that it points to a value.
    unsafe { value.cast::<D>().read_unaligned() }.to_c()
}

/// The type of a function's parameter for its stream.
#[diagnostic::on_unimplemented(
    message = "the launcher takes `{Self}` where its stream is passed",
    label = "the stream is passed here",
    note = "the stream is the last argument; if the function takes it elsewhere, add `stream = before(field)` to the struct's attribute, with \
            the field whose argument follows it; if it takes no stream, `stream = none`",
    note = "a stream is declared as cudarc's `CUstream`, as a pointer to another incomplete type, or as `u64`, `i64` or `usize`"
)]
pub trait StreamParameter: Sized {
    /// The size of what it points to. An incomplete type, such as `CUstream_st` or `c_void`, has at most 1 byte.
    const POINTEE: usize;

    /// Returns the stream as this type.
    fn of(stream: StreamArgument) -> Self;
}

macro_rules! streams {
    ($([$($generic:ident)?] $ty:ty, $pointee:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl$(<$generic>)? StreamParameter for $ty {
            const POINTEE: usize = $pointee;

            #[inline(always)]
            fn of(stream: StreamArgument) -> Self {
                stream.0 as $ty
            }
        }
    )*};
}

streams! {
    [T] *mut T, size_of::<T>();
    [T] *const T, size_of::<T>();
    [] u64, 0;
    [] i64, 0;
    [] usize, 0;
}

/// Returns the stream as the type of the function.
#[inline(always)]
#[must_use]
pub fn stream_argument<C: StreamParameter>(stream: StreamArgument) -> C {
    const {
        assert!(
            C::POINTEE <= 1,
            "the launcher takes a pointer to memory where its stream is passed\n\
             help: add `stream = before(field)` to the struct's attribute, with the field whose argument follows the stream; for a function without \
             a stream, `stream = none`"
        );
    }
    C::of(stream)
}
