//! Bounds that the derive writes, explicit bounds, and generic code without bounds.

use cudarc::driver::CudaSlice;
use kernel_args::{DevicePointer, DeviceType, KernelArg, KernelArgs};
use std::marker::PhantomData;

/// `P` is any argument: a pointer, which is a device type, or a type that is converted to one.
#[derive(KernelArgs)]
struct Copied<P: KernelArg> {
    n: u32,
    from: P,
}

#[derive(KernelArgs)]
struct InClause<P>
where
    P: Clone + kernel_args::KernelArg,
{
    from: P,
}

/// Not a device type itself.
struct Weights;

impl KernelArg for Weights {
    type Device = DevicePointer<f32>;

    fn lower<'s>(
        &'s mut self,
        _: &'s kernel_args::args::LaunchStream<'_>,
    ) -> (Self::Device, kernel_args::args::Guard<'s>) {
        (DevicePointer::from_raw(9), kernel_args::args::Guard::NONE)
    }
}

trait Family: 'static {
    type Scalar: DeviceType;
}

enum Single {}

impl Family for Single {
    type Scalar = f32;
}

/// `F` occurs in a field, but is not a device type: only the associated type that it names is.
#[derive(KernelArgs)]
#[kernel_args(bound = "F: Family, F::Scalar: DeviceType")]
struct Projected<'a, F: Family> {
    alpha: F::Scalar,
    x: &'a CudaSlice<F::Scalar>,
}

#[derive(KernelArgs)]
#[kernel_args(bound = "")]
struct Unbounded<T: DeviceType, U: ?Sized + 'static> {
    value: T,
    #[kernel_args(skip)]
    marker: PhantomData<U>,
}

#[test]
fn a_parameter_that_is_an_argument_need_not_be_a_device_type() {
    let copied = Copied { n: 7, from: Weights };
    let bytes = copied.with_packed(<[u8]>::to_vec);
    assert_eq!(bytes, [7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Copied::<u8>::LAYOUT.size(), 5);
    assert_eq!(InClause::<f64>::LAYOUT.size(), 8);
    let one = InClause { from: 1_u8 };
    assert_eq!(one.with_packed(<[u8]>::to_vec), [1]);
}

#[test]
fn an_explicit_bound_replaces_the_derived_bounds() {
    assert_eq!(Projected::<Single>::LAYOUT.size(), 16);
    let _ = |projected: Projected<'static, Single>| (projected.alpha, projected.x);
    let unbounded: Unbounded<u8, str> = Unbounded { value: 3, marker: PhantomData };
    assert_eq!(unbounded.with_packed(<[u8]>::to_vec), [3]);
}

/// A struct that stores the kernel of the erased struct and launches the struct itself. It needs only the bound of the
/// trait.
struct Operation<A: KernelArgs> {
    kernel: kernel_args::Kernel<A::Erased>,
}

impl<A: KernelArgs> Operation<A> {
    fn load(module: &kernel_args::Module, entry: &str) -> Result<Self, kernel_args::Error> {
        let kernel = module.kernel::<A::Erased>(entry)?;
        Ok(Self { kernel })
    }

    /// # Safety
    /// The requirements of `launch!`.
    unsafe fn run(&self, args: A) -> Result<(), kernel_args::Error> {
        // SAFETY: the caller guarantees the requirements of `launch!`.
        unsafe { kernel_args::launch!(self.kernel, 1, 1, args) }
    }

    fn parameters() -> usize {
        let erased = <A::Erased as KernelArgs>::PARAMETERS.len();
        assert_eq!(erased, A::PARAMETERS.len());
        erased
    }
}

/// This must only compile: the suite `driver` launches it.
#[test]
fn generic_code_over_arguments_needs_no_further_bounds() {
    let load = Operation::<Projected<'_, Single>>::load;
    let run = Operation::<Projected<'_, Single>>::run;
    let parameters: fn() -> usize = Operation::<Projected<'_, Single>>::parameters;
    let _ = (load, run);
    assert_eq!(parameters(), 2);
}
