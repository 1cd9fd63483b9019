//! All arguments of one kernel, and the two forms in which `cuLaunchKernel` accepts them.

use super::{
    DecodedArgs, LaunchStream, PackError, ParamWriter, Part, Source,
    lower::{assert_same_on_every_gpu, decode_params, marshal_packed, marshal_params},
};
use crate::contract::{ContractError, Contracts, Geometry};
use core::ffi::c_void;
use kernel_args_abi::{
    ParamLayout, Parameter, Signature,
    compiled::{CompiledImage, Family},
};

/// A struct that contains all arguments of a kernel: `#[derive(KernelArgs)]` implements it.
///
/// # Safety
/// - [`ParamBuffer`](Self::ParamBuffer) has at least as many bytes as [`LAYOUT`](Self::LAYOUT).
/// - [`Each<T>`](Self::Each) has room for as many `T` as there are [`PARAMETERS`](Self::PARAMETERS), and is aligned for
///   them.
/// - [`PARAMETERS`](Self::PARAMETERS) have the offsets that C's rule gives them, and `LAYOUT` is the layout of the same
///   parameters: each parameter is inside the layout, and parameters do not overlap.
/// - [`lower`](Self::lower) writes every parameter with the writer `F`, in order, at its offset and index, then calls
///   `launch` once. All guards outlive that call.
/// - If [`IN_PLACE`](Self::IN_PLACE) is `true`, the first `LAYOUT.size()` bytes of the struct are initialised, and are
///   the packed form.
/// - [`packed_in_place`](Self::packed_in_place) returns a pointer to such bytes, which are the packed form as long as
///   the struct is borrowed.
/// - [`SOURCE`](Self::SOURCE) is a kernel that takes the `PARAMETERS`: [`Kernel::load`](crate::Kernel::load) does not
///   compare them again.
/// - Two structs with the same [`Erased`](Self::Erased) have the same `PARAMETERS`: a kernel that was verified for one
///   of these structs can be launched with each of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the arguments of a kernel",
    label = "not a `KernelArgs` struct",
    note = "write `#[derive(KernelArgs)]` on a struct with one field for each parameter"
)]
pub unsafe trait KernelArgs: Sized {
    /// This struct with every lifetime `'static`. A kernel that was verified for it can be launched with the struct of
    /// any lifetime, so generic code stores a `Kernel<A::Erased>` and launches an `A`.
    type Erased: KernelArgs<Erased = Self::Erased> + 'static;
    #[doc(hidden)]
    type ParamBuffer;
    #[doc(hidden)]
    type Each<T>;

    /// The struct's name.
    const NAME: &'static str;
    /// All parameters in order, with their offsets by C's rule.
    const PARAMETERS: &'static [Parameter<'static>];
    /// The layout of the parameters by C's rule. Its size has no tail padding.
    const LAYOUT: ParamLayout;
    /// The kernel that the struct was checked against at compile time.
    const SOURCE: Option<Source> = None;
    /// The patterns of the kernels that the struct was checked against at compile time.
    #[doc(hidden)]
    const FAMILY: Option<&'static Family> = None;

    /// The image of the kernels that the struct names. Generic code loads it: `Module::load(&ctx, A::IMAGE.unwrap())`.
    const IMAGE: Option<&'static CompiledImage> = match (Self::SOURCE, Self::FAMILY) {
        (Some(source), _) => Some(source.table),
        (None, Some(family)) => Some(family.kernels.compiled_image()),
        (None, None) => None,
    };

    /// The fields, if a field is spread or flattened. Otherwise each field is one parameter.
    #[doc(hidden)]
    const PARTS: &'static [Part] = &[];
    #[doc(hidden)]
    const IN_PLACE: bool = false;

    /// The name and the parameters.
    const SIGNATURE: Signature<'static> = Signature { name: Self::NAME, parameters: Self::PARAMETERS };

    #[doc(hidden)]
    const CONTRACTS: Contracts = Contracts::NONE;

    /// Checks the contracts, such as `#[kernel_args(len = "n")]`, of the fields, then of the struct. Each launch calls
    /// it. Returns `geometry` with the dynamic shared memory that a contract computes.
    /// [`contracts`](crate::guide::contracts) has an example.
    ///
    /// # Errors
    /// The first contract that the launch breaks.
    #[inline(always)]
    fn check_contracts(&self, geometry: Geometry) -> Result<Geometry, ContractError> {
        Ok(geometry)
    }

    /// Checks that each field with `#[kernel_args(as = i32)]` or the like fits into its parameter.
    #[doc(hidden)]
    #[inline(always)]
    fn check_narrowed(&self) -> Result<(), ContractError> {
        Ok(())
    }

    /// Calls `note` with each pointer that has the contracts `len` and `capacity`: its name, and the number of elements
    /// that `len` requires. Checks of pointers compare it with the allocation.
    #[doc(hidden)]
    #[inline]
    fn required_lengths(&self, geometry: Geometry, note: &mut dyn FnMut(&'static str, Option<u64>)) {
        let _ = (geometry, note);
    }

    /// Calls [`KernelArg::check_context`](super::KernelArg::check_context) for every field. The first parameter has the
    /// index `first`.
    #[doc(hidden)]
    #[inline]
    fn check_contexts(&self, stream: &LaunchStream<'_>, first: usize) {
        let _ = (stream, first);
    }

    /// Lowers every field with the writer `F`, calls `launch`, and drops the guards of the fields.
    ///
    /// # Safety
    /// Until `launch` has returned, `buffer` is valid for writes of `LAYOUT.size()` bytes. If the form has pointers,
    /// `pointers` is valid for writes of [`Each<*mut c_void>`](Self::Each). For [`Within<F, A, FIELD>`](super::Within),
    /// this struct is field `FIELD` of `A`, and `buffer` and `pointers` have the room for `A`.
    #[doc(hidden)]
    unsafe fn lower<F: ParamWriter, R>(
        &mut self,
        stream: &LaunchStream<'_>,
        buffer: *mut u8,
        pointers: *mut *mut c_void,
        launch: impl FnOnce() -> R,
    ) -> R;

    /// Returns the packed form, if the memory of the struct already has this form. The struct is then not copied.
    #[doc(hidden)]
    #[inline]
    fn packed_in_place(&self) -> Option<*const u8> {
        const { Self::IN_PLACE }.then_some(core::ptr::from_ref(self).cast())
    }

    /// Calls `launch` with the `kernelParams` of `cuLaunchKernel`: one pointer to each parameter.
    /// [`bindings`](crate::guide::bindings) has an example.
    ///
    /// It works for any alignment. The pointers are valid until `launch` returns. Only the contract `as` is checked:
    /// [`check_contracts`](Self::check_contracts) checks all.
    ///
    /// # Panics
    /// If a field does not fit into the type that `as` names.
    #[inline]
    fn with_kernel_params<R>(mut self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        assert_narrowed(&self);
        marshal_params(&mut self, &LaunchStream::untracked(), launch)
    }

    /// Calls `launch` with the packed buffer for `CU_LAUNCH_PARAM_BUFFER_POINTER`. Its length is the size without tail
    /// padding, for `CU_LAUNCH_PARAM_BUFFER_SIZE`. Padding between parameters is zero.
    ///
    /// It does not compile for a struct with an alignment above 16 bytes, because the packed offsets then depend on the
    /// GPU: use [`pack_at`](Self::pack_at). Only the contract `as` is checked.
    ///
    /// # Panics
    /// If a field does not fit into the type that `as` names.
    #[inline]
    fn with_packed<R>(mut self, launch: impl FnOnce(&[u8]) -> R) -> R {
        const { assert_same_on_every_gpu(&Self::LAYOUT) };
        assert_narrowed(&self);
        marshal_packed(&mut self, &LaunchStream::untracked(), launch)
    }

    /// Calls `show` with the values that the kernel receives, for logs and messages.
    ///
    /// ```
    /// # use kernel_args::KernelArgs;
    /// #[derive(KernelArgs)]
    /// struct Scale { factor: f32, n: u32 }
    ///
    /// let text = Scale { factor: 2.0, n: 7 }.with_arguments(|arguments| arguments.to_string());
    /// assert_eq!(text, "  factor  f32  @ 0    = 2.0  [00000040]\n  n       u32  @ 4    = 7  [07000000]");
    /// ```
    fn with_arguments<R>(mut self, show: impl FnOnce(&DecodedArgs<'_>) -> R) -> R {
        decode_params(&mut self, show)
    }

    /// Writes the packed form for a particular GPU into `buffer`, and returns the bytes to pass: up to the end of the
    /// last parameter, with zeros between parameters. `cuFuncGetParamInfo` or [`ParamLayout::on`] returns the
    /// `offsets`.
    ///
    /// # Errors
    /// If the number of `offsets` is not the number of parameters, they overlap, or they do not fit in `buffer`.
    ///
    /// # Panics
    /// If a field does not fit into the type that `as` names.
    fn pack_at<'b>(self, offsets: &[usize], buffer: &'b mut [u8]) -> Result<&'b [u8], PackError> {
        assert_narrowed(&self);
        let size = PackError::check_offsets(Self::PARAMETERS, offsets, buffer.len())?;
        let packed = &mut buffer[..size];
        packed.fill(0);
        self.with_arguments(|arguments| {
            for ((parameter, bytes), &offset) in arguments.iter().zip(offsets) {
                packed[offset..][..parameter.size].copy_from_slice(bytes);
            }
        });
        Ok(packed)
    }
}

#[inline(always)]
#[track_caller]
fn assert_narrowed<A: KernelArgs>(args: &A) {
    if let Err(error) = args.check_narrowed() {
        panic!("{error}");
    }
}

/// Arguments that borrow nothing: a struct with `#[derive(KernelArgs)]` that has no lifetime parameters.
///
/// A graph retains such arguments. A struct with a lifetime parameter does not implement it, even if the lifetime is
/// `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can borrow memory, but a graph keeps the arguments of its nodes after the borrow has ended",
    label = "can borrow",
    note = "declare pointers as `Retained<DevicePointer<T>>` or `Retained<DevicePointerMut<T>>`, and pass `Retained::read(&x)` or \
            `Retained::write(&y)`, where `x` and `y` are an `Arc` of a slice"
)]
pub trait OwnedArgs {}

/// Arguments that name one kernel: a struct with `#[kernel_args(kernel = module::name)]`, or `#[kernel_args(ptx = "…",
/// entry = "…")]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name one kernel",
    label = "which kernel is not known",
    note = "to name the kernel, write `#[kernel_args(kernel = module::name)]` or `#[kernel_args(ptx = \"kernels.ptx\", entry = \"name\")]` \
            on the struct",
    note = "to choose it at run time, write `Kernel::<{Self}>::from_image(&ctx, image, \"name\")` or `module.kernel::<{Self}>(\"name\")`; with \
            `entries = \"pattern\"` on the struct, `module.family::<{Self}>(\"name\")`"
)]
pub trait NamesKernel: KernelArgs {}
