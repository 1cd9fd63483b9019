//! The kernels of an image that a program's structs are compared with.

use crate::marshal::KernelArgs;
use kernel_args_abi::compiled::CompiledKernel;

/// Which kernels of an image a program's structs are compared with at compile time. One line of a test lists the
/// kernels that no struct names:
///
/// ```
/// # use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
/// use kernel_args::image::Coverage;
///
/// kernel_args::kernels! { pub mod saxpy = "ptx/saxpy.ptx"; }
///
/// #[derive(KernelArgs)]
/// #[kernel_args(kernel = saxpy::saxpy)]
/// struct Saxpy { n: u32, alpha: f32, x: DevicePointer<f32>, y: DevicePointerMut<f32> }
///
/// // In a test:
/// Coverage::of(saxpy::KERNELS).with::<Saxpy>().assert_complete();
/// ```
///
/// Name a generic struct with any types that are bound; it counts for all of its bindings. Several images are one
/// chain: `Coverage::of(unary::KERNELS.iter().chain(binary::KERNELS))`.
#[derive(Clone, Debug)]
pub struct Coverage {
    kernels: Vec<(CompiledKernel, bool)>,
}

impl Coverage {
    /// Returns the kernels of one image or of several.
    #[must_use]
    pub fn of(kernels: impl IntoIterator<Item = CompiledKernel>) -> Self {
        let kernels = kernels.into_iter().map(|kernel| (kernel, false));
        Self { kernels: kernels.collect() }
    }

    /// Adds the kernels that the struct names.
    #[must_use]
    pub fn with<A: KernelArgs>(mut self) -> Self {
        for (kernel, is_compared) in &mut self.kernels {
            *is_compared |= names::<A>(kernel);
        }
        self
    }

    /// Adds the kernels that match a pattern, which need no struct: kernels that another library launches.
    #[must_use]
    pub fn except(mut self, pattern: &str) -> Self {
        self.kernels.retain(|(kernel, is_compared)| *is_compared || !kernel.matches(pattern, ""));
        self
    }

    /// Returns the number of kernels that a struct names.
    #[must_use]
    pub fn compared(&self) -> usize {
        self.kernels.len() - self.missing().count()
    }

    /// Returns the kernels that no struct names.
    pub fn missing(&self) -> impl Iterator<Item = CompiledKernel> + '_ {
        let missing = self.kernels.iter().filter(|(_, is_compared)| !is_compared);
        missing.map(|(kernel, _)| *kernel)
    }

    /// Panics if a kernel has no struct.
    ///
    /// # Panics
    /// With the list of these kernels.
    #[track_caller]
    pub fn assert_complete(&self) {
        assert!(self.missing().next().is_none(), "{self}");
    }
}

/// Returns whether the struct is compared with this kernel.
fn names<A: KernelArgs>(kernel: &CompiledKernel) -> bool {
    let is_single = A::SOURCE.is_some_and(|source| source.entry == kernel.symbol() && source.image == kernel.image());
    let is_of_family = A::FAMILY.is_some_and(|family| {
        core::ptr::eq(family.kernels.compiled_image(), kernel.compiled_image()) && family.names(kernel)
    });
    is_single || is_of_family
}

// The number of kernels that are compared with a struct, and a list of the kernels that are not.
display!(Coverage, |this, f| {
    let (compared, all) = (this.compared(), this.kernels.len());
    write!(f, "{compared} of {all} kernels are compared with a struct")?;
    if compared < all {
        f.write_str("; no struct names")?;
    }
    for kernel in this.missing() {
        write!(f, "\n  {}", kernel.name())?;
    }
    Ok(())
});
